"""A deck of one's own mistakes, to practise.

A card is a situation of a game that was played. Half of the deck are decisions that cost half a point or more, the
other half right ones that were not forced, so that not every card is a trap. FSRS decides when a card is asked
again (the library `fsrs`; `ts-fsrs` in the page): after a good answer it rests for some days, longer each time;
after a bad one it comes back a few cards later, and the next day. The regret is the grade:

    below 0.05 points Good, below 0.5 Hard, else Again      (never Easy: an answer does not say how easy it was)

The limits, the rest from which a card counts as mastered, and what cards of 0.2 are worth are in `deck.json`,
which the page reads too. Time is counted in whole days and nothing is random: the same answers on the same days
give the same due days here and in the page.
"""

import json
import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from html import escape
from pathlib import Path
from typing import Annotated, Any, TypedDict

from yatzy.coach.review import Review
from yatzy.errors import YatzyError
from yatzy.game.action import Action, parse_action
from yatzy.game.json import HIDDEN, as_json, json_property
from yatzy.game.situation import Situation
from yatzy.rules import Ruleset, format_dice, ruleset
from yatzy.sealed import read_sealed, seal
from yatzy.solver.advise import TIE
from yatzy.storage import write_atomically

FORMAT = "yatzy-deck"
VERSION = 2
# A deck of 0.2 counted right answers in a row; at two, a card was not asked again.
OLD_VERSION, OLD_STREAK = 1, 2
CARDS = 20
# A card that was answered badly comes back after this many others.
COMES_BACK = 3
# What FSRS itself keeps to.
MAX_STABLE, MAX_DIFFICULT = 36_500, 10


class Learned(TypedDict):
    """FSRS memory of a card that was answered right some times, each time on the day it was due."""

    stability: float
    difficulty: float


class Spacing(TypedDict):
    """The content of `deck.json`: regrets in points, days, and memory after one, two and three right answers."""

    good_below: float
    hard_below: float
    mastered_days: int
    learned: list[Learned]


@cache
def spacing() -> Spacing:
    """The numbers shared with the page."""
    found: Spacing = json.loads(Path(__file__).with_suffix(".json").read_bytes())
    return found


@dataclass(frozen=True)
class Memory:
    """What FSRS keeps of a card, with the day of the last answer and the day it is due."""

    stability: float
    difficulty: float
    last: date
    due: date


@dataclass(frozen=True)
class DeckCard:
    """A situation, what was played there, what that lost, and how well it is remembered.

    `answers` are all that were given. Of a card that trains against a `habit`, `played` is what the habit would
    play (`coach.leak`).
    """

    at: Annotated[Situation, HIDDEN]
    played: Action
    lost: float
    memory: Memory | None = None
    habit: str | None = None
    answers: tuple[Action, ...] = ()

    @json_property
    def situation(self) -> str:
        return str(self.at)

    @property
    def is_mastered(self) -> bool:
        rest = self.memory.due - self.memory.last if self.memory else timedelta()
        return rest.days >= spacing()["mastered_days"]

    def is_due(self, day: date) -> bool:
        return self.memory is None or self.memory.due <= day

    def answered(self, regret: float, day: date, action: Action | None = None) -> "DeckCard":
        """The card after an answer that lost `regret` points."""
        answers = (*self.answers, action) if action else self.answers
        return replace(self, memory=remember(self.memory, regret, day), answers=answers)


def remember(memory: Memory | None, regret: float, day: date) -> Memory:
    """The memory after an answer that lost `regret` points."""
    from fsrs import Card, Rating, Scheduler, State

    limits = spacing()
    grade = (
        Rating.Good
        if regret < limits["good_below"]
        else Rating.Hard
        if regret < limits["hard_below"]
        else Rating.Again
    )
    card = Card(card_id=0)
    if memory is not None:
        card = Card(0, State.Review, None, memory.stability, memory.difficulty, last_review=_midnight(memory.last))
    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    after, _ = scheduler.review_card(card, grade, _midnight(day))
    assert after.stability is not None and after.difficulty is not None  # noqa: PT018
    return Memory(after.stability, after.difficulty, day, after.due.date())


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def is_well(regret: float) -> bool:
    """Whether an answer with this regret is good enough."""
    return regret < spacing()["hard_below"]


