"""What a rule may say to do: score somewhere, or keep some dice. A move either applies or says that it does not.

*Scoring.* A box by name, which applies while it is open; and a few moves that find a box: the most points, the
highest upper box with three dice or more, the lower box with the most points, the first open box on a short list
of those that cost least to give up, the box furthest above par. Ties go to the first on the score sheet.

*Keeping.* "Keep positions 1 to 3" means nothing; "keep both pairs" does. A *verb* names what to keep of any roll;
some look at which upper boxes are open. There are two grammars in words, and one without: `verbs`, and the dice of
an open straight; `forerunner`, the forerunner's 15, which reroll everything where the dice do not show what they
name; `masks`, positions of the sorted dice: bit i throws die i again. `keep_table` compiles a grammar, so that
choosing a verb is as fast as choosing a keep.

*Par* is what a box should bring before it is worth filling: one number per category. A roll's *margin* in a box is
its points minus the par of the box; filling the open box with the largest margin is close to optimal for a rule
this short. While the bonus is in reach, an upper point also counts towards it, so upper points weigh more; once
the bonus is lost or safe, a second table applies. Both tables and the weight are the linear value model

    V(state) ~ sum of par over open boxes + (weight - 1) * upper        (first table, bonus in reach)
    V(state) ~ sum of par' over open boxes                              (second table, bonus settled)

Adding a constant to all pars of a table changes no decision. The shipped numbers, and how they were found, are in
`par.toml`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import Bools1, FloatArray, Floats3, IntArray, Ints1
from yatzy.errors import YatzyError
from yatzy.players.columns import mask_tables
from yatzy.policies.baselines import dice_of_straight, named_straights, straights
from yatzy.rules import Ruleset, parse_category
from yatzy.turn.kernels.jit import jit
from yatzy.turn.lattice import lattice
from yatzy.turn.state_rows import settled
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


def _alike(n: int) -> Verb:
    """N dice of the highest face that has that many."""
    return lambda roll, _: next(((face,) * n for face in reversed(roll) if roll.count(face) >= n), None)


def _low_pair(roll: Faces, _: Faces) -> Faces | None:
    return (_pairs(roll)[-1],) * 2 if len(_pairs(roll)) > 1 else None


def _both_pairs(roll: Faces, _: Faces) -> Faces | None:
    return tuple(sorted(_pairs(roll)[:2] * 2)) if len(_pairs(roll)) > 1 else None


def _with_highest_other(verb: Verb) -> Verb:
    def widened(roll: Faces, is_open: Faces) -> Faces | None:
        kept = verb(roll, is_open)
        others = [face for face in roll if kept and face != kept[0]]
        return tuple(sorted((*kept, max(others)))) if kept and others else kept

    return widened


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

    def most_frequent(roll: Faces, _: Faces) -> Faces:
        return _most_frequent(roll, lambda face: (face,))

    return {
        DEFAULT: lambda roll, is_open: _most_frequent(roll, lambda face: (face in is_open, face)),
        "keep everything": lambda roll, _: roll,
        "reroll everything": lambda roll, _: (),
        **{f"keep the {face}s": _face(face) for face in range(1, top + 1)},
        "keep the most frequent face, the highest of equals": most_frequent,
        "keep the most frequent face, the lowest of equals": lambda roll, _: _most_frequent(roll, lambda f: (-f,)),
        "keep the most frequent face whose box is open": _most_frequent_open,
        "keep the highest face whose box is open": _highest_open,
        "keep the high pair": _alike(2),
        "keep the low pair": _low_pair,
        "keep both pairs": _both_pairs,
        "keep the high pair and the highest other die": _with_highest_other(_alike(2)),
        "keep the most frequent face and the highest other die": _with_highest_other(most_frequent),
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
    """(open upper sets, verbs, n_rolls): keep ids of every verb; a set is a mask, bit 0 for the ones.

    A verb that does not apply to a roll (it has no two pairs) falls back to the default, the first, which always
    does: keep the most frequent face, on a tie one whose upper box is open, then the highest.
    """
    kept = keep_table(rules, "verbs")[: 1 << rules.faces, :-1]
    return np.where(kept < 0, kept[:, :1], kept)


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
    for n_straights in range(4):
        table[n_straights, :, -1] = _compiled(rules, _open_straight(rules, n_straights), ())
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
    return {
        **{f"keep face {face}": _or_reroll(_face(face)) for face in range(1, rules.faces + 1)},
        "keep the pair": _or_reroll(_alike(2)),
        "keep the two pairs": _or_reroll(_both_pairs),
        "keep the triple": _or_reroll(_alike(3)),
        "keep the quad": _or_reroll(_alike(4)),
        "keep the triple and the highest other die": _or_reroll(_with_highest_other(_alike(3))),
        "keep the pair and a kicker": _or_reroll(_with_highest_other(_alike(2))),
        REROLL_ALL: lambda roll, _: (),
        "keep the straight draw": _or_reroll(_straight_draw),
        "keep all": lambda roll, _: roll,
    }


def _or_reroll(verb: Verb) -> Verb:
    return lambda roll, is_open: verb(roll, is_open) or ()


def _straight_draw(roll: Faces, _: Faces) -> Faces | None:
    """The longest run of neighbouring faces, the higher one on a tie, if it has three or more."""
    runs: list[list[int]] = []
    for face in sorted(set(roll)):
        if runs and runs[-1][-1] == face - 1:
            runs[-1].append(face)
        else:
            runs.append([face])
    longest = max(runs, key=lambda run: (len(run), run[-1]))
    return tuple(longest) if len(longest) >= 3 else None


PAR_COLUMNS = ("par_choice", "par_margin", "par_lead")


@dataclass(frozen=True)
class Par:
    """Pars while the bonus is in reach, pars once it is settled, and the weight of an upper point before that."""

    in_reach: FloatArray
    settled: FloatArray
    weight: float

    @property
    def parameters(self) -> int:
        return len(self.in_reach) + len(self.settled) + 1


def margins(rules: Ruleset, par: Par) -> FloatArray:
    """(2, n_rolls, n_categories): weighted points less par, while the bonus is in reach and once it is settled."""
    scores = np.array(rules.scores, np.float64)
    weights = np.where([category.upper for category in rules.categories], par.weight, 1.0)
    return np.stack([scores * weights - par.in_reach, scores - par.settled])


@lru_cache(maxsize=4)
def shipped_par(rules: Ruleset) -> Par:
    """The par table in the package (see `par.toml`), for rulesets with the same categories."""
    import tomllib

    numbers = tomllib.loads((files("yatzy.players") / "par.toml").read_text())
    names = [category.name.lower() for category in rules.categories]
    in_reach = np.array([numbers["in_reach"].get(name, 0.0) for name in names])
    after = np.array([numbers["settled"].get(name, 0.0) for name in names])
    return Par(in_reach, after, float(numbers["weight"]))


def par_columns(
    rules: Ruleset, filled: IntArray, upper: IntArray, margin: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(3, n, n_rolls), PAR_COLUMNS: the open box with the largest margin, that margin, its lead over the second.

    `margin` is `margins(rules, par)` in float32.
    """
    found = np.empty((len(PAR_COLUMNS), len(filled), margin.shape[1]), np.float32)
    _compare_margins(filled, settled(rules, filled, upper), margin, found)
    return found


