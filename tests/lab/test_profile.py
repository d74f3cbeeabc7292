"""The study of profiles, on a reduced game."""

import pytest

from games import THREE_DICE
from yatzy.coach.profile import Habits
from yatzy.coach.quiz import choose_questions
from yatzy.game.json import as_json
from yatzy.lab.studies import profile as study
from yatzy.measure.exact import visit
from yatzy.policies.baselines import Greedy


@pytest.fixture(scope="module")
def quiz():
    return choose_questions(THREE_DICE, n=6, drawn=40)


@pytest.fixture(scope="module")
def found(quiz):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "ON_GRID", 60)
        patch.setattr(study, "BETWEEN", 3)
        patch.setattr(study, "QUIZZES", 4)
        return study.measure_profile(THREE_DICE, quiz=quiz)


def test_players_are_found_and_habits_cost(found, small_table):
    assert found.best == pytest.approx(small_table.value())
    assert (found.on_grid.players, found.between.players, found.six.players) == (60, 12, 24)
    for recovery in (found.on_grid, found.between, found.six):
        assert 0 < recovery.theta < 0.12
        assert 0 <= recovery.depth_right <= 1
    means = {(step.habit, step.number): step.mean for step in found.ladders}
    assert max(means.values()) <= found.best + 1e-9
    by_care = [means["beta", beta] for beta in study.LADDERS["beta"]]
    assert by_care == sorted(by_care)
    assert means["depth", 0] <= means["depth", 2]
    told = as_json(found)
    assert told["claims"][0]["ours"] == means["beta", 10.0]
    assert found.key_figures["theta"] == found.on_grid.theta


def test_seeing_one_turn_is_greedy_play(found):
    """But for the bonus, which somebody at the table sees once he has made it."""
    step = next(step for step in found.ladders if (step.habit, step.number) == ("depth", 0))
    assert step.mean >= visit(Greedy(THREE_DICE)).mean - 1e-9


def test_a_sure_player_is_found_again(quiz):
    player = Habits(0.0, 8.0, 1.0, 3)
    found = study.recover_players(quiz, [player], 1, lambda done, total: None)
    assert found.depth_right > 0.5
