"""Advice in one situation: every action with value and regret, and what the best few lead to.

The values are those of `solver.advise`, to the last bit. For the best few actions, with optimal play after them:

    outcomes         how the turn ends: a probability for each category and points
    bonus_chance     chance that the bonus is paid at the end of the game
    improve_chance   chance that the turn ends worth more than the best way of scoring the dice as they lie,
                     worth being points + value of the state after; 0 for scoring them now

For theta = 0 the outcomes also give back the value: sum of prob * (points + value after).
"""

import threading
from functools import cached_property
from pathlib import Path

import numpy as np

from yatzy.arrays import FloatArray, IntArray, lanes_of
from yatzy.coach.chances import BonusChances, load_chances, stored_bonus_chances
from yatzy.coach.warming import start_warming
from yatzy.context import HERE, Context
from yatzy.errors import YatzyError
from yatzy.game.action import action_ids
from yatzy.game.situation import Situation
from yatzy.game.words import TIE
from yatzy.home import home
from yatzy.rules import Ruleset
from yatzy.solver.advise import (
    Advice,
    AdvisedAction,
    LikelyEnd,
    check_unfinished,
    ranked_actions,
    scores_of,
    turn_of,
)
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.turn.one import OneTurn, best_keeps
from yatzy.turn.tables import Turn, turn_tables, work_buffer

FEW = 3
MOST_DETAILS = lanes_of(np.float64)


def stored_coach(rules: str | Ruleset = "scandinavian", context: Context = HERE, wait: bool = True) -> "Coach":
    """The coach for theta 0, from its files; they are made now if they are not there.

    Without `wait`, another process computes what takes longest: the chance of the bonus is included as soon as
    it is known.
    """
    table = stored_table(rules, context=context, draft=True)
    if wait:
        return Coach(table, BonusChances(table, stored_bonus_chances(table, context)))
    coach = Coach(table, look_in=home(context.home))
    if coach.chances is None:
        start_warming(table.rules, context.home)
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
            raise YatzyError("precision", table.precision, why="is not exact enough for advice; use float64")
        self.table = table
        self._chances, self._look_in = chances, look_in
        self.rules = table.rules
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

    def advise(self, here: Situation, details: int = FEW) -> Advice:
        """Every action in a situation, best first, the first `details` of them with details."""
        if not 0 <= details <= MOST_DETAILS:
            raise YatzyError("details", details, f"0..{MOST_DETAILS}")
        state = here.state
        self.table.space.check(state.filled, state.upper)
        check_unfinished(self.rules, state.filled)
        turn = turn_of(self.table, state.filled, state.upper, here.rerolls)
        actions = ranked_actions(self.rules, turn, here.roll_id)
        if details:
            few = _Ahead(self, turn).details(here.roll_id, actions[:details])
            actions = (*few, *actions[details:])
        return Advice(here, actions, self.table.theta, "risk" if self.table.theta else "mean")

    def likely_ends(self, probs: FloatArray) -> tuple[LikelyEnd, ...]:
        """The possible ends of a turn, likeliest first."""
        order = np.argsort(-probs, kind="stable")[: np.count_nonzero(probs)]
        scores = scores_of(self.rules)
        return tuple(
            LikelyEnd(scores[end].category, scores[end].points or 0, prob)
            for end, prob in zip(order.tolist(), probs[order].tolist(), strict=True)
        )

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

    def details(self, roll_id: int, actions: tuple[AdvisedAction, ...]) -> list[AdvisedAction]:
        """The actions, with their details."""
        turn, ids = self.turn, action_ids(self.coach.rules)
        exits = self._exits(roll_id, [ids[one.action] for one in actions])
        now = max(turn.category_points(roll_id))
        improve, bonus = np.zeros(len(actions)), np.zeros(len(actions))
        known = self.coach.chances
        chances = None if known is None else known.from_mask(turn.filled)
        for of_level, scored in zip(exits, turn.scored, strict=True):
            improve += of_level @ (scored.points[:-1] > now + TIE)
            if chances is not None:
                bonus += of_level[:, turn.open] @ np.nan_to_num(chances[scored.rows, scored.uppers])
        known_bonus = [None] * len(actions) if chances is None else bonus.tolist()
        columns = zip(actions, known_bonus, improve.tolist(), exits.sum(axis=0), strict=True)
        return [
            one._replace(bonus_chance=safe, improve_chance=better, outcomes=self.coach.likely_ends(ends))
            for one, safe, better, ends in columns
        ]

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
