"""What every command shares: results to stdout, everything else to stderr."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from yatzy.errors import printable
from yatzy.rules import GAMES
from yatzy.running import Progress, compiling

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


@contextmanager
def progress_bar(what: str, after: float = 1.0) -> Iterator[Progress]:
    """A progress bar on a terminal's stderr, if the work takes longer than `after` seconds.

    While something is being compiled, which happens once after an installation, it says that instead.
    """
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    class Shown(Bar):
        def get_renderables(self) -> Any:
            if compiling.now:
                yield f"{what}: compiling, once"
            else:
                yield from super().get_renderables()

    console = Console(stderr=True)
    columns = ("{task.description}", BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Shown(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(what, total=None)
    timer = threading.Timer(after, bar.start)
    timer.daemon = True

    def update(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)

    timer.start()
    try:
        yield update
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
