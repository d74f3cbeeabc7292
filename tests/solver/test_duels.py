"""Duels: the solver against a slow twin of its model, the steps against a twin of perfect play."""

from fractions import Fraction

import numpy as np
import pytest

from games import JOKERS, LOWER_FIRST, SAVING, THREE_DICE, TINY, TINY_BONUS, TWO_BOXES
from naive import after_scoring, score_of
from naive_goals import GoalExpectimax
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.measure.duels import play_duels
from yatzy.measure.exact import evaluate, points_to_come
from yatzy.measure.opponent_model import cut, mean_opponent, moments
from yatzy.policies.duel import Duelist
from yatzy.policies.optimal import Optimal
from yatzy.rules import State
from yatzy.solver.goal import OpponentModel, Round, duel, reach
from yatzy.solver.goals import solve_goal
from yatzy.solver.states import state_space
from yatzy.solver.store import stored_goal


def rounds_of(*steps):
    """Rounds whose steps depend on nothing: from (lowest, chances)."""
    return tuple(Round(np.ones(1), lowest, np.array(chances)[None, None]) for lowest, chances in steps)


STEPS = rounds_of((-2, [0.25, 0.0, 0.5, 0.25]), (0, [1.0]), (-1, [0.5, 0.0, 0.5]))
# Two clusters after the first round, three after the second, one at the end.
CLUSTERS = (
    Round(np.ones(1), -1, np.array([[[0.25, 0.0, 0.25], [0.0, 0.5, 0.0]]])),
    Round(np.array([0.5, 0.5]), -2, np.array([
        [[0.25, 0.0, 0.0, 0.0, 0.25], [0.0, 0.0, 0.5, 0.0, 0.0], [0.0] * 5],
        [[0.0] * 5, [0.0, 0.5, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.5, 0.0]],
    ])),
    Round(np.array([0.25, 0.5, 0.25]), -3, np.array([
        [[0.0, 0.0, 0.5, 0.0, 0.5, 0.0, 0.0]],
        [[0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]],
        [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]],
    ])),
)  # fmt: skip


def opponent(table, rounds, moves_first=True):
    return OpponentModel(table, rounds, np.zeros(table.stored.shape, np.uint8), moves_first)


class DuelTwin(GoalExpectimax):
    """The model of a duel by definition: the other's expectation moves by a random step between two turns.

    What the twin calls points is (lead, cluster of his card).
    """

    def __init__(self, rules, rounds, moves_first):
        super().__init__(rules, lambda y: Fraction(y > 0) + Fraction(y == 0) / 2)
        self.rounds, self.moves_first = rounds, moves_first

    def state(self, filled, upper, points):
        if filled != self.rules.all_filled:
            return super().state(filled, upper, points)
        return self.worth(points[0] + (self.rules.bonus if upper >= self.rules.bonus_threshold else 0))

    def category(self, filled, upper, points, roll, category_id):
        """After my turn the other moves, if he has a turn left before my next one."""
        scored = score_of(self.rules, category_id, roll)
        then = after_scoring(self.rules, filled, upper, category_id, scored)
        lead, cluster = points
        return self.after_step(then[0].bit_count() + self.moves_first, *then, (lead + scored, cluster))

    def after_step(self, number, filled, upper, points):
        if number > len(self.rounds):
            return self.state(filled, upper, points)
        (lead, cluster), now = points, self.rounds[number - 1]
        chances = [
            (now.lowest + i, then, Fraction(float(q))) for (then, i), q in np.ndenumerate(now.chance[cluster])
        ]
        return sum((q * self.state(filled, upper, (lead - d, then)) for d, then, q in chances if q), Fraction(0))

    def promise(self, even):
        """Before the first turn of either; between two leads, what lies between their chances."""
        below = int(np.floor(even))
        low, high = (
            float(self.after_step(1, 0, 0, (y, 0)) if self.moves_first else self.state(0, 0, (y, 0)))
            for y in (below, below + 1)
        )
        return low + (even - below) * (high - low)


@pytest.mark.parametrize(
    ("rules", "moves_first", "rounds"),
    [
        pytest.param(TINY_BONUS, True, STEPS, id="bonus-first-steps"),
        pytest.param(TWO_BOXES, False, STEPS, id="two-boxes-second-steps"),
        pytest.param(TINY_BONUS, True, CLUSTERS, id="bonus-first-clusters"),
        pytest.param(TINY_BONUS, False, CLUSTERS, id="bonus-second-clusters"),
        pytest.param(TWO_BOXES, True, CLUSTERS, id="two-boxes-first-clusters"),
    ],
)
def test_the_model_is_that_of_the_twin(rules, moves_first, rounds):
    if rules is TWO_BOXES:
        rounds = (rounds[0], rounds[1]._replace(chance=rounds[1].chance.sum(axis=1, keepdims=True)))
    other = opponent(solve(rules), rounds, moves_first)
    table = solve_goal(rules, duel(other), precision="float64", context=Context(threads=1))
    twin = DuelTwin(rules, rounds, moves_first)
    space = state_space(rules)
    for filled, upper in np.argwhere(space.reachable).tolist():
        for cluster in range(other.n_clusters(filled.bit_count())):
            for y in range(-36, 37, 9):
                expected = float(twin.state(filled, upper, (y, cluster)))
                assert table.value(State(filled, upper), y, cluster) == pytest.approx(expected, abs=1e-12)
    assert table.promise == pytest.approx(twin.promise(-other.table.value()), abs=1e-12)


