"""The command that computes the published numbers again: reproduce."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from yatzy.cli.console import Home, Json, listing, print_json, working
from yatzy.lab.studies.reproduce import STUDIES, StudyReport, published_results
from yatzy.lab.studies.reproduce import reproduce as run_studies
from yatzy.storage import check_folder

ALL = "all"
COMMIT_DIGITS = 10
MAX_DIFFERENCES = 5


@dataclass(frozen=True)
class StudiesReported:
    """What is published or, with the folder that it was written into, what was computed."""

    studies: tuple[StudyReport, ...]
    out: Path | None = None


ANSWERS = {"reproduce": StudiesReported}


def reproduce(
    study: Annotated[list[str] | None, typer.Argument(help=f"Studies to recompute, or {ALL}.")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the files <study>.json.")] = Path("results"),
    home: Home = None,
    json: Json = False,
) -> None:
    """Recompute the published numbers, each study into one JSON file. Without a name, list what is published.

    The numbers are compared with the published ones to 1e-9; the exit status is 1 if any differs. The report ends
    with every number that the forerunner states, beside ours. The command can be interrupted and resumed.

    Example: yatzy reproduce bonus
    """
    if not study:
        _tell(published_results(), json)
        return
    check_folder("out", out)
    with working("computing the studies", home) as context:
        done = run_studies(list(STUDIES) if study == [ALL] else study, out, context)
    _tell(done, json, out)
    if any(one.differences for one in done):
        raise typer.Exit(1)


def _tell(studies: list[StudyReport], json: bool, out: Path | None = None) -> None:
    if json:
        print_json(StudiesReported(tuple(studies), out))
        return
    _print(studies)
    _print_claims(studies)
    for one in studies:
        for difference in one.differences[:MAX_DIFFERENCES]:
            typer.echo(f"{one.study} differs: {difference}")
        if len(one.differences) > MAX_DIFFERENCES:
            typer.echo(f"{one.study} differs in {len(one.differences) - MAX_DIFFERENCES} more numbers")
    if out is not None:
        typer.echo(f"results in {out}")


def _print(studies: list[StudyReport]) -> None:
    from rich.console import Console

    view = listing(("study", "version", "commit", "seconds", "key figures"), right=("seconds",), title="studies")
    for one in studies:
        made = one.provenance
        if made is None:
            view.add_row(one.study, "missing", "", "", one.description)
            continue
        figures = ", ".join(f"{name.replace('_', ' ')} {number:.7g}" for name, number in one.key_figures.items())
        commit = (made.commit or "unknown")[:COMMIT_DIGITS]
        view.add_row(one.study, made.version, commit, f"{made.seconds:.1f}", figures)
    Console().print(view)


def _print_claims(done: list[StudyReport]) -> None:
    """Each claim of the forerunner: its number, ours, and whether they are the same to the last digit given."""
    from rich.console import Console

    claims = [(result.study, claim) for result in done for claim in result.claims]
    agree = sum(claim["agrees"] for _, claim in claims)
    title = f"claims of the forerunner: {agree} of {len(claims)} agree to the last digit given"
    view = listing(("study", "claim", "forerunner", "ours", ""), right=("forerunner", "ours"), title=title)
    for study, claim in claims:
        verdict = "agree" if claim["agrees"] else "differ"
        view.add_row(study, claim["what"], f"{claim['forerunner']:,.7g}", f"{claim['ours']:,.7g}", verdict)
    if claims:
        Console().print(view)
