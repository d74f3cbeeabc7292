"""Results of studies as files: what was computed, by which code, and how it compares with what was claimed.

A result file is one JSON object: `study`, `provenance`, `key_figures`, and the fields of the result. It is stale
if the ruleset or code in its provenance is not the current one (see `freshness`).
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from yatzy.files import write_whole
from yatzy.sealed import SealError, read_sealed, seal
from yatzy.studies.freshness import Digests


class Result(Protocol):
    """What a study returns."""

    @property
    def key_figures(self) -> dict[str, float]:
        """The few numbers to show first."""
        ...

    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Claim:
    """A number the forerunner states, beside ours; `within` is half a unit of the last digit it gives."""

    what: str
    forerunner: float
    ours: float
    within: float

    @property
    def agrees(self) -> bool:
        return abs(self.ours - self.forerunner) <= self.within

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"agrees": self.agrees}


@dataclass(frozen=True)
class Provenance:
    """Where a result comes from. Fingerprint and code decide whether it is still good; `definitions` tell why not.

    Results made before there were definitions have none.
    """

    version: str
    fingerprint: str
    code: str
    rules: str
    seed: int | None
    seconds: float
    threads: int
    date: str
    definitions: Digests | None = None


def write_result(path: Path, study: str, provenance: Provenance, result: Result) -> None:
    content = {
        "study": study,
        "provenance": asdict(provenance),
        "key_figures": result.key_figures,
        **result.to_json(),
    }
    write_whole(path, json.dumps(seal(content), allow_nan=False, separators=(",", ":")).encode() + b"\n")


def read_result(path: Path) -> tuple[Provenance, dict[str, Any]] | None:
    """A result and where it comes from; None if it is not there or was changed since it was written."""
    try:
        content = read_sealed(path)
        return Provenance(**content["provenance"]), content
    except (SealError, TypeError, KeyError):
        return None
