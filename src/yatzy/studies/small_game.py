"""The smallest Yatzy worth solving by hand: two dice, thrown once a turn, and two boxes, Pair and Chance.

    V(one box open)  = mean points of a throw in that box
    V(both open)     = mean over throws of max(points in Pair + V(Chance open), points in Chance + V(Pair open))

Everything is kept that a reader needs to do it: each throw, how many ways it falls, what both choices bring.
"""

from dataclasses import dataclass

from yatzy.context import HERE, Context
from yatzy.dice import lattice
from yatzy.rules import Category, Ruleset, format_dice
from yatzy.rules.scoring import pairs, total
from yatzy.solver.solve import solve

PAIR, CHANCE = 0, 1
SMALL = Ruleset("two dice, two boxes", 2, 6, 0, (Category("Pair", pairs(1)), Category("Chance", total)))


@dataclass(frozen=True)
class Throw:
    """Two dice, in how many of the 36 ways they fall, the points of both boxes, and what each choice is worth."""

    dice: str
    ways: int
    pair: int
    chance: int
    worth_of_pair: float
    worth_of_chance: float


@dataclass(frozen=True)
class SmallGame:
    """The whole solution: the last turn with each box, every first throw, and the value of the game.

    `greedy_value` is that of taking the most points in the first turn.
    """

    last_pair: float
    last_chance: float
    throws: list[Throw]
    value: float
    greedy_value: float

    @property
    def key_figures(self) -> dict[str, float]:
        return {"last_pair": self.last_pair, "last_chance": self.last_chance, "value": self.value}


def solve_small_game(rules: str | Ruleset = "scandinavian", context: Context = HERE) -> SmallGame:
    """Solve it with the same solver as the large one; `rules` only tell which results this belongs to."""
    table, dice = solve(SMALL, context=context), lattice(2, 6)
    last = [table.value(1 << (1 - box)) for box in (PAIR, CHANCE)]
    throws, greedy = [], 0.0
    for roll in range(dice.n_rolls):
        points = [SMALL.scores[roll][box] for box in (PAIR, CHANCE)]
        worth = [points[PAIR] + last[CHANCE], points[CHANCE] + last[PAIR]]
        throws.append(Throw(format_dice(dice.keeps[roll]), round(36 * dice.prob_roll[roll]), *points, *worth))
        # Chance takes any dice: nothing scores more.
        greedy += dice.prob_roll[roll] * worth[CHANCE]
    return SmallGame(last[PAIR], last[CHANCE], throws, table.value(), float(greedy))
