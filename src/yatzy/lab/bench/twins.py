"""The obvious ways to do what the package does, to time it against: sparse rows, plain NumPy, games one by one.

*Sparse transition rows* are the classical way to solve the game, the twin of the die lattice. With P(K -> r) the
probability that keep K becomes roll r when the other dice are thrown, one turn is

    exit(r)   = max over open c of  points(r, c) + V(filled + c, min(T, upper + lift(r, c)))
    per reroll:   keep(K) = sum over r of P(K -> r) * best(r)      a sparse dot product per keep
                  best(r) = max(best(r), keep(K) for each K inside r)
    V(filled, upper) = sum over r of P(r) * best(r)

With 5 dice the rows of P hold 4,368 entries and the rolls hold 4,368 keeps; the 252 of each in which all dice are
held change nothing and are left out. All upper totals of one filled mask go through a turn together, in *strips*
of four lane vectors (256 bytes: 64 float32, so that the 64 totals are one strip, or 32 float64). Rows of `values`
continue past the cap with the capped value, so that `upper + lift` needs no branch. Strips without a reachable
total are skipped; masks of one layer are shared out to threads as in `yatzy.solver.solve`. A strip's sums and
maxima stay in registers, with fused multiply-adds; loops left to Numba's own vectoriser take four times as long.

*Plain NumPy* evaluates one state at a time. With P the (keeps, rolls) matrix and `best` the value of each roll,

    backward, per reroll:   value(K) = P best,      keep(r) = argmax over K inside r of value(K)
    forward, per reroll:    kept(K) = sum of mass(r) over the rolls r in which K is kept,      mass = kept P

and every way the turn can end adds its share of the state's distribution of points so far to a successor's.
"""

import random
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import LANE_BITS, FloatArray, IntArray, Ints1, Lanes2, aligned
from yatzy.context import check_threads
from yatzy.measure.exact import tracked_category
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import keep_is_inside
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.layers import SETS_PER_CHUNK
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.turn.kernels.jit import jit
from yatzy.turn.kernels.simd import larger_of, load, multiply_add, n_lanes, store
from yatzy.turn.lattice import lattice

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


State = tuple[int, int]


@lru_cache(maxsize=8)
def transition_matrix(rules: Ruleset) -> FloatArray:
    """(n_keeps, n_rolls): probability of each roll when the dice beside a keep are thrown."""
    dice = lattice(rules.dice, rules.faces)
    rows = sparse_rows(rules, "float64")
    matrix = np.zeros((dice.n_keeps, dice.n_rolls))
    matrix[: dice.n_rolls] = np.eye(dice.n_rolls)
    keep = dice.n_rolls + np.repeat(np.arange(len(rows.prob_start) - 1), np.diff(rows.prob_start))
    matrix[keep, rows.roll] = rows.prob
    return matrix


class Plan(NamedTuple):
    """What optimal play does in one state: a category by roll, and keeps by rerolls left and roll."""

    category: IntArray
    keeps: list[IntArray]


class PlainForward:
    """Optimal play (theta = 0) of a table, pushed forward one state after the other."""

    def __init__(self, table: ValueTable) -> None:
        self.table = table
        self.rules = table.rules
        self.scores = np.array(self.rules.scores)
        self.matrix = transition_matrix(self.rules)
        self.inside = keep_is_inside(self.rules)
        self.tracked = tracked_category(self.rules)
        self.n_scores = int(self.scores.max(axis=0).sum()) + 1

    def start_row(self) -> FloatArray:
        """(tracked category scored, points so far): certainly nothing yet."""
        row = np.zeros((2, self.n_scores))
        row[0, 0] = 1.0
        return row

    def after(self, state: State, category: int, points: int) -> State:
        lift = points if self.rules.categories[category].upper else 0
        return state[0] | 1 << category, min(state[1] + lift, self.rules.bonus_threshold)

    def plan(self, state: State) -> Plan:
        """The best category and keeps for every roll."""
        worth = np.full(self.scores.shape, -np.inf)
        for category in range(self.rules.n_categories):
            if not state[0] >> category & 1:
                for points in np.unique(self.scores[:, category]):
                    worth_after = self.table.stored[self.after(state, category, int(points))]
                    worth[self.scores[:, category] == points, category] = points + worth_after
        best = worth.max(axis=1)
        keeps = []
        for _ in range(self.rules.rerolls):
            allowed = np.where(self.inside, self.matrix @ best, -np.inf)
            keeps.append(allowed.argmax(axis=1))
            best = allowed.max(axis=1)
        return Plan(worth.argmax(axis=1), keeps)

    def ends(self, state: State) -> dict[tuple[int, int], float]:
        """Probability of each (category, points) that the turn can end with."""
        plan = self.plan(state)
        mass = self.matrix[-1]
        for keep in reversed(plan.keeps):
            mass = np.bincount(keep, weights=mass, minlength=len(self.matrix)) @ self.matrix
        found: dict[tuple[int, int], float] = {}
        for roll, category in enumerate(plan.category.tolist()):
            end = category, int(self.scores[roll, category])
            found[end] = found.get(end, 0.0) + float(mass[roll])
        return found

    def push(self, state: State, row: FloatArray, layer: dict[State, FloatArray]) -> None:
        """Move the row of a state to its successors in `layer`."""
        for (category, points), share in self.ends(state).items():
            if share:
                target = layer.setdefault(self.after(state, category, points), np.zeros_like(row))
                if category == self.tracked and points:
                    target[1, points:] += share * row.sum(axis=0)[: self.n_scores - points]
                else:
                    target[:, points:] += share * row[:, : self.n_scores - points]

    def run(self) -> tuple[FloatArray, dict[State, float]]:
        """(bonus, tracked category, score) probabilities of finished games, and the visits of every state."""
        layer = {(0, 0): self.start_row()}
        visits: dict[State, float] = {}
        for _ in range(self.rules.n_categories):
            visits |= {state: float(row.sum()) for state, row in layer.items()}
            following: dict[State, FloatArray] = {}
            for state, row in layer.items():
                self.push(state, row, following)
            layer = following
        pmf = np.zeros((2, 2, self.n_scores + self.rules.bonus))
        for (_, upper), row in layer.items():
            bonus = int(upper >= self.rules.bonus_threshold and self.rules.bonus > 0)
            first = bonus * self.rules.bonus
            pmf[bonus, :, first : first + self.n_scores] += row
        return pmf, visits


def play_one_by_one(policy: Optimal, games: int, seed: int) -> list[int]:
    """Scores of games played the obvious way: throw, ask what to do in this state, write it down."""
    rules = policy.rules
    dice = lattice(rules.dice, rules.faces)
    generator = random.Random(seed)
    scores = []
    for _ in range(games):
        filled, upper, total = 0, 0, 0
        for _ in range(rules.n_categories):
            decisions = policy.decide(np.array([filled]), np.array([upper]))
            kept: tuple[int, ...] = ()
            for left in range(rules.rerolls, -1, -1):
                thrown = generator.choices(range(1, rules.faces + 1), k=rules.dice - len(kept))
                roll = dice.id_of((*kept, *thrown))
                if left:
                    kept = dice.keeps[decisions.keep[0, left - 1, roll]]
            category = int(decisions.category[0, roll])
            points = rules.scores[roll][category]
            filled |= 1 << category
            upper += points if rules.categories[category].upper else 0
            upper = min(upper, rules.bonus_threshold)
            total += points
        scores.append(total + (rules.bonus if upper >= rules.bonus_threshold else 0))
    return scores
