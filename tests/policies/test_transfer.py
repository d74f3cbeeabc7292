"""A policy of one game in another: legal everywhere, the same at home, and never better than perfect play."""

from dataclasses import replace

import numpy as np
import pytest

from games import CHANCE, EXTRA_ALONE, FREE_JOKERS, JOKERS, PAIR, THREE_DICE, TINY
from yatzy import YatzyError, solve
from yatzy.measure.exact import evaluate
from yatzy.policies.baselines import Greedy, Heuristic
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import check_decisions
from yatzy.policies.transfer import IgnoresSavedThrows, Transferred, without_saving
from yatzy.solver.states import state_space

SAVING = replace(THREE_DICE, name="three-dice-saving", saves_throws=True)
PLAIN = replace(JOKERS, name="plain", special=None)


def states_of(rules):
    space = state_space(rules)
    rows, upper = np.nonzero(space.reachable)
    masks = space.masks[rows]
    unfinished = ~rules.is_finished(masks)
    return masks[unfinished], upper[unfinished]


def test_at_home_it_is_perfect_play():
    home = Transferred(Optimal(solve(THREE_DICE)), THREE_DICE)
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
    carried = Transferred(Optimal(solve(PLAIN)), game)
    filled, upper = states_of(game)
    check_decisions(carried, filled, upper, carried.decide(filled, upper))
    assert evaluate(carried).mean <= solve(game).value() + 1e-12


def test_what_does_not_carry_over_is_refused():
    known = Optimal(solve(TINY))
    for game in (THREE_DICE, replace(TINY, rerolls=1), replace(TINY, forced_order=True)):
        with pytest.raises(YatzyError, match="does not transfer"):
            Transferred(known, game)
    with pytest.raises(YatzyError, match="does not transfer"):
        Transferred(Optimal(solve(SAVING)), SAVING)


def test_without_saving_this_turns_throws_are_played_as_ever():
    plain, saving = Heuristic(THREE_DICE), IgnoresSavedThrows(Heuristic(THREE_DICE), SAVING)
    filled, upper = states_of(SAVING)
    decided, usual = saving.decide(filled, upper), plain.decide(filled & SAVING.n_sets - 1, upper)
    check_decisions(saving, filled, upper, decided)
    n_rolls = decided.keep.shape[2]
    for i, saved in enumerate((filled >> SAVING.saved_shift).tolist()):
        assert (decided.category[i] == usual.category[i]).all()
        assert (decided.keep[i, saved : saved + SAVING.rerolls] == usual.keep[i]).all()
        assert (decided.keep[i, :saved] == np.arange(n_rolls)).all()


def test_what_saving_cannot_change_is_the_same():
    """Saved throws are never spent, so every score is as likely as in the game without them.

    The greedy policy may pass a throw and go on with the next, which saving does not allow: not so the heuristic.
    """
    plain = evaluate(Heuristic(THREE_DICE))
    saving = evaluate(IgnoresSavedThrows(Heuristic(THREE_DICE), SAVING))
    assert saving.distribution.pmf == pytest.approx(plain.distribution.pmf, abs=1e-14)
    assert saving.fill_turn == pytest.approx(plain.fill_turn, abs=1e-14)


def test_a_policy_for_another_game_is_refused():
    with pytest.raises(
        YatzyError, match=r"^policy: 'greedy' plays 'tiny'; allowed is one for 'three-dice-saving'"
    ):
        IgnoresSavedThrows(Greedy(TINY), SAVING)
    with pytest.raises(YatzyError, match=r"^policy: 'heuristic' plays 'three-dice'"):
        IgnoresSavedThrows(Heuristic(THREE_DICE), THREE_DICE)
    assert without_saving(SAVING) == THREE_DICE
