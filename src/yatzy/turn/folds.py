"""Folds: rows set from other rows, in an order known when compiling, as straight-line vector code.

A work buffer is a stack of rows, one lane vector each (8 float64 or 16 float32, one state per lane). A fold sets
rows, one after another, from other rows:

    mean     row = mean of the sources
    max      row = maximum of the sources
    spread   row = row + share * sum of the sources      (probability moving along the lattice)

Each pass of the die lattice is one fold. Which rows it reads and writes is part of its code: no index arithmetic,
no loop, no table of neighbours to load before the row can be loaded. To a kernel, a fold is the address of its
code, an integer, so kernels compile once for all rulesets; `lanes.fold` calls it.

`TurnCode` adds what surrounds the passes of one turn, so that the solver needs no other compiled code:

    floor     = max over c of U(c, upper);       row of outcome (c, p) = gain * U(c, upper + lift) + points
    value     = sum over rolls of prob * best(roll)

with U(c, .) the utilities after filling category c, minus infinity where c is already filled.
"""

import ctypes
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, lanes_of
from yatzy.turn.machine import COMPILES, load_code

# x86 encodes an address up to 128 rows away from a register in one byte instead of four; a fold is so long that
# this decides whether it stays in the instruction cache.
ANCHOR_ROWS = 256
# LLVM compiles short blocks faster than one long one.
STEPS_PER_BLOCK = 4
# The mean over the first roll is split into this many sums, to keep the adders busy.
N_SUMS = 4

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


class _Text:
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
    text = _Text(precision)
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


