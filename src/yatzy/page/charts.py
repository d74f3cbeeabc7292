"""The charts as data for a page: their lines, to be said in its language, and what one of them does to each roll.

A page says lines itself (`charts`, by name), but it knows no patterns of dice. Of the chart that explains mistakes
a line becomes *rules*, tried in order; the first that fits decides:

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
from typing import Any

from yatzy.coach.review import CARD
from yatzy.dice import lattice
from yatzy.rulelists.charts.candidates import upper_boxes
from yatzy.rulelists.charts.library import charted_games, find_chart, shipped_charts
from yatzy.rulelists.charts.lines import THROWS, WHENS, Chart, KeepLine, ScoreLine, elementary
from yatzy.rulelists.charts.player import keeps_of_pattern
from yatzy.rulelists.charts.printing import keep_picture, score_picture, why_keep, why_score
from yatzy.rules import Ruleset
from yatzy.turn.tables import face_of_category

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
