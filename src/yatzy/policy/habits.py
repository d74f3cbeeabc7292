"""Play by habit: a model of a person at the table, with four numbers.

    theta    risk: positive seeks it, negative avoids it, 0 plays for the mean
    gamma    how much a point later counts beside a point now, 0..1
    depth    how many turns are seen after the one under way (`solver.horizon`)
    beta     how surely the better looking choice is taken, per point that it looks better

With V the value of theta and depth, what a choice looks worth is the value of a turn whose end looks worth

    points + gamma * V(state after),

and the choice itself is drawn: P(a) = exp(beta * Q(a)) / sum over choices. Choices are those of `softened`: a keep
inside the roll while rerolls are left, all dice among them, and an open category at the end. With theta 0, gamma 1
and full depth this is softened play at temperature 1 / beta; as beta grows, it becomes the best play for what it
sees. Its probabilities are exact, and so is all that follows from them: see `Mixed`.
"""

import math
from dataclasses import dataclass

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.errors import YatzyError
from yatzy.game.aim import check_theta
from yatzy.policy.softened import soften_turns
from yatzy.rules import Ruleset
from yatzy.solver.horizon import check_depth, full_depth
from yatzy.solver.table import ValueTable


@dataclass(frozen=True)
class Habits:
    """How a person decides; see above."""

    theta: float
    beta: float
    gamma: float
    depth: int

    def check(self, rules: Ruleset) -> None:
        """Refuse numbers that mean nothing in this game."""
        check_theta(self.theta)
        check_depth(rules, self.depth)
        if not (math.isfinite(self.beta) and self.beta > 0):
            raise YatzyError("beta", self.beta, "a finite number above 0, per point")
        if not 0 <= self.gamma <= 1:
            raise YatzyError("gamma", self.gamma, "0..1")

    def told(self, rules: Ruleset) -> str:
        """The four numbers in one line."""
        ahead = "all" if self.depth == full_depth(rules) else self.depth
        return f"theta {self.theta:+.3f}, beta {self.beta:.2f}, gamma {self.gamma:.2f}, depth {ahead}"


def discounted(table: ValueTable, gamma: float) -> ValueTable:
    """The table as it looks to somebody for whom a point later is worth gamma points now."""
    return table if gamma == 1 else ValueTable(table.rules, table.theta, gamma * np.asarray(table.stored))


@dataclass(frozen=True)
class Habitual:
    """Draws each choice by what it looks worth; `believed` is what the states after a turn look worth."""

    believed: ValueTable
    beta: float

    def __post_init__(self) -> None:
        self.rules.check_plain("play by habit is")
        if self.believed.precision != "float64":
            raise YatzyError("table", why=f"needs float64, not {self.believed.precision}")

    @property
    def name(self) -> str:
        return f"by habit, beta {self.beta:g}"

    @property
    def rules(self) -> Ruleset:
        return self.believed.rules

    @property
    def content(self) -> bytes:
        """See `KnowsContent`."""
        return repr((self.beta, self.believed.theta)).encode() + self.believed.stored.tobytes()

    def situation_masses(self, filled: IntArray, upper: IntArray) -> FloatArray:
        """(n, rerolls + 1, n_rolls): probability of each roll by rerolls left, in one turn of each state."""
        return self._turns(filled, upper)[0]

    def add_exits(self, filled: IntArray, upper: IntArray, exits: FloatArray) -> None:
        """How the turns of these states end: see `KnowsExits`."""
        exits += self._turns(filled, upper)[1]

    def _turns(self, filled: IntArray, upper: IntArray) -> tuple[FloatArray, FloatArray]:
        return soften_turns(self.believed, 1 / self.beta, filled, upper)
