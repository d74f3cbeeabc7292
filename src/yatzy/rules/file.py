"""Rules from a TOML file: a game as data that anybody can write. docs/formats.md describes the keys.

    name = "our-yatzy"
    dice = 5
    faces = 6
    throws = 3
    bonus = { threshold = 63, points = 50 }

    [[box]]
    name = "Ones"
    score = "sum of face"
    face = 1
    upper = true

An error in a file is reported in one sentence that names the key (see `sections`), before anything is computed.
"""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from yatzy.errors import YatzyError, printable
from yatzy.files import ReadError, read_outside_text
from yatzy.rules.catalogue import FORCED_ORDER, GAMES, SAVED_THROWS
from yatzy.rules.jokers import JOKERS, Jokers
from yatzy.rules.patterns import read_score
from yatzy.rules.ruleset import (
    LONGEST_NAME,
    MOST_CATEGORIES,
    MOST_POINTS,
    RANGES,
    Category,
    Ruleset,
    is_text,
    normalise,
)
from yatzy.rules.sections import Section

EXAMPLES = Path(__file__).parent / "examples"

MOST_BYTES = 100_000
# In a line: the parser takes quadratic time over the levels of a dotted key.
MOST_DOTS = 50

KEYS = ("name", "dice", "faces", "throws", SAVED_THROWS, FORCED_ORDER, "bonus", "box", "jokers")
BOX_KEYS = ("name", "upper", "aliases")


def read_rules(path: str | Path) -> Ruleset:
    """The ruleset that a TOML file describes."""
    return parse_rules(_read(Path(path)), printable(str(path)))


def parse_rules(text: str, place: str = "rules") -> Ruleset:
    """The ruleset that a TOML text describes; `place` begins the sentence about what is wrong in it."""
    file = Section(place, _parse_toml(text, place))
    file.check_keys(KEYS)
    name = _read_name(file)
    dice, faces = file.number("dice", *RANGES["dice"]), file.number("faces", *RANGES["faces"])
    throws = file.number("throws", *(rerolls + 1 for rerolls in RANGES["rerolls"]))
    saves_throws, forced_order = file.switch(SAVED_THROWS), file.switch(FORCED_ORDER)
    categories = _read_boxes(file, dice, faces)
    with file.naming(categories="box"):
        rules = Ruleset(name, dice, faces, throws - 1, categories, 0, 0, saves_throws, forced_order)
    changes: dict[str, Any] = {}
    if "bonus" in file.content:
        changes |= _read_bonus(rules, file.section("bonus"))
    if "jokers" in file.content:
        changes["special"] = _read_jokers(rules, file.section("jokers"))
    with file.naming(categories="box", special="jokers"):
        return replace(rules, **changes)


def _read(path: Path) -> str:
    try:
        return read_outside_text(path, "rules", MOST_BYTES)
    except ReadError as error:
        raise error.but(allowed=error.allowed or "a game's name or a TOML file") from None


def _parse_toml(text: str, place: str) -> dict[str, Any]:
    if any(line.count(".") > MOST_DOTS and not line.lstrip().startswith("#") for line in text.splitlines()):
        raise YatzyError(place, why=f"has a line with more than {MOST_DOTS} dots; no key of a game has any")
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else printable(str(error))
        raise YatzyError(place, why=f"is not TOML: {why}") from None


def _read_name(file: Section) -> str:
    allowed = f"a text of 1 to {LONGEST_NAME} characters"
    name = file.needed("name", allowed)
    if not is_text(name, LONGEST_NAME):
        raise file.wrong("name", given=name, allowed=allowed)
    base = name.casefold().partition("+")[0].strip()
    if base in GAMES:
        raise file.wrong("name", "is taken by the catalogue", name, f"any name but {', '.join(GAMES)}")
    if not normalise(name) or name.casefold().endswith(".toml"):
        raise file.wrong("name", given=name, allowed="a name with a letter or digit, without .toml")
    return str(name)


def _read_boxes(file: Section, dice: int, faces: int) -> tuple[Category, ...]:
    """The boxes; an error says which one it is in, and a name that is used twice where it was used."""
    allowed = f"a list of 1..{MOST_CATEGORIES} boxes, each under [[box]]"
    boxes = file.needed("box", allowed)
    if not isinstance(boxes, list) or not all(isinstance(box, dict) for box in boxes):
        raise file.wrong("box", given=boxes, allowed=allowed)
    found, used = [], dict[str, str]()
    for number, content in enumerate(boxes, start=1):
        unnamed = Section(f"{file.place}: box {number}", content)
        name = unnamed.needed("name", f"a text of 1 to {LONGEST_NAME} characters")
        named = f' ("{name}")' if is_text(name, LONGEST_NAME) else ""
        box = Section(f"{unnamed.place}{named}", content)
        score, upper = read_score(box, dice, faces, BOX_KEYS), box.switch("upper")
        with box.naming():
            found.append(Category(name, score, upper, content.get("aliases", ())))
            found[-1].add_names(used)
    return tuple(found)


def _read_bonus(rules: Ruleset, bonus: Section) -> dict[str, int]:
    bonus.check_keys(("threshold", "points"))
    most = sum(max(row[c] for row in rules.scores) for c in rules.upper_ids)
    if not most:
        raise bonus.wrong("threshold", "no box counts towards it; allowed once a box has upper = true")
    return {
        "bonus_threshold": bonus.number("threshold", 1, most),
        "bonus": bonus.number("points", 1, RANGES["bonus"][1]),
    }


def _read_jokers(rules: Ruleset, jokers: Section) -> Jokers:
    jokers.check_keys(("box", "extra", "joker", "points"))
    names = [category.name for category in rules.categories]
    box, joker = names.index(jokers.choice("box", names)), jokers.choice("joker", JOKERS)
    extra = jokers.number("extra", 0, MOST_POINTS, default=0)
    lower: list[tuple[int, int]] = []
    if "points" in jokers.content:
        points = jokers.section("points")
        ids = [c for c in range(rules.n_categories) if c not in rules.upper_ids]
        points.check_keys([names[c] for c in ids])
        lower = [(c, points.number(names[c], 0, MOST_POINTS)) for c in ids if names[c] in points.content]
    with jokers.naming():
        return Jokers(box, extra, joker, tuple(lower))
