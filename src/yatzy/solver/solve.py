"""Backward induction over the layers of the state space.

    V(filled, upper) = sum over rolls r of P(r) * best(r, rerolls)
    best(r, 0)       = max over open c of  points(r, c) + V(filled + c, min(T, upper + lift(r, c)))
    best(r, n)       = max over keeps K inside r of  E[best(K filled up with fresh dice, n - 1)]
    V(all, upper)    = bonus if upper >= T else 0

Layers are solved from the finished game back to the start. For some sets of a layer at a time, NumPy finds where
the utilities after each successor begin, and one compiled turn (`TurnCode`) values all their upper totals, one
per lane. Chunks of sets are handed out to threads, each computed in a fixed order, so results do not depend on the
number of threads.

With saved throws, V(filled, upper, saved) = sum over rolls r of P(r) * best(r, rerolls + saved), and

    best(r, t) = max(stop: points(r, c) + V(filled + c, ..., saved = t);  keeps K: E[best(., t - 1)])

so that every t follows from t - 1 by one pass of scoring and one of the lattice, for all saved counts at once.

For theta != 0 the log-value L = ln E[exp(theta * points to come)] is kept between turns, and inside a turn
U = sign(theta) * exp(L - ref): see `turn.values`.
"""

from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from yatzy.context import DEFAULT_CONTEXT, Context, chunks
from yatzy.errors import YatzyError
from yatzy.game.aim import check_theta
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.layers import SETS_PER_COPY, LayerSolver, solve_layers
from yatzy.solver.out_of_core import solve_to_file
from yatzy.solver.states import check_solvable, state_space
from yatzy.solver.table import ValueTable, check_precision, is_large, table_path

if TYPE_CHECKING:
    from yatzy.solver.exact import ExactTable
    from yatzy.solver.goal import Goal
    from yatzy.solver.goals import GoalTable


@overload
def solve(
    rules: str | Ruleset = ...,
    theta: float = ...,
    precision: str | None = ...,
    context: Context = ...,
    goal: None = ...,
    *,
    draft: bool = ...,
    again: bool = ...,
    exact: Literal[False] = ...,
) -> ValueTable: ...


@overload
def solve(rules: str | Ruleset = ..., *, context: Context = ..., exact: Literal[True]) -> "ExactTable": ...


@overload
def solve(
    rules: str | Ruleset = ...,
    theta: float = ...,
    precision: str | None = ...,
    context: Context = ...,
    *,
    goal: "Goal",
) -> "ValueTable | GoalTable": ...


def solve(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str | None = None,
    context: Context = DEFAULT_CONTEXT,
    goal: "Goal | None" = None,
    *,
    draft: bool = False,
    again: bool = False,
    exact: bool = False,
) -> "ValueTable | GoalTable | ExactTable":
    """Solve a game exactly, by its name, from its TOML file, or as a `Ruleset`.

    >>> import yatzy
    >>> yatzy.solve().value()
    248.4399893778...
    >>> yatzy.solve("yacht")
    <ValueTable yacht: 166.9551 points from the start, 4,096 states, float64>
    >>> yatzy.solve(theta=0.05).value() > yatzy.solve().value()
    True

    `theta` is that of the utility exp(theta * points): 0 maximises the mean, positive seeks risk, negative avoids
    it, and values are certainty equivalents. `precision` is float64, or float32 for theta = 0 in about half the
    time. With `exact`, every value is a fraction (see `ExactTable`), in some ten seconds of CPU.

    A `goal` that depends on the points on the card (`reach()`, `utility(...)` in `yatzy.solver.goal`) gives
    a `GoalTable`, in float32; that takes a minute and a gigabyte. `draft` gives the same table from code that
    compiles a second faster and runs a fifth slower (see `kernels.llvm`).

    Tables that are too large for memory, or solved on a cluster (`context`), are written layer by layer to their
    file in the home folder (see `out_of_core`). An existing file is used, unless it is to be solved `again`.
    """
    if exact:
        from yatzy.solver.exact import solve_exactly

        if theta or precision or goal is not None:
            raise YatzyError("exact", why="is for play for the mean; leave out theta, precision and goal")
        return solve_exactly(rules, context=context)
    rules, theta = check_solvable(ruleset(rules)), check_theta(theta)
    if goal is not None and theta:
        raise YatzyError("theta", why=f"cannot go with the goal {goal.name}; for a risk, use goal=risk({theta})")
    with context.shown("solving") as shown:
        if goal is not None and goal.theta is None:
            from yatzy.solver.goals import solve_goal

            return solve_goal(rules, goal, None, precision or "float32", shown)
        theta, precision = theta if goal is None else goal.theta or 0.0, precision or "float64"
        check_precision(precision, theta)
        if context.is_distributed or is_large(rules, precision):
            path = table_path(rules, theta, precision, context.home)
            return solve_to_file(path, rules, theta, precision, shown, again)
        return _solve_in_memory(rules, theta, precision, shown, draft)


def _solve_in_memory(rules: Ruleset, theta: float, precision: str, context: Context, draft: bool) -> ValueTable:
    space = state_space(rules)
    stored = np.full((space.n_masks, space.n_uppers), np.nan, precision)
    solver = LayerSolver(space, theta, precision, draft)
    for n_filled in solve_layers(solver, rules.n_categories, context):
        for part in chunks(len(space.layers[n_filled]), SETS_PER_COPY):
            masks, values = solver.layer_values(part)
            stored[space.row(masks)] = values
    return ValueTable(rules=rules, theta=theta, stored=stored)
