"""The command that times things side by side: bench."""

from typing import Annotated

import typer

from yatzy.cli.console import Json, print_json


def bench(
    repeats: Annotated[int, typer.Option(help="Rounds; the best of each job counts.")] = 5,
    threads: Annotated[int | None, typer.Option(help="Threads to compare with one [default: all cores].")] = None,
    json: Json = False,
) -> None:
    """Time the solver beside the classical algorithm (sparse transition rows), in one run, as ratios.

    Machines differ and are noisy; ratios of what ran side by side mean more than seconds.
    """
    from yatzy.bench.solver import bench_solver
    from yatzy.errors import YatzyError

    if repeats < 1:
        raise YatzyError(f"repeats: {repeats} is not allowed; allowed is 1 or more")
    result = bench_solver(repeats, threads)
    if json:
        print_json(result.to_json())
        return
    from rich.console import Console
    from rich.table import Table

    view = Table(title="best of " + str(repeats))
    view.add_column("what")
    view.add_column("seconds", justify="right")
    view.add_column("ratio", justify="right")
    view.add_column("to")
    for row in result.rows:
        view.add_row(
            row.name,
            "" if row.seconds is None else f"{row.seconds:.4f}",
            "" if row.ratio is None else f"{row.ratio:.2f}",
            row.versus or "",
        )
    Console().print(view)
