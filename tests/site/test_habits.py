"""The page's fit of habits says what the library's does."""

import json

import numpy as np
import pytest

from web_scripts import run_script
from yatzy.coach.profile import choice_chances, draw_choices
from yatzy.coach.quiz import SHIPPED, read_quiz


@pytest.mark.browser
def test_the_page_fits_as_the_library_does(tmp_path):
    """Simulated players, some of whom leave early; one answers everything as if all players were the same."""
    quiz, generator = read_quiz(), np.random.default_rng(5)
    players = [{0: 0}]
    for n_answered in (3, 10, 30, 30, 30, 30):
        i, j, k = (int(generator.integers(size)) for size in quiz.grid.shape)
        beta = float(generator.uniform(0.3, 6))
        players.append(
            {
                number: int(draw_choices(choice_chances(question.values[i, j, k][None], beta), generator)[0])
                for number, question in enumerate(quiz.questions[:n_answered])
            }
        )
    file = tmp_path / "answers.json"
    file.write_text(json.dumps(players))
    for answers, found in zip(players, run_script("habits", SHIPPED, file), strict=True):
        fit = quiz.fit(answers)
        assert found["depth"] == fit.habits.depth
        assert found["depths"] == pytest.approx(fit.depth_chances.tolist(), abs=1e-9)
        for habit in ("theta", "beta", "gamma"):
            assert found[habit] == pytest.approx(getattr(fit.habits, habit), rel=1e-9, abs=1e-12)
            assert found["spread"][habit] == pytest.approx(fit.spread[habit], rel=1e-6, abs=1e-9)
