"""What boxes ask for; how the heuristic plays in three games; random play."""

import hashlib

import numpy as np
import pytest

from games import FIVE_FACES, THREE_DICE
from yatzy.policies.baselines import Heuristic, Random, alike, dice_of_straight, named_straights, straights
from yatzy.policies.policy import Validated
from yatzy.rules import format_category, format_dice, maxi, parse_filled, ruleset, scandinavian, yahtzee
from yatzy.turn.lattice import lattice

ANY_FOUR = ((1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6))
STRAIGHTS = [
    (scandinavian(), {"Small Straight": ((1, 2, 3, 4, 5),), "Large Straight": ((2, 3, 4, 5, 6),)}),
    (yahtzee(), {"Small Straight": ANY_FOUR, "Large Straight": ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6))}),
    (
        maxi(),
        {
            "Small Straight": ((1, 2, 3, 4, 5),),
            "Large Straight": ((2, 3, 4, 5, 6),),
            "Full Straight": ((1, 2, 3, 4, 5, 6),),
        },
    ),
    (THREE_DICE, {"Run": ((1, 2, 3), (2, 3, 4))}),
    (FIVE_FACES, {}),
]
SCANDINAVIAN_DECISIONS = "1ac9df8c551a0115700e418bd10ba1843780a66c3eb24b9bdf233e6dbbb9725a"


@pytest.mark.parametrize(("game", "expected"), STRAIGHTS, ids=lambda game: getattr(game, "name", None))
def test_straights_are_what_their_scores_ask_for(game, expected):
    assert {game.categories[c].name: runs for c, runs in straights(game).items()} == expected


def test_boxes_of_dice_alike_ask_for_the_least_that_scores():
    found = {maxi().categories[c].name: least for c, least in alike(maxi()).items()}
    assert found == {
        "One Pair": ((2,),), "Two Pairs": ((2, 2),), "Three Pairs": ((2, 2, 2),), "Three of a Kind": ((3,),),
        "Four of a Kind": ((4,),), "Five of a Kind": ((5,),), "Full House": ((3, 2),), "Villa": ((3, 3),),
        "Tower": ((4, 2),), "Chance": ((1,),), "Maxi Yatzy": ((6,),),
    }  # fmt: skip
    houses = alike(scandinavian(five_as_full_house=True))
    assert houses[12] == ((3, 2), (5,))


def test_straights_by_name():
    assert list(named_straights(maxi())) == ["small", "large", "full"]
    assert named_straights(THREE_DICE) == {}
    assert dice_of_straight((1, 3, 4, 6, 6), ANY_FOUR) == (3, 4, 6)


KEEPS = [
    # 1. Made hands are kept while their box is open.
    ("scandinavian", "1 2 3 4 5", "", "1 2 3 4 5"),
    ("scandinavian", "2 3 4 5 6", "", "2 3 4 5 6"),
    ("scandinavian", "2 2 5 5 5", "", "2 2 5 5 5"),
    ("scandinavian", "4 4 4 4 4", "", "4 4 4 4 4"),
    # 2. Three or more alike, also when the hand they make is filled already.
    ("scandinavian", "2 2 5 5 5", "full house", "5 5 5"),
    ("scandinavian", "4 4 4 4 4", "yatzy", "4 4 4 4 4"),
    ("scandinavian", "1 3 3 3 6", "", "3 3 3"),
    ("scandinavian", "1 1 1 1 6", "", "1 1 1 1"),
    # 3. Two pairs while they are good for something.
    ("scandinavian", "2 2 3 6 6", "", "2 2 6 6"),
    ("scandinavian", "2 2 3 6 6", "two pairs", "2 2 6 6"),
    ("scandinavian", "2 2 3 6 6", "full house", "2 2 6 6"),
    ("scandinavian", "2 2 3 6 6", "two pairs,full house", "6 6"),
    # 4. One die short of a straight: a pair in it does not matter, the higher straight goes first.
    ("scandinavian", "1 2 3 4 6", "", "2 3 4 6"),
    ("scandinavian", "1 2 3 4 6", "large straight", "1 2 3 4"),
    ("scandinavian", "1 2 3 4 6", "small straight,large straight", "6"),
    ("scandinavian", "2 3 4 5 5", "", "2 3 4 5"),
    ("scandinavian", "1 3 4 5 5", "", "1 3 4 5"),
    ("scandinavian", "1 3 4 5 5", "small straight", "5 5"),
    ("scandinavian", "1 2 3 4 5", "small straight", "2 3 4 5"),
    # 5. A pair.
    ("scandinavian", "1 3 3 5 6", "", "3 3"),
    ("scandinavian", "1 1 2 5 6", "", "1 1"),
    # 6. Nothing.
    ("scandinavian", "1 2 3 5 6", "small straight,large straight", "6"),
    ("scandinavian", "1 2 3 4 5", "small straight,large straight", "5"),
    # Yahtzee: four in a row anywhere are a small straight, three of four are one die short of it.
    ("yahtzee", "2 3 4 5 5", "", "2 3 4 5 5"),
    ("yahtzee", "3 4 5 6 6", "", "3 4 5 6 6"),
    ("yahtzee", "1 2 4 6 6", "", "1 2 4"),
    ("yahtzee", "1 3 4 6 6", "", "3 4 6"),
    ("yahtzee", "1 2 4 5 6", "", "2 4 5 6"),
    ("yahtzee", "3 4 5 6 6", "small straight", "3 4 5 6"),
    ("yahtzee", "2 3 4 5 5", "small straight,large straight", "5 5"),
    ("yahtzee", "2 2 5 5 5", "", "2 2 5 5 5"),
    ("yahtzee", "2 2 3 5 5", "", "2 2 5 5"),
    ("yahtzee", "2 2 3 5 5", "full house", "2 3 5"),
    # Maxi: six dice, of which a full house needs five; full straights, villas and towers.
    ("maxi", "2 2 3 5 5 5", "", "2 2 3 5 5 5"),
    ("maxi", "2 2 3 5 5 5", "full house", "5 5 5"),
    ("maxi", "2 2 2 5 5 5", "full house", "2 2 2 5 5 5"),
    ("maxi", "2 2 2 5 5 5", "full house,villa", "5 5 5"),
    ("maxi", "1 2 3 4 5 6", "", "1 2 3 4 5 6"),
    ("maxi", "1 2 3 4 6 6", "", "1 2 3 4 6"),
    ("maxi", "1 2 3 4 6 6", "full straight", "2 3 4 6"),
    ("maxi", "1 2 3 4 5 5", "small straight", "1 2 3 4 5"),
    ("maxi", "1 1 2 2 6 6", "", "1 1 2 2 6 6"),
    ("maxi", "1 1 2 2 6 6", "three pairs", "2 2 6 6"),
]


