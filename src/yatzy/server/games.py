"""The games that are served: how large they may be, how their states are spoken of, and what programs are told.

A program is told all that scoring is: every outcome, what each roll may be scored as (its reading), and for
special rolls which reading holds in a mask, as yes-or-no questions about its bits. `page.tables` has the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from yatzy.errors import YatzyError
from yatzy.game.aim import Aim, Card, make_aim
from yatzy.game.words import WordLimits, word_limits
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
from yatzy.server import models
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
from yatzy.solver.states import state_space
from yatzy.turn.outcomes import outcomes


def check_size(rules: Ruleset) -> None:
    """Refuse what would take minutes or gigabytes."""
    if not is_small(rules):
        why = f"is too large to be solved here, with {table_entries(rules):,} values"
        allowed = f"{MAX_ENTRIES:,} values (yatzy play --rules {rules.name} has no such limit)"
        raise YatzyError("rules", rules.name, allowed, why)


def find_game(name: str | None, own: Ruleset) -> Ruleset:
    """The game that a request names: the server's own, or one of the catalogue; never a file."""
    if name is None or name == own.name:
        return own
    if name.partition("+")[0].strip().lower() not in GAMES or name.strip().lower().endswith(".toml"):
        raise YatzyError("rules", name, GAMES, "is not known")
    rules = ruleset(name)
    return own if rules.name == own.name else rules


@dataclass(frozen=True)
class Spoken:
    """A game as requests and answers name its parts."""

    rules: Ruleset

    @cached_property
    def names(self) -> list[str]:
        return [format_category(self.rules, c) for c in range(self.rules.n_categories)]

    @cached_property
    def bits(self) -> dict[str, int]:
        """Of every name, with a star too where the category has a flag."""
        starred = {f"{self.names[c]}*": 1 << c | self.rules.flag_of(c) for c in self.rules.flagged}
        return {name: 1 << c for c, name in enumerate(self.names)} | starred

    def state(self, filled: Sequence[str], upper: int, saved: int) -> State:
        """The state that is meant; whether it can occur is for the library to check, which is asked next."""
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
        """A card; without points, its upper boxes are all it has."""
        return Card(self.rules, state, state.upper if points is None else points)

    def others(self, cards: Sequence[models.CardGiven]) -> tuple[Card, ...]:
        """The cards of the others; whether they can occur is checked with the aim."""
        return tuple(self.card(self.state(one.filled, one.upper, 0), one.points) for one in cards)

    def aim(self, given: models.SituationGiven) -> Aim | None:
        """What is played for; None for the mean."""
        return make_aim(self.rules, given.target, given.theta, self.others(given.others))

    def dice(self, dice: Sequence[int]) -> tuple[int, ...]:
        """Dice of this game; a face that it does not have is refused by its place."""
        for place, face in enumerate(dice):
            if face > self.rules.faces:
                raise YatzyError(f"dice[{place}]", face, f"1..{self.rules.faces}", "is not a face")
        return tuple(dice) if len(dice) == self.rules.dice else parse_dice(self.rules, dice)


@lru_cache(maxsize=32)
def spoken(rules: Ruleset) -> Spoken:
    return Spoken(rules)


def get_ready(name: str, own: Ruleset) -> Spoken:
    """The game of that name, with all that checking a request about it needs."""
    game = spoken(find_game(name, own))
    if is_small(game.rules):
        _ = game.bits
        state_space(game.rules).check(0, 0)
    return game


@dataclass(frozen=True)
class GameServed:
    """A game of the catalogue without switches; `solved`: is it small enough for advice over HTTP?"""

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
class GamesServed:
    """All games; `rules` is the one that is played where none is named."""

    rules: Ruleset
    games: tuple[GameServed, ...]
    most_entries: int


@dataclass(frozen=True)
class RulesServed:
    """A game with its scoring: readings list outcomes by category (-1: not allowed), those of the rolls first."""

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


def describe_games(own: Ruleset) -> GamesServed:
    """Every game of the catalogue, with its switches, and the server's own game by name."""
    games = []
    for name, game in GAMES.items():
        rules = ruleset(name)
        switches = (
            replace(one, solved=_is_solved(ruleset(f"{name}+{one.switch}"), own))
            for one in describe_switches(name)
        )
        games.append(
            GameServed(
                name, game.title, rules.dice, rules.faces, rules.rerolls, rules.bonus_threshold, rules.bonus,
                describe_categories(rules), tuple(switches), _is_solved(rules, own),
            )
        )  # fmt: skip
    return GamesServed(own, tuple(games), MAX_ENTRIES)


def _is_solved(rules: Ruleset, own: Ruleset) -> bool:
    return rules == own or is_small(rules)


@lru_cache(maxsize=32)
def describe_rules(rules: Ruleset, own: Ruleset, largest_theta: float) -> RulesServed:
    """All that a program needs to play a game without asking again."""
    base, *switches = rules.name.split("+")
    title = GAMES[base].title if base in GAMES else rules.name
    return RulesServed(
        rules, title, tuple(switches), rules.fingerprint, rules.dice, rules.faces, rules.rerolls,
        rules.bonus_threshold, rules.bonus, describe_categories(rules), rules.saves_throws, rules.forced_order,
        tuple(format_category(rules, c) for c in rules.flagged), tuple(map(format_dice, rules.rolls)),
        describe_outcomes(rules), outcomes(rules).of_reading.tolist(), describe_special(rules), word_limits(),
        largest_theta, _is_solved(rules, own),
    )  # fmt: skip
