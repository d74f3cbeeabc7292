"""`--json` of every command: the keys that docs/formats.md lists, and what the shared ones hold."""

import json
import math
from numbers import Real

import pytest

from test_docs import json_keys
from yatzy.coach.game import play_logs
from yatzy.coach.log import write_logs
from yatzy.policy.registry import named_policy

pytestmark = pytest.mark.compiled


def is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def is_share(value):
    return is_number(value) and -1e-12 <= value <= 1 + 1e-12


# What a key holds wherever it occurs.
SCHEMA = {
    "rules": lambda value: isinstance(value, str),
    "policy": lambda value: isinstance(value, str),
    "theta": is_number,
    "value": lambda value: value is None or is_number(value),
    "mean": is_number,
    "sd": lambda value: is_number(value) and value >= 0,
    "seconds": lambda value: is_number(value) and value >= 0,
    "bonus_rate": is_share,
    "yatzy_rate": is_share,
    "chance": is_share,
    "pmf": lambda value: all(map(is_share, value)) and abs(math.fsum(value) - 1) < 1e-9,
    "quantiles": lambda value: list(value.values()) == sorted(value.values()),
    "filled": lambda value: all(isinstance(name, str) for name in value),
    "upper": lambda value: isinstance(value, int) and value >= 0,
    "actions": lambda value: all({"action", "value", "regret"} <= set(one) for one in value),
    "fingerprint": lambda value: len(value) == 16,
}

LATE = "ones,twos,threes,fours,fives,sixes,house,four of a kind,choice @ 0"
CASES = [
    ("solve", ["solve", "--rules", "yacht"]),
    ("games", ["games", "--rules", "yacht"]),
    ("value", ["value", "ones @ 0", "--rules", "yacht"]),
    ("advise", ["advise", "1", "3", "3", "5", "6", "--rules", "yacht"]),
    ("chance", ["chance", "--target", "60", "--filled", LATE, "--points", "60", "--rules", "yacht"]),
    ("evaluate", ["evaluate", "heuristic", "--rules", "yacht"]),
    ("evaluate", ["distribution", "--policy", "heuristic", "--rules", "yacht"]),
    (
        "distribution",
        ["distribution", "--policy", "heuristic", "--rules", "yacht", "--filled", LATE, "--points", "60"],
    ),
    ("simulate", ["simulate", "--games", "20", "--policy", "random", "--rules", "yacht", "--compare", "greedy"]),
    ("dataset", ["dataset", "--draws", "50", "--rules", "yacht", "--out", "data"]),
    ("review", ["review", "game.json"]),
]


@pytest.mark.parametrize(("command", "arguments"), CASES, ids=[" ".join(case[1][:2]) for case in CASES])
def test_one_object_with_the_documented_keys(as_json, tmp_path, monkeypatch, command, arguments):
    monkeypatch.chdir(tmp_path)
    if command == "review":
        write_logs(play_logs(named_policy("random", "yacht"), 1), tmp_path / "game.json")
    found = as_json(*arguments)
    assert json.loads(json.dumps(found)) == found
    state = {"filled", "upper", "points", "target", "chance"} if command == "distribution" else set()
    assert set(found) <= json_keys(command) | state
    for key, value in found.items():
        assert SCHEMA.get(key, lambda _: True)(value), key


def test_several_policies_are_a_list(as_json):
    found = as_json("evaluate", "random", "heuristic", "--rules", "yacht")
    assert set(found) == {"rules", "evaluations"}
    assert [one["policy"] for one in found["evaluations"]] == ["random", "heuristic"]
    assert found["evaluations"][1] == as_json("evaluate", "heuristic", "--rules", "yacht") | {
        "seconds": found["evaluations"][1]["seconds"]
    }


def test_a_distribution_from_a_state_ends_where_evaluation_does(as_json):
    """From the start both are one number; from a state, points shift it."""
    plain = as_json(
        "distribution", "--policy", "heuristic", "--rules", "yacht", "--filled", LATE, "--points", "60"
    )
    more = as_json("distribution", "--policy", "heuristic", "--rules", "yacht", "--filled", LATE, "--points", "70")
    assert more["mean"] == pytest.approx(plain["mean"] + 10)


def test_stdin_is_read_for_a_dash(yatzy, monkeypatch, tmp_path):
    file = write_logs(play_logs(named_policy("random", "yacht"), 1), tmp_path / "game.json")
    from_stdin = yatzy("review", "-", "--json", lines=file.read_text().splitlines())
    assert from_stdin == yatzy("review", file, "--json")


def test_a_file_of_games_says_where_it_comes_from(yatzy, tmp_path):
    import polars as pl

    out = tmp_path / "games.parquet"
    yatzy("simulate", "--games", "5", "--policy", "random", "--rules", "yacht", "--seed", "3", "--out", out)
    about = pl.read_parquet_metadata(out)
    assert (about["rules"], about["policy"], about["seed"], about["games"]) == ("yacht", "random", "3", "5")
    assert about["command"].startswith("yatzy simulate --games 5")
    yatzy("dataset", "--draws", "50", "--rules", "yacht", "--out", tmp_path)
    about = pl.read_parquet_metadata(tmp_path / "category_decisions.parquet")
    assert (about["policy"], about["draws"]) == ("optimal", "50")
