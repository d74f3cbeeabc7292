"""The state space: which (filled, upper) can occur, which of them share a value, and in what order to solve.

*Reachability.* Only the filled upper categories matter. With R(M) the set of upper totals that are possible when
exactly the upper categories M are filled (totals above the threshold T count as T),

    R({}) = {0},    R(M) = { min(T, u + p) : c in M, u in R(M - c), p a score of c }.

*Collapse.* The upper total matters only through the bonus. Where even the most that the open upper categories
can still bring, `most_to_come`, does not lift it to T, the bonus is lost for every such total: all totals
u < T - most_to_come have the same value and are one class, which is solved once, at its largest member
`lowest_upper`, and copied to the others.

*Layers.* A turn fills exactly one category, so a state with k filled categories only needs those with k + 1.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, format_filled


@dataclass(frozen=True)
class StateSpace:
    """All states of a ruleset; arrays are indexed by the filled mask."""

    rules: Ruleset

    @property
    def n_masks(self) -> int:
        return 1 << self.rules.n_categories

    @property
    def n_uppers(self) -> int:
        """Upper totals 0..threshold."""
        return self.rules.bonus_threshold + 1

    @cached_property
    def upper_set(self) -> IntArray:
        """(n_masks,): the filled upper categories alone, as a mask over `rules.upper_ids`."""
        masks = np.arange(self.n_masks)
        sets = np.zeros(self.n_masks, dtype=np.int64)
        for bit, category_id in enumerate(self.rules.upper_ids):
            sets |= (masks >> category_id & 1) << bit
        return sets

    @cached_property
    def upper_points(self) -> tuple[tuple[int, ...], ...]:
        """For each upper category, the distinct points it can score (0 included)."""
        by_category = list(zip(*self.rules.scores, strict=True))
        return tuple(tuple(sorted({0, *by_category[c]})) for c in self.rules.upper_ids)

    @cached_property
    def reachable_by_upper_set(self) -> NDArray[np.bool_]:
        """(upper sets, n_uppers): R(M) of the module docstring."""
        threshold = self.rules.bonus_threshold
        reached = np.zeros((1 << len(self.rules.upper_ids), self.n_uppers), dtype=np.bool_)
        reached[0, 0] = True
        for upper_set in range(1, len(reached)):
            # Any one member serves as the last one filled: totals do not depend on the order.
            last = upper_set.bit_length() - 1
            before = np.flatnonzero(reached[upper_set ^ 1 << last])
            for points in self.upper_points[last]:
                reached[upper_set, np.minimum(before + points, threshold)] = True
        return reached

    @cached_property
    def reachable(self) -> NDArray[np.bool_]:
        """(n_masks, n_uppers): can this state occur?"""
        return self.reachable_by_upper_set[self.upper_set]

    @cached_property
    def highest_upper(self) -> IntArray:
        """(n_masks,): the largest reachable upper total."""
        highest = self.n_uppers - 1 - np.argmax(self.reachable_by_upper_set[:, ::-1], axis=1)
        return np.asarray(highest[self.upper_set])

    @cached_property
    def lowest_upper(self) -> IntArray:
        """(n_masks,): the largest total for which the bonus is lost (it stands for its class), else 0."""
        most = [points[-1] for points in self.upper_points]
        n_sets = len(self.reachable_by_upper_set)
        most_to_come = [
            sum(m for bit, m in enumerate(most) if not upper_set >> bit & 1) for upper_set in range(n_sets)
        ]
        lost = self.rules.bonus_threshold - np.array(most_to_come, dtype=np.int64) - 1
        return np.clip(lost[self.upper_set], 0, self.highest_upper)

    @cached_property
    def n_reachable(self) -> int:
        """States that can occur, finished games included."""
        lower_sets = 1 << (self.rules.n_categories - len(self.rules.upper_ids))
        return int(self.reachable_by_upper_set.sum()) * lower_sets

    @cached_property
    def n_classes(self) -> int:
        """States left after the collapse."""
        uppers = np.arange(self.n_uppers)
        above = self.reachable & (uppers > self.lowest_upper[:, None])
        return int(above.sum()) + self.n_masks

    @cached_property
    def layers(self) -> tuple[IntArray, ...]:
        """Filled masks with 0, 1, ... categories filled."""
        masks = np.arange(self.n_masks)
        n_filled = sum(masks >> c & 1 for c in range(self.rules.n_categories))
        order = np.argsort(n_filled, kind="stable")
        starts = np.cumsum(np.bincount(n_filled))[:-1]
        return tuple(np.split(order, starts))

    def check(self, filled: int, upper: int) -> None:
        """Refuse a state that cannot occur."""
        for name, number in (("filled", filled), ("upper", upper)):
            if not isinstance(number, SupportsIndex) or isinstance(number, bool):
                raise YatzyError(f"{name}: {number!r} is not a whole number")
        if not 0 <= filled < self.n_masks:
            raise YatzyError(f"filled: {filled} is outside 0..{self.n_masks - 1}")
        if not 0 <= upper < self.n_uppers:
            raise YatzyError(f"upper: {upper} is outside 0..{self.n_uppers - 1}")
        possible = self.reachable_by_upper_set[self.upper_set[filled]]
        if not possible[upper]:
            allowed = _ranges(np.flatnonzero(possible))
            raise YatzyError(
                f"upper: {upper} cannot stand with filled {format_filled(self.rules, filled)!r}; "
                f"allowed: {allowed}"
            )


def _ranges(numbers: IntArray) -> str:
    """[0, 2, 3, 4] as '0, 2..4'."""
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs)


@lru_cache(maxsize=8)
def state_space(rules: Ruleset) -> StateSpace:
    """The state space of a ruleset, cached."""
    return StateSpace(rules)