@jit
def _compare_margins(filled: Ints1, settled: Bools1, margin: Floats3, found: Floats3) -> None:
    """Largest and second largest margin among open boxes, ties to the lowest id."""
    n_rolls, n_categories = margin.shape[1], margin.shape[2]
    for i in range(len(filled)):
        which = 1 if settled[i] else 0
        for roll in range(n_rolls):
            best, second, best_id = -1e6, -1e6, -1
            for category in range(n_categories):
                if not filled[i] >> category & 1:
                    value = margin[which, roll, category]
                    if value > best:
                        best, second, best_id = value, best, category
                    elif value > second:
                        second = value
            found[0, i, roll] = best_id
            found[1, i, roll] = best
            found[2, i, roll] = min(best - second, 100.0)


def par_answers(rules: Ruleset, filled: IntArray, choice: NDArray[np.float32]) -> NDArray[np.int16]:
    """(n, n_categories + 1, n_rolls): each category (the par choice where it is filled), then the par choice.

    `choice` (n, n_rolls) is the first of `par_columns`.
    """
    pick = choice.astype(np.int16)
    n_rolls = pick.shape[1]
    answers = np.empty((len(filled), rules.n_categories + 1, n_rolls), np.int16)
    for category in range(rules.n_categories):
        closed = (filled >> category & 1).astype(bool)
        answers[:, category] = np.where(closed[:, None], pick, category)
    answers[:, -1] = pick
    return answers
