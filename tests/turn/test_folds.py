"""Lanes and folds, compiled or as plain Python, against NumPy."""

import hashlib

import numpy as np
import pytest
from numba import njit

import naive
from yatzy.arrays import LANE_BYTES, aligned, lanes_of
from yatzy.turn.kernels import llvm
from yatzy.turn.kernels.folds import Fold
from yatzy.turn.kernels.simd import fold, n_lanes, where_equal
from yatzy.turn.kernels.simd import load as load_lanes
from yatzy.turn.kernels.simd import store as store_lanes
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import after, outcomes
from yatzy.turn.tables import point_weights, turn_scratch, turn_tables, work_buffer

PRECISIONS = ["float64", "float32"]


@njit
def run_fold(work, steps):
    fold(work, steps)


@njit
def count_lanes(work):
    return n_lanes(work)


@njit
def pick(work):
    """Row 2: 7 where rows 0 and 1 are equal, else row 1."""
    width = n_lanes(work)
    other = load_lanes(work, width)
    store_lanes(work, 2 * width, where_equal(load_lanes(work, 0), other, work.dtype.type(7), other))


def random_rows(n_rows, precision):
    work = aligned((n_rows, lanes_of(precision)), precision)
    work[:] = np.random.default_rng(3).normal(100, 40, work.shape)
    return work


@pytest.mark.parametrize(("precision", "width"), [("float64", 8), ("float32", 16)])
def test_lanes_fill_512_bits(precision, width):
    assert count_lanes(random_rows(2, precision)) == width


@pytest.mark.parametrize("precision", PRECISIONS)
def test_equal_lanes_are_chosen(precision):
    work = random_rows(3, precision)
    work[0, ::3] = work[1, ::3]
    expected = work[1].copy()
    expected[::3] = 7
    pick(work)
    assert (work[2] == expected).all()


@pytest.mark.parametrize("draft", [False, True])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_mean_fold_is_a_mean_of_rows_in_order(precision, draft):
    """The second step reads what the first one wrote."""
    work = random_rows(300, precision)
    expected = work.astype(np.float64)
    expected[299] = expected[[0, 5, 290]].mean(axis=0)
    expected[2] = expected[[299, 1]].mean(axis=0)
    run_fold(work, Fold("mean", [(299, [0, 5, 290]), (2, [299, 1])], precision, draft=draft))
    assert work == pytest.approx(expected, rel=1e-15 if precision == "float64" else 1e-6)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_max_fold_is_a_maximum_of_rows_in_order(precision):
    work = random_rows(300, precision)
    expected = work.copy()
    expected[7] = expected[[7, 280, 3]].max(axis=0)
    expected[0] = expected[[7, 1, 2, 4, 299]].max(axis=0)
    run_fold(work, Fold("max", [(7, [7, 280, 3]), (0, [7, 1, 2, 4, 299])], precision))
    assert (work == expected).all()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_called_from_python_and_as_plain_numpy_a_fold_gives_the_same_bits(precision, rules):
    folds = [made for made in turn_tables(rules, precision) if isinstance(made, Fold)]
    assert len(folds) == 4
    for made in folds:
        work = random_rows(len(work_buffer(rules)), precision)
        plain = work.copy()
        made(work)
        made.run(plain)
        assert (work == plain).all()


def test_operations_of_the_full_game_are_those_of_the_docs(rules):
    """docs/algorithms.md counts them."""
    turn = turn_tables(rules)
    assert turn.choose.n_operations == 1544
    assert turn.mean.n_operations == 1050
    assert len(turn.mean.steps) == 210
    assert turn.best.n_operations == 1260
    assert sum(len(sources) for _, sources in turn.spread.steps) == 1260
    assert len(turn.spread.steps) == 461
    assert outcomes(rules).n == 121
    assert len(turn.keeps_in_roll[turn.keeps_in_roll >= 0]) == 4368


def test_folds_of_the_full_game_are_the_matrix_and_the_best_keep(rules):
    """One reroll for eight sets of roll values, against the 462 x 252 matrix."""
    turn, dice = turn_tables(rules), lattice(5, 6)
    keeps, rolls, prob = naive.transition_matrix(5, 6)
    work = random_rows(len(work_buffer(rules)), "float64")
    roll_values = work[[dice.id_of(roll) for roll in rolls]].copy()
    run_fold(work, turn.mean)
    by_matrix = prob @ roll_values
    assert work[[dice.id_of(keep) for keep in keeps]] == pytest.approx(by_matrix, abs=1e-10)
    run_fold(work, turn.best)
    row = {keep: i for i, keep in enumerate(keeps)}
    for roll in rolls:
        inside = [row[keep] for keep in naive.sub_multisets(roll)]
        assert work[dice.id_of(roll)] == pytest.approx(by_matrix[inside].max(axis=0), abs=1e-10)


def test_outcomes_are_the_distinct_scores_and_zero(rules):
    ends = outcomes(rules)
    found = set(zip(ends.category.tolist(), ends.points.tolist(), strict=True))
    assert found == {(c, p) for row in rules.scores for c, p in enumerate(row)} | {(c, 0) for c in range(15)}
    assert len(found) == ends.n
    assert (ends.lift == np.where(ends.category < 6, ends.points, 0)).all()
    assert (ends.bits == 2**ends.category).all()


@pytest.mark.parametrize(("state", "outcome", "expected"), [
    ((0b101, 7), (0b10, 5), (0b111, 12)),
    ((0b101, 60), (0b10, 5), (0b111, 63)),
    ((0b101, 63), (0b1000, 0), (0b1101, 63)),
])  # fmt: skip
def test_the_state_after_an_outcome(state, outcome, expected):
    assert after(*state, *outcome, 63) == expected
    masks, uppers = after(*(np.full(3, n) for n in (*state, *outcome)), 63)
    assert (masks.tolist(), uppers.tolist()) == ([expected[0]] * 3, [expected[1]] * 3)


def test_an_outcome_is_worth_its_points_or_its_utility_factor(small_rules):
    points = outcomes(small_rules).points
    gain, added = point_weights(small_rules, 0.0)
    assert (gain == 1).all()
    assert (added == points).all()
    gain, added = point_weights(small_rules, -0.2)
    assert gain == pytest.approx(np.exp(-0.2 * points))
    assert (added == 0).all()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_scratch_begins_on_a_lane_boundary_and_is_one_for_a_thread(small_rules, precision):
    for scratch in turn_scratch(small_rules, precision):
        assert scratch.ctypes.data % LANE_BYTES == 0
    assert turn_scratch(small_rules, precision).work is turn_scratch(small_rules, precision).work


@pytest.mark.skipif(not llvm.COMPILES, reason="nothing is compiled")
def test_compiled_code_is_kept_and_a_damaged_file_is_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setattr(llvm, "code_cache", lambda: tmp_path)
    monkeypatch.setattr(llvm, "_loaded", {})
    steps = [(2, [0, 1])]
    Fold("max", steps)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    assert whole[:32] == hashlib.sha256(whole[32:]).digest()
    file.write_bytes(whole[:-9] + b"damaged!!")
    llvm._loaded.clear()
    work = random_rows(3, "float64")
    expected = work[:2].max(axis=0)
    run_fold(work, Fold("max", steps))
    assert (work[2] == expected).all()
    assert file.read_bytes() == whole
