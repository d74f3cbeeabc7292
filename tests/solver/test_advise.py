"""Advice for one situation: complete, sorted, and worth what the twins say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from yatzy import YatzyError, solve
from yatzy.game.action import Keep, Score
from yatzy.rules import Category, Ruleset, format_category, parse_filled, parse_state
from yatzy.solver.states import StateSpace


def expected_actions(rules, roll, rerolls, filled):
    """Every open category and, while rerolls are left, every keep of fewer than all dice."""
    keeps = [kept for kept in naive.sub_multisets(roll) if len(kept) < rules.dice] if rerolls else []
    scores = [Score(format_category(rules, c)) for c in naive.open_categories(rules, filled)]
    return scores + [Keep(kept) for kept in keeps]


def assert_complete_and_sorted(rules, actions, roll, rerolls, filled):
    expected = expected_actions(rules, roll, rerolls, filled)
    assert {a.action for a in actions} == set(expected)
    assert len(actions) == len(expected)
    values = [a.value for a in actions]
    assert values == sorted(values, reverse=True)
    assert actions[0].regret == 0
    assert [a.regret for a in actions] == [values[0] - value for value in values]


@pytest.mark.parametrize("rerolls", [0, 1, 2])
def test_every_action_of_a_reduced_game_is_worth_the_exact_fraction(small_table, rerolls):
    rules, exact = small_table.rules, naive.Expectimax(small_table.rules)
    for filled, upper in sorted(naive.reachable_states(rules))[::7]:
        if not naive.open_categories(rules, filled):
            continue
        for roll in rules.rolls:
            actions = small_table.advise(roll, rerolls, filled, upper)
            assert_complete_and_sorted(rules, actions, roll, rerolls, filled)
            worth = {
                Score(format_category(rules, c)): exact.category(filled, upper, roll, c)
                for c in naive.open_categories(rules, filled)
            } | {
                Keep(kept): exact.keep(filled, upper, kept, rerolls - 1)
                for kept in naive.sub_multisets(roll)
                if rerolls and len(kept) < rules.dice
            }
            assert {a.action: a.value for a in actions} == pytest.approx(
                {action: float(value) for action, value in worth.items()}, abs=1e-12
            )


@pytest.mark.parametrize("theta", [0.4, -0.4])
def test_risk_advice_is_the_log_sum_exp(small_rules, theta):
    risky, exact = solve(small_rules, theta=theta), naive.RiskExpectimax(small_rules, theta)
    for roll in small_rules.rolls:
        actions = risky.advise(roll, 2, filled="ones", upper=2)
        assert_complete_and_sorted(small_rules, actions, roll, 2, 1)
        worth = {a.action: a.value for a in actions}
        for kept in naive.sub_multisets(roll) - {roll}:
            assert worth[Keep(kept)] == pytest.approx(exact.keep(1, 2, kept, 1) / theta, abs=1e-9)
        for c in (1, 2, 3):
            action = Score(format_category(small_rules, c))
            assert worth[action] == pytest.approx(exact.category(1, 2, roll, c) / theta, abs=1e-9)


@pytest.mark.compiled
@given(
    st.lists(st.integers(1, 6), min_size=5, max_size=5),
    st.integers(0, 2),
    st.integers(0, 2**15 - 2),
    st.randoms(use_true_random=False),
)
def test_any_situation_of_the_full_game(table, dice, rerolls, filled, random):
    upper = random.choice(np.flatnonzero(table.space.reachable[filled]).tolist())
    actions = table.advise(dice, rerolls, filled, upper)
    assert_complete_and_sorted(table.rules, actions, tuple(sorted(dice)), rerolls, filled)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "state", ["- @ 0", "ones,threes,two pairs,yatzy @ 11", "twos,sixes,chance,full house @ 30"]
)
def test_keeps_are_worth_what_the_forerunners_algorithm_says(table, state):
    parsed = parse_state(table.rules, state)
    widget = naive.Widget(table.rules)
    by_rerolls, _ = widget.turn(parsed.filled, parsed.upper, lambda *after: table.values[after])
    scored = widget.category_worths(parsed.filled, parsed.upper, lambda *after: table.values[after])
    roll = (1, 3, 3, 5, 6)
    for rerolls in (1, 2):
        worth = {a.action: a.value for a in table.advise(roll, rerolls, parsed.filled, parsed.upper)}
        for kept in naive.sub_multisets(roll) - {roll}:
            expected = by_rerolls[rerolls - 1][widget.keeps.index(kept)]
            assert worth[Keep(kept)] == pytest.approx(expected, abs=1e-9)
        for c in naive.open_categories(table.rules, parsed.filled):
            action = Score(format_category(table.rules, c))
            assert worth[action] == pytest.approx(scored[widget.rolls.index(roll), c], abs=1e-9)


@pytest.mark.compiled
def test_the_sample_roll_of_the_readme(table):
    actions = table.advise("1 3 3 5 6", 2)
    assert actions.best == Keep((3, 3))
    # 2 * 3 * 2 * 2 * 2 sub-multisets less the full roll, and 15 categories.
    assert len(actions) == 2 * 3 * 2 * 2 - 1 + 15


@pytest.mark.compiled
def test_five_sixes_are_scored_at_once(table):
    assert table.advise("66666", 2).best == Score("yatzy")


def test_any_spelling_is_the_same_question(small_table):
    expected = small_table.advise((1, 2, 4), 2, 9, 3)
    for dice in ("1 2 4", "421", [4, 1, 2], np.array([1, 2, 4])):
        for filled in ("ones,run", ["Run", "ones"], 9):
            assert small_table.advise(dice, 2, filled, 3) == expected


def test_equal_actions_stand_in_the_order_of_their_ids():
    """A category that never scores: every action is worth 0; categories first, then keeps by id."""
    never = tuple(Category(name, lambda counts: 0) for name in ("Never", "Not Ever"))
    table = solve(Ruleset("hopeless", dice=2, faces=2, rerolls=1, categories=never))
    actions = table.advise("1 2", 1)
    assert [a.action for a in actions] == [Score("never"), Score("not ever"), Keep((1,)), Keep((2,)), Keep()]
    assert {(a.value, a.regret) for a in actions} == {(0.0, 0.0)}


def test_the_last_category_is_the_only_choice(small_table):
    filled = parse_filled(small_table.rules, "twos,fours,run")
    [only] = small_table.advise("1 1 4", 0, filled, 0)
    assert (only.action, only.value, only.regret) == (Score("ones"), 2.0, 0.0)
    assert (only.points, only.extra) == (2, None)


BAD_ARGUMENTS = [
    ({"dice": "1 2"}, "dice"),
    ({"dice": "1 2 5"}, "dice"),
    ({"dice": "1 2 x"}, "dice"),
    ({"dice": None}, "dice"),
    ({"rerolls": 3}, "rerolls"),
    ({"rerolls": -1}, "rerolls"),
    ({"rerolls": 1.0}, "rerolls"),
    ({"filled": 16}, "filled"),
    ({"filled": -1}, "filled"),
    ({"filled": "ones,ones"}, "filled"),
    ({"filled": "poker"}, "category"),
    ({"filled": 1.5}, "filled"),
    ({"filled": 15}, "filled: the game is finished"),
    ({"upper": 1}, "upper"),
    ({"upper": -1}, "upper"),
    ({"upper": 99}, "upper"),
    ({"upper": "3"}, "upper"),
    ({"upper": 1.0}, "upper"),
    ({"filled": "ones", "upper": 4}, "upper: 4 cannot occur with filled 'ones'; allowed: 0..3"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS, ids=str)
def test_bad_input_is_refused_by_name(small_table, arguments, message):
    with pytest.raises(YatzyError, match=f"^{message}"):
        small_table.advise(**{"dice": "1 2 4", "rerolls": 2} | arguments)


anything = st.none() | st.booleans() | st.integers(-5, 20) | st.floats() | st.text("0123456789 ,xones", max_size=9)


@given(anything | st.lists(st.integers(-1, 6), max_size=4), anything, anything, anything)
def test_anything_is_advised_or_refused(small_table, dice, rerolls, filled, upper):
    try:
        best, *_ = small_table.advise(dice, rerolls, filled, upper)
        outcome = best.regret
    except YatzyError as error:
        outcome = str(error).split(":")[0]
    assert outcome in {0.0, "dice", "rerolls", "filled", "category", "upper"}


@pytest.mark.parametrize("asked", [("1 2 3 | 1 | ones @ 1",), ("1 2 3", 1, "ones", 1)])
def test_one_advice_checks_its_state_once(small_table, monkeypatch, asked):
    """It was checked where the situation is made, and again where it is ranked, which took a fifth of the time."""
    checked = []
    monkeypatch.setattr(StateSpace, "check", lambda _, *state: checked.append(state))
    small_table.advise(*asked)
    assert checked == [(0b1, 1)]
