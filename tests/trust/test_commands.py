"""Commands on a full disk, where nothing can be written, and with few files: one sentence, nothing left."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from games import TINY_FILE
from trust.stored import contents
from yatzy.cli import main
from yatzy.context import Context
from yatzy.solver.store import stored_table

pytestmark = pytest.mark.compiled

# Yacht is the smallest game of the catalogue: what a disk or a limit does, it does to any.
YACHT = ["--rules", "yacht"]
COMMANDS = {
    "solve": ["solve", *YACHT],
    "value": ["value", *YACHT],
    "advise": ["advise", "13356", *YACHT],
    "evaluate": ["evaluate", "greedy", *YACHT],
    "simulate": ["simulate", *YACHT, "--games", "4000", "--out", "OUT/games.parquet"],
    "dataset": ["dataset", *YACHT, "--games", "200", "--out", "OUT/data"],
    "sweep": ["sweep", *YACHT, "--out", "OUT/sweep", "GRID"],
    "distill": [
        *["distill", "imitation-trees", *YACHT, "--depth", "3", "--games", "200", "--out", "OUT/students"],
    ],
    "logs": ["simulate", *YACHT, "--games", "200", "--logs", "OUT/games.jsonl"],
    "reproduce": ["reproduce", "statespace", "--out", "OUT/results"],
    "lists induce": [
        *["lists", "induce", "--method", "covering", "--rules-count", "1"],
        *["--rules", "TINY", "--out", "OUT/lists"],
    ],
    "chance": ["chance", "--rules", "TINY", "--target", "12"],
    "duel": ["duel", "--rules", "TINY", "--games", "20"],
}
# What only keeps an answer for later goes on without; what was asked to write a file cannot.
ANSWERS_ANYWAY = {"value", "advise", "evaluate", "chance", "duel"}
# No file may grow beyond this; those of a tiny game are small.
BYTES, BYTES_OF_TINY = 5000, 200


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a solved table, so that commands come to what they write themselves."""
    folder = tmp_path_factory.mktemp("ready")
    stored_table("yacht", context=Context(folder))
    return folder


def typed(command: str, folder: Path, out: Path) -> list[str]:
    """What follows `yatzy`, with the files that it names."""
    grid = folder / "grid.toml"
    grid.write_text("theta = [0.01]\n")
    tiny = folder / "tiny.toml"
    tiny.write_text(TINY_FILE)
    places = {"OUT": out, "GRID": grid, "TINY": tiny}
    return [str(places.get(word, word)).replace("OUT", str(out)) for word in COMMANDS[command]]


def run(
    command: str, folder: Path, home: Path, out: Path, files: int | None = None
) -> subprocess.CompletedProcess[str]:
    """In a process of its own, which may open this many files."""

    def limit() -> None:
        if files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    return subprocess.run(
        [sys.executable, "-c", "from yatzy.cli import main; main()", *typed(command, folder, out)],
        env={**os.environ, "YATZY_HOME": str(home)},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@contextmanager
def no_file_beyond(most: int) -> Iterator[None]:
    """For this process too: Python turns the signal of the system into an error of the write."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("command", COMMANDS)
def test_on_a_full_disk(command, tmp_path, ready, monkeypatch, capsys):
    """No file may grow: what the system says then is what it says of a full disk."""
    out = tmp_path / "out"
    home = tmp_path / "home" if command in {"solve", *ANSWERS_ANYWAY} else ready
    before = contents(ready)
    most = BYTES_OF_TINY if "TINY" in COMMANDS[command] else BYTES
    monkeypatch.setenv("YATZY_HOME", str(home))
    monkeypatch.setattr(sys, "argv", ["yatzy", *typed(command, tmp_path, out)])
    # In this process, whose kernels are loaded; anything but the end of a command is a traceback.
    with no_file_beyond(most), pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert "Traceback" not in told
    assert ended.value.code == (0 if command in ANSWERS_ANYWAY else 2), told
    if command != "evaluate":  # writes nothing
        assert [line for line in told.splitlines() if line.startswith("yatzy: ") and "cannot" in line], told
    for folder in (out, home):
        half = [name for name in contents(folder) if name.endswith((".half", ".gone", ".lock"))]
        assert half == []
    assert contents(ready).keys() >= before.keys()


@pytest.mark.parametrize("command", ["solve", "advise", "simulate", "dataset"])
def test_where_nothing_can_be_written(command, tmp_path, ready):
    """The folder is a file: even root cannot write there."""
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    home = blocked / "home" if command in {"solve", *ANSWERS_ANYWAY} else ready
    ended = run(command, tmp_path, home, blocked / "out")
    assert "Traceback" not in ended.stderr
    if command in ANSWERS_ANYWAY:
        assert ended.returncode == 0
        assert "cannot be written" in ended.stderr
    else:
        assert ended.returncode == 2
    assert blocked.read_text() == "a file"


@pytest.mark.parametrize(("command", "most"), [("simulate", 12), ("dataset", 12), ("dataset", 20)])
def test_with_few_files(command, most, tmp_path, ready):
    """It ends in one sentence or well: 12 can be too few for a data set, 20 are enough for anything."""
    ended = run(command, tmp_path, ready, tmp_path / "out", most)
    assert "Traceback" not in ended.stderr
    # Whether 12 are enough for a data set depends on how many parts are open at once.
    assert ended.returncode in ({0, 2} if (command, most) == ("dataset", 12) else {0}), ended.stderr
    assert any(line.startswith("yatzy: ") for line in ended.stderr.splitlines()) or ended.returncode == 0
    half = [name for name in contents(tmp_path / "out") if name.endswith((".half", ".gone", ".lock"))]
    assert half == []
