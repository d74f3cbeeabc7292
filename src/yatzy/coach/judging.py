"""Decisions judged by what they were for: a target, a risk, or to beat the others (`game.aim`).

A decision made for the mean is judged by the points that it loses. Any other is judged by its own goal: what the
best action for it is worth, less what the one that was played is. Whoever follows the coach loses nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from yatzy.coach.by_chance import ByChance, stored_chances
from yatzy.context import HERE, Context, Progress
from yatzy.game.action import Action
from yatzy.game.aim import Aim
from yatzy.game.json import HIDDEN, json_property
from yatzy.game.situation import Situation
from yatzy.game.words import CHANCE_TIE, TIE, LossWord, loss_word
from yatzy.solver.advise import Advice
from yatzy.solver.solve import solve
from yatzy.solver.table import ValueTable


@dataclass(frozen=True)
class Judged:
    """A decision in terms of its goal: the worth of what was played and of the best, as chances or as points."""

    aim: Annotated[Aim, HIDDEN]
    worth: Annotated[float, HIDDEN]
    best: Annotated[Action, HIDDEN]
    best_worth: Annotated[float, HIDDEN]

    @json_property
    def lost(self) -> float:
        """What it lost: 0 if nothing but rounding lies between it and the best."""
        lost = self.best_worth - self.worth
        return lost if lost > (CHANCE_TIE if self.aim.is_chance else TIE) else 0.0

    @json_property
    def target(self) -> int | None:
        return self.aim.target

    @json_property
    def theta(self) -> float | None:
        return self.aim.theta or None

    @json_property
    def others(self) -> int | None:
        """How many others there were to beat."""
        return len(self.aim.others) or None

    @json_property
    def chance(self) -> float | None:
        return self.worth if self.aim.is_chance else None

    @json_property
    def best_chance(self) -> float | None:
        return self.best_worth if self.aim.is_chance else None

    @json_property
    def value(self) -> float | None:
        return None if self.aim.is_chance else self.worth

    @json_property
    def best_value(self) -> float | None:
        return None if self.aim.is_chance else self.best_worth

    @property
    def weight(self) -> float:
        """What it lost on the scale of the words: points, or percent of the chance."""
        return self.lost * 100 if self.aim.is_chance else self.lost

    @property
    def word(self) -> LossWord:
        return loss_word(self.weight)


@dataclass(frozen=True, eq=False)
class Judge:
    """Knows what every action is worth for any aim; `table` is of play for the mean, `values` of a risk."""

    table: ValueTable
    chances: ByChance
    values: Callable[[float], ValueTable]

    def judge(
        self, aim: Aim, here: Situation, points: int, played: Action, progress: Progress | None = None
    ) -> Judged:
        """A decision in terms of its goal; `points` are those on the card."""
        advice = self.advise(aim, here, points, progress)
        found = advice.of(played)
        if found is None:
            # All dice held: what they are worth with one reroll fewer.
            later = Situation.of(here.rules, here.dice, here.rerolls - 1, here.state)
            found = self.advise(aim, later, points, progress)[0]
        return Judged(aim, found.worth, advice.best, advice[0].worth)

    def advise(self, aim: Aim, here: Situation, points: int, progress: Progress | None = None) -> Advice:
        """Every action, the best for the goal first."""
        if aim.is_chance:
            return self.chances.advise(aim, self.table, here, points, progress)
        return self.values(aim.theta).advise(here)


def stored_judge(table: ValueTable, context: Context = HERE) -> Judge:
    """A judge with chances from the home folder, solved now if they are not there."""

    @lru_cache(maxsize=4)
    def values(theta: float) -> ValueTable:
        return solve(table.rules, theta, draft=True, context=context.quiet())

    return Judge(table, stored_chances(context), values)
