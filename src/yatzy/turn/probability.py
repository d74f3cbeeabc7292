"""Compiled kernels of exact evaluation: probability through one turn, and from turn to turn.

*Inside a turn* a policy's keeps are fixed, so probability moves along the die lattice the other way round from
value. With kept(K) the probability of holding K, every die thrown moves a sixth of it to each neighbour above,

    mass(K) = kept(K) + 1/faces * sum_f mass(K - f)          from no dice up to n,

and mass on the full keeps is the distribution of the next roll. Eight states go through it together, one a lane.

*Between turns*, the distribution of points so far is kept for every state as rows over `rest`, the points that
the state does not tell: points so far - upper (lower categories, and what the upper section has above its cap).
An outcome of probability q moves a row to its successor, shifted by the points that are not upper lift:

    row'(filled + c, min(T, upper + lift))[rest + shift] += q * row(filled, upper)[rest].

Each target row is written by one thread, in one order: results do not depend on the number of threads.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.turn.lanes import Fold, fold, jit, load, multiply_add, n_lanes, store


class Turn(NamedTuple):
    """What the kernels need to know of a turn."""

    prob_roll: NDArray[np.float64]
    outcome_of_roll: NDArray[np.int64]
    spread: Fold
    n_keeps: int
    n_rerolls: int


class Rows(NamedTuple):
    """Where the rows of a layer's masks lie in one flat buffer.

    The row of (mask, upper, plane) starts at `start[mask] + plane * plane_size[mask] + upper * length[mask]`; the
    row of the capped upper total, the last one, is longer. Lengths are whole lanes.
    """

    start: NDArray[np.int64]
    plane_size: NDArray[np.int64]
    length: NDArray[np.int64]
    length_capped: NDArray[np.int64]


@jit
def exit_probabilities(category: Any, keep: Any, turn: Turn, exits: Any, work: Any) -> None:
    """`exits` (n, n_outcomes): probability of each outcome of a turn, for n states' decisions."""
    width = n_lanes(work)
    n_rolls = len(turn.prob_roll)
    for start in range(0, len(category), width):
        n = min(width, len(category) - start)
        mass = np.empty((n_rolls, width))
        for roll in range(n_rolls):
            mass[roll, :] = turn.prob_roll[roll]
        for left in range(turn.n_rerolls - 1, -1, -1):
            work[: turn.n_keeps] = 0.0
            for lane in range(n):
                for roll in range(n_rolls):
                    work[keep[start + lane, left, roll], lane] += mass[roll, lane]
            fold(work, turn.spread)
            mass[:] = work[:n_rolls]
        for lane in range(n):
            for roll in range(n_rolls):
                outcome = turn.outcome_of_roll[roll, category[start + lane, roll]]
                exits[start + lane, outcome] += mass[roll, lane]


@jit
def pull_rows(
    masks: Any, highest: Any, state_row: Any, exits: Any, outcome_start: Any, points: Any, lift: Any,
    tracked: Any, tracked_points: Any, cap: Any, before: Any, rows_before: Rows, after: Any, rows_after: Rows,
    visits: Any,
) -> None:  # fmt: skip
    """Rows of `masks` from the rows of the layer before, one outcome after the other.

    `state_row` (n_masks, n_uppers) is a state's line in `exits`, or -1 where the policy never comes. Masks in
    which the `tracked` category is filled have two planes: it scored nothing, it scored. The second one stands for
    `tracked_points`, the least it can score. `visits` (n_masks, n_uppers) of the masks is set to what their rows
    sum to.
    """
    n_categories = len(outcome_start) - 1
    for mask in masks:
        for category in range(n_categories):
            if not mask >> category & 1:
                continue
            source = mask ^ 1 << category
            two_planes = tracked >= 0 and source >> tracked & 1
            for upper in range(highest[source] + 1):
                line = state_row[source, upper]
                if line < 0:
                    continue
                for outcome in range(outcome_start[category], outcome_start[category + 1]):
                    q = exits[line, outcome]
                    if q == 0.0:
                        continue
                    to_upper = min(upper + lift[outcome], cap)
                    shift = points[outcome] - (to_upper - upper)
                    plane = 0
                    if category == tracked and points[outcome] > 0:
                        plane = 1
                        shift -= tracked_points
                    for source_plane in range(1 + two_planes):
                        _add_row(
                            q, shift, source, upper, source_plane, before, rows_before,
                            mask, to_upper, plane + source_plane, after, rows_after, cap,
                        )  # fmt: skip
        for upper in range(highest[mask] + 1):
            visits[mask, upper] = _sum_rows(
                mask, upper, tracked >= 0 and mask >> tracked & 1, cap, after, rows_after
            )


@jit
def _sum_rows(mask: Any, upper: Any, two_planes: Any, cap: Any, buffer: Any, rows: Rows) -> float:
    """Probability of a state: all of its rows."""
    length = rows.length_capped[mask] if upper == cap else rows.length[mask]
    total = 0.0
    for plane in range(1 + two_planes):
        first = rows.start[mask] + plane * rows.plane_size[mask] + upper * rows.length[mask]
        for i in range(first, first + length):
            total += buffer[i]
    return total


@jit
def _add_row(
    q: Any, shift: Any, source: Any, upper: Any, source_plane: Any, before: Any, rows_before: Rows,
    mask: Any, to_upper: Any, plane: Any, after: Any, rows_after: Rows, cap: Any,
) -> None:  # fmt: skip
    """Add q times one row to another, shifted."""
    width = n_lanes(before)
    length = rows_before.length_capped[source] if upper == cap else rows_before.length[source]
    read = (
        rows_before.start[source]
        + source_plane * rows_before.plane_size[source]
        + upper * rows_before.length[source]
    )
    write = (
        rows_after.start[mask] + plane * rows_after.plane_size[mask] + to_upper * rows_after.length[mask] + shift
    )
    for i in range(0, length, width):
        store(after, write + i, multiply_add(load(before, read + i), q, load(after, write + i)))
