"""A person with a printed card: reads it in any format and plays by its words, knowing nothing else of rule lists.

Written from the print alone. The terminal, Markdown and HTML are brought to the same lines of words; a sentence is
then taken at its word, with the card's own notes.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape

from naive import Faces, open_categories, score_of
from yatzy.rules import Ruleset

FACES = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}


@dataclass(frozen=True)
class Printed:
    """What is on the paper: par by box, and for each part of a turn the sentences and what to do otherwise."""

    par: dict[str, tuple[float, float]]
    keeps: list[str]
    keep_otherwise: str
    scores: list[str]
    score_otherwise: str
    notes: str


def read_print(text: str) -> Printed:
    """The words of a card in any of its formats."""
    if text.lstrip().startswith("<!doctype html>"):
        text = _plain_html(text)
    lines = [line.strip() for line in text.splitlines()]
    par: dict[str, tuple[float, float]] = {}
    parts: dict[str, list[str]] = {"keep": [], "score": []}
    otherwise: dict[str, str] = {}
    part, notes = "", []
    for line in lines:
        bare = re.sub(r"[⚀-⚅■□]+\s*", "", line.removeprefix("## "))
        numbers = re.fullmatch(
            r"\|? ?([A-Z][A-Za-z ]+?)\s*(?:\||\s)\s*(-?[\d.]+)\s*(?:\||\s)\s*(-?[\d.]+) ?\|?", bare
        )
        rule = re.fullmatch(r"(?:\d+[.]? +)?(?:- )?((?:If|Always) .+\.)", bare)
        if bare.startswith("What to keep"):
            part = "keep"
        elif bare.startswith("Where to score"):
            part = "score"
        elif numbers and not part:
            par[numbers[1]] = float(numbers[2]), float(numbers[3])
        elif bare.startswith("Otherwise, "):
            otherwise[part] = bare.removeprefix("Otherwise, ").removesuffix(".")
        elif rule and part:
            parts[part].append(rule[1])
        else:
            notes.append(bare)
    return Printed(par, parts["keep"], otherwise["keep"], parts["score"], otherwise["score"], " ".join(notes))


def _plain_html(text: str) -> str:
    body = text.partition("<body>")[2]
    body = re.sub(r"<svg.*?</svg>", "", body, flags=re.DOTALL)
    body = re.sub(r"</(tr|li|p|h1|h2)>|<thead>|</thead>", "\n", body)
    body = re.sub(r"</(td|th)>", " ", body)
    return unescape(re.sub(r"<[^>]+>", "", body))


@dataclass(frozen=True)
class Seat:
    """One decision at the table: the score sheet, the dice, and the throws left."""

    rules: Ruleset
    filled: int
    upper: int
    dice: Faces
    rerolls: int

    @property
    def open(self) -> list[str]:
        return [self.rules.categories[c].name for c in open_categories(self.rules, self.filled)]

    def points(self, box: str) -> int:
        """What a box would score now; a filled box nothing."""
        number = next(n for n, c in enumerate(self.rules.categories) if c.name == box)
        return score_of(self.rules, number, self.dice) if box in self.open else 0

    @property
    def upper_boxes(self) -> list[str]:
        return [c.name for c in self.rules.categories if c.upper]

    @property
    def open_faces(self) -> list[int]:
        return [FACES[box.lower()] for box in self.upper_boxes if box in self.open]

    def most(self, faces: list[int], ties: Callable[[int], object] = lambda face: face) -> int:
        """Of these faces the one with most dice; 0 without any."""
        return max(faces, key=lambda face: (self.dice.count(face), ties(face)), default=0)

    @property
    def pairs(self) -> list[int]:
        return sorted(face for face in set(self.dice) if self.dice.count(face) >= 2)

    def of_straight(self, size: str) -> Faces:
        run = range(1, 6) if size == "small" else range(2, 7)
        return tuple(face for face in run if face in self.dice)

    @property
    def best_straight(self) -> Faces | None:
        drawn = [
            self.of_straight(size.split()[0].lower())
            for size in ("Large Straight", "Small Straight")
            if size in self.open
        ]
        return max(drawn, key=len, default=None)

    @property
    def pace(self) -> int:
        """Upper points ahead of three times every upper face that is filled."""
        return self.upper - 3 * sum(FACES[box.lower()] for box in self.upper_boxes if box not in self.open)


def number_words(seat: Seat) -> dict[str, int]:
    """Everything a condition can put a number on, by the words before or after the number."""
    dice, open_faces = seat.dice, [face for face in seat.open_faces if face in seat.dice]
    most = seat.most(list(dice), lambda face: (face in seat.open_faces, face))
    open_most = seat.most(open_faces)
    found = {
        "boxes are open": len(seat.open),
        "upper boxes are open": len(seat.open_faces),
        "dice are alike": max(dice.count(face) for face in dice),
        "different faces": len(set(dice)),
        "dice of the small straight": len(seat.of_straight("small")),
        "dice of the large straight": len(seat.of_straight("large")),
        "dice for one open upper box": dice.count(open_most),
        "dice for any open upper box": dice.count(open_most),
        "your most frequent face": most,
        "your most frequent open face": open_most,
        "your highest pair": seat.pairs[-1] if seat.pairs else 0,
        "your lower pair": seat.pairs[0] if len(seat.pairs) > 1 else 0,
    }
    return found | {name: dice.count(face) for name, face in FACES.items()}


YES_NO: dict[str, Callable[[Seat], bool]] = {
    "an upper box is open": lambda seat: bool(seat.open_faces),
    "only one box is open": lambda seat: len(seat.open) == 1,
    "only one reroll is left": lambda seat: seat.rerolls <= 1,
    "you have just thrown for the first time": lambda seat: seat.rerolls == seat.rules.rerolls,
    "the upper section is ahead of three of each": lambda seat: seat.pace > 0,
    "the upper section is behind three of each": lambda seat: seat.pace < 0,
    "the upper section is level with three of each or worse": lambda seat: seat.pace <= 0,
    "the upper section is level with three of each or better": lambda seat: seat.pace >= 0,
    "you have a full house": lambda seat: sorted(map(seat.dice.count, set(seat.dice))) == [2, 3],
    "you have the small straight": lambda seat: seat.dice == (1, 2, 3, 4, 5),
    "the box of your most frequent face is filled": lambda seat: (
        seat.most(list(seat.dice), lambda face: (face in seat.open_faces, face)) not in seat.open_faces
    ),
}


def holds(seat: Seat, words: str) -> bool:
    """Is this part of a sentence true here?"""
    if words in YES_NO:
        return YES_NO[words](seat)
    pace = re.fullmatch(
        r"the upper section is (\d+) points? (ahead of|behind) three of each or (better|worse)", words
    )
    if pace:
        n = int(pace[1]) * (1 if pace[2] == "ahead of" else -1)
        return seat.pace >= n if pace[3] == "better" else seat.pace <= n
    box = re.fullmatch(r"(.+) is (open|filled)", words)
    if box:
        return (box[1] in seat.open) == (box[2] == "open")
    scoring = re.fullmatch(r"(.+) would score(?: (.+))?", words)
    if scoring:
        return _compare(seat.points(scoring[1]), scoring[2] or "1 or more")
    numbers = number_words(seat)
    for words_of, number in numbers.items():
        said = re.fullmatch(
            rf"(?:you have )?((?:exactly )?\d+(?: or (?:more|fewer))?) {words_of}|(no more than \d+) {words_of}"
            rf"|{words_of} is (.+)",
            words,
        )
        if said:
            return _compare(number, next(filter(None, said.groups())))
    raise AssertionError(f"the card says {words!r}, which says nothing to a reader")


def _compare(number: int, words: str) -> bool:
    n = int((re.search(r"\d+", words) or re.search("$", "0"))[0] or 0)
    if words == "nothing":
        return number == 0
    if re.search("or (more|higher)", words):
        return number >= n
    if re.search("or (less|fewer|lower)|no more than", words):
        return number <= n
    return number == n


def keep(seat: Seat, words: str) -> Faces | None:  # noqa: PLR0911, PLR0912 (a sentence, a line)
    """The dice that these words keep; None: it cannot be done."""
    dice = seat.dice

    def all_of(face: int) -> Faces | None:
        return tuple(die for die in dice if die == face) or None

    if words == "keep everything":
        return dice
    if words == "reroll everything":
        return ()
    if words == "keep both pairs":
        return tuple(sorted(seat.pairs[-2:] * 2)) if len(seat.pairs) > 1 else None
    if words == "keep the high pair and the highest other die":
        if not seat.pairs:
            return None
        others = [die for die in dice if die != seat.pairs[-1]]
        return tuple(sorted([seat.pairs[-1]] * 2 + others[-1:]))
    if words == "keep the dice of an open straight":
        return seat.best_straight
    if words == "keep the highest die":
        return dice[-1:]
    if words == "keep the two highest dice":
        return dice[-2:]
    open_faces = [face for face in seat.open_faces if face in dice]
    if words == "keep the highest face whose box is open":
        return all_of(max(open_faces, default=0))
    if words == "keep the most frequent face whose box is open":
        return all_of(seat.most(open_faces))
    if words == "keep the most frequent face, open boxes first":
        return all_of(seat.most(list(dice), lambda face: (face in open_faces, face)))
    if words == "keep the most frequent face, the highest of equals":
        return all_of(seat.most(list(dice)))
    if words == "keep the most frequent face, the lowest of equals":
        return all_of(seat.most(list(dice), lambda face: -face))
    high = re.fullmatch(r"keep dice of (\d) and more", words)
    if high:
        return tuple(die for die in dice if die >= int(high[1])) or None
    one = re.fullmatch(r"keep the (\d)s", words)
    assert one, f"the card says {words!r}, which says nothing to a reader"
    return all_of(int(one[1]))


def score(seat: Seat, words: str, card: Printed) -> str | None:
    """The box that these words fill; None: it cannot be done. Of equals the first on the sheet."""
    if words == "score the box with the most points":
        return max(seat.open, key=seat.points)
    if words == "score the box with the most points above par":
        assert "upper section count double" in card.notes
        to_come = 5 * sum(seat.open_faces)
        settled = seat.upper >= 63 or seat.upper + to_come < 63

        def above_par(box: str) -> float:
            double = 2 if box in seat.upper_boxes and not settled else 1
            return double * seat.points(box) - card.par[box][settled]

        return max(seat.open, key=above_par)
    if words == "score the first open box on the give-up list":
        listed = re.search(r"The give-up list: ([^.]+)\.", card.notes)
        assert listed
        return next((box for box in listed[1].split(", ") if box in seat.open), None)
    if words == "score the highest upper box you have three dice for":
        three = [box for box in seat.upper_boxes if box in seat.open and seat.dice.count(FACES[box.lower()]) >= 3]
        return max(three, key=lambda box: FACES[box.lower()], default=None)
    box = words.removeprefix("score ")
    assert any(c.name == box for c in seat.rules.categories), f"the card says {words!r}"
    return box if box in seat.open else None


def decide(card: Printed, seat: Seat) -> Faces | str:
    """What a person with this card does: the first rule that fits and can be done, else what it says otherwise."""
    assert "Cannot do it? Go on to the next." in card.notes
    sentences, last = (card.keeps, card.keep_otherwise) if seat.rerolls else (card.scores, card.score_otherwise)
    for sentence in [*sentences, f"Always {last}."]:
        said = re.fullmatch(r"(?:If (.+), then|Always) (.+)\.", sentence)
        assert said, sentence
        if said[1] and not all(holds(seat, part) for part in said[1].split(" and ")):
            continue
        found = keep(seat, said[2]) if seat.rerolls else score(seat, said[2], card)
        if found is not None:
            return found
    raise AssertionError("nothing on the card can be done")
