"""The page scores and throws as the library does."""

import json

import numpy as np
import pytest

from web_scripts import run_script
from yatzy.game.dice import SeededDice
from yatzy.rules import ruleset, scandinavian
from yatzy.site.tables import describe_game
from yatzy.solver.states import state_space
from yatzy.turn.outcomes import outcomes

RULES = scandinavian()


@pytest.mark.browser
def test_scores_and_seeded_dice_are_the_librarys(tmp_path):
    """The page scores and throws by itself: every roll in many masks, and dice of several seeds."""
    names = [
        "scandinavian+five-as-full-house+four-as-two-pairs",
        "yahtzee",
        "kniffel",
        "yacht+forced-order",
        "maxi",
    ]
    games = [ruleset(name) for name in names]
    masks = [
        [int(m) for m in np.flatnonzero(state_space(one).possible)[:: max(1, one.n_sets // 50)]] for one in games
    ]
    seeds = [0, 1, 7, 2**32 + 5, 2**53 - 1, *range(100, 140)]
    described = [{"rules": describe_game(one), "masks": some} for one, some in zip(games, masks, strict=True)]
    (tmp_path / "given.json").write_text(json.dumps({"games": described, "seeds": seeds}))
    told = run_script("scores", tmp_path / "given.json")
    for one, some, by_mask in zip(games, masks, told["told"], strict=True):
        ends = outcomes(one)
        for mask, shown in zip(some, by_mask, strict=True):
            for roll_id, scores in enumerate(shown):
                assert scores == [
                    [c, int(ends.points[o] - ends.extra[o]), int(ends.extra[o]), int(ends.bits[o])]
                    for c, o in ends.allowed(mask, roll_id).items()
                ]
    for seed, thrown in zip(seeds, told["thrown"], strict=True):
        expected = [
            [list(SeededDice(RULES, seed, game).throw(turn, throw, 5)) for throw in range(3)]
            for turn in (0, 7, 14)
            for game in (0, 3)
        ]
        assert thrown == expected
