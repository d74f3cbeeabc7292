"""The progress bar: how far, and never "100%" while something is being compiled."""

import io
import time
from functools import partial

import pytest
from rich.console import Console

from yatzy.running import compiling, progress_bar, shown


@pytest.fixture
def terminal(monkeypatch):
    """What a terminal would show."""
    text = io.StringIO()
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("rich.console.Console", partial(Console, file=text, force_terminal=True, width=80))
    return text


def wait_for(words, text):
    until = time.monotonic() + 60
    while words not in text.getvalue():
        assert time.monotonic() < until, text.getvalue()
        time.sleep(0.01)


def test_compiling_is_said_instead_of_a_share(terminal):
    with progress_bar("solving the game", after=0) as progress:
        with compiling:
            progress(4, 4)
            wait_for("solving the game: compiling, once", terminal)
            assert "100%" not in terminal.getvalue()
        progress(1, 4)
        wait_for("25%", terminal)


def test_short_work_shows_nothing(terminal):
    with progress_bar("solving the game", after=60) as progress:
        progress(1, 4)
    assert "solving" not in terminal.getvalue()


def test_ones_own_progress_is_told_instead(terminal):
    told = []
    with shown(lambda *step: told.append(step), "solving the game") as progress:
        progress(1, 4)
    assert (told, terminal.getvalue()) == ([(1, 4)], "")


def test_a_bar_inside_another_is_silent(terminal):
    """What is called under a bar may ask for one too: two at once would write over each other."""
    with progress_bar("all of it", after=0) as progress, progress_bar("a part", after=0) as inner:
        inner(1, 2)
        progress(1, 4)
        wait_for("25%", terminal)
    assert "a part" not in terminal.getvalue()
