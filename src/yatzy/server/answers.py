"""What goes out over HTTP: the one place that says what an answer looks like.

Typed dictionaries cost no more than plain ones. `bonus_chance` comes as soon as it is known; `saved` is told in
games that save throws, `extra` where points are not written into a box.
"""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, TypeAdapter
from typing_extensions import TypeAliasType, TypedDict

from yatzy.server.models import Dice, Keep, Name

# Aliases of this kind have a name in the document too.
Word = TypeAliasType("Word", Literal["perfect", "fine", "inaccuracy", "mistake", "blunder"])
Lead = TypeAliasType("Lead", Literal["only choice", "equal", "close call", "clear", "obvious"])
Probability = Annotated[float, Field(ge=0, le=1.000001)]


class Fault(TypedDict):
    """What is wrong, and where; what was given there and what is allowed, if that can be told."""

    field: str | None
    message: str
    given: NotRequired[Any]
    allowed: NotRequired[str | list[str]]


class Refused(TypedDict):
    """The answer to a request that cannot be served."""

    error: Fault


class Health(TypedDict):
    status: Literal["ok"]
    version: str
    rules: str
    value: float


class CategoryTold(TypedDict):
    category: Name
    label: str
    upper: bool
    most: int


class LossLimits(TypedDict):
    """What a decision has lost at most to be called so: up to `perfect`, below the others; beyond is a blunder."""

    perfect: float
    fine: float
    inaccuracy: float
    mistake: float


# By another syntax, because of the space in a name.
LeadLimits = TypedDict("LeadLimits", {"equal": float, "close call": float, "clear": float})
LeadLimits.__doc__ = "How far ahead the best is at most: up to `equal`, below the others; beyond it is obvious."


class WordLimits(TypedDict):
    loss: LossLimits
    lead: LeadLimits


WORDS = TypeAdapter(WordLimits)


class SwitchTold(TypedDict):
    """A way to change a game, and what it says; `solved` as in a game, with this switch alone."""

    switch: str
    sentence: str
    not_with: list[str]
    solved: bool


class GameTold(TypedDict):
    """A game of the catalogue without switches; `solved`: is it small enough for advice over HTTP?"""

    rules: str
    title: str
    dice: int
    faces: int
    rerolls: int
    bonus_threshold: int
    bonus: int
    categories: list[CategoryTold]
    switches: list[SwitchTold]
    solved: bool


class GamesTold(TypedDict):
    """All games; `rules` is the one that is played where none is named."""

    rules: str
    games: list[GameTold]
    most_entries: int


class OutcomesTold(TypedDict):
    """How turns can end, column by column: the category, points in its box and beside it, and bits of the mask."""

    category: list[int]
    points: list[int]
    extra: list[int]
    bits: list[int]


class SpecialTold(TypedDict):
    """Which reading a special roll has: questions [bit, next if clear, next if set]; below zero, -1 - next."""

    roll: int
    questions: list[list[int]]


class RulesTold(TypedDict):
    """A game with its scoring: readings list outcomes by category (-1: not allowed), those of the rolls first."""

    rules: str
    title: str
    switches: list[str]
    fingerprint: str
    dice: int
    faces: int
    rerolls: int
    bonus_threshold: int
    bonus: int
    saves_throws: bool
    forced_order: bool
    flagged: list[Name]
    categories: list[CategoryTold]
    rolls: list[str]
    outcomes: OutcomesTold
    readings: list[list[int]]
    special: list[SpecialTold]
    words: WordLimits
    largest_theta: float
    solved: bool


class StateTold(TypedDict):
    rules: str
    theta: float
    filled: list[Name]
    upper: int
    saved: NotRequired[int]


class StateValueTold(StateTold):
    value: float


class DistributionTold(StateTold):
    points: int
    mean: float
    sd: float
    bonus_rate: Probability
    quantiles: dict[str, int]
    target: int | None
    prob_target: Probability | None
    prob_win: Probability | None
    chance: Annotated[
        Probability | None,
        Field(description="Of the target, playing for it; null without one, or while it is not known."),
    ]
    pmf: Annotated[list[float], Field(description="Probabilities by final score, from 0.")]


class LoggedTurn(TypedDict):
    rolls: list[Dice]
    keeps: list[Keep]
    category: Name


class LogTold(TypedDict):
    """A game log; what is not known is left out."""

    format: Literal["yatzy-game"]
    version: Literal[1]
    rules: str
    player: NotRequired[str]
    date: NotRequired[str]
    seed: NotRequired[int]
    game: NotRequired[int]
    turns: list[LoggedTurn]
