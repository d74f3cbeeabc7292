"""Two ways to play a duel against somebody who plays for the mean; both see the opponent's card.

*To win* (`Duelist`): the best play that the model of the opponent knows (`measure.opponent_model`),

    chance after an outcome = sum over o of q(o) * F(state after, my points + points - M(o), cluster(o)),

with q(o) the exact chance that the opponent's next turn ends in outcome o, M(o) and cluster(o) the score to expect
and the cluster of the card then, and F the duel's table (`solver.goals`). Rounds after that are those of the
model. Outcomes of equal chance are told apart by the mean, as in `policies.optimal`.

*The variance rule* (`VarianceRule`): as much risk as the lead and the spread to come ask for. If the difference of
two final scores were normal, the best trade of mean against variance would be

    theta* = (score the opponent expects - score I expect) / (sum of both variances to come),

clamped to a range; play for theta* then takes it. Expectations and variances are those of play for the mean. The
rule is the forerunner's. Tables are solved for a grid of thetas, and the nearest is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.context import chunks, in_threads
from yatzy.errors import YatzyError
from yatzy.policies.optimal import POINT_PRICE, Optimal, Positions, Runs, decide_by, outcome_utilities
from yatzy.policies.policy import Decisions, empty_decisions
from yatzy.rules import Ruleset, State
from yatzy.solver.goal import OpponentModel
from yatzy.solver.goals import GoalTable
from yatzy.solver.table import ValueTable
from yatzy.turn.outcomes import outcomes

STATES_AT_ONCE = 1024


class Cards(NamedTuple):
    """Cards of n games; points are those of the boxes and beside them, the bonus not counted."""

    filled: IntArray
    upper: IntArray
    points: IntArray


def check_turns(game: Ruleset, state: State, other: State, first: bool) -> None:
    """Refuse cards that have not had as many turns as the order of play says."""
    turns, his = ((one.filled & game.all_filled).bit_count() for one in (state, other))
    if turns == game.n_categories:
        raise YatzyError("filled", why="the game is finished, no category is open")
    if his != turns + (not first):
        order = f"because {'you move' if first else 'the other moves'} first"
        why = f"boxes do not match {turns} of yours, {order}"
        raise YatzyError("other_filled", his, str(turns + (not first)), why)


@dataclass(frozen=True, eq=False)
class Duelist:
    """The best play to win that the model of the duel knows."""

    goals: GoalTable

    def __post_init__(self) -> None:
        if self.goals.goal.opponent is None or self.goals.rows.first.filled:
            raise YatzyError("goal", why="to win a duel it must be solved for one, from the start")

    @property
    def name(self) -> str:
        return "to win"

    @property
    def rules(self) -> Ruleset:
        return self.goals.rules

    @property
    def opponent(self) -> OpponentModel:
        assert self.goals.goal.opponent is not None
        return self.goals.goal.opponent

    def promises(self, mine: Cards, other: Cards) -> FloatArray:
        """(n,): the chance to win that the model has in n duels, where it is my turn."""
        goals, rows = self.goals, self.goals.rows
        y = mine.points - other.points - self.opponent.table.stored[other.filled, other.upper]
        cluster = self.opponent.clusters[other.filled, other.upper].astype(np.int64)
        row = rows.row[mine.filled, mine.upper]
        first = rows.start[row] + cluster * rows.room[row]
        found = np.zeros(len(y))
        for whole, share in split(y, np.ones(len(y))):
            place = np.clip(whole - rows.lowest[row], -rows.left, rows.length[row] + rows.right - 1)
            found += share * goals.values[first + place]
        return found

    def against(self, other: Cards, threads: int | None = None) -> "DuelistDecider":
        """See `OpponentAware`."""
        states, card = np.unique(np.stack([other.filled, other.upper]), axis=1, return_inverse=True)
        return DuelistDecider(self, other, card, next_turns(self.opponent, states[0], states[1], threads))


@dataclass(frozen=True, eq=False)
class DuelistDecider:
    """A `Duelist` who has seen the opponents' cards of n duels: `runs` is what may come of their next turns."""

    duelist: Duelist
    other: Cards
    card: IntArray
    runs: Runs

    def decide(self, mine: Cards, duels: IntArray) -> Decisions:
        """Decisions in some of the duels, where it is my turn; who moves first has moved."""
        return decide_by(self.duelist.rules, mine.filled, self._utilities(mine, duels, POINT_PRICE))

    def chances(self, mine: Cards, duels: IntArray) -> FloatArray:
        """(n, n_outcomes): the chance to win after each outcome, a tie as half; -inf where it is closed."""
        return np.minimum(self._utilities(mine, duels, 0.0), 1.0)

    def _utilities(self, mine: Cards, duels: IntArray, price: float) -> FloatArray:
        player = self.duelist
        at = Positions(mine.filled, mine.upper, mine.points - self.other.points[duels], self.card[duels])
        return outcome_utilities(player.goals, player.opponent.table, at, self.runs, price)


