"""The solver against its twin, against the machine's peak, and what its table then answers.

    ratio           = seconds of the sparse rows / seconds of our solve        same precision, same threads
    share of peak   = lane operations per second of the solve / of a simple add/max loop       one thread
    operations      = sum over masks of  lane blocks * (scores + choose + rerolls * (mean + best) + first roll)

where a block is one lane vector of upper totals between the lowest and the highest that the solver visits.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import lanes_of
from yatzy.bench.peak import peak_loop
from yatzy.bench.peer import time_peer_solve
from yatzy.bench.sparse_rows import solve_by_sparse_rows
from yatzy.bench.timing import Row, best_seconds, check_repeats, format_threads
from yatzy.dice import lattice
from yatzy.rules import Ruleset, ruleset
from yatzy.running import check_threads
from yatzy.solver.actions import action_values
from yatzy.solver.advise import advise
from yatzy.solver.solve import solve
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.turn.tables import turn_tables

# How far apart the start values of two ways to solve may be: rounding, and nothing else.
TOLERANCE = {"float32": 1e-3, "float64": 1e-9}
N_SITUATIONS = 100_000
N_ADVISED = 100
SEED = 20


@dataclass(frozen=True)
class SolveTiming:
    """Best times of our solve and of the sparse rows, side by side."""

    precision: str
    threads: int
    solve_seconds: float
    sparse_rows_seconds: float

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.sparse_rows_seconds / self.solve_seconds


@dataclass(frozen=True)
class BenchResult:
    """One run of `bench_solver`; mappings are by precision, operations are lane vectors on one thread.

    `peer_seconds` is None where the peer is not installed.
    """

    threads: int
    repeats: int
    timings: tuple[SolveTiming, ...]
    operations_per_second: dict[str, float]
    peak_operations_per_second: dict[str, float]
    situations_per_second: dict[str, float]
    advise_seconds: float
    peer_seconds: float | None

    def timing(self, precision: str, threads: int) -> SolveTiming:
        return next(t for t in self.timings if (t.precision, t.threads) == (precision, threads))

    @property
    def thread_speedup(self) -> dict[str, float]:
        """How many times faster our solve is with all threads than with one."""
        return {p: self.timing(p, 1).solve_seconds / self.timing(p, self.threads).solve_seconds for p in TOLERANCE}

    @property
    def float64_over_float32(self) -> float:
        """Our solve's time in float64 as a multiple of that in float32, with all threads."""
        in_float64, in_float32 = (self.timing(p, self.threads) for p in ("float64", "float32"))
        return in_float64.solve_seconds / in_float32.solve_seconds

    @property
    def share_of_peak(self) -> dict[str, float]:
        return {p: self.operations_per_second[p] / self.peak_operations_per_second[p] for p in TOLERANCE}

    @property
    def rows(self) -> list[Row]:
        """The result as a table."""
        rows = []
        for t in self.timings:
            setting = f"{t.precision}, {format_threads(t.threads)}"
            rows.append(Row(f"solve, {setting}", t.solve_seconds, t.ratio, "as fast as sparse rows"))
            rows.append(Row(f"sparse rows, {setting}", t.sparse_rows_seconds))
        for p, speedup in self.thread_speedup.items():
            rows.append(Row(f"solve, {p}, {format_threads(self.threads)}", None, speedup, "as fast as 1 thread"))
        rows.append(Row("solve, float64", None, self.float64_over_float32, "the time of float32"))
        for p, share in self.share_of_peak.items():
            rate = f"{self.operations_per_second[p] / 1e9:.2f} G/s"
            rows.append(Row(f"vector operations, {p}", None, share, "of a simple add/max loop", rate))
        rows.append(Row("advise, one situation", self.advise_seconds))
        for p, n in self.situations_per_second.items():
            rows.append(Row(f"action values, {p}", amount=f"{n / 1e3:,.0f} k/s"))
        if self.peer_seconds:
            ours = self.timing("float64", self.threads).solve_seconds
            rows.append(Row("solve, float64", ours, self.peer_seconds / ours, "as fast as yatzy-solver"))
            rows.append(Row("yatzy-solver, float64", self.peer_seconds))
        return rows

    def to_json(self) -> dict[str, Any]:
        """Everything as plain numbers, texts, lists and objects."""
        return {
            **asdict(self),
            "timings": [{**asdict(t), "ratio": t.ratio} for t in self.timings],
            "thread_speedup": self.thread_speedup,
            "float64_over_float32": self.float64_over_float32,
            "share_of_peak": self.share_of_peak,
            "rows": [asdict(row) for row in self.rows],
        }


