"""One forward pass of probability through a game: where play leads, and with what distribution of points.

The distribution of points since the start is kept for every state as a row over `rest`, the points that the state
does not show: points - rise of the upper total (lower categories, and what the upper section has above its cap).
An outcome of probability q moves a row to its successor, shifted by the points that are not upper lift:

    row'(filled + c, min(T, upper + lift))[rest + shift] += q * row(filled, upper)[rest].

Layer by layer. Only states that play reaches have rows, and only over the points that can occur there. Each row is
pulled by one thread, in one fixed order: results do not depend on the number of threads. Two layers are in memory
at a time.

*Planes.* A row of a state in which the `tracked` category (Yatzy) is filled has two planes: it scored nothing, or
it scored. The second stands for `tracked_points`, the least it can score, which are then left out of `rest`.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, aligned, lanes_of
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, State
from yatzy.running import Progress, check_threads, chunks
from yatzy.solver.states import StateSpace, state_space
from yatzy.turn.jit import jit
from yatzy.turn.lanes import load, multiply_add, n_lanes, store
from yatzy.turn.outcomes import highest_score, outcomes
from yatzy.turn.tables import MaskRows, turn_tables
from yatzy.turn.values import after, row_of, with_saved

LANES = lanes_of(np.float64)
MASKS_PER_CHUNK = 16
NOWHERE = np.iinfo(np.int32).max

# How the turns of states end: (filled, upper) -> (n, n_outcomes).
Exits = Callable[[IntArray, IntArray], FloatArray]


class Rows(NamedTuple):
    """The states of a layer that play reaches, and where their rows lie in one buffer.

    A state's `line` (n_masks, n_uppers; -1 where play never goes) is its place among them; `start` (n, planes) is
    where its rows begin, `low` (n, planes) the `rest` they begin at, `length` (n, planes) their length.
    """

    line: NDArray[np.int32]
    start: IntArray
    low: NDArray[np.int32]
    length: NDArray[np.int32]
    buffer: FloatArray


class Ends(NamedTuple):
    """Outcomes as the kernels here read them: those of successor s are order[start[s] : start[s + 1]]."""

    start: IntArray
    order: IntArray
    successors: IntArray
    bits: IntArray
    category: IntArray
    points: IntArray
    lift: IntArray
    cap: int
    tracked: int
    tracked_points: int
    n_categories: int
    n_rerolls: int
    masks: MaskRows


@dataclass(frozen=True)
class Layer:
    """The states of a layer that play reaches, and how their turns end (None if the game is finished)."""

    filled: IntArray
    upper: IntArray
    visits: FloatArray
    rows: Rows
    exits: FloatArray | None


def walk_game(
    rules: Ruleset,
    exits_of: Exits,
    start: State | None = None,
    tracked: int = -1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Layer]:
    """Follow play from a state to the end of the game, layer by layer."""
    start = start or State()
    space, ends = state_space(rules), _ends(rules, tracked)
    boxes = start.filled & rules.all_filled
    n_turns = rules.n_categories - boxes.bit_count()
    check_memory(space, start)
    with ThreadPoolExecutor(check_threads(threads)) as pool:
        layer = _first_layer(space, start)
        for turn in range(n_turns):
            exits = exits_of(layer.filled, layer.upper)
            layer = Layer(layer.filled, layer.upper, layer.visits, layer.rows, exits)
            yield layer
            masks = space.masks_of_layer(rules.n_categories - n_turns + turn + 1)
            layer = _next_layer(space, layer, masks[masks & boxes == boxes], ends, pool)
            if progress:
                progress(turn + 1, n_turns)
    yield layer


def check_memory(space: StateSpace, start: State) -> None:
    """Refuse a game whose largest layers would not fit into memory, before anything is computed."""
    rules = space.rules
    most = highest_score(rules)
    boxes = start.filled & rules.all_filled
    layers = map(space.masks_of_layer, range(boxes.bit_count(), rules.n_categories + 1))
    states = [int(space.reachable[space.row(m[m & boxes == boxes])].sum()) for m in layers]
    # Exits of a layer, and rows of it and of the next; rows are about half as long as the points they could hold.
    needed = 8 * max(n * (outcomes(rules).n + most // 2) for n in states)
    free = _free_memory()
    if free is not None and needed > free:
        raise YatzyError(
            f"rules: the exact distribution of {rules.name} needs about {needed / 1e9:.0f} GB of memory and "
            f"{free / 1e9:.0f} GB are free; simulate it instead"
        )


def _free_memory() -> int | None:
    """Bytes that can be used without swapping, if the system reports them."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _ends(rules: Ruleset, tracked: int) -> Ends:
    ends = outcomes(rules)
    order = np.argsort(ends.successor, kind="stable")
    start = np.searchsorted(ends.successor[order], np.arange(len(ends.successors) + 1))
    return Ends(
        start, order, ends.successors, ends.bits, ends.category, ends.points, ends.lift, rules.bonus_threshold, tracked,
        least_points(rules, tracked), rules.n_categories, rules.rerolls, turn_tables(rules).masks,
    )  # fmt: skip


