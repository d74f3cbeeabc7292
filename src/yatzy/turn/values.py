"""Compiled kernels for one turn of the game, many states at a time.

With U the utility of what comes after scoring p points in category c,

    exit(roll) = max over open c of   gain_c(p) * U(filled + c, upper + p) + points_c(p)
    then, per reroll:   keep(K) = mean of exit or best over K + f;   best(K) = max(keep(K), best(K - f))
    value(state) = sum over rolls of prob(roll) * best(roll)

For theta = 0, U is the value itself, gain is 1 and points_c(p) is p. For theta != 0 the log-value
L = ln E[exp(theta * points to come)] stands between turns, and inside a turn U = sign(theta) * exp(L - ref),
gain is exp(theta * p) and points_c(p) is 0: always a maximum, never a log-sum-exp. `ref` is the largest L that
the turn can read, so that exp neither overflows nor, within MAX_EXPONENT, vanishes.

A kernel calls only kernels of this file and the lanes: Numba's disk cache does not notice a change elsewhere.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.turn.lanes import Fold, fold, fold_ids, jit, larger_of, load, multiply_add, n_lanes, store

# exp(-MAX_EXPONENT) is still far from the smallest float64, exp(-745).
MAX_EXPONENT = 600.0


class Game(NamedTuple):
    """What the kernels need to know of a ruleset. An *option* is one way to score: a category and points.

    Rows of the work buffer: the keeps (rolls first), then the floor, then the options.
    """

    option_category: NDArray[np.int64]
    option_points: NDArray[np.int64]
    option_lift: NDArray[np.int64]  # what the option adds to the upper total
    score_by_roll_category: NDArray[np.int64]
    is_upper: NDArray[np.int64]
    prob_roll: NDArray[Any]
    keeps_in_roll: NDArray[np.int64]
    choose: Fold
    mean: Fold
    best: Fold
    n_categories: int
    n_keeps: int
    n_rerolls: int


@jit
def solve_masks(
    masks: Any, lowest: Any, highest: Any, game: Game, gain: Any, points: Any, theta: Any,
    values: Any, rows: Any, work: Any,
) -> float:  # fmt: skip
    """Value (log-value for theta != 0) of all upper totals of `masks`; returns the widest exponent met.

    `values` (n_masks, n_uppers) is read at the successors and written at `masks`; `gain` and `points` are by
    option; `rows` (categories, padded uppers) and `work` (rows, lanes) are scratch of the calling thread.
    """
    width = n_lanes(work)
    n_uppers = values.shape[1]
    widest = 0.0
    for mask in masks:
        low = lowest[mask]
        high = highest[mask]
        ref, least = _successor_range(mask, low, game, values) if theta != 0 else (0.0, 0.0)
        widest = max(widest, ref - least)
        if widest > MAX_EXPONENT:
            break
        _read_successors(mask, low, theta, ref, game, values, rows)
        for upper in range(low, high + 1, width):
            _score_rolls(mask, upper, game, gain, points, rows, work)
            for _ in range(game.n_rerolls):
                fold(work, game.mean)
                fold(work, game.best)
            _mean_over_rolls(game.prob_roll, work)
            for lane in range(min(width, n_uppers - upper)):
                value = work[0, lane]
                values[mask, upper + lane] = ref + math.log(abs(value)) if theta != 0 else value
        for upper in range(low):
            values[mask, upper] = values[mask, low]
        for upper in range(high + 1, n_uppers):
            values[mask, upper] = values[mask, high]
    return widest


@jit
def _successor_range(mask: Any, low: Any, game: Game, values: Any) -> Any:
    """Largest and smallest log-value after this turn: monotone in the upper total, so found at its ends."""
    largest, least = -math.inf, math.inf
    last = values.shape[1] - 1
    for category in range(game.n_categories):
        if not mask >> category & 1:
            row = values[mask | 1 << category]
            largest = max(largest, row[low], row[last])
            least = min(least, row[low], row[last])
    return largest, least


@jit
def _read_successors(mask: Any, low: Any, theta: Any, ref: Any, game: Game, values: Any, rows: Any) -> None:
    """Utility after filling each open category, by upper total, padded past the cap."""
    n_uppers = values.shape[1]
    sign = 1.0 if theta > 0 else -1.0
    for category in range(game.n_categories):
        if mask >> category & 1:
            continue
        source = values[mask | 1 << category]
        target = rows[category]
        if theta != 0:
            for upper in range(low, n_uppers):
                target[upper] = sign * math.exp(source[upper] - ref)
        else:
            for upper in range(low, n_uppers):
                target[upper] = source[upper]
        capped = target[n_uppers - 1]
        for upper in range(n_uppers, len(target)):
            target[upper] = capped


@jit
def _score_rolls(mask: Any, upper: Any, game: Game, gain: Any, points: Any, rows: Any, work: Any) -> None:
    """Best category of every roll, for the upper totals from `upper` on.

    Scoring nothing is worth the same for every roll: that is the floor, and only other options are compared.
    """
    width = n_lanes(work)
    stride = rows.shape[1]
    floor_row = game.n_keeps * width
    started = False
    floor = load(rows, 0)
    for category in range(game.n_categories):
        if not mask >> category & 1:
            nothing = load(rows, category * stride + upper)
            floor = larger_of(floor, nothing) if started else nothing
            started = True
    store(work, floor_row, floor)
    for option in range(len(game.option_category)):
        category = game.option_category[option]
        target = floor_row + (option + 1) * width
        if mask >> category & 1:
            store(work, target, floor)
        else:
            successor = load(rows, category * stride + upper + game.option_lift[option])
            store(work, target, multiply_add(successor, gain[option], points[option]))
    fold(work, game.choose)


@jit
def _mean_over_rolls(prob_roll: Any, work: Any) -> None:
    """Row 0 becomes the expected value over the first roll (four sums, to keep the adders busy)."""
    width = n_lanes(work)
    zero = work.dtype.type(0)
    first = multiply_add(load(work, 0), zero, zero)
    second, third, fourth = first, first, first
    n_rolls = len(prob_roll)
    for roll in range(0, n_rolls - 3, 4):
        first = multiply_add(load(work, roll * width), prob_roll[roll], first)
        second = multiply_add(load(work, (roll + 1) * width), prob_roll[roll + 1], second)
        third = multiply_add(load(work, (roll + 2) * width), prob_roll[roll + 2], third)
        fourth = multiply_add(load(work, (roll + 3) * width), prob_roll[roll + 3], fourth)
    for roll in range(n_rolls - n_rolls % 4, n_rolls):
        first = multiply_add(load(work, roll * width), prob_roll[roll], first)
    one = work.dtype.type(1)
    store(work, 0, multiply_add(multiply_add(first, one, second), one, multiply_add(third, one, fourth)))


@jit
def act_in_situations(
    filled: Any, upper: Any, roll_ids: Any, rerolls: Any, game: Game, gain: Any, points: Any, theta: Any,
    values: Any, category_values: Any, keep_values: Any, work: Any,
) -> None:  # fmt: skip
    """Value of every action in many situations; each lane is another situation.

    `category_values` (n, n_categories) and `keep_values` (n, keeps in a roll) are written where the action is
    allowed: open categories, and while rerolls are left the keeps of fewer than all dice.
    """
    width = n_lanes(work)
    for start in range(0, len(filled), width):
        n = min(width, len(filled) - start)
        refs = np.zeros(width)
        most_rerolls = 0
        for lane in range(n):
            i = start + lane
            refs[lane] = _score_lane(lane, filled[i], upper[i], game, gain, points, theta, values, work)
            _value_categories(filled[i], upper[i], roll_ids[i], game, theta, values, category_values[i])
            most_rerolls = max(most_rerolls, rerolls[i])
        fold(work, game.choose)
        for left in range(1, most_rerolls + 1):
            fold(work, game.mean)
            for lane in range(n):
                if rerolls[start + lane] == left:
                    keeps = game.keeps_in_roll[roll_ids[start + lane]]
                    for slot in range(1, len(keeps)):
                        if keeps[slot] >= 0:
                            value = work[keeps[slot], lane]
                            keep_values[start + lane, slot] = _to_points(value, refs[lane], theta)
            if left < most_rerolls:
                fold(work, game.best)


@jit
def _to_points(utility: Any, ref: Any, theta: Any) -> Any:
    """Certainty equivalent of a utility."""
    return (ref + math.log(abs(utility))) / theta if theta != 0 else utility


@jit
def _value_categories(
    filled: Any, upper: Any, roll_id: Any, game: Game, theta: Any, values: Any, category_values: Any
) -> None:
    """Points now plus the value of the state after, for every open category."""
    for category in range(game.n_categories):
        if not filled >> category & 1:
            scored = game.score_by_roll_category[roll_id, category]
            after = min(upper + scored * game.is_upper[category], values.shape[1] - 1)
            value = values[filled | 1 << category, after]
            category_values[category] = scored + (value / theta if theta != 0 else value)


@jit
def _score_lane(
    lane: Any, filled: Any, upper: Any, game: Game, gain: Any, points: Any, theta: Any,
    values: Any, work: Any,
) -> float:  # fmt: skip
    """Floor and options of one state in one lane; returns its `ref`."""
    n_uppers = values.shape[1]
    most, least = -math.inf, math.inf
    for category in range(game.n_categories):
        if not filled >> category & 1:
            nothing = values[filled | 1 << category, upper]
            most = max(most, nothing)
            least = min(least, nothing)
    ref = most if theta != 0 else 0.0
    sign = 1.0 if theta > 0 else -1.0
    floor = most
    if theta != 0:
        floor = 1.0 if theta > 0 else -math.exp(least - ref)
    work[game.n_keeps, lane] = floor
    for option in range(len(game.option_category)):
        category = game.option_category[option]
        utility = floor
        if not filled >> category & 1:
            after = min(upper + game.option_lift[option], n_uppers - 1)
            utility = values[filled | 1 << category, after]
            if theta != 0:
                utility = sign * math.exp(utility - ref)
            utility = gain[option] * utility + points[option]
        work[game.n_keeps + 1 + option, lane] = utility
    return ref


@jit
def decide_states(
    filled: Any, upper: Any, game: Game, gain: Any, points: Any, theta: Any, values: Any,
    category_decisions: Any, keep_decisions: Any, work: Any, ids: Any,
) -> None:  # fmt: skip
    """Best category and best keeps for every roll of many states; each lane is another state.

    `category_decisions` (n, n_rolls) and `keep_decisions` (n, rerolls, n_rolls), where [i, j] is for j + 1 rerolls
    left, are written; `work` and `ids` are scratch of the same shape.
    """
    width = n_lanes(work)
    n_rolls = len(game.prob_roll)
    n_options = len(game.option_category)
    for option in range(n_options):
        for lane in range(width):
            ids[game.n_keeps + 1 + option, lane] = game.option_category[option]
    for lane in range(width):
        ids[game.n_keeps - 1, lane] = game.n_keeps - 1  # the empty keep, which no fold sets
    for start in range(0, len(filled), width):
        n = min(width, len(filled) - start)
        for lane in range(n):
            _score_lane(lane, filled[start + lane], upper[start + lane], game, gain, points, theta, values, work)
            _forbid_closed(lane, filled[start + lane], upper[start + lane], game, values, theta, work, ids)
        fold_ids(work, ids, game.choose)
        for lane in range(n):
            for roll in range(n_rolls):
                category_decisions[start + lane, roll] = int(ids[roll, lane])
        for left in range(game.n_rerolls):
            fold(work, game.mean)
            fold_ids(work, ids, game.best)
            for lane in range(n):
                for roll in range(n_rolls):
                    keep_decisions[start + lane, left, roll] = int(ids[roll, lane])


@jit
def _forbid_closed(
    lane: Any, filled: Any, upper: Any, game: Game, values: Any, theta: Any, work: Any, ids: Any
) -> None:
    """Options of filled categories must not even tie; the floor is the lowest category that attains it."""
    for option in range(len(game.option_category)):
        if filled >> game.option_category[option] & 1:
            work[game.n_keeps + 1 + option, lane] = -math.inf
    best = -math.inf
    for category in range(game.n_categories):
        if not filled >> category & 1:
            nothing = values[filled | 1 << category, upper]
            if theta < 0:
                nothing = -nothing
            if nothing > best:
                best = nothing
                ids[game.n_keeps, lane] = category
