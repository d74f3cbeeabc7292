"""Trees: the compiled walk against scikit-learn and against a naive one, files, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from samples import block_of, some_states
from yatzy import YatzyError
from yatzy.context import Context
from yatzy.lab.training import trees
from yatzy.lab.training.data import DecisionFiles, decision_names, read_decisions, write_dataset
from yatzy.lab.training.train import train, train_into
from yatzy.lab.training.trees import cut_tree, fit_tree, grown_of
from yatzy.players.columns import Columns, mask_tables, plain_columns
from yatzy.players.model import ImitationTreeRecipe, load_model, save_model
from yatzy.players.moves import Par
from yatzy.players.tree import Tree, Trees, depth_of
from yatzy.policies.policy import Validated
from yatzy.solver.states import state_space

DEPTHS = (1, 3, 6, 0)


def naive_answer(tree, row, allowed):
    """Walk one row down one tree; the first allowed action, or None."""
    node = 0 if tree.n_splits else -1
    while node >= 0:
        node = (tree.left if row[tree.feature[node]] <= tree.threshold[node] else tree.right)[node]
    leaf = -1 - node
    ranked = tree.ranking[tree.ranking_start[leaf] : tree.ranking_start[leaf + 1]]
    return next((action for action in ranked if allowed(action)), None)


def most_points(rules, filled, roll):
    """The open category with the most points, of equals the last; if none has any, the first open one."""
    open_ids = [c for c in range(rules.n_categories) if not filled >> c & 1]
    most = max(rules.scores[roll][c] for c in open_ids)
    return max(c for c in open_ids if rules.scores[roll][c] == most) if most else open_ids[0]


def assert_decides_as_walked(player, filled, upper):
    rules = player.rules
    decisions = Validated(player).decide(filled, upper)
    keep_of_mask = mask_tables(rules).keep_of_mask
    for left in range(rules.rerolls + 1):
        tree = player.trees[player.tree_of_rerolls[left]]
        block = block_of(Columns(rules, player.columns), filled, upper, left)
        for i, rows in enumerate(block):
            for roll, row in enumerate(rows):
                if left:
                    action = naive_answer(tree, row, lambda action: True)
                    assert decisions.keep[i, left - 1, roll] == keep_of_mask[roll, action]
                else:
                    action = naive_answer(tree, row, lambda action, i=i: not filled[i] >> action & 1)
                    if action is None:
                        action = most_points(rules, int(filled[i]), roll)
                    assert decisions.category[i, roll] == action


@pytest.fixture(scope="module")
def fits(request, small_table, tmp_path_factory):
    """Fitted classifiers of the reduced game, by rerolls left, with the rows they saw."""
    files = write_dataset(small_table, DecisionFiles(tmp_path_factory.mktemp("data")), games=400, seed=1)
    columns = plain_columns(small_table.rules, rerolls=False)
    data = [read_decisions(files[name], columns) for name in decision_names(small_table.rules)]
    return [(fit_tree(*one), one[0]) for one in data]


@pytest.fixture(scope="module", params=DEPTHS)
def player(request, fits, small_rules):
    cut = [cut_tree(grown_of(fit), request.param) for fit, _ in fits]
    return Trees("small", small_rules, plain_columns(small_rules, rerolls=False), tuple(cut), (0, 1, 2))


def test_all_levels_of_a_tree_predict_what_scikit_learn_predicts(fits):
    for fit, rows in fits:
        tree = cut_tree(grown_of(fit))
        assert depth_of(tree) == fit.get_depth()
        assert tree.n_leaves == fit.get_n_leaves()
        predicted = fit.predict(rows[:300])
        assert [naive_answer(tree, row, lambda action: True) for row in rows[:300]] == predicted.tolist()


def test_the_first_levels_of_a_tree_are_the_shallow_tree(fits, small_table, tmp_path):
    """Greedy growth: scikit-learn's own tree of depth 3 gives every row the same distribution."""
    from sklearn.tree import DecisionTreeClassifier

    files = write_dataset(small_table, DecisionFiles(tmp_path), games=400, seed=1)
    rows, labels = read_decisions(files["category"], plain_columns(small_table.rules, rerolls=False))
    shallow = DecisionTreeClassifier(min_samples_leaf=5, max_depth=3, random_state=0)
    shallow.fit(rows, labels.action)
    tree = cut_tree(grown_of(fits[0][0]), 3)
    own = [naive_answer(tree, row, lambda action: True) for row in rows]
    assert np.mean(np.array(own) == shallow.predict(rows)) == pytest.approx(1.0, abs=0.01)


