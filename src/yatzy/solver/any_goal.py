"""A goal solved for what can follow one state: in a moment where few boxes are open."""

from collections.abc import Iterable
from dataclasses import dataclass

from yatzy.errors import YatzyError
from yatzy.game.aim import check_target
from yatzy.rules import Ruleset, State, ruleset
from yatzy.solver.chances import ChanceAction, outcome_values, rank_actions
from yatzy.solver.goal_rows import Goal
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.table import ValueTable


@dataclass(frozen=True, eq=False)
class Situation:
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
        self, table: ValueTable, dice: str | Iterable[int], rerolls: int, target: int | None = None
    ) -> list[ChanceAction]:
        """Every action with its chance of `target` (for a utility, what it is worth), best first.

        `table` has the values of play for the mean: they are shown beside the chances, and decide between equals.
        """
        if (target is None) == self.goals.goal.is_reach:
            raise YatzyError("target", why="the goal reach needs one, and no other goal takes one")
        y = self.points - (0 if target is None else check_target(self.goals.rules, target))
        return rank_actions(table, outcome_values(self.goals, self.state, y), dice, rerolls, self.state)


def from_here(
    state: State, points: int, goal: Goal, rules: str | Ruleset = "scandinavian", precision: str = "float32"
) -> Situation:
    """Solve a goal only for what can follow a state; `points` are those in its boxes, the bonus aside."""
    if goal.opponent:
        raise YatzyError("goal", why="a duel is played with both cards in view; see policy.duelist")
    game = ruleset(rules)
    return Situation(state, points, solve_goal(game, goal, state, precision=precision, draft=True))
