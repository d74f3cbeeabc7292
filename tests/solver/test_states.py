"""The state space: counts, reachability by walking, collapse, and impossible states."""

import numpy as np
import pytest

import naive
from yatzy import YatzyError
from yatzy.rules import ruleset, yahtzee
from yatzy.solver.states import StateSpace, state_space


@pytest.fixture(scope="session")
def space(rules) -> StateSpace:
    return state_space(rules)


def test_1430528_states_are_reachable_and_31_8_percent_are_pruned(space):
    assert space.n_masks * space.n_uppers == 2_097_152
    assert space.n_reachable == 1_430_528
    assert np.count_nonzero(space.reachable) == 1_430_528
    assert 1 - space.n_reachable / (space.n_masks * space.n_uppers) == pytest.approx(0.318, abs=5e-4)


def test_1430464_of_them_are_not_finished(space):
    """REFERENCE counts 64 terminal slots: every upper total of a finished game can stand."""
    assert np.count_nonzero(space.reachable[-1]) == 64
    assert np.count_nonzero(space.reachable[:-1]) == 1_430_464


def test_958976_classes_are_left_after_the_collapse(space):
    assert space.n_classes == 958_976


def test_classes_are_the_states_with_a_chance_of_the_bonus_and_one_more_per_mask(space, rules):
    """The collapse, written out from its definition."""
    most_by_face = [5 * face for face in range(1, 7)]
    n_classes = 0
    for upper_set in range(64):
        to_come = sum(most for bit, most in enumerate(most_by_face) if not upper_set >> bit & 1)
        totals = np.flatnonzero(space.reachable[upper_set])
        n_classes += len({total if total + to_come >= 63 else "lost" for total in totals.tolist()})
    assert n_classes * 2**9 == space.n_classes


def test_reachable_states_are_those_a_walk_finds(reduced_rules):
    space = state_space(reduced_rules)
    by_array = {(int(f), int(u)) for f, u in np.argwhere(space.reachable)}
    assert by_array == naive.reachable_states(reduced_rules)
    assert space.n_reachable == len(by_array)


def test_six_dice_states_are_those_a_walk_finds(six_dice_rules):
    space = state_space(six_dice_rules)
    assert {(int(f), int(u)) for f, u in np.argwhere(space.reachable)} == naive.reachable_states(six_dice_rules)
    assert space.n_uppers == 85


def test_highest_upper_is_reachable_and_none_is_above(space):
    masks = np.arange(space.n_masks)
    assert space.reachable[masks, space.highest_upper].all()
    uppers = np.arange(space.n_uppers)
    assert not (space.reachable & (uppers > space.highest_upper[:, None])).any()


def test_totals_of_one_class_have_one_value(reduced_table):
    """Below `lowest_upper` the bonus is lost whatever comes."""
    space, exact = reduced_table.space, naive.Expectimax(reduced_table.rules)
    for filled in range(space.n_masks):
        totals = np.flatnonzero(space.reachable[filled, : space.lowest_upper[filled] + 1])
        assert len({exact.state(filled, int(total)) for total in totals}) <= 1


def test_layers_hold_every_mask_once_by_number_filled(space):
    assert [len(layer) for layer in space.layers[:3]] == [1, 15, 105]
    assert len(space.layers) == 16
    for n_filled, layer in enumerate(space.layers):
        assert {int(mask).bit_count() for mask in layer} == {n_filled}
    assert sorted(np.concatenate(space.layers)) == list(range(space.n_masks))


def test_yahtzee_has_the_same_upper_section():
    plain = state_space(ruleset("yahtzee+no-joker+no-extra-bonus"))
    assert plain.n_reachable == 1_430_528 // 4
    # The Yahtzee box is open, crossed out, or holds points.
    assert state_space(yahtzee()).n_reachable == plain.n_reachable // 2 * 3 == 536_448


@pytest.mark.parametrize(
    ("filled", "upper", "message"),
    [(-1, 0, r"^filled: -1 is outside 0\.\.32767$"), (32768, 0, r"^filled: 32768 is outside 0\.\.32767$"),
     (0, -1, r"^upper: -1 is outside 0\.\.63$"), (0, 64, r"^upper: 64 is outside 0\.\.63$"),
     (0, 1, r"^upper: 1 cannot occur with filled '-'; allowed: 0$"),
     (1, 6, r"^upper: 6 cannot occur with filled 'ones'; allowed: 0\.\.5$"),
     (2, 3, r"^upper: 3 cannot occur with filled 'twos'; allowed: 0, 2, 4, 6, 8, 10$"),
     (6, 24, r"^upper: 24 cannot occur with filled 'twos,threes'; allowed: 0, 2\.\.23, 25$")],
)  # fmt: skip
def test_states_that_cannot_occur_are_refused(space, filled, upper, message):
    with pytest.raises(YatzyError, match=message):
        space.check(filled, upper)


def test_check_agrees_with_reachable(small_rules):
    space = state_space(small_rules)
    for filled, upper in np.ndindex(space.reachable.shape):
        try:
            space.check(filled, upper)
            taken = True
        except YatzyError:
            taken = False
        assert taken == space.reachable[filled, upper]
