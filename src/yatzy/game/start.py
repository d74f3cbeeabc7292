"""Where a game begins that is taken over from paper: boxes with points, from turns that nobody knows.

    {"boxes": {"ones": 3, "yahtzee": 50}, "extra": 100, "saved": 2, "rerolls": 1}

As text this is `ones 3, yahtzee 50, extra 100, saved 2, rerolls 1`.

A card is possible if its boxes can be filled in some order so that these points stand on it. Where nothing depends
on what is filled, every box decides by itself; where rolls are special, all orders are tried, set by set:

    beside(set with box) = union over outcomes of the box with its points of  beside(set) + extra of the outcome
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from yatzy.arrays import BoolArray, IntArray
from yatzy.errors import YatzyError, check_int
from yatzy.game.json import Bounds, Length
from yatzy.rules import Ruleset, State, format_category, parse_category
from yatzy.rules.notation import NUMBER, with_saved
from yatzy.rules.ruleset import MAX_CATEGORIES, MAX_POINTS
from yatzy.turn.outcomes import outcomes

BoxPoints = Annotated[int, Bounds(0, MAX_POINTS)]
# What a text says beside the boxes.
BESIDE = ("extra", "saved", "rerolls")


@dataclass(frozen=True)
class Start:
    """What stood on the card before the first turn of a log: `boxes` are points by box, `extra` those beside them.

    `saved` are throws saved. With `rerolls`, the first roll lay on the table already, with so many rerolls left.
    """

    boxes: Annotated[Mapping[str, BoxPoints], Length(0, MAX_CATEGORIES)] = field(hash=False)
    extra: Annotated[int, Bounds(0, MAX_CATEGORIES * MAX_POINTS)] = 0
    saved: Annotated[int, Bounds(0)] = 0
    rerolls: Annotated[int, Bounds(0)] | None = None

    @classmethod
    def parse(cls, text: str, rules: Ruleset) -> "Start":
        """Read the text; a dash is an empty card. Refuses a card that no game leads to."""
        boxes: dict[str, int] = {}
        beside: dict[str, int] = {}
        for part in text.split(",") if text.strip() not in ("", "-") else []:
            name, _, number = part.strip().lower().rpartition(" ")
            if not name or not NUMBER.fullmatch(number):
                example = "'ones 3, one pair 10' (boxes with their points, separated by commas)"
                raise YatzyError("start", part.strip(), why=f"is not of the form {example}")
            into = beside if name in BESIDE else boxes
            if name in into:
                raise YatzyError("start", name, why="is named twice")
            into[name] = int(number)
        try:
            start = cls(boxes, **beside).named(rules)
            state_of(rules, start)
            return start
        except YatzyError as error:
            raise error.within("start") from None

    def __str__(self) -> str:
        given = {**self.boxes, **{name: getattr(self, name) for name in BESIDE}}
        shown = {name: number for name, number in given.items() if name in self.boxes or number}
        if self.rerolls == 0:
            shown["rerolls"] = 0
        return ", ".join(f"{name} {number}" for name, number in shown.items()) or "-"

    @property
    def points(self) -> int:
        """All points on the card, without the bonus."""
        return sum(self.boxes.values()) + self.extra

    def named(self, rules: Ruleset) -> "Start":
        """The same with the names that logs have; refuses boxes that are not known or stand there twice."""
        boxes: dict[str, int] = {}
        for given, points in self.boxes.items():
            name = format_category(rules, parse_category(rules, given))
            if name in boxes:
                raise YatzyError("boxes", given, why="is named twice")
            boxes[name] = check_int(f"boxes.{name}", points, 0, MAX_POINTS)
        return Start(boxes, self.extra, self.saved, self.rerolls)


def totals(rules: Ruleset, category_id: int) -> list[int]:
    """What a box may hold."""
    ends = outcomes(rules)
    # A special roll has readings of its own, after those of the rolls.
    used = np.append(ends.special_of_roll < 0, np.ones(len(ends.of_reading) - len(rules.rolls), np.bool_))
    found = ends.of_reading[used, category_id]
    return sorted(set((ends.points - ends.extra)[found[found >= 0]].tolist()))


def state_of(rules: Ruleset, start: Start) -> State:
    """The state of the card; refuses one that no game leads to."""
    boxes = {parse_category(rules, name): points for name, points in start.boxes.items()}
    for category_id, points in boxes.items():
        allowed = totals(rules, category_id)
        if points not in allowed:
            raise YatzyError(f"boxes.{format_category(rules, category_id)}", points, list(map(str, allowed)))
    if rules.forced_order and sorted(boxes) != list(range(len(boxes))):
        raise YatzyError("boxes", why="are filled from top to bottom in this game, so none may be left out")
    masks = _masks(rules, boxes)
    fitting = [mask for mask, beside in masks.items() if start.extra in beside]
    if not fitting:
        allowed = sorted({extra for beside in masks.values() for extra in beside})
        raise YatzyError("extra", start.extra, list(map(str, allowed)), "cannot stand beside these boxes")
    saved = check_int("saved", start.saved, 0, rules.rerolls * len(boxes) * rules.saves_throws)
    if start.rerolls is not None:
        if len(boxes) == rules.n_categories:
            raise YatzyError("rerolls", why="are left in no turn of a full card")
        check_int("rerolls", start.rerolls, 0, rules.rerolls + saved)
    upper = sum(points for category_id, points in boxes.items() if rules.categories[category_id].upper)
    return State(with_saved(rules, min(fitting), saved), min(upper, rules.bonus_threshold))


def _masks(rules: Ruleset, boxes: dict[int, int]) -> dict[int, set[int]]:
    """The masks that a card with these boxes may have, each with what may stand beside it."""
    filled = sum(1 << category_id for category_id in boxes)
    if rules.special is None:
        return {filled: {0}}
    ends = outcomes(rules)
    in_box = (ends.points - ends.extra).tolist()
    fits = np.array([boxes.get(c) == points for c, points in zip(ends.category.tolist(), in_box, strict=True)])
    usual = np.flatnonzero(ends.special_of_roll < 0)
    always = _outcomes_in(ends.of_reading[usual], fits)
    layer: dict[int, set[int]] = {0: {0}}
    for _ in boxes:
        following: defaultdict[int, set[int]] = defaultdict(set)
        for mask, beside in layer.items():
            for end in always | _outcomes_in(ends.of_reading[ends.readings[:, mask]], fits):
                if not mask >> int(ends.category[end]) & 1:
                    following[mask | int(ends.bits[end])] |= {extra + int(ends.extra[end]) for extra in beside}
        layer = following
    return layer


def _outcomes_in(readings: IntArray, fits: BoolArray) -> set[int]:
    """The fitting outcomes of some readings."""
    found = np.unique(readings)
    return set(found[(found >= 0) & fits[found]].tolist())
