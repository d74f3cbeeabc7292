"""What boxes ask for, and how the bot that plays by patterns plays games other than Scandinavian Yatzy."""

import hashlib

import numpy as np
import pytest

from games import FIVE_FACES, THREE_DICE
from yatzy.policies.heuristic import Heuristic, alike, dice_of_straight, named_straights, straights
from yatzy.rules import format_dice, maxi, parse_filled, scandinavian, yahtzee
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
def test_the_heuristic_plays_yahtzee_and_maxi(game, roll, filled, kept):
    rules = {"yahtzee": yahtzee(), "maxi": maxi()}[game]
    decisions = Heuristic(rules).decide(np.array([parse_filled(rules, filled)]), np.array([0]))
    dice = lattice(rules.dice, rules.faces)
    roll_id = dice.id_of(map(int, roll.split()))
    assert format_dice(dice.keeps[decisions.keep[0, 0, roll_id]]) == kept


def test_the_heuristic_plays_scandinavian_yatzy_as_ever():
    """Every decision in every mask, as it was when boxes were known by their names."""
    rules, found = scandinavian(), hashlib.sha256()
    for part in np.array_split(np.arange(rules.all_filled), 64):
        decisions = Heuristic(rules).decide(part, np.zeros_like(part))
        found.update(decisions.category.tobytes())
        found.update(decisions.keep.tobytes())
    assert found.hexdigest() == SCANDINAVIAN_DECISIONS
