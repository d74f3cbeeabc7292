"""How a turn can end: an *outcome* is a category, the points scored in it and what they do to the state.

Outcomes are numbered category by category, points ascending, zero included. With 15 categories there are 121 of
them. Seen from outside the turn, what a policy does in a state is a probability for each outcome.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from yatzy.arrays import IntArray
from yatzy.rules import Ruleset


def after(filled: Any, upper: Any, bits: Any, lift: Any, cap: Any) -> Any:
    """The state that an outcome leads to: (filled, upper). Takes numbers or arrays; compiled in `values`."""
    total = upper + lift
    return filled | bits, total - (total - cap) * (total > cap)


@dataclass(frozen=True)
class Outcomes:
    """All outcomes of a ruleset."""

    rules: Ruleset

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        by_category = list(zip(*self.rules.scores, strict=True))
        return [(c, p) for c, scores in enumerate(by_category) for p in sorted({0, *scores})]

    @property
    def n(self) -> int:
        return len(self._pairs)

    @cached_property
    def category(self) -> IntArray:
        return np.array([c for c, _ in self._pairs], dtype=np.int64)

    @cached_property
    def points(self) -> IntArray:
        return np.array([p for _, p in self._pairs], dtype=np.int64)

    @cached_property
    def bits(self) -> IntArray:
        """What the outcome sets in the filled mask."""
        return np.asarray(np.int64(1) << self.category)

    @cached_property
    def lift(self) -> IntArray:
        """What the outcome adds to the upper total."""
        is_upper = np.array([category.upper for category in self.rules.categories])
        return np.asarray(self.points * is_upper[self.category])

    @cached_property
    def start(self) -> IntArray:
        """(n_categories + 1,): outcomes of category c are start[c] .. start[c + 1]."""
        return np.searchsorted(self.category, np.arange(self.rules.n_categories + 1))

    @cached_property
    def of_roll(self) -> IntArray:
        """(n_rolls, n_categories): the outcome of scoring a roll in a category."""
        number = {pair: i for i, pair in enumerate(self._pairs)}
        rows = [[number[c, p] for c, p in enumerate(row)] for row in self.rules.scores]
        return np.array(rows, dtype=np.int64)

    def after(self, filled: Any, upper: Any, outcome: Any) -> Any:
        """(filled, upper) after an outcome; numbers or arrays."""
        return after(filled, upper, self.bits[outcome], self.lift[outcome], self.rules.bonus_threshold)

    def is_open(self, filled: Any) -> Any:
        """(n_outcomes, ...): can the outcome still happen?"""
        return np.bitwise_and.outer(self.bits, filled) == 0


@lru_cache(maxsize=8)
def outcomes(rules: Ruleset) -> Outcomes:
    """The outcomes of a ruleset."""
    return Outcomes(rules)
