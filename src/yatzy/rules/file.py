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
from math import comb
from pathlib import Path
from typing import Any

from yatzy.errors import YatzyError, printable
from yatzy.rules.catalogue import FORCED_ORDER, GAMES, SAVED_THROWS
from yatzy.rules.jokers import JOKERS, Jokers
from yatzy.rules.patterns import MOST_POINTS, is_face, read_score
from yatzy.rules.ruleset import MOST_CATEGORIES, MOST_KEEPS, Category, Ruleset, normalise
from yatzy.rules.sections import Section, shown, suggest

EXAMPLES = Path(__file__).parent / "examples"

MOST_BYTES = 100_000
MOST_DICE, MOST_FACES, MOST_THROWS, MOST_BONUS = 12, 20, 10, 1000
LONGEST_NAME = 40
# Maxi Yatzy with saved throws, the largest game of the catalogue, has 1.9 billion places in its table.
MOST_PLACES = 2_000_000_000

KEYS = ("name", "dice", "faces", "throws", SAVED_THROWS, FORCED_ORDER, "bonus", "box", "jokers")
BOX_KEYS = ("name", "upper", "aliases")
# What has a meaning in the notation of filled boxes, states and situations.
RESERVED = ",*@|"


def read_rules(path: str | Path) -> Ruleset:
    """The ruleset that a TOML file describes."""
    return parse_rules(_read(Path(path)), printable(str(path)))


def parse_rules(text: str, place: str = "rules") -> Ruleset:
    """The ruleset that a TOML text describes; `place` begins the sentence about what is wrong in it."""
    file = Section(place, _parse_toml(text, place))
    file.check_keys(KEYS)
    name = _read_name(file)
    dice, faces = file.number("dice", 1, MOST_DICE), file.number("faces", 2, MOST_FACES)
    if comb(dice + faces, faces) > MOST_KEEPS:
        file.fail("dice", f"{dice} with {faces} faces are too many; allowed are {MOST_KEEPS:,} ways to keep dice")
    throws = file.number("throws", 1, MOST_THROWS)
    boxes = _box_sections(file)
    rules = Ruleset(
        name=name,
        dice=dice,
        faces=faces,
        rerolls=throws - 1,
        categories=tuple(_read_box(box, dice, faces) for box in boxes),
        saves_throws=file.switch(SAVED_THROWS),
        forced_order=file.switch(FORCED_ORDER),
    )
    if "bonus" in file.content:
        rules = _with_bonus(rules, file.section("bonus"))
    if "jokers" in file.content:
        rules = _with_jokers(rules, file.section("jokers"), [box.content for box in boxes])
    _check_size(rules, file)
    return rules


