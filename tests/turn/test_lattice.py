"""The die lattice against the multinomial transition matrix."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from yatzy.turn.lattice import Lattice, lattice

SIZES = [(1, 1), (1, 6), (2, 3), (3, 4), (5, 6), (6, 6)]


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}d{size[1]}")
def dice(request: pytest.FixtureRequest) -> Lattice:
    return lattice(*request.param)


def keep_values(dice: Lattice, roll_values: np.ndarray) -> np.ndarray:
    """value(K) = mean of value(K + f), from the rolls down."""
    values = np.concatenate([roll_values, np.zeros(dice.n_keeps - dice.n_rolls)])
    for keep_id in range(dice.n_rolls, dice.n_keeps):
        values[keep_id] = values[dice.added[keep_id]].mean()
    return values


def best_values(dice: Lattice, values: np.ndarray) -> np.ndarray:
    """best(K) = max(value(K), best(K - f)), from the empty keep up."""
    best = values.copy()
    for keep_id in range(dice.n_keeps - 2, -1, -1):
        below = dice.removed[keep_id]
        best[keep_id] = max(best[keep_id], *best[below[below >= 0]])
    return best


def test_five_dice_have_252_rolls_462_keeps_and_1260_edges():
    dice = lattice(5, 6)
    assert (dice.n_rolls, dice.n_keeps) == (252, 462)
    assert np.count_nonzero(dice.added >= 0) == 1260
    assert np.count_nonzero(dice.removed >= 0) == 1260


def test_six_dice_have_462_rolls_and_924_keeps():
    dice = lattice(6, 6)
    assert (dice.n_rolls, dice.n_keeps) == (462, 924)


def test_keeps_are_every_multiset_once(dice):
    keeps, rolls, _ = naive.transition_matrix(dice.dice, dice.faces)
    assert sorted(dice.keeps) == sorted(keeps)
    assert list(dice.keeps[: dice.n_rolls]) == rolls
    assert dice.keeps[-1] == ()


def test_ids_round_trip(dice):
    assert [dice.id_of(keep) for keep in dice.keeps] == list(range(dice.n_keeps))
    assert [dice.id_of(keep[::-1]) for keep in dice.keeps] == list(range(dice.n_keeps))


def test_counts_are_how_many_dice_show_each_face(dice):
    for keep, counts in zip(dice.keeps, dice.counts, strict=True):
        assert list(counts) == [keep.count(face) for face in range(1, dice.faces + 1)]


def test_added_and_removed_undo_each_other(dice):
    for keep_id, face_id in np.argwhere(dice.added >= 0):
        larger = dice.added[keep_id, face_id]
        assert dice.keeps[larger] == tuple(sorted((*dice.keeps[keep_id], face_id + 1)))
        assert dice.removed[larger, face_id] == keep_id
    assert (dice.added[: dice.n_rolls] == -1).all()
    assert ((dice.removed >= 0) == (dice.counts > 0)).all()


def test_probabilities_are_multinomial_and_sum_to_one(dice):
    expected = [naive.prob_of_throw(roll, dice.faces) for roll in dice.keeps[: dice.n_rolls]]
    assert dice.prob_roll == pytest.approx(expected, abs=1e-16)
    assert math.fsum(dice.prob_roll) == pytest.approx(1, abs=1e-15)


def test_prob_of_known_rolls():
    dice = lattice(5, 6)
    assert dice.prob_roll[dice.id_of([6] * 5)] * 6**5 == pytest.approx(1)
    assert dice.prob_roll[dice.id_of([1, 2, 3, 4, 5])] * 6**5 == pytest.approx(120)
    assert dice.prob_roll[dice.id_of([2, 2, 3, 3, 3])] * 6**5 == pytest.approx(10)


def test_lattice_means_equal_the_transition_matrix(dice):
    keeps, rolls, prob = naive.transition_matrix(dice.dice, dice.faces)
    assert prob.sum(axis=1) == pytest.approx(np.ones(len(keeps)), abs=1e-12)
    rng = np.random.default_rng(5)
    for _ in range(3):
        roll_values = rng.normal(100, 50, dice.n_rolls)
        by_lattice = keep_values(dice, roll_values)
        by_matrix = prob @ roll_values[[dice.id_of(roll) for roll in rolls]]
        assert by_lattice[[dice.id_of(keep) for keep in keeps]] == pytest.approx(by_matrix, abs=1e-10)


def test_lattice_maxima_equal_the_best_of_all_keeps_inside(dice):
    values = np.random.default_rng(6).normal(size=dice.n_keeps)
    best = best_values(dice, values)
    for keep_id, keep in enumerate(dice.keeps):
        assert best[keep_id] == max(values[dice.id_of(inside)] for inside in naive.sub_multisets(keep))


def test_keeps_in_roll_are_every_keep_inside_once_all_dice_first(dice):
    for roll_id, row in enumerate(dice.keeps_in_roll):
        ids = row[row >= 0]
        assert {dice.keeps[i] for i in ids} == naive.sub_multisets(dice.keeps[roll_id])
        assert ids[0] == roll_id
        assert (np.diff(ids) > 0).all()
        assert (row[len(ids) :] == -1).all()


@given(st.lists(st.integers(1, 6), max_size=5))
def test_any_order_of_dice_has_the_id_of_their_multiset(faces):
    dice = lattice(5, 6)
    assert dice.keeps[dice.id_of(faces)] == tuple(sorted(faces))
