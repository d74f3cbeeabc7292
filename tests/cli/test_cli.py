"""The command line: one JSON object on stdout, one sentence on stderr, nothing imported or compiled in vain."""

import json
import math
import os
import subprocess
import sys

import polars as pl
import pytest

from yatzy import ValueTable, __version__
from yatzy.cli.app import COMMANDS, GROUPS
from yatzy.cli.spelling import modern
from yatzy.game.json import as_json as to_plain
from yatzy.lab.bench.ratios import BenchRow, Timed
from yatzy.measure.simulate import simulate
from yatzy.policies.registry import find_policy
from yatzy.rules import ruleset
from yatzy.solver.store import table_path

MAIN = "from yatzy.cli import main; main()"
# No jokers and no saved throws, as models and data sets want it; small, as its upper section does not count.
PLAIN = "yacht"


def in_a_process(*arguments, code=MAIN):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.compiled
def test_solve(as_json, table, home):
    found = as_json("solve")
    assert found.pop("seconds") > 0
    assert found == {
        "rules": "scandinavian", "fingerprint": table.rules.fingerprint, "theta": 0.0, "precision": "float64",
        "value": table.value(), "states": 1_430_528, "classes": table.space.n_classes,
        "path": str(home / "tables" / "scandinavian-theta0.0-float64.safetensors"),
    }  # fmt: skip


@pytest.mark.compiled
def test_solve_elsewhere_and_otherwise(as_json, tmp_path):
    found = as_json("solve", "--rules", "yahtzee", "--precision", "float32", "--threads", 1, "--home", tmp_path)
    assert found["value"] == pytest.approx(254.5877, abs=1e-3)
    assert os.listdir(tmp_path / "tables") == ["yahtzee-theta0.0-float32.safetensors"]


@pytest.mark.compiled
def test_value(as_json, table):
    assert as_json("value", "--filled", "ones,pair", "--upper", 3) == {
        "rules": "scandinavian", "theta": 0.0, "filled": ["ones", "one pair"], "upper": 3,
        "value": table.value(0b100_0001, 3),
    }  # fmt: skip


@pytest.mark.compiled
def test_value_is_a_certainty_equivalent(as_json):
    neutral, averse, seeking = (
        as_json("value", "--theta", theta, "--rules", PLAIN)["value"] for theta in (0, -0.05, 0.05)
    )
    assert averse < neutral < seeking


@pytest.mark.compiled
def test_advise(as_json, table):
    found = as_json("advise", "2 5 5 5 6", "--rerolls", 1, "--filled", "ones", "--upper", 3)
    expected = table.advise("2 5 5 5 6", 1, "ones", 3)
    actions = [(a["action"], a["value"], a["regret"]) for a in found.pop("actions")]
    assert actions == [(str(a.action), a.value, a.regret) for a in expected]
    assert found == {
        "rules": "scandinavian", "theta": 0.0, "goal": "mean", "dice": [2, 5, 5, 5, 6], "rerolls": 1,
        "filled": ["ones"], "upper": 3, "value": expected.value, "lead": expected.lead,
    }  # fmt: skip


EVALUATION_KEYS = {
    "policy", "rules", "theta", "mean", "sd", "skewness", "bonus_rate", "yatzy_rate", "quantiles", "pmf",
    "categories", "populations", "cut", "seconds",
}  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize("command", [("evaluate", "heuristic"), ("distribution", "heuristic")])
def test_evaluate_and_distribution(as_json, evaluation_of, command):
    found = as_json(*command, "--rules", PLAIN)
    exact = evaluation_of("heuristic", 0.0, PLAIN)
    assert set(found) == EVALUATION_KEYS
    told = json.loads(json.dumps(to_plain(exact)))
    assert {key: found[key] for key in told} == told
    assert math.fsum(found["pmf"]) == pytest.approx(1, abs=1e-12)
    assert list(found["quantiles"]) == ["0.01", "0.05", "0.1", "0.25", "0.5", "0.75", "0.9", "0.95", "0.99"]


@pytest.mark.compiled
def test_simulate(as_json):
    found = as_json("simulate", "--games", 1_000, "greedy", "--seed", 5, "--rules", "yahtzee")
    games = simulate(find_policy("greedy", "yahtzee"), 1_000, seed=5)
    assert found.pop("seconds") > 0
    assert found == {
        "policy": "greedy", "rules": "yahtzee", "theta": 0.0, "games": 1_000, "seed": 5, "mean": games.mean,
        "sd": games.sd, "standard_error": games.standard_error, "bonus_rate": games.bonus.mean(),
        "yatzy_rate": games.yatzy.mean(),
    }  # fmt: skip


