"""The command that computes the published numbers again: reproduce."""

from pathlib import Path
from typing import Annotated

import typer

from yatzy.cli.console import Home, Json, notice, print_json, progress_bar
from yatzy.files import check_folder
from yatzy.shipped import RESULTS
from yatzy.studies.reproduce import STUDIES, Reproduced
from yatzy.studies.reproduce import reproduce as run_studies


def reproduce(
    study: Annotated[list[str] | None, typer.Argument(help="Studies to run [default: all].")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for <study>.json [default: results, beside those that came with the package]."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Compute again even what is already there.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="Only list the studies.")] = False,
    home: Home = None,
    json: Json = False,
) -> None:
    """Recompute the published numbers: every study, or those named, into one JSON file each.

    Ends with the claims report: every number that the forerunner states, beside ours. It first says which results
    are stale, and why; those made by the same code are kept: stop it at any time and run it again. With --out,
    only that folder counts; with --force, everything is computed again.
    Example: yatzy reproduce bonus --force
    """
    if listing:
        _list(json)
        return
    folder = out or Path("results")
    check_folder("out", folder)
    with progress_bar("computing the studies") as progress:
        done = run_studies(
            study or (), folder, home, progress, force, notice=notice, shipped=None if out else RESULTS
        )
    if json:
        print_json({"out": str(folder), "studies": [result.to_json() for result in done]})
        return
    _print(done)
    _print_claims(done)
    typer.echo(f"results in {' and '.join(sorted({str(Path(result.path).parent) for result in done}))}")


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


def _print_claims(done: list[Reproduced]) -> None:
    """Each claim of the forerunner: its number, ours, and whether they are the same to the last digit given."""
    from rich.console import Console
    from rich.table import Table

    claims = [(result.study, claim) for result in done for claim in result.claims]
    agree = sum(claim["agrees"] for _, claim in claims)
    view = Table(title=f"claims of the forerunner: {agree} of {len(claims)} agree to the last digit given")
    view.add_column("study")
    view.add_column("claim")
    view.add_column("forerunner", justify="right")
    view.add_column("ours", justify="right")
    view.add_column("")
    for study, claim in claims:
        verdict = "agree" if claim["agrees"] else "differ"
        view.add_row(study, claim["what"], f"{claim['forerunner']:,.7g}", f"{claim['ours']:,.7g}", verdict)
    if claims:
        Console().print(view)