def next_turns(opponent: OpponentModel, filled: IntArray, upper: IntArray, threads: int | None = None) -> Runs:
    """How the next turns in these states end, if any are left: minus the expected final score then, by cluster."""
    table, ends, n = opponent.table, outcomes(opponent.table.rules), len(filled)
    line, outcome, weight = _ends_of_turns(table, filled, upper, threads)
    after, to_upper = ends.after(filled[line], upper[line], outcome)
    y = -(ends.points[outcome] + table.stored[after, to_upper])
    cluster = opponent.clusters[after, to_upper].astype(np.int64)
    done = np.flatnonzero(table.rules.is_finished(filled))
    line, weight = np.append(line, done), np.append(weight, np.ones(len(done)))
    y = np.append(y, -table.stored[filled[done], upper[done]])
    cluster = np.append(cluster, np.zeros(len(done), np.int64))
    n_clusters = int(cluster.max()) + 1
    slot, below = line * n_clusters + cluster, np.floor(y).astype(np.int64)
    low, high = np.full(n * n_clusters, np.iinfo(np.int64).max), np.full(n * n_clusters, np.iinfo(np.int64).min)
    np.minimum.at(low, slot, below)
    np.maximum.at(high, slot, below + 1)
    used = np.flatnonzero(low < high)
    begin = np.append(0, np.cumsum((high - low)[used] + 1))
    begin_of_slot = np.zeros(n * n_clusters, np.int64)
    begin_of_slot[used] = begin[:-1]
    chance = np.zeros(begin[-1])
    for whole, part in split(y, weight):
        chance += np.bincount(begin_of_slot[slot] + whole - low[slot], part, len(chance))
    return Runs(np.searchsorted(used, np.arange(n + 1) * n_clusters), used % n_clusters, low[used], begin, chance)


def _ends_of_turns(
    table: ValueTable, filled: IntArray, upper: IntArray, threads: int | None
) -> tuple[IntArray, IntArray, FloatArray]:
    """How turns end under play for the mean: states, outcomes and their chances."""
    best, n_outcomes = Optimal(table), outcomes(table.rules).n
    playing = np.flatnonzero(~table.rules.is_finished(filled))

    def run(part: slice) -> tuple[IntArray, IntArray, FloatArray]:
        states = playing[part]
        exits = np.zeros((len(states), n_outcomes))
        best.add_exits(filled[states], upper[states], exits)
        line, outcome = np.nonzero(exits)
        return states[line], outcome, exits[line, outcome]

    found = in_threads(run, chunks(len(playing), STATES_AT_ONCE), threads)
    nothing = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    line, outcome, weight = (np.concatenate(columns) for columns in zip(nothing, *found, strict=True))
    return line, outcome, weight


def split(numbers: FloatArray, weight: FloatArray) -> list[tuple[IntArray, FloatArray]]:
    """Weights of real numbers, divided between the whole numbers below and above them, keeping the mean."""
    below = np.floor(numbers).astype(np.int64)
    share = numbers - below
    return [(below, weight * (1 - share)), (below + 1, weight * share)]


LOWEST, HIGHEST, STEP = -0.05, 0.07, 0.005


def grid() -> list[float]:
    """The thetas of the grid."""
    n = round((HIGHEST - LOWEST) / STEP)
    return [round(LOWEST + i * STEP, 6) for i in range(n + 1)]


@dataclass(frozen=True, eq=False)
class VarianceRule:
    """Plays for theta*; `by_theta` are the tables of the grid, `variance` (n_sets, n_uppers) is that to come."""

    table: ValueTable
    by_theta: Sequence[ValueTable]
    variance: FloatArray

    @property
    def name(self) -> str:
        return "variance-scaled"

    @property
    def rules(self) -> Ruleset:
        return self.table.rules

    def against(self, other: Cards, threads: int | None = None) -> "VarianceDecider":
        """See `OpponentAware`."""
        return VarianceDecider(self, other)

    def thetas(self, mine: Cards, other: Cards) -> FloatArray:
        """theta* of n duels."""
        mean, spread = self.table.stored, self.variance
        behind = other.points + mean[other.filled, other.upper] - mine.points - mean[mine.filled, mine.upper]
        to_come = spread[other.filled, other.upper] + spread[mine.filled, mine.upper]
        return np.asarray(np.clip(behind / to_come, LOWEST, HIGHEST))


@dataclass(frozen=True, eq=False)
class VarianceDecider:
    """A `VarianceRule` player who has seen the opponents' cards."""

    player: VarianceRule
    other: Cards

    def decide(self, mine: Cards, duels: IntArray) -> Decisions:
        """Decisions in some of the duels."""
        player = self.player
        other = Cards(*(column[duels] for column in self.other))
        nearest = np.rint((player.thetas(mine, other) - LOWEST) / STEP).astype(np.int64)
        decisions = empty_decisions(player.rules, mine.filled)
        for number in np.unique(nearest).tolist():
            inside = np.flatnonzero(nearest == number)
            states, which = np.unique(
                np.stack([mine.filled[inside], mine.upper[inside]]), axis=1, return_inverse=True
            )
            found = Optimal(player.by_theta[number]).decide(states[0], states[1])
            decisions.category[inside], decisions.keep[inside] = found.category[which], found.keep[which]
        return decisions
