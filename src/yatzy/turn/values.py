"""The turn walked backward: the values of outcomes, rolls and keeps, for many states at once.

With U the utility of the state after scoring p points in category c,

    exit(roll) = max over open c of   gain_c(p) * U(filled + c, upper + p) + points_c(p)
    then, per reroll:   keep(K) = mean of exit or best over K + f;   best(K) = max(keep(K), best(K - f))

For theta = 0, U is the value itself, gain is 1 and points_c(p) is p. For theta != 0 the log-value
L = ln E[exp(theta * points to come)] is kept between turns, and inside a turn U = sign(theta) * exp(L - ref),
gain is exp(theta * p) and points_c(p) is 0: always a maximum, never a log-sum-exp. `ref` is the largest L after
scoring nothing.

Where unused throws are saved, a player may stop with t of them left: exit(roll, t) leads to states with t throws
saved, and best(roll, t) = max(exit(roll, t), best keep with t - 1 left). Otherwise exit is the same for every t,
and stopping early is holding all dice.

`numpy_turn` is the readable form for one situation, and the solver's own loop over all states (`kernels.folds`)
runs the same folds. Each lane is another state.
"""

import math
from typing import Any

from yatzy.arrays import Floats2, Ints1, Ints2, Lanes2
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import fold, larger_of, load, n_lanes, store
from yatzy.turn.outcomes import after as after_outcome
from yatzy.turn.tables import Continuation, MaskLayout, Scratch, Turn

after = jittable(after_outcome)


@jittable
def walk_back(
    first: int, n: int, filled: Ints1, upper: Ints1, rerolls: int, tops: bool, turn: Turn,
    continuation: Continuation, scratch: Scratch,
) -> None:  # fmt: skip
    """Set `levels` for states `first` to `first + n` with up to `rerolls` rerolls.

    With `tops`, also the best inside every keep; where throws are saved, that is always set.
    """
    if not turn.masks.saves:
        for lane in range(n):
            score_lane(lane, filled[first + lane], upper[first + lane], turn, continuation, scratch.work)
        walk_levels(first, n, filled, rerolls, tops, turn, scratch)
        return
    for left in range(rerolls + 1):
        if left > 0:
            fold(scratch.work, turn.mean)
            copy_rows(scratch.work, scratch.levels[left])
            fold(scratch.work, turn.best)
            copy_rows(scratch.work, scratch.tops[left])
        for lane in range(n):
            mask = with_saved(filled[first + lane], left, turn.masks)
            score_lane(lane, mask, upper[first + lane], turn, continuation, scratch.work)
        fold(scratch.work, turn.choose)
        if len(turn.special.rolls):
            _score_special(first, n, filled, turn, scratch.work)
        if left == 0:
            copy_rows(scratch.work, scratch.tops[left])
        else:
            _stop_or_go_on(len(turn.prob_roll), scratch.work, scratch.levels[left], scratch.tops[left])
        _copy_ends(turn.n_keeps, scratch.work, scratch.ends[left])


@jittable
def walk_levels(first: int, n: int, filled: Ints1, rerolls: int, tops: bool, turn: Turn, scratch: Scratch) -> None:
    """The walk where no throws are saved, after the rows of the outcomes and the floor have been set."""
    fold(scratch.work, turn.choose)
    if len(turn.special.rolls):
        _score_special(first, n, filled, turn, scratch.work)
    if tops:
        copy_rows(scratch.work, scratch.tops[0, : len(turn.prob_roll)])
    for left in range(1, rerolls + 1):
        fold(scratch.work, turn.mean)
        copy_rows(scratch.work, scratch.levels[left])
        if tops or left < rerolls:
            fold(scratch.work, turn.best)
        if tops:
            copy_rows(scratch.work, scratch.tops[left])


@jittable
def _copy_ends(n_keeps: int, work: Lanes2, ends: Lanes2) -> None:
    """Copy the values of the outcomes at a level: the next one is scored again."""
    width = n_lanes(work)
    for row in range(len(ends)):
        store(ends, row * width, load(work, (n_keeps + row) * width))


