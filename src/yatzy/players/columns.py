"""Situations as numbers: named columns, each of the dice alone, of the state alone, or of both.

The *plain* representation has 29 columns for the category decision and one more, `rerolls`, for keeps:

    dice    count_1 .. count_6, sum, largest_count, distinct_faces
    state   open_ones .. open_yatzy, turn, upper, open_upper, bonus_secured, bonus_deficit, rerolls

Because no column mixes the two, the rows of a state are the product of its own part with the 252 parts of the
rolls: a model reads the state's part once and the rolls' parts from a table. It is lossless if and only if both
parts are (`check_lossless`). Columns of state and dice together, such as the most points a roll can still
score, are *joint* ones. A model that reads any supplies them itself (`JointColumns`).

*Rerolls as bits*: bit i of a *mask* is set when die i of the sorted roll is thrown again.

    1 3 3 5 6, mask 0b11001:  the 1, the 5 and the 6 are thrown, 3 3 is kept.

Any mask is allowed with any roll, which makes it a handy action for models that know nothing of dice. Where dice
are alike, several masks keep the same dice; the *canonical* one is the lowest of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, Ints1, Ints2
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset
from yatzy.solver.states import state_space
from yatzy.turn.kernels.jit import jit
from yatzy.turn.lattice import lattice

ColumnArray = NDArray[np.int16]

REROLLS = "rerolls"


class JointColumns(Protocol):
    """Columns of state and dice together, computed in one go."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def values(self, filled: IntArray, upper: IntArray) -> NDArray[np.float32]:
        """(n, names, n_rolls)."""
        ...


def plain_columns(rules: Ruleset, rerolls: bool) -> tuple[str, ...]:
    """Names of the plain representation, for the category decision or for keeps."""
    state = tuple(name for name in _state_names(rules) if rerolls or name != REROLLS)
    return (*_roll_names(rules), *state)


def _roll_names(rules: Ruleset) -> tuple[str, ...]:
    counts = (f"count_{face}" for face in range(1, rules.faces + 1))
    return (*counts, "sum", "largest_count", "distinct_faces")


def _state_names(rules: Ruleset) -> tuple[str, ...]:
    is_open = (f"open_{category.name.lower().replace(' ', '_')}" for category in rules.categories)
    return (*is_open, "turn", "upper", "open_upper", "bonus_secured", "bonus_deficit", REROLLS)


@lru_cache(maxsize=8)
def roll_part(rules: Ruleset) -> ColumnArray:
    """(n_rolls, dice columns): what the dice alone show."""
    dice = lattice(rules.dice, rules.faces)
    counts = dice.counts[: dice.n_rolls]
    total = counts @ np.arange(1, rules.faces + 1)
    columns = [counts, total[:, None], counts.max(axis=1)[:, None], (counts > 0).sum(axis=1)[:, None]]
    return np.hstack(columns).astype(np.int16)


def state_part(rules: Ruleset, filled: IntArray, upper: IntArray, rerolls: IntArray | int = 0) -> ColumnArray:
    """(n, state columns): what the state alone shows, `rerolls` last."""
    is_upper = np.array([category.upper for category in rules.categories], np.int64)
    part = np.empty((len(filled), len(_state_names(rules))), np.int16)
    _fill_state_part(
        np.ascontiguousarray(filled, np.int64),
        np.ascontiguousarray(upper, np.int64),
        np.ascontiguousarray(np.broadcast_to(np.asarray(rerolls, np.int64), np.shape(filled))),
        is_upper,
        rules.bonus_threshold,
        part,
    )
    return part


@jit
def _fill_state_part(
    filled: Ints1, upper: Ints1, rerolls: Ints1, is_upper: Ints1, threshold: int, part: Ints2
) -> None:
    """Columns in the order of `_state_names`."""
    n_categories = len(is_upper)
    for i in range(len(filled)):
        n_open, n_open_upper = 0, 0
        for category in range(n_categories):
            is_open = 1 - (filled[i] >> category & 1)
            part[i, category] = is_open
            n_open += is_open
            n_open_upper += is_open * is_upper[category]
        part[i, n_categories] = n_categories - n_open + 1
        part[i, n_categories + 1] = upper[i]
        part[i, n_categories + 2] = n_open_upper
        part[i, n_categories + 3] = upper[i] >= threshold
        part[i, n_categories + 4] = max(threshold - upper[i], 0)
        part[i, n_categories + 5] = rerolls[i]


