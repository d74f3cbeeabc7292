"""What comes in over HTTP, and those answers that are the server's own: all others are values of the library.

Requests are pydantic models, which check types and sizes; whether the parts fit together and are those of the game
(a seventh face, an upper total that cannot stand, a keep that is not in its roll) is found out where they are
used. The OpenAPI document is made of requests, and of the JSON types of answers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict

from fastapi import Body
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict

from yatzy.coach.advice import FEW, MAX_DETAILS
from yatzy.coach.outlook import Outlook
from yatzy.context import MAX_SEED
from yatzy.errors import YatzyError
from yatzy.game.aim import LONGEST_NAME, MAX_OTHERS, MAX_POINTS, make_aim
from yatzy.game.json import INLINE, Count, Probability, request_type, typed_dictionary
from yatzy.game.log import MAX_DICE, MAX_FACES, MAX_THROWS, GameLog, parse_log
from yatzy.rules import Ruleset
from yatzy.rules.ruleset import MAX_CATEGORIES
from yatzy.server.coaches import LARGEST_THETA
from yatzy.solver.states import NamedState

Name = Annotated[str, Field(max_length=LONGEST_NAME)]


def _whole(given: Any) -> Any:
    """2.0 is a whole number too, as JSON Schema has it."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


def _each(function: Callable[[Any], Any]) -> BeforeValidator:
    """For the entries of a list: one call from pydantic to Python instead of one for each entry."""
    return BeforeValidator(lambda given: list(map(function, given)) if isinstance(given, list) else given)


# Behind the limits of a field, which are not in the document otherwise.
WHOLE = BeforeValidator(_whole)
Face = Annotated[int, Field(ge=1, le=MAX_FACES)]
Dice = Annotated[list[Face], Field(min_length=1, max_length=MAX_DICE), _each(_whole)]
Rules = Annotated[
    str | None,
    Field(
        max_length=LONGEST_NAME, examples=["yahtzee"],
        description="The game, with its switches behind plus signs; without it, the server's own.",
    ),
]  # fmt: skip
Filled = Annotated[
    list[Name],
    Field(
        max_length=MAX_CATEGORIES,
        description="Categories already filled, each once; in Yahtzee and Kniffel a star marks a box of all alike "
        "that holds points.",
    ),
]
Upper = Annotated[
    int,
    Field(ge=0, le=MAX_POINTS, description="Upper-section total so far; the threshold stands for it or more."),
    WHOLE,
]
Saved = Annotated[int, Field(ge=0, le=MAX_THROWS, description="Throws saved, in games that save them."), WHOLE]
Theta = Annotated[
    float,
    Field(
        ge=-LARGEST_THETA, le=LARGEST_THETA, allow_inf_nan=False,
        description="Risk: 0 plays for the mean, positive seeks risk, negative avoids it.",
    ),
]  # fmt: skip


class Given(BaseModel):
    """A request: nothing is converted, nothing unknown is let through."""

    model_config = ConfigDict(strict=True, extra="forbid")


Points = Annotated[
    int | None,
    Field(ge=0, le=MAX_POINTS, description="Points so far, without the bonus; without it, `upper`."),
    WHOLE,
]
Target = Annotated[
    int | None, Field(ge=0, le=MAX_POINTS, description="A final score to reach, including the bonus."), WHOLE
]


class CardGiven(Given):
    """The card of another player, who plays for the mean."""

    filled: Filled = []
    upper: Upper = 0
    points: Points = None


class StateGiven(CardGiven):
    """A state and the points on the card; with a target or others, the chance of it is told too."""

    rules: Rules = None
    saved: Saved = 0
    theta: Theta = 0.0
    target: Target = None
    others: Annotated[
        list[CardGiven],
        Field(max_length=MAX_OTHERS, description="The cards of the others at the table, to beat."),
    ] = []


class SituationGiven(StateGiven):
    """Dice on the table and the state of the turn; with a target or others, advice is by the chance of it."""

    dice: Annotated[Dice, Field(description="The dice on the table, in any order.", examples=[[1, 3, 3, 5, 6]])]
    rerolls: Annotated[int, Field(ge=0, le=MAX_THROWS, description="Rerolls left.", examples=[2]), WHOLE]
    details: Annotated[
        int, Field(ge=0, le=MAX_DETAILS, description="How many of the best actions come with details."), WHOLE
    ] = FEW


