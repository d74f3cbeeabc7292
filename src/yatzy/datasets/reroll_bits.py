"""Rerolls as bits: bit i of a *mask* is set when die i of the sorted roll is thrown again.

    1 3 3 5 6, mask 0b11001:  the 1, the 5 and the 6 are thrown, 3 3 is kept.

Any mask is allowed with any roll, which makes it a handy action for models that know nothing of dice. Where dice
are alike, several masks keep the same dice; the *canonical* one is the lowest of them.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.dice import lattice
from yatzy.rules import Ruleset


class Masks(NamedTuple):
    """Keeps and masks of every roll; a *slot* is a position in the lattice's `keeps_in_roll`.

    `keep_of_mask`, `slot_of_mask` (n_rolls, n_masks); `mask_of_slot` (n_rolls, slots), canonical, 0 past the end.
    """

    keep_of_mask: NDArray[np.uint16]
    slot_of_mask: NDArray[np.int64]
    mask_of_slot: NDArray[np.uint8]


@lru_cache(maxsize=4)
def mask_tables(rules: Ruleset) -> Masks:
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
    return Masks(keep_of_mask, slot_of_mask, mask_of_slot)
