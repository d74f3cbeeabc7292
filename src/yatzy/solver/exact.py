"""The value of every state as a whole number over a power of the number of faces.

With n dice of f faces, r rerolls and k open boxes, a value is N / D_k with

    D_k = f^(n (r + 1) k)        for Scandinavian Yatzy 6^(15 k): 592 bits for the whole game

because a mean over throws is a sum of whole numbers over f^n, and of two numbers with one denominator the larger
has the larger numerator. Within a turn, with N' those of the states after it and m(K) the dice of a keep K:

    roll(0)     = max over open boxes of  points * D_(k-1) + N'(state after)
    sum(K)      = sum over faces of sum(K + f),      sum(roll) = roll(t)       f^(n - m(K)) throws
    roll(t + 1) = max over keeps K of the roll of  f^m(K) * sum(K)
    N           = sum(nothing kept)  from  roll(r)

This is the turn of `solver.solve` with sums for means. Numbers are rows of *limbs*, digits of LIMB_BITS bits, the
lowest first; a layer has as many as its largest number needs. A limb is a whole number in float64, exact below
2^53, so the lanes of the compiled turn serve: each lane is another upper total of a set. Nothing is rounded.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal, localcontext
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, Floats1, Floats2, IntArray, Ints1, Ints2, Lanes2, aligned, lanes_of
from yatzy.context import DEFAULT_CONTEXT, Context, map_in_threads
from yatzy.errors import YatzyError
from yatzy.game.json import ALWAYS
from yatzy.rules import Ruleset, State, format_filled, ruleset
from yatzy.sealed import write_tensors
from yatzy.solver.states import FilledGiven, StateSpace, as_state, check_solvable, state_space
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import larger_of, load, multiply_add, n_lanes, store, where_equal
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import highest_score, outcomes
from yatzy.turn.values import after

# f^n times a limb, and six limbs, stay below 2^52.
LIMB_BITS = 38
LIMB = float(2**LIMB_BITS)
# Adding and taking away rounds to a multiple of LIMB: the last bit of this number is LIMB.
ROUND = 1.5 * 2.0 ** (LIMB_BITS + 52)
# Rounding down is rounding to the nearest after this; a whole number is never half way.
DOWN = 0.5 - LIMB / 2
MOST_SCALE = 2**13
SETS_PER_CHUNK = 64
FORMAT = "yatzy-exact-1"
WORD_BITS = 64
# Decimals that are shown.
N_DIGITS = 50


def check_exact_rules(rules: Ruleset) -> Ruleset:
    """Refuse games that saved throws or many dice make too large."""
    if rules.saves_throws:
        raise YatzyError("exact", why=f"is not for games with saved throws such as {rules.name}")
    if rules.faces**rules.dice > MOST_SCALE:
        why = f"is for at most {MOST_SCALE:,} ways to throw all dice; {rules.name} has {rules.faces**rules.dice:,}"
        raise YatzyError("exact", why=why)
    return check_solvable(rules)


def denominator(rules: Ruleset, n_open: int) -> int:
    """D_k for k open boxes."""
    return int(rules.faces ** (rules.dice * (rules.rerolls + 1) * n_open))


def n_limbs(rules: Ruleset, n_open: int) -> int:
    """Limbs of the largest number of a layer, and of its turns."""
    return -(-((highest_score(rules) + 1) * denominator(rules, n_open)).bit_length() // LIMB_BITS)


def limbs_of(number: int, n: int) -> list[float]:
    """The limbs of a whole number, lowest first."""
    return [float(number >> LIMB_BITS * i & (1 << LIMB_BITS) - 1) for i in range(n)]


class ExactTurn(NamedTuple):
    """A turn as the kernel sees it: the lattice, the outcomes and the readings of rolls."""

    n_rolls: int
    rerolls: int
    cap: int
    added: Ints2
    removed: Ints2
    scale: Floats1
    bits: Ints1
    lift: Ints1
    of_reading: Ints2
    special_of_roll: Ints1
    readings: Ints2


class Layer(NamedTuple):
    """Numbers of all states with the same number of open boxes.

    Set s has the upper totals from low[s], which stands for all that lose the bonus, to high[s]; their numbers
    begin at row start[s] of `numbers` (n_states, n_limbs).
    """

    sets: IntArray
    start: IntArray
    low: IntArray
    high: IntArray
    numbers: FloatArray


def exact_turn(rules: Ruleset) -> ExactTurn:
    """The turn of a game."""
    dice, ends = lattice(rules.dice, rules.faces), outcomes(rules)
    scale = np.float64(rules.faces) ** dice.counts.sum(axis=1)
    readings = ends.readings if len(ends.special_rolls) else np.zeros((1, rules.n_sets), np.int64)
    return ExactTurn(
        dice.n_rolls, rules.rerolls, rules.bonus_threshold, dice.added, dice.removed, scale, ends.bits, ends.lift,
        ends.of_reading, ends.special_of_roll, readings,
    )  # fmt: skip


def exact_layers(rules: Ruleset, filled: int = 0, context: Context = DEFAULT_CONTEXT) -> Iterator[Layer]:
    """The layers of all states that may follow a set, from the finished games to the set itself."""
    space, turn = state_space(rules), exact_turn(rules)
    layers = [sets[sets & filled == filled] for sets in space.layers[space.n_filled[filled] :]]
    done, total = 0, sum(map(len, layers[:-1]))
    before = empty_layer(space, layers.pop())
    for one in before.sets.tolist():
        first = before.start[one]
        made = np.arange(before.low[one], before.high[one] + 1) >= rules.bonus_threshold
        before.numbers[first : first + len(made), 0] = rules.bonus * made
    yield before
    while layers:
        layer = empty_layer(space, layers.pop())
        solve = partial(_solve_part, rules, turn, points_of(rules, layer), before, layer)
        parts = np.array_split(layer.sets, -(-len(layer.sets) // SETS_PER_CHUNK))
        for n in map_in_threads(solve, parts, context.threads):
            done += n
            context.step(done, total)
        before = layer
        yield layer


def points_of(rules: Ruleset, layer: Layer) -> FloatArray:
    """(n_outcomes, n_limbs): the points of the outcomes over the denominator of the states after them."""
    n_open = rules.n_categories - int(state_space(rules).n_filled[layer.sets[0]])
    scale, n = denominator(rules, n_open - 1), layer.numbers.shape[1]
    return np.array([limbs_of(points * scale, n) for points in outcomes(rules).points.tolist()])


def _solve_part(
    rules: Ruleset, turn: ExactTurn, points: FloatArray, before: Layer, layer: Layer, sets: IntArray
) -> int:
    """Solve some sets of a layer; how many."""
    work = aligned(((len(turn.added) + len(turn.bits)) * layer.numbers.shape[1], lanes_of(np.float64)))
    _solve_sets(sets, np.asarray(rules.closed(sets)), points, turn, before, layer, work)
    return len(sets)


def empty_layer(space: StateSpace, sets: IntArray) -> Layer:
    """A layer whose numbers are not known yet."""
    rules, low, high = space.rules, np.asarray(space.lowest_upper), np.asarray(space.highest_upper)
    count = np.zeros(rules.n_sets, np.int64)
    count[sets] = high[sets] - low[sets] + 1
    n = n_limbs(rules, rules.n_categories - int(space.n_filled[sets[0]]))
    return Layer(sets, np.cumsum(count) - count, low, high, np.zeros((int(count.sum()), n)))


@jit
def _solve_sets(
    sets: Ints1, closed: Ints1, points: Floats2, turn: ExactTurn, before: Layer, layer: Layer, work: Lanes2
) -> None:
    """Solve sets of a layer. The rows of `work` are the keeps and the outcomes, each with all its limbs."""
    limbs, width = layer.numbers.shape[1], n_lanes(work)
    nothing = len(turn.added) - 1
    for i in range(len(sets)):
        low, high = layer.low[sets[i]], layer.high[sets[i]]
        for first in range(low, high + 1, width):
            score_rolls(sets[i], closed[i], first, high, points, turn, before, work, limbs)
            for _ in range(turn.rerolls):
                add_up(turn, work, limbs)
                for keep in range(len(turn.added)):
                    scale_row(keep, turn.scale[keep], work, limbs)
                for keep in range(nothing - 1, -1, -1):
                    for face in range(turn.removed.shape[1]):
                        if turn.removed[keep, face] >= 0:
                            take_larger(turn.removed[keep, face], keep, work, limbs)
            add_up(turn, work, limbs)
            for lane in range(min(width, high + 1 - first)):
                row = layer.start[sets[i]] + first + lane - low
                for limb in range(limbs):
                    layer.numbers[row, limb] = work[nothing * limbs + limb, lane]


@jittable
def score_rolls(
    filled: int, closed: int, first: int, high: int, points: Floats2, turn: ExactTurn, before: Layer, work: Lanes2,
    limbs: int,
) -> None:  # fmt: skip
    """The rolls scored in the best box, for the upper totals from `first` on."""
    width, top, known = n_lanes(work), len(turn.added), before.numbers.shape[1]
    for outcome in range(len(turn.bits)):
        if closed & turn.bits[outcome]:
            continue
        row = top + outcome
        for lane in range(width):
            upper = min(first + lane, high)
            later, total = after(filled, upper, turn.bits[outcome], turn.lift[outcome], turn.cap)
            state = before.start[later] + max(total - before.low[later], 0)
            for limb in range(limbs):
                number = before.numbers[state, limb] if limb < known else 0.0
                work[row * limbs + limb, lane] = number + points[outcome, limb]
        scale_row(row, 1.0, work, limbs)
    for roll in range(turn.n_rolls):
        special = turn.special_of_roll[roll]
        reading = roll if special < 0 else turn.readings[special, filled]
        is_first = True
        for category in range(turn.of_reading.shape[1]):
            outcome = turn.of_reading[reading, category]
            if outcome < 0 or closed & turn.bits[outcome]:
                continue
            if is_first:
                for limb in range(limbs):
                    store(
                        work, (roll * limbs + limb) * width, load(work, ((top + outcome) * limbs + limb) * width)
                    )
                is_first = False
            else:
                take_larger(top + outcome, roll, work, limbs)


@jittable
def add_up(turn: ExactTurn, work: Lanes2, limbs: int) -> None:
    """The sums of all keeps from those of the rolls."""
    width, faces = n_lanes(work), turn.added.shape[1]
    for keep in range(turn.n_rolls, len(turn.added)):
        carry = _zero(work)
        for limb in range(limbs):
            total = carry
            for face in range(faces):
                total = multiply_add(load(work, (turn.added[keep, face] * limbs + limb) * width), 1.0, total)
            over = _rounded_down(total)
            store(work, (keep * limbs + limb) * width, multiply_add(over, -1.0, total))
            carry = multiply_add(over, 1.0 / LIMB, 0.0)


@jittable
def scale_row(row: int, factor: float, work: Lanes2, limbs: int) -> None:
    """Multiply a row by a small whole number, and carry."""
    width, carry = n_lanes(work), _zero(work)
    for limb in range(limbs):
        total = multiply_add(load(work, (row * limbs + limb) * width), factor, carry)
        over = _rounded_down(total)
        store(work, (row * limbs + limb) * width, multiply_add(over, -1.0, total))
        carry = multiply_add(over, 1.0 / LIMB, 0.0)


@jittable
def _zero(work: Lanes2) -> Any:
    """A lane vector of zeros."""
    return multiply_add(load(work, 0), 0.0, 0.0)


@jittable
def _rounded_down(lanes: Any) -> Any:
    """To multiples of LIMB."""
    return multiply_add(multiply_add(multiply_add(lanes, 1.0, DOWN), 1.0, ROUND), 1.0, -ROUND)


@jittable
def take_larger(source: int, target: int, work: Lanes2, limbs: int) -> None:
    """Set the row `target` to the larger of the two, lane by lane: the highest limb that differs decides."""
    width, zero = n_lanes(work), _zero(work)
    lead = zero
    for limb in range(limbs):
        x, y = load(work, (source * limbs + limb) * width), load(work, (target * limbs + limb) * width)
        lead = where_equal(x, y, lead, multiply_add(y, -1.0, x))
    lead = larger_of(lead, zero)
    for limb in range(limbs):
        x, y = load(work, (source * limbs + limb) * width), load(work, (target * limbs + limb) * width)
        store(work, (target * limbs + limb) * width, where_equal(lead, zero, y, x))


@dataclass(frozen=True, eq=False)
class ExactTable:
    """The exact values of a set's states and of all that may follow them, as `yatzy.solve(exact=True)` finds them.

    >>> import yatzy
    >>> table = yatzy.solve("yacht", exact=True)
    >>> table
    <ExactTable yacht: 166.9550677045725 points from the start, 4,096 states>
    >>> lower = "full house,four of a kind,little straight,big straight,choice"
    >>> table.value(f"ones,twos,threes,fours,fives,sixes,{lower}")
    Fraction(8697425, 3779136)

    `layers` are by the number of open boxes, from none.
    """

    rules: Ruleset
    layers: tuple[Layer, ...]

    def __repr__(self) -> str:
        first = self.layers[-1]
        state = State(int(first.sets[0]), int(first.low[first.sets[0]]))
        whence = format_filled(self.rules, state.filled) if state.filled else "the start"
        size = f"{sum(len(layer.numbers) for layer in self.layers):,} states"
        return f"<ExactTable {self.rules.name}: {float(self.value(state))!r} points from {whence}, {size}>"

    def _place(self, filled: FilledGiven, upper: SupportsIndex | None) -> tuple[Layer, int, int]:
        """The layer, the row and the open boxes of a state."""
        state = as_state(self.rules, filled, upper)
        n_open = self.rules.n_categories - int(state_space(self.rules).n_filled[state.filled])
        if n_open >= len(self.layers) or state.filled not in self.layers[n_open].sets:
            raise YatzyError(
                "filled", format_filled(self.rules, state.filled), why="is not among the solved states"
            )
        layer = self.layers[n_open]
        return layer, int(layer.start[state.filled]) + max(state.upper - int(layer.low[state.filled]), 0), n_open

    def numerator(self, filled: FilledGiven = 0, upper: SupportsIndex | None = None) -> int:
        """N of a state, over `denominator(rules, open boxes)`."""
        layer, row, _ = self._place(filled, upper)
        return number_of(layer.numbers[row])

    def value(self, filled: FilledGiven = 0, upper: SupportsIndex | None = None) -> Fraction:
        """The exact value of a state, reduced."""
        layer, row, n_open = self._place(filled, upper)
        return Fraction(number_of(layer.numbers[row]), denominator(self.rules, n_open))

    def save(self, path: str | Path) -> Path:
        """Write every reachable state with its numerator, atomically; docs/formats.md describes the file."""
        space = state_space(self.rules)
        tensors: dict[str, NDArray[Any]] = {}
        for n_open, layer in enumerate(self.layers):
            place, upper = np.nonzero(space.reachable[layer.sets])
            filled = layer.sets[place]
            rows = layer.start[filled] + np.maximum(upper - layer.low[filled], 0)
            tensors[f"filled-{n_open}"] = filled.astype(np.int32)
            tensors[f"upper-{n_open}"] = upper.astype(np.int16)
            tensors[f"numerator-{n_open}"] = words_of(layer.numbers[rows])
        rules = self.rules
        return write_tensors(
            path, tensors, {"format": FORMAT, "rules": rules.name, "fingerprint": rules.fingerprint}
        )


@dataclass(frozen=True)
class ExactValue:
    """A fraction, reduced, as strings of digits; the prime factors of its denominator, its first 50 digits."""

    rules: str
    value: float
    numerator: str
    denominator: str
    factors: Annotated[dict[str, int], ALWAYS]
    digits: str


def exact_value(rules: Ruleset, number: Fraction) -> ExactValue:
    """A value of a game, as it is shown."""
    factors: dict[str, int] = {}
    rest = number.denominator
    for prime in (p for p in range(2, rules.faces + 1) if all(p % q for q in range(2, p))):
        while rest % prime == 0:
            factors[str(prime)] = factors.get(str(prime), 0) + 1
            rest //= prime
    with localcontext() as decimals:
        decimals.prec, decimals.rounding = N_DIGITS, ROUND_DOWN
        digits = str(Decimal(number.numerator) / Decimal(number.denominator))
    return ExactValue(rules.name, float(number), str(number.numerator), str(number.denominator), factors, digits)


def number_of(limbs: FloatArray) -> int:
    """The whole number of these limbs."""
    return sum(int(limb) << LIMB_BITS * i for i, limb in enumerate(limbs.tolist()))


def words_of(numbers: FloatArray) -> NDArray[np.uint64]:
    """(n, words): the same numbers in words of WORD_BITS bits, lowest first."""
    n, limbs = numbers.shape
    words = np.zeros((n, -(-limbs * LIMB_BITS // WORD_BITS) + 1), np.uint64)
    for i in range(limbs):
        word, shift = divmod(i * LIMB_BITS, WORD_BITS)
        limb = numbers[:, i].astype(np.uint64)
        words[:, word] |= limb << np.uint64(shift)
        if shift + LIMB_BITS > WORD_BITS:
            words[:, word + 1] |= limb >> np.uint64(WORD_BITS - shift)
    used = np.flatnonzero(words.any(axis=0))
    return words[:, : used[-1] + 1 if len(used) else 1]


def solve_exactly(
    rules: str | Ruleset = "scandinavian", filled: FilledGiven = 0, context: Context = DEFAULT_CONTEXT
) -> ExactTable:
    """The exact value of every state that may follow a set of filled boxes."""
    rules = check_exact_rules(ruleset(rules))
    with context.shown("solving exactly") as shown:
        return ExactTable(rules, tuple(exact_layers(rules, as_state(rules, filled).filled, shown)))
