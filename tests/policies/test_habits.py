"""Play by habit against its definition; where no habit is left, it is softened play."""

import numpy as np
import pytest

from games import FIVE_FACES, JOKERS, LOWER_FIRST
from naive_habits import PlayedSoftly, Seen, boltzmann
from yatzy import YatzyError, solve
from yatzy.measure.exact import evaluate, visit
from yatzy.policies.habits import Habits, Habitual, Softened, discounted
from yatzy.policies.policy import Stochastic
from yatzy.solver.lookahead import tables_by_depth


def by_habit(rules, habits):
    return Habitual(
        discounted(tables_by_depth(rules, [habits.depth], habits.theta)[habits.depth], habits.gamma), habits.beta
    )


HABITS = [
    Habits(theta=0.0, beta=0.7, gamma=0.6, depth=1),
    Habits(theta=0.05, beta=1.5, gamma=0.8, depth=2),
    Habits(theta=-0.05, beta=0.4, gamma=1.0, depth=0),
]


@pytest.mark.parametrize("habits", HABITS, ids=lambda habits: f"theta {habits.theta:g}")
@pytest.mark.parametrize("rules", [LOWER_FIRST, FIVE_FACES], ids=lambda rules: rules.name)
def test_it_is_what_its_definition_says(rules, habits):
    player = by_habit(rules, habits)
    assert isinstance(player, Stochastic)
    seen = Seen(rules, habits.depth, habits.theta, habits.gamma)
    played = PlayedSoftly(rules, boltzmann(1 / habits.beta), seen)
    found = visit(player)
    assert found.mean == pytest.approx(float(played.value()), abs=1e-9)
    visits = np.zeros_like(found.visits)
    for state, prob in played.visits.items():
        visits[state] = prob
    assert found.visits == pytest.approx(visits, abs=1e-12)
    assert evaluate(player).mean == pytest.approx(found.mean, abs=1e-9)


def test_without_habits_it_is_softened_play(small_table):
    """To the bit: theta 0, gamma 1 and full depth."""
    states = np.argwhere(small_table.space.reachable[:-1]).T
    habitual, softened = Habitual(discounted(small_table, 1.0), 0.5), Softened(small_table, 2.0)
    assert np.array_equal(habitual.situation_masses(*states), softened.situation_masses(*states))
    assert visit(habitual).mean == visit(softened).mean


def test_surely_the_best_is_optimal_play(small_rules):
    """As beta grows, play at risk becomes the optimal play of its theta."""
    table = solve(small_rules, theta=0.05)
    from yatzy.policies.optimal import Optimal

    assert visit(Habitual(table, 5000.0)).mean == pytest.approx(visit(Optimal(table)).mean, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"beta": 0.0}, "beta: 0.0 is not allowed"),
        ({"beta": float("inf")}, "beta: inf is not allowed"),
        ({"gamma": 1.1}, "gamma: 1.1 is not allowed; allowed is 0..1"),
        ({"depth": 4}, "depth: 4 is not allowed; allowed is 0..3"),
        ({"theta": float("nan")}, "theta: nan is not a finite number"),
    ],
)
def test_habits_that_mean_nothing_are_refused(small_rules, change, sentence):
    habits = Habits(**{"theta": 0.0, "beta": 1.0, "gamma": 1.0, "depth": 3} | change)
    with pytest.raises(YatzyError, match=sentence):
        habits.check(small_rules)


def test_other_games_than_plain_ones_are_refused():
    with pytest.raises(YatzyError, match="play by habit is"):
        Habitual(solve(JOKERS), 1.0)