def test_batches_are_decided_as_single_rows_are_walked(player):
    assert_decides_as_walked(player, *some_states(player.rules, 40, seed=2))


def test_answers_do_not_depend_on_what_is_asked_beside(player):
    filled, upper = some_states(player.rules, 50, seed=3)
    together = player.decide(filled, upper)
    for i in (0, 7, 49):
        alone = player.decide(filled[i : i + 1], upper[i : i + 1])
        assert np.array_equal(alone.category[0], together.category[i])
        assert np.array_equal(alone.keep[0], together.keep[i])


def test_a_saved_model_decides_the_same(player, tmp_path):
    again = load_model(save_model(player, tmp_path / "t.safetensors"), player.rules)
    filled, upper = some_states(player.rules, 60, seed=4)
    assert (again.kind, again.name, again.parameters) == ("trees", player.name, player.parameters)
    for one, other in zip(player.decide(filled, upper), again.decide(filled, upper), strict=True):
        assert np.array_equal(one, other)


def test_parameters_are_two_per_split_and_one_per_action_held(player):
    leaves = [tree.n_leaves for tree in player.trees]
    assert player.parameters == sum(3 * n - 2 for n in leaves)


def leaf_tree(*actions):
    empty = np.zeros(0)
    return Tree(
        empty.astype(np.int16), empty.astype(np.float32), empty.astype(np.int32), empty.astype(np.int32),
        np.array([0, len(actions)], np.int32), np.array(actions, np.int16),
    )  # fmt: skip


def test_the_first_allowed_action_of_a_leaf_is_played(small_rules):
    """One leaf: prefers 2, then 0, then whatever scores most. One tree serves both rerolls."""
    player = Trees("leaf", small_rules, (), (leaf_tree(2, 0), leaf_tree(0b101)), (0, 1, 1))
    filled = np.array([0b0000, 0b0100, 0b0101, 0b1101])
    decisions = Validated(player).decide(filled, np.zeros(4, np.int64))
    for roll in range(len(small_rules.rolls)):
        third, last = most_points(small_rules, 0b0101, roll), 1
        assert decisions.category[:, roll].tolist() == [2, 0, third, last]
    assert np.array_equal(decisions.keep[0, 0], mask_tables(small_rules).keep_of_mask[:, 0b101])
    assert np.array_equal(decisions.keep[:, 0], decisions.keep[:, 1])


def joint_player(rules, par, columns=("upper", "par_margin")):
    """A split on state and dice together, and an action that depends on both."""
    split = leaf_tree(3, 4)._replace(
        feature=np.array([1], np.int16), threshold=np.array([2.5], np.float32), left=np.array([-1], np.int32),
        right=np.array([-2], np.int32), ranking_start=np.array([0, 4, 5], np.int32),
        ranking=np.array([3, 0, 1, 2, 4], np.int16),
    )  # fmt: skip
    return Trees("joint", rules, columns, (split, leaf_tree(0)), (0, 1, 1), ("par", "masks"), par=par)


@pytest.mark.parametrize("columns", [("upper", "par_margin"), ("par_choice", "par_margin")])
def test_joint_columns_and_the_par_choice(small_rules, columns):
    """With a par of nothing, margins are points, and the par choice is the box with the most."""
    player = joint_player(small_rules, Par(np.zeros(4), np.zeros(4), 1.0), columns)
    filled, upper = some_states(small_rules, 30, seed=5)
    decisions = Validated(player).decide(filled, upper)
    is_open = ~(filled[:, None] >> np.arange(small_rules.n_categories)) & 1
    points = np.where(is_open[:, None], np.array(small_rules.scores)[None], -1)
    best = points.argmax(axis=2)
    last_if_open = np.where(is_open[:, 3:] == 1, 3, best)
    assert np.array_equal(decisions.category, np.where(points.max(axis=2) <= 2.5, last_if_open, best))
    assert player.parameters == 9 + 2 + 5 + 1


