"""Where the rows of a goal are in memory: see `goals`."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.context import chunks
from yatzy.rules import Ruleset, State
from yatzy.solver.goal import Goal
from yatzy.solver.states import StateSpace, state_space
from yatzy.turn.outcomes import Outcomes, outcomes

# Rows of a duel extend this many standard deviations to both sides of an even lead, and at least this far.
DEVIATIONS, AT_LEAST = 4.2, 24
ROWS_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class GoalLayout:
    """Where the rows of a goal are: one for every state that can follow `first`, shared if the bonus is lost.

    `row` (n_sets, n_uppers) is a state's row, -1 if it has none. Row r begins at `start[r]` with y = `lowest[r]`
    and has `length[r]` numbers, with `left` numbers of padding before it and `right` after it. In a duel it has a
    line for each cluster of the opponent's card, one `room` apart.
    """

    rules: Ruleset
    goal: Goal
    first: State
    width: int

    @cached_property
    def space(self) -> StateSpace:
        return state_space(self.rules)

    @cached_property
    def ends(self) -> Outcomes:
        return outcomes(self.rules)

    @cached_property
    def sets(self) -> IntArray:
        """The sets that can follow, ordered by layer."""
        space, boxes = self.space, self.first.filled
        wanted = space.possible & (space.sets & boxes == boxes)
        for category_id in self.rules.flagged:
            if boxes >> category_id & 1:
                wanted &= (space.sets ^ boxes) & self.rules.flag_of(category_id) == 0
        sets = space.sets[wanted]
        return np.asarray(sets[np.argsort(space.n_filled[sets], kind="stable")])

    @cached_property
    def open_points(self) -> IntArray:
        """(rows,): the most that the open categories can bring."""
        bits = np.arange(self.rules.n_categories)
        is_open = 1 - (self.space.sets[:, None] >> bits & 1)
        return np.asarray(is_open @ self.ends.most_points)[self.set_of_row]

    @cached_property
    def lowest(self) -> IntArray:
        """(rows,): y at which rows begin."""
        if self.goal.opponent:
            return np.asarray(-np.rint(self.to_come).astype(np.int64) - self._reach[self.n_filled])
        if self.goal.is_reach:
            return np.asarray(-(self.open_points + self.rules.bonus))
        return np.zeros(len(self.set_of_row), np.int64)

    @cached_property
    def length(self) -> IntArray:
        """(rows,): numbers in a row."""
        if self.goal.opponent:
            return 2 * self._reach[self.n_filled]
        if self.goal.is_reach:
            return 1 - self.lowest
        return int(self.ends.most_points.sum()) - self.open_points + 1

    @cached_property
    def _reach(self) -> IntArray:
        """(n_categories + 1,): how far rows of a duel extend from an even lead, by filled categories."""
        opponent, n = self.goal.opponent, self.rules.n_categories
        assert opponent is not None
        to_come = [sum(one.variance for one in opponent.rounds[k:]) for k in range(n + 1)]
        # Both players have the same number of turns to come.
        needed = [DEVIATIONS * math.sqrt(2 * variance) + AT_LEAST for variance in to_come]
        found = [math.ceil(half / self.width) * self.width for half in needed]
        for k in range(1, n + 1):
            # Never much shorter than the row before, from which a turn leads to this one.
            found[k] = max(found[k], found[k - 1] - self.width)
        return np.array(found)

    @cached_property
    def to_come(self) -> FloatArray:
        """(rows,): the value under play for the mean; for states of a lost bonus, at one of their totals."""
        table = self.goal.opponent.table if self.goal.opponent else self.goal.table
        assert table is not None
        reached = self.space.reachable_by_upper_set[self.space.upper_set[self.set_of_row]]
        occurs = reached[np.arange(len(reached)), self.upper_of_row]
        upper = np.where(occurs, self.upper_of_row, reached.argmax(axis=1))
        return np.asarray(table.stored[self.set_of_row, upper], np.float64)

    @cached_property
    def _room(self) -> int:
        """Padding of the rows of a duel: more than any turn changes an expected score."""
        most = 0.0
        for part in chunks(len(self.set_of_row), ROWS_AT_ONCE):
            rows = np.arange(part.start, part.stop)
            to_row, is_open = self._rows_after(rows)
            moved = self.ends.points + self.to_come[to_row] - self.to_come[rows][:, None]
            most = max(most, float(np.abs(moved[is_open]).max(initial=0.0)))
        # A row is at most a lane vector shorter than the one before it, and both are rounded.
        return math.ceil(most) + self.width + 2

    @property
    def left(self) -> int:
        if self.goal.opponent:
            return self._room
        return int(self.ends.most_points.max()) if self.goal.is_reach else 0

    @property
    def right(self) -> int:
        if self.goal.opponent:
            return self.width + self._room
        return self.width + (int(self.ends.points.max()) if self.goal.is_reach else 0)

    @cached_property
    def _numbered(self) -> tuple[NDArray[np.int32], IntArray, IntArray]:
        """`row`, and the set and upper total of each row."""
        space, sets = self.space, self.sets
        reached = space.reachable_by_upper_set[space.upper_set[sets]] & (
            np.arange(space.n_uppers) >= self.first.upper
        )
        low = space.lowest_upper[sets]
        uppers = np.arange(space.n_uppers)
        lost = np.asarray(reached & (uppers <= low[:, None]))
        own = np.asarray(reached & ~lost)
        has_lost = np.asarray(lost.any(axis=1))
        own[np.arange(len(sets)), low] = has_lost
        line, upper = np.nonzero(own)
        row = np.full((self.rules.n_sets, space.n_uppers), -1, np.int32)
        numbers = np.arange(len(line), dtype=np.int32)
        row[sets[line], upper] = numbers
        # Every total of a lost bonus has the row of its class, reachable or not.
        in_class = (uppers <= low[:, None]) & has_lost[:, None]
        row[sets] = np.where(in_class, row[sets, low][:, None], row[sets])
        return row, sets[line], upper

    @property
    def row(self) -> NDArray[np.int32]:
        return self._numbered[0]

    @property
    def set_of_row(self) -> IntArray:
        return self._numbered[1]

    @property
    def upper_of_row(self) -> IntArray:
        return self._numbered[2]

    @cached_property
    def n_filled(self) -> IntArray:
        """(rows,): how many categories are filled."""
        return np.asarray(self.space.n_filled[self.set_of_row])

    @cached_property
    def start(self) -> IntArray:
        """(rows,): where rows begin. Before the first is -inf, for closed categories."""
        taken = self.room * self.n_clusters
        nowhere = int(self.length.max()) + self.width
        return np.asarray(nowhere + np.cumsum(taken) - taken + self.left)

    @cached_property
    def room(self) -> IntArray:
        """(rows,): the size of a line with its padding."""
        return np.asarray(self.left + self.length + self.right)

    @cached_property
    def n_clusters(self) -> IntArray:
        """(rows,): lines of a row."""
        opponent = self.goal.opponent
        if opponent is None:
            return np.ones(len(self.n_filled), np.int64)
        by_layer = [opponent.n_clusters(n) for n in range(self.rules.n_categories + 1)]
        return np.array(by_layer)[self.n_filled]

    @cached_property
    def n_numbers(self) -> int:
        last = -1
        return int(self.start[last] - self.left + self.n_clusters[last] * self.room[last])

    def layer(self, n_filled: int) -> slice:
        """The rows of a layer."""
        begin, end = np.searchsorted(self.n_filled, [n_filled, n_filled + 1])
        return slice(int(begin), int(end))

    def moves_after(self, rows: IntArray) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
        """(rows, n_outcomes): the row after each outcome, where in it the lowest y of this row is, and whether its
        category is open.
        """
        to_row, is_open = self._rows_after(rows)
        return to_row, self.lowest[rows][:, None] + self.ends.points - self.lowest[to_row], is_open

    def _rows_after(self, rows: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
        """(rows, n_outcomes): the row after each outcome, and whether its category is open."""
        ends = self.ends
        sets, upper = self.set_of_row[rows][:, None], self.upper_of_row[rows][:, None]
        after, to_upper = ends.after(sets, upper, np.arange(ends.n))
        return np.asarray(self.row[after, to_upper]), ends.is_open(self.set_of_row[rows]).T
