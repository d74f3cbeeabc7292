"""A peer, where it is installed: the public package `yatzy-solver`, written in Rust.

It is not a dependency of ours: `pip install yatzy-solver` beside this package adds its rows to `yatzy bench`. It
solves in float64 on all cores, and is slow enough for one round to tell.
"""

from functools import lru_cache
from importlib import import_module
from time import perf_counter
from typing import Any

from yatzy.rules import Ruleset, scandinavian
from yatzy.solver.table import ValueTable

VARIANT = "yatzy-scandinavian"
N_GAMES = 5_000
# How far its value of the start may be from ours: rounding, and nothing else.
TOLERANCE = 1e-6


def find_peer(rules: Ruleset) -> Any:
    """The peer's module, or None where it is not installed or does not know the game."""
    try:
        return import_module("yatzy_solver") if rules == scandinavian() else None
    except ImportError:
        return None


@lru_cache(maxsize=1)
def _solved(peer: Any) -> tuple[Any, float]:
    """The peer's solver, and the seconds it took to build."""
    started = perf_counter()
    solver = peer.Solver.build(peer.Variant(VARIANT))
    return solver, perf_counter() - started


def time_peer_solve(table: ValueTable) -> float | None:
    """Seconds that the peer takes to solve the same game, to the same value."""
    peer = find_peer(table.rules)
    if peer is None:
        return None
    solver, seconds = _solved(peer)
    theirs = solver.state_value("upper 0 | filled -")
    if not abs(theirs - table.value()) <= TOLERANCE:
        raise RuntimeError(f"solve and yatzy-solver disagree: the start is worth {table.value()} or {theirs}")
    return seconds


def time_peer_games(rules: Ruleset) -> tuple[int, float] | None:
    """Games and seconds of the peer's simulation of optimal play."""
    peer = find_peer(rules)
    if peer is None:
        return None
    solver, _ = _solved(peer)
    started = perf_counter()
    solver.simulate(N_GAMES)
    return N_GAMES, perf_counter() - started
