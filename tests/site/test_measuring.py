"""What habits are worth, worked out by the page's engine: it says what the library's exact evaluation does."""

import json
import os
from dataclasses import replace

import pytest

from web_scripts import run_script
from yatzy.coach.profile import HabitEvaluator, Habits
from yatzy.rules import scandinavian
from yatzy.site.tables import as_text, describe_game
from yatzy.storage import RESULTS

HABITS = [
    Habits(theta=0.0, beta=1.0, gamma=1.0, depth=3),
    Habits(theta=0.0, beta=0.3, gamma=0.6, depth=1),
    Habits(theta=0.05, beta=2.0, gamma=0.9, depth=2),
    Habits(theta=-0.04, beta=5.0, gamma=0.5, depth=3),
    Habits(theta=-0.05, beta=0.7, gamma=1.0, depth=0),
]


def worths(game, habits, folder):
    rules_file, habits_file = folder / "rules.json", folder / "habits.json"
    # Only games of the catalogue have a title.
    rules_file.write_bytes(as_text(describe_game(replace(game, name="scandinavian"))))
    habits_file.write_text(json.dumps([vars(one) for one in habits]))
    return run_script("worth", rules_file, habits_file)


@pytest.mark.browser
def test_the_page_measures_as_the_library_does(small_rules, tmp_path):
    """Risk of both kinds, short sight, discounting; choices that look alike may be broken otherwise by float32."""
    for habits, found in zip(HABITS, worths(small_rules, HABITS, tmp_path), strict=True):
        true = HabitEvaluator(small_rules).worth(habits)
        assert found["mean"] == pytest.approx(true.mean, abs=1e-4)
        assert found["best"] == pytest.approx(true.best, abs=1e-4)
        gains = {cost["habit"]: cost["gain"] for cost in found["costs"]}
        assert gains.keys() == {cost.habit for cost in true.costs}
        for cost in true.costs:
            assert gains[cost.habit] == pytest.approx(cost.gain, abs=0.05 if cost.habit == "beta" else 2e-4)


@pytest.mark.browser
def test_five_dice_with_a_bonus_are_measured_as_the_library_does(tmp_path):
    """The upper section and three boxes more, which takes a sixtieth of the whole game."""
    rules, wanted = scandinavian(), ("One Pair", "Small Straight", "Yatzy")
    boxes = tuple(one for one in rules.categories if one.upper or one.name in wanted)
    game, habits = replace(rules, categories=boxes), Habits(theta=0.0, beta=2.0, gamma=1.0, depth=len(boxes) - 1)
    assert len(boxes) == 9
    (found,) = worths(game, [habits], tmp_path)
    assert found["mean"] == pytest.approx(HabitEvaluator(game).mean(habits), abs=1e-4)


@pytest.mark.browser
@pytest.mark.skipif("YATZY_COMPUTE" not in os.environ, reason="takes Node 16 seconds; with YATZY_COMPUTE=1")
def test_the_whole_game_is_measured_as_the_study_did(tmp_path):
    ladder = {
        (one["habit"], one["number"]): one["mean"]
        for one in json.loads((RESULTS / "profile.json").read_text())["ladders"]
    }
    (found,) = worths(scandinavian(), [Habits(theta=0.0, beta=2.0, gamma=1.0, depth=14)], tmp_path)
    assert found["mean"] == pytest.approx(ladder["beta", 2.0], abs=1e-4)