@dataclass(frozen=True)
class Columns:
    """Some columns by name, in this order; `joint` supplies the joint ones among them."""

    rules: Ruleset
    names: tuple[str, ...]
    joint: JointColumns | None = None

    def __post_init__(self) -> None:
        known = {*_roll_names(self.rules), *_state_names(self.rules), *self._joint_names}
        unknown = [name for name in self.names if name not in known]
        if unknown or len(set(self.names)) < len(self.names):
            raise YatzyError("columns", why=f"{unknown or self.names} are unknown, or repeated")

    @cached_property
    def roll_ids(self) -> IntArray:
        """Which of `names` are of the dice alone."""
        return self._ids(_roll_names(self.rules))

    @cached_property
    def state_ids(self) -> IntArray:
        """Which of `names` are of the state alone."""
        return self._ids(_state_names(self.rules))

    @property
    def _joint_names(self) -> tuple[str, ...]:
        return self.joint.names if self.joint else ()

    @cached_property
    def joint_ids(self) -> IntArray:
        """Which of `names` are of state and dice together."""
        return self._ids(self._joint_names)

    def _ids(self, names: Sequence[str]) -> IntArray:
        return np.array([i for i, name in enumerate(self.names) if name in names], np.int64)

    @cached_property
    def by_roll(self) -> ColumnArray:
        """(n_rolls, dice columns)."""
        names = _roll_names(self.rules)
        return roll_part(self.rules)[:, [names.index(self.names[i]) for i in self.roll_ids]]

    def by_state(self, filled: IntArray, upper: IntArray, rerolls: IntArray | int = 0) -> ColumnArray:
        """(n, state columns)."""
        names = _state_names(self.rules)
        part = state_part(self.rules, filled, upper, rerolls)
        return part[:, [names.index(self.names[i]) for i in self.state_ids]]

    def by_both(self, filled: IntArray, upper: IntArray) -> NDArray[np.float32]:
        """(n, joint columns, n_rolls)."""
        if self.joint is None or not len(self.joint_ids):
            return np.empty((len(filled), 0, lattice(self.rules.dice, self.rules.faces).n_rolls), np.float32)
        wanted = [self._joint_names.index(self.names[i]) for i in self.joint_ids]
        columns = self.joint.values(filled, upper)
        return columns if wanted == list(range(columns.shape[1])) else np.ascontiguousarray(columns[:, wanted])

    def rows(
        self, filled: IntArray, upper: IntArray, roll_ids: IntArray, rerolls: IntArray | int = 0
    ) -> NDArray[Any]:
        """(n, columns): one row per situation; int16, or float32 where there are joint columns."""
        rows = np.empty((len(filled), len(self.names)), np.float32 if len(self.joint_ids) else np.int16)
        rows[:, self.roll_ids] = self.by_roll[roll_ids]
        rows[:, self.state_ids] = self.by_state(filled, upper, rerolls)
        if len(self.joint_ids):
            rows[:, self.joint_ids] = self.by_both(filled, upper)[np.arange(len(filled)), :, roll_ids]
        return rows


@dataclass(frozen=True)
class Losslessness:
    """How many situations there are and how many the features tell apart, by decision (0: the category)."""

    situations: tuple[int, ...]
    distinct: tuple[int, ...]

    @property
    def lossless(self) -> bool:
        """No two situations look alike, so none that look alike differ in their best action."""
        return self.situations == self.distinct


def check_lossless(rules: Ruleset, names: Sequence[str] | None = None) -> Losslessness:
    """Compare ALL reachable situations with each other.

    A row is (dice part, state part), so the distinct rows are the distinct dice parts times the distinct state
    parts: 252 and 1.4 million comparisons stand for more than a billion rows.
    """
    space = state_space(rules)
    filled, upper = np.nonzero(space.reachable[:-1])
    counted, distinct = [], []
    for left in range(rules.rerolls + 1):
        columns = Columns(rules, tuple(names or plain_columns(rules, left > 0)))
        if len(columns.joint_ids):
            raise YatzyError("columns", why="joint columns do not factorise, so they cannot be checked this way")
        n_rolls = len(columns.by_roll)
        counted.append(len(filled) * n_rolls)
        states = _n_distinct(columns.by_state(filled, upper, left))
        distinct.append(states * _n_distinct(columns.by_roll))
    return Losslessness(tuple(counted), tuple(distinct))


def _n_distinct(rows: ColumnArray) -> int:
    """Number of distinct rows."""
    if not rows.shape[1]:
        return min(len(rows), 1)
    as_one = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.itemsize * rows.shape[1])))
    return len(np.unique(as_one))


class RollMasks(NamedTuple):
    """Keeps and masks of every roll; a *slot* is a position in the lattice's `keeps_in_roll`.

    `keep_of_mask`, `slot_of_mask` (n_rolls, n_masks); `mask_of_slot` (n_rolls, slots), canonical, 0 past the end.
    """

    keep_of_mask: NDArray[np.uint16]
    slot_of_mask: NDArray[np.int64]
    mask_of_slot: NDArray[np.uint8]


@lru_cache(maxsize=4)
def mask_tables(rules: Ruleset) -> RollMasks:
    """The keeps and masks of a ruleset's rolls."""
    dice = lattice(rules.dice, rules.faces)
    n_masks = 1 << rules.dice
    slot_of_mask = np.zeros((dice.n_rolls, n_masks), np.int64)
    mask_of_slot = np.zeros(dice.keeps_in_roll.shape, np.uint8)
    for roll_id, keeps in enumerate(dice.keeps_in_roll.tolist()):
        roll = dice.keeps[roll_id]
        for mask in reversed(range(n_masks)):
            slot = keeps.index(dice.id_of(face for i, face in enumerate(roll) if not mask >> i & 1))
            slot_of_mask[roll_id, mask] = slot
            mask_of_slot[roll_id, slot] = mask
    keep_of_mask = np.take_along_axis(dice.keeps_in_roll, slot_of_mask, axis=1).astype(np.uint16)
    return RollMasks(keep_of_mask, slot_of_mask, mask_of_slot)
