"""Situations: exact weights against played games and sums, draws against weights, labels against play."""

import numpy as np
import pytest

from yatzy import YatzyError
from yatzy.lab.training.data import label_situations
from yatzy.measure.exact import evaluate, visit
from yatzy.players.columns import plain_columns
from yatzy.players.situations import all_situations, exact_situations
from yatzy.policies.baselines import Heuristic
from yatzy.policies.optimal import Optimal
from yatzy.turn.lattice import lattice


@pytest.fixture(params=["optimal", "heuristic"])
def small_policy(request, small_table):
    return Optimal(small_table) if request.param == "optimal" else Heuristic(small_table.rules)


def test_exact_weights_are_those_of_played_games(small_policy):
    """They sum to the number of turns for each kind of decision, and to the visits of each state."""
    found = evaluate(small_policy)
    rules = small_policy.rules
    total = np.zeros(rules.rerolls + 1)
    for block in all_situations(small_policy, found.visits):
        by_state = block.weight.sum(axis=2)
        visits = found.visits[block.filled, block.upper]
        assert by_state == pytest.approx(np.repeat(visits[:, None], rules.rerolls + 1, axis=1), abs=1e-12)
        total += by_state.sum(axis=0)
        if 0 in block.filled:
            start = block.weight[block.filled.tolist().index(0)]
            assert start[rules.rerolls] == pytest.approx(lattice(rules.dice, rules.faces).prob_roll)
    assert total == pytest.approx(np.full(rules.rerolls + 1, rules.n_categories))


@pytest.mark.parametrize("rerolls", [0, 1, 2])
def test_draws_follow_the_exact_weights(small_policy, rerolls):
    """Systematic sampling: every situation gets its expected number of draws, rounded up or down."""
    found = evaluate(small_policy)
    n = 3000
    drawn = exact_situations(small_policy, found.visits, rerolls, n, seed=4)
    step = small_policy.rules.n_categories / n
    assert drawn.weight.sum() == pytest.approx(small_policy.rules.n_categories)
    got = {
        (f, u, r): w for f, u, r, w in zip(drawn.filled, drawn.upper, drawn.roll_ids, drawn.weight, strict=True)
    }
    for block in all_situations(small_policy, found.visits):
        for i, (f, u) in enumerate(zip(block.filled, block.upper, strict=True)):
            for roll, weight in enumerate(block.weight[i, rerolls]):
                assert abs(got.pop((f, u, roll), 0.0) - weight) < step + 1e-9
    assert not got


def test_draws_can_be_labelled_and_described(small_table):
    policy = Optimal(small_table)
    drawn = exact_situations(policy, evaluate(policy).visits, 2, 200, seed=1)
    labels = label_situations(small_table, drawn.filled, drawn.upper, drawn.roll_ids, 2, values=True)
    decisions = policy.decide(drawn.filled, drawn.upper)
    assert np.array_equal(labels.keep, decisions.keep[np.arange(len(drawn)), 1, drawn.roll_ids])
    assert drawn.columns().shape == (len(drawn), len(plain_columns(small_table.rules, rerolls=True)))
    assert drawn.frame().columns == ["filled", "upper", "roll", "weight"]
    best = labels.values[np.arange(len(drawn)), labels.action]
    assert best == pytest.approx(labels.values.max(axis=1))


@pytest.mark.compiled
def test_labels_are_the_decisions_of_optimal_play(table):
    policy, rng = Optimal(table), np.random.default_rng(6)
    states = np.argwhere(table.space.reachable[:-1])
    filled, upper = states[rng.integers(len(states), size=4000)].T
    rolls = rng.integers(252, size=4000)
    decisions = policy.decide(filled, upper)
    every = np.arange(4000)
    for rerolls in range(3):
        labels = label_situations(table, filled, upper, rolls, rerolls)
        wanted = decisions.keep[every, rerolls - 1, rolls] if rerolls else decisions.category[every, rolls]
        assert np.array_equal(labels.keep if rerolls else labels.action, wanted)


@pytest.mark.parametrize(("n", "rerolls"), [(0, 0), (10, 3), (10, -1)])
def test_impossible_draws_are_refused(small_table, n, rerolls):
    policy = Optimal(small_table)
    with pytest.raises(YatzyError, match="n, rerolls: "):
        exact_situations(policy, visit(policy).visits, rerolls, n)
