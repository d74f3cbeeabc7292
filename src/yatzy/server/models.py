"""Requests and responses of the HTTP API that are not values of the library, and the games they name.

Pydantic checks the types and sizes of a request. Whether its parts fit together and belong to the game (a seventh
face, an impossible upper total, a keep that is not in its roll) is checked where they are used. The OpenAPI
document is generated from the requests and from the JSON types of the responses.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict

from fastapi import Body
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict

from yatzy.coach.advice import FEW, MAX_DETAILS
from yatzy.coach.outlook import Outlook
from yatzy.context import MAX_SEED
from yatzy.errors import YatzyError
from yatzy.game.aim import LONGEST_NAME, MAX_CARD_POINTS, MAX_OTHERS, Aim, Card, make_aim
from yatzy.game.json import INLINE, Count, Probability, request_type, typed_dictionary
from yatzy.game.log import MAX_DICE, MAX_FACES, MAX_THROWS, GameLog, parse_log
from yatzy.rules import (
    GAMES,
    Ruleset,
    State,
    format_category,
    format_dice,
    parse_dice,
    parse_filled,
    ruleset,
    with_saved,
)
from yatzy.rules.ruleset import MAX_CATEGORIES
from yatzy.server.coaches import MAX_THETA
from yatzy.site.tables import (
    MAX_ENTRIES,
    BoxFacts,
    OutcomeColumns,
    SpecialRoll,
    SwitchFacts,
    describe_categories,
    describe_outcomes,
    describe_special,
    describe_switches,
    is_small,
    table_entries,
)
from yatzy.solver.advise import WordLimits, word_limits
from yatzy.solver.states import NamedState, state_space
from yatzy.turn.outcomes import outcomes

Name = Annotated[str, Field(max_length=LONGEST_NAME)]


def _whole(given: Any) -> Any:
    """2.0 is a whole number too, as in JSON Schema."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


def _each(function: Callable[[Any], Any]) -> BeforeValidator:
    """A validator of list entries: one call from pydantic to Python, not one for each entry."""
    return BeforeValidator(lambda given: list(map(function, given)) if isinstance(given, list) else given)


# Stands after the limits of a field, which would not be in the document otherwise.
WHOLE = BeforeValidator(_whole)
Face = Annotated[int, Field(ge=1, le=MAX_FACES)]
Dice = Annotated[list[Face], Field(min_length=1, max_length=MAX_DICE), _each(_whole)]
Rules = Annotated[
    str | None,
    Field(
        max_length=LONGEST_NAME, examples=["yahtzee"],
        description="The game, with its switches after plus signs; the default is the server's own.",
    ),
]  # fmt: skip
Filled = Annotated[
    list[Name],
    Field(
        max_length=MAX_CATEGORIES,
        description="Filled categories, each once; in Yahtzee and Kniffel a star marks a five-of-a-kind box that "
        "holds points.",
    ),
]
Upper = Annotated[
    int,
    Field(ge=0, le=MAX_CARD_POINTS, description="Upper-section total so far; the threshold means at least that."),
    WHOLE,
]
Saved = Annotated[int, Field(ge=0, le=MAX_THROWS, description="Saved throws, in games that have them."), WHOLE]
Theta = Annotated[
    float,
    Field(
        ge=-MAX_THETA, le=MAX_THETA, allow_inf_nan=False,
        description="Risk: 0 plays for the mean, positive seeks risk, negative avoids it.",
    ),
]  # fmt: skip


