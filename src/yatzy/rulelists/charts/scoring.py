"""A chart of where to score alone, for dice that are kept as in optimal play: what ranking boxes can do at best.

It is found as the charts of the ladder are: a longer one first, which is shrunk and then improved. Evaluations are
cheap, because the rolls that get scored are the same for all such charts (`valuing.play_with_oracle`), so samples
are larger.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from yatzy.evaluate.visits import visit
from yatzy.files import only_writer
from yatzy.rulelists.charts.boards import Board
from yatzy.rulelists.charts.ladder import PREFIX, empty_chart, kept_chart, made_by, measure, weigh
from yatzy.rulelists.charts.library import save_chart
from yatzy.rulelists.charts.lines import Chart
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rulelists.charts.search import Effort, Search
from yatzy.running import Report, silent
from yatzy.solver.table import ValueTable

NAME = f"{PREFIX}-scores"
MOST_LINES = 40
# Polishing one line at a time adds little to a list of forty (0.02 points were seen) and takes longest.
EFFORT = Effort(turns=40_000, rounds=6, polishing=0)
# Lines of the chart that is shrunk, for every line of the one wanted.
LONGER = 1.5


class ScoringSearch(Search):
    """Where to score is one decision of a turn among several: what is read there counts as it does in a ladder."""

    def _draw(self, chart: Chart, player: Any, values: Any, visits: Any) -> list[Board]:
        boards = super()._draw(chart, player, values, visits)
        boards[0].share = 1 / (1 + chart.rules.rerolls)
        return boards


def find_scoring_chart(
    table: ValueTable,
    folder: Path,
    n_lines: int = MOST_LINES,
    effort: Effort = EFFORT,
    seed: int = 0,
    threads: int | None = None,
    report: Report = silent,
) -> dict[str, Path]:
    """Find the chart; returns its file."""
    table.rules.check_plain("charts that only score are")
    made = made_by(effort, seed, __name__) | {"lines": n_lines}
    file = folder / f"{NAME}.json"
    with only_writer(folder / NAME, report):
        if kept_chart(file, table.rules, made):
            report(f"{NAME}: kept")
            return {NAME: file}
        search = ScoringSearch(table, effort, seed, threads, report)
        longer = round(LONGER * n_lines)
        found = search.begin(replace(empty_chart(NAME, table.rules), oracle_keeps=True, keeps=()), longer)
        found = search.improve(found, longer, rounds=effort.rounds_on_the_way)
        found = search.improve(search.shrink(found, n_lines), n_lines)
        found = search.polish(found, n_lines)
        report(f"{NAME}: weighing every line")
        save_chart(_weighed(found, made, threads, table), file)
    return {NAME: file}


def _weighed(chart: Chart, made: dict[str, Any], threads: int | None, table: ValueTable) -> Chart:
    """The chart without lines that decide nothing, with what it is worth."""
    costs = weigh(chart, threads, table)["score_costs"]
    found = chart.with_lines(0, [line for line, cost in zip(chart.scores, costs, strict=True) if cost])
    told = measure(found, threads, table) | {"mean": visit(ChartPlayer(found, table=table), threads).mean}
    return replace(found, info=made | told | {"score_costs": [cost for cost in costs if cost]})
