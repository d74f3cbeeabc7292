"""`yatzy rules`: induce, show, list, explain; and rule lists where a policy is asked for."""

import json
from dataclasses import replace
from functools import partial

import pytest

from yatzy import solve
from yatzy.cli import lists as ruling
from yatzy.lab.search import covering, lists
from yatzy.measure.exact import visit
from yatzy.players import library
from yatzy.players import library as charts
from yatzy.players.conditions import Condition
from yatzy.players.rule_list import Rule, RuleList, load_list, parse, save_list
from yatzy.policies.registry import find_policy
from yatzy.rules import ruleset, scandinavian
from yatzy.sealed import seal

GAME = scandinavian()
THREES = Rule((Condition("count_3", 3, 5),), "score Threes")
PAIRS = Rule((Condition("rerolls_left", 2, 2),), "keep both pairs")
SMALL = RuleList("small", GAME, (THREES,), ((PAIRS,),), info={"mean": 200.5})


@pytest.fixture
def file(tmp_path):
    return save_list(SMALL, tmp_path / "small.json")


@pytest.fixture
def shipped(monkeypatch, tmp_path):
    """A package that ships two lists."""
    folder = tmp_path / "lists"
    monkeypatch.setattr(library, "LISTS", folder)
    monkeypatch.setattr(charts, "CHARTS", tmp_path / "charts")
    save_list(RuleList("tiny-100", GAME, (THREES,), oracle_keeps=True), folder / "tiny-100.json")
    save_list(SMALL, folder / "tiny-20.json")
    return folder


def test_list(yatzy, as_json, shipped) -> None:
    assert as_json("lists", "list") == {
        "lists": [
            {"name": "small", "n_rules": 2, "parameters": 6, "oracle_keeps": False, "mean": 200.5},
            {"name": "tiny-100", "n_rules": 1, "parameters": 3, "oracle_keeps": True, "mean": None},
        ],
        "charts": [],
    }
    assert library.shipped_lists() == ["tiny-20", "tiny-100"]
    status, out, _ = yatzy("lists", "list")
    assert status == 0
    assert "mean 200.50" in out.splitlines()[0]
    assert "not evaluated, dice kept as in optimal play" in out.splitlines()[1]


def test_show_text_reads_back(yatzy, file) -> None:
    status, out, err = yatzy("lists", "show", file, "--format", "text")
    assert (status, err) == (0, "")
    assert parse(out).all_rules == SMALL.all_rules


def test_show_in_every_form(yatzy, file, monkeypatch) -> None:
    monkeypatch.setattr(ruling, "_standing", lambda rules, home, mean: (200.5, 165.0, 248.0))
    for form, sign in (
        ("terminal", "Where to score"),
        ("markdown", "## Where to score"),
        ("html", "<!doctype html>"),
    ):
        status, out, err = yatzy("lists", "show", file, "--format", form)
        assert (status, err) == (0, "")
        assert sign in out
        assert "200.5" in out


@pytest.mark.compiled
def test_a_list_is_shown_and_evaluated_by_name_or_file(as_json, shipped, policy_of) -> None:
    """It is shown beside greedy and perfect play. Its file says 200.5, which is only a claim."""
    file = save_list(replace(SMALL, rules=ruleset("yacht")), shipped / "tiny-20.json")
    found, evaluated = as_json("lists", "show", file), as_json("evaluate", "tiny-20", "--rules", "yacht")
    assert found["mean"] == pytest.approx(evaluated["mean"], abs=1e-9)
    assert found["mean"] != 200.5
    assert evaluated["policy"] == find_policy(str(file), "yacht").name == "small"
    assert found["optimum"] == solve("yacht").value()
    assert found["greedy"] == visit(policy_of("greedy", 0.0, "yacht")).mean
    # As for a chart, whose mean is known by then.
    assert ruling._standing(ruleset("yacht"), None, 150.0) == (150.0, found["greedy"], found["optimum"])
    assert found["scores"][0]["text"] == "If you have 3 or more threes, then score Threes."


