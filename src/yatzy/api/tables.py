"""`yatzy.solve`: the solved game as a table that takes names and text."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np

from yatzy.errors import YatzyError
from yatzy.pictures import html_table
from yatzy.rules import Ruleset, State, format_filled, ruleset
from yatzy.running import Progress, shown
from yatzy.solver.any_goal import Situation
from yatzy.solver.any_goal import from_here as solve_from_here
from yatzy.solver.goal_rows import Goal
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.solve import solve as solve_values
from yatzy.solver.states import FilledGiven, as_state
from yatzy.solver.table import ValueTable

if TYPE_CHECKING:
    import polars

    from yatzy.api.advice import Advice


@dataclass(frozen=True, eq=False, repr=False)
class Table(ValueTable):
    """Values of every state under optimal play, as `yatzy.solve` finds them.

    >>> import yatzy
    >>> table = yatzy.solve()
    >>> table
    <Table scandinavian: 248.4400 points from the start, 1,430,528 states, float64>
    >>> round(table.value("ones,pair @ 3"), 3), round(table.value("ones,pair", upper=3), 3)
    (220.093, 220.093)
    >>> table.advise("1 3 3 5 6", rerolls=2).best
    'keep 3 3'
    """

    def value(
        self, filled: SupportsIndex | str | Iterable[str] | State = 0, upper: SupportsIndex | None = None
    ) -> float:
        """Expected remaining points from a state, bonus included: `value("ones,pair @ 3")`."""
        state = as_state(self.rules, filled, upper)
        return super().value(state.filled, state.upper)

    def advise(
        self, dice: Any, rerolls: int | None = None, filled: FilledGiven = 0, upper: int | None = None
    ) -> "Advice":
        """Every action in a situation, best first: see `yatzy.advise`."""
        from yatzy.api.advice import advise

        return advise(self, dice, rerolls, filled, upper)

    def frame(self) -> "polars.DataFrame":
        """All states that can occur: `filled` as a number, `upper` and `value`."""
        import polars as pl

        row, upper = np.nonzero(self.space.reachable)
        return pl.DataFrame(
            {"filled": self.space.masks[row], "upper": upper.astype(np.int16), "value": self.values[row, upper]}
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.rules, self.theta, np.array(self.stored))

    def _repr_html_(self) -> str:
        start = self.space.layers[1].tolist()
        reached = self.space.reachable[self.space.row(np.array(start))]
        rows = [
            (format_filled(self.rules, mask), int(upper), self.value(mask, int(upper)))
            for mask, row in zip(start, reached, strict=True)
            for upper in np.flatnonzero(row)[-1:]
        ]
        return html_table(("filled first", "upper", "points to come"), rows, repr(self)[1:-1])


@overload
def solve(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    goal: None = None,
) -> Table: ...


@overload
def solve(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    *,
    goal: Goal,
) -> Table | GoalTable: ...


def solve(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    goal: Goal | None = None,
) -> Table | GoalTable:
    """Solve a game exactly, by its name, from its TOML file, or as a `Ruleset`.

    >>> import yatzy
    >>> yatzy.solve().value()
    248.4399893778...
    >>> yatzy.solve("yacht")
    <Table yacht: 166.9551 points from the start, 4,096 states, float64>
    >>> yatzy.solve(theta=0.05).value() > yatzy.solve().value()
    True

    `theta` is for the utility exp(theta * points): positive seeks risk, negative avoids it, and values are
    certainty equivalents. A `goal` that looks at the points on the card (`reach()`, `utility(...)` in
    `yatzy.solver.goal_rows`) gives a `GoalTable`; that takes a minute and a gigabyte. `threads` are all cores
    unless given.
    """
    if goal is not None and theta:
        raise YatzyError("theta", why=f"cannot go with the goal {goal.name}; for a risk, use goal=risk({theta})")
    with shown(progress, "solving") as report:
        if goal is not None and goal.theta is None:
            return solve_goal(rules, goal, None, precision or "float32", threads, report)
        risk = theta if goal is None else goal.theta or 0.0
        found = solve_values(rules, risk, precision or "float64", threads, report)
    return Table(found.rules, found.theta, found.stored, found.file)


def from_here(
    state: FilledGiven,
    points: int,
    goal: Goal,
    rules: str | Ruleset = "scandinavian",
    upper: int | None = None,
    precision: str = "float32",
) -> Situation:
    """Solve a goal only for what can follow a state; `points` are those in its boxes, the bonus aside.

    >>> import yatzy
    >>> from yatzy.solver.goal_rows import reach
    >>> upper, kinds = "ones,twos,threes,fours,fives,sixes", "house,four of a kind,little straight,big straight"
    >>> here = yatzy.from_here(f"{upper},{kinds} @ 0", 100, reach(), rules="yacht")   # Choice and Yacht are open
    >>> round(here.chance(120), 4), round(here.chance(130), 4)
    (0.9918, 0.0899)

    With eight open boxes that takes a third of a second, where the whole game takes a minute.
    """
    game = ruleset(rules)
    return solve_from_here(as_state(game, state, upper), points, goal, game, precision)
