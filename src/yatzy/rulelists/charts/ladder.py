"""The ladder of charts of a game: 10, 20, 40 and 60 lines, each with the lines of the one before.

A long chart is found first, and shrunk to the shortest; then the charts grow, one out of the other (`search`). A
finished chart is kept on disk with what made it, so a killed search resumes after it.

A chart of where to score alone, for dice that are kept as in optimal play, says what ranking boxes can do at best.
It is found in the same way: a longer one first, which is shrunk and then improved. Evaluations are cheap, because
the rolls that get scored are the same for all such charts (`valuing.play_with_oracle`), so samples are larger.
"""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from yatzy.context import HERE, Context
from yatzy.errors import YatzyError
from yatzy.evaluate.exact import visit
from yatzy.files import only_writer
from yatzy.rulelists.charts.boards import DecisionSample
from yatzy.rulelists.charts.candidates import upper_boxes
from yatzy.rulelists.charts.library import load_chart, save_chart
from yatzy.rulelists.charts.lines import NO_DICE, Chart
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rulelists.charts.search import PRICE, ChartEffort, ChartSearch, free_lines, lines_of
from yatzy.rulelists.charts.valuing import play_chart
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable
from yatzy.source_digest import source_digest

SIZES = (10, 20, 40, 60)
# Names of charts begin with this.
PREFIX = "chart"
# Points that a line less to read is worth in a chart of `LONG` lines or more, which is read more often in vain.
LONG_PRICE = 0.2
# Lines of the chart that is shrunk, and of those on the way to the shortest.
LONG = 40
STEPS = (24, 15)


def empty_chart(name: str, rules: Ruleset) -> Chart:
    """No line but the last of either list; the give-up order is that of the upper boxes, then of the sheet."""
    upper = upper_boxes(rules)
    lower = [box for box in range(rules.n_categories) if box not in upper]
    return Chart(name, rules, (), (*upper[:2], *reversed(lower), *upper[2:]), (NO_DICE,))


def find_ladder(
    table: ValueTable,
    folder: Path,
    most: int | None = None,
    effort: ChartEffort | None = None,
    seed: int = 0,
    context: Context = HERE,
) -> dict[str, Path]:
    """Find the charts of up to `most` lines; returns their files."""
    sizes = [size for size in SIZES if most is None or size <= most]
    if not sizes:
        raise YatzyError("lines", most, why=f"are too few; the shortest chart has {SIZES[0]}")
    made = made_by(effort or ChartEffort(), seed, __name__)
    with only_writer(folder / PREFIX, context.notice):
        return _find(table, folder, sizes, ChartSearch(table, effort or ChartEffort(), seed, context), made)


def made_by(effort: ChartEffort, seed: int, search: str) -> dict[str, Any]:
    """What decides which chart is found by this module; it is in a chart's file."""
    return {"method": "chart", "code": source_digest(search)[:16], "seed": seed, **asdict(effort)}


def _find(
    table: ValueTable, folder: Path, sizes: list[int], search: ChartSearch, made: dict[str, Any]
) -> dict[str, Path]:
    files: dict[str, Path] = {}
    before: Chart | None = None
    for size in sizes:
        name = f"{PREFIX}-{size}"
        files[name] = folder / f"{name}.json"
        kept = kept_chart(files[name], table.rules, made)
        if kept:
            search.report(f"{name}: kept")
        else:
            search.drawn, search.price = 10_000 * size, PRICE if size < LONG else LONG_PRICE
            chart = before or _shortest(search, folder / f"{PREFIX}-way", made)
            found = search.improve(replace(chart, name=name), size, before)
            found = search.quicken(search.polish(found, size, before), before)
            kept = replace(found, info=made | measure(found, search.threads))
            save_chart(kept, files[name])
        before = kept
    for file in files.values():
        chart = load_chart(file, table.rules)
        if "score_costs" not in chart.info:
            search.report(f"{chart.name}: weighing every line")
            save_chart(replace(chart, info=chart.info | weigh(chart, search.threads)), file)
    return files


def kept_chart(path: Path, rules: Ruleset, made: dict[str, Any]) -> Chart | None:
    """The chart of a file if these settings made it."""
    try:
        found = load_chart(path, rules)
    except YatzyError:
        return None
    return found if all(found.info.get(key) == value for key, value in made.items()) else None


