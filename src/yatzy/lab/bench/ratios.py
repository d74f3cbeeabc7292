"""The solver, exact evaluation and simulation timed beside their obvious twins, once both give the same answer.

    solve       beside the sparse rows, in the same precision on the same threads
    evaluate    every visited state of the game          the twin: N_STATES of them, evenly spread
    simulate    N_GAMES games                            the twin: N_GAMES_PLAIN games, one after the other

The last two twins are too slow for the whole job. They do part of it, in units of equal work, and their times are
extrapolated; the rows say so.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from yatzy.arrays import IntArray
from yatzy.context import Context, check_threads
from yatzy.errors import YatzyError
from yatzy.lab.bench.twins import PlainForward, play_one_by_one, solve_by_sparse_rows
from yatzy.measure.exact import evaluate
from yatzy.measure.simulate import simulate
from yatzy.policies.optimal import Optimal
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.solve import solve
from yatzy.solver.table import ValueTable

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class BenchRow:
    """One line of a table: what was measured, and its ratio to what `versus` names.

    `amount` is what was measured if that is not a time: a rate, a size.
    """

    name: str
    seconds: float | None = None
    ratio: float | None = None
    versus: str = ""
    amount: str = ""

    @property
    def measured(self) -> str:
        """The amount or the time, with its unit."""
        return self.amount or ("" if self.seconds is None else format_seconds(self.seconds))


@dataclass(frozen=True)
class Timed:
    """The timings of one part."""

    threads: int
    repeats: int
    rows: tuple[BenchRow, ...]


def format_seconds(seconds: float) -> str:
    """Three digits in a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            digits = 2 if seconds < 10 * size else 1 if seconds < 100 * size else 0
            return f"{seconds / size:.{digits}f} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def format_threads(n: int) -> str:
    return "1 thread" if n == 1 else f"{n} threads"


def check_effort(repeats: int, threads: int | None = None) -> int:
    """Check the number of rounds, and return the threads."""
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise YatzyError("repeats", repeats, "1 or more")
    return check_threads(threads)


def best_seconds(jobs: Mapping[Name, Callable[[], object]], repeats: int) -> dict[Name, float]:
    """The shortest time of each job; rounds are interleaved, so that a noisy minute hits all jobs alike."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeats):
        for name, job in jobs.items():
            start = perf_counter()
            job()
            best[name] = min(best[name], perf_counter() - start)
    return best


# Rounding: how far apart two ways to compute a value may be.
TOLERANCE = {"float32": 1e-3, "float64": 1e-9}
N_STATES = 300
N_GAMES = 1_000_000
N_GAMES_PLAIN = 1_000
# Standard errors between the mean of games and the value: exceeded by chance once in a million runs.
ERRORS = 5
SEED = 20


def check_same(what: str, ours: float, theirs: float, tolerance: float) -> None:
    """What differs is not timed."""
    if not abs(ours - theirs) <= tolerance:
        raise RuntimeError(f"{what} disagree: {ours} and {theirs}")


def bench_solver(repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian") -> Timed:
    """Time the solver: the best of `repeats` interleaved rounds, with 1 and with `threads` threads."""
    threads, rules = check_effort(repeats, threads), ruleset(rules)
    for precision in TOLERANCE:
        _check_both_ways(rules, precision, threads)
    settings = [(precision, n) for precision in TOLERANCE for n in sorted({1, threads})]
    jobs: dict[Any, Callable[[], object]] = {}
    for precision, n in settings:
        jobs["ours", precision, n] = partial(solve, rules, precision=precision, context=Context(threads=n))
        jobs["rows", precision, n] = partial(solve_by_sparse_rows, rules, precision, n)
    best = best_seconds(jobs, repeats)
    rows = []
    for precision, n in settings:
        ours, theirs = best["ours", precision, n], best["rows", precision, n]
        setting = f"{precision}, {format_threads(n)}"
        rows.append(BenchRow(f"solve, {setting}", ours, theirs / ours, "as fast as sparse rows"))
        rows.append(BenchRow(f"sparse rows, {setting}", theirs))
    return Timed(threads, repeats, tuple(rows))


def _check_both_ways(rules: Ruleset, precision: str, threads: int) -> None:
    """Our value and that of the sparse rows agree; compiles both on the way."""
    table = solve(rules, precision=precision, context=Context(threads=threads))
    twin = float(solve_by_sparse_rows(rules, precision, threads)[0, 0])
    check_same(f"solve and sparse rows in {precision}", table.value(), twin, TOLERANCE[precision])


def bench_evaluation(repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian") -> Timed:
    """Time the exact evaluation of optimal play, as `yatzy evaluate` runs it."""
    threads = check_effort(repeats, threads)
    policy = Optimal(solve(rules, context=Context(threads=threads)))
    found = evaluate(policy, context=Context(threads=threads))
    check_same("evaluate and solve", found.mean, policy.table.value(), TOLERANCE["float64"])
    visited = np.argwhere(found.visits[: found.rules.all_filled])
    n = min(N_STATES, len(visited))
    plain = _time_plain_forward(policy.table, visited[np.linspace(0, len(visited) - 1, n).astype(int)])
    seconds, whole = (
        best_seconds({0: lambda: evaluate(policy, context=Context(threads=threads))}, repeats)[0],
        plain / n * len(visited),
    )
    name = f"evaluate, float64, {format_threads(threads)}"
    return Timed(threads, repeats, (
        BenchRow(name, seconds, whole / seconds, "as fast as plain NumPy"),
        BenchRow(f"plain NumPy ({n} of {len(visited):,} states)", whole),
    ))  # fmt: skip


def _time_plain_forward(table: ValueTable, states: IntArray) -> float:
    """Seconds of the twin in these states, once it has given some of them our values.

    The time to move a row does not depend on its content, so each starts from certainty.
    """
    twin = PlainForward(table)
    for state in map(tuple, states[:5].tolist()):
        ends = twin.ends(state).items()
        worth = sum(q * (points + table.value(*twin.after(state, box, points))) for (box, points), q in ends)
        check_same("the ends of a turn", table.value(*state), worth, TOLERANCE["float64"])
    row, started = twin.start_row(), perf_counter()
    for state in map(tuple, states.tolist()):
        twin.push(state, row, {})
    return perf_counter() - started


def bench_simulation(repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian") -> Timed:
    """Time a million games of optimal play."""
    threads = check_effort(repeats, threads)
    policy = Optimal(solve(rules, context=Context(threads=threads)))
    games, plain = (
        simulate(policy, 10_000, SEED, context=Context(threads=threads)),
        play_one_by_one(policy, N_GAMES_PLAIN, SEED),
    )
    value = policy.table.value()
    check_same("games and their value", value, games.mean, ERRORS * games.standard_error)
    check_same("plain games and their value", value, fmean(plain), ERRORS * stdev(plain) / len(plain) ** 0.5)
    jobs: dict[str, Callable[[], object]] = {
        "ours": lambda: simulate(policy, N_GAMES, SEED, context=Context(threads=threads)),
        "plain": lambda: play_one_by_one(policy, N_GAMES_PLAIN, SEED),
    }
    best = best_seconds(jobs, repeats)
    whole = best["plain"] / N_GAMES_PLAIN * N_GAMES
    name = f"simulate, {N_GAMES:,} games, {format_threads(threads)}"
    return Timed(threads, repeats, (
        BenchRow(name, best["ours"], whole / best["ours"], "as fast as one by one"),
        BenchRow(f"one by one (from {N_GAMES_PLAIN:,} games)", whole),
    ))  # fmt: skip
