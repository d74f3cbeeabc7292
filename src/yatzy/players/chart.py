"""A chart as data: two ranked lists of lines, where to score and what to keep; the first line that fits decides.

A scoring line names boxes and the least that they must bring: it fits if one of them is open and the dice bring
that much, and the first such box is filled. After the last line comes the *give-up order*, which has every box of
the game: the first open one is filled whatever the dice show. Some scoring line therefore always fits.

A keeping line names a pattern of dice and, at most, one box that has to be open. The pattern says which dice are
kept. The last pattern is `nothing`, which every roll has.

Scoring lines may hold only while the bonus is in reach, or only once it is settled (safe or lost); keeping lines
may hold only after the first throw, or only after the last but one.

Every line has one phrase, and no phrase is that of two lines. `chart_text` is the whole chart in words, and
`parse_chart` reads it back: it looks the words of a line up among those of every line that a chart may have
(`score_lines`, `patterns`: what a person sees in a second), so what cannot be printed cannot be played either.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from itertools import pairwise, zip_longest
from typing import Any, Self

import numpy as np

from yatzy.errors import YatzyError
from yatzy.players.conditions import FACE_NAMES
from yatzy.policies.baselines import alike, named_straights, straights
from yatzy.policies.policy import Policy
from yatzy.rules import Ruleset, parse_category, ruleset
from yatzy.svg import html_table
from yatzy.turn.tables import face_of_category

Faces = tuple[int, ...]

# When a scoring line holds.
ALWAYS, IN_REACH, SETTLED = "", "in reach", "settled"
WHENS = (ALWAYS, IN_REACH, SETTLED)
# After which throw a keeping line holds; the last is the last after which dice can still be thrown.
ANY, FIRST, LAST = "", "first", "last"
THROWS = (ANY, FIRST, LAST)

ALIKE, TWO_PAIRS, WITH_HIGHEST, RUN, FROM, COMPLETE, NOTHING = (
    "alike", "two pairs", "with highest", "run", "from", "complete", "nothing",
)  # fmt: skip


@dataclass(frozen=True, order=True)
class KeepPattern:
    """Dice to see, and which of them are kept.

    alike         `n` or more dice of a face from `low` to `high` (`own`: whose upper box is open); of several
                  faces the highest; all dice of that face are kept
    with highest  the same, and the highest other die with them
    two pairs     two different pairs; both are kept, the highest ones
    run           `n` or more different faces from `low` to `high`; one die of each is kept
    from          any die of `low` or more; all of these are kept
    complete      the dice score `n` or more in one of the `boxes`, which is open; all dice are kept
    nothing       whatever the dice show; none is kept
    """

    kind: str
    n: int = 0
    low: int = 0
    high: int = 0
    own: bool = False
    boxes: tuple[int, ...] = ()

    def kept(self, roll: Faces, open_faces: Faces) -> Faces | None:
        """What is kept of a roll (sorted), None if it does not have the pattern; `complete` asks the boxes."""
        if self.kind in (ALIKE, WITH_HIGHEST):
            return self._alike(roll, open_faces)
        found: Faces = ()
        if self.kind == TWO_PAIRS:
            pairs = sorted((face for face in set(roll) if roll.count(face) > 1), reverse=True)[:2]
            found = tuple(sorted(pairs * 2)) if len(pairs) > 1 else ()
        elif self.kind == RUN:
            run = tuple(face for face in sorted(set(roll)) if self.low <= face <= self.high)
            found = run if len(run) >= self.n else ()
        elif self.kind == FROM:
            found = tuple(face for face in roll if face >= self.low)
        elif self.kind == COMPLETE:
            found = roll
        return found if found or self.kind == NOTHING else None

    def _alike(self, roll: Faces, open_faces: Faces) -> Faces | None:
        faces = [
            face
            for face in range(self.low, self.high + 1)
            if roll.count(face) >= self.n and (face in open_faces or not self.own)
        ]
        if not faces:
            return None
        kept = (faces[-1],) * roll.count(faces[-1])
        others = [face for face in roll if face != faces[-1]]
        return tuple(sorted((*kept, others[-1]))) if self.kind == WITH_HIGHEST and others else kept


@dataclass(frozen=True, order=True)
class ScoreLine:
    """Boxes, and the least they must bring: dice of the face for upper boxes, points for a lower one."""

    boxes: tuple[int, ...]
    least: int
    when: str = ALWAYS


@dataclass(frozen=True, order=True)
class KeepLine:
    """A pattern, the box that has to be open (-1: none), and after which throw the line holds."""

    pattern: KeepPattern
    box: int = -1
    throw: str = ANY


NO_DICE = KeepLine(KeepPattern(NOTHING))

KEEP_TITLE, SCORE_TITLE = "What to keep", "Where to score"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
ORDINALS = ("first", "second", "third", "fourth", "fifth")
WHEN_WORDS = {"": "", IN_REACH: ", while the bonus is in reach", SETTLED: ", once the bonus is safe or lost"}
SCORE_HEAD, KEEP_HEAD, ORACLE = f"{SCORE_TITLE}:", f"{KEEP_TITLE}:", f"{KEEP_TITLE}: as in optimal play."
GIVE_UP = "If none of these fits, fill the first open box of: "
KEEP_NOTHING = "If you have none of these, keep nothing."
# What plays a chart is made of charts: it is imported when somebody asks for it.
PLAYER = "yatzy.players.chart_player"


@dataclass(frozen=True, repr=False)
class Chart:
    """Two ranked lists, what to keep (`keeps`) and where to score (`scores`); the first line that fits decides.

    With `oracle_keeps` dice are kept as in optimal play and the chart only scores.
    """

    name: str
    rules: Ruleset
    scores: tuple[ScoreLine, ...]
    give_up: tuple[int, ...]
    keeps: tuple[KeepLine, ...]
    oracle_keeps: bool = False
    info: dict[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        n = self.rules.n_categories
        if sorted(self.give_up) != list(range(n)):
            raise YatzyError("give-up", list(self.give_up), "every box once")
        if not self.oracle_keeps and (not self.keeps or self.keeps[-1] != NO_DICE):
            raise YatzyError("keeps", why="the last line must fit every roll: keep nothing")
        for line in self.scores:
            check_score_line(self.rules, line)
        for keep in self.keeps:
            if keep.throw not in THROWS or not -1 <= keep.box < n:
                raise YatzyError(
                    "keeps", keep, why="is not allowed; a line holds after the first throw or the last"
                )

    @property
    def n_lines(self) -> int:
        """Lines to carry; what comes after the last, the give-up order and keeping nothing, is not counted."""
        return len(self.scores) + (0 if self.oracle_keeps else len(self.keeps) - 1)

    @property
    def policy(self) -> Policy:
        """Somebody who plays by it."""
        player: Policy = import_module(PLAYER).ChartPlayer(self)
        return player

    def __str__(self) -> str:
        return chart_text(self)

    def __repr__(self) -> str:
        mean, reads = self.info.get("mean"), self.info.get("reads")
        told = "" if mean is None else f", mean {mean:.2f}"
        read = "" if reads is None else f", {reads:.1f} read per decision"
        return f"<Chart {self.name} for {self.rules.name}: {self.n_lines} lines{told}{read}>"

    def _repr_html_(self) -> str:
        """As it is printed, with what the chart would lose without each line, in points per game."""
        parts = [(SCORE_TITLE, [score_text(self.rules, line) for line in self.scores], "score_costs")]
        if not self.oracle_keeps:
            keeps = [
                f"{keep_text(self.rules, one)}: {kept_text(self.rules, one.pattern)}" for one in self.keeps[:-1]
            ]
            parts.insert(0, (KEEP_TITLE, keeps, "keep_costs"))
        return "".join(
            html_table(("", title, "costs"), _numbered(words, self.info.get(costs, ())), caption)
            for (title, words, costs), caption in zip(parts, (repr(self)[1:-1], ""), strict=False)
        )

    def with_lines(self, level: int, lines: Any) -> Self:
        """The same chart with other lines for where to score (level 0) or what to keep."""
        return replace(self, keeps=tuple(lines)) if level else replace(self, scores=tuple(lines))


def _numbered(words: list[str], costs: Iterable[float]) -> list[tuple[int, str, float | None]]:
    return [(n, text, cost) for n, (text, cost) in enumerate(zip_longest(words, costs), start=1)]


def check_score_line(rules: Ruleset, line: ScoreLine) -> None:
    faces = face_of_category(rules)
    upper = [bool(faces[box]) for box in line.boxes]
    mixed = len(line.boxes) > 1 and any(upper) and not all(upper)
    if not line.boxes or mixed or line.when not in WHENS:
        raise YatzyError("scores", line, why="is not allowed; a line names either upper boxes or lower boxes")


def elementary(rules: Ruleset, line: ScoreLine) -> list[tuple[int, int]]:
    """(box, least points) in the order in which they are tried."""
    faces = face_of_category(rules)
    return [(box, line.least * int(faces[box]) if faces[box] else line.least) for box in line.boxes]


def runs(rules: Ruleset) -> dict[str, tuple[int, int]]:
    """First and last face of each straight that the game has and that all dice are needed for."""
    return {
        size: (straights(rules)[category][0][0], straights(rules)[category][0][-1])
        for size, category in named_straights(rules).items()
    }


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


def pattern_text(rules: Ruleset, pattern: KeepPattern) -> str:
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


def kept_text(rules: Ruleset, pattern: KeepPattern) -> str:
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
