"""Networks that imitate: trained on what perfect play did in many games.

They minimise the cross entropy over the allowed actions, rows weighted equally (`equal`) or by the gap to the
second-best action (`gap`).
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.context import DEFAULT_CONTEXT, Context, check_threads, one_blas_thread
from yatzy.lab.training.data import Labels, find_dataset, read_decisions
from yatzy.players.columns import plain_columns
from yatzy.players.model import EPOCHS, NetworkRecipe
from yatzy.players.network import Network, Networks, canonical_masks
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable

BATCH = 4096
LARGEST_STEP = 3e-3


def train(recipe: NetworkRecipe, table: ValueTable, context: Context = DEFAULT_CONTEXT) -> Networks:
    """Fit a network for each kind of decision; the games are played first if they are not stored."""
    rules, columns = table.rules, plain_columns(table.rules, rerolls=False)
    data = find_dataset(table, recipe.games, recipe.seed, context.quiet())
    context.notice(f"{recipe.name}: {recipe.epochs} passes over {recipe.games:,} games")

    def fit(file: Path, left: int) -> Network:
        rows, labels = read_decisions(file, columns)
        allowed = allowed_actions(rules, columns, rows, left)
        return fit_network(rows, labels, allowed, recipe.hidden, recipe.seed, recipe.epochs, recipe.weighting)

    with one_blas_thread(), ThreadPoolExecutor(check_threads(None)) as pool:
        networks = tuple(pool.map(fit, data.values(), range(len(data))))
    return Networks(recipe.name, rules, columns, networks, recipe.info(rules))


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
    """Gradients of the weighted cross entropy, by backpropagation, in the order of `layers`."""
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
