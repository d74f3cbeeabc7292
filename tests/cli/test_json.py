"""`--json` of every command: one object, as `yatzy schema` says it is."""

import json
import math
from dataclasses import replace
from functools import cache, partial

import pytest
import typer
from jsonschema import Draft202012Validator

from games import THREE_DICE, TINY_FILE
from yatzy.cli.app import COMMANDS, app
from yatzy.cli.schema import FILES, answers
from yatzy.game.json import json_schema
from yatzy.game.log import write_logs
from yatzy.lab.bench.ratios import bench_solver
from yatzy.measure.simulate import play_logs
from yatzy.players.library import find_list
from yatzy.players.rule_list import save_list
from yatzy.policies.registry import find_policy
from yatzy.rules import ruleset
from yatzy.solver.exact import solve_exactly
from yatzy.storage import PACKAGE

pytestmark = pytest.mark.compiled

LATE = "ones,twos,threes,fours,fives,sixes,house,four of a kind,choice @ 0"
YACHT, SMALL = ["--rules", "yacht"], ["--rules", "tiny.toml"]
# Every command with --json, in every form of its answer: (command, what is typed after it).
CASES = [
    ("solve", YACHT),
    ("games", []),
    ("games", ["--rules", "yahtzee"]),
    ("games", ["--rules", "maxi+saved-throws"]),
    ("value", ["ones @ 0", *YACHT]),
    ("value", ["--filled", "ones", "--rules", "yacht+saved-throws", "--saved", "2"]),
    ("advise", ["1", "3", "3", "5", "6", *YACHT]),
    ("advise", ["1", "3", *SMALL, "--target", "8"]),
    ("chance", [*SMALL, "--target", "9"]),
    ("chance", SMALL),
    ("duel", [*SMALL, "--games", "20"]),
    ("duel advise", ["5", "5", *SMALL, "--first"]),
    ("evaluate", ["heuristic", *YACHT]),
    ("evaluate", ["random", "heuristic", *YACHT]),
    ("evaluate", [*SMALL, "--target", "10"]),
    ("distribution", ["heuristic", *YACHT, "--target", "100"]),
    ("distribution", ["heuristic", *YACHT, "--filled", LATE, "--points", "60"]),
    ("simulate", ["--games", "20", "random", *YACHT, "--compare", "greedy", "--logs", "logs.json"]),
    ("simulate", ["--games", "20", "random", *YACHT, "--out", "games.parquet"]),
    ("simulate", ["--games", "20", *SMALL, "--target", "10"]),
    ("pareto", [*YACHT, "greedy", "heuristic", "-o", "frontier.svg"]),
    ("sweep", [*YACHT, "grid.toml", "--out", "sweep"]),
    ("dataset", ["--draws", "50", *YACHT, "--out", "data"]),
    ("dataset", ["--games", "5", *YACHT, "--out", "data"]),
    ("distill", ["imitation-trees", "--depth", "2", "--games", "20", *YACHT, "--measure", "--out", "models"]),
    ("lists list", []),
    ("lists show", ["chart-10"]),
    ("lists show", ["card-20"]),
    ("lists explain", ["13356", "--policy", "chart-10"]),
    ("lists induce", ["--method", "covering", "--rules-count", "2", "--out", "lists"]),
    ("solve", ["--rules", "tiny.toml", "--exact"]),
    ("value", ["--rules", "tiny.toml", "--exact"]),
    ("check-exact", ["exact", "--sample", "5"]),
    ("review", ["game.json"]),
    ("play", [*SMALL, "--seed", "1"]),
    ("play", [*SMALL, "--seed", "1", "--players", "Anna,Bo", "--against", "optimal"]),
    ("play", ["--review", "game.json"]),
    ("level", ["human.json"]),
    ("leaks", ["human.json"]),
    ("practice", ["game.json"]),
    ("practice", ["game.json", "--anki", "cards.txt"]),
    ("profile", ["tiny.json", *SMALL]),
    ("profile", ["--simulate", "5"]),
    ("profile", [*SMALL, "--choose", "quiz.json"]),
    ("reproduce", []),
    ("reproduce", ["statespace"]),
    ("serve", ["--port", "8123"]),
    ("treatise", ["build", "--out", "site"]),
    ("bench", ["solve", "--repeats", "1"]),
]


