"""A chart as data: two ranked lists of lines, where to score and what to keep; the first line that fits decides.

A scoring line names boxes and the least that they must bring: it fits if one of them is open and the dice bring
that much, and the first such box is filled. After the last line comes the *give-up order*, which has every box of
the game: the first open one is filled whatever the dice show. Some scoring line therefore always fits.

A keeping line names a pattern of dice and, at most, one box that has to be open. The pattern says which dice are
kept. The last pattern is `nothing`, which every roll has.

Scoring lines may hold only while the bonus is in reach, or only once it is settled (safe or lost); keeping lines
may hold only after the first throw, or only after the last but one.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Self

from yatzy.errors import YatzyError
from yatzy.policy.hands import named_straights, straights
from yatzy.rules import Ruleset
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
class Pattern:
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

    pattern: Pattern
    box: int = -1
    throw: str = ANY


NO_DICE = KeepLine(Pattern(NOTHING))


@dataclass(frozen=True)
class Chart:
    """Lines for a whole game. With `oracle_keeps` dice are kept as in optimal play and the chart only scores."""

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
            raise YatzyError(f"give-up: {list(self.give_up)}; allowed is every box once")
        if not self.oracle_keeps and (not self.keeps or self.keeps[-1] != NO_DICE):
            raise YatzyError("keeps: the last line must be one that every roll has: keep nothing")
        for line in self.scores:
            check_score_line(self.rules, line)
        for keep in self.keeps:
            if keep.throw not in THROWS or not -1 <= keep.box < n:
                raise YatzyError(f"keeps: {keep} is not allowed; a line holds after the first throw or the last")

    @property
    def n_lines(self) -> int:
        """Lines to carry; what comes after the last, the give-up order and keeping nothing, is not counted."""
        return len(self.scores) + (0 if self.oracle_keeps else len(self.keeps) - 1)

    def with_lines(self, level: int, lines: Any) -> Self:
        """The same chart with other lines for where to score (level 0) or what to keep."""
        return replace(self, keeps=tuple(lines)) if level else replace(self, scores=tuple(lines))


def check_score_line(rules: Ruleset, line: ScoreLine) -> None:
    faces = face_of_category(rules)
    upper = [bool(faces[box]) for box in line.boxes]
    mixed = len(line.boxes) > 1 and any(upper) and not all(upper)
    if not line.boxes or mixed or line.when not in WHENS:
        raise YatzyError(f"scores: {line} is not allowed; a line has upper boxes, or lower boxes")


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