@pytest.mark.compiled
def test_simulate_to_a_file(as_json, tmp_path):
    out = tmp_path / "games.parquet"
    found = as_json("simulate", "--games", 500, "heuristic", "--rules", "yahtzee", "--out", out)
    assert found["out"] == str(out)
    assert pl.read_parquet(out)["score"].mean() == pytest.approx(found["mean"], abs=1e-12)


@pytest.mark.compiled
def test_simulate_compares_on_the_same_dice(as_json):
    """Paired games: the interval is narrower than that of games apart; with itself there is none."""
    command = ("simulate", "--games", 5_000, "greedy", "--rules", "yahtzee", "--compare")
    found = as_json(*command, "heuristic")
    other = found["compare"]
    low, high = other["interval"]
    assert other["difference"] == pytest.approx(found["mean"] - other["mean"], abs=1e-9)
    assert low < other["difference"] < high
    assert high - low < 2 * 1.96 * math.hypot(found["standard_error"], found["standard_error"])
    assert as_json(*command, "greedy")["compare"] == {
        "policy": "greedy", "mean": found["mean"], "difference": 0.0, "interval": [0.0, 0.0],
    }  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("family", "sizes", "name"),
    [("imitation-trees", ("--depth", "3"), "tree-depth-3"), ("networks", ("--hidden", "8,4"), "network-8-4")],
)
def test_distill(as_json, home, family, sizes, name):
    """Trained into --home, found there by its name, and kept by the next run."""
    command = ("distill", family, *sizes, "--games", 50, "--seed", 2, "--rules", PLAIN)
    found = as_json(*command, "--measure")
    file = home / "students" / PLAIN / f"{name}.safetensors"
    (model,) = found["models"]
    assert (model["name"], model["file"], found["rules"]) == (name, str(file), PLAIN)
    assert as_json("evaluate", name, "--rules", PLAIN)["mean"] == model["mean"]
    written = file.stat().st_mtime_ns
    assert as_json(*command)["models"][0]["parameters"] == model["parameters"]
    assert file.stat().st_mtime_ns == written


@pytest.mark.compiled
def test_dataset(as_json, tmp_path):
    found = as_json("dataset", "--games", 20, "--rules", PLAIN, "--out", tmp_path)
    assert found.pop("seconds") > 0
    assert found == {
        "rules": PLAIN, "games": 20, "seed": 0,
        "files": {
            name: {"file": str(tmp_path / f"{name}_decisions.parquet"), "rows": 20 * 12}
            for name in ("category", "reroll1", "reroll2")
        },
    }  # fmt: skip
    assert len(pl.read_parquet(tmp_path / "reroll2_decisions.parquet")) == 20 * 12


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("options", "policy"),
    [
        ((), "optimal"),
        (("greedy", "--values"), "greedy"),
        (("softened", "--temperature", "0.5"), "softened, temperature 0.5"),
    ],
)
def test_dataset_of_situations(as_json, evaluation_of, home, options, policy):
    found = as_json("dataset", "--draws", 400, "--seed", 3, "--rules", PLAIN, *options)
    assert (found["policy"], found["draws"], found["seed"]) == (policy, 400, 3)
    optimal = evaluation_of("optimal", 0.0, PLAIN).mean
    if policy.startswith("softened"):
        assert optimal - 60 < found["mean"] < optimal
    else:
        assert found["mean"] == pytest.approx(evaluation_of(policy, 0.0, PLAIN).mean, abs=1e-9)
    for entry in found["files"].values():
        frame = pl.read_parquet(entry["file"])
        assert entry["file"].startswith(str(home / "datasets"))
        assert len(frame) == entry["rows"] <= 400
        assert frame["weight"].sum() == pytest.approx(12)
        assert any(name.startswith("value_") for name in frame.columns) == ("--values" in options)


