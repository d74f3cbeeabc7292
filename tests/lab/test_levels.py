"""The study of levels: on reduced games, against opponents played out throw by throw."""

import pytest

from games import FIVE_FACES, THREE_DICE
from naive_habits import PlayedWithin, limited
from yatzy import solve
from yatzy.context import Context
from yatzy.lab.studies import levels as study
from yatzy.lab.studies.levels import measure_levels
from yatzy.policies.opponents import SHARPNESS


def test_every_mean_is_exact_and_a_game_that_was_measured_is_found_again(tmp_path, monkeypatch):
    games = (THREE_DICE, FIVE_FACES)
    found = measure_levels(THREE_DICE, Context(tmp_path), games, (1.0, 4.0))
    assert [one.rules for one in found.games] == [game.name for game in games]
    for one, game in zip(found.games, games, strict=True):
        assert one.best == pytest.approx(solve(game).value(), abs=1e-12)
        for limit, mean in zip(one.limits, one.means, strict=True):
            assert mean == pytest.approx(float(PlayedWithin(game, limited(limit, SHARPNESS)).value()), abs=1e-9)
        # Bots play every game; charts and cards are for the whole ones.
        assert [player.player for player in one.references] == ["heuristic", "greedy"]
    assert found.key_figures == {f"{one.rules}: level-3": one.means[1] for one in found.games}
    monkeypatch.setattr(study, "game_levels", None)
    assert measure_levels(THREE_DICE, Context(tmp_path), games, (1.0, 4.0)) == found
