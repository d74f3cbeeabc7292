"""The theta grid: read, swept, taken up again after a kill; and what the mean pays for variance."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from functools import wraps
from itertools import pairwise

import polars as pl
import pytest

from games import THREE_DICE
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.game.json import as_json
from yatzy.lab.studies import sweep as study
from yatzy.lab.studies.sweep import default_grid, read_grid, sweep
from yatzy.measure.exact import evaluate
from yatzy.policies.optimal import Optimal

THETAS = [0.3, -0.2, 0.0]

# Five dice and twelve boxes, solved and evaluated in a tenth of a second: it has no bonus.
QUICK_GAME = "yacht"


def without_seconds(points):
    """Points as they must be whenever and wherever they are computed."""
    return [{key: value for key, value in asdict(point).items() if key != "seconds"} for point in points]


def point_files(folder):
    return sorted(folder.glob("points/*/*.json"))


def test_default_grid_is_even_about_zero_and_dense_there():
    grid = default_grid()
    assert len(grid) == 37
    assert grid == sorted(grid)
    assert (grid[0], grid[18], grid[-1]) == (-3.0, 0.0, 3.0)
    assert grid == [-theta for theta in reversed(grid)]
    steps = [b - a for a, b in pairwise(grid[18:])]
    assert steps[0] == min(steps)
    assert steps[-1] == max(steps)


def test_a_grid_is_read_and_sorted(tmp_path):
    path = tmp_path / "grid.toml"
    path.write_text("# risk\ntheta = [1, -0.5, 0]\n")
    assert read_grid(path) == [-0.5, 0.0, 1.0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("theta = [", "is not TOML"),
        (b"theta = [1]\n# \xff", "is not text in UTF-8"),
        ("thetas = [1]", "has no list 'theta'"),
        ("", "has no list 'theta'"),
        ("theta = []", "is not a list of different finite numbers"),
        ("theta = 1.0", "is not a list"),
        ("theta = 'all'", "is not a list"),
        ("theta = ['1']", "is not a list"),
        ("theta = [[1]]", "is not a list"),
        ("theta = [true]", "is not a list"),
        ("theta = [0.1, 0.1]", "is not a list"),
        ("theta = [1, 1.0]", "is not a list"),
        ("theta = [nan]", "is not a list"),
        ("theta = [inf]", "is not a list"),
        ("theta = [1" + "0" * 400 + "]", "is not a list"),
    ],
    ids=lambda text: repr(text)[:30],
)
def test_a_bad_grid_is_refused_in_one_sentence(tmp_path, content, message):
    path = tmp_path / "grid.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(YatzyError, match=f"^grid: .*grid.toml {message}"):
        read_grid(path)


def test_a_grid_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(YatzyError, match=r"^grid: there is no file .*none\.toml$"):
        read_grid(tmp_path / "none.toml")
    with pytest.raises(YatzyError, match=r"^grid: .* is a folder; allowed is a file$"):
        read_grid(tmp_path)


def test_a_sweep_solves_and_evaluates_every_theta(small_rules, tmp_path):
    seen = []
    found = sweep(
        THETAS, tmp_path, small_rules, context=Context(progress=lambda done, total: seen.append((done, total)))
    )
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert [point.theta for point in found.points] == sorted(THETAS)
    for point in found.points:
        table = solve(small_rules, point.theta)
        exact = evaluate(Optimal(table))
        assert point.value == table.value()
        assert (point.mean, point.sd, point.bonus_rate) == (exact.mean, exact.sd, exact.bonus_rate)
        assert point.quantiles == exact.distribution.quantiles
        assert point.pmf == exact.distribution.pmf.tolist()
    # Only theta 0 plays for the mean; a risk-seeker's certainty equivalent is above his mean.
    averse, neutral, seeking = found.points
    assert neutral.mean == pytest.approx(neutral.value, abs=1e-9)
    assert neutral.mean > max(averse.mean, seeking.mean)
    assert averse.value < averse.mean
    assert seeking.value > seeking.mean


def test_results_are_written_as_json_and_parquet(small_rules, tmp_path):
    found = sweep(THETAS, tmp_path, small_rules)
    assert json.loads((tmp_path / "sweep.json").read_text()) == as_json(found)
    frame = pl.read_parquet(tmp_path / "sweep.parquet")
    assert frame["theta"].to_list() == sorted(THETAS)
    assert frame["mean"].to_list() == [point.mean for point in found.points]
    assert frame["p95"].to_list() == [point.quantiles["0.95"] for point in found.points]
    assert frame["pmf"].to_list() == [point.pmf for point in found.points]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["points", "sweep.json", "sweep.parquet"]


def test_finished_thetas_are_kept(small_rules, tmp_path, monkeypatch):
    first = sweep(THETAS, tmp_path, small_rules)
    asked = []
    original = study.evaluate_theta

    @wraps(original)
    def counted(theta, rules):
        asked.append(theta)
        return original(theta, rules)

    monkeypatch.setattr(study, "evaluate_theta", counted)
    again = sweep([*THETAS, 0.5], tmp_path, small_rules)
    assert asked == [0.5]
    assert again.points[:-1] == first.points
    # A point that cannot be read is computed again.
    path = point_files(tmp_path)[0]
    path.write_text(path.read_text()[:100])
    mended = sweep(THETAS, tmp_path, small_rules)
    assert len(asked) == 2
    assert without_seconds(mended.points) == without_seconds(first.points)


@pytest.mark.parametrize("change", [{"bonus": 14}, {"rerolls": 1}, {"categories": THREE_DICE.categories[1:]}])
def test_points_of_other_rules_are_not_taken(small_rules, tmp_path, change):
    """Though they have the same name."""
    other = replace(small_rules, **change)
    [first], [point] = (sweep([0.0], tmp_path, rules).points for rules in (small_rules, other))
    assert point.value == solve(other).value() != first.value


def test_points_of_other_code_are_not_taken(small_rules, tmp_path, monkeypatch):
    sweep([0.0], tmp_path, small_rules)
    monkeypatch.setattr(study, "source_digest", lambda _: "another")
    sweep([0.0], tmp_path, small_rules)
    assert len(point_files(tmp_path)) == 2


def test_a_theta_beyond_what_is_safe_is_refused_and_the_rest_kept(small_rules, tmp_path):
    with pytest.raises(YatzyError, match=r"^theta: 400\.0 is too far from 0 for three-dice"):
        sweep([0.0, 400.0], tmp_path, small_rules)
    assert [path.name for path in point_files(tmp_path)] == ["theta0.0.json"]
    assert not (tmp_path / "sweep.json").exists()


# The second theta of this process takes for ever.
WAITING = """
import functools, threading
from yatzy.lab.studies import sweep
original, asked = sweep.evaluate_theta, []
@functools.wraps(original)
def wait(theta, rules):
    asked.append(theta)
    if len(asked) > 1:
        threading.Event().wait()
    return original(theta, rules)
