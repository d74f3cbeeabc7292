"""What a rule may ask: conditions on features, in words and back.

A *feature* is a whole number that a player reads off the score sheet or the dice: the forerunner's 56, and a few
of our own. What it depends on decides how fast a rule list runs:

    state   the score sheet alone (open boxes, upper total, rerolls left)
    dice    the roll alone
    box     the points of the roll in one box; 0 if the box is filled
    set     the roll, and which upper boxes are open
    sheet   the roll and all open boxes

None depends on the upper total and the dice together, except the margins over par, which also depend on whether
the bonus is settled.

A *condition* bounds one feature. Each has one phrase and no two share one: three per feature (at least, at most,
exactly), two for yes or no, and better ones for special numbers. Printing fills the phrases in; reading matches
them.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from yatzy.arrays import IntArray
from yatzy.errors import YatzyError
from yatzy.players.moves import SHAPES, shapes
from yatzy.policies.baselines import named_straights, straights
from yatzy.rules import Ruleset
from yatzy.turn.lattice import lattice
from yatzy.turn.tables import face_of_category

# Order matters: the kernels know these by number.
STATE_FEATURES = ("turn", "boxes_left", "rerolls_left", "upper_total", "bonus_secured", "pace", "upper_boxes_left")
SHEET_FEATURES = ("zero_boxes", "best_points", "par_margin", "par_lead")

# Patterns of dice alike: what they mean, and how many dice of each face they need.
ALIKE = {
    "has_pair": ("two dice alike", (2,)),
    "has_two_pairs": ("two different pairs", (2, 2)),
    "has_three": ("three dice alike", (3,)),
    "has_four": ("four dice alike", (4,)),
    "has_full_house": ("three of one face and two of another", (3, 2)),
}


@dataclass(frozen=True)
class Feature:
    """One number that rules may ask about. `kind`: boolean, discrete or continuous; `scope`: see the module."""

    name: str
    group: str
    kind: str
    scope: str
    meaning: str
    low: int
    high: int


@dataclass(frozen=True, order=True)
class Condition:
    """A feature lies between `low` and `high`, both included."""

    feature: str
    low: int
    high: int


@lru_cache(maxsize=4)
def features(rules: Ruleset) -> dict[str, Feature]:
    """All features by name: those of the forerunner, then the shapes, then the margins over par.

    Features that no roll of the ruleset can show, such as a straight without a box for it, are left out.
    """
    return {
        feature.name: feature
        for feature in (*_forerunner_features(rules), *_shape_features(rules), *_par_features())
    }


def feature(rules: Ruleset, name: str) -> Feature:
    try:
        return features(rules)[name]
    except KeyError:
        raise YatzyError("condition", name, features(rules), "is not known") from None


def check_condition(rules: Ruleset, condition: Condition) -> None:
    """Refuse unknown features, bounds that are not integers, two-sided intervals and whole ranges."""
    known = feature(rules, condition.feature)
    low, high = condition.low, condition.high
    whole = all(isinstance(bound, int) and not isinstance(bound, bool) for bound in (low, high))
    at_least, at_most = high == known.high, low == known.low
    inside = whole and known.low <= low <= high <= known.high
    if not inside or not (low == high or at_least != at_most):
        raise YatzyError(
            "condition",
            condition.feature,
            f"at least, at most and exactly a number in {known.low}..{known.high}",
            f"from {low} to {high} is not allowed",
        )


def box_name(rules: Ruleset, category: int) -> str:
    """`one_pair` for One Pair."""
    return rules.categories[category].name.lower().replace(" ", "_")


def _forerunner_features(rules: Ruleset) -> list[Feature]:
    n, dice, faces, goal = rules.n_categories, rules.dice, rules.faces, rules.bonus_threshold
    n_upper = len(rules.upper_ids)
    behind = 3 * int(face_of_category(rules).sum())
    most = np.max(np.array(rules.scores), axis=0).tolist()
    found = [
        Feature("turn", "progress", "discrete", "state", "which turn of the game this is", 1, n),
        Feature("boxes_left", "progress", "discrete", "state", "boxes still open, this turn's included", 1, n),
        Feature("rerolls_left", "progress", "discrete", "state", "rerolls left in this turn", 0, rules.rerolls),
        Feature("upper_total", "bonus", "continuous", "state", f"upper section, at most {goal}", 0, goal),
        Feature("bonus_secured", "bonus", "boolean", "state", f"the upper section has {goal} points", 0, 1),
        Feature("pace", "bonus", "continuous", "state",
              "upper points ahead of (behind, if negative) three of each filled upper face", -behind, goal),
        Feature("upper_boxes_left", "bonus", "discrete", "state", "upper boxes still open", 0, n_upper),
    ]  # fmt: skip
    for face in range(1, faces + 1):
        found.append(Feature(f"count_{face}", "dice", "discrete", "dice", f"dice that show {face}", 0, dice))
    found += [
        Feature("largest_count", "dice", "discrete", "dice", "dice of the most frequent face", 1, dice),
        Feature("distinct_faces", "dice", "discrete", "dice", "different faces", 1, min(dice, faces)),
        Feature("sum", "dice", "continuous", "dice", "sum of the dice", dice, dice * faces),
    ]
    found += [Feature(name, "patterns", "boolean", "dice", text, 0, 1) for name, text in _patterns(rules).items()]
    for c in range(n):
        text = f"{rules.categories[c].name} is open"
        found.append(Feature(f"open_{box_name(rules, c)}", "open boxes", "boolean", "state", text, 0, 1))
    for c in range(n):
        text = f"points the dice would score in {rules.categories[c].name} now (0 if it is filled)"
        found.append(Feature(f"points_{box_name(rules, c)}", "points", "continuous", "box", text, 0, most[c]))
    found += [
        Feature("zero_boxes", "safety", "discrete", "sheet", "open boxes in which the dice score nothing", 0, n),
        Feature("best_points", "safety", "continuous", "sheet", "most points in an open box", 0, max(most)),
    ]
    return found


def _patterns(rules: Ruleset) -> dict[str, str]:
    """The patterns that the ruleset's dice can show, and what they mean."""
    found = {}
    for name, (text, counts) in ALIKE.items():
        if sum(counts) <= rules.dice and len(counts) <= rules.faces:
            found[name] = text
    for size, category in named_straights(rules).items():
        runs = (" ".join(map(str, run)) for run in straights(rules)[category])
        found[f"has_{size}_straight"] = " or ".join(runs)
    return found | {"has_yatzy": f"all {rules.dice} dice alike"}


