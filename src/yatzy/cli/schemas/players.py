"""Answers about a person who plays: the profile, and practice."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from yatzy.cli.schemas.shapes import Count, Share, Spread, exact

Habit = Literal["theta", "beta", "gamma", "depth"]


@exact
class Spreads(TypedDict):
    theta: Spread
    beta: Spread
    gamma: Spread


@exact
class Cost(TypedDict):
    habit: Habit
    cure: str
    mean: float
    gain: float


@exact
class Profile(TypedDict):
    rules: str
    decisions: Count
    theta: float
    beta: float
    gamma: Share
    depth: Count
    spread: Spreads
    at_end: list[Habit]
    depths: dict[str, Share]
    chance_of_choice: Share
    chance_of_guess: Share
    sentences: dict[Habit, str]
    mean: NotRequired[float]
    best: NotRequired[float]
    costs: NotRequired[list[Cost]]


@exact
class Recovered(TypedDict):
    rules: str
    seed: int
    questions: Count
    players: Count
    theta: Spread
    beta: Spread
    gamma: Spread
    depth_right: Share
    spread: Spreads


@exact
class Chosen(TypedDict):
    rules: str
    seed: int
    path: str
    questions: Count
    bits: float


@exact
class Practised(TypedDict):
    rules: str
    answered: Count
    well: Count
    lost: Spread
    mastered: Count
    left: Count
