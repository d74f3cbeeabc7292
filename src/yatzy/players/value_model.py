"""A small formula for the value of a state, played through the exact turn.

The solved table answers "what is this state worth?" 1.43 million times. A value model answers with a formula of a
few numbers, and plays by looking one turn ahead exactly, as optimal play does, with the formula in place of the
table. With f the points per die of an open upper category (sums over those that are open),

    W = sum of one worth per open category + B * bonus + v . tanh(... tanh(z A + a) ...)
    bonus = Phi((upper + mu * sum f - (T - 1/2)) / sqrt(1 + sigma^2 * sum f^2))

where bonus is 0 once the bonus is lost and 1 once it is safe, Phi is the normal distribution function, and
z = (open flags, bonus, pace / 20) with pace = upper + 3 * sum f - T. Without hidden layers the last term is
missing: 15 worths, B, mu and sigma are 18 numbers, which a person could write on a card. Finished games are exact.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.policies.optimal import add_best_exits, best_decisions
from yatzy.policies.policy import Decisions
from yatzy.rules import Ruleset
from yatzy.sealed import Tensors, tensor_bytes
from yatzy.solver.states import state_space
from yatzy.turn.state_rows import bonus_lost_or_safe


@dataclass(frozen=True)
class StateFeatures:
    """What the formula reads of n states: open flags (n, n_categories), upper total, sums over open faces."""

    is_open: FloatArray
    upper: FloatArray
    faces: FloatArray
    faces_squared: FloatArray
    lost: NDArray[np.bool_]
    safe: NDArray[np.bool_]
    finished: NDArray[np.bool_]

    @property
    def pace(self) -> FloatArray:
        """How far the upper section is ahead of three of each, over 20."""
        return (self.upper + 3 * self.faces - self.threshold) / 20

    threshold: int = 63


def state_features(rules: Ruleset, filled: IntArray, upper: IntArray) -> StateFeatures:
    """Read n states."""
    is_open = (~(filled[:, None] >> np.arange(rules.n_categories)) & 1).astype(np.float64)
    most = np.max(np.array(rules.scores), axis=0) * np.array([c.upper for c in rules.categories])
    per_die = most / rules.dice
    lost, safe = bonus_lost_or_safe(rules, filled, upper)
    return StateFeatures(
        is_open=is_open,
        upper=upper.astype(np.float64),
        faces=is_open @ per_die,
        faces_squared=is_open @ per_die**2,
        lost=lost,
        safe=safe,
        finished=filled == rules.all_filled,
        threshold=rules.bonus_threshold,
    )


def bonus_argument(states: StateFeatures, mu: float, sigma: float) -> tuple[FloatArray, FloatArray]:
    """The argument of Phi, and the root it is divided by."""
    root = np.sqrt(1 + sigma**2 * states.faces_squared)
    return (states.upper + mu * states.faces - (states.threshold - 0.5)) / root, root


def bonus_chance(states: StateFeatures, argument: FloatArray) -> FloatArray:
    chance = np.where(states.safe, 1.0, 0.5 * erfc(-argument / math.sqrt(2)))
    return np.where(states.lost, 0.0, chance)


def erfc(x: FloatArray) -> FloatArray:
    """The complementary error function of an array; few distinct arguments occur, so each is computed once."""
    distinct, where = np.unique(x, return_inverse=True)
    return np.array([math.erfc(value) for value in distinct])[where]


@dataclass(frozen=True, eq=False)
class ValueModel:
    """Plays the best action for the formula's values. `hidden` are (weights, offsets) per layer."""

    name: str
    rules: Ruleset
    worth: FloatArray
    bonus: FloatArray  # B, mu, sigma
    hidden: tuple[tuple[FloatArray, FloatArray], ...]
    out: FloatArray
    info: dict[str, Any]
    kind: str = "value-model"

    def __repr__(self) -> str:
        return f"<policy {self.name!r} for {self.rules.name}>"

    @property
    def parameters(self) -> int:
        return sum(tensor.size for tensor in self.tensors().values())

    def value(self, states: StateFeatures) -> FloatArray:
        """W of n states."""
        argument, _ = bonus_argument(states, *self.bonus[1:])
        chance = bonus_chance(states, argument)
        value = states.is_open @ self.worth + self.bonus[0] * chance
        if self.hidden:
            layer = np.column_stack([states.is_open, chance, states.pace])
            for weights, offsets in self.hidden:
                layer = np.tanh(layer @ weights + offsets)
            value = value + layer @ self.out
        finished = np.where(states.safe, float(self.rules.bonus), 0.0)
        return np.where(states.finished, finished, value)

    @cached_property
    def table(self) -> FloatArray:
        """(n_masks, n_uppers): W of every state, reachable or not."""
        space = state_space(self.rules)
        rows = []
        for masks in np.array_split(np.arange(space.n_masks), max(1, space.n_masks // 1024)):
            filled, upper = np.repeat(masks, space.n_uppers), np.tile(np.arange(space.n_uppers), len(masks))
            rows.append(self.value(state_features(self.rules, filled, upper)))
        return np.concatenate(rows).reshape(space.n_masks, space.n_uppers)

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        return best_decisions(self.rules, self.table, 0.0, filled, upper)

    def add_exits(self, filled: IntArray, upper: IntArray, exits: FloatArray) -> None:
        """How the turns of these states end: see `HasTurnOutcomes`."""
        add_best_exits(self.rules, self.table, 0.0, filled, upper, exits)

    @property
    def content(self) -> bytes:
        """See `HasContent`."""
        return tensor_bytes(self.tensors())

    def tensors(self) -> Tensors:
        layers = {f"weights{i}": w for i, (w, _) in enumerate(self.hidden)}
        layers |= {f"offsets{i}": o for i, (_, o) in enumerate(self.hidden)}
        last = {"out": self.out} if self.hidden else {}
        return {"worth": self.worth, "bonus": self.bonus, **layers, **last}

    @classmethod
    def from_tensors(cls, name: str, rules: Ruleset, tensors: Tensors, info: dict[str, Any]) -> Self:
        arrays = {key: np.asarray(value, np.float64) for key, value in tensors.items()}
        n_layers = sum(key.startswith("weights") for key in arrays)
        hidden = tuple((arrays[f"weights{i}"], arrays[f"offsets{i}"]) for i in range(n_layers))
        model = cls(name, rules, arrays["worth"], arrays["bonus"], hidden, arrays.get("out", np.zeros(0)), info)
        sizes = [rules.n_categories + 2, *(len(offsets) for _, offsets in hidden)]
        shapes = [(*pair,) for pair in pairwise(sizes)]
        if [w.shape for w, _ in hidden] != shapes or model.worth.shape != (rules.n_categories,):
            raise ValueError("shapes of the layers")
        return model
