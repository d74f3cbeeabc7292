"""Keeps in words: what a player would say, compiled to dice.

"Keep positions 1 to 3" means nothing; "keep both pairs" does. A verb names what to keep of any roll; some look
at which upper boxes are open. A verb that does not apply to a roll (it has no two pairs) falls back to the
default, which always applies: keep the most frequent face, on a tie one whose upper box is open, then the highest.

`keeps_of_verbs` compiles all of them to a table, so that choosing a verb is as fast as choosing a keep.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.dice import lattice
from yatzy.policy.hands import dice_of_straight, named_straights, straights
from yatzy.rules import Ruleset
from yatzy.turn.tables import face_of_category

Faces = tuple[int, ...]
# Faces of the roll (sorted), faces whose upper box is open -> faces to keep, or None where it does not apply.
Verb = Callable[[Faces, Faces], Faces | None]

DEFAULT = "keep the most frequent face, open boxes first"


def _of(roll: Faces, face: int) -> Faces:
    return (face,) * roll.count(face)


def _most_frequent(roll: Faces, rank: Callable[[int], tuple[int, ...]]) -> Faces:
    return _of(roll, max(set(roll), key=lambda face: (roll.count(face), *rank(face))))


def _pairs(roll: Faces) -> list[int]:
    """Faces with two dice or more, highest first."""
    return sorted((face for face in set(roll) if roll.count(face) >= 2), reverse=True)


def _high_pair(roll: Faces, _: Faces) -> Faces | None:
    return (_pairs(roll)[0],) * 2 if _pairs(roll) else None


def _low_pair(roll: Faces, _: Faces) -> Faces | None:
    return (_pairs(roll)[-1],) * 2 if len(_pairs(roll)) > 1 else None


def _both_pairs(roll: Faces, _: Faces) -> Faces | None:
    return tuple(sorted(_pairs(roll)[:2] * 2)) if len(_pairs(roll)) > 1 else None


def _with_highest_other(roll: Faces, kept: Faces | None) -> Faces | None:
    others = [face for face in roll if kept and face != kept[0]]
    return tuple(sorted((*kept, max(others)))) if kept and others else kept


def _most_frequent_open(roll: Faces, is_open: Faces) -> Faces | None:
    faces = [face for face in set(roll) if face in is_open]
    return _of(roll, max(faces, key=lambda face: (roll.count(face), face))) if faces else None


def _highest_open(roll: Faces, is_open: Faces) -> Faces | None:
    return next((_of(roll, face) for face in reversed(roll) if face in is_open), None)


def _run(first: int, last: int) -> Verb:
    return lambda roll, _: tuple(sorted(face for face in set(roll) if first <= face <= last))


def straight_runs(rules: Ruleset, size: str) -> tuple[Faces, ...]:
    """The runs that make the small or large straight; without such a box, all faces but the highest or lowest."""
    category = named_straights(rules).get(size)
    if category is not None:
        return straights(rules)[category]
    faces = tuple(range(1, rules.faces + 1))
    return (faces[:-1] if size == "small" else faces[1:],)


def _straight(rules: Ruleset, size: str) -> Verb:
    runs = straight_runs(rules, size)
    return lambda roll, _: dice_of_straight(roll, runs)


def _highest(n: int) -> Verb:
    return lambda roll, _: roll[-n:]


def _face(face: int) -> Verb:
    return lambda roll, _: _of(roll, face) or None


def _at_least(low: int) -> Verb:
    return lambda roll, _: tuple(face for face in roll if face >= low) or None


def verbs(rules: Ruleset) -> dict[str, Verb]:
    """All verbs by name, in the order of their ids."""
    top = rules.faces
    return {
        DEFAULT: lambda roll, is_open: _most_frequent(roll, lambda face: (face in is_open, face)),
        "keep everything": lambda roll, _: roll,
        "reroll everything": lambda roll, _: (),
        **{f"keep the {face}s": _face(face) for face in range(1, top + 1)},
        "keep the most frequent face, the highest of equals": lambda roll, _: _most_frequent(roll, lambda f: (f,)),
        "keep the most frequent face, the lowest of equals": lambda roll, _: _most_frequent(roll, lambda f: (-f,)),
        "keep the most frequent face whose box is open": _most_frequent_open,
        "keep the highest face whose box is open": _highest_open,
        "keep the high pair": _high_pair,
        "keep the low pair": _low_pair,
        "keep both pairs": _both_pairs,
        "keep the high pair and the highest other die": lambda roll, o: _with_highest_other(
            roll, _high_pair(roll, o)
        ),
        "keep the most frequent face and the highest other die": lambda roll, _: _with_highest_other(
            roll, _most_frequent(roll, lambda f: (f,))
        ),
        "keep the dice of the small straight": _straight(rules, "small"),
        "keep the dice of the large straight": _straight(rules, "large"),
        "keep the dice of both straights": _run(2, top - 1),
        "keep the highest die": _highest(1),
        "keep the two highest dice": _highest(2),
        "keep the three highest dice": _highest(3),
        "keep the four highest dice": _highest(4),
        f"keep dice of {top - 2} and more": _at_least(top - 2),
        f"keep dice of {top - 1} and more": _at_least(top - 1),
    }


@lru_cache(maxsize=4)
def keeps_of_verbs(rules: Ruleset) -> NDArray[np.int16]:
    """(open upper sets, verbs, n_rolls): keep ids of every verb; a set is a mask, bit 0 for the ones."""
    dice = lattice(rules.dice, rules.faces)
    table = np.empty((1 << rules.faces, len(verbs(rules)), dice.n_rolls), np.int16)
    default = verbs(rules)[DEFAULT]
    for is_open_set in range(1 << rules.faces):
        is_open = tuple(face for face in range(1, rules.faces + 1) if is_open_set >> (face - 1) & 1)
        for i, verb in enumerate(verbs(rules).values()):
            for roll_id, roll in enumerate(dice.keeps[: dice.n_rolls]):
                kept = verb(roll, is_open)
                if kept is None:
                    kept = default(roll, is_open) or ()
                table[is_open_set, i, roll_id] = dice.id_of(kept)
    return table


@lru_cache(maxsize=4)
def _face_bits(rules: Ruleset) -> IntArray:
    """(n_categories,): the face bit of an upper category, 0 for others."""
    faces = face_of_category(rules)
    return np.where(faces > 0, 1 << np.maximum(faces - 1, 0), 0)


def open_upper_set(rules: Ruleset, filled: IntArray) -> IntArray:
    """The faces whose upper box is open, as a mask."""
    is_open = ~(filled[:, None] >> np.arange(rules.n_categories)) & 1
    return np.asarray(is_open @ _face_bits(rules))


def verb_answers(rules: Ruleset, filled: IntArray) -> NDArray[np.int16]:
    """(n, verbs, n_rolls): what each verb keeps, in every state (a vocabulary of trees)."""
    return keeps_of_verbs(rules)[open_upper_set(rules, filled)]


SHAPES = (
    "shape_face",
    "shape_count",
    "shape_open",
    "open_face",
    "open_count",
    "high_pair",
    "low_pair",
    "small_run",
    "large_run",
)


@lru_cache(maxsize=4)
def shapes(rules: Ruleset) -> NDArray[np.float32]:
    """(open upper sets, SHAPES, n_rolls): what a player sees at a glance, by name.

    The face that the default verb keeps, how many dice show it, whether its box is open; the most frequent face
    whose box is open and its dice (0 if there is none); the pairs (0 if there is none); dice of the small and
    large straight.
    """
    dice = lattice(rules.dice, rules.faces)
    table = np.zeros((1 << rules.faces, len(SHAPES), dice.n_rolls), np.float32)
    small, large = straight_runs(rules, "small"), straight_runs(rules, "large")
    default = verbs(rules)[DEFAULT]
    for is_open_set in range(1 << rules.faces):
        is_open = tuple(face for face in range(1, rules.faces + 1) if is_open_set >> (face - 1) & 1)
        for roll_id, roll in enumerate(dice.keeps[: dice.n_rolls]):
            kept, best_open = default(roll, is_open) or (), _most_frequent_open(roll, is_open) or ()
            pairs = _pairs(roll)
            table[is_open_set, :, roll_id] = (
                kept[0], len(kept), kept[0] in is_open, best_open[0] if best_open else 0, len(best_open),
                pairs[0] if pairs else 0, pairs[-1] if len(pairs) > 1 else 0,
                len(dice_of_straight(roll, small)), len(dice_of_straight(roll, large)),
            )  # fmt: skip
    return table


def shape_columns(rules: Ruleset, filled: IntArray) -> NDArray[np.float32]:
    """(n, SHAPES, n_rolls): the shapes of every roll in every state."""
    return shapes(rules)[open_upper_set(rules, filled)]
