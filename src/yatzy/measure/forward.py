"""One forward pass of probability through a game: where play leads, and with what distribution of points.

The distribution of points since the start is kept for every state as a row over `rest`, the points that the state
does not show: points - rise of the upper total (lower categories, and what the upper section has above its cap).
An outcome of probability q moves a row to its successor, shifted by the points that are not upper lift:

    row'(filled + c, min(T, upper + lift))[rest + shift] += q * row(filled, upper)[rest].

Layer by layer. Only states that play reaches have rows, and only over the points that can occur there. The rows of
some sets at a time are pulled from the layer before, each by one thread, in one fixed order: results do not depend
on the number of threads. Two layers of rows, and the ends of the turns between them, are in memory at a time.

*Groups.* A large layer is split by which of the last categories are filled. A set's successors are in its own
group or in one with one more of these categories, so a group can be forgotten before the next layer is complete,
and how its turns end is found only when somebody needs it: one and a half layers are in memory instead of two.

*Planes.* A row of a state in which the `tracked` category (Yatzy) is filled has two planes: it scored nothing, or
it scored. The second stands for the least it can score, which is then left out of `rest`.

*Trimming.* In a game too large to keep everything, what is below `trim` at the ends of a finished row is cut off,
and so are ends of turns that fewer games reach. Inside a row nothing is cut. What was cut is counted.

*Ends of turns*, end = throws left * n_outcomes + outcome (0 throws left, except where they are saved), are packed:
a policy uses few of those that a turn could have, and a layer takes a fifth of the memory of (n, n_ends)
probabilities. The ends of a state lie together, by successor, because a layer is pulled from the one before
successor by successor.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from yatzy.arrays import FloatArray, Floats1, Floats2, IntArray, Ints1, Ints2, Lanes2, aligned, lanes_of
from yatzy.context import DEFAULT_CONTEXT, Context, chunks
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, State
from yatzy.solver.states import StateSpace, state_space
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import load, multiply_add, n_lanes, store
from yatzy.turn.outcomes import highest_score, outcomes
from yatzy.turn.values import after

# The most memory reserved and not yet used, in bytes.
MAX_SPARE = 1 << 25
# A large block of memory begins 16 bytes after a page; a lane begins this many float64 later.
LEAD = 6


class GrowableArray:
    """An array that grows at its end. A large one is grown in place where the system can do that, and so
    never exists twice.
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self.numbers: NDArray[Any] = np.empty(0, dtype)
        self.used = LEAD

    def append(self, part: NDArray[Any]) -> int:
        """Copy numbers to the end, and return where they begin. Not thread-safe."""
        begin, self.used = self.used, self.used + len(part)
        if self.used > len(self.numbers):
            spare = min(self.used // 2, MAX_SPARE // self.numbers.itemsize)
            self.numbers.resize(self.used + spare, refcheck=False)
        self.numbers[begin : self.used] = part
        return begin

    def finish(self) -> NDArray[Any]:
        """The array; nothing can be appended after this."""
        self.numbers.resize(self.used, refcheck=False)
        return self.numbers


STATES_PER_BLOCK = 1024

# How the turns of states end: (filled, upper) -> (n, levels * n_outcomes).
Exits = Callable[[IntArray, IntArray], FloatArray]
# (filled, upper, visits)
States = tuple[IntArray, IntArray, FloatArray]


class TurnEnds(NamedTuple):
    """Ends of the turns of n states, with their probabilities.

    Those of state i that lead to successor s are `end` and `prob` from first[i] + offset[i, s] up to
    first[i] + offset[i, s + 1].
    """

    first: IntArray
    offset: NDArray[Any]
    end: NDArray[Any]
    prob: FloatArray


class Ends(NamedTuple):
    """Outcomes as the kernels read them: those of successor s are order[start[s] : start[s + 1]].

    `plane` and `shift` say where an outcome leads.
    """

    start: IntArray
    order: IntArray
    successors: IntArray
    lift: IntArray
    plane: IntArray
    shift: IntArray
    cap: int


def ends_of(rules: Ruleset, tracked: int) -> Ends:
    ends = outcomes(rules)
    order = np.argsort(ends.successor, kind="stable")
    start = np.searchsorted(ends.successor[order], np.arange(len(ends.successors) + 1))
    least = least_points(rules, tracked)
    plane = ((ends.category == tracked) & (ends.points > ends.extra)).astype(np.int64)
    return Ends(
        start, order, ends.successors, ends.lift, plane, ends.points - plane * least, rules.bonus_threshold
    )  # fmt: skip


def least_points(rules: Ruleset, category_id: int) -> int:
    """The least that a category scores if it scores at all, extra points included; 0 for category -1."""
    ends = outcomes(rules)
    points = ends.points[(ends.category == category_id) & (ends.points > ends.extra)]
    return int(points.min(initial=np.iinfo(np.int64).max)) if len(points) else 0


def pack_layer(
    rules: Ruleset, states: States, exits_of: Exits, ends: Ends, trim: float,
    pool: ThreadPoolExecutor,
) -> tuple[TurnEnds, FloatArray, float]:  # fmt: skip
    """How the turns of states end, the probability of each outcome, and the probability left out.

    Ends that less than `trim` of all games reach are left out.
    """
    filled, upper, visits = states
    n_outcomes, n_successors = len(ends.lift), len(ends.successors)
    n_ends = (1 + rules.rerolls * rules.n_categories * rules.saves_throws) * n_outcomes
    kind = np.uint16 if n_ends < 1 << 16 else np.uint32

    all_ends, all_probs, lock = GrowableArray(kind), GrowableArray(np.float64), Lock()

    def pack(block: slice) -> tuple[IntArray, NDArray[Any], FloatArray, float]:
        exits = exits_of(filled[block], upper[block])
        offset = np.empty((len(exits), n_successors + 1), kind)
        n_used = np.count_nonzero(exits)
        end, prob, by_outcome = np.empty(n_used, kind), np.empty(n_used), np.zeros(n_outcomes)
        n, cut = pack_exits(exits, visits[block], trim, ends, _Packed(offset, end, prob, by_outcome))
        first = np.cumsum(offset[:, -1], dtype=np.int64) - offset[:, -1]
        with lock:
            begin = all_ends.append(end[:n])
            all_probs.append(prob[:n])
        return first + begin, offset, by_outcome, cut

    packed = list(pool.map(pack, chunks(len(filled), STATES_PER_BLOCK)))
    first, offset = (np.concatenate([block[i] for block in packed]) for i in range(2))
    endings = TurnEnds(first, offset, all_ends.finish(), all_probs.finish())
    return endings, np.sum([block[2] for block in packed], axis=0), sum(block[3] for block in packed)


class _Packed(NamedTuple):
    """Where `pack_exits` writes: see `TurnEnds`."""

    offset: NDArray[Any]
    end: NDArray[Any]
    prob: FloatArray
    by_outcome: FloatArray


@jit
def pack_exits(exits: Floats2, visits: Floats1, trim: float, ends: Ends, packed: _Packed) -> Any:
    """Pack `exits` and add to `by_outcome`; returns the number of ends, and the probability left out."""
    offset, end, prob, by_outcome = packed
    start, order = ends.start, ends.order
    n_outcomes = len(order)
    n, cut = 0, 0.0
    for i in range(len(exits)):
        begin, here = n, visits[i]
        for successor in range(len(start) - 1):
            offset[i, successor] = n - begin
            for level in range(0, exits.shape[1], n_outcomes):
                for place in range(start[successor], start[successor + 1]):
                    q = exits[i, level + order[place]]
                    if q > 0.0:
                        by_outcome[order[place]] += here * q
                        if here * q >= trim:
                            end[n] = level + order[place]
                            prob[n] = q
                            n += 1
                        else:
                            cut += here * q
        offset[i, len(start) - 1] = n - begin
    return n, cut


LANES = lanes_of(np.float64)


class ReachedRows(NamedTuple):
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
def pull_rows(
    sets: Ints1, successors: Ints1, before: ReachedRows, endings: TurnEnds, ends: Ends, rows: ReachedRows
) -> None:
    """Add to the rows of the states of `sets` what comes from the layer before through some successors.

    With an empty buffer, find instead where the rows begin (`low`) and how long they are.
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
    """Make room in a row for n numbers from `low` on, beside those it has."""
    if n > 0:
        lowest, length = to_low[line, plane], to_length[line, plane]
        begin = low if length == 0 else min(low, lowest)
        to_low[line, plane] = begin
        to_length[line, plane] = max(low + n, lowest + length if length else 0) - begin


@jit
def trim_rows(rows: ReachedRows, trim: float, visits: Floats1) -> Any:
    """Cut what is below `trim` off both ends of rows, and return the total; sum the rows of states in `visits`."""
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


# Tails are trimmed if the rows of a layer take more bytes than this; then what is below TRIM is cut.
TRIMMED_ABOVE = 4e9
TRIM = 1e-20
# How many categories layers are then split by.
SPLIT = 6
# The share of a layer's largest possible size that is in memory at once.
OF_LAYER, OF_SPLIT_LAYER = 0.25, 0.17


@lru_cache(maxsize=1)
def states_by_layer(space: StateSpace, start: State) -> list[int]:
    """Reachable states that include the start's filled categories, layer by layer."""
    boxes = start.filled & space.rules.all_filled
    layers = map(space.masks_of_layer, range(boxes.bit_count(), space.rules.n_categories + 1))
    return [int(space.reachable[space.row(m[m & boxes == boxes])].sum()) for m in layers]


def smallest_kept(space: StateSpace, start: State) -> float:
    """The probability below which the ends of rows are cut, on any machine; 0 for a game that fits easily."""
    rows = 8 * max(states_by_layer(space, start)) * highest_score(space.rules) // 2
    return TRIM if rows > TRIMMED_ABOVE else 0.0


def split_by(space: StateSpace, start: State) -> int:
    """How many of the last categories layers are split by."""
    return min(SPLIT, space.rules.n_categories) if smallest_kept(space, start) else 0


def check_memory(space: StateSpace, start: State) -> None:
    """Refuse a game whose largest layers would not fit into memory."""
    needed = memory_needed(space, start)
    rules, free = space.rules, free_memory()
    if free is not None and needed > free:
        memory = f"about {needed / 1e9:.0f} GB of memory and {free / 1e9:.0f} GB are free; simulate it instead"
        raise YatzyError("rules", why=f"the exact distribution of {rules.name} needs {memory}")


def memory_needed(space: StateSpace, start: State) -> int:
    """About how many bytes the visits of all states and the rows and ends of the largest layers take.

    Measured: optimal play comes to a third of the states, uses a third of the ends that their turns could have,
    and its rows are a quarter as long as the points they could hold.
    """
    rules = space.rules
    n_ends = outcomes(rules).n * (1 + rules.saves_throws * rules.n_categories // 3)
    share = OF_SPLIT_LAYER if split_by(space, start) else OF_LAYER
    layer = max(states_by_layer(space, start)) * (n_ends + highest_score(rules) // 2)
    return int(8 * (space.n_masks * space.n_uppers + share * layer))


def free_memory() -> int | None:
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


# Small enough for the cache, large enough that scheduling a chunk costs little.
SETS_PER_CHUNK = 64


@dataclass(frozen=True)
class ReachedLayer:
    """The states of a layer that play reaches, and what was cut from all rows so far.

    `by_outcome` (n_outcomes,) is the total of how their turns end; the last layer has `rows` instead.
    """

    states: States
    cut: float
    by_outcome: FloatArray | None = None
    rows: tuple[ReachedRows, ...] = ()


@dataclass
class Group:
    """States of a layer with the same of the last categories filled, their rows, and how their turns end."""

    states: States
    rows: ReachedRows
    endings: TurnEnds | None = None


class Inflow(NamedTuple):
    """A group of the layer before, and the successors (first, last + 1) through which it leads to another."""

    group: Group
    successors: IntArray


def walk_game(
    rules: Ruleset,
    exits_of: Exits,
    start: State | None = None,
    tracked: int = -1,
    context: Context = DEFAULT_CONTEXT,
    trim: float | None = None,
    split: int | None = None,
) -> Iterator[ReachedLayer]:
    """Follow play from a state to the end of the game, layer by layer.

    `exits_of` is called by several threads at once. By default `trim` (the probability below which rows are cut)
    and `split` (the number of categories that layers are split by) follow from the size of the game.
    """
    start, space = start or State(), state_space(rules)
    check_memory(space, start)
    trim = smallest_kept(space, start) if trim is None else trim
    split = split_by(space, start) if split is None else split
    boxes = start.filled & rules.all_filled
    n_turns = rules.n_categories - boxes.bit_count()
    with ThreadPoolExecutor(context.n_threads) as pool:
        walk = LayerWalk(space, ends_of(rules, tracked), exits_of, trim, split, pool)
        groups = walk.begin(start, 2 if tracked >= 0 else 1)
        for turn in range(n_turns):
            states, cut = _joined(groups), walk.cut
            sets = space.layers[rules.n_categories - n_turns + turn + 1]
            groups, by_outcome = walk.step(groups, sets[sets & boxes == boxes])
            yield ReachedLayer(states, cut, by_outcome)
            context.step(turn + 1, n_turns)
    yield ReachedLayer(_joined(groups), walk.cut, None, tuple(group.rows for group in groups.values()))


def _joined(groups: dict[int, Group]) -> States:
    filled, upper, visits = zip(*(group.states for group in groups.values()), strict=True)
    return np.concatenate(filled), np.concatenate(upper), np.concatenate(visits)


class LayerWalk:
    """Steps from a layer to the next; `cut` is the probability left out so far."""

    def __init__(
        self, space: StateSpace, ends: Ends, exits_of: Exits, trim: float, split: int, pool: ThreadPoolExecutor
    ) -> None:
        self.space, self.ends, self.exits_of, self.trim, self.split, self.pool = (
            space, ends, exits_of, trim, split, pool,
        )  # fmt: skip
        self.cut = 0.0
        self.by_outcome = np.zeros(len(ends.lift))

    def begin(self, start: State, n_planes: int) -> dict[int, Group]:
        """One state, with no points yet."""
        space, rules = self.space, self.space.rules
        sets, saved = np.array([start.filled & rules.n_sets - 1]), start.filled >> rules.saved_shift
        line = np.full((1, int(space.n_saved[sets[0]]) * space.n_uppers), -1, np.int32)
        line[0, saved * space.n_uppers + start.upper] = 0
        length = np.zeros((1, n_planes), np.int32)
        length[0, 0] = 1
        begin, n = room_of(length, 0)
        buffer = aligned((n,))
        buffer[0] = 1.0
        rows = ReachedRows(self._places([sets]), line, begin, np.zeros_like(length), length, buffer)
        states = np.array([start.filled]), np.array([start.upper]), np.ones(1)
        return {int(self._group_of(sets)[0]): Group(states, rows)}

    def step(self, before: dict[int, Group], sets: IntArray) -> tuple[dict[int, Group], FloatArray]:
        """The groups of the next layer, and how the turns of this one ended; consumes the groups before."""
        self.by_outcome = np.zeros(len(self.ends.lift))
        number = self._group_of(sets)
        by_group = [sets[number == group] for group in range(1 << self.split)]
        place = self._places(by_group)
        after = {}
        for group, mine in enumerate(by_group):
            pulled = self._pull_group(mine, place, self._sources(before, group)) if len(mine) else None
            # Play may come to none of the states of a group.
            if pulled and len(pulled.states[0]):
                after[group] = pulled
            for done in [g for g in before if self._last_use(g) == group]:
                del before[done]
        return after, self.by_outcome

    def _group_of(self, sets: IntArray) -> IntArray:
        n = self.space.rules.n_categories
        return np.asarray(sets >> n - self.split & (1 << self.split) - 1)

    def _last_use(self, group: int) -> int:
        """The last group of the next layer that a group leads to."""
        missing = ~group & (1 << self.split) - 1
        return group + (1 << missing.bit_length() - 1) if missing else group

    def _places(self, by_group: list[IntArray]) -> NDArray[np.int32]:
        """(n_sets,): the place of each set in its group."""
        place = np.full(self.space.rules.n_sets, -1, np.int32)
        for sets in by_group:
            place[sets] = np.arange(len(sets))
        return place

    def _sources(self, before: dict[int, Group], group: int) -> list[Inflow]:
        """What a group is pulled from, in the order of the successors; packs how turns end where needed."""
        n = self.space.rules.n_categories
        category = np.log2(self.ends.successors & self.space.rules.all_filled).astype(np.int64)
        ahead = [(group, np.searchsorted(category, [0, n - self.split]))]
        for c in range(n - self.split, n):
            bit = 1 << c - n + self.split
            if group & bit:
                ahead.append((group ^ bit, np.searchsorted(category, [c, c + 1])))
        found = [Inflow(before[g], successors) for g, successors in ahead if g in before]
        for source in found:
            if source.group.endings is None:
                self._end_turns(source.group)
        return found

    def _end_turns(self, group: Group) -> None:
        rules = self.space.rules
        found = pack_layer(rules, group.states, self.exits_of, self.ends, self.trim, self.pool)
        group.endings = found[0]
        self.by_outcome += found[1]
        self.cut += found[2]

    def _pull_group(self, sets: IntArray, place: NDArray[np.int32], sources: list[Inflow]) -> Group | None:
        """The states of some sets and their rows, a chunk at a time; None if nothing leads there."""
        if not sources:
            return None
        rules, n_uppers, n_saved = self.space.rules, self.space.n_uppers, int(self.space.n_saved[sets[0]])
        memory, lock = GrowableArray(np.float64), Lock()

        def pull(part: slice) -> tuple[IntArray, IntArray, FloatArray, ReachedRows, float]:
            index, slot, visits, rows, cut = self._pull_sets(sets[part], n_saved * n_uppers, sources)
            with lock:
                begin = memory.append(rows.buffer)
            moved = rows._replace(start=rows.start + begin, buffer=rows.buffer[:0])
            return part.start + index, slot, visits, moved, cut

        pieces = list(self.pool.map(pull, chunks(len(sets), max(1, SETS_PER_CHUNK // n_saved))))
        index, slot, visits = (np.concatenate([piece[i] for piece in pieces]) for i in range(3))
        start, low, length = (np.concatenate([piece[3][i] for piece in pieces]) for i in range(2, 5))
        self.cut += sum(piece[4] for piece in pieces)
        line = np.full((len(sets), n_saved * n_uppers), -1, np.int32)
        line[index, slot] = np.arange(len(index))
        filled = sets[index] | slot // n_uppers << rules.saved_shift
        rows = ReachedRows(place, line, start, low, length, memory.finish())
        return Group((filled, slot % n_uppers, visits), rows)

    def _pull_sets(
        self, sets: IntArray, n_slots: int, sources: list[Inflow]
    ) -> tuple[IntArray, IntArray, FloatArray, ReachedRows, float]:
        """States (set, slot, visits) of some sets, their rows in a buffer of their own, and what was cut."""
        n_planes = sources[0].group.rows.start.shape[1]
        line = np.arange(len(sets) * n_slots, dtype=np.int32).reshape(len(sets), n_slots)
        low, length = np.zeros((2, line.size, n_planes), np.int32)
        start = np.zeros(low.shape, np.int64)
        work = ReachedRows(sources[0].group.rows.place, line, start, low, length, aligned((0,)))
        for group, successors in sources:
            pull_rows(sets, successors, group.rows, cast("TurnEnds", group.endings), self.ends, work)
        reached = np.flatnonzero(length.any(axis=1))
        index, slot = np.divmod(reached, n_slots)
        low, length = low[reached], length[reached]
        line = np.full((len(sets), n_slots), -1, np.int32)
        line[index, slot] = np.arange(len(index))
        # Rows are written in whole lanes that may begin anywhere.
        start, n = room_of(length, LANES)
        work = work._replace(line=line, start=start, low=low, length=length, buffer=aligned((n,)))
        for group, successors in sources:
            pull_rows(sets, successors, group.rows, cast("TurnEnds", group.endings), self.ends, work)
        visits = np.zeros(len(index))
        cut = trim_rows(work, self.trim, visits)
        kept = length.any(axis=1)
        to_start, n = room_of(length[kept], 0)
        buffer = aligned((n,))
        move_rows(start[kept], length[kept], work.buffer, to_start, buffer)
        rows = work._replace(start=to_start, low=low[kept], length=length[kept], buffer=buffer)
        return index[kept], slot[kept], visits[kept], rows, cut
