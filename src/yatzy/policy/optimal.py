"""Optimal play for any theta: the best action of a solved table, ties to the lowest id."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.policy.base import Decisions, by_level, empty_decisions
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable
from yatzy.turn.best import decide_states
from yatzy.turn.probability import exits_of_best
from yatzy.turn.tables import turn_scratch, turn_tables, worth_of


@dataclass(frozen=True)
class Optimal:
    """Plays the best action for the table's theta."""

    table: ValueTable

    @property
    def name(self) -> str:
        return "optimal" if self.table.theta == 0 else f"optimal, theta {self.table.theta!r}"

    @property
    def rules(self) -> Ruleset:
        return self.table.rules

    @property
    def content(self) -> bytes:
        """See `KnowsContent`."""
        # A digest, because the table may be larger than memory.
        return (
            repr(self.table.theta).encode() + hashlib.sha256(np.ascontiguousarray(self.table.stored).data).digest()
        )

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        return best_decisions(self.rules, self.table.stored, self.table.theta, filled, upper)

    def add_exits(self, filled: IntArray, upper: IntArray, exits: FloatArray) -> None:
        """How the turns of these states end: see `KnowsExits`."""
        add_best_exits(self.rules, self.table.stored, self.table.theta, filled, upper, exits)


def best_decisions(
    rules: Ruleset, stored: NDArray[np.float64], theta: float, filled: IntArray, upper: IntArray
) -> Decisions:
    """The best actions if the states after this turn are worth `stored` (n_masks, n_uppers)."""
    precision = stored.dtype.name
    decisions = empty_decisions(rules, filled)
    decide_states(
        np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64),
        turn_tables(rules, precision), worth_of(rules, stored, theta), by_level(decisions.category),
        decisions.keep, turn_scratch(rules, precision),
    )  # fmt: skip
    return decisions


def add_best_exits(
    rules: Ruleset, stored: NDArray[Any], theta: float, filled: IntArray, upper: IntArray, exits: FloatArray
) -> None:
    """Add to `exits` (see `turn.probability.add_exits`) how turns end under the best actions; keeps none."""
    exits_of_best(
        np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64),
        turn_tables(rules), worth_of(rules, np.asarray(stored, np.float64), theta), exits, turn_scratch(rules),
    )  # fmt: skip
