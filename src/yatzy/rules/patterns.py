"""What a box of a rules file asks for: the scoring functions by plain names, with their parameters.

    score = "of a kind", n = 3                    the three dice that are alike
    score = "of a kind", n = 3, total = true      all dice, if three are alike
    score = "house", large = 3, small = 2, points = 25
    score = "pairs", n = 2, or = { score = "of a kind", n = 4 }

`points` and `total` say what the box pays; without them it pays the dice that make the pattern.
"""

from collections.abc import Callable
from dataclasses import dataclass

from yatzy.rules import scoring
from yatzy.rules.ruleset import MOST_POINTS
from yatzy.rules.scoring import Score
from yatzy.rules.sections import Section

OR = "or"


@dataclass(frozen=True)
class Pattern:
    """A scoring function: its parameters in order, how it is made from them, and whether it pays its own dice.

    A pattern that does not needs `points` or `total`; one that is `bare` takes neither.
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


def read_score(box: Section, dice: int, faces: int, others: tuple[str, ...]) -> Score:
    """The scoring function of a box; `others` are keys of the box that are not about scoring."""
    name = box.choice("score", PATTERNS)
    box.check_keys((*others, "score", *PATTERNS[name].keys, OR))
    first = _read_pattern(box, name, dice, faces)
    if OR not in box.content:
        return first
    second_best = box.section(OR)
    other = second_best.choice("score", PATTERNS)
    second_best.check_keys(("score", *PATTERNS[other].keys))
    return _better_of(first, _read_pattern(second_best, other, dice, faces))


def _better_of(first: Score, second: Score) -> Score:
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
    return scoring.fixed(box.number("points", 1, MOST_POINTS), when)


def _limits(box: Section, name: str, key: str, given: dict[str, int], dice: int, faces: int) -> tuple[int, int]:
    """What a parameter may be: no box asks for more dice or faces than there are."""
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
