"""`--engine dask` of every command that has it: the same answer and the same files as here, on two workers."""

from pathlib import Path

import polars as pl
import pytest
import typer
from distributed import LocalCluster

from games import TINY_FILE
from yatzy.cli import app as commands

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def scheduler(home):
    """Two workers, each a process; they find their tables in the same home."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


CASES = {
    "solve": ["--rules", "yacht"],
    "sweep": ["--rules", "yacht", "grid.toml", "--out", "OUT"],
    "simulate": [
        "greedy",
        "--games",
        "300",
        "--seed",
        "7",
        "--rules",
        "yacht",
        "--out",
        "OUT.parquet",
    ],
    "evaluate": ["greedy", "random", "optimal", "--rules", "yacht"],
    "dataset": ["--games", "40", "--seed", "3", "--rules", "yacht", "--out", "OUT"],
    "dataset --draws": ["heuristic", "--draws", "300", "--values", "--rules", "yacht", "--out", "OUT"],
    "duel": ["--games", "40", "--seed", "2", "--rules", "tiny.toml"],
}


def without_times(told):
    """An answer without what differs from run to run, and from place to place."""
    if isinstance(told, dict):
        kept = {key: value for key, value in told.items() if key not in ("seconds", "out", "file")}
        return {key: without_times(value) for key, value in kept.items()}
    return [without_times(one) for one in told] if isinstance(told, list) else told


@pytest.mark.parametrize("case", CASES)
def test_the_same_from_elsewhere(as_json, tmp_path, monkeypatch, scheduler, case):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "grid.toml").write_text("theta = [-0.05, 0.0, 0.05]\n")
    (tmp_path / "tiny.toml").write_text(TINY_FILE)
    command = case.partition(" ")[0]
    here = [word.replace("OUT", "here") for word in CASES[case]]
    away = [word.replace("OUT", "away") for word in CASES[case]]
    expected = as_json(command, *here)
    found = as_json(command, *away, "--engine", "dask", "--scheduler", scheduler)
    assert without_times(found) == without_times(expected)
    for file in [*Path().glob("here/*.parquet"), *Path().glob("here.parquet")]:
        twin = Path(str(file).replace("here", "away"))
        expected, found = (pl.read_parquet(one).drop("seconds", strict=False) for one in (file, twin))
        assert found.equals(expected), file.name


def test_every_command_with_an_engine_is_here():
    root = typer.main.get_command(commands.app)
    having = {
        name
        for name in commands.COMMANDS
        if any("--engine" in option.opts for option in root.get_command(None, name).params)
    }
    assert having == {case.partition(" ")[0] for case in CASES}