def _shortest(search: ChartSearch, way: Path, made: dict[str, Any]) -> Chart:
    """A long chart, shrunk step by step; every step is kept, in files beside the charts."""
    chart: Chart | None = None
    for size in (LONG, *STEPS, SIZES[0]):
        file = way / f"{size}.json"
        kept = kept_chart(file, search.table.rules, made)
        if kept is None:
            search.drawn = 1000 * size
            if chart is None:
                kept = search.begin(empty_chart(f"of {size}", search.table.rules), size)
            else:
                kept = search.shrink(replace(chart, name=f"of {size}"), size)
            if size > SIZES[0]:
                kept = search.improve(kept, size, rounds=search.effort.rounds_on_the_way)
            kept = replace(kept, info=made)
            save_chart(kept, file)
        chart = kept
    assert chart is not None
    return chart


def describe(chart: Chart, threads: int | None = None, table: ValueTable | None = None) -> dict[str, Any]:
    """Exact mean, lines read per decision (all, and by rerolls left), and what is lost without each line.

    `table` or the stored one is for a chart that only scores.
    """
    return measure(chart, threads, table) | weigh(chart, threads, table)


def measure(chart: Chart, threads: int | None = None, table: ValueTable | None = None) -> dict[str, Any]:
    """Exact mean, and lines read per decision: all, and by rerolls left."""
    played = play_chart(ChartPlayer(chart, table=table), threads)
    return {
        "mean": played.mean, "reads": played.reads_per_decision, "reads_by_rerolls": played.reads.tolist()
    }  # fmt: skip


def weigh(chart: Chart, threads: int | None = None, table: ValueTable | None = None) -> dict[str, list[float]]:
    """What the chart loses without each of its lines; the last of the keeping lines stays."""

    def mean(one: Chart) -> float:
        return play_chart(ChartPlayer(one, table=table), threads).mean

    whole = mean(chart)
    costs: dict[str, list[float]] = {}
    for level, name in ((0, "score_costs"), (1, "keep_costs")):
        costs[name] = []
        for line in free_lines(chart, level, None):
            rest = [other for other in lines_of(chart, level) if other != line]
            costs[name].append(whole - mean(chart.with_lines(level, rest)))
    return costs


NAME = f"{PREFIX}-scores"
MOST_LINES = 40
# Polishing one line at a time adds little to a list of forty (0.02 points were seen) and takes longest.
EFFORT = ChartEffort(turns=40_000, rounds=6, polishing=0)
# Lines of the chart that is shrunk, for every line of the one wanted.
LONGER = 1.5


class ScoringSearch(ChartSearch):
    """Where to score is one decision of a turn among several: what is read there counts as it does in a ladder."""

    def _draw(self, chart: Chart, player: Any, values: Any, visits: Any) -> list[DecisionSample]:
        boards = super()._draw(chart, player, values, visits)
        boards[0].share = 1 / (1 + chart.rules.rerolls)
        return boards


def find_scoring_chart(
    table: ValueTable,
    folder: Path,
    n_lines: int = MOST_LINES,
    effort: ChartEffort = EFFORT,
    seed: int = 0,
    context: Context = HERE,
) -> dict[str, Path]:
    """Find the chart; returns its file."""
    table.rules.check_plain("charts that only score are")
    made = made_by(effort, seed, __name__) | {"lines": n_lines}
    file = folder / f"{NAME}.json"
    with only_writer(folder / NAME, context.notice):
        if kept_chart(file, table.rules, made):
            context.notice(f"{NAME}: kept")
            return {NAME: file}
        search = ScoringSearch(table, effort, seed, context)
        longer = round(LONGER * n_lines)
        found = search.begin(replace(empty_chart(NAME, table.rules), oracle_keeps=True, keeps=()), longer)
        found = search.improve(found, longer, rounds=effort.rounds_on_the_way)
        found = search.improve(search.shrink(found, n_lines), n_lines)
        found = search.polish(found, n_lines)
        context.notice(f"{NAME}: weighing every line")
        save_chart(_weighed(found, made, context.threads, table), file)
    return {NAME: file}


def _weighed(chart: Chart, made: dict[str, Any], threads: int | None, table: ValueTable) -> Chart:
    """The chart without lines that decide nothing, with what it is worth."""
    costs = weigh(chart, threads, table)["score_costs"]
    found = chart.with_lines(0, [line for line, cost in zip(chart.scores, costs, strict=True) if cost])
    told = measure(found, threads, table) | {"mean": visit(ChartPlayer(found, table=table), threads).mean}
    return replace(found, info=made | told | {"score_costs": [cost for cost in costs if cost]})
