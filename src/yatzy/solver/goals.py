"""Goals other than the mean: reach a target, or any worth of the final score. One solver for all of them.

A player with points x on the card in state s plays for E[U(final score)]. With y = x + constant,

    F(s, y)   = sum over rolls r of P(r) * best(r, rerolls)
    best(r,0) = max over outcomes o of r of F(s after o, y + points(o)),    best(r, n) as for the mean
    F(all, y) = U(y, + bonus if the upper total has reached the threshold)

which is the turn of `solve` with other rows: lanes run over y instead of the upper total, and an outcome reads the
row of the state after it, moved by its points. Nothing is added and nothing multiplied.

*Reach*: y = -need, the points still missing to a target with a minus sign, and U = 1 where y + bonus >= 0. Then F
is the greatest chance to reach the target, for every state and every need at once. Needs that no play can meet
have chance 0 and needs of none chance 1: rows cover only what lies between, padded with zeros and ones.

*Utility*: y = x, and U any function of the final score. Rows cover all points that the filled boxes can hold.

States in which the bonus is lost share a row, as in `states`. From a state only sets that include it can follow,
so a situation late in the game is solved by itself, in a moment (`start` of `solve_goal`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, aligned, lanes_of, read_only
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, State, ruleset
from yatzy.running import Progress, as_they_finish, check_threads
from yatzy.solver.states import StateSpace, state_space
from yatzy.turn.outcomes import Outcomes, outcomes
from yatzy.turn.tables import goal_code, special_options, work_buffer

ROWS_PER_CHUNK = 512
# More than any game of five dice needs.
MOST_BYTES = 6_000_000_000


@dataclass(frozen=True, eq=False)
class Goal:
    """What a player wants of the final score: use `reach()` or `utility(worths)`."""

    name: str
    worths: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def is_reach(self) -> bool:
        return self.worths is None

    @property
    def is_rising(self) -> bool:
        """Whether more points are never worse."""
        return self.worths is None or bool((np.diff(self.worths) >= 0).all())


def reach() -> Goal:
    """The greatest chance of at least a target, for all targets at once."""
    return Goal("reach")


def utility(worths: Any, name: str = "utility") -> Goal:
    """The greatest mean of worths[final score]; scores past the end are worth as much as the last."""
    numbers = np.asarray(worths, dtype=np.float64)
    if numbers.ndim != 1 or not len(numbers) or not np.isfinite(numbers).all():
        raise YatzyError("worths: not a list of finite numbers, one for each score from 0 on")
    return Goal(name, read_only(numbers))


@dataclass(frozen=True)
class Rows:
    """Where the rows of a goal lie: one for every state that can still follow, classes of a lost bonus together.

    `row` (n_sets, n_uppers) is a state's row, -1 where there is none; a row begins at `start[row]` with y =
    `lowest[set]` and goes on for `length[set]`; before it lie `left` numbers, after it `right`.
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
        """Sets that can follow, by layer."""
        space, boxes = self.space, self.first.filled
        wanted = space.possible & (space.sets & boxes == boxes)
        for category_id in self.rules.flagged:
            if boxes >> category_id & 1:
                wanted &= (space.sets ^ boxes) & self.rules.flag_of(category_id) == 0
        sets = space.sets[wanted]
        return np.asarray(sets[np.argsort(space.n_filled[sets], kind="stable")])

    @cached_property
    def open_points(self) -> IntArray:
        """(n_sets,): the most that the open categories can bring."""
        bits = np.arange(self.rules.n_categories)
        is_open = 1 - (self.space.sets[:, None] >> bits & 1)
        return np.asarray(is_open @ self.ends.most_points)

    @cached_property
    def lowest(self) -> IntArray:
        """(n_sets,): y at which rows begin."""
        if self.goal.is_reach:
            return np.asarray(-(self.open_points + self.rules.bonus))
        return np.zeros(self.rules.n_sets, np.int64)

    @cached_property
    def length(self) -> IntArray:
        """(n_sets,): numbers in a row."""
        if self.goal.is_reach:
            return 1 - self.lowest
        return int(self.ends.most_points.sum()) - self.open_points + 1

    @property
    def left(self) -> int:
        return int(self.ends.most_points.max()) if self.goal.is_reach else 0

    @property
    def right(self) -> int:
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
        # Any total of a lost bonus will do for the class, whether it can occur or not.
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
    def start(self) -> IntArray:
        """(rows,): where rows begin. What lies first is for categories that may not be filled: minus infinity."""
        room = self.left + self.length[self.set_of_row] + self.right
        nowhere = int(self.length[self.sets].max()) + self.width
        return np.asarray(nowhere + np.cumsum(room) - room + self.left)

    @cached_property
    def n_numbers(self) -> int:
        last = -1
        return int(self.start[last] + self.length[self.set_of_row[last]] + self.right)

    def layer(self, n_filled: int) -> slice:
        """The rows of a layer."""
        begin, end = np.searchsorted(self.space.n_filled[self.set_of_row], [n_filled, n_filled + 1])
        return slice(int(begin), int(end))

    def starts_after(self, rows: IntArray) -> IntArray:
        """(rows, n_outcomes): where the values after each outcome begin, for the lowest y of the row."""
        ends = self.ends
        sets, upper = self.set_of_row[rows][:, None], self.upper_of_row[rows][:, None]
        after, to_upper = ends.after(sets, upper, np.arange(ends.n))
        begin = self.start[self.row[after, to_upper]] + self.lowest[sets] + ends.points - self.lowest[after]
        return np.where(ends.is_open(self.set_of_row[rows]).T, begin, 0)