def _shape_features(rules: Ruleset) -> list[Feature]:
    dice, faces = rules.dice, rules.faces
    runs = {
        f"{size}_run": straights(rules)[category]
        for size, category in named_straights(rules).items()
        if f"{size}_run" in SHAPES
    }
    text = {
        "shape_face": "the most frequent face (of equals one whose box is open, then the highest)",
        "shape_count": "dice of that face",
        "shape_open": "the box of that face is open",
        "open_face": "the most frequent face whose box is open (0 if there is none)",
        "open_count": "dice of the most frequent face whose box is open",
        "high_pair": "face of the highest pair (0 if there is none)",
        "low_pair": "face of the lower of two pairs (0 if there is none)",
    }
    high = dict(zip(SHAPES, [faces, dice, 1, faces, dice, faces, faces], strict=False))
    for name, ways in runs.items():
        high[name] = len(ways[0])
        text[name] = f"different faces among {' or '.join(f'{run[0]} to {run[-1]}' for run in ways)}"
    return [
        Feature(
            name, "shapes", "boolean" if name == "shape_open" else "discrete", "set", text[name], 0, high[name]
        )
        for name in SHAPES
        if name in text
    ]


def _par_features() -> list[Feature]:
    return [
        Feature("par_margin", "par", "continuous", "sheet", "most points above par in an open box", -60, 60),
        Feature("par_lead", "par", "continuous", "sheet", "lead of that box over the next one", 0, 100),
    ]  # fmt: skip


