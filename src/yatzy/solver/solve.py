"""Backward induction over the layers of the state space.

    V(filled, upper) = sum over rolls r of P(r) * best(r, rerolls)
    best(r, 0)       = max over open c of  points(r, c) + V(filled + c, min(T, upper + lift(r, c)))
    best(r, n)       = max over keeps K inside r of  E[best(K filled up with fresh dice, n - 1)]
    V(all, upper)    = bonus if upper >= T else 0

Layers are solved from the finished game back to the start. For some sets of a layer at a time, NumPy finds where
the utilities after each successor begin, and one compiled turn (`turn.code`) values all their upper totals, one
per lane. Chunks of sets are handed out to threads; each is computed in one fixed order, so results do not depend
on the number of threads.

With saved throws, V(filled, upper, saved) = sum over rolls r of P(r) * best(r, rerolls + saved), and

    best(r, t) = max(stop: points(r, c) + V(filled + c, ..., saved = t);  keeps K: E[best(., t - 1)])

so that every t follows from t - 1 by one pass of scoring and one of the lattice, for all saved counts at once.

For theta != 0 the log-value L = ln E[exp(theta * points to come)] is kept between turns, and inside a turn
U = sign(theta) * exp(L - ref): see `turn.values`.
"""

from pathlib import Path

import numpy as np

from yatzy.engine import Runner
from yatzy.game.aim import check_theta
from yatzy.rules import Ruleset, ruleset
from yatzy.running import Progress, Report, check_threads, chunks, silent
from yatzy.solver.layers import SETS_PER_COPY, LayerSolver, solve_layers
from yatzy.solver.states import check_solvable, state_space
from yatzy.solver.streamed import solve_to_file
from yatzy.solver.table import ValueTable, check_precision, is_large, table_path


def solve(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str = "float64",
    threads: int | None = None,
    progress: Progress | None = None,
    draft: bool = False,
    file: Path | None = None,
    notice: Report = silent,
    runner: Runner | None = None,
    again: bool = False,
) -> ValueTable:
    """Solve the game exactly and return the value of every state.

    `theta` is the risk parameter of u(x) = exp(theta x): 0 maximises the mean, positive seeks risk, negative
    avoids it. `precision` is float64, or float32 for theta = 0 at about half the time. `threads` defaults to
    all cores. `progress(done, total)` is called as masks are solved. `draft` gives the same table from code that
    is ready a second sooner and runs a fifth slower (see `turn.machine`).

    A table larger than memory should hold, and any one that a cluster solves (`runner`), goes into its file layer
    by layer (see `streamed`): the one in the home folder unless `file` is given. If it is there already it is
    used, or solved `again`.
    """
    rules, theta = check_solvable(ruleset(rules)), check_theta(theta)
    check_precision(precision, theta)
    if runner or is_large(rules, precision):
        path = file or table_path(rules, theta, precision)
        return solve_to_file(path, rules, theta, precision, threads, progress, notice, runner, again)
    space = state_space(rules)
    stored = np.full((space.n_masks, space.n_uppers), np.nan, precision)
    solver = LayerSolver(space, theta, precision, draft)
    for n_filled in solve_layers(solver, rules.n_categories, check_threads(threads), progress):
        for part in chunks(len(space.layers[n_filled]), SETS_PER_COPY):
            masks, values = solver.layer_values(part)
            stored[space.row(masks)] = values
    return ValueTable(rules=rules, theta=theta, stored=stored)
