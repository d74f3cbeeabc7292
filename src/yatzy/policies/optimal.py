"""Optimal play: the best action of a solved table, for any theta; ties go to the lowest id.

Play for a goal (`PlaysFor`), such as a target or any worth of the final score, sees the points on the card:

    utility of an outcome = F(state after, y + points) + POINT_PRICE * (points + V(state after))

with F the goal's table (`solver.goals`) and V the values of play for the mean. The second term decides between
actions that are equal for the goal, above all when it is out of reach or safe.
"""

import hashlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import Bools1, FloatArray, Floats1, Floats2, IntArray, read_only
from yatzy.errors import YatzyError
from yatzy.game.aim import check_target
from yatzy.policies.policy import Decisions, by_level, empty_decisions
from yatzy.rules import Ruleset
from yatzy.solver.goals import GoalTable
from yatzy.solver.table import ValueTable, check_table
from yatzy.turn.kernels.decisions import decide_from_utilities, decide_states
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.outcomes import outcomes
from yatzy.turn.probability import exits_from_utilities, exits_of_best
from yatzy.turn.tables import Effects, continuation_of, effects, turn_scratch, turn_tables
from yatzy.turn.values import after


@dataclass(frozen=True)
class Optimal:
    """Plays the best action for the table's theta."""

    table: ValueTable

    @property
    def name(self) -> str:
        return "optimal" if self.table.theta == 0 else f"optimal, theta {self.table.theta!r}"

    @property
    def rules(self) -> Ruleset:
        return self.table.rules

    @property
    def content(self) -> bytes:
        """See `HasContent`."""
        # A digest: the table may be larger than memory.
        return (
            repr(self.table.theta).encode() + hashlib.sha256(np.ascontiguousarray(self.table.stored).data).digest()
        )

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        return best_decisions(self.rules, self.table.stored, self.table.theta, filled, upper)

    def add_exits(self, filled: IntArray, upper: IntArray, exits: FloatArray) -> None:
        """How the turns of these states end: see `HasTurnOutcomes`."""
        add_best_exits(self.rules, self.table.stored, self.table.theta, filled, upper, exits)


def best_decisions(
    rules: Ruleset, stored: NDArray[np.float64], theta: float, filled: IntArray, upper: IntArray
) -> Decisions:
    """The best decisions if states after the turn are worth `stored` (n_masks, n_uppers)."""
    precision = stored.dtype.name
    decisions = empty_decisions(rules, filled)
    decide_states(
        np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64),
        turn_tables(rules, precision), continuation_of(rules, stored, theta), by_level(decisions.category),
        decisions.keep, turn_scratch(rules, precision),
    )  # fmt: skip
    return decisions


def add_best_exits(
    rules: Ruleset, stored: NDArray[Any], theta: float, filled: IntArray, upper: IntArray, exits: FloatArray
) -> None:
    """Add to `exits` (see `HasTurnOutcomes`) how turns end under the best decisions, without listing them."""
    exits_of_best(
        np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64),
        turn_tables(rules), continuation_of(rules, np.asarray(stored, np.float64), theta), exits,
        turn_scratch(rules),
    )  # fmt: skip


# What a point to come is worth where goals are equal.
POINT_PRICE = 1e-9


class GoalRows(NamedTuple):
    """A goal's table as kernels read it: see `solver.goal_layout.GoalLayout`."""

    row: NDArray[np.int32]
    start: IntArray
    room: IntArray
    lowest: IntArray
    left: int
    values: NDArray[Any]


class Positions(NamedTuple):
    """n situations before a turn: states, y of the goal (see `solver.goals`), and the card that has the runs."""

    filled: IntArray
    upper: IntArray
    y: IntArray
    card: IntArray


class Mean(NamedTuple):
    """Points to come in play for the mean, by state, and what one point adds to a utility."""

    to_come: NDArray[Any]
    price: float


class Runs(NamedTuple):
    """What may be added to y before the next turn, for some cards: card c has runs first[c] to first[c + 1].

    Run r is for cards of cluster[r]: it adds y[r] + j with the chance chance[begin[r] + j], up to begin[r + 1].
    """

    first: IntArray
    cluster: IntArray
    y: IntArray
    begin: IntArray
    chance: FloatArray


NOTHING = Runs(np.array([0, 1]), np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([0, 1]), np.ones(1))


