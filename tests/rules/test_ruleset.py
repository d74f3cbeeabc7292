"""A ruleset is data, and its fingerprint is its behaviour."""

from dataclasses import replace

import pytest

from yatzy import YatzyError
from yatzy.rules import Category, Ruleset, maxi, ruleset, scandinavian, scoring, yahtzee


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


PAIR = Category("Pair", scoring.pairs(1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dice": 0}, "at least one die"),
        ({"faces": 0}, "one face"),
        ({"categories": ()}, "one category"),
        ({"rerolls": -1}, "rerolls of 0 or more"),
        ({"bonus": -1}, "bonus and bonus_threshold must be 0 or more"),
        ({"bonus_threshold": -1}, "bonus and bonus_threshold must be 0 or more"),
        ({"categories": (PAIR, replace(PAIR, name="p_AIR"))}, "category name or alias twice"),
        ({"categories": (PAIR, Category("Two", scoring.total, aliases=("pair",)))}, "name or alias twice"),
        ({"categories": (Category("Debt", lambda counts: -1),)}, "whole numbers, 0 or more"),
        ({"categories": (Category("Half", lambda counts: 0.5),)}, "whole numbers, 0 or more"),
    ],
)
def test_an_impossible_ruleset_is_refused(changes, message):
    good = {"name": "odd", "dice": 2, "faces": 3, "rerolls": 1, "categories": (PAIR,)}
    assert Ruleset(**good).n_categories == 1
    with pytest.raises(YatzyError, match=rf"^ruleset 'odd'.*{message}"):
        Ruleset(**good | changes)
