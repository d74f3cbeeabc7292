"""A deck of one's own mistakes, to work through.

A card is a situation of a game that was played. Half of the deck are decisions that cost half a point or more, the
other half ones that were right and not forced, so that not every card is a trap. A card that is answered well
twice in a row is mastered and leaves; one that is not comes back a few cards later.

    well answered = regret below half a point, by the coach: any equally good move counts, not only the top one
"""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from yatzy.coach.review import Review
from yatzy.coach.words import loss_word
from yatzy.errors import YatzyError
from yatzy.files import write_whole
from yatzy.game.situation import Situation
from yatzy.rules import Ruleset
from yatzy.sealed import read_sealed, seal
from yatzy.solver.advise import TIE

FORMAT = "yatzy-deck"
VERSION = 1
CARDS = 20
MASTERED = 2
# A card that was answered badly comes back after this many others.
COMES_BACK = 3
WELL = ("perfect", "fine")


@dataclass(frozen=True)
class DeckCard:
    """A situation, what was played there and what that lost, and how often in a row it was answered well."""

    situation: str
    played: str
    lost: float
    streak: int = 0

    @property
    def is_mastered(self) -> bool:
        return self.streak >= MASTERED

    def answered(self, regret: float) -> "DeckCard":
        """The card after an answer that loses `regret` points."""
        return replace(self, streak=self.streak + 1 if is_well(regret) else 0)


def is_well(regret: float) -> bool:
    """Whether an answer that loses this many points is good enough."""
    return loss_word(regret) in WELL


def deck_of(reviews: Iterable[Review], most: int = CARDS, seed: int = 0) -> list[DeckCard]:
    """The worst mistakes of some games and as many decisions that were right, shuffled; each situation once."""
    wrong: dict[str, DeckCard] = {}
    right: dict[str, DeckCard] = {}
    for review in reviews:
        rules = review.log.rules
        for decision in review.decisions:
            at = Situation.of(rules, decision.dice, decision.rerolls, decision.state)
            card = DeckCard(str(at), decision.played, decision.regret)
            if not is_well(decision.regret):
                wrong[card.situation] = card
            elif decision.regret <= TIE and not _is_forced(rules, at):
                right[card.situation] = card
    generator = random.Random(seed)
    others = [card for card in right.values() if card.situation not in wrong]
    generator.shuffle(others)
    worst = sorted(wrong.values(), key=lambda card: -card.lost)[: (most + 1) // 2]
    cards = [*worst, *others[: min(len(worst), most - len(worst))]]
    generator.shuffle(cards)
    return cards


def _is_forced(rules: Ruleset, at: Situation) -> bool:
    """Whether there is one thing to do: the last box, with no reroll left."""
    return at.rerolls == 0 and (rules.all_filled & ~at.state.filled).bit_count() == 1


def deal_again(cards: Sequence[DeckCard], card: DeckCard, was_well: bool) -> list[DeckCard]:
    """The cards to come after one was answered: it leaves, goes to the end, or comes back soon."""
    if card.is_mastered:
        return list(cards)
    if was_well:
        return [*cards, card]
    return [*cards[:COMES_BACK], card, *cards[COMES_BACK:]]


def join_decks(kept: Sequence[DeckCard], new: Sequence[DeckCard]) -> list[DeckCard]:
    """A deck with new cards behind its own; a card that is there already, mastered or not, stays as it is."""
    known = {card.situation for card in kept}
    return [*kept, *(card for card in new if card.situation not in known)]


def write_deck(rules: Ruleset, cards: Sequence[DeckCard], path: Path) -> Path:
    """Write a deck, whole or not at all."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "rules": rules.name,
        "cards": [asdict(card) for card in cards],
    }
    return write_whole(path, json.dumps(seal(content)).encode() + b"\n")


def read_deck(path: Path, rules: Ruleset | None = None) -> tuple[str, list[DeckCard]]:
    """The name of the rules and the cards of a deck; with `rules`, they have to be these."""
    content = read_sealed(path, "deck")
    if content.get("format") != FORMAT or content.get("version") != VERSION:
        raise YatzyError("deck", path, "a file that yatzy practice wrote", "is not a deck")
    if rules is not None and content["rules"] != rules.name:
        raise YatzyError("deck", path, why=f"is for {content['rules']!r}; the games are of {rules.name!r}")
    return content["rules"], [DeckCard(**card) for card in content["cards"]]


def situation_of(rules: Ruleset, card: DeckCard) -> Situation:
    """The situation of a card."""
    return Situation.parse(card.situation, rules)
