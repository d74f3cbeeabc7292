"""Two policies to measure others against: random, and greedy by the points of this turn."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, Ints1, Ints3
from yatzy.policy.base import Decisions, by_level, empty_decisions
from yatzy.policy.optimal import best_decisions
from yatzy.rules import Ruleset
from yatzy.solver.states import state_space
from yatzy.turn.jit import jit, jittable
from yatzy.turn.tables import Turn, turn_tables
from yatzy.turn.values import closed_boxes, reading_of


@dataclass(frozen=True)
class Greedy:
    """Plays each turn for the most expected points of that turn, as if it were the last."""

    rules: Ruleset
    name: str = "greedy"

    @cached_property
    def _nothing(self) -> NDArray[np.float64]:
        space = state_space(self.rules)
        return np.zeros((space.n_masks, space.n_uppers))

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        return best_decisions(self.rules, self._nothing, 0.0, filled, upper)


@dataclass(frozen=True)
class Random:
    """Any legal action with equal chance, drawn once per situation from the seed: chaotic but repeatable."""

    rules: Ruleset
    seed: int = 0

    @property
    def name(self) -> str:
        return f"random, seed {self.seed}" if self.seed else "random"

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        decisions = empty_decisions(self.rules, filled)
        with np.errstate(over="ignore"):  # the hash wraps around; as plain Python, NumPy would warn
            _draw_actions(
                np.uint64(self.seed), np.ascontiguousarray(filled, np.int64), upper, turn_tables(self.rules),
                by_level(decisions.category), decisions.keep,
            )  # fmt: skip
        return decisions


@jit
def _draw_actions(seed: np.uint64, filled: Ints1, upper: Ints1, turn: Turn, category: Ints3, keep: Ints3) -> None:
    """Choose actions by a hash of the situation."""
    allowed = np.empty(len(turn.zero), np.int64)
    special_of_roll, readings = turn.special.of_roll, turn.special.readings
    outcome_of_reading, bits = turn.outcome_of_reading, turn.bits
    for i in range(len(filled)):
        closed = closed_boxes(filled[i], turn.masks)
        state = mix(mix(seed + np.uint64(filled[i])) + np.uint64(upper[i]))
        for roll in range(category.shape[2]):
            n_allowed = 0
            reading = reading_of(filled[i], roll, special_of_roll, readings)
            for c in range(len(allowed)):
                outcome = outcome_of_reading[reading, c]
                if outcome >= 0 and not closed & bits[outcome]:
                    allowed[n_allowed] = c
                    n_allowed += 1
            number = mix(state + np.uint64(roll))
            for level in range(category.shape[1]):
                category[i, level, roll] = allowed[number % np.uint64(n_allowed)]
            for left in range(keep.shape[1]):
                number = mix(number + np.uint64(1))
                keep[i, left, roll] = turn.keeps_in_roll[roll, number % np.uint64(turn.slots[roll])]


@jittable
def mix(x: np.uint64) -> Any:
    """The finaliser of splitmix64: neighbouring numbers become unrelated ones."""
    x += np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
