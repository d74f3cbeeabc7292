"""Games in progress by what their player sees: each distinct state is put to a policy once."""

from typing import Any

import numpy as np

from yatzy.arrays import IntArray, Ints1
from yatzy.rules import Ruleset
from yatzy.solver.states import state_space
from yatzy.turn.jit import jit
from yatzy.turn.outcomes import highest_score

# Larger state spaces are sorted instead of counted.
MOST_COUNTED = 1 << 27


def games_by_state(
    rules: Ruleset, filled: IntArray, upper: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Distinct states (filled, upper), where the games of each start in an order, and that order."""
    space = state_space(rules)
    if space.n_masks * space.n_uppers <= MOST_COUNTED:
        counts = np.zeros(space.n_masks * space.n_uppers, np.int32)
        distinct, starts, order = group_by_state(space.row(filled), upper, space.n_uppers, counts)
        return space.masks[distinct // space.n_uppers], distinct % space.n_uppers, starts, order
    states = filled * space.n_uppers + upper
    order = np.argsort(states, kind="stable")
    distinct, starts = np.unique(states[order], return_index=True)
    return distinct // space.n_uppers, distinct % space.n_uppers, starts, order


def games_by_points(
    rules: Ruleset, filled: IntArray, upper: IntArray, points: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Distinct (filled, upper, points), where the games of each start in an order, and that order."""
    n_uppers, n_points = rules.bonus_threshold + 1, highest_score(rules) + 1
    keys = (filled * n_uppers + upper) * n_points + points
    order = np.argsort(keys, kind="stable")
    distinct, starts = np.unique(keys[order], return_index=True)
    states, points = np.divmod(distinct, n_points)
    return states // n_uppers, states % n_uppers, points, starts, order


@jit
def group_by_state(filled: Ints1, upper: Ints1, n_uppers: int, counts: Ints1) -> Any:
    """Distinct states, where the games of each start in `order`, and all games in that order (a counting sort).

    `filled` are rows of masks here.
    """
    n = len(filled)
    for game in range(n):
        counts[filled[game] * n_uppers + upper[game]] += 1
    n_distinct = 0
    for state in range(len(counts)):
        n_distinct += counts[state] > 0
    distinct, starts = np.empty(n_distinct, np.int64), np.empty(n_distinct, np.int64)
    found, position = 0, 0
    for state in range(len(counts)):
        if counts[state] > 0:
            distinct[found], starts[found] = state, position
            found += 1
            position += counts[state]
            counts[state] = position - counts[state]
    order = np.empty(n, np.int64)
    for game in range(n):
        state = filled[game] * n_uppers + upper[game]
        order[counts[state]] = game
        counts[state] += 1
    return distinct, starts, order
