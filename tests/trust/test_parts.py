"""Resumable work: killed anywhere, with damaged parts, with another policy of the same name, or twice at once."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from games import TINY
from trust.stored import contents, seeded
from yatzy import solve
from yatzy.context import Context
from yatzy.lab.training import data as training_data
from yatzy.measure import simulate as simulating
from yatzy.policies.baselines import Greedy
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import identity
from yatzy.sealed import Parts
from yatzy.storage import atomic_file, sweep, writer_lock


class Stop(BaseException):
    pass


def write_dataset(table, folder, *asked, **options):
    return training_data.write_dataset(table, training_data.DecisionFiles(folder), *asked, **options)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulating, "GAMES_PER_BLOCK", 16)
    monkeypatch.setattr(training_data, "GAMES_PER_BLOCK", 16)


def left_behind(folder: Path) -> Path:
    """The folder of parts that a stopped run left."""
    (found,) = folder.glob(".*.parts")
    return found


def stop_before_joining(monkeypatch: pytest.MonkeyPatch, run) -> None:
    """All parts are there, the output is not."""
    with monkeypatch.context() as patch:
        patch.setattr(pl, "scan_parquet", stop)
        patch.setattr(pl, "scan_ipc", stop)
        with pytest.raises(Stop):
            run()


def stop(*_arguments, **_named):
    raise Stop


def test_a_data_set_killed_in_its_clean_up_is_whole(tmp_path, monkeypatch):
    """Parts were deleted one by one before the folder went, and a block counted by its last part alone."""
    table = solve(TINY)
    whole = {k: pl.read_parquet(v).rows() for k, v in write_dataset(table, tmp_path / "a", 40).items()}
    with monkeypatch.context() as patch:
        patch.setattr("yatzy.storage.shutil.rmtree", stop)
        with pytest.raises(Stop):
            write_dataset(table, tmp_path / "b", 40)
    again = write_dataset(table, tmp_path / "b", 40)
    assert {k: pl.read_parquet(v).rows() for k, v in again.items()} == whole
    assert not list((tmp_path / "b").glob(".*"))


@pytest.mark.parametrize("kind", ["games", "data set"])
def test_damaged_parts_are_made_again_and_told_of(kind, tmp_path, monkeypatch):
    def run(folder, told=None):
        notice = told.append if told is not None else (lambda _: None)
        if kind == "games":
            return simulating.simulate_to_parquet(
                Optimal(solve(TINY)), 40, folder / "out.parquet", seed=3, context=Context(notice=notice)
            )
        return write_dataset(solve(TINY), folder, 40, seed=3, context=Context(threads=1, notice=notice))

    run(tmp_path / "right")
    right = contents(tmp_path / "right")
    random = seeded(7)
    for n in range(12):
        folder = tmp_path / str(n)
        folder.mkdir()
        stop_before_joining(monkeypatch, lambda folder=folder: run(folder))
        parts = sorted(file for file in left_behind(folder).iterdir() if file.name != "manifest")
        hurt = [parts[0], left_behind(folder) / "manifest"][n % 2]
        content = bytearray(hurt.read_bytes())
        if n < 2:
            content = bytearray()
        else:
            content[int(random.integers(0, len(content)))] ^= 1 << int(random.integers(0, 8))
        hurt.write_bytes(content)
        told: list[str] = []
        run(folder, told)
        assert contents(folder) == right
        if n != 1:  # an empty manifest is that of a run that was killed at its start
            assert told
            assert "again" in told[0]


def test_parts_of_another_policy_of_that_name_are_not_taken(tmp_path, monkeypatch):
    other = Greedy(TINY, name=Optimal(solve(TINY)).name)
    out = tmp_path / "out.parquet"
    stop_before_joining(monkeypatch, lambda: simulating.simulate_to_parquet(other, 40, out, seed=3))
    mean, _ = simulating.simulate_to_parquet(Optimal(solve(TINY)), 40, out, seed=3)
    assert mean == simulating.simulate(Optimal(solve(TINY)), 40, seed=3).mean
    assert identity(other) != identity(Optimal(solve(TINY)))


def test_a_part_that_was_not_listed_is_written_again(tmp_path):
    """A crash between a part and its line in the manifest."""
    parts = Parts(tmp_path / "out", ["x"])
    parts.add("one", 1, lambda half: half.write_text("1"))
    (parts.folder / "two").write_text("nonsense")
    with (parts.folder / "manifest").open("ab") as manifest:
        manifest.write(b'{"part": "tw')
    again = Parts(tmp_path / "out", ["x"])
    assert again.has("one")
    assert not again.has("two")
    again.add("two", 2, lambda half: half.write_text("22"))
    assert (again.folder / "two").read_text() == "22"
    third = Parts(tmp_path / "out", ["x"])
    assert third.has("one")
    assert third.has("two")
    assert third.rows(["one", "two"]) == 3
    third.remove()
    assert list(tmp_path.iterdir()) == []


def test_what_dead_processes_left_is_swept_and_what_lives_is_not(tmp_path):
    dead, young = tmp_path / ".x.1.half", tmp_path / ".y.2.half"
    for file in (dead, young):
        file.write_text("half")
    os.utime(dead, (1, 1))
    (tmp_path / ".z.gone").mkdir()
    with atomic_file(tmp_path / "live") as half:
        os.utime(half, (1, 1))
        sweep(tmp_path)
        assert half.exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == [".y.2.half", "live"]


def test_a_second_writer_waits_and_says_so(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from yatzy.storage import writer_lock\n"
        "with writer_lock(Path(sys.argv[1])): print('in', flush=True); time.sleep(float(sys.argv[2]))\n"
    )
    first = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "x"), "1.5"], stdout=subprocess.PIPE, text=True
    )
    assert first.stdout
    assert first.stdout.readline() == "in\n"
    told: list[str] = []
    with writer_lock(tmp_path / "x", told.append):
        assert first.wait(60) == 0
        first.stdout.close()
    assert len(told) == 1
    assert "another process is writing it" in told[0]
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_killed_process_is_free(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from yatzy.storage import writer_lock\n"
        "with writer_lock(Path(sys.argv[1])): print('in', flush=True); time.sleep(600)\n"
    )
    first = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "x")], stdout=subprocess.PIPE, text=True)
    assert first.stdout
    first.stdout.readline()
    first.stdout.close()
    first.send_signal(signal.SIGKILL)
    first.wait(60)
    with writer_lock(tmp_path / "x"):
        pass
    assert list(tmp_path.iterdir()) == []


# A process that has loaded everything, and forks: a child begins with its work, where it is to race or be killed.
FORKING = """
import json, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from games import TINY
from trust import forked
from trust.stored import seeded
from yatzy import solve
from yatzy.measure import simulate as simulating
from yatzy.policies.optimal import Optimal
simulating.GAMES_PER_BLOCK = 16
folder, player = Path(sys.argv[1]), Optimal(solve(TINY))
simulating.simulate(player, 32)
def work(name, seed, games):
    return lambda: simulating.simulate_to_parquet(player, games, folder / "out" / name, seed=seed)[0]
