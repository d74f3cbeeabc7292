"""Time jobs against each other, and the rows that show it.

The solver, exact evaluation and simulation beside their obvious twins, once both have given the same answer.

    solve       beside the sparse rows, in the same precision on the same threads; `advise` and `action_values`
    risk        the solve for theta other than 0 beside that for 0
    evaluate    every visited state of the game          the twin: N_STATES of them, evenly spread
    simulate    N_GAMES games                            the twin: N_GAMES_PLAIN games, one after the other

The last two twins are too slow for the whole job. They do part of it, in units that all take the same work, and
their times are extrapolated to the whole; the rows say so.
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
from yatzy.solver.actions import action_values
from yatzy.solver.solve import solve
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.turn.lattice import lattice

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class BenchRow:
    """One line of a table: what was measured, and how it compares with what `versus` names.

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
    """What timing one part gives."""

    threads: int
    repeats: int
    rows: tuple[BenchRow, ...]


def format_seconds(seconds: float) -> str:
    """Three digits and the unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            digits = 2 if seconds < 10 * size else 1 if seconds < 100 * size else 0
            return f"{seconds / size:.{digits}f} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def format_threads(n: int) -> str:
    return "1 thread" if n == 1 else f"{n} threads"


def check_effort(repeats: int, threads: int | None = None) -> int:
    """The threads, if these numbers can be used."""
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise YatzyError("repeats", repeats, "1 or more")
    return check_threads(threads)


def best_seconds(jobs: Mapping[Name, Callable[[], object]], repeats: int) -> dict[Name, float]:
    """Shortest time of each job. Rounds are interleaved, so that a noisy minute hits all jobs alike."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeats):
        for name, job in jobs.items():
            start = perf_counter()
            job()
            best[name] = min(best[name], perf_counter() - start)
    return best


# How far apart two ways to compute a value may be: rounding, and nothing else.
TOLERANCE = {"float32": 1e-3, "float64": 1e-9}
THETAS = (-3.0, -0.05, 0.05, 3.0)
N_SITUATIONS = 100_000
N_ADVISED = 100
N_STATES = 300
N_GAMES = 1_000_000
N_GAMES_PLAIN = 1_000
# By chance alone, means of games are this many standard errors from the value once in a million runs.
ERRORS = 5
SEED = 20


def check_same(what: str, ours: float, theirs: float, tolerance: float) -> None:
    """Two ways to one number; what differs is not timed."""
    if not abs(ours - theirs) <= tolerance:
        raise RuntimeError(f"{what} disagree: {ours} and {theirs}")


def bench_solver(repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian") -> Timed:
    """Time the solver: the best of `repeats` interleaved rounds, with 1 and with `threads` threads."""
    threads, rules = check_effort(repeats, threads), ruleset(rules)
    tables = {precision: _solve_both_ways(rules, precision, threads) for precision in TOLERANCE}
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
    return Timed(threads, repeats, (*rows, *_time_answers(tables, threads, repeats)))


def _solve_both_ways(rules: Ruleset, precision: str, threads: int) -> ValueTable:
    """Our table, once the sparse rows agree with it; compiles both on the way."""
    table = solve(rules, precision=precision, context=Context(threads=threads))
    twin = float(solve_by_sparse_rows(rules, precision, threads)[0, 0])
    check_same(f"solve and sparse rows in {precision}", table.value(), twin, TOLERANCE[precision])
    return table


def _time_answers(tables: dict[str, ValueTable], threads: int, repeats: int) -> list[BenchRow]:
    """One `advise` with all rerolls left, float64, and situations per second of `action_values`."""
    table = tables["float64"]
    filled, upper, roll_ids, rerolls = random_situations(table.rules, N_SITUATIONS, SEED)
    keeps, all_left = lattice(table.rules.dice, table.rules.faces).keeps, table.rules.rerolls

    def advise_some() -> list[float]:
        return [
            table.advise(keeps[roll_ids[i]], all_left, int(filled[i]), int(upper[i]))[0].value
            for i in range(N_ADVISED)
        ]

    some = slice(N_ADVISED)
    values = action_values(table, filled[some], upper[some], roll_ids[some], all_left, threads)
    best_values = np.nanmax(np.hstack([values.category, values.keep]), axis=1)
    for one, ours in zip(advise_some(), best_values, strict=True):
        check_same("advise and action values", one, float(ours), TOLERANCE["float64"])
    jobs: dict[str, Callable[[], object]] = {
        precision: partial(action_values, one, filled, upper, roll_ids, rerolls, threads)
        for precision, one in tables.items()
    }
    jobs["advise"] = advise_some
    best_seconds(jobs, 1)
    best = best_seconds(jobs, repeats)
    rates = [BenchRow(f"action values, {p}", amount=f"{N_SITUATIONS / best[p] / 1e3:,.0f} k/s") for p in tables]
    return [BenchRow("advise, one situation", best["advise"] / N_ADVISED), *rates]


def random_situations(rules: Ruleset, n: int, seed: int) -> tuple[IntArray, ...]:
    """(filled, upper, roll_ids, rerolls) of `n` situations that can occur, each state equally likely."""
    space = state_space(rules)
    random = np.random.default_rng(seed)
    states = np.argwhere(space.reachable[: rules.all_filled])
    filled, upper = states[random.integers(len(states), size=n)].T
    return filled, upper, random.integers(len(rules.rolls), size=n), random.integers(rules.rerolls + 1, size=n)


def bench_risk(repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian") -> Timed:
    """Time the solve for each theta: one exponential per successor entry and one logarithm per state more."""
    threads = check_effort(repeats, threads)
    jobs = {theta: partial(solve, rules, theta, context=Context(threads=threads)) for theta in (0.0, *THETAS)}
    best_seconds({theta: jobs[theta] for theta in (0.0, THETAS[0])}, 1)
    best = best_seconds(jobs, repeats)
    setting = format_threads(threads)
    rows = [
        BenchRow(
            f"solve, theta {theta:+g}, {setting}", best[theta], best[theta] / best[0.0], "the time of theta 0"
        )
        for theta in THETAS
    ]
    return Timed(threads, repeats, (BenchRow(f"solve, theta 0, {setting}", best[0.0]), *rows))


def bench_evaluation(repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian") -> Timed:
    """Time the exact evaluation of optimal play, all that `Evaluation` holds, as `yatzy evaluate` runs it."""
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
    """Seconds of the twin in these states, once they are worth to it what they are worth to us.

    How long a row takes to move does not depend on what it holds, so each starts from certainty.
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
