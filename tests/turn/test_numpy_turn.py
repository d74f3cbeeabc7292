"""One turn in NumPy: its passes number by number, and the turns of all states of reduced games."""

import numpy as np
import pytest

from games import JOKERS, SAVING, SAVING_JOKERS, THREE_DICE
from yatzy import solve
from yatzy.solver.advise import turn_of
from yatzy.turn.lattice import lattice
from yatzy.turn.numpy_turn import best_inside, best_keeps, mean_over_dice, smaller_keeps


@pytest.mark.parametrize("shape", [(1, 6), (2, 3), (3, 4), (5, 6), (2, 12)])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_faces_are_added_one_after_another(shape, precision):
    dice = lattice(*shape)
    rolls = np.random.default_rng(7).random(dice.n_rolls).astype(precision)
    found, expected = mean_over_dice(dice, rolls), [*rolls]
    for keep in range(dice.n_rolls, dice.n_keeps):
        total = expected[dice.added[keep, 0]]
        for above in dice.added[keep, 1:]:
            total = total + expected[above]
        expected.append(total * rolls.dtype.type(1 / dice.faces))
    assert found.dtype == rolls.dtype
    assert found.tolist() == np.array(expected).tolist()


def test_the_best_keep_is_inside_its_roll_and_the_first_of_equals():
    dice = lattice(3, 4)
    keeps = np.random.default_rng(8).integers(0, 5, dice.n_keeps).astype(float)
    best, chosen = best_inside(dice, keeps), best_keeps(dice, keeps)
    held = best_keeps(dice, keeps, np.full(dice.n_rolls, 9.0))
    for roll in range(dice.n_rolls):
        inside = [k for k in dice.keeps_in_roll[roll].tolist() if k >= 0]
        assert best[roll] == max(keeps[inside])
        assert chosen[roll] == min(k for k in inside if keeps[k] == best[roll])
        assert held[roll] == roll
        assert smaller_keeps(dice)[roll].tolist() == inside[1:]


@pytest.mark.parametrize("rules", [THREE_DICE, JOKERS, SAVING, SAVING_JOKERS], ids=lambda rules: rules.name)
@pytest.mark.parametrize("theta", [0.0, 0.1, -0.1])
def test_a_turn_is_worth_what_the_solver_says(rules, theta):
    table = solve(rules, theta=theta)
    space = table.space
    for row, upper in np.argwhere(space.reachable).tolist():
        filled = int(space.masks[row])
        if not rules.is_finished(filled):
            turn = turn_of(table, filled, upper, rules.rerolls + (filled >> rules.saved_shift))
            assert turn.value == pytest.approx(table.value(filled, upper), abs=1e-12)
