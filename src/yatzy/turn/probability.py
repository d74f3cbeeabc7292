"""The turn walked forward: probability of rolls, keeps and outcomes under given decisions, many states at a time.

Inside a turn a policy's keeps are fixed, so probability moves along the die lattice in the opposite direction to
value. With kept(K) the probability of holding K, every die thrown moves a sixth of it to each neighbour above,

    mass(K) = kept(K) + 1/faces * sum_f mass(K - f)          from no dice up to n,

and mass on the full keeps is the distribution of the next roll: one `spread` fold.

`walk_forward` is the only such walk. Each lane is a different state.
"""

from typing import Any

from yatzy.turn.jit import jit
from yatzy.turn.lanes import fold, n_lanes
from yatzy.turn.tables import Scratch, Turn, Worth
from yatzy.turn.values import copy_rows, find_best, walk_back


@jit
def throw(held: Any, mass: Any, after: Any, turn: Turn, work: Any) -> None:
    """Move the probability of rolls, `mass` (n_rolls, lanes), to their keeps `held` and from there to `after`."""
    width = n_lanes(work)
    for keep in range(turn.n_keeps):
        for lane in range(width):
            work[keep, lane] = 0.0
    for roll in range(len(mass)):
        for lane in range(width):
            work[int(held[roll, lane]), lane] += mass[roll, lane]
    fold(work, turn.spread)
    copy_rows(work, after)


@jit
def walk_forward(turn: Turn, scratch: Scratch) -> None:
    """Set `mass`, by rerolls left, under the keeps `held`."""
    mass = scratch.mass
    for roll in range(len(turn.prob_roll)):
        for lane in range(mass.shape[2]):
            mass[turn.n_rerolls, roll, lane] = turn.prob_roll[roll]
    for left in range(turn.n_rerolls, 0, -1):
        throw(scratch.held[left - 1], mass[left], mass[left - 1], turn, scratch.work)


@jit
def take_keeps(first: Any, n: Any, keep: Any, scratch: Scratch) -> None:
    """Copy the keeps of states `first` to `first + n` into `held`; other lanes repeat the last state."""
    for lane in range(scratch.scored.shape[1]):
        i = first + min(lane, n - 1)
        for left in range(keep.shape[1]):
            for roll in range(keep.shape[2]):
                scratch.held[left, roll, lane] = keep[i, left, roll]


@jit
def take_decisions(first: Any, n: Any, category: Any, keep: Any, scratch: Scratch) -> None:
    """The same, and copy their categories into `scored`."""
    take_keeps(first, n, keep, scratch)
    for lane in range(scratch.scored.shape[1]):
        i = first + min(lane, n - 1)
        for roll in range(category.shape[1]):
            scratch.scored[roll, lane] = category[i, roll]


@jit
def add_exits(first: Any, n: Any, turn: Turn, exits: Any, scratch: Scratch) -> None:
    """After `walk_forward`: add the probability of each outcome to `exits` (n, n_outcomes)."""
    for lane in range(n):
        for roll in range(len(turn.prob_roll)):
            outcome = turn.outcome_of_roll[roll, int(scratch.scored[roll, lane])]
            exits[first + lane, outcome] += scratch.mass[0, roll, lane]


@jit
def exits_of_decisions(category: Any, keep: Any, turn: Turn, exits: Any, scratch: Scratch) -> None:
    """Set `exits` (n, n_outcomes), zeros before: how the turns of n states end under these decisions."""
    width = n_lanes(scratch.work)
    for first in range(0, len(category), width):
        n = min(width, len(category) - first)
        take_decisions(first, n, category, keep, scratch)
        walk_forward(turn, scratch)
        add_exits(first, n, turn, exits, scratch)


@jit
def exits_of_best(filled: Any, upper: Any, turn: Turn, worth: Worth, exits: Any, scratch: Scratch) -> None:
    """The same under the best decisions for `worth`, which need not be stored."""
    width = n_lanes(scratch.work)
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back(first, n, filled, upper, turn.n_rerolls, turn, worth, scratch)
        find_best(turn.n_rerolls, turn, scratch)
        walk_forward(turn, scratch)
        add_exits(first, n, turn, exits, scratch)


@jit
def masses_of_decisions(keep: Any, turn: Turn, mass: Any, scratch: Scratch) -> None:
    """`mass` (n, rerolls + 1, n_rolls): probability of each roll by rerolls left, under the keeps of n states."""
    width = n_lanes(scratch.work)
    for first in range(0, len(keep), width):
        n = min(width, len(keep) - first)
        take_keeps(first, n, keep, scratch)
        walk_forward(turn, scratch)
        for lane in range(n):
            for left in range(turn.n_rerolls + 1):
                for roll in range(len(turn.prob_roll)):
                    mass[first + lane, left, roll] = scratch.mass[left, roll, lane]
