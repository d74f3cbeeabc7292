"""Decisions of a turn: the best ones after a backward walk (`turn.values`), and the values of fixed ones.

With fixed keeps,

    value(roll, n) = mean over the fresh dice of value(., n - 1), from the keep of the roll

and the first rows of a work buffer, the rolls, hold the values of scoring them, then those with one reroll left,
with two, and so on.
"""

import math
from typing import Any

from yatzy.arrays import Floats2, Ints1, Ints2, Ints3, Lanes2
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import fold, larger_of, load, multiply_add, n_lanes, store, where_equal
from yatzy.turn.tables import Continuation, Scratch, Turn
from yatzy.turn.values import closed_boxes, copy_rows, reading_of, walk_back, walk_back_from_utilities

# Larger than any id.
NONE = 1e9


@jittable
def find_best(first: int, n: int, filled: Ints1, rerolls: int, turn: Turn, scratch: Scratch) -> None:
    """After `walk_back` of the same states: set `scored` and `held` to the best decisions, ties to the lowest id.

    Where throws are saved, categories are set at every level, and holding all dice means scoring them. The rows of
    the keeps in `work` are overwritten.
    """
    saves, has_special = turn.masks.saves, len(turn.special.rolls) > 0
    _find_categories(turn, scratch.ends[0], scratch.tops[0], scratch.scored[0])
    if has_special:
        _find_special(first, n, filled, turn, scratch.ends[0], scratch.tops[0], scratch.scored[0])
    for left in range(1, rerolls + 1):
        level, top = scratch.levels[left], scratch.tops[left]
        _find_keeps(turn.one_less, turn.one_less_start, level, top, scratch.held[left - 1], scratch.work)
        if saves:
            _find_categories(turn, scratch.ends[left], level, scratch.scored[left])
            if has_special:
                _find_special(first, n, filled, turn, scratch.ends[left], level, scratch.scored[left])


@jittable
def _find_keeps(
    one_less: Ints1, one_less_start: Ints1, level: Lanes2, top: Lanes2, held: Lanes2, ids: Lanes2
) -> None:
    """Set `held`. The best inside a keep is the keep itself, or the best inside it with one die less.

    Ids are negated, so that the maximum is the lowest id; that of a keep is lower than all inside it.
    """
    width = n_lanes(ids)
    zero = ids.dtype.type(0)
    minus = zero - 1
    empty = len(top) - 1
    for lane in range(width):
        ids[empty, lane] = -empty
    highest = load(ids, empty * width)
    for keep in range(empty - 1, -1, -1):
        best = load(top, keep * width)
        found = highest
        for i in range(one_less_start[keep], one_less_start[keep + 1]):
            less = one_less[i] * width
            found = larger_of(found, where_equal(load(top, less), best, load(ids, less), highest))
        found = where_equal(load(level, keep * width), best, zero - keep, found)
        store(ids, keep * width, found)
        if keep < len(held):
            store(held, keep * width, multiply_add(found, minus, zero))


@jittable
def _find_categories(turn: Turn, ends: Lanes2, top: Lanes2, scored: Lanes2) -> None:
    """Set `scored`; ids are negated, so that the maximum is the lowest one."""
    width = n_lanes(ends)
    zero = ends.dtype.type(0)
    minus = zero - 1
    floor = load(ends, 0)
    none = where_equal(floor, floor, zero - NONE, floor)
    of_floor = none
    for category in range(len(turn.zero) - 1, -1, -1):
        nothing = load(ends, (1 + turn.zero[category]) * width)
        of_floor = where_equal(nothing, floor, zero - category, of_floor)
    for roll in range(len(scored)):
        best = load(top, roll * width)
        found = where_equal(floor, best, of_floor, none)
        for option in range(turn.option_start[roll], turn.option_start[roll + 1]):
            outcome = turn.options[option]
            attained = where_equal(load(ends, (1 + outcome) * width), best, zero - turn.category[outcome], none)
            found = larger_of(found, attained)
        store(scored, roll * width, multiply_add(found, minus, zero))


@jittable
def _find_special(
    first: int, n: int, filled: Ints1, turn: Turn, ends: Lanes2, top: Lanes2, scored: Lanes2
) -> None:
    """The same for special rolls."""
    for roll in turn.special.rolls:
        for lane in range(n):
            mask = filled[first + lane]
            reading = reading_of(mask, roll, turn.special.of_roll, turn.special.readings)
            closed = closed_boxes(mask, turn.masks)
            for category in range(len(turn.zero) - 1, -1, -1):
                outcome = turn.outcome_of_reading[reading, category]
                is_open = outcome >= 0 and not closed & turn.bits[outcome]
                if is_open and ends[1 + outcome, lane] == top[roll, lane]:
                    scored[roll, lane] = category