@jittable
def _score_special(first: int, n: int, filled: Ints1, turn: Turn, work: Lanes2) -> None:
    """Set the rows of the special rolls to the best of their outcomes."""
    for roll in turn.special.rolls:
        for lane in range(n):
            work[roll, lane] = _best_special(lane, filled[first + lane], roll, turn, work)


@jittable
def _stop_or_go_on(n_rolls: int, work: Lanes2, level: Lanes2, top: Lanes2) -> None:
    """Holding all dice becomes scoring them, and the best the larger of that and the best keep."""
    width = n_lanes(work)
    for roll in range(n_rolls):
        stopped = load(work, roll * width)
        best = larger_of(stopped, load(top, roll * width))
        store(level, roll * width, stopped)
        store(top, roll * width, best)
        store(work, roll * width, best)


@jittable
def _best_special(lane: int, filled: int, roll: int, turn: Turn, work: Lanes2) -> Any:
    """The value of the best outcome of a special roll."""
    reading = reading_of(filled, roll, turn.special.of_roll, turn.special.readings)
    closed = closed_boxes(filled, turn.masks)
    best = -math.inf
    for category in range(len(turn.zero)):
        outcome = turn.outcome_of_reading[reading, category]
        if outcome >= 0 and not closed & turn.bits[outcome]:
            best = max(best, work[turn.n_keeps + 1 + outcome, lane])
    return best


# What follows is called for every outcome. It takes no more than it needs, because a call counts references to
# every array in its arguments.


@jittable
def with_saved(filled: int, saved: int, masks: MaskLayout) -> Any:
    """The mask with this many throws saved, in games that save them."""
    return filled & masks.set_mask | saved << masks.saved_shift if masks.saves else filled


@jittable
def row_of(filled: int, masks: MaskLayout) -> Any:
    """The row of a mask."""
    return masks.row_start[filled & masks.set_mask] + (filled >> masks.saved_shift) if masks.saves else filled


@jittable
def closed_boxes(filled: int, masks: MaskLayout) -> Any:
    """The categories that may not be filled, as bits."""
    # ~x & (x + 1) is the lowest zero bit of x: in a forced order only the first empty box may be filled.
    return ~(~filled & ((filled & masks.set_mask) + 1)) if masks.in_order else filled


@jittable
def reading_of(filled: int, roll: int, special_of_roll: Ints1, readings: Ints2) -> Any:
    """The reading of a roll, a row of `outcome_of_reading`; the arrays are those of `Turn.special`."""
    number = special_of_roll[roll]
    # The number of sets is a power of two, so `- 1` gives the bits of a set without saved throws.
    return readings[number, filled & readings.shape[1] - 1] if number >= 0 else roll


@jittable
def copy_rows(source: Lanes2, target: Lanes2) -> None:
    """Fill the rows of `target` from the first rows of `source`."""
    width = n_lanes(source)
    for row in range(len(target)):
        store(target, row * width, load(source, row * width))


@jittable
def score_lane(lane: int, filled: int, upper: int, turn: Turn, continuation: Continuation, work: Lanes2) -> None:
    """Set the values of the outcomes of one state, -inf where its category is filled, and the floor."""
    theta = continuation.theta
    ref = reference(filled, upper, turn, continuation) if theta != 0 else 0.0
    sign = 1.0 if theta > 0 else -1.0
    closed = closed_boxes(filled, turn.masks)
    row_start, set_mask, shift, saves, _ = turn.masks
    floor = -math.inf
    for outcome in range(len(turn.points)):
        utility = -math.inf
        if not closed & turn.bits[outcome]:
            row, total = after(filled, upper, turn.bits[outcome], turn.lift[outcome], turn.cap)
            if saves:
                row = row_start[row & set_mask] + (row >> shift)
            utility = continuation.values[row, total]
            if theta != 0:
                utility = sign * math.exp(utility - ref)
            utility = continuation.gain[outcome] * utility + continuation.points[outcome]
            if turn.points[outcome] == 0:
                floor = max(floor, utility)
        work[turn.n_keeps + 1 + outcome, lane] = utility
    work[turn.n_keeps, lane] = floor


