"""What risk costs: the solve for theta != 0 beside the float64 solve for theta = 0, in the same rounds.

Both run the same kernel; a risk solve adds one exponential per successor entry and one logarithm per state.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from yatzy.bench.timing import Row, best_seconds, check_repeats, format_threads
from yatzy.rules import Ruleset
from yatzy.running import check_threads
from yatzy.solver.solve import solve

THETAS = (-3.0, -0.05, 0.05, 3.0)


@dataclass(frozen=True)
class RiskResult:
    """One run of `bench_risk`; `seconds` is by theta, 0 included."""

    threads: int
    repeats: int
    seconds: dict[float, float]

    @property
    def ratio(self) -> dict[float, float]:
        """Time of each risk solve as a multiple of that for theta = 0."""
        return {theta: s / self.seconds[0.0] for theta, s in self.seconds.items() if theta}

    @property
    def rows(self) -> list[Row]:
        setting = format_threads(self.threads)
        rows = [Row(f"solve, theta 0, {setting}", self.seconds[0.0])]
        for theta, ratio in self.ratio.items():
            rows.append(
                Row(f"solve, theta {theta:+g}, {setting}", self.seconds[theta], ratio, "the time of theta 0")
            )
        return rows

    def to_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "seconds": {f"{theta:g}": s for theta, s in self.seconds.items()},
            "ratio": {f"{theta:g}": ratio for theta, ratio in self.ratio.items()},
            "rows": [asdict(row) for row in self.rows],
        }


def bench_risk(repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian") -> RiskResult:
    """Time the solve for each theta: the best of `repeats` interleaved rounds."""
    check_repeats(repeats)
    threads = check_threads(threads)
    jobs: dict[float, Callable[[], object]] = {
        theta: partial(solve, rules, theta, threads=threads) for theta in (0.0, *THETAS)
    }
    best_seconds({theta: jobs[theta] for theta in (0.0, THETAS[0])}, 1)
    return RiskResult(threads, repeats, best_seconds(jobs, repeats))
