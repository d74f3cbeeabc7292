"""The games known by name, and their switches: `yahtzee+free-joker`, `scandinavian+saved-throws`.

Switches follow the name after plus signs, in any order. `scandinavian` is the default.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import lru_cache

from yatzy.errors import YatzyError
from yatzy.rules import scoring
from yatzy.rules.jokers import Jokers
from yatzy.rules.ruleset import Category, Ruleset

FACE_NAMES = ("Ones", "Twos", "Threes", "Fours", "Fives", "Sixes")

FIVE_AS_FULL_HOUSE = "five-as-full-house"
FOUR_AS_TWO_PAIRS = "four-as-two-pairs"
SAVED_THROWS = "saved-throws"
FORCED_ORDER = "forced-order"
FREE_JOKER = "free-joker"
NO_JOKER = "no-joker"
NO_EXTRA_BONUS = "no-extra-bonus"

SWITCHES = {
    FIVE_AS_FULL_HOUSE: "five of a kind counts as a full house",
    FOUR_AS_TWO_PAIRS: "four of a kind counts as two pairs",
    SAVED_THROWS: "throws that you do not use are kept for later turns",
    FORCED_ORDER: "boxes are filled from top to bottom",
    FREE_JOKER: "a further Yahtzee may go into any open box, not first into that of its face",
    NO_JOKER: "a further Yahtzee is no joker: full house and straights take it for nothing",
    NO_EXTRA_BONUS: "no 100 points for further Yahtzees",
}
HOUSE_RULES = (FIVE_AS_FULL_HOUSE, FOUR_AS_TWO_PAIRS)


@dataclass(frozen=True)
class CatalogueGame:
    """A game of the catalogue: `make` builds it from some of its switches."""

    make: Callable[[Collection[str]], Ruleset]
    title: str
    switches: tuple[str, ...]


def upper_section() -> tuple[Category, ...]:
    return tuple(
        Category(name, scoring.of_face(face), upper=True, aliases=(f"{face}s",))
        for face, name in enumerate(FACE_NAMES, start=1)
    )


def _scandinavian(switches: Collection[str]) -> Ruleset:
    """Scandinavian Yatzy, as printed on Nordic score pads: 15 boxes, a 50-point bonus at 63."""
    return Ruleset(
        name="scandinavian",
        dice=5,
        faces=6,
        rerolls=2,
        bonus_threshold=63,
        bonus=50,
        categories=(
            *upper_section(),
            Category("One Pair", scoring.pairs(1), aliases=("pair",)),
            Category(
                "Two Pairs",
                scoring.two_pairs_or_four if FOUR_AS_TWO_PAIRS in switches else scoring.pairs(2),
                aliases=("two pair", "2 pairs"),
            ),
            Category("Three of a Kind", scoring.of_a_kind(3), aliases=("3 of a kind", "triple")),
            Category("Four of a Kind", scoring.of_a_kind(4), aliases=("4 of a kind", "quad")),
            Category("Small Straight", scoring.straight(1, 5, 15), aliases=("small",)),
            Category("Large Straight", scoring.straight(2, 6, 20), aliases=("large",)),
            Category(
                "Full House",
                scoring.full_house_or_five if FIVE_AS_FULL_HOUSE in switches else scoring.groups(3, 2),
                aliases=("house", "full"),
            ),
            Category("Chance", scoring.total),
            Category("Yatzy", scoring.all_equal(50)),
        ),
    )


def _maxi(_switches: Collection[str]) -> Ruleset:
    """Maxi Yatzy (Alga): 6 dice, 20 boxes, a 100-point bonus at 84."""
    return Ruleset(
        name="maxi",
        dice=6,
        faces=6,
        rerolls=2,
        bonus_threshold=84,
        bonus=100,
        categories=(
            *upper_section(),
            Category("One Pair", scoring.pairs(1), aliases=("pair",)),
            Category("Two Pairs", scoring.pairs(2)),
            Category("Three Pairs", scoring.pairs(3)),
            Category("Three of a Kind", scoring.of_a_kind(3)),
            Category("Four of a Kind", scoring.of_a_kind(4)),
            Category("Five of a Kind", scoring.of_a_kind(5)),
            Category("Small Straight", scoring.straight(1, 5, 15)),
            Category("Large Straight", scoring.straight(2, 6, 20)),
            Category("Full Straight", scoring.straight(1, 6, 21)),
            Category("Full House", scoring.groups(3, 2)),
            Category("Villa", scoring.groups(3, 3)),
            Category("Tower", scoring.groups(4, 2)),
            Category("Chance", scoring.total),
            Category("Maxi Yatzy", scoring.all_equal(100), aliases=("yatzy",)),
        ),
    )


def _yahtzee(switches: Collection[str]) -> Ruleset:
    """American Yahtzee (Milton Bradley, Hasbro): 13 boxes, a 35-point bonus at 63, 100 for further Yahtzees."""
    if {FREE_JOKER, NO_JOKER} <= set(switches):
        raise YatzyError("rules", why=f"{FREE_JOKER} and {NO_JOKER} do not go together")
    joker = "free" if FREE_JOKER in switches else "none" if NO_JOKER in switches else "forced"
    return _thirteen_boxes("yahtzee", "Yahtzee", joker, extra=0 if NO_EXTRA_BONUS in switches else 100)


def _kniffel(_switches: Collection[str]) -> Ruleset:
    """German Kniffel (Schmidt Spiele): Yahtzee's boxes, but 50 points for a second Kniffel in the box of its face.

    The printed rules speak of a second and further Kniffel: we take it that the first one was scored.
    """
    return _thirteen_boxes("kniffel", "Kniffel", "second", extra=50)


def _thirteen_boxes(name: str, all_alike: str, joker: str, extra: int) -> Ruleset:
    aliases = ("yatzy",) if all_alike == "Yahtzee" else ("yatzy", "yahtzee")
    as_joker = ((8, 25), (9, 30), (10, 40)) if joker != "none" else ()
    has_jokers = joker != "none" or extra
    return Ruleset(
        name=name,
        dice=5,
        faces=6,
        rerolls=2,
        bonus_threshold=63,
        bonus=35,
        categories=(
            *upper_section(),
            Category("Three of a Kind", scoring.total_if(scoring.of_a_kind(3))),
            Category("Four of a Kind", scoring.total_if(scoring.of_a_kind(4))),
            Category("Full House", scoring.fixed(25, scoring.groups(3, 2)), aliases=("house",)),
            Category("Small Straight", scoring.run_of(4, 30), aliases=("small",)),
            Category("Large Straight", scoring.run_of(5, 40), aliases=("large",)),
            Category(all_alike, scoring.all_equal(50), aliases=aliases),
            Category("Chance", scoring.total),
        ),
        special=Jokers(box=11, extra=extra, joker=joker, lower=as_joker) if has_jokers else None,
    )


def _yacht(_switches: Collection[str]) -> Ruleset:
    """Yacht, the English game that Yahtzee grew from: 12 boxes, no bonus, 30 for either straight."""
    return Ruleset(
        name="yacht",
        dice=5,
        faces=6,
        rerolls=2,
        categories=(
            *upper_section(),
            Category("Full House", scoring.groups(3, 2), aliases=("house",)),
            Category("Four of a Kind", scoring.of_a_kind(4)),
            Category("Little Straight", scoring.straight(1, 5, 30), aliases=("small straight",)),
            Category("Big Straight", scoring.straight(2, 6, 30), aliases=("large straight",)),
            Category("Choice", scoring.total, aliases=("chance",)),
            Category("Yacht", scoring.all_equal(50), aliases=("yatzy",)),
        ),
    )


GAMES = {
    "scandinavian": CatalogueGame(_scandinavian, "Scandinavian Yatzy", (*HOUSE_RULES, SAVED_THROWS, FORCED_ORDER)),
    "maxi": CatalogueGame(_maxi, "Maxi Yatzy", (SAVED_THROWS, FORCED_ORDER)),
    "yahtzee": CatalogueGame(_yahtzee, "Yahtzee", (FREE_JOKER, NO_JOKER, NO_EXTRA_BONUS)),
    "kniffel": CatalogueGame(_kniffel, "Kniffel", ()),
    "yacht": CatalogueGame(_yacht, "Yacht", (SAVED_THROWS, FORCED_ORDER)),
}


@lru_cache(maxsize=64)
def build_game(base: str, switches: tuple[str, ...]) -> Ruleset:
    """A game with switches in the order of the catalogue."""
    return replace(
        GAMES[base].make(switches),
        name="+".join([base, *switches]),
        saves_throws=SAVED_THROWS in switches,
        forced_order=FORCED_ORDER in switches,
    )


def scandinavian(five_as_full_house: bool = False, four_as_two_pairs: bool = False) -> Ruleset:
    """Scandinavian Yatzy with two common house rules as switches; `ruleset` takes all switches."""
    on = zip(HOUSE_RULES, (five_as_full_house, four_as_two_pairs), strict=True)
    return build_game("scandinavian", tuple(name for name, chosen in on if chosen))


def yahtzee() -> Ruleset:
    """Official Yahtzee: forced jokers, 100 points for further Yahtzees."""
    return build_game("yahtzee", ())


def maxi() -> Ruleset:
    """Maxi Yatzy with three throws a turn and none saved."""
    return build_game("maxi", ())
