"""Two policies to measure others against: random, and greedy by the points of this turn."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.dice import lattice
from yatzy.policy.base import Decisions, empty_decisions
from yatzy.policy.optimal import best_decisions
from yatzy.rules import Ruleset
from yatzy.solver.states import state_space
from yatzy.turn.jit import jit


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
        dice = lattice(self.rules.dice, self.rules.faces)
        decisions = empty_decisions(self.rules, len(filled))
        with np.errstate(over="ignore"):  # the hash wraps around; as plain Python, NumPy would warn
            _draw_actions(
                np.uint64(self.seed), filled, upper, dice.keeps_in_roll, (dice.keeps_in_roll >= 0).sum(axis=1),
                self.rules.n_categories, decisions.category, decisions.keep,
            )  # fmt: skip
        return decisions


@jit
def _draw_actions(
    seed: Any,
    filled: Any,
    upper: Any,
    keeps_in_roll: Any,
    n_inside: Any,
    n_categories: Any,
    category: Any,
    keep: Any,
) -> None:
    """Choose actions by a hash of the situation."""
    open_ids = np.empty(n_categories, np.int64)
    for i in range(len(filled)):
        n_open = 0
        for c in range(n_categories):
            if not filled[i] >> c & 1:
                open_ids[n_open] = c
                n_open += 1
        state = _mix(_mix(seed + np.uint64(filled[i])) + np.uint64(upper[i]))
        for roll in range(category.shape[1]):
            number = _mix(state + np.uint64(roll))
            category[i, roll] = open_ids[number % np.uint64(n_open)]
            for left in range(keep.shape[1]):
                number = _mix(number + np.uint64(1))
                keep[i, left, roll] = keeps_in_roll[roll, number % np.uint64(n_inside[roll])]


@jit
def _mix(x: Any) -> Any:
    """The finaliser of splitmix64: neighbouring numbers become unrelated ones."""
    x += np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
