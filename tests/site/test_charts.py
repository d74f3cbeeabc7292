"""Charts in the treatise: the words that were measured, what they do with dice, and sheets to print."""

import json
import re
import shutil
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest

from yatzy.errors import YatzyError
from yatzy.players.chart import KeepLine
from yatzy.sealed import seal
from yatzy.site import charts
from yatzy.site.numbers import Results
from yatzy.turn.lattice import lattice

ROOT = Path(__file__).parents[2]
RESULTS = Results(ROOT / "results")
DICE = lattice(5, 6)


def test_the_ladder_has_the_charts_that_make_every_decision():
    ladder = charts.ladder(RESULTS)
    assert [one.n_lines for one in ladder] == sorted(one.n_lines for one in ladder)
    assert charts.CHART in [one.name for one in ladder]
    assert [one.mean for one in ladder] == sorted(one.mean for one in ladder)


def test_a_chart_that_was_not_measured_stops_the_build(tmp_path):
    shutil.copytree(ROOT / "results", tmp_path, dirs_exist_ok=True)
    path = tmp_path / "charts.json"
    content = json.loads(path.read_text())
    for one in content["carried"]:
        one["text"] = one["text"].replace("What to keep", "What to hold")
    path.write_text(json.dumps(seal(content)))
    with pytest.raises(YatzyError, match=r"the study measured a different chart-20; run yatzy reproduce charts"):
        charts.chart_lines(Results(tmp_path), "chart-20")
    with pytest.raises(YatzyError, match=r"chart: 'chart-7' is not known; allowed are chart-10, "):
        charts.chart_lines(RESULTS, "chart-7")


def test_what_a_chart_does_is_what_its_lines_say():
    """On an empty card every box is open: the first line whose pattern a roll has, and that holds now, decides."""
    told, chart = charts.line_tables(RESULTS), charts.measured_chart(RESULTS, charts.CHART)

    def kept(line: KeepLine, roll_id: int, left: int):
        if line.throw == ("last" if left == 2 else "first"):
            return None
        if line.pattern.kind == "complete":
            points = [chart.rules.scores[roll_id][box] for box in line.pattern.boxes]
            return DICE.keeps[roll_id] if max(points) >= max(1, line.pattern.n) else None
        return line.pattern.kept(DICE.keeps[roll_id], (1, 2, 3, 4, 5, 6))

    for left in (1, 2):
        for roll_id in range(DICE.n_rolls):
            found = [kept(line, roll_id, left) for line in chart.keeps]
            number = next(i for i, keep in enumerate(found) if keep is not None)
            assert told["line"][left][roll_id] == number
            assert told["keep"][left - 1][roll_id] == DICE.id_of(found[number])
    lowest = DICE.id_of((1, 2, 3, 4, 6))
    assert told["points"][lowest] == chart.rules.scores[lowest][told["box"][lowest]]
    assert len(told["lists"][0]) + len(told["lists"][1]) == chart.n_lines


def test_a_step_of_the_story_is_a_line_of_the_chart():
    step = charts.chart_step(RESULTS, charts.CHART, "1 3 3 5 6", 2)
    lines = charts.chart_lines(RESULTS, charts.CHART)
    assert lines["keep"][step["number"] - 1].words == step["words"]
    assert set(step["keep"]) <= {1, 3, 5, 6}
    costs = [row.cost for row in lines["heaviest"]]
    assert costs == sorted(costs, reverse=True)
    assert len(costs) == len(lines["keep"]) + len(lines["score"])


def test_charts_extend_one_another_or_it_is_not_said():
    ladder = [charts.measured_chart(RESULTS, one.name) for one in charts.ladder(RESULTS)]
    contained = all(
        [line for line in longer.keeps if line in shorter.keeps] == list(shorter.keeps)
        and [line for line in longer.scores if line in shorter.scores] == list(shorter.scores)
        for shorter, longer in pairwise(ladder)
    )
    assert charts.extends(RESULTS) == contained


def test_a_sheet_has_the_words_and_the_mean_that_were_measured():
    for one in charts.ladder(RESULTS):
        sheet = re.sub(r"<[^>]+>", "", unescape(charts.article(RESULTS, one.name, 199.2)))
        assert f"{one.mean:.1f} points on average" in sheet
        words = charts.chart_lines(RESULTS, one.name)
        assert all(row.words in sheet for row in (*words["keep"], *words["score"]))
