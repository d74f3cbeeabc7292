"""Reasons: every number in them is one of the advice."""

import pytest

from games import REDUCED_GAMES
from yatzy import solve
from yatzy.coach.advice import Coach, reason_of
from yatzy.coach.outlook import BonusChances
from yatzy.game.action import Keep, Score
from yatzy.game.situation import Situation
from yatzy.rules import State
from yatzy.solver.advise import Advice, AdvisedAction, LikelyEnd


def score(category, points, value, bonus=None):
    return AdvisedAction(Score(category, points), value, 0.0, bonus_chance=bonus)


def advice(*actions):
    return Advice(Situation.parse("1 3 3 5 6 | 1 | - @ 0"), actions, 0.0, "mean")


def test_less_now_for_more_later():
    told = advice(score("ones", 1, 200.0), score("sixes", 6, 199.5), score("chance", 20, 190.0))
    assert reason_of(told) == "Chance brings 19 more now, but leaves 29.0 less for later."


def test_most_now_is_told_beside_the_next_best():
    told = advice(score("yatzy", 50, 200.0), score("chance", 30, 175.0))
    assert reason_of(told) == "It brings 20 more now and leaves 5.0 more for later than Chance."
    told = advice(score("yatzy", 50, 200.0), score("chance", 30, 185.0))
    assert reason_of(told) == "It brings 20 more now than Chance, and leaves only 5.0 less for later."


def test_the_bonus_is_told_where_it_differs():
    told = advice(score("ones", 3, 200.0, 0.5), score("twos", 2, 199.0, 0.42))
    assert reason_of(told).endswith(" The bonus: 50%, against 42% with the next best.")
    told = advice(score("ones", 3, 200.0, 0.5), score("twos", 2, 199.0, 0.495))
    assert "bonus" not in reason_of(told)


def test_a_keep_is_told_by_its_ends():
    rows = [("pair", 6, 0.4), ("pair", 4, 0.2), ("twos", 0, 0.25), ("run", 9, 0.15)]
    keep = AdvisedAction(Keep((3, 3)), 20.0, 0.0, outcomes=tuple(LikelyEnd(*row) for row in rows))
    told = reason_of(advice(keep, score("run", 9, 18.0)))
    assert told == "The turn ends most often in pair (60%), run (15%) or a box crossed out (25%)."


@pytest.mark.parametrize("rules", REDUCED_GAMES, ids=lambda rules: rules.name)
def test_there_is_a_reason_in_every_situation(rules):
    table = solve(rules)
    coach = Coach(table, BonusChances(table))
    for roll in rules.rolls:
        for rerolls in range(rules.rerolls + 1):
            why = reason_of(coach.advise(Situation.of(coach.rules, tuple(roll), rerolls, State())))
            assert why.endswith(".")
            assert "-" not in why
