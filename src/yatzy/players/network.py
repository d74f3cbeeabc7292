"""Networks that play: a small perceptron for each kind of decision.

    h_1 = max(0, x A_1 + b_1),   h_2 = max(0, h_1 A_2 + b_2),   ...,   score = h A + b;

the allowed action with the highest score is played, on a tie the lowest.
Actions are categories (allowed: the open ones) and masks of dice thrown again (allowed: the canonical ones).

*Speed.* x has a state part and a dice part, so x A_1 = S(state) + D(roll): D is a table of 252 rows,
and S is computed once per state. Everything is float32, summed in one order: answers do not depend on which states
are evaluated together.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import LANE_BITS, Bools2, Floats1, Floats2, IntArray, Ints1, Ints2, Lanes2
from yatzy.errors import YatzyError
from yatzy.players.columns import Columns, mask_tables
from yatzy.policies.policy import Decisions, empty_decisions
from yatzy.rules import Ruleset
from yatzy.sealed import Tensors, tensor_bytes
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import load, multiply_add, n_lanes, store

Array = NDArray[np.float32]

# Widths are padded to whole pairs of lane vectors.
BLOCK = 2 * LANE_BITS // 32


class Network(NamedTuple):
    """Layers of one network: `weights[k]` (inputs, outputs) and `biases[k]` (outputs,), float32."""

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]

    @property
    def parameters(self) -> int:
        return sum(array.size for array in (*self.weights, *self.biases))

    @property
    def hidden(self) -> list[int]:
        return [len(bias) for bias in self.biases[:-1]]


@dataclass(frozen=True)
class Networks:
    """A policy made of networks, `networks[n]` for n rerolls left (0: the category), over the same `columns`."""

    name: str
    rules: Ruleset
    columns: tuple[str, ...]
    networks: tuple[Network, ...]
    info: dict[str, Any] = field(default_factory=dict)

    kind = "networks"

    def __repr__(self) -> str:
        return f"<policy {self.name!r} for {self.rules.name}>"

    def __post_init__(self) -> None:
        if len(self.networks) != self.rules.rerolls + 1:
            raise YatzyError("networks", len(self.networks), str(self.rules.rerolls + 1))
        if len(self._columns.joint_ids):
            raise YatzyError("columns", why="networks read columns of the state or of the dice, not of both")
        for left, network in enumerate(self.networks):
            n_actions = 1 << self.rules.dice if left else self.rules.n_categories
            widths = [len(self.columns), *(len(bias) for bias in network.biases)]
            if len(network.weights) < 2:
                raise YatzyError("networks", why="at least one hidden layer is needed")
            shapes = [weights.shape for weights in network.weights]
            if shapes != list(pairwise(widths)) or widths[-1] != n_actions:
                raise YatzyError("networks", why=f"layers of shapes {shapes} do not match")

    @property
    def parameters(self) -> int:
        """All weights and biases."""
        return sum(network.parameters for network in self.networks)

    @cached_property
    def _columns(self) -> Columns:
        return Columns(self.rules, self.columns)

    @cached_property
    def _layers(self) -> tuple["Layers", ...]:
        return tuple(_prepare(network, self._columns) for network in self.networks)

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        decisions = empty_decisions(self.rules, filled)
        masks = mask_tables(self.rules)
        never = np.zeros(len(filled), np.int64)
        for left, layers in enumerate(self._layers):
            state = self._columns.by_state(filled, upper, left).astype(np.float32)
            if left:
                canonical = canonical_masks(self.rules)
                _play_network(layers, state, masks.keep_of_mask, canonical, never, decisions.keep[:, left - 1])
            else:
                closed = np.ascontiguousarray(filled, np.int64)
                answers = _categories(self.rules)
                _play_network(layers, state, answers, answers >= 0, closed, decisions.category)
        return decisions

    @property
    def content(self) -> bytes:
        """See `HasContent`."""
        return tensor_bytes(self.tensors())

    def tensors(self) -> Tensors:
        """Columns' names as text, and `network<n>.weights<k>`, `network<n>.biases<k>`."""
        found: Tensors = {"columns": np.frombuffer("\n".join(self.columns).encode(), np.uint8).copy()}
        for left, network in enumerate(self.networks):
            for k, (weights, biases) in enumerate(zip(*network, strict=True)):
                found |= {f"network{left}.weights{k}": weights, f"network{left}.biases{k}": biases}
        return found

    @classmethod
    def from_tensors(cls, name: str, rules: Ruleset, tensors: Tensors, info: dict[str, Any]) -> Self:
        columns = tuple(tensors["columns"].tobytes().decode().split("\n"))
        networks = []
        for left in range(rules.rerolls + 1):
            n_layers = sum(key.startswith(f"network{left}.weights") for key in tensors)
            weights = tuple(tensors[f"network{left}.weights{k}"] for k in range(n_layers))
            networks.append(Network(weights, tuple(tensors[f"network{left}.biases{k}"] for k in range(n_layers))))
        return cls(name, rules, columns, tuple(networks), info)


def _categories(rules: Ruleset) -> NDArray[np.uint16]:
    """(n_rolls, n_categories): an action is its category, whatever the roll."""
    return np.repeat(np.arange(rules.n_categories, dtype=np.uint16)[None], len(rules.rolls), axis=0)


