"""One decision tree as arrays: its form, its size and depth, and a check that arrays are a tree."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.errors import YatzyError


class Tree(NamedTuple):
    """One tree. A child >= 0 is a split, a child < 0 is the leaf -1 - child; the root is split 0, or else leaf 0.

    `ranking[ranking_start[leaf] : ranking_start[leaf + 1]]` are a leaf's actions, the preferred one first.
    """

    feature: NDArray[np.int16]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    ranking_start: NDArray[np.int32]
    ranking: NDArray[np.int16]

    @property
    def n_splits(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return len(self.ranking_start) - 1

    @property
    def parameters(self) -> int:
        return 2 * self.n_splits + len(self.ranking)


def check_tree(tree: Tree, n_columns: int) -> None:
    """Refuse arrays that would send a walk astray: children come after their parents, leaves exist."""
    n_splits, n_leaves = tree.n_splits, tree.n_leaves
    for name, array in tree._asdict().items():
        kind = "f" if name == "threshold" else "i"
        if array.ndim != 1 or array.dtype.kind != kind:
            raise YatzyError("tree", why=f"{name} has type {array.dtype} and {array.ndim} dimensions")
    if n_leaves < 1 or np.any(tree.ranking < 0):
        raise YatzyError("tree", why="has no leaves, or actions below 0")
    same = {len(tree.threshold), len(tree.left), len(tree.right)} == {n_splits}
    if not same or n_leaves != n_splits + 1 or np.any(np.diff(tree.ranking_start) < 0):
        raise YatzyError("tree", why=f"{n_splits} splits and {n_leaves} leaves do not make a tree")
    if tree.ranking_start[0] != 0 or tree.ranking_start[-1] != len(tree.ranking):
        raise YatzyError("tree", why="the leaves' actions do not fit their number")
    for children in (tree.left, tree.right):
        after = (children > np.arange(n_splits)) & (children < n_splits)
        if not np.all(after | ((children < 0) & (children >= -n_leaves))):
            raise YatzyError("tree", why="a split has a child that is not there")
    if n_splits and not 0 <= tree.feature.min() <= tree.feature.max() < n_columns:
        raise YatzyError("tree", why=f"a split reads a column outside 0..{n_columns - 1}")


def depth_of(tree: Tree) -> int:
    """Splits on the longest path from the root to a leaf."""
    depth = np.zeros(tree.n_splits, np.int64)
    for split in range(tree.n_splits):
        for child in (tree.left[split], tree.right[split]):
            if child >= 0:
                depth[child] = depth[split] + 1
    return int(depth.max()) + 1 if tree.n_splits else 0
