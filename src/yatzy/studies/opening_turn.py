"""The first turn in full: what every roll, keep and category is worth on an empty scorecard.

With V the value of the states after the turn, r a roll, K a keep and n rerolls left,

    roll(r, 0) = max over c of  points(r, c) + V({c}, lift(r, c))
    keep(K, n) = 1/faces * sum over faces f of keep(K + f, n),      keep(r, n) = roll(r, n - 1) for all dice
    roll(r, n) = max over keeps K inside r of keep(K, n)

Ids of rolls and keeps are those of the die lattice: most dice first, in lexicographic order of their sorted faces.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yatzy.context import HERE, Context
from yatzy.dice import lattice
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.advise import turn_of
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.turn.one import best_inside, best_keeps

DECIMALS = 4


@dataclass(frozen=True)
class Reroll:
    """With `rerolls` left: the value of every keep, of every roll, and the best keep of every roll."""

    rerolls: int
    value_by_keep: list[float]
    value_by_roll: list[float]
    keep_by_roll: list[int]


@dataclass(frozen=True)
class OpeningTurn:
    """The first turn. `category_by_roll` and `value_by_roll` are for the dice as they lie, no reroll left."""

    rules: str
    value: float
    categories: list[str]
    category_by_roll: list[int]
    value_by_roll: list[float]
    rerolls: list[Reroll]

    @property
    def key_figures(self) -> dict[str, float]:
        last = self.rerolls[-1]
        return {
            "value": self.value,
            "worst_roll": min(last.value_by_roll),
            "best_roll": max(last.value_by_roll),
        }


def measure_opening_turn(rules: str | Ruleset = "scandinavian", context: Context = HERE) -> OpeningTurn:
    """All values of the first turn, from the stored table."""
    rules = ruleset(rules)
    turn = open_turn(stored_table(rules, context=context.quiet()))
    context.step(1, 1)
    return turn


def open_turn(table: ValueTable) -> OpeningTurn:
    """The equations of the module, from the last throw to the first."""
    rules = table.rules
    dice, turn = lattice(rules.dice, rules.faces), turn_of(table, 0, 0, rules.rerolls)
    of_category = turn.scored[0].points[turn.outcome]
    roll, steps = of_category.max(axis=0), []
    for left, keep in enumerate(turn.levels, start=1):
        roll = best_inside(dice, keep)
        steps.append(Reroll(left, _round(keep), _round(roll), best_keeps(dice, keep).tolist()))
    return OpeningTurn(
        rules=rules.name,
        value=float(dice.prob_roll @ roll),
        categories=[category.name.lower() for category in rules.categories],
        category_by_roll=of_category.argmax(axis=0).tolist(),
        value_by_roll=_round(of_category.max(axis=0)),
        rerolls=steps,
    )


def _round(values: NDArray[np.float64]) -> list[float]:
    return [round(float(value), DECIMALS) for value in values]