def least_points(rules: Ruleset, category_id: int) -> int:
    """The least that a category scores if it scores at all, extra points included; 0 for category -1."""
    ends = outcomes(rules)
    points = ends.points[(ends.category == category_id) & (ends.points > ends.extra)]
    return int(points.min(initial=np.iinfo(np.int64).max)) if len(points) else 0


def _first_layer(space: StateSpace, start: State) -> Layer:
    """One state, with no points yet."""
    line = np.full((space.n_masks, space.n_uppers), -1, np.int32)
    line[space.row(start.filled), start.upper] = 0
    one = np.ones((1, 1), np.int32)
    rows = Rows(line, np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int32), one, aligned((2 * LANES,)))
    rows.buffer[0] = 1.0
    return Layer(np.array([start.filled]), np.array([start.upper]), np.ones(1), rows, None)


def _next_layer(space: StateSpace, layer: Layer, masks: IntArray, ends: Ends, pool: ThreadPoolExecutor) -> Layer:
    """The states that the turns of a layer lead to, and their rows."""
    n_planes = 2 if ends.tracked >= 0 else 1
    low = np.full((len(masks), space.n_uppers, n_planes), NOWHERE, np.int32)
    high = np.full(low.shape, -1, np.int32)
    parts = list(chunks(len(masks), MASKS_PER_CHUNK))
    list(pool.map(lambda p: bound_rows(masks[p], layer.rows, layer.exits, ends, low[p], high[p]), parts))
    index, upper = np.nonzero((high >= 0).any(axis=2))
    filled = masks[index]
    rows = _make_room(space, filled, upper, low[index, upper], high[index, upper])
    visits = np.zeros(len(filled))
    list(pool.map(lambda p: pull_rows(masks[p], layer.rows, layer.exits, ends, rows, visits), parts))
    return Layer(filled, upper, visits, rows, None)


