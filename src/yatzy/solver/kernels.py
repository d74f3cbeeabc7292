"""Compiled kernels: vector lanes, folds, and one turn of the game.

*Lanes.* A vector of 512 bits (16 float32 or 8 float64) that goes through the lattice together: one lane is one
state. Numba has no vector type of its own and does not vectorise these loops, so here is one, made of LLVM
vectors; LLVM splits it where the machine's registers are smaller.

*Folds.* A work buffer is a stack of rows, one lane vector each. A fold sets rows, one after the other, to the
mean or the maximum of other rows. Which rows is known when compiling (it is part of the fold's type), so a fold
becomes straight-line vector code without any index arithmetic: the die lattice's two passes and the choice of a
category are each one fold. This is what makes the solver fast.

*One turn.* With U the utility of what comes after scoring p points in category c,

    exit(roll) = max over open c of   gain_c(p) * U(filled + c, upper + p) + points_c(p)
    then, per reroll:   keep(K) = mean of exit or best over K + f;   best(K) = max(keep(K), best(K - f))
    value(state) = sum over rolls of prob(roll) * best(roll)

For theta = 0, U is the value itself, gain is 1 and points_c(p) is p. For theta != 0 the log-value
L = ln E[exp(theta * points to come)] stands between turns, and inside a turn U = sign(theta) * exp(L - ref),
gain is exp(theta * p) and points_c(p) is 0: always a maximum, never a log-sum-exp. `ref` is the largest L that
the turn can read, so that exp neither overflows nor, within MAX_EXPONENT, vanishes.

Everything a kernel calls lives in this file, because Numba's disk cache looks at one file only.
"""

import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import NativeValue, intrinsic, models, register_model, typeof_impl, unbox
from numpy.typing import NDArray

LANE_BITS = 512

# x86 writes an address up to 128 rows away from a register in one byte instead of four; a fold is long enough
# for that to decide whether it stays in the instruction cache.
ANCHOR_ROWS = 256

# exp(-MAX_EXPONENT) is still far from the smallest float64, exp(-745).
MAX_EXPONENT = 600.0

jit: Callable[[Any], Any] = njit(nogil=True, cache=True, error_model="numpy")


class Fold:
    """Rows set to the mean or maximum of other rows, in order: `steps` are (row, rows it is made of)."""

    def __init__(self, op: str, steps: Sequence[tuple[int, Sequence[int]]]) -> None:
        self.op = op
        self.steps = tuple((int(row), tuple(map(int, sources))) for row, sources in steps)
        self.numba_type = FoldType(op, self.steps)

    @property
    def n_operations(self) -> int:
        """Additions or maxima."""
        return sum(len(sources) - 1 for _, sources in self.steps)


class FoldType(types.Type):
    """A fold is its type: there is nothing to pass at run time."""

    def __init__(self, op: str, steps: tuple[tuple[int, tuple[int, ...]], ...]) -> None:
        self.op = op
        self.steps = steps
        # The name is the identity, also across processes, and becomes part of symbol names: keep it short.
        digest = hashlib.sha256(repr(steps).encode()).hexdigest()[:16]
        super().__init__(f"Fold({op}, {digest})")


class LanesType(types.Type):
    """LANE_BITS of float32 or float64."""

    def __init__(self, dtype: types.Float) -> None:
        self.dtype = dtype
        self.width = LANE_BITS // dtype.bitwidth
        super().__init__(f"Lanes({dtype} x {self.width})")


register_model(FoldType)(models.OpaqueModel)


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: LanesType) -> None:
        element = ir.FloatType() if lanes.dtype == types.float32 else ir.DoubleType()
        super().__init__(manager, lanes, ir.VectorType(element, lanes.width))


@typeof_impl.register(Fold)
def _typeof_fold(fold: Fold, _context: Any) -> FoldType:
    return fold.numba_type


@unbox(FoldType)
def _unbox_fold(_type: FoldType, _value: Any, context: Any) -> NativeValue:
    return NativeValue(context.context.get_dummy_value())


def _data(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    return context.make_array(array_type)(context, builder, array).data


def _lane_pointer(builder: Any, vector: ir.VectorType, data: Any, offset: Any) -> Any:
    return builder.bitcast(builder.gep(data, [offset]), ir.PointerType(vector))


def _anchor(builder: Any, data: Any, offset: Any) -> Any:
    """A pointer that LLVM takes as it comes (an empty assembler line hides where it is from)."""
    pointer = builder.gep(data, [offset])
    asm = ir.InlineAsm(ir.FunctionType(pointer.type, [pointer.type]), "", "=r,0")
    return builder.call(asm, [pointer])


def _bytes(dtype: types.Float) -> int:
    return int(dtype.bitwidth) // 8


def _splat(builder: Any, vector: ir.VectorType, scalar: Any) -> Any:
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, undefined, zeros)


