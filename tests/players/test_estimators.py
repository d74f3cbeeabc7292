"""Estimators as policies: what they predict is what is played, whichever way they predict it."""

import sys

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import yatzy
from games import JOKERS, THREE_DICE
from yatzy import YatzyError, dataset, features, from_estimators
from yatzy.lab.training.data import DecisionRows
from yatzy.players.estimators import EstimatorPolicy
from yatzy.players.situations import Situations
from yatzy.players.tree import Trees
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import sample_states


@pytest.fixture(scope="module")
def data():
    return dataset(draws=3000, rules=THREE_DICE, seed=1)


@pytest.fixture(scope="module")
def trees(data):
    return {
        kind: DecisionTreeClassifier(min_samples_leaf=3).fit(rows.x, rows.action) for kind, rows in data.items()
    }


class Hidden:
    """An estimator without its tree."""

    def __init__(self, of, *methods):
        self.of, self.n_features_in_ = of, of.n_features_in_
        for method in methods:
            setattr(self, method, getattr(of, method))


def assert_same(one, other):
    where = sample_states(one.rules, 500)
    for mine, its in zip(one.decide(*where), other.decide(*where), strict=True):
        np.testing.assert_array_equal(mine, its)


def test_a_tree_plays_the_same_as_what_it_was_made_of(trees):
    ours = from_estimators(**trees, rules=THREE_DICE, name="mine")
    hidden = {kind: Hidden(tree, "predict_proba", "classes_") for kind, tree in trees.items()}
    theirs = from_estimators(**hidden, rules=THREE_DICE)
    assert isinstance(ours, Trees)
    assert isinstance(theirs, EstimatorPolicy)
    assert_same(ours, theirs)
    assert yatzy.evaluate(ours).mean == yatzy.evaluate(theirs).mean
    assert repr(ours) == "<policy 'mine' for three-dice>"


def test_perfect_values_are_perfect_play(data):
    """Numbers for every action, and actions alone, learned by heart from every situation."""
    table = yatzy.solve(THREE_DICE)
    states, n_rolls = sample_states(THREE_DICE, 10**6), len(THREE_DICE.rolls)
    filled, upper = (np.repeat(column, n_rolls) for column in states)
    rolls = np.tile(np.arange(n_rolls), len(states[0]))
    every = (Situations(THREE_DICE, left, filled, upper, rolls, np.ones(len(filled))) for left in range(3))
    whole = dict(zip(data, (DecisionRows(table, one) for one in every), strict=True))
    low = {kind: np.nan_to_num(rows.values, nan=-99.0) for kind, rows in whole.items()}
    by_value = {kind: DecisionTreeRegressor().fit(rows.x, low[kind]) for kind, rows in whole.items()}
    by_action = {
        kind: Hidden(DecisionTreeClassifier().fit(rows.x, rows.action), "predict") for kind, rows in whole.items()
    }
    for estimators in (by_value, by_action):
        player = from_estimators(**estimators, rules=THREE_DICE)
        assert yatzy.evaluate(player).mean == pytest.approx(table.value(), abs=1e-4)


def test_what_is_not_allowed_is_masked(trees):
    """A box that is filled falls to the open one with the most points."""

    class Stubborn:
        classes_ = np.array([0])

        def predict_proba(self, x):
            return np.ones((len(x), 1))

        def predict(self, x):
            return np.zeros(len(x), np.int64)

    for methods in (("predict_proba", "classes_"), ("predict",)):
        stubborn = Stubborn()
        stubborn.n_features_in_ = trees["category"].n_features_in_
        player = from_estimators(**trees | {"category": Hidden(stubborn, *methods)}, rules=THREE_DICE)
        found = yatzy.evaluate(player)
        assert found.fill_turn[0, 0] == 1


