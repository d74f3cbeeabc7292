"""Backward induction over the layers of the state space.

    V(filled, upper) = sum over rolls r of P(r) * best(r, rerolls)
    best(r, 0)       = max over open c of  points(r, c) + V(filled + c, min(T, upper + lift(r, c)))
    best(r, n)       = max over keeps K inside r of  E[best(K filled up with fresh dice, n - 1)]
    V(all, upper)    = bonus if upper >= T else 0

Layers are solved from the finished game back to the start. For some sets of a layer at a time, NumPy finds where
the utilities after each successor begin, and one compiled turn (`turn.folds`) values all their upper totals, one
per lane. Chunks of sets are handed out to threads; each is computed in one fixed order, so results do not depend
on the number of threads.

With saved throws, V(filled, upper, saved) = sum over rolls r of P(r) * best(r, rerolls + saved), and

    best(r, t) = max(stop: points(r, c) + V(filled + c, ..., saved = t);  keeps K: E[best(., t - 1)])

so that every t follows from t - 1 by one pass of scoring and one of the lattice, for all saved counts at once.

For theta != 0 the log-value L = ln E[exp(theta * points to come)] is kept between turns, and inside a turn
U = sign(theta) * exp(L - ref): see `turn.values`.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, aligned, lanes_of
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, ruleset
from yatzy.running import Progress, check_threads, chunks, in_threads
from yatzy.solver.states import StateSpace, state_space
from yatzy.solver.table import PRECISIONS, ValueTable, check_theta
from yatzy.turn.libm import exp, log
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import point_weights, special_options, turn_code, work_buffer

# Small enough for an even load at the end of a layer, large enough that handing out a chunk costs little.
SETS_PER_CHUNK = 128
# What is copied out of a layer at once.
SETS_PER_COPY = 4096
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
    solver = LayerSolver(space, theta, precision, draft)
    stored = np.full((space.n_masks, space.n_uppers), np.nan, precision)
    done, total = 0, sum(map(len, space.layers[:-1]))
    for n_filled in range(rules.n_categories, -1, -1):
        for chunk in solver.solve_layer(n_filled, threads):
            done += len(chunk)
            if progress:
                progress(done, total)
        for part in chunks(len(space.layers[n_filled]), SETS_PER_COPY):
            masks, values = solver.layer_values(part)
            stored[space.row(masks)] = values
    return ValueTable(rules=rules, theta=theta, stored=stored)


class LayerSolver:
    """Computes the values of one layer of sets after another, from the finished game back to the start.

    `values` (sets of the layer + 1, n_saved, stride) continues past the cap with the capped value: scoring p upper
    points reads `upper + p` without a branch. Its last set is -inf: where a category may not be filled, its
    utilities are there, again without a branch. `before` is the layer solved before, the only one that is needed.
    """

    def __init__(self, space: StateSpace, theta: float, precision: str, draft: bool = False) -> None:
        rules = space.rules
        self.space, self.theta, self.width, self.precision = space, theta, lanes_of(precision), precision
        self.ends = outcomes(rules)
        self.largest_gain = abs(theta) * int(self.ends.points.max())
        self._check_exponent(self.largest_gain)
        self.code = turn_code(rules, precision, draft)
        self.weights = point_weights(rules, theta, precision)
        self.options = special_options(rules)
        most_lift = int(self.ends.lift.max(initial=0))
        self.stride = -(-(space.n_uppers + most_lift + self.width) // self.width) * self.width
        self.place = np.empty(rules.n_sets, np.int64)
        self.sets = self.values = self.before = np.zeros(0, np.int64)

    def solve_layer(self, n_filled: int, threads: int) -> Iterator[IntArray]:
        """Solve the sets of a layer; those of the layer after it must have been solved last. Yields as they are done."""
        rules = self.space.rules
        self.before, self.place_before = self.values, self.place
        self.sets = self.space.layers[n_filled]
        n_saved = 1 + n_filled * rules.rerolls * rules.saves_throws
        self.values = aligned((len(self.sets) + 1, n_saved, self.stride), self.precision)
        self.place = np.full(rules.n_sets, len(self.sets), np.int64)
        self.place[self.sets] = np.arange(len(self.sets))
        self.values[-1] = -np.inf
        if n_filled == rules.n_categories:
            self.values[:-1] = 0.0
            self.values[:-1, :, rules.bonus_threshold :] = self.theta * rules.bonus if self.theta else rules.bonus
            return
        parts = np.array_split(self.sets, -(-len(self.sets) // SETS_PER_CHUNK))
        for part, _ in zip(parts, in_threads(self._solve, parts, threads), strict=True):
            yield part

    def layer_values(self, part: slice) -> tuple[IntArray, NDArray[Any]]:
        """Masks of some sets of the layer and their values (n, n_uppers), NaN where a state cannot occur."""
        space, sets = self.space, self.sets[part]
        n_saved = self.values.shape[1]
        values = self.values[:-1][part, :, : space.n_uppers].copy()
        values[np.broadcast_to(~space.reachable_by_upper_set[space.upper_set[sets]][:, None], values.shape)] = np.nan
        masks = sets[:, None] | np.arange(n_saved) << space.rules.saved_shift
        return masks.reshape(-1), values.reshape(-1, space.n_uppers)

    def _solve(self, sets: IntArray) -> None:
        """Set the values of sets (log-values for theta != 0) from those of their successors."""
        low, high = self.space.lowest_upper[sets], self.space.highest_upper[sets]
        n_blocks = (high - low) // self.width + 1
        line = np.repeat(np.arange(len(sets)), n_blocks)
        upper = (
            low[line] + (np.arange(len(line)) - np.repeat(np.cumsum(n_blocks) - n_blocks, n_blocks)) * self.width
        )
        places = self._successors(sets)
        utilities, refs = self.before, None
        if self.theta:
            utilities, refs = self._utilities(places, low)
            places = np.arange(places.size).reshape(places.shape)
        of_set, of_layer = self.values[0].size, self.before[0].size
        starts = places[line] * of_layer + upper[:, None]
        targets = self.place[sets][line] * of_set + upper
        self.code.values(
            starts, utilities, self.weights, work_buffer(self.space.rules, self.precision),
            self.options[sets[line]], targets, self.values, self._n_levels(), self.stride,
        )  # fmt: skip
        # Below the lowest total the bonus is lost, above the highest no state is reachable: one value each.
        uppers = np.clip(np.arange(self.stride), low[:, None], high[:, None])[:, None]
        mine = self.place[sets]
        solved = np.take_along_axis(self.values[mine], uppers, 2)
        self.values[mine] = solved if refs is None else refs[:, None, None] + log(np.abs(solved))

    def _n_levels(self) -> int:
        """Numbers of throws that may be left when a player stops."""
        rules = self.space.rules
        return self.before.shape[1] if rules.saves_throws else rules.rerolls + 1

    def _successors(self, sets: IntArray) -> IntArray:
        """(sets, n_successors): their places in the layer before, the last one where a category may not be filled."""
        rules = self.space.rules
        closed = sets & rules.all_filled
        if rules.forced_order:
            closed = ~(~closed & (closed + 1))
        bits = self.ends.successors
        places = self.place_before[sets[:, None] | bits]
        return np.where(closed[:, None] & bits & rules.all_filled, len(self.before) - 1, places)

    def _utilities(self, places: IntArray, low: IntArray) -> tuple[NDArray[Any], NDArray[Any]]:
        """(sets, n_successors, n_saved, stride): sign(theta) * exp(L - ref), `ref` the largest L that a turn reads."""
        after = self.before[places]
        # Log-values are monotone in the upper total and in the throws saved, so the ends of a row are its extremes.
        lines = np.arange(len(low))
        ends = np.stack([after[lines, :, saved, upper] for saved in (0, -1) for upper in (low, -1)])
        refs = ends.max(axis=(0, 2))
        least = np.where(np.isinf(ends), np.inf, ends).min(axis=(0, 2))
        self._check_exponent(self.largest_gain + float((refs - least).max()))
        utilities = np.sign(self.theta) * exp(after - refs[:, None, None, None]).astype(after.dtype)
        utilities[places == len(self.before) - 1] = -np.inf
        return utilities, refs

    def _check_exponent(self, exponent: float) -> None:
        if exponent > MAX_EXPONENT:
            raise YatzyError(
                f"theta: {self.theta} is too far from 0 for {self.space.rules.name}: "
                "exp(theta x) leaves the range of float64"
            )
