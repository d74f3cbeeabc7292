"""The turn walked forward: probabilities of rolls and outcomes under fixed decisions, for many states at once.

Probability moves along the die lattice in the opposite direction to value. With kept(K) the probability of holding
K, every die thrown moves a sixth of it to each neighbour above,

    mass(K) = kept(K) + 1/faces * sum_f mass(K - f)          from no dice up to n,

and the mass on the full keeps is the distribution of the next roll: one `spread` fold. Each lane is another state.
"""

from typing import Any

from yatzy.arrays import Floats1, Floats2, Floats3, Ints1, Ints3, Lanes2
from yatzy.turn.kernels.decisions import find_best
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import fold, n_lanes
from yatzy.turn.tables import Continuation, MaskLayout, Scratch, Turn
from yatzy.turn.values import copy_rows, reading_of, walk_back, walk_back_from_utilities


@jittable
def throw(held: Lanes2, mass: Floats2, after: Lanes2, turn: Turn, work: Lanes2) -> None:
    """Move the probability of rolls, `mass` (n_rolls, lanes), to their keeps `held` and on to the rolls `after`.

    Where throws are saved, holding all dice scores them, which ends the turn.
    """
    width = n_lanes(work)
    for keep in range(turn.n_keeps):
        for lane in range(width):
            work[keep, lane] = 0.0
    for roll in range(len(mass)):
        for lane in range(width):
            work[int(held[roll, lane]), lane] += mass[roll, lane]
    if turn.masks.saves:
        for roll in range(len(mass)):
            for lane in range(width):
                work[roll, lane] = 0.0
    fill_up(after, turn.spread, work)


@jittable
def fill_up(after: Lanes2, spread: int, work: Lanes2) -> None:
    """Move the probability of the keeps, in `work`, to the rolls `after` (n_rolls, lanes)."""
    fold(work, spread)
    copy_rows(work, after)


@jittable
def begin_turns(prob_roll: Floats1, mass: Floats2) -> None:
    """Set `mass` (n_rolls, lanes) to the probability of the first roll."""
    for roll in range(len(mass)):
        for lane in range(mass.shape[1]):
            mass[roll, lane] = prob_roll[roll]


@jittable
def walk_forward(first: int, n: int, filled: Ints1, rerolls: int, turn: Turn, scratch: Scratch) -> None:
    """Set `mass`, by rerolls left, under the keeps `held`; every turn begins with the rerolls of its state."""
    mass = scratch.mass
    begin_turns(turn.prob_roll, mass[rerolls])
    if turn.masks.saves:
        _begin_later(rerolls, first, n, filled, turn, mass)
    for left in range(rerolls, 0, -1):
        throw(scratch.held[left - 1], mass[left], mass[left - 1], turn, scratch.work)
        if turn.masks.saves:
            _begin_later(left - 1, first, n, filled, turn, mass)


@jittable
def _begin_later(left: int, first: int, n: int, filled: Ints1, turn: Turn, mass: Floats3) -> None:
    """Begin the turns with this many rerolls; those with fewer have not begun yet."""
    for lane in range(mass.shape[2]):
        begins = rerolls_of(filled[first + min(lane, n - 1)], turn.n_rerolls, turn.masks)
        for roll in range(len(turn.prob_roll)):
            if begins == left:
                mass[left, roll, lane] = turn.prob_roll[roll]
            elif begins < left:
                mass[left, roll, lane] = 0.0


@jittable
def rerolls_of(filled: int, n_rerolls: int, masks: MaskLayout) -> Any:
    """Rerolls at the start of a turn, saved throws included."""
    return n_rerolls + (filled >> masks.saved_shift) if masks.saves else n_rerolls


@jittable
def most_rerolls(first: int, n: int, filled: Ints1, turn: Turn) -> Any:
    """The most rerolls at the start of any of these states."""
    most = 0
    for i in range(first, first + n):
        most = max(most, rerolls_of(filled[i], turn.n_rerolls, turn.masks))
    return most


@jittable
def take_keeps(first: int, n: int, keep: Ints3, scratch: Scratch) -> None:
    """Copy the keeps of states `first` to `first + n` into `held`; other lanes repeat the last state."""
    for lane in range(scratch.mass.shape[2]):
        i = first + min(lane, n - 1)
        for left in range(keep.shape[1]):
            for roll in range(keep.shape[2]):
                scratch.held[left, roll, lane] = keep[i, left, roll]


