"""Vector lanes and folds: what makes the kernels fast.

*Lanes.* A vector of 512 bits (16 float32 or 8 float64) that goes through the lattice together: one lane is one
state. Numba has no vector type of its own and does not vectorise these loops, so here is one, made of LLVM
vectors; LLVM splits it where the machine's registers are smaller.

*Folds.* A work buffer is a stack of rows, one lane vector each. A fold sets rows, one after the other, from other
rows. Which rows is known when compiling (it is part of the fold's type), so a fold becomes straight-line vector
code without any index arithmetic: each pass of the die lattice is one fold. What it does to the rows:

    mean     row = mean of the sources
    max      row = maximum of the sources
    spread   row = row + share * sum of the sources      (probability moving along the lattice)

`fold_ids` is `max` with a second buffer that carries the id of what attained it, ties to the lowest id.
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import config as numba_config
from numba.extending import NativeValue, intrinsic, models, register_model, typeof_impl, unbox

from yatzy.arrays import LANE_BITS

# x86 writes an address up to 128 rows away from a register in one byte instead of four; a fold is long enough
# for that to decide whether it stays in the instruction cache.
ANCHOR_ROWS = 256

SOURCE = Path(__file__).read_bytes()

vector_op: Callable[[Any], Any] = intrinsic

jit: Callable[[Any], Any] = njit(nogil=True, cache=True, error_model="numpy")


class Fold:
    """Rows set from other rows, in order: `steps` are (row, rows it is made of); see the module for `op`."""

    def __init__(self, op: str, steps: Sequence[tuple[int, Sequence[int]]], share: float = 1.0) -> None:
        self.op = op
        self.steps = tuple((int(row), tuple(map(int, sources))) for row, sources in steps)
        self.share = share
        self.numba_type = FoldType(op, self.steps, share)

    @property
    def n_operations(self) -> int:
        """Additions or maxima."""
        return sum(len(sources) - 1 for _, sources in self.steps)


class FoldType(types.Type):
    """A fold is its type: there is nothing to pass at run time."""

    def __init__(self, op: str, steps: tuple[tuple[int, tuple[int, ...]], ...], share: float) -> None:
        self.op = op
        self.steps = steps
        self.share = share
        # The name is the identity, also in the disk cache: with this file in it, a change here compiles again.
        digest = hashlib.sha256(SOURCE + repr((steps, share)).encode()).hexdigest()[:16]
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


@vector_op
def load(_context: Any, array: Any, offset: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = context.get_value_type(LanesType(array.dtype))
        pointer = _lane_pointer(builder, vector, _data(context, builder, array, args[0]), args[1])
        return builder.load(pointer, align=_bytes(array.dtype))

    return LanesType(array.dtype)(array, types.intp), codegen


@vector_op
def store(_context: Any, array: Any, offset: Any, lanes: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = context.get_value_type(lanes)
        pointer = _lane_pointer(builder, vector, _data(context, builder, array, args[0]), args[1])
        builder.store(args[2], pointer, align=_bytes(array.dtype))
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), codegen


@vector_op
def larger_of(_context: Any, x: Any, y: Any) -> Any:
    return x(x, x), lambda context, builder, signature, args: _larger(builder, *args)


@vector_op
def multiply_add(_context: Any, lanes: Any, factor: Any, summand: Any) -> Any:
    """Factor * lanes + summand with scalar or lane summand, rounded twice on every machine."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = context.get_value_type(lanes)
        product = builder.fmul(args[0], _splat(builder, vector, args[1]))
        other = args[2] if summand == lanes else _splat(builder, vector, args[2])
        return builder.fadd(product, other)

    return lanes(lanes, lanes.dtype, lanes if summand == lanes else lanes.dtype), codegen


@vector_op
def n_lanes(_context: Any, array: Any) -> Any:
    width = LanesType(array.dtype).width
    return types.intp(array), lambda context, *_: context.get_constant(types.intp, width)


