"""Charts on the site: in the article, as pages to print, and as data for the coach.

*In the article.* A chart is shown in the words that the study `charts` measured: if the package ships other words,
the build stops. What a line is worth (`score_costs`, `keep_costs`) is weighed when a chart is found and comes in
its file.

*As data.* A page says lines itself (`charts`, by name), but it knows no patterns of dice. Of the chart that
explains mistakes a line becomes *rules*, tried in order; the first that fits decides:

    score   [when, line, box, least]            box allowed for these dice, and `least` points or more in it
    keep    [when, line, box, least, kept]      box open (-1: none asked for); least as above (-1: none asked for);
                                                the roll has the pattern, by `kept`

`when` is 0 for always; of scoring rules 1 is while the bonus is in reach, 2 once it is settled; of keeping rules
1 is after the first throw and 2 after a later one. A pattern that asks for its own upper box is a rule for every
face, the highest first. `kept` is a number of `patterns`: for every roll a digit in base 32, the bits of its
sorted dice that are kept, or a dash where it does not have the pattern.
"""

from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import lru_cache
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from yatzy.coach.review import CARD
from yatzy.errors import YatzyError
from yatzy.players import chart_card
from yatzy.players.chart import THROWS, WHENS, Chart, KeepLine, ScoreLine, chart_text, elementary, upper_boxes
from yatzy.players.chart_card import keep_picture, score_picture, why_keep, why_score
from yatzy.players.chart_player import ChartPlayer, keeps_of_pattern
from yatzy.players.library import charted_games, find_chart, shipped_charts
from yatzy.rules import Ruleset, ruleset
from yatzy.site.numbers import Results
from yatzy.turn.lattice import lattice
from yatzy.turn.tables import face_of_category

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
        raise YatzyError("chart", name, measured, "is not known")
    shipped = find_chart(name)
    if measured[name].text != chart_text(shipped):
        raise YatzyError("results", why=f"the study measured a different {name}; run yatzy reproduce charts")
    return shipped


def chart_lines(results: Results, name: str) -> dict[str, Any]:
    """Both lists of a chart as `chart_card.PrintedLine`s, and all of their lines, the most often missed first."""
    chart = measured_chart(results, name)
    keep, score = chart_card.keep_rows(chart), chart_card.score_rows(chart)
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
    sheet = chart_card.article(chart, measured.mean, greedy, results["distribution"].mean)
    return sheet.replace(escape(chart_card.title_of(chart)), title(measured.n_lines))


def title(n_lines: int) -> str:
    return f"Yatzy in {n_lines} lines"


DIGITS = "0123456789abcdefghijklmnopqrstuv"
MISSING = "-"
# Why lines look odd: the order in which a page has these half-sentences.
WHYS = (
    "it is missed least", "the bonus no longer counts", "a low box loses little",
    "better than spoiling a dearer box", "for the bonus", "it saves the upper boxes for the bonus",
    "a start for the bonus", "for the points, and for the bonus",
    "nothing better to aim at: keep what counts most", "the other die may become the second pair",
    "a fresh throw is better than what is left",
)  # fmt: skip


def describe_charts() -> dict[str, dict[str, Any]]:
    """The charts of every game that has one that explains mistakes, by game."""
    games = [game for game in charted_games() if CARD in shipped_charts(game)]
    return {game: describe_ladder(game) for game in games}


def describe_ladder(game: str) -> dict[str, Any]:
    """The charts of a game that say what to keep and where to score, and what one of them does."""
    charts = [find_chart(name, game) for name in shipped_charts(game)]
    return {
        "fingerprint": charts[0].rules.fingerprint,
        "charts": {chart.name: describe_lines(chart) for chart in charts if not chart.oracle_keeps},
        "card": {"name": CARD, **describe_chart(find_chart(CARD, game))},
    }


def describe_lines(chart: Chart) -> dict[str, Any]:
    """The lines of a chart, with pictures, reasons and costs; the last of what to keep is left out."""
    return {
        "mean": chart.info["mean"], "reads": chart.info["reads"], "give_up": chart.give_up,
        "keeps": [
            keep_line(chart.rules, line) | {"cost": cost}
            for line, cost in zip(chart.keeps, chart.info["keep_costs"], strict=False)
        ],
        "scores": [
            score_line(chart.rules, line) | {"cost": cost}
            for line, cost in zip(chart.scores, chart.info["score_costs"], strict=True)
        ],
    }  # fmt: skip


def keep_line(rules: Ruleset, line: KeepLine) -> dict[str, Any]:
    """A line on what to keep; `why` is a number of `WHYS`, or -1."""
    told = {
        **asdict(line.pattern), "box": line.box, "throw": line.throw, "picture": keep_picture(rules, line),
        "why": _number(why_keep(line)),
    }  # fmt: skip
    return told | ({"amounts": _amounts(rules, line.pattern.boxes[0])} if line.pattern.boxes else {})


def score_line(rules: Ruleset, line: ScoreLine) -> dict[str, Any]:
    """A line on where to score."""
    return {
        "boxes": line.boxes, "least": line.least, "when": line.when, "picture": score_picture(rules, line),
        "why": _number(why_score(rules, line)), "amounts": _amounts(rules, line.boxes[0]),
    }  # fmt: skip


def _amounts(rules: Ruleset, box: int) -> list[int]:
    """The fewest and the most points that a box can bring, nothing aside."""
    points = {row[box] for row in rules.scores if row[box] > 0}
    return [min(points), max(points)]


def _number(why: str) -> int:
    return WHYS.index(why) if why else -1


def describe_chart(chart: Chart) -> dict[str, Any]:
    """What a chart does, as numbers."""
    rules = chart.rules
    rows: dict[str, int] = {}
    keep = [
        [THROWS.index(line.throw), number, box, least, rows.setdefault(row, len(rows))]
        for number, line in enumerate(chart.keeps)
        for box, least, row in _keep_rules(rules, line)
    ]
    score = [
        [WHENS.index(line.when), number, box, least]
        for number, line in enumerate(chart.scores)
        for box, least in elementary(rules, line)
    ]
    score += [[0, len(chart.scores), box, 0] for box in chart.give_up]
    return {"score": score, "keep": keep, "patterns": [*rows]}


def _keep_rules(rules: Ruleset, line: KeepLine) -> Iterator[tuple[int, int, str]]:
    """(box that has to be open, least points there, the rolls) of every rule that a line becomes."""
    pattern = line.pattern
    if pattern.own:
        faces = face_of_category(rules)
        boxes = [box for box in reversed(upper_boxes(rules)) if pattern.low <= faces[box] <= pattern.high]
        for box in boxes:
            face = int(faces[box])
            yield box, -1, _row(rules, replace(line, pattern=replace(pattern, low=face, high=face, own=False)))
    elif pattern.boxes:
        for box in pattern.boxes:
            yield box, pattern.n, _row(rules, line)
    else:
        yield line.box, -1, _row(rules, line)


def _row(rules: Ruleset, line: KeepLine) -> str:
    """What the pattern keeps of every roll."""
    dice = lattice(rules.dice, rules.faces)
    return "".join(
        MISSING if keep < 0 else DIGITS[_bits(dice.keeps[roll], dice.keeps[keep])]
        for roll, keep in enumerate(keeps_of_pattern(rules, line.pattern)[0].tolist())
    )


def _bits(roll: tuple[int, ...], keep: tuple[int, ...]) -> int:
    """Which of the sorted dice are kept, a bit for each."""
    left, bits = list(keep), 0
    for place, face in enumerate(roll):
        if face in left:
            left.remove(face)
            bits |= 1 << place
    return bits
