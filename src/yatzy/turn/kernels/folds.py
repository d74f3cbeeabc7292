"""Folds, passes over the die lattice as straight-line vector code, and a whole turn as a loop around them.

A work buffer is a stack of rows, one lane vector each (8 float64 or 16 float32, one state per lane). A fold sets
rows, one after another, from other rows:

    mean     row = mean of the sources
    max      row = maximum of the sources
    spread   row = row + share * sum of the sources      (probability moving along the lattice)

Which rows a fold reads and writes is part of its code: no loop, no index arithmetic, no table of neighbours. To a
kernel, a fold is the address of its code, an integer, so kernels compile once for all rulesets; `simd.fold` calls
it.

`TurnCode` computes the value of a turn, the only compiled code that the solver needs:

    floor     = max over s of U(s, upper);       row of outcome (s, p) = gain * U(s, upper + lift) + points
    value     = sum over rolls of prob * best(roll)

where U(s, .) are the utilities after successor s (see `outcomes`), -inf where its category may not be filled.
"""

import ctypes
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import Floats1, IntArray, Ints1, Ints2, Lanes2, lanes_of
from yatzy.turn.kernels.llvm import COMPILES, load_code

# x86 encodes offsets of up to 128 rows from a register in one byte instead of four, which decides whether a fold
# fits into the instruction cache.
ANCHOR_ROWS = 256
# LLVM compiles short blocks faster than one long one.
STEPS_PER_BLOCK = 4

Step = tuple[int, tuple[int, ...]]

_CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Fold(int):
    """A fold: the address of its code for kernels (0 without compilation, where `run` takes its place)."""

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
        """The number of additions or maxima."""
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
    """LLVM assembly that operates on the rows of a buffer."""

    def __init__(self, precision: str) -> None:
        self.element = "float" if precision == "float32" else "double"
        self.precision = precision
        self.width = lanes_of(precision)
        self.vector = f"<{self.width} x {self.element}>"
        self.lines: list[str] = []
        self._n_names = 0

    def let(self, text: str) -> str:
        """Add an instruction and return the name of its result."""
        self._n_names += 1
        name = f"%v{self._n_names}"
        self.lines.append(f"  {name} = {text}")
        return name

    def constant(self, number: float) -> str:
        exact = float(np.dtype(self.precision).type(number))
        digits = f"0x{struct.unpack('<Q', struct.pack('<d', exact))[0]:016X}"
        return "<" + ", ".join([f"{self.element} {digits}"] * self.width) + ">"

    def anchors(self, buffer: str, n_rows: int) -> list[str]:
        """Pointers to the middle of every ANCHOR_ROWS rows; empty inline assembly keeps LLVM from merging them."""
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
        """A vector with all lanes set to one number of a buffer."""
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
            # In sequence, each instruction reading its row from memory, which gives the shortest code.
            result = combine(result, text.load(text.row(rows, source)))
        if op != "max":
            result = text.multiply(result, text.constant(1.0 / len(sources) if op == "mean" else share))
        if op == "spread":
            result = text.add(text.load(text.row(rows, row)), result)
        text.store(result, text.row(rows, row))
    yield from text.lines
    yield "  ret void\n}"


# The mean over the first roll is split into independent sums, which run in parallel.
N_SUMS = 4


LOOP = """
define void @values(i64 %n, i64* %starts, i64* %n_blocks, {pointer} %utilities, {pointer} %gain,
                    {pointer} %points, {pointer} %work, i64* %options, i64* %targets, {pointer} %out,
                    {fold} %choose, {fold} %choose_or_stay, {fold} %mean, {fold} %best,
                    i64 %n_levels, i64 %step) {{
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %row, label %done
row:
  %i = phi i64 [ 0, %entry ], [ %next, %after_row ]
  %starts_offset = mul i64 %i, {n_successors}
  %starts_at = getelementptr i64, i64* %starts, i64 %starts_offset
  %options_offset = mul i64 %i, {n_options}
  %options_at = getelementptr i64, i64* %options, i64 %options_offset
  %target_at = getelementptr i64, i64* %targets, i64 %i
  %target = load i64, i64* %target_at
  %blocks_at = getelementptr i64, i64* %n_blocks, i64 %i
  %blocks = load i64, i64* %blocks_at
  br label %block
block:
  %shift = phi i64 [ 0, %row ], [ %next_shift, %after_block ]
  %number = phi i64 [ 0, %row ], [ %next_number, %after_block ]
  %utilities_here = getelementptr {element}, {pointer} %utilities, i64 %shift
  %target_here = add i64 %target, %shift
  call void @score(i64* %starts_at, {pointer} %utilities_here, {weights})
  call void %choose({pointer} %work)
  call void @special({pointer} %work, i64* %options_at)
  br label %level
level:
  %left = phi i64 [ 0, %block ], [ %more, %reroll ], [ %more, %stop ]
  %beyond = sub i64 %left, {n_rerolls}
  %is_start = icmp sge i64 %beyond, 0
  br i1 %is_start, label %average, label %go_on
average:
  %out_offset = mul i64 %beyond, %step
  %out_place = add i64 %target_here, %out_offset
  %out_at = getelementptr {element}, {pointer} %out, i64 %out_place
  call void @average({pointer} %work, {pointer} %out_at)
  br label %go_on
go_on:
  %more = add i64 %left, 1
  %is_level = icmp slt i64 %more, %n_levels
  br i1 %is_level, label %reroll, label %after_block
reroll:
  call void %mean({pointer} %work)
  call void %best({pointer} %work)
  br i1 {saves}, label %stop, label %level
stop:
  %utilities_offset = mul i64 %more, %step
  %utilities_at = getelementptr {element}, {pointer} %utilities_here, i64 %utilities_offset
  call void @score(i64* %starts_at, {pointer} %utilities_at, {weights})
  call void %choose_or_stay({pointer} %work)
  call void @special_or_stay({pointer} %work, i64* %options_at)
  br label %level
after_block:
  %next_shift = add i64 %shift, {width}
  %next_number = add i64 %number, 1
  %is_block = icmp slt i64 %next_number, %blocks
  br i1 %is_block, label %block, label %after_row
after_row:
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %row, label %done
done:
  ret void
}}"""


