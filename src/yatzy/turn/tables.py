"""From a ruleset to the tables and folds that the kernels run on."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import LANE_BITS, aligned
from yatzy.dice import lattice
from yatzy.rules import Ruleset
from yatzy.turn.lanes import Fold
from yatzy.turn.values import Game


@lru_cache(maxsize=8)
def game_tables(rules: Ruleset, precision: str) -> Game:
    """The ruleset as kernels see it; probabilities in the given precision."""
    dice = lattice(rules.dice, rules.faces)
    scores = np.array(rules.scores, dtype=np.int64)
    is_upper = np.array([category.upper for category in rules.categories], dtype=np.int64)
    options = [
        (category_id, points)
        for category_id in range(rules.n_categories)
        for points in sorted(set(scores[:, category_id].tolist()) - {0})
    ]
    option_category = np.array([c for c, _ in options], dtype=np.int64)
    option_points = np.array([p for _, p in options], dtype=np.int64)
    floor_row = dice.n_keeps
    row_of_option = {option: floor_row + 1 + i for i, option in enumerate(options)}
    choose = [
        (roll, [floor_row, *(row_of_option[c, int(p)] for c, p in enumerate(scores[roll]) if p)])
        for roll in range(dice.n_rolls)
    ]
    smaller = range(dice.n_rolls, dice.n_keeps)
    mean = [(keep, dice.added[keep]) for keep in smaller]
    best = [(keep, [keep, *(k for k in dice.removed[keep] if k >= 0)]) for keep in range(dice.n_keeps - 2, -1, -1)]
    return Game(
        option_category=option_category,
        option_points=option_points,
        option_lift=option_points * is_upper[option_category],
        score_by_roll_category=scores,
        is_upper=is_upper,
        prob_roll=dice.prob_roll.astype(precision),
        keeps_in_roll=dice.keeps_in_roll,
        choose=Fold("max", choose),
        mean=Fold("mean", mean),
        best=Fold("max", best),
        n_categories=rules.n_categories,
        n_keeps=dice.n_keeps,
        n_rerolls=rules.rerolls,
    )


def option_weights(game: Game, theta: float, precision: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """(gain, points) by option: utility of an option = gain * utility after it + points."""
    if theta == 0:
        return np.ones(len(game.option_points), precision), game.option_points.astype(precision)
    return np.exp(theta * game.option_points), np.zeros(len(game.option_points))


def work_buffer(game: Game, precision: str) -> NDArray[Any]:
    """Scratch for one thread: a row per keep, the floor, and the options."""
    n_rows = game.n_keeps + 1 + len(game.option_category)
    dtype = np.dtype(precision)
    return aligned((n_rows, LANE_BITS // 8 // dtype.itemsize), dtype)


def successor_rows(game: Game, n_uppers: int, precision: str) -> NDArray[Any]:
    """Scratch for one thread: a row per category, padded for upper totals past the cap."""
    dtype = np.dtype(precision)
    padding = int(max(game.option_lift, default=0)) + LANE_BITS // 8 // dtype.itemsize
    return aligned((game.n_categories, n_uppers + padding), dtype)
