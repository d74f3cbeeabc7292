"""The games that are served: how large they may be, how their states are spoken of, and what a page needs.

A page is told all that scoring is: every outcome, what each roll may be scored as (its reading), and for special
rolls which reading holds in a mask, as yes-or-no questions about its bits. So no page has scoring code of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from yatzy.arrays import IntArray
from yatzy.coach.aims import Aim, Card, make_aim
from yatzy.coach.words import word_limits
from yatzy.errors import YatzyError
from yatzy.rules import (
    GAMES,
    SWITCHES,
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
from yatzy.rules.catalogue import FREE_JOKER, NO_JOKER
from yatzy.server import answers, models
from yatzy.turn.outcomes import outcomes

# What solves in a few seconds, and fits into memory several times.
MOST_ENTRIES = 4_000_000
# Switches of which a game takes one at most.
APART = ((FREE_JOKER, NO_JOKER),)


def table_entries(rules: Ruleset) -> int:
    """How many values the table of a game holds, without making it."""
    saved = rules.n_sets // 2 * rules.rerolls * rules.n_categories if rules.saves_throws else 0
    return (rules.n_sets + saved) * (rules.bonus_threshold + 1)


def check_size(rules: Ruleset) -> None:
    """Refuse what would take minutes or gigabytes."""
    if table_entries(rules) > MOST_ENTRIES:
        raise YatzyError(
            f"rules: {rules.name!r} is too large to be solved here, with {table_entries(rules):,} values; allowed "
            f"are {MOST_ENTRIES:,} (yatzy play --rules {rules.name} has no such limit)"
        )


def find_game(name: str | None, own: Ruleset) -> Ruleset:
    """The game that a request names: the server's own, or one of the catalogue; never a file."""
    if name is None or name == own.name:
        return own
    if name.partition("+")[0].strip().lower() not in GAMES or name.strip().lower().endswith(".toml"):
        raise YatzyError(f"rules: {name!r} is not known; allowed are {', '.join(GAMES)} with their switches")
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
                raise YatzyError(f"filled: {name!r} is named twice; each category is filled once")
            mask |= bits
        return State(with_saved(self.rules, mask, saved) if saved else mask, upper)

    def _parse(self, place: int, name: str) -> int:
        try:
            return parse_filled(self.rules, [name])
        except YatzyError as error:
            raise YatzyError(f"filled[{place}]: {str(error).partition(': ')[2]}") from None

    def card(self, state: State, points: int | None) -> Card:
        """A card; without points, its upper boxes are all it has."""
        return Card(state, state.upper if points is None else points)

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
                raise YatzyError(f"dice[{place}]: {face} is not a face; allowed are 1..{self.rules.faces}")
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


def describe_games(own: Ruleset) -> answers.GamesTold:
    """Every game of the catalogue, with its switches, and the server's own game by name."""
    games: list[answers.GameTold] = []
    for name, game in GAMES.items():
        rules = ruleset(name)
        games.append({
            "rules": name, "title": game.title, "dice": rules.dice, "faces": rules.faces, "rerolls": rules.rerolls,
            "bonus_threshold": rules.bonus_threshold, "bonus": rules.bonus, "categories": _categories(rules),
            "switches": [_switch(name, switch, game.switches, own) for switch in game.switches],
            "solved": _is_solved(rules, own),
        })  # fmt: skip
    return {"rules": own.name, "games": games, "most_entries": MOST_ENTRIES}


def _is_solved(rules: Ruleset, own: Ruleset) -> bool:
    return rules == own or table_entries(rules) <= MOST_ENTRIES


def _switch(game: str, switch: str, switches: Sequence[str], own: Ruleset) -> answers.SwitchTold:
    apart = [other for pair in APART if switch in pair for other in pair if other != switch and other in switches]
    solved = _is_solved(ruleset(f"{game}+{switch}"), own)
    return {"switch": switch, "sentence": SWITCHES[switch], "not_with": apart, "solved": solved}


def _categories(rules: Ruleset) -> list[answers.CategoryTold]:
    ends = outcomes(rules)
    most = np.maximum.reduceat(ends.points - ends.extra, ends.start[:-1]).tolist()
    return [
        {"category": format_category(rules, c), "label": category.name, "upper": category.upper, "most": most[c]}
        for c, category in enumerate(rules.categories)
    ]


@lru_cache(maxsize=32)
def describe_rules(rules: Ruleset, own: Ruleset, largest_theta: float) -> answers.RulesTold:
    """All that a page needs to play a game without asking again."""
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


def ask_bits(found: IntArray) -> list[list[int]]:
    """A number for every mask as questions [bit, next if clear, next if set], the first one asked first.

    A next below zero is the answer: -1 - number. Parts that are alike are asked about once.
    """
    questions: list[list[int]] = []
    known: dict[bytes, int] = {}

    def ask(part: IntArray, bit: int) -> int:
        if (part == part[0]).all():
            return -1 - int(part[0])
        half = len(part) // 2
        if (part[:half] == part[half:]).all():
            return ask(part[:half], bit - 1)
        key = part.tobytes()
        if key not in known:
            known[key] = len(questions)
            questions.append([bit])
            mine = questions[known[key]]
            mine += [ask(part[:half], bit - 1), ask(part[half:], bit - 1)]
        return known[key]

    first = ask(found, len(found).bit_length() - 2)
    return questions or [[0, first, first]]
