"""A deck of mistakes: what is in it, and how it is worked off."""

import pytest

from games import TINY
from yatzy import YatzyError
from yatzy.coach.deck import MASTERED, DeckCard, deal_again, deck_of, is_well, join_decks, read_deck, write_deck
from yatzy.coach.game import play_logs
from yatzy.coach.review import review
from yatzy.game.situation import Situation
from yatzy.policy.optimal import Optimal
from yatzy.policy.simple import Random


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
    assert len({card.situation for card in cards}) == len(cards)
    assert all(Situation.parse(card.situation, small_rules) for card in cards)


def test_the_order_is_that_of_the_seed(reviews):
    assert deck_of(reviews, 10, seed=1) == deck_of(reviews, 10, seed=1)
    orders = {tuple(card.situation for card in deck_of(reviews, 10, seed)) for seed in range(5)}
    assert len(orders) > 1


def test_perfect_games_have_nothing_to_practise(small_table):
    games = [review(log, small_table) for log in play_logs(Optimal(small_table), 3)]
    assert deck_of(games) == []


def test_a_card_leaves_when_it_is_mastered():
    card = DeckCard("x", "keep nothing", 3.0)
    for _ in range(MASTERED):
        assert not card.is_mastered
        card = card.answered(0.2)
    assert card.is_mastered
    assert card.answered(0.6).streak == 0


def test_what_was_wrong_comes_back_soon():
    others = [DeckCard(name, "", 1.0) for name in "abcde"]
    card = DeckCard("x", "", 1.0)
    assert "".join(one.situation for one in deal_again(others, card, was_well=False)) == "abcxde"
    assert "".join(one.situation for one in deal_again(others, card, was_well=True)) == "abcdex"
    done = DeckCard("x", "", 1.0, streak=MASTERED)
    assert deal_again(others, done, was_well=True) == others


def test_a_deck_is_kept(tmp_path, small_rules):
    old = [DeckCard("a", "keep 1", 2.0, streak=MASTERED), DeckCard("b", "keep 2", 1.0)]
    file = write_deck(small_rules, old, tmp_path / "deck.json")
    assert read_deck(file) == (small_rules.name, old)
    new = [DeckCard("a", "keep 3", 9.0), DeckCard("c", "keep 1", 1.0)]
    assert join_decks(old, new) == [*old, new[1]]
    with pytest.raises(YatzyError, match="is for 'three-dice'; the games are of 'tiny'"):
        read_deck(file, TINY)
    file.write_text(file.read_text().replace("keep 2", "keep 3"))
    with pytest.raises(YatzyError, match="was damaged or edited"):
        read_deck(file)
