"""What the rules of a list may look at and say: a choice of sights and of moves that find a box."""

from dataclasses import dataclass

from yatzy.errors import YatzyError
from yatzy.rulelists.language.conditions import Sight, sights
from yatzy.rulelists.language.moves import (
    ABOVE_PAR,
    BEST_LOWER,
    GIVE_UP,
    THREE_UP,
    keeping_moves,
    scoring_moves,
)
from yatzy.rules import Ruleset


@dataclass(frozen=True)
class Vocabulary:
    """Moves that find a box, and groups of sights with some left out.

    `plainness` is how many points a list may give up to be plainer; every rule gets an equal share of them.
    """

    name: str
    finders: tuple[str, ...]
    groups: tuple[str, ...]
    without: tuple[str, ...] = ()
    plainness: float = 0.0

    def sights(self, rules: Ruleset) -> list[Sight]:
        return [s for s in sights(rules).values() if s.group in self.groups and s.name not in self.without]

    def moves(self, rules: Ruleset, grammar: str, keeping: bool) -> list[int]:
        """Ids of the moves that may be used."""
        if keeping:
            return list(range(len(keeping_moves(rules, grammar))))
        known = scoring_moves(rules)
        return [*range(rules.n_categories), *(known.index(name) for name in self.finders)]


FINDING = (THREE_UP, BEST_LOWER, GIVE_UP)
FORERUNNER_GROUPS = ("progress", "bonus", "dice", "patterns", "open boxes", "points", "safety")
# Boxes left carry the same information as the turn, and are what a player counts.
VOCABULARIES = {
    known.name: known
    for known in (
        Vocabulary("primitive", (), FORERUNNER_GROUPS, ("turn",)),
        Vocabulary("rich", FINDING, FORERUNNER_GROUPS, ("turn",)),
        Vocabulary("par", (*FINDING, ABOVE_PAR), (*FORERUNNER_GROUPS, "shapes", "par"), ("turn",)),
        Vocabulary(
            "glance", (*FINDING, ABOVE_PAR),
            ("progress", "bonus", "dice", "patterns", "open boxes", "points", "shapes"),
            ("turn", "upper_total", "bonus_secured", "sum"), 0.3,
        ),
    )
}  # fmt: skip


def find_vocabulary(name: str) -> Vocabulary:
    try:
        return VOCABULARIES[name]
    except KeyError:
        raise YatzyError("vocabulary", name, VOCABULARIES, "is not known") from None
