"""Aims: the goal of one decision. Without one, a decision is for the mean.

    {"target": 260}       a final score of at least 260
    {"theta": 0.02}       the mean of exp(0.02 * score): positive seeks risk, negative avoids it
    {"others": [...]}     a higher final score than these cards, whose players play for the mean

A card is {"filled": ["ones", ...], "upper": 3, "points": 3}: its filled boxes, its upper total, and the points in
the boxes, the bonus aside.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from yatzy.coach.outlook import check_points
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, State, filled_names, parse_filled
from yatzy.solver.chances import check_target
from yatzy.solver.table import check_theta

MOST_OTHERS = 7
KINDS = ("target", "theta", "others")
CARD_FIELDS = ("filled", "upper", "points")


class Card(NamedTuple):
    """A card; `points` are those in its boxes, the bonus aside."""

    state: State
    points: int


@dataclass(frozen=True)
class Aim:
    """A target, a risk, or cards to beat; one of them."""

    target: int | None = None
    theta: float = 0.0
    others: tuple[Card, ...] = ()

    @property
    def is_chance(self) -> bool:
        """Whether what it is worth is a chance; under a risk, it is points."""
        return not self.theta

    def to_json(self, rules: Ruleset) -> dict[str, Any]:
        if self.target is not None:
            return {"target": self.target}
        if self.theta:
            return {"theta": self.theta}
        return {"others": [_card_json(rules, card) for card in self.others]}


def make_aim(rules: Ruleset, target: int | None, theta: float, others: tuple[Card, ...] = ()) -> Aim | None:
    """The aim that is meant, if it can be had in this game; None for the mean."""
    is_given = (target is not None, theta != 0, bool(others))
    given = [name for name, wanted in zip(KINDS, is_given, strict=True) if wanted]
    if len(given) > 1:
        raise YatzyError(f"{given[0]}: cannot go with {given[1]}; a decision is made for one of them")
    if not given:
        return None
    if not theta and rules.saves_throws:
        raise YatzyError(f"{given[0]}: chances are for games that save no throws, not for {rules.name}")
    if target is not None:
        check_target(rules, target)
    if len(others) > MOST_OTHERS:
        raise YatzyError(f"others: has {len(others)} cards; allowed are {MOST_OTHERS} at most")
    for place, (state, points) in enumerate(others):
        try:
            check_points(rules, state, points)
        except YatzyError as error:
            raise YatzyError(f"others[{place}].{error}") from None
    return Aim(target, check_theta(theta), others)


def parse_aim(rules: Ruleset, where: str, given: Any) -> Aim | None:
    """An aim from parsed JSON."""
    if given is None:
        return None
    if not isinstance(given, dict) or len(given) != 1 or next(iter(given)) not in KINDS:
        raise YatzyError(f"{where}: is not a goal; allowed is null, or an object with one of {', '.join(KINDS)}")
    try:
        others = given.get("others", ())
        if not isinstance(others, list | tuple):
            raise YatzyError("others: is not a list of cards")
        cards = tuple(_parse_card(rules, f"others[{i}]", card) for i, card in enumerate(others))
        return make_aim(rules, given.get("target"), given.get("theta", 0.0), cards)
    except YatzyError as error:
        raise YatzyError(f"{where}.{error}") from None


def _parse_card(rules: Ruleset, where: str, given: Any) -> Card:
    if not isinstance(given, dict) or set(given) != set(CARD_FIELDS):
        raise YatzyError(f"{where}: is not a card with {', '.join(CARD_FIELDS)}")
    filled, upper, points = (given[field] for field in CARD_FIELDS)
    if not isinstance(filled, list) or not all(isinstance(name, str) for name in filled):
        raise YatzyError(f"{where}.filled: is not a list of names")
    for field, number in (("upper", upper), ("points", points)):
        if isinstance(number, bool) or not isinstance(number, int):
            raise YatzyError(f"{where}.{field}: is not a whole number")
    return Card(State(parse_filled(rules, filled), upper), points)


def _card_json(rules: Ruleset, card: Card) -> dict[str, Any]:
    return {
        "filled": filled_names(rules, card.state.filled), "upper": card.state.upper, "points": card.points,
    }  # fmt: skip