class RequestModel(BaseModel):
    """A request body: no type coercion, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid")


Points = Annotated[
    int | None,
    Field(ge=0, le=MAX_CARD_POINTS, description="Points so far, without the bonus; the default is `upper`."),
    WHOLE,
]
Target = Annotated[
    int | None, Field(ge=0, le=MAX_CARD_POINTS, description="A final score to reach, including the bonus."), WHOLE
]


class CardRequest(RequestModel):
    """The card of another player, who plays for the mean."""

    filled: Filled = []
    upper: Upper = 0
    points: Points = None


class StateRequest(CardRequest):
    """A state and the points on the card; with a target or opponents, the chances of success are included."""

    rules: Rules = None
    saved: Saved = 0
    theta: Theta = 0.0
    target: Target = None
    others: Annotated[
        list[CardRequest],
        Field(max_length=MAX_OTHERS, description="The cards of the opponents."),
    ] = []


class SituationRequest(StateRequest):
    """Dice on the table and the state; with a target or opponents, actions are ranked by the chance of success."""

    dice: Annotated[Dice, Field(description="The dice on the table, in any order.", examples=[[1, 3, 3, 5, 6]])]
    rerolls: Annotated[int, Field(ge=0, le=MAX_THROWS, description="Rerolls left.", examples=[2]), WHOLE]
    details: Annotated[
        int, Field(ge=0, le=MAX_DETAILS, description="How many of the best actions include details."), WHOLE
    ] = FEW
    why: Annotated[bool, Field(description="Whether each action says why, and what each box brings.")] = False


def _split(given: Any) -> Any:
    """Split comma-separated names."""
    if isinstance(given, list) and all(isinstance(names, str) for names in given):
        return [name for names in given for name in names.split(",")]
    return given


class RulesQuery(BaseModel):
    """A game in the query."""

    model_config = ConfigDict(extra="forbid")

    rules: Rules = None


class StateQuery(RulesQuery):
    """A state in the query; `filled` may be repeated, or be a comma-separated list."""

    filled: Annotated[Filled, BeforeValidator(_split)] = []
    upper: Upper = 0
    saved: Saved = 0
    theta: Theta = 0.0


# Limits in the document are float64; this one stays below MAX_SEED however it is printed.
MAX_DOCUMENTED_SEED = 2**64 - 2**11
Seed = Annotated[int, Field(ge=0, le=MAX_SEED, json_schema_extra={"maximum": MAX_DOCUMENTED_SEED})]

GAME_EXAMPLE: JsonDict = {
    "format": "yatzy-game",
    "version": 1,
    "rules": "scandinavian",
    "turns": [
        {"rolls": [[1, 3, 3, 5, 6], [3, 3, 2, 3, 4]], "keeps": [[3, 3]], "category": "threes"},
        {"rolls": [[2, 3, 4, 5, 6]], "keeps": [], "category": "large straight"},
    ],
}
# Turns, a turn, goals, a goal, others, a card, filled: the deepest nesting in a log.
MAX_LOG_DEPTH = 8


def _whole_inside(given: Any, depth: int = MAX_LOG_DEPTH) -> Any:
    """The same with integers in place of 2.0 and the like."""
    if depth and isinstance(given, dict):
        return {key: _whole_inside(one, depth - 1) for key, one in given.items()}
    return [_whole_inside(one, depth - 1) for one in given] if depth and isinstance(given, list) else _whole(given)


def _review_request() -> Any:
    """The type of a game log with an optional goal."""
    log = request_type(GameLog).__annotations__
    beside = {"seed": NotRequired[Seed | None], "target": NotRequired[Target], "theta": NotRequired[Theta]}
    about = """A game log, as described in the documentation of the format.

    With a `target` or a `theta`, all decisions are judged by that goal.
    """
    form = typed_dictionary("ReviewRequest", log | beside, about, json_schema_extra={"examples": [GAME_EXAMPLE]})
    return Annotated[form, BeforeValidator(_whole_inside), Body()]


if TYPE_CHECKING:
    ReviewRequest = dict[str, Any]
else:
    ReviewRequest = _review_request()


def read_game(given: ReviewRequest, rules: Ruleset) -> GameLog:
    """The log, checked as a file would be."""
    log_fields = {key: value for key, value in given.items() if key not in ("target", "theta")}
    log = parse_log({**log_fields, "rules": rules.name}, rules)
    for number, turn in enumerate(log.turns):
        for place, goal in enumerate(turn.goals):
            if goal and abs(goal.theta) > MAX_THETA:
                where = f"turns[{number}].goals[{place}].theta"
                raise YatzyError(where, goal.theta, f"-{MAX_THETA}..{MAX_THETA}")
    aim = make_aim(rules, given.get("target"), given.get("theta", 0.0))
    return log.with_aim(aim) if aim else log


def check_size(rules: Ruleset) -> None:
    """Refuse a game that would take minutes or gigabytes to solve."""
    if not is_small(rules):
        why = f"is too large to be solved here, with {table_entries(rules):,} values"
        allowed = f"{MAX_ENTRIES:,} values (yatzy play --rules {rules.name} has no such limit)"
        raise YatzyError("rules", rules.name, allowed, why)


def find_game(name: str | None, own: Ruleset) -> Ruleset:
    """The game that a request names: the server's own, or one of the catalogue, but never a file."""
    if name is None or name == own.name:
        return own
    if name.partition("+")[0].strip().lower() not in GAMES or name.strip().lower().endswith(".toml"):
        raise YatzyError("rules", name, GAMES, "is not known")
    rules = ruleset(name)
    return own if rules.name == own.name else rules


@dataclass(frozen=True)
class GameReader:
    """Turns the fields of requests about one game into values of the library."""

    rules: Ruleset

    @cached_property
    def names(self) -> list[str]:
        return [format_category(self.rules, c) for c in range(self.rules.n_categories)]

    @cached_property
    def bits(self) -> dict[str, int]:
        """The bits of every category name, and of the starred name where the category has a flag."""
        starred = {f"{self.names[c]}*": 1 << c | self.rules.flag_of(c) for c in self.rules.flagged}
        return {name: 1 << c for c, name in enumerate(self.names)} | starred

    def state(self, filled: Sequence[str], upper: int, saved: int) -> State:
        """The state; the library checks later whether it can occur."""
        mask = 0
        for place, name in enumerate(filled):
            bits = self.bits.get(name) or self._parse(place, name)
            if mask & bits & self.rules.all_filled:
                raise YatzyError("filled", name, why="is named twice; each category is filled once")
            mask |= bits
        return State(with_saved(self.rules, mask, saved) if saved else mask, upper)

    def _parse(self, place: int, name: str) -> int:
        try:
            return parse_filled(self.rules, [name])
        except YatzyError as error:
            raise error.but(field=f"filled[{place}]") from None

    def card(self, state: State, points: int | None) -> Card:
        """A card; without points, it has those of its upper section."""
        return Card(self.rules, state, state.upper if points is None else points)

    def others(self, cards: Sequence[CardRequest]) -> tuple[Card, ...]:
        """The opponents' cards; `make_aim` checks whether they can occur."""
        return tuple(self.card(self.state(one.filled, one.upper, 0), one.points) for one in cards)

    def aim(self, given: SituationRequest) -> Aim | None:
        """The goal; None for the mean."""
        return make_aim(self.rules, given.target, given.theta, self.others(given.others))

    def dice(self, dice: Sequence[int]) -> tuple[int, ...]:
        """Dice of this game; the error for a face that it does not have names its position."""
        for place, face in enumerate(dice):
            if face > self.rules.faces:
                raise YatzyError(f"dice[{place}]", face, f"1..{self.rules.faces}", "is not a face")
        return tuple(dice) if len(dice) == self.rules.dice else parse_dice(self.rules, dice)