def canonical_masks(rules: Ruleset) -> NDArray[np.bool_]:
    """(n_rolls, masks): is the mask the lowest of those that keep the same dice?"""
    masks = mask_tables(rules)
    lowest = np.take_along_axis(masks.mask_of_slot, masks.slot_of_mask, axis=1)
    return np.asarray(lowest == np.arange(1 << rules.dice))


class Layers(NamedTuple):
    """A network ready to run: every width padded with zeros to whole blocks, one flat array for all layers.

    `of_state` (state columns, h_1) and `of_dice` (n_rolls, h_1) are the first layer. Layer k >= 1 has its weights
    (padded inputs, padded outputs) at `weight_start[k]`; `bias_start[k]` is for all layers.
    """

    of_state: Array
    of_dice: Array
    widths: IntArray
    weights: Array
    weight_start: IntArray
    biases: Array
    bias_start: IntArray


def _prepare(network: Network, columns: Columns) -> Layers:
    """Pad and flatten."""
    widths = np.array([-(-len(bias) // BLOCK) * BLOCK for bias in network.biases], np.int64)
    padded = [
        np.pad(layer, [(0, n_in - layer.shape[0]), (0, n_out - layer.shape[1])])
        for layer, (n_in, n_out) in zip(network.weights[1:], pairwise(widths), strict=True)
    ]
    first = np.pad(network.weights[0], [(0, 0), (0, widths[0] - network.weights[0].shape[1])])
    biases = [np.pad(bias, (0, n - len(bias))) for bias, n in zip(network.biases, widths, strict=True)]
    return Layers(
        of_state=np.ascontiguousarray(first[columns.state_ids]),
        of_dice=columns.by_roll.astype(np.float32) @ first[columns.roll_ids],
        widths=widths,
        weights=np.concatenate([layer.reshape(-1) for layer in padded]),
        weight_start=np.cumsum([0, 0, *(layer.size for layer in padded)]),
        biases=np.concatenate(biases),
        bias_start=np.cumsum([0, *widths]),
    )


@jit
def _play_network(
    layers: Layers, state: Floats2, answers: Ints2, allowed: Bools2, filled: Ints1, out: Ints2
) -> None:
    """`out` (n, n_rolls): the best allowed answer; `state` (n, state columns)."""
    widths = layers.widths
    base = np.empty(widths[0], np.float32)
    now, factors = np.empty(max(widths), np.float32), np.empty(max(widths) + 1, np.float32)
    active = np.empty(max(widths) + 1, np.int64)
    for i in range(len(state)):
        for unit in range(widths[0]):
            base[unit] = layers.biases[unit]
        for column in range(state.shape[1]):
            factor = state[i, column]
            for unit in range(widths[0]):
                base[unit] += factor * layers.of_state[column, unit]
        for roll in range(out.shape[1]):
            for unit in range(widths[0]):
                now[unit] = base[unit] + layers.of_dice[roll, unit]
            for k in range(1, len(widths)):
                n_active = _find_active(now, widths[k - 1], active, factors)
                _next_layer(layers, k, n_active, active, factors, now)
            best = -1
            for action in range(answers.shape[1]):
                # Keep ids may be too large to shift by; for keeps `filled` is 0 and nothing is forbidden.
                closed = filled[i] != 0 and filled[i] >> answers[roll, action] & 1
                if allowed[roll, action] and not closed and (best < 0 or now[action] > now[best]):
                    best = action
            out[i, roll] = answers[roll, best]


@jittable
def _find_active(now: Floats1, n_units: int, active: Ints1, factors: Floats1) -> Any:
    """The units above 0, the only ones whose weights need adding, and one of factor 0 to make pairs."""
    n_active = 0
    for unit in range(n_units):
        active[n_active], factors[n_active] = unit, now[unit]
        n_active += now[unit] > 0
    active[n_active], factors[n_active] = 0, 0
    return n_active


@jittable
def _next_layer(layers: Layers, k: int, n_active: int, active: Ints1, factors: Floats1, now: Lanes2) -> None:
    """`now` = factors A + b, a block of outputs at a time, two units at a time to keep the adders busy."""
    width = n_lanes(now)
    n_out = layers.widths[k]
    zero = layers.weights.dtype.type(0)
    for block in range(0, n_out, 2 * width):
        low = load(layers.biases, layers.bias_start[k] + block)
        high = load(layers.biases, layers.bias_start[k] + block + width)
        low_too, high_too = multiply_add(low, zero, zero), multiply_add(low, zero, zero)
        start = layers.weight_start[k] + block
        for pair in range(0, n_active, 2):
            row, row_too = start + active[pair] * n_out, start + active[pair + 1] * n_out
            low = multiply_add(load(layers.weights, row), factors[pair], low)
            high = multiply_add(load(layers.weights, row + width), factors[pair], high)
            low_too = multiply_add(load(layers.weights, row_too), factors[pair + 1], low_too)
            high_too = multiply_add(load(layers.weights, row_too + width), factors[pair + 1], high_too)
        one = layers.weights.dtype.type(1)
        store(now, block, multiply_add(low, one, low_too))
        store(now, block + width, multiply_add(high, one, high_too))
