"""Exact evaluation and simulation of optimal play beside their obvious twins, and the memory they need.

The twins are too slow for the whole job and do part of it, in units that all take the same work:

    evaluate    every visited state of the game          the twin: N_STATES of them, evenly spread
    simulate    N_GAMES games                            the twin: N_GAMES_PLAIN games, one after the other

Their times are extrapolated to the whole by the number of units, and the rows say so.
"""

import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np

from yatzy.bench.peer import time_peer_games
from yatzy.bench.plain_forward import PlainForward
from yatzy.bench.timing import Row, best_seconds, check_repeats, format_threads
from yatzy.dice import lattice
from yatzy.evaluate.exact import Evaluation, evaluate
from yatzy.evaluate.simulate import simulate
from yatzy.policy.optimal import Optimal
from yatzy.rules import Ruleset, scandinavian
from yatzy.running import check_threads
from yatzy.solver.solve import solve

N_STATES = 300
N_GAMES = 1_000_000
N_GAMES_PLAIN = 1_000
SEED = 20

# Of this process alone: what `resource` says about a child includes the parent that started it.
PEAK_MEMORY = """
import sys
from pathlib import Path
from yatzy.evaluate.exact import evaluate
from yatzy.policy.optimal import Optimal
from yatzy.solver.solve import solve
evaluate(Optimal(solve(threads={threads})), threads={threads})
status = Path("/proc/self/status")
if status.exists():
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    print(int(line.split()[1]) * 1024)
else:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


@dataclass(frozen=True)
class EvaluationResult:
    """One run of `bench_evaluation`; memory is the peak of a process that solves and evaluates
    Scandinavian Yatzy, in bytes (None for another game).
    """

    threads: int
    repeats: int
    seconds: float
    states: int
    plain_states: int
    plain_seconds: float
    peak_memory: int | None

    @property
    def plain_seconds_extrapolated(self) -> float:
        return self.plain_seconds / self.plain_states * self.states

    @property
    def ratio(self) -> float:
        """How many times faster than the twin."""
        return self.plain_seconds_extrapolated / self.seconds

    @property
    def rows(self) -> list[Row]:
        name = f"evaluate, float64, {format_threads(self.threads)}"
        rows = [
            Row(name, self.seconds, self.ratio, "as fast as plain NumPy"),
            Row(f"plain NumPy ({self.plain_states} of {self.states:,} states)", self.plain_seconds_extrapolated),
        ]
        if self.peak_memory:
            rows.append(Row("evaluate, peak memory", amount=f"{self.peak_memory / 1e9:.2f} GB"))
        return rows

    def to_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "plain_seconds_extrapolated": self.plain_seconds_extrapolated,
            "ratio": self.ratio,
            "rows": [asdict(row) for row in self.rows],
        }


@dataclass(frozen=True)
class SimulationResult:
    """One run of `bench_simulation`; the peer's part is None where its package is not installed."""

    threads: int
    repeats: int
    games: int
    seconds: float
    plain_games: int
    plain_seconds: float
    peer_games: int | None
    peer_seconds: float | None

    def ratio(self, games: int, seconds: float) -> float:
        """How many times faster we are, game by game, than this many games in this many seconds."""
        return seconds / games * self.games / self.seconds

    @property
    def rows(self) -> list[Row]:
        ours = f"simulate, {self.games:,} games"
        ratio = self.ratio(self.plain_games, self.plain_seconds)
        rows = [
            Row(f"{ours}, {format_threads(self.threads)}", self.seconds, ratio, "as fast as one by one"),
            _extrapolated("one by one", self.games, self.plain_games, self.plain_seconds),
        ]
        if self.peer_games and self.peer_seconds:
            rows.append(Row(ours, None, self.ratio(self.peer_games, self.peer_seconds), "as fast as yatzy-solver"))
            rows.append(_extrapolated("yatzy-solver", self.games, self.peer_games, self.peer_seconds))
        return rows

    def to_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "ratio": self.ratio(self.plain_games, self.plain_seconds),
            "rows": [asdict(row) for row in self.rows],
        }


