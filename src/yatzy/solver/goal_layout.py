"""What a player may want of the final score, and where the rows of such a goal are in memory: see `goals`."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, read_only
from yatzy.context import chunks
from yatzy.errors import YatzyError
from yatzy.game.aim import check_theta
from yatzy.rules import Ruleset, State
from yatzy.solver.states import StateSpace, state_space
from yatzy.solver.table import ValueTable
from yatzy.turn.outcomes import Outcomes, outcomes

# Rows of a duel extend this many standard deviations to both sides of an even lead, and at least this far.
DEVIATIONS, AT_LEAST = 4.2, 24
ROWS_AT_ONCE = 1 << 14
# Small enough to decide only ties, large enough for float64 to resolve a mean to a millionth.
PRICE = 1e-9


class Round(NamedTuple):
    """How an expected score changes in a round: chance[a, b, i] is that of `lowest` + i points and cluster b
    afterwards, given cluster a before; `weights` are the chances of the clusters before.
    """

    weights: FloatArray
    lowest: int
    chance: FloatArray

    @property
    def points(self) -> IntArray:
        return self.lowest + np.arange(self.chance.shape[2])

    @property
    def variance(self) -> float:
        return float(self.weights @ self.chance.sum(axis=1) @ self.points**2)


@dataclass(frozen=True, eq=False)
class OpponentModel:
    """An opponent who plays for the mean by `table`: his expected final score changes in every round.

    The change depends on the cluster of his card; `clusters` (n_sets, n_uppers) has that of every card.
    """

    table: ValueTable = field(repr=False)
    rounds: tuple[Round, ...] = field(repr=False)
    clusters: NDArray[np.uint8] = field(repr=False)
    moves_first: bool = True

    def round_after(self, n_filled: int) -> Round | None:
        """His round after my turn that fills the n-th category, if any."""
        number = n_filled + self.moves_first
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None

    def n_clusters(self, n_filled: int) -> int:
        """The number of clusters of his card when it is my turn with n categories filled."""
        played = n_filled + self.moves_first
        return len(self.rounds[played].weights) if played < len(self.rounds) else 1


@dataclass(frozen=True, eq=False)
class Goal:
    """What a player wants of the final score, for `yatzy.solve(goal=...)` and `yatzy.from_here`.

    >>> from yatzy.solver.goal_layout import reach, risk
    >>> reach().name, risk(0.05).theta
    ('reach', 0.05)

    Functions of `yatzy.solver.goal_layout` make them: `mean()`, `risk(theta)`, `reach()` (the greatest chance of
    any target), `cheapest_reach(table)`, `utility(worths)` (any worth of the final score) and `duel(opponent)`.
    """

    name: str
    worths: NDArray[np.float64] | None = field(default=None, repr=False)
    opponent: OpponentModel | None = None
    theta: float | None = None
    # The value of a point beside the chance, and the table of play for the mean.
    price: float = 0.0
    table: ValueTable | None = field(default=None, repr=False)

    @property
    def is_reach(self) -> bool:
        return self.is_chance and self.opponent is None

    @property
    def is_chance(self) -> bool:
        """Whether values are chances: 0 before a row and 1 after it."""
        return self.worths is None and self.theta is None

    @property
    def is_rising(self) -> bool:
        """Whether more points are never worse."""
        return self.worths is None or bool((np.diff(self.worths) >= 0).all())

    def worth(self, y: IntArray) -> NDArray[Any]:
        """The utility of finished games, by y with the bonus."""
        if self.worths is not None:
            return np.asarray(self.worths[np.minimum(y, len(self.worths) - 1)])
        if self.opponent is not None:
            return np.asarray((np.sign(y) + 1) / 2)
        return np.asarray((y >= 0) + self.price * y)


def mean() -> Goal:
    """The greatest expected score."""
    return Goal("mean", theta=0.0)


def risk(theta: float) -> Goal:
    """The greatest mean of exp(theta * score): positive seeks risk, negative avoids it."""
    return Goal("risk", theta=check_theta(theta))


def reach() -> Goal:
    """The greatest chance of at least a target, for all targets at once."""
    return Goal("reach")


def cheapest_reach(table: ValueTable) -> Goal:
    """The greatest chance of a target and, among plays with that chance, the highest mean.

    F = chance + PRICE * (mean - target), for all targets at once; it needs float64.
    """
    return Goal("cheapest-reach", price=PRICE, table=table)


def utility(worths: Any, name: str = "utility") -> Goal:
    """The greatest mean of worths[final score]; scores past the end count as the last."""
    numbers = np.asarray(worths, dtype=np.float64)
    if numbers.ndim != 1 or not len(numbers) or not np.isfinite(numbers).all():
        raise YatzyError("worths", why="is not a list of finite numbers, one for each score from 0 up")
    return Goal(name, read_only(numbers))


def duel(opponent: OpponentModel) -> Goal:
    """The greatest chance to beat an opponent who plays for the mean; a tie is half a win."""
    return Goal(f"duel-{'second' if opponent.moves_first else 'first'}", opponent=opponent)


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