class TurnCode:
    """The value of one turn for many blocks of lanes, as one compiled loop around the folds of a game.

    `floor_row` is the first row after the keeps, and the rows of the outcomes follow it.
    """

    def __init__(
        self,
        precision: str,
        outcomes: Sequence[tuple[int, int, int]],
        floor_row: int,
        prob_roll: NDArray[Any],
        folds: tuple[Fold, Fold, Fold],
        n_rerolls: int,
        draft: bool,
    ) -> None:
        """`outcomes` are (category, points, lift)."""
        self.precision, self.outcomes, self.floor_row = precision, tuple(outcomes), floor_row
        self.prob_roll, self.folds, self.n_rerolls = prob_roll, folds, n_rerolls
        self.n_categories = 1 + max(category for category, _, _ in outcomes)
        self._values: Callable[..., None] | None = None
        if COMPILES:
            lines = [*self._score_text(), *self._average_text(), *self._loop_text()]
            address = load_code("\n".join(lines), ("values",), draft)["values"]
            kinds = [ctypes.c_int64, *[ctypes.c_void_p] * 10, ctypes.c_int64]
            self._values = ctypes.CFUNCTYPE(None, *kinds)(address)

    def values(
        self,
        starts: IntArray,
        utilities: NDArray[Any],
        gain: NDArray[Any],
        points: NDArray[Any],
        work: NDArray[Any],
        targets: IntArray,
        out: NDArray[Any],
    ) -> None:
        """Value n blocks of turns, one after another, with the GIL released.

        The utilities after category c of block i begin at starts[i, c] in `utilities`; the values of its lanes are
        written to `out` from targets[i] on. `gain` and `points` are by outcome, `work` is scratch.
        """
        if self._values is None:
            self._plain_values(starts, utilities.reshape(-1), gain, points, work, targets, out.reshape(-1))
            return
        arrays = (starts, utilities, gain, points, work, targets, out)
        self._values(len(starts), *(array.ctypes.data for array in arrays), *map(int, self.folds), self.n_rerolls)

    def _plain_values(
        self, starts: Any, utilities: Any, gain: Any, points: Any, work: Any, targets: Any, out: Any
    ) -> None:
        """The same in NumPy."""
        width = work.shape[1]
        choose, mean, best = self.folds
        for of_category, target in zip(starts.tolist(), targets.tolist(), strict=True):
            floor = None
            for outcome, (category, scored, lift) in enumerate(self.outcomes):
                first = of_category[category] + lift
                after = utilities[first : first + width]
                if scored:
                    work[self.floor_row + 1 + outcome] = after * gain[outcome] + points[outcome]
                else:
                    floor = after if floor is None else np.where(floor > after, floor, after)
            work[self.floor_row] = floor
            choose.run(work)
            for _ in range(self.n_rerolls):
                mean.run(work)
                best.run(work)
            sums = [np.zeros(width, work.dtype) for _ in range(N_SUMS)]
            for roll, prob in enumerate(self.prob_roll):
                which = self._sum_of(roll)
                sums[which] = work[roll] * prob + sums[which]
            out[target : target + width] = (sums[0] + sums[1]) + (sums[2] + sums[3])

    def _sum_of(self, roll: int) -> int:
        """Which of the sums a roll is added to; the remainder goes to the first."""
        return roll % N_SUMS if roll < len(self.prob_roll) // N_SUMS * N_SUMS else 0

    def _score_text(self) -> Iterator[str]:
        """Rows of the outcomes and of the floor."""
        text = _Text(self.precision)
        pointer = f"{text.element}*"
        yield (
            f"define internal void @score(i64* %starts, {pointer} %utilities, {pointer} %gain, {pointer} %points, "
            f"{pointer} %work) {{"
        )
        floor = ""
        for outcome, (category, scored, lift) in enumerate(self.outcomes):
            if not scored:  # the first outcome of every category
                place = text.let(f"getelementptr i64, i64* %starts, i64 {category}")
                start = text.let(f"load i64, i64* {place}")
                after_category = text.let(f"getelementptr {text.element}, {pointer} %utilities, i64 {start}")
            after = text.load(text.lanes_at(after_category, lift))
            if scored:
                worth = text.multiply(after, text.spread_scalar("%gain", outcome))
                worth = text.add(worth, text.spread_scalar("%points", outcome))
                text.store(worth, text.lanes_at("%work", (self.floor_row + 1 + outcome) * text.width))
            else:
                floor = text.larger(floor, after) if floor else after
        text.store(floor, text.lanes_at("%work", self.floor_row * text.width))
        yield from text.lines
        yield "  ret void\n}"

    def _average_text(self) -> Iterator[str]:
        """The expected value over the first roll."""
        text = _Text(self.precision)
        yield f"define internal void @average({text.element}* %work, {text.element}* %out) {{"
        sums = [text.constant(0.0)] * N_SUMS
        for roll, prob in enumerate(self.prob_roll):
            which = self._sum_of(roll)
            weighed = text.multiply(text.load(text.lanes_at("%work", roll * text.width)), text.constant(prob))
            sums[which] = text.add(weighed, sums[which])
        total = text.add(text.add(sums[0], sums[1]), text.add(sums[2], sums[3]))
        text.store(total, text.lanes_at("%out", 0))
        yield from text.lines
        yield "  ret void\n}"

    def _loop_text(self) -> Iterator[str]:
        """The loop over all blocks."""
        element = "float" if self.precision == "float32" else "double"
        pointer, fold = f"{element}*", f"void ({element}*)*"
        yield f"""
define void @values(i64 %n, i64* %starts, {pointer} %utilities, {pointer} %gain, {pointer} %points, {pointer}
%work,
                    i64* %targets, {pointer} %out, {fold} %choose, {fold} %mean, {fold} %best, i64 %n_rerolls) {{
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %block, label %done
block:
  %i = phi i64 [ 0, %entry ], [ %next, %average ]
  %starts_offset = mul i64 %i, {self.n_categories}
  %starts_at = getelementptr i64, i64* %starts, i64 %starts_offset
  call void @score(i64* %starts_at, {pointer} %utilities, {pointer} %gain, {pointer} %points, {pointer} %work)
  call void %choose({pointer} %work)
  br label %rerolls
rerolls:
  %left = phi i64 [ %n_rerolls, %block ], [ %fewer, %reroll ]
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %reroll, label %average
reroll:
  call void %mean({pointer} %work)
  call void %best({pointer} %work)
  %fewer = sub i64 %left, 1
  br label %rerolls
average:
  %target_at = getelementptr i64, i64* %targets, i64 %i
  %target = load i64, i64* %target_at
  %out_at = getelementptr {element}, {pointer} %out, i64 %target
  call void @average({pointer} %work, {pointer} %out_at)
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %block, label %done
done:
  ret void
}}"""
