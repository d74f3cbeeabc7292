"""The command for the theta grid: sweep."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from yatzy.cli.console import Engine, Home, Json, Rules, Scheduler, context_of, counted, print_json
from yatzy.cli.stdin import may_be_dash
from yatzy.cli.terminal import scatter
from yatzy.context import check_engine
from yatzy.game.json import Positive
from yatzy.lab.studies.sweep import Point, Slope, Sweep, default_grid, read_grid, sweep_folder
from yatzy.lab.studies.sweep import sweep as run_sweep
from yatzy.rules import ruleset
from yatzy.storage import check_folder

MAX_LOGS = 10_000
GAMES_PER_TASK = 1 << 18


@dataclass(frozen=True)
class Swept:
    """Optimal play by theta, as in `sweep.json`, and what the mean pays for variance."""

    rules: str
    fingerprint: str
    version: str
    points: tuple[Point, ...]
    slopes: tuple[Slope, ...]
    seconds: Positive
    out: Path


ANSWERS = {"sweep": Swept}


def sweep(
    grid: Annotated[
        Path | None,
        typer.Argument(
            callback=may_be_dash("grid", ".toml"),
            help="TOML file with a list theta (- for stdin) [default: 37 values].",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the results [default: sweep in --home].")
    ] = None,
    rules: Rules = "scandinavian",
    engine: Engine = "local",
    scheduler: Scheduler = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Solve and evaluate optimal play exactly for a grid of risk parameters.

    It can be interrupted and resumed at any time: finished values are kept.

    Example: yatzy sweep --engine dask
    """
    check_engine(engine, scheduler)
    thetas = read_grid(grid) if grid else default_grid()
    folder = out or sweep_folder(ruleset(rules), home)
    check_folder("out", folder)
    started = time.perf_counter()
    with context_of(home, None, engine, scheduler) as context:
        result = run_sweep(thetas, folder, rules, context)
    seconds = time.perf_counter() - started
    if json:
        points, slopes = tuple(result.points), tuple(result.slopes)
        print_json(Swept(result.rules, result.fingerprint, result.version, points, slopes, seconds, folder))
        return
    _print(result)
    typer.echo(f"{counted(len(thetas), 'theta')} in {seconds:.0f} s; results in {folder}")


def _print(result: Sweep) -> None:
    from rich.console import Console
    from rich.table import Table

    view = Table(title="optimal play by risk parameter", caption="value: certainty equivalent of the start")
    headings = ("theta", "value", "mean", "SD", "5%", "50%", "95%", "bonus", "Yatzy")
    for heading in headings:
        view.add_column(heading, justify="right")
    for p in result.points:
        view.add_row(
            f"{p.theta:+g}", f"{p.value:.2f}", f"{p.mean:.2f}", f"{p.sd:.2f}",
            *(str(p.quantiles[q]) for q in ("0.05", "0.5", "0.95")), f"{p.bonus_rate:.1%}", f"{p.yatzy_rate:.1%}",
        )  # fmt: skip
    console = Console()
    console.print(view)
    marks = [(p.sd, p.mean, "+" if p.theta > 0 else "-" if p.theta < 0 else "o") for p in result.points]
    scatter(marks, "SD", "mean")
    typer.echo("          o theta 0, + risk-seeking, - risk-averse")
    slopes = Table(title="what the mean pays for variance", caption="predicted: -theta/2 at the midpoint")
    for heading in ("between thetas", "measured dE/dVar", "predicted"):
        slopes.add_column(heading, justify="right")
    for s in result.slopes:
        slopes.add_row(f"{s.theta_from:+g} and {s.theta_to:+g}", f"{s.measured:+.5f}", f"{s.predicted:+.5f}")
    console.print(slopes)
