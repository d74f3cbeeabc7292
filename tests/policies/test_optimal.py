"""Optimal play and play for a goal: as good as their tables say, on reduced games exactly."""

import numpy as np
import pytest

import naive
from games import JOKERS, LOWER_FIRST, THREE_DICE, TINY
from yatzy import Ruleset, YatzyError, solve
from yatzy.context import Context
from yatzy.measure.exact import evaluate, evaluate_with_points
from yatzy.measure.opponent_model import mean_opponent
from yatzy.measure.simulate import simulate
from yatzy.policies.duel import Duelist
from yatzy.policies.optimal import Optimal, PlaysFor
from yatzy.rules import Category, State, scoring
from yatzy.solver.goal import duel, reach, utility
from yatzy.solver.goals import solve_goal
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import highest_score

GAMES = (THREE_DICE, JOKERS, LOWER_FIRST)


class Decided:
    """The same player by its decisions alone."""

    def __init__(self, player):
        self.player, self.name, self.rules = player, player.name, player.rules

    def decide_at(self, filled, upper, points):
        return self.player.decide_at(filled, upper, points)


@pytest.mark.parametrize(
    ("game", "share"),
    [(THREE_DICE, 0.5), (JOKERS, 0.3), (LOWER_FIRST, 0.3), (LOWER_FIRST, 0.8)],
    ids=lambda one: getattr(one, "name", one),
)
def test_play_for_a_target_has_the_chance_that_its_table_says(game, share):
    target = int(share * highest_score(game))
    goals, table = solve_goal(game, reach(), precision="float64", context=Context(threads=1)), solve(game)
    player = PlaysFor(goals, table, target)
    played = evaluate_with_points(player, Context(threads=1))
    assert played.distribution.at_least(target) == pytest.approx(goals.chance(target), abs=1e-9)
    assert played.distribution.weight == pytest.approx(1, abs=1e-9)
    assert played.cut < 1e-9
    best = evaluate(Optimal(table))
    assert played.distribution.mean <= best.mean + 1e-9
    assert goals.chance(target) >= best.distribution.at_least(target) - 1e-12
    again = evaluate_with_points(Decided(player), Context(threads=1))
    np.testing.assert_allclose(again.distribution.pmf, played.distribution.pmf, atol=1e-14)
    games = simulate(player, 1000, seed=1)
    assert abs((games.score >= target).mean() - goals.chance(target)) < 5 * 0.5 / np.sqrt(1000)
    assert abs(games.bonus.mean() - played.bonus_rate) < 5 * 0.5 / np.sqrt(1000)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_target_that_is_safe_is_played_for_the_mean(game):
    goals, table = solve_goal(game, reach(), precision="float64", context=Context(threads=1)), solve(game)
    played = evaluate_with_points(PlaysFor(goals, table, 0), Context(threads=1))
    assert played.distribution.mean == pytest.approx(table.value(), abs=1e-9)


def test_play_for_a_worth_gets_it():
    worths = np.sqrt(np.arange(highest_score(THREE_DICE) + 1))
    goals = solve_goal(THREE_DICE, utility(worths), precision="float64", context=Context(threads=1))
    played = evaluate_with_points(PlaysFor(goals, solve(THREE_DICE)), Context(threads=1))
    pmf = played.distribution.pmf
    assert pmf @ worths[: len(pmf)] == pytest.approx(goals.value(State(), 0), abs=1e-9)


def test_what_cannot_be_played_is_refused():
    table = solve(TINY)
    with pytest.raises(YatzyError, match=r"^target: 10000 is not allowed"):
        PlaysFor(solve_goal(TINY, reach()), table, 10_000)
    with pytest.raises(YatzyError, match=r"^table: is for three-dice"):
        PlaysFor(solve_goal(TINY, reach()), solve(THREE_DICE), 3)
    goals = solve_goal(TINY, reach())
    for wrong, target, sentence in (
        (solve_goal(TINY, reach(), State(1, 0)), 3, "goal: to be played it must be solved from the start"),
        (solve_goal(TINY, utility([3, 2, 1])), None, "goal: utility cannot be played"),
        (solve_goal(TINY, utility([1, 2, 3])), 3, "target: is for the goal reach"),
        (solve_goal(TINY, duel(mean_opponent(table))), None, "goal: a duel is played with both cards in view"),
        (goals, None, "target: the goal reach needs one"),
    ):
        with pytest.raises(YatzyError, match=f"^{sentence}"):
            PlaysFor(wrong, table, target)
    with pytest.raises(YatzyError, match=r"^goal: to win a duel"):
        Duelist(solve_goal(TINY, reach()))


def coins():
    """Dice of two faces: every value is a short binary fraction, so that equal is equal in floating point too."""
    return Ruleset(
        "coins", dice=3, faces=2, rerolls=2, bonus_threshold=5, bonus=3,
        categories=(
            Category("Ones", scoring.of_face(1), upper=True),
            Category("Pair", scoring.pairs(1)),
            Category("Twos", scoring.of_face(2), upper=True),
            Category("Two", scoring.of_a_kind(2)),
        ),
    )  # fmt: skip


def test_ties_go_to_the_lowest_id():
    """Pair and Two score the same, and there is more than one way to throw dice that no longer matter."""
    rules = coins()
    exact, policy, dice = naive.Expectimax(rules), Optimal(solve(rules)), lattice(rules.dice, rules.faces)
    ties = 0
    for filled, upper in sorted(naive.reachable_states(rules)):
        open_ids = naive.open_categories(rules, filled)
        if not open_ids:
            continue
        decisions = policy.decide(np.array([filled]), np.array([upper]))
        for roll_id, roll in enumerate(rules.rolls):
            worths = {c: exact.category(filled, upper, roll, c) for c in open_ids}
            tied = [c for c, worth in worths.items() if worth == max(worths.values())]
            assert decisions.category[0, roll_id] == min(tied)
            ties += len(tied) > 1
            for rerolls in (1, 2):
                worths = {
                    dice.id_of(kept): exact.keep(filled, upper, kept, rerolls - 1)
                    for kept in naive.sub_multisets(roll)
                }
                tied = [k for k, worth in worths.items() if worth == max(worths.values())]
                assert decisions.keep[0, rerolls - 1, roll_id] == min(tied)
                ties += len(tied) > 1
    assert ties > 100


@pytest.mark.parametrize("theta", [0.0, 0.3, -0.3])
def test_optimal_play_is_worth_what_the_solver_says(small_rules, theta):
    """Every decision of the policy attains the value: the certainty equivalent of its scores is the table's."""
    table = solve(small_rules, theta)
    pmf = evaluate(Optimal(table)).distribution.pmf
    scores = np.arange(len(pmf))
    worth = np.log(pmf @ np.exp(theta * scores)) / theta if theta else pmf @ scores
    assert worth == pytest.approx(table.value(), abs=1e-9)
