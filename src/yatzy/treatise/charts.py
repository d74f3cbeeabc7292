"""Charts in the treatise: what each line is worth, what a chart does with a throw, and pages to print.

A chart is shown in the words that the study `charts` measured: if the package ships other words, the build stops.
What a line is worth (`score_costs`, `keep_costs`) is weighed when a chart is found and comes in its file.
"""

from dataclasses import asdict
from functools import lru_cache
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.rulelists.charts import printing
from yatzy.rulelists.charts.library import find_chart
from yatzy.rulelists.charts.lines import Chart, chart_text
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rules import ruleset
from yatzy.treatise.results import Results

# The chart that the chapter reads line by line.
CHART = "chart-20"


def ladder(results: Results) -> list[Any]:
    """The measured charts that make every decision of Scandinavian Yatzy, the shortest first."""
    found = [one for one in results["charts"].carried if one.kind == "chart" and not one.oracle_keeps]
    return sorted(found, key=lambda one: one.n_lines)


def measured_chart(results: Results, name: str) -> Chart:
    """The shipped chart of that name, if it is the one that was measured."""
    measured = {one.name: one for one in ladder(results)}
    if name not in measured:
        raise YatzyError("chart", name, measured, "is not there")
    shipped = find_chart(name)
    if measured[name].text != chart_text(shipped):
        raise YatzyError("results", why=f"charts measured another {name}; run yatzy reproduce charts")
    return shipped


def chart_lines(results: Results, name: str) -> dict[str, Any]:
    """Both lists of a chart as `printing.PrintedLine`s, and all of their lines, the most often missed first."""
    chart = measured_chart(results, name)
    keep, score = printing.keep_rows(chart), printing.score_rows(chart)
    heaviest = sorted((row for row in (*keep, *score) if row.cost is not None), key=lambda row: -(row.cost or 0.0))
    return {"keep": keep, "score": score, "heaviest": heaviest}


def extends(results: Results) -> bool:
    """Does every chart have all lines of the one before, in their order?"""
    charts = [measured_chart(results, one.name) for one in ladder(results)]
    return all(
        _in_order(shorter.scores, longer.scores) and _in_order(shorter.keeps, longer.keeps)
        for shorter, longer in pairwise(charts)
    )


def _in_order(lines: Any, among: Any) -> bool:
    left = iter(among)
    return all(line in left for line in lines)


@lru_cache
def _first_turn(name: str) -> tuple[Any, Any, Any]:
    """Decisions of a chart on an empty card, and the number of the line behind each (see `ChartPlayer.lines`)."""
    player, empty = ChartPlayer(find_chart(name)), np.zeros(1, np.int64)
    decided = player.decide(empty, empty)
    return decided.keep[0], decided.category[0], player.lines(empty, empty)[0]


def chart_step(results: Results, name: str, dice: str, rerolls: int) -> dict[str, Any]:
    """What a chart does with these dice in the first turn: `number` of the line (from 1), `words`, and `keep`."""
    rows = chart_lines(results, name)["keep"]
    faces = lattice(5, 6)
    roll = faces.id_of(sorted(map(int, dice.split())))
    keep, _, lines = _first_turn(name)
    number = int(lines[rerolls, roll])
    if number >= len(rows):
        raise YatzyError("chart", why=f"{name} keeps nothing of {dice}, which the text does not expect")
    return {"number": number + 1, "words": rows[number].words, "keep": faces.keeps[int(keep[rerolls - 1, roll])]}


def line_tables(results: Results) -> dict[str, Any]:
    """The chart line by line for its figure, with what it does in every throw of a first turn.

    `keep` (rerolls left - 1, roll) holds keep ids, `box` by roll the category and `points` what it brings; `line`
    (rerolls left, roll) is the number of the line that decides, from 0, or the length of the list where none fits.
    """
    game = ruleset()
    measured = next(one for one in ladder(results) if one.name == CHART)
    lines, (keep, box, number) = chart_lines(results, CHART), _first_turn(CHART)
    return {
        "name": CHART,
        "mean": measured.mean,
        "boxes": [category.name for category in game.categories],
        "lists": [[asdict(row) for row in lines[which]] for which in ("score", "keep")],
        "keep": keep.tolist(),
        "box": box.tolist(),
        "points": [game.scores[roll][int(category)] for roll, category in enumerate(box)],
        "line": number.tolist(),
    }


def article(results: Results, name: str, greedy: float) -> str:
    """A chart to print, with the exact mean of the words that are on it."""
    measured = next(one for one in ladder(results) if one.name == name)
    chart = measured_chart(results, name)
    sheet = printing.article(chart, measured.mean, greedy, results["distribution"].mean)
    return sheet.replace(escape(printing.title_of(chart)), title(measured.n_lines))


def title(n_lines: int) -> str:
    return f"Yatzy in {n_lines} lines"