def _read(path: Path) -> str:
    where = printable(str(path))
    if not path.is_file():
        what = "is not a file" if path.exists() else "there is no such file"
        raise YatzyError(f"rules: {where}: {what}; allowed is a game's name or a TOML file")
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise YatzyError(f"rules: {where}: is too large; allowed are {MOST_BYTES:,} bytes")
        return content.decode()
    except OSError as error:
        raise YatzyError(f"rules: {where}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise YatzyError(f"rules: {where}: is not text in UTF-8; allowed is a TOML file") from None


def _parse_toml(text: str, place: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else printable(str(error))
        raise YatzyError(f"{place}: is not TOML: {why}") from None


def _read_name(file: Section) -> str:
    name = file.text("name", LONGEST_NAME)
    base = name.casefold().partition("+")[0].strip()
    if base in GAMES:
        file.fail("name", f"{shown(name)} is taken by the catalogue; allowed is any name but {', '.join(GAMES)}")
    if not normalise(name) or name.casefold().endswith(".toml"):
        file.fail("name", f"{shown(name)} is not allowed; allowed is a name with a letter or digit, without .toml")
    return name


def _box_sections(file: Section) -> list[Section]:
    """The boxes with their places; every name is used once."""
    boxes = file.needed("box", f"a list of 1..{MOST_CATEGORIES} boxes, each under [[box]]")
    if not isinstance(boxes, list) or not all(isinstance(box, dict) for box in boxes):
        file.fail("box", f"{shown(boxes)} is not allowed; allowed is a list of boxes, each under [[box]]")
    if not 1 <= len(boxes) <= MOST_CATEGORIES:
        file.fail("box", f"{len(boxes)} boxes are not allowed; allowed are 1..{MOST_CATEGORIES}")
    found, used = [], dict[str, str]()
    for number, content in enumerate(boxes, start=1):
        unnamed = Section(f"{file.place}: box {number}", content)
        name = unnamed.text("name", LONGEST_NAME)
        box = Section(f'{file.place}: box {number} ("{name}")', content)
        for key, names in (("name", (name,)), ("aliases", box.texts("aliases", LONGEST_NAME))):
            for each in names:
                _check_box_name(box, key, each, used)
                used[normalise(each)] = f'box {number} ("{name}")'
        found.append(box)
    return found


def _check_box_name(box: Section, key: str, name: str, used: dict[str, str]) -> None:
    if not normalise(name) or normalise(name) == "none" or set(name) & set(RESERVED):
        box.fail(
            key,
            f"{shown(name)} is not allowed; allowed is a name with a letter or digit, "
            f"without {' '.join(RESERVED)} and other than 'none'",
        )
    if normalise(name) in used:
        box.fail(key, f"{shown(name)} is already used by {used[normalise(name)]}; allowed is a name of its own")


def _read_box(box: Section, dice: int, faces: int) -> Category:
    return Category(
        name=box.content["name"],
        score=read_score(box, dice, faces, BOX_KEYS),
        upper=box.switch("upper"),
        aliases=box.texts("aliases", LONGEST_NAME),
    )


def _with_bonus(rules: Ruleset, bonus: Section) -> Ruleset:
    bonus.check_keys(("threshold", "points"))
    most = sum(max(row[c] for row in rules.scores) for c in rules.upper_ids)
    if not most:
        bonus.fail("threshold", "no box counts towards it; allowed once a box has upper = true")
    return replace(
        rules, bonus_threshold=bonus.number("threshold", 1, most), bonus=bonus.number("points", 1, MOST_BONUS)
    )


def _with_jokers(rules: Ruleset, jokers: Section, boxes: list[dict[str, Any]]) -> Ruleset:
    jokers.check_keys(("box", "extra", "joker", "points"))
    if rules.forced_order:
        jokers.fail("joker", f"cannot go with {FORCED_ORDER}, which leaves nothing to choose; leave one out")
    upper = [boxes[c] for c in rules.upper_ids]
    if len(upper) != rules.faces or not all(is_face(box, face) for face, box in enumerate(upper, start=1)):
        jokers.fail("joker", f"needs a box with upper = true for each face, 1 to {rules.faces}, in this order")
    joker, extra = jokers.choice("joker", JOKERS), jokers.number("extra", 0, MOST_POINTS, default=0)
    box = _joker_box(rules, jokers)
    if joker == "none" and not extra:
        jokers.fail("extra", "0 is not allowed where joker is 'none'; give points, or leave out the jokers")
    points = _joker_points(rules, jokers) if "points" in jokers.content else ()
    if joker == "none" and points:
        jokers.fail("points", "cannot go with joker 'none'; leave them out")
    return replace(rules, special=Jokers(box, extra, joker, points))


def _joker_box(rules: Ruleset, jokers: Section) -> int:
    """The box for dice all alike: it must be for nothing else, or its points would not say that it had them."""
    names = [category.name for category in rules.categories]
    box = names.index(jokers.choice("box", names))
    alike = [(row[box] > 0) == (len(set(roll)) == 1) for roll, row in zip(rules.rolls, rules.scores, strict=True)]
    if not all(alike):
        jokers.fail("box", f"{shown(names[box])} is not allowed; allowed is a box for dice all alike alone")
    return box


def _joker_points(rules: Ruleset, jokers: Section) -> tuple[tuple[int, int], ...]:
    """Points of a joker in lower boxes, by category."""
    points = jokers.section("points")
    lower = {c.name: i for i, c in enumerate(rules.categories) if not c.upper}
    for name in points.content:
        if name not in lower:
            points.fail(shown(name), f"is not a lower box; {suggest(name, tuple(lower))}")
    return tuple((c, points.number(name, 0, MOST_POINTS)) for name, c in lower.items() if name in points.content)


def _check_size(rules: Ruleset, file: Section) -> None:
    """Refuse a game whose table would fill no ordinary computer's memory, before somebody waits for it."""
    # On average half of the boxes are filled, and their turns could have saved all their rerolls.
    numbers_saved = 1 + rules.rerolls * rules.n_categories / 2 * rules.saves_throws
    places = rules.n_sets * numbers_saved * (rules.bonus_threshold + 1)
    if places > MOST_PLACES:
        file.fail(
            "box", f"{rules.n_categories} boxes need a table of {places:,.0f} values; allowed are {MOST_PLACES:,}"
        )