def deck_of(reviews: Iterable[Review], most: int = CARDS, seed: int = 0) -> list[DeckCard]:
    """The worst mistakes of some games and as many right decisions, shuffled; each situation once."""
    wrong: dict[Situation, DeckCard] = {}
    right: dict[Situation, DeckCard] = {}
    for review in reviews:
        rules = review.log.rules
        for decision in review.decisions:
            at = decision.situation
            card = DeckCard(at, decision.judged, decision.regret)
            if not is_well(decision.regret):
                wrong[at] = card
            elif decision.regret <= TIE and not _is_forced(rules, at):
                right[at] = card
    generator = random.Random(seed)
    others = [card for card in right.values() if card.at not in wrong]
    generator.shuffle(others)
    worst = sorted(wrong.values(), key=lambda card: -card.lost)[: (most + 1) // 2]
    cards = [*worst, *others[: min(len(worst), most - len(worst))]]
    generator.shuffle(cards)
    return cards


def _is_forced(rules: Ruleset, at: Situation) -> bool:
    """Whether there is only one action: the last box, with no reroll left."""
    return at.rerolls == 0 and (rules.all_filled & ~at.state.filled).bit_count() == 1


def join_decks(kept: list[DeckCard], new: list[DeckCard]) -> list[DeckCard]:
    """The deck followed by the new cards that it does not have."""
    known = {card.at for card in kept}
    return [*kept, *(card for card in new if card.at not in known)]


def write_deck(rules: Ruleset, cards: Iterable[DeckCard], path: Path) -> Path:
    """Write a deck, whole or not at all."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "rules": rules.name,
        "cards": as_json(list(cards)),
    }
    return write_atomically(path, json.dumps(seal(content)).encode() + b"\n")


def read_deck(
    path: Path, rules: Ruleset | None = None, today: date | None = None
) -> tuple[Ruleset, list[DeckCard]]:
    """The rules and the cards of a deck; `rules`, if given, must be its own.

    Cards of a deck of 0.2, which had no days, count as answered on the day they are read.
    """
    content = read_sealed(path, "deck")
    if content.get("format") != FORMAT or content.get("version") not in (OLD_VERSION, VERSION):
        raise YatzyError("deck", path, "a file that yatzy practice wrote", "is not a deck")
    if rules is not None and content.get("rules") != rules.name:
        raise YatzyError("deck", path, why=f"is for {content.get('rules')!r}; the games are of {rules.name!r}")
    day = today or date.today()
    try:
        game = rules or ruleset(str(content["rules"]))
        return game, [_card(game, **card, day=day) for card in content["cards"]]
    except (KeyError, TypeError, ValueError) as error:
        raise YatzyError("deck", path, why=f"does not hold what a deck needs ({error})") from None


def _card(
    rules: Ruleset, situation: str, played: str, lost: float, day: date, memory: dict[str, Any] | None = None,
    streak: int = 0, habit: str | None = None, answers: Iterable[str] = (),
) -> DeckCard:  # fmt: skip
    """A card from a file; decks of 0.2 have a `streak` instead of a memory."""
    given = tuple(parse_action(rules, one) for one in answers)
    card = DeckCard(Situation.parse(situation, rules), parse_action(rules, played), lost, None, habit, given)
    if streak:
        learned = spacing()["learned"][min(streak, OLD_STREAK) - 1]
        return replace(card, memory=Memory(**learned, last=day, due=day + timedelta(round(learned["stability"]))))
    if memory is None:
        return card
    numbers = float(memory["stability"]), float(memory["difficulty"])
    if not (0 < numbers[0] <= MAX_STABLE and 1 <= numbers[1] <= MAX_DIFFICULT):
        raise ValueError(f"{situation}: {memory}")
    days = (date.fromisoformat(memory[key]) for key in ("last", "due"))
    return replace(card, memory=Memory(*numbers, *days))


# Anki reads a text file with a line for each card; https://docs.ankiweb.net/importing/text-files.html
ANKI_HEAD = "#separator:tab\n#html:true\n#columns:Front\tBack\n"


def anki_text(cards: Iterable[tuple[DeckCard, str]]) -> str:
    """Cards, each with what to say about its answer, in Anki's text format: the situation in front."""
    return ANKI_HEAD + "".join(f"{_front(card.at)}\t{_html(said)}\n" for card, said in cards)


def _front(at: Situation) -> str:
    left = f"{at.rerolls} reroll{'' if at.rerolls == 1 else 's'} left"
    upper = f"{at.upper} points in the upper section" if at.rules.bonus else ""
    lines = ["<b>" + format_dice(at.dice) + "</b>", left, "open: " + ", ".join(at.open), upper]
    return "<br>".join(line for line in lines if line)


def _html(text: str) -> str:
    return escape(text, quote=False).replace("\t", " ").replace("\n", "<br>")
