"""Commands run in this process."""

import io
import json
import sys

import pytest

from yatzy.cli import main


@pytest.fixture
def yatzy(monkeypatch, capsys):
    """Run a command, with lines to type or what comes in on stdin: (exit status, stdout, stderr)."""

    def run(*arguments, lines=(), stdin=None):
        monkeypatch.setattr(sys, "argv", ["yatzy", *map(str, arguments)])
        typed = "".join(f"{line}\n" for line in lines).encode()
        monkeypatch.setattr(
            sys, "stdin", io.TextIOWrapper(io.BytesIO(typed if stdin is None else stdin), encoding="utf-8")
        )
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run


@pytest.fixture
def as_json(yatzy):
    """Run a command with --json: the one object that it prints."""

    def run(*arguments):
        status, out, err = yatzy(*arguments, "--json")
        assert (status, err) == (0, "")
        assert out.count("\n") == 1
        return json.loads(out, parse_constant=pytest.fail)

    return run


@pytest.fixture
def told(yatzy):
    """Run a command that is refused: its one sentence."""

    def run(*arguments):
        status, out, err = yatzy(*arguments)
        assert (status, out, err.count("\n")) == (2, "", 1)
        return err.removeprefix("yatzy: ").strip()

    return run
