"""The coach on games with jokers, a forced order and saved throws: all that holds for plain games."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import IN_ORDER, SPECIAL_GAMES
from games import TOLD_JOKERS as JOKERS
from games import TOLD_SAVING as SAVING
from samples import assert_same_as_advise
from yatzy import ValueTable, YatzyError, solve
from yatzy.coach.advice import Coach
from yatzy.coach.outlook import BonusChances, outlook
from yatzy.coach.review import card_policy, review
from yatzy.game.aim import check_points, possible_points
from yatzy.game.game import Game
from yatzy.game.json import as_json
from yatzy.game.log import GameLog, TurnLog, parse_log, rerolls_of
from yatzy.game.situation import Situation
from yatzy.measure.exact import evaluate, policy_values
from yatzy.measure.simulate import play_logs, simulate
from yatzy.players.library import charted_games
from yatzy.policies.baselines import Random
from yatzy.policies.optimal import Optimal
from yatzy.rules import GAMES, Ruleset, State, parse_state, ruleset, with_saved
from yatzy.turn.lattice import lattice


@pytest.fixture(scope="module", params=SPECIAL_GAMES, ids=lambda rules: rules.name)
def special_table(request: pytest.FixtureRequest) -> ValueTable:
    return solve(request.param)


def some_situations(rules: Ruleset, table: ValueTable, step: int):
    """Every few of all situations, saved throws included."""
    space = table.space
    everything = (
        (int(space.masks[row]), upper, roll, left)
        for row, upper in np.argwhere(space.reachable).tolist()
        if not rules.is_finished(int(space.masks[row]))
        for roll in rules.rolls
        for left in range(rerolls_of(rules, State(int(space.masks[row]))) + 1)
    )
    return islice(everything, 0, None, step)


@pytest.mark.parametrize("theta", [0.0, -0.2])
def test_values_are_those_of_the_library_to_the_last_bit(special_table, theta):
    rules = special_table.rules
    table = solve(rules, theta) if theta else special_table
    coach = Coach(table, BonusChances(table))
    for situation in some_situations(rules, table, 83):
        assert_same_as_advise(coach, *situation)


def test_details_add_up(special_table):
    """Averaged over the first throw, the chance of the bonus after the best action is that of the state."""
    coach = Coach(special_table, BonusChances(special_table))
    rules, chances = special_table.rules, BonusChances(special_table).from_mask(0)
    for row, upper in np.argwhere(special_table.space.reachable).tolist()[::7]:
        state = State(int(special_table.space.masks[row]), upper)
        if rules.is_finished(state.filled):
            continue
        left, total = rerolls_of(rules, state), 0.0
        for roll_id, roll in enumerate(rules.rolls):
            best = coach.advise(Situation.of(rules, roll, left, state))[0]
            assert sum(end.prob for end in best.outcomes) == pytest.approx(1, abs=1e-12)
            assert 0 <= best.improve_chance <= 1 + 1e-12
            total += lattice(rules.dice, rules.faces).prob_roll[roll_id] * best.bonus_chance
        assert total == pytest.approx(chances[row, upper], abs=1e-12)


def test_the_chances_are_the_mean_of_a_bonus(special_table):
    policy = Optimal(special_table)
    chance = BonusChances(special_table).from_mask(0)[special_table.space.row(0), 0]
    assert chance == pytest.approx(evaluate(policy).bonus_rate, abs=1e-12)


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.integers(0, 3))
def test_start_luck_and_loss_add_up_to_the_score(special_table, seed, turns):
    log = next(play_logs(Random(special_table.rules), 1, seed))
    for played in (log, GameLog(log.rules, log.turns[:turns])):
        found = review(played, special_table)
        total = found.start_value + found.luck - found.lost
        assert total == pytest.approx(played.score + found.value_left, abs=1e-9)


def test_perfect_play_loses_nothing_and_replays_as_itself(special_table):
    for log in play_logs(Optimal(special_table), 10, seed=2):
        found = review(log, special_table)
        assert found.lost == pytest.approx(0, abs=1e-9)
        assert found.replay.log.turns == log.turns


def test_logs_are_the_games_that_simulate_plays(special_table):
    for policy in (Random(special_table.rules), Optimal(special_table)):
        games = simulate(policy, 10, seed=5)
        for number, log in enumerate(play_logs(policy, 10, seed=5)):
            assert (log.score, sum(log.extras)) == (games.score[number], games.extra[number])
            assert parse_log(as_json(log), log.rules) == log


def test_the_outlook_is_the_evaluation_and_its_points_can_be(special_table):
    rules, policy = special_table.rules, Optimal(special_table)
    np.testing.assert_allclose(
        outlook(policy, State(), 0).distribution.pmf, evaluate(policy).distribution.pmf, rtol=0, atol=1e-13
    )
    values = policy_values(policy)
    for log in play_logs(Random(rules), 2, seed=1):
        points = 0
        for state, more in zip(log.states, (*log.points, 0), strict=True):
            check_points(rules, state, points)
            found = outlook(policy, state, points, threads=1).distribution
            value = values[special_table.space.row(state.filled), state.upper]
            assert found.mean == pytest.approx(points + value, abs=1e-9)
            points += more


def test_extra_points_need_their_flag():
    assert max(possible_points(JOKERS, parse_state(JOKERS, "ones,alike* @ 3"))) == 25
    assert max(possible_points(JOKERS, parse_state(JOKERS, "ones,alike @ 3"))) == 3
    assert min(possible_points(JOKERS, parse_state(JOKERS, "alike* @ 0"))) == 12


def test_a_joker_is_forced_and_pays():
    game = Game(JOKERS).throw((2, 2, 2)).score("alike").throw((3, 3, 3))
    assert game.is_joker
    assert [(score.category, score.points, score.extra) for score in game.scores] == [("threes", 19, 10)]
    assert game.open == ("threes",)
    with pytest.raises(
        YatzyError, match="category: 'run' may not be filled now, because 3 3 3 is a joker; allowed is"
    ):
        game.score("run")
    done = game.score("threes").log()
    assert (done.points, done.extras, done.score) == ((12, 19), (0, 10), 31)
    assert not game.undo().throw("332").is_joker


def test_boxes_in_order():
    game = Game(IN_ORDER).throw((1, 1, 2))
    assert game.open == ("ones",)
    with pytest.raises(YatzyError, match="boxes are filled from top to bottom; allowed is ones"):
        game.score("twos")
    document = as_json(GameLog(IN_ORDER, (TurnLog(((1, 1, 2),), (), "ones"),)))
    document["turns"][0]["category"] = "twos"
    with pytest.raises(YatzyError, match=r"turns\[0\].category: 'twos' may not be filled now"):
        parse_log(document, IN_ORDER)


def test_throws_that_are_not_used_are_there_later():
    game = Game(SAVING).throw((3, 3, 3)).score("three of a kind")
    assert game.state == State(with_saved(SAVING, 0b100, 2))
    assert game.rerolls == 4
    for _ in range(5):
        game = game.throw((1, 2, 3))
    log = game.score("chance").log()
    assert len(log.turns[1].rolls) == 5
    assert log.states[-1].saved(SAVING) == 0
    assert parse_log(as_json(log), SAVING) == log
    document = as_json(log)
    document["turns"][1]["rolls"].append([1, 2, 3])
    document["turns"][1]["keeps"].append([])
    with pytest.raises(YatzyError, match=r"turns\[1\].rolls: has 6 entries; allowed is 1..5"):
        parse_log(document, SAVING)


def test_passing_costs_a_throw_that_could_be_saved():
    game = Game(SAVING).throw((3, 3, 3)).hold((3, 3, 3)).throw("").score("three of a kind")
    assert game.state.saved(SAVING) == 1
    found = review(game.log(), solve(SAVING))
    assert found.start_value + found.luck - found.lost == pytest.approx(game.total + found.value_left, abs=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_reviews_know_the_chart_of_games_that_have_one(name):
    assert (card_policy(ruleset(name)) is not None) == (name in charted_games())


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["yahtzee", "kniffel", "yacht", "scandinavian+forced-order"])
def test_full_size_games(name):
    """Advice to the last bit, and reviews that add up."""
    table = solve(name)
    coach = Coach(table)
    logs = [*play_logs(Random(table.rules), 6, seed=1), *play_logs(Optimal(table), 6, seed=1)]
    for log in logs:
        found = review(log, table)
        assert found.start_value + found.luck - found.lost == pytest.approx(log.score, abs=1e-9)
        for decision in found.decisions[::9]:
            here = decision.situation
            assert_same_as_advise(coach, here.state.filled, here.state.upper, here.dice, here.rerolls)
        assert parse_log(as_json(log)) == log


@pytest.mark.compiled
def test_a_joker_in_yahtzee():
    rules = ruleset("yahtzee")
    joker = Game(rules).throw("44444").score("yahtzee").throw("66612").score("sixes").throw("66666")
    straight = next(score for score in joker.scores if score.category == "large straight")
    assert joker.is_joker
    assert (straight.points, straight.extra) == (140, 100)
    assert "ones" not in joker.open
    action = next(one for one in Coach(solve(rules)).advise(joker.situation) if one.category)
    assert action.extra == 100
    assert as_json(action)["extra"] == 100