@lru_cache(maxsize=4)
def dice_table(rules: Ruleset) -> dict[str, IntArray]:
    """(n_rolls,) for every feature of the dice alone, by name."""
    grid = lattice(rules.dice, rules.faces)
    counts = grid.counts[: grid.n_rolls]
    n_faces = rules.faces
    ordered = -np.sort(-counts, axis=1)
    top = ordered[:, 0]
    found: dict[str, Any] = {f"count_{face}": counts[:, face - 1] for face in range(1, n_faces + 1)}
    found |= {
        "largest_count": top,
        "distinct_faces": (counts > 0).sum(axis=1),
        "sum": counts @ np.arange(1, n_faces + 1),
        "has_yatzy": top >= rules.dice,
    }
    for name in _patterns(rules).keys() & ALIKE.keys():
        needed = ALIKE[name][1]
        found[name] = (ordered[:, : len(needed)] >= needed).all(axis=1)
    scores = np.array(rules.scores)
    for size, category in named_straights(rules).items():
        found[f"has_{size}_straight"] = scores[:, category] > 0
    return {name: np.asarray(values, np.int64) for name, values in found.items()}


def set_table(rules: Ruleset, name: str) -> IntArray:
    """(open upper sets, n_rolls): one shape."""
    return shapes(rules)[:, SHAPES.index(name)].astype(np.int64)


FACE_NAMES = ("ones", "twos", "threes", "fours", "fives", "sixes")


