"""Rows: distributions of points by state, and how they follow from the layer before (see `forward`)."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, Floats1, IntArray, Ints1, Ints2, Lanes2, lanes_of
from yatzy.evaluate.endings import Endings, Ends
from yatzy.turn.jit import jit, jittable
from yatzy.turn.lanes import load, multiply_add, n_lanes, store
from yatzy.turn.values import after

LANES = lanes_of(np.float64)


class Rows(NamedTuple):
    """States that play reaches, and where their rows lie in one buffer.

    `place` (n_sets,) is the place of a set, -1 if it has no states here. The *slot* of a state in its set is
    saved * n_uppers + upper; its `line` (sets, slots; -1 where play never goes) is its place among the states.
    `start` (n, planes) is where its rows begin, `low` the `rest` they begin at, `length` their length. Rows are
    read in whole lanes: what is past the end of a row is zero.
    """

    place: NDArray[np.int32]
    line: NDArray[np.int32]
    start: IntArray
    low: NDArray[np.int32]
    length: NDArray[np.int32]
    buffer: FloatArray


def room_of(length: Any, spare: int) -> tuple[IntArray, int]:
    """Where rows of these lengths begin, each with `spare` numbers at its end, and how much they need together."""
    room = np.where(length > 0, -(-length // LANES) * LANES + spare, 0).astype(np.int64)
    ends = np.cumsum(room).reshape(room.shape)
    return ends - room, int(room.sum())


@jittable
def landing(upper: int, lift: int, shift: int, cap: int) -> Any:
    """The upper total after an outcome, and the points that the state after it does not show."""
    _, to_upper = after(0, upper, 0, lift, cap)
    return to_upper, shift - (to_upper - upper)


@jittable
def place_before(of_set: int, bits: int, place_of: Ints1) -> Any:
    """The place of the set from which a successor leads to this one, -1 if there is none."""
    return place_of[of_set & ~bits] if of_set & bits == bits else -1


@jit
def pull_rows(sets: Ints1, successors: Ints1, before: Rows, endings: Endings, ends: Ends, rows: Rows) -> None:
    """Add to the rows of the states of `sets` what comes from the layer before through some successors.

    Before there is a buffer to add it to, find where the rows begin (`low`) and how long they are.
    """
    place_of, line_at, before_low, before_length = before.place, before.line, before.low, before.length
    first, offset, end, prob = endings
    source, target = before.buffer, rows.buffer
    to_line_at, to_start, to_low, to_length = rows.line, rows.start, rows.low, rows.length
    n_planes, n_outcomes, n_uppers = to_low.shape[1], len(ends.lift), ends.cap + 1
    width, measuring = n_lanes(source), len(target) == 0
    for i in range(len(sets)):
        for successor in range(successors[0], successors[1]):
            place = place_before(sets[i], ends.successors[successor], place_of)
            for slot in range(line_at.shape[1] if place >= 0 else 0):
                line, upper = line_at[place, slot], slot % n_uppers
                if line < 0:
                    continue
                begin, stop = first[line] + offset[line, successor], first[line] + offset[line, successor + 1]
                for j in range(begin, stop):
                    level, outcome = divmod(int(end[j]), n_outcomes)
                    to_upper, shift = landing(upper, ends.lift[outcome], ends.shift[outcome], ends.cap)
                    to_line, q = to_line_at[i, level * n_uppers + to_upper], prob[j]
                    for plane in range(n_planes):
                        n, to_plane = before_length[line, plane], min(ends.plane[outcome] + plane, n_planes - 1)
                        low = before_low[line, plane] + shift
                        if measuring:
                            widen(low, n, to_line, to_plane, to_low, to_length)
                            continue
                        read = before.start[line, plane]
                        write = to_start[to_line, to_plane] + low - to_low[to_line, to_plane]
                        for k in range(0, n, width):
                            moved = multiply_add(load(source, read + k), q, load(target, write + k))
                            store(target, write + k, moved)


@jittable
def widen(low: int, n: int, line: int, plane: int, to_low: Ints2, to_length: Ints2) -> None:
    """Let a row hold n numbers from `low` on, beside those it holds already."""
    if n > 0:
        lowest, length = to_low[line, plane], to_length[line, plane]
        begin = low if length == 0 else min(low, lowest)
        to_low[line, plane] = begin
        to_length[line, plane] = max(low + n, lowest + length if length else 0) - begin


@jit
def trim_rows(rows: Rows, trim: float, visits: Floats1) -> Any:
    """Cut what is below `trim` off both ends of rows; `visits` (n,) becomes the sum of a state's rows.

    Returns what was cut.
    """
    buffer, start, low, length = rows.buffer, rows.start, rows.low, rows.length
    cut = 0.0
    for line in range(len(start)):
        for plane in range(start.shape[1]):
            begin = start[line, plane]
            stop = begin + length[line, plane]
            while begin < stop and buffer[begin] < trim:
                cut += buffer[begin]
                begin += 1
            while begin < stop and buffer[stop - 1] < trim:
                stop -= 1
                cut += buffer[stop]
                buffer[stop] = 0.0
            low[line, plane] += begin - start[line, plane]
            start[line, plane] = begin
            length[line, plane] = stop - begin
            for i in range(begin, stop):
                visits[line] += buffer[i]
    return cut


@jit
def move_rows(start: Ints2, length: Ints2, source: Lanes2, to_start: Ints2, target: Lanes2) -> None:
    """Copy rows from one buffer to another, in whole lanes."""
    width = n_lanes(source)
    for line in range(len(start)):
        for plane in range(start.shape[1]):
            read, write = start[line, plane], to_start[line, plane]
            for i in range(0, length[line, plane], width):
                store(target, write + i, load(source, read + i))
