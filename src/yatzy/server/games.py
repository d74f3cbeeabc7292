"""The games that are served: how large they may be, how their states are spoken of, and what programs are told.

A program is told all that scoring is: every outcome, what each roll may be scored as (its reading), and for
special rolls which reading holds in a mask, as yes-or-no questions about its bits. `page.tables` has the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

from yatzy.errors import YatzyError
from yatzy.game.aim import Aim, Card, make_aim
from yatzy.game.words import word_limits
from yatzy.page.tables import MOST_ENTRIES, ask_bits, describe_categories, describe_switch, is_small, table_entries
from yatzy.rules import (
    GAMES,
    Ruleset,
    State,
    filled_names,
    format_category,
    format_dice,
    parse_dice,
    parse_filled,
    ruleset,
    with_saved,
)
from yatzy.server import answers, models
from yatzy.solver.states import state_space
from yatzy.turn.outcomes import outcomes


def check_size(rules: Ruleset) -> None:
    """Refuse what would take minutes or gigabytes."""
    if not is_small(rules):
        why = f"is too large to be solved here, with {table_entries(rules):,} values"
        allowed = f"{MOST_ENTRIES:,} values (yatzy play --rules {rules.name} has no such limit)"
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

    def told(self, theta: float, state: State) -> answers.StateTold:
        told: answers.StateTold = {
            "rules": self.rules.name, "theta": theta, "filled": filled_names(self.rules, state.filled),
            "upper": state.upper,
        }  # fmt: skip
        if self.rules.saves_throws:
            told["saved"] = state.saved(self.rules)
        return told


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


def describe_games(own: Ruleset) -> answers.GamesTold:
    """Every game of the catalogue, with its switches, and the server's own game by name."""
    games: list[answers.GameTold] = []
    for name, game in GAMES.items():
        rules = ruleset(name)
        games.append({
            "rules": name, "title": game.title, "dice": rules.dice, "faces": rules.faces, "rerolls": rules.rerolls,
            "bonus_threshold": rules.bonus_threshold, "bonus": rules.bonus, "categories": _categories(rules),
            "switches": [_switch(name, switch, own) for switch in game.switches],
            "solved": _is_solved(rules, own),
        })  # fmt: skip
    return {"rules": own.name, "games": games, "most_entries": MOST_ENTRIES}


def _is_solved(rules: Ruleset, own: Ruleset) -> bool:
    return rules == own or is_small(rules)


def _switch(game: str, switch: str, own: Ruleset) -> answers.SwitchTold:
    told = cast(answers.SwitchTold, describe_switch(game, switch))
    return {**told, "solved": _is_solved(ruleset(f"{game}+{switch}"), own)}


def _categories(rules: Ruleset) -> list[answers.CategoryTold]:
    return cast(list[answers.CategoryTold], describe_categories(rules))


@lru_cache(maxsize=32)
def describe_rules(rules: Ruleset, own: Ruleset, largest_theta: float) -> answers.RulesTold:
    """All that a program needs to play a game without asking again."""
    base, *switches = rules.name.split("+")
    ends = outcomes(rules)
    return {
        "rules": rules.name, "title": GAMES[base].title if base in GAMES else rules.name, "switches": switches,
        "fingerprint": rules.fingerprint, "dice": rules.dice, "faces": rules.faces, "rerolls": rules.rerolls,
        "bonus_threshold": rules.bonus_threshold, "bonus": rules.bonus, "categories": _categories(rules),
        "saves_throws": rules.saves_throws, "forced_order": rules.forced_order,
        "flagged": [format_category(rules, c) for c in rules.flagged],
        "rolls": [format_dice(roll) for roll in rules.rolls],
        "outcomes": {
            "category": ends.category.tolist(), "points": (ends.points - ends.extra).tolist(),
            "extra": ends.extra.tolist(), "bits": ends.bits.tolist(),
        },
        "readings": ends.of_reading.tolist(),
        "special": [
            {"roll": roll, "questions": ask_bits(row)}
            for roll, row in zip(ends.special_rolls, ends.readings, strict=True)
        ],
        "words": answers.WORDS.validate_python(word_limits()), "largest_theta": largest_theta,
        "solved": _is_solved(rules, own),
    }  # fmt: skip
