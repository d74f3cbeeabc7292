"""exp and log of arrays, the same to the bit on every machine: those of the system's library.

NumPy has versions of its own for each kind of processor, which differ in the last bit. Where two actions are
nearly equal, as for strongly negative theta, that bit decides, and published numbers would depend on the machine.
"""

import ctypes
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.turn.machine import COMPILES, load_code

_TEXT = """
declare double @{name}(double)

define void @{name}_all(i64 %n, double* %x) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, double* %x, i64 %i
  %value = load double, double* %place
  %result = call double @{name}(double %value)
  store double %result, double* %place
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


def exp(x: NDArray[Any]) -> NDArray[np.float64]:
    return _of_all("exp", x)


def log(x: NDArray[Any]) -> NDArray[np.float64]:
    """For numbers above 0."""
    return _of_all("log", x)


def _of_all(name: str, x: NDArray[Any]) -> NDArray[np.float64]:
    result = np.array(x, np.float64, order="C")
    if not result.size:
        return result
    if COMPILES:
        _compiled(name)(result.size, result.ctypes.data)
    else:
        result[...] = np.vectorize(getattr(math, name), otypes=[np.float64])(result)
    return result


@lru_cache(maxsize=2)
def _compiled(name: str) -> Callable[[int, int], None]:
    address = load_code(_TEXT.format(name=name), (f"{name}_all",))[f"{name}_all"]
    return ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(address)
