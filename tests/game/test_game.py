"""A game in progress and its dice: what is done gives the next game, and what cannot be done a sentence."""

import dataclasses
import doctest
import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yatzy import YatzyError
from yatzy.game import game as module
from yatzy.game.action import Keep, Score
from yatzy.game.dice import RecordedDice, SeededDice, thrown_from
from yatzy.game.game import Game, SavedGame, read_saved, write_saved
from yatzy.game.json import as_json
from yatzy.game.log import GameLog, TurnLog, parse_log, read_logs
from yatzy.measure.simulate import play_logs, play_on
from yatzy.policies.baselines import Random
from yatzy.policies.optimal import Optimal
from yatzy.rules import State, ruleset, scandinavian


@pytest.fixture
def game():
    """Two threes of the first throw are held."""
    return Game(seed=1).throw("1 3 3 5 6").hold("3 3").throw("3 2 4")


def test_the_examples_run():
    assert doctest.testmod(module).failed == 0


def test_dice_keep_their_places(game):
    assert game.dice == (3, 3, 3, 2, 4)
    assert (game.rerolls, game.state, game.turn, game.is_finished) == (1, State(), 1, False)
    brings = {score.category: score.points for score in game.scores}
    assert (brings["threes"], brings["yatzy"]) == (9, 0)
    assert str(game.situation) == "2 3 3 3 4 | 1 | - @ 0"


def test_a_game_does_not_change(game):
    with pytest.raises(dataclasses.FrozenInstanceError):
        game.rolls = ()
    held = game.hold("3 3 3")
    assert (game.holding, held.holding) == ((), (True, True, True, False, False))
    assert held.throw("1 1").undo() == game
    assert hash(game) == hash(held.throw("1 1").undo())


def test_the_log_has_held_dice_first(game):
    scored = game.score("threes")
    assert scored.log().turns == (TurnLog(((1, 3, 3, 5, 6), (3, 3, 3, 2, 4)), ((3, 3),), "threes"),)
    assert (scored.state, scored.dice, scored.rerolls) == (State(0b100, 9), (), 2)
    assert "threes" not in scored.open
    assert (scored.points, scored.total, scored.card["threes"]) == ((9,), 9, 9)


def test_equal_dice_do_not_confuse_the_log():
    """The second three is held, and the first one becomes a one."""
    second = (False, True, False, False, False)
    rolled = Game().with_throws([(3, 3, 1, 1, 1), (1, 3, 2, 4, 5)], [second])
    assert (rolled.dice, rolled.held) == ((1, 3, 2, 4, 5), (second,))
    assert rolled.score("chance").log().turns[0].rolls == ((3, 3, 1, 1, 1), (3, 1, 2, 4, 5))
    assert Game().throw("33111").hold("3").throw("1 2 4 5").dice == (3, 1, 2, 4, 5)


def test_undo_gives_back_the_game_before(game):
    assert game.score("threes").undo() == game
    assert game.undo().dice == (1, 3, 3, 5, 6)
    assert game.undo().undo() == Game(seed=1)
    with pytest.raises(YatzyError, match="undo: this is the start"):
        Game().undo()


def test_passing_takes_a_reroll_and_is_not_logged_before_a_score(game):
    passed = game.hold(game.dice).throw()
    assert (passed.dice, passed.rerolls) == (game.dice, 0)
    assert passed.score("threes").log() == game.score("threes").log()
    thrown = Game().throw((6,) * 5).hold((6,) * 5).throw("").hold("6666").throw("1")
    turn = TurnLog(((6,) * 5, (6,) * 5, (6, 6, 6, 6, 1)), ((6,) * 5, (6,) * 4), "sixes")
    assert thrown.score("sixes").log().turns[0] == turn


def test_actions_are_all_that_can_be_done(game):
    actions = game.actions
    assert len(actions) == len(set(actions)) == 15 + 4 * 2 * 2 - 1
    assert {Keep(), Keep((3, 3, 3)), Score("chance")} < set(actions)
    assert Keep((2, 3, 3, 3, 4)) not in actions
    assert game.push(Keep((3, 3, 3))).actions == game.push("keep 3 3 3").scores
    assert game.push("score threes") == game.score(Score("threes"))


