"""Charts from Python: found by name, shown line by line, playing."""

import pytest

import yatzy
from yatzy.players.chart import keep_text, kept_text, score_text
from yatzy.players.library import find_chart


def test_a_chart_shows_every_line_with_its_cost():
    found = yatzy.chart("chart-20")
    shown = found._repr_html_()
    rules = found.rules
    for line in found.keeps[:-1]:
        assert f"{keep_text(rules, line)}: {kept_text(rules, line.pattern)}" in shown
    for line in found.scores:
        assert score_text(rules, line) in shown
    assert f"{found.info['score_costs'][0]:,.3f}" in shown
    assert repr(found) == "<Chart chart-20 for scandinavian: 20 lines, mean 235.23, 5.5 read per decision>"
    assert str(found).startswith("chart-20, for scandinavian\n")


def test_it_is_the_librarys_chart_and_plays_like_it():
    found = yatzy.chart("chart-10", rules="yahtzee")
    assert found.scores == find_chart("chart-10", "yahtzee").scores
    assert found.policy.name == "chart-10"
    assert found.policy.rules.name == "yahtzee"


def test_a_chart_that_only_scores_has_no_list_of_keeps():
    shown = yatzy.chart("chart-scores")._repr_html_()
    assert "Where to score" in shown
    assert "What to keep" not in shown


def test_a_name_that_is_not_there():
    with pytest.raises(yatzy.YatzyError, match="'chart-7' is no chart for scandinavian; allowed are chart-10"):
        yatzy.chart("chart-7")
