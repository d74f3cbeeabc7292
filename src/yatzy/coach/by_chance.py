"""Advice by chance: every action with the chance of an aim after it (`aims`).

*A target*: the chance of at least this score with the best play for it, exact (`solver.goals`).

*The others at the table* play for the mean, so the distribution of each final score is known exactly. What my own
final score x is worth follows: the chance that nobody is above x, divided among those who share it,

    U(x) = sum over k of P(nobody above x, k others at x) / (k + 1).

With few boxes open the best play for U is solved from here, exactly; it does not look at the others' cards again,
so real play can do better than its chance. Before that, U is taken as a mixture of targets: it rises at T by
U(T) - U(T - 1), and the chances of all T are known. That is the chance if the others' scores were known after this
turn, slightly more than any play can achieve: an estimate.

The chances of a whole game take a minute and a gigabyte; they are solved once and kept in the home folder.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.coach.outlook import final_scores
from yatzy.context import HERE, Context, Progress
from yatzy.game.aim import Aim, Card
from yatzy.game.situation import Situation
from yatzy.rules import Ruleset, State
from yatzy.solver.advise import Advice
from yatzy.solver.chances import advise_for_target, is_near, outcome_values, rank_actions
from yatzy.solver.goal_rows import Goal, reach, utility
from yatzy.solver.goal_store import stored_goal
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.table import ValueTable

Solved = TypeVar("Solved")
KEPT = 8


class ByChance:
    """Chances in any game; what was solved last is kept, and several threads may ask.

    `whole` gives the chances of all targets in all states of a game, where a situation is not solved from here.
    """

    def __init__(self, whole: Callable[[Ruleset], GoalTable], threads: int | None = None) -> None:
        self._whole, self._threads = whole, threads
        self._kept: OrderedDict[tuple[Hashable, ...], Any] = OrderedDict()
        self._lock = Lock()

    def advise(
        self, aim: Aim, table: ValueTable, here: Situation, points: int, progress: Progress | None = None
    ) -> Advice:
        """Every action with its chance, best first; equals by their value for the mean, which is `table`'s."""
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
        """The greatest chance of a target, before the dice are thrown."""
        return self.reach(rules, mine.state, progress).chance(target, mine.state, mine.points)

    def reach(self, rules: Ruleset, state: State, progress: Progress | None = None) -> GoalTable:
        """Chances of all targets in all that can follow a state: solved from here if little can, else whole."""
        if not is_near(rules, state):
            return self._whole(rules)
        with self._lock:
            solved: list[GoalTable] = [found for key, found in self._kept.items() if key[:2] == ("reach", rules)]
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
            if key in self._kept:
                self._kept.move_to_end(key)
                kept: Solved = self._kept[key]
                return kept
        found = compute()
        with self._lock:
            self._kept[key] = found
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found


def stored_chances(context: Context = HERE) -> ByChance:
    """Chances with whole games from the home folder; they are solved now if they are not there."""
    return ByChance(lru_cache(maxsize=1)(lambda rules: stored_goal(rules, reach(), context)), context.threads)


def score_worths(table: ValueTable, others: Sequence[Card], progress: Progress | None = None) -> FloatArray:
    """U: what each final score is worth against others who play for the mean."""
    from yatzy.evaluate.exact import points_to_come
    from yatzy.policy.optimal import Optimal

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
