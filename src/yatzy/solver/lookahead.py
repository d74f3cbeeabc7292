"""Values for a player with limited lookahead.

    V_0(filled, upper) = bonus if upper >= T else 0
    V_d(filled, upper) = sum over rolls r of P(r) * best(r, rerolls), with V_(d-1) as the worth of what comes after

V_d counts the points of the next d turns, and the bonus if it is made by then. *Depth* counts the turns after the
current one: depth 0 sees this turn only, and one less than the number of boxes sees the whole game. Each depth is
one sweep over all sets, with successors from the depth below. For theta != 0 the values are log-values, as in
`solve`.
"""

from collections.abc import Sequence

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.game.aim import check_theta
from yatzy.rules import Ruleset
from yatzy.solver.layers import LayerSolver
from yatzy.solver.solve import solve
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable


def full_depth(rules: Ruleset) -> int:
    """The depth that sees the whole game."""
    return rules.n_categories - 1


def check_depth(rules: Ruleset, depth: int) -> int:
    """A valid depth."""
    if isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth <= full_depth(rules):
        raise YatzyError("depth", depth, f"0..{full_depth(rules)} turns ahead")
    return depth


def tables_by_depth(
    rules: Ruleset, depths: Sequence[int], theta: float = 0.0, context: Context = DEFAULT_CONTEXT
) -> dict[int, ValueTable]:
    """The values of the states after a turn, by depth in ascending order; the full depth is that of `solve`.

    The start of the game comes after no turn, and has a value only at full depth.
    """
    rules.check_plain("looking only some turns ahead is")
    theta = check_theta(theta)
    wanted = sorted({check_depth(rules, depth) for depth in depths})
    short = [depth for depth in wanted if depth < full_depth(rules)]
    n_sweeps = max(short, default=0) + (len(short) < len(wanted))
    found, values = {}, _secured(rules, theta)
    for depth in range(max(short, default=-1) + 1):
        if depth:
            values = _sweep(rules, theta, values, context.part(depth - 1, n_sweeps))
        if depth in short:
            found[depth] = ValueTable(rules, theta, values)
    if len(short) < len(wanted):
        found[full_depth(rules)] = solve(rules, theta, context=context.part(n_sweeps - 1, n_sweeps), draft=True)
    return found


def _secured(rules: Ruleset, theta: float) -> FloatArray:
    """V_0: the bonus, where it is made."""
    space = state_space(rules)
    bonus = rules.bonus * (theta or 1.0)
    values = np.where(np.arange(space.n_uppers) >= rules.bonus_threshold, bonus, 0.0)
    return np.where(space.reachable, values, np.nan)


def _sweep(rules: Ruleset, theta: float, before: FloatArray, context: Context) -> FloatArray:
    """V_d of every state from V_(d-1); finished games keep theirs."""
    space = state_space(rules)
    solver = LayerSolver(space, theta, "float64", draft=True)
    values = before.copy()
    for n_filled in range(rules.n_categories - 1, -1, -1):
        after = space.layers[n_filled + 1]
        solver.take(n_filled + 1, after, before[space.row(after)])
        for _ in solver.solve_layer(n_filled, context.n_threads):
            pass
        masks, solved = solver.layer_values(slice(None))
        values[space.row(masks)] = solved
        context.step(rules.n_categories - n_filled, rules.n_categories)
    return values
