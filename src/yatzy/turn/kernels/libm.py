"""exp and log of arrays from the C library, the same to the bit on every machine.

NumPy's versions differ in the last bit between processors. Where two actions are nearly equal, as for strongly
negative theta, that bit decides, and published numbers would depend on the machine.
"""

import ctypes
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.turn.kernels.llvm import COMPILES, load_code

_LOG = """
declare double @log(double)

define void @log_all(i64 %n, double* %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, double* %x, i64 %i
  %value = load double, double* %place
  %result = call double @log(double %value)
  store double %result, double* %place
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""

_LINES = """
declare double @exp(double)

define void @exp_lines(i64 %n, i64* %sources, i64* %firsts, double* %refs, double* %from, double* %to, i64 %end,
                       i64 %stride, double %sign) {
entry:
  br label %line
line:
  %i = phi i64 [ 0, %entry ], [ %next_line, %after ]
  %source_at = getelementptr i64, i64* %sources, i64 %i
  %source = load i64, i64* %source_at
  %first_at = getelementptr i64, i64* %firsts, i64 %i
  %first = load i64, i64* %first_at
  %ref_at = getelementptr double, double* %refs, i64 %i
  %ref = load double, double* %ref_at
  %from_offset = mul i64 %source, %stride
  %from_line = getelementptr double, double* %from, i64 %from_offset
  %to_offset = mul i64 %i, %stride
  %to_line = getelementptr double, double* %to, i64 %to_offset
  br label %number
number:
  %j = phi i64 [ %first, %line ], [ %next, %number ]
  %value_at = getelementptr double, double* %from_line, i64 %j
  %value = load double, double* %value_at
  %exponent = fsub double %value, %ref
  %power = call double @exp(double %exponent)
  %result = fmul double %sign, %power
  %result_at = getelementptr double, double* %to_line, i64 %j
  store double %result, double* %result_at
  %next = add i64 %j, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %number, label %past
past:
  %k = phi i64 [ %end, %number ], [ %next_past, %past ]
  %past_at = getelementptr double, double* %to_line, i64 %k
  store double %result, double* %past_at
  %next_past = add i64 %k, 1
  %more_past = icmp slt i64 %next_past, %stride
  br i1 %more_past, label %past, label %after
after:
  %next_line = add i64 %i, 1
  %more_lines = icmp slt i64 %next_line, %n
  br i1 %more_lines, label %line, label %done
done:
  ret void
}
"""


def exp_lines(
    values: FloatArray, sources: IntArray, firsts: IntArray, refs: FloatArray, end: int, sign: float,
    result: FloatArray,
) -> None:  # fmt: skip
    """Set line i of `result` to sign * exp(values[sources[i]] - refs[i]), from number firsts[i] on.

    `values` and `result` (lines, numbers) continue past `end`, where the last number is repeated.
    """
    stride = values.shape[1]
    if COMPILES and len(sources):
        arrays = (sources, firsts, refs, values, result)
        assert all(array.flags.c_contiguous and array.itemsize == 8 for array in arrays)
        _exp_lines()(len(sources), *(array.ctypes.data for array in arrays), end, stride, sign)
        return
    for line, source, first, ref in zip(result, sources, firsts, refs, strict=False):
        line[first:end] = [sign * math.exp(value - ref) for value in values[source, first:end].tolist()]
        line[end:] = line[end - 1]


@lru_cache(maxsize=1)
def _exp_lines() -> Callable[..., None]:
    address = load_code(_LINES, ("exp_lines",))["exp_lines"]
    kinds = [ctypes.c_int64, *[ctypes.c_void_p] * 5, ctypes.c_int64, ctypes.c_int64, ctypes.c_double]
    return ctypes.CFUNCTYPE(None, *kinds)(address)


def log(x: NDArray[Any]) -> FloatArray:
    """The logarithm of positive numbers."""
    result = np.array(x, np.float64, order="C")
    if COMPILES and result.size:
        _log()(result.size, result.ctypes.data)
    elif result.size:
        result[...] = np.vectorize(math.log, otypes=[np.float64])(result)
    return result


@lru_cache(maxsize=1)
def _log() -> Callable[[int, int], None]:
    address = load_code(_LOG, ("log_all",))["log_all"]
    return ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(address)
