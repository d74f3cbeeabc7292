"""The games we know by name.

`scandinavian` is the default. A house rule is written after a plus sign: `scandinavian+five-as-full-house`.
"""

from functools import lru_cache

from yatzy.errors import YatzyError
from yatzy.rules import scoring
from yatzy.rules.ruleset import Category, Ruleset

FACE_NAMES = ("Ones", "Twos", "Threes", "Fours", "Fives", "Sixes")

FIVE_AS_FULL_HOUSE = "five-as-full-house"
FOUR_AS_TWO_PAIRS = "four-as-two-pairs"
HOUSE_RULES = (FIVE_AS_FULL_HOUSE, FOUR_AS_TWO_PAIRS)


def upper_section() -> tuple[Category, ...]:
    return tuple(
        Category(name, scoring.of_face(face), upper=True, aliases=(f"{face}s",))
        for face, name in enumerate(FACE_NAMES, start=1)
    )


@lru_cache
def scandinavian(five_as_full_house: bool = False, four_as_two_pairs: bool = False) -> Ruleset:
    """Scandinavian Yatzy: 15 categories, a 50-point bonus at 63; two common house rules as switches."""
    house_rules = [
        name for name, on in zip(HOUSE_RULES, (five_as_full_house, four_as_two_pairs), strict=True) if on
    ]
    return Ruleset(
        name="+".join(["scandinavian", *house_rules]),
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
                scoring.two_pairs_or_four if four_as_two_pairs else scoring.pairs(2),
                aliases=("two pair", "2 pairs"),
            ),
            Category("Three of a Kind", scoring.of_a_kind(3), aliases=("3 of a kind", "triple")),
            Category("Four of a Kind", scoring.of_a_kind(4), aliases=("4 of a kind", "quad")),
            Category("Small Straight", scoring.straight(1, 5, 15), aliases=("small",)),
            Category("Large Straight", scoring.straight(2, 6, 20), aliases=("large",)),
            Category(
                "Full House",
                scoring.full_house_or_five if five_as_full_house else scoring.groups(3, 2),
                aliases=("house", "full"),
            ),
            Category("Chance", scoring.total),
            Category("Yatzy", scoring.all_equal(50)),
        ),
    )


@lru_cache
def yahtzee() -> Ruleset:
    """American Yahtzee without the Yahtzee bonus and without jokers: 13 categories, a 35-point bonus at 63."""
    return Ruleset(
        name="yahtzee",
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
            Category("Yahtzee", scoring.all_equal(50), aliases=("yatzy",)),
            Category("Chance", scoring.total),
        ),
    )


@lru_cache
def maxi() -> Ruleset:
    """Maxi Yatzy: 6 dice, 20 categories, a 100-point bonus at 84 (without saved-up rerolls)."""
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


def ruleset(rules: str | Ruleset = "scandinavian") -> Ruleset:
    """The ruleset of that name; a `Ruleset` passes through."""
    if isinstance(rules, Ruleset):
        return rules
    if not isinstance(rules, str):
        raise YatzyError(f"rules: {rules!r} is neither a name nor a Ruleset")
    base, *switches = rules.strip().lower().split("+")
    if base == "scandinavian" and set(switches) <= set(HOUSE_RULES):
        return scandinavian(FIVE_AS_FULL_HOUSE in switches, FOUR_AS_TWO_PAIRS in switches)
    if base == "yahtzee" and not switches:
        return yahtzee()
    if base == "maxi" and not switches:
        return maxi()
    raise YatzyError(
        f"rules: {rules!r} is not known; allowed are scandinavian (with +{' and +'.join(HOUSE_RULES)} "
        f"if you like), yahtzee and maxi"
    )