def test_explain(yatzy, as_json, file) -> None:
    found = as_json("lists", "explain", "3 3 3 5 5", "--rerolls", 0, "--policy", file)
    assert (found["number"], found["action"]) == (1, "score threes")
    assert found["rule"] == "If you have 3 or more threes, then score Threes."
    found = as_json("lists", "explain", "3 3 1 5 5", "--rerolls", 2, "--policy", file)
    assert (found["number"], found["action"]) == (1, "keep 3 3 5 5")
    found = as_json(
        "lists", "explain", "3 3 1 5 5", "--rerolls", 1, "--filled", "fives", "--upper", 10, "--policy", file
    )
    assert (found["number"], found["action"]) == (None, "keep 3 3")
    status, out, _ = yatzy("lists", "explain", "33355", "--rerolls", 0, "--policy", file)
    assert (status, out) == (0, "score threes, by rule 1 of 1\nIf you have 3 or more threes, then score Threes.\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("show", "nobody"), "policy: 'nobody' is no rule list; allowed are "),
        (("show", "nobody.json"), "policy: there is no file nobody.json"),
        (
            ("show", "FILE", "--format", "pdf"),
            "format: 'pdf' is not known; allowed are terminal, markdown, html, text",
        ),
        (("explain", "1 2 3", "--policy", "FILE"), "dice: '1 2 3' has 3 dice; exactly 5 are needed"),
        (
            ("explain", "11111", "--policy", "FILE", "--rerolls", "3"),
            "rerolls: 3 is not allowed; allowed are 0, 1, 2",
        ),
        (("explain", "11111", "--policy", "FILE", "--upper", "7"), "upper: "),
        (("induce", "--method", "magic"), "method: 'magic' is not known; allowed are improve, covering"),
        (("induce", "--method", "covering", "--path", "card"), "path: 'card' requires --method improve"),
        (("induce", "--rules-count", "-1"), "rules-count: -1 is not allowed"),
        (("carry",), "No such command 'carry'"),
    ],
)
def test_bad_input(yatzy, file, arguments, sentence) -> None:
    arguments = [str(file) if part == "FILE" else part for part in arguments]
    status, out, err = yatzy("lists", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"yatzy: {sentence}")
    assert err.count("\n") == 1


def test_explain_of_a_finished_game(yatzy, file) -> None:
    everything = ",".join(category.name for category in GAME.categories)
    status, _, err = yatzy("lists", "explain", "11111", "--filled", everything, "--policy", file)
    assert (status, err) == (2, "yatzy: filled: all categories are filled; the game is over\n")


def test_a_file_that_is_no_rule_list(yatzy, tmp_path) -> None:
    bad = tmp_path / "bad.json"
    for content, told in ({}, "has no checksum"), (seal({"name": "x"}), "is not a rule list of format"):
        bad.write_text(json.dumps(content))
        status, _, err = yatzy("lists", "show", bad)
        assert status == 2
        assert told in err


@pytest.mark.compiled
def test_induce_by_covering(yatzy, as_json, tmp_path, monkeypatch) -> None:
    """The whole way, with few decisions."""
    monkeypatch.setattr(covering, "Settings", partial(covering.Settings, decisions=3000))
    arguments = ("lists", "induce", "--method", "covering", "--rules-count", 4, "--seed", 5, "--rules", "yacht",
                 "--out", tmp_path)  # fmt: skip
    found = as_json(*arguments)
    assert found["method"] == "covering"
    assert [row["name"] for row in found["lists"]] == ["covering-4", "covering-12-verbs", "covering-12-masks"]
    assert [row["n_rules"] for row in found["lists"]] == [4, 12, 12]
    best = solve("yacht").value()
    for row in found["lists"]:
        rules = load_list(row["file"], "yacht")
        assert rules.info["seed"] == 5
        assert row["mean"] == rules.info["mean"] < best
    status, out, err = yatzy(*arguments)
    assert status == 0
    assert err == "yatzy: covering-4, covering-12-verbs, covering-12-masks: kept\n"
    assert f"mean {found['lists'][0]['mean']:.2f}" in out.splitlines()[0]


@pytest.mark.compiled
def test_induce_by_improvement(as_json, tmp_path, monkeypatch, table) -> None:
    """What is asked for reaches the search; the search itself has its own tests."""
    asked = {}

    def induce(path, table, folder, n_rules, seed, context):
        asked.update(path=path, folder=folder, n_rules=n_rules, seed=seed, rules=table.rules.name)
        return {"small": save_list(SMALL, folder / "small.json")}

    monkeypatch.setattr(lists, "induce", induce)
    found = as_json("lists", "induce", "--path", "rich", "--rules-count", 20, "--seed", 3, "--out", tmp_path)
    assert asked == {"path": "rich", "folder": tmp_path, "n_rules": 20, "seed": 3, "rules": "scandinavian"}
    assert found["lists"] == [
        {"name": "small", "n_rules": 2, "parameters": 6, "oracle_keeps": False, "mean": 200.5,
         "file": str(tmp_path / "small.json")}
    ]  # fmt: skip
    as_json("lists", "induce", "--out", tmp_path)
    assert (asked["path"], asked["n_rules"]) == ("card", None)


def test_policies_that_are_not_there(yatzy, shipped) -> None:
    status, _, err = yatzy("evaluate", "nobody")
    assert status == 2
    assert "allowed are optimal" in err
    assert "tiny-20, tiny-100, the file of a model, rule list or chart" in err


def test_help_teaches(yatzy) -> None:
    status, out, _ = yatzy("lists", "--help")
    assert status == 0
    for words in ("induce", "show", "list", "explain", "yatzy lists show card-20"):
        assert words in " ".join(out.split())
    for command in ("induce", "show", "list", "explain"):
        status, out, _ = yatzy("lists", command, "--help")
        assert status == 0
        assert f"Example: yatzy lists {command}" in " ".join(out.split())
    status, out, _ = yatzy("--help")
    assert "charts and rule lists" in out
