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
from yatzy.home import home
from yatzy.rules import Ruleset, State, format_category, format_dice, parse_rerolls
from yatzy.running import Progress
from yatzy.solver.advise import TIE
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
        self._end_extra: list[int] = self._ends.extra.tolist()
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
        filled, upper, space = state.filled, state.upper, self._space
        plain = not self.rules.saves_throws and 0 <= filled < space.n_masks and 0 <= upper < space.n_uppers
        if not (plain and space.reachable[filled, upper]):
            space.check(filled, upper)

    def advise(self, dice: tuple[int, ...], rerolls: int, state: State, details: int = FEW) -> Advice:
        """Every action in a situation, best first, the first `details` of them with details."""
        self.check_state(state)
        if self.rules.is_finished(state.filled):
            raise YatzyError("filled: the game is finished, no category is open")
        if not 0 <= details <= MOST_DETAILS:
            raise YatzyError(f"details: {details} is not allowed; allowed is 0..{MOST_DETAILS}")
        if not 0 <= rerolls <= self.rules.rerolls:
            parse_rerolls(self.rules, rerolls, state.saved(self.rules))
        roll_id = self._dice.id_of(dice)
        walk = _Walk(self, state, rerolls)
        by_action = [*walk.category_points(roll_id), *walk.keep_points(roll_id)]
        allowed = [action for action, value in enumerate(by_action) if value > -math.inf]
        allowed.sort(key=lambda action: -by_action[action])
        few = walk.details(roll_id, allowed[:details]) if details else []
        best, scored = by_action[allowed[0]], walk.outcome[roll_id].tolist()
        n, keep_ids = self.rules.n_categories, self._dice.keeps_in_roll[roll_id].tolist()
        actions = []
        for place, action in enumerate(allowed):
            value, detail = by_action[action], few[place] if place < len(few) else None
            if action < n:
                name, end = self._names[action], scored[action]
                points, extra = self._end_points[end], self._end_extra[end]
                told = AdvisedAction(f"score {name}", value, best - value, None, name, points, detail, extra)
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


class _Scored(NamedTuple):
    """Scoring now, with some throws left: by outcome, one more at the end for what is not allowed.

    `points` is what an outcome brings and leads to, -inf where its category may not be filled; `rows` and `uppers`
    are where the open ones lead. `category` and `best` (n_rolls,) are the best of a roll, and its utility.
    """

    rows: IntArray
    uppers: IntArray
    points: FloatArray
    category: IntArray
    best: FloatArray


