"""What a rule may look at: numbers with plain names, 56 in the forerunner's groups and a few of our own.

Every *sight* is a whole number that a player can read off the score sheet or the dice. What it
depends on decides how fast a rule list runs:

    state   the score sheet alone (open boxes, upper total, rerolls left)
    dice    the roll alone
    box     the points of the roll in one box; 0 if the box is filled
    set     the roll, and which upper boxes are open
    sheet   the roll and all open boxes

None depends on the upper total and the dice together, except the margins over par, which take one bit from
the upper total: whether the bonus is settled.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from yatzy.arrays import IntArray
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.policy.hands import named_straights, straights
from yatzy.rulelists.language.keeps import SHAPES, shapes
from yatzy.rules import Ruleset
from yatzy.turn.tables import face_of_category

# Order matters: the kernels know these by number.
STATE_SIGHTS = ("turn", "boxes_left", "rerolls_left", "upper_total", "bonus_secured", "pace", "upper_boxes_left")
SHEET_SIGHTS = ("zero_boxes", "best_points", "par_margin", "par_lead")

# Patterns of dice alike: what they mean, and how many dice of each face they need.
ALIKE = {
    "has_pair": ("two dice alike", (2,)),
    "has_two_pairs": ("two different pairs", (2, 2)),
    "has_three": ("three dice alike", (3,)),
    "has_four": ("four dice alike", (4,)),
    "has_full_house": ("three of one face and two of another", (3, 2)),
}


@dataclass(frozen=True)
class Sight:
    """One thing to look at. `kind`: boolean, discrete or continuous; `scope`: see the module."""

    name: str
    group: str
    kind: str
    scope: str
    meaning: str
    low: int
    high: int


@dataclass(frozen=True, order=True)
class Condition:
    """A sight lies between `low` and `high`, both included."""

    sight: str
    low: int
    high: int


@lru_cache(maxsize=4)
def sights(rules: Ruleset) -> dict[str, Sight]:
    """All sights by name: those of the forerunner, then the shapes, then the margins over par.

    Sights that no roll of the ruleset can show, such as a straight without a box for it, are left out.
    """
    return {sight.name: sight for sight in (*_forerunner_sights(rules), *_shape_sights(rules), *_par_sights())}


def sight(rules: Ruleset, name: str) -> Sight:
    try:
        return sights(rules)[name]
    except KeyError:
        raise YatzyError("condition", name, sights(rules), "is not known") from None


def check_condition(rules: Ruleset, condition: Condition) -> None:
    """Refuse what no player could mean: unknown sights, non-integer bounds, two-sided intervals, whole ranges."""
    known = sight(rules, condition.sight)
    low, high = condition.low, condition.high
    whole = all(isinstance(bound, int) and not isinstance(bound, bool) for bound in (low, high))
    at_least, at_most = high == known.high, low == known.low
    inside = whole and known.low <= low <= high <= known.high
    if not inside or not (low == high or at_least != at_most):
        raise YatzyError(
            "condition",
            condition.sight,
            f"at least, at most and exactly a number in {known.low}..{known.high}",
            f"from {low} to {high} is not allowed",
        )


def box_name(rules: Ruleset, category: int) -> str:
    """`one_pair` for One Pair."""
    return rules.categories[category].name.lower().replace(" ", "_")


def _forerunner_sights(rules: Ruleset) -> list[Sight]:
    n, dice, faces, goal = rules.n_categories, rules.dice, rules.faces, rules.bonus_threshold
    n_upper = len(rules.upper_ids)
    behind = 3 * int(face_of_category(rules).sum())
    most = np.max(np.array(rules.scores), axis=0).tolist()
    found = [
        Sight("turn", "progress", "discrete", "state", "which turn of the game this is", 1, n),
        Sight("boxes_left", "progress", "discrete", "state", "boxes still open, this turn's included", 1, n),
        Sight("rerolls_left", "progress", "discrete", "state", "rerolls left in this turn", 0, rules.rerolls),
        Sight("upper_total", "bonus", "continuous", "state", f"upper section, at most {goal}", 0, goal),
        Sight("bonus_secured", "bonus", "boolean", "state", f"the upper section has {goal} points", 0, 1),
        Sight("pace", "bonus", "continuous", "state",
              "upper points ahead of (behind, if negative) three of each filled upper face", -behind, goal),
        Sight("upper_boxes_left", "bonus", "discrete", "state", "upper boxes still open", 0, n_upper),
    ]  # fmt: skip
    for face in range(1, faces + 1):
        found.append(Sight(f"count_{face}", "dice", "discrete", "dice", f"dice that show {face}", 0, dice))
    found += [
        Sight("largest_count", "dice", "discrete", "dice", "dice of the most frequent face", 1, dice),
        Sight("distinct_faces", "dice", "discrete", "dice", "different faces", 1, min(dice, faces)),
        Sight("sum", "dice", "continuous", "dice", "sum of the dice", dice, dice * faces),
    ]
    found += [Sight(name, "patterns", "boolean", "dice", text, 0, 1) for name, text in _patterns(rules).items()]
    for c in range(n):
        text = f"{rules.categories[c].name} is open"
        found.append(Sight(f"open_{box_name(rules, c)}", "open boxes", "boolean", "state", text, 0, 1))
    for c in range(n):
        text = f"points the dice would score in {rules.categories[c].name} now (0 if it is filled)"
        found.append(Sight(f"points_{box_name(rules, c)}", "points", "continuous", "box", text, 0, most[c]))
    found += [
        Sight("zero_boxes", "safety", "discrete", "sheet", "open boxes in which the dice score nothing", 0, n),
        Sight("best_points", "safety", "continuous", "sheet", "most points in an open box", 0, max(most)),
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


def _shape_sights(rules: Ruleset) -> list[Sight]:
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
        Sight(name, "shapes", "boolean" if name == "shape_open" else "discrete", "set", text[name], 0, high[name])
        for name in SHAPES
        if name in text
    ]


def _par_sights() -> list[Sight]:
    return [
        Sight("par_margin", "par", "continuous", "sheet", "most points above par in an open box", -60, 60),
        Sight("par_lead", "par", "continuous", "sheet", "lead of that box over the next one", 0, 100),
    ]  # fmt: skip


@lru_cache(maxsize=4)
def dice_table(rules: Ruleset) -> dict[str, IntArray]:
    """(n_rolls,) for every sight of the dice alone, by name."""
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