sweep.evaluate_theta = wait
"""


@pytest.mark.compiled
def test_a_killed_sweep_is_taken_up_where_it_was(tmp_path):
    """A real kill of the real command, once the first theta is finished: it then waits for the kill."""
    grid, out = tmp_path / "grid.toml", tmp_path / "out"
    thetas = [0.0, 0.05, 0.1]
    grid.write_text(f"theta = {thetas}")
    main = "from yatzy.cli import main; main()"
    words = ["sweep", "--json", "--rules", QUICK_GAME, str(grid), "--out", str(out)]
    command = [sys.executable, "-c", main, *words]
    waiting = [sys.executable, "-c", WAITING + main, *words]
    with subprocess.Popen(waiting, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        deadline = time.monotonic() + 60
        while not point_files(out) and time.monotonic() < deadline:
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        printed = child.stdout.read()
    assert child.returncode == -signal.SIGKILL
    assert printed == b""
    finished = {path: os.stat(path).st_mtime_ns for path in point_files(out)}
    assert 1 <= len(finished) < len(thetas)
    assert not (out / "sweep.json").exists()

    again = subprocess.run(command, capture_output=True, check=True, text=True)
    assert len(point_files(out)) == len(thetas)
    assert {path: os.stat(path).st_mtime_ns for path in finished} == finished
    unharmed = sweep(thetas, tmp_path / "unharmed", QUICK_GAME)
    resumed = json.loads(again.stdout)
    for point, expected in zip(resumed["points"], unharmed.points, strict=True):
        assert point | {"seconds": 0} == asdict(expected) | {"seconds": 0}
    assert resumed["slopes"] == as_json(unharmed)["slopes"]


@pytest.mark.compiled
def test_the_mean_pays_half_of_theta_for_variance(tmp_path):
    """dE/dVar = -theta / 2 near 0, on either side."""
    found = sweep([-0.005, 0.0, 0.005], tmp_path, QUICK_GAME)
    assert [(slope.theta_from, slope.theta_to) for slope in found.slopes] == [(-0.005, 0.0), (0.0, 0.005)]
    for slope, predicted in zip(found.slopes, (0.00125, -0.00125), strict=True):
        assert slope.predicted == predicted
        assert slope.measured == pytest.approx(predicted, rel=0.1)


@pytest.mark.compiled
def test_published_sweep_finds_its_points_again(monkeypatch, tmp_path):
    monkeypatch.setattr(study, "default_grid", lambda: [0.0])
    found = study.sweep_default_grid("yacht", Context(tmp_path))
    assert found.key_figures["highest_mean"] == pytest.approx(166.9550677045723, abs=1e-9)
    assert study.sweep_default_grid("yacht", Context(tmp_path)).points == found.points
