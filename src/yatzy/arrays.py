"""Arrays: the types used in signatures, memory aligned to lanes, read-only views, and values that hold arrays."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from yatzy.errors import needs_extra

if TYPE_CHECKING:
    import polars

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# Arguments of kernels by number of axes: integers and floats of any width, and rows of lane vectors.
Ints1 = NDArray[np.integer[Any]]
Ints2 = NDArray[np.integer[Any]]
Ints3 = NDArray[np.integer[Any]]
Floats1 = NDArray[np.floating[Any]]
Floats2 = NDArray[np.floating[Any]]
Floats3 = NDArray[np.floating[Any]]
Bools1 = NDArray[np.bool_]
Bools2 = NDArray[np.bool_]
Lanes2 = NDArray[Any]
# An integer or an array of integers.
Numbers = int | np.integer[Any] | NDArray[np.integer[Any]]

# One SIMD vector of the compiled turn, which is also one cache line.
LANE_BITS = 512
LANE_BYTES = LANE_BITS // 8


def lanes_of(dtype: DTypeLike) -> int:
    """Numbers of this type in one lane vector: 8 float64, 16 float32."""
    return LANE_BYTES // np.dtype(dtype).itemsize


def aligned(shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """Zeros aligned to cache lines: a load across two lines costs twice as much."""
    dtype = np.dtype(dtype)
    n_bytes = int(np.prod(shape)) * dtype.itemsize
    memory = np.zeros(n_bytes + LANE_BYTES, dtype=np.uint8)
    start = -memory.ctypes.data % LANE_BYTES
    return memory[start : start + n_bytes].view(dtype).reshape(shape)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


class Tabular:
    """A result that is a table: its `columns()`, as a polars `frame()` and as a pandas one, `to_pandas()`."""

    def columns(self) -> dict[str, Any]:
        """The columns by name, all of one length."""
        raise NotImplementedError

    def frame(self, *options: Any, **named: Any) -> "polars.DataFrame":
        """The columns as a table in polars."""
        with needs_extra("lab"):
            import polars as pl

        return pl.DataFrame(self.columns(*options, **named))

    def to_pandas(self, *options: Any, **named: Any) -> Any:
        """The columns as a table in pandas."""
        with needs_extra("plot"):
            import pandas as pd

        return pd.DataFrame(self.columns(*options, **named))


def axes_of(ax: Any) -> Any:
    """The axes to draw on: those given, or Matplotlib's current ones."""
    with needs_extra("plot"):
        from matplotlib import pyplot

    return pyplot.gca() if ax is None else ax


class EqualByFields:
    """Equality by fields, arrays entry by entry, for dataclasses with eq=False."""

    def __hash__(self) -> int:
        values = (getattr(self, one.name) for one in fields(self))  # type: ignore[arg-type]
        return hash((type(self), *(one.shape if isinstance(one, np.ndarray) else one for one in values)))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [one.name for one in fields(self)]  # type: ignore[arg-type]
        return all(_are_same(getattr(self, name), getattr(other, name)) for name in names)


def _are_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return bool(one == other)
