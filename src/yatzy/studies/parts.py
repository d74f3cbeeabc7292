"""Parts of a study that take long: kept in the home folder under a digest of what they are made from.

A part is found again as long as its code, the content it was computed from and its settings are the same,
whatever else has changed in the study around it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from yatzy.files import write_whole
from yatzy.home import home as home_folder
from yatzy.parts import digest_of
from yatzy.sealed import SealError, read_sealed, seal


def part_file(home: Path | None, kind: str, name: str, *made_from: str | bytes) -> Path:
    """Where a part is kept; `made_from` is all that it depends on."""
    return home_folder(home) / "reproduce" / kind / f"{name}-{digest_of(*made_from)}.json"


def kept_part(path: Path, make: Callable[[], Any]) -> Any:
    """What the file keeps; if it is not there or damaged, what `make` makes, which is then kept there."""
    try:
        return read_sealed(path)["part"]
    except (SealError, KeyError):
        content = json.dumps(seal({"part": make()}))
    write_whole(path, content.encode())
    return json.loads(content)["part"]
