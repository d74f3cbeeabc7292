"""Kernels of the forward pass compiled by a second process, on a first start only."""

import subprocess

import numpy as np
import pytest

from games import REDUCED_GAMES, SPECIAL_GAMES
from yatzy.context import Context
from yatzy.measure import ahead, exact, forward
from yatzy.measure.ahead import FirstThrow, compile_ahead, compile_forward
from yatzy.measure.exact import points_to_come
from yatzy.rules import State
from yatzy.turn.lattice import lattice


@pytest.mark.parametrize("kept", [True, False])
def test_a_process_is_started_where_nothing_was_compiled(monkeypatch, kept):
    started = []
    monkeypatch.setattr(ahead, "is_kept", lambda _kernel: kept)
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: started.append(command))
    compile_ahead("maxi")
    assert [command[1:] for command in started] == ([] if kept else [["-m", "yatzy.measure.ahead", "maxi"]])


@pytest.mark.parametrize("game", [*REDUCED_GAMES, *SPECIAL_GAMES], ids=lambda game: game.name)
def test_the_last_box_of_any_game_will_do(game, monkeypatch):
    """Every kernel of the forward pass is run, by play that has none of its own: that is what compiles them."""
    run = []
    for module, name in ((exact, "exits_of_decisions"), (forward, "pull_rows")):
        kernel = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *args, name=name, kernel=kernel: (run.append(name), kernel(*args))
        )
    compile_forward(game)
    assert set(run) == {"exits_of_decisions", "pull_rows"}


@pytest.mark.parametrize("game", [*REDUCED_GAMES, *SPECIAL_GAMES], ids=lambda game: game.name)
def test_what_is_played_for_it_is_one_throw(game):
    """In the last box, whatever the dice show: in plain games without a bonus, the mean of its scores."""
    last = game.n_categories - 1
    to_come, _ = points_to_come(FirstThrow(game), State(game.all_filled & ~(1 << last), 0), Context(threads=1))
    assert to_come.sum() == pytest.approx(1, abs=1e-12)
    if not (game.bonus or game.special):
        mean = lattice(game.dice, game.faces).prob_roll @ np.array(game.scores)[:, last]
        assert to_come @ np.arange(len(to_come)) == pytest.approx(mean, abs=1e-12)