@pytest.mark.parametrize(("game", "roll", "filled", "kept"), KEEPS)
def test_the_heuristic_keeps_what_looks_like_something(game, roll, filled, kept):
    rules = ruleset(game)
    decisions = Heuristic(rules).decide(np.array([parse_filled(rules, filled)]), np.array([0]))
    dice = lattice(rules.dice, rules.faces)
    roll_id = dice.id_of(map(int, roll.split()))
    for rerolls in (1, 2):
        assert format_dice(dice.keeps[decisions.keep[0, rerolls - 1, roll_id]]) == kept


def test_the_heuristic_plays_scandinavian_yatzy_as_ever():
    """Every decision in every mask, as it was when boxes were known by their names."""
    rules, found = scandinavian(), hashlib.sha256()
    for part in np.array_split(np.arange(rules.all_filled), 64):
        decisions = Heuristic(rules).decide(part, np.zeros_like(part))
        found.update(decisions.category.tobytes())
        found.update(decisions.keep.tobytes())
    assert found.hexdigest() == SCANDINAVIAN_DECISIONS


@pytest.mark.parametrize(
    ("roll", "filled", "category"),
    [
        ("6 6 6 6 6", "", "yatzy"),
        ("6 6 6 6 6", "yatzy", "chance"),
        ("6 6 6 6 6", "yatzy,chance", "sixes"),
        ("1 2 3 4 5", "", "chance"),  # 15 points, as Small Straight, but further down the card
        ("1 2 3 4 5", "chance", "small straight"),
        ("2 2 5 5 5", "", "chance"),
        ("2 2 5 5 5", "chance", "full house"),
        ("1 1 1 2 3", "chance", "three of a kind"),  # 3 points, as Ones
        ("1 1 3 4 6", "ones,one pair,chance,sixes,fours", "threes"),
        ("1 1 1 1 2", "ones,twos,one pair,three of a kind,four of a kind,chance", "threes"),  # nothing anywhere
    ],
)
def test_the_heuristic_scores_the_most_points_now(rules, roll, filled, category):
    mask = parse_filled(rules, filled)
    decisions = Heuristic(rules).decide(np.array([mask]), np.array([0]))
    roll_id = lattice(rules.dice, rules.faces).id_of(map(int, roll.split()))
    assert format_category(rules, decisions.category[0, roll_id]) == category


def test_random_play_depends_on_its_seed(small_rules):
    filled, upper = np.zeros(1, np.int64), np.zeros(1, np.int64)
    once, again, other = (Random(small_rules, seed).decide(filled, upper).keep for seed in (1, 1, 2))
    assert np.array_equal(once, again)
    assert not np.array_equal(once, other)


def test_random_play_takes_every_action_alike(rules):
    """Over the 252 rolls of some states with three open boxes: each box is scored in a third of them."""
    filled, upper = np.full(64, rules.all_filled ^ 0b10_0000_0000_0101), np.arange(64)
    decisions = Validated(Random(rules)).decide(filled, upper)
    counts = np.bincount(decisions.category.ravel(), minlength=14)[[0, 2, 13]]
    assert counts.sum() == decisions.category.size
    expected = decisions.category.size / 3
    assert np.all(np.abs(counts - expected) < 4 * np.sqrt(expected))
