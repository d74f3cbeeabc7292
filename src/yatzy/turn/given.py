"""The turn where keeps are given: what it is worth to somebody who plays by rules, and where it leads.

    value(roll, n) = mean over the fresh dice of value(., n - 1), from the keep of the roll

The first rows of a work buffer, the rolls, hold what scoring them is worth, then what they are worth with
one reroll left, then with two, back to the first throw.
"""

from yatzy.arrays import Ints2, Lanes2
from yatzy.turn.jit import jittable
from yatzy.turn.lanes import fold, larger_of, load, multiply_add, n_lanes, store
from yatzy.turn.tables import Scratch, Turn
from yatzy.turn.values import copy_rows


@jittable
def step_back(allowed: Ints2, turn: Turn, work: Lanes2) -> None:
    """One reroll earlier: every roll becomes the best of its keeps in `allowed` (moves, n_rolls), in all lanes.

    A move that does not apply is -1; the first always applies. With a single move, that is what is kept.
    """
    width = n_lanes(work)
    fold(work, turn.mean)
    # A keep of all dice is its own roll, and every other keep comes after the rolls: nothing is overwritten.
    for roll in range(allowed.shape[1]):
        top = load(work, int(allowed[0, roll]) * width)
        for move in range(1, len(allowed)):
            if allowed[move, roll] >= 0:
                top = larger_of(top, load(work, int(allowed[move, roll]) * width))
        store(work, roll * width, top)


@jittable
def walk_held(rerolls: int, turn: Turn, scratch: Scratch) -> None:
    """Set `levels` under the keeps `held`, which may differ by lane, from what scoring the rolls is worth."""
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
    """Row 0 becomes the expected value over the first roll."""
    width = n_lanes(work)
    zero = work.dtype.type(0)
    total = multiply_add(load(work, 0), zero, zero)
    for roll in range(len(turn.prob_roll)):
        total = multiply_add(load(work, roll * width), turn.prob_roll[roll], total)
    store(work, 0, total)
