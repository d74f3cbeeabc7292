"""A deck of mistakes: what is in it, and how it is worked off."""

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from games import TINY
from yatzy import YatzyError
from yatzy.coach.deck import DeckCard, deck_of, is_well, join_decks, read_deck, remember, spacing, write_deck
from yatzy.coach.review import review
from yatzy.game.action import Keep, Score
from yatzy.game.json import as_json
from yatzy.game.situation import Situation
from yatzy.measure.simulate import play_logs
from yatzy.policies.baselines import Random
from yatzy.policies.optimal import Optimal
from yatzy.sealed import seal

DAY = date(2026, 2, 7)
CARD = {"situation": "1 1 1 1 2 | 1 | - @ 0", "played": "keep 1 1", "lost": 1.0}
MEMORY = {"stability": 2.0, "difficulty": 5.0, "last": "2026-02-07", "due": "2026-02-09"}


@pytest.fixture(scope="module")
def reviews(small_table):
    return [review(log, small_table) for log in play_logs(Random(small_table.rules), 6, seed=2)]


def test_half_are_the_worst_mistakes_and_half_are_right(reviews, small_rules):
    cards = deck_of(reviews, most=10)
    wrong = [card for card in cards if not is_well(card.lost)]
    right = [card for card in cards if is_well(card.lost)]
    assert (len(wrong), len(right)) == (5, 5)
    lost = sorted((one.regret for found in reviews for one in found.decisions), reverse=True)
    assert min(card.lost for card in wrong) >= lost[2 * len(wrong)]
    assert all(card.lost <= 1e-9 for card in right)
    assert len({card.at for card in cards}) == len(cards)


def test_the_order_is_that_of_the_seed(reviews):
    assert deck_of(reviews, 10, seed=1) == deck_of(reviews, 10, seed=1)
    orders = {tuple(card.at for card in deck_of(reviews, 10, seed)) for seed in range(5)}
    assert len(orders) > 1


def test_perfect_games_have_nothing_to_practise(small_table):
    games = [review(log, small_table) for log in play_logs(Optimal(small_table), 3)]
    assert deck_of(games) == []


def test_when_a_card_is_asked_again():
    """By the golden file, which the page is held to as well: `tests/site/test_spacing.py`."""
    for one in json.loads((Path(__file__).parent / "spacing.json").read_text()):
        memory = None
        for (day, regret), wanted in zip(one["answers"], one["memories"], strict=True):
            memory = remember(memory, regret, date.fromisoformat(day))
            found = as_json(memory)
            assert (found["last"], found["due"]) == (wanted["last"], wanted["due"])
            assert found["stability"] == pytest.approx(wanted["stability"], rel=1e-6, abs=1e-6)
            assert found["difficulty"] == pytest.approx(wanted["difficulty"], abs=1e-5)


def test_a_card_rests_longer_each_time_until_it_is_mastered(small_rules):
    card, day, rests = DeckCard(Situation.parse("1 2 3 | 1 | - @ 0", small_rules), Keep(), 3.0), DAY, []
    assert card.is_due(day)
    for _ in range(3):
        assert not card.is_mastered
        card = card.answered(0.0, day)
        assert not card.is_due(card.memory.due - timedelta(1))
        assert card.is_due(card.memory.due)
        rests.append((card.memory.due - day).days)
        day = card.memory.due
    assert rests == [2, 11, 46]
    assert card.is_mastered
    assert (card.answered(0.6, day).memory.due - day).days <= 3
    assert (card.answered(0.3, day).memory.due - day).days < (card.answered(0.0, day).memory.due - day).days


def test_what_the_page_reads_of_old_cards_is_what_right_answers_give():
    memory, day = None, DAY
    for learned in spacing()["learned"]:
        memory = remember(memory, 0.0, day)
        day = memory.due
        assert memory.stability == pytest.approx(learned["stability"], abs=1e-8)
        assert memory.difficulty == pytest.approx(learned["difficulty"], abs=1e-8)


def test_a_deck_is_kept(tmp_path, small_rules):
    a, b, c = (Situation.parse(f"1 2 {face} | 1 | - @ 0", small_rules) for face in (2, 3, 4))
    old = [DeckCard(a, Keep((1,)), 2.0).answered(0.0, DAY), DeckCard(b, Keep((2,)), 1.0)]
    file = write_deck(small_rules, old, tmp_path / "deck.json")
    assert read_deck(file, small_rules) == (small_rules, old)
    new = [DeckCard(a, Score("ones"), 9.0), DeckCard(c, Keep((1,)), 1.0)]
    assert join_decks(old, new) == [*old, new[1]]
    with pytest.raises(YatzyError, match="is for 'three-dice'; the games are of 'tiny'"):
        read_deck(file, TINY)
    file.write_text(file.read_text().replace("keep 2", "keep 3"))
    with pytest.raises(YatzyError, match="was damaged or edited"):
        read_deck(file, small_rules)


@pytest.mark.parametrize(
    "changes",
    [
        {"cards": [7]},
        {"cards": [CARD | {"situation": "a"}]},
        {"cards": [CARD | {"played": "b"}]},
        {"cards": None},
        {"version": 1, "cards": [CARD | {"streak": "2"}]},
        {"rules": None, "cards": [CARD | {"memory": {"stability": 1}}]},
        *(
            {"cards": [CARD | {"memory": MEMORY | wrong}]}
            for wrong in ({"stability": 0}, {"difficulty": 11}, {"last": "2026-02-30"}, {"due": None})
        ),
    ],
    ids=str,
)
def test_a_deck_that_somebody_sealed_again(tmp_path, changes):
    """A checksum tells damage, not intent."""
    file = tmp_path / "deck.json"
    content = {"format": "yatzy-deck", "version": 2, "rules": "scandinavian", "cards": []}
    file.write_text(json.dumps(seal(content | changes)))
    with pytest.raises(YatzyError, match=r"^deck: .*deck.json does not hold what a deck needs"):
        read_deck(file)
