"""The command that times things side by side: bench."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, Protocol, cast

import typer

from yatzy.cli.console import Json, Threads, print_json, ranged
from yatzy.errors import YatzyError

if TYPE_CHECKING:
    from yatzy.bench.timing import Row

# Where each part is timed, in yatzy.bench.
PARTS = {
    "solve": "solver:bench_solver",
    "games": "games:bench_games",
    "goals": "games:bench_goals",
    "risk": "risk:bench_risk",
    "evaluate": "evaluation:bench_evaluation",
    "simulate": "evaluation:bench_simulation",
    "functions": "library:bench_functions",
    "gym": "library:bench_gym",
    "server": "server:bench_server",
    "cold": "cold:bench_cold",
}
MOST_SECONDS = 3600


class Result(Protocol):
    """What timing one part gives."""

    @property
    def rows(self) -> "list[Row]": ...

    def to_json(self) -> dict[str, Any]: ...


def bench(
    part: Annotated[str, typer.Argument(help=f"What to time: {', '.join(PARTS)} or all.")] = "all",
    repeats: Annotated[
        int, typer.Option(callback=ranged("repeats", 1, 1000), help="Rounds; the best of each job counts.")
    ] = 3,
    threads: Threads = None,
    seconds: Annotated[float, typer.Option(help="How long the server is loaded in each round.")] = 10.0,
    json: Json = False,
) -> None:
    """Time the solver, evaluation and simulation against their obvious twins, and other games and goals against
    Scandinavian Yatzy and its mean, all as ratios. Also time plain functions as policies and the environment for
    learners, put load on the server, and start cold.

    Machines differ and are noisy; ratios of what ran side by side mean more than seconds. Where the package
    yatzy-solver is installed, it is timed too. Example: yatzy bench solve
    """
    if part not in (*PARTS, "all"):
        raise YatzyError("part", part, (*PARTS, "all"), "is not known")
    if not 0 < seconds <= MOST_SECONDS:
        raise YatzyError("seconds", seconds, f"a number above 0, up to {MOST_SECONDS}")
    results = {}
    has_gym = find_spec("gymnasium") is not None
    for name in [one for one in PARTS if one != "gym" or has_gym] if part == "all" else [part]:
        results[name] = _time(name, repeats, threads, seconds)
        if not json:
            _print(name, results[name])
    if json:
        print_json({name: result.to_json() for name, result in results.items()})


def _time(part: str, repeats: int, threads: int | None, seconds: float) -> Result:
    module, _, function = PARTS[part].partition(":")
    timed = getattr(import_module(f"yatzy.bench.{module}"), function)
    if part == "server":
        found = timed(repeats, threads, seconds)
    else:
        found = timed(repeats) if part == "cold" else timed(repeats, threads)
    return cast("Result", found)


def _print(name: str, result: Result) -> None:
    from rich.console import Console
    from rich.table import Table

    view = Table(title=name, title_justify="left", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    view.add_column("what", no_wrap=True)
    view.add_column("measured", justify="right", no_wrap=True)
    view.add_column("ratio", justify="right", no_wrap=True)
    view.add_column("", no_wrap=True)
    for row in result.rows:
        view.add_row(row.name, row.measured, _ratio(row.ratio), row.versus)
    Console().print(view, "")


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.1f}x" if ratio < 100 else f"{ratio:.0f}x"