@jittable
def best_two_categories(lane: int, filled: int, roll: int, turn: Turn, work: Lanes2) -> Any:
    """After `walk_back`: the best and second best value of scoring a roll, and the best category."""
    best, second, chosen = -math.inf, -math.inf, 0
    reading = reading_of(filled, roll, turn.special.of_roll, turn.special.readings)
    for category in range(len(turn.zero)):
        outcome = turn.outcome_of_reading[reading, category]
        if outcome < 0:
            continue
        value = work[turn.n_keeps + 1 + outcome, lane]
        if value > best:
            best, second, chosen = value, best, category
        elif value > second:
            second = value
    return best, second, chosen


@jittable
def best_two_keeps(lane: int, roll: int, turn: Turn, level: Lanes2) -> Any:
    """The best and second best value of the keeps inside a roll, each counted once, and the slot of the best."""
    best, second, chosen = -math.inf, -math.inf, 0
    for slot in range(turn.slots[roll]):
        value = level[turn.keeps_in_roll[roll, slot], lane]
        if value > best:
            best, second, chosen = value, best, slot
        elif value > second:
            second = value
    return best, second, chosen


@jit
def decide_states(
    filled: Ints1,
    upper: Ints1,
    turn: Turn,
    continuation: Continuation,
    category: Ints3,
    keep: Ints3,
    scratch: Scratch,
) -> None:
    """Best decisions in many states: `category` (n, levels, n_rolls), `keep` (n, rerolls, n_rolls) from 1 left on.

    There is one level, with no reroll left, except where throws are saved.
    """
    width = n_lanes(scratch.work)
    rerolls = keep.shape[1]
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back(first, n, filled, upper, rerolls, True, turn, continuation, scratch)
        find_best(first, n, filled, rerolls, turn, scratch)
        _write_ids(first, n, scratch.scored, category)
        _write_ids(first, n, scratch.held, keep)


@jit
def decide_from_utilities(
    filled: Ints1, utilities: Floats2, turn: Turn, category: Ints3, keep: Ints3, scratch: Scratch
) -> None:
    """`decide_states` from the `utilities` (n, n_outcomes) of outcomes, where no throws are saved."""
    width, rerolls = n_lanes(scratch.work), keep.shape[1]
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back_from_utilities(first, n, filled, utilities, rerolls, turn, scratch)
        find_best(first, n, filled, rerolls, turn, scratch)
        _write_ids(first, n, scratch.scored, category)
        _write_ids(first, n, scratch.held, keep)


@jittable
def _write_ids(first: int, n: int, found: Ints3, ids: Ints3) -> None:
    """Set rows `first` to `first + n` of `ids` (states, levels, n_rolls) from `found` (levels, n_rolls, lanes)."""
    for lane in range(n):
        for level in range(ids.shape[1]):
            for roll in range(ids.shape[2]):
                ids[first + lane, level, roll] = int(found[level, roll, lane])


@jittable
def step_back(allowed: Ints2, turn: Turn, work: Lanes2) -> None:
    """One reroll earlier: every roll becomes the best of its keeps in `allowed` (moves, n_rolls), in all lanes.

    A move that does not apply is -1; the first one always applies.
    """
    width = n_lanes(work)
    fold(work, turn.mean)
    # A keep of all dice is its own roll, and other keeps follow the rolls, so nothing is overwritten too early.
    for roll in range(allowed.shape[1]):
        top = load(work, int(allowed[0, roll]) * width)
        for move in range(1, len(allowed)):
            if allowed[move, roll] >= 0:
                top = larger_of(top, load(work, int(allowed[move, roll]) * width))
        store(work, roll * width, top)


@jittable
def walk_fixed_keeps(rerolls: int, turn: Turn, scratch: Scratch) -> None:
    """Set `levels` under the keeps `held`, which may differ by lane, from the values of scoring the rolls."""
    work = scratch.work
    for left in range(1, rerolls + 1):
        fold(work, turn.mean)
        level, held = scratch.levels[left], scratch.held[left - 1]
        copy_rows(work, level)
        for roll in range(len(held)):
            for lane in range(held.shape[1]):
                work[roll, lane] = level[int(held[roll, lane]), lane]


@jittable
def mean_over_rolls(turn: Turn, work: Lanes2) -> None:
    """Set row 0 to the expected value over the first roll."""
    width = n_lanes(work)
    zero = work.dtype.type(0)
    total = multiply_add(load(work, 0), zero, zero)
    for roll in range(len(turn.prob_roll)):
        total = multiply_add(load(work, roll * width), turn.prob_roll[roll], total)
    store(work, 0, total)
