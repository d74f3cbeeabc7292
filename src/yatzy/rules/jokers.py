"""Yahtzee's further Yahtzees: all dice alike when the Yahtzee box is already filled.

Official rules (Milton Bradley, Hasbro): if the box holds 50, the roll earns 100 points extra, whatever it is used
for. Either way it is a *joker*: it must go into the upper box of its face if that is open; else into any open
lower box, where full house and straights count as if they had been thrown; else some upper box takes a zero.
Under the free choice of joker (Verhoeff), any open box may be taken, and a lower one counts as a joker's once the
upper box of the face is filled. Kniffel (Schmidt) pays 50 extra, only for a second Kniffel that goes into the box
of its face; a second Kniffel whose box is filled is a joker.
"""

from dataclasses import dataclass
from typing import Any

from yatzy.errors import YatzyError, check_int
from yatzy.rules.ruleset import MAX_POINTS, Outcome, Roll, Ruleset

JOKERS = ("forced", "free", "second", "none")

# How a roll of equal dice is scored; the kind of a roll is one of these, plus WITH_EXTRA if the extra is paid.
AS_USUAL, IN_ITS_BOX, AS_JOKER, AS_ZERO = range(4)
WITH_EXTRA = 4


@dataclass(frozen=True)
class Jokers:
    """The rules for dice all alike.

    `box` is their category; `extra` is paid for each further one while the box holds points. `joker` is "forced",
    "free", "second" (Kniffel) or "none": see above. `lower` are the (category, points) of a joker in the lower
    categories that need more than equal dice.
    """

    box: int
    extra: int = 0
    joker: str = "forced"
    lower: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if self.joker not in JOKERS:
            raise YatzyError("joker", self.joker, JOKERS, "is not known")
        check_int("extra", self.extra, 0, MAX_POINTS)
        for _, points in self.lower:
            check_int("points", points, 0, MAX_POINTS)
        if self.joker == "none" and self.lower:
            raise YatzyError("points", why="cannot go with joker 'none'; leave them out")
        if self.joker == "none" and not self.extra:
            raise YatzyError(
                "extra", self.extra, "points, or no jokers at all", "is not allowed with joker 'none'"
            )

    @property
    def flagged(self) -> tuple[int, ...]:
        return (self.box,) if self.extra or self.joker == "second" else ()

    def rolls(self, rules: Ruleset) -> tuple[Roll, ...]:
        return tuple((face,) * rules.dice for face in range(1, rules.faces + 1))

    def check(self, rules: Ruleset) -> None:
        """Refuse a game without a box for equal dice alone, or without an upper box for each face."""
        check_int("box", self.box, 0, rules.n_categories - 1)
        upper = [[row[c] for row in rules.scores] for c in rules.upper_ids]
        if upper != [[face * roll.count(face) for roll in rules.rolls] for face in range(1, rules.faces + 1)]:
            raise YatzyError("joker", why=f"needs an upper box for each face, 1 to {rules.faces}, in this order")
        # Otherwise points in the box would not mean that it was filled with equal dice.
        if any(
            (row[self.box] > 0) != (len(set(r)) == 1) for r, row in zip(rules.rolls, rules.scores, strict=True)
        ):
            raise YatzyError("box", rules.categories[self.box].name, "a box for dice all alike alone")
        for category_id, _ in self.lower:
            if check_int("points", category_id, 0, rules.n_categories - 1) in rules.upper_ids:
                lower = [c.name for c in rules.categories if not c.upper]
                raise YatzyError("points", rules.categories[category_id].name, lower, "is not a lower box")

    def kind(self, rules: Ruleset, roll: Roll, filled: Any) -> Any:
        """How the roll is scored in a mask, or in each mask of an array."""
        is_used = filled >> self.box & 1
        scored = is_used * (filled & rules.flag_of(self.box) > 0)
        box_open = 1 - (filled >> self._box_of(rules, roll) & 1)
        lower = rules.all_filled & ~sum(1 << c for c in rules.upper_ids)
        lower_open = (~filled & lower > 0) * 1
        if self.joker == "none":
            how: Any = AS_USUAL * is_used
        elif self.joker == "forced":
            without_box = AS_JOKER * lower_open + AS_ZERO * (1 - lower_open)
            how = is_used * (IN_ITS_BOX * box_open + (1 - box_open) * without_box)
        else:
            is_joker = is_used if self.joker == "free" else scored
            how = is_joker * (1 - box_open) * AS_JOKER
        return how + WITH_EXTRA * scored * (self.extra > 0)

    def outcomes(self, rules: Ruleset, roll: Roll, kind: int) -> tuple[Outcome, ...]:
        how, is_paid = kind % WITH_EXTRA, kind >= WITH_EXTRA
        scores = rules.scores[rules.rolls.index(roll)]
        joker = dict(self.lower)
        found = []
        for c, points in enumerate(scores):
            upper, is_box = rules.categories[c].upper, c == self._box_of(rules, roll)
            if (how == IN_ITS_BOX and not is_box) or (how == AS_JOKER and upper and self.joker == "forced"):
                continue
            if how == AS_JOKER and not upper:
                points = joker.get(c, points)  # noqa: PLW2901
            extra = self.extra if is_paid and (is_box or self.joker != "second") else 0
            found.append(Outcome(c, points, extra, flag=c in self.flagged and points > 0))
        return tuple(found)

    def _box_of(self, rules: Ruleset, roll: Roll) -> int:
        """The upper category of the face."""
        return rules.upper_ids[roll[0] - 1]