@jittable
def take_decisions(first: int, n: int, category: Ints3, keep: Ints3, scratch: Scratch) -> None:
    """The same, and copy their categories (n, levels, n_rolls) into `scored`."""
    take_keeps(first, n, keep, scratch)
    for lane in range(scratch.mass.shape[2]):
        i = first + min(lane, n - 1)
        for level in range(category.shape[1]):
            for roll in range(category.shape[2]):
                scratch.scored[level, roll, lane] = category[i, level, roll]


@jittable
def add_exits(
    first: int, n: int, filled: Ints1, rerolls: int, turn: Turn, exits: Floats2, scratch: Scratch
) -> None:
    """After `walk_forward`: add the probability of each outcome to `exits` (n, levels * n_outcomes).

    There is one level unless throws are saved: then outcome o with t throws left is t * n_outcomes + o.
    """
    n_outcomes, n_rolls, saves = len(turn.points), len(turn.prob_roll), turn.masks.saves
    special_of_roll, readings, of_reading = turn.special.of_roll, turn.special.readings, turn.outcome_of_reading
    scored, mass, has_special = scratch.scored, scratch.mass, len(turn.special.rolls) > 0
    # Lanes innermost: successive sums for one state would wait for each other.
    for roll in range(n_rolls):
        for lane in range(n):
            reading = roll
            if has_special:
                reading = reading_of(filled[first + lane], roll, special_of_roll, readings)
            exits[first + lane, of_reading[reading, int(scored[0, roll, lane])]] += mass[0, roll, lane]
    if saves:
        for lane in range(n):
            for left in range(1, rerolls + 1):
                for roll in range(n_rolls):
                    if int(scratch.held[left - 1, roll, lane]) == roll:
                        reading = reading_of(filled[first + lane], roll, special_of_roll, readings)
                        outcome = of_reading[reading, int(scored[left, roll, lane])]
                        exits[first + lane, left * n_outcomes + outcome] += mass[left, roll, lane]


@jit
def exits_of_decisions(
    filled: Ints1, category: Ints3, keep: Ints3, turn: Turn, exits: Floats2, scratch: Scratch
) -> None:
    """Set `exits` (see `add_exits`), zeros before, of n states under these decisions."""
    width = n_lanes(scratch.work)
    for first in range(0, len(category), width):
        n = min(width, len(category) - first)
        rerolls = most_rerolls(first, n, filled, turn)
        take_decisions(first, n, category, keep, scratch)
        walk_forward(first, n, filled, rerolls, turn, scratch)
        add_exits(first, n, filled, rerolls, turn, exits, scratch)


@jit
def exits_of_best(
    filled: Ints1, upper: Ints1, turn: Turn, continuation: Continuation, exits: Floats2, scratch: Scratch
) -> None:
    """The same under the best decisions for a continuation."""
    width = n_lanes(scratch.work)
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        rerolls = most_rerolls(first, n, filled, turn)
        walk_back(first, n, filled, upper, rerolls, True, turn, continuation, scratch)
        find_best(first, n, filled, rerolls, turn, scratch)
        walk_forward(first, n, filled, rerolls, turn, scratch)
        add_exits(first, n, filled, rerolls, turn, exits, scratch)


@jit
def exits_from_utilities(filled: Ints1, utilities: Floats2, turn: Turn, exits: Floats2, scratch: Scratch) -> None:
    """The same under the best decisions for `utilities` (n, n_outcomes), where no throws are saved."""
    width, rerolls = n_lanes(scratch.work), turn.n_rerolls
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back_from_utilities(first, n, filled, utilities, rerolls, turn, scratch)
        find_best(first, n, filled, rerolls, turn, scratch)
        walk_forward(first, n, filled, rerolls, turn, scratch)
        add_exits(first, n, filled, rerolls, turn, exits, scratch)


@jit
def masses_of_decisions(filled: Ints1, keep: Ints3, turn: Turn, mass: Floats3, scratch: Scratch) -> None:
    """`mass` (n, rerolls + 1, n_rolls): probability of each roll by rerolls left, under the keeps of n states."""
    width = n_lanes(scratch.work)
    for first in range(0, len(keep), width):
        n = min(width, len(keep) - first)
        take_keeps(first, n, keep, scratch)
        walk_forward(first, n, filled, keep.shape[1], turn, scratch)
        copy_masses(first, n, mass, scratch)


@jittable
def copy_masses(first: int, n: int, mass: Floats3, scratch: Scratch) -> None:
    """Copy the probability of the rolls of states `first` to `first + n` to `mass` (states, levels, n_rolls)."""
    for lane in range(n):
        for left in range(mass.shape[1]):
            for roll in range(mass.shape[2]):
                mass[first + lane, left, roll] = scratch.mass[left, roll, lane]