def _extrapolated(who: str, games: int, played: int, seconds: float) -> Row:
    return Row(f"{who} (from {played:,} games)", seconds / played * games)


def bench_evaluation(
    repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian"
) -> EvaluationResult:
    """Time the exact evaluation of optimal play, all that `Evaluation` holds, as `yatzy evaluate` runs it."""
    check_repeats(repeats)
    threads = check_threads(threads)
    policy = Optimal(solve(rules, threads=threads))
    found = evaluate(policy, threads=threads)
    best = best_seconds({"evaluate": lambda: evaluate(policy, threads=threads)}, repeats)
    states, seconds = _time_plain_forward(policy, found)
    return EvaluationResult(
        threads=threads,
        repeats=repeats,
        seconds=best["evaluate"],
        states=_n_visited(found),
        plain_states=states,
        plain_seconds=seconds,
        peak_memory=measure_peak_memory(threads) if policy.rules == scandinavian() else None,
    )


def _n_visited(found: Evaluation) -> int:
    return int(np.count_nonzero(found.visits[: found.rules.all_filled]))


def _time_plain_forward(policy: Optimal, found: Evaluation) -> tuple[int, float]:
    """States and seconds of the twin, on states evenly spread over all that are visited.

    How long a row takes to move does not depend on what it holds, so each starts from certainty.
    """
    visited = np.argwhere(found.visits[: found.rules.all_filled])
    n = min(N_STATES, len(visited))
    chosen = visited[np.linspace(0, len(visited) - 1, n).astype(int)]
    twin = PlainForward(policy.table)
    row = twin.start_row()
    started = perf_counter()
    for filled, upper in chosen.tolist():
        twin.push((filled, upper), row, {})
    return n, perf_counter() - started


def measure_peak_memory(threads: int) -> int:
    """Bytes that a fresh process needs at most to solve and evaluate Scandinavian Yatzy."""
    code = PEAK_MEMORY.format(threads=threads)
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)


def bench_simulation(
    repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian"
) -> SimulationResult:
    """Time a million games of optimal play."""
    check_repeats(repeats)
    threads = check_threads(threads)
    policy = Optimal(solve(rules, threads=threads))
    simulate(policy, 1_000, SEED, threads=threads)
    play_one_by_one(policy, 1, SEED)
    jobs: dict[str, Callable[[], object]] = {
        "all": lambda: simulate(policy, N_GAMES, SEED, threads=threads),
        "plain": lambda: play_one_by_one(policy, N_GAMES_PLAIN, SEED),
    }
    best = best_seconds(jobs, repeats)
    peer = time_peer_games(policy.rules)
    return SimulationResult(
        threads=threads,
        repeats=repeats,
        games=N_GAMES,
        seconds=best["all"],
        plain_games=N_GAMES_PLAIN,
        plain_seconds=best["plain"],
        peer_games=peer[0] if peer else None,
        peer_seconds=peer[1] if peer else None,
    )


def play_one_by_one(policy: Optimal, games: int, seed: int) -> list[int]:
    """Scores of games played the obvious way: throw, ask what to do in this state, write it down."""
    rules = policy.rules
    dice = lattice(rules.dice, rules.faces)
    generator = random.Random(seed)
    scores = []
    for _ in range(games):
        filled, upper, total = 0, 0, 0
        for _ in range(rules.n_categories):
            decisions = policy.decide(np.array([filled]), np.array([upper]))
            kept: tuple[int, ...] = ()
            for left in range(rules.rerolls, -1, -1):
                thrown = generator.choices(range(1, rules.faces + 1), k=rules.dice - len(kept))
                roll = dice.id_of((*kept, *thrown))
                if left:
                    kept = dice.keeps[decisions.keep[0, left - 1, roll]]
            category = int(decisions.category[0, roll])
            points = rules.scores[roll][category]
            filled |= 1 << category
            upper += points if rules.categories[category].upper else 0
            upper = min(upper, rules.bonus_threshold)
            total += points
        scores.append(total + (rules.bonus if upper >= rules.bonus_threshold else 0))
    return scores
