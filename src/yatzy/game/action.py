"""An action: what is done in a situation. It compares by value, and its text is read back.

>>> from yatzy.rules import scandinavian
>>> str(Keep((3, 3))), str(Keep()), str(Score("one pair", 6))
('keep 3 3', 'keep nothing', 'score one pair')
>>> parse_action(scandinavian(), "score Pair") == Score("one pair")
True

Ids number the actions of a game: first its categories, then its keeps. Holding all dice means scoring them now, so
it is no action of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from yatzy.errors import YatzyError
from yatzy.rules import Dice, Ruleset, format_category, format_dice, parse_category, parse_dice
from yatzy.turn.lattice import lattice

NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Keep:
    """Hold these dice, in rising order whatever order they are given in, and throw the others."""

    dice: Dice = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "dice", tuple(sorted(self.dice)))

    def __str__(self) -> str:
        return f"keep {format_dice(self.dice) or NOTHING}"


@dataclass(frozen=True, slots=True)
class Score:
    """Write the dice into a box.

    `points` are what they bring there, where that is known, and `extra` the part of them that is not written into
    the box, such as those for a further Yahtzee. Two scores in one box are equal whatever they bring.
    """

    category: str
    points: int | None = field(default=None, compare=False)
    extra: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"score {self.category}"


Action = Keep | Score
"""What is done in a situation: dice are held, or a box is filled."""


def parse_action(rules: Ruleset, text: str) -> Action:
    """The action of a text such as "keep 3 3" or "score one pair"."""
    verb, _, what = text.strip().partition(" ")
    if verb.lower() == "keep" and what.strip():
        what = what.strip()
        return Keep(parse_dice(rules, "" if what.lower() == NOTHING else what, at_most=True))
    if verb.lower() == "score" and what.strip():
        return Score(format_category(rules, parse_category(rules, what)))
    raise YatzyError("action", text, "such as 'keep 3 3', 'keep nothing' or 'score one pair'", "is not an action")


@lru_cache(maxsize=16)
def actions_of(rules: Ruleset) -> tuple[Action, ...]:
    """Every action of a game by its id: the categories, then the keeps."""
    scores = (Score(format_category(rules, category_id)) for category_id in range(rules.n_categories))
    return (*scores, *map(Keep, lattice(rules.dice, rules.faces).keeps))


@lru_cache(maxsize=16)
def action_ids(rules: Ruleset) -> Mapping[Action, int]:
    """The id of every action of a game."""
    return {action: action_id for action_id, action in enumerate(actions_of(rules))}
