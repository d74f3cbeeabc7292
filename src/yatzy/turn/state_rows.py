"""The rows of masks in arrays, and whether the bonus of a state is safe or lost.

A *set* is a mask without saved throws. Where none are saved, a set is its own row. Where they are, a set with k
filled categories has a row for each possible number of saved throws, 0 to k * rerolls, and rows are ordered by
layer, so that a layer is contiguous in a file.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, Numbers, read_only
from yatzy.rules import Ruleset


@dataclass(frozen=True)
class StateRows:
    """The row of every mask of a ruleset."""

    rules: Ruleset

    @property
    def n_masks(self) -> int:
        """The number of rows, which may include impossible masks."""
        return len(self.masks)

    @cached_property
    def sets(self) -> IntArray:
        return np.arange(self.rules.n_sets)

    @cached_property
    def n_filled(self) -> IntArray:
        """(n_sets,): how many categories are filled."""
        return np.asarray(np.bitwise_count(self.sets & self.rules.all_filled), np.int64)

    @cached_property
    def n_saved(self) -> IntArray:
        """(n_sets,): the number of possible numbers of saved throws, 0 included."""
        return np.asarray(1 + self.n_filled * self.rules.rerolls * self.rules.saves_throws)

    @cached_property
    def row_start(self) -> IntArray:
        """(n_sets,): the row of a set without saved throws; those with 1, 2, ... follow it."""
        if not self.rules.saves_throws:
            return self.sets
        order = np.argsort(self.n_filled, kind="stable")
        start = np.empty_like(order)
        start[order] = np.cumsum(self.n_saved[order]) - self.n_saved[order]
        return start

    @cached_property
    def masks(self) -> IntArray:
        """(n_masks,): the mask of each row."""
        if not self.rules.saves_throws:
            return self.sets
        return self.with_saved(np.argsort(self.n_filled, kind="stable"))

    def row(self, masks: Any) -> Any:
        """The row of a mask, or of each mask of an array."""
        if not self.rules.saves_throws:
            return masks
        return self.row_start[masks & self.rules.n_sets - 1] + (masks >> self.rules.saved_shift)

    def with_saved(self, sets: IntArray) -> IntArray:
        """Every mask of these sets, with 0, 1, ... saved throws."""
        n = self.n_saved[sets]
        saved = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
        return np.repeat(sets, n) | saved << self.rules.saved_shift


@lru_cache(maxsize=8)
def state_rows(rules: Ruleset) -> StateRows:
    """The rows of a ruleset, cached."""
    return StateRows(rules)


def settled(rules: Ruleset, filled: Numbers, upper: Numbers) -> NDArray[np.bool_]:
    """Whether the bonus is already safe or lost, by state; numbers, or arrays that broadcast."""
    lost, safe = bonus_lost_or_safe(rules, filled, upper)
    return np.asarray(lost | safe)


def bonus_lost_or_safe(
    rules: Ruleset, filled: Numbers, upper: Numbers
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(lost, safe): whether the upper total can no longer reach the threshold, and whether it has."""
    to_come = most_upper_to_come(rules)[np.asarray(filled) & rules.all_filled]
    lost, safe = lost_or_safe(np.asarray(upper), to_come, rules.bonus_threshold)
    return np.asarray(lost), np.asarray(safe)


def lost_or_safe(upper: Numbers, to_come: Numbers, threshold: int) -> Any:
    """The same if the open upper categories can bring `to_come`; also compiled into kernels."""
    return upper + to_come < threshold, upper >= threshold


@lru_cache(maxsize=8)
def most_upper_to_come(rules: Ruleset) -> IntArray:
    """(2^n_categories,): the most that the open upper categories can still bring."""
    most = np.max(np.array(rules.scores), axis=0) * np.array([category.upper for category in rules.categories])
    boxes = np.arange(1 << rules.n_categories)
    to_come = np.zeros(len(boxes), np.int64)
    for category_id in rules.upper_ids:
        to_come += (1 - (boxes >> category_id & 1)) * most[category_id]
    return read_only(to_come)