@lru_cache(maxsize=32)
def game_reader(rules: Ruleset) -> GameReader:
    return GameReader(rules)


def prepared_reader(name: str, own: Ruleset) -> GameReader:
    """The reader for the game of that name, with everything computed that checking requests needs."""
    game = game_reader(find_game(name, own))
    if is_small(game.rules):
        _ = game.bits
        state_space(game.rules).check(0, 0)
    return game


class ErrorBody(TypedDict):
    """What is wrong and where; the value given there and those allowed, where known."""

    field: str | None
    message: str
    given: NotRequired[Any]
    allowed: NotRequired[str | list[str]]


class ErrorResponse(TypedDict):
    """The response to a request that cannot be served."""

    error: ErrorBody


@dataclass(frozen=True)
class HealthResponse:
    """The server is up; its game, and the value of that game at its start."""

    status: Literal["ok"]
    version: str
    rules: Ruleset
    value: float


@dataclass(frozen=True)
class OutlookResponse:
    """How games end from a state under optimal play, and what that means for a target and against opponents.

    `prob_target` is under this play; `chance` is when playing for the target, null while not yet computed.
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


@dataclass(frozen=True)
class GameResponse:
    """A game of the catalogue without switches; `solved`: whether there is advice for it over HTTP."""

    rules: str
    title: str
    dice: int
    faces: int
    rerolls: int
    bonus_threshold: int
    bonus: int
    categories: tuple[BoxFacts, ...]
    switches: tuple[SwitchFacts, ...]
    solved: bool


@dataclass(frozen=True)
class GamesResponse:
    """All games; `rules` is the default."""

    rules: Ruleset
    games: tuple[GameResponse, ...]
    most_entries: int


@dataclass(frozen=True)
class RulesResponse:
    """A game with its scoring; `readings` holds outcomes by category (-1: not allowed), those of rolls first."""

    rules: Ruleset
    title: str
    switches: tuple[str, ...]
    fingerprint: str
    dice: int
    faces: int
    rerolls: int
    bonus_threshold: int
    bonus: int
    categories: tuple[BoxFacts, ...]
    saves_throws: bool
    forced_order: bool
    flagged: tuple[str, ...]
    rolls: tuple[str, ...]
    outcomes: OutcomeColumns
    readings: list[list[int]]
    special: tuple[SpecialRoll, ...]
    words: WordLimits
    largest_theta: float
    solved: bool


def describe_games(own: Ruleset) -> GamesResponse:
    """Every game of the catalogue with its switches, and the name of the server's own game."""
    games = []
    for name, game in GAMES.items():
        rules = ruleset(name)
        switches = (
            replace(one, solved=_is_solved(ruleset(f"{name}+{one.switch}"), own))
            for one in describe_switches(name)
        )
        games.append(
            GameResponse(
                name, game.title, rules.dice, rules.faces, rules.rerolls, rules.bonus_threshold, rules.bonus,
                describe_categories(rules), tuple(switches), _is_solved(rules, own),
            )
        )  # fmt: skip
    return GamesResponse(own, tuple(games), MAX_ENTRIES)


def _is_solved(rules: Ruleset, own: Ruleset) -> bool:
    return rules == own or is_small(rules)


@lru_cache(maxsize=32)
def describe_rules(rules: Ruleset, own: Ruleset, largest_theta: float) -> RulesResponse:
    """Everything a program needs to play a game."""
    base, *switches = rules.name.split("+")
    title = GAMES[base].title if base in GAMES else rules.name
    return RulesResponse(
        rules, title, tuple(switches), rules.fingerprint, rules.dice, rules.faces, rules.rerolls,
        rules.bonus_threshold, rules.bonus, describe_categories(rules), rules.saves_throws, rules.forced_order,
        tuple(format_category(rules, c) for c in rules.flagged), tuple(map(format_dice, rules.rolls)),
        describe_outcomes(rules), outcomes(rules).of_reading.tolist(), describe_special(rules), word_limits(),
        largest_theta, _is_solved(rules, own),
    )  # fmt: skip
