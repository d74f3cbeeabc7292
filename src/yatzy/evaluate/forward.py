"""One forward pass of probability through a game: where play leads, and with what distribution of points.

The distribution of points since the start is kept for every state as a row over `rest`, the points that the state
does not show: points - rise of the upper total (lower categories, and what the upper section has above its cap).
An outcome of probability q moves a row to its successor, shifted by the points that are not upper lift:

    row'(filled + c, min(T, upper + lift))[rest + shift] += q * row(filled, upper)[rest].

Layer by layer. Only states that play reaches have rows, and only over the points that can occur there. The rows of
some sets at a time are pulled from the layer before, each by one thread, in one fixed order: results do not depend
on the number of threads. Two layers of rows, and the ends of the turns between them, are in memory at a time.

*Planes.* A row of a state in which the `tracked` category (Yatzy) is filled has two planes: it scored nothing, or
it scored. The second stands for the least it can score, which is then left out of `rest`.

*Trimming.* In a game too large to keep everything, what is below `trim` at the ends of a finished row is cut off,
and so are ends of turns to which fewer games come. Inside a row nothing is cut. What was cut is counted.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, aligned, lanes_of
from yatzy.evaluate.endings import Endings, Ends, Exits, endings_of, ends_of
from yatzy.evaluate.memory import check_memory, smallest_kept
from yatzy.rules import Ruleset, State
from yatzy.running import Progress, check_threads, chunks
from yatzy.solver.states import StateSpace, state_space
from yatzy.turn.jit import jit
from yatzy.turn.lanes import load, multiply_add, n_lanes, store
from yatzy.turn.values import after

LANES = lanes_of(np.float64)
# Small enough for the cache, large enough that handing out a chunk costs little.
SETS_PER_CHUNK = 64
NOWHERE = np.iinfo(np.int32).max


class Rows(NamedTuple):
    """The states of a layer, or of some of its sets, that play reaches, and where their rows lie in one buffer.

    `place` (n_sets,) is the place of a set among them, -1 for others. The *slot* of a state in its set is
    saved * n_uppers + upper; its `line` (sets, slots; -1 where play never goes) is its place among the states.
    `start` (n, planes) is where its rows begin, `low` the `rest` they begin at, `length` their length.
    """

    place: NDArray[np.int32]
    line: NDArray[np.int32]
    start: IntArray
    low: NDArray[np.int32]
    length: NDArray[np.int32]
    buffer: FloatArray


@dataclass(frozen=True)
class Layer:
    """The states of a layer that play reaches, and what was cut from all rows so far.

    `by_outcome` (n_outcomes,) is how their turns end, all in all; a finished game has `rows` instead.
    """

    filled: IntArray
    upper: IntArray
    visits: FloatArray
    cut: float
    by_outcome: FloatArray | None = None
    rows: Rows | None = None


def walk_game(
    rules: Ruleset,
    exits_of: Exits,
    start: State | None = None,
    tracked: int = -1,
    threads: int | None = None,
    progress: Progress | None = None,
    trim: float | None = None,
) -> Iterator[Layer]:
    """Follow play from a state to the end of the game, layer by layer.

    `exits_of` is asked by several threads at once. `trim` is found from the size of the game if it is not given.
    """
    start, space = start or State(), state_space(rules)
    check_memory(space, start)
    trim = smallest_kept(space, start) if trim is None else trim
    ends = ends_of(rules, tracked)
    boxes = start.filled & rules.all_filled
    n_turns = rules.n_categories - boxes.bit_count()
    cut = 0.0
    with ThreadPoolExecutor(check_threads(threads)) as pool:
        states, rows = _first_states(space, start, 2 if tracked >= 0 else 1)
        for turn in range(n_turns):
            endings, by_outcome, left_out = endings_of(rules, states, exits_of, ends, trim, pool)
            yield Layer(*states, cut, by_outcome)
            sets = space.layers[rules.n_categories - n_turns + turn + 1]
            sets = sets[sets & boxes == boxes]
            pieces = _pull_layer(space, sets, rows, endings, ends, trim, pool)
            # Nothing else holds the layer before: its memory is free before the pieces are joined.
            del rows, endings
            cut += left_out + sum(piece.cut for piece in pieces)
            states, rows = _join(space, sets, pieces, pool)
            if progress:
                progress(turn + 1, n_turns)
    yield Layer(*states, cut, None, rows)


class Piece(NamedTuple):
    """Rows of some sets of a layer; `index` and `slot` say which states they belong to."""

    index: IntArray
    slot: IntArray
    visits: FloatArray
    rows: Rows
    cut: float


States = tuple[IntArray, IntArray, FloatArray]


def _first_states(space: StateSpace, start: State, n_planes: int) -> tuple[States, Rows]:
    """One state, with no points yet."""
    of_set, saved = start.filled & space.rules.n_sets - 1, start.filled >> space.rules.saved_shift
    place = np.full(space.rules.n_sets, -1, np.int32)
    place[of_set] = 0
    line = np.full((1, int(space.n_saved[of_set]) * space.n_uppers), -1, np.int32)
    line[0, saved * space.n_uppers + start.upper] = 0
    low, high = np.zeros((1, n_planes), np.int32), np.full((1, n_planes), -1, np.int32)
    high[0, 0] = 0
    rows = _make_room(place, line, low, high - low + 1)
    rows.buffer[0] = 1.0
    return (np.array([start.filled]), np.array([start.upper]), np.ones(1)), rows


def _make_room(place: Any, line: Any, low: Any, length: Any) -> Rows:
    """Zeroed rows of these lengths."""
    # Rows are read and written in whole lanes: what is past the end is zero, but must be allocated.
    room = np.where(length > 0, -(-length // LANES) * LANES + LANES, 0).astype(np.int64)
    ends = np.cumsum(room).reshape(room.shape)
    return Rows(place, line, ends - room, low, length, aligned((int(room.sum()) + LANES,)))


def _pull_layer(
    space: StateSpace, sets: IntArray, before: Rows, endings: Endings, ends: Ends, trim: float,
    pool: ThreadPoolExecutor,
) -> list[Piece]:  # fmt: skip
    """The states of a layer and their rows, some sets at a time."""
    n_saved = int(space.n_saved[sets[0]])
    shape = n_saved * space.n_uppers, before.start.shape[1]

    def pull(part: slice) -> Piece:
        mine = sets[part]
        low = np.full((len(mine), *shape), NOWHERE, np.int32)
        high = np.full(low.shape, -1, np.int32)
        bound_rows(mine, before, endings, ends, low, high)
        index, slot = np.nonzero((high >= 0).any(axis=2))
        low, high = low[index, slot], high[index, slot]
        line = np.full((len(mine), shape[0]), -1, np.int32)
        line[index, slot] = np.arange(len(index))
        length = np.maximum(high - low + 1, 0).astype(np.int32)
        rows = _make_room(before.place, line, np.where(length > 0, low, 0).astype(np.int32), length)
        pull_rows(mine, before, endings, ends, rows)
        visits = np.zeros(len(index))
        cut = trim_rows(rows, trim, visits)
        piece = Piece(part.start + index, slot, visits, rows, cut)
        return _shrink(piece) if trim else piece

    return list(pool.map(pull, chunks(len(sets), max(1, SETS_PER_CHUNK // n_saved))))


def _shrink(piece: Piece) -> Piece:
    """The same in a buffer that holds no more than what was kept."""
    rows = piece.rows
    kept = rows.length.any(axis=1)
    start, low, length = rows.start[kept], rows.low[kept], rows.length[kept]
    smaller = _make_room(rows.place, rows.line[:0], low, length)
    move_rows(start, length, rows.buffer, smaller.start, smaller.buffer)
    return Piece(piece.index[kept], piece.slot[kept], piece.visits[kept], smaller, piece.cut)


def _join(space: StateSpace, sets: IntArray, pieces: list[Piece], pool: ThreadPoolExecutor) -> tuple[States, Rows]:
    """All states of a layer; the pieces are used up."""
    rules, n_uppers = space.rules, space.n_uppers
    index, slot, visits = (np.concatenate([piece[i] for piece in pieces]) for i in range(3))
    start, low, length = (np.concatenate([piece.rows[i] for piece in pieces]) for i in range(2, 5))
    first = np.cumsum([0, *(len(piece.rows.buffer) for piece in pieces)])
    start += np.repeat(first[:-1], [len(piece.index) for piece in pieces])[:, None]
    place = np.full(rules.n_sets, -1, np.int32)
    place[sets] = np.arange(len(sets))
    line = np.full((len(sets), int(space.n_saved[sets[0]]) * n_uppers), -1, np.int32)
    line[index, slot] = np.arange(len(index))
    buffer = aligned((int(first[-1]),))

    def copy(number: int) -> None:
        buffer[first[number] : first[number + 1]] = pieces[number].rows.buffer
        pieces[number] = pieces[number]._replace(rows=None)

    list(pool.map(copy, range(len(pieces))))
    filled = sets[index] | slot // n_uppers << rules.saved_shift
    return (filled, slot % n_uppers, visits), Rows(place, line, start, low, length, buffer)


@jit
def landing(upper: Any, lift: Any, shift: Any, cap: Any) -> Any:
    """The upper total after an outcome, and the points that the state after it does not show."""
    _, to_upper = after(0, upper, 0, lift, cap)
    return to_upper, shift - (to_upper - upper)


@jit
def bound_rows(sets: Any, before: Rows, endings: Endings, ends: Ends, low: Any, high: Any) -> None:
    """Lowest and highest `rest` in the states of `sets`, by plane: `low`, `high` (sets, slots, planes)."""
    place_of, line_at, before_low, before_length = before.place, before.line, before.low, before.length
    first, offset, end = endings.first, endings.offset, endings.end
    n_planes, n_outcomes, n_uppers = low.shape[2], len(ends.lift), ends.cap + 1
    for i in range(len(sets)):
        for successor in range(len(ends.successors)):
            place = place_before(sets[i], ends.successors[successor], place_of)
            for slot in range(line_at.shape[1] if place >= 0 else 0):
                line, upper = line_at[place, slot], slot % n_uppers
                if line < 0:
                    continue
                begin, stop = first[line] + offset[line, successor], first[line] + offset[line, successor + 1]
                for j in range(begin, stop):
                    level, outcome = divmod(int(end[j]), n_outcomes)
                    to_upper, shift = landing(upper, ends.lift[outcome], ends.shift[outcome], ends.cap)
                    to = level * n_uppers + to_upper
                    for plane in range(n_planes):
                        if before_length[line, plane] > 0:
                            target = min(ends.plane[outcome] + plane, n_planes - 1)
                            lowest = before_low[line, plane] + shift
                            highest = lowest + before_length[line, plane] - 1
                            low[i, to, target] = min(low[i, to, target], lowest)
                            high[i, to, target] = max(high[i, to, target], highest)


@jit
def place_before(of_set: Any, bits: Any, place_of: Any) -> Any:
    """The place of the set from which a successor leads to this one, -1 if there is none."""
    return place_of[of_set & ~bits] if of_set & bits == bits else -1


@jit
def pull_rows(sets: Any, before: Rows, endings: Endings, ends: Ends, rows: Rows) -> None:
    """Rows of the states of `sets` from the layer before."""
    place_of, line_at, before_low, before_length = before.place, before.line, before.low, before.length
    first, offset, end, prob = endings
    source, target, to_line_at, to_start, to_low = before.buffer, rows.buffer, rows.line, rows.start, rows.low
    n_planes, n_outcomes, n_uppers = to_low.shape[1], len(ends.lift), ends.cap + 1
    width = n_lanes(source)
    for i in range(len(sets)):
        for successor in range(len(ends.successors)):
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
                        to_plane = min(ends.plane[outcome] + plane, n_planes - 1)
                        read = before.start[line, plane]
                        write = to_start[to_line, to_plane] + before_low[line, plane] + shift
                        write -= to_low[to_line, to_plane]
                        for k in range(0, before_length[line, plane], width):
                            moved = multiply_add(load(source, read + k), q, load(target, write + k))
                            store(target, write + k, moved)


@jit
def trim_rows(rows: Rows, trim: Any, visits: Any) -> Any:
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
            low[line, plane] += begin - start[line, plane]
            start[line, plane] = begin
            length[line, plane] = stop - begin
            for i in range(begin, stop):
                visits[line] += buffer[i]
    return cut


@jit
def move_rows(start: Any, length: Any, source: Any, to_start: Any, target: Any) -> None:
    """Copy rows from one buffer to another."""
    for line in range(len(start)):
        for plane in range(start.shape[1]):
            for i in range(length[line, plane]):
                target[to_start[line, plane] + i] = source[start[line, plane] + i]
