"""What keeps the built site on a reader's device, the list of its files; and copying a built site.

    service-worker.js = "self.SITE = {first, later, on_use}" + web/offline/service-worker.ts, bundled
    each group        = {path: first digits of the SHA-256 of the file}

Browsers compare the worker byte by byte with the one they have: it changes with any file of the site, and with
nothing else. The worker decides what happens to each group; `first` is all that the coach needs, and must stay
small: the page `play/` and the files it refers to.
"""

import hashlib
import json
import re
from collections.abc import Collection
from pathlib import Path

from yatzy.storage import write_atomically

WORKER = "service-worker.js"
COACH = "play/"
# Tables of games: the first is part of the coach's script, and a reader meets few of the others.
GAMES = "play/rules/"
# Texts of the coach: a page loads one language and has it kept, the others come with the article.
LANGUAGES = "assets/language-"
# What few readers ask for; once they do, it is kept.
QUESTIONS = "assets/quiz-"
DIGITS = 16

Groups = dict[str, dict[str, str]]


def write_worker(site: Path, code: Path) -> Groups:
    """Write the worker of a site that is otherwise complete; returns what it lists."""
    groups = group_files(site)
    listed = json.dumps(groups, separators=(",", ":"), sort_keys=True)
    write_atomically(site / WORKER, f"self.SITE={listed};\n".encode() + code.read_bytes())
    return groups


def group_files(site: Path) -> Groups:
    """Every file that is served, by the address a page knows it by: `index.html` is its folder."""
    paths = [path.relative_to(site) for path in sorted(site.rglob("*")) if path.is_file()]
    names = [
        path.as_posix()
        for path in paths
        if path.as_posix() != WORKER and not any(part.startswith(".") for part in path.parts)
    ]
    needed = files_of_coach(site, names)
    groups: Groups = {"first": {}, "later": {}, "on_use": {}}
    for name in names:
        group = "first" if name in needed else "on_use" if name.startswith(GAMES) else "later"
        address = re.sub(r"(^|/)index\.html$", r"\1", name)
        groups[group][address] = hashlib.sha256((site / name).read_bytes()).hexdigest()[:DIGITS]
    return groups


def files_of_coach(site: Path, names: list[str]) -> set[str]:
    """What lies in the coach's folder, and what its pages, scripts and styles lead to.

    Files in `assets/` have digests in their names, so a name that stands in a text is a reference; the others are
    referred to by their path. A style names every font there is: those that the coach uses, its page preloads.
    """
    found = {name for name in names if name.startswith(COACH) and not name.startswith(GAMES)}
    called = {
        name: Path(name).name if name.startswith("assets/") else name
        for name in names
        if not name.endswith((".html", ".png")) and not name.startswith((LANGUAGES, QUESTIONS))
    }
    ahead = list(found)
    while ahead:
        name = ahead.pop()
        if name.endswith((".html", ".js", ".css")):
            text = (site / name).read_text(encoding="utf-8")
            new = {other for other, said in called.items() if said in text} - found
            new = {other for other in new if not (name.endswith(".css") and other.endswith(".woff2"))}
            found |= new
            ahead += new
    return found


def copy_site(site: Path, out: Path) -> None:
    """Every file whole or not at all; what pages need before the pages, and the list of all files last."""
    names = [path.relative_to(site) for path in site.rglob("*") if path.is_file()]
    for name in sorted(names, key=lambda name: (name.name == WORKER, name.suffix == ".html", name)):
        write_atomically(out / name, (site / name).read_bytes())
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
