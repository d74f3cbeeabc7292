"""Advice for a goal, solved for the states that can follow one state: quick if few boxes are open.

`goals` solves those states; this adds one turn in NumPy, as `advise` does for the mean.
"""

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.errors import YatzyError
from yatzy.game.action import action_ids
from yatzy.game.aim import check_target
from yatzy.game.situation import Situation
from yatzy.rules import Ruleset, State, ruleset
from yatzy.solver.advise import Advice
from yatzy.solver.goal import Goal
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.states import DiceGiven, FilledGiven, as_situation, as_state
from yatzy.solver.table import ValueTable
from yatzy.turn.lattice import lattice
from yatzy.turn.numpy_turn import keep_levels, outcome_of_rolls, smaller_keeps
from yatzy.turn.outcomes import outcomes

# With at most this many open categories a goal is solved from here in about a second, also in the page.
SOLVED_FROM_HERE = 10


def is_near(rules: Ruleset, state: State) -> bool:
    """Whether few enough boxes are open to solve a goal from here in about a second."""
    return (rules.all_filled & ~state.filled).bit_count() <= SOLVED_FROM_HERE


def advise_for_target(chances: GoalTable, table: ValueTable, here: Situation, points: int, target: int) -> Advice:
    """Every action with its chance of a final score of at least `target`, best first; ties by value.

    `points` are those in the boxes, without the bonus.
    """
    if table.rules != chances.rules:
        raise YatzyError("table", table.rules.name, why=f"is not what the chances are for, {chances.rules.name!r}")
    worth = outcome_values(chances, here.state, points - check_target(chances.rules, target))
    ranked = rank_actions(table, worth, here)
    return replace(ranked, goal="reach", target=target, need=max(target - points, 0), exact=True)


def outcome_values(goals: GoalTable, state: State, y: int, jumps: FloatArray | None = None) -> FloatArray:
    """(n_outcomes,): F after each outcome of a turn in `state`, -inf where its category is closed.

    With `jumps`, a mixture of targets: the sum over T of jumps[T] * F at y - T.
    """
    ends = outcomes(goals.rules)
    worth = np.full(ends.n, -np.inf)
    for outcome in np.flatnonzero(ends.is_open(state.filled)).tolist():
        after = State(*map(int, ends.after(state.filled, state.upper, outcome)))
        then = y + int(ends.points[outcome])
        if jumps is None:
            worth[outcome] = goals.value(after, then)
        else:
            found = goals.row_values(after, then - len(jumps) + 1, len(jumps))
            worth[outcome] = found[::-1].astype(np.float64) @ jumps
    return worth


def rank_actions(table: ValueTable, worth: FloatArray, here: Situation, most: float = 1.0) -> Advice:
    """Every action with its chance, given those of the outcomes, best first; ties by value.

    Chances are clipped to `most`, against rounding.
    """
    advice, ids = table.advise(here), action_ids(table.rules)
    chance = _chances(table.rules, worth, here)
    actions = [one._replace(chance=min(float(chance[ids[one.action]]), most)) for one in advice]
    actions.sort(key=lambda one: (-one.worth, -one.value))
    return replace(advice, actions=tuple(actions))


def _chances(rules: Ruleset, of_outcome: FloatArray, here: Situation) -> FloatArray:
    """The chance after every action, by id; -inf for boxes that are not allowed, NaN for other keeps."""
    dice, n = lattice(rules.dice, rules.faces), rules.n_categories
    # Outcome -1, not allowed, reads the -inf at the end.
    by_category = np.append(of_outcome, -np.inf)[outcome_of_rolls(rules, here.state.filled)]
    found = np.full(n + dice.n_keeps, np.nan)
    found[:n] = by_category[:, here.roll_id]
    if here.rerolls:
        keeps = smaller_keeps(dice)[here.roll_id]
        found[n + keeps] = keep_levels(dice, [by_category.max(axis=0)], here.rerolls)[-1][keeps]
    return found


@dataclass(frozen=True, eq=False)
class FromHere:
    """A state with points in its boxes, and a goal solved for everything that can follow."""

    state: State
    points: int
    goals: GoalTable

    @property
    def value(self) -> float:
        """The expected utility of the best play."""
        if self.goals.goal.is_chance:
            raise YatzyError("goal", self.goals.goal.name, why="has no single value; ask for `chance(target)`")
        return self.goals.value(self.state, self.points)

    def chance(self, target: int) -> float:
        """The greatest chance of a final score of at least `target`."""
        return self.goals.chance(check_target(self.goals.rules, target), self.state, self.points)

    def advise(
        self, table: ValueTable, dice: DiceGiven, rerolls: int | None = None, target: int | None = None
    ) -> Advice:
        """Every action with its chance of `target` or its utility, best first; ties by the values of `table`."""
        if (target is None) == self.goals.goal.is_reach:
            raise YatzyError("target", why="the goal reach needs one, and no other goal takes one")
        here = as_situation(table.rules, dice, rerolls, self.state)
        if target is not None:
            return advise_for_target(self.goals, table, here, self.points, target)
        worth = outcome_values(self.goals, self.state, self.points)
        return replace(rank_actions(table, worth, here, most=inf), goal="utility")


def from_here(
    state: FilledGiven,
    points: int,
    goal: Goal,
    rules: str | Ruleset = "scandinavian",
    upper: int | None = None,
    precision: str = "float32",
) -> FromHere:
    """Solve a goal for what can follow a state; `points` are those in its boxes, without the bonus.

    >>> import yatzy
    >>> from yatzy.solver.goal import reach
    >>> upper, kinds = "ones,twos,threes,fours,fives,sixes", "house,four of a kind,little straight,big straight"
    >>> here = yatzy.from_here(f"{upper},{kinds} @ 0", 100, reach(), rules="yacht")   # Choice and Yacht are open
    >>> round(here.chance(120), 4), round(here.chance(130), 4)
    (0.9918, 0.0899)

    Eight open boxes take a third of a second, the whole game a minute.
    """
    if goal.opponent:
        raise YatzyError("goal", why="a duel is played with both cards in view; see policies.duel.Duelist")
    game = ruleset(rules)
    start = as_state(game, state, upper)
    return FromHere(start, points, solve_goal(game, goal, start, precision=precision, draft=True))
