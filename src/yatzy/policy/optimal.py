"""Optimal play for any theta: the best action of a solved table, ties to the lowest id."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.policy.base import Decisions, empty_decisions
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable
from yatzy.turn.tables import game_tables, option_weights, work_buffer
from yatzy.turn.values import decide_states


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

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        return best_decisions(self.rules, self.table.stored, self.table.theta, filled, upper)


def best_decisions(
    rules: Ruleset, stored: NDArray[np.float64], theta: float, filled: IntArray, upper: IntArray
) -> Decisions:
    """The best actions if the states after this turn were worth `stored` (n_masks, n_uppers)."""
    precision = stored.dtype.name
    game = game_tables(rules, precision)
    gain, points = option_weights(game, theta, precision)
    decisions = empty_decisions(rules, len(filled))
    work, ids = work_buffer(game, precision), work_buffer(game, precision)
    decide_states(
        np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64),
        game, gain, points, theta, np.asarray(stored), decisions.category, decisions.keep, work, ids,
    )  # fmt: skip
    return decisions
