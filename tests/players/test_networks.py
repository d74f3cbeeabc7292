"""Networks: compiled inference against plain NumPy, training that learns, files."""

from itertools import pairwise

import numpy as np
import pytest

from samples import block_of, some_states
from yatzy import YatzyError
from yatzy.context import Context, one_blas_thread
from yatzy.lab.training import networks as training
from yatzy.lab.training.data import DecisionFiles, read_decisions, write_dataset
from yatzy.lab.training.networks import allowed_actions, fit_network
from yatzy.lab.training.train import train_into
from yatzy.players.columns import Columns, mask_tables, plain_columns
from yatzy.players.model import NetworkRecipe, load_model, save_model
from yatzy.players.network import Network, Networks, canonical_masks
from yatzy.policies.policy import Validated


def random_networks(rules, hidden, seed):
    rng = np.random.default_rng(seed)
    columns = plain_columns(rules, rerolls=False)
    networks = []
    for left in range(rules.rerolls + 1):
        widths = [len(columns), *hidden, 1 << rules.dice if left else rules.n_categories]
        shapes = list(pairwise(widths))
        weights = tuple(rng.standard_normal(shape).astype(np.float32) for shape in shapes)
        networks.append(Network(weights, tuple(rng.standard_normal(n).astype(np.float32) for n in widths[1:])))
    return Networks("some", rules, columns, tuple(networks))


def naive_scores(network, rows):
    """In float64."""
    h = rows.astype(np.float64)
    for k, (weights, biases) in enumerate(zip(*network, strict=True)):
        h = h @ weights + biases
        if k + 1 < len(network.weights):
            h = np.maximum(h, 0)
    return h


@pytest.mark.parametrize("hidden", [(5,), (8, 4), (6, 5, 4)])
def test_the_best_allowed_action_is_played(small_rules, hidden):
    player = random_networks(small_rules, hidden, seed=1)
    filled, upper = some_states(small_rules, 30, seed=2)
    decisions = Validated(player).decide(filled, upper)
    keep_of_mask = mask_tables(small_rules).keep_of_mask
    for left, network in enumerate(player.networks):
        block = block_of(Columns(small_rules, player.columns), filled, upper, left)
        scores = naive_scores(network, block)
        if left:
            allowed = np.broadcast_to(canonical_masks(small_rules), scores.shape)
        else:
            is_open = ~(filled[:, None] >> np.arange(small_rules.n_categories)) & 1
            allowed = np.broadcast_to(is_open[:, None, :] > 0, scores.shape)
        scores = np.where(allowed, scores, -np.inf)
        best = scores.argmax(axis=2)
        clear = np.diff(np.sort(scores, axis=2)[:, :, -2:])[:, :, 0] > 1e-3
        if left:
            found, wanted = (
                decisions.keep[:, left - 1],
                np.take_along_axis(keep_of_mask[None], best[:, :, None], 2),
            )
            assert np.array_equal(found[clear], wanted[:, :, 0][clear])
        else:
            assert np.array_equal(decisions.category[clear], best[clear])
        assert clear.mean() > 0.95


def test_answers_do_not_depend_on_what_is_asked_beside(small_rules):
    player = random_networks(small_rules, (8, 4), seed=3)
    filled, upper = some_states(small_rules, 20, seed=4)
    together = player.decide(filled, upper)
    for i in (0, 7, 19):
        alone = player.decide(filled[i : i + 1], upper[i : i + 1])
        assert np.array_equal(alone.category[0], together.category[i])
        assert np.array_equal(alone.keep[0], together.keep[i])


def test_a_saved_model_decides_the_same(small_rules, tmp_path):
    player = random_networks(small_rules, (8, 4), seed=5)
    again = load_model(save_model(player, tmp_path / "n.safetensors"), small_rules)
    filled, upper = some_states(small_rules, 40, seed=6)
    assert (again.kind, again.parameters, again.columns) == ("networks", player.parameters, player.columns)
    for one, other in zip(player.decide(filled, upper), again.decide(filled, upper), strict=True):
        assert np.array_equal(one, other)


def test_every_weight_and_bias_is_a_parameter(small_rules):
    player = random_networks(small_rules, (8, 4), seed=5)
    n = len(player.columns)
    assert player.parameters == 3 * (n * 8 + 8 + 8 * 4 + 4) + 4 * (4 + 8 + 8) + 4 + 8 + 8


def test_layers_that_do_not_fit_are_refused(small_rules):
    player = random_networks(small_rules, (8,), seed=5)
    with pytest.raises(YatzyError, match="shapes"):
        Networks("bad", small_rules, player.columns[1:], player.networks)


def test_allowed_actions_are_read_from_the_rows(small_rules):
    columns = plain_columns(small_rules, rerolls=False)
    filled, upper = some_states(small_rules, 30, seed=7)
    rolls = np.random.default_rng(8).integers(len(small_rules.rolls), size=30)
    rows = Columns(small_rules, columns).rows(filled, upper, rolls).astype(np.float32)
    is_open = ~(filled[:, None] >> np.arange(small_rules.n_categories)) & 1
    assert np.array_equal(allowed_actions(small_rules, columns, rows, 0), is_open > 0)
    assert np.array_equal(allowed_actions(small_rules, columns, rows, 1), canonical_masks(small_rules)[rolls])


def test_training_learns_the_best_category(small_table, tmp_path):
    """Nearly all of the gap-weighted decisions, from a few passes; the same seed gives the same network."""
    rules = small_table.rules
    columns = plain_columns(rules, rerolls=False)
    files = write_dataset(small_table, DecisionFiles(tmp_path), games=1000, seed=1)
    rows, labels = read_decisions(files["category"], columns)
    allowed = allowed_actions(rules, columns, rows, 0)
    with one_blas_thread():
        network = fit_network(rows, labels, allowed, (32,), seed=1, epochs=200)
        one, other = (fit_network(rows, labels, allowed, (32,), seed=1, epochs=5) for _ in range(2))
    scores = np.where(allowed, naive_scores(network, rows), -np.inf)
    assert np.average(scores.argmax(axis=1) == labels.action, weights=labels.gap) > 0.95
    assert all(np.array_equal(a, b) for a, b in zip(one.weights, other.weights, strict=True))


def test_trained_networks_are_found_again(small_table, tmp_path, monkeypatch):
    recipes = [NetworkRecipe(hidden, epochs=1, games=100, seed=1) for hidden in ((4,), (4, 3))]
    first = train_into(tmp_path / "out", recipes, small_table, Context(tmp_path))
    assert list(first) == ["network-4", "network-4-3"]
    monkeypatch.setattr(training, "fit_network", None)
    assert train_into(tmp_path / "out", recipes, small_table, Context(tmp_path)) == first


@pytest.mark.compiled
def test_networks_of_the_full_game_are_legal(rules):
    player = random_networks(rules, (16,), seed=9)
    Validated(player).decide(*some_states(rules, 50, seed=10))
