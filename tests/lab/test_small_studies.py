"""Studies that take a moment: float32, the value usually cited, ten decisions, and a game solved by hand."""

from fractions import Fraction
from itertools import product

import pytest

from games import LOWER_FIRST, THREE_DICE
from yatzy import solve
from yatzy.context import Context
from yatzy.game.action import Keep, Score
from yatzy.lab.studies.decisions import DECISIONS, answer, ask_questions
from yatzy.lab.studies.solution import compare_precisions, explain_reported, one_or_two_pairs, solve_small_game
from yatzy.policies.baselines import Heuristic
from yatzy.rules import scandinavian


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


@pytest.mark.compiled
def test_ten_decisions(home):
    found = ask_questions(context=Context(home))
    assert [one.dice for one in found.questions] == [dice for dice, _, _ in DECISIONS]
    best = {one.dice: one.choices[0].action for one in found.questions}
    assert best["1 3 3 5 6"] == "keep 3 3"
    assert best["1 2 4 5 6"] == "score small straight"
    for one in found.questions:
        assert one.choices[0].regret == 0
        assert len(one.points) == len(found.boxes) == 15
        values = [choice.value for choice in one.choices]
        assert values == sorted(values, reverse=True)
        # Whoever holds all dice scores them: the best box is a choice too.
        assert any(choice.action.startswith("score ") for choice in one.choices)
    assert found.bot_lost == pytest.approx(sum(one.bot_regret for one in found.questions))
    assert 0 < found.greedy_lost < found.bot_lost
    assert (found.cautious, found.bold) == ("keep 3 3", "keep 5 6")


def test_what_a_player_answers():
    bot = Heuristic(scandinavian())
    assert answer(bot, "1 3 3 5 6", 2) == Keep((3, 3))
    assert answer(bot, "1 2 3 4 6", 2) == Keep((2, 3, 4, 6))
    assert isinstance(answer(bot, "5 5 5 6 6", 2), Score)
