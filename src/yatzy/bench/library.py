"""What the library costs: functions as policies, the environment, and importing it.

A plain function is evaluated exactly over all situations that it can meet; what takes time is how many of them it
tells apart (`policy.functions`). The environment is stepped in many games at once,

    decisions a second = games * steps / seconds of `step`,

with what an agent does in between left out, and once more with an agent that takes the first allowed action.
"""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import perf_counter, process_time
from typing import Any

import numpy as np

from yatzy.bench.timing import Row, check_repeats, format_threads
from yatzy.evaluate.exact import evaluate
from yatzy.game.situation import Situation
from yatzy.policy.functions import policy
from yatzy.rules import Ruleset, ruleset
from yatzy.running import check_threads

GAMES_AT_ONCE = 8_192
STEPS = 225
IMPORT = "from time import perf_counter as now; start = now(); import yatzy; print(now() - start)"


def top_down(here: Situation) -> Any:
    """Fill the boxes from the top; hold the most frequent face."""
    return _most(here) if here.rerolls else here.open[0]


def most_points(here: Situation) -> Any:
    """Hold the most frequent face; score where it pays most, so that every set of open boxes is another case."""
    return _most(here) if here.rerolls else max(here.points, key=here.points.__getitem__)


def _most(here: Situation) -> list[int]:
    face = max(range(1, here.rules.faces + 1), key=lambda face: (here.counts[face - 1], face))
    return [die for die in here.dice if die == face]


FUNCTIONS: tuple[Callable[[Situation], Any], ...] = (top_down, most_points)


@dataclass(frozen=True)
class FunctionTiming:
    """One function, evaluated once: `runs` is how often it was called."""

    name: str
    mean: float
    runs: int
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class FunctionsBench:
    """Plain functions, and the import; the best of `repeats` for the import, which is short."""

    threads: int
    repeats: int
    functions: tuple[FunctionTiming, ...]
    import_seconds: float

    @property
    def rows(self) -> list[Row]:
        """The result as a table."""
        found = [Row("import yatzy", self.import_seconds)]
        for one in self.functions:
            told = f"{one.runs:,} runs, {one.cpu_seconds:.1f} CPU s"
            found.append(Row(f"evaluate {one.name}", one.seconds, None, told))
        return found

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "rows": [asdict(row) for row in self.rows]}


def bench_functions(
    repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian"
) -> FunctionsBench:
    """Evaluate plain functions exactly, after the kernels are compiled."""
    check_repeats(repeats)
    threads = check_threads(threads)
    game = ruleset(rules)
    evaluate("random", game, threads=threads)
    found = []
    for function in FUNCTIONS:
        player = policy(function, rules=game)
        start, cpu = perf_counter(), process_time()
        mean = evaluate(player, threads=threads).mean
        found.append(
            FunctionTiming(
                function.__name__, mean, player.runs, perf_counter() - start, process_time() - cpu
            )
        )  # fmt: skip
    return FunctionsBench(threads, repeats, tuple(found), min(_import_seconds() for _ in range(repeats)))


def _import_seconds() -> float:
    """Of `import yatzy` in a process of its own, without the start of Python."""
    ended = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    return float(ended.stdout)


@dataclass(frozen=True)
class GymBench:
    """Decisions a second, by threads: of `step` alone, and with an agent that takes the first allowed action."""

    threads: int
    repeats: int
    games: int
    decisions: int
    stepping: dict[int, float]
    with_agent: dict[int, float]

    @property
    def rows(self) -> list[Row]:
        """The result as a table."""
        first = self.stepping[1]
        found = []
        for n, rate in self.stepping.items():
            what = f"step {self.games:,} games, {format_threads(n)}"
            found.append(Row(what, None, rate / first, "1 thread", _rate(rate)))
            found.append(Row("    and choose actions", None, None, "", _rate(self.with_agent[n])))
        return found

    def to_json(self) -> dict[str, Any]:
        rates = {name: {str(n): rate for n, rate in getattr(self, name).items()} for name in RATES}
        return {**asdict(self), **rates, "rows": [asdict(row) for row in self.rows]}


RATES = ("stepping", "with_agent")


def _rate(decisions: float) -> str:
    return f"{decisions / 1e6:.2f} M decisions/s"


def bench_gym(
    repeats: int = 3,
    threads: int | None = None,
    rules: str | Ruleset = "scandinavian",
    games: int = GAMES_AT_ONCE,
    steps: int = STEPS,
) -> GymBench:
    """Step many games at once: the best of `repeats` interleaved rounds."""
    check_repeats(repeats)
    threads = check_threads(threads)
    best: dict[str, dict[int, float]] = {name: {} for name in RATES}
    _play(rules, games, 2, 1)
    for _ in range(repeats):
        for n in sorted({1, threads}):
            for name, seconds in zip(RATES, _play(rules, games, steps, n), strict=True):
                best[name][n] = max(best[name].get(n, 0.0), games * steps / seconds)
    return GymBench(threads, repeats, games, games * steps, *best.values())


def _play(rules: str | Ruleset, games: int, steps: int, threads: int) -> tuple[float, float]:
    """Seconds of the steps alone, and with the choice of actions."""
    from yatzy.gym import YatzyVectorEnv

    env = YatzyVectorEnv(games, rules, threads)
    _, info = env.reset(seed=1)
    stepping, start = 0.0, perf_counter()
    for _ in range(steps):
        actions = np.argmax(info["action_mask"], axis=1)
        before = perf_counter()
        _, _, _, _, info = env.step(actions)
        stepping += perf_counter() - before
    whole = perf_counter() - start
    env.close()
    return stepping, whole
