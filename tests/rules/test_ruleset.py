"""A ruleset is data, and its fingerprint is its behaviour."""

from dataclasses import replace

import numpy as np
import pytest

from yatzy import YatzyError
from yatzy.rules import Category, Ruleset, maxi, ruleset, scandinavian, scoring, yahtzee
from yatzy.rules.jokers import Jokers


def renamed(rules, position, **changes):
    categories = list(rules.categories)
    categories[position] = replace(categories[position], **changes)
    return replace(rules, categories=tuple(categories))


def test_scandinavian_is_the_game_of_the_glossary(rules):
    assert (rules.dice, rules.faces, rules.rerolls, rules.bonus_threshold, rules.bonus) == (5, 6, 2, 63, 50)
    assert [category.name for category in rules.categories] == [
        "Ones", "Twos", "Threes", "Fours", "Fives", "Sixes", "One Pair", "Two Pairs", "Three of a Kind",
        "Four of a Kind", "Small Straight", "Large Straight", "Full House", "Chance", "Yatzy",
    ]  # fmt: skip
    assert rules.upper_ids == (0, 1, 2, 3, 4, 5)
    assert rules.all_filled == 2**15 - 1


def test_maxi_has_six_dice_twenty_categories_and_a_threshold_of_84():
    assert (maxi().dice, maxi().n_categories, maxi().bonus_threshold, maxi().bonus) == (6, 20, 84, 100)


def test_yahtzee_has_thirteen_categories_and_35_points_at_63():
    assert (yahtzee().n_categories, yahtzee().bonus_threshold, yahtzee().bonus) == (13, 63, 35)


def test_rulesets_are_found_by_name():
    assert ruleset() == scandinavian()
    assert ruleset(" Scandinavian+Five-as-full-house ") == scandinavian(five_as_full_house=True)
    assert ruleset("scandinavian+four-as-two-pairs") == scandinavian(four_as_two_pairs=True)
    both = scandinavian(True, True)
    assert ruleset("scandinavian+five-as-full-house+four-as-two-pairs") == both
    assert ruleset("scandinavian+four-as-two-pairs+five-as-full-house") == both
    assert ruleset("yahtzee") == yahtzee()
    assert ruleset("maxi") == maxi()
    assert ruleset(both) is both


@pytest.mark.parametrize("rules", [scandinavian(a, b) for a in (False, True) for b in (False, True)])
def test_a_ruleset_is_found_again_by_its_own_name(rules):
    assert ruleset(rules.name).fingerprint == rules.fingerprint


@pytest.mark.parametrize(
    "name", ["", "yatzy", "scandinavian+", "scandinavian+jokers", "yahtzee+four-as-two-pairs"]
)
def test_an_unknown_ruleset_is_refused_with_the_allowed_names(name):
    with pytest.raises(
        YatzyError, match=r"^rules: .*(not known; allowed are scandinavian, maxi, yahtzee|not a switch of)"
    ):
        ruleset(name)


@pytest.mark.parametrize("name", [None, 5])
def test_something_that_is_no_name_is_refused(name):
    with pytest.raises(YatzyError, match=r"^rules: "):
        ruleset(name)


def test_fingerprint_changes_with_any_behaviour(small_rules):
    score_more = scoring.run_of(3, 10)
    changed = [
        small_rules,
        replace(small_rules, dice=4),
        replace(small_rules, faces=5),
        replace(small_rules, rerolls=1),
        replace(small_rules, bonus_threshold=13),
        replace(small_rules, bonus=14),
        replace(small_rules, categories=small_rules.categories[:-1]),
        replace(small_rules, categories=small_rules.categories[::-1]),
        renamed(small_rules, 0, upper=False),
        renamed(small_rules, 3, score=score_more),
        renamed(small_rules, 3, name="Row"),
    ]
    assert len({rules.fingerprint for rules in changed}) == len(changed)
    assert len(set(changed)) == len(changed)


def test_the_four_scandinavian_games_differ():
    games = {scandinavian(five, four).fingerprint for five in (False, True) for four in (False, True)}
    assert len(games) == 4


def test_fingerprint_is_blind_to_what_does_not_change_play(small_rules):
    rewritten = renamed(small_rules, 0, score=lambda counts: counts[0], aliases=("aces",))
    same = replace(rewritten, name="another name")
    assert same.fingerprint == small_rules.fingerprint
    assert same == small_rules
    assert hash(same) == hash(small_rules)


def test_fingerprint_of_scandinavian_is_pinned(rules):
    """It names stored tables: if this changes, every table people have is refused."""
    assert rules.fingerprint == "fb7419d89ddd3341"


def test_a_ruleset_is_not_equal_to_something_else(rules):
    assert rules != "scandinavian"


PAIR = Category("One Pair", scoring.pairs(1), aliases=("pair",))


