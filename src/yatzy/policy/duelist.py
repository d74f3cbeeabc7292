"""Play to win against somebody who plays for the mean: it sees both cards.

    chance after an outcome = sum over d of P(d | his card) * F(state after, my points + points - M - d)

with M what he can expect, F the duel's table (`solver.goals`), and P(. | his card) the exact distribution of how
his next turn moves M. The rounds after that are those of the model: independent steps, each as it is on average.
Outcomes with one chance are told apart by the mean, as in `policy.goals`.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.errors import YatzyError
from yatzy.policy.base import Decisions
from yatzy.policy.goals import TIE, decide_by, outcome_utilities
from yatzy.policy.optimal import Optimal
from yatzy.rules import Ruleset
from yatzy.solver.goal_rows import Opponent
from yatzy.solver.goals import GoalTable
from yatzy.turn.outcomes import outcomes


class Cards(NamedTuple):
    """Cards of n games; points are those of the boxes and beside them, the bonus not counted."""

    filled: IntArray
    upper: IntArray
    points: IntArray


@dataclass(frozen=True, eq=False)
class Duelist:
    """The best play to win that the model of the duel knows."""

    goals: GoalTable

    def __post_init__(self) -> None:
        if self.goals.goal.opponent is None or self.goals.rows.first.filled:
            raise YatzyError("goal: to win a duel it must be solved for one, from the start")

    @property
    def name(self) -> str:
        return "to win"

    @property
    def rules(self) -> Ruleset:
        return self.goals.rules

    @property
    def opponent(self) -> Opponent:
        assert self.goals.goal.opponent is not None
        return self.goals.goal.opponent

    def decide_against(self, mine: Cards, other: Cards) -> Decisions:
        """Decisions in n duels, where it is my turn; the other has moved already if he moves first."""
        return decide_by(self.rules, mine.filled, self._utilities(mine, other, TIE))

    def chances(self, mine: Cards, other: Cards) -> FloatArray:
        """(n, n_outcomes): the chance to win after each outcome, a tie as half; -inf where it is closed."""
        return np.minimum(self._utilities(mine, other, 0.0), 1.0)

    def _utilities(self, mine: Cards, other: Cards, tie: float) -> FloatArray:
        y, chance = leads(self.opponent, mine.points, other)
        return outcome_utilities(self.goals, self.opponent.table, mine.filled, mine.upper, y, chance, tie)


def leads(opponent: Opponent, points: IntArray, other: Cards) -> tuple[IntArray, FloatArray]:
    """Points less what the other can expect after his next turn, if he has one: y[i] + j with chance[i, j]."""
    table, ends, n = opponent.table, outcomes(opponent.table.rules), len(points)
    lead = points - other.points - table.stored[other.filled, other.upper]
    playing = np.flatnonzero(~table.rules.is_finished(other.filled))
    exits = np.zeros((len(playing), ends.n))
    Optimal(table).add_exits(other.filled[playing], other.upper[playing], exits)
    line, outcome = np.nonzero(exits)
    weight, line = exits[line, outcome], playing[line]
    after, to_upper = ends.after(other.filled[line], other.upper[line], outcome)
    then = points[line] - other.points[line] - ends.points[outcome] - table.stored[after, to_upper]
    finished = np.setdiff1d(np.arange(n), playing)
    line, weight = np.append(line, finished), np.append(weight, np.ones(len(finished)))
    leads_then = np.append(then, lead[finished])
    lowest = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(lowest, line, np.floor(leads_then).astype(np.int64))
    place = leads_then - lowest[line]
    width = int(place.max()) + 2
    chance = np.zeros(n * width)
    for whole, part in split(place, weight):
        chance += np.bincount(line * width + whole, part, n * width)
    return lowest, chance.reshape(n, width)


def split(numbers: FloatArray, weight: FloatArray) -> list[tuple[IntArray, FloatArray]]:
    """Weights of real numbers, divided between the whole numbers below and above them; their mean stays."""
    below = np.floor(numbers).astype(np.int64)
    share = numbers - below
    return [(below, weight * (1 - share)), (below + 1, weight * share)]
