"""Advice: every action with its value and its regret, or its chance of a goal; `coach.why` says why.

*In points* (`Coach`): the values of `solver.advise`, to the last bit. For the best few actions also, with optimal
play after them:

    outcomes         how the turn ends: a probability for each category and points
    bonus_chance     the chance that the bonus is paid at the end of the game
    improve_chance   the chance that the turn ends worth more (points + value of the state after) than the best way
                     of scoring the dice as they lie; 0 for scoring them now

For theta = 0 the outcomes also give back the value: sum of prob * (points + value after).

*In chances* (`GoalAdvisor`), for an `Aim`. A target: the chance of at least this score with the best play for it,
exact (`solver.goals`). Or to beat the others at the table, who play for the mean, so that the distribution of each
final score is known exactly. My final score x is then worth the chance that nobody is above x, divided among those
who share it,

    U(x) = sum over k of P(nobody above x, k others at x) / (k + 1).

With few boxes open the best play for U is solved from here, exactly; it does not look at the others' cards again,
so real play can do better. Before that, U is taken as a mixture of targets: it rises at T by U(T) - U(T - 1), and
the chances of all T are known. That would be the chance if the others' scores were known after this turn, slightly
more than any play can achieve: an estimate. The chances of a whole game take a minute and a gigabyte; they are
solved once and kept in the home folder.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.coach.outlook import BonusChances, final_scores, load_chances, stored_bonus_chances
from yatzy.coach.why import ExplainedAdvice, explain
from yatzy.context import DEFAULT_CONTEXT, Context, Progress
from yatzy.errors import YatzyError
from yatzy.game.action import action_ids
from yatzy.game.aim import Aim, Card, check_target, check_theta
from yatzy.game.situation import Situation
from yatzy.measure.parts import BoxParts
from yatzy.rules import Ruleset, State, ruleset
from yatzy.solver.advise import (
    TIE,
    Advice,
    AdvisedAction,
    LikelyEnd,
    check_unfinished,
    ranked_actions,
    scores_of,
    turn_of,
)
from yatzy.solver.from_here import is_near, outcome_values, rank_actions
from yatzy.solver.goal import Goal, reach, utility
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.states import DiceGiven, FilledGiven, as_situation, check_solvable
from yatzy.solver.store import stored_goal, stored_table, table_of
from yatzy.solver.table import ValueTable
from yatzy.storage import home
from yatzy.turn.numpy_turn import NumpyTurn

FEW = 3
MAX_DETAILS = 8


def stored_coach(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> "Coach":
    """The coach for theta 0, from its files, which are computed now if they are missing."""
    table = stored_table(rules, context=context, draft=True)
    chances = BonusChances(table, stored_bonus_chances(table, context))
    return Coach(table, chances, look_in=home(context.home))


def advise(
    dice: DiceGiven | Situation,
    rerolls: int | None = None,
    filled: FilledGiven = 0,
    upper: int | None = None,
    *,
    rules: str | Ruleset | None = None,
    theta: float = 0.0,
    why: bool = False,
) -> Advice:
    """Every action in a situation, best first, with its value and what it loses against the best.

    >>> import yatzy
    >>> advice = yatzy.advise("1 3 3 5 6", rerolls=2)
    >>> advice
    <Advice for '1 3 3 5 6 | 2 | - @ 0': keep 3 3, 245.755; 38 actions>
    >>> str(advice[1].action), round(advice[1].value, 3), round(advice[1].regret, 3)
    ('keep 5 6', 245.673, 0.082)
    >>> yatzy.advise("1 3 3 5 6 | 2 | ones,pair @ 3").best
    Keep(dice=(3, 3))
    >>> print(yatzy.advise("5 5 5 5 5", rerolls=0, filled="yahtzee*", rules="yahtzee").best)
    score fives

    The game is solved once and then read from the home folder. One text may describe the whole situation. With
    `why`, each action says why, and which boxes its regret comes from:

    >>> found = yatzy.advise("2 2 2 4 4", rerolls=2, why=True).of(yatzy.Score("full house"))
    >>> print(found.why)
    Full House would be only 14 points now; left open, it brings 21 on average.
    >>> round(found.regret, 2), round(found.parts["full house"], 2), round(sum(found.parts.values()), 2)
    (9.69, 7.26, 9.69)

    If you have a table, use `table.advise`.
    """
    if rules is None:
        rules = dice.rules if isinstance(dice, Situation) else "scandinavian"
    here = as_situation(ruleset(rules), dice, rerolls, filled, upper)
    table = table_of(check_solvable(here.rules), check_theta(theta))
    if not why:
        return table.advise(here)
    with DEFAULT_CONTEXT.shown("working out why") as shown:
        return explain(BoxParts(table), table.advise(here), context=shown).told()


class Coach:
    """A solved table and what else advice needs. Thread-safe.

    One situation is too little work for Numba: everything comes from `turn.numpy_turn`, and nothing waits for a
    compiler. The chance of the bonus is left out until `chances` are known.
    """

    def __init__(
        self, table: ValueTable, chances: BonusChances | None = None, look_in: Path | None = None
    ) -> None:
        if table.precision != "float64":
            raise YatzyError("precision", table.precision, why="is not exact enough for advice; use float64")
        self.table = table
        self._chances, self._look_in = chances, look_in
        self.rules = table.rules
        self.parts = BoxParts(table, Context(look_in), keep=look_in is not None)

    @property
    def chances(self) -> BonusChances | None:
        """As passed in, or as found since in the home folder."""
        if self._chances is None and self._look_in:
            found = load_chances(self.table, self._look_in)
            self._chances = None if found is None else BonusChances(self.table, found)
        return self._chances

    def advise(self, here: Situation, details: int = FEW) -> Advice:
        """Every action in a situation, best first, the first `details` of them with details."""
        if not 0 <= details <= MAX_DETAILS:
            raise YatzyError("details", details, f"0..{MAX_DETAILS}")
        state = here.state
        self.table.space.check(state.filled, state.upper)
        check_unfinished(self.rules, state.filled)
        turn = turn_of(self.table, state.filled, state.upper, here.rerolls)
        actions = ranked_actions(self.rules, turn, here.roll_id)
        if details:
            actions = (*self._detailed(turn, here.roll_id, actions[:details]), *actions[details:])
        return Advice(here, actions, self.table.theta, "risk" if self.table.theta else "mean")

    def explain(
        self, advice: Advice, worth: FloatArray | None = None, context: Context = DEFAULT_CONTEXT
    ) -> ExplainedAdvice:
        """Why: see `coach.why`; `worth` is that of each outcome, for a goal of chances."""
        return explain(self.parts, advice, worth, context)

    def _detailed(self, turn: NumpyTurn, roll_id: int, actions: tuple[AdvisedAction, ...]) -> list[AdvisedAction]:
        """The actions, with their details."""
        ids = action_ids(self.rules)
        exits = turn.exits(roll_id, [ids[one.action] for one in actions])
        now = max(turn.category_points(roll_id))
        improve, bonus = np.zeros(len(actions)), np.zeros(len(actions))
        known = self.chances
        chances = None if known is None else known.from_mask(turn.filled)
        for of_level, scored in zip(exits, turn.scored, strict=True):
            improve += of_level @ (scored.points[:-1] > now + TIE)
            if chances is not None:
                bonus += of_level[:, turn.open] @ np.nan_to_num(chances[scored.rows, scored.uppers])
        known_bonus = [None] * len(actions) if chances is None else bonus.tolist()
        columns = zip(actions, known_bonus, improve.tolist(), exits.sum(axis=0), strict=True)
        return [
            one._replace(bonus_chance=safe, improve_chance=better, outcomes=self._likely_ends(ends))
            for one, safe, better, ends in columns
        ]

    def _likely_ends(self, probs: FloatArray) -> tuple[LikelyEnd, ...]:
        """How the turn may end, likeliest first."""
        order = np.argsort(-probs, kind="stable")[: np.count_nonzero(probs)]
        scores = scores_of(self.rules)
        return tuple(
            LikelyEnd(scores[end].category, scores[end].points or 0, prob)
            for end, prob in zip(order.tolist(), probs[order].tolist(), strict=True)
        )


Solved = TypeVar("Solved")
CACHE_SIZE = 8


class GoalAdvisor:
    """Chances in any game. Thread-safe; the goals solved last are cached.

    `whole` returns the chances of all targets in all states of a game: early situations are looked up in it, late
    ones are solved from there.
    """

    def __init__(self, whole: Callable[[Ruleset], GoalTable], threads: int | None = None) -> None:
        self._whole, self._threads = whole, threads
        self._cache: OrderedDict[tuple[Hashable, ...], Any] = OrderedDict()
        self._lock = Lock()

    def advise(
        self, aim: Aim, table: ValueTable, here: Situation, points: int, progress: Progress | None = None
    ) -> Advice:
        """Every action with its chance, best first; ties go by the value in `table`, for the mean."""
        found = rank_actions(table, self.worth(aim, table, here.state, points, progress), here)
        if aim.target is not None:
            need = max(aim.target - points, 0)
            return replace(found, goal="reach", target=aim.target, need=need, exact=True)
        return replace(found, goal="beat", others=len(aim.others), exact=is_near(table.rules, here.state))

    def worth(
        self, aim: Aim, table: ValueTable, state: State, points: int, progress: Progress | None = None
    ) -> FloatArray:
        """(n_outcomes,): the chance after each outcome of a turn."""
        rules = table.rules
        if aim.target is not None:
            return outcome_values(
                self.reach(rules, state, progress), state, points - check_target(rules, aim.target)
            )
        worths = self._get(("worths", rules, aim.others), lambda: score_worths(table, aim.others, progress))
        if is_near(rules, state):
            key = ("others", rules, aim.others, state)
            goals = self._get(key, lambda: self._from_here(rules, utility(worths), state, progress))
            return outcome_values(goals, state, points)
        return outcome_values(self._whole(rules), state, points, np.diff(worths, prepend=0.0))

    def chance(self, rules: Ruleset, target: int, mine: Card, progress: Progress | None = None) -> float:
        """The highest chance of a target, before the dice are thrown."""
        return self.reach(rules, mine.state, progress).chance(target, mine.state, mine.points)

    def reach(self, rules: Ruleset, state: State, progress: Progress | None = None) -> GoalTable:
        """Chances of all targets in the states that can follow: solved from here if they are few, else `whole`."""
        if not is_near(rules, state):
            return self._whole(rules)
        with self._lock:
            solved: list[GoalTable] = [found for key, found in self._cache.items() if key[:2] == ("reach", rules)]
        for goals in solved:
            if goals.leads_to(state):
                return goals
        return self._get(("reach", rules, state), lambda: self._from_here(rules, reach(), state, progress))

    def _from_here(self, rules: Ruleset, goal: Goal, state: State, progress: Progress | None) -> GoalTable:
        return solve_goal(
            rules, goal, state, context=Context(threads=self._threads, progress=progress), draft=True
        )

    def _get(self, key: tuple[Hashable, ...], compute: Callable[[], Solved]) -> Solved:
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                cached: Solved = self._cache[key]
                return cached
        found = compute()
        with self._lock:
            self._cache[key] = found
            if len(self._cache) > CACHE_SIZE:
                self._cache.popitem(last=False)
        return found


def stored_chances(context: Context = DEFAULT_CONTEXT) -> GoalAdvisor:
    """Chances with whole games from the home folder, which are solved now if they are missing."""
    return GoalAdvisor(lru_cache(maxsize=1)(lambda rules: stored_goal(rules, reach(), context)), context.threads)


def score_worths(table: ValueTable, others: Sequence[Card], progress: Progress | None = None) -> FloatArray:
    """U: the share of a win that each final score brings against others who play for the mean."""
    from yatzy.measure.exact import points_to_come
    from yatzy.policies.optimal import Optimal

    best = Optimal(table)
    scores = [
        final_scores(table.rules, card.points, points_to_come(best, card.state, Context(progress=progress))[0]).pmf
        for card in others
    ]
    return share_of_win(np.stack(scores))


def share_of_win(scores: FloatArray) -> FloatArray:
    """U from the others' distributions (n_others, n_scores)."""
    at, below = scores, np.cumsum(scores, axis=1) - scores
    # ties[k]: nobody is above a score and k of those so far are at it.
    ties = np.ones((1, scores.shape[1]))
    for here, under in zip(at, below, strict=True):
        ties = np.pad(ties * under, ((0, 1), (0, 0))) + np.pad(ties * here, ((1, 0), (0, 0)))
    return np.asarray((ties / np.arange(1, len(ties) + 1)[:, None]).sum(axis=0))