class Special(NamedTuple):
    """Special rolls, and the largest number of outcomes of one of them."""

    rolls: tuple[int, ...] = ()
    n_options: int = 0


class TurnCode:
    """The value of one turn for many blocks of lanes, as one compiled loop around the folds of a game.

    `floor_row` is the first row after the keeps; the rows of the outcomes follow it. A turn has *levels*: no
    rerolls left, one, ...; where throws are saved, a player may stop at any level.
    """

    def __init__(
        self,
        precision: str,
        outcomes: Sequence[tuple[int, int, int]],
        floor_row: int,
        prob_roll: NDArray[Any],
        folds: tuple[Fold, Fold, Fold, Fold],
        n_rerolls: int,
        special: Special,
        saves: bool,
        draft: bool,
        needs_zeros: bool = False,
    ) -> None:
        """`outcomes` are (successor, points, lift); `folds` are `choose`, `choose_or_stay`, `mean` and `best`.

        `needs_zeros` if `choose` reads the rows of outcomes without points, not only the floor.
        """
        self.needs_zeros = needs_zeros or bool(special.rolls)
        self.precision, self.outcomes, self.floor_row = precision, tuple(outcomes), floor_row
        self.prob_roll, self.folds, self.n_rerolls = prob_roll, folds, n_rerolls
        self.special, self.saves = special, saves
        self.n_successors = 1 + max(successor for successor, _, _ in outcomes)
        self._values: Callable[..., None] | None = None
        if COMPILES:
            lines = [*self._score_text(), *self._special_text("special", stay=False), *self._average_text()]
            lines += [*self._special_text("special_or_stay", stay=True), *self._loop_text()]
            address = load_code("\n".join(lines), ("values",), draft)["values"]
            kinds = [ctypes.c_int64, *[ctypes.c_void_p] * 13, ctypes.c_int64, ctypes.c_int64]
            self._values = ctypes.CFUNCTYPE(None, *kinds)(address)

    def values(
        self,
        starts: IntArray,
        n_blocks: IntArray,
        utilities: NDArray[Any],
        weights: tuple[NDArray[Any], NDArray[Any]],
        work: NDArray[Any],
        options: IntArray,
        targets: IntArray,
        out: NDArray[Any],
        n_levels: int,
        step: int = 0,
    ) -> None:
        """Compute the values of n rows of turns, with the GIL released.

        Row i has n_blocks[i] blocks of lanes. The utilities after successor s begin at starts[i, s] in
        `utilities`, and values are written to `out` from targets[i] on; those with one more throw saved are `step`
        further in both. `weights` are gain and points by outcome; `options` (n, special rolls, n_options) are the
        rows of the possible outcomes of special rolls, padded by repetition; `work` is scratch.
        """
        gain, points = weights
        if self._values is None:
            self._plain_values(
                starts, n_blocks, utilities.reshape(-1), gain, points, work, options, targets, out.reshape(-1),
                n_levels, step,
            )  # fmt: skip
            return
        arrays = (starts, n_blocks, utilities, gain, points, work, options, targets, out)
        addresses = (array.ctypes.data for array in arrays)
        self._values(len(starts), *addresses, *map(int, self.folds), n_levels, step)

    def _plain_values(
        self, starts: Ints2, n_blocks: Ints1, utilities: Floats1, gain: Floats1, points: Floats1, work: Lanes2,
        options: Ints2, targets: Ints1, out: Floats1, n_levels: int, step: int,
    ) -> None:  # fmt: skip
        """The same in NumPy."""
        width = work.shape[1]
        choose, choose_or_stay, mean, best = self.folds
        blocks = [(i, n * width) for i, of_row in enumerate(n_blocks.tolist()) for n in range(of_row)]
        for i, shift in blocks:
            target = int(targets[i]) + shift
            for level in range(n_levels):
                if level > 0:
                    mean.run(work)
                    best.run(work)
                if level == 0 or self.saves:
                    self._plain_score(starts[i].tolist(), utilities[shift + level * step :], gain, points, work)
                    (choose_or_stay if level else choose).run(work)
                    for roll, rows in zip(self.special.rolls, options[i], strict=True):
                        best_row = work[rows].max(axis=0)
                        work[roll] = np.maximum(work[roll], best_row) if level else best_row
                if level >= self.n_rerolls:
                    sums = [np.zeros(width, work.dtype) for _ in range(N_SUMS)]
                    for roll, prob in enumerate(self.prob_roll):
                        which = self._sum_of(roll)
                        sums[which] = work[roll] * prob + sums[which]
                    first = target + (level - self.n_rerolls) * step
                    out[first : first + width] = (sums[0] + sums[1]) + (sums[2] + sums[3])

    def _plain_score(
        self, starts: list[int], utilities: Floats1, gain: Floats1, points: Floats1, work: Lanes2
    ) -> None:
        width = work.shape[1]
        floor = None
        for outcome, (successor, scored, lift) in enumerate(self.outcomes):
            first = starts[successor] + lift
            after = utilities[first : first + width]
            work[self.floor_row + 1 + outcome] = after * gain[outcome] + points[outcome]
            if not scored:
                floor = after if floor is None else np.where(floor > after, floor, after)
        work[self.floor_row] = floor

    def _sum_of(self, roll: int) -> int:
        """The sum that a roll is added to; the remainder goes to the first."""
        return roll % N_SUMS if roll < len(self.prob_roll) // N_SUMS * N_SUMS else 0

    def _score_text(self) -> Iterator[str]:
        """Set the rows of the outcomes and the floor."""
        text = LlvmText(self.precision)
        pointer = f"{text.element}*"
        yield (
            f"define internal void @score(i64* %starts, {pointer} %utilities, {pointer} %gain, {pointer} %points, "
            f"{pointer} %work) {{"
        )
        floor = ""
        after_successor: dict[int, str] = {}
        for outcome, (successor, scored, lift) in enumerate(self.outcomes):
            if successor not in after_successor:
                place = text.let(f"getelementptr i64, i64* %starts, i64 {successor}")
                start = text.let(f"load i64, i64* {place}")
                begin = text.let(f"getelementptr {text.element}, {pointer} %utilities, i64 {start}")
                after_successor[successor] = begin
            after = text.load(text.lanes_at(after_successor[successor], lift))
            row = text.lanes_at("%work", (self.floor_row + 1 + outcome) * text.width)
            if scored:
                worth = text.multiply(after, text.spread_scalar("%gain", outcome))
                worth = text.add(worth, text.spread_scalar("%points", outcome))
                text.store(worth, row)
            else:
                floor = text.larger(floor, after) if floor else after
                if self.needs_zeros:
                    text.store(after, row)
        text.store(floor, text.lanes_at("%work", self.floor_row * text.width))
        yield from text.lines
        yield "  ret void\n}"

    def _special_text(self, name: str, stay: bool) -> Iterator[str]:
        """Set the rows of special rolls to the best of their options and, with `stay`, of their present value."""
        text = LlvmText(self.precision)
        yield f"define internal void @{name}({text.element}* %work, i64* %options) {{"
        for special, roll in enumerate(self.special.rolls):
            row = text.lanes_at("%work", roll * text.width)
            best = text.load(row) if stay else ""
            for option in range(self.special.n_options):
                place = special * self.special.n_options + option
                number = text.let(f"load i64, i64* {text.let(f'getelementptr i64, i64* %options, i64 {place}')}")
                offset = text.let(f"mul i64 {number}, {text.width}")
                worth = text.load(text.lanes_at("%work", offset))
                best = text.larger(best, worth) if best else worth
            text.store(best, row)
        yield from text.lines
        yield "  ret void\n}"

    def _average_text(self) -> Iterator[str]:
        """Compute the expected value over the first roll."""
        text = LlvmText(self.precision)
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
        """The loop over all rows; within a row over its blocks, and within a block over the levels of its turn."""
        element = "float" if self.precision == "float32" else "double"
        pointer, fold = f"{element}*", f"void ({element}*)*"
        weights = f"{pointer} %gain, {pointer} %points, {pointer} %work"
        yield LOOP.format(
            element=element, pointer=pointer, fold=fold, weights=weights, n_successors=self.n_successors,
            n_options=len(self.special.rolls) * self.special.n_options, n_rerolls=self.n_rerolls,
            saves=str(self.saves).lower(), width=lanes_of(self.precision),
        )  # fmt: skip
