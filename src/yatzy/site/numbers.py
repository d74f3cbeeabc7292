"""What the article takes from results: numbers in prose, claims and sources.

*Numbers.* A chapter is a template. A number that was computed comes in through an expression, `{{
r.distribution.mean | points(1) }}`; a digit in the text outside of expressions, code and dice is an error, unless
`allowed_numbers.toml` lists it with the reason why it is not a result (a constant of the rules, say). Large number
words count as digits.

*Results* are read when a template asks for them, and figures get them with values beside their texts.

*Claims and sources* are the pages after the last chapter. `claims.toml` says to which chapter a claim belongs,
what it means in plain words, and why we differ; `sources.toml` lists what the article builds on. A claim that
nothing describes, or that differs without a reason, stops the build.
"""

import json
import math
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from yatzy.errors import YatzyError
from yatzy.game.action import Keep, parse_action
from yatzy.lab.studies.results import read_result
from yatzy.players.library import find_list, shipped_lists
from yatzy.players.model import RECIPES
from yatzy.rules import Ruleset, parse_category, parse_dice, ruleset
from yatzy.sealed import seal

_NOT_PROSE = re.compile(
    r"\A---\n.*?^---$"  # front matter
    r"|^(`{3,}).*?^\1\s*$"  # fenced code
    r"|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}"  # expressions
    r"|^:::+ *figure [^\n]*$"  # a figure's id and size
    r"|`[^`\n]*`"  # code in a line
    r"|:dice\[[^\]]*\]"
    r"|\]\([^)]*\)"  # addresses of links
    r"|\[\[[^\]|]*\|",  # the concept behind a shown term
    re.MULTILINE | re.DOTALL,
)
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_LARGE = "dozens?|hundreds?|thousands?|millions?|billions?|percent"
_NUMBER = re.compile(rf"\d[\d.,]*\d|\d|[½⅓¼⅔¾⅙]|\b(?:{_TENS}|{_LARGE})\b", re.IGNORECASE)
_FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?!\$)([^$\n]+?)\$", re.DOTALL)


@lru_cache
def allowed_numbers() -> dict[str, dict[str, str]]:
    """{"prose": {phrase: reason}, "formula": {number: reason}}."""
    return tomllib.loads((files(__package__) / "allowed_numbers.toml").read_text())


def check_numbers(name: str, source: str) -> None:
    """Refuse a template with a number typed by hand; `name` is the file's."""
    prose = _NOT_PROSE.sub(_blank, source)
    for formula in _FORMULA.finditer(prose):
        for number in re.finditer(r"\d+(?:(?:\{,\}|[.,])\d+)*", formula.group()):
            if number.group() not in allowed_numbers()["formula"]:
                _refuse(name, source, formula.start() + number.start(), number.group())
    prose = _FORMULA.sub(_blank, prose)
    for phrase in sorted(allowed_numbers()["prose"], key=len, reverse=True):
        words = r"\s+".join(map(re.escape, phrase.split()))
        prose = re.sub(rf"(?<![\w.,]){words}(?![\w]|[.,]\d)", _blank, prose, flags=re.IGNORECASE)
    found = _NUMBER.search(prose)
    if found:
        _refuse(name, source, found.start(), found.group())


def _refuse(name: str, source: str, start: int, number: str) -> None:
    line = source.count("\n", 0, start) + 1
    allowed = "a number from results ({{ r.<study>.<field> | points }}) or a phrase of allowed_numbers.toml"
    raise YatzyError(f"{name}, line {line}", number, allowed, "is typed by hand")


def _blank(found: re.Match[str]) -> str:
    """The same number of blanks: positions in the file stay the same."""
    return re.sub(r"[^\n]", " ", found.group())


def points(value: float, decimals: int = 1) -> str:
    """Points, or any quantity, to this many decimals and with thousands marked."""
    return f"{value:z,.{decimals}f}".replace("-", "−")


def signed(value: float, decimals: int = 1) -> str:
    """Points with their sign."""
    return f"{value:+z,.{decimals}f}".replace("-", "−")


def percent(share: float, decimals: int = 1) -> str:
    """A share as a percentage."""
    return f"{100 * share:z.{decimals}f}%".replace("-", "−")


def whole(value: float) -> str:
    """A whole number with thousands marked."""
    return f"{round(value):,}".replace("-", "−")


def about(value: float, digits: int = 2) -> str:
    """A whole number rounded to this many digits: 19,034 becomes 19,000."""
    return whole(float(f"{value:.{digits}g}"))


def power(log10: float) -> str:
    """10 to the nearest whole power, for prose."""
    return f"10<sup>{round(log10)}</sup>"