@jittable
def reference(filled: int, upper: int, turn: Turn, continuation: Continuation) -> Any:
    """The largest log-value after scoring nothing, with no throw saved: one for all levels of a turn."""
    ref = -math.inf
    closed, start = closed_boxes(filled, turn.masks), with_saved(filled, 0, turn.masks)
    for category in range(len(turn.zero)):
        bits = turn.bits[turn.zero[category]]
        if not closed & bits:
            mask, total = after(start, upper, bits, 0, turn.cap)
            ref = max(ref, continuation.values[row_of(mask, turn.masks), total])
    return ref


@jittable
def outcome_points(filled: int, upper: int, outcome: int, turn: Turn, continuation: Continuation) -> Any:
    """The points of an outcome plus the value of the state after it."""
    mask, total = after(filled, upper, turn.bits[outcome], turn.lift[outcome], turn.cap)
    value = continuation.values[row_of(mask, turn.masks), total]
    return turn.points[outcome] + (value / continuation.theta if continuation.theta != 0 else value)


@jit
def value_actions(
    filled: Ints1, upper: Ints1, roll_ids: Ints1, rerolls: Ints1, to: Ints1, turn: Turn,
    continuation: Continuation, by_category: Floats2, by_keep: Floats2, scratch: Scratch,
) -> None:  # fmt: skip
    """The values of all actions in many situations; each lane is another situation.

    Rows to[i] of `by_category` (n, n_categories) and `by_keep` (n, keeps in a roll) are written where the action
    is allowed: open categories and, while rerolls are left, keeps of fewer than all dice. The two tuples are not
    passed on for every action: a call would count references to all their arrays.
    """
    width, levels, values, theta = n_lanes(scratch.work), scratch.levels, continuation.values, continuation.theta
    special_of_roll, readings, masks, cap = turn.special.of_roll, turn.special.readings, turn.masks, turn.cap
    bits, lift, points, slots, keeps_in_roll = turn.bits, turn.lift, turn.points, turn.slots, turn.keeps_in_roll
    n_categories, of_reading = len(turn.zero), turn.outcome_of_reading
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        most = 0
        for i in range(first, first + n):
            most = max(most, rerolls[i])
        if most > 0:
            walk_back(first, n, filled, upper, most, False, turn, continuation, scratch)
        for i in range(first, first + n):
            mask, row = with_saved(filled[i], rerolls[i], masks), to[i]
            reading, closed = reading_of(mask, roll_ids[i], special_of_roll, readings), closed_boxes(mask, masks)
            for category in range(n_categories):
                outcome = of_reading[reading, category]
                if outcome >= 0 and not closed & bits[outcome]:
                    later, total = after(mask, upper[i], bits[outcome], lift[outcome], cap)
                    value = values[row_of(later, masks), total]
                    by_category[row, category] = points[outcome] + (value / theta if theta != 0 else value)
            if rerolls[i] > 0:
                ref = reference(filled[i], upper[i], turn, continuation) if theta != 0 else 0.0
                for slot in range(1, slots[roll_ids[i]]):
                    utility = levels[rerolls[i], keeps_in_roll[roll_ids[i], slot], i - first]
                    by_keep[row, slot] = utility if theta == 0 else (ref + math.log(abs(utility))) / theta


@jittable
def walk_back_from_utilities(
    first: int, n: int, filled: Ints1, utilities: Floats2, rerolls: int, turn: Turn, scratch: Scratch
) -> None:
    """`walk_back` from the `utilities` (states, n_outcomes) of the outcomes, -inf where closed."""
    work, zero, top = scratch.work, turn.zero, turn.n_keeps + 1
    for lane in range(n):
        for outcome in range(utilities.shape[1]):
            work[top + outcome, lane] = utilities[first + lane, outcome]
        floor = -math.inf
        for category in range(len(zero)):
            floor = max(floor, utilities[first + lane, zero[category]])
        work[turn.n_keeps, lane] = floor
    walk_levels(first, n, filled, rerolls, True, turn, scratch)