def worth(points):
    return (Category("Box", lambda counts: points),)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"dice": 0}, "dice: 0 is not allowed; allowed is a whole number, 1..12"),
        ({"dice": 2.0}, "dice: 2.0 is not allowed"),
        ({"dice": True}, "dice: True is not allowed"),
        ({"dice": 12, "faces": 20}, "dice: 12 with 20 faces are too many; allowed is at most 20,000 ways"),
        ({"faces": 0}, "faces: 0 is not allowed; allowed is a whole number, 1..20"),
        ({"rerolls": -1}, "rerolls: -1 is not allowed; allowed is a whole number, 0..9"),
        ({"rerolls": 10**6}, "rerolls: 1000000 is not allowed"),
        ({"rerolls": float("nan")}, "rerolls: nan is not allowed"),
        ({"bonus": -1}, "bonus: -1 is not allowed; allowed is a whole number, 0..1000"),
        ({"bonus": 10**9}, "bonus: 1000000000 is not allowed"),
        ({"bonus_threshold": -1}, "bonus_threshold: -1 is not allowed; allowed is a whole number, 0..12000"),
        ({"bonus_threshold": float("nan")}, "bonus_threshold: nan is not allowed"),
        ({"name": None}, "name: None is not allowed; allowed is a text"),
        ({"forced_order": "yes"}, "forced_order: 'yes' is not allowed; allowed are True, False"),
        ({"categories": ()}, "categories: 0 boxes are not allowed; allowed is 1..24"),
        ({"categories": "ones"}, "categories: 'ones' is not allowed"),
        ({"categories": (PAIR, "Two")}, "categories: (Category(name='One Pair'"),
        (
            {"categories": (PAIR, replace(PAIR, name="ONE_pair"))},
            "categories[1].name: 'ONE_pair' is already used by",
        ),
        (
            {"categories": (PAIR, Category("Two", scoring.total, aliases=("pair",)))},
            "categories[1].aliases: 'pair'",
        ),
        ({"categories": worth(-1)}, "categories[0].score: -1 is not allowed; allowed is a whole number, 0..500"),
        ({"categories": worth(0.5)}, "categories[0].score: 0.5 is not allowed"),
        ({"categories": worth(float("nan"))}, "categories[0].score: nan is not allowed"),
        ({"categories": worth(float("inf"))}, "categories[0].score: inf is not allowed"),
        ({"categories": worth(None)}, "categories[0].score: None is not allowed"),
        ({"categories": worth("5")}, "categories[0].score: '5' is not allowed"),
        ({"categories": worth(10**9)}, "categories[0].score: 1000000000 is not allowed"),
        ({"categories": worth(2**31)}, "categories[0].score: 2147483648 is not allowed"),
        ({"special": "jokers"}, "special: 'jokers' is not allowed"),
        ({"special": Jokers(box=7, extra=5)}, "special.box: 7 is not allowed; allowed is 0"),
        ({"special": Jokers(box=0, extra=5)}, "special.joker: needs an upper box for each face, 1 to 3"),
    ],
)
def test_an_impossible_ruleset_is_refused(changes, sentence):
    """2^31 points ended `evaluate` with a segmentation fault, 10^9 passed the check of memory; or tracebacks."""
    good = {"name": "odd", "dice": 2, "faces": 3, "rerolls": 1, "categories": (PAIR,)}
    assert Ruleset(**good).n_categories == 1
    with pytest.raises(YatzyError) as error:
        Ruleset(**good | changes)
    assert str(error.value).startswith(sentence)


def test_a_table_that_no_computer_holds_is_refused():
    boxes = tuple(Category(f"Box {i}", scoring.total, upper=True) for i in range(24))
    with pytest.raises(
        YatzyError, match=r"^categories: 24 boxes need a table of .* values; allowed is at most 2,000"
    ):
        Ruleset("large", 5, 6, 2, boxes, bonus_threshold=700, bonus=5)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("x", "y"), "score: 'y' is not allowed; allowed is a function"),
        ((5, scoring.total), "name: 5 is not allowed; allowed is a text of 1 to 40 characters"),
        (("", scoring.total), "name: '' is not allowed"),
        (("a,b", scoring.total), "name: 'a,b' is not allowed; allowed is a name with a letter or digit, without"),
        (("None", scoring.total), "name: 'None' is not allowed"),
        (("x" * 41, scoring.total), "name: 'xxx"),
        (("x", scoring.total, "yes"), "upper: 'yes' is not allowed; allowed are True, False"),
        (("x", scoring.total, False, "pair"), "aliases: 'pair' is not allowed; allowed is a list of texts"),
        (("x", scoring.total, False, ("*",)), "aliases: '*' is not allowed"),
    ],
)
def test_an_impossible_category_is_refused(arguments, sentence):
    with pytest.raises(YatzyError) as error:
        Category(*arguments)
    assert str(error.value).startswith(sentence)


def test_numbers_of_numpy_are_numbers():
    """The fingerprint of their text named a game that no other process has."""
    plain = Ruleset("n", 2, 3, 1, worth(7))
    typed = Ruleset("n", np.int64(2), np.int32(3), np.uint8(1), worth(np.float64(7)))
    assert typed.fingerprint == plain.fingerprint
    assert type(typed.scores[0][0]) is int
