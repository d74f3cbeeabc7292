"""The site that came with the package, copied: where there is no clone, nothing can be built, nor need it be."""

import re
from collections.abc import Collection
from pathlib import Path

from yatzy.files import write_whole
from yatzy.treatise.offline import WORKER


def copy_site(site: Path, out: Path) -> None:
    """Every file whole or not at all; what pages need before the pages, and the list of all files last."""
    names = [path.relative_to(site) for path in site.rglob("*") if path.is_file()]
    for name in sorted(names, key=lambda name: (name.name == WORKER, name.suffix == ".html", name)):
        write_whole(out / name, (site / name).read_bytes())
    remove_old_assets(out, names)


def remove_old_assets(out: Path, wanted: Collection[Path]) -> None:
    """Their names change with their content, so a folder that is built into again would fill up."""
    for old in (out / "assets").glob("*"):
        if old.relative_to(out) not in wanted:
            old.unlink()


def contents(site: Path) -> tuple[list[str], list[str]]:
    """Names of the pages of a built site, and ids of the figures on them."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in sorted(site.glob("*.html"))}
    return list(pages), [found for text in pages.values() for found in re.findall(r'<figure id="([\w-]+)"', text)]