"""
RACE = """
running = [forked.start(work("out.parquet", seed, 200), folder / str(seed)) for seed in range(3)]
print(json.dumps([forked.finish(pid, folder / str(seed)).result for seed, pid in enumerate(running)]))
"""
KILLS = """
clean = forked.run(work("clean.parquet", 5, 800), folder / "told")
random, kills = seeded(11), 0
for _ in range(8):
    moment = float(random.uniform(0.05, 1.0)) * clean.seconds
    kills += forked.run(work("out.parquet", 5, 800), folder / "told", moment).status < 0
print(json.dumps([kills, clean.result, forked.run(work("out.parquet", 5, 800), folder / "told").result]))
"""


def forking(folder: Path, code: str) -> list[float]:
    """What the code tells, which works into `folder / "out"`."""
    (folder / "out").mkdir()
    command = [sys.executable, "-c", FORKING + code, str(folder), str(Path(__file__).parent.parent)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout)


# It all runs as plain Python too, which takes many times as long and sees nothing more.
pytestmark = pytest.mark.compiled


def test_races_on_one_output_never_mix(tmp_path):
    """Three processes, three seeds, one output: each tells its own mean, and the file is one of theirs."""
    right = [simulating.simulate(Optimal(solve(TINY)), 200, seed=seed) for seed in range(3)]
    assert forking(tmp_path, RACE) == [games.mean for games in right]
    scores = pl.read_parquet(tmp_path / "out" / "out.parquet")["score"].to_list()
    assert scores in [games.score.tolist() for games in right]
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["out.parquet"]


def test_real_kills(tmp_path):
    """Killed again and again at moments that a seed chooses, the work ends, and as if nothing had happened."""
    kills, clean, mean = forking(tmp_path, KILLS)
    assert kills > 0
    assert mean == clean == simulating.simulate(Optimal(solve(TINY)), 800, seed=5).mean
    out = tmp_path / "out"
    assert (out / "out.parquet").read_bytes() == (out / "clean.parquet").read_bytes()
    assert not [file for file in out.iterdir() if file.name.endswith((".parts", ".lock", ".gone"))]
