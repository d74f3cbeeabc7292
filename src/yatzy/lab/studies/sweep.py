"""The price of risk: optimal play for a grid of thetas, each evaluated exactly.

For small theta, maximising E[exp(theta x)] is maximising E + theta/2 * Var, so along the frontier the mean pays
for variance at the rate

    dE / dVar = -theta / 2.

The sweep reports the measured slope between neighbouring thetas beside the predicted one.
"""

import json
import math
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from yatzy import __version__
from yatzy.arrays import Tabular, axes_of
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError, needs_extra
from yatzy.game.aim import check_theta
from yatzy.game.json import as_json, json_property
from yatzy.measure.exact import evaluate
from yatzy.policies.optimal import Optimal
from yatzy.rules import Ruleset, ruleset, stored_name
from yatzy.sealed import CHECKSUM, SealError, read_sealed, seal
from yatzy.solver.solve import solve
from yatzy.source_digest import source_digest
from yatzy.storage import atomic_file, read_user_text, write_atomically, writer_lock
from yatzy.storage import home as home_folder

GRID = "grid.toml"
MAX_GRID_BYTES = 100_000


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
    pmf: list[float] = field(repr=False)
    seconds: float


@dataclass(frozen=True)
class Slope:
    """The price of variance in points of the mean, between neighbouring thetas."""

    theta_from: float
    theta_to: float
    measured: float
    predicted: float


@dataclass(frozen=True, repr=False)
class Sweep(Sequence[Point], Tabular):
    """All points of a grid, by theta."""

    rules: str
    fingerprint: str
    version: str
    points: list[Point]

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: Any) -> Any:
        return self.points[index]

    def __repr__(self) -> str:
        means = [point.mean for point in self]
        return f"<Sweep of {len(self)} thetas, {self.rules}: means {min(means):.2f} to {max(means):.2f}>"

    def columns(self) -> dict[str, Any]:
        """One row per theta: its figures and quantiles."""
        names = ("theta", "value", "mean", "sd", "skewness", "bonus_rate", "yatzy_rate")
        quantiles = {f"p{float(q) * 100:g}": q for q in self.points[0].quantiles}
        return {name: [getattr(point, name) for point in self] for name in names} | {
            name: [point.quantiles[q] for point in self] for name, q in quantiles.items()
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean by the SD with Matplotlib; returns the axes."""
        on = axes_of(ax)
        on.plot([point.sd for point in self], [point.mean for point in self], "o-")
        on.set(xlabel="SD", ylabel="mean")
        return on

    @json_property
    def slopes(self) -> list[Slope]:
        """Slopes near 0, where the formula applies."""
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

    @property
    def key_figures(self) -> dict[str, float]:
        best = max(self.points, key=lambda point: point.mean)
        calmest = min(self.points, key=lambda point: point.sd)
        wildest = max(self.points, key=lambda point: point.sd)
        return {
            "thetas": len(self.points),
            "highest_mean": best.mean,
            "lowest_sd": calmest.sd,
            "mean_at_lowest_sd": calmest.mean,
            "highest_sd": wildest.sd,
            "mean_at_highest_sd": wildest.mean,
        }


def default_grid() -> list[float]:
    return read_grid(Path(__file__).parent / GRID)


def read_grid(path: Path) -> list[float]:
    """The numbers under `theta` in a TOML file, sorted."""
    try:
        grid = tomllib.loads(read_user_text(path, "grid", MAX_GRID_BYTES))["theta"]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise YatzyError("grid", path, why=f"is not TOML ({error})") from None
    except KeyError:
        raise YatzyError("grid", path, why="has no list 'theta'") from None
    if not isinstance(grid, list) or not all(map(_is_number, grid)) or not 0 < len(grid) == len(set(grid)):
        raise YatzyError("grid", path, why="'theta' in {given} is not a list of different finite numbers")
    return sorted(float(theta) for theta in grid)


def _is_number(theta: object) -> bool:
    """Integers may be too large for a float, and booleans are integers to Python."""
    try:
        return isinstance(theta, int | float) and not isinstance(theta, bool) and math.isfinite(theta)
    except OverflowError:
        return False


def evaluate_theta(theta: float, rules: str | Ruleset = "scandinavian") -> Point:
    """Solve for one theta and evaluate the resulting play."""
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
        quantiles=dict(d.quantiles),
        pmf=d.pmf.tolist(),
        seconds=time.perf_counter() - started,
    )


def sweep(
    thetas: Sequence[float] | None = None,
    folder: Path | None = None,
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
) -> Sweep:
    """Solve for every theta (37 of them if nothing is said), and evaluate that play exactly.

    >>> import yatzy
    >>> found = yatzy.sweep([-0.05, 0, 0.05], rules="yacht")
    >>> [(point.theta, round(point.mean, 2), round(point.sd, 2)) for point in found]
    [(-0.05, 165.65, 33.42), (0, 166.96, 34.98), (0.05, 165.03, 37.33)]

    Finished ones are kept in `folder`, by default in the home folder, where the next run finds them; if it is
    given, `sweep.json` and `sweep.parquet` are written there at the end.
    """
    game = ruleset(rules)
    for theta in thetas or ():
        check_theta(theta)
    grid, place = default_grid() if thetas is None else thetas, folder or sweep_folder(game, context.home)
    with writer_lock(place / "sweep.json"), context.shown(f"sweeping {len(grid)} thetas") as shown:
        result = _sweep(grid, place, game, shown)
        if folder:
            write_atomically(folder / "sweep.json", json.dumps(as_json(result)).encode())
            _write_parquet(folder / "sweep.parquet", result.points)
        return result


def sweep_folder(rules: Ruleset, home: Path | None) -> Path:
    """The usual place of finished points."""
    return home_folder(home) / "sweep" / stored_name(rules)


def _sweep(thetas: Sequence[float], folder: Path, rules: Ruleset, context: Context) -> Sweep:
    done = {theta: _read_point(_point_path(folder, rules, theta)) for theta in thetas}
    missing = [theta for theta, point in done.items() if point is None]
    total = len(done)
    context.step(total - len(missing), total)
    results = context.runner(partial(evaluate_theta, rules=rules), missing)
    for count, (theta, point) in enumerate(results, start=total - len(missing) + 1):
        write_atomically(_point_path(folder, rules, theta), json.dumps(seal(as_json(point))).encode())
        done[theta] = point
        context.step(count, total)
    points = [point for _, point in sorted(done.items()) if point is not None]
    return Sweep(rules.name, rules.fingerprint, __version__, points)


def sweep_default_grid(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> Sweep:
    """The published sweep."""
    return sweep(default_grid(), home_folder(context.home) / "reproduce" / "sweep", rules, context=context)


def _point_path(folder: Path, rules: Ruleset, theta: float) -> Path:
    """Only the code that made a point finds it again."""
    return folder / "points" / f"{rules.fingerprint}-{source_digest(__name__)}" / f"theta{theta!r}.json"


def _read_point(path: Path) -> Point | None:
    """A finished point, or None if it is not there or was damaged."""
    try:
        content = read_sealed(path)
        del content[CHECKSUM]
        return Point(**content)
    except (SealError, TypeError):
        return None


def _write_parquet(path: Path, points: list[Point]) -> None:
    with needs_extra("lab"):
        import polars as pl

    rows = [
        {key: value for key, value in as_json(point).items() if key != "quantiles"}
        | {f"p{float(q) * 100:g}": score for q, score in point.quantiles.items()}
        for point in points
    ]
    with atomic_file(path) as half:
        pl.DataFrame(rows).write_parquet(half)
