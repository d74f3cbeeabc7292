"""Trees: the compiled walk against scikit-learn and against a naive one, files, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from yatzy import YatzyError
from yatzy.datasets import columns as features
from yatzy.datasets.columns import Columns, plain_columns
from yatzy.datasets.reroll_bits import mask_tables
from yatzy.datasets.situations import decision_names, read_decisions, write_dataset
from yatzy.policy.base import Checked
from yatzy.solver.states import state_space
from yatzy.students.imitation import cut_tree, fit_tree, grown_of, train_trees
from yatzy.students.student import load_student, save_student
from yatzy.students.trees import player as trees
from yatzy.students.trees.player import Tree, Trees, depth_of

DEPTHS = (1, 3, 6, 0)


def some_states(rules, n, seed):
    states = np.argwhere(state_space(rules).reachable[:-1])
    return states[np.random.default_rng(seed).integers(len(states), size=n)].T


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


def assert_decides_as_walked(student, filled, upper):
    rules = student.rules
    decisions = Checked(student).decide(filled, upper)
    keep_of_mask = mask_tables(rules).keep_of_mask
    for left in range(rules.rerolls + 1):
        tree = student.trees[student.tree_of_rerolls[left]]
        block = Columns(rules, student.columns).block(filled, upper, left)
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
    files = write_dataset(small_table, tmp_path_factory.mktemp("data"), games=400, seed=1)
    columns = plain_columns(small_table.rules, rerolls=False)
    data = [read_decisions(files[name], columns) for name in decision_names(small_table.rules)]
    return [(fit_tree(*one), one[0]) for one in data]


@pytest.fixture(scope="module", params=DEPTHS)
def student(request, fits, small_rules):
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

    files = write_dataset(small_table, tmp_path, games=400, seed=1)
    rows, labels = read_decisions(files["category"], plain_columns(small_table.rules, rerolls=False))
    shallow = DecisionTreeClassifier(min_samples_leaf=5, max_depth=3, random_state=0)
    shallow.fit(rows, labels.action)
    tree = cut_tree(grown_of(fits[0][0]), 3)
    own = [naive_answer(tree, row, lambda action: True) for row in rows]
    assert np.mean(np.array(own) == shallow.predict(rows)) == pytest.approx(1.0, abs=0.01)


def test_batches_are_decided_as_single_rows_are_walked(student):
    assert_decides_as_walked(student, *some_states(student.rules, 40, seed=2))


def test_answers_do_not_depend_on_what_is_asked_beside(student):
    filled, upper = some_states(student.rules, 50, seed=3)
    together = student.decide(filled, upper)
    for i in (0, 7, 49):
        alone = student.decide(filled[i : i + 1], upper[i : i + 1])
        assert np.array_equal(alone.category[0], together.category[i])
        assert np.array_equal(alone.keep[0], together.keep[i])


def test_a_saved_student_decides_the_same(student, tmp_path):
    again = load_student(save_student(student, tmp_path / "t.safetensors"), student.rules)
    filled, upper = some_states(student.rules, 60, seed=4)
    assert (again.kind, again.name, again.parameters) == ("trees", student.name, student.parameters)
    for one, other in zip(student.decide(filled, upper), again.decide(filled, upper), strict=True):
        assert np.array_equal(one, other)


def test_parameters_are_two_per_split_and_one_per_action_held(student):
    leaves = [tree.n_leaves for tree in student.trees]
    assert student.parameters == sum(3 * n - 2 for n in leaves)


def leaf_tree(*actions):
    empty = np.zeros(0)
    return Tree(
        empty.astype(np.int16), empty.astype(np.float32), empty.astype(np.int32), empty.astype(np.int32),
        np.array([0, len(actions)], np.int32), np.array(actions, np.int16),
    )  # fmt: skip


def test_the_first_allowed_action_of_a_leaf_is_played(small_rules):
    """One leaf: prefers 2, then 0, then whatever scores most. One tree serves both rerolls."""
    student = Trees("leaf", small_rules, (), (leaf_tree(2, 0), leaf_tree(0b101)), (0, 1, 1))
    filled = np.array([0b0000, 0b0100, 0b0101, 0b1101])
    decisions = Checked(student).decide(filled, np.zeros(4, np.int64))
    for roll in range(len(small_rules.rolls)):
        third, last = most_points(small_rules, 0b0101, roll), 1
        assert decisions.category[:, roll].tolist() == [2, 0, third, last]
    assert np.array_equal(decisions.keep[0, 0], mask_tables(small_rules).keep_of_mask[:, 0b101])
    assert np.array_equal(decisions.keep[:, 0], decisions.keep[:, 1])


def test_joint_columns_and_vocabularies_of_ones_own(small_rules, monkeypatch):
    """A split on state and dice together, and an action that depends on both."""

    def points_of_best(rules, filled, upper):
        is_open = ~(filled[:, None] >> np.arange(rules.n_categories)) & 1
        return (np.array(rules.scores)[None] * is_open[:, None]).max(axis=2).astype(np.float32)

    def best_or_given(rules, filled, upper):
        is_open = ~(filled[:, None] >> np.arange(rules.n_categories)) & 1
        best = (np.array(rules.scores)[None] * is_open[:, None] - 1 + is_open[:, None]).argmax(axis=2)
        plain = np.repeat(trees._categories(rules, filled, upper), len(filled), axis=0)
        return np.concatenate([plain, best[:, None]], axis=1).astype(np.int16)

    monkeypatch.setitem(features.JOINT, "most_points", points_of_best)
    monkeypatch.setitem(trees.VOCABULARIES, "best-or-given", best_or_given)
    split = leaf_tree(3, 4)._replace(
        feature=np.array([1], np.int16), threshold=np.array([2.5], np.float32), left=np.array([-1], np.int32),
        right=np.array([-2], np.int32), ranking_start=np.array([0, 4, 5], np.int32),
        ranking=np.array([3, 0, 1, 2, 4], np.int16),
    )  # fmt: skip
    student = Trees(
        "joint",
        small_rules,
        ("upper", "most_points"),
        (split, leaf_tree(0)),
        (0, 1, 1),
        ("best-or-given", "masks"),
    )
    filled, upper = some_states(small_rules, 30, seed=5)
    decisions = Checked(student).decide(filled, upper)
    points, best = points_of_best(small_rules, filled, upper), best_or_given(small_rules, filled, upper)[:, 4]
    first_open = np.array([next(c for c in (3, 0, 1, 2) if not f >> c & 1) for f in filled])
    assert np.array_equal(decisions.category, np.where(points <= 2.5, first_open[:, None], best))


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
    """The second run fits nothing; another seed is another model."""
    rules = small_table.rules
    data = write_dataset(small_table, tmp_path / "data", games=200, seed=1)
    first = train_trees(rules, data, tmp_path / "out", depths=(2, 0), seed=1)
    assert list(first) == ["tree-depth-2", "tree-unlimited"]
    from yatzy.students import imitation as imitate

    monkeypatch.setattr(imitate, "fit_tree", None)
    assert train_trees(rules, data, tmp_path / "out", depths=(2, 0), seed=1) == first
    with pytest.raises(TypeError):
        train_trees(rules, data, tmp_path / "out", depths=(2,), seed=2)


@pytest.mark.compiled
def test_trees_of_the_full_game_follow_the_contract(table, tmp_path):
    """Compiled and on all 252 rolls: as walked one by one, legal, and better than nothing."""
    data = write_dataset(table, tmp_path / "data", games=500, seed=1)
    files = train_trees(table.rules, data, tmp_path / "out", depths=(8,))
    student = load_student(files["tree-depth-8"], table.rules)
    filled, upper = some_states(table.rules, 10, seed=6)
    assert_decides_as_walked(student, filled, upper)
    assert_decides_as_walked(replace(student, name="twin"), filled, upper)
