"""The command that computes the published numbers again: reproduce."""

from pathlib import Path
from typing import Annotated

import typer

from yatzy.cli.console import Home, Json, print_json, progress_bar
from yatzy.studies.reproduce import STUDIES, Reproduced
from yatzy.studies.reproduce import reproduce as run_studies


def reproduce(
    study: Annotated[list[str] | None, typer.Argument(help="Studies to run [default: all].")] = None,
    out: Annotated[Path, typer.Option(help="Folder for <study>.json.")] = Path("results"),
    force: Annotated[bool, typer.Option("--force", help="Compute again what is already there.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="Only list the studies.")] = False,
    home: Home = None,
    json: Json = False,
) -> None:
    """Recompute the published numbers: every study, or those named, into one JSON file each.

    A result made by the same code is kept: stop it at any time and run it again. Example: yatzy reproduce bonus
    """
    if listing:
        _list(json)
        return
    with progress_bar("computing the studies") as progress:
        done = run_studies(study or (), out, home, progress, force)
    if json:
        print_json({"out": str(out), "studies": [result.to_json() for result in done]})
        return
    _print(done)
    claims = [claim for result in done for claim in result.seeds_claim]
    typer.echo(f"{sum(claim['agrees'] for claim in claims)} of {len(claims)} claims of the seeds hold")
    typer.echo(f"results in {out}")


def _list(json: bool) -> None:
    if json:
        print_json({"studies": [{"study": s.name, "description": s.description} for s in STUDIES.values()]})
        return
    for known in STUDIES.values():
        typer.echo(f"{known.name:<15}{known.description}")


def _print(done: list[Reproduced]) -> None:
    from rich.console import Console
    from rich.table import Table

    view = Table(title="studies")
    view.add_column("study")
    view.add_column("seconds", justify="right")
    view.add_column("")
    view.add_column("key figures")
    for result in done:
        figures = ", ".join(
            f"{name.replace('_', ' ')} {number:.7g}" for name, number in result.key_figures.items()
        )
        state = "kept" if result.kept else "computed"
        view.add_row(result.study, f"{result.provenance.seconds:.1f}", state, figures)
    Console().print(view)
