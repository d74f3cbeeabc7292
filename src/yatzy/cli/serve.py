"""The command that serves the coach: serve."""

import threading
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from yatzy.cli.console import Home, Json, Rules, print_json, working
from yatzy.rules import GAMES, ruleset
from yatzy.server.run import check_names, find_site, get_ready, run

SECONDS_TO_OPEN = 2.0


@dataclass(frozen=True)
class Serving:
    """Where the coach is; `site` is the folder of its pages, null if there are none."""

    address: str
    workers: int
    site: Path | None


ANSWERS = {"serve": Serving}


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Number of worker processes.")] = 1,
    site: Annotated[
        Path | None, typer.Option(help="Folder of the built site [default: the one in the package, or ./site].")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            help="Another host name under which browsers may reach the server; repeatable. IP addresses "
            "always work."
        ),
    ] = None,
    open: Annotated[bool, typer.Option("--open", help="Open the coach in your browser.")] = False,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """Serve the coach: the web page, and advice, outlook and review over HTTP. Stop it with Ctrl-C or SIGTERM.

    Example: yatzy serve --port 8000 --workers 2
    """
    check_names(allow_host or ())
    folder = find_site(site)
    with working("getting ready", home) as context:
        get_ready(ruleset(rules), host, port, context)
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    page = f"{address}/play/{_asking_for(rules)}"
    if json:
        print_json(Serving(address, workers, folder))
    else:
        typer.echo(f"the coach is at {page if folder else address}, its API at {address}/openapi.json")
        if not folder:
            typer.echo("there is no built site here, so only the API is served")
    if open:
        threading.Timer(SECONDS_TO_OPEN, webbrowser.open, [page]).start()
    run(rules, host, port, workers, folder, home, allow_host or ())


def _asking_for(rules: str) -> str:
    """The query that makes the page begin with this game; the page knows only games of the catalogue."""
    game = ruleset(rules)
    is_usual = game == ruleset("scandinavian")
    return "" if is_usual or game.name.partition("+")[0] not in GAMES else f"?rules={quote(game.name)}"
