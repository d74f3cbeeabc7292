"""Lines of a chart in words, and back: one phrase for every line, and no phrase for two of them.

A line is read by looking its words up among those of all lines that a chart may have, so what cannot be printed
cannot be played either. `chart_text` is a whole chart in words, `parse_chart` reads it.
"""

import re
from functools import lru_cache

from yatzy.errors import YatzyError
from yatzy.rulelists.charts.candidates import patterns, score_lines
from yatzy.rulelists.charts.lines import (
    ALIKE,
    ANY,
    COMPLETE,
    FIRST,
    FROM,
    IN_REACH,
    LAST,
    NO_DICE,
    NOTHING,
    RUN,
    SETTLED,
    THROWS,
    TWO_PAIRS,
    WHENS,
    WITH_HIGHEST,
    Chart,
    KeepLine,
    Pattern,
    ScoreLine,
)
from yatzy.rulelists.language.words import FACE_NAMES
from yatzy.rules import Ruleset, parse_category, ruleset
from yatzy.turn.tables import face_of_category

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
ORDINALS = ("first", "second", "third", "fourth", "fifth")
WHEN_WORDS = {"": "", IN_REACH: ", while the bonus is in reach", SETTLED: ", once the bonus is safe or lost"}
SCORE_HEAD, KEEP_HEAD, ORACLE = "Where to score:", "What to keep:", "What to keep: as in optimal play."
GIVE_UP = "If none of these fits, fill the first open box of: "
KEEP_NOTHING = "If you have none of these, keep nothing."


def score_text(rules: Ruleset, line: ScoreLine) -> str:
    """A scoring line: "Sixes, Fives or Fours: three or more dice"."""
    return _boxes_text(rules, line.boxes, line.least) + WHEN_WORDS[line.when]


def _boxes_text(rules: Ruleset, boxes: tuple[int, ...], least: int) -> str:
    names = _either([rules.categories[box].name for box in boxes])
    faces = face_of_category(rules)
    if len(boxes) == rules.faces and all(faces[box] for box in boxes):
        names = "Any upper box, the highest first"
    if least == 0:
        return f"{names}: even for nothing"
    if faces[boxes[0]]:
        return f"{names}: {NUMBERS[least]} dice" if least == rules.dice else f"{names}: {_or_more(least)}"
    if len(boxes) > 1:
        return f"{names}: any points"
    points = sorted({row[boxes[0]] for row in rules.scores if row[boxes[0]] > 0})
    if least <= points[0]:
        return f"{names}: any points" if len(points) > 1 else names
    return f"{names}: {least} points" if least == points[-1] else f"{names}: {least} points or more"


def _or_more(n: int) -> str:
    return f"{NUMBERS[n]} or more dice" if n > 1 else "one die or more"


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def keep_text(rules: Ruleset, line: KeepLine) -> str:
    """A keeping line: "Three or more alike, 4 or higher, if Full House is open"."""
    text = pattern_text(rules, line.pattern)
    if line.box >= 0:
        text += f", if {rules.categories[line.box].name} is open"
    return text + throw_text(rules, line.throw)


def throw_text(rules: Ruleset, throw: str) -> str:
    """After which throw a line holds."""
    later = f"the {ORDINALS[1]} throw" if rules.rerolls == 2 else "a later throw"
    return {ANY: "", FIRST: ", after the first throw", LAST: f", after {later}"}[throw]


def pattern_text(rules: Ruleset, pattern: Pattern) -> str:
    """The dice to see."""
    n, low, high = pattern.n, pattern.low, pattern.high
    if pattern.kind == COMPLETE:
        boxes = _boxes_text(rules, pattern.boxes, n)
        return f"{boxes}, open" if len(pattern.boxes) == 1 else f"{boxes}, that box open"
    if pattern.kind == TWO_PAIRS:
        return "Two different pairs"
    if pattern.kind == NOTHING:
        return "Any dice"
    if pattern.kind == FROM:
        return f"Dice of {low} or higher" if low < rules.faces else f"Dice of {low}"
    if pattern.kind == RUN:
        faces = " ".join(map(str, range(low, high + 1)))
        return faces if n == high - low + 1 else f"{NUMBERS[n].capitalize()} or more different dice of {faces}"
    text = _alike_text(rules, n, low, high)
    if pattern.kind == WITH_HIGHEST:
        text += ", and the highest other die"
    whose = "its" if n == 1 else "their"
    return f"{text}, {whose} upper box open" if pattern.own else text


