"""A plain policy in a game that saves throws: legal, the same play, and never a saved throw spent."""

from dataclasses import replace

import numpy as np
import pytest

from games import SAVING as TINY_SAVING
from games import SAVING_IN_ORDER, THREE_DICE, TINY
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.measure.exact import evaluate
from yatzy.measure.simulate import simulate
from yatzy.policies.heuristic import Greedy, Heuristic
from yatzy.policies.policy import check_decisions
from yatzy.policies.registry import find_policy
from yatzy.policies.transfer import Thrifty, without_saving
from yatzy.solver.states import state_space

SAVING = replace(THREE_DICE, name="three-dice-saving", saves_throws=True)


def states_of(rules):
    space = state_space(rules)
    rows, upper = np.nonzero(space.reachable)
    masks = space.masks[rows]
    unfinished = ~rules.is_finished(masks)
    return masks[unfinished], upper[unfinished]


def test_it_plays_this_turns_throws_as_the_plain_policy_does():
    plain, thrifty = Heuristic(THREE_DICE), Thrifty(Heuristic(THREE_DICE), SAVING)
    filled, upper = states_of(SAVING)
    decided, usual = thrifty.decide(filled, upper), plain.decide(filled & SAVING.n_sets - 1, upper)
    check_decisions(thrifty, filled, upper, decided)
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
    saving = evaluate(Thrifty(Heuristic(THREE_DICE), SAVING))
    assert saving.distribution.pmf == pytest.approx(plain.distribution.pmf, abs=1e-14)
    assert saving.fill_turn == pytest.approx(plain.fill_turn, abs=1e-14)


@pytest.mark.parametrize("game", [TINY_SAVING, SAVING_IN_ORDER], ids=lambda game: game.name)
@pytest.mark.parametrize("name", ["heuristic", "greedy", "random", "optimal"])
def test_every_named_policy_plays_a_game_that_saves(name, game, tmp_path):
    policy = find_policy(name, game, context=Context(tmp_path))
    exact, simulated = evaluate(policy), simulate(policy, 4_000, seed=3)
    assert policy.rules == game
    assert exact.mean <= solve(game).value() + 1e-9
    assert abs(simulated.mean - exact.mean) < 4 * simulated.standard_error


@pytest.mark.parametrize("name", ["heuristic", "greedy", "random", "optimal"])
def test_every_named_policy_fills_boxes_in_a_forced_order(name, tmp_path):
    game = replace(THREE_DICE, name="in-order", forced_order=True)
    found = evaluate(find_policy(name, game, context=Context(tmp_path)))
    assert found.fill_turn == pytest.approx(np.eye(game.n_categories), abs=1e-12)


def test_a_policy_for_another_game_is_refused():
    with pytest.raises(
        YatzyError, match=r"^policy: 'greedy' plays 'tiny'; allowed is one for 'three-dice-saving'"
    ):
        Thrifty(Greedy(TINY), SAVING)
    with pytest.raises(YatzyError, match=r"^policy: 'heuristic' plays 'three-dice'"):
        Thrifty(Heuristic(THREE_DICE), THREE_DICE)
    assert without_saving(SAVING) == THREE_DICE
