"""Text for dice, categories, filled boxes and states: many forms are parsed, one is printed.

    dice        1 3 3 5 6                       also 13356, 6,5,3,3,1
    category    one pair                        also One Pair, one_pair, pair
    filled      ones,one pair                   `-` when nothing is filled
    state       ones,one pair @ 3               filled @ upper

A star marks a category whose flag is set: in `ones,yahtzee* @ 3` the Yahtzee scored, in `ones,yahtzee @ 3` it was
crossed out. Saved throws come last: `ones @ 3 saved 2`.

`parse_x(format_x(thing)) == thing` for each of them.
"""

import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import SupportsIndex

from yatzy.errors import YatzyError, check_int
from yatzy.rules.ruleset import Ruleset, normalise

Dice = tuple[int, ...]

NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class State:
    """A state at the start of a turn: the mask (see `ruleset`) and the capped upper total."""

    filled: int = 0
    upper: int = 0

    def saved(self, rules: Ruleset) -> int:
        """Throws saved from earlier turns."""
        return self.filled >> rules.saved_shift


def parse_dice(rules: Ruleset, dice: str | Iterable[int], at_most: bool = False) -> Dice:
    """Dice as sorted faces: all of them or, with `at_most`, any number up to that (a keep)."""
    faces = _faces_of_text(rules, dice) if isinstance(dice, str) else _faces_of_numbers(dice)
    given = dice if isinstance(dice, str) else " ".join(map(str, faces))
    if any(not 1 <= face <= rules.faces for face in faces):
        raise YatzyError("dice", given, why=f"has a face outside 1..{rules.faces}")
    if at_most and len(faces) > rules.dice:
        raise YatzyError("dice", given, why=f"has {len(faces)} dice; allowed are at most {rules.dice}")
    if not at_most and len(faces) != rules.dice:
        raise YatzyError("dice", given, why=f"has {len(faces)} dice; exactly {rules.dice} are needed")
    return tuple(sorted(faces))


def _faces_of_text(rules: Ruleset, text: str) -> list[int]:
    words = re.split(r"[\s,]+", text.strip()) if text.strip() else []
    if len(words) == 1 and rules.faces <= 9:
        words = list(words[0])
    if not all(NUMBER.fullmatch(word) for word in words):
        raise YatzyError("dice", text, why="is not a list of faces such as '1 3 3 5 6' or '13356'")
    return [int(word) for word in words]


def _faces_of_numbers(numbers: Iterable[int]) -> list[int]:
    try:
        faces = list(numbers)
        if all(int(face) == face and not isinstance(face, bool) for face in faces):
            return [int(face) for face in faces]
    except (TypeError, ValueError, OverflowError):
        pass
    raise YatzyError("dice", numbers, why="is not a list of faces such as [1, 3, 3, 5, 6]")


def format_dice(dice: Iterable[int]) -> str:
    return " ".join(str(face) for face in dice)


def parse_category(rules: Ruleset, name: str) -> int:
    """The category's bit position."""
    if not isinstance(name, str):
        raise YatzyError("category", name, why="is not a name")
    category_id = rules.category_ids.get(normalise(name))
    if category_id is None:
        raise YatzyError("category", name, [category.name for category in rules.categories], "is not known")
    return category_id


def format_category(rules: Ruleset, category_id: int) -> str:
    return rules.categories[category_id].name.lower()


def parse_filled(rules: Ruleset, filled: str | SupportsIndex | Iterable[str]) -> int:
    """The mask of a mask, a list of names, or names separated by commas."""
    # Checking the protocol alone would take microseconds for every int or string.
    if not isinstance(filled, str | bool) and isinstance(filled, (int, SupportsIndex)):
        mask = operator.index(filled)
        most = with_saved(rules, rules.n_sets - 1, rules.rerolls * rules.n_categories * rules.saves_throws)
        if not 0 <= mask <= most:
            raise YatzyError("filled", mask, why=f"is outside 0..{most}")
        return mask
    names: Iterable[str]
    if isinstance(filled, str):
        text = filled.strip()
        names = [] if text.lower() in ("", "-", "none") else text.split(",")
    elif isinstance(filled, Iterable):
        names = filled
    else:
        raise YatzyError("filled", filled, why="is not a mask or a list of category names")
    mask = 0
    for name in names:
        if not isinstance(name, str):
            raise YatzyError("filled", name, why="is not a category name")
        bits = _category_bits(rules, name)
        if mask & bits & rules.all_filled:
            raise YatzyError("filled", name.strip(), why="is named twice; each category is filled once")
        mask |= bits
    return mask


def _category_bits(rules: Ruleset, name: str) -> int:
    """The bits that a filled category has in a mask."""
    category_id = parse_category(rules, name.strip().removesuffix("*"))
    if not name.strip().endswith("*"):
        return 1 << category_id
    if not rules.flag_of(category_id):
        starred = " and ".join(format_category(rules, c) for c in rules.flagged) or "none"
        raise YatzyError("filled", name.strip(), why=f"has a star; allowed with one: {starred}")
    return 1 << category_id | rules.flag_of(category_id)


def format_filled(rules: Ruleset, filled: int) -> str:
    """The filled categories of a mask."""
    ids = (c for c in range(rules.n_categories) if filled >> c & 1)
    return ",".join(format_category(rules, c) + "*" * bool(filled & rules.flag_of(c)) for c in ids) or "-"


def filled_names(rules: Ruleset, filled: int) -> list[str]:
    """The filled categories of a mask as a list."""
    return format_filled(rules, filled).split(",") if filled & rules.all_filled else []


def with_saved(rules: Ruleset, filled: int, saved: int) -> int:
    """The mask with this many saved throws."""
    saved = check_int("saved", saved, 0)
    if saved and not rules.saves_throws:
        raise YatzyError("saved", saved, why=f"is not allowed; no throws are saved in {rules.name}")
    return filled & rules.n_sets - 1 | saved << rules.saved_shift


def parse_state(rules: Ruleset, text: str) -> State:
    filled, at, rest = text.partition("@")
    upper, saves, saved = rest.partition("saved")
    if not at or not NUMBER.fullmatch(upper.strip()) or (saves and not NUMBER.fullmatch(saved.strip())):
        example = "'ones,one pair @ 3 saved 2' (filled @ upper saved throws)"
        plain = "'ones,one pair @ 3' (filled @ upper)"
        raise YatzyError("state", text, why=f"is not of the form {example if rules.saves_throws else plain}")
    if int(upper) > rules.bonus_threshold:
        raise YatzyError("upper", int(upper), why=f"is outside 0..{rules.bonus_threshold}")
    return State(with_saved(rules, parse_filled(rules, filled), int(saved) if saves else 0), int(upper))


def format_state(rules: Ruleset, state: State) -> str:
    saved = state.saved(rules)
    return f"{format_filled(rules, state.filled)} @ {state.upper}" + (f" saved {saved}" if saved else "")


def parse_rerolls(rules: Ruleset, rerolls: str | int, saved: int = 0) -> int:
    """Rerolls left, saved throws included."""
    allowed = [str(n) for n in range(rules.rerolls + saved + 1)]
    if isinstance(rerolls, bool) or str(rerolls) not in allowed:
        raise YatzyError("rerolls", rerolls, allowed)
    return int(rerolls)
