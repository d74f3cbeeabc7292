"""The best actions that kernels find are those of one turn in NumPy, ties included."""

from dataclasses import replace

import numpy as np
import pytest

from games import CHANCE, IN_ORDER, JOKERS, ONES, PAIR, SAVING, SAVING_JOKERS, THREE_DICE, TWOS
from yatzy import solve
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import by_level
from yatzy.rules import Ruleset
from yatzy.solver.advise import turn_of
from yatzy.turn.lattice import lattice
from yatzy.turn.numpy_turn import best_keeps

# Dice of two faces have short binary fractions for values: what is equal is equal in floating point too.
COINS = Ruleset("coins", 3, 2, 2, categories=(ONES, PAIR, TWOS, CHANCE), bonus_threshold=5, bonus=3)
SAVED_COINS = replace(COINS, name="saved-coins", rerolls=1, saves_throws=True)


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(
    "rules",
    [THREE_DICE, JOKERS, IN_ORDER, SAVING, SAVING_JOKERS, COINS, SAVED_COINS],
    ids=lambda rules: rules.name,
)
def test_kernels_choose_as_one_turn_does(rules, precision):
    table, dice = solve(rules, precision=precision), lattice(rules.dice, rules.faces)
    space, policy, saves, ties = table.space, Optimal(table), rules.saves_throws, 0
    for row, upper in np.argwhere(space.reachable).tolist():
        filled = int(space.masks[row])
        if rules.is_finished(filled):
            continue
        rerolls = rules.rerolls + (filled >> rules.saved_shift)
        turn, decisions = (
            turn_of(table, filled, upper, rerolls),
            policy.decide(np.array([filled]), np.array([upper])),
        )
        for left, category in enumerate(by_level(decisions.category)[0]):
            chosen = turn.outcome[category, np.arange(dice.n_rolls)]
            assert chosen.tolist() == turn.best_outcomes(left).tolist()
        for left in range(1, rerolls + 1):
            level, held = turn.levels[left - 1], turn.scored[left].best if saves else None
            assert decisions.keep[0, left - 1].tolist() == best_keeps(dice, level, held).tolist()
            inside = [level[ids[ids >= 0]] for ids in dice.keeps_in_roll]
            ties += sum(np.count_nonzero(worths == worths.max()) > 1 for worths in inside)
    assert ties > 0 or rules.faces > 2, "coins are there for their ties"
