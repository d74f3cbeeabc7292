"""Advice in one situation: every action with value and regret, and what the best few lead to.

The values are those of `solver.advise`, to the last bit. For the best few actions, with optimal play after them:

    outcomes         how the turn ends: a probability for each category and points
    bonus_chance     chance that the bonus is paid at the end of the game
    improve_chance   chance that the turn ends worth more than the best way of scoring the dice as they lie,
                     worth being points + value of the state after; 0 for scoring them now

For theta = 0 the outcomes also give back the value: sum of prob * (points + value after).
"""

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
from yatzy.home import home
from yatzy.rules import Ruleset, State, format_category, parse_rerolls
from yatzy.running import Progress
from yatzy.solver.advise import TIE, action_texts, check_unfinished, turn_of
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.turn.one import OneTurn, best_keeps
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
    """An action as in `solver.advise`: a keep, or a category with the points that the dice score there.

    `extra` is the part of the points that is not written into the box, such as those for a further Yahtzee.
    """

    action: str
    value: float
    regret: float
    keep: list[int] | None = None
    category: str | None = None
    points: int | None = None
    detail: Detail | None = None
    extra: int = 0

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"action": self.action, "value": self.value, "regret": self.regret}
        if self.keep is not None:
            told["keep"] = self.keep
        else:
            told["category"] = self.category
            told["points"] = self.points
            if self.extra:
                told["extra"] = self.extra
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

    One situation is too little work for Numba: values are those of `turn.one`, and what actions lead to is found
    with a fold of the compiled turn, called from Python, so that nothing waits for a compiler. Without `chances`
    the chance of the bonus is left out; they may arrive later.
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
        self._texts = action_texts(self.rules)
        self._names = [format_category(self.rules, c) for c in range(self.rules.n_categories)]
        ends = outcomes(self.rules)
        self._end_names = [self._names[category_id] for category_id in ends.category.tolist()]
        self._end_points: list[int] = ends.points.tolist()
        self._end_extra: list[int] = ends.extra.tolist()
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

    def advise(self, dice: tuple[int, ...], rerolls: int, state: State, details: int = FEW) -> Advice:
        """Every action in a situation, best first, the first `details` of them with details."""
        check_unfinished(self.table, state.filled, state.upper)
        if not 0 <= details <= MOST_DETAILS:
            raise YatzyError(f"details: {details} is not allowed; allowed is 0..{MOST_DETAILS}")
        if not 0 <= rerolls <= self.rules.rerolls:
            parse_rerolls(self.rules, rerolls, state.saved(self.rules))
        roll_id = self._dice.id_of(dice)
        turn = turn_of(self.table, state.filled, state.upper, rerolls)
        ranked = turn.ranked(roll_id)
        few = _Ahead(self, turn).details(roll_id, [action for action, _ in ranked[:details]]) if details else []
        best, scored = ranked[0][1], turn.outcome[:, roll_id].tolist()
        n = self.rules.n_categories
        actions = []
        for place, (action, value) in enumerate(ranked):
            text, detail = self._texts[action], few[place] if place < len(few) else None
            if action < n:
                name, end = self._names[action], scored[action]
                points, extra = self._end_points[end], self._end_extra[end]
                told = AdvisedAction(text, value, best - value, None, name, points, detail, extra)
            else:
                told = AdvisedAction(text, value, best - value, self._keeps[action - n], None, None, detail)
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


class _Ahead:
    """What some actions of a turn lead to, if the best ones follow: the turn walked forward, a lane for each."""

    def __init__(self, coach: Coach, turn: OneTurn) -> None:
        self.coach, self.turn, self.tables = coach, turn, coach._turn
        self.saves = coach.rules.saves_throws

    def details(self, roll_id: int, actions: list[int]) -> list[Detail]:
        """By action."""
        turn = self.turn
        exits = self._exits(roll_id, actions)
        now = max(turn.category_points(roll_id))
        improve, bonus = np.zeros(len(actions)), np.zeros(len(actions))
        known = self.coach.chances
        chances = None if known is None else known.from_mask(turn.filled)
        for of_level, scored in zip(exits, turn.scored, strict=True):
            improve += of_level @ (scored.points[:-1] > now + TIE)
            if chances is not None:
                bonus += of_level[:, turn.open] @ np.nan_to_num(chances[scored.rows, scored.uppers])
        told = map(self.coach.told_outcomes, exits.sum(axis=0))
        known_bonus = [None] * len(actions) if chances is None else bonus.tolist()
        return [Detail(*row) for row in zip(known_bonus, improve.tolist(), told, strict=True)]

    def _exits(self, roll_id: int, actions: list[int]) -> FloatArray:
        """(levels, actions, n_outcomes): how the turn ends after each."""
        turn, n_keeps, n_rolls = self.turn, self.tables.n_keeps, len(self.tables.prob_roll)
        work = self.coach.work()
        exits = np.zeros((len(turn.scored), turn.ends.n, work.shape[1]))
        work[:n_keeps] = 0.0
        for lane, action in enumerate(actions):
            keep = action - self.coach.rules.n_categories
            if keep >= 0:
                work[keep, lane] = 1.0
            else:
                exits[-1, turn.outcome[action, roll_id], lane] = 1.0
        for left in range(turn.rerolls - 1, -1, -1):
            self.tables.spread(work)
            if left:
                mass = work[:n_rolls].copy()
                held = best_keeps(turn.dice, turn.levels[left - 1], turn.scored[left].best if self.saves else None)
                if self.saves:
                    stopped = np.flatnonzero(held < n_rolls)
                    self._add_exits(exits[left], left, stopped, mass)
                    mass[stopped] = 0.0
                work[:n_keeps] = 0.0
                np.add.at(work, held, mass)
        if turn.rerolls:
            self._add_exits(exits[0], 0, np.arange(n_rolls), work)
        return np.ascontiguousarray(exits[:, :, : len(actions)].transpose(0, 2, 1))

    def _add_exits(self, exits: FloatArray, left: int, rolls: IntArray, mass: FloatArray) -> None:
        """Score these rolls in their best categories."""
        np.add.at(exits, self.turn.best_outcomes(left)[rolls], mass[rolls])
