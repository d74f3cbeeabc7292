"""What goes in and out over HTTP, as pydantic models: they check requests and write the OpenAPI document.

The dice, categories and limits are those of Scandinavian Yatzy and its house rules. Types and sizes are checked
here; whether they fit together (an upper total that cannot stand, a keep that is not in its roll) the library
tells.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict

from yatzy.coach.advice import FEW, MOST_DETAILS
from yatzy.coach.log import LONGEST_NAME, MOST_GAMES
from yatzy.errors import YatzyError
from yatzy.rules import format_category, parse_category, scandinavian
from yatzy.server.coaches import LARGEST_THETA

RULES = scandinavian()
HIGHEST_SCORE = sum(map(max, zip(*RULES.scores, strict=True))) + RULES.bonus

Name = Literal[
    "ones", "twos", "threes", "fours", "fives", "sixes", "one pair", "two pairs", "three of a kind",
    "four of a kind", "small straight", "large straight", "full house", "chance", "yatzy",
]  # fmt: skip
NAMES = frozenset(get_args(Name))


def _one_name(given: Any) -> Any:
    """A category's name as it is printed, from however it was typed."""
    if given in NAMES if isinstance(given, str) else True:
        return given
    try:
        return format_category(RULES, parse_category(RULES, given))
    except YatzyError:
        return given


def _whole(given: Any) -> Any:
    """2.0 is a whole number too, as JSON Schema has it."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


Category = Annotated[Name, BeforeValidator(_one_name)]
# Behind the limits of a field, which are not in the document otherwise.
WHOLE = BeforeValidator(_whole)
Face = Annotated[int, Field(ge=1, le=RULES.faces), WHOLE]
Dice = Annotated[list[Face], Field(min_length=RULES.dice, max_length=RULES.dice)]
Keep = Annotated[list[Face], Field(max_length=RULES.dice)]
Filled = Annotated[
    list[Category],
    Field(max_length=RULES.n_categories, description="Categories already filled, each once."),
]
Upper = Annotated[
    int,
    Field(ge=0, le=RULES.bonus_threshold, description="Upper-section total so far; 63 stands for 63 or more."),
    WHOLE,
]
Theta = Annotated[
    float,
    Field(
        ge=-LARGEST_THETA, le=LARGEST_THETA, allow_inf_nan=False,
        description="Risk: 0 plays for the mean, positive seeks risk, negative avoids it.",
    ),
]  # fmt: skip
Probability = Annotated[float, Field(ge=0, le=1.000001)]


class Given(BaseModel):
    """A request: nothing is converted, nothing unknown is let through."""

    model_config = ConfigDict(strict=True, extra="forbid")


class SituationGiven(Given):
    """Dice on the table and the state of the turn."""

    dice: Annotated[Dice, Field(description="The dice on the table, in any order.", examples=[[1, 3, 3, 5, 6]])]
    rerolls: Annotated[int, Field(ge=0, le=RULES.rerolls, description="Rerolls left.", examples=[2]), WHOLE]
    filled: Filled = []
    upper: Upper = 0
    theta: Theta = 0.0
    details: Annotated[
        int,
        Field(ge=0, le=MOST_DETAILS, description="How many of the best actions come with details."),
        WHOLE,
    ] = FEW


class StateGiven(Given):
    """A state and the points on the card."""

    filled: Filled = []
    upper: Upper = 0
    points: Annotated[
        int | None,
        Field(ge=0, le=HIGHEST_SCORE, description="Points so far, without the bonus; without it, `upper`."),
        WHOLE,
    ] = None
    theta: Theta = 0.0
    target: Annotated[
        int | None,
        Field(ge=0, le=1000, description="A score to reach: its chance is `prob_target`."),
        WHOLE,
    ] = None


def _split(given: Any) -> Any:
    """Names out of texts with commas between them."""
    if isinstance(given, list) and all(isinstance(names, str) for names in given):
        return [name for names in given for name in names.split(",") if name.strip()]
    return given


class StateAsked(BaseModel):
    """A state in the query; `filled` may be repeated, or hold names with commas between them."""

    model_config = ConfigDict(extra="forbid")

    filled: Annotated[Filled, BeforeValidator(_split)] = []
    upper: Upper = 0
    theta: Theta = 0.0


class TurnGiven(Given):
    """One turn of a game log."""

    rolls: Annotated[list[Dice], Field(min_length=1, max_length=RULES.rerolls + 1)]
    keeps: Annotated[list[Keep], Field(max_length=RULES.rerolls)]
    category: Category


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
    """A game log; see the documentation of the format."""

    model_config = ConfigDict(json_schema_extra={"examples": [GAME_EXAMPLE]})

    format: Literal["yatzy-game"]
    version: Annotated[Literal[1], WHOLE]
    rules: Annotated[str, Field(max_length=LONGEST_NAME)]
    player: Annotated[str | None, Field(min_length=1, max_length=LONGEST_NAME)] = None
    date: Annotated[str | None, Field(max_length=LONGEST_NAME)] = None
    seed: Annotated[int | None, Field(ge=0, le=MOST_GAMES), WHOLE] = None
    game: Annotated[int | None, Field(ge=0, le=MOST_GAMES), WHOLE] = None
    turns: Annotated[list[TurnGiven], Field(max_length=RULES.n_categories)]


class Fault(BaseModel):
    """What is wrong, and where."""

    field: str | None
    message: str


class Refused(BaseModel):
    """The answer to a request that cannot be served."""

    error: Fault


class Health(BaseModel):
    status: Literal["ok"]
    version: str
    rules: str
    value: float


class CategoryTold(BaseModel):
    category: Name
    label: str
    upper: bool
    most: int


class RulesTold(BaseModel):
    rules: str
    fingerprint: str
    dice: int
    faces: int
    rerolls: int
    bonus_threshold: int
    bonus: int
    categories: list[CategoryTold]
    words: Annotated[
        dict[str, dict[str, float]],
        Field(description="Up to `perfect` and `equal`, below the others; beyond them blunder and obvious."),
    ]
    largest_theta: float


class StateValueTold(BaseModel):
    rules: str
    theta: float
    filled: list[Name]
    upper: int
    value: float


class Outcome(BaseModel):
    """A turn's end: where it is scored, and what."""

    category: Name
    points: int
    prob: Probability


