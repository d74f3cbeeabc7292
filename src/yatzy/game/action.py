"""Actions compare by value, and their text can be parsed back.

>>> from yatzy.rules import scandinavian
>>> str(Keep((3, 3))), str(Keep()), str(Score("one pair", 6))
('keep 3 3', 'keep nothing', 'score one pair')
>>> parse_action(scandinavian(), "score Pair") == Score("one pair")
True

The ids of actions number the categories, then the keeps. Holding all dice means scoring them now and is not an
action.
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
    """Hold these dice, which are sorted, and throw the others; `value` is that of the action, where known."""

    dice: Dice = ()
    value: float | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dice", tuple(sorted(self.dice)))

    def __str__(self) -> str:
        return f"keep {format_dice(self.dice) or NOTHING}"


@dataclass(frozen=True, slots=True)
class Score:
    """Score the dice in a category.

    `points` are what that brings, where known; `extra` is the part of them that is not written into the box, such
    as the 100 for a further Yahtzee. They and the `value` of the action are ignored in comparisons.
    """

    category: str
    points: int | None = field(default=None, compare=False)
    extra: int = field(default=0, compare=False)
    value: float | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"score {self.category}"


Action = Keep | Score


def parse_action(rules: Ruleset, text: str) -> Action:
    """Parse a text such as "keep 3 3" or "score one pair"."""
    verb, _, what = text.strip().partition(" ")
    if verb.lower() == "keep" and what.strip():
        what = what.strip()
        return Keep(parse_dice(rules, "" if what.lower() == NOTHING else what, at_most=True))
    if verb.lower() == "score" and what.strip():
        return Score(format_category(rules, parse_category(rules, what)))
    raise YatzyError("action", text, "such as 'keep 3 3', 'keep nothing' or 'score one pair'", "is not an action")


@lru_cache(maxsize=16)
def actions_of(rules: Ruleset) -> tuple[Action, ...]:
    """Every action of a game, by id."""
    scores = (Score(format_category(rules, category_id)) for category_id in range(rules.n_categories))
    return (*scores, *map(Keep, lattice(rules.dice, rules.faces).keeps))


@lru_cache(maxsize=16)
def action_ids(rules: Ruleset) -> Mapping[Action, int]:
    """The ids of all actions of a game."""
    return {action: action_id for action_id, action in enumerate(actions_of(rules))}
