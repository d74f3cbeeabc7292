"""The charts of the page: written from those of the library, and saying the same in every situation."""

import json

import numpy as np
import pytest

from web_scripts import run_script
from yatzy.coach.review import CARD
from yatzy.dice import lattice
from yatzy.page import tables
from yatzy.page.charts import describe_chart, describe_charts
from yatzy.page.golden import Sampler
from yatzy.rulelists.charts.library import charted_games, find_chart
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rules import filled_names, format_category, format_dice

SITUATIONS = 1500


def test_a_chart_is_rules_and_words() -> None:
    assert [*describe_charts()] == charted_games()
    chart = find_chart(CARD)
    told = describe_chart(chart)
    assert len(told["words"]["keep"]) == len(chart.keeps)
    assert len(told["words"]["score"]) == len(chart.scores) + 1
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
    asked, said = [], []
    for i in range(SITUATIONS):
        state, roll = draw.state(i % rules.n_categories), draw.roll()
        left = draw.rerolls(state)
        at = np.array([state.filled]), np.array([state.upper])
        decided, number = player.decide(*at), int(player.lines(*at)[0, left, roll])
        n_lines = len(chart.keeps) - 1 if left else len(chart.scores)
        kept = format_dice(dice.keeps[int(decided.keep[0, left - 1, roll])]) or "nothing"
        box = format_category(rules, int(decided.category[0, roll]))
        names = filled_names(rules, state.filled)
        asked.append({"dice": rules.rolls[roll], "rerolls": left, "filled": names, "upper": state.upper})
        line = player.explain(state.filled, state.upper, roll, left).removesuffix(".")
        said.append([line, number + 1 if number < n_lines else None, f"keep {kept}" if left else f"score {box}"])
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
    given.append(
        {"rules": "yacht", "situations": [{"dice": [1, 2, 3, 4, 5], "rerolls": 2, "filled": [], "upper": 0}]}
    )
    file = tmp_path / "asked.json"
    file.write_text(json.dumps(given))
    told = run_script("charts", file, tmp_path)
    assert told == [*expected, None]
    numbers = {line[1] for line in expected}
    assert len(numbers) > 15
