"""Answers about games, states and decisions: solve, games, value, advise, chance, duel advise."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from yatzy.cli.schemas.shapes import Count, Fingerprint, Seconds, Share, exact


@exact
class Solved(TypedDict):
    rules: str
    fingerprint: Fingerprint
    theta: float
    precision: Literal["float64", "float32"]
    value: float
    states: Count
    classes: Count
    seconds: Seconds
    path: str


@exact
class Switch(TypedDict):
    name: str
    means: str


@exact
class Standing(TypedDict):
    name: str
    title: str
    dice: int
    boxes: int
    states: Count
    value: float | None
    switches: list[Switch]


@exact
class AllGames(TypedDict):
    games: list[Standing]


@exact
class Bonus(TypedDict):
    threshold: int
    points: int


@exact
class Jokers(TypedDict):
    box: str
    extra: int
    joker: Literal["forced", "free", "second", "none"]
    points: dict[str, int]


@exact
class Box(TypedDict):
    name: str
    aliases: list[str]
    upper: bool
    points: list[int]


@exact
class OneGame(TypedDict):
    rules: str
    fingerprint: Fingerprint
    dice: int
    faces: int
    throws: int
    states: Count
    value: float | None
    bonus: Bonus | None
    saved_throws: bool
    forced_order: bool
    jokers: Jokers | None
    boxes: list[Box]


@exact
class Value(TypedDict):
    rules: str
    theta: float
    filled: list[str]
    upper: Count
    saved: NotRequired[Count]
    value: float


@exact
class TargetChance(TypedDict):
    target: Count
    need: Count
    chance: Share
    chance_for_mean: Share


@exact
class Chance(TargetChance):
    rules: str
    goal: Literal["reach"]
    filled: list[str]
    upper: Count
    points: Count


@exact
class Chances(TypedDict):
    rules: str
    goal: Literal["reach"]
    filled: list[str]
    upper: Count
    points: Count
    targets: list[TargetChance]