class ActionTold(BaseModel):
    """`keep` or `category` and `points`; the rest for the best few."""

    action: str
    value: float
    regret: float
    keep: Keep | None = None
    category: Name | None = None
    points: int | None = None
    bonus_chance: Probability | None = None
    improve_chance: Probability | None = None
    outcomes: list[Outcome] | None = None


class AdviceTold(BaseModel):
    rules: str
    theta: float
    dice: Dice
    rerolls: int
    filled: list[Name]
    upper: int
    value: float
    lead: Literal["only choice", "equal", "close call", "clear", "obvious"]
    actions: list[ActionTold]


class DistributionTold(BaseModel):
    rules: str
    theta: float
    filled: list[Name]
    upper: int
    points: int
    mean: float
    sd: float
    bonus_rate: Probability
    quantiles: dict[str, int]
    target: int | None
    prob_target: Probability | None
    pmf: Annotated[list[float], Field(description="Probabilities by final score, from 0.")]


class CardTold(BaseModel):
    policy: str
    action: str
    regret: float
    rule: str | None


Word = Literal["perfect", "fine", "inaccuracy", "mistake", "blunder"]


class DecisionTold(BaseModel):
    turn: int
    rerolls: int
    dice: Dice
    filled: list[Name]
    upper: int
    expected: float
    luck: float
    played: str
    value: float
    best: str
    best_value: float
    regret: float
    word: Word
    card: CardTold | None


class TurnTold(BaseModel):
    turn: int
    category: Name
    points: int
    expected: float
    luck: float
    lost: float


class ReplayTold(BaseModel):
    score: int
    value_left: float
    log: dict[str, Any]


class ReviewTold(BaseModel):
    rules: str
    player: str | None
    finished: bool
    score: int
    bonus: int
    start_value: float
    luck: float
    lost: float
    value_left: float
    words: dict[Word, int]
    turns: list[TurnTold]
    decisions: list[DecisionTold]
    mistakes: list[DecisionTold]
    replay: ReplayTold