@given(st.integers(0, 2**64 - 1), st.data())
def test_whatever_may_be_done_can_be_done(small_rules, seed, data):
    """Random actions to the end; the log says the same as the game did on its way."""
    game = Game(small_rules, seed)
    while not game.is_finished:
        game = game.push(data.draw(st.sampled_from(game.actions))) if game.dice else game.throw()
    assert (game.log().states[-1], game.log().points) == (game.state, game.points)
    assert GameLog(small_rules, game.log().turns).score == game.total == sum(game.points) + game.so_far.bonus
    assert Game.from_log(game.log()).total == game.total


def test_a_log_names_its_seed_while_all_dice_came_from_there():
    game = Game(seed=2**64 - 1).throw()
    assert game.score("chance").log().seed == 2**64 - 1
    assert game.undo().throw("11111").score("chance").log().seed is None
    on = Game.from_log(game.score("chance").log())
    assert on.throw().dice == game.score("chance").throw().dice
    assert Game(dice=SeededDice(scandinavian(), 3, 4)).throw().log().game == 4


def test_what_cannot_be_done_is_refused(game):
    with pytest.raises(YatzyError, match="category: 'threes' is already filled"):
        game.score("threes").throw("11111").score("threes")
    with pytest.raises(YatzyError, match="dice: nothing is thrown yet"):
        game.score("threes").score("fours")
    with pytest.raises(YatzyError, match="rerolls: none are left"):
        game.throw().throw()
    with pytest.raises(YatzyError, match="dice: '1 1' has 2 dice; allowed is exactly 3"):
        game.hold("33").throw("1 1")
    with pytest.raises(YatzyError, match="has a face outside 1"):
        game.throw("1 1 7 1 1")
    with pytest.raises(YatzyError, match="hold: '6' is not part of what lies there: 2 3 3 3 4"):
        game.hold("6")
    with pytest.raises(YatzyError, match="hold: '6' is not part of what lies there: nothing, before the first"):
        Game().hold("6")
    with pytest.raises(YatzyError, match="situation: there is none"):
        _ = Game().situation
    with pytest.raises(YatzyError, match="seed: -1 is not allowed"):
        Game(seed=-1)
    with pytest.raises(YatzyError, match="held: has to say of 5 dice"):
        Game().with_throws([(1, 1, 1, 1, 1), (1, 1, 1, 1, 1)], [])


def test_a_finished_game_throws_no_more(small_rules):
    finished = play_on(Game(small_rules, 1), Random(small_rules))
    assert (finished.is_finished, finished.actions, finished.open) == (True, (), ())
    with pytest.raises(YatzyError, match="the game is finished"):
        finished.throw((1, 1, 1))


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


def test_by_die_each_shows_the_same_to_everybody_who_throws_it():
    """The values are frozen: they are the days' games and challenges that people have played."""
    for one in json.loads(Path(__file__).with_name("dice.json").read_text()):
        rules = next(game for game in (ruleset("scandinavian"), ruleset("maxi")) if game.dice == one["dice"])
        source = SeededDice(rules, one["seed"], scheme="by-die")
        for held in itertools.product((False, True), repeat=rules.dice):
            thrown = thrown_from(source, one["turn"], one["throw"], held)
            assert thrown == tuple(itertools.compress(one["shows"], (not stays for stays in held)))
        first = (True,) * 2 + (False,) * (rules.dice - 2)
        thrown = thrown_from(replace(source, scheme=None), one["turn"], one["throw"], first)
        assert thrown == tuple(one["shows"][:-2])


