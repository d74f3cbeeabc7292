"""Trees that imitate: grown on what perfect play did in many games, as the forerunner grew its own.

They are scikit-learn's, at least five rows to a leaf. Growing is greedy from the root, so the tree of depth d is
the first d levels of the unlimited one: one fit per decision gives every depth. Rows may be weighted

    equal          all the same
    gap            the gap: a mistake counts little where the second best is nearly as good
    gap-balanced   the gap, and as if every action were the best one equally often.

The forerunner describes `gap-balanced`, but sizes and means of its trees are those of `equal`, which also plays
best: imitation weighted by the gap learns the few costly decisions and goes astray in the many that lead to them.

The fits are kept beside the data and reused, for other depths too.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.context import HERE, Context
from yatzy.datasets.best_actions import Labels
from yatzy.datasets.columns import plain_columns
from yatzy.datasets.decision_files import find_dataset, read_decisions
from yatzy.errors import extra
from yatzy.parts import digest_of
from yatzy.sealed import SealError, read_tensors, write_tensors
from yatzy.solver.table import ValueTable
from yatzy.students.recipes import ImitationTreeRecipe
from yatzy.students.trees.player import Tree, Trees

LEAST_ROWS_PER_LEAF = 5


class Grown(NamedTuple):
    """A fitted tree as scikit-learn numbers it: nodes after their parents, children -1 at leaves.

    `weights` (nodes, actions of `actions`): how much each action weighs among the rows of a node.
    """

    left: IntArray
    right: IntArray
    feature: IntArray
    threshold: NDArray[np.float64]
    weights: NDArray[np.float64]
    actions: NDArray[np.int16]


def train(recipe: ImitationTreeRecipe, table: ValueTable, context: Context = HERE) -> Trees:
    """Cut the grown trees to the recipe's depth; games and grown trees are made first if missing."""
    with extra("lab"):
        import sklearn.tree  # noqa: F401

    rules, columns = table.rules, plain_columns(table.rules, rerolls=False)
    data = find_dataset(table, recipe.games, recipe.seed, context.quiet())
    trees = []
    for decision, file in data.items():
        kept = file.parent / f".{recipe.weighting}-{decision}-tree.safetensors"
        if not kept.exists():
            context.notice(f"{recipe.name}: growing the {decision} tree")
        trees.append(cut_tree(_grow(file, columns, kept, recipe.weighting, recipe.seed), recipe.depth))
    return Trees(recipe.name, rules, columns, tuple(trees), tuple(range(len(trees))), info=recipe.info(rules))


def _grow(file: Path, columns: tuple[str, ...], kept: Path, weighting: str, seed: int) -> Grown:
    """Fit one tree, or find the fit of an earlier run."""
    made_from = {"made_from": digest_of(file.read_bytes(), weighting, seed, *columns)}
    try:
        tensors, metadata = read_tensors(kept)
        if metadata == made_from:
            return Grown(**tensors)
    except SealError:
        pass
    grown = grown_of(fit_tree(*read_decisions(file, columns), weighting, seed))
    write_tensors(kept, grown._asdict(), made_from)
    return grown


def fit_tree(rows: NDArray[np.float32], labels: Labels, weighting: str = "equal", seed: int = 0) -> Any:
    """scikit-learn's classifier, grown without limit."""
    with extra("lab"):
        from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(
        min_samples_leaf=LEAST_ROWS_PER_LEAF,
        class_weight="balanced" if weighting == "gap-balanced" else None,
        random_state=seed,
    )
    return tree.fit(rows, labels.action, sample_weight=None if weighting == "equal" else labels.gap)


def grown_of(fitted: Any) -> Grown:
    """The arrays of a fitted classifier."""
    nodes = fitted.tree_
    return Grown(
        nodes.children_left.astype(np.int64),
        nodes.children_right.astype(np.int64),
        nodes.feature.astype(np.int64),
        nodes.threshold.copy(),
        nodes.value[:, 0, :].copy(),
        fitted.classes_.astype(np.int16),
    )


def cut_tree(grown: Grown, depth: int = 0) -> Tree:
    """The first `depth` levels of a grown tree (0: all of them); a leaf plays its heaviest action."""
    level = _levels(grown.left, grown.right)
    limit = depth or int(level.max())
    is_split = (grown.left >= 0) & (level < limit)
    is_leaf = (level <= limit) & ~is_split
    number = np.where(is_split, np.cumsum(is_split) - 1, -1 * np.cumsum(is_leaf)).astype(np.int32)
    return Tree(
        feature=grown.feature[is_split].astype(np.int16),
        threshold=grown.threshold[is_split].astype(np.float32),
        left=number[grown.left[is_split]],
        right=number[grown.right[is_split]],
        ranking_start=np.arange(is_leaf.sum() + 1, dtype=np.int32),
        ranking=grown.actions[grown.weights[is_leaf].argmax(axis=1)],
    )


def _levels(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Splits above each node (children come after their parents)."""
    level = np.zeros(len(left), np.int64)
    todo = np.zeros(1, np.int64)
    while len(todo):
        splits = todo[left[todo] >= 0]
        below = np.concatenate([left[splits], right[splits]])
        level[below] = np.repeat(level[splits][None], 2, axis=0).reshape(-1) + 1
        todo = below
    return level
