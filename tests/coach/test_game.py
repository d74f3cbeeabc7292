"""A game in progress, its dice, and policies that play one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yatzy import YatzyError
from yatzy.coach.game import Game, hold_faces, play_game, play_logs
from yatzy.evaluate.simulate import simulate
from yatzy.game.log import GameLog, TurnLog
from yatzy.game.throws import RecordedDice, SeededDice
from yatzy.policy.heuristic import Heuristic
from yatzy.policy.optimal import Optimal
from yatzy.policy.simple import Greedy, Random
from yatzy.rules import State, scandinavian

HOLD = (False, True, True, False, False)


@pytest.fixture
def game():
    """Two threes of the first throw are held."""
    return Game(scandinavian()).throw((1, 3, 3, 5, 6)).throw((3, 2, 4), HOLD)


def test_dice_keep_their_places(game):
    assert game.dice == (3, 3, 3, 2, 4)
    assert (game.rerolls, game.state, game.is_finished) == (1, State(), False)
    assert game.points(2) == 9
    assert game.points(14) == 0


def test_the_log_has_held_dice_first(game):
    scored = game.score(2)
    assert scored.turns == (TurnLog(((1, 3, 3, 5, 6), (3, 3, 3, 2, 4)), ((3, 3),), 2),)
    assert (scored.state, scored.dice, scored.rerolls) == (State(0b100, 9), (), 3)
    assert not scored.is_open(2)
    assert scored.card.score == 9


def test_equal_dice_do_not_confuse_the_log():
    """The second three is held, and the first one becomes a one."""
    rolled = Game(scandinavian()).throw((3, 3, 1, 1, 1)).throw((1, 2, 4, 5), (False, True, False, False, False))
    assert rolled.dice == (1, 3, 2, 4, 5)
    assert rolled.score(13).turns[0].rolls == ((3, 3, 1, 1, 1), (3, 1, 2, 4, 5))


def test_undo_gives_back_the_game_before(game):
    assert game.score(2).undo() == game
    assert game.undo().dice == (1, 3, 3, 5, 6)
    assert game.undo().undo() == Game(scandinavian())
    with pytest.raises(YatzyError, match="undo: this is the start"):
        Game(scandinavian()).undo()


def test_passing_takes_a_reroll_and_is_not_logged_before_a_score(game):
    passed = game.throw((), (True,) * 5)
    assert (passed.dice, passed.rerolls) == (game.dice, 0)
    assert passed.score(2).turns == game.score(2).turns
    early = Game(scandinavian()).throw((6,) * 5).throw((), (True,) * 5)
    thrown = early.throw((1,), (True, True, True, True, False))
    assert thrown.score(5).turns[0] == TurnLog(((6,) * 5, (6,) * 5, (6, 6, 6, 6, 1)), ((6,) * 5, (6,) * 4), 5)


def test_what_cannot_be_done_is_refused(game):
    with pytest.raises(YatzyError, match="category: 'threes' is already filled"):
        game.score(2).throw((1, 1, 1, 1, 1)).score(2)
    with pytest.raises(YatzyError, match="dice: nothing is thrown yet"):
        game.score(2).score(3)
    with pytest.raises(YatzyError, match="rerolls: none are left"):
        game.throw((1, 1, 1), HOLD).throw((1, 1, 1), HOLD)
    with pytest.raises(YatzyError, match="held: says of 2 dice whether they stay; there are 5"):
        game.throw((1,), (True, True))
    with pytest.raises(YatzyError, match="dice: '1 1' has 2 dice; exactly 3 are thrown"):
        game.throw((1, 1), HOLD)
    with pytest.raises(YatzyError, match="has a face outside 1"):
        game.throw((1, 1, 7), HOLD)
    with pytest.raises(YatzyError, match="exactly 5 are thrown"):
        game.score(2).throw((1, 2, 3))


def test_a_finished_game_throws_no_more(small_rules):
    finished = play_game(Random(small_rules), SeededDice(small_rules, 1))
    assert finished.is_finished
    with pytest.raises(YatzyError, match="the game is finished"):
        finished.throw((1, 1, 1))


def test_the_first_places_are_held():
    assert hold_faces((3, 5, 3, 3, 1), (3, 1)) == (True, False, False, False, True)
    assert hold_faces((3, 5), ()) == (False, False)


@pytest.mark.parametrize(("make", "first"), [(Heuristic, 0), (Greedy, 65_530), (Random, 65_530)])
def test_logs_are_the_games_that_simulate_plays(reduced_rules, make, first):
    """Same seed, same dice, same decisions: points box by box, across a change of stream too."""
    policy = make(reduced_rules)
    games = simulate(policy, 12, seed=5, first=first)
    for number, log in enumerate(play_logs(policy, 12, seed=5, first=first)):
        assert (log.score, log.seed, log.game) == (games.score[number], 5, first + number)
        for turn, (played, points) in enumerate(zip(log.turns, log.points, strict=True)):
            assert games.points[number, played.category] == points
            assert games.turn[number, played.category] == turn + 1


@pytest.mark.compiled
def test_full_games_are_those_of_simulate(policy_of):
    for name in ("optimal", "heuristic", "random"):
        policy = policy_of(name)
        scores = [log.score for log in play_logs(policy, 40, seed=9)]
        assert scores == simulate(policy, 40, seed=9).score.tolist()


def test_so_many_games_are_played(small_rules):
    assert len(list(play_logs(Random(small_rules), 3))) == 3
    with pytest.raises(YatzyError, match="games: 0 is not allowed"):
        next(play_logs(Random(small_rules), 0))


class Illegal(Random):
    """Scores in the first box, open or not."""

    def decide(self, filled, upper):
        decisions = super().decide(filled, upper)
        decisions.category[:] = 0
        return decisions


def test_an_illegal_policy_is_refused(small_rules):
    with pytest.raises(YatzyError, match="which is not open"):
        list(play_logs(Illegal(small_rules), 1))


def test_seeded_dice_are_fair():
    """Every face in every place of every throw, about as often as any other."""
    rules = scandinavian()
    thrown = np.array([[SeededDice(rules, 3, game).throw(turn, 1, 5) for turn in range(15)] for game in range(80)])
    n = thrown.shape[0] * thrown.shape[1]
    for place in range(5):
        counts = np.bincount(thrown[:, :, place].ravel(), minlength=7)[1:]
        assert abs(counts - n / 6).max() < 4 * (n * 5 / 36) ** 0.5


def test_who_throws_fewer_dice_sees_the_first():
    dice = SeededDice(scandinavian(), 11, 2)
    assert dice.throw(4, 1, 5)[:3] == dice.throw(4, 1, 3)
    assert dice.throw(4, 1, 5) != dice.throw(4, 2, 5)


LOG = GameLog(scandinavian(), (TurnLog(((1, 3, 3, 5, 6), (3, 3, 2, 3, 4)), ((3, 3),), 2),))


def test_recorded_dice_are_those_that_were_thrown():
    dice = RecordedDice(LOG)
    assert dice.throw(0, 0, 5) == (1, 3, 3, 5, 6)
    assert dice.throw(0, 1, 2) == (2, 3)
    assert dice.throw(0, 1, 3) == (2, 3, 4)


def test_dice_that_nobody_threw_come_from_a_seed():
    """The log's own, or one made from its dice."""
    dice = RecordedDice(LOG)
    assert dice.throw(0, 1, 5)[:3] == (2, 3, 4)
    assert dice.throw(0, 1, 5)[3:] == dice.beyond.throw(0, 1, 5)[3:]
    assert dice.throw(0, 2, 5) == dice.beyond.throw(0, 2, 5)
    assert dice.throw(7, 0, 5) == RecordedDice(LOG).throw(7, 0, 5)
    seeded = RecordedDice(GameLog(scandinavian(), LOG.turns, seed=8, game=2))
    assert seeded.throw(7, 0, 5) == SeededDice(scandinavian(), 8, 2).throw(7, 0, 5)
    assert seeded.throw(7, 0, 5) != dice.throw(7, 0, 5)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(0, 70_000))
def test_the_replay_of_a_seeded_game_is_the_game_of_that_seed(small_table, seed, number):
    """Whoever played it first: the dice thrown are the first ones of the seed's."""
    rules = small_table.rules
    log = next(play_logs(Random(rules), 1, seed, number))
    again = play_game(Optimal(small_table), RecordedDice(log))
    assert again.turns == play_game(Optimal(small_table), SeededDice(rules, seed, number)).turns
