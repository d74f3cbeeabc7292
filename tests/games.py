"""Reduced games: small enough to be worked out by hand, or by a slow and obvious twin."""

from dataclasses import replace

from yatzy.rules import Category, Ruleset, scoring
from yatzy.rules.jokers import Jokers

ONES = Category("Ones", scoring.of_face(1), upper=True)
TWOS = Category("Twos", scoring.of_face(2), upper=True)
FOURS = Category("Fours", scoring.of_face(4), upper=True)
FIVES = Category("Fives", scoring.of_face(5), upper=True)
SIXES = Category("Sixes", scoring.of_face(6), upper=True)
PAIR = Category("One Pair", scoring.pairs(1), aliases=("pair",))
TRIPLE = Category("Three of a Kind", scoring.of_a_kind(3))
HOUSE = Category("Small House", scoring.groups(2, 1))
RUN = Category("Run", scoring.run_of(3, 9))
THREES = Category("Threes", scoring.of_face(3), upper=True)
ALIKE = Category("Alike", scoring.all_equal(12), aliases=("yatzy",))
CHANCE = Category("Chance", scoring.total)

# Games of one shape (dice, faces, categories) share their compiled kernels whatever their bonus and rerolls.
TINY = Ruleset("tiny", dice=2, faces=3, rerolls=2, categories=(ONES, TWOS, PAIR))
LOWER_FIRST = Ruleset(
    "lower-first", 2, 6, 2, categories=(PAIR, FOURS, CHANCE, SIXES), bonus_threshold=14, bonus=11
)
THREE_DICE = Ruleset("three-dice", 3, 4, 2, categories=(ONES, TWOS, FOURS, RUN), bonus_threshold=14, bonus=13)
TWO_BOXES = Ruleset("two-boxes", 3, 3, 2, categories=(TWOS, CHANCE), bonus_threshold=6, bonus=5)
FIVE_FACES = Ruleset("five-faces", 3, 5, 1, categories=(TRIPLE, FIVES, HOUSE), bonus_threshold=10, bonus=7)

REDUCED_GAMES = (
    TINY,
    replace(TINY, name="tiny-bonus", rerolls=1, bonus_threshold=4, bonus=10),
    replace(TINY, name="tiny-one-throw", rerolls=0, bonus_threshold=3, bonus=6),
    replace(TINY, name="tiny-bonus-for-all", bonus_threshold=0, bonus=4),
    LOWER_FIRST,
    replace(LOWER_FIRST, name="lower-first-one-throw", rerolls=0),
    THREE_DICE,
    replace(THREE_DICE, name="three-dice-bonus-out-of-reach", bonus_threshold=40),
    TWO_BOXES,
    replace(TWO_BOXES, name="two-boxes-no-bonus", bonus_threshold=0, bonus=0),
    FIVE_FACES,
)

# Games that are not plain: what a roll may be scored as depends on the mask, boxes in order, saved throws.
JOKERS = Ruleset(
    "jokers", 3, 3, 2, categories=(ONES, TWOS, THREES, RUN, ALIKE), bonus_threshold=9, bonus=8,
    special=Jokers(box=4, extra=10, joker="forced", lower=((3, 9),)),
)  # fmt: skip
IN_ORDER = replace(THREE_DICE, name="in-order", forced_order=True)
SAVING = replace(TWO_BOXES, name="saving", categories=(TWOS, CHANCE, TRIPLE), saves_throws=True)
SPECIAL_GAMES = (
    JOKERS,
    replace(JOKERS, name="free-jokers", special=Jokers(4, 10, "free", ((3, 9),))),
    replace(JOKERS, name="second-jokers", special=Jokers(4, 7, "second", ((3, 9),))),
    IN_ORDER,
    SAVING,
    replace(SAVING, name="saving-in-order", forced_order=True),
    replace(JOKERS, name="saving-jokers", rerolls=1, saves_throws=True),
)
