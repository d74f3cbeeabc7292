"""The turn walked backwards: what every outcome, roll and keep is worth, many states at a time.

With U the utility of what comes after scoring p points in category c,

    exit(roll) = max over open c of   gain_c(p) * U(filled + c, upper + p) + points_c(p)
    then, per reroll:   keep(K) = mean of exit or best over K + f;   best(K) = max(keep(K), best(K - f))

For theta = 0, U is the value itself, gain is 1 and points_c(p) is p. For theta != 0 the log-value
L = ln E[exp(theta * points to come)] is kept between turns, and inside a turn U = sign(theta) * exp(L - ref),
gain is exp(theta * p) and points_c(p) is 0: always a maximum, never a log-sum-exp. `ref` is the largest L that
scoring nothing leads to.

`walk_back` is the only such walk in kernels; the solver's own loop over all states runs on the same folds
(`folds`), and `solver.advise` is the readable form for one situation, in NumPy. Each lane is a different state.
"""

import math
from typing import Any

from yatzy.turn.jit import jit
from yatzy.turn.lanes import fold, larger_of, load, multiply_add, n_lanes, store, where_equal
from yatzy.turn.outcomes import after as after_outcome
from yatzy.turn.tables import Scratch, Turn, Worth

# Larger than any id.
NONE = 1e9

after = jit(after_outcome)


@jit
def walk_back(
    first: Any, n: Any, filled: Any, upper: Any, rerolls: Any, turn: Turn, worth: Worth, scratch: Scratch
) -> None:
    """Value the turns of states `first` to `first + n` with up to `rerolls` rerolls, into `levels` and `tops`."""
    for lane in range(n):
        score_lane(lane, filled[first + lane], upper[first + lane], turn, worth, scratch.work)
    fold(scratch.work, turn.choose)
    copy_rows(scratch.work, scratch.tops[0])
    for left in range(1, rerolls + 1):
        fold(scratch.work, turn.mean)
        copy_rows(scratch.work, scratch.levels[left])
        fold(scratch.work, turn.best)
        copy_rows(scratch.work, scratch.tops[left])


@jit
def copy_rows(source: Any, target: Any) -> None:
    """Fill the rows of `target` from the first rows of `source`."""
    width = n_lanes(source)
    for row in range(len(target)):
        store(target, row * width, load(source, row * width))


@jit
def score_lane(lane: Any, filled: Any, upper: Any, turn: Turn, worth: Worth, work: Any) -> None:
    """What every outcome of one state is worth, -inf where its category is filled, and the floor."""
    theta = worth.theta
    ref = reference(filled, upper, turn, worth) if theta != 0 else 0.0
    sign = 1.0 if theta > 0 else -1.0
    floor = -math.inf
    for outcome in range(len(turn.points)):
        utility = -math.inf
        if not filled & turn.bits[outcome]:
            mask, total = after(filled, upper, turn.bits[outcome], turn.lift[outcome], turn.cap)
            utility = worth.values[mask, total]
            if theta != 0:
                utility = sign * math.exp(utility - ref)
            utility = worth.gain[outcome] * utility + worth.points[outcome]
            if turn.points[outcome] == 0:
                floor = max(floor, utility)
        work[turn.n_keeps + 1 + outcome, lane] = utility
    work[turn.n_keeps, lane] = floor


@jit
def reference(filled: Any, upper: Any, turn: Turn, worth: Worth) -> Any:
    """The largest log-value that scoring nothing leads to."""
    ref = -math.inf
    for category in range(len(turn.zero)):
        bits = turn.bits[turn.zero[category]]
        if not filled & bits:
            ref = max(ref, worth.values[after(filled, upper, bits, 0, turn.cap)])
    return ref


@jit
def to_points(utility: Any, filled: Any, upper: Any, turn: Turn, worth: Worth) -> Any:
    """Points that a utility inside this state's turn stands for: the certainty equivalent."""
    if worth.theta == 0:
        return utility
    return (reference(filled, upper, turn, worth) + math.log(abs(utility))) / worth.theta


@jit
def outcome_points(filled: Any, upper: Any, outcome: Any, turn: Turn, worth: Worth) -> Any:
    """Points now plus the value of the state after."""
    mask, total = after(filled, upper, turn.bits[outcome], turn.lift[outcome], turn.cap)
    value = worth.values[mask, total]
    return turn.points[outcome] + (value / worth.theta if worth.theta != 0 else value)


