"""The bonus of the upper section: can it still be reached, and is it safe?"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, Numbers, read_only
from yatzy.rules import Ruleset


def settled(rules: Ruleset, filled: Numbers, upper: Numbers) -> NDArray[np.bool_]:
    """Whether the bonus is already safe or lost, by state; numbers, or arrays that broadcast."""
    lost, safe = bonus_lost_or_safe(rules, filled, upper)
    return np.asarray(lost | safe)


def bonus_lost_or_safe(
    rules: Ruleset, filled: Numbers, upper: Numbers
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(lost, safe): can the upper total no longer reach the threshold, and has it already?"""
    to_come = most_upper_to_come(rules)[np.asarray(filled) & rules.all_filled]
    lost, safe = lost_or_safe(np.asarray(upper), to_come, rules.bonus_threshold)
    return np.asarray(lost), np.asarray(safe)


def lost_or_safe(upper: Numbers, to_come: Numbers, threshold: int) -> Any:
    """The same for numbers or arrays, if open upper categories can bring `to_come`; compiled where kernels ask."""
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
