"""Features: what each name says, for any states and rolls, and nothing lost."""

import numpy as np
import pytest

from samples import block_of, some_states
from yatzy import YatzyError
from yatzy.players.columns import Columns, check_lossless, mask_tables, plain_columns
from yatzy.rules import scandinavian
from yatzy.solver.states import state_space


def naive_features(rules, filled, upper, roll, rerolls):
    """One situation, by name, from the definitions."""
    found = {f"count_{face}": roll.count(face) for face in range(1, rules.faces + 1)}
    found |= {"sum": sum(roll), "largest_count": max(map(roll.count, roll)), "distinct_faces": len(set(roll))}
    is_open = [not filled >> c & 1 for c in range(rules.n_categories)]
    for category, open_ in zip(rules.categories, is_open, strict=True):
        found["open_" + category.name.lower().replace(" ", "_")] = int(open_)
    return found | {
        "turn": 1 + is_open.count(False),
        "upper": upper,
        "open_upper": sum(is_open[c] for c in rules.upper_ids),
        "bonus_secured": int(upper >= rules.bonus_threshold),
        "bonus_deficit": max(rules.bonus_threshold - upper, 0),
        "rerolls": rerolls,
    }


@pytest.mark.parametrize("rerolls", [0, 1, 2])
def test_rows_hold_what_the_names_say(reduced_rules, rerolls):
    names = plain_columns(reduced_rules, rerolls > 0)
    filled, upper = some_states(reduced_rules, 5, seed=1)
    block = block_of(Columns(reduced_rules, names), filled, upper, rerolls)
    assert block.dtype == np.int16
    for i, rows in enumerate(block):
        for roll, row in zip(reduced_rules.rolls, rows, strict=True):
            naive = naive_features(reduced_rules, int(filled[i]), int(upper[i]), roll, rerolls)
            assert dict(zip(names, row.tolist(), strict=True)) == {name: naive[name] for name in names}


def test_columns_come_in_any_order(small_rules):
    names = plain_columns(small_rules, rerolls=True)[::-1]
    filled, upper = some_states(small_rules, 20, seed=2)
    rolls = np.random.default_rng(3).integers(len(small_rules.rolls), size=20)
    found = Columns(small_rules, names).rows(filled, upper, rolls, 2)
    assert np.array_equal(found, Columns(small_rules, names[::-1]).rows(filled, upper, rolls, 2)[:, ::-1])


def test_the_plain_representation_has_29_and_30_columns():
    assert len(plain_columns(scandinavian(), rerolls=False)) == 29
    assert len(plain_columns(scandinavian(), rerolls=True)) == 30


class Together:
    """Joint columns, of which the test asks for the second."""

    names = ("zero", "filled_plus_roll")

    def values(self, filled, upper):
        found = np.zeros((len(filled), 2, 20), np.float32)
        found[:, 1] = filled[:, None] + np.arange(20) / 2
        return found


def test_joint_columns_come_by_name_from_whoever_knows_them(small_rules):
    assert len(small_rules.rolls) == 20
    with pytest.raises(YatzyError, match="filled_plus_roll"):
        Columns(small_rules, ("upper", "filled_plus_roll", "sum"))
    columns = Columns(small_rules, ("upper", "filled_plus_roll", "sum"), Together())
    (row,) = columns.rows(np.array([2]), np.array([2]), np.array([3]))
    assert row.tolist() == [2.0, 3.5, float(sum(small_rules.rolls[3]))]


def test_unknown_columns_are_refused(small_rules):
    with pytest.raises(YatzyError, match="colour"):
        Columns(small_rules, ("sum", "colour"))


def test_features_tell_all_situations_of_a_reduced_game_apart(small_rules):
    """By comparing all rows, the long way."""
    space = state_space(small_rules)
    filled, upper = np.nonzero(space.reachable[:-1])
    block = block_of(Columns(small_rules, plain_columns(small_rules, rerolls=False)), filled, upper)
    rows = block.reshape(-1, block.shape[-1])
    found = check_lossless(small_rules)
    assert found.lossless
    assert found.situations[0] == len(rows) == len(np.unique(rows, axis=0))


def test_leaving_a_column_out_loses_situations(small_rules):
    names = [name for name in plain_columns(small_rules, rerolls=True) if name not in ("upper", "bonus_deficit")]
    found = check_lossless(small_rules, names)
    assert not found.lossless
    space = state_space(small_rules)
    filled, upper = np.nonzero(space.reachable[:-1])
    states = {(f, u >= small_rules.bonus_threshold) for f, u in zip(filled.tolist(), upper.tolist(), strict=True)}
    assert found.distinct[1] == len(states) * len(small_rules.rolls)


@pytest.mark.compiled
def test_features_tell_all_situations_of_the_game_apart(rules):
    """1,430,464 unfinished states times 252 rolls, for each kind of decision."""
    found = check_lossless(rules)
    assert found.situations == found.distinct == (360_476_928,) * 3


def test_masks_say_which_dice_are_thrown_again(rules):
    """The forerunner's example: dice 2 5 5 5 6, keep the triple, is mask 0b10001."""
    masks = mask_tables(rules)
    roll = rules.rolls.index((2, 5, 5, 5, 6))
    keep = masks.keep_of_mask[roll, 0b10001]
    slot = masks.slot_of_mask[roll, 0b10001]
    assert masks.mask_of_slot[roll, slot] == 0b10001
    from yatzy.turn.lattice import lattice

    assert lattice(5, 6).keeps[keep] == (5, 5, 5)


def test_canonical_masks_are_the_lowest(rules):
    masks = mask_tables(rules)
    lowest = np.take_along_axis(masks.mask_of_slot, masks.slot_of_mask, axis=1)
    assert np.all(lowest <= np.arange(32))
    assert np.array_equal(np.take_along_axis(masks.keep_of_mask, lowest.astype(int), axis=1), masks.keep_of_mask)
