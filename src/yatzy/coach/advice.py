"""Advice in one situation: every action with value and regret, and of the best few what they lead to.

The values are those of `solver.advise`, to the last bit. For the best few actions, with optimal play after them:

    outcomes         how the turn ends: a probability for each category and points
    bonus_chance     chance that the bonus is paid at the end of the game
    improve_chance   chance that the turn ends worth more than the best way of scoring the dice as they lie,
                     worth being points + value of the state after; 0 for scoring them now

For theta = 0 the outcomes also give back the value: sum of prob * (points + value after).
"""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import read_only
from yatzy.coach.chances import BonusChances, stored_chances
from yatzy.coach.kernels import SharedTables, weigh_situation
from yatzy.coach.words import lead_word
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.evaluate.exact import LANES, turn_tables
from yatzy.evaluate.regret import TIE
from yatzy.rules import Ruleset, State, format_category, format_dice
from yatzy.running import Progress
from yatzy.solver.advise import category_values, keep_values
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import game_tables, option_weights, work_buffer

FEW = 3
MOST_DETAILS = LANES


class Detail(NamedTuple):
    """What an action leads to; `outcomes` are (category, points, prob), the likeliest first."""

    bonus_chance: float
    improve_chance: float
    outcomes: list[tuple[str, int, float]]


class AdvisedAction(NamedTuple):
    """An action as in `solver.advise`: a keep, or a category with the points that the dice score there."""

    action: str
    value: float
    regret: float
    keep: list[int] | None = None
    category: str | None = None
    points: int | None = None
    detail: Detail | None = None

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"action": self.action, "value": self.value, "regret": self.regret}
        if self.keep is not None:
            told["keep"] = self.keep
        else:
            told["category"] = self.category
            told["points"] = self.points
        if self.detail is not None:
            told["bonus_chance"] = self.detail.bonus_chance
            told["improve_chance"] = self.detail.improve_chance
            told["outcomes"] = [
                {"category": category, "points": points, "prob": prob}
                for category, points, prob in self.detail.outcomes
            ]
        return told


@dataclass(frozen=True, slots=True)
class Advice:
    """All actions, best first; `lead` is how far the first is ahead of the second, in a word."""

    actions: list[AdvisedAction]

    @property
    def value(self) -> float:
        return self.actions[0].value

    @property
    def lead(self) -> str:
        return lead_word(self.actions[1].regret if len(self.actions) > 1 else None)


def stored_coach(
    rules: str | Ruleset = "scandinavian",
    folder: str | Path | None = None,
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
) -> "Coach":
    """The coach for theta 0, from its files; they are made now if they are not there."""
    table = stored_table(rules, folder=folder, progress=progress, notice=notice)
    return Coach(table, BonusChances(table, stored_chances(table, folder, progress, notice)))


