"""A person with a printed chart: reads it in any format and plays by its words, knowing nothing else of charts.

Written from the print alone, its notes included.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

from naive import Faces, choices
from printed_cards import FACES, Seat
from yatzy.rules import Ruleset

NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
BOX = r"[A-Z][a-zA-Z]*(?: (?:of a )?[A-Z][a-zA-Z]*)*"


@dataclass(frozen=True)
class Printed:
    """What is on the paper."""

    keeps: list[str]
    scores: list[str]
    give_up: list[str]
    keep_nothing: bool


def read_print(text: str) -> Printed:
    """The words of a chart in any of its formats."""
    if text.lstrip().startswith("<!doctype html>"):
        text = text.partition("<body>")[2]
        text = re.sub(r"<svg.*?</svg>|<small.*?</small>", "", text, flags=re.DOTALL)
        text = re.sub(r"<li>", "1. ", re.sub(r"<ul.*?</ul>", "", text, flags=re.DOTALL))
        text = unescape(re.sub(r"<[^>]+>", "", re.sub(r"</(li|p|h1|h2)>", "\n", text)))
    keeps: list[str] = []
    scores: list[str] = []
    give_up: list[str] = []
    keep_nothing = False
    part: list[str] | None = None
    for line in text.splitlines():
        bare = line.strip().removeprefix("## ")
        numbered = re.fullmatch(r"\d+\.? +(?:[⚀-⚅■□]+ +)?(.+?)(?: \*\(.*\)\*|  +.*)?", bare)
        if bare.startswith("What to keep"):
            part = keeps
        elif bare.startswith("Where to score"):
            part = scores
        elif bare.startswith("If none of these fits, fill the first open box of: "):
            give_up = bare.partition(": ")[2].split(", ")
            part = None
        elif bare == "If you have none of these, keep nothing.":
            keep_nothing = part is keeps
        elif numbered and part is not None:
            part.append(numbered[1])
    return Printed(keeps, scores, give_up, keep_nothing)


def decide(paper: Printed, seat: Seat) -> tuple[int, Faces | str]:
    """How many lines are read, and what the first one that fits does."""
    read = 0
    for line in paper.keeps if seat.rerolls else paper.scores:
        read += 1
        found = keep(seat, line) if seat.rerolls else score(seat, line)
        if found is not None:
            return read, found
    if seat.rerolls:
        assert paper.keep_nothing
        return read + 1, ()
    place = next(n for n, box in enumerate(paper.give_up) if box in bring(seat))
    return read + place + 1, paper.give_up[place]


def bonus(seat: Seat) -> str:
    """63 points are safe; lost if five of every open upper face would not reach them."""
    if seat.upper >= 63:
        return "safe or lost"
    return "safe or lost" if seat.upper + 5 * sum(seat.open_faces) < 63 else "in reach"


def score(seat: Seat, line: str) -> str | None:
    """The box that a line fills, None if it does not fit."""
    said = re.fullmatch(r"(.+?)(?:, (?:while|once) the bonus is (in reach|safe or lost))?", line)
    assert said
    if said[2] and said[2] != bonus(seat):
        return None
    return box_of(seat, said[1])


def box_of(seat: Seat, words: str) -> str | None:
    """The first open box of these words in which the dice bring what they ask for."""
    named, _, asked = words.partition(": ")
    boxes = re.split(r", | or ", named)
    if named == "Any upper box, the highest first":
        boxes = seat.upper_boxes[::-1]
    for box in boxes:
        assert box in [c.name for c in seat.rules.categories], words
        if box in bring(seat) and brings(seat, box, asked):
            return box
    return None


def bring(seat: Seat) -> dict[str, int]:
    """What the dice bring in every open box, by the rules of the game: jokers pass over some of them."""
    return _bring(seat.rules, seat.filled, seat.dice)


@lru_cache(maxsize=1000)
def _bring(rules: Ruleset, filled: int, dice: Faces) -> dict[str, int]:
    return {rules.categories[c].name: points for c, (points, _) in choices(rules, filled, dice).items()}


def brings(seat: Seat, box: str, asked: str) -> bool:
    if asked in ("", "any points"):
        return bring(seat)[box] > 0
    if asked == "even for nothing":
        return True
    points = re.fullmatch(r"(\d+) points( or more)?", asked)
    if points:
        return bring(seat)[box] >= int(points[1])
    dice = re.fullmatch(r"(\w+)(?: or more)? dice|(one) die or more", asked)
    assert dice, asked
    return seat.dice.count(FACES[box.lower()]) >= NUMBERS[dice[1] or dice[2]]


def keep(seat: Seat, line: str) -> Faces | None:
    """The dice that a line keeps, None if the dice do not have it."""
    said = re.fullmatch(rf"(.+?)(?:, if ({BOX}) is open)?(?:, after the (first|second) throw)?: (keep .+)", line)
    assert said, line
    if said[2] and said[2] not in seat.open:
        return None
    if said[3] and seat.rerolls != {"first": 2, "second": 1}[said[3]]:
        return None
    return dice_of(seat, said[1], said[4])


def dice_of(seat: Seat, words: str, does: str) -> Faces | None:
    dice = seat.dice
    if words == "Any dice":
        assert does == "keep nothing"
        return ()
    if words == "Two different pairs":
        assert does == "keep both pairs"
        return tuple(sorted(seat.pairs[-2:] * 2)) if len(seat.pairs) > 1 else None
    if does == "keep all five":
        return dice if box_of(seat, re.sub(", (that box )?open$", "", words)) else None
    high = re.fullmatch(r"Dice of (\d)( or higher)?", words)
    if high:
        return tuple(die for die in dice if die >= int(high[1])) or None
    run = re.fullmatch(r"(?:(\w+) or more different dice of )?(\d(?: \d)+)", words)
    if run:
        assert does == "keep one of each"
        faces = [int(face) for face in run[2].split()]
        have = tuple(face for face in faces if face in dice)
        return have if len(have) >= (NUMBERS[run[1].lower()] if run[1] else len(faces)) else None
    return alike(seat, words)


def alike(seat: Seat, words: str) -> Faces | None:
    """Of several faces that fit, the highest, with all its dice."""
    said = re.fullmatch(
        r"(?:(\w+) or more (alike|\w+s|sixes)|(Any) die)(?:, (\d) (?:or (higher|lower)|to (\d)))?"
        r"(, and the highest other die)?(, (?:its|their) upper box open)?",
        words,
    )
    assert said, words
    n, low, high = NUMBERS[(said[1] or "one").lower()], 1, 6
    if said[2] and said[2] != "alike":
        low = high = FACES[said[2]]
    if said[4]:
        number = int(said[4])
        low, high = (1, number) if said[5] == "lower" else (number, int(said[6] or 6))
    faces = [face for face in range(low, high + 1) if seat.dice.count(face) >= n]
    if said[8]:
        faces = [face for face in faces if face in seat.open_faces]
    if not faces:
        return None
    kept = [die for die in seat.dice if die == faces[-1]]
    others = [die for die in seat.dice if die != faces[-1]]
    return tuple(sorted(kept + (others[-1:] if said[7] else [])))
