"""The command that times things side by side: bench."""

from importlib import import_module
from typing import Annotated

import typer
from pydantic import Field

from yatzy.cli.console import PLAIN, Json, Threads, listing, print_json, ranged
from yatzy.errors import YatzyError
from yatzy.lab.bench.ratios import Timed

# Where each part is timed, in yatzy.lab.bench.
PARTS = {
    "solve": "ratios:bench_solver",
    "evaluate": "ratios:bench_evaluation",
    "simulate": "ratios:bench_simulation",
    "server": "processes:bench_server",
    "cold": "processes:bench_cold",
}
MAX_SECONDS = 3600
# By part, at least one.
ANSWERS = {"bench": Annotated[dict[str, Timed], Field(min_length=1)]}


def bench(
    part: Annotated[str, typer.Argument(help=f"What to benchmark: {', '.join(PARTS)} or all.")] = "all",
    repeats: Annotated[
        int,
        typer.Option(
            callback=ranged("repeats", 1, 1000), help="Number of rounds; the best time of each job counts."
        ),
    ] = 3,
    threads: Threads = None,
    seconds: Annotated[float, typer.Option(help="How long to load the server in each round.")] = 10.0,
    json: Json = False,
) -> None:
    """Benchmark the solver, evaluation and simulation against reference implementations, the server under load,
    and cold starts.

    Machines differ and are noisy, so ratios of jobs that ran side by side mean more than seconds.

    Example: yatzy bench solve
    """
    if part not in (*PARTS, "all"):
        raise YatzyError("part", part, (*PARTS, "all"), "is not known")
    if not 0 < seconds <= MAX_SECONDS:
        raise YatzyError("seconds", seconds, f"a number above 0, up to {MAX_SECONDS}")
    results = {}
    for name in PARTS if part == "all" else [part]:
        results[name] = _time(name, repeats, threads, seconds)
        if not json:
            _print_ratios(name, results[name])
    if json:
        print_json(results)


def _time(part: str, repeats: int, threads: int | None, seconds: float) -> Timed:
    module, _, function = PARTS[part].partition(":")
    timed = getattr(import_module(f"yatzy.lab.bench.{module}"), function)
    result: Timed = timed(repeats, threads, *([seconds] if part == "server" else []))
    return result


def _print_ratios(name: str, result: Timed) -> None:
    from rich.console import Console

    rows = [(row.name, row.measured, _ratio(row.ratio), row.versus) for row in result.rows]
    headings = ("what", "measured", "ratio", "")
    view = listing(headings, rows, headings[1:3], title=name, title_justify="left", **PLAIN)
    for column in view.columns:
        column.no_wrap = True
    Console().print(view, "")


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.1f}x" if ratio < 100 else f"{ratio:.0f}x"
