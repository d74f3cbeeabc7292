"""The quiz: what is shipped is what the command chooses, and it finds simulated players."""

import json

import numpy as np
import pytest

from yatzy import YatzyError
from yatzy.coach.profile import Habits, Record, choice_values, discounted
from yatzy.coach.quiz import (
    SHIPPED,
    STEPS_PER_POINT,
    choose_questions,
    read_answers,
    read_quiz,
    write_answers,
    write_quiz,
)
from yatzy.game.action import Keep
from yatzy.lab.studies.profile import compare, recover
from yatzy.sealed import SealError
from yatzy.solver.lookahead import tables_by_depth
from yatzy.turn.lattice import lattice


@pytest.fixture(scope="module")
def small_quiz(small_rules):
    return choose_questions(small_rules, n=8, drawn=30)


def test_questions_are_chosen_by_what_they_tell(small_quiz, small_rules):
    again = choose_questions(small_rules, n=8, drawn=30)
    assert [one.situation for one in again.questions] == [one.situation for one in small_quiz.questions]
    tells = [one.tells for one in small_quiz.questions]
    assert min(tells) > 0
    assert tells[0] == max(tells)
    states = [one.situation.state for one in small_quiz.questions]
    assert len(set(states)) == len(states)
    assert all(len(one.choices) > 1 for one in small_quiz.questions)


def test_a_quiz_is_kept_in_a_file(small_quiz, small_rules, tmp_path, monkeypatch):
    from yatzy.coach import quiz as module

    monkeypatch.setattr(module, "ruleset", lambda name: small_rules)
    read = read_quiz.__wrapped__(write_quiz(small_quiz, tmp_path / "quiz.json"))
    assert read.grid == small_quiz.grid
    for one, other in zip(read.questions, small_quiz.questions, strict=True):
        assert (one.situation, one.choices, one.tells) == (other.situation, other.choices, other.tells)
        assert np.array_equal(one.behind, other.behind)
    text = (tmp_path / "quiz.json").read_text()
    (tmp_path / "quiz.json").write_text(text.replace('"seed":0', '"seed":1'))
    with pytest.raises(SealError, match="was damaged or edited"):
        read_quiz.__wrapped__(tmp_path / "quiz.json")


def test_better_questions_find_more(small_quiz):
    """Simulated players of a small game: nearer than who always says the mean of all players."""
    found = recover(small_quiz, 200)
    assert found == recover(small_quiz, 200)
    assert found.theta < found.spread["theta"]
    assert found.beta < found.spread["beta"]
    assert found.gamma < found.spread["gamma"]
    assert found.depth_right > 1.2 / 3


def test_errors_are_root_mean_squares():
    true = [Habits(0.0, 1.0, 0.5, 1), Habits(0.1, 3.0, 1.0, 3)]
    found = compare(true, [Habits(0.03, 1.0, 0.5, 1), Habits(0.14, 1.0, 1.0, 1)])
    assert found.theta == pytest.approx(np.sqrt((0.03**2 + 0.04**2) / 2))
    assert found.beta == pytest.approx(np.sqrt(2))
    assert (found.gamma, found.depth_right) == (0.0, 0.5)


def test_answers_outlive_the_quiz(small_quiz, tmp_path):
    file = tmp_path / "answers.json"
    assert read_answers(small_quiz, file) == {}
    write_answers(small_quiz, {0: 1, 3: 0}, file)
    assert read_answers(small_quiz, file) == {0: 1, 3: 0}
    content = json.loads(file.read_text())
    content["answers"].append({"situation": "1 1 1 | 0 | - @ 0", "choice": "keep nothing"})
    file.write_text(json.dumps(content))
    assert read_answers(small_quiz, file) == {0: 1, 3: 0}
    for wrong, sentence in (("keep 9", "dice: '9' has a face outside"), ("score poker", "category: 'poker'")):
        content["answers"][0]["choice"] = wrong
        file.write_text(json.dumps(content))
        with pytest.raises(YatzyError, match=rf"answers\[0\].{sentence}"):
            read_answers(small_quiz, file)
    with pytest.raises(YatzyError, match="choice: 'keep 4 4 4 4' is not one; allowed are"):
        small_quiz.questions[0].number_of(Keep((4, 4, 4, 4)))
    for wrong in ("[]", "{}", "no"):
        file.write_text(wrong)
        with pytest.raises(YatzyError, match="answers: "):
            read_answers(small_quiz, file)
    with pytest.raises(YatzyError, match="answers: there are none"):
        small_quiz.fit({})


def test_the_shipped_quiz():
    quiz = read_quiz()
    assert SHIPPED.stat().st_size < 300_000
    assert len(quiz) == 30
    for question in quiz.questions:
        assert question.behind.shape == (*quiz.grid.shape, len(question.choices))
        assert question.behind.min(axis=-1).max() == 0
        assert len(question.situation.dice) == 5


def test_thirty_questions_tell_more_than_was_published():
    """Published, for six players of another model of sight: theta 0.033, beta 1.79, gamma 0.197, depth 86%."""
    found = recover(read_quiz(), 300)
    assert found.theta < 0.016
    assert found.beta < 0.9
    assert found.gamma < 0.085
    assert found.depth_right > 0.9


@pytest.mark.compiled
def test_what_is_shipped_is_what_is_computed(rules):
    """Values of all questions for a cautious, impatient player who sees one turn ahead."""
    quiz = read_quiz()
    i, j, k = 1, 2, 1
    table = discounted(tables_by_depth(rules, [1], quiz.grid.thetas[i])[1], quiz.grid.gammas[j])
    ids = lattice(rules.dice, rules.faces)
    asked = [question.situation for question in quiz.questions]
    columns = [
        [at.state.filled for at in asked], [at.state.upper for at in asked], [ids.id_of(at.dice) for at in asked],
        [at.rerolls for at in asked], [0] * len(asked),
    ]  # fmt: skip
    values = choice_values(table, Record(*(np.array(column, np.int64) for column in columns)))
    for question, row in zip(quiz.questions, values, strict=True):
        finite = row[np.isfinite(row)]
        assert question.behind[i, j, k] == pytest.approx(STEPS_PER_POINT * (finite.max() - finite), abs=0.51)
