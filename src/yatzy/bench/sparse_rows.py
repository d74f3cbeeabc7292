"""The classical way to solve the game: sparse transition rows. The twin to compare the die lattice with.

With P(K -> r) the probability that keep K becomes roll r when the other dice are thrown, one turn is

    exit(r)   = max over open c of  points(r, c) + V(filled + c, min(T, upper + lift(r, c)))
    per reroll:   keep(K) = sum over r of P(K -> r) * best(r)      a sparse dot product per keep
                  best(r) = max(best(r), keep(K) for each K inside r)
    V(filled, upper) = sum over r of P(r) * best(r)

With 5 dice the rows of P hold 4,368 entries and the rolls hold 4,368 keeps; the 252 of each in which all dice are
held change nothing and are left out. All upper totals of one filled mask go through a turn together, in *strips*
of four lane vectors (256 bytes: 64 float32, so that the 64 totals are one strip, or 32 float64). Rows of `values`
continue past the cap with the capped value, so that `upper + lift` needs no branch. Strips without a reachable
total are skipped; masks of one layer are shared out to threads as in `solver.solve`.

This is the method of the published Yatzy solvers, at its best: a strip's sums and maxima stay in registers, with
fused multiply-adds. Loops left to Numba's own vectoriser take about four times as long.

"""

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import LANE_BITS, Ints1, Lanes2, aligned
from yatzy.context import check_threads
from yatzy.dice import lattice
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.layers import SETS_PER_CHUNK
from yatzy.solver.states import state_space
from yatzy.turn.jit import jit
from yatzy.turn.lanes import larger_of, load, multiply_add, n_lanes, store

VECTORS_PER_STRIP = 4

# Here multiply_add may round once: a fused instruction where the machine has one.
fused = partial(jit, fastmath={"contract"})


class SparseRows(NamedTuple):
    """The game as sparse rows; row i of a ragged table is `x[x_start[i] : x_start[i + 1]]`.

    Row i of `prob` and `roll` belongs to the i-th keep of fewer than all dice, and `keep` counts the same way.
    """

    score_by_roll_category: NDArray[Any]
    lift_by_roll_category: NDArray[np.int64]
    prob_start: NDArray[np.int64]
    prob: NDArray[Any]
    roll: NDArray[np.int64]
    keep_start: NDArray[np.int64]
    keep: NDArray[np.int64]
    prob_roll: NDArray[Any]
    n_rerolls: int


@lru_cache(maxsize=8)
def sparse_rows(rules: Ruleset, precision: str) -> SparseRows:
    """Transition rows from the multinomial formula, P = n! / (prod of n_f! * faces^n) for n dice thrown."""
    dice = lattice(rules.dice, rules.faces)
    probs, rolls = [], []
    for held in dice.counts[dice.n_rolls :]:
        thrown = dice.counts[: dice.n_rolls] - held
        possible = np.flatnonzero((thrown >= 0).all(axis=1))
        ways = [factorial(row.sum()) / prod(map(factorial, row)) for row in thrown[possible]]
        probs.append(np.array(ways) / rules.faces ** (rules.dice - int(held.sum())))
        rolls.append(possible)
    keeps = [row[row >= dice.n_rolls] - dice.n_rolls for row in dice.keeps_in_roll]
    scores = np.array(rules.scores, dtype=np.int64)
    return SparseRows(
        score_by_roll_category=scores.astype(precision),
        lift_by_roll_category=scores * np.array([category.upper for category in rules.categories]),
        prob_start=_starts(probs),
        prob=np.concatenate(probs).astype(precision),
        roll=np.concatenate(rolls),
        keep_start=_starts(keeps),
        keep=np.concatenate(keeps),
        prob_roll=dice.prob_roll.astype(precision),
        n_rerolls=rules.rerolls,
    )


def _starts(rows: list[NDArray[Any]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, rows)])