def test_a_file_carries_its_own_par(small_rules, tmp_path):
    """And a file of the time before par was in it is read with the shipped one."""
    par = Par(np.array([1.0, -2.0, 3.0, 0.5]), np.array([0.0, 1.0, 2.0, 3.0]), 1.5)
    player = joint_player(small_rules, par)
    path = save_model(player, tmp_path / "joint.safetensors")
    again = load_model(path, small_rules)
    assert (again.par.in_reach.tolist(), again.par.settled.tolist()) == (par.in_reach.tolist(), [0, 1, 2, 3])
    assert again.par.weight == 1.5
    filled, upper = np.nonzero(state_space(small_rules).reachable[:-1])
    assert np.array_equal(again.decide(filled, upper).category, player.decide(filled, upper).category)
    old = {key: tensor for key, tensor in player.tensors().items() if not key.startswith("par.")}
    before = Trees.from_tensors("old", small_rules, old, {})
    shipped = joint_player(small_rules, None)
    assert np.array_equal(before.decide(filled, upper).category, shipped.decide(filled, upper).category)
    assert not np.array_equal(before.decide(filled, upper).category, player.decide(filled, upper).category)


def test_a_par_that_does_not_fit_is_refused(small_rules):
    tensors = joint_player(small_rules, Par(np.zeros(4), np.zeros(4), 1.0)).tensors()
    with pytest.raises(ValueError, match="par"):
        Trees.from_tensors("bad", small_rules, tensors | {"par.settled": np.zeros(3)}, {})


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"left": np.array([0], np.int32)}, "child"),
        ({"right": np.array([-3], np.int32)}, "child"),
        ({"feature": np.array([9], np.int16)}, "column"),
        ({"ranking_start": np.array([0, 1, 3], np.int32)}, "actions"),
        ({"ranking_start": np.array([0, 2], np.int32)}, "leaves"),
    ],
)
def test_arrays_that_are_no_tree_are_refused(small_rules, change, wrong):
    good = Tree(
        np.array([0], np.int16), np.array([0.5], np.float32), np.array([-1], np.int32), np.array([-2], np.int32),
        np.array([0, 1, 2], np.int32), np.array([0, 1], np.int16),
    )  # fmt: skip
    Trees("good", small_rules, ("sum",), (good, leaf_tree(0)), (0, 1, 1))
    with pytest.raises(YatzyError, match=wrong):
        Trees("bad", small_rules, ("sum",), (good._replace(**change), leaf_tree(0)), (0, 1, 1))


def test_training_is_found_again(small_table, tmp_path, monkeypatch):
    """The second run fits nothing, nor does another depth; another seed is another model."""
    recipes = [ImitationTreeRecipe(depth, games=200, seed=1) for depth in (2, 0)]
    first = train_into(tmp_path / "out", recipes, small_table, Context(tmp_path))
    assert list(first) == ["tree-depth-2", "tree-unlimited"]
    monkeypatch.setattr(trees, "fit_tree", None)
    said = []
    assert train_into(tmp_path / "out", recipes, small_table, Context(tmp_path, notice=said.append)) == first
    assert said == ["tree-depth-2: kept", "tree-unlimited: kept"]
    assert train(ImitationTreeRecipe(1, games=200, seed=1), small_table, Context(tmp_path)).name == "tree-depth-1"
    with pytest.raises(TypeError):
        train(ImitationTreeRecipe(2, games=200, seed=2), small_table, Context(tmp_path))


@pytest.mark.compiled
def test_trees_of_the_full_game_follow_the_contract(table, tmp_path):
    """Compiled and on all 252 rolls: as walked one by one, legal, and better than nothing."""
    player = train(ImitationTreeRecipe(8, games=500, seed=1), table, Context(tmp_path))
    filled, upper = some_states(table.rules, 10, seed=6)
    assert_decides_as_walked(player, filled, upper)
    assert_decides_as_walked(replace(player, name="twin"), filled, upper)
