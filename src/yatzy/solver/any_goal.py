"""One call for every goal: `solve(goal=...)` for the whole game, `from_here` for what can follow one situation.

solve()                              values of play for the mean: a `ValueTable`
solve(goal=risk(0.02))               the same for exp(0.02 * score)
solve(goal=reach())                  a `GoalTable`: the chance of every target from every state
from_here(state, points, reach())    the same for one situation, in a moment if few boxes are open
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import overload

from yatzy.errors import YatzyError
from yatzy.game.aim import check_target
from yatzy.rules import Ruleset, State, ruleset
from yatzy.running import Progress
from yatzy.solver.chances import ChanceAction, outcome_values, rank_actions
from yatzy.solver.goal_rows import Goal
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.solve import solve as solve_values
from yatzy.solver.table import ValueTable


@overload
def solve(
    rules: str | Ruleset = ...,
    theta: float = ...,
    precision: str | None = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
    goal: None = ...,
) -> ValueTable: ...


@overload
def solve(
    rules: str | Ruleset = ...,
    theta: float = ...,
    precision: str | None = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
    *,
    goal: Goal,
) -> ValueTable | GoalTable: ...


def solve(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    goal: Goal | None = None,
) -> ValueTable | GoalTable:
    """Solve the game exactly for a goal, and return what every state is worth.

    `theta` is the risk parameter of u(x) = exp(theta x): 0 maximises the mean, positive seeks risk, negative
    avoids it; `goal=risk(theta)` is the same. Goals that look at the points so far (reach, utility, duel) give a
    `GoalTable`, about a minute and a gigabyte each. `precision` is float64 for values and float32 for goals unless
    it is given. `threads` defaults to all cores. `progress(done, total)` is called on the way.
    """
    if goal is not None and theta:
        raise YatzyError(f"theta: cannot go with the goal {goal.name}; for a risk, use goal=risk({theta})")
    if goal is None or goal.theta is not None:
        wanted = theta if goal is None else goal.theta or 0.0
        return solve_values(rules, wanted, precision or "float64", threads, progress)
    return solve_goal(rules, goal, precision=precision or "float32", threads=threads, progress=progress)


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
            raise YatzyError(f"goal: {self.goals.goal.name} has chances, not one value; ask for `chance(target)`")
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
            raise YatzyError("target: the goal reach needs one, and no other goal takes one")
        y = self.points - (0 if target is None else check_target(self.goals.rules, target))
        return rank_actions(table, outcome_values(self.goals, self.state, y), dice, rerolls, self.state)


def from_here(
    state: State, points: int, goal: Goal, rules: str | Ruleset = "scandinavian", precision: str = "float32"
) -> Situation:
    """Solve a goal only for what can follow a state; `points` are those in its boxes, the bonus aside."""
    if goal.opponent:
        raise YatzyError("goal: a duel is played with both cards in view; see policy.duelist")
    game = ruleset(rules)
    return Situation(state, points, solve_goal(game, goal, state, precision=precision, draft=True))