def _alike_text(rules: Ruleset, n: int, low: int, high: int) -> str:
    if low == high:
        return f"{NUMBERS[n].capitalize()} or more {FACE_NAMES[low - 1]}"
    which = f", {low} to {high}"
    if (low, high) == (1, rules.faces):
        which = ""
    elif high == rules.faces:
        which = f", {low} or higher"
    elif low == 1:
        which = f", {high} or lower"
    return f"Any die{which}" if n == 1 else f"{NUMBERS[n].capitalize()} or more alike{which}"


def kept_text(rules: Ruleset, pattern: Pattern) -> str:
    """What a keeping line keeps."""
    return {
        ALIKE: "keep them",
        WITH_HIGHEST: "keep them",
        TWO_PAIRS: "keep both pairs",
        RUN: "keep one of each",
        FROM: "keep them",
        COMPLETE: f"keep all {NUMBERS[rules.dice]}",
        NOTHING: "keep nothing",
    }[pattern.kind]


@lru_cache(maxsize=4)
def _known_scores(rules: Ruleset) -> dict[str, ScoreLine]:
    lines = [ScoreLine(line.boxes, line.least, when) for line in score_lines(rules) for when in WHENS]
    return {score_text(rules, line): line for line in lines}


@lru_cache(maxsize=4)
def _known_keeps(rules: Ruleset) -> dict[str, KeepLine]:
    lines = [
        KeepLine(pattern, box, throw)
        for pattern in patterns(rules)
        for box in range(-1, -1 if pattern.own or pattern.boxes else rules.n_categories)
        for throw in THROWS
    ] + [KeepLine(p, -1, throw) for p in patterns(rules) if p.own or p.boxes for throw in THROWS]
    return {keep_text(rules, line): line for line in lines}


def parse_score(rules: Ruleset, text: str) -> ScoreLine:
    """The scoring line that these words state."""
    try:
        return _known_scores(rules)[text]
    except KeyError:
        raise YatzyError(f"chart: {text!r} is not a line on where to score in {rules.name}") from None


def parse_keep(rules: Ruleset, text: str) -> KeepLine:
    """The keeping line that these words state."""
    try:
        return _known_keeps(rules)[text]
    except KeyError:
        raise YatzyError(f"chart: {text!r} is not a line on what to keep in {rules.name}") from None


def chart_text(chart: Chart) -> str:
    """The whole chart in words; `parse_chart` reads it back."""
    rules = chart.rules
    lines = [f"{chart.name}, for {rules.name}", SCORE_HEAD]
    lines += [f"{n}. {score_text(rules, line)}" for n, line in enumerate(chart.scores, start=1)]
    lines.append(GIVE_UP + ", ".join(rules.categories[box].name for box in chart.give_up))
    if chart.oracle_keeps:
        lines.append(ORACLE)
    else:
        lines.append(KEEP_HEAD)
        lines += [
            f"{n}. {keep_text(rules, line)}: {kept_text(rules, line.pattern)}"
            for n, line in enumerate(chart.keeps[:-1], start=1)
        ]
        lines.append(KEEP_NOTHING)
    return "\n".join(lines) + "\n"


def parse_chart(text: str, game: str | Ruleset | None = None) -> Chart:
    """A chart from its own words."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    head = re.fullmatch(r"(.+), for (\S+)", lines[0]) if lines else None
    if not head:
        raise YatzyError("chart: the first line must say '<name>, for <ruleset>'")
    rules = ruleset(head[2] if game is None else game)
    scores: list[ScoreLine] = []
    keeps: list[KeepLine] = []
    give_up: tuple[int, ...] = ()
    keeping = False
    for line in lines[1:]:
        numbered = re.fullmatch(r"\d+\. (.+)", line)
        if numbered and keeping:
            keeps.append(parse_keep(rules, numbered[1].rpartition(": ")[0]))
        elif numbered:
            scores.append(parse_score(rules, numbered[1]))
        elif line == KEEP_NOTHING:
            keeps.append(NO_DICE)
        elif line.startswith(GIVE_UP):
            give_up = tuple(parse_category(rules, name) for name in line.removeprefix(GIVE_UP).split(", "))
        elif line not in (SCORE_HEAD, KEEP_HEAD, ORACLE):
            raise YatzyError(f"chart: the line {line!r} is not understood")
        keeping = keeping or line == KEEP_HEAD
    return Chart(head[1], rules, tuple(scores), give_up, tuple(keeps), ORACLE in lines)