def magnitude(log10: float) -> str:
    """A number too long to write, for prose: one digit and a power of 10."""
    whole_part = math.floor(log10)
    digit = round(10 ** (log10 - whole_part))
    return f"{digit} × 10<sup>{whole_part}</sup>" if digit < 10 else f"10<sup>{whole_part + 1}</sup>"


def size(n_bytes: float) -> str:
    """Bytes in the unit a person would use (1 KB is 1,000 bytes)."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if n_bytes >= scale:
            return f"{n_bytes / scale:.1f} {unit}"
    return f"{n_bytes:.0f} bytes"


FILTERS = {
    function.__name__: function for function in (points, signed, percent, whole, about, power, magnitude, size)
}  # fmt: skip


class Fields(dict[str, Any]):
    """A JSON object whose fields are attributes too; a missing one is named."""

    def __init__(self, path: str, content: dict[str, Any]) -> None:
        super().__init__({key: _wrap(f"{path}.{key}", value) for key, value in content.items()})
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self:
            raise YatzyError(self._path, allowed=list(self), why=f"has no {name!r}")
        return self[name]


def _wrap(path: str, value: Any) -> Any:
    if isinstance(value, dict):
        return Fields(path, value)
    if isinstance(value, list):
        return [_wrap(f"{path}[{i}]", item) for i, item in enumerate(value)]
    return value


class Results:
    """Every result in a folder, read when it is asked for: `r.game_spray` is game-spray.json."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, Fields] = {}

    def __getattr__(self, name: str) -> Fields:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, study: str) -> Fields:
        study = study.replace("_", "-")
        if study not in self._read:
            found = read_result(self.path(study))
            if found is None:
                raise YatzyError(
                    "results",
                    study,
                    f"{', '.join(self.names) or 'none'} (yatzy reproduce {study} makes it)",
                    f"is not in {self.folder}",
                )
            self._read[study] = Fields(study, found[1])
        return self._read[study]

    def path(self, study: str) -> Path:
        return self.folder / f"{study}.json"

    @property
    def names(self) -> list[str]:
        """The studies in the folder."""
        return sorted(path.stem for path in self.folder.glob("*.json") if read_result(path))

    @property
    def claims(self) -> list[dict[str, Any]]:
        """Every claim of the forerunner that a study checks, with the study's name."""
        return [
            {"study": name, **claim} for name in self.names for claim in self[name].get("claims", [])
        ]  # fmt: skip


def compact(path: Path) -> bytes:
    """A result as the figures read it: no white space, and values beside texts."""
    content = json.loads(path.read_text())
    add_values(content)
    return json.dumps(seal(content), separators=(",", ":")).encode()


def add_values(content: dict[str, Any]) -> None:
    """Dice, boxes, actions and players of the studies that write them as text: figures read no text."""
    if content["study"] == "quiz":
        rules = ruleset(content["rules"])
        content["labels"] = [category.name for category in rules.categories]
        for question in content["questions"]:
            question["faces"] = [int(face) for face in question["dice"].split()]
            for choice in question["choices"]:
                choice["does"] = action_value(rules, choice["action"], question["faces"])
    elif content["study"] == "reach":
        rules = ruleset(content["rules"])
        for change in content["changes"]:
            change["boxes"] = [parse_category(rules, name) for name in change["open"]]
            for aim in ("target", "mean"):
                change[f"{aim}_action"] = action_value(rules, change[f"for_{aim}"], change["dice"])
    elif content["study"] in ("compression", "rosetta", "charts"):
        lists = [one["strength"] for one in content.get("lists", ())]
        for player in (*lists, *content.get("models", ()), *content.get("carried", ())):
            player["who"] = player_value(player["name"])


def player_value(name: str) -> dict[str, Any]:
    """What a player is: the family of a model and its depth, the way to a list and how it names keeps."""
    for family, recipes in RECIPES.items():
        if name in recipes:
            return {"kind": family, "depth": getattr(recipes[name], "depth", None)}
    if name not in shipped_lists():
        return {"kind": name}
    found = find_list(name)
    return {
        "kind": found.info.get("path", found.info["method"]),
        "keeps": not found.oracle_keeps and found.grammar,
    }


def action_value(rules: Ruleset, text: str, dice: list[int]) -> dict[str, Any]:
    """The dice that an action keeps, or the id of the box that it fills and what the dice bring there."""
    action = parse_action(rules, text)
    if isinstance(action, Keep):
        return {"keep": action.dice}
    box = parse_category(rules, action.category)
    return {"score": box, "points": rules.scores[rules.rolls.index(parse_dice(rules, dice))][box]}


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
        return power(value)
    if unit == "count" or (not given and abs(value) >= 1000):
        return whole(value)
    text = points(scale * value, given + further)
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
