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

from collections.abc import Iterator

import numpy as np

from yatzy.game.aim import check_theta
from yatzy.rules import Ruleset, ruleset
from yatzy.running import Progress, check_threads, chunks
from yatzy.solver.layers import SETS_PER_COPY, LayerSolver
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable, check_precision


def solve(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str = "float64",
    threads: int | None = None,
    progress: Progress | None = None,
    draft: bool = False,
) -> ValueTable:
    """Solve the game exactly and return the value of every state.

    `theta` is the risk parameter of u(x) = exp(theta x): 0 maximises the mean, positive seeks risk, negative
    avoids it. `precision` is float64, or float32 for theta = 0 at about half the time. `threads` defaults to
    all cores. `progress(done, total)` is called as masks are solved. `draft` gives the same table from code that
    is ready a second sooner and runs a fifth slower (see `turn.machine`).
    """
    rules = ruleset(rules)
    theta = check_theta(theta)
    check_precision(precision, theta)
    space = state_space(rules)
    stored = np.full((space.n_masks, space.n_uppers), np.nan, precision)
    solver = LayerSolver(space, theta, precision, draft)
    for n_filled in solve_layers(solver, rules.n_categories, check_threads(threads), progress):
        for part in chunks(len(space.layers[n_filled]), SETS_PER_COPY):
            masks, values = solver.layer_values(part)
            stored[space.row(masks)] = values
    return ValueTable(rules=rules, theta=theta, stored=stored)


def solve_layers(solver: LayerSolver, first: int, threads: int, progress: Progress | None = None) -> Iterator[int]:
    """Solve the layers from that with `first` categories filled back to the start; yields each when it is done."""
    layers = solver.space.layers
    # Where throws are saved, a later layer has more to do.
    work = [len(sets) * solver.n_levels(n_filled) for n_filled, sets in enumerate(layers[:-1])]
    done, total = sum(work[first + 1 :]), sum(work)
    for n_filled in range(first, -1, -1):
        for sets in solver.solve_layer(n_filled, threads):
            done += len(sets) * solver.n_levels(n_filled)
            if progress:
                progress(done, total)
        yield n_filled