@cache
def _words() -> dict[str, dict[str, Any]]:
    """The phrases of features that every game has: `numbers` (at least, at most, exactly) and `yes_no`."""
    return tomllib.loads((files("yatzy.players") / "phrases.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=4)
def _phrases(rules: Ruleset) -> dict[str, tuple[str, str, str]]:
    """At least, at most and exactly, for every numeric feature but pace."""
    found = {name: tuple(phrases) for name, phrases in _words()["numbers"].items() if name in features(rules)}
    for face in range(1, rules.faces + 1):
        name = _face_name(face)
        found[f"count_{face}"] = (
            f"you have {{n}} or more {name}",
            f"you have {{n}} or fewer {name}",
            f"you have exactly {{n}} {name}",
        )
    for known in features(rules).values():
        if known.group == "points":
            box = _box(rules, known)
            found[known.name] = (
                f"{box} would score {{n}} or more",
                f"{box} would score {{n}} or less",
                f"{box} would score exactly {{n}}",
            )
    return found


@lru_cache(maxsize=4)
def _yes_no(rules: Ruleset) -> dict[str, tuple[str, str]]:
    found = {name: tuple(phrases) for name, phrases in _words()["yes_no"].items() if name in features(rules)}
    for known in features(rules).values():
        if known.group == "open boxes":
            found[known.name] = (f"{_box(rules, known)} is open", f"{_box(rules, known)} is filled")
    return found


def _box(rules: Ruleset, known: Feature) -> str:
    """The category's name in a feature such as `open_one_pair`."""
    plain = known.name.split("_", 1)[1]
    return next(c.name for c in rules.categories if c.name.lower().replace(" ", "_") == plain)


@lru_cache(maxsize=4)
def _special(rules: Ruleset) -> dict[Condition, str]:
    """Conditions for which there are better words than numbers."""
    dice, top = rules.dice, rules.rerolls
    found = {
        Condition("largest_count", 1, 1): "all dice are different",
        Condition("upper_boxes_left", 0, 0): "the upper section is full",
        Condition("upper_boxes_left", 1, 1): "exactly one upper box is open",
        Condition("open_count", 1, 1): "you have exactly one die for one open upper box",
        Condition("upper_boxes_left", 1, len(rules.upper_ids)): "an upper box is open",
        Condition("rerolls_left", top, top): "you have just thrown for the first time",
        Condition("rerolls_left", 0, 1): "only one reroll is left",
        Condition("rerolls_left", 1, 1): "exactly one reroll is left",
        Condition("boxes_left", 1, 1): "only one box is open",
        Condition("open_face", 0, 0): "none of your faces is open in the upper section",
        Condition("high_pair", 0, 0): "there is no pair at all",
        Condition("shape_face", 0, 0): "there is no most frequent face",
        Condition("low_pair", 0, 0): "there is no second pair",
        Condition("open_count", 0, 0): "no die fits an open upper box",
        Condition("open_count", 1, dice): "some die fits an open upper box",
    }
    for face in range(1, rules.faces + 1):
        name = _face_name(face)
        found[Condition(f"count_{face}", 0, 0)] = f"you have no {name}"
        found[Condition(f"count_{face}", 1, dice)] = f"you have any {name}"
        found[Condition(f"count_{face}", 1, 1)] = f"you have a single die of {face}"
    for known in features(rules).values():
        if known.group == "points":
            found[Condition(known.name, 0, 0)] = f"{_box(rules, known)} would score nothing"
            found[Condition(known.name, 1, known.high)] = f"{_box(rules, known)} would score"
    return found


def _face_name(face: int) -> str:
    return FACE_NAMES[face - 1] if face <= len(FACE_NAMES) else f"dice of {face}"


def condition_text(rules: Ruleset, condition: Condition) -> str:
    """A condition in words."""
    known = feature(rules, condition.feature)
    if condition in _special(rules):
        return _special(rules)[condition]
    at_least, at_most = condition.high == known.high, condition.low == known.low
    if known.kind == "boolean":
        return _yes_no(rules)[known.name][0 if condition.low else 1]
    if known.name == "pace":
        return _pace_text(condition, at_least, at_most)
    phrases = _phrases(rules)[known.name]
    if condition.low == condition.high:
        return phrases[2].format(n=condition.low)
    if at_most:
        return phrases[1].format(n=condition.high)
    return phrases[0 if at_least else 2].format(n=condition.low)


def _pace_text(condition: Condition, at_least: bool, at_most: bool) -> str:
    n = condition.high if at_most else condition.low
    side = "ahead of" if n > 0 else "behind"
    if (at_least, n) == (True, 1) or (at_most, n) == (True, -1):
        return f"the upper section is {side} three of each"
    place = f"{abs(n)} point{'s' * (abs(n) > 1)} {side} three of each" if n else "level with three of each"
    if not at_least and not at_most:
        return f"the upper section is exactly {place}"
    return f"the upper section is {place} {'or better' if at_least else 'or worse'}"


@lru_cache(maxsize=4)
def _word_patterns(rules: Ruleset) -> list[tuple[re.Pattern[str], str, int]]:
    """Every phrase as a pattern: (pattern, feature, which phrase)."""
    found = []
    for name, phrases in _phrases(rules).items():
        for which, phrase in enumerate(phrases):
            found.append((re.compile(re.escape(phrase).replace(r"\{n\}", r"(-?\d+)")), name, which))
    return found


def parse_condition(rules: Ruleset, text: str) -> Condition:
    """The condition that these words state."""
    for condition, words in _special(rules).items():
        if text == words:
            return condition
    for name, (yes, no) in _yes_no(rules).items():
        if text in (yes, no):
            return Condition(name, int(text == yes), int(text == yes))
    if text in ("the upper section is ahead of three of each", "the upper section is behind three of each"):
        ahead = "ahead" in text
        return _interval(feature(rules, "pace"), 1 if ahead else -1, 0 if ahead else 1)
    pace = re.fullmatch(
        r"the upper section is (exactly )?(?:(\d+) points? (ahead of|behind)|level with) three of each"
        r"( or better| or worse)?",
        text,
    )
    if pace:
        n = int(pace[2] or 0) * (1 if pace[3] == "ahead of" else -1)
        return _interval(feature(rules, "pace"), n, {" or better": 0, " or worse": 1, None: 2}[pace[4]])
    for pattern, name, which in _word_patterns(rules):
        match = pattern.fullmatch(text)
        if match:
            return _interval(feature(rules, name), int(match[1]), which)
    raise YatzyError("condition", text, why="is not understood")


def _interval(known: Feature, n: int, which: int) -> Condition:
    """At least, at most, exactly n."""
    return Condition(known.name, known.low if which == 1 else n, known.high if which == 0 else n)
