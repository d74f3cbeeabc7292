"""The outlook: equal to a brute-force twin from every state, and to the exact evaluation from the start."""

import numpy as np
import pytest

from games import TWO_BOXES
from naive_policies import NaivePolicy
from yatzy import YatzyError, solve
from yatzy.coach.outlook import outlook
from yatzy.context import Context
from yatzy.game.aim import check_points, possible_points
from yatzy.measure.exact import evaluate, points_to_come
from yatzy.policies.baselines import Heuristic, Random
from yatzy.policies.optimal import Optimal
from yatzy.rules import State, scandinavian


def assert_all_states(policy):
    """Every state that can occur, with the fewest and the most points that can stand on its card."""
    twin = NaivePolicy(policy)
    space = Optimal(solve(policy.rules)).table.space
    for filled, upper in np.argwhere(space.reachable).tolist():
        state = State(filled, upper)
        ends = twin.rest(filled, upper)
        for points in {min(possible_points(policy.rules, state)), max(possible_points(policy.rules, state))}:
            found = outlook(policy, state, points, threads=1)
            pmf = np.zeros_like(found.distribution.pmf)
            for (to_come, _), prob in ends.items():
                pmf[points + to_come] += prob
            np.testing.assert_allclose(found.distribution.pmf, pmf, rtol=0, atol=1e-14)
            assert found.bonus_rate == pytest.approx(twin.bonus_chance(filled, upper), abs=1e-14)


def test_every_state_of_a_reduced_game(reduced_table):
    assert_all_states(Optimal(reduced_table))


@pytest.mark.parametrize("make", [Heuristic, Random])
def test_any_policy_has_an_outlook(make):
    assert_all_states(make(TWO_BOXES))


@pytest.mark.parametrize("theta", [-0.3, 0.4])
def test_other_thetas(theta):
    assert_all_states(Optimal(solve(TWO_BOXES, theta)))


def test_from_the_start_it_is_the_evaluation(reduced_table):
    policy = Optimal(reduced_table)
    found, exact = outlook(policy, State(), 0), evaluate(policy)
    np.testing.assert_allclose(found.distribution.pmf, exact.distribution.pmf, rtol=0, atol=1e-14)
    assert found.bonus_rate == pytest.approx(exact.bonus_rate, abs=1e-14)


@pytest.mark.compiled
def test_the_whole_game_is_the_evaluation(policy_of, evaluation_of):
    """For another theta; for theta 0 and Scandinavian Yatzy the server is asked, in test_api."""
    player = "optimal", 0.05, "yacht"
    found, exact = outlook(policy_of(*player), State(), 0), evaluation_of(*player)
    np.testing.assert_allclose(found.distribution.pmf, exact.distribution.pmf, rtol=0, atol=1e-14)


@pytest.mark.compiled
def test_the_mean_is_points_so_far_plus_the_value(table):
    """In the middle of a game, with a lost, an open and a sure bonus."""
    for filled, upper in [(0b000_0011_1011_0101, 20), (0b110_0000_0011_1111, 63), (0b011_1111_1101_1111, 2)]:
        state = State(filled, upper)
        points = max(possible_points(table.rules, state))
        found = outlook(Optimal(table), state, points).distribution
        assert found.weight == pytest.approx(1, abs=1e-12)
        assert found.mean == pytest.approx(points + table.value(filled, upper), abs=1e-9)


@pytest.mark.compiled
def test_threads_do_not_matter(table):
    state = State(0b000_0011_1011_0101, 20)
    one, two = (points_to_come(Optimal(table), state, Context(threads=threads)) for threads in (1, 2))
    assert (one[0] == two[0]).all()
    assert one[1] == two[1]


def test_possible_points_are_the_sums_of_the_boxes():
    rules = scandinavian()
    assert possible_points(rules, State()) == {0}
    assert possible_points(rules, State(0b1, 3)) == {3}
    pair = {0, 2, 4, 6, 8, 10, 12}
    assert possible_points(rules, State(0b100_0001, 3)) == {3 + p for p in pair}
    full = possible_points(rules, State(0b11_1111, 63))
    assert full == set(range(63, 106))


@pytest.mark.parametrize(
    ("state", "points", "sentence"),
    [
        (State(0b100_0001, 3), 4, "points: 4 cannot occur with filled 'ones,one pair' and upper 3; nearest are"),
        (State(0b100_0001, 3), 2, "points: 2 cannot occur"),
        (State(0b100_0001, 3), 17, "points: 17 cannot occur"),
        (State(0b100_0001, 3), True, "points: True cannot occur"),
        (State(0b100_0001, 3), 3.0, "points: 3.0 cannot occur"),
        (State(0b1, 6), 6, "upper: 6 cannot occur with filled 'ones'"),
        (State(0b1, 64), 64, "upper: 64 is outside"),
        (State(1 << 15, 0), 0, "filled: 32768 is outside"),
    ],
)
def test_points_that_cannot_be(state, points, sentence):
    with pytest.raises(YatzyError, match=sentence):
        check_points(scandinavian(), state, points)
