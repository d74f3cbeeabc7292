"""What a rule may say to do: score somewhere, or keep some dice. A move either applies or says that it does not.

*Scoring.* A box by name, which applies while it is open; and a few moves that find a box: the most points, the
highest upper box with three dice or more, the lower box with the most points, the first open box on a short list
of those that cost least to give up, the box furthest above par. Ties go to the first on the score sheet.

*Keeping.* Two grammars in words, and one without. `verbs` holds those of the module `keeps` and the dice of an
open straight. `forerunner` holds the forerunner's 15, which reroll everything where the dice do not show what they
name. `masks` names positions of the sorted dice: bit i throws die i again.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from yatzy.datasets.columns import mask_tables
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.policy.hands import dice_of_straight
from yatzy.rulelists.language.keeps import Faces, Verb, straight_runs, verbs
from yatzy.rules import Ruleset, parse_category

MOST_POINTS = "score the box with the most points"
THREE_UP = "score the highest upper box you have three dice for"
BEST_LOWER = "score the lower box with the most points"
GIVE_UP = "score the first open box on the give-up list"
ABOVE_PAR = "score the box with the most points above par"
# Moves that find a box, in the order in which the kernels know them, after the boxes themselves.
FINDERS = (MOST_POINTS, THREE_UP, BEST_LOWER, GIVE_UP, ABOVE_PAR)
# Least missed first.
GIVE_UP_LIST = ("ones", "small straight", "large straight", "yatzy", "four of a kind", "twos")

REROLL_ALL = "reroll everything"
OPEN_STRAIGHT = "keep the dice of an open straight"
GRAMMARS = ("verbs", "forerunner", "masks")


def scoring_moves(rules: Ruleset) -> tuple[str, ...]:
    """All scoring moves; the categories come first, by id."""
    return (*(f"score {category.name}" for category in rules.categories), *FINDERS)


def give_up_order(rules: Ruleset) -> NDArray[np.int64]:
    """Ids of the boxes on the give-up list that the ruleset has."""
    found = []
    for name in GIVE_UP_LIST:
        try:
            found.append(parse_category(rules, name))
        except YatzyError:
            continue
    return np.array(found, np.int64)


def keeping_moves(rules: Ruleset, grammar: str) -> tuple[str, ...]:
    """Names of a grammar's keeps, by id."""
    if grammar == "verbs":
        return (*verbs(rules), OPEN_STRAIGHT)
    if grammar == "forerunner":
        return tuple(_forerunner_verbs(rules))
    if grammar == "masks":
        dice = range(1 << rules.dice)
        return tuple(f"reroll positions {mask:0{rules.dice}b}" for mask in dice)
    raise YatzyError("grammar", grammar, GRAMMARS, "is not known")


@lru_cache(maxsize=8)
def keep_table(rules: Ruleset, grammar: str) -> NDArray[np.int16]:
    """(sets, moves, n_rolls): the keep of every move, -1 where it does not apply.

    A set says which upper boxes are open (a bit per face) and which straights (two more bits: small, large).
    """
    keeping_moves(rules, grammar)
    if grammar == "masks":
        by_mask = mask_tables(rules).keep_of_mask.T.astype(np.int16)
        return np.ascontiguousarray(np.broadcast_to(by_mask, (n_sets(rules), *by_mask.shape)))
    if grammar == "forerunner":
        always = np.stack([_compiled(rules, verb, ()) for verb in _forerunner_verbs(rules).values()])
        return np.ascontiguousarray(np.broadcast_to(always, (n_sets(rules), *always.shape)))
    n_upper_sets, n_moves = 1 << rules.faces, len(keeping_moves(rules, grammar))
    table = np.empty((4, n_upper_sets, n_moves, lattice(rules.dice, rules.faces).n_rolls), np.int16)
    for number, verb in enumerate(verbs(rules).values()):
        for upper_set in range(n_upper_sets):
            is_open = tuple(face for face in range(1, rules.faces + 1) if upper_set >> (face - 1) & 1)
            table[:, upper_set, number] = _compiled(rules, verb, is_open)
    for straights in range(4):
        table[straights, :, -1] = _compiled(rules, _open_straight(rules, straights), ())
    return table.reshape(4 * n_upper_sets, *table.shape[2:])


def n_sets(rules: Ruleset) -> int:
    return 4 << rules.faces


def _compiled(rules: Ruleset, verb: Verb, is_open: Faces) -> NDArray[np.int16]:
    """(n_rolls,): keep ids, -1 where the verb does not apply."""
    dice = lattice(rules.dice, rules.faces)
    kept = (verb(roll, is_open) for roll in dice.keeps[: dice.n_rolls])
    return np.array([-1 if faces is None else dice.id_of(faces) for faces in kept], np.int16)


def _open_straight(rules: Ruleset, straights: int) -> Verb:
    """Dice of the open straight that has more of them, the large one on a tie; None if neither is open."""
    runs = straight_runs(rules, "small"), straight_runs(rules, "large")

    def verb(roll: Faces, _: Faces) -> Faces | None:
        small, large = (dice_of_straight(roll, run) for run in runs)
        if straights == 3:
            return large if len(large) >= len(small) else small
        return {0: None, 1: small, 2: large}[straights]

    return verb


@lru_cache(maxsize=4)
def _forerunner_verbs(rules: Ruleset) -> dict[str, Verb]:
    found: dict[str, Verb] = {f"keep face {face}": _or_reroll(_all_of(face)) for face in range(1, rules.faces + 1)}
    found |= {
        "keep the pair": _or_reroll(_alike(2)),
        "keep the two pairs": _or_reroll(_two_pairs),
        "keep the triple": _or_reroll(_alike(3)),
        "keep the quad": _or_reroll(_alike(4)),
        "keep the triple and the highest other die": _or_reroll(_with_highest(_alike(3))),
        "keep the pair and a kicker": _or_reroll(_with_highest(_alike(2))),
        REROLL_ALL: lambda roll, _: (),
        "keep the straight draw": _or_reroll(_straight_draw),
        "keep all": lambda roll, _: roll,
    }
    return found


def _or_reroll(verb: Callable[[Faces], Faces | None]) -> Verb:
    return lambda roll, _: verb(roll) or ()


def _all_of(face: int) -> Callable[[Faces], Faces | None]:
    return lambda roll: (face,) * roll.count(face)


def _alike(n: int) -> Callable[[Faces], Faces | None]:
    """N dice of the highest face that has that many."""

    def verb(roll: Faces) -> Faces | None:
        return next(((face,) * n for face in reversed(roll) if roll.count(face) >= n), None)

    return verb


def _two_pairs(roll: Faces) -> Faces | None:
    faces = sorted({face for face in roll if roll.count(face) >= 2})[-2:]
    return tuple(sorted(faces * 2)) if len(faces) == 2 else None


def _with_highest(verb: Callable[[Faces], Faces | None]) -> Callable[[Faces], Faces | None]:
    def widened(roll: Faces) -> Faces | None:
        kept = verb(roll)
        others = [face for face in roll if kept and face != kept[0]]
        return tuple(sorted((*kept, max(others)))) if kept and others else kept

    return widened


def _straight_draw(roll: Faces) -> Faces | None:
    """The longest run of neighbouring faces, the higher one on a tie, if it has three or more."""
    runs: list[list[int]] = []
    for face in sorted(set(roll)):
        if runs and runs[-1][-1] == face - 1:
            runs[-1].append(face)
        else:
            runs.append([face])
    longest = max(runs, key=lambda run: (len(run), run[-1]))
    return tuple(longest) if len(longest) >= 3 else None
