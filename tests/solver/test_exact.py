"""Exact values: whole numbers over powers of the faces, against fractions by definition, and their checker."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import games
from naive import Expectimax
from yatzy.errors import YatzyError
from yatzy.measure.check_exact import check_exact
from yatzy.rules import State
from yatzy.solver.exact import ExactTable, Layer, denominator, exact_value, solve_exactly
from yatzy.solver.solve import solve
from yatzy.solver.states import state_space

GAMES = [
    *games.REDUCED_GAMES,
    games.JOKERS,
    games.FREE_JOKERS,
    games.SECOND_JOKERS,
    games.EXTRA_ALONE,
    games.IN_ORDER,
]


def reachable(rules):
    space = state_space(rules)
    return [State(int(mask), int(upper)) for mask, upper in zip(*np.nonzero(space.reachable), strict=True)]


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_every_state_is_its_fraction_by_definition(rules):
    exact, naive = solve_exactly(rules), Expectimax(rules)
    for state in reachable(rules):
        assert exact.value(state) == naive.state(state.filled, state.upper)


def test_a_number_is_over_its_denominator(small_rules):
    exact = solve_exactly(small_rules)
    assert denominator(small_rules, 4) == 4 ** (3 * 3 * 4)
    assert exact.numerator() == exact.value() * denominator(small_rules, 4)


def test_states_from_a_set_are_those_of_the_whole_game(small_rules):
    whole, part = solve_exactly(small_rules), solve_exactly(small_rules, "ones,run")
    assert part.value("ones,run,twos", 2) == whole.value("ones,run,twos", 2)
    with pytest.raises(YatzyError, match="not among the solved states"):
        part.value("twos")


@pytest.mark.parametrize("rules", [games.THREE_DICE, games.JOKERS, games.IN_ORDER], ids=lambda rules: rules.name)
def test_the_checker_agrees_with_all_of_a_file(rules, tmp_path):
    table = solve_exactly(rules)
    found = check_exact(table.save(tmp_path / "exact"), rules)
    assert found.checked == found.agree == found.states == state_space(rules).n_reachable
    assert check_exact(tmp_path / "exact", rules, sample=5).checked == 5


def test_the_checker_finds_a_number_that_is_off_by_one(small_rules, tmp_path):
    table = solve_exactly(small_rules)
    layers = list(table.layers)
    wrong = layers[2].numbers.copy()
    wrong[3, 0] += 1
    layers[2] = Layer(*layers[2][:-1], wrong)
    path = ExactTable(small_rules, tuple(layers)).save(tmp_path / "exact")
    found = check_exact(path, small_rules)
    assert found.agree < found.checked


@pytest.mark.parametrize("change", [{"saves_throws": True}, {"dice": 6}])
def test_games_that_are_too_large_are_refused(change):
    with pytest.raises(YatzyError, match="exact"):
        solve_exactly(replace(games.LOWER_FIRST, special=None, **change))


def test_a_value_is_shown_as_a_fraction_and_its_first_digits(small_rules):
    found = exact_value(small_rules, Fraction(5, 48))
    assert (found.numerator, found.denominator, found.factors) == ("5", "48", {"2": 4, "3": 1})
    assert found.digits == "0.10416" + "6" * 45
    assert exact_value(small_rules, Fraction(3)).factors == {}


@pytest.mark.compiled
def test_the_whole_game_agrees_with_float64():
    exact, table = solve_exactly("yacht"), solve("yacht")
    for state in reachable(table.rules):
        assert float(exact.value(state)) == pytest.approx(table.value(state), abs=1e-12)
