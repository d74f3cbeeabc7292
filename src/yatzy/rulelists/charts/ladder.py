"""The ladder of charts of a game: 10, 20, 40 and 60 lines, each with the lines of the one before.

A long chart is found first, and shrunk to the shortest; then the charts grow, one out of the other (`search`). A
finished chart is kept on disk with what made it, so a killed search resumes after it.
"""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from yatzy.errors import YatzyError
from yatzy.evaluate.visits import visit
from yatzy.files import only_writer
from yatzy.rulelists.charts.candidates import upper_boxes
from yatzy.rulelists.charts.library import load_chart, save_chart
from yatzy.rulelists.charts.lines import NO_DICE, Chart
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rulelists.charts.search import Effort, Search, free_lines, lines_of
from yatzy.rulelists.charts.valuing import exact_mean, play
from yatzy.rules import Ruleset
from yatzy.running import Report, silent
from yatzy.solver.table import ValueTable

SIZES = (10, 20, 40, 60)
# The most lines of a chart that only scores.
SCORING = 40
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
    effort: Effort | None = None,
    seed: int = 0,
    threads: int | None = None,
    report: Report = silent,
    prefix: str = "chart",
) -> dict[str, Path]:
    """Find the charts of up to `most` lines; returns their files."""
    sizes = [size for size in SIZES if most is None or size <= most]
    if not sizes:
        raise YatzyError(f"lines: {most} are too few; the shortest chart has {SIZES[0]}")
    with only_writer(folder / prefix, report):
        return _find(table, folder, sizes, effort or Effort(), seed, threads, report, prefix)


def find_scoring_chart(
    table: ValueTable,
    folder: Path,
    n_lines: int = SCORING,
    effort: Effort | None = None,
    seed: int = 0,
    threads: int | None = None,
    report: Report = silent,
    prefix: str = "chart",
) -> dict[str, Path]:
    """Find a chart of where to score only, for dice that are kept as in optimal play; returns its file."""
    effort = effort or Effort(turns=40_000, rounds=6)
    name = f"{prefix}-scores-{n_lines}"
    made = {"method": "chart", "seed": seed, **asdict(effort)}
    file = folder / f"{name}.json"
    with only_writer(folder / name, report):
        if _kept(file, table.rules, made):
            report(f"{name}: kept")
            return {name: file}
        search = Search(table, effort, seed, threads, report)
        empty = replace(empty_chart(name, table.rules), oracle_keeps=True, keeps=())
        found = search.improve(search.begin(empty, n_lines), n_lines)
        mean = visit(ChartPlayer(found, table=table), threads).mean
        save_chart(replace(found, info=made | {"mean": mean}), file)
    return {name: file}


def _find(
    table: ValueTable, folder: Path, sizes: list[int], effort: Effort, seed: int, threads: int | None,
    report: Report, prefix: str,
) -> dict[str, Path]:  # fmt: skip
    made = {"method": "chart", "seed": seed, **asdict(effort)}
    search = Search(table, effort, seed, threads, report)
    files: dict[str, Path] = {}
    before: Chart | None = None
    for size in sizes:
        name = f"{prefix}-{size}"
        files[name] = folder / f"{name}.json"
        kept = _kept(files[name], table.rules, made)
        if kept:
            report(f"{name}: kept")
        else:
            search.drawn = 10_000 * size
            chart = before or _shortest(search, folder / f"{prefix}-way", made, report)
            found = search.quicken(search.improve(replace(chart, name=name), size, before), before)
            kept = replace(found, info=made | measure(found, threads))
            save_chart(kept, files[name])
        before = kept
    for file in files.values():
        chart = load_chart(file, table.rules)
        if "score_costs" not in chart.info:
            report(f"{chart.name}: weighing every line")
            save_chart(replace(chart, info=chart.info | weigh(chart, threads)), file)
    return files


def _kept(path: Path, rules: Ruleset, made: dict[str, Any]) -> Chart | None:
    """The chart of a file if these settings made it."""
    try:
        found = load_chart(path, rules)
    except YatzyError:
        return None
    return found if all(found.info.get(key) == value for key, value in made.items()) else None


def _shortest(search: Search, way: Path, made: dict[str, Any], report: Report) -> Chart:
    """A long chart, shrunk step by step; every step is kept, in files beside the charts."""
    chart: Chart | None = None
    for size in (LONG, *STEPS, SIZES[0]):
        file = way / f"{size}.json"
        kept = _kept(file, search.table.rules, made)
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


def weigh(chart: Chart, threads: int | None = None) -> dict[str, list[float]]:
    """What the chart loses without each of its lines; the last of the keeping lines stays."""
    mean = exact_mean(chart, threads)
    costs: dict[str, list[float]] = {}
    for level, name in ((0, "score_costs"), (1, "keep_costs")):
        costs[name] = []
        for line in free_lines(chart, level, None):
            rest = [other for other in lines_of(chart, level) if other != line]
            costs[name].append(mean - exact_mean(chart.with_lines(level, rest), threads))
    return costs


def describe(chart: Chart, threads: int | None = None) -> dict[str, Any]:
    """Exact mean, lines read per decision (all, and by rerolls left), and what is lost without each line."""
    return measure(chart, threads) | weigh(chart, threads)


def measure(chart: Chart, threads: int | None = None) -> dict[str, Any]:
    """Exact mean, and lines read per decision: all, and by rerolls left."""
    played = play(ChartPlayer(chart), threads)
    return {
        "mean": played.mean, "reads": played.reads_per_decision, "reads_by_rerolls": played.reads.tolist()
    }  # fmt: skip