def _larger(builder: Any, x: Any, y: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", x, y), x, y)


@intrinsic
def _load(_context: Any, array: Any, offset: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = context.get_value_type(LanesType(array.dtype))
        pointer = _lane_pointer(builder, vector, _data(context, builder, array, args[0]), args[1])
        return builder.load(pointer, align=_bytes(array.dtype))

    return LanesType(array.dtype)(array, types.intp), codegen


@intrinsic
def _store(_context: Any, array: Any, offset: Any, lanes: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = context.get_value_type(lanes)
        pointer = _lane_pointer(builder, vector, _data(context, builder, array, args[0]), args[1])
        builder.store(args[2], pointer, align=_bytes(array.dtype))
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), codegen


@intrinsic
def _larger_of(_context: Any, x: Any, y: Any) -> Any:
    return x(x, x), lambda context, builder, signature, args: _larger(builder, *args)


@intrinsic
def _multiply_add(_context: Any, lanes: Any, factor: Any, summand: Any) -> Any:
    """factor * lanes + summand with scalar or lane summand, rounded twice on every machine."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = context.get_value_type(lanes)
        product = builder.fmul(args[0], _splat(builder, vector, args[1]))
        other = args[2] if summand == lanes else _splat(builder, vector, args[2])
        return builder.fadd(product, other)

    return lanes(lanes, lanes.dtype, lanes if summand == lanes else lanes.dtype), codegen


@intrinsic
def _n_lanes(_context: Any, array: Any) -> Any:
    width = LanesType(array.dtype).width
    return types.intp(array), lambda context, *_: context.get_constant(types.intp, width)


@intrinsic
def _fold(_context: Any, work: Any, fold: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        dtype = signature.args[0].dtype
        vector = context.get_value_type(LanesType(dtype))
        data = _data(context, builder, signature.args[0], args[0])

        n_rows = 1 + max(max(row, *sources) for row, sources in fold.steps)
        anchors = [
            _anchor(builder, data, context.get_constant(types.intp, row * vector.count))
            for row in range(ANCHOR_ROWS // 2, n_rows + ANCHOR_ROWS // 2, ANCHOR_ROWS)
        ]

        def pointer(row: int) -> Any:
            nearest = row // ANCHOR_ROWS
            distance = row - nearest * ANCHOR_ROWS - ANCHOR_ROWS // 2
            offset = context.get_constant(types.intp, distance * vector.count)
            return _lane_pointer(builder, vector, anchors[nearest], offset)

        for row, sources in fold.steps:
            rows = [builder.load(pointer(source), align=_bytes(dtype)) for source in sources]
            if fold.op == "mean":
                share = ir.Constant(vector, [1.0 / len(sources)] * vector.count)
                combined = builder.fmul(_tree(builder.fadd, rows), share)
            else:
                combined = _tree(lambda x, y: _larger(builder, x, y), rows)
            builder.store(combined, pointer(row), align=_bytes(dtype))
        return context.get_dummy_value()

    return types.void(work, fold), codegen


def _tree(combine: Callable[[Any, Any], Any], rows: list[Any]) -> Any:
    """Combine neighbours, then neighbours of those: short chains, one fixed order."""
    while len(rows) > 1:
        pairs = [combine(a, b) for a, b in zip(rows[::2], rows[1::2], strict=False)]
        rows = pairs + rows[2 * len(pairs) :]
    return rows[0]


if numba.config.DISABLE_JIT:
    # The same operations on NumPy slices, so that every kernel also runs as plain Python.

    def _n_lanes(array: Any) -> int:  # noqa: F811
        return LANE_BITS // (8 * array.itemsize)

    def _load(array: Any, offset: int) -> Any:  # noqa: F811
        return array.reshape(-1)[offset : offset + _n_lanes(array)].copy()

    def _store(array: Any, offset: int, lanes: Any) -> None:  # noqa: F811
        array.reshape(-1)[offset : offset + _n_lanes(array)] = lanes

    def _larger_of(x: Any, y: Any) -> Any:  # noqa: F811
        return np.where(x > y, x, y)

    def _multiply_add(lanes: Any, factor: Any, summand: Any) -> Any:  # noqa: F811
        return lanes * factor + summand

    def _fold(work: Any, fold: Fold) -> None:  # noqa: F811
        for row, sources in fold.steps:
            rows = [work[source] for source in sources]
            if fold.op == "mean":
                work[row] = _tree(np.add, rows) * work.dtype.type(1.0 / len(sources))
            else:
                work[row] = _tree(_larger_of, rows)


class Game(NamedTuple):
    """What the kernels need to know of a ruleset. An *option* is one way to score: a category and points.

    Rows of the work buffer: the keeps (rolls first), then the floor, then the options.
    """

    option_category: NDArray[np.int64]
    option_points: NDArray[np.int64]
    option_lift: NDArray[np.int64]  # what the option adds to the upper total
    score_by_roll_category: NDArray[np.int64]
    is_upper: NDArray[np.int64]
    prob_roll: NDArray[Any]
    keeps_in_roll: NDArray[np.int64]
    choose: Fold
    mean: Fold
    best: Fold
    n_categories: int
    n_keeps: int
    n_rerolls: int


@jit
def solve_masks(
    masks: Any, lowest: Any, highest: Any, game: Game, gain: Any, points: Any, theta: Any,
    values: Any, rows: Any, work: Any,
) -> float:  # fmt: skip
    """Value (log-value for theta != 0) of all upper totals of `masks`; returns the widest exponent met.

    `values` (n_masks, n_uppers) is read at the successors and written at `masks`; `gain` and `points` are by
    option; `rows` (categories, padded uppers) and `work` (rows, lanes) are scratch of the calling thread.
    """
    width = _n_lanes(work)
    n_uppers = values.shape[1]
    widest = 0.0
    for mask in masks:
        low = lowest[mask]
        high = highest[mask]
        ref, least = _successor_range(mask, low, game, values) if theta != 0 else (0.0, 0.0)
        widest = max(widest, ref - least)
        _read_successors(mask, low, theta, ref, game, values, rows)
        for upper in range(low, high + 1, width):
            _score_rolls(mask, upper, game, gain, points, rows, work)
            for _ in range(game.n_rerolls):
                _fold(work, game.mean)
                _fold(work, game.best)
            _mean_over_rolls(game.prob_roll, work)
            for lane in range(min(width, n_uppers - upper)):
                value = work[0, lane]
                values[mask, upper + lane] = ref + math.log(abs(value)) if theta != 0 else value
        for upper in range(low):
            values[mask, upper] = values[mask, low]
        for upper in range(high + 1, n_uppers):
            values[mask, upper] = values[mask, high]
    return widest


@jit
def _successor_range(mask: Any, low: Any, game: Game, values: Any) -> Any:
    """Largest and smallest log-value after this turn: monotone in the upper total, so found at its ends."""
    largest, least = -math.inf, math.inf
    last = values.shape[1] - 1
    for category in range(game.n_categories):
        if not mask >> category & 1:
            row = values[mask | 1 << category]
            largest = max(largest, row[low], row[last])
            least = min(least, row[low], row[last])
    return largest, least


@jit
def _read_successors(
    mask: Any, low: Any, theta: Any, ref: Any, game: Game, values: Any, rows: Any
) -> None:
    """Utility after filling each open category, by upper total, padded past the cap."""
    n_uppers = values.shape[1]
    sign = 1.0 if theta > 0 else -1.0
    for category in range(game.n_categories):
        if mask >> category & 1:
            continue
        source = values[mask | 1 << category]
        target = rows[category]
        if theta != 0:
            for upper in range(low, n_uppers):
                target[upper] = sign * math.exp(source[upper] - ref)
        else:
            for upper in range(low, n_uppers):
                target[upper] = source[upper]
        capped = target[n_uppers - 1]
        for upper in range(n_uppers, len(target)):
            target[upper] = capped


@jit
def _score_rolls(
    mask: Any, upper: Any, game: Game, gain: Any, points: Any, rows: Any, work: Any
) -> None:
    """Best category of every roll, for the upper totals from `upper` on.

    Scoring nothing is worth the same for every roll: that is the floor, and only other options are compared.
    """
    width = _n_lanes(work)
    stride = rows.shape[1]
    floor_row = game.n_keeps * width
    started = False
    floor = _load(rows, 0)
    for category in range(game.n_categories):
        if not mask >> category & 1:
            nothing = _load(rows, category * stride + upper)
            floor = _larger_of(floor, nothing) if started else nothing
            started = True
    _store(work, floor_row, floor)
    for option in range(len(game.option_category)):
        category = game.option_category[option]
        target = floor_row + (option + 1) * width
        if mask >> category & 1:
            _store(work, target, floor)
        else:
            successor = _load(rows, category * stride + upper + game.option_lift[option])
            _store(work, target, _multiply_add(successor, gain[option], points[option]))
    _fold(work, game.choose)


@jit
def _mean_over_rolls(prob_roll: Any, work: Any) -> None:
    """Row 0 becomes the expected value over the first roll (four sums, to keep the adders busy)."""
    width = _n_lanes(work)
    zero = work.dtype.type(0)
    first = _multiply_add(_load(work, 0), zero, zero)
    second, third, fourth = first, first, first
    n_rolls = len(prob_roll)
    for roll in range(0, n_rolls - 3, 4):
        first = _multiply_add(_load(work, roll * width), prob_roll[roll], first)
        second = _multiply_add(_load(work, (roll + 1) * width), prob_roll[roll + 1], second)
        third = _multiply_add(_load(work, (roll + 2) * width), prob_roll[roll + 2], third)
        fourth = _multiply_add(_load(work, (roll + 3) * width), prob_roll[roll + 3], fourth)
    for roll in range(n_rolls - n_rolls % 4, n_rolls):
        first = _multiply_add(_load(work, roll * width), prob_roll[roll], first)
    one = work.dtype.type(1)
    _store(work, 0, _multiply_add(_multiply_add(first, one, second), one, _multiply_add(third, one, fourth)))


@jit
def act_in_situations(
    filled: Any, upper: Any, roll_ids: Any, rerolls: Any, game: Game, gain: Any, points: Any, theta: Any,
    values: Any, category_values: Any, keep_values: Any, work: Any,
) -> None:  # fmt: skip
    """Value of every action in many situations; each lane is another situation.

    `category_values` (n, n_categories) and `keep_values` (n, keeps in a roll) are written where the action is
    allowed: open categories, and while rerolls are left the keeps of fewer than all dice.
    """
    width = _n_lanes(work)
    for start in range(0, len(filled), width):
        n = min(width, len(filled) - start)
        refs = np.zeros(width)
        most_rerolls = 0
        for lane in range(n):
            i = start + lane
            refs[lane] = _score_lane(
                lane, filled[i], upper[i], game, gain, points, theta, values, work
            )
            _value_categories(
                filled[i], upper[i], roll_ids[i], game, theta, values, category_values[i]
            )
            most_rerolls = max(most_rerolls, rerolls[i])
        _fold(work, game.choose)
        for left in range(1, most_rerolls + 1):
            _fold(work, game.mean)
            for lane in range(n):
                if rerolls[start + lane] == left:
                    keeps = game.keeps_in_roll[roll_ids[start + lane]]
                    for slot in range(1, len(keeps)):
                        if keeps[slot] >= 0:
                            value = work[keeps[slot], lane]
                            keep_values[start + lane, slot] = _to_points(value, refs[lane], theta)
            if left < most_rerolls:
                _fold(work, game.best)


@jit
def _to_points(utility: Any, ref: Any, theta: Any) -> Any:
    """Certainty equivalent of a utility."""
    return (ref + math.log(abs(utility))) / theta if theta != 0 else utility


@jit
def _value_categories(
    filled: Any, upper: Any, roll_id: Any, game: Game, theta: Any, values: Any, category_values: Any
) -> None:
    """Points now plus the value of the state after, for every open category."""
    for category in range(game.n_categories):
        if not filled >> category & 1:
            scored = game.score_by_roll_category[roll_id, category]
            after = min(upper + scored * game.is_upper[category], values.shape[1] - 1)
            value = values[filled | 1 << category, after]
            category_values[category] = scored + (value / theta if theta != 0 else value)


@jit
def _score_lane(
    lane: Any, filled: Any, upper: Any, game: Game, gain: Any, points: Any, theta: Any,
    values: Any, work: Any,
) -> float:  # fmt: skip
    """Floor and options of one state in one lane; returns its `ref`."""
    n_uppers = values.shape[1]
    most, least = -math.inf, math.inf
    for category in range(game.n_categories):
        if not filled >> category & 1:
            nothing = values[filled | 1 << category, upper]
            most = max(most, nothing)
            least = min(least, nothing)
    ref = most if theta != 0 else 0.0
    sign = 1.0 if theta > 0 else -1.0
    floor = most
    if theta != 0:
        floor = 1.0 if theta > 0 else -math.exp(least - ref)
    work[game.n_keeps, lane] = floor
    for option in range(len(game.option_category)):
        category = game.option_category[option]
        utility = floor
        if not filled >> category & 1:
            after = min(upper + game.option_lift[option], n_uppers - 1)
            utility = values[filled | 1 << category, after]
            if theta != 0:
                utility = sign * math.exp(utility - ref)
            utility = gain[option] * utility + points[option]
        work[game.n_keeps + 1 + option, lane] = utility
    return ref
