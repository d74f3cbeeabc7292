"""The charts of the page: written from those of the library, and saying the same in every situation."""

import json
from dataclasses import replace

import numpy as np
import pytest

from web_scripts import run_script
from yatzy.coach.review import CARD
from yatzy.players.chart import (
    THROWS,
    WHENS,
    KeepLine,
    ScoreLine,
    keep_text,
    kept_text,
    patterns,
    score_lines,
    score_text,
)
from yatzy.players.chart_player import ChartPlayer
from yatzy.players.library import charted_games, find_chart
from yatzy.rules import ruleset
from yatzy.site import tables
from yatzy.site.charts import WHYS, describe_chart, describe_charts, keep_line, score_line
from yatzy.site.golden import Sampler
from yatzy.turn.lattice import lattice

SITUATIONS = 1500


def test_a_chart_is_rules_and_lines() -> None:
    ladders = describe_charts()
    assert [*ladders] == charted_games()
    chart = find_chart(CARD)
    lines = ladders["scandinavian"]["charts"]
    assert [*lines] == ["chart-10", "chart-20", "chart-40", "chart-58"]
    assert len(lines[CARD]["keeps"]) == len(chart.keeps) - 1
    assert [line["cost"] for line in lines[CARD]["scores"]] == chart.info["score_costs"]
    told = describe_chart(chart)
    assert [row[1:] for row in told["score"][-15:]] == [[len(chart.scores), box, 0] for box in chart.give_up]
    dice = lattice(5, 6)
    assert {len(row) for row in told["patterns"]} == {dice.n_rolls}
    assert told["keep"][-1][2:4] == [-1, -1]
    assert set(told["patterns"][told["keep"][-1][4]]) == {"0"}, "keep nothing, whatever the dice"


def situations(game: str) -> tuple[list[dict], list[list]]:
    """Situations of all layers, jokers among them, and what the library's chart says there."""
    draw = Sampler(game, "charts")
    rules, player = draw.rules, ChartPlayer(find_chart(CARD, game))
    dice, chart = lattice(rules.dice, rules.faces), player.chart
    drawn = []
    for i in range(SITUATIONS):
        state, roll = draw.state(i % rules.n_categories), draw.roll()
        drawn.append((state, roll, draw.rerolls(state)))
    at = np.array([(state.filled, state.upper) for state, _, _ in drawn]).T
    decided, numbers = player.decide(*at), player.lines(*at)
    asked, said, texts = [], [], {}
    for i, (state, roll, left) in enumerate(drawn):
        number, n_lines = int(numbers[i, left, roll]), len(chart.keeps) - 1 if left else len(chart.scores)
        kept, box = [*dice.keeps[int(decided.keep[i, left - 1, roll])]], int(decided.category[i, roll])
        asked.append({"dice": rules.rolls[roll], "rerolls": left, "set": state.filled, "upper": state.upper})
        line = left > 0, number
        if line not in texts:
            texts[line] = player.explain(state.filled, state.upper, roll, left).removesuffix(".")
        action = {"keep": kept} if left else {"score": box}
        said.append([texts[line], number + 1 if number < n_lines else None, action])
    return asked, said


@pytest.mark.browser
def test_the_page_says_what_the_library_says(tmp_path) -> None:
    """Line, number and action; and nothing for a game without a chart."""
    tables.write_tables(tmp_path)
    given, expected = [], []
    for game in charted_games():
        asked, said = situations(game)
        given.append({"rules": game, "situations": asked})
        expected += said
    given.append({"rules": "yacht", "situations": [{"dice": [1, 2, 3, 4, 5], "rerolls": 2, "set": 0, "upper": 0}]})
    file = tmp_path / "asked.json"
    file.write_text(json.dumps(given))
    told = run_script("charts", file, tmp_path)
    assert told == [*expected, None]
    numbers = {line[1] for line in expected}
    assert len(numbers) > 15


def all_lines(game: str) -> tuple[list[KeepLine], list[ScoreLine]]:
    """Every line that a chart of this game may have."""
    rules = ruleset(game)
    keeps = [
        KeepLine(pattern, box, throw)
        for pattern in patterns(rules)
        for box in ([-1] if pattern.own or pattern.boxes else [-1, *range(rules.n_categories)])
        for throw in THROWS
    ]
    return keeps, [replace(line, when=when) for line in score_lines(rules) for when in WHENS]


@pytest.mark.browser
def test_lines_are_said_in_six_languages(tmp_path) -> None:
    """In English as the library says them; in every language no two lines are said alike."""
    tables.write_tables(tmp_path)
    lines = {game: all_lines(game) for game in charted_games()}
    given = [
        {
            "rules": game,
            "keeps": [keep_line(ruleset(game), line) for line in keeps],
            "scores": [score_line(ruleset(game), line) for line in scores],
        }
        for game, (keeps, scores) in lines.items()
    ]
    file = tmp_path / "lines.json"
    file.write_text(json.dumps(given))
    said = run_script("lines", file, tmp_path)
    assert [*said] == ["en", "sv", "nb", "da", "fi", "de"]
    for (game, (keeps, scores)), english in zip(lines.items(), said["en"], strict=True):
        rules = ruleset(game)
        assert english["keeps"] == [
            f"{keep_text(rules, line)}: {kept_text(rules, line.pattern)}" for line in keeps
        ]
        assert english["scores"] == [score_text(rules, line) for line in scores]
        assert english["whys"] == list(WHYS)
    for language, games in said.items():
        for told in games:
            assert len(set(told["keeps"])) == len(told["keeps"]), language
            assert len(set(told["scores"])) == len(told["scores"]), language
            assert len(set(told["whys"])) == len(WHYS)
