"""Networks that play: a small perceptron for each kind of decision.

    h_1 = max(0, x A_1 + b_1),   h_2 = max(0, h_1 A_2 + b_2),   ...,   score = h A + b;

the allowed action with the highest score is played, of equals the lowest.
Actions are categories (allowed: the open ones) and masks of dice thrown again (allowed: the canonical ones).

*Speed.* x is a part of the state and a part of the dice, so x A_1 = S(state) + D(roll): D is a table of 252 rows,
and S is computed once per state. Everything is float32, summed in one order: answers do not depend on which states
are asked together.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from yatzy.distill.features import Columns
from yatzy.distill.masks import mask_tables
from yatzy.distill.student import Tensors
from yatzy.errors import YatzyError
from yatzy.policy.base import Decisions, IntArray, empty_decisions
from yatzy.rules import Ruleset
from yatzy.solver.lanes import jit

Array = NDArray[np.float32]

EMPTY = np.zeros(0, np.float32)


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

    def __post_init__(self) -> None:
        if len(self.networks) != self.rules.rerolls + 1:
            raise YatzyError(f"networks: {len(self.networks)}; needed are {self.rules.rerolls + 1}")
        if len(self._columns.joint_ids):
            raise YatzyError("columns: networks read columns of the state or of the dice, not of both")
        for left, network in enumerate(self.networks):
            n_actions = 1 << self.rules.dice if left else self.rules.n_categories
            widths = [len(self.columns), *(len(bias) for bias in network.biases)]
            shapes = [weights.shape for weights in network.weights]
            if shapes != list(pairwise(widths)) or widths[-1] != n_actions:
                raise YatzyError(f"networks: layers of shapes {shapes} do not fit")

    @property
    def parameters(self) -> int:
        """All weights and biases."""
        return sum(network.parameters for network in self.networks)

    @cached_property
    def _columns(self) -> Columns:
        return Columns(self.rules, self.columns)

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        decisions = empty_decisions(self.rules, len(filled))
        masks = mask_tables(self.rules)
        never = np.zeros(len(filled), np.int64)
        for left, network in enumerate(self.networks):
            first = network.weights[0]
            of_dice = self._columns.by_roll.astype(np.float32) @ first[self._columns.roll_ids]
            state = self._columns.by_state(filled, upper, left).astype(np.float32)
            closed = never if left else np.ascontiguousarray(filled, np.int64)
            answers = masks.keep_of_mask if left else _categories(self.rules)
            allowed = canonical_masks(self.rules) if left else np.ones(answers.shape, np.bool_)
            widths = np.array([len(bias) for bias in network.biases], np.int64)
            _play_network(
                state, first[self._columns.state_ids], of_dice, widths, np.concatenate(network.biases),
                np.concatenate([layer.reshape(-1) for layer in (*network.weights[1:], EMPTY)]),
                answers, allowed, closed, decisions.keep[:, left - 1] if left else decisions.category,
            )  # fmt: skip
        return decisions

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
    """(n_rolls, n_categories): what an action comes to is its category, whatever the roll."""
    return np.repeat(np.arange(rules.n_categories, dtype=np.uint16)[None], len(rules.rolls), axis=0)


def canonical_masks(rules: Ruleset) -> NDArray[np.bool_]:
    """(n_rolls, masks): is the mask the lowest of those that keep the same?"""
    masks = mask_tables(rules)
    lowest = np.take_along_axis(masks.mask_of_slot, masks.slot_of_mask, axis=1)
    return np.asarray(lowest == np.arange(1 << rules.dice))


@jit
def _play_network(
    state: Any, of_state: Any, of_dice: Any, widths: Any, biases: Any, weights: Any, answers: Any, allowed: Any,
    filled: Any, out: Any,
) -> None:  # fmt: skip
    """`out` (n, n_rolls): the best allowed answer.

    `of_state` (state columns, h_1) and `of_dice` (n_rolls, h_1) are the first layer; `widths` are those of all
    layers' outputs, `biases` all biases, and `weights` all weights past the first layer, each as one flat array.
    """
    base = np.empty(widths[0], np.float32)
    now, after = np.empty(max(widths), np.float32), np.empty(max(widths), np.float32)
    for i in range(len(state)):
        for unit in range(widths[0]):
            base[unit] = biases[unit]
        for column in range(state.shape[1]):
            for unit in range(widths[0]):
                base[unit] += state[i, column] * of_state[column, unit]
        for roll in range(out.shape[1]):
            for unit in range(widths[0]):
                now[unit] = base[unit] + of_dice[roll, unit]
            bias, weight = widths[0], 0
            for k in range(1, len(widths)):
                _next_layer(now, widths[k - 1], widths[k], biases, bias, weights, weight, after)
                now, after = after, now
                bias += widths[k]
                weight += widths[k - 1] * widths[k]
            best = -1
            for action in range(widths[-1]):
                # Keep ids are larger than a shift may be: nothing is forbidden there, `filled` is 0.
                closed = filled[i] != 0 and filled[i] >> answers[roll, action] & 1
                if allowed[roll, action] and not closed and (best < 0 or now[action] > now[best]):
                    best = action
            out[i, roll] = answers[roll, best]


@jit
def _next_layer(
    now: Any, n_in: Any, n_out: Any, biases: Any, bias: Any, weights: Any, weight: Any, after: Any
) -> None:
    """After = max(0, now) A + b, with A and b somewhere in the flat arrays; units at 0 are passed over."""
    for j in range(n_out):
        after[j] = biases[bias + j]
    for unit in range(n_in):
        factor = now[unit]
        if factor > 0:
            row = weight + unit * n_out
            for j in range(n_out):
                after[j] += factor * weights[row + j]
