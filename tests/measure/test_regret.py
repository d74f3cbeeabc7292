"""Regret of each decision, against a naive twin in exact fractions."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from games import FIVE_FACES, LOWER_FIRST, THREE_DICE
from naive_policies import NaivePolicy
from yatzy import ValueTable, YatzyError
from yatzy.arrays import FloatArray
from yatzy.measure.exact import evaluate
from yatzy.measure.regret import expected_regret, turn_regrets
from yatzy.policies.baselines import Heuristic, Random
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Policy
from yatzy.rules import Ruleset
from yatzy.solver.solve import solve

TWIN_GAMES = (
    replace(THREE_DICE, name="three-dice-one-reroll", rerolls=1),
    replace(LOWER_FIRST, name="lower-first-one-throw", rerolls=0),
    LOWER_FIRST,
)


def turn_regret(twin: NaivePolicy, filled: int, upper: int) -> FloatArray:
    """(rerolls + 1, n_categories), as `turn_regrets` has it."""
    lost = np.zeros((twin.rules.rerolls + 1, len(twin.rules.categories)))
    for left, roll, prob, regret in twin.decisions(filled, upper):
        for c, share in twin.ends_in(filled, upper, roll, left).items():
            lost[left, c] += float(prob * regret * share)
    return lost


@pytest.mark.parametrize("rules", TWIN_GAMES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("make", [Heuristic, Random])
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_regret_is_as_defined(rules: Ruleset, make: Callable[[Ruleset], Policy]) -> None:
    policy, table = make(rules), solve(rules)
    twin = NaivePolicy(policy)
    states = [state for state in twin.visits if state[0] != rules.all_filled]
    filled, upper = np.array(states).T
    found = turn_regrets(policy, table.values, filled, upper, threads=2)
    assert (found >= 0).all()
    np.testing.assert_allclose(found, [turn_regret(twin, *state) for state in states], rtol=0, atol=1e-12)
    lost = expected_regret(policy, table, evaluate(policy).visits)
    assert lost.total == pytest.approx(table.value() - float(twin.value()), abs=1e-11)
    assert lost.by_state.sum() == pytest.approx(lost.total, abs=1e-12)
    for parts in (lost.by_turn, lost.by_decision, lost.by_category):
        assert parts.sum() == pytest.approx(lost.total, abs=1e-12)


def test_optimal_play_regrets_nothing(small_table: ValueTable) -> None:
    policy = Optimal(small_table)
    assert expected_regret(policy, small_table, evaluate(policy).visits).total == pytest.approx(0, abs=1e-12)


def test_regret_needs_a_table_in_points_for_the_same_rules(small_rules: Ruleset) -> None:
    policy = Heuristic(small_rules)
    visits = evaluate(policy).visits
    with pytest.raises(YatzyError, match=r"theta: .* not for 0\.1"):
        expected_regret(policy, solve(small_rules, theta=0.1), visits)
    with pytest.raises(YatzyError, match="table: is for rules"):
        expected_regret(policy, solve(FIVE_FACES), visits)
