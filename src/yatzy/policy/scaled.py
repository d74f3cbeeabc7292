"""A rule of thumb for duels: as much risk as the lead and the spread to come ask for.

If the difference of two final scores were normal, the best trade of mean against variance would be

    theta* = (what the other expects - what I expect) / (variance to come of the other's score and of mine),

clamped to a range; play for theta then takes it. What is expected and its variance are those of play for the mean.
The rule is the forerunner's. Tables are solved for a grid of thetas, and the nearest is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.policy.base import Decisions, empty_decisions
from yatzy.policy.duelist import Cards
from yatzy.policy.optimal import Optimal
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable

LOWEST, HIGHEST, STEP = -0.05, 0.07, 0.005


def grid() -> list[float]:
    """The thetas that are told apart."""
    n = round((HIGHEST - LOWEST) / STEP)
    return [round(LOWEST + i * STEP, 6) for i in range(n + 1)]


@dataclass(frozen=True, eq=False)
class VarianceScaled:
    """Plays for theta*; `by_theta` are tables of the grid, `variance` (n_sets, n_uppers) is that to come."""

    table: ValueTable
    by_theta: Sequence[ValueTable]
    variance: FloatArray

    @property
    def name(self) -> str:
        return "variance-scaled"

    @property
    def rules(self) -> Ruleset:
        return self.table.rules

    def facing(self, other: Cards, threads: int | None = None) -> "ScaledFacing":
        """See `PlaysAgainst`."""
        return ScaledFacing(self, other)

    def thetas(self, mine: Cards, other: Cards) -> FloatArray:
        """theta* of n duels."""
        mean, spread = self.table.stored, self.variance
        behind = other.points + mean[other.filled, other.upper] - mine.points - mean[mine.filled, mine.upper]
        to_come = spread[other.filled, other.upper] + spread[mine.filled, mine.upper]
        return np.asarray(np.clip(behind / to_come, LOWEST, HIGHEST))


@dataclass(frozen=True, eq=False)
class ScaledFacing:
    """The same with the others' cards in view."""

    player: VarianceScaled
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