def _make_room(space: StateSpace, filled: IntArray, upper: IntArray, low: Any, high: Any) -> Rows:
    """Zeroed rows for states from the lowest to the highest `rest` of each plane."""
    line = np.full((space.n_masks, space.n_uppers), -1, np.int32)
    line[space.row(filled), upper] = np.arange(len(filled))
    length = np.maximum(high - low + 1, 0).astype(np.int32)
    low = np.where(high >= 0, low, 0).astype(np.int32)
    # Rows are read and written in whole lanes: what is past the end is zero, but must be allocated.
    room = np.where(length > 0, -(-length // LANES) * LANES + LANES, 0).astype(np.int64)
    ends = np.cumsum(room).reshape(room.shape)
    return Rows(line, ends - room, low, length, aligned((int(room.sum()) + LANES,)))


@jit
def bound_rows(masks: Any, before: Rows, exits: Any, ends: Ends, low: Any, high: Any) -> None:
    """Lowest and highest `rest` in the states of `masks`, by plane: `low`, `high` (masks, n_uppers, planes)."""
    for i in range(len(masks)):
        for successor in range(len(ends.successors)):
            source, n_saved, first = _sources(masks[i], successor, ends)
            for saved in range(n_saved):
                row = row_of(with_saved(source, saved, ends.masks), ends.masks)
                for upper in range(before.line.shape[1]):
                    line = before.line[row, upper]
                    if line < 0:
                        continue
                    for place in range(ends.start[successor], ends.start[successor + 1]):
                        outcome = ends.order[place]
                        if first + outcome < exits.shape[1] and exits[line, first + outcome] > 0.0:
                            _, to_upper = after(source, upper, ends.bits[outcome], ends.lift[outcome], ends.cap)
                            plane, shift = _plane_and_shift(outcome, to_upper - upper, ends)
                            for of_source in range(before.start.shape[1]):
                                if before.length[line, of_source] > 0:
                                    target = min(plane + of_source, low.shape[2] - 1)
                                    begin = before.low[line, of_source] + shift
                                    last = begin + before.length[line, of_source] - 1
                                    low[i, to_upper, target] = min(low[i, to_upper, target], begin)
                                    high[i, to_upper, target] = max(high[i, to_upper, target], last)


@jit
def _sources(mask: Any, successor: Any, ends: Ends) -> Any:
    """The set from which a successor leads to a mask, how many saved counts it may have, and where their exits begin.

    No saved count at all if the successor does not lead there.
    """
    bits, masks = ends.successors[successor], ends.masks
    source = mask & ~bits
    if mask & bits != bits:
        return source, 0, 0
    if not masks.saves:
        return source, 1, 0
    source &= masks.set_mask
    n_filled = 0
    for category in range(ends.n_categories):
        n_filled += source >> category & 1
    return source, 1 + n_filled * ends.n_rerolls, (mask >> masks.saved_shift) * len(ends.points)


@jit
def _plane_and_shift(outcome: Any, rise: Any, ends: Ends) -> Any:
    """The plane that an outcome leads to, and the points that the state after it does not show."""
    if ends.category[outcome] == ends.tracked and ends.points[outcome] >= ends.tracked_points:
        return 1, ends.points[outcome] - rise - ends.tracked_points
    return 0, ends.points[outcome] - rise


@jit
def pull_rows(masks: Any, before: Rows, exits: Any, ends: Ends, rows: Rows, visits: Any) -> None:
    """Rows of the states of `masks` from the layer before; `visits` (n,) becomes the sum of a state's rows."""
    for mask in masks:
        at = row_of(mask, ends.masks)
        for successor in range(len(ends.successors)):
            source, n_saved, first = _sources(mask, successor, ends)
            for saved in range(n_saved):
                row = row_of(with_saved(source, saved, ends.masks), ends.masks)
                for upper in range(before.line.shape[1]):
                    line = before.line[row, upper]
                    if line < 0:
                        continue
                    for place in range(ends.start[successor], ends.start[successor + 1]):
                        outcome = ends.order[place]
                        q = exits[line, first + outcome] if first + outcome < exits.shape[1] else 0.0
                        if q > 0.0:
                            _, to_upper = after(source, upper, ends.bits[outcome], ends.lift[outcome], ends.cap)
                            plane, shift = _plane_and_shift(outcome, to_upper - upper, ends)
                            _add_rows(q, line, before, rows.line[at, to_upper], plane, shift, rows)
        for upper in range(rows.line.shape[1]):
            line = rows.line[at, upper]
            if line >= 0:
                for plane in range(rows.start.shape[1]):
                    for i in range(rows.length[line, plane]):
                        visits[line] += rows.buffer[rows.start[line, plane] + i]


@jit
def _add_rows(q: Any, line: Any, before: Rows, to_line: Any, plane: Any, shift: Any, rows: Rows) -> None:
    """Add q times the rows of one state to those of another."""
    width = n_lanes(before.buffer)
    for of_source in range(before.start.shape[1]):
        length = before.length[line, of_source]
        if length > 0:
            target = min(plane + of_source, rows.start.shape[1] - 1)
            read = before.start[line, of_source]
            write = rows.start[to_line, target] + before.low[line, of_source] + shift - rows.low[to_line, target]
            for i in range(0, length, width):
                moved = multiply_add(load(before.buffer, read + i), q, load(rows.buffer, write + i))
                store(rows.buffer, write + i, moved)
