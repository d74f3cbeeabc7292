"""Advice in one situation: every action with value and regret, and what the best few lead to.

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
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from yatzy.arrays import FloatArray, IntArray, lanes_of
from yatzy.coach.chances import BonusChances, load_chances, stored_chances
from yatzy.coach.warming import start_warming
from yatzy.coach.words import lead_word
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.evaluate.regret import TIE
from yatzy.home import home
from yatzy.rules import Ruleset, State, format_category, format_dice
from yatzy.running import Progress
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import Turn, turn_tables, work_buffer

FEW = 3
MOST_DETAILS = lanes_of(np.float64)


class Detail(NamedTuple):
    """What an action leads to; `outcomes` are (category, points, prob), the likeliest first."""

    bonus_chance: float | None
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
            if self.detail.bonus_chance is not None:
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
    wait: bool = True,
) -> "Coach":
    """The coach for theta 0, from its files; they are made now if they are not there.

    Without `wait`, another process computes what takes longest: the chance of the bonus is included as soon as
    it is known.
    """
    table = stored_table(rules, folder=folder, progress=progress, notice=notice, draft=True)
    if wait:
        return Coach(table, BonusChances(table, stored_chances(table, folder, progress, notice)))
    coach = Coach(table, look_in=home(folder))
    if coach.chances is None:
        start_warming(table.rules, Path(folder) if folder else None)
    return coach


class Coach:
    """A solved table and what else advice needs; several threads may ask at once.

    One situation is too little work for Numba: lookups are NumPy, and the passes of the die lattice are
    the folds of the compiled turn, so that nothing waits for a compiler. Without `chances` the chance of the bonus
    is left out; they may arrive later.
    """

    def __init__(
        self, table: ValueTable, chances: BonusChances | None = None, look_in: Path | None = None
    ) -> None:
        if table.precision != "float64":
            raise YatzyError(f"precision: {table.precision!r} is not exact enough for advice; use float64")
        self.table = table
        self._chances, self._look_in = chances, look_in
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

    @property
    def chances(self) -> BonusChances | None:
        """Those that were given, or that have since appeared in the home folder."""
        if self._chances is None and self._look_in:
            found = load_chances(self.table, self._look_in)
            self._chances = None if found is None else BonusChances(self.table, found)
        return self._chances

    @cached_property
    def _turn(self) -> Turn:
        return turn_tables(self.rules, draft=True)

    def check_state(self, state: State) -> None:
        """Refuse a state that cannot occur; `StateSpace.check` says why, but takes as long as the advice."""
        filled, upper, reachable = state.filled, state.upper, self._space.reachable
        if not (0 <= filled < len(reachable) and 0 <= upper < reachable.shape[1] and reachable[filled, upper]):
            self._space.check(filled, upper)

    def advise(self, dice: tuple[int, ...], rerolls: int, state: State, details: int = FEW) -> Advice:
        """Every action in a situation, best first, the first `details` of them with details."""
        self.check_state(state)
        if state.filled == self.rules.all_filled:
            raise YatzyError("filled: the game is finished, no category is open")
        if not 0 <= details <= MOST_DETAILS:
            raise YatzyError(f"details: {details} is not allowed; allowed is 0..{MOST_DETAILS}")
        roll_id = self._dice.id_of(dice)
        walk = _Walk(self, state, rerolls)
        n, keep_ids = self.rules.n_categories, self._dice.keeps_in_roll[roll_id].tolist()
        by_action = [*walk.points[self._ends.of_roll[roll_id]].tolist(), *walk.keep_points(roll_id)]
        allowed = [action for action, value in enumerate(by_action) if value > -math.inf]
        allowed.sort(key=lambda action: -by_action[action])
        few = walk.details(roll_id, allowed[:details]) if details else []
        best, scores = by_action[allowed[0]], self.rules.scores[roll_id]
        actions = []
        for place, action in enumerate(allowed):
            value, detail = by_action[action], few[place] if place < len(few) else None
            if action < n:
                name = self._names[action]
                told = AdvisedAction(f"score {name}", value, best - value, None, name, scores[action], detail)
            else:
                keep_id = keep_ids[action - n]
                told = AdvisedAction(
                    self._keep_texts[keep_id], value, best - value, self._keeps[keep_id], None, None, detail
                )
            actions.append(told)
        return Advice(actions)

    def told_outcomes(self, probs: FloatArray) -> list[tuple[str, int, float]]:
        """The possible outcomes, likeliest first."""
        order = np.argsort(-probs, kind="stable")[: np.count_nonzero(probs)]
        names, points = self._end_names, self._end_points
        return [(names[i], points[i], prob) for i, prob in zip(order.tolist(), probs[order].tolist(), strict=True)]

    def work(self) -> FloatArray:
        """The work buffer of the calling thread."""
        if not hasattr(self._of_thread, "work"):
            self._of_thread.work = work_buffer(self.rules)
        buffer: FloatArray = self._of_thread.work
        return buffer


class _Walk:
    """The turn of one state, walked back from its end and then forward from some actions.

    `worth` (n_outcomes,) is the utility of every outcome and `points` what it stands for, -inf where its category
    is filled; `levels[n]` (n_keeps,) is the utility of every keep with n rerolls left, and of every roll with one
    fewer.
    """

    def __init__(self, coach: Coach, state: State, rerolls: int) -> None:
        self.coach, self.state, self.rerolls = coach, state, rerolls
        self.ends, self.turn, self.theta = coach._ends, coach._turn, coach.table.theta
        self.mask, self.upper = self.ends.after(state.filled, state.upper, slice(None))
        is_open = state.filled & self.ends.bits == 0
        stored = np.where(is_open, coach.table.stored[self.mask, self.upper], -np.inf)
        self.ref = float(stored[self.turn.zero].max()) if self.theta else 0.0
        if self.theta:
            self.points = np.where(is_open, self.ends.points + stored / self.theta, -np.inf)
            utility = np.sign(self.theta) * np.exp(stored - self.ref) * np.exp(self.theta * self.ends.points)
            self.worth = np.where(is_open, utility, -np.inf)
        else:
            self.points = self.worth = stored + self.ends.points
        by_category = self.worth[self.ends.of_roll]
        self.category = by_category.argmax(axis=1)
        self.levels = [np.zeros(0)]
        work = coach.work()
        work[: len(by_category), 0] = by_category[np.arange(len(by_category)), self.category]
        for left in range(1, rerolls + 1):
            self.turn.mean(work)
            self.levels.append(work[: self.turn.n_keeps, 0].copy())
            if left < rerolls:
                self.turn.best(work)

    def keep_points(self, roll_id: int) -> list[float]:
        """Points that every keep of a roll is worth, -inf where there is none and for all dice (scoring now)."""
        ids = self.turn.keeps_in_roll[roll_id]
        if not self.rerolls:
            return [-math.inf] * len(ids)
        utility = self.levels[self.rerolls][ids]
        with np.errstate(divide="ignore"):
            points = (self.ref + np.log(np.abs(utility))) / self.theta if self.theta else utility.copy()
        points[self.turn.slots[roll_id] :] = -np.inf
        points[0] = -np.inf
        kept: list[float] = points.tolist()
        return kept

    def details(self, roll_id: int, actions: list[int]) -> list[Detail]:
        """What the actions lead to, if optimal play follows."""
        exits = self._exits(roll_id, actions)
        now = self.points[self.ends.of_roll[roll_id]].max()
        improve = exits @ (self.points > now + TIE)
        bonus: list[float | None] = [None] * len(actions)
        known = self.coach.chances
        if known is not None:
            chances = known.from_mask(self.state.filled)[self.mask, self.upper]
            bonus = (exits @ np.where(np.isnan(chances), 0.0, chances)).tolist()
        told = map(self.coach.told_outcomes, exits)
        return [Detail(*row) for row in zip(bonus, improve.tolist(), told, strict=True)]

    def _exits(self, roll_id: int, actions: list[int]) -> FloatArray:
        """(actions, n_outcomes): how the turn ends after each; one lane per action."""
        n_rolls, work = len(self.turn.prob_roll), self.coach.work()
        exits = np.zeros((self.ends.n, work.shape[1]))
        work[: self.turn.n_keeps] = 0.0
        for lane, action in enumerate(actions):
            slot = action - self.coach.rules.n_categories
            if slot >= 0:
                work[self.turn.keeps_in_roll[roll_id, slot], lane] = 1.0
            else:
                exits[self.ends.of_roll[roll_id, action], lane] = 1.0
        for left in range(self.rerolls - 1, -1, -1):
            self.turn.spread(work)
            if left:
                mass = work[:n_rolls].copy()
                work[: self.turn.n_keeps] = 0.0
                np.add.at(work, self._held(left), mass)
        if self.rerolls:
            np.add.at(exits, self.ends.of_roll[np.arange(n_rolls), self.category], work[:n_rolls])
        return np.ascontiguousarray(exits[:, : len(actions)].T)

    def _held(self, left: int) -> IntArray:
        """(n_rolls,): the best keep of every roll, ties to the lowest id."""
        by_slot = np.where(self.turn.keeps_in_roll >= 0, self.levels[left][self.turn.keeps_in_roll], -np.inf)
        return np.asarray(self.turn.keeps_in_roll[np.arange(len(by_slot)), by_slot.argmax(axis=1)])
