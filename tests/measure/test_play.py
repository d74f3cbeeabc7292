"""Games played by policies, one at a time: they are those of `simulate`."""

import pytest

from yatzy import YatzyError
from yatzy.context import Context
from yatzy.game.game import Game
from yatzy.measure.simulate import play_logs, play_on, simulate
from yatzy.policies.baselines import Greedy, Heuristic, Random
from yatzy.policies.optimal import PlaysFor
from yatzy.rules import scandinavian
from yatzy.solver.goal import reach
from yatzy.solver.goals import solve_goal


@pytest.mark.parametrize(("make", "first"), [(Heuristic, 0), (Greedy, 65_530), (Random, 65_530)])
def test_logs_are_the_games_that_simulate_plays(reduced_rules, make, first):
    """Same seed, same dice, same decisions: points box by box, across a change of stream too."""
    policy = make(reduced_rules)
    ids = {category.name.lower(): c for c, category in enumerate(reduced_rules.categories)}
    games = simulate(policy, 12, seed=5, first=first)
    for number, log in enumerate(play_logs(policy, 12, seed=5, first=first)):
        assert (log.score, log.seed, log.game) == (games.score[number], 5, first + number)
        for turn, (played, points) in enumerate(zip(log.turns, log.points, strict=True)):
            assert games.points[number, ids[played.category]] == points
            assert games.turn[number, ids[played.category]] == turn + 1


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


def test_play_that_sees_the_points_is_played_too(small_table):
    """`yatzy.Game.play` refused it."""
    goals = solve_goal(small_table.rules, reach(), context=Context(threads=1))
    policy = PlaysFor(goals, small_table, target=25)
    assert [log.score for log in play_logs(policy, 30, seed=2)] == simulate(policy, 30, seed=2).score.tolist()


def test_a_policy_plays_on_from_where_a_game_stands(reduced_rules):
    whole = play_on(Game(reduced_rules, 3), Heuristic(reduced_rules))
    begun = play_on(Game(reduced_rules, 3), Heuristic(reduced_rules), turns=1)
    assert (begun.turn, begun.points) == (2, whole.points[:1])
    assert play_on(begun.throw(), Heuristic(reduced_rules)).log() == whole.log()
    with pytest.raises(YatzyError, match="policy: 'heuristic' plays scandinavian; allowed is one for"):
        play_on(Game(reduced_rules), Heuristic(scandinavian()))