class _Walk:
    """The turn of one state, walked back from its end and then forward from some actions.

    `outcome` (n_rolls, n_categories) is what a roll may be scored as; `levels[n]` (n_keeps,) is the utility of
    every keep with n rerolls left, and of every roll with one fewer. `scored` is by throws left where they are
    saved; elsewhere it does not matter how many are left, and there is one.
    """

    def __init__(self, coach: Coach, state: State, rerolls: int) -> None:
        self.coach, self.state, self.rerolls = coach, state, rerolls
        self.ends, self.turn, self.theta = coach._ends, coach._turn, coach.table.theta
        self.saves = coach.rules.saves_throws
        readings = self.ends.readings_of_rolls(state.filled) if coach.rules.special else slice(None)
        self.outcome = self.ends.of_reading[readings][: len(self.turn.prob_roll)]
        self.open = np.flatnonzero(coach.rules.closed(state.filled) & self.ends.bits == 0)
        self.ref = self._reference() if self.theta else 0.0
        self.scored = [self._score(0)]
        self.levels = [np.zeros(0)]
        self._walk_back(coach.work())

    def _stored(self, outcomes: IntArray, saved: int) -> tuple[IntArray, IntArray, FloatArray]:
        """Where outcomes lead, and what is stored there."""
        table = self.coach.table
        masks, uppers = self.ends.after(self.state.filled, self.state.upper, outcomes, saved)
        rows = table.space.row(masks)
        return rows, uppers, table.stored[rows, uppers]

    def _reference(self) -> float:
        """The largest log-value that scoring nothing leads to, with no throw saved."""
        return float(self._stored(self.open[self.ends.points[self.open] == 0], 0)[2].max())

    def _score(self, saved: int) -> _Scored:
        rows, uppers, stored = self._stored(self.open, saved)
        points = worth = np.full(self.ends.n + 1, -np.inf)
        gained = self.ends.points[self.open]
        if self.theta:
            points = worth.copy()
            points[self.open] = gained + stored / self.theta
            worth[self.open] = np.sign(self.theta) * np.exp(stored - self.ref) * np.exp(self.theta * gained)
        else:
            worth[self.open] = stored + gained
        by_category = worth[self.outcome]
        category = by_category.argmax(axis=1)
        best = by_category[np.arange(len(category)), category]
        return _Scored(rows, uppers, points, category, best)

    def _walk_back(self, work: FloatArray) -> None:
        rolls = slice(len(self.turn.prob_roll))
        work[rolls, 0] = self.scored[0].best
        for left in range(1, self.rerolls + 1):
            self.turn.mean(work)
            self.levels.append(work[: self.turn.n_keeps, 0].copy())
            if self.saves:
                self.scored.append(self._score(left))
            if left < self.rerolls:
                self.turn.best(work)
                if self.saves:
                    work[rolls, 0] = np.maximum(work[rolls, 0], self.scored[left].best)

    def category_points(self, roll_id: int) -> list[float]:
        """Points that scoring a roll now is worth, -inf where that is not allowed."""
        worth: list[float] = self.scored[-1].points[self.outcome[roll_id]].tolist()
        return worth

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
        now = max(self.category_points(roll_id))
        improve, bonus = np.zeros(len(actions)), np.zeros(len(actions))
        known = self.coach.chances
        chances = None if known is None else known.from_mask(self.state.filled)
        for of_level, scored in zip(exits, self.scored, strict=True):
            improve += of_level @ (scored.points[:-1] > now + TIE)
            if chances is not None:
                bonus += of_level[:, self.open] @ np.nan_to_num(chances[scored.rows, scored.uppers])
        told = map(self.coach.told_outcomes, exits.sum(axis=0))
        known_bonus = [None] * len(actions) if chances is None else bonus.tolist()
        return [Detail(*row) for row in zip(known_bonus, improve.tolist(), told, strict=True)]

    def _exits(self, roll_id: int, actions: list[int]) -> FloatArray:
        """(levels, actions, n_outcomes): how the turn ends after each; one lane per action."""
        n_rolls, work = len(self.turn.prob_roll), self.coach.work()
        exits = np.zeros((len(self.scored), self.ends.n, work.shape[1]))
        work[: self.turn.n_keeps] = 0.0
        for lane, action in enumerate(actions):
            slot = action - self.coach.rules.n_categories
            if slot >= 0:
                work[self.turn.keeps_in_roll[roll_id, slot], lane] = 1.0
            else:
                exits[-1, self.outcome[roll_id, action], lane] = 1.0
        for left in range(self.rerolls - 1, -1, -1):
            self.turn.spread(work)
            if left:
                mass = work[:n_rolls].copy()
                held = self._held(left)
                if self.saves:
                    stopped = np.flatnonzero(held < n_rolls)
                    self._add_exits(exits[left], left, stopped, mass)
                    mass[stopped] = 0.0
                work[: self.turn.n_keeps] = 0.0
                np.add.at(work, held, mass)
        if self.rerolls:
            self._add_exits(exits[0], 0, np.arange(n_rolls), work)
        return np.ascontiguousarray(exits[:, :, : len(actions)].transpose(0, 2, 1))

    def _add_exits(self, exits: FloatArray, left: int, rolls: IntArray, mass: FloatArray) -> None:
        """Score these rolls in their best categories."""
        np.add.at(exits, self.outcome[rolls, self.scored[left].category[rolls]], mass[rolls])

    def _held(self, left: int) -> IntArray:
        """(n_rolls,): the best keep of every roll, ties to the lowest id.

        Where throws are saved, holding all dice is to score them.
        """
        by_slot = np.where(self.turn.keeps_in_roll >= 0, self.levels[left][self.turn.keeps_in_roll], -np.inf)
        if self.saves:
            by_slot[:, 0] = self.scored[left].best
        return np.asarray(self.turn.keeps_in_roll[np.arange(len(by_slot)), by_slot.argmax(axis=1)])