@pytest.mark.compiled
def test_sweep(as_json, tmp_path):
    grid = tmp_path / "grid.toml"
    grid.write_text("theta = [0.05, 0.0]")
    found = as_json("sweep", grid, "--rules", PLAIN, "--out", tmp_path / "out")
    assert [point["theta"] for point in found["points"]] == [0.0, 0.05]
    assert {"rules", "fingerprint", "version", "points", "slopes", "seconds", "out"} == set(found)
    assert {"value", "mean", "sd", "bonus_rate", "yatzy_rate", "quantiles", "pmf"} <= set(found["points"][0])
    # All is kept: the second time it only has to be read.
    again = as_json("sweep", grid, "--rules", PLAIN, "--out", tmp_path / "out")
    assert again["points"] == found["points"]


def test_bench(as_json, monkeypatch):
    """What is timed is tested elsewhere; here is how it is told."""
    timed = Timed(1, 1, (BenchRow("solve", 0.5, 4.0, "as fast"),))
    monkeypatch.setattr("yatzy.lab.bench.ratios.bench_solver", lambda repeats, threads: timed)
    assert as_json("bench", "solve", "--repeats", 1) == {
        "solve": {
            "threads": 1,
            "repeats": 1,
            "rows": [{"name": "solve", "seconds": 0.5, "ratio": 4.0, "versus": "as fast"}],
        }
    }


TABLES = [
    (("solve", "--rules", "yahtzee"), "254.58"),
    (("value", "--rules", "yahtzee"), "254.58"),
    (("advise", "66666", "--rules", "yahtzee", "--top", "1"), "score yahtzee"),
    (("evaluate", "heuristic", "--rules", PLAIN), "Little Straight"),
    (("distribution", "heuristic", "--rules", "yahtzee"), "bonus and Yatzy"),
    (
        ("distribution", "--filled", "ones", "--points", "1", "heuristic", "--rules", PLAIN),
        "from ones",
    ),
    (("simulate", "--games", "100", "random", "--rules", "yahtzee"), "over 100 games"),
]


@pytest.mark.compiled
def test_a_sweep_is_drawn(yatzy, tmp_path):
    grid = tmp_path / "grid.toml"
    grid.write_text("theta = [-0.05, 0.0, 0.05]")
    status, out, _ = yatzy("sweep", grid, "--rules", PLAIN, "--out", tmp_path / "out")
    assert status == 0
    lines = out.splitlines()
    assert [line for line in lines if "+0.05" in line and "-0" not in line]
    marks = [
        line.partition("│")[2].strip() for line in lines if "│" in line and line[:8].strip(" .0123456789") == ""
    ]
    assert sorted(mark for line in marks for mark in line if mark in "+-o") == ["+", "-", "o"]
    assert "SD (across), mean (up)" in out
    assert "3 thetas in " in out


@pytest.mark.compiled
@pytest.mark.parametrize(("command", "shown"), TABLES, ids=lambda x: x[0] if isinstance(x, tuple) else None)
def test_without_json_a_person_can_read_it(yatzy, command, shown):
    status, out, err = yatzy(*command)
    assert (status, err) == (0, "")
    assert shown in out


