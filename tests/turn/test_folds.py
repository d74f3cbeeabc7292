"""Lanes and folds, compiled or as plain Python, against NumPy."""

import numpy as np
import pytest
from numba import njit

import naive
from yatzy.arrays import aligned
from yatzy.dice import lattice
from yatzy.turn.lanes import LANE_BITS, Fold, fold, n_lanes
from yatzy.turn.tables import game_tables, option_weights, successor_rows, work_buffer

PRECISIONS = ["float64", "float32"]


@njit
def run_fold(work, steps):
    fold(work, steps)


@njit
def count_lanes(work):
    return n_lanes(work)


def random_rows(n_rows, precision):
    width = LANE_BITS // 8 // np.dtype(precision).itemsize
    work = aligned((n_rows, width), np.dtype(precision))
    work[:] = np.random.default_rng(3).normal(100, 40, work.shape)
    return work


@pytest.mark.parametrize(("precision", "width"), [("float64", 8), ("float32", 16)])
def test_lanes_fill_512_bits(precision, width):
    assert count_lanes(random_rows(2, precision)) == width


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_mean_fold_is_a_mean_of_rows_in_order(precision):
    """The second step reads what the first one wrote."""
    work = random_rows(300, precision)
    expected = work.astype(np.float64)
    expected[299] = expected[[0, 5, 290]].mean(axis=0)
    expected[2] = expected[[299, 1]].mean(axis=0)
    run_fold(work, Fold("mean", [(299, [0, 5, 290]), (2, [299, 1])]))
    assert work == pytest.approx(expected, rel=1e-15 if precision == "float64" else 1e-6)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_max_fold_is_a_maximum_of_rows_in_order(precision):
    work = random_rows(300, precision)
    expected = work.copy()
    expected[7] = expected[[7, 280, 3]].max(axis=0)
    expected[0] = expected[[7, 1, 2, 4, 299]].max(axis=0)
    run_fold(work, Fold("max", [(7, [7, 280, 3]), (0, [7, 1, 2, 4, 299])]))
    assert (work == expected).all()


def test_folds_of_the_full_game_are_as_small_as_the_lattice(rules):
    game = game_tables(rules, "float64")
    assert sum(len(sources) for _, sources in game.mean.steps) == 1260
    assert game.best.n_operations == 1260
    assert game.choose.n_operations == 1544
    assert game.mean.n_operations == 210 * 5


def test_folds_of_the_full_game_are_the_matrix_and_the_best_keep(rules):
    """One reroll for eight sets of roll values, against the 462 x 252 matrix."""
    game, dice = game_tables(rules, "float64"), lattice(5, 6)
    keeps, rolls, prob = naive.transition_matrix(5, 6)
    work = random_rows(dice.n_keeps, "float64")
    roll_values = work[[dice.id_of(roll) for roll in rolls]].copy()
    run_fold(work, game.mean)
    by_matrix = prob @ roll_values
    assert work[[dice.id_of(keep) for keep in keeps]] == pytest.approx(by_matrix, abs=1e-10)
    run_fold(work, game.best)
    row = {keep: i for i, keep in enumerate(keeps)}
    for roll in rolls:
        inside = [row[keep] for keep in naive.sub_multisets(roll)]
        assert work[dice.id_of(roll)] == pytest.approx(by_matrix[inside].max(axis=0), abs=1e-10)


def test_two_folds_are_one_type_exactly_when_they_do_the_same():
    steps = [(2, [0, 1])]
    assert Fold("max", steps).numba_type == Fold("max", steps).numba_type
    others = [Fold("mean", steps), Fold("max", [(2, [1, 0])]), Fold("max", [(2, [0, 1]), (3, [2])])]
    assert Fold("max", steps).numba_type not in [other.numba_type for other in others]


def test_options_are_the_distinct_nonzero_scores(rules):
    game = game_tables(rules, "float64")
    options = set(zip(game.option_category.tolist(), game.option_points.tolist(), strict=True))
    assert options == {(c, p) for row in rules.scores for c, p in enumerate(row) if p}
    assert len(options) == len(game.option_points)
    assert (game.option_lift == np.where(game.option_category < 6, game.option_points, 0)).all()


def test_an_option_is_worth_its_points_or_its_utility_factor(small_rules):
    game = game_tables(small_rules, "float64")
    gain, points = option_weights(game, 0.0, "float64")
    assert (gain == 1).all()
    assert (points == game.option_points).all()
    gain, points = option_weights(game, -0.2, "float64")
    assert gain == pytest.approx(np.exp(-0.2 * game.option_points))
    assert (points == 0).all()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_scratch_begins_on_a_lane_boundary(small_rules, precision):
    game = game_tables(small_rules, precision)
    for scratch in (work_buffer(game, precision), successor_rows(game, 15, precision)):
        assert scratch.ctypes.data % (LANE_BITS // 8) == 0
        assert not scratch.any()
    assert successor_rows(game, 15, precision).shape[1] >= 15 + 12 + count_lanes(work_buffer(game, precision)) - 1
