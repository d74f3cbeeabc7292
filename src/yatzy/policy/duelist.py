"""Play to win against somebody who plays for the mean: it sees both cards.

    utility of an outcome = sum over d of P(d | his card) * F(state after, my points + points - M - d)

with M what he can expect, F the duel's table (`solver.goals`), and P(. | his card) the exact distribution of how
his next turn moves M. The rounds after that are those of the model: independent steps, each as it is on average.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.errors import YatzyError
from yatzy.policy.base import Decisions
from yatzy.policy.goals import decide_by, outcome_utilities
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
        return decide_by(self.rules, mine.filled, self.utilities(mine, other))

    def utilities(self, mine: Cards, other: Cards) -> FloatArray:
        """(n, n_outcomes): the chance to win after each outcome of my turn, -inf where it is closed."""
        y, chance = leads(self.opponent, mine.points, other)
        return outcome_utilities(self.goals, self.opponent.table, mine.filled, mine.upper, y, chance)


def leads(opponent: Opponent, points: IntArray, other: Cards) -> tuple[IntArray, FloatArray]:
    """Points less what the other can expect after his next turn: y[i] + j with chance[i, j]."""
    table, ends = opponent.table, outcomes(opponent.table.rules)
    expected = other.points + table.stored[other.filled, other.upper]
    if table.rules.is_finished(other.filled[:1]).all():
        return _spread(np.arange(len(points)), points - expected, np.ones(len(points)), len(points))
    exits = np.zeros((len(points), ends.n))
    Optimal(table).add_exits(other.filled, other.upper, exits)
    line, outcome = np.nonzero(exits)
    after, to_upper = ends.after(other.filled[line], other.upper[line], outcome)
    then = other.points[line] + ends.points[outcome] + table.stored[after, to_upper]
    return _spread(line, points[line] - then, exits[line, outcome], len(points))


def _spread(line: IntArray, lead: FloatArray, weight: FloatArray, n: int) -> tuple[IntArray, FloatArray]:
    """Real leads, each split between the whole numbers beside it."""
    below = np.floor(lead).astype(np.int64)
    share = lead - below
    lowest = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(lowest, line, below)
    place = below - lowest[line]
    width = int(place.max()) + 2
    chance = np.zeros(n * width)
    chance += np.bincount(line * width + place, weight * (1 - share), n * width)
    chance += np.bincount(line * width + place + 1, weight * share, n * width)
    return lowest, chance.reshape(n, width)