BAD_INPUT = [
    (("advise", "1 2 3 4 7"), "dice: '1 2 3 4 7' has a face outside 1..6"),
    (("advise", "0 2 3 4 5"), "dice: '0 2 3 4 5' has a face outside 1..6"),
    (("advise", "1 2 3 4"), "dice: '1 2 3 4' has 4 dice; exactly 5 are needed"),
    (("advise", "123456"), "dice: '123456' has 6 dice"),
    (("advise", "some"), "dice: 'some' is not a list of faces"),
    (("advise", ""), "dice: '' has 0 dice"),
    (("advise",), "Missing argument 'DICE'"),
    (("advise", "13356", "--rerolls", "3"), "rerolls: 3 is not allowed; allowed are 0, 1, 2"),
    (("advise", "13356", "--rerolls", "-1"), "rerolls: -1 is not allowed"),
    (("advise", "13356", "--rerolls", "two"), "Invalid value for '--rerolls'"),
    (("advise", "13356", "--filled", "poker"), "category: 'poker' is not known; allowed are Ones, Twos,"),
    (("advise", "13356", "--filled", "ones", "--upper", "6"), "upper: 6 cannot occur with filled 'ones'"),
    (("value", "--filled", "poker"), "category: 'poker' is not known"),
    (("value", "--filled", "ones,ones"), "filled: 'ones' is named twice"),
    (("value", "--filled", "pair,one pair"), "filled: 'one pair' is named twice"),
    (("value", "--filled", "0b11"), "category: '0b11' is not known"),
    (("value", "--filled", "ones", "--upper", "7"), "upper: 7 cannot occur with filled 'ones'; allowed: 0..5"),
    (("value", "--upper", "64"), "upper: 64 is outside 0..63"),
    (("value", "--upper", "-1"), "upper: -1 is outside 0..63"),
    (("value", "--upper", "ten"), "Invalid value for '--upper'"),
    (("value", "--theta", "nan"), "theta: nan is not a finite number"),
    (("value", "--theta", "inf"), "theta: inf is not a finite number"),
    (("solve", "--theta", "much"), "Invalid value for '--theta'"),
    (("solve", "--theta", "100"), "theta: 100.0 is too far from 0 for scandinavian"),
    (("solve", "--theta", "1e-12"), "theta: 1e-12 is too near 0"),
    (("solve", "--rules", "poker"), "rules: 'poker' is not known; allowed are scandinavian"),
    (("solve", "--precision", "float16"), "precision: 'float16' is not allowed"),
    (("solve", "--theta", "0.1", "--precision", "float32"), "precision: 'float32' is not allowed with theta 0.1"),
    (("solve", "--threads", "0"), "threads: 0 is not allowed"),
    (("evaluate", "perfect"), "policy: 'perfect' is not known; allowed are optimal, heuristic, greedy, random"),
    (("evaluate", "heuristic", "--theta", "0.1"), "theta: 0.1 applies only to the optimal policy"),
    (("distribution", "perfect"), "policy: 'perfect' is not known"),
    (("distribution", "--rules", "maxi+"), "rules: '' is not a switch of maxi"),
    (("simulate", "--games", "0"), "games: 0 is not allowed; allowed is a whole number, 1"),
    (("simulate", "--games", "many"), "Invalid value for '--games'"),
    (("simulate", "--seed", "-1"), "seed: -1 is not allowed"),
    (("simulate", "perfect"), "policy: 'perfect' is not known"),
    (("simulate", "greedy", "--compare", "perfect"), "policy: 'perfect' is not known"),
    (("simulate", "--compare", "greedy", "--out", "x.parquet"), "out: writes the games of one policy"),
    (("simulate", "greedy", "--out", "/"), "out: / is a folder; allowed is a file"),
    (
        ("simulate", "heuristic", "--out", "/dev/null/x.parquet"),
        "out: /dev/null/x.parquet cannot be written",
    ),
    (("sweep", "/nowhere.toml"), "grid: there is no file /nowhere.toml"),
    (("sweep", "--engine", "spark"), "engine: 'spark' is not known; allowed are local, dask"),
    (("sweep", "--scheduler", "tcp://x:1"), "scheduler: 'tcp://x:1' is for the engine dask only"),
    (("dataset", "--games", "0"), "games: 0 is not allowed; allowed is a whole number, 1"),
    (("dataset", "--format", "xml"), "format: 'xml' is not known; allowed are parquet, csv"),
    (("dataset", "greedy"), "policy: 'greedy' needs --draws or --complete"),
    (("dataset", "--temperature", "2"), "temperature: 2.0 needs --draws or --complete"),
    (("dataset", "--draws", "0"), "draws: 0 is not allowed; allowed is a whole number, 1"),
    (("dataset", "--draws", "9", "--seed", "-1"), "seed: -1 is not allowed"),
    (("dataset", "--draws", "9", "--complete"), "draws: 9 cannot go with --complete"),
    (("dataset", "--draws", "9", "--games", "9"), "games: 9 cannot go with --draws or --complete"),
    (("dataset", "--complete", "--games", "9"), "games: 9 cannot go with --draws or --complete"),
    (("dataset", "--complete", "--seed", "9"), "seed: 9 cannot go with --complete"),
    (("dataset", "--draws", "9", "perfect"), "policy: 'perfect' is not known; allowed are softened,"),
    (
        ("dataset", "--draws", "9", "greedy", "--temperature", "2"),
        "temperature: 2.0 is for the policy",
    ),
    (("dataset", "--draws", "9", "--temperature", "2"), "temperature: 2.0 is for the policy 'softened' only"),
    (
        ("dataset", "--draws", "9", "softened", "--temperature", "0"),
        "temperature: 0.0 is not allowed; allowed is a finite number above 0",
    ),
    (
        ("distill", "bees"),
        "family: 'bees' is not known; allowed are imitation-trees, networks, value, regret-trees",
    ),
    (("distill", "value", "--name", "value-1"), "name: 'value-1' is not known; allowed are value-18,"),
    (("distill", "imitation-trees", "--depth", "-1"), "depth: -1 is not allowed; allowed is a whole number, 0"),
    (("distill", "imitation-trees", "--weighting", "x"), "weighting: 'x' is not known; allowed are equal, gap,"),
    (("distill", "networks", "--weighting", "gap-balanced"), "weighting: 'gap-balanced' is not for networks;"),
    (("distill", "networks", "--hidden", "8,x"), "hidden: '8,x' is not a list of widths such as 64,32"),
    (("distill", "networks", "--games", "0"), "games: 0 is not allowed; allowed is a whole number, 1"),
    (("bench", "everything"), "part: 'everything' is not known"),
    (("bench", "solve", "--repeats", "0"), "repeats: 0 is not allowed; allowed is a whole number, 1"),
    (("conquer",), "command: 'conquer' is not known; allowed are solve"),
    (("solve", "--fast"), "No such option: --fast"),
]


