"""Solved values against published figures, exact fractions, and the forerunner's own algorithm."""

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import naive
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.game.aim import SMALLEST_THETA
from yatzy.rules import Category, Ruleset

START_VALUES = {
    "scandinavian": 248.439989378,
    "scandinavian+five-as-full-house": 248.4680909,
    "scandinavian+four-as-two-pairs": 248.6440589,
    "scandinavian+five-as-full-house+four-as-two-pairs": 248.6748827,
}
# Published with ten digits and more: Verhoeff, Glenn, and the solvers of precisit and jdh8.
YAHTZEE_VALUES = {
    "yahtzee": 254.58772873449593,
    "yahtzee+free-joker": 254.58960948196315,
    "yahtzee+no-joker": 253.9702412,
    "yahtzee+no-joker+no-extra-bonus": 245.8707745141,
}
# Ours, with nothing to compare them with but the twins on reduced games: they must not move.
NEW_VALUES = {
    "kniffel": 248.20681442528127,
    "yacht": 166.9550677045723,
    "scandinavian+forced-order": 122.5585273964235,
    "scandinavian+saved-throws": 280.41092755512705,
}
# As docs/formats.md has them.
THETA_RANGES = {"scandinavian": (-5.0, 4.1), "yahtzee": (-2.9, 0.4)}


@pytest.fixture(scope="module")
def solved_for():
    """Tables by ruleset and theta, each solved once."""
    return cache(lambda rules, theta: solve(rules, theta=theta))