@pytest.mark.parametrize("rules", [THREE_DICE, JOKERS, LOWER_FIRST], ids=lambda rules: rules.name)
@pytest.mark.parametrize("n_clusters", [{}, {1: 3, 2: 2}, {1: 64, 2: 64, 3: 64}], ids=["one", "few", "many"])
def test_steps_are_those_of_perfect_play(rules, n_clusters):
    """No step on average in any cluster; variances add up to that of the final score, but for rounding."""
    table = solve(rules)
    other = mean_opponent(table, context=Context(threads=1), n_clusters=n_clusters)
    assert len(other.rounds) == rules.n_categories
    weights = np.ones(1)
    for now in other.rounds:
        assert now.weights == pytest.approx(weights, abs=1e-12)
        assert now.chance.sum(axis=(1, 2)) == pytest.approx(np.ones(len(weights)), abs=1e-12)
        assert now.chance.sum(axis=1) @ now.points == pytest.approx(np.zeros(len(weights)), abs=1e-9)
        weights = weights @ now.chance.sum(axis=2)
    total, exact = sum(now.variance for now in other.rounds), evaluate(Optimal(table)).sd ** 2
    # Splitting a step between whole numbers adds at most a quarter to its variance.
    assert exact - 1e-9 <= total <= exact + 0.25 * rules.n_categories
    assert total > exact


def test_moments_are_those_of_what_is_to_come():
    """Second, third and fourth moment of the final score around its mean, from the exact distribution."""
    table = solve(LOWER_FIRST)
    later = np.zeros((3, *table.stored.shape))
    for sets in table.space.layers[-2::-1]:
        index, upper = np.nonzero(table.space.reachable[sets])
        later[:, sets[index], upper] = moments(table, later, sets[index], upper, 1)
    for state in (State(), State(2, 8), State(7, 8)):
        to_come, _ = points_to_come(Optimal(table), state)
        away = np.arange(len(to_come)) - table.value(state.filled, state.upper)
        for k in (2, 3, 4):
            assert later[k - 2, state.filled, state.upper] == pytest.approx(to_come @ away**k, rel=1e-9)


def test_kinds_are_cut_where_they_spread_most():
    places = np.array([[0.0, 0.0], [0.0, 1.0], [10.0, 0.0], [10.0, 5.0], [10.0, 5.0]])
    assert cut(places, np.ones(5), 1).tolist() == [0] * 5
    assert cut(places, np.ones(5), 2).tolist() == [0, 0, 1, 1, 1]
    assert cut(places, np.ones(5), 3).tolist() == [0, 0, 1, 2, 2]
    # The last two are the same: nothing is left to tell apart.
    assert cut(places, np.ones(5), 9).tolist() == [0, 3, 1, 2, 2]
    # Where hardly anybody comes, little is to be told apart.
    assert cut(places, np.array([1, 1, 1e-9, 1e-9, 1e-9]), 2).tolist() == [0, 1, 0, 1, 1]


@pytest.mark.compiled
def test_more_kinds_make_stronger_play():
    """With every card a cluster of its own the model is the game: its promise is kept."""
    table = solve(LOWER_FIRST)
    rates = []
    for n_clusters in ({}, {1: 255, 2: 255, 3: 255, 4: 255}):
        goals = solve_goal(
            LOWER_FIRST, duel(mean_opponent(table, n_clusters=n_clusters)), context=Context(threads=1)
        )
        duels = play_duels(Duelist(goals), table, range(40_000), seed=2, context=Context(threads=1))
        rates.append(duels.win_rate)
        if n_clusters:
            assert abs(duels.win_rate - goals.promise) < 4 * duels.standard_error
    assert rates[1] > rates[0]


def test_more_points_are_never_worse_and_moving_second_is_no_worse():
    table = solve(THREE_DICE)
    second, first = (
        solve_goal(
            THREE_DICE, duel(mean_opponent(table, order, n_clusters={1: 3, 2: 2})), context=Context(threads=1)
        )
        for order in (True, False)
    )
    for state in (State(), State(1, 2), State(5, 4)):
        row = second.row_values(state, -60, 90)
        assert (np.diff(row) >= -1e-6).all()
        assert row[0] >= 0
        assert row[-1] <= 1 + 1e-6
    assert second.promise >= first.promise - 1e-6
    assert second.promise > 0.5


def test_threads_and_files_change_nothing(tmp_path):
    goal = duel(mean_opponent(solve(LOWER_FIRST), n_clusters={1: 3, 2: 2}))
    one, two = (solve_goal(LOWER_FIRST, goal, context=Context(threads=n)) for n in (1, 2))
    np.testing.assert_array_equal(one.values, two.values)
    stored_goal(LOWER_FIRST, goal, Context(tmp_path))
    told = []
    again = stored_goal(LOWER_FIRST, goal, Context(tmp_path, notice=told.append))
    assert told == []
    np.testing.assert_array_equal(again.values, one.values)
    other = duel(opponent(solve(LOWER_FIRST), rounds_of((0, [0.5, 0.5]), *[(0, [1.0])] * 3)))
    stored_goal(LOWER_FIRST, other, Context(tmp_path, notice=told.append))
    assert "was solved for something else" in told[0]


def test_what_is_no_duel_is_refused():
    with pytest.raises(YatzyError, match="save no throws"):
        mean_opponent(solve(SAVING))
    for rules, rounds in ((THREE_DICE, STEPS), (TINY, STEPS[:2])):
        with pytest.raises(YatzyError, match="the opponent of this duel does not play"):
            solve_goal(rules, duel(opponent(solve(TINY), rounds)))
    with pytest.raises(YatzyError, match=r"^goal: a chance belongs to the goal reach"):
        solve_goal(TINY, duel(opponent(solve(TINY), STEPS))).chance(3)
    assert solve_goal(TINY, reach()).promise == pytest.approx(1.0)
