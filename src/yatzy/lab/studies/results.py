"""Results of studies: typed values that become JSON, what they were computed with, and parts of unfinished work.

A result file is one JSON object: `study`, `provenance`, `key_figures`, and the result as `yatzy.game.json` writes
it.

Parts of long studies are kept in the home folder under a digest of their code, content and settings, so that a run
that was stopped resumes. Once all that was asked for is done they are removed.
"""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

from yatzy.errors import YatzyError
from yatzy.game.json import ALWAYS, as_json, check_json, from_json, json_property
from yatzy.sealed import SealError, digest_of, read_sealed, seal
from yatzy.storage import PACKAGE, write_atomically
from yatzy.storage import home as home_folder


class Result(Protocol):
    """The result of a study."""

    @property
    def key_figures(self) -> dict[str, float]:
        """The few most important numbers."""
        ...


@dataclass(frozen=True)
class Claim:
    """A number of the forerunner beside ours; `within` is half a unit of its last digit."""

    what: str
    forerunner: float
    ours: float
    within: float

    @json_property
    def agrees(self) -> bool:
        return abs(self.ours - self.forerunner) <= self.within


@dataclass(frozen=True)
class Provenance:
    """What a result was computed with.

    `commit` is None outside a clone and in results of version 0.2.0, and ends in "-dirty" after edits.
    """

    version: str
    fingerprint: str
    rules: str
    seed: int | None
    seconds: float
    threads: int
    date: str
    commit: Annotated[str | None, ALWAYS] = None


GIT = ("git", "--no-optional-locks")


@cache
def commit_of_sources() -> str | None:
    """The last commit of this package's sources; None if they are in no clone."""
    try:
        found, edits = (
            # Without locks: a status that is killed while it holds one would leave it in the clone.
            subprocess.run([*GIT, *command, "--", "."], cwd=PACKAGE, capture_output=True, text=True, check=True)
            for command in (("log", "-1", "--format=%H"), ("status", "--porcelain"))
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    commit = found.stdout.strip()
    return f"{commit}-dirty" if commit and edits.stdout.strip() else commit or None


def result_json(result: Result) -> dict[str, Any]:
    """A result as JSON, checked: no NaN, no infinity."""
    content: dict[str, Any] = as_json(result)
    check_json(type(result), content)
    return content


def result_content(study: str, provenance: Provenance, result: Result) -> dict[str, Any]:
    """The content of a result file."""
    return {
        "study": study,
        "provenance": as_json(provenance),
        "key_figures": result.key_figures,
        **result_json(result),
    }


def write_result(path: Path, study: str, provenance: Provenance, result: Result) -> None:
    content = seal(result_content(study, provenance, result))
    write_atomically(path, json.dumps(content, allow_nan=False, separators=(",", ":")).encode() + b"\n")


def read_result(path: Path) -> tuple[Provenance, dict[str, Any]] | None:
    """A result and its provenance; None if the file is missing or was edited."""
    try:
        content = read_sealed(path)
        return from_json(Provenance, content["provenance"]), content
    except (YatzyError, KeyError):
        return None


P = TypeVar("P")


def parts_folder(home: Path | None) -> Path:
    """The folder of all parts."""
    return home_folder(home) / "reproduce"


def part_file(home: Path | None, kind: str, name: str, *made_from: str | bytes) -> Path:
    """The file of a part; `made_from` is all it depends on."""
    return parts_folder(home) / kind / f"{name}-{digest_of(*made_from)}.json"


def kept_part(path: Path, kind: type[P], make: Callable[[], P]) -> P:
    """The content of the file; if it is missing or damaged, make the part and keep it there."""
    try:
        return from_json(kind, read_sealed(path)["part"])
    except (SealError, KeyError):
        content = json.dumps(seal({"part": as_json(make())}))
    made = from_json(kind, json.loads(content)["part"])
    write_atomically(path, content.encode())
    return made
