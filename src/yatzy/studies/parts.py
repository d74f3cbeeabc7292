"""Parts of a study that take long: kept in the home folder under a digest of what they are made from.

A part is found again as long as its code, the content it was computed from and its settings are the same. When all
that was asked for is done, its parts are removed: they serve work that was stopped.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from yatzy.files import write_whole
from yatzy.game.json import as_json, from_json
from yatzy.home import home as home_folder
from yatzy.parts import digest_of
from yatzy.sealed import SealError, read_sealed, seal

P = TypeVar("P")


def parts_folder(home: Path | None) -> Path:
    """Where all parts of studies are."""
    return home_folder(home) / "reproduce"


def part_file(home: Path | None, kind: str, name: str, *made_from: str | bytes) -> Path:
    """Where a part is kept; `made_from` is all that it depends on."""
    return parts_folder(home) / kind / f"{name}-{digest_of(*made_from)}.json"


def kept_part(path: Path, kind: type[P], make: Callable[[], P]) -> P:
    """What the file keeps; if it is not there or damaged, what `make` makes, which is then kept there."""
    try:
        return from_json(kind, read_sealed(path)["part"])
    except (SealError, KeyError):
        content = json.dumps(seal({"part": as_json(make())}))
    made = from_json(kind, json.loads(content)["part"])
    write_whole(path, content.encode())
    return made
