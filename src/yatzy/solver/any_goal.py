"""A goal solved for what can follow one state: in a moment where few boxes are open."""

from dataclasses import dataclass, replace
from math import inf

from yatzy.errors import YatzyError
from yatzy.game.aim import check_target
from yatzy.rules import Ruleset, State, ruleset
from yatzy.solver.advise import Advice
from yatzy.solver.chances import advise_for_target, outcome_values, rank_actions
from yatzy.solver.goal_rows import Goal
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.states import DiceGiven, FilledGiven, as_situation, as_state
from yatzy.solver.table import ValueTable


@dataclass(frozen=True, eq=False)
class FromHere:
    """A state with points in its boxes, and the goal solved for all that can follow."""

    state: State
    points: int
    goals: GoalTable

    @property
    def value(self) -> float:
        """What the best play for a utility gives from here."""
        if self.goals.goal.is_chance:
            raise YatzyError("goal", self.goals.goal.name, why="has no one value; ask for `chance(target)`")
        return self.goals.value(self.state, self.points)

    def chance(self, target: int) -> float:
        """The greatest chance of a final score of at least `target`."""
        return self.goals.chance(check_target(self.goals.rules, target), self.state, self.points)

    def advise(
        self, table: ValueTable, dice: DiceGiven, rerolls: int | None = None, target: int | None = None
    ) -> Advice:
        """Every action with its chance of `target` (for a utility, what it is worth), best first.

        `table` has the values of play for the mean: they are shown beside the chances, and decide between equals.
        """
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
    """Solve a goal only for what can follow a state; `points` are those in its boxes, the bonus aside.

    >>> import yatzy
    >>> from yatzy.solver.goal_rows import reach
    >>> upper, kinds = "ones,twos,threes,fours,fives,sixes", "house,four of a kind,little straight,big straight"
    >>> here = yatzy.from_here(f"{upper},{kinds} @ 0", 100, reach(), rules="yacht")   # Choice and Yacht are open
    >>> round(here.chance(120), 4), round(here.chance(130), 4)
    (0.9918, 0.0899)

    With eight open boxes that takes a third of a second, where the whole game takes a minute.
    """
    if goal.opponent:
        raise YatzyError("goal", why="a duel is played with both cards in view; see policy.duelist")
    game = ruleset(rules)
    start = as_state(game, state, upper)
    return FromHere(start, points, solve_goal(game, goal, start, precision=precision, draft=True))
