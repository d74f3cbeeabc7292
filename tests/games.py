"""Reduced games: small enough to be worked out by hand, or by a slow and obvious twin."""

from dataclasses import replace

from yatzy.rules import Category, Ruleset, scoring
from yatzy.rules.jokers import Jokers

ONES = Category("Ones", scoring.of_face(1), upper=True)
TWOS = Category("Twos", scoring.of_face(2), upper=True)
THREES = Category("Threes", scoring.of_face(3), upper=True)
FOURS = Category("Fours", scoring.of_face(4), upper=True)
FIVES = Category("Fives", scoring.of_face(5), upper=True)
SIXES = Category("Sixes", scoring.of_face(6), upper=True)
PAIR = Category("One Pair", scoring.pairs(1), aliases=("pair",))
TRIPLE = Category("Three of a Kind", scoring.of_a_kind(3))
HOUSE = Category("Small House", scoring.groups(2, 1))
RUN = Category("Run", scoring.run_of(3, 9))
CHANCE = Category("Chance", scoring.total)
ALL_ALIKE = Category("All Alike", scoring.all_equal(10), aliases=("yatzy",))

# Games of one shape (dice, faces, categories) share their compiled kernels whatever their bonus and rerolls.
TINY = Ruleset("tiny", dice=2, faces=3, rerolls=2, categories=(ONES, TWOS, PAIR))
TINY_BONUS = replace(TINY, name="tiny-bonus", bonus_threshold=4, bonus=10)
LOWER_FIRST = Ruleset(
    "lower-first", 2, 6, 2, categories=(PAIR, FOURS, CHANCE, SIXES), bonus_threshold=14, bonus=11
)
THREE_DICE = Ruleset("three-dice", 3, 4, 2, categories=(ONES, TWOS, FOURS, RUN), bonus_threshold=14, bonus=13)
TWO_BOXES = Ruleset("two-boxes", 3, 3, 2, categories=(TWOS, CHANCE), bonus_threshold=6, bonus=5)
FIVE_FACES = Ruleset("five-faces", 3, 5, 1, categories=(TRIPLE, FIVES, HOUSE), bonus_threshold=10, bonus=7)

REDUCED_GAMES = (
    TINY,
    replace(TINY_BONUS, rerolls=1),
    replace(TINY, name="tiny-one-throw", rerolls=0, bonus_threshold=3, bonus=6),
    replace(TINY, name="tiny-bonus-for-all", bonus_threshold=0, bonus=4),
    LOWER_FIRST,
    replace(LOWER_FIRST, name="lower-first-bonus-out-of-reach", bonus_threshold=40),
    replace(LOWER_FIRST, name="lower-first-one-throw", rerolls=0),
    THREE_DICE,
    TWO_BOXES,
    replace(TWO_BOXES, name="two-boxes-no-bonus", bonus_threshold=0, bonus=0),
    FIVE_FACES,
)

# Jokers: with three faces, a box for each of them, one that a joker fills and one for dice all alike.
JOKERS = Ruleset(
    "jokers", 3, 3, 2, categories=(ONES, TWOS, THREES, RUN, ALL_ALIKE), bonus_threshold=11, bonus=8,
    special=Jokers(box=4, extra=7, joker="forced", lower=((3, 9),)),
)  # fmt: skip
FREE_JOKERS = replace(JOKERS, name="free-jokers", special=Jokers(box=4, extra=6, joker="free", lower=((3, 9),)))
SECOND_JOKERS = replace(
    JOKERS, name="second-jokers", rerolls=1, special=Jokers(box=4, extra=5, joker="second", lower=((3, 9),))
)
PLAIN_JOKERS = replace(JOKERS, name="plain-jokers", rerolls=1, special=Jokers(box=4, lower=((3, 9),)))
EXTRA_ALONE = replace(JOKERS, name="extra-alone", rerolls=1, special=Jokers(box=4, extra=4, joker="none"))
SAVING = Ruleset("saving", 2, 3, 2, categories=(TWOS, PAIR, THREES), bonus_threshold=5, bonus=6, saves_throws=True)
IN_ORDER = replace(THREE_DICE, name="in-order", forced_order=True)
SAVING_IN_ORDER = replace(SAVING, name="saving-in-order", rerolls=1, forced_order=True)
SAVING_JOKERS = replace(
    JOKERS, name="saving-jokers", dice=2, faces=2, rerolls=1, categories=(ONES, TWOS, CHANCE, ALL_ALIKE),
    bonus_threshold=5, saves_throws=True, special=Jokers(box=3, extra=7, joker="forced", lower=((2, 9),)),
)  # fmt: skip
SPECIAL_GAMES = (
    JOKERS,
    FREE_JOKERS,
    SECOND_JOKERS,
    PLAIN_JOKERS,
    EXTRA_ALONE,
    SAVING,
    IN_ORDER,
    SAVING_IN_ORDER,
    SAVING_JOKERS,
)

# The same kinds of game with the points and boxes that the tests of the coach tell stories about.
ALIKE = Category("Alike", scoring.all_equal(12), aliases=("yatzy",))
TOLD_JOKERS = Ruleset(
    "told-jokers", 3, 3, 2, categories=(ONES, TWOS, THREES, RUN, ALIKE), bonus_threshold=9, bonus=8,
    special=Jokers(box=4, extra=10, joker="forced", lower=((3, 9),)),
)  # fmt: skip
TOLD_SAVING = replace(TWO_BOXES, name="told-saving", categories=(TWOS, CHANCE, TRIPLE), saves_throws=True)

# A tiny game as a file of rules.
TINY_FILE = """
name = "tiny"
dice = 2
faces = 6
throws = 2
box = [
    { name = "Sixes", score = "sum of face", face = 6, upper = true },
    { name = "Twins", score = "all equal", points = 10 },
]
"""
