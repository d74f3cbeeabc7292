"""What comes in over HTTP, and those answers that are the server's own: all others are values of the library.

Requests are pydantic models, which check types and sizes; whether the parts fit together and are those of the game
(a seventh face, an upper total that cannot stand, a keep that is not in its roll) is found out where they are
used. The OpenAPI document is made of requests, and of the JSON types of answers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict
from typing_extensions import TypeAliasType, TypedDict

from yatzy.coach.advice import FEW, MOST_DETAILS
from yatzy.coach.outlook import Outlook
from yatzy.context import MOST_SEED
from yatzy.game.aim import MOST_OTHERS, make_aim
from yatzy.game.json import INLINE, Count, Probability
from yatzy.game.log import LONGEST_NAME, MOST_GAMES, GameLog, parse_log
from yatzy.rules import Ruleset
from yatzy.rules.ruleset import MOST_CATEGORIES
from yatzy.server.coaches import LARGEST_THETA
from yatzy.solver.states import NamedState

# Beyond any game that is served; what a game allows is checked with its rules.
MOST_DICE, MOST_FACES, MOST_THROWS, MOST_POINTS = 30, 30, 100, 10_000

# Aliases of this kind have a name in the document too.
Name = TypeAliasType("Name", Annotated[str, Field(max_length=LONGEST_NAME)])


def _whole(given: Any) -> Any:
    """2.0 is a whole number too, as JSON Schema has it."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


def _each(function: Callable[[Any], Any]) -> BeforeValidator:
    """For the entries of a list: one call from pydantic to Python instead of one for each entry."""
    return BeforeValidator(lambda given: list(map(function, given)) if isinstance(given, list) else given)


# Behind the limits of a field, which are not in the document otherwise.
WHOLE = BeforeValidator(_whole)
Face = Annotated[int, Field(ge=1, le=MOST_FACES)]
Dice = Annotated[list[Face], Field(min_length=1, max_length=MOST_DICE), _each(_whole)]
Keep = Annotated[list[Face], Field(max_length=MOST_DICE), _each(_whole)]
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
        max_length=MOST_CATEGORIES,
        description="Categories already filled, each once; in Yahtzee and Kniffel a star marks a box of all alike "
        "that holds points.",
    ),
]
Upper = Annotated[
    int,
    Field(ge=0, le=MOST_POINTS, description="Upper-section total so far; the threshold stands for it or more."),
    WHOLE,
]
Saved = Annotated[int, Field(ge=0, le=MOST_THROWS, description="Throws saved, in games that save them."), WHOLE]
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
    Field(ge=0, le=MOST_POINTS, description="Points so far, without the bonus; without it, `upper`."),
    WHOLE,
]
Target = Annotated[
    int | None, Field(ge=0, le=MOST_POINTS, description="A final score to reach, bonus and all."), WHOLE
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
        Field(max_length=MOST_OTHERS, description="The cards of the others at the table, to beat."),
    ] = []


class SituationGiven(StateGiven):
    """Dice on the table and the state of the turn; with a target or others, advice is by the chance of it."""

    dice: Annotated[Dice, Field(description="The dice on the table, in any order.", examples=[[1, 3, 3, 5, 6]])]
    rerolls: Annotated[int, Field(ge=0, le=MOST_THROWS, description="Rerolls left.", examples=[2]), WHOLE]
    details: Annotated[
        int, Field(ge=0, le=MOST_DETAILS, description="How many of the best actions come with details."), WHOLE
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


class LoggedCard(Given):
    """The card of another player as a log has it."""

    filled: Filled
    upper: Upper
    points: Annotated[int, Field(ge=0, le=MOST_POINTS), WHOLE]


class GoalGiven(Given):
    """What a decision was for, other than the mean: one of these."""

    target: Target = None
    theta: Theta | None = None
    others: Annotated[list[LoggedCard] | None, Field(min_length=1, max_length=MOST_OTHERS)] = None


class TurnGiven(Given):
    """One turn of a game log; `goals` has an entry for each roll, null for the mean."""

    rolls: Annotated[list[Dice], Field(min_length=1, max_length=MOST_THROWS)]
    keeps: Annotated[list[Keep], Field(max_length=MOST_THROWS)]
    category: Name
    goals: Annotated[list[GoalGiven | None] | None, Field(max_length=MOST_THROWS)] = None


# The document has limits as float64; this one is no more than the limit, however it is printed.
LARGEST_TOLD_SEED = 2**64 - 2**11
Seed = Annotated[int | None, Field(ge=0, le=MOST_SEED, json_schema_extra={"maximum": LARGEST_TOLD_SEED}), WHOLE]

GAME_EXAMPLE: JsonDict = {
    "format": "yatzy-game",
    "version": 1,
    "rules": "scandinavian",
    "turns": [
        {"rolls": [[1, 3, 3, 5, 6], [3, 3, 2, 3, 4]], "keeps": [[3, 3]], "category": "threes"},
        {"rolls": [[2, 3, 4, 5, 6]], "keeps": [], "category": "large straight"},
    ],
}


class GameGiven(Given):
    """A game log; see the documentation of the format.

    With a `target` or a `theta` beside it, all of its decisions are judged by that.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [GAME_EXAMPLE]})

    format: Literal["yatzy-game"]
    version: Annotated[Literal[1], WHOLE]
    rules: Annotated[str, Field(max_length=LONGEST_NAME)]
    player: Annotated[str | None, Field(min_length=1, max_length=LONGEST_NAME)] = None
    date: Annotated[str | None, Field(max_length=LONGEST_NAME)] = None
    seed: Seed = None
    game: Annotated[int | None, Field(ge=0, le=MOST_GAMES), WHOLE] = None
    turns: Annotated[list[TurnGiven], Field(max_length=MOST_CATEGORIES)]
    checksum: Annotated[str | None, Field(max_length=LONGEST_NAME)] = None
    target: Target = None
    theta: Theta = 0.0

    def log(self, rules: Ruleset) -> GameLog:
        """As the library reads it, if its parts fit together."""
        told = self.model_dump(exclude={"target", "theta"}, exclude_none=True)
        log = parse_log({**told, "rules": rules.name}, rules)
        aim = make_aim(rules, self.target, self.theta)
        return log.played_for(aim) if aim else log


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
