"""Verbs and par: always legal, and what a player would expect."""

import numpy as np
import pytest

from yatzy.players.moves import (
    DEFAULT,
    SHAPES,
    keeps_of_verbs,
    margins,
    open_upper_set,
    par_answers,
    par_columns,
    shapes,
    shipped_par,
    verb_answers,
    verbs,
)
from yatzy.policies.policy import keep_is_inside
from yatzy.rules import parse_dice, parse_filled
from yatzy.turn.lattice import lattice

EXAMPLES = [
    ("2 5 5 5 6", "keep the most frequent face, the highest of equals", "5 5 5"),
    ("2 2 5 5 6", "keep both pairs", "2 2 5 5"),
    ("2 2 5 5 6", "keep the low pair", "2 2"),
    ("2 2 5 5 6", "keep the high pair and the highest other die", "5 5 6"),
    ("1 2 4 5 5", "keep the dice of the small straight", "1 2 4 5"),
    ("1 2 4 5 6", "keep the dice of the large straight", "2 4 5 6"),
    ("1 2 3 4 6", "keep both pairs", "6"),  # there are none: the default
    ("1 2 3 4 6", "reroll everything", ""),
    ("1 4 4 5 6", "keep dice of 5 and more", "5 6"),
]


def kept(rules, roll, verb, filled=""):
    dice = lattice(rules.dice, rules.faces)
    mask = np.array([parse_filled(rules, filled)])
    answers = verb_answers(rules, mask)
    return dice.keeps[answers[0, list(verbs(rules)).index(verb), dice.id_of(parse_dice(rules, roll))]]


@pytest.mark.parametrize(("roll", "verb", "expected"), EXAMPLES)
def test_a_verb_keeps_what_it_says(rules, roll, verb, expected):
    assert kept(rules, roll, verb) == parse_dice(rules, expected, at_most=True)


def test_the_default_prefers_an_open_box(rules):
    assert kept(rules, "2 2 5 5 6", DEFAULT) == (5, 5)
    assert kept(rules, "2 2 5 5 6", DEFAULT, filled="fives") == (2, 2)


def test_no_verb_ever_keeps_what_is_not_there(rules):
    inside = keep_is_inside(rules)
    table = keeps_of_verbs(rules)
    rolls = np.broadcast_to(np.arange(inside.shape[0]), table.shape)
    assert inside[rolls, table].all()
    assert table.shape == (64, len(verbs(rules)), 252)


def test_shapes_are_what_a_player_sees(rules):
    dice = lattice(rules.dice, rules.faces)
    filled = np.array([parse_filled(rules, "fives")])
    seen = shapes(rules)[open_upper_set(rules, filled)[0], :, dice.id_of((2, 2, 5, 5, 6))]
    assert dict(zip(SHAPES, seen.tolist(), strict=True)) == {
        "shape_face": 2, "shape_count": 2, "shape_open": 1, "open_face": 2, "open_count": 2,
        "high_pair": 5, "low_pair": 2, "small_run": 2, "large_run": 3,
    }  # fmt: skip


def test_the_par_choice_is_the_largest_margin(rules):
    """Against a plain loop, while the bonus is in reach and once it is safe."""
    par = shipped_par(rules)
    assert par.parameters == 31
    filled, upper = np.array([0b1011, 0b111110]), np.array([20, 63])
    choice, margin, lead = par_columns(rules, filled, upper, margins(rules, par).astype(np.float32))
    for i, (pars, weight) in enumerate([(par.in_reach, par.weight), (par.settled, 1.0)]):
        for roll_id in range(0, 252, 7):
            worth = {}
            for c, points in enumerate(rules.scores[roll_id]):
                if not filled[i] >> c & 1:
                    worth[c] = points * (weight if rules.categories[c].upper else 1.0) - pars[c]
            best, second = sorted(worth.values())[-1:-3:-1]
            assert worth[int(choice[i, roll_id])] == pytest.approx(best, abs=1e-4)
            assert margin[i, roll_id] == pytest.approx(best, abs=1e-4)
            assert lead[i, roll_id] == pytest.approx(best - second, abs=1e-4)


def test_par_answers_are_open_categories(rules):
    filled = np.array([0b1011, 0b111110])
    margin = margins(rules, shipped_par(rules)).astype(np.float32)
    answers = par_answers(rules, filled, par_columns(rules, filled, np.array([20, 63]), margin)[0])
    assert not (filled[:, None, None] >> answers & 1).any()
