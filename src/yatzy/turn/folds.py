"""Folds: rows set from other rows, in an order known when compiling, as straight-line vector code.

A work buffer is a stack of rows, one lane vector each (8 float64 or 16 float32, one state per lane). A fold sets
rows, one after another, from other rows:

    mean     row = mean of the sources
    max      row = maximum of the sources
    spread   row = row + share * sum of the sources      (probability moving along the lattice)

Each pass of the die lattice is one fold. Which rows it reads and writes is part of its code: no index arithmetic,
no loop, no table of neighbours to load before the row can be loaded. To a kernel, a fold is the address of its
code, an integer, so kernels compile once for all rulesets; `lanes.fold` calls it.
"""

import ctypes
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import lanes_of
from yatzy.turn.machine import COMPILES, load_code

# x86 encodes an address up to 128 rows away from a register in one byte instead of four; a fold is so long that
# this decides whether it stays in the instruction cache.
ANCHOR_ROWS = 256
# LLVM compiles short blocks faster than one long one.
STEPS_PER_BLOCK = 4

Step = tuple[int, tuple[int, ...]]

_CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Fold(int):
    """A fold as kernels see it: the address of its code (0 in plain Python, where `run` takes its place)."""

    op: str
    steps: tuple[Step, ...]
    share: float

    def __new__(
        cls,
        op: str,
        steps: Sequence[tuple[int, Sequence[int]]],
        precision: str = "float64",
        share: float = 1.0,
        draft: bool = False,
    ) -> "Fold":
        """`steps` are (row, its source rows); `op` is one of those in the module docstring."""
        listed = tuple((int(row), tuple(map(int, sources))) for row, sources in steps)
        address = 0
        if COMPILES:
            text = "\n".join(_fold_text(op, listed, share, precision))
            address = load_code(text, ("fold",), draft)["fold"]
        fold = super().__new__(cls, address)
        fold.op, fold.steps, fold.share = op, listed, share
        return fold

    def __call__(self, work: NDArray[Any]) -> None:
        """Run the fold over the rows of a buffer, from Python."""
        if self:
            _CALL(int(self))(work.ctypes.data)
        else:
            self.run(work)

    @property
    def n_operations(self) -> int:
        """Number of additions or maxima."""
        return sum(len(sources) - 1 for _, sources in self.steps)

    def run(self, work: NDArray[Any]) -> None:
        """The same operations on NumPy rows (n_rows, ...)."""
        for row, sources in self.steps:
            result = work[sources[0]]
            for source in sources[1:]:
                other = work[source]
                result = np.where(result > other, result, other) if self.op == "max" else result + other
            if self.op != "max":
                share = 1.0 / len(sources) if self.op == "mean" else self.share
                result = result * work.dtype.type(share)
            work[row] = work[row] + result if self.op == "spread" else result


class LlvmText:
    """Lines of LLVM text that operate on the rows of a buffer."""

    def __init__(self, precision: str) -> None:
        self.element = "float" if precision == "float32" else "double"
        self.precision = precision
        self.width = lanes_of(precision)
        self.vector = f"<{self.width} x {self.element}>"
        self.lines: list[str] = []
        self._n_names = 0

    def let(self, text: str) -> str:
        """Add an instruction and return the new name of its result."""
        self._n_names += 1
        name = f"%v{self._n_names}"
        self.lines.append(f"  {name} = {text}")
        return name

    def constant(self, number: float) -> str:
        exact = float(np.dtype(self.precision).type(number))
        digits = f"0x{struct.unpack('<Q', struct.pack('<d', exact))[0]:016X}"
        return "<" + ", ".join([f"{self.element} {digits}"] * self.width) + ">"

    def anchors(self, buffer: str, n_rows: int) -> list[str]:
        """Pointers to the middle of every ANCHOR_ROWS rows; an empty line of assembler stops LLVM merging them."""
        pointer = f"{self.element}*"
        found = []
        for row in range(ANCHOR_ROWS // 2, n_rows + ANCHOR_ROWS // 2, ANCHOR_ROWS):
            start = self.let(f"getelementptr {self.element}, {pointer} {buffer}, i64 {row * self.width}")
            found.append(self.let(f'call {pointer} asm "", "=r,0"({pointer} {start})'))
        return found

    def row(self, anchors: list[str], row: int) -> str:
        distance = (row % ANCHOR_ROWS - ANCHOR_ROWS // 2) * self.width
        return self.lanes_at(anchors[row // ANCHOR_ROWS], distance)

    def lanes_at(self, buffer: str, offset: int | str) -> str:
        """A pointer to the lane vector that begins `offset` numbers into the buffer."""
        place = self.let(f"getelementptr {self.element}, {self.element}* {buffer}, i64 {offset}")
        return self.let(f"bitcast {self.element}* {place} to {self.vector}*")

    def load(self, pointer: str) -> str:
        align = np.dtype(self.precision).itemsize
        return self.let(f"load {self.vector}, {self.vector}* {pointer}, align {align}")

    def store(self, lanes: str, pointer: str) -> None:
        align = np.dtype(self.precision).itemsize
        self.lines.append(f"  store {self.vector} {lanes}, {self.vector}* {pointer}, align {align}")

    def larger(self, x: str, y: str) -> str:
        ahead = self.let(f"fcmp ogt {self.vector} {x}, {y}")
        return self.let(f"select <{self.width} x i1> {ahead}, {self.vector} {x}, {self.vector} {y}")

    def add(self, x: str, y: str) -> str:
        return self.let(f"fadd {self.vector} {x}, {y}")

    def multiply(self, x: str, y: str) -> str:
        return self.let(f"fmul {self.vector} {x}, {y}")

    def spread_scalar(self, buffer: str, index: int) -> str:
        """All lanes set to one number from a buffer."""
        place = self.let(f"getelementptr {self.element}, {self.element}* {buffer}, i64 {index}")
        number = self.let(f"load {self.element}, {self.element}* {place}")
        first = self.let(f"insertelement {self.vector} undef, {self.element} {number}, i32 0")
        zeros = f"<{self.width} x i32> zeroinitializer"
        return self.let(f"shufflevector {self.vector} {first}, {self.vector} undef, {zeros}")


def _fold_text(op: str, steps: Sequence[Step], share: float, precision: str) -> Iterator[str]:
    text = LlvmText(precision)
    yield f"define void @fold({text.element}* %work) {{"
    rows = text.anchors("%work", 1 + max((max(row, *sources) for row, sources in steps), default=0))
    combine: Callable[[str, str], str] = text.larger if op == "max" else text.add
    for number, (row, sources) in enumerate(steps):
        if number % STEPS_PER_BLOCK == 0:
            text.lines += [f"  br label %b{number}", f"b{number}:"]
        result = text.load(text.row(rows, sources[0]))
        for source in sources[1:]:
            # One after another: each instruction reads its own row from memory, which makes the shortest code.
            result = combine(result, text.load(text.row(rows, source)))
        if op != "max":
            result = text.multiply(result, text.constant(1.0 / len(sources) if op == "mean" else share))
        if op == "spread":
            result = text.add(text.load(text.row(rows, row)), result)
        text.store(result, text.row(rows, row))
    yield from text.lines
    yield "  ret void\n}"
