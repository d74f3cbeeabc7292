"""`-` wherever a file is read: the same answer as from the file, and one sentence that calls it stdin."""

import re
import shutil

import pytest
import typer

from yatzy.cli import lists as ruling
from yatzy.cli.app import COMMANDS, app
from yatzy.game.log import write_logs
from yatzy.measure.simulate import play_logs
from yatzy.players.library import CHARTS
from yatzy.players.model import shipped_file
from yatzy.policies.registry import find_policy
from yatzy.rules.toml import EXAMPLES


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """One file of every kind, and a folder where nothing else is."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLES / "little-yahtzee.toml", "rules.toml")
    shutil.copy(CHARTS / "chart-10.json", "chart.json")
    shutil.copy(shipped_file("value-18"), "model.safetensors")
    (tmp_path / "grid.toml").write_text("theta = [0.0, 0.05]\n")


def leaves(command, words=()):
    """Every command that does something: (its words, the command)."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from leaves(inner, (*words, name))
    yield words, command


def parameters():
    root = typer.main.get_command(app)
    for name in COMMANDS:
        for words, command in leaves(root.get_command(None, name), (name,)):
            yield from ((words, parameter) for parameter in command.params)


def test_whatever_says_that_it_reads_a_file_reads_stdin():
    """What is written, and folders, are other options."""
    written = {"out", "save", "logs", "home", "site", "results", "web", "answers", "choose", "deck", "anki"}
    reads = {
        (" ".join(words), parameter.name)
        for words, parameter in parameters()
        if parameter.name not in written and re.search(r"\bfile\b", getattr(parameter, "help", "") or "")
    }
    takes_dash = {(" ".join(words), parameter.name) for words, parameter in parameters() if parameter.callback}
    # A file that is named, the number of a game in a file, and the name of a game whose chart is in the package.
    others = {("schema", "name"), ("review", "game"), ("lists show", "rules"), ("lists explain", "rules")}
    assert reads - others <= takes_dash
    assert {("sweep", "grid"), ("evaluate", "policy"), ("solve", "rules"), ("lists show", "name")} <= reads


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["games", "--rules", "rules.toml"], "rules.toml"),
        (["value", "ones @ 1", "--rules", "rules.toml"], "rules.toml"),
        (["advise", "1", "3", "3", "--rules", "rules.toml"], "rules.toml"),
        (["lists", "show", "chart.json"], "chart.json"),
        (["lists", "explain", "13356", "--policy", "chart.json"], "chart.json"),
        (["simulate", "--games", "5", "model.safetensors"], "model.safetensors"),
        (["simulate", "--games", "5", "random", "--compare", "chart.json"], "chart.json"),
        (["sweep", "--rules", "rules.toml", "grid.toml", "--out", "sweep"], "grid.toml"),
        (["review", "game.json"], "game.json"),
        (["play", "--review", "game.json"], "game.json"),
    ],
    ids=lambda part: " ".join(part[:2]) if isinstance(part, list) else part,
)
def test_stdin_is_the_same_as_the_file(yatzy, tmp_path, monkeypatch, words, file):
    # How others play is the same whatever is shown.
    monkeypatch.setattr(ruling, "_standing", lambda rules, home, mean: (mean, 165.0, 248.0))
    write_logs(play_logs(find_policy("random", "yacht"), 1), tmp_path / "game.json")

    def told(*given):
        status, out, err = yatzy(*given, "--json", stdin=(tmp_path / file).read_bytes())
        assert (status, err) == (0, "")
        return re.sub(r'"seconds": [\d.e-]+', "", out)

    assert told(*("-" if word == file else word for word in words)) == told(*words)


@pytest.mark.parametrize(
    ("words", "content", "sentence"),
    [
        (["solve", "--rules", "-"], b'name = "x"', "stdin: dice: is missing"),
        (["solve", "--rules", "-"], b"\xff\xfe", "rules: stdin"),
        (["evaluate", "-"], b"{}", "policy: stdin"),
        (["evaluate", "-"], b"", "policy: stdin"),
        (["sweep", "-"], b"thetas = 1", "grid: stdin has no list 'theta'"),
        (["review", "-"], b"[]", "game: "),
        (
            ["review", "-", "--rules", "-"],
            b"{}",
            "file: stdin has already been read; allowed is one - in a command",
        ),
        (["play", "--rules", "-"], b"", "rules: stdin is where your moves come from; allowed is a file"),
        (["practice", "-"], b"", "games: stdin is where your answers come from; allowed is a file"),
        (["play", "--resume", "-"], b"", "resume: stdin is where your moves come from; allowed is a file"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "",
)
def test_what_is_wrong_with_it_is_said_of_stdin(yatzy, words, content, sentence):
    status, out, err = yatzy(*words, stdin=content)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"yatzy: {sentence}"), err
    assert "/stdin" not in err
