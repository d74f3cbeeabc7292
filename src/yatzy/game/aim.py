"""Aims: the goal of one decision. Without one, it is the expected score.

    {"target": 260}       a final score of at least 260
    {"theta": 0.02}       the mean of exp(0.02 * score): positive seeks risk, negative avoids it
    {"others": [...]}     a higher final score than these cards, whose players maximise the mean

A card is {"filled": ["ones", ...], "upper": 3, "points": 3}: its filled boxes, its upper total, and the points in
the boxes without the bonus.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from yatzy.errors import YatzyError
from yatzy.game.json import HIDDEN, Bounds, Length, json_property
from yatzy.rules import Ruleset, State, filled_names, format_filled, parse_filled
from yatzy.rules.ruleset import MAX_CATEGORIES
from yatzy.turn.outcomes import highest_score, outcomes

MAX_OTHERS = 7
# Larger than in any game; the limits of one game are checked with its rules.
MAX_CARD_POINTS, LONGEST_NAME = 25_000, 80
KINDS = ("target", "theta", "others")
Points = Annotated[int, Bounds(0, MAX_CARD_POINTS)]
Name = Annotated[str, Length(0, LONGEST_NAME)]
# Closer to 0, exp(theta * points) is 1 in floating point.
SMALLEST_THETA = 1e-9


@dataclass(frozen=True)
class Card:
    """A player's card; `points` are those in its boxes, without the bonus."""

    rules: Annotated[Ruleset, HIDDEN]
    state: Annotated[State, HIDDEN]
    points: Points

    @json_property
    def filled(self) -> Annotated[tuple[Name, ...], Length(0, MAX_CATEGORIES)]:
        """Names of the filled boxes; a star marks one whose flag is set."""
        return tuple(filled_names(self.rules, self.state.filled))

    @json_property
    def upper(self) -> Points:
        return self.state.upper


@dataclass(frozen=True)
class Aim:
    """A target, a risk parameter, or cards to beat: exactly one of them."""

    target: Points | None = None
    theta: float = 0.0
    others: Annotated[tuple[Card, ...], Length(1, MAX_OTHERS)] = ()

    @property
    def is_chance(self) -> bool:
        """Whether values under this aim are chances; under a risk they are points."""
        return not self.theta


def make_aim(rules: Ruleset, target: int | None, theta: float, others: tuple[Card, ...] = ()) -> Aim | None:
    """The aim, checked against the rules; None for the mean."""
    is_given = (target is not None, theta != 0, bool(others))
    given = [name for name, wanted in zip(KINDS, is_given, strict=True) if wanted]
    if len(given) > 1:
        raise YatzyError(given[0], why=f"cannot go with {given[1]}; a decision is made for one of them")
    if not given:
        return None
    if not theta and rules.saves_throws:
        raise YatzyError(given[0], why=f"chances are for games that save no throws, not for {rules.name}")
    if target is not None:
        check_target(rules, target)
    if len(others) > MAX_OTHERS:
        raise YatzyError("others", why=f"has {len(others)} cards; allowed are {MAX_OTHERS} at most")
    for place, card in enumerate(others):
        try:
            check_points(rules, card.state, card.points)
        except YatzyError as error:
            raise error.within(f"others[{place}]") from None
    return Aim(target, check_theta(theta), others)


def parse_aim(rules: Ruleset, content: Mapping[str, Any] | None) -> Aim | None:
    """An aim from its JSON form."""
    if content is None:
        return None
    if len(content) != 1:
        raise YatzyError(None, content, f"null, or an object with one of {', '.join(KINDS)}", "is not a goal")
    cards = (
        Card(rules, State(parse_filled(rules, card["filled"]), card["upper"]), card["points"])
        for card in content.get("others", ())
    )
    return make_aim(rules, content.get("target"), content.get("theta", 0.0), tuple(cards))


def check_theta(theta: float) -> float:
    """A theta for which float64 is precise enough; `solve` checks the upper limit, which depends on the game."""
    try:
        number = float(theta)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(theta, bool | str) or not math.isfinite(number):
        raise YatzyError("theta", theta, why="is not a finite number")
    if 0 < abs(number) < SMALLEST_THETA:
        raise YatzyError("theta", number, why=f"is too near 0 to tell apart; use 0, or {SMALLEST_THETA} and more")
    return number


def check_target(rules: Ruleset, target: int) -> int:
    """A target within the range of final scores."""
    most = highest_score(rules)
    if isinstance(target, bool) or not isinstance(target, int) or not 0 <= target <= most:
        raise YatzyError("target", target, f"a whole number from 0 to {most}")
    return target


def check_points(rules: Ruleset, state: State, points: int) -> None:
    """Refuse points that no card in this state can have."""
    parse_filled(rules, state.filled)
    if not 0 <= state.upper <= rules.bonus_threshold:
        raise YatzyError("upper", state.upper, why=f"is outside 0..{rules.bonus_threshold}")
    possible = possible_points(rules, state)
    if isinstance(points, bool) or not isinstance(points, int) or points not in possible:
        filled = repr(format_filled(rules, state.filled))
        if not possible:
            raise YatzyError("upper", state.upper, why=f"cannot occur with filled {filled}")
        raise YatzyError(
            "points", points, why=f"cannot occur with filled {filled} and upper {state.upper}; "
            f"{_nearest(points, possible)}",
        )  # fmt: skip


def _nearest(points: object, possible: set[int]) -> str:
    """The allowed points that are nearest."""
    if not isinstance(points, int):
        return f"allowed are whole numbers from {min(possible)} to {max(possible)}"
    below, above = [p for p in possible if p < points], [p for p in possible if p > points]
    nearest = [str(end) for end in (max(below, default=None), min(above, default=None)) if end is not None]
    return f"nearest are {' and '.join(nearest)}" if len(nearest) > 1 else f"nearest is {nearest[0]}"


def possible_points(rules: Ruleset, state: State) -> set[int]:
    """Every total that the filled categories can hold with this upper total, extra points included.

    It ignores which box a roll with extra points went into, so a few impossible totals may be included.
    """
    ends = outcomes(rules)
    in_box = ends.points - ends.extra
    sums = {True: {0}, False: {0}}
    for category_id, category in enumerate(rules.categories):
        if state.filled >> category_id & 1:
            of_box = (ends.category == category_id) & (state.filled & ends.bits == ends.bits)
            if state.filled & rules.flag_of(category_id):
                of_box &= ends.bits & rules.flag_of(category_id) > 0
            points = set(in_box[of_box].tolist())
            sums[category.upper] = {a + b for a in sums[category.upper] for b in points}
    uppers = {u for u in sums[True] if min(u, rules.bonus_threshold) == state.upper}
    on_card = {a + b for a in uppers for b in sums[False]}
    return {a + b for a in on_card for b in _possible_extra(rules, state)}


def _possible_extra(rules: Ruleset, state: State) -> set[int]:
    """Totals of extra points: they need a flag, and come at most once with every other filled box."""
    flags = sum(rules.flag_of(c) for c in rules.flagged)
    most = int(outcomes(rules).extra.max(initial=0))
    n_filled = (state.filled & rules.all_filled).bit_count()
    return set(range(0, most * (n_filled - 1) + 1, most)) if most and state.filled & flags else {0}