@dataclass(frozen=True, eq=False)
class GoalTable:
    """A solved goal: what the best play gives in any state that follows `rows.first`, with any points so far."""

    rows: Rows
    values: NDArray[Any]

    @property
    def rules(self) -> Ruleset:
        return self.rows.rules

    @property
    def goal(self) -> Goal:
        return self.rows.goal

    def value(self, state: State, y: int) -> float:
        """F(state, y)."""
        return float(self.row_values(state, y, 1)[0])

    def row_values(self, state: State, first: int, n: int) -> NDArray[Any]:
        """F(state, y) for y from `first` on."""
        of_set = state.filled & self.rules.n_sets - 1
        row = int(self.rows.row[of_set, state.upper])
        if row < 0:
            self.rows.space.check(state.filled, state.upper)
            raise YatzyError("filled: this table was solved from a state that does not lead there")
        place = first + np.arange(n) - self.rows.lowest[of_set]
        length = int(self.rows.length[of_set])
        found = self.values[self.rows.start[row] + np.clip(place, 0, length - 1)]
        if not self.goal.is_reach:
            return np.asarray(found)
        return np.where(place < 0, 0.0, np.where(place >= length, 1.0, found))

    def chance(self, target: int, state: State | None = None, points: int = 0) -> float:
        """The greatest chance of a final score of at least `target`; `points` are those in the boxes."""
        if not self.goal.is_reach:
            raise YatzyError(f"goal: a chance belongs to the goal reach, not to {self.goal.name}")
        return self.value(state or State(), points - target)


def solve_goal(
    rules: str | Ruleset,
    goal: Goal,
    start: State | None = None,
    precision: str = "float32",
    threads: int | None = None,
    progress: Progress | None = None,
    draft: bool = False,
) -> GoalTable:
    """Solve a goal for every state that can follow `start` (all of them without it) and all points so far.

    float32 gives chances to within 1e-6; float64 takes twice the time and memory.
    """
    game = ruleset(rules)
    if game.saves_throws:
        raise YatzyError(f"rules: goals are for games that save no throws, not for {game.name}")
    first = start or State()
    state_space(game).check(first.filled, first.upper)
    rows = Rows(game, goal, first, lanes_of(precision))
    needed = rows.n_numbers * np.dtype(precision).itemsize
    if needed > MOST_BYTES:
        raise YatzyError(
            f"rules: the chances of {game.name} from here need {needed / 1e9:.0f} GB; allowed are "
            f"{MOST_BYTES / 1e9:.0f} (later in the game they need less)"
        )
    values = aligned((rows.n_numbers,), precision)
    values[: int(rows.start[0]) - rows.left] = -np.inf
    _finish_games(rows, values)
    code = goal_code(game, precision, draft, goal.is_rising)
    done, total = 0, int(rows.length[rows.set_of_row].sum())
    for solved in _solve_layers(rows, values, code, precision, check_threads(threads)):
        done += int(rows.length[rows.set_of_row[solved]].sum())
        if progress:
            progress(done, total)
    return GoalTable(rows, read_only(values))


def _finish_games(rows: Rows, values: NDArray[Any]) -> None:
    """Rows of finished games; and, for reach, the ones after every row (the zeros before it are there)."""
    rules = rows.rules
    for row in range(*rows.layer(rules.n_categories).indices(len(rows.set_of_row))):
        of_set = rows.set_of_row[row]
        y = rows.lowest[of_set] + np.arange(rows.length[of_set])
        y = y + (rules.bonus if rows.upper_of_row[row] >= rules.bonus_threshold else 0)
        begin = rows.start[row]
        worths = rows.goal.worths
        values[begin : begin + len(y)] = y >= 0 if worths is None else worths[np.minimum(y, len(worths) - 1)]
    if rows.goal.is_reach:
        ends = rows.start + rows.length[rows.set_of_row]
        for place in range(rows.right):
            values[ends + place] = 1.0


def _solve_layers(rows: Rows, values: NDArray[Any], code: Any, precision: str, threads: int) -> Iterator[IntArray]:
    rules = rows.rules
    options = special_options(rules)
    weights = np.ones(rows.ends.n, precision), np.zeros(rows.ends.n, precision)

    def solve_rows(numbers: IntArray) -> IntArray:
        sets = rows.set_of_row[numbers]
        ends = rows.start[numbers] + rows.length[sets]
        after = values[ends[:, None] + np.arange(rows.right)]
        n_blocks = -(-rows.length[sets] // rows.width)
        code.values(
            rows.starts_after(numbers), n_blocks, values, weights, work_buffer(rules, precision), options[sets],
            rows.start[numbers], values, rules.rerolls + 1,
        )  # fmt: skip
        # The last block of a row may reach past its end: what stood there is put back.
        values[ends[:, None] + np.arange(rows.right)] = after
        return numbers

    for n_filled in range(rules.n_categories - 1, -1, -1):
        layer = rows.layer(n_filled)
        numbers = np.arange(layer.start, layer.stop)
        if len(numbers):
            parts = np.array_split(numbers, -(-len(numbers) // ROWS_PER_CHUNK))
            yield from as_they_finish(solve_rows, parts, threads)
