"""SIMD vectors in Numba kernels: numbers of many states that go through a turn together.

A lane vector has 512 bits, 16 float32 or 8 float64, and every lane is another state. Numba has no vector type and
does not vectorise these loops, so this module adds one made of LLVM vectors, which LLVM splits where registers are
smaller. Nothing is reassociated or fused: every machine gives the same bits.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from yatzy.arrays import LANE_BITS, Lanes2, lanes_of
from yatzy.turn.kernels.folds import Fold
from yatzy.turn.kernels.llvm import COMPILES

# Numba's context, the types of arguments, and their LLVM values.
Context = Any
Type = Any
Args = Sequence[ir.Value]
vector_op: Callable[[Any], Any] = intrinsic


class LanesType(types.Type):
    """LANE_BITS of float32 or float64."""

    def __init__(self, dtype: types.Float) -> None:
        self.dtype = dtype
        self.width = LANE_BITS // dtype.bitwidth
        super().__init__(f"Lanes({dtype} x {self.width})")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Context, lanes: LanesType) -> None:
        element = ir.FloatType() if lanes.dtype == types.float32 else ir.DoubleType()
        super().__init__(manager, lanes, ir.VectorType(element, lanes.width))  # type: ignore[no-untyped-call]


def _data(context: Context, builder: ir.IRBuilder, array_type: Type, array: ir.Value) -> Any:
    return context.make_array(array_type)(context, builder, array).data


def _lane_pointer(builder: ir.IRBuilder, vector: ir.VectorType, data: ir.Value, offset: ir.Value) -> Any:
    return builder.bitcast(builder.gep(data, [offset]), ir.PointerType(vector))


def _bytes(dtype: types.Float) -> int:
    return int(dtype.bitwidth) // 8


def _splat(builder: ir.IRBuilder, vector: ir.VectorType, scalar: ir.Value) -> Any:
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, undefined, zeros)


@vector_op
def load(_context: Context, array: Type, offset: Type) -> Any:
    """The lane vector that begins `offset` numbers into an array."""

    def codegen(context: Context, builder: ir.IRBuilder, signature: Type, args: Args) -> Any:
        vector = context.get_value_type(LanesType(array.dtype))
        pointer = _lane_pointer(builder, vector, _data(context, builder, array, args[0]), args[1])
        return builder.load(pointer, align=_bytes(array.dtype))

    return LanesType(array.dtype)(array, types.intp), codegen


@vector_op
def store(_context: Context, array: Type, offset: Type, lanes: Type) -> Any:
    """Write a lane vector into an array."""

    def codegen(context: Context, builder: ir.IRBuilder, signature: Type, args: Args) -> Any:
        vector = context.get_value_type(lanes)
        pointer = _lane_pointer(builder, vector, _data(context, builder, array, args[0]), args[1])
        builder.store(args[2], pointer, align=_bytes(array.dtype))
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), codegen


@vector_op
def larger_of(_context: Context, x: Type, y: Type) -> Any:
    """The larger of x and y, lane by lane."""

    def codegen(context: Context, builder: ir.IRBuilder, signature: Type, args: Args) -> Any:
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return x(x, x), codegen


@vector_op
def where_equal(_context: Context, x: Type, y: Type, chosen: Type, other: Type) -> Any:
    """`chosen` (a number or lanes) in the lanes where x equals y, `other` in the rest."""

    def codegen(context: Context, builder: ir.IRBuilder, signature: Type, args: Args) -> Any:
        vector = context.get_value_type(x)
        picked = args[2] if chosen == x else _splat(builder, vector, args[2])
        return builder.select(builder.fcmp_ordered("==", args[0], args[1]), picked, args[3])

    return x(x, x, x if chosen == x else x.dtype, x), codegen


@vector_op
def multiply_add(_context: Context, lanes: Type, factor: Type, summand: Type) -> Any:
    """Factor * lanes + summand (a number or lanes), never fused."""

    def codegen(context: Context, builder: ir.IRBuilder, signature: Type, args: Args) -> Any:
        vector = context.get_value_type(lanes)
        product = builder.fmul(args[0], _splat(builder, vector, args[1]))
        other = args[2] if summand == lanes else _splat(builder, vector, args[2])
        return builder.fadd(product, other)

    return lanes(lanes, lanes.dtype, lanes if summand == lanes else lanes.dtype), codegen


@vector_op
def n_lanes(_context: Context, array: Type) -> Any:
    """Numbers of the array's type in one lane vector."""
    width = LanesType(array.dtype).width
    return types.intp(array), lambda context, *_: context.get_constant(types.intp, width)


@vector_op
def fold(_context: Context, work: Type, address: Type) -> Any:
    """Run a fold (see `folds`) over the rows of `work`."""

    def codegen(context: Context, builder: ir.IRBuilder, signature: Type, args: Args) -> Any:
        data = _data(context, builder, work, args[0])
        function = ir.FunctionType(ir.VoidType(), [data.type]).as_pointer()
        builder.call(builder.inttoptr(args[1], function), [data])
        return context.get_dummy_value()

    return types.void(work, types.int64), codegen


if not COMPILES:
    # The same operations on NumPy slices, so that every kernel also runs as plain Python.

    def n_lanes(array: Lanes2) -> int:
        return lanes_of(array.dtype)

    def load(array: Lanes2, offset: int) -> Any:
        return array.reshape(-1)[offset : offset + n_lanes(array)].copy()

    def store(array: Lanes2, offset: int, lanes: Lanes2) -> None:
        array.reshape(-1)[offset : offset + n_lanes(array)] = lanes

    def larger_of(x: Lanes2, y: Lanes2) -> Any:
        return np.where(x > y, x, y)

    def where_equal(x: Lanes2, y: Lanes2, chosen: Lanes2 | float, other: Lanes2) -> Any:
        return np.where(x == y, chosen, other)

    def multiply_add(lanes: Lanes2, factor: float, summand: Lanes2 | float) -> Any:
        return lanes * factor + summand

    def fold(work: Lanes2, address: Fold) -> None:
        address.run(work)