@pytest.mark.parametrize(
    ("command", "sentence"), BAD_INPUT, ids=lambda x: " ".join(x) if isinstance(x, tuple) else ""
)
@pytest.mark.parametrize("json_too", [False, True])
def test_bad_input_is_one_sentence_that_names_the_field(yatzy, command, sentence, json_too):
    """Before anything is solved or played: in plain Python these would take hours."""
    status, out, err = yatzy(*command, *(["--json"] if json_too and command != ("conquer",) else []))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith(f"yatzy: {sentence}")


@pytest.mark.parametrize("content", ["theta = [", "theta = []", "rho = [1]", "theta = [1, 1]", "theta = ['a']"])
def test_a_bad_grid_file_is_one_sentence(yatzy, tmp_path, content):
    grid = tmp_path / "grid.toml"
    grid.write_text(content)
    status, out, err = yatzy("sweep", grid)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("yatzy: grid: ")


@pytest.mark.compiled
def test_a_finished_game_has_no_advice(yatzy):
    everything = ",".join(category.name for category in ruleset().categories)
    status, out, err = yatzy("advise", "13356", "--filled", everything)
    assert (status, out) == (2, "")
    assert err == "yatzy: filled: the game is finished, no category is open\n"


@pytest.mark.compiled
def test_a_home_that_is_a_file_is_one_sentence(yatzy, tmp_path):
    file = tmp_path / "file"
    file.touch()
    status, out, err = yatzy("value", "--rules", "yahtzee", "--home", file)
    assert (status, err.count("\n")) == (0, 1)
    assert out.startswith("254.58")
    assert err.startswith(f"yatzy: {file}/tables/yahtzee-theta0.0-float64.safetensors cannot be written")


@pytest.mark.compiled
@pytest.mark.parametrize("damage", ["flipped", "cut", "text"])
def test_a_corrupt_table_is_reported_and_solved_again(yatzy, tmp_path, damage):
    rules = ruleset("yahtzee")
    command = ("value", "--json", "--rules", "yahtzee", "--home", tmp_path)
    _, expected, _ = yatzy(*command)
    path = table_path(rules, 0.0, "float64", tmp_path)
    good = path.read_bytes()
    damaged = {"flipped": good[:-1] + bytes([good[-1] ^ 1]), "cut": good[:-8], "text": b"not a table"}[damage]
    path.write_bytes(damaged)
    status, out, err = yatzy(*command)
    assert (status, out) == (0, expected)
    assert err.startswith((f"yatzy: {path} is not", f"yatzy: {path} was damaged"))
    assert err.endswith("; solving again\n")
    assert err.count("\n") == 1
    assert ValueTable.load(path).value() == json.loads(expected)["value"]
    assert yatzy(*command) == (0, expected, "")


def test_version_and_help(yatzy):
    assert yatzy("--version") == (0, f"yatzy {__version__}\n", "")
    status, out, err = yatzy("--help")
    assert (status, err) == (0, "")
    for command in ("solve", "value", "advise", "evaluate", "distribution", "simulate", "sweep", "bench"):
        assert f"\n  {command} " in out
    assert yatzy() == (status, out, err)


