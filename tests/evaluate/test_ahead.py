"""Kernels of the forward pass compiled by a second process, on a first start only."""

import subprocess

import pytest

from games import REDUCED_GAMES, SPECIAL_GAMES
from yatzy.evaluate import ahead
from yatzy.evaluate.ahead import compile_ahead, compile_forward


@pytest.mark.parametrize("kept", [True, False])
def test_a_process_is_started_where_nothing_was_compiled(monkeypatch, kept):
    started = []
    monkeypatch.setattr(ahead, "is_kept", lambda _kernel: kept)
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: started.append(command))
    compile_ahead("maxi")
    assert [command[1:] for command in started] == ([] if kept else [["-m", "yatzy.evaluate.ahead", "maxi"]])


@pytest.mark.parametrize("game", [*REDUCED_GAMES, *SPECIAL_GAMES], ids=lambda game: game.name)
def test_the_last_box_of_any_game_will_do(game):
    compile_forward(game)
