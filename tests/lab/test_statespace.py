"""The size of the game: against published figures, and counted by writing every turn down."""

import math
from dataclasses import replace
from typing import Any

import pytest

from games import TINY
from naive import Faces
from yatzy.lab.studies.statespace import count_histories, count_states
from yatzy.turn.lattice import lattice


def test_statespace_is_the_published_one() -> None:
    size = count_states()
    assert (size.slots, size.reachable, size.classes) == (2_097_152, 1_430_528, 958_976)
    assert size.reachable_unfinished == 1_430_464
    assert (size.widget.nodes, size.widget.rolls, size.widget.keeps) == (1_681, 252, 462)
    assert size.widget.edges == 252 + 2 * 4_368 + 2 * 4_368 + 252 * 15
    assert size.widget.lattice_operations_per_reroll == 2 * 1_260
    assert [layer.masks for layer in size.layers] == [math.comb(15, k) for k in range(16)]
    assert sum(layer.reachable for layer in size.layers) == size.reachable
    assert sum(layer.classes for layer in size.layers) == size.classes
    by_count = [math.comb(6, n) for n in range(7)]
    assert [max(row) for row in size.grid] == by_count
    assert sum(map(sum, size.grid)) * 2**9 == size.reachable
    assert size.memory.table_float32 == 2**23


@pytest.mark.parametrize("rerolls", [0, 1, 2])
def test_histories_are_counted_by_writing_them_down(rerolls: int) -> None:
    """Two dice of three faces: few enough to list every turn."""
    rules = replace(TINY, rerolls=rerolls)
    dice = lattice(2, 3)

    def turns(roll: Faces, left: int) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = [(roll, "score")]
        for keep in dice.keeps:
            if left and len(keep) < 2 and all(keep.count(face) <= roll.count(face) for face in keep):
                after = [r for r in dice.keeps[: dice.n_rolls] if all(keep.count(f) <= r.count(f) for f in keep)]
                found += [(roll, keep, *rest) for r in after for rest in turns(r, left - 1)]
        return found

    listed = {turn for roll in dice.keeps[: dice.n_rolls] for turn in turns(roll, rerolls)}
    counted = count_histories(rules)
    assert counted.turns == str(len(listed))
    assert counted.games == str(len(listed) ** 3 * 6)
    apart = 9 * sum(15**n for n in range(rerolls + 1))
    assert counted.turns_dice_apart == str(apart)