@jit
def find_best(rerolls: Any, turn: Turn, scratch: Scratch) -> None:
    """After `walk_back`: the best category of every roll and its best keeps, ties to the lowest id."""
    width = n_lanes(scratch.work)
    zero = scratch.work.dtype.type(0)
    _find_categories(turn, scratch.work, scratch.tops[0], scratch.scored)
    for left in range(1, rerolls + 1):
        level, top, held = scratch.levels[left], scratch.tops[left], scratch.held[left - 1]
        for roll in range(len(top)):
            best = load(top, roll * width)
            found = best
            for slot in range(turn.slots[roll] - 1, -1, -1):
                keep = turn.keeps_in_roll[roll, slot]
                found = where_equal(load(level, keep * width), best, zero + keep, found)
            store(held, roll * width, found)


@jit
def _find_categories(turn: Turn, work: Any, top: Any, scored: Any) -> None:
    """Set `scored`; categories are carried with a minus sign, so that the larger is the earlier one."""
    width = n_lanes(work)
    zero = work.dtype.type(0)
    minus = zero - 1
    first = turn.n_keeps + 1
    floor = load(work, turn.n_keeps * width)
    none = where_equal(floor, floor, zero - NONE, floor)
    of_floor = none
    for category in range(len(turn.zero) - 1, -1, -1):
        nothing = load(work, (first + turn.zero[category]) * width)
        of_floor = where_equal(nothing, floor, zero - category, of_floor)
    for roll in range(len(top)):
        best = load(top, roll * width)
        found = where_equal(floor, best, of_floor, none)
        for option in range(turn.option_start[roll], turn.option_start[roll + 1]):
            outcome = turn.options[option]
            attained = where_equal(
                load(work, (first + outcome) * width), best, zero - turn.category[outcome], none
            )
            found = larger_of(found, attained)
        store(scored, roll * width, multiply_add(found, minus, zero))


@jit
def best_two_categories(lane: Any, roll: Any, turn: Turn, work: Any) -> Any:
    """After `walk_back`: the best and second best value of scoring a roll, and the best category."""
    best, second, chosen = -math.inf, -math.inf, 0
    for category in range(len(turn.zero)):
        value = work[turn.n_keeps + 1 + turn.outcome_of_roll[roll, category], lane]
        if value > best:
            best, second, chosen = value, best, category
        elif value > second:
            second = value
    return best, second, chosen


@jit
def best_two_keeps(lane: Any, roll: Any, turn: Turn, level: Any) -> Any:
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
def value_actions(
    filled: Any, upper: Any, roll_ids: Any, rerolls: Any, turn: Turn, worth: Worth,
    by_category: Any, by_keep: Any, scratch: Scratch,
) -> None:  # fmt: skip
    """Value of every action in many situations; each lane is a different situation.

    `by_category` (n, n_categories) and `by_keep` (n, keeps in a roll) are written where the action is allowed:
    open categories and, while rerolls are left, keeps of fewer than all dice.
    """
    width = n_lanes(scratch.work)
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        most = 0
        for i in range(first, first + n):
            most = max(most, rerolls[i])
        if most > 0:
            walk_back(first, n, filled, upper, most, turn, worth, scratch)
        for i in range(first, first + n):
            for category in range(len(turn.zero)):
                outcome = turn.outcome_of_roll[roll_ids[i], category]
                if not filled[i] & turn.bits[outcome]:
                    by_category[i, category] = outcome_points(filled[i], upper[i], outcome, turn, worth)
            if rerolls[i] > 0:
                for slot in range(1, turn.slots[roll_ids[i]]):
                    utility = scratch.levels[rerolls[i], turn.keeps_in_roll[roll_ids[i], slot], i - first]
                    by_keep[i, slot] = to_points(utility, filled[i], upper[i], turn, worth)


@jit
def decide_states(
    filled: Any, upper: Any, turn: Turn, worth: Worth, category: Any, keep: Any, scratch: Scratch
) -> None:
    """Best decisions in many states: `category` (n, n_rolls) and `keep` (n, rerolls, n_rolls), 1 left first."""
    width = n_lanes(scratch.work)
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back(first, n, filled, upper, turn.n_rerolls, turn, worth, scratch)
        find_best(turn.n_rerolls, turn, scratch)
        for lane in range(n):
            for roll in range(len(turn.prob_roll)):
                category[first + lane, roll] = int(scratch.scored[roll, lane])
            for left in range(turn.n_rerolls):
                for roll in range(len(turn.prob_roll)):
                    keep[first + lane, left, roll] = int(scratch.held[left, roll, lane])