def with_json(command, words):
    """Every command below this one that has --json."""
    inner = getattr(command, "commands", {})
    found = [one for name in inner for one in with_json(inner[name], f"{words} {name}")]
    if any("--json" in parameter.opts for parameter in command.params):
        found.append(words)
    return found


def test_every_command_with_json_has_a_schema_and_is_run():
    root = typer.main.get_command(app)
    having = {words for name in COMMANDS for words in with_json(root.get_command(None, name), name)}
    assert having == set(answers()) == {command for command, _ in CASES}


@cache
def schema(name):
    """What `yatzy schema` prints."""
    return Draft202012Validator(json_schema(answers()[name]))


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """Files that the cases read; and no server, no site and no search that take long."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY_FILE)
    (tmp_path / "grid.toml").write_text("theta = [0.0, 0.05]\n")
    write_logs(play_logs(find_policy("random", "yacht"), 1), tmp_path / "game.json")
    write_logs([replace(next(play_logs(find_policy("random", "yacht"), 1)), policy=None)], tmp_path / "human.json")
    write_logs(play_logs(find_policy("random", ruleset("tiny.toml")), 1), tmp_path / "tiny.json")
    solve_exactly("yacht", "ones,twos,threes,fours,fives,sixes,full house,four of a kind,choice").save(
        tmp_path / "exact"
    )
    monkeypatch.setattr("yatzy.cli.serve.get_ready", lambda *_: None)
    monkeypatch.setattr("yatzy.cli.serve.run", lambda *_: None)
    (tmp_path / "built").mkdir()
    monkeypatch.setattr("yatzy.cli.treatise.shipped_site", lambda: tmp_path / "built")
    # How others play on the whole game, which test_rules.py compares on a small one.
    monkeypatch.setattr("yatzy.cli.lists._standing", lambda rules, home, mean: (mean, 165.0, 248.0))
    card = find_list("card-20")
    monkeypatch.setattr(
        "yatzy.lab.search.covering.induce_by_covering",
        lambda _table, folder, *_: {"card": save_list(card, folder / "card.json")},
    )
    monkeypatch.setattr("yatzy.lab.bench.ratios.bench_solver", partial(bench_solver, rules=THREE_DICE))


@pytest.mark.parametrize(("command", "words"), CASES, ids=[" ".join([case[0], *case[1]])[:60] for case in CASES])
def test_one_object_as_its_schema_says(yatzy, prepared, command, words):
    status, out, err = yatzy(*command.split(), *words, "--json", lines=["q", "y"])
    assert status == 0, err
    assert out.count("\n") == 1
    answer = json.loads(out, parse_constant=pytest.fail)
    refused = [error.message for error in schema(command).iter_errors(answer)]
    assert not refused
    check_numbers(answer)
    # A schema that cannot fail says nothing.
    assert not schema(command).is_valid({})
    assert not schema(command).is_valid(answer | {"nothing": 1})
    needed = [key for key in answer if not is_optional(schema(command).schema, key)]
    assert needed
    for key in needed:
        assert not schema(command).is_valid({other: answer[other] for other in answer if other != key}), key


def is_optional(document, key):
    """Whether a form of the answer may be without it."""
    forms = [document, *(document["$defs"][one["$ref"].rpartition("/")[2]] for one in document.get("anyOf", ()))]
    return any(key in form.get("properties", ()) and key not in form["required"] for form in forms)


def check_numbers(told):
    """What no schema can say: probabilities sum to one, and quantiles rise."""
    if isinstance(told, list):
        for one in told:
            check_numbers(one)
    elif isinstance(told, dict):
        if "pmf" in told:
            assert math.fsum(told["pmf"]) == pytest.approx(1, abs=1e-9)
            assert list(told["quantiles"].values()) == sorted(told["quantiles"].values())
        check_numbers(list(told.values()))


def test_schemas_are_printed(yatzy):
    status, out, _ = yatzy("schema")
    assert (status, set(out.splitlines())) == (0, {*answers(), *FILES})
    status, out, _ = yatzy("schema", "lists", "show")
    assert (status, json.loads(out)) == (0, json_schema(answers()["lists show"]))
    status, _, err = yatzy("schema", "evaluat")
    assert (status, err.strip().endswith("did you mean 'evaluate'?")) == (2, True)


@pytest.mark.parametrize("name", FILES)
def test_the_schema_of_a_file_refuses_another(yatzy, name):
    status, out, _ = yatzy("schema", *name.split())
    assert status == 0
    assert not Draft202012Validator(json.loads(out)).is_valid({})


def test_the_schema_of_a_log_holds_for_logs(yatzy, tmp_path):
    _, out, _ = yatzy("schema", "game", "log")
    file = write_logs(play_logs(find_policy("random", "yacht"), 2), tmp_path / "games.json")
    for line in file.read_text().splitlines():
        Draft202012Validator(json.loads(out)).validate(json.loads(line))


def test_several_policies_are_a_list(as_json):
    found = as_json("evaluate", "random", "heuristic", "--rules", "yacht")
    assert set(found) == {"rules", "evaluations"}
    assert [one["policy"] for one in found["evaluations"]] == ["random", "heuristic"]
    assert found["evaluations"][1] == as_json("evaluate", "heuristic", "--rules", "yacht") | {
        "seconds": found["evaluations"][1]["seconds"]
    }


def test_a_distribution_from_a_state_ends_where_evaluation_does(as_json):
    """From the start both are one number; from a state, points shift it."""
    plain = as_json("distribution", "heuristic", "--rules", "yacht", "--filled", LATE, "--points", "60")
    more = as_json("distribution", "heuristic", "--rules", "yacht", "--filled", LATE, "--points", "70")
    assert more["mean"] == pytest.approx(plain["mean"] + 10)


def test_stdin_is_read_for_a_dash(yatzy, monkeypatch, tmp_path):
    file = write_logs(play_logs(find_policy("random", "yacht"), 1), tmp_path / "game.json")
    from_stdin = yatzy("review", "-", "--json", lines=file.read_text().splitlines())
    assert from_stdin == yatzy("review", file, "--json")


def test_a_file_of_games_says_where_it_comes_from(yatzy, tmp_path):
    import polars as pl

    out = tmp_path / "games.parquet"
    yatzy("simulate", "--games", "5", "random", "--rules", "yacht", "--seed", "3", "--out", out)
    about = pl.read_parquet_metadata(out)
    assert (about["rules"], about["policy"], about["seed"], about["games"]) == ("yacht", "random", "3", "5")
    assert about["command"].startswith("yatzy simulate --games 5")
    yatzy("dataset", "--draws", "50", "--rules", "yacht", "--out", tmp_path)
    about = pl.read_parquet_metadata(tmp_path / "category_decisions.parquet")
    assert (about["policy"], about["draws"]) == ("optimal", "50")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("quiz", "coach/quiz.json"),
        ("rule list", "players/lists/par-20.json"),
        ("chart", "players/charts/chart-20.json"),
    ],
)
def test_the_schema_of_a_file_holds_for_those_in_the_package(yatzy, name, file):
    _, out, _ = yatzy("schema", *name.split())
    content = json.loads((PACKAGE / file).read_text())
    del content["checksum"]
    assert Draft202012Validator(json.loads(out)).is_valid(content)
    assert not Draft202012Validator(json.loads(out)).is_valid(content | {"nothing": 1})