@pytest.mark.parametrize(
    "command", ["solve", "value", "advise", "evaluate", "distribution", "simulate", "sweep", "dataset", "bench"]
)
def test_every_command_explains_itself(yatzy, command):
    status, out, err = yatzy(command, "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"Usage: yatzy {command} ")
    assert "--json" in out


@pytest.mark.parametrize("arguments", [("--help",), (), ("--version",)])
def test_the_overview_imports_nothing_heavy(arguments):
    code = (
        "import atexit, sys\n"
        "heavy = {'numpy', 'numba', 'polars', 'safetensors'}\n"
        "atexit.register(lambda: sys.stderr.write(' '.join(sorted(heavy & set(sys.modules)))))\n" + MAIN
    )
    ended = in_a_process(*arguments, code=code)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "yatzy" in ended.stdout.lower()


@pytest.mark.compiled
def test_a_process_of_its_own_prints_the_same(yatzy):
    command = ("advise", "13356", "--json", "--rules", "yahtzee")
    ended = in_a_process(*command)
    assert (ended.returncode, ended.stdout, ended.stderr) == yatzy(*command)


def test_a_process_of_its_own_ends_with_status_2():
    ended = in_a_process("advise", "1 2 3")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "yatzy: dice: '1 2 3' has 3 dice; exactly 5 are needed\n"


@pytest.mark.compiled
def test_the_second_start_does_not_compile(policy_of):
    """What this process has compiled, or found compiled, the next one finds in Numba's cache."""
    simulate(policy_of("optimal", 0.0, "yahtzee"), 10)
    code = (
        "from yatzy import solve\n"
        "from yatzy.measure import simulate\n"
        "from yatzy.policies import policy\n"
        "from yatzy.policies.optimal import Optimal\n"
        "from yatzy.turn.kernels.decisions import decide_states\n"
        "simulate.simulate(Optimal(solve('yahtzee')), 10)\n"
        "kernels = [decide_states, policy._first_illegal, simulate.play_games]\n"
        "for kernel in kernels:\n"
        "    print(sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values()))\n"
    )
    ended = in_a_process(code=code)
    assert ended.stderr == ""
    assert ended.stdout.splitlines() == ["1 0"] * 3


@pytest.mark.parametrize(
    ("shell", "asked"),
    [
        ("bash", {"COMP_WORDS": "yatzy adv", "COMP_CWORD": "1"}),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "yatzy adv"}),
        ("fish", {"_TYPER_COMPLETE_ARGS": "yatzy adv", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ],
)
def test_a_shell_completes_commands(shell, asked):
    """What the script that a shell is given asks for while somebody types."""
    environment = os.environ | asked | {"_YATZY_COMPLETE": f"complete_{shell}"}
    code = "import sys; sys.argv = ['yatzy']; from yatzy.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert "advise" in done.stdout
    assert "simulate" not in done.stdout


@pytest.mark.compiled
def test_fewer_rows_than_draws_say_why(yatzy, tmp_path):
    """The first situations of a game are drawn again and again."""
    status, out, _ = yatzy("dataset", "--draws", 20_000, "--rules", PLAIN, "--out", tmp_path / "data")
    assert status == 0
    assert "of 20,000 draws, those of the same situation are one row, with all of their weight" in out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["rules", "list"], ["lists", "list"]),
        (["simulate", "--games", "5", "--policy", "greedy"], ["simulate", "greedy", "--games", "5"]),
        (["distribution", "--policy=greedy", "--json"], ["distribution", "greedy", "--json"]),
        (["sweep", "--grid", "-"], ["sweep", "-"]),
    ],
)
def test_old_spellings_say_the_new_one(old, new):
    arguments, sentence = modern(old)
    assert arguments == new
    assert "the old spelling works until 0.5" in sentence
    assert modern(new) == (new, None)


def test_an_old_spelling_still_works(yatzy):
    status, out, err = yatzy("rules", "list")
    assert (status, out) == yatzy("lists", "list")[:2]
    assert err == "yatzy: yatzy rules is spelled yatzy lists today; the old spelling works until 0.5\n"


def test_every_command_is_in_a_group_and_can_be_quiet(yatzy):
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)
    for command in ("solve", "lists", "pareto"):
        assert "--quiet, -q" in yatzy(command, "--help")[1].replace("-q, --quiet", "--quiet, -q")
