"""Opponents of a strength against their definition, played out throw by throw; and drawn, game by game."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from games import FREE_JOKERS, IN_ORDER, JOKERS, LOWER_FIRST, REDUCED_GAMES, SAVING
from naive_habits import PlayedWithin, assert_played_so, limited
from yatzy import Context, Game, GameLog, YatzyError, play_on, review, simulate, solve
from yatzy.measure.exact import evaluate, visit
from yatzy.measure.simulate import play_logs
from yatzy.policies.opponents import (
    LARGEST_SPREAD,
    LEAST,
    LEVELS,
    SHARPNESS,
    Opponent,
    action_chances,
    chance_of,
    limit_of,
)
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Stochastic
from yatzy.policies.registry import find_policy
from yatzy.rules import format_dice


@pytest.mark.parametrize("limit", [0.3, 2.0, 20.0])
@pytest.mark.parametrize(
    "rules", [*REDUCED_GAMES[::2], JOKERS, FREE_JOKERS, IN_ORDER], ids=lambda rules: rules.name
)
def test_it_is_what_its_definition_says(rules, limit):
    opponent = Opponent(solve(rules), limit)
    assert isinstance(opponent, Stochastic)
    assert_played_so(opponent, PlayedWithin(rules, limited(limit, SHARPNESS)))
    assert evaluate(opponent).mean == pytest.approx(visit(opponent).mean, abs=1e-9)


@pytest.mark.parametrize("rules", [LOWER_FIRST, JOKERS], ids=lambda rules: rules.name)
def test_where_weights_would_vanish_rolls_are_weighed_one_by_one(rules):
    table = solve(rules)
    all_alike = format_dice((rules.faces,) * rules.dice)
    best = table.advise(all_alike, rerolls=0)[0].value
    worst = table.advise("1" * rules.dice, rerolls=0)[-1].value
    limit = SHARPNESS * (best - worst) / (1.5 * LARGEST_SPREAD)
    opponent = Opponent(table, max(limit, LEAST))
    assert SHARPNESS * (best - worst) > LARGEST_SPREAD * opponent.limit
    assert_played_so(opponent, PlayedWithin(rules, limited(opponent.limit, SHARPNESS)))


@pytest.mark.parametrize("limit", list(LEVELS.values()))
def test_no_move_loses_more_than_the_limit(small_table, limit):
    """And those that lose all of it are the rarest."""
    behind = np.linspace(0, 2 * limit, 9)
    chances = action_chances(behind, limit)
    assert chances.sum() == pytest.approx(1)
    assert (chances[behind > limit] == 0).all()
    assert chances[4] == pytest.approx(chances[0] * math.exp(-SHARPNESS))
    lost = [
        decision.regret
        for log in play_logs(Opponent(small_table, limit), 100, seed=5)
        for decision in review(log, small_table).decisions
    ]
    assert max(lost) <= limit + 1e-9
    assert sum(lost) > 0


def test_the_golden_file_is_what_the_library_says():
    """The page is held to it as well: web/tests/play/opponents.test.ts."""
    golden = json.loads((Path(__file__).parent / "opponents.json").read_text())
    assert {one["limit"] for one in golden} > set(LEVELS.values())
    for one in golden:
        assert one["chances"] == pytest.approx(action_chances(np.array(one["behind"]), one["limit"]), abs=1e-12)


def test_the_mean_of_games_that_are_drawn_is_the_exact_mean(small_table):
    opponent = Opponent(small_table, 4.0)
    exact = evaluate(opponent)
    scores = np.array([log.score for log in play_logs(opponent, 3000, seed=8)])
    assert abs(scores.mean() - exact.mean) < 4 * exact.sd / math.sqrt(len(scores))
    assert scores.std() == pytest.approx(exact.sd, rel=0.1)


def test_a_seeded_game_is_always_the_same_and_may_be_played_turn_by_turn(small_table):
    opponent = Opponent(small_table, 4.0)
    whole = play_on(Game(small_table.rules, seed=3), opponent)
    game = Game(small_table.rules, seed=3)
    while not game.is_finished:
        game = play_on(Game.from_log(game.log()), opponent, turns=1)
    assert game.log() == whole.log()
    others = {play_on(Game(small_table.rules, seed=seed), opponent).log().turns for seed in range(20)}
    assert len(others) > 10


def test_the_number_that_decides_is_the_same_everywhere(small_rules):
    game = Game.from_log(next(play_logs(find_policy("greedy", small_rules), 1, seed=7, first=1)))
    game = Game.from_log(GameLog(small_rules, game.so_far.turns[:2], seed=7, game=1))
    assert chance_of(game.throw().throw()) == pytest.approx(0.5671881102531238, abs=1e-12)


def test_a_larger_limit_is_worse_and_the_smallest_nearly_perfect(small_table):
    means = [visit(Opponent(small_table, limit)).mean for limit in (0.1, 1.0, 3.0, 10.0, 50.0)]
    assert means == sorted(means, reverse=True)
    assert means[0] == pytest.approx(visit(Optimal(small_table)).mean, abs=0.05)


def test_levels_have_names_and_so_have_limits(small_rules, tmp_path):
    context = Context(tmp_path)
    for name, limit in LEVELS.items():
        found = find_policy(name, small_rules, context=context)
        assert (found.name, found.limit) == (name, limit)
    assert find_policy("limit-3", small_rules, context=context).name == "limit-3"
    assert [limit_of(name) for name in ("level-6", "limit-", "limit-x", "optimal")] == [None] * 4
    with pytest.raises(YatzyError, match=r"limit: 0.01 is not allowed; allowed is 0.05..50 points"):
        find_policy("limit-0.01", small_rules, context=context)


def test_what_cannot_be_is_refused(small_rules, small_table):
    with pytest.raises(YatzyError, match="policy: level-5 draws its moves: yatzy evaluate has its exact mean"):
        simulate(Opponent(small_table, LEVELS["level-5"]), games=10)
    with pytest.raises(YatzyError, match="games without saved throws, not for saving"):
        Opponent(solve(SAVING), 1.0)
    for table in (solve(small_rules, precision="float32"), solve(small_rules, theta=0.05)):
        with pytest.raises(YatzyError, match="table: is not for the mean in float64"):
            Opponent(table, 1.0)


def test_threads_do_not_matter(small_table):
    one, two = (visit(Opponent(small_table, 2.0), threads) for threads in (1, 2))
    assert np.array_equal(one.visits, two.visits)