def _split(given: Any) -> Any:
    """Names out of texts with commas between them."""
    if isinstance(given, list) and all(isinstance(names, str) for names in given):
        return [name for names in given for name in names.split(",")]
    return given


class RulesAsked(BaseModel):
    """A game in the query."""

    model_config = ConfigDict(extra="forbid")

    rules: Rules = None


class StateAsked(RulesAsked):
    """A state in the query; `filled` may be repeated, or hold names with commas between them."""

    filled: Annotated[Filled, BeforeValidator(_split)] = []
    upper: Upper = 0
    saved: Saved = 0
    theta: Theta = 0.0


# The document has limits as float64; this one is no more than the limit, however it is printed.
LARGEST_TOLD_SEED = 2**64 - 2**11
Seed = Annotated[int, Field(ge=0, le=MAX_SEED, json_schema_extra={"maximum": LARGEST_TOLD_SEED})]

GAME_EXAMPLE: JsonDict = {
    "format": "yatzy-game",
    "version": 1,
    "rules": "scandinavian",
    "turns": [
        {"rolls": [[1, 3, 3, 5, 6], [3, 3, 2, 3, 4]], "keeps": [[3, 3]], "category": "threes"},
        {"rolls": [[2, 3, 4, 5, 6]], "keeps": [], "category": "large straight"},
    ],
}
# Turns, a turn, goals, a goal, others, a card, filled: a log is not nested more deeply.
DEPTH_OF_LOG = 8


def _whole_inside(given: Any, depth: int = DEPTH_OF_LOG) -> Any:
    """The same with whole numbers for 2.0 and the like."""
    if depth and isinstance(given, dict):
        return {key: _whole_inside(one, depth - 1) for key, one in given.items()}
    return [_whole_inside(one, depth - 1) for one in given] if depth and isinstance(given, list) else _whole(given)


def _game_given() -> Any:
    """The type of a game log with a goal beside it."""
    log = request_type(GameLog).__annotations__
    beside = {"seed": NotRequired[Seed | None], "target": NotRequired[Target], "theta": NotRequired[Theta]}
    about = """A game log; see the documentation of the format.

    With a `target` or a `theta` beside it, all of its decisions are judged by that.
    """
    form = typed_dictionary("GameGiven", log | beside, about, json_schema_extra={"examples": [GAME_EXAMPLE]})
    return Annotated[form, BeforeValidator(_whole_inside), Body()]


if TYPE_CHECKING:
    GameGiven = dict[str, Any]
else:
    GameGiven = _game_given()


def read_game(given: GameGiven, rules: Ruleset) -> GameLog:
    """The log as the library reads it, if its parts fit together."""
    told = {key: value for key, value in given.items() if key not in ("target", "theta")}
    log = parse_log({**told, "rules": rules.name}, rules)
    for number, turn in enumerate(log.turns):
        for place, goal in enumerate(turn.goals):
            if goal and abs(goal.theta) > LARGEST_THETA:
                where = f"turns[{number}].goals[{place}].theta"
                raise YatzyError(where, goal.theta, f"-{LARGEST_THETA}..{LARGEST_THETA}")
    aim = make_aim(rules, given.get("target"), given.get("theta", 0.0))
    return log.with_aim(aim) if aim else log


class Fault(TypedDict):
    """What is wrong, and where; what was given there and what is allowed, if that can be told."""

    field: str | None
    message: str
    given: NotRequired[Any]
    allowed: NotRequired[str | list[str]]


class Refused(TypedDict):
    """The answer to a request that cannot be served."""

    error: Fault


@dataclass(frozen=True)
class Health:
    """The server is up: with this game, worth so much at its start."""

    status: Literal["ok"]
    version: str
    rules: Ruleset
    value: float


@dataclass(frozen=True)
class OutlookServed:
    """How games end from a state on under optimal play, and what that means for a target and against others.

    `prob_target` is by this play; `chance` is of the target when playing for it, null while it is not known.
    """

    rules: Ruleset
    theta: float
    state: Annotated[NamedState, INLINE]
    points: Count
    outlook: Annotated[Outlook, INLINE]
    target: int | None
    prob_target: Probability | None
    prob_win: Probability | None
    chance: Probability | None
