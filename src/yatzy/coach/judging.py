"""Decisions judged by what they were for: a target, a risk, or to beat the others (`aims`).

A decision made for the mean is judged by the points that it loses. Any other is judged by its own goal: what the
best action for it is worth, less what the one that was played is. Whoever follows the coach loses nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from yatzy.coach.by_chance import ByChance, stored_chances
from yatzy.coach.words import CHANCE_TIE, loss_word
from yatzy.game.aim import Aim, Card
from yatzy.rules import Dice, Ruleset
from yatzy.running import Progress, Report, silent
from yatzy.solver.advise import TIE, advise
from yatzy.solver.solve import solve
from yatzy.solver.table import ValueTable


@dataclass(frozen=True)
class Judged:
    """A decision in terms of its goal: the worth of what was played and of the best, as chances or as points."""

    aim: Aim
    worth: float
    best: str
    best_worth: float

    @property
    def lost(self) -> float:
        """What it lost: 0 if nothing but rounding lies between it and the best."""
        lost = self.best_worth - self.worth
        return lost if lost > (CHANCE_TIE if self.aim.is_chance else TIE) else 0.0

    @property
    def weight(self) -> float:
        """What it lost on the scale of the words: points, or percent of the chance."""
        return self.lost * 100 if self.aim.is_chance else self.lost

    @property
    def word(self) -> str:
        return loss_word(self.weight)

    def to_json(self) -> dict[str, Any]:
        about: dict[str, Any]
        if self.aim.theta:
            return {"theta": self.aim.theta, "value": self.worth, "best_value": self.best_worth, "lost": self.lost}
        about = {"others": len(self.aim.others)} if self.aim.target is None else {"target": self.aim.target}
        return about | {"chance": self.worth, "best_chance": self.best_worth, "lost": self.lost}


@dataclass(frozen=True, eq=False)
class Judge:
    """Knows what every action is worth for any aim; `table` is of play for the mean, `values` of a risk."""

    table: ValueTable
    chances: ByChance
    values: Callable[[float], ValueTable]

    def worths(
        self, aim: Aim, dice: Dice, rerolls: int, mine: Card, progress: Progress | None = None
    ) -> dict[str, float]:
        """By action, best first: its chance, or the points that it is worth under a risk."""
        if not aim.is_chance:
            actions = advise(self.values(aim.theta), dice, rerolls, mine.state.filled, mine.state.upper)
            return {action.action: action.value for action in actions}
        advice = self.chances.advise(aim, self.table, dice, rerolls, mine, progress)
        return {action.action: action.chance for action in advice.actions}


def stored_judge(
    table: ValueTable, folder: str | Path | None = None, progress: Progress | None = None, notice: Report = silent
) -> Judge:
    """A judge with chances from the home folder, solved now if they are not there."""
    return Judge(table, stored_chances(folder, progress, notice), lambda theta: _values(table.rules, theta))


@lru_cache(maxsize=4)
def _values(rules: Ruleset, theta: float) -> ValueTable:
    return solve(rules, theta, draft=True)