def solve_by_sparse_rows(
    rules: str | Ruleset = "scandinavian", precision: str = "float64", threads: int | None = None
) -> NDArray[Any]:
    """(n_masks, n_uppers): value of every state for theta = 0; without meaning where a state cannot occur."""
    rules = ruleset(rules)
    threads = check_threads(threads)
    space = state_space(rules)
    game = sparse_rows(rules, precision)
    dtype = np.dtype(precision)
    width = VECTORS_PER_STRIP * LANE_BITS // 8 // dtype.itemsize
    n_padded = -(-space.n_uppers // width) * width + int(game.lift_by_roll_category.max())
    values = aligned((space.n_masks, -(-n_padded // width) * width), dtype)
    values[rules.all_filled, rules.bonus_threshold :] = rules.bonus
    scratch = [
        tuple(aligned((n_rows, width), dtype) for n_rows in (len(rules.rolls), len(game.prob_start)))
        for _ in range(threads)
    ]

    def solve_chunk(masks: NDArray[np.int64]) -> None:
        best, kept = scratch.pop()
        solve_masks_by_rows(masks, space.highest_upper, space.n_uppers, game, values, best, kept)
        scratch.append((best, kept))

    with ThreadPoolExecutor(threads) as pool:
        for layer in space.layers[-2::-1]:
            list(pool.map(solve_chunk, np.array_split(layer, -(-len(layer) // SETS_PER_CHUNK))))
    return values[:, : space.n_uppers]


@fused
def _load_strip(array: Lanes2, offset: int) -> Any:
    n = n_lanes(array)
    return load(array, offset), load(array, offset + n), load(array, offset + 2 * n), load(array, offset + 3 * n)


@fused
def _store_strip(array: Lanes2, offset: int, strip: tuple[Any, ...]) -> None:
    n = n_lanes(array)
    store(array, offset, strip[0])
    store(array, offset + n, strip[1])
    store(array, offset + 2 * n, strip[2])
    store(array, offset + 3 * n, strip[3])


@fused
def _larger_strip(x: tuple[Any, ...], y: tuple[Any, ...]) -> Any:
    return (
        larger_of(x[0], y[0]), larger_of(x[1], y[1]), larger_of(x[2], y[2]), larger_of(x[3], y[3])
    )  # fmt: skip


@fused
def _scale_strip(strip: tuple[Any, ...], factor: float, summand: float) -> Any:
    """A strip times a scalar plus a scalar."""
    return (
        multiply_add(strip[0], factor, summand),
        multiply_add(strip[1], factor, summand),
        multiply_add(strip[2], factor, summand),
        multiply_add(strip[3], factor, summand),
    )


@fused
def _add_share(total: tuple[Any, ...], strip: tuple[Any, ...], prob: float) -> Any:
    """A strip's share of the total, added to it."""
    return (
        multiply_add(strip[0], prob, total[0]),
        multiply_add(strip[1], prob, total[1]),
        multiply_add(strip[2], prob, total[2]),
        multiply_add(strip[3], prob, total[3]),
    )


@fused
def solve_masks_by_rows(
    masks: Ints1, highest: Ints1, n_uppers: int, game: SparseRows, values: Lanes2, best: Lanes2, kept: Lanes2
) -> None:
    """Values of all upper totals of `masks`; `best` (rolls, strip) and `kept` (keeps, strip) are scratch."""
    n_rolls, width = best.shape
    stride = values.shape[1]
    for mask in masks:
        for upper in range(0, highest[mask] + 1, width):
            _score_rolls(mask, upper, game, values, best)
            for _ in range(game.n_rerolls):
                _reroll(game, best, kept)
            total = _scale_strip(_load_strip(best, 0), game.prob_roll[0], best.dtype.type(0))
            for roll in range(1, n_rolls):
                total = _add_share(total, _load_strip(best, roll * width), game.prob_roll[roll])
            _store_strip(values, mask * stride + upper, total)
        capped = values[mask, n_uppers - 1]
        for upper in range(n_uppers, stride):
            values[mask, upper] = capped


@fused
def _score_rolls(mask: int, upper: int, game: SparseRows, values: Lanes2, best: Lanes2) -> None:
    """Best open category of every roll, for the strip of upper totals from `upper` on."""
    n_rolls, n_categories = game.score_by_roll_category.shape
    width = best.shape[1]
    stride = values.shape[1]
    one = best.dtype.type(1)
    open_ids = np.array([category for category in range(n_categories) if not mask >> category & 1])
    for roll in range(n_rolls):
        largest = _scale_strip(_load_strip(best, roll * width), best.dtype.type(0), best.dtype.type(-np.inf))
        for category in open_ids:
            lifted = upper + game.lift_by_roll_category[roll, category]
            successor = _load_strip(values, (mask | 1 << category) * stride + lifted)
            scored = _scale_strip(successor, one, game.score_by_roll_category[roll, category])
            largest = _larger_strip(largest, scored)
        _store_strip(best, roll * width, largest)


@fused
def _reroll(game: SparseRows, best: Lanes2, kept: Lanes2) -> None:
    """One more reroll: `best` by roll is replaced."""
    n_rolls, width = best.shape
    for keep in range(len(game.prob_start) - 1):
        first = game.prob_start[keep]
        total = _scale_strip(_load_strip(best, game.roll[first] * width), game.prob[first], best.dtype.type(0))
        for entry in range(first + 1, game.prob_start[keep + 1]):
            total = _add_share(total, _load_strip(best, game.roll[entry] * width), game.prob[entry])
        _store_strip(kept, keep * width, total)
    for roll in range(n_rolls):
        largest = _load_strip(best, roll * width)
        for entry in range(game.keep_start[roll], game.keep_start[roll + 1]):
            largest = _larger_strip(largest, _load_strip(kept, game.keep[entry] * width))
        _store_strip(best, roll * width, largest)
