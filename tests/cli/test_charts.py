"""`yatzy rules` with charts: list, show, explain, induce; and charts where a policy is asked for."""

from dataclasses import replace

import pytest

from games import THREE_DICE
from yatzy import solve
from yatzy.cli import lists as ruling
from yatzy.lab.search import charts
from yatzy.lab.search.charts import describe, empty_chart
from yatzy.players import library
from yatzy.players.chart import ALIKE, NO_DICE, KeepLine, KeepPattern, ScoreLine, parse_chart
from yatzy.players.library import save_chart
from yatzy.rules import scandinavian

GAME = scandinavian()
INFO = {"mean": 200.5, "reads": 3.25, "score_costs": [9.5], "keep_costs": [20.25]}
SMALL = replace(
    empty_chart("small", GAME),
    scores=(ScoreLine((5,), 3),),
    keeps=(KeepLine(KeepPattern(ALIKE, 2, 1, 6)), NO_DICE),
    info=INFO,
)


@pytest.fixture
def shipped(monkeypatch, tmp_path):
    """A package that ships one chart."""
    monkeypatch.setattr(library, "CHARTS", tmp_path)
    return save_chart(SMALL, tmp_path / "small.json")


def test_list(yatzy, as_json, shipped) -> None:
    assert as_json("lists", "list")["charts"] == [
        {"name": "small", "lines": 2, "game": "scandinavian", "reads": 3.25, "oracle_keeps": False, "mean": 200.5}
    ]
    status, out, _ = yatzy("lists", "list")
    assert status == 0
    assert out.splitlines()[0].split() == ["small", "2", "lines", "3.2", "read", "mean", "200.50"]


def test_show_in_every_form(yatzy, shipped, monkeypatch) -> None:
    monkeypatch.setattr(ruling, "_standing", lambda rules, home, mean: (mean, 165.0, 248.0))
    for form, sign in (
        ("terminal", "Where to score"),
        ("markdown", "## Where to score"),
        ("html", "<!doctype html>"),
    ):
        status, out, err = yatzy("lists", "show", "small", "--format", form)
        assert (status, err) == (0, "")
        for words in (
            sign,
            "200.5",
            "9.50",
            "20.25",
            "One turn by this chart",
            "of which 3.2 are read per decision",
        ):
            assert words in out
    status, out, _ = yatzy("lists", "show", "small", "--format", "text")
    assert parse_chart(out) == SMALL


def test_a_file_is_weighed_when_it_is_shown(yatzy, tmp_path, monkeypatch) -> None:
    """What a file says of itself is only a claim."""
    monkeypatch.setattr(ruling, "_standing", lambda rules, home, mean: (mean, 1.0, 100.0))
    chart = replace(empty_chart("three", THREE_DICE), info={"mean": 90.0})
    monkeypatch.setattr(ruling, "find_chart", lambda name, rules: chart)
    monkeypatch.setattr(ruling, "is_chart", lambda name: True)
    status, out, _ = yatzy("lists", "show", "three", "--format", "markdown")
    assert status == 0
    assert f"{describe(chart, 1)['mean']:.1f} points on average" in out


def test_explain(yatzy, as_json, shipped) -> None:
    status, out, _ = yatzy("lists", "explain", "1 3 3 5 6", "--policy", "small")
    assert (status, out.splitlines()) == (0, ["keep 3 3, by line 1 of 1", "Two or more alike: keep them."])
    status, out, _ = yatzy("lists", "explain", "1 2 3 5 6", "--policy", "small")
    assert out.splitlines() == ["keep nothing", "If you have none of these, keep nothing."]
    found = as_json("lists", "explain", "1 2 6 6 6", "--rerolls", "0", "--policy", "small")
    assert (found["number"], found["action"]) == (1, "score sixes")


@pytest.mark.compiled
def test_induce(as_json, told, tmp_path, monkeypatch) -> None:
    table = solve(THREE_DICE)
    monkeypatch.setattr(ruling, "solved_table", lambda *args: table)
    monkeypatch.setattr(ruling, "find_chart", lambda name, rules: library.load_chart(name, THREE_DICE))
    quick = charts.ChartEffort(turns=500, rounds=1, rounds_on_the_way=1, tries=1)
    monkeypatch.setattr(charts, "ChartEffort", lambda: quick)
    found = as_json("lists", "induce", "--chart", "--rules-count", "10", "--out", tmp_path, "--threads", "1")
    assert found["method"] == "chart"
    (row,) = found["charts"]
    assert row["name"] == f"chart-{row['lines']}"
    assert (tmp_path / f"{row['name']}.json").exists()
    assert "excludes --method covering and any --path but 'scores'" in told(
        "lists", "induce", "--chart", "--path", "card"
    )
    assert "charts are for games without saved throws" in told(
        "lists", "induce", "--chart", "--rules", "yacht+saved-throws"
    )
