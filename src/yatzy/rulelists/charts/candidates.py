"""Every line that a chart may have: what a person sees in a second; and charts read from their words.

A line is read by looking its words up among those of all lines, so what cannot be printed cannot be played either.
"""

import re
from functools import lru_cache
from itertools import pairwise

import numpy as np

from yatzy.errors import YatzyError
from yatzy.policy.hands import alike, straights
from yatzy.rulelists.charts.lines import (
    ALIKE,
    COMPLETE,
    FROM,
    GIVE_UP,
    KEEP_HEAD,
    KEEP_NOTHING,
    NO_DICE,
    NOTHING,
    ORACLE,
    RUN,
    SCORE_HEAD,
    THROWS,
    TWO_PAIRS,
    WHENS,
    WITH_HIGHEST,
    Chart,
    KeepLine,
    KeepPattern,
    ScoreLine,
    keep_text,
    score_text,
)
from yatzy.rules import Ruleset, parse_category, ruleset
from yatzy.turn.tables import face_of_category

# A pattern of pairs or single dice may ask for faces from here up.
HIGH_FROM = 4


@lru_cache(maxsize=4)
def upper_boxes(rules: Ruleset) -> tuple[int, ...]:
    """Category ids of the upper boxes, ones first."""
    faces = face_of_category(rules)
    return tuple(sorted((box for box in range(rules.n_categories) if faces[box]), key=lambda box: int(faces[box])))


@lru_cache(maxsize=4)
def hands(rules: Ruleset) -> tuple[int, ...]:
    """Lower boxes that score all dice or nothing, the last on the sheet first: what one sees as a made hand."""
    scores = np.array(rules.scores)
    rare = [
        box
        for box in range(rules.n_categories)
        if not rules.categories[box].upper and (scores[:, box] > 0).mean() < MADE
    ]
    return tuple(reversed(rare))


# A made hand is one that fewer than this share of all different rolls show.
MADE = 0.13


@lru_cache(maxsize=4)
def score_lines(rules: Ruleset) -> tuple[ScoreLine, ...]:
    """Upper boxes of neighbouring faces from some number of dice; lower ones from some number of points; any box.

    Made hands, and boxes for dice alike that are not, may share a line that takes any points.
    """
    upper = upper_boxes(rules)
    found = [
        ScoreLine(tuple(reversed(upper[first:end])), n)
        for first in range(len(upper))
        for end in range(first + 1, len(upper) + 1)
        for n in range(1, rules.dice + 1)
    ]
    scores = np.array(rules.scores)
    for box in set(range(rules.n_categories)) - set(upper):
        found += [ScoreLine((box,), int(points)) for points in np.unique(scores[:, box]) if points > 0]
    found += [ScoreLine((box,), 0) for box in range(rules.n_categories)]
    made = hands(rules)
    found += [ScoreLine(made[:end], 1) for end in range(2, len(made) + 1)]
    kinds = tuple(box for box in reversed(range(rules.n_categories)) if box in alike(rules) and box not in made)
    found += [
        ScoreLine(kinds[first:end], 1) for first in range(len(kinds)) for end in range(first + 2, len(kinds) + 1)
    ]
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=4)
def patterns(rules: Ruleset) -> tuple[KeepPattern, ...]:
    """All patterns of dice to keep."""
    top = rules.faces
    ranges = [(low, high) for low in range(1, top + 1) for high in range(low, top + 1)]
    found = [
        KeepPattern(ALIKE, n, low, high, own)
        for own in (False, True)
        for n in range(1, rules.dice)
        for low, high in ranges
        if n <= 3 or (low, high) == (1, top)
    ]
    found += [
        KeepPattern(WITH_HIGHEST, n, low, top, own)
        for own in (False, True)
        for n in (1, 2, 3)
        for low in (1, HIGH_FROM, HIGH_FROM + 1)
    ]
    found += [KeepPattern(TWO_PAIRS), KeepPattern(NOTHING)]
    found += [KeepPattern(FROM, 1, low) for low in range(3, top + 1)]
    found += [KeepPattern(RUN, n, low, high) for n, low, high in _runs(rules)]
    scores = np.array(rules.scores)
    for box in set(range(rules.n_categories)) - set(upper_boxes(rules)):
        steps = np.unique(scores[:, box])
        found += [KeepPattern(COMPLETE, int(points), boxes=(box,)) for points in steps if points > 0]
    made = hands(rules)
    found += [KeepPattern(COMPLETE, 1, boxes=made[:end]) for end in range(2, len(made) + 1)]
    return tuple(dict.fromkeys(found))


def _runs(rules: Ruleset) -> list[tuple[int, int, int]]:
    """(least, first, last): three or more faces of a straight, or of what two straights share."""
    whole = {run for ways in straights(rules).values() for run in ways}
    shared = {tuple(sorted({*a} & {*b})) for a, b in pairwise(sorted(whole))}
    found = {(n, run[0], run[-1]) for run in whole | shared if len(run) >= 3 for n in range(3, len(run) + 1)}
    return sorted(found)


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
        raise YatzyError("chart", text, why=f"is not a line on where to score in {rules.name}") from None


def parse_keep(rules: Ruleset, text: str) -> KeepLine:
    """The keeping line that these words state."""
    try:
        return _known_keeps(rules)[text]
    except KeyError:
        raise YatzyError("chart", text, why=f"is not a line on what to keep in {rules.name}") from None


def parse_chart(text: str, game: str | Ruleset | None = None) -> Chart:
    """A chart from its own words."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    head = re.fullmatch(r"(.+), for (\S+)", lines[0]) if lines else None
    if not head:
        raise YatzyError("chart", why="the first line must say '<name>, for <ruleset>'")
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
            raise YatzyError("chart", line, why="the line {given} is not understood")
        keeping = keeping or line == KEEP_HEAD
    return Chart(head[1], rules, tuple(scores), give_up, tuple(keeps), ORACLE in lines)
