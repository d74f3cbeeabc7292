"""The price of risk: optimal play for a grid of thetas, each evaluated exactly.

For small theta, maximising E[exp(theta x)] is maximising E + theta/2 * Var, so that along the frontier the mean
pays for variance at the rate

    dE / dVar = -theta / 2.

The sweep reports the measured slope between neighbouring thetas beside the one the formula predicts.
"""

import json
import math
import os
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

from yatzy import __version__, engine
from yatzy.errors import YatzyError
from yatzy.evaluate.exact import evaluate
from yatzy.policy.optimal import Optimal
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.solve import solve
from yatzy.solver.states import Progress


@dataclass(frozen=True)
class Point:
    """Optimal play for one theta."""

    theta: float
    value: float
    mean: float
    sd: float
    skewness: float
    bonus_rate: float
    yatzy_rate: float
    quantiles: dict[str, int]
    pmf: list[float]
    seconds: float


@dataclass(frozen=True)
class Slope:
    """What the mean pays for variance between two neighbouring thetas."""

    theta_from: float
    theta_to: float
    measured: float
    predicted: float


@dataclass(frozen=True)
class Sweep:
    """All points of a grid, by theta."""

    rules: str
    fingerprint: str
    version: str
    points: list[Point]

    @property
    def slopes(self) -> list[Slope]:
        """Slopes where both ends are near enough to 0 for the formula to mean something."""
        near = [point for point in self.points if abs(point.theta) <= 0.1]
        return [
            Slope(
                theta_from=a.theta,
                theta_to=b.theta,
                measured=(b.mean - a.mean) / (b.sd**2 - a.sd**2),
                predicted=-(a.theta + b.theta) / 4,
            )
            for a, b in pairwise(near)
            if b.sd != a.sd
        ]

    def to_json(self) -> dict[str, Any]:
        return {
            "rules": self.rules,
            "fingerprint": self.fingerprint,
            "version": self.version,
            "points": [asdict(point) for point in self.points],
            "slopes": [asdict(slope) for slope in self.slopes],
        }


def default_grid() -> list[float]:
    return read_grid(files("yatzy.studies") / "grid.toml")


def read_grid(path: Any) -> list[float]:
    """The numbers under `theta` in a TOML file, sorted."""
    try:
        grid = tomllib.loads(path.read_text())["theta"]
    except OSError as error:
        raise YatzyError(f"grid: cannot read {path} ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise YatzyError(f"grid: {path} is not TOML ({error})") from None
    except KeyError:
        raise YatzyError(f"grid: {path} has no list 'theta'") from None
    numbers = isinstance(grid, list) and all(isinstance(t, int | float) and math.isfinite(t) for t in grid)
    if not numbers or not grid or len(set(grid)) < len(grid):
        raise YatzyError(f"grid: 'theta' in {path} must be a list of different finite numbers")
    return sorted(float(theta) for theta in grid)


def evaluate_theta(theta: float, rules: str | Ruleset = "scandinavian") -> Point:
    """Solve for one theta and evaluate the play that results."""
    started = time.perf_counter()
    table = solve(rules, theta)
    found = evaluate(Optimal(table), check=False)
    d = found.distribution
    return Point(
        theta=theta,
        value=table.value(),
        mean=d.mean,
        sd=d.sd,
        skewness=d.skewness,
        bonus_rate=found.bonus_rate,
        yatzy_rate=found.yatzy_rate,
        quantiles=d.quantiles,
        pmf=d.pmf.tolist(),
        seconds=time.perf_counter() - started,
    )


def sweep(
    thetas: Sequence[float],
    folder: Path,
    rules: str | Ruleset = "scandinavian",
    on_engine: str = "local",
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Evaluate every theta; each finished one is kept in `folder`, and found again by the next run.

    Writes `sweep.json` and `sweep.parquet` there at the end.
    """
    rules = ruleset(rules)
    done = {theta: _read_point(_point_path(folder, rules, theta)) for theta in thetas}
    missing = [theta for theta, point in done.items() if point is None]
    total = len(done)
    if progress:
        progress(total - len(missing), total)
    results = engine.run(partial(evaluate_theta, rules=rules.name), missing, on_engine, scheduler)
    for count, (theta, point) in enumerate(results, start=total - len(missing) + 1):
        write_whole(_point_path(folder, rules, theta), json.dumps(asdict(point)).encode())
        done[theta] = point
        if progress:
            progress(count, total)
    points = [point for _, point in sorted(done.items()) if point is not None]
    result = Sweep(rules.name, rules.fingerprint, __version__, points)
    write_whole(folder / "sweep.json", json.dumps(result.to_json()).encode())
    _write_parquet(folder / "sweep.parquet", points)
    return result


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is either all there or not there at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, half = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(half).replace(path)


def _point_path(folder: Path, rules: Ruleset, theta: float) -> Path:
    return folder / "points" / f"{rules.fingerprint}-{__version__}" / f"theta{theta!r}.json"


def _read_point(path: Path) -> Point | None:
    """A finished point, or None if it is not there or not readable."""
    try:
        return Point(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def _write_parquet(path: Path, points: list[Point]) -> None:
    import polars as pl

    rows = [
        {key: value for key, value in asdict(point).items() if key != "quantiles"}
        | {f"p{float(q) * 100:g}": score for q, score in point.quantiles.items()}
        for point in points
    ]
    half = path.with_name(f".{path.name}.half")
    pl.DataFrame(rows).write_parquet(half)
    half.replace(path)
