"""Advice: every action with its value, its regret, its reason, or its chance of a goal.

*In points* (`Coach`): the values of `solver.advise`, to the last bit. For the best few actions also, with optimal
play after them:

    outcomes         how the turn ends: a probability for each category and points
    bonus_chance     the chance that the bonus is paid at the end of the game
    improve_chance   the chance that the turn ends worth more (points + value of the state after) than the best way
                     of scoring the dice as they lie; 0 for scoring them now

For theta = 0 the outcomes also give back the value: sum of prob * (points + value after).

*Reasons* (`reason_of`): the best action explained by its own numbers. A score is explained by

    value = points + value of the state after,

compared with the box that brings most now or, if it brings most itself, with the next best action; a keep by how
its turn ends most often, and by the chance of the bonus where that differs from the next best action's.

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
from yatzy.context import DEFAULT_CONTEXT, Context, Progress
from yatzy.errors import YatzyError
from yatzy.game.action import Keep, action_ids
from yatzy.game.aim import Aim, Card
from yatzy.game.situation import Situation
from yatzy.rules import Ruleset, State
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
from yatzy.solver.from_here import advise_for_target, is_near, outcome_values, rank_actions
from yatzy.solver.goal_layout import Goal, reach, utility
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.store import stored_goal, stored_table
from yatzy.solver.table import ValueTable
from yatzy.turn.numpy_turn import NumpyTurn

FEW = 3
MAX_DETAILS = 8


def stored_coach(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> "Coach":
    """The coach for theta 0, from its files, which are computed now if they are missing."""
    table = stored_table(rules, context=context, draft=True)
    return Coach(table, BonusChances(table, stored_bonus_chances(table, context)))


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


# How many ends of a turn a sentence names, and the smallest chance worth naming.
MAX_ENDS = 3
MIN_CHANCE = 0.05
# A smaller difference between two chances of the bonus is not worth naming.
BONUS_DIFFERENCE = 0.01


def reason_of(advice: Advice) -> str:
    """Why the best action is the best, in one sentence; for a keep it needs the details."""
    best = advice.actions[0]
    if len(advice.actions) == 1:
        return "There is nothing else to do."
    why = _why_keep(best) if isinstance(best.action, Keep) else _why_score(best, advice.actions[1:])
    return why + _bonus_difference(best, advice.actions[1])


def _why_keep(best: AdvisedAction) -> str:
    if not best.outcomes:
        return f"It is worth {best.value:.1f} points to come."
    by_box: dict[str, float] = {}
    crossed = 0.0
    for category, points, chance in best.outcomes:
        if points:
            by_box[category] = by_box.get(category, 0.0) + chance
        else:
            crossed += chance
    ends = sorted(by_box.items(), key=lambda end: -end[1])[:MAX_ENDS]
    parts = [f"{category} ({chance:.0%})" for category, chance in ends if chance >= MIN_CHANCE]
    if crossed >= MIN_CHANCE:
        parts.append(f"a box crossed out ({crossed:.0%})")
    return f"The turn ends most often in {_listed(parts)}." if parts else "The turn may end in any box."


def _why_score(best: AdvisedAction, others: tuple[AdvisedAction, ...]) -> str:
    """Points now and later, compared with the box that scores most now, or with the next best."""
    scores = [action for action in others if action.points is not None]
    if not scores or best.points is None:
        return f"Throwing on is worth {others[0].regret:.1f} less."
    most = max(scores, key=lambda action: action.points or 0)
    rival = most if (most.points or 0) > best.points else scores[0]
    now = (rival.points or 0) - best.points
    later = (best.value - best.points) - (rival.value - (rival.points or 0))
    if now > 0:
        return f"{_box(rival)} brings {now} more now, but leaves {later:.1f} less for later."
    if later >= 0:
        same = "as much" if now == 0 else f"{-now} more"
        return f"It brings {same} now and leaves {later:.1f} more for later than {_box(rival)}."
    return f"It brings {-now} more now than {_box(rival)}, and leaves only {-later:.1f} less for later."


def _bonus_difference(best: AdvisedAction, second: AdvisedAction) -> str:
    mine, other = best.bonus_chance, second.bonus_chance
    if mine is None or other is None or abs(mine - other) < BONUS_DIFFERENCE:
        return ""
    return f" The bonus: {mine:.0%}, against {other:.0%} with the next best."


def _box(action: AdvisedAction) -> str:
    return (action.category or str(action.action)).title()


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


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
        rules, state = table.rules, here.state
        if aim.target is not None:
            return advise_for_target(self.reach(rules, state, progress), table, here, points, aim.target)
        worths = self._get(("worths", rules, aim.others), lambda: score_worths(table, aim.others, progress))
        near = is_near(rules, state)
        if near:
            key = ("others", rules, aim.others, state)
            goals = self._get(key, lambda: self._from_here(rules, utility(worths), state, progress))
            worth = outcome_values(goals, state, points)
        else:
            jumps = np.diff(worths, prepend=0.0)
            worth = outcome_values(self._whole(rules), state, points, jumps)
        return replace(rank_actions(table, worth, here), goal="beat", others=len(aim.others), exact=near)

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
