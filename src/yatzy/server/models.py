"""What goes in and out over HTTP: the one place that says what a request and an answer look like.

Requests are pydantic models, which check types and sizes; whether the parts fit together (an upper total that
cannot stand, a keep that is not in its roll) is found out where they are used. Answers are typed dictionaries,
which cost no more than plain ones. The OpenAPI document is made of both, and `contract` makes the types of web/
from it. Dice, names and limits are those of Scandinavian Yatzy and its house rules.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict
from typing_extensions import TypeAliasType, TypedDict

from yatzy.coach.advice import FEW, MOST_DETAILS
from yatzy.coach.log import LONGEST_NAME, MOST_GAMES, GameLog, TurnLog, check_seal, take_out
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, format_category, format_dice, parse_category, scandinavian
from yatzy.server.coaches import LARGEST_THETA

RULES = scandinavian()
HIGHEST_SCORE = sum(map(max, zip(*RULES.scores, strict=True))) + RULES.bonus

# Aliases of this kind have a name in the document too.
Name = TypeAliasType("Name", Literal[
    "ones", "twos", "threes", "fours", "fives", "sixes", "one pair", "two pairs", "three of a kind",
    "four of a kind", "small straight", "large straight", "full house", "chance", "yatzy",
])  # fmt: skip
NAMES = frozenset(get_args(Name.__value__))
Word = TypeAliasType("Word", Literal["perfect", "fine", "inaccuracy", "mistake", "blunder"])
Lead = TypeAliasType("Lead", Literal["only choice", "equal", "close call", "clear", "obvious"])


def _one_name(given: Any) -> Any:
    """A category's name as it is printed, from however it was typed."""
    if not isinstance(given, str) or given in NAMES:
        return given
    try:
        return format_category(RULES, parse_category(RULES, given))
    except YatzyError:
        return given


def _whole(given: Any) -> Any:
    """2.0 is a whole number too, as JSON Schema has it."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


def _each(function: Callable[[Any], Any]) -> BeforeValidator:
    """For the entries of a list: one call from pydantic to Python instead of one for each entry."""
    return BeforeValidator(lambda given: list(map(function, given)) if isinstance(given, list) else given)


Category = Annotated[Name, BeforeValidator(_one_name)]
# Behind the limits of a field, which are not in the document otherwise.
WHOLE = BeforeValidator(_whole)
Face = Annotated[int, Field(ge=1, le=RULES.faces)]
Dice = Annotated[list[Face], Field(min_length=RULES.dice, max_length=RULES.dice), _each(_whole)]
Keep = Annotated[list[Face], Field(max_length=RULES.dice), _each(_whole)]
Filled = Annotated[
    list[Name],
    Field(max_length=RULES.n_categories, description="Categories already filled, each once."),
    _each(_one_name),
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
        int, Field(ge=0, le=MOST_DETAILS, description="How many of the best actions come with details."), WHOLE
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
        return [name for names in given for name in names.split(",")]
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

    def log(self, rules: Ruleset, where: str) -> TurnLog:
        """As the library has it, if every keep lies in the rolls around it."""
        if len(self.keeps) != len(self.rolls) - 1:
            raise YatzyError(
                f"{where}.keeps: has {len(self.keeps)} entries; allowed is exactly {len(self.rolls) - 1}"
            )
        for j, keep in enumerate(self.keeps):
            for which in (j, j + 1):
                if take_out(self.rolls[which], keep) is None:
                    raise YatzyError(
                        f"{where}.keeps[{j}]: {format_dice(keep)!r} is not part of "
                        f"rolls[{which}], which is {format_dice(self.rolls[which])!r}"
                    )
        rolls, keeps = (tuple(map(tuple, dice)) for dice in (self.rolls, self.keeps))
        return TurnLog(rolls, keeps, parse_category(rules, self.category))


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
    checksum: Annotated[str | None, Field(max_length=LONGEST_NAME)] = None

    def log(self, rules: Ruleset) -> GameLog:
        """As the library has it, if its parts fit together; the sentences are those of `parse_log`."""
        if self.rules != rules.name:
            raise YatzyError(f"rules: {self.rules!r} are not the rules here; allowed is {rules.name!r}")
        turns: list[TurnLog] = []
        filled: dict[int, int] = {}
        for number, given in enumerate(self.turns):
            turn = given.log(rules, f"turns[{number}]")
            if turn.category in filled:
                raise YatzyError(
                    f"turns[{number}].category: {given.category!r} was filled in turns[{filled[turn.category]}]; "
                    f"each category is filled once"
                )
            filled[turn.category] = number
            turns.append(turn)
        try:
            datetime.fromisoformat(self.date or "2025-12-31")
        except ValueError:
            raise YatzyError(f"date: {self.date!r} is not of the form 2025-12-31 or 2025-12-31T20:15:00") from None
        log = GameLog(rules, tuple(turns), self.player, self.date, self.seed, self.game)
        return check_seal(log, self.checksum)


class Fault(TypedDict):
    """What is wrong, and where."""

    field: str | None
    message: str


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


class RulesTold(TypedDict):
    rules: str
    fingerprint: str
    dice: int
    faces: int
    rerolls: int
    bonus_threshold: int
    bonus: int
    categories: list[CategoryTold]
    words: WordLimits
    largest_theta: float


class StateTold(TypedDict):
    rules: str
    theta: float
    filled: list[Name]
    upper: int


class StateValueTold(StateTold):
    value: float


class Outcome(TypedDict):
    """A turn's end: where it is scored, and what."""

    category: Name
    points: int
    prob: Probability


class ActionTold(TypedDict):
    """`keep`, or `category` and `points`; the rest for the best few (`bonus_chance` as soon as it is known)."""

    action: str
    value: float
    regret: float
    keep: NotRequired[Keep]
    category: NotRequired[Name]
    points: NotRequired[int]
    bonus_chance: NotRequired[Probability]
    improve_chance: NotRequired[Probability]
    outcomes: NotRequired[list[Outcome]]


class AdviceTold(StateTold):
    dice: Dice
    rerolls: int
    value: float
    lead: Lead
    actions: list[ActionTold]


class DistributionTold(StateTold):
    points: int
    mean: float
    sd: float
    bonus_rate: Probability
    quantiles: dict[str, int]
    target: int | None
    prob_target: Probability | None
    pmf: Annotated[list[float], Field(description="Probabilities by final score, from 0.")]


class CardTold(TypedDict):
    policy: str
    action: str
    regret: float
    rule: str | None


class DecisionTold(TypedDict):
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


class TurnTold(TypedDict):
    turn: int
    category: Name
    points: int
    expected: float
    luck: float
    lost: float


class WordCounts(TypedDict):
    perfect: int
    fine: int
    inaccuracy: int
    mistake: int
    blunder: int


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


class ReplayTold(TypedDict):
    score: int
    value_left: float
    log: LogTold


class ReviewTold(TypedDict):
    rules: str
    player: str | None
    finished: bool
    score: int
    bonus: int
    start_value: float
    luck: float
    lost: float
    value_left: float
    words: WordCounts
    turns: list[TurnTold]
    decisions: list[DecisionTold]
    mistakes: list[DecisionTold]
    replay: ReplayTold
