"""The pages after the last chapter: claims in plain words, and sources.

`claims.toml` says to which chapter a claim belongs, what it means in plain words, and why we differ;
`sources.toml` lists what the treatise builds on. A claim that nothing describes, or that differs without a reason,
stops the build.
"""

import math
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from yatzy.errors import YatzyError
from yatzy.treatise import numbers
from yatzy.treatise.results import Results

UNITS = ("points", "share", "count", "power", "KB", "MB", "GB")


@dataclass(frozen=True)
class PlainClaim:
    """One claim, ready to print."""

    chapter: str
    study: str
    words: str
    forerunner: str
    ours: str
    agrees: bool
    reason: str


@lru_cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / name).read_text(encoding="utf-8"))


def plain_claims(results: Results) -> list[PlainClaim]:
    """Every claim in the results, in the order of `claims.toml`."""
    found: list[PlainClaim] = []
    left = list(results.claims)
    for entry in _read("claims.toml")["claim"]:
        for claim in [one for one in left if one["study"] == entry["study"]]:
            said = re.fullmatch(entry["match"], claim["what"])
            if said:
                left.remove(claim)
                found.append(_plain(entry, claim, said))
    if left:
        raise YatzyError("claims.toml", why=f"nothing describes {left[0]['what']!r} of {left[0]['study']}")
    return found


def _plain(entry: dict[str, Any], claim: dict[str, Any], said: re.Match[str]) -> PlainClaim:
    if not claim["agrees"] and not entry.get("reason"):
        raise YatzyError("claims.toml", claim["what"], why=f"of {claim['study']} differs and has no reason")
    unit = entry.get("unit", "points")
    if unit not in UNITS:
        raise YatzyError("claims.toml", unit, UNITS, "is not a unit")
    words = said.expand(entry["words"])
    return PlainClaim(
        chapter=entry["chapter"],
        study=claim["study"],
        words=words[0].upper() + words[1:],
        forerunner=shown(claim["forerunner"], claim["within"], unit, 0),
        ours=shown(claim["ours"], claim["within"], unit, 1),
        agrees=claim["agrees"],
        reason="" if claim["agrees"] else entry["reason"],
    )


def shown(value: float, within: float, unit: str, further: int) -> str:
    """A claim's number to the last digit that was given, and this many digits further."""
    scale = 100 if unit == "share" else 1
    given = max(0, math.ceil(-math.log10(2 * scale * within) - 1e-9)) if within else 0
    if unit == "power":
        return numbers.power(value)
    if unit == "count" or (not given and abs(value) >= 1000):
        return numbers.whole(value)
    text = numbers.points(scale * value, given + further)
    return f"{text}%" if unit == "share" else text if unit == "points" else f"{text} {unit}"


def source_groups(fill: Callable[..., str], render: Callable[[str, str], str]) -> list[dict[str, Any]]:
    """The groups of sources with their notes rendered."""
    return [
        {
            "title": group["title"],
            "source": [
                source | {"note": render(fill(source["note"], "sources.toml"), "sources.toml")}
                for source in group["source"]
            ],
        }
        for group in _read("sources.toml")["group"]
    ]
