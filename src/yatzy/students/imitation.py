"""Students that imitate: trees and networks trained on what perfect play did, as the seeds did it.

*Trees* are scikit-learn's, at least five rows to a leaf. Growing is greedy from the root, so the tree of depth d
is the first d levels of the unlimited one: one fit per decision gives every depth. Rows may weigh

    equal          all the same
    gap            the gap: a mistake counts little where the second best is nearly as good
    gap-balanced   the gap, and as if every action were the best one equally often.

The seeds describe `gap-balanced`, but sizes and means of their trees are those of `equal`, which also plays best:
imitation weighted by the gap learns the few dear decisions and goes astray in the many that lead to them.

*Networks* minimise the cross entropy over the allowed actions, rows weighted `equal` or `gap`.

Finished fits and models are kept and found again: stop at any time and start again.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.datasets.best_actions import Labels
from yatzy.datasets.columns import plain_columns
from yatzy.datasets.situations import decision_names, read_decisions
from yatzy.errors import YatzyError
from yatzy.files import write_tensors
from yatzy.rules import Ruleset
from yatzy.running import Progress, check_threads, one_blas_thread
from yatzy.students.networks.player import Network, Networks, canonical_masks
from yatzy.students.student import load_student, save_student
from yatzy.students.trees.player import Tree, Trees

DEPTHS = (3, 5, 8, 10, 12, 15, 20, 0)
HIDDEN = ((16,), (32, 16), (64, 32), (128, 64))
WEIGHTINGS = ("equal", "gap", "gap-balanced")
NETWORK_WEIGHTINGS = ("equal", "gap")
LEAST_ROWS_PER_LEAF = 5
BATCH = 4096
EPOCHS = 6
LARGEST_STEP = 3e-3


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


def fit_tree(rows: NDArray[np.float32], labels: Labels, weighting: str = "equal", seed: int = 0) -> Any:
    """scikit-learn's classifier, grown without limit."""
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        raise YatzyError("training needs scikit-learn: pip install 'yatzy[train]'") from None
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


