"""The study of all games: on reduced games, against what is known of each."""

from dataclasses import replace

import numpy as np
import pytest

from games import JOKERS, SAVING, THREE_DICE
from naive import Expectimax
from yatzy import ValueTable, solve
from yatzy.context import Context
from yatzy.game.json import as_json
from yatzy.lab.studies import games as study
from yatzy.lab.studies.games import compare_games, largest_residual
from yatzy.measure.exact import evaluate
from yatzy.policies.optimal import Optimal

PLAIN = replace(JOKERS, name="plain", special=None)
PLAIN_SAVING = replace(PLAIN, name="plain+saved-throws", saves_throws=True)


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(study, "PLAYED", 500)
    monkeypatch.setattr(study, "PLAYED_WITH_SAVED_THROWS", 500)
    monkeypatch.setattr(study, "STATES_CHECKED", 40)


def test_games_side_by_side(few, tmp_path):
    steps = []
    found = compare_games(
        PLAIN,
        Context(tmp_path, threads=1, progress=lambda done, total: steps.append(done / total)),
        (PLAIN, PLAIN_SAVING, JOKERS),
    )
    plain, saving, jokers = found.games
    assert plain.value == pytest.approx(float(Expectimax(PLAIN).value()), abs=1e-12)
    assert plain.spread.mean == pytest.approx(plain.value, abs=1e-12)
    assert saving.spread is None
    assert max(game.recomputed for game in found.games) < 1e-12
    assert found.worth_of_saved_throws == {"plain": saving.value - plain.value}
    assert plain.value < saving.value
    assert plain.carried_over is saving.carried_over is None
    assert jokers.carried_over < jokers.value
    for game in found.games:
        simulated = game.simulated
        assert abs(simulated.mean - game.value) < 5 * simulated.standard_error
        assert 0 <= simulated.bonus_rate <= 1
    assert steps == sorted(steps)
    told = as_json(found)
    assert told["games"][0]["value"] == plain.value
    assert found.key_figures["plain"] == plain.value
    assert found.published == []


def test_a_game_that_was_measured_is_found_again(few, tmp_path, monkeypatch):
    once = compare_games(PLAIN, Context(tmp_path, threads=1), games=(PLAIN,))
    monkeypatch.setattr(study, "simulate", None)
    assert compare_games(PLAIN, Context(tmp_path, threads=1), games=(PLAIN,)) == once


@pytest.mark.parametrize("game", [THREE_DICE, JOKERS, SAVING], ids=lambda game: game.name)
def test_a_wrong_table_is_found(game):
    table = solve(game)
    assert largest_residual(table, 60, seed=2) < 1e-12
    wrong = np.array(table.stored)
    wrong[-1] += 1e-6
    wrong[0] += 1e-6
    assert largest_residual(ValueTable(game, 0.0, wrong), 60, seed=2) > 1e-7


def test_quantiles_are_those_of_the_evaluation(few, tmp_path):
    (alone,) = compare_games(PLAIN, Context(tmp_path, threads=1), games=(PLAIN,)).games
    exact = evaluate(Optimal(solve(PLAIN)))
    assert alone.spread.quantiles == exact.distribution.quantiles
    assert alone.spread.bonus_rate == exact.bonus_rate
