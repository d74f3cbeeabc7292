"""Play for a goal: as good as its table says, on reduced games exactly."""

import numpy as np
import pytest

from games import JOKERS, LOWER_FIRST, THREE_DICE, TINY
from yatzy import YatzyError, solve
from yatzy.evaluate.duels import play_duels
from yatzy.evaluate.exact import evaluate
from yatzy.evaluate.simulate import simulate
from yatzy.evaluate.steps import mean_player
from yatzy.evaluate.with_points import evaluate_with_points
from yatzy.policy.duelist import Cards, Duelist, leads
from yatzy.policy.goals import PlaysFor
from yatzy.policy.optimal import Optimal
from yatzy.rules import State
from yatzy.solver.goal_rows import Opponent, duel, reach, utility
from yatzy.solver.goals import solve_goal
from yatzy.turn.outcomes import highest_score

GAMES = (THREE_DICE, JOKERS, LOWER_FIRST)


class Decided:
    """The same player by its decisions alone."""

    def __init__(self, player):
        self.player, self.name, self.rules = player, player.name, player.rules

    def decide_at(self, filled, upper, points):
        return self.player.decide_at(filled, upper, points)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_play_for_a_target_has_the_chance_that_its_table_says(game, share):
    target = int(share * highest_score(game))
    goals, table = solve_goal(game, reach(), precision="float64", threads=1), solve(game)
    player = PlaysFor(goals, table, target)
    played = evaluate_with_points(player, threads=1)
    assert played.distribution.at_least(target) == pytest.approx(goals.chance(target), abs=1e-9)
    assert played.distribution.weight == pytest.approx(1, abs=1e-9)
    assert played.cut < 1e-9
    best = evaluate(Optimal(table))
    assert played.distribution.mean <= best.mean + 1e-9
    assert goals.chance(target) >= best.distribution.at_least(target) - 1e-12
    again = evaluate_with_points(Decided(player), threads=1)
    np.testing.assert_allclose(again.distribution.pmf, played.distribution.pmf, atol=1e-14)
    games = simulate(player, 2000, seed=1)
    assert abs((games.score >= target).mean() - goals.chance(target)) < 5 * 0.5 / np.sqrt(2000)
    assert abs(games.bonus.mean() - played.bonus_rate) < 5 * 0.5 / np.sqrt(2000)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_target_that_is_safe_is_played_for_the_mean(game):
    goals, table = solve_goal(game, reach(), precision="float64", threads=1), solve(game)
    played = evaluate_with_points(PlaysFor(goals, table, 0), threads=1)
    assert played.distribution.mean == pytest.approx(table.value(), abs=1e-9)


def test_play_for_a_worth_gets_it():
    worths = np.sqrt(np.arange(highest_score(THREE_DICE) + 1))
    goals = solve_goal(THREE_DICE, utility(worths), precision="float64", threads=1)
    played = evaluate_with_points(PlaysFor(goals, solve(THREE_DICE)), threads=1)
    pmf = played.distribution.pmf
    assert pmf @ worths[: len(pmf)] == pytest.approx(goals.value(State(), 0), abs=1e-9)


def test_what_cannot_be_played_is_refused():
    table = solve(TINY)
    with pytest.raises(YatzyError, match=r"^target: 10000 is not allowed"):
        PlaysFor(solve_goal(TINY, reach()), table, 10_000)
    with pytest.raises(YatzyError, match=r"^table: is for three-dice"):
        PlaysFor(solve_goal(TINY, reach()), solve(THREE_DICE), 3)
    for goals in (solve_goal(TINY, reach(), State(1, 0)), solve_goal(TINY, utility([3, 2, 1]))):
        with pytest.raises(YatzyError, match=r"^goal: to be played"):
            PlaysFor(goals, table)
    with pytest.raises(YatzyError, match=r"^goal: to win a duel"):
        Duelist(solve_goal(TINY, reach()))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("moves_first", [True, False])
def test_who_plays_to_win_wins_more(game, moves_first):
    table = solve(game)
    duelist = Duelist(solve_goal(game, duel(mean_player(table, moves_first=not moves_first)), threads=1))
    to_win = play_duels(duelist, table, 3000, seed=5, moves_first=moves_first, threads=1)
    for_mean = play_duels(Optimal(table), table, 3000, seed=5, moves_first=moves_first, threads=1)
    assert (to_win.other == for_mean.other).all()
    assert to_win.win_rate > for_mean.win_rate - 2 * to_win.standard_error
    assert for_mean.mean > to_win.mean - 1
    again = play_duels(duelist, table, 1000, seed=5, moves_first=moves_first, threads=2, start=500)
    assert (again.mine == to_win.mine[500:1500]).all()
    assert (again.other == to_win.other[500:1500]).all()
    told = to_win.to_json()
    assert told["win_rate"] == pytest.approx(
        (to_win.mine > to_win.other).mean() + (to_win.mine == to_win.other).mean() / 2
    )


def test_leads_are_those_of_his_next_turn():
    """Between them they expect what is expected now, and his last turn is known exactly."""
    table = solve(THREE_DICE)
    other = Opponent(table, mean_player(table).steps)
    rng = np.random.default_rng(2)
    for filled, upper in ((0, 0), (1, 3), (14, 6), (15, 6)):
        cards = Cards(*(np.full(5, number) for number in (filled, upper, 7)))
        points = rng.integers(0, 30, 5)
        y, chance = leads(other, points, cards)
        assert chance.sum(axis=1) == pytest.approx(np.ones(5))
        mean = y + chance @ np.arange(chance.shape[1])
        assert mean == pytest.approx(points - 7 - table.value(filled, upper))
