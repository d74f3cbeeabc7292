"""Rulesets by name or from a TOML file; docs/formats.md describes the keys.

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

The score of a box is a pattern with its parameters. A box pays the dice of its pattern, or `points`, or with
`total` the sum of all dice:

    score = "of a kind", n = 3                    the three dice that are alike
    score = "of a kind", n = 3, total = true      all dice, if three are alike
    score = "house", large = 3, small = 2, points = 25
    score = "pairs", n = 2, or = { score = "of a kind", n = 4 }

The first thing that is wrong in a file is reported with its place, what was given and what is allowed:

    family.toml: box 3 ("Villa"): score: 'hous' is not known; allowed are ..., house; did you mean 'house'?
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from yatzy.errors import NOT_ALLOWED, NOT_GIVEN, YatzyError, check_int, printable
from yatzy.rules import scoring
from yatzy.rules.catalogue import FORCED_ORDER, GAMES, SAVED_THROWS, build_game
from yatzy.rules.jokers import JOKERS, Jokers
from yatzy.rules.ruleset import (
    LONGEST_NAME,
    MAX_CATEGORIES,
    MAX_POINTS,
    RANGES,
    Category,
    Ruleset,
    is_text,
    normalise,
)
from yatzy.rules.scoring import Score
from yatzy.storage import ReadError, read_user_text

EXAMPLES = Path(__file__).parent / "examples"
MAX_BYTES = 100_000
# Per line, because the parser takes quadratic time over the levels of a dotted key.
MAX_DOTS = 50
KEYS = ("name", "dice", "faces", "throws", SAVED_THROWS, FORCED_ORDER, "bonus", "box", "jokers")
BOX_KEYS = ("name", "upper", "aliases")
OR = "or"


@dataclass(frozen=True)
class Section:
    """A table of a file, with typed access; `place` is such as `family.toml: box 3 ("Villa")`."""

    place: str
    content: dict[str, Any]

    def wrong(
        self,
        key: str,
        why: str = NOT_ALLOWED,
        given: Any = NOT_GIVEN,
        allowed: str | Collection[str] | None = None,
    ) -> YatzyError:
        return YatzyError(f"{self.place}: {key}", given, allowed, why)

    @contextmanager
    def naming(self, **keys: str) -> Iterator[None]:
        """Turn errors about fields into errors about keys of this table; `keys` are those with another name."""
        try:
            yield
        except YatzyError as error:
            name, _, rest = (error.field or "").partition(".")
            path = ": ".join([keys.get(name, name), *(rest.split(".") if rest else [])])
            raise error.but(field=f"{self.place}: {path}") from None

    def check_keys(self, allowed: Collection[str]) -> None:
        """Refuse unknown keys: a misspelt one would be silently ignored."""
        for key in self.content:
            if key not in allowed:
                raise YatzyError(self.place, key, allowed, "is not a key here")

    def needed(self, key: str, allowed: str | Collection[str]) -> Any:
        if key not in self.content:
            raise self.wrong(key, "is missing", allowed=allowed)
        return self.content[key]

    def number(self, key: str, lowest: int, highest: int, default: int | None = None) -> int:
        """A whole number in a range; required unless there is a default."""
        if default is not None and key not in self.content:
            return default
        value = self.needed(key, f"a whole number, {lowest}..{highest}" if lowest < highest else f"{lowest}")
        with self.naming():
            return check_int(key, value, lowest, highest)

    def switch(self, key: str) -> bool:
        """True or false, false by default."""
        value = self.content.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, given=value, allowed=("true", "false"))
        return value

    def choice(self, key: str, allowed: Collection[str]) -> str:
        """One of the allowed words."""
        value = self.needed(key, allowed)
        if not isinstance(value, str) or value not in allowed:
            raise self.wrong(key, "is not known", value, allowed)
        return value

    def section(self, key: str) -> "Section":
        """The table under a key."""
        value = self.content[key]
        if not isinstance(value, dict):
            raise self.wrong(key, given=value, allowed="a table of keys")
        return Section(f"{self.place}: {key}", value)


@dataclass(frozen=True)
class Pattern:
    """A scoring function by name. One that does not pay its own dice needs `points` or `total`; a bare one takes
    neither.
    """

    parameters: tuple[str, ...]
    make: Callable[..., Score]
    pays_dice: bool = True
    bare: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        return self.parameters if self.bare else (*self.parameters, "points", "total")


PATTERNS = {
    "sum of face": Pattern(("face",), scoring.of_face, bare=True),
    "total": Pattern((), lambda: scoring.total, bare=True),
    "pairs": Pattern(("n",), scoring.pairs),
    "of a kind": Pattern(("n",), scoring.of_a_kind),
    "house": Pattern(("large", "small"), scoring.groups),
    "straight": Pattern(("first", "last"), lambda first, last: scoring.straight(first, last, 1), pays_dice=False),
    "run": Pattern(("n",), lambda n: scoring.run_of(n, 1), pays_dice=False),
    "all equal": Pattern((), lambda: scoring.all_equal(1), pays_dice=False),
}


def _read_score(box: Section, dice: int, faces: int) -> Score:
    """The scoring function of a box."""
    name = box.choice("score", PATTERNS)
    box.check_keys((*BOX_KEYS, "score", *PATTERNS[name].keys, OR))
    first = _read_pattern(box, name, dice, faces)
    if OR not in box.content:
        return first
    second_best = box.section(OR)
    other = second_best.choice("score", PATTERNS)
    second_best.check_keys(("score", *PATTERNS[other].keys))
    second = _read_pattern(second_best, other, dice, faces)
    return lambda counts: max(first(counts), second(counts))


def _read_pattern(box: Section, name: str, dice: int, faces: int) -> Score:
    pattern = PATTERNS[name]
    given: dict[str, int] = {}
    for key in pattern.parameters:
        lowest, highest = _limits(box, name, key, given, dice, faces)
        given[key] = box.number(key, lowest, highest)
    when = pattern.make(*given.values())
    if pattern.bare:
        return when
    if box.switch("total"):
        if "points" in box.content:
            raise box.wrong("total", "cannot go with points; a box pays one or the other")
        return scoring.total_if(when)
    if "points" not in box.content and pattern.pays_dice:
        return when
    return scoring.fixed(box.number("points", 1, MAX_POINTS), when)


def _limits(box: Section, name: str, key: str, given: dict[str, int], dice: int, faces: int) -> tuple[int, int]:
    """The range of a parameter, given the dice and the parameters before it."""
    lowest, highest = {
        ("sum of face", "face"): (1, faces),
        ("pairs", "n"): (1, min(dice // 2, faces)),
        ("of a kind", "n"): (2, dice),
        ("house", "large"): (1, dice - 1 if faces > 1 else 0),
        ("house", "small"): (1, min(given.get("large", 0), dice - given.get("large", 0))),
        ("straight", "first"): (1, faces - 1 if dice > 1 else 0),
        ("straight", "last"): (given.get("first", 0) + 1, min(faces, given.get("first", 0) + dice - 1)),
        ("run", "n"): (2, min(dice, faces)),
    }[name, key]
    if lowest > highest:
        raise box.wrong("score", f"is not possible with {dice} dice of {faces} faces", name)
    return lowest, highest


def read_rules(path: str | Path) -> Ruleset:
    """The ruleset of a TOML file."""
    try:
        text = read_user_text(path, "rules", MAX_BYTES)
    except ReadError as error:
        raise error.but(allowed=error.allowed or "a game's name or a TOML file") from None
    return parse_rules(text, printable(str(path)))


def parse_rules(text: str, place: str = "rules") -> Ruleset:
    """The ruleset of a TOML text; errors begin with `place`."""
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


def _parse_toml(text: str, place: str) -> dict[str, Any]:
    if any(line.count(".") > MAX_DOTS and not line.lstrip().startswith("#") for line in text.splitlines()):
        raise YatzyError(place, why=f"has a line with more than {MAX_DOTS} dots; no key of a game has any")
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
    """The boxes; errors name the box they are in."""
    allowed = f"a list of 1..{MAX_CATEGORIES} boxes, each under [[box]]"
    boxes = file.needed("box", allowed)
    if not isinstance(boxes, list) or not all(isinstance(box, dict) for box in boxes):
        raise file.wrong("box", given=boxes, allowed=allowed)
    found, used = [], dict[str, str]()
    for number, content in enumerate(boxes, start=1):
        unnamed = Section(f"{file.place}: box {number}", content)
        name = unnamed.needed("name", f"a text of 1 to {LONGEST_NAME} characters")
        named = f' ("{name}")' if is_text(name, LONGEST_NAME) else ""
        box = Section(f"{unnamed.place}{named}", content)
        score, upper = _read_score(box, dice, faces), box.switch("upper")
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
    extra = jokers.number("extra", 0, MAX_POINTS, default=0)
    lower: list[tuple[int, int]] = []
    if "points" in jokers.content:
        points = jokers.section("points")
        ids = [c for c in range(rules.n_categories) if c not in rules.upper_ids]
        points.check_keys([names[c] for c in ids])
        lower = [(c, points.number(names[c], 0, MAX_POINTS)) for c in ids if names[c] in points.content]
    with jokers.naming():
        return Jokers(box, extra, joker, tuple(lower))


def ruleset(rules: str | Ruleset = "scandinavian") -> Ruleset:
    """The ruleset of a name such as "yahtzee+free-joker" or of a TOML file; a `Ruleset` passes through."""
    if isinstance(rules, Ruleset):
        return rules
    if not isinstance(rules, str):
        raise YatzyError("rules", rules, "a name, a TOML file or a Ruleset")
    text = rules.strip()
    if text.lower().endswith(".toml"):
        return read_rules(text)
    base, *switches = text.lower().split("+")
    game = GAMES.get(base)
    if game is None:
        allowed = (*GAMES, "these with switches (see yatzy games)", "a file that ends in .toml")
        raise YatzyError("rules", rules, allowed, "is not known")
    for switch in switches:
        if switch not in game.switches:
            why = f"{{given}} is not a switch of {base}" + ("" if game.switches else "; it has none")
            raise YatzyError("rules", switch, game.switches or None, why)
        if switches.count(switch) > 1:
            raise YatzyError("rules", switch, why=f"{{given}} is named twice in {rules!r}")
    return build_game(base, tuple(switch for switch in game.switches if switch in switches))


def stored_name(rules: Ruleset) -> str:
    """The name of a ruleset in file names.

    Games of the catalogue have unique names. Those of other rulesets may clash, or be no file names: they are
    simplified and followed by the fingerprint.
    """
    base, *switches = rules.name.split("+")
    if base in GAMES and set(switches) <= set(GAMES[base].switches) and ruleset(rules.name) == rules:
        return rules.name
    simple = re.sub(r"[^a-z0-9]+", "-", rules.name.lower()).strip("-")[:40]
    return f"{simple or 'rules'}-{rules.fingerprint}"
