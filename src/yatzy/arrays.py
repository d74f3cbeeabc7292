"""Arrays: the types used in signatures, memory aligned to lanes, and read-only views."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# What kernels take, by the number of axes: whole numbers and floats of any width, and rows of lane vectors.
Ints1 = NDArray[np.int64]
Ints2 = NDArray[np.int64]
Ints3 = NDArray[np.int64]
Floats1 = NDArray[np.float64]
Floats2 = NDArray[np.float64]
Floats3 = NDArray[np.float64]
Bools1 = NDArray[np.bool_]
Bools2 = NDArray[np.bool_]
Lanes2 = NDArray[Any]
Lanes3 = NDArray[Any]

# One vector of the compiled turn, which is also one cache line.
LANE_BITS = 512
LANE_BYTES = LANE_BITS // 8


def lanes_of(dtype: DTypeLike) -> int:
    """How many numbers of this type one lane vector holds: 8 float64, 16 float32."""
    return LANE_BYTES // np.dtype(dtype).itemsize


def aligned(shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """Zeros that begin on a lane boundary: a load that crosses two cache lines costs twice as much."""
    dtype = np.dtype(dtype)
    n_bytes = int(np.prod(shape)) * dtype.itemsize
    memory = np.zeros(n_bytes + LANE_BYTES, dtype=np.uint8)
    start = -memory.ctypes.data % LANE_BYTES
    return memory[start : start + n_bytes].view(dtype).reshape(shape)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view
