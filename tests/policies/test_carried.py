"""Perfect play of one game in another: legal everywhere, perfect at home, and never better than perfect."""

from dataclasses import replace

import numpy as np
import pytest

from games import CHANCE, EXTRA_ALONE, FREE_JOKERS, JOKERS, PAIR, SAVING, THREE_DICE, TINY
from yatzy import YatzyError, solve
from yatzy.measure.exact import evaluate
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import check_decisions
from yatzy.policies.transfer import CarriedOver
from yatzy.solver.states import state_space

PLAIN = replace(JOKERS, name="plain", special=None)


def test_at_home_it_is_perfect_play():
    home = CarriedOver(Optimal(solve(THREE_DICE)), THREE_DICE)
    assert home.counterpart.tolist() == [0, 1, 2, 3]
    assert evaluate(home).mean == pytest.approx(solve(THREE_DICE).value(), abs=1e-12)


@pytest.mark.parametrize(
    "game",
    [
        JOKERS,
        FREE_JOKERS,
        replace(EXTRA_ALONE, rerolls=2),
        replace(PLAIN, name="one-box-more", categories=(*PLAIN.categories, CHANCE, PAIR)),
        replace(PLAIN, name="other-order", categories=PLAIN.categories[::-1]),
        replace(PLAIN, name="no-bonus", bonus=0, bonus_threshold=0),
        replace(PLAIN, name="nothing-in-common", categories=(CHANCE, PAIR)),
    ],
    ids=lambda game: game.name,
)
def test_elsewhere_it_is_legal_and_not_better(game):
    carried = CarriedOver(Optimal(solve(PLAIN)), game)
    space = state_space(game)
    rows, upper = np.nonzero(space.reachable)
    filled = space.masks[rows]
    unfinished = ~game.is_finished(filled)
    filled, upper = filled[unfinished], upper[unfinished]
    check_decisions(carried, filled, upper, carried.decide(filled, upper))
    assert evaluate(carried).mean <= solve(game).value() + 1e-12


def test_what_does_not_carry_over_is_refused():
    known = Optimal(solve(TINY))
    for game in (THREE_DICE, replace(TINY, rerolls=1), replace(TINY, forced_order=True)):
        with pytest.raises(YatzyError, match="does not carry over"):
            CarriedOver(known, game)
    with pytest.raises(YatzyError, match="does not carry over"):
        CarriedOver(Optimal(solve(SAVING)), SAVING)