def bench_solver(
    repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian"
) -> BenchResult:
    """Time the solver: the best of `repeats` interleaved rounds, with 1 and with `threads` threads."""
    check_repeats(repeats)
    threads = check_threads(threads)
    rules = ruleset(rules)
    tables = {precision: _solve_both_ways(rules, precision, threads) for precision in TOLERANCE}
    timings, peak = _time_solves(rules, sorted({1, threads}), repeats)
    alone = {t.precision: t.solve_seconds for t in timings if t.threads == 1}
    advise_seconds, situations_per_second = _time_answers(tables, threads, repeats)
    return BenchResult(
        threads=threads,
        repeats=repeats,
        timings=timings,
        operations_per_second={p: count_operations(rules, p) / seconds for p, seconds in alone.items()},
        peak_operations_per_second=peak,
        situations_per_second=situations_per_second,
        advise_seconds=advise_seconds,
        peer_seconds=time_peer_solve(tables["float64"]),
    )


def _solve_both_ways(rules: Ruleset, precision: str, threads: int) -> ValueTable:
    """Our table, once the sparse rows agree with it; compiles both on the way."""
    table = solve(rules, precision=precision, threads=threads)
    twin = float(solve_by_sparse_rows(rules, precision, threads)[0, 0])
    if not abs(table.value() - twin) <= TOLERANCE[precision]:
        raise RuntimeError(
            f"solve and sparse rows disagree in {precision}: the start is worth {table.value()} or {twin}"
        )
    return table


def _time_solves(
    rules: Ruleset, thread_counts: list[int], repeats: int
) -> tuple[tuple[SolveTiming, ...], dict[str, float]]:
    """Our solve, the sparse rows and the peak loop in the same rounds; the peak as operations per second."""
    settings = [(precision, threads) for precision in TOLERANCE for threads in thread_counts]
    loops = {precision: peak_loop(rules, precision) for precision in TOLERANCE}
    jobs: dict[tuple[str, str, int], Callable[[], object]] = {}
    for precision, threads in settings:
        jobs["solve", precision, threads] = partial(solve, rules, precision=precision, threads=threads)
        jobs["sparse rows", precision, threads] = partial(solve_by_sparse_rows, rules, precision, threads)
    for precision, (loop, _) in loops.items():
        jobs["peak", precision, 1] = loop
    best = best_seconds(jobs, repeats)
    timings = (SolveTiming(p, n, best["solve", p, n], best["sparse rows", p, n]) for p, n in settings)
    return tuple(timings), {p: n_operations / best["peak", p, 1] for p, (_, n_operations) in loops.items()}


def _time_answers(tables: dict[str, ValueTable], threads: int, repeats: int) -> tuple[float, dict[str, float]]:
    """Seconds of one `advise` (two rerolls left, float64), and situations per second of `action_values`."""
    filled, upper, roll_ids, rerolls = random_situations(tables["float64"].rules, N_SITUATIONS, SEED)
    jobs: dict[str, Callable[[], object]] = {
        precision: partial(action_values, table, filled, upper, roll_ids, rerolls, threads)
        for precision, table in tables.items()
    }

    def advise_some() -> None:
        table = tables["float64"]
        keeps = lattice(table.rules.dice, table.rules.faces).keeps
        for i in range(N_ADVISED):
            advise(table, keeps[roll_ids[i]], table.rules.rerolls, int(filled[i]), int(upper[i]))

    jobs["advise"] = advise_some
    best_seconds(jobs, 1)
    best = best_seconds(jobs, repeats)
    return best["advise"] / N_ADVISED, {precision: N_SITUATIONS / best[precision] for precision in tables}


def random_situations(rules: Ruleset, n: int, seed: int) -> tuple[NDArray[np.int64], ...]:
    """(filled, upper, roll_ids, rerolls) of `n` situations that can occur, each state equally likely."""
    space = state_space(rules)
    random = np.random.default_rng(seed)
    states = np.argwhere(space.reachable[: rules.all_filled])
    filled, upper = states[random.integers(len(states), size=n)].T
    return filled, upper, random.integers(len(rules.rolls), size=n), random.integers(rules.rerolls + 1, size=n)


def count_operations(rules: Ruleset, precision: str) -> int:
    """Lane additions, maxima and multiplications of one solve (theta = 0)."""
    space, turn = state_space(rules), turn_tables(rules, precision)
    n_blocks = 1 + (space.highest_upper - space.lowest_upper)[: rules.all_filled] // lanes_of(precision)
    # Every category takes part in the floor; an outcome with points is a multiplication and an addition.
    scoring = len(turn.zero) + 2 * (len(turn.points) - len(turn.zero))
    mean = turn.mean.n_operations + len(turn.mean.steps)
    rerolls = rules.rerolls * (mean + turn.best.n_operations)
    first_roll = 2 * len(rules.rolls)
    return int(n_blocks.sum()) * (scoring + turn.choose.n_operations + rerolls + first_roll)
