"""Backward induction over the layers of the state space.

    V(filled, upper) = sum over rolls r of P(r) * best(r, rerolls)
    best(r, 0)       = max over open c of  points(r, c) + V(filled + c, min(T, upper + lift(r, c)))
    best(r, n)       = max over keeps K inside r of  E[best(K filled up with fresh dice, n - 1)]
    V(all, upper)    = bonus if upper >= T else 0

Layers are solved from the finished game back to the start. For some masks of a layer at a time, NumPy finds where
the utilities after each category begin, and one compiled turn (`turn.folds`) values all their upper totals, one
per lane. Chunks of masks are handed out to threads; each is computed in one fixed order, so results do not depend
on the number of threads.

For theta != 0 the log-value L = ln E[exp(theta * points to come)] is kept between turns, and inside a turn
U = sign(theta) * exp(L - ref): see `turn.values`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, aligned, lanes_of
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, ruleset
from yatzy.running import Progress, check_threads, in_threads
from yatzy.solver.states import StateSpace, state_space
from yatzy.solver.table import PRECISIONS, ValueTable, check_theta
from yatzy.turn.libm import exp, log
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import point_weights, turn_code, work_buffer

# Small enough for an even load at the end of a layer, large enough that handing out a chunk costs little.
MASKS_PER_CHUNK = 128
# exp(-MAX_EXPONENT) is still far from the smallest float64, exp(-745).
MAX_EXPONENT = 600.0


def solve(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str = "float64",
    threads: int | None = None,
    progress: Progress | None = None,
    draft: bool = False,
) -> ValueTable:
    """Solve the game exactly and return the value of every state.

    `theta` is the risk parameter of u(x) = exp(theta x): 0 maximises the mean, positive seeks risk, negative
    avoids it. `precision` is float64, or float32 for theta = 0 at about half the time. `threads` defaults to
    all cores. `progress(done, total)` is called as masks are solved. `draft` gives the same table from code that
    is ready a second sooner and runs a fifth slower (see `turn.machine`).
    """
    rules = ruleset(rules)
    theta = check_theta(theta)
    threads = check_threads(threads)
    if precision not in PRECISIONS:
        raise YatzyError(f"precision: {precision!r} is not allowed; allowed are {' and '.join(PRECISIONS)}")
    if theta != 0 and precision != "float64":
        raise YatzyError(f"precision: {precision!r} is not allowed with theta {theta}; use float64")
    space = state_space(rules)
    solver = _Solver(space, theta, precision, draft)
    done = 0
    for layer in space.layers[-2::-1]:
        chunks = np.array_split(layer, -(-len(layer) // MASKS_PER_CHUNK))
        for chunk, _ in zip(chunks, in_threads(solver.solve, chunks, threads), strict=True):
            done += len(chunk)
            if progress:
                progress(done, space.n_masks - 1)
    return ValueTable(rules=rules, theta=theta, stored=solver.table())


class _Solver:
    """Computes the values of masks from those of their successors.

    `values` (n_masks, stride) continues past the cap with the capped value: scoring p upper points reads
    `upper + p` without a branch. The row of a mask is -inf until it is solved. Filling a category that is already
    filled leads back to the mask itself, so such an outcome is worth -inf, again without a branch: blocks of one
    mask are valued from the lowest upper total up, and none reads what an earlier one wrote.
    """

    def __init__(self, space: StateSpace, theta: float, precision: str, draft: bool) -> None:
        rules = space.rules
        self.space, self.theta, self.width = space, theta, lanes_of(precision)
        self.largest_gain = abs(theta) * max(map(max, rules.scores))
        self._check_exponent(self.largest_gain)
        self.code = turn_code(rules, precision, draft)
        self.gain, self.points = point_weights(rules, theta, precision)
        self.bits = 1 << np.arange(rules.n_categories)
        most_lift = int(outcomes(rules).lift.max(initial=0))
        self.stride = -(-(space.n_uppers + most_lift + self.width) // self.width) * self.width
        self.values = aligned((space.n_masks, self.stride), precision)
        self.values[:-1] = -np.inf
        self.values[rules.all_filled, rules.bonus_threshold :] = theta * rules.bonus if theta else rules.bonus

    def table(self) -> NDArray[Any]:
        """(n_masks, n_uppers): the solved values, NaN where a state cannot occur."""
        values = self.values[:, : self.space.n_uppers].copy()
        values[~self.space.reachable] = np.nan
        return values

    def solve(self, masks: IntArray) -> None:
        """Set the values of masks (log-values for theta != 0) from those of their successors."""
        low, high = self.space.lowest_upper[masks], self.space.highest_upper[masks]
        n_blocks = (high - low) // self.width + 1
        line = np.repeat(np.arange(len(masks)), n_blocks)
        upper = (
            low[line] + (np.arange(len(line)) - np.repeat(np.cumsum(n_blocks) - n_blocks, n_blocks)) * self.width
        )
        work = work_buffer(self.space.rules, self.values.dtype.name)
        if self.theta:
            utilities, refs = self._utilities(masks, low)
            rows = line[:, None] * len(self.bits) + np.arange(len(self.bits))
        else:
            utilities, rows = self.values, masks[line][:, None] | self.bits
        starts = rows * self.stride + upper[:, None]
        targets = masks[line] * self.stride + upper
        self.code.values(starts, utilities, self.gain, self.points, work, targets, self.values)
        # Below the lowest total the bonus is lost, above the highest no state is reachable: one value each.
        solved = np.take_along_axis(
            self.values[masks], np.clip(np.arange(self.stride), low[:, None], high[:, None]), 1
        )
        self.values[masks] = refs[:, None] + log(np.abs(solved)) if self.theta else solved

    def _utilities(self, masks: IntArray, low: IntArray) -> tuple[NDArray[Any], NDArray[Any]]:
        """(masks, n_categories, stride): sign(theta) * exp(L - ref), `ref` the largest L that a turn reads."""
        after = self.values[masks[:, None] | self.bits]
        # Log-values are monotone in the upper total, so the ends of a row are its extremes.
        ends = np.stack([after[np.arange(len(low)), :, low], after[:, :, -1]])
        refs = ends.max(axis=(0, 2))
        least = np.where(np.isinf(ends), np.inf, ends).min(axis=(0, 2))
        self._check_exponent(self.largest_gain + float((refs - least).max()))
        utilities = np.sign(self.theta) * exp(after - refs[:, None, None]).astype(after.dtype)
        utilities[(masks[:, None] & self.bits) > 0] = -np.inf
        return utilities, refs

    def _check_exponent(self, exponent: float) -> None:
        if exponent > MAX_EXPONENT:
            raise YatzyError(
                f"theta: {self.theta} is too far from 0 for {self.space.rules.name}: "
                "exp(theta x) leaves the range of float64"
            )