class Coach:
    """A solved table and what advice needs beside it; several threads may ask at once."""

    def __init__(self, table: ValueTable, chances: BonusChances) -> None:
        if table.precision != "float64":
            raise YatzyError(f"precision: {table.precision!r} is not exact enough for advice; use float64")
        self.table = replace(table, stored=read_only(table.stored))
        self.chances = chances
        self.rules = table.rules
        self._dice = lattice(self.rules.dice, self.rules.faces)
        self._keeps = [list(keep) for keep in self._dice.keeps]
        self._keep_texts = [f"keep {format_dice(keep) or 'nothing'}" for keep in self._dice.keeps]
        self._names = [format_category(self.rules, c) for c in range(self.rules.n_categories)]
        self._ends = outcomes(self.rules)
        self._end_names = [self._names[category_id] for category_id in self._ends.category.tolist()]
        self._end_points: list[int] = self._ends.points.tolist()
        self._space = table.space
        self._of_thread = threading.local()

    @cached_property
    def tables(self) -> SharedTables:
        """What the kernels read."""
        game, ends = game_tables(self.rules, "float64"), self._ends
        gain, points = option_weights(game, self.table.theta, "float64")
        return SharedTables(
            game, turn_tables(self.rules), gain, points, self.table.theta,
            np.asarray(self.table.stored), ends.category, ends.points, ends.lift,
        )  # fmt: skip

    def check_state(self, state: State) -> None:
        """Refuse a state that cannot occur; `StateSpace.check` says why, but takes as long as all advice."""
        filled, upper, reachable = state.filled, state.upper, self._space.reachable
        if not (0 <= filled < len(reachable) and 0 <= upper < reachable.shape[1] and reachable[filled, upper]):
            self._space.check(filled, upper)

    def advise(self, dice: tuple[int, ...], rerolls: int, state: State, details: int = FEW) -> Advice:
        """Every action in a situation, best first, so many of them with details."""
        filled, upper = state.filled, state.upper
        self.check_state(state)
        if filled == self.rules.all_filled:
            raise YatzyError("filled: the game is finished, no category is open")
        if not 0 <= details <= MOST_DETAILS:
            raise YatzyError(f"details: {details} is not allowed; allowed is 0..{MOST_DETAILS}")
        roll_id = self._dice.id_of(dice)
        slots = self._dice.keeps_in_roll[roll_id]
        by_category, by_slot = self._given_values(state, roll_id, rerolls)
        chosen, exits = np.empty(details, np.int64), np.zeros((details, self._ends.n))
        bonus, improve = np.zeros(details), np.zeros(details)
        weigh_situation(
            filled, upper, roll_id, rerolls, TIE, self.tables, self.chances.from_mask(filled), by_category,
            by_slot, chosen, exits, bonus, improve, *self._scratch(),
        )  # fmt: skip
        few = {
            action: Detail(bonus_chance, improve_chance, self._outcomes(line))
            for action, bonus_chance, improve_chance, line in zip(
                chosen.tolist(), bonus.tolist(), improve.tolist(), exits, strict=True
            )
        }
        n, points, keep_ids = self.rules.n_categories, self.rules.scores[roll_id], slots.tolist()
        values = [*by_category.tolist(), *by_slot.tolist()]
        allowed = [action for action, value in enumerate(values) if not math.isnan(value)]
        allowed.sort(key=lambda action: -values[action])
        best = values[allowed[0]]
        actions = []
        for action in allowed:
            value, detail = values[action], few.get(action)
            if action < n:
                name = self._names[action]
                told = AdvisedAction(f"score {name}", value, best - value, None, name, points[action], detail)
            else:
                keep_id = keep_ids[action - n]
                told = AdvisedAction(
                    self._keep_texts[keep_id], value, best - value, self._keeps[keep_id], None, None, detail
                )
            actions.append(told)
        return Advice(actions)

    def _given_values(
        self, state: State, roll_id: int, rerolls: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Values by category and by slot of a keep, as the kernel wants them: NaN, or for theta != 0 as they are.

        For theta = 0 the kernel finds the bits of `solver.advise`; NumPy's exp and log have others than Numba's.
        """
        slots = self._dice.keeps_in_roll[roll_id].tolist()
        by_category, by_slot = np.full(self.rules.n_categories, np.nan), np.full(len(slots), np.nan)
        if self.table.theta:
            for category_id, value in category_values(self.table, state.filled, state.upper, roll_id).items():
                by_category[category_id] = value
            if rerolls:
                kept = keep_values(self.table, state.filled, state.upper, roll_id, rerolls)
                for keep, value in kept.items():
                    by_slot[slots.index(self._dice.id_of(keep))] = value
        return by_category, by_slot

    def _outcomes(self, probs: NDArray[np.float64]) -> list[tuple[str, int, float]]:
        """What can come, the likeliest first."""
        order = np.argsort(-probs, kind="stable")[: np.count_nonzero(probs)]
        names, points = self._end_names, self._end_points
        return [(names[i], points[i], prob) for i, prob in zip(order.tolist(), probs[order].tolist(), strict=True)]

    def _scratch(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Work buffers of the calling thread."""
        if not hasattr(self._of_thread, "buffers"):
            game = self.tables.game
            self._of_thread.buffers = work_buffer(game, "float64"), work_buffer(game, "float64")
        buffers: tuple[NDArray[Any], NDArray[Any]] = self._of_thread.buffers
        return buffers
