"""One layer of the state space solved from the next: the inner part of `solve`.

NumPy finds where the utilities after each successor of a set begin; one compiled turn (`kernels.folds.TurnCode`)
then values all upper totals of the set, one per lane, and all numbers of saved throws one after another.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, aligned, lanes_of
from yatzy.context import Context, chunks, map_in_threads
from yatzy.errors import YatzyError
from yatzy.solver.states import StateSpace
from yatzy.turn.kernels.libm import exp_lines, log
from yatzy.turn.outcomes import after, outcomes
from yatzy.turn.tables import point_weights, special_options, turn_code, work_buffer

# Small enough for an even load at the end of a layer, large enough for little overhead.
SETS_PER_CHUNK = 128
# Copied into a layer or out of it at once.
SETS_PER_COPY = 4096
# exp(-MAX_EXPONENT) is still far from the smallest float64, exp(-745).
MAX_EXPONENT = 600.0


class LayerSolver:
    """Computes the values of one layer of sets after another, from the finished game back to the start.

    `values` (sets of the layer + 1, n_saved, stride) continues past the cap with the capped value: scoring p upper
    points reads `upper + p` without a branch. Its last set is -inf, the utilities of categories that may not be
    filled, again without a branch. `before` is the layer solved before this one, the only one that is needed.
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
        self.sets: IntArray = np.zeros(0, np.int64)
        self.values: NDArray[Any] = np.zeros((0, 0, 0))
        self.before: NDArray[Any] = self.values

    def n_levels(self, n_filled: int) -> int:
        """The number of different rerolls left, 0 included, in a turn of this layer."""
        rules = self.space.rules
        return 1 + rules.rerolls * (1 + n_filled * rules.saves_throws)

    def solve_layer(self, n_filled: int, threads: int) -> Iterator[IntArray]:
        """Solve a layer from the layer solved last; yields its sets as they are done."""
        sets = self.space.layers[n_filled]
        self.begin(n_filled, sets)
        if n_filled < self.space.rules.n_categories:
            parts = np.array_split(sets, -(-len(sets) // SETS_PER_CHUNK))
            yield from map_in_threads(self.solve_sets, parts, threads)

    def begin(self, n_filled: int, sets: IntArray) -> None:
        """Allocate a layer, to be solved from the one solved last."""
        rules = self.space.rules
        self.before, self.place_before = self.values, self.place
        self.sets = sets
        n_saved = 1 + n_filled * rules.rerolls * rules.saves_throws
        self.values = aligned((len(sets) + 1, n_saved, self.stride), self.precision)
        self.place = np.full(rules.n_sets, len(sets), np.int64)
        self.place[sets] = np.arange(len(sets))
        self.values[-1] = -np.inf
        if n_filled == rules.n_categories:
            self.values[:-1, :, rules.bonus_threshold :] = self.theta * rules.bonus if self.theta else rules.bonus

    def take(self, n_filled: int, sets: IntArray, values: NDArray[Any]) -> None:
        """Set a layer from values already known, as `layer_values` returns them, in the order of the sets."""
        self.begin(n_filled, sets)
        n_uppers = self.space.n_uppers
        uppers = np.minimum(np.arange(self.stride), n_uppers - 1)
        for part in chunks(len(sets), SETS_PER_COPY):
            known = values.reshape(len(sets), -1, n_uppers)[part]
            # Lanes also compute unreachable totals, which nobody reads: any nearby number will do.
            filled = np.where(np.isnan(known), -1, np.arange(n_uppers))
            nearest = np.maximum.accumulate(filled, axis=2)
            first = np.where(filled < 0, n_uppers, filled).min(axis=2, keepdims=True)
            near = np.take_along_axis(known, np.where(nearest < 0, first, nearest), axis=2)
            self.values[:-1][part] = near[:, :, uppers]

    def successors_of(self, sets: IntArray) -> IntArray:
        """Places, in the layer solved last, of all successors of these sets."""
        places = self._successors(sets, self.place, len(self.values) - 1)
        return places[places < len(self.values) - 1]

    def layer_values(self, part: slice | IntArray) -> tuple[IntArray, NDArray[Any]]:
        """Masks of some sets of the layer and their values (n, n_uppers), NaN where a state cannot occur."""
        space, sets = self.space, self.sets[part]
        n_saved = int(self.values.shape[1])
        values = np.array(self.values[:-1][part][:, :, : space.n_uppers])
        values[np.broadcast_to(~space.reachable_by_upper_set[space.upper_set[sets]][:, None], values.shape)] = (
            np.nan
        )
        masks = sets[:, None] | np.arange(n_saved) << space.rules.saved_shift
        return masks.reshape(-1), values.reshape(-1, space.n_uppers)

    def solve_sets(self, sets: IntArray) -> IntArray:
        """Set the values of sets (log-values for theta != 0) from those of their successors; returns the sets."""
        low, high = self.space.lowest_upper[sets], self.space.highest_upper[sets]
        places = self._successors(sets, self.place_before, len(self.before) - 1)
        utilities, refs = self.before, None
        if self.theta:
            utilities, places, refs = self._utilities(places, low)
        of_set, of_layer = self.values[0].size, self.before[0].size
        starts = places * of_layer + low[:, None]
        targets = self.place[sets] * of_set + low
        self.code.values(
            starts, (high - low) // self.width + 1, utilities, self.weights,
            work_buffer(self.space.rules, self.precision), self.options[sets], targets, self.values,
            self.n_levels(int(self.space.n_filled[sets[0]])), self.stride,
        )  # fmt: skip
        # Below the lowest total the bonus is lost, above the highest no state is reachable: one value each.
        mine, first, last = self.place[sets], low.min(), high.max()
        uppers = np.clip(np.arange(first, last + 1), low[:, None], high[:, None])[:, None]
        solved = np.take_along_axis(self.values[mine], uppers, 2)
        if refs is not None:
            solved = refs[:, None, None] + log(np.abs(solved))
        self.values[mine] = solved[:, :, np.clip(np.arange(self.stride), first, last) - first]
        return sets

    def _successors(self, sets: IntArray, place: IntArray, nowhere: int) -> IntArray:
        """(sets, n_successors): their places in a layer, `nowhere` where a category may not be filled."""
        bits = self.ends.successors
        is_closed = self.space.rules.closed(sets)[:, None] & bits
        masks, _ = after(sets[:, None], 0, bits, 0, 0)
        return np.where(is_closed, nowhere, place[masks])

    def _utilities(self, places: IntArray, low: IntArray) -> tuple[NDArray[Any], IntArray, NDArray[Any]]:
        """Utilities sign(theta) * exp(L - ref), with `ref` the largest L of a turn: a row for every open
        successor, and a last one of -inf. Also (sets, n_successors) the row of each successor, and the refs.
        """
        # Log-values are monotone in the upper total and in the saved throws: the ends of a row are its extremes.
        saved_ends = {0, self.before.shape[1] - 1}
        ends = np.stack(
            [self.before[places, saved, upper] for saved in saved_ends for upper in (low[:, None], -1)]
        )
        refs = ends.max(axis=(0, 2))
        least = np.where(np.isinf(ends), np.inf, ends).min(axis=(0, 2))
        self._check_exponent(self.largest_gain + float((refs - least).max()))
        is_open = places < len(self.before) - 1
        n_rows, n_saved = int(is_open.sum()), self.before.shape[1]
        # Totals below the lowest are never read, those past the cap are worth what it is.
        sources = places[is_open][:, None] * n_saved + np.arange(n_saved)
        of_line = np.repeat(np.nonzero(is_open)[0], n_saved)
        utilities = np.empty((n_rows + 1, n_saved, self.stride))
        utilities[-1] = -np.inf
        exp_lines(
            self.before.reshape(-1, self.stride), sources.reshape(-1), low[of_line], refs[of_line],
            self.space.n_uppers, float(np.sign(self.theta)), utilities.reshape(-1, self.stride),
        )  # fmt: skip
        numbers = np.full(places.shape, n_rows)
        numbers[is_open] = np.arange(n_rows)
        return utilities, numbers, refs

    def _check_exponent(self, exponent: float) -> None:
        if exponent > MAX_EXPONENT:
            raise YatzyError(
                "theta",
                self.theta,
                why=f"is too far from 0 for {self.space.rules.name}: exp(theta x) leaves the range of float64",
            )


def solve_layers(solver: LayerSolver, first: int, context: Context) -> Iterator[int]:
    """Solve the layers from `first` filled categories back to the start; yields each when it is done."""
    layers = solver.space.layers
    # Where throws are saved, later layers take longer.
    work = [len(sets) * solver.n_levels(n_filled) for n_filled, sets in enumerate(layers[:-1])]
    done, total = sum(work[first + 1 :]), sum(work)
    for n_filled in range(first, -1, -1):
        for sets in solver.solve_layer(n_filled, context.n_threads):
            done += len(sets) * solver.n_levels(n_filled)
            context.step(done, total)
        yield n_filled
