"""Duels: the solver against a slow twin of its model, the steps against a twin of perfect play."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from games import JOKERS, LOWER_FIRST, SAVING, THREE_DICE, TINY, TWO_BOXES
from naive import after_scoring, score_of
from naive_goals import GoalExpectimax
from yatzy import YatzyError, solve
from yatzy.evaluate.exact import evaluate
from yatzy.evaluate.steps import mean_player
from yatzy.policy.optimal import Optimal
from yatzy.rules import State
from yatzy.solver.goal_rows import Opponent, Step, duel, reach
from yatzy.solver.goal_store import stored_goal
from yatzy.solver.goals import solve_goal
from yatzy.solver.states import state_space

BONUS = replace(TINY, name="tiny-bonus", bonus_threshold=4, bonus=10)
STEPS = (Step(-2, np.array([0.25, 0.0, 0.5, 0.25])), Step(0, np.array([1.0])), Step(-1, np.array([0.5, 0.0, 0.5])))


class DuelTwin(GoalExpectimax):
    """The model of a duel by definition: the other's expectation moves by a random step between two turns."""

    def __init__(self, rules, steps, moves_first):
        super().__init__(rules, lambda y: Fraction(y > 0) + Fraction(y == 0) / 2)
        self.steps, self.moves_first = steps, moves_first

    def category(self, filled, upper, points, roll, category_id):
        """After my turn the other moves, if he has a turn left before my next one."""
        scored = score_of(self.rules, category_id, roll)
        then = after_scoring(self.rules, filled, upper, category_id, scored)
        return self.after_step(then[0].bit_count() + self.moves_first, *then, points + scored)

    def after_step(self, number, filled, upper, points):
        if number > len(self.steps):
            return self.state(filled, upper, points)
        step = self.steps[number - 1]
        chances = [(step.lowest + i, Fraction(float(q))) for i, q in enumerate(step.chance) if q]
        return sum((q * self.state(filled, upper, points - d) for d, q in chances), Fraction(0))

    def promise(self, even):
        """Before the first turn of either; between two leads, what lies between their chances."""
        below = int(np.floor(even))
        low, high = (
            float(self.after_step(1, 0, 0, y) if self.moves_first else self.state(0, 0, y))
            for y in (below, below + 1)
        )
        return low + (even - below) * (high - low)


@pytest.mark.parametrize("rules", [TINY, BONUS, TWO_BOXES], ids=lambda rules: rules.name)
@pytest.mark.parametrize("moves_first", [True, False])
def test_the_model_is_that_of_the_twin(rules, moves_first):
    steps = STEPS[: rules.n_categories]
    other = Opponent(solve(rules), steps, moves_first)
    table = solve_goal(rules, duel(other), precision="float64", threads=1)
    twin = DuelTwin(rules, steps, moves_first)
    space = state_space(rules)
    for filled, upper in np.argwhere(space.reachable).tolist():
        for y in range(-40, 41, 5):
            expected = float(twin.state(filled, upper, y))
            assert table.value(State(filled, upper), y) == pytest.approx(expected, abs=1e-12)
    assert table.promise == pytest.approx(twin.promise(-other.table.value()), abs=1e-12)


@pytest.mark.parametrize("rules", [THREE_DICE, JOKERS, LOWER_FIRST], ids=lambda rules: rules.name)
def test_steps_are_those_of_perfect_play(rules):
    """No step on average; and their variances add up to that of the final score, but for their rounding."""
    table = solve(rules)
    other = mean_player(table, threads=1)
    assert len(other.steps) == rules.n_categories
    for step in other.steps:
        assert step.chance.sum() == pytest.approx(1, abs=1e-12)
        assert step.chance @ (step.lowest + np.arange(len(step.chance))) == pytest.approx(0, abs=1e-9)
    total, exact = sum(step.variance for step in other.steps), evaluate(Optimal(table)).sd ** 2
    # Splitting a step between whole numbers adds at most a quarter to its variance.
    assert exact - 1e-9 <= total <= exact + 0.25 * rules.n_categories
    assert total > exact


def test_more_points_are_never_worse_and_moving_second_is_no_worse():
    table = solve(THREE_DICE)
    second, first = (solve_goal(THREE_DICE, duel(mean_player(table, order)), threads=1) for order in (True, False))
    for state in (State(), State(1, 2), State(5, 4)):
        row = second.row_values(state, -60, 90)
        assert (np.diff(row) >= -1e-6).all()
        assert row[0] >= 0
        assert row[-1] <= 1 + 1e-6
    assert second.promise >= first.promise - 1e-6
    assert second.promise > 0.5


def test_threads_and_files_change_nothing(tmp_path):
    goal = duel(mean_player(solve(LOWER_FIRST)))
    one, two = (solve_goal(LOWER_FIRST, goal, threads=n) for n in (1, 2))
    np.testing.assert_array_equal(one.values, two.values)
    stored_goal(LOWER_FIRST, goal, tmp_path)
    told = []
    again = stored_goal(LOWER_FIRST, goal, tmp_path, notice=told.append)
    assert told == []
    np.testing.assert_array_equal(again.values, one.values)
    other = duel(Opponent(solve(LOWER_FIRST), mean_player(solve(LOWER_FIRST)).steps[::-1]))
    stored_goal(LOWER_FIRST, other, tmp_path, notice=told.append)
    assert "was solved for something else" in told[0]


def test_what_is_no_duel_is_refused():
    with pytest.raises(YatzyError, match="save no throws"):
        mean_player(solve(SAVING))
    for rules, steps in ((THREE_DICE, STEPS), (TINY, STEPS[:2])):
        with pytest.raises(YatzyError, match="the opponent of this duel does not play"):
            solve_goal(rules, duel(Opponent(solve(TINY), steps)))
    with pytest.raises(YatzyError, match=r"^goal: a chance belongs to the goal reach"):
        solve_goal(TINY, duel(Opponent(solve(TINY), STEPS))).chance(3)
    assert solve_goal(TINY, reach()).promise == pytest.approx(1.0)
