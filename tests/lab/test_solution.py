"""The solution up close: first turn, float32, the value usually cited, and a game solved by hand."""

from fractions import Fraction
from itertools import product

import pytest

from games import LOWER_FIRST, THREE_DICE
from yatzy import solve
from yatzy.context import Context
from yatzy.lab.studies.solution import (
    compare_precisions,
    explain_reported,
    one_or_two_pairs,
    open_turn,
    solve_small_game,
)
from yatzy.turn.lattice import lattice


def test_the_first_turn_is_worth_the_game(reduced_table):
    turn = open_turn(reduced_table)
    assert turn.value == pytest.approx(reduced_table.value(), abs=1e-9)
    assert [step.rerolls for step in turn.rerolls] == list(range(1, reduced_table.rules.rerolls + 1))


def test_the_first_turn_is_what_advice_says(small_table):
    rules = small_table.rules
    turn, dice = open_turn(small_table), lattice(rules.dice, rules.faces)
    for roll, faces in enumerate(dice.keeps[: dice.n_rolls]):
        assert turn.value_by_roll[roll] == pytest.approx(small_table.advise(faces, rerolls=0)[0].value, abs=1e-4)
        for step in turn.rerolls:
            best = small_table.advise(faces, rerolls=step.rerolls)[0].value
            assert step.value_by_roll[roll] == pytest.approx(best, abs=1e-4)
            assert step.value_by_keep[step.keep_by_roll[roll]] == step.value_by_roll[roll]
            assert step.keep_by_roll[roll] in dice.keeps_in_roll[roll]


@pytest.mark.parametrize("game", [THREE_DICE, LOWER_FIRST], ids=lambda game: game.name)
def test_float32_is_judged_by_float64(game):
    found = compare_precisions(game, Context(threads=1))
    assert found.states == solve(game).space.n_reachable - _finished(game)
    assert 0 < found.largest_error < 1e-4
    assert found.mean_error <= found.largest_error
    assert abs(found.value - found.value_float32) <= found.largest_error
    assert -1e-12 < found.mean_lost <= found.largest_regret * game.n_categories + 1e-12
    assert (found.states_erring == 0) == (found.largest_regret <= 1e-12)


def _finished(game):
    space = solve(game).space
    return int(space.reachable_by_upper_set[-1].sum())


def test_a_pair_alone_scored_in_two_pairs():
    """As in the published code: twice the highest pair, and twice the second if there is one."""
    assert one_or_two_pairs((2, 0, 0, 2, 1, 0)) == 10
    assert one_or_two_pairs((1, 1, 0, 0, 2, 1)) == 10
    assert one_or_two_pairs((0, 0, 0, 0, 0, 5)) == 12
    assert one_or_two_pairs((1, 1, 1, 1, 1, 0)) == 0


@pytest.mark.compiled
def test_the_value_usually_cited_is_that_of_another_game():
    found = explain_reported(context=Context(threads=1))
    assert found.as_programmed == pytest.approx(248.6328539, abs=1e-7)
    assert round(found.as_programmed, 2) == found.reported
    assert found.as_printed == pytest.approx(248.4399894, abs=1e-7)


def test_two_dice_and_two_boxes_by_hand():
    """The whole game again, in fractions."""
    throws = list(product(range(1, 7), repeat=2))
    pair = {(a, b): 2 * a if a == b else 0 for a, b in throws}
    last_pair, last_chance = Fraction(sum(pair.values()), 36), Fraction(sum(a + b for a, b in throws), 36)
    first = [max(pair[t] + last_chance, sum(t) + last_pair) for t in throws]
    found = solve_small_game()
    assert (last_pair, last_chance) == (Fraction(7, 6), 7)
    assert found.last_pair == pytest.approx(float(last_pair), abs=1e-12)
    assert found.last_chance == pytest.approx(7, abs=1e-12)
    assert found.value == pytest.approx(float(sum(first) / 36), abs=1e-12)
    assert found.greedy_value == pytest.approx(float(7 + last_pair), abs=1e-12)
    assert sum(one.ways for one in found.throws) == 36
    crossed_out = {one.dice for one in found.throws if not one.pair and one.worth_of_pair > one.worth_of_chance}
    assert crossed_out == {"1 2", "1 3", "1 4", "2 3"}
