"""Commands on a full disk, where nothing can be written, and with few files: one sentence, nothing left."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from trust.stored import contents

pytestmark = pytest.mark.compiled

COMMANDS = {
    "solve": ["solve"],
    "value": ["value"],
    "advise": ["advise", "13356"],
    "evaluate": ["evaluate", "greedy"],
    "simulate": ["simulate", "--games", "20000", "--out", "OUT/games.parquet"],
    "dataset": ["dataset", "--games", "2000", "--out", "OUT/data"],
    "sweep": ["sweep", "--out", "OUT/sweep", "--grid", "GRID"],
    "distill": ["distill", "imitation-trees", "--depth", "3", "--games", "2000", "--out", "OUT/students"],
    "logs": ["simulate", "--games", "200", "--logs", "OUT/games.jsonl"],
    "reproduce": ["reproduce", "statespace", "--out", "OUT/results"],
    "rules induce": [
        *["rules", "induce", "--method", "covering", "--rules-count", "1"],
        *["--rules", "TINY", "--out", "OUT/lists"],
    ],
    "chance": ["chance", "--rules", "TINY", "--target", "12"],
    "duel": ["duel", "--rules", "TINY", "--games", "20"],
}
TINY = """
name = "tiny"
dice = 2
faces = 6
throws = 2
box = [
    { name = "Sixes", score = "sum of face", face = 6, upper = true },
    { name = "Twins", score = "all equal", points = 10 },
]
"""
# What only keeps an answer for later goes on without; what was asked to write a file cannot.
ANSWERS_ANYWAY = {"value", "advise", "evaluate", "chance", "duel"}
# No file may grow beyond this; those of a tiny game are small.
BYTES, BYTES_OF_TINY = 5000, 200


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory, table) -> Path:
    """A home with a solved table, so that commands come to what they write themselves."""
    folder = tmp_path_factory.mktemp("ready")
    table.save(folder / "tables" / "scandinavian-theta0.0-float64.safetensors")
    return folder


def run(
    command: str, folder: Path, home: Path, out: Path, limits: dict[int, int] | None = None
) -> subprocess.CompletedProcess[str]:
    grid = folder / "grid.toml"
    grid.write_text("theta = [0.01]\n")
    tiny = folder / "tiny.toml"
    tiny.write_text(TINY)
    places = {"OUT": out, "GRID": grid, "TINY": tiny}
    words = [str(places.get(word, word)).replace("OUT", str(out)) for word in COMMANDS[command]]

    def limit() -> None:
        for which, most in (limits or {}).items():
            resource.setrlimit(which, (most, most))

    return subprocess.run(
        [sys.executable, "-c", "from yatzy.cli import main; main()", *words],
        env={**os.environ, "YATZY_HOME": str(home)},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def told_in_a_sentence(command: str, ended: subprocess.CompletedProcess[str], answers: bool) -> None:
    assert "Traceback" not in ended.stderr
    lines = [line for line in ended.stderr.splitlines() if line.startswith("yatzy: ") and "cannot" in line]
    assert lines, ended.stderr
    assert ended.returncode == (0 if answers else 2), ended.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_on_a_full_disk(command, tmp_path, ready):
    """No file may grow: what the system says then is what it says of a full disk."""
    out = tmp_path / "out"
    home = tmp_path / "home" if command in {"solve", *ANSWERS_ANYWAY} else ready
    before = contents(ready)
    most = BYTES_OF_TINY if "TINY" in COMMANDS[command] else BYTES
    ended = run(command, tmp_path, home, out, {resource.RLIMIT_FSIZE: most})
    if command == "evaluate":  # writes nothing
        assert ended.returncode == 0
    else:
        told_in_a_sentence(command, ended, command in ANSWERS_ANYWAY)
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


@pytest.mark.parametrize("command", ["simulate", "dataset"])
def test_with_few_files(command, tmp_path, ready):
    """Whatever it can open, it ends in one sentence or well."""
    for most in (12, 20, 40):
        ended = run(command, tmp_path, ready, tmp_path / str(most), {resource.RLIMIT_NOFILE: most})
        assert "Traceback" not in ended.stderr
        assert ended.returncode in (0, 2), ended.stderr
        half = [name for name in contents(tmp_path / str(most)) if name.endswith((".half", ".gone", ".lock"))]
        assert half == []