def random_states(space, n, seed):
    """Reachable states that are not finished; each number of filled categories as likely as any other."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        filled = int(rng.choice(space.layers[rng.integers(space.rules.n_categories)]))
        yield filled, int(rng.choice(np.flatnonzero(space.reachable[filled])))


@pytest.mark.compiled
@pytest.mark.parametrize("rules", START_VALUES)
def test_start_value_is_the_published_one(rules):
    assert solve(rules).value() == pytest.approx(START_VALUES[rules], abs=1e-6)


@pytest.mark.compiled
@pytest.mark.parametrize("rules", YAHTZEE_VALUES)
def test_yahtzee_is_worth_what_is_published(rules):
    digits = 5e-8 if rules == "yahtzee+no-joker" else 1e-9
    assert solve(rules).value() == pytest.approx(YAHTZEE_VALUES[rules], abs=digits)


@pytest.mark.compiled
@pytest.mark.parametrize("rules", NEW_VALUES)
def test_values_that_nobody_has_published_stay_what_they_are(rules, published):
    """Saved throws take as long as all the others: the study `games` has solved them."""
    study = published("games") if rules.endswith("saved-throws") else None
    found = {game["rules"]: game["value"] for game in study["games"]} if study else {rules: solve(rules).value()}
    assert found[rules] == pytest.approx(NEW_VALUES[rules], abs=1e-9)


@pytest.mark.compiled
def test_float32_is_within_2e_3_of_float64_at_every_state(table, table_float32):
    reachable = table.space.reachable
    assert table_float32.values.dtype == np.float32
    error = np.abs(table_float32.values.astype(np.float64) - table.values)[reachable]
    assert error.max() < 2e-3
    assert table_float32.value() == pytest.approx(248.44, abs=1e-3)


@pytest.mark.compiled
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_results_do_not_depend_on_the_number_of_threads(table, table_float32, precision):
    expected = (table if precision == "float64" else table_float32).stored.tobytes()
    for threads in (1, 3):
        assert solve(precision=precision, context=Context(threads=threads)).stored.tobytes() == expected


@pytest.mark.compiled
def test_the_forerunners_algorithm_agrees_at_random_states(table):
    widget = naive.Widget(table.rules)
    for filled, upper in random_states(table.space, 45, seed=1):
        _, value = widget.turn(filled, upper, lambda *state: table.values[state])
        assert table.value(filled, upper) == pytest.approx(value, abs=1e-9)


@pytest.mark.compiled
@pytest.mark.parametrize("theta", [*THETA_RANGES["scandinavian"], -0.2, 0.01, 0.5])
def test_log_sum_exp_agrees_at_random_states(rules, solved_for, theta):
    risky = solved_for("scandinavian", theta)
    widget = naive.Widget(rules, theta)
    for filled, upper in [(0, 0), *random_states(risky.space, 15, seed=2)]:
        _, log_value = widget.turn(filled, upper, lambda *state: risky.log_values[state])
        assert risky.value(filled, upper) == pytest.approx(log_value / theta, abs=1e-9)


@pytest.mark.compiled
@pytest.mark.parametrize("theta", [1e-6, -1e-6])
def test_theta_is_continuous_at_0(theta):
    assert solve("yacht", theta=theta).value() == pytest.approx(NEW_VALUES["yacht"], abs=1e-3)


@pytest.mark.compiled
def test_slope_in_theta_is_half_the_published_variance(table, rules):
    """The certainty equivalent is mean + theta * variance / 2 + ...; SD 38.4964 is in REFERENCE."""
    theta = 1e-4
    seeking, averse = solve(rules, theta=theta).value(), solve(rules, theta=-theta).value()
    assert averse < table.value() < seeking
    assert math.sqrt((seeking - averse) / theta) == pytest.approx(38.4964, abs=0.01)


@pytest.mark.compiled
def test_finished_games_pay_the_bonus_alone(table):
    assert table.value(32767, 63) == 50
    assert table.value(32767, 62) == 0


@pytest.mark.compiled
def test_value_of_the_last_category_is_its_expected_score(table, rules):
    """Yatzy alone, three throws: 4.6029 % of 50 points, the textbook figure."""
    only_yatzy = rules.all_filled - (1 << 14)
    assert table.value(only_yatzy, 0) == pytest.approx(50 * 347897 / 6**5 / 972, abs=1e-9)


def test_every_state_of_a_reduced_game_equals_the_exact_fraction(reduced_table):
    exact = naive.Expectimax(reduced_table.rules)
    for filled, upper in naive.reachable_states(reduced_table.rules):
        assert reduced_table.value(filled, upper) == pytest.approx(exact.value(filled, upper), abs=1e-12)


@pytest.mark.parametrize("theta", [0.3, -0.3, -2.5])
def test_every_state_of_a_reduced_game_equals_its_log_sum_exp(reduced_rules, theta):
    risky = solve(reduced_rules, theta=theta)
    exact = naive.RiskExpectimax(reduced_rules, theta)
    for filled, upper in naive.reachable_states(reduced_rules):
        assert risky.value(filled, upper) == pytest.approx(exact.value(filled, upper), abs=1e-9)


def test_one_throw_of_one_die_by_hand():
    """A 1, 2 or 3 scores itself: 2 on average; with one reroll a 1 is thrown again: (2 + 2 + 3) / 3."""
    pips = Category("Pips", lambda counts: sum(face * n for face, n in enumerate(counts, start=1)))
    one_die = Ruleset("one-die", dice=1, faces=3, rerolls=0, categories=(pips,))
    assert solve(one_die).value() == pytest.approx(2, abs=1e-15)
    assert solve(replace(one_die, rerolls=1)).value() == pytest.approx(7 / 3, abs=1e-15)


def test_six_dice_and_a_threshold_of_84_go_through_the_same_code(six_dice_rules):
    solved = solve(six_dice_rules)
    assert solved.values.shape == (16, 85)
    for state, value in naive.solve_by_widgets(six_dice_rules).items():
        assert solved.value(*state) == pytest.approx(value, abs=1e-10)


def test_reduced_float32_is_close_to_float64(small_rules, small_table):
    reachable = small_table.space.reachable
    quick = solve(small_rules, precision="float32", context=Context(threads=2))
    assert quick.precision == "float32"
    assert quick.values[reachable] == pytest.approx(small_table.values[reachable], abs=1e-5)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_reduced_results_do_not_depend_on_the_number_of_threads(small_rules, small_table, threads):
    assert solve(small_rules, context=Context(threads=threads)).stored.tobytes() == small_table.stored.tobytes()


def test_a_table_holds_nan_exactly_where_a_state_cannot_occur(reduced_table):
    assert (np.isnan(reduced_table.values) == ~reduced_table.space.reachable).all()


def test_more_rerolls_and_a_larger_bonus_are_never_worse(small_rules, small_table):
    assert solve(replace(small_rules, rerolls=1)).value() < small_table.value()
    assert solve(replace(small_rules, bonus=0)).value() < small_table.value()


def test_seeking_risk_is_worth_more_than_avoiding_it(small_rules, small_table):
    certainty_equivalents = [solve(small_rules, theta=theta).value() for theta in (-1.0, -0.1, 0.1, 1.0)]
    assert certainty_equivalents == sorted(certainty_equivalents)
    assert certainty_equivalents[1] < small_table.value() < certainty_equivalents[2]


def test_progress_counts_up_to_all_masks(small_rules):
    seen = []
    solve(small_rules, context=Context(progress=lambda done, total: seen.append((done, total))))
    totals = {total for _, total in seen}
    assert len(totals) == 1
    done = [done for done, _ in seen]
    assert done == sorted(done)
    assert done[-1] == totals.pop()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"rules": "bridge"}, "rules: 'bridge' is not known"),
     ({"theta": math.nan}, "theta: nan is not a finite number"),
     ({"theta": math.inf}, "theta: inf is not a finite number"),
     ({"theta": "0.1"}, "theta: '0.1' is not a finite number"),
     ({"theta": None}, "theta: None is not a finite number"),
     ({"theta": True}, "theta: True is not a finite number"),
     ({"theta": 10**400}, "theta: 1"),
     ({"theta": 1e-12}, "theta: 1e-12 is too near 0 to tell apart"),
     ({"precision": "float16"}, "precision: 'float16' is not allowed; allowed are float64, float32"),
     ({"theta": 0.1, "precision": "float32"}, "precision: 'float32' is not allowed with theta 0.1")],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_bad_arguments_are_refused_by_name(small_rules, arguments, message):
    with pytest.raises(YatzyError, match=f"^{message}"):
        solve(**{"rules": small_rules} | arguments)


@pytest.mark.parametrize(
    "theta",
    [
        60.0,
        1e4,
        -60.0,
        -1e300,
    ],
)
def test_a_theta_out_of_range_is_refused(small_rules, theta):
    with pytest.raises(YatzyError, match=r"^theta: .*too far from 0 for three-dice"):
        solve(small_rules, theta=theta)


@pytest.mark.parametrize("theta", [1e-9, -1e-9])
def test_a_tiny_theta_is_next_to_none(small_rules, small_table, theta):
    """Near 0 the certainty equivalent is the mean."""
    assert solve(small_rules, theta=theta).value() == pytest.approx(small_table.value(), abs=1e-6)


@pytest.mark.compiled
@pytest.mark.parametrize("rules", THETA_RANGES)
def test_how_far_theta_may_be_is_what_the_docs_say(rules, solved_for):
    """docs/formats.md says it to a tenth, beside SMALLEST_THETA."""
    low, high = THETA_RANGES[rules]
    text = " ".join((Path(__file__).parents[2] / "docs" / "formats.md").read_text().split())
    assert f"from {low} to {high} in " in text
    assert f"or from {SMALLEST_THETA:.0e}".replace("e-09", "e-9") in text
    for theta in (low, high):
        assert np.isfinite(solved_for(rules, theta).value())
        with pytest.raises(YatzyError, match="too far from 0"):
            solve(rules, theta + np.copysign(0.1, theta))
