"""The chart that explains mistakes, as data for a page: every line with what it does to each roll.

A page knows no patterns of dice. A line becomes *rules*, tried in order; the first that fits decides:

    score   [when, line, box, least]            box allowed for these dice, and `least` points or more in it
    keep    [when, line, box, least, kept]      box open (-1: none asked for); least as above (-1: none asked for);
                                                the roll has the pattern, by `kept`

`when` is 0 for always; of scoring rules 1 is while the bonus is in reach, 2 once it is settled; of keeping rules
1 is after the first throw and 2 after a later one. A pattern that asks for its own upper box is a rule for every
face, the highest first. `kept` is a number of `patterns`: for every roll a digit in base 32, the bits of its
sorted dice that are kept, or a dash where it does not have the pattern. `words` are those of the lines, of what to
keep and where to score; the last of either is what to do if none fits.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from yatzy.coach.review import CARD
from yatzy.dice import lattice
from yatzy.rulelists.charts.candidates import upper_boxes
from yatzy.rulelists.charts.library import charted_games, find_chart, shipped_charts
from yatzy.rulelists.charts.lines import THROWS, WHENS, Chart, KeepLine, elementary
from yatzy.rulelists.charts.player import keeps_of_pattern
from yatzy.rulelists.charts.words import GIVE_UP, KEEP_NOTHING, keep_text, kept_text, score_text
from yatzy.rules import Ruleset
from yatzy.turn.tables import face_of_category

DIGITS = "0123456789abcdefghijklmnopqrstuv"
MISSING = "-"


def describe_charts() -> dict[str, dict[str, Any]]:
    """The chart of every game that has one, by game."""
    games = [game for game in charted_games() if CARD in shipped_charts(game)]
    return {game: describe_chart(find_chart(CARD, game)) for game in games}


def describe_chart(chart: Chart) -> dict[str, Any]:
    """A chart as numbers and words."""
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
    order = GIVE_UP + ", ".join(rules.categories[box].name for box in chart.give_up)
    keep_words = [f"{keep_text(rules, line)}: {kept_text(rules, line.pattern)}" for line in chart.keeps[:-1]]
    return {
        "name": chart.name, "fingerprint": rules.fingerprint, "score": score, "keep": keep, "patterns": [*rows],
        "words": {
            "keep": [*keep_words, KEEP_NOTHING.rstrip(".")],
            "score": [*(score_text(rules, line) for line in chart.scores), order],
        },
    }  # fmt: skip


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
