"""Jokers, saved throws and a forced order: every value and every action against the twin, in exact fractions."""

import numpy as np
import pytest

import naive
from games import SPECIAL_GAMES
from yatzy import YatzyError, action_values, solve
from yatzy.rules import format_category, format_dice
from yatzy.solver.states import state_space
from yatzy.turn.lattice import lattice


@pytest.fixture(scope="module", params=SPECIAL_GAMES, ids=lambda rules: rules.name)
def rules(request):
    return request.param


@pytest.fixture(
    scope="module",
    params=[(rules, theta) for n, rules in enumerate(SPECIAL_GAMES) for theta in (0.0, (0.02, -0.02)[n % 2])],
    ids=lambda one: f"{one[0].name}-theta {one[1]}",
)
def solved(request):
    """(table, its twin, theta or 1): what the twin says is theta times points. Every other game shuns risk."""
    rules, theta = request.param
    twin = naive.RiskExpectimax(rules, theta) if theta else naive.Expectimax(rules)
    return solve(rules, theta=theta), twin, theta or 1


def unfinished(rules, step):
    states = [s for s in sorted(naive.reachable_states(rules)) if naive.open_categories(rules, s[0])]
    return states[::step]


def test_every_state_that_play_can_reach_is_known(rules):
    space = state_space(rules)
    for filled, upper in naive.reachable_states(rules):
        space.check(filled, upper)


def test_every_value_is_that_of_the_twin(solved):
    table, twin, _ = solved
    for filled, upper in naive.reachable_states(table.rules):
        assert table.value(filled, upper) == pytest.approx(twin.value(filled, upper), abs=1e-12)


def expected_actions(twin, filled, upper, roll, left):
    rules = twin.rules
    scores = {
        f"score {format_category(rules, c)}": twin.category(filled, upper, roll, c, left)
        for c in naive.choices(rules, filled, roll)
    }
    keeps = [kept for kept in naive.sub_multisets(roll) if left and kept != roll]
    return scores | {
        f"keep {format_dice(kept) or 'nothing'}": twin.keep(filled, upper, kept, left - 1) for kept in keeps
    }


def test_every_action_is_worth_what_the_twin_says(solved):
    table, twin, theta = solved
    rules, keeps = table.rules, lattice(table.rules.dice, table.rules.faces).keeps
    for filled, upper in unfinished(rules, step=11):
        for left in range(rules.rerolls + naive.throws_saved(rules, filled) + 1):
            found = action_values(table, filled, upper, np.arange(len(rules.rolls)), left)
            for roll_id, roll in enumerate(rules.rolls):
                expected = {
                    action: float(worth) / theta
                    for action, worth in expected_actions(twin, filled, upper, roll, left).items()
                }
                advice = {str(a.action): a.value for a in table.advise(roll, left, filled, upper)}
                assert advice == pytest.approx(expected, abs=1e-12)
                bulk = {f"score {format_category(rules, c)}": v for c, v in enumerate(found.category[roll_id])}
                bulk |= {
                    f"keep {format_dice(keeps[k]) or 'nothing'}": v
                    for k, v in zip(found.keep_ids[roll_id], found.keep[roll_id], strict=True)
                    if k >= 0
                }
                allowed = {action: v for action, v in bulk.items() if not np.isnan(v)}
                assert allowed == pytest.approx(expected, abs=1e-12)


def test_more_throws_in_hand_are_never_worse(rules):
    if not rules.saves_throws:
        with pytest.raises(YatzyError, match=r"^filled: "):
            solve(rules).value(1 << rules.saved_shift | 1)
        return
    table, space = solve(rules), state_space(rules)
    for of_set in range(rules.n_sets):
        if space.possible[of_set]:
            values = table.stored[space.row(of_set) : space.row(of_set) + space.n_saved[of_set]]
            assert (np.diff(values, axis=0)[:, ~np.isnan(values[0])] > -1e-12).all()
