"""Backward induction over the layers of the state space.

    V(filled, upper) = sum over rolls r of P(r) * best(r, rerolls)
    best(r, 0)       = max over open c of  points(r, c) + V(filled + c, min(T, upper + lift(r, c)))
    best(r, n)       = max over keeps K inside r of  E[best(K filled up with fresh dice, n - 1)]
    V(all, upper)    = bonus if upper >= T else 0

Layer by layer from the finished game to the start; inside a layer the masks are independent and are shared
out to threads. Each mask is computed by one thread in one fixed order, so that results do not depend on
their number. For theta != 0 see `kernels`: the same pass over L = ln E[exp(theta * points to come)].
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, ruleset
from yatzy.running import Progress, check_threads
from yatzy.solver.states import StateSpace, state_space
from yatzy.solver.table import PRECISIONS, ValueTable, check_theta
from yatzy.turn.tables import game_tables, option_weights, successor_rows, work_buffer
from yatzy.turn.values import MAX_EXPONENT, solve_masks

# Small enough for an even load at the end of a layer, large enough that handing out a chunk costs nothing.
MASKS_PER_CHUNK = 128


def solve(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str = "float64",
    threads: int | None = None,
    progress: Progress | None = None,
) -> ValueTable:
    """Solve the game exactly and return the value of every state.

    `theta` is the risk parameter of u(x) = exp(theta x): 0 maximises the mean, positive seeks risk, negative
    avoids it. `precision` is float64, or float32 for theta = 0 at about half the time. `threads` defaults to
    all cores. `progress(done, total)` is called as masks are solved.
    """
    rules = ruleset(rules)
    theta = check_theta(theta)
    threads = check_threads(threads)
    if precision not in PRECISIONS:
        raise YatzyError(f"precision: {precision!r} is not allowed; allowed are {' and '.join(PRECISIONS)}")
    if theta != 0 and precision != "float64":
        raise YatzyError(f"precision: {precision!r} is not allowed with theta {theta}; use float64")
    space = state_space(rules)
    values = _terminal_values(space, theta, precision)
    _solve_layers(space, theta, values, threads, progress or (lambda done, total: None))
    values[~space.reachable] = np.nan
    return ValueTable(rules=rules, theta=theta, stored=values)


def _terminal_values(space: StateSpace, theta: float, precision: str) -> NDArray[Any]:
    """All zeros but for the bonus of finished games."""
    values = np.zeros((space.n_masks, space.n_uppers), dtype=precision)
    bonus = space.rules.bonus
    values[space.rules.all_filled, space.rules.bonus_threshold] = theta * bonus if theta else bonus
    return values


def _solve_layers(space: StateSpace, theta: float, values: NDArray[Any], threads: int, progress: Progress) -> None:
    """Fill `values`."""
    largest_gain = abs(theta) * max(map(max, space.rules.scores))
    _check_exponent(space.rules, theta, largest_gain)
    precision = values.dtype.name
    game = game_tables(space.rules, precision)
    gain, points = option_weights(game, theta, precision)
    scratch = [
        (successor_rows(game, space.n_uppers, precision), work_buffer(game, precision)) for _ in range(threads)
    ]
    done = 0

    def solve_chunk(masks: NDArray[np.int64]) -> float:
        rows, work = scratch.pop()
        try:
            return float(
                solve_masks(
                    masks,
                    space.lowest_upper,
                    space.highest_upper,
                    game,
                    gain,
                    points,
                    theta,
                    values,
                    rows,
                    work,
                )
            )
        finally:
            scratch.append((rows, work))

    with ThreadPoolExecutor(threads) as pool:
        for layer in space.layers[-2::-1]:
            chunks = np.array_split(layer, -(-len(layer) // MASKS_PER_CHUNK))
            for chunk, exponent in zip(chunks, pool.map(solve_chunk, chunks), strict=True):
                _check_exponent(space.rules, theta, largest_gain + exponent)
                done += len(chunk)
                progress(done, space.n_masks - 1)


def _check_exponent(rules: Ruleset, theta: float, exponent: float) -> None:
    if exponent > MAX_EXPONENT:
        raise YatzyError(
            f"theta: {theta} is too far from 0 for {rules.name}: exp(theta x) leaves the range of float64"
        )
