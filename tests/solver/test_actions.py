"""Values of actions in bulk: the same as one by one, and on average the value of the state."""

import numpy as np
import pytest

import naive
from yatzy import YatzyError, action_values, solve
from yatzy.rules import format_category
from yatzy.solver.actions import SITUATIONS_PER_PART
from yatzy.turn.lattice import lattice


def random_situations(table, n, seed):
    """(filled, upper, roll_ids, rerolls) columns of reachable, unfinished situations."""
    rng = np.random.default_rng(seed)
    states = np.argwhere(table.space.reachable[:-1])
    filled, upper = states[rng.integers(len(states), size=n)].T
    n_rolls = lattice(table.rules.dice, table.rules.faces).n_rolls
    return filled, upper, rng.integers(n_rolls, size=n), rng.integers(table.rules.rerolls + 1, size=n)


def best_of(found):
    """(n,): value of the best action."""
    return np.nanmax(np.hstack([found.category, found.keep]), axis=1)


def as_actions(table, found, i):
    """Row i of a batch as {action: value}."""
    keeps = lattice(table.rules.dice, table.rules.faces).keeps
    worth = {f"score {format_category(table.rules, c)}": v for c, v in enumerate(found.category[i])}
    worth |= {
        "keep " + (" ".join(map(str, keeps[k])) or "nothing"): v
        for k, v in zip(found.keep_ids[i], found.keep[i], strict=True)
        if k >= 0
    }
    return {action: float(value) for action, value in worth.items() if not np.isnan(value)}


def assert_batch_is_single(table, columns):
    found = action_values(table, *columns)
    rolls = lattice(table.rules.dice, table.rules.faces).keeps
    for i, (filled, upper, roll_id, rerolls) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        single = table.advise(rolls[roll_id], rerolls, filled, upper)
        assert as_actions(table, found, i) == {str(a.action): a.value for a in single}


def test_every_action_of_every_situation_is_worth_the_exact_fraction(reduced_table):
    rules, exact = reduced_table.rules, naive.Expectimax(reduced_table.rules)
    n_rolls = len(rules.rolls)
    for filled, upper in naive.reachable_states(rules):
        open_ids = naive.open_categories(rules, filled)
        if not open_ids:
            continue
        for rerolls in range(rules.rerolls + 1):
            found = action_values(reduced_table, filled, upper, np.arange(n_rolls), rerolls)
            for roll_id, roll in enumerate(rules.rolls):
                worths = [
                    float(exact.category(filled, upper, roll, c)) if c in open_ids else np.nan
                    for c in range(rules.n_categories)
                ]
                assert found.category[roll_id] == pytest.approx(worths, abs=1e-12, nan_ok=True)
                for keep_id, value in zip(found.keep_ids[roll_id], found.keep[roll_id], strict=True):
                    kept = lattice(rules.dice, rules.faces).keeps[keep_id]
                    if keep_id < 0 or len(kept) == rules.dice or rerolls == 0:
                        assert np.isnan(value)
                    else:
                        expected = float(exact.keep(filled, upper, kept, rerolls - 1))
                        assert value == pytest.approx(expected, abs=1e-12)


def test_best_actions_average_to_the_value_of_the_state(reduced_table):
    rules = reduced_table.rules
    prob = [naive.prob_of_throw(roll, rules.faces) for roll in rules.rolls]
    for filled, upper in naive.reachable_states(rules):
        if filled != rules.all_filled:
            found = action_values(reduced_table, filled, upper, np.arange(len(prob)), rules.rerolls)
            assert np.dot(prob, best_of(found)) == pytest.approx(reduced_table.value(filled, upper), abs=1e-12)


@pytest.mark.compiled
def test_best_actions_average_to_the_value_of_the_state_in_the_full_game(table):
    filled, upper, _, _ = random_situations(table, 300, seed=7)
    prob = [naive.prob_of_throw(roll, 6) for roll in table.rules.rolls]
    roll_ids = np.tile(np.arange(252), 300)
    found = action_values(table, np.repeat(filled, 252), np.repeat(upper, 252), roll_ids, 2)
    means = best_of(found).reshape(300, 252) @ prob
    assert means == pytest.approx(table.values[filled, upper], abs=1e-9)


def test_batch_equals_single_to_the_last_bit(small_table):
    assert_batch_is_single(small_table, random_situations(small_table, 203, seed=8))