def test_a_game_by_die_is_logged_so_that_its_dice_can_be_checked(small_table, tmp_path):
    rules = small_table.rules
    game = play_on(Game(rules, dice=SeededDice(rules, 5, scheme="by-die")), Random(rules))
    (log,) = read_logs(game.save(tmp_path / "game.json"), rules)
    assert (log.scheme, log.seed) == ("by-die", 5)
    for number, turn in enumerate(log.turns):
        known = [SeededDice(rules, 5).throw(number, throw, rules.dice) for throw in range(rules.rerolls + 1)]
        assert turn.rolls[0] == known[0]
        for before, roll, seeds in zip(turn.rolls, turn.rolls[1:], known[1:], strict=False):
            assert all(die in pair for die, pair in zip(roll, zip(before, seeds, strict=True), strict=True))
    again = play_on(Game(rules, dice=RecordedDice(log)), Optimal(small_table))
    own = play_on(Game(rules, dice=SeededDice(rules, 5, scheme="by-die")), Optimal(small_table))
    assert again.log().turns == own.log().turns
    first = log.turns[0].rolls[0]
    wrong = replace(log, seed=6)
    with pytest.raises(YatzyError, match=r"turns\[\d\]\.rolls\[\d\]: .* is not what the seed 6 throws"):
        RecordedDice(wrong)
    assert first == RecordedDice(log).throw(0, 0, rules.dice)
    told = as_json(log)
    del told["seed"]
    with pytest.raises(YatzyError, match=r"scheme: .* there is none"):
        parse_log(told, rules)


LOG = GameLog(scandinavian(), (TurnLog(((1, 3, 3, 5, 6), (3, 3, 2, 3, 4)), ((3, 3),), "threes"),))


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
    again = play_on(Game(rules, dice=RecordedDice(log)), Optimal(small_table))
    own = play_on(Game(rules, dice=SeededDice(rules, seed, number)), Optimal(small_table))
    assert again.log().turns == own.log().turns


def test_a_game_that_goes_on_with_other_dice_names_no_seed():
    """Its log said that all dice came from the second seed."""
    game = Game(scandinavian(), seed=1).throw().score("chance")
    assert game.with_dice(SeededDice(scandinavian(), 2)).throw().score("ones").log().seed is None
    assert game.log().seed == 1
    assert (
        Game(scandinavian(), seed=1).with_dice(SeededDice(scandinavian(), 2)).throw().score("ones").log().seed == 2
    )


def test_a_resumed_game_keeps_its_seed_when_a_throw_is_taken_back():
    """Throws put back from a file counted as dice from a real table, so `undo` lost the seed of the log."""
    played = Game(seed=7).throw().hold("6 6").throw()
    resumed = Game(seed=7).with_throws(played.rolls, played.held)
    assert (resumed, resumed.undo(), resumed.undo().undo()) == (played, played.undo(), Game(seed=7))
    assert resumed.undo().score("chance").log().seed == 7


def test_saved_throws_have_what_was_held():
    """A die that was held and then shows another face was silently given back its old one."""
    first, held = (3, 3, 1, 1, 1), (True, True, False, False, False)
    with pytest.raises(YatzyError, match=r"rolls\[1\]: '3 4 1 2 2' does not keep 3 3, which was held"):
        Game().with_throws([first, (3, 4, 1, 2, 2)], [held])


def test_the_log_has_what_was_wanted_at_the_first_warning(tmp_path):
    """Also after another warning, an undo, and in a game that goes on from a file."""
    game = Game(seed=7).throw().warned(Keep((1, 6))).warned(Score("ones")).hold("6 6").throw()
    saved = write_saved(SavedGame((game,)), tmp_path / "game.json")
    for one in (game, read_saved(saved).games[0]):
        scored = one.score("chance")
        assert scored.undo().score("sixes").log().turns[0].wanted == (Keep((1, 6)), None)
        assert scored.throw().score("twos").log().turns[1].wanted == ()
    with pytest.raises(YatzyError, match="keep: '5' is not part of"):
        Game(seed=7).throw().warned(Keep((5,)))


def test_passing_before_scoring_keeps_what_was_wanted():
    passed = Game(seed=7).throw().warned(Score("ones")).hold("1 2 3 6 6").throw().warned(Keep())
    assert passed.score("chance").log().turns[0].wanted == (Score("ones"),)