@vector_op
def fold(_context: Any, work: Any, fold: Any) -> Any:
    """Run a fold over the rows of `work`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, work, args[0], fold)
        for row, sources in fold.steps:
            loaded = [rows.load(source) for source in sources]
            if fold.op == "max":
                result = _chain(lambda x, y: _larger(builder, x, y), loaded)
            else:
                share = 1.0 / len(sources) if fold.op == "mean" else fold.share
                result = builder.fmul(_chain(builder.fadd, loaded), rows.constant(share))
                if fold.op == "spread":
                    result = builder.fadd(rows.load(row), result)
            rows.store(row, result)
        return context.get_dummy_value()

    return types.void(work, fold), codegen


@vector_op
def fold_ids(_context: Any, work: Any, ids: Any, fold: Any) -> Any:
    """A `max` fold that also sets the rows of `ids`; a row's own id is its number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, work, args[0], fold)
        id_rows = _Rows(context, builder, ids, args[1], fold)

        def better(x: Any, y: Any) -> Any:
            ahead = builder.fcmp_ordered(">", x[0], y[0])
            level = builder.fcmp_ordered("==", x[0], y[0])
            earlier = builder.fcmp_ordered("<", x[1], y[1])
            first = builder.or_(ahead, builder.and_(level, earlier))
            return builder.select(first, x[0], y[0]), builder.select(first, x[1], y[1])

        for row, sources in fold.steps:
            loaded = [
                (rows.load(source), rows.constant(row) if source == row else id_rows.load(source))
                for source in sources
            ]
            result, best_id = _chain(better, loaded)
            rows.store(row, result)
            id_rows.store(row, best_id)
        return context.get_dummy_value()

    return types.void(work, ids, fold), codegen


class _Rows:
    """Loads and stores of a buffer's rows while compiling a fold."""

    def __init__(self, context: Any, builder: Any, array_type: Any, array: Any, fold: FoldType) -> None:
        self.builder = builder
        self.align = _bytes(array_type.dtype)
        self.vector = context.get_value_type(LanesType(array_type.dtype))
        self.offset = lambda row: context.get_constant(types.intp, row * self.vector.count)
        data = _data(context, builder, array_type, array)
        n_rows = 1 + max(max(row, *sources) for row, sources in fold.steps)
        middles = range(ANCHOR_ROWS // 2, n_rows + ANCHOR_ROWS // 2, ANCHOR_ROWS)
        self.anchors = [_anchor(builder, data, self.offset(row)) for row in middles]

    def constant(self, number: float) -> Any:
        return ir.Constant(self.vector, [float(number)] * self.vector.count)

    def load(self, row: int) -> Any:
        return self.builder.load(self._pointer(row), align=self.align)

    def store(self, row: int, lanes: Any) -> None:
        self.builder.store(lanes, self._pointer(row), align=self.align)

    def _pointer(self, row: int) -> Any:
        distance = row % ANCHOR_ROWS - ANCHOR_ROWS // 2
        return _lane_pointer(self.builder, self.vector, self.anchors[row // ANCHOR_ROWS], self.offset(distance))


def _chain(combine: Callable[[Any, Any], Any], rows: list[Any]) -> Any:
    """One after the other: every step reads its row from memory as part of the instruction, the shortest code."""
    result = rows[0]
    for row in rows[1:]:
        result = combine(result, row)
    return result


if numba_config.DISABLE_JIT:  # type: ignore[attr-defined]
    # The same operations on NumPy slices, so that every kernel also runs as plain Python.

    def n_lanes(array: Any) -> int:
        return LANE_BITS // (8 * int(array.itemsize))

    def load(array: Any, offset: int) -> Any:
        return array.reshape(-1)[offset : offset + n_lanes(array)].copy()

    def store(array: Any, offset: int, lanes: Any) -> None:
        array.reshape(-1)[offset : offset + n_lanes(array)] = lanes

    def larger_of(x: Any, y: Any) -> Any:
        return np.where(x > y, x, y)

    def multiply_add(lanes: Any, factor: Any, summand: Any) -> Any:
        return lanes * factor + summand

    def fold(work: Any, fold: Fold) -> None:
        for row, sources in fold.steps:
            rows = [work[source] for source in sources]
            if fold.op == "max":
                work[row] = _chain(larger_of, rows)
            else:
                share = 1.0 / len(sources) if fold.op == "mean" else fold.share
                result = _chain(np.add, rows) * work.dtype.type(share)
                work[row] = work[row] + result if fold.op == "spread" else result

    def fold_ids(work: Any, ids: Any, fold: Fold) -> None:
        for row, sources in fold.steps:
            ids_of = np.array([np.full_like(ids[row], row) if s == row else ids[s] for s in sources])
            values = work[list(sources)]
            best = values.max(axis=0)
            ids[row] = np.where(values == best, ids_of, np.inf).min(axis=0)
            work[row] = best
