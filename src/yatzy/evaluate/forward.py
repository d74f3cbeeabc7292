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
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, aligned
from yatzy.evaluate.endings import Endings, Ends, Exits, States, endings_of, ends_of
from yatzy.evaluate.growing import Growing
from yatzy.evaluate.memory import check_memory, smallest_kept, split_by
from yatzy.evaluate.rows import LANES, Rows, move_rows, pull_rows, room_of, trim_rows
from yatzy.rules import Ruleset, State
from yatzy.running import Progress, check_threads, chunks
from yatzy.solver.states import StateSpace, state_space

# Small enough for the cache, large enough that handing out a chunk costs little.
SETS_PER_CHUNK = 64


@dataclass(frozen=True)
class Layer:
    """The states of a layer that play reaches, and what was cut from all rows so far.

    `by_outcome` (n_outcomes,) is how their turns end, all in all; a finished game has `rows` instead.
    """

    states: States
    cut: float
    by_outcome: FloatArray | None = None
    rows: tuple[Rows, ...] = ()


@dataclass
class Group:
    """States of a layer with the same of the last categories filled, their rows, and how their turns end."""

    states: States
    rows: Rows
    endings: Endings | None = None


class Source(NamedTuple):
    """A group of the layer before, and the successors (first, last + 1) through which it leads to another."""

    group: Group
    successors: IntArray


def walk_game(
    rules: Ruleset,
    exits_of: Exits,
    start: State | None = None,
    tracked: int = -1,
    threads: int | None = None,
    progress: Progress | None = None,
    trim: float | None = None,
    split: int | None = None,
) -> Iterator[Layer]:
    """Follow play from a state to the end of the game, layer by layer.

    `exits_of` is asked by several threads at once. What is too small to keep (`trim`) and how many categories
    layers are split by are found from the size of the game if they are not given.
    """
    start, space = start or State(), state_space(rules)
    check_memory(space, start)
    trim = smallest_kept(space, start) if trim is None else trim
    split = split_by(space, start) if split is None else split
    boxes = start.filled & rules.all_filled
    n_turns = rules.n_categories - boxes.bit_count()
    with ThreadPoolExecutor(check_threads(threads)) as pool:
        walk = Walk(space, ends_of(rules, tracked), exits_of, trim, split, pool)
        groups = walk.begin(start, 2 if tracked >= 0 else 1)
        for turn in range(n_turns):
            states, cut = _joined(groups), walk.cut
            sets = space.layers[rules.n_categories - n_turns + turn + 1]
            groups, by_outcome = walk.step(groups, sets[sets & boxes == boxes])
            yield Layer(states, cut, by_outcome)
            if progress:
                progress(turn + 1, n_turns)
    yield Layer(_joined(groups), walk.cut, None, tuple(group.rows for group in groups.values()))


def _joined(groups: dict[int, Group]) -> States:
    filled, upper, visits = zip(*(group.states for group in groups.values()), strict=True)
    return np.concatenate(filled), np.concatenate(upper), np.concatenate(visits)


class Walk:
    """One step after another from a layer to the next; `cut` is what was left out so far."""

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
        rows = Rows(self._places([sets]), line, begin, np.zeros_like(length), length, buffer)
        states = np.array([start.filled]), np.array([start.upper]), np.ones(1)
        return {int(self._group_of(sets)[0]): Group(states, rows)}

    def step(self, before: dict[int, Group], sets: IntArray) -> tuple[dict[int, Group], FloatArray]:
        """The groups of the next layer, and how the turns of this one ended; the groups before are used up."""
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
        """The last group of the next layer that this one leads to."""
        missing = ~group & (1 << self.split) - 1
        return group + (1 << missing.bit_length() - 1) if missing else group

    def _places(self, by_group: list[IntArray]) -> NDArray[np.int32]:
        """(n_sets,): the place of each set in its group."""
        place = np.full(self.space.rules.n_sets, -1, np.int32)
        for sets in by_group:
            place[sets] = np.arange(len(sets))
        return place

    def _sources(self, before: dict[int, Group], group: int) -> list[Source]:
        """What a group is pulled from, in the order of the successors; finds how turns end where needed."""
        n = self.space.rules.n_categories
        category = np.log2(self.ends.successors & self.space.rules.all_filled).astype(np.int64)
        ahead = [(group, np.searchsorted(category, [0, n - self.split]))]
        for c in range(n - self.split, n):
            bit = 1 << c - n + self.split
            if group & bit:
                ahead.append((group ^ bit, np.searchsorted(category, [c, c + 1])))
        found = [Source(before[g], successors) for g, successors in ahead if g in before]
        for source in found:
            if source.group.endings is None:
                self._end_turns(source.group)
        return found

    def _end_turns(self, group: Group) -> None:
        rules = self.space.rules
        found = endings_of(rules, group.states, self.exits_of, self.ends, self.trim, self.pool)
        group.endings = found[0]
        self.by_outcome += found[1]
        self.cut += found[2]

    def _pull_group(self, sets: IntArray, place: NDArray[np.int32], sources: list[Source]) -> Group | None:
        """The states of some sets and their rows, a chunk at a time; none if nothing leads there."""
        if not sources:
            return None
        rules, n_uppers, n_saved = self.space.rules, self.space.n_uppers, int(self.space.n_saved[sets[0]])
        memory, lock = Growing(np.float64), Lock()

        def pull(part: slice) -> tuple[IntArray, IntArray, FloatArray, Rows, float]:
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
        rows = Rows(place, line, start, low, length, memory.finish())
        return Group((filled, slot % n_uppers, visits), rows)

    def _pull_sets(
        self, sets: IntArray, n_slots: int, sources: list[Source]
    ) -> tuple[IntArray, IntArray, FloatArray, Rows, float]:
        """States (set, slot, visits) of some sets, their rows in a buffer of their own, and what was cut."""
        n_planes = sources[0].group.rows.start.shape[1]
        line = np.arange(len(sets) * n_slots, dtype=np.int32).reshape(len(sets), n_slots)
        low, length = np.zeros((2, line.size, n_planes), np.int32)
        start = np.zeros(low.shape, np.int64)
        work = Rows(sources[0].group.rows.place, line, start, low, length, aligned((0,)))
        for group, successors in sources:
            pull_rows(sets, successors, group.rows, group.endings, self.ends, work)
        reached = np.flatnonzero(length.any(axis=1))
        index, slot = np.divmod(reached, n_slots)
        low, length = low[reached], length[reached]
        line = np.full((len(sets), n_slots), -1, np.int32)
        line[index, slot] = np.arange(len(index))
        # Rows are written in whole lanes that may begin anywhere.
        start, n = room_of(length, LANES)
        work = work._replace(line=line, start=start, low=low, length=length, buffer=aligned((n,)))
        for group, successors in sources:
            pull_rows(sets, successors, group.rows, group.endings, self.ends, work)
        visits = np.zeros(len(index))
        cut = trim_rows(work, self.trim, visits)
        kept = length.any(axis=1)
        to_start, n = room_of(length[kept], 0)
        buffer = aligned((n,))
        move_rows(start[kept], length[kept], work.buffer, to_start, buffer)
        rows = work._replace(start=to_start, low=low[kept], length=length[kept], buffer=buffer)
        return index[kept], slot[kept], visits[kept], rows, cut