def test_float32_batch_equals_single_to_the_last_bit(small_rules):
    quick = solve(small_rules, precision="float32")
    columns = random_situations(quick, 53, seed=9)
    assert action_values(quick, *columns).keep.dtype == np.float32
    assert_batch_is_single(quick, columns)


@pytest.mark.compiled
def test_batch_equals_single_to_the_last_bit_in_the_full_game(table):
    assert_batch_is_single(table, random_situations(table, 200, seed=10))


def test_a_situation_is_worth_the_same_in_any_company(small_table):
    """Lanes are independent: alone, in another order, with other threads."""
    columns = random_situations(small_table, 40, seed=11)
    together = action_values(small_table, *columns)
    turned = action_values(small_table, *(column[::-1] for column in columns))
    for i in range(40):
        alone = action_values(small_table, *(column[i] for column in columns))
        for one, all_, other in zip(alone, together, turned, strict=True):
            assert one[0].tobytes() == all_[i].tobytes() == other[39 - i].tobytes()


@pytest.mark.compiled
def test_a_batch_does_not_depend_on_the_number_of_threads(table):
    columns = random_situations(table, 3 * SITUATIONS_PER_PART, seed=12)
    one, *others = (action_values(table, *columns, threads=threads) for threads in (1, 2, 3))
    for other in others:
        assert all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("theta", [0.4, -0.4])
def test_risk_in_bulk_is_the_risk_of_one(small_rules, theta):
    """And the certainty equivalent of the best actions is that of the state."""
    risky = solve(small_rules, theta=theta)
    columns = random_situations(risky, 101, seed=13)
    found = action_values(risky, *columns)
    for i, (filled, upper, roll_id, rerolls) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        single = risky.advise(small_rules.rolls[roll_id], rerolls, filled, upper)
        assert as_actions(risky, found, i) == pytest.approx({str(a.action): a.value for a in single}, abs=1e-12)
    prob = [naive.prob_of_throw(roll, small_rules.faces) for roll in small_rules.rolls]
    best = best_of(action_values(risky, 1, 2, np.arange(len(prob)), 2))
    assert np.log(np.dot(prob, np.exp(theta * best))) / theta == pytest.approx(risky.value(1, 2), abs=1e-12)


def test_arguments_are_broadcast(small_table):
    by_scalar = action_values(small_table, 1, 2, [0, 5, 7], 2)
    by_column = action_values(small_table, [1, 1, 1], [2, 2, 2], [0, 5, 7], [2, 2, 2])
    for one, other in zip(by_scalar, by_column, strict=True):
        assert one.tobytes() == other.tobytes()


def test_no_situations_have_no_values(small_table):
    nothing = np.array([], dtype=np.int64)
    found = action_values(small_table, nothing, nothing, nothing, nothing)
    assert [len(part) for part in found] == [0, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"filled": [0, 15]}, r"filled: 'ones,twos,fours,run' is a finished game"),
     ({"filled": -1}, r"filled: has a number outside 0\.\.15"),
     ({"filled": 1.0}, "filled: has type float64; whole numbers"), ({"filled": True}, "filled: has type bool"),
     ({"filled": "poker"}, "category: "), ({"filled": [[0]]}, "filled: has 2 dimensions; allowed is 1"),
     ({"upper": 15}, r"upper: has a number outside 0\.\.14"),
     ({"upper": [0, 1]}, "upper: 1 cannot occur with filled '-'"),
     ({"roll_ids": 20}, r"roll_ids: has a number outside 0\.\.19"), ({"roll_ids": -1}, "roll_ids: "),
     ({"rerolls": 3}, r"rerolls: has a number outside 0\.\.2"), ({"rerolls": None}, "rerolls: has type object"),
     ({"filled": [0, 0], "upper": [0, 0, 0]}, "shapes: those of filled, upper, roll_ids and rerolls differ"),
     ({"threads": 0}, "threads: 0 is not allowed")],
    ids=str,
)  # fmt: skip
def test_bad_arguments_are_refused_by_name(small_table, arguments, message):
    with pytest.raises(YatzyError, match=f"^{message}"):
        action_values(small_table, **{"filled": 0, "upper": 0, "roll_ids": 0, "rerolls": 2} | arguments)