def train_trees(
    rules: Ruleset,
    data: dict[str, Path],
    out: Path,
    depths: Sequence[int] = DEPTHS,
    weighting: str = "equal",
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[str, Path]:
    """Imitation trees of every depth (0: unlimited) from a data set's files; returns the students' files."""
    if any(depth < 0 for depth in depths):
        raise YatzyError(f"depth: {min(depths)} is not allowed; allowed are 1 or more, and 0 for unlimited")
    if weighting not in WEIGHTINGS:
        raise YatzyError(f"weighting: {weighting!r} is not known; allowed are {', '.join(WEIGHTINGS)}")
    kind = "tree" if weighting == "equal" else f"{weighting}-tree"
    names = {depth: f"{kind}-depth-{depth}" if depth else f"{kind}-unlimited" for depth in depths}
    files = {depth: out / f"{name}.safetensors" for depth, name in names.items()}
    made = {"method": "imitation", "weighting": weighting, "seed": seed, "data": data["category"].parent.name}
    infos = {depth: made | {"depth": depth} for depth in depths}
    missing = [depth for depth in depths if not _is_made(files[depth], rules, infos[depth])]
    columns = plain_columns(rules, rerolls=False)
    grown: list[Grown] = []
    for left, decision in enumerate(decision_names(rules) if missing else ()):
        kept = out / f".{weighting}-{decision}-{made['data']}-{seed}.safetensors"
        grown.append(_grow(data[decision], columns, kept, weighting, seed))
        if progress:
            progress(left + 1, rules.rerolls + 2)
    for depth in missing:
        trees = tuple(cut_tree(tree, depth) for tree in grown)
        student = Trees(names[depth], rules, columns, trees, tuple(range(len(trees))), info=infos[depth])
        save_student(student, files[depth])
    return {names[depth]: files[depth] for depth in depths}


def _grow(file: Path, columns: tuple[str, ...], kept: Path, weighting: str, seed: int) -> Grown:
    """Fit one tree, or find the fit of an earlier run."""
    from safetensors.numpy import load_file

    if kept.exists():
        return Grown(**load_file(kept))
    grown = grown_of(fit_tree(*read_decisions(file, columns), weighting, seed))
    write_tensors(kept, grown._asdict(), {})
    return grown


def _is_made(file: Path, rules: Ruleset, info: dict[str, Any]) -> bool:
    """Is there a finished model of an earlier run that was made just so?"""
    try:
        return load_student(file, rules).info == info
    except YatzyError:
        return False


def train_networks(
    rules: Ruleset,
    data: dict[str, Path],
    out: Path,
    hidden: Sequence[tuple[int, ...]] = HIDDEN,
    epochs: int = EPOCHS,
    weighting: str = "equal",
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[str, Path]:
    """Imitation networks of every size from a data set's files; returns the students' files."""
    if weighting not in NETWORK_WEIGHTINGS:
        raise YatzyError(
            f"weighting: {weighting!r} is not for networks; allowed are {' and '.join(NETWORK_WEIGHTINGS)}"
        )
    kind = "network" if weighting == "equal" else f"{weighting}-network"
    names = {widths: f"{kind}-{'-'.join(map(str, widths))}" for widths in hidden}
    files = {widths: out / f"{name}.safetensors" for widths, name in names.items()}
    made = {"method": "imitation", "weighting": weighting, "seed": seed, "data": data["category"].parent.name}
    infos = {widths: made | {"hidden": list(widths), "epochs": epochs} for widths in hidden}
    missing = [widths for widths in hidden if not _is_made(files[widths], rules, infos[widths])]
    columns = plain_columns(rules, rerolls=False)
    for done, widths in enumerate(missing):

        def fit(decision: str, left: int, widths: tuple[int, ...] = widths) -> Network:
            rows, labels = read_decisions(data[decision], columns)
            allowed = allowed_actions(rules, columns, rows, left)
            return fit_network(rows, labels, allowed, widths, seed, epochs, weighting)

        with one_blas_thread(), ThreadPoolExecutor(check_threads(None)) as pool:
            networks = list(pool.map(fit, decision_names(rules), range(rules.rerolls + 1)))
        if progress:
            progress(done + 1, len(missing))
        save_student(Networks(names[widths], rules, columns, tuple(networks), infos[widths]), files[widths])
    return {names[widths]: files[widths] for widths in hidden}


def allowed_actions(
    rules: Ruleset, columns: tuple[str, ...], rows: NDArray[np.float32], rerolls: int
) -> NDArray[np.bool_]:
    """(n, actions): the open categories, or the canonical masks of the roll, read from plain columns."""
    if not rerolls:
        first = columns.index("count_1") + rules.faces + 3
        return np.asarray(rows[:, first : first + rules.n_categories] > 0)
    place = (rules.dice + 1) ** np.arange(rules.faces)
    rolls = np.array([[roll.count(face) for face in range(1, rules.faces + 1)] for roll in rules.rolls]) @ place
    roll_of_key = np.zeros(int(rolls.max()) + 1, np.int64)
    roll_of_key[rolls] = np.arange(len(rolls))
    keys = rows[:, : rules.faces].astype(np.int64) @ place
    return np.asarray(canonical_masks(rules)[roll_of_key[keys]])


def fit_network(
    rows: NDArray[np.float32],
    labels: Labels,
    allowed: NDArray[np.bool_],
    hidden: Sequence[int],
    seed: int = 0,
    epochs: int = EPOCHS,
    weighting: str = "equal",
) -> Network:
    """Cross entropy over the allowed actions (n, actions), by Adam with a falling step.

    Columns are standardised while training; the scale then goes into the first layer.
    """
    rng = np.random.default_rng(seed)
    centre, scale = rows.mean(axis=0, dtype=np.float64), rows.std(axis=0, dtype=np.float64)
    scale[scale == 0] = 1.0
    centre, scale = centre.astype(np.float32), scale.astype(np.float32)
    weight = labels.gap / labels.gap.mean() if weighting == "gap" else np.ones_like(labels.gap)
    adam = _Adam(_initial_layers([rows.shape[1], *hidden, allowed.shape[1]], rng))
    n_steps = epochs * -(-len(rows) // BATCH)
    step = 0
    for _ in range(epochs):
        order = rng.permutation(len(rows))
        for start in range(0, len(rows), BATCH):
            batch = order[start : start + BATCH]
            x = (rows[batch] - centre) / scale
            gradients = _gradients(adam.layers, x, labels.action[batch], weight[batch], allowed[batch])
            step += 1
            adam.descend(gradients, LARGEST_STEP * 0.5 * (1 + np.cos(np.pi * step / n_steps)))
    weights, biases = adam.layers[::2], adam.layers[1::2]
    biases[0] = biases[0] - (centre / scale) @ weights[0]
    weights[0] = weights[0] / scale[:, None]
    return Network(tuple(weights), tuple(biases))


def _initial_layers(widths: Sequence[int], rng: np.random.Generator) -> list[NDArray[np.float32]]:
    """Weights and biases in turn; He's initialisation."""
    layers = []
    for n_in, n_out in pairwise(widths):
        layers.append((rng.standard_normal((n_in, n_out)) * np.sqrt(2 / n_in)).astype(np.float32))
        layers.append(np.zeros(n_out, np.float32))
    return layers


def _gradients(
    layers: list[NDArray[np.float32]], x: Any, action: Any, weight: Any, allowed: Any
) -> list[NDArray[np.float32]]:
    """Of the weighted cross entropy, by backpropagation; in the order of `layers`."""
    outputs = [x]
    for k in range(0, len(layers), 2):
        linear = outputs[-1] @ layers[k] + layers[k + 1]
        outputs.append(np.maximum(linear, 0) if k + 2 < len(layers) else linear)
    score = np.where(allowed, outputs[-1], -np.inf)
    share = np.exp(score - score.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    share[np.arange(len(x)), action] -= 1
    back = share * (weight / len(x))[:, None]
    gradients: list[NDArray[np.float32]] = []
    for k in range(len(layers) - 2, -1, -2):
        gradients[:0] = [outputs[k // 2].T @ back, back.sum(axis=0)]
        if k:
            back = (back @ layers[k].T) * (outputs[k // 2] > 0)
    return gradients


class _Adam:
    """Kingma & Ba's optimiser (beta 0.9 and 0.999)."""

    def __init__(self, layers: list[NDArray[np.float32]]) -> None:
        self.layers = layers
        self.first = [np.zeros_like(layer) for layer in layers]
        self.second = [np.zeros_like(layer) for layer in layers]
        self.n_steps = 0

    def descend(self, gradients: list[NDArray[np.float32]], step: float) -> None:
        self.n_steps += 1
        size = step * np.sqrt(1 - 0.999**self.n_steps) / (1 - 0.9**self.n_steps)
        for k, gradient in enumerate(gradients):
            self.first[k] += 0.1 * (gradient - self.first[k])
            self.second[k] += 0.001 * (gradient * gradient - self.second[k])
            self.layers[k] -= np.float32(size) * self.first[k] / (np.sqrt(self.second[k]) + np.float32(1e-8))
