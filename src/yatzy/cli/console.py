"""What every command shares: results to stdout, everything else to stderr."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from yatzy.api.progress import progress_bar
from yatzy.errors import printable
from yatzy.rules import GAMES

__all__ = [
    "Filled",
    "Home",
    "Json",
    "Rules",
    "Saved",
    "Target",
    "Theta",
    "Upper",
    "notice",
    "print_json",
    "progress_bar",
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Rules = Annotated[
    str,
    typer.Option(
        help=f"The game: {', '.join(GAMES)}, with switches after plus signs (see yatzy games), "
        "or a file of your own rules: mine.toml."
    ),
]
Theta = Annotated[float, typer.Option(help="Risk: 0 plays for the mean, positive seeks risk, negative avoids it.")]
Target = Annotated[int | None, typer.Option(help="Play for a final score of at least this much, with everything.")]
Home = Annotated[
    Path | None, typer.Option(help="Folder for stored tables [default: $YATZY_HOME or your data folder].")
]
Threads = Annotated[int | None, typer.Option(help="Threads [default: all cores].")]
Engine = Annotated[str, typer.Option(help="local, or dask for a cluster.")]
Scheduler = Annotated[str | None, typer.Option(help="Address of a Dask scheduler: tcp://host:port.")]
Filled = Annotated[
    str,
    typer.Option(
        help="Categories already filled, separated by commas: 'ones,pair'; "
        "'yahtzee*' is a Yahtzee box that holds points, 'yahtzee' one that was crossed out."
    ),
]
Upper = Annotated[int, typer.Option(help="Upper-section total so far (63 means 63 or more).")]
Saved = Annotated[int, typer.Option(help="Throws saved from earlier turns, in games that save them.")]


def print_json(result: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(result, allow_nan=False) + "\n")


def notice(sentence: str) -> None:
    """Tell the person at the terminal, without touching stdout."""
    sys.stderr.write(f"yatzy: {printable(sentence)}\n")