@dataclass(frozen=True, eq=False)
class PlaysFor:
    """The best play for a goal that was solved for the whole game; `table` breaks ties.

    `target` is for the goal reach only. Duels are played by `policies.duel.Duelist`.
    """

    goals: GoalTable
    table: ValueTable
    target: int | None = None

    def __post_init__(self) -> None:
        goal = self.goals.goal
        check_table(self.table)
        if self.goals.rules != self.table.rules:
            raise YatzyError("table", why=f"is for {self.table.rules.name}, the goal for {self.goals.rules.name}")
        if goal.opponent:
            raise YatzyError("goal", why="a duel is played with both cards in view, by a Duelist")
        if goal.is_reach and self.target is None:
            raise YatzyError("target", why="the goal reach needs one")
        if self.target is not None:
            check_target(self.rules, self.target)
        if self.target is not None and not goal.is_reach:
            raise YatzyError("target", why=f"is for the goal reach, not for {goal.name}")
        if self.goals.rows.first.filled:
            raise YatzyError("goal", why="to be played it must be solved from the start")
        if not goal.is_rising:
            raise YatzyError("goal", why=f"{goal.name} cannot be played: more points must never be worse")

    @property
    def name(self) -> str:
        goal = self.goals.goal
        return f"for {self.target}" if goal.is_reach else f"for {goal.name}"

    @property
    def rules(self) -> Ruleset:
        return self.goals.rules

    @property
    def content(self) -> bytes:
        """See `HasContent`."""
        # Digests: the tables may be as large as memory.
        parts = (np.ascontiguousarray(part).data for part in (self.goals.values, self.table.stored))
        return f"{self.target}".encode() + b"".join(hashlib.sha256(part).digest() for part in parts)

    def decide_at(self, filled: IntArray, upper: IntArray, points: IntArray) -> Decisions:
        """See `ScoreAware`."""
        return decide_by(self.rules, filled, self._utilities(filled, upper, points))

    def exits_at(self, filled: IntArray, upper: IntArray, points: IntArray) -> FloatArray:
        """(n, n_outcomes): how the turns in these situations end."""
        rules = self.rules
        exits = np.zeros((len(filled), outcomes(rules).n))
        utilities = self._utilities(filled, upper, points)
        exits_from_utilities(
            np.ascontiguousarray(filled, np.int64), utilities, turn_tables(rules), exits, turn_scratch(rules)
        )
        return exits

    def _utilities(self, filled: IntArray, upper: IntArray, points: IntArray) -> FloatArray:
        y = np.asarray(points, np.int64) - (self.target or 0)
        card = np.zeros(len(filled), np.int64)
        return outcome_utilities(self.goals, self.table, Positions(filled, upper, y, card), NOTHING, POINT_PRICE)


def decide_by(rules: Ruleset, filled: IntArray, utilities: FloatArray) -> Decisions:
    """The best decisions in n states, given the utilities of outcomes (n, n_outcomes)."""
    decisions = empty_decisions(rules, filled)
    decide_from_utilities(
        np.ascontiguousarray(filled, np.int64), utilities, turn_tables(rules), by_level(decisions.category),
        decisions.keep, turn_scratch(rules),
    )  # fmt: skip
    return decisions


def outcome_utilities(goals: GoalTable, table: ValueTable, at: Positions, runs: Runs, price: float) -> FloatArray:
    """(n, n_outcomes): the mean of F after each outcome, the runs of card[i] added to y[i]; -inf where closed.

    Each expected point adds `price`.
    """
    rules = goals.rules
    utilities = np.empty((len(at.filled), outcomes(rules).n))
    value_outcomes(
        Positions(*(np.ascontiguousarray(column, np.int64) for column in at)),
        np.asarray(rules.closed(at.filled), np.int64), runs, _rows_of(goals),
        Mean(read_only(np.asarray(table.stored)), price), effects(rules), utilities,
    )  # fmt: skip
    return utilities


def _rows_of(goals: GoalTable) -> GoalRows:
    rows = goals.rows
    return GoalRows(rows.row, rows.start, rows.room, rows.lowest, rows.left, read_only(np.asarray(goals.values)))


@jit
def value_outcomes(
    at: Positions, closed: Bools1, runs: Runs, rows: GoalRows, mean: Mean, does: Effects, utilities: Floats2
) -> None:  # fmt: skip
    """See `outcome_utilities`."""
    filled, upper, y, card = at
    to_come, price = mean
    row_at, start, room, lowest, left, values = rows
    first_run, cluster, moved, begin, chance = runs
    points, bits, lift, cap, set_mask = (
        does.points + does.extra,
        does.bits,
        does.lift,
        does.cap,
        does.masks.set_mask,
    )
    for i in range(len(filled)):
        for outcome in range(len(points)):
            utility = -np.inf
            if not closed[i] & bits[outcome]:
                mask, total = after(filled[i], upper[i], bits[outcome], lift[outcome], cap)
                row = row_at[mask & set_mask, total]
                utility = price * (points[outcome] + to_come[mask, total])
                for run in range(first_run[card[i]], first_run[card[i] + 1]):
                    first = start[row] + cluster[run] * room[row] - left
                    place = y[i] + points[outcome] + moved[run] - lowest[row] + left
                    utility += _mixed(values, first, room[row], place, chance, begin[run], begin[run + 1])
            utilities[i, outcome] = utility


@jittable
def _mixed(values: Floats1, first: int, room: int, place: int, chance: Floats1, begin: int, end: int) -> Any:
    """The mean of a line from `place` on, by these chances; outside its room, the end values go on."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    if place >= 0 and place + end - begin <= room:
        at = first + place - begin
        last = begin + (end - begin) // 4 * 4
        for j in range(begin, last, 4):
            a += chance[j] * values[at + j]
            b += chance[j + 1] * values[at + j + 1]
            c += chance[j + 2] * values[at + j + 2]
            d += chance[j + 3] * values[at + j + 3]
        for j in range(last, end):
            a += chance[j] * values[at + j]
    else:
        for j in range(begin, end):
            a += chance[j] * values[first + min(max(place + j - begin, 0), room - 1)]
    return a + b + (c + d)
