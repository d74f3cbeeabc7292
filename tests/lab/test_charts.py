"""Charts and lists: what is read of a list, counted one situation at a time, and what was published."""

from pathlib import Path

import numpy as np
import pytest

from naive_lists import NaiveList, random_list
from yatzy.lab.studies.lists_and_charts import rules_read
from yatzy.lab.studies.results import read_result
from yatzy.measure.exact import visit
from yatzy.players.chart import chart_text
from yatzy.players.library import charted_games, find_chart, shipped_charts
from yatzy.players.rule_list_player import ListPlayer
from yatzy.players.situations import situation_masses
from yatzy.turn.lattice import lattice

RESULT = Path(__file__).parents[2] / "results" / "charts.json"


@pytest.mark.parametrize("seed", [1, 2])
def test_rules_read(small_rules, seed: int) -> None:
    rules = random_list(small_rules, seed)
    player, naive, dice = ListPlayer(rules), NaiveList(rules), lattice(small_rules.dice, small_rules.faces)
    visits = visit(player, 1).visits
    total = np.zeros(small_rules.rerolls + 1)
    for filled, upper in np.argwhere(visits[:-1] > 0):
        mass = situation_masses(player, np.array([filled]), np.array([upper]))[0]
        for left in range(small_rules.rerolls + 1):
            part = list(rules.list_of(left))
            for roll_id in np.flatnonzero(mass[left]):
                fired = naive.fires(naive.situation(int(filled), int(upper), dice.keeps[roll_id], left))
                read = 1 + (next(n for n, rule in enumerate(part) if rule is fired) if fired else len(part))
                total[left] += visits[filled, upper] * mass[left, roll_id] * read
    np.testing.assert_allclose(rules_read(player, visits, 1), total / small_rules.n_categories, atol=1e-9)


def test_what_is_published_is_what_is_shipped() -> None:
    """Every chart of every game: the printed words, the mean and lines read of its file, and a million games."""
    found = read_result(RESULT)
    assert found is not None
    content = found[1]
    by_game = {one["rules"]: one for one in [content, *content["other_games"]]}
    assert [*by_game] == charted_games()
    for game, told in by_game.items():
        charts = [one for one in told["carried"] if one["kind"] == "chart"]
        assert [one["name"] for one in charts] == shipped_charts(game)
        for one in charts:
            chart = find_chart(one["name"], game)
            assert one["text"] == chart_text(chart)
            assert one["mean"] == pytest.approx(chart.info["mean"], abs=1e-8)
            assert one["reads"] == pytest.approx(chart.info["reads"], abs=1e-5)
            assert one["mean"] < told["optimal_mean"]
            assert abs(one["simulated_mean"] - one["mean"]) < 4 * one["simulated_error"]