def test_names_of_columns_are_heeded(data, trees):
    """Trained on some columns of a frame, in any order."""
    names = ["rerolls", "sum", "count_3", "turn"]
    frames = {kind: rows.frame() for kind, rows in data.items()}
    fitted = {
        kind: DecisionTreeClassifier(max_depth=4).fit(
            frame[[n for n in names if n in frame.columns]], frame["action"]
        )
        for kind, frame in frames.items()
    }
    ours = from_estimators(**fitted, rules=THREE_DICE)
    hidden = {
        kind: Hidden(tree, "predict_proba", "classes_", "feature_names_in_") for kind, tree in fitted.items()
    }
    assert_same(ours, from_estimators(**hidden, rules=THREE_DICE))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"reroll2": None}, "reroll2: None has neither predict nor predict_proba"),
        ({"reroll3": object()}, "from_estimators: 'reroll3' is not a kind of decision in three-dice"),
        ({"category": "tree"}, "category: 'tree' has neither predict nor predict_proba"),
    ],
)
def test_wrong_estimators_are_a_sentence(trees, change, sentence):
    with pytest.raises(YatzyError, match=sentence):
        from_estimators(**trees | change, rules=THREE_DICE)


def test_wrong_features_and_predictions_are_a_sentence(data, trees):
    rows = data["category"]
    few = DecisionTreeClassifier().fit(rows.x[:, :5], rows.action)
    with pytest.raises(
        YatzyError, match="category: 5 is the number of features that it was trained on; allowed is"
    ):
        from_estimators(**trees | {"category": few}, rules=THREE_DICE)
    with pytest.raises(YatzyError, match="estimators are for games without jokers"):
        from_estimators(**trees, rules=JOKERS)
    points = DecisionTreeRegressor().fit(rows.x, rows.gap)
    player = from_estimators(**trees | {"category": points}, rules=THREE_DICE)
    with pytest.raises(YatzyError, match=r"with 0 rerolls left; allowed is an action, 0..3, as in yatzy.dataset"):
        yatzy.evaluate(player)


def test_a_data_set_is_what_play_comes_to(data):
    rows, table = data["reroll1"], yatzy.solve(THREE_DICE)
    assert rows.x.shape == (len(rows), len(rows.names))
    assert rows.weight.sum() == pytest.approx(THREE_DICE.n_categories)
    here = rows.situations
    for i in range(0, len(rows), len(rows) // 10):
        state = yatzy.State(int(here.filled[i]), int(here.upper[i]))
        situation = yatzy.Situation.at(THREE_DICE, int(here.roll_ids[i]), 1, state)
        np.testing.assert_array_equal(features(situation).x[0], rows.x[i])
        best = np.nanmax(rows.values[i])
        assert best == pytest.approx(table.advise(situation)[0].value, abs=1e-5)
        np.testing.assert_allclose(rows.regrets[i], best - rows.values[i])
        assert rows.regrets[i, rows.action[i]] == 0
    games = dataset(games=50, rules=THREE_DICE)["category"]
    assert (len(games), games.weight.sum()) == (50 * 4, pytest.approx(4))
    assert repr(data).startswith("<Dataset of 3,000 draws of each kind, optimal: category ")


def test_frames_have_values_and_regrets(data):
    frame = data["category"].frame(values=True, regrets=True)
    assert frame["regret_twos"].equals(frame["regret_twos"].abs())
    assert {"action", "gap", "weight", "value_twos"} < set(frame.columns)
    assert "value_twos" not in data["category"].frame().columns


def test_pandas_is_used_if_it_is_there(data, monkeypatch):
    class Pandas:
        DataFrame = dict

    monkeypatch.setitem(sys.modules, "pandas", Pandas)
    assert list(features("1 2 2 | 1 | - @ 0", THREE_DICE).to_pandas()) == list(data["reroll1"].names)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(YatzyError, match="pandas is not installed; install it with: pip install"):
        data["category"].to_pandas()


def test_games_and_draws_are_two_things():
    with pytest.raises(YatzyError, match="games: 5 are those of optimal play"):
        dataset(games=5, draws=7, rules=THREE_DICE)
    with pytest.raises(YatzyError, match="draws: 0 is not allowed"):
        dataset(draws=0, rules=THREE_DICE)
    assert dataset(Optimal(yatzy.solve(THREE_DICE)), draws=10)["category"].names[0] == "count_1"
