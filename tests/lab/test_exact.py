"""The study of exact values: equal decisions, float64 beside them, and probabilities as fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import games
from naive import Expectimax, PlayedOut, choices, multisets, sub_multisets
from yatzy.context import Context
from yatzy.lab.studies.exact import float_error, follow, measure_exact
from yatzy.measure.exact import tracked_category
from yatzy.solver.exact import solve_exactly
from yatzy.solver.solve import solve
from yatzy.solver.states import state_space
from yatzy.turn.lattice import lattice

GAMES = [games.THREE_DICE, games.JOKERS, games.SECOND_JOKERS, games.TWO_BOXES]


def keep_order(rules, roll):
    """The keeps of a roll by their ids: all dice first."""
    return sorted(sub_multisets(roll), key=lattice(rules.dice, rules.faces).id_of)


class FirstOfBest:
    """Optimal play by fractions, ties to the first; counts decisions in which another is as good."""

    def __init__(self, rules):
        self.rules, self.naive = rules, Expectimax(rules)

    def category(self, filled, upper, roll):
        worth = {c: self.naive.category(filled, upper, roll, c) for c in sorted(choices(self.rules, filled, roll))}
        return max(worth, key=worth.get), list(worth.values())

    def keep(self, filled, upper, roll, rerolls):
        worth = {k: self.naive.keep(filled, upper, k, rerolls - 1) for k in keep_order(self.rules, roll)}
        return max(worth, key=worth.get), list(worth.values())

    def ties(self):
        rules, space = self.rules, state_space(self.rules)
        counts = [0] * (rules.rerolls + 1)
        rolls = multisets(rules.dice, rules.faces)
        states = [
            (f, u)
            for f, u in zip(*np.nonzero(space.reachable), strict=True)
            if space.n_filled[f] < rules.n_categories
        ]
        for (filled, upper), roll in product(states, rolls):
            for left in range(rules.rerolls + 1):
                state = int(filled), int(upper)
                worth = (self.keep(*state, roll, left) if left else self.category(*state, roll))[1]
                counts[left] += worth.count(max(worth)) > 1
        return tuple(counts), len(states) * len(rolls)


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_ties_and_probabilities_are_those_by_definition(rules):
    found, bonus, yatzy = follow(solve_exactly(rules), solve(rules))
    play = FirstOfBest(rules)
    ties, decisions = play.ties()
    assert found.ties == ties
    assert found.decisions == (decisions,) * (rules.rerolls + 1)
    assert found.wrong == (0,) * (rules.rerolls + 1)
    twin = PlayedOut(
        rules,
        lambda filled, upper, roll: play.category(filled, upper, roll)[0],
        lambda filled, upper, roll, left: play.keep(filled, upper, roll, left)[0],
        tracked_category(rules),
    )
    with_bonus = sum((sum(pmf.values()) for (made, _), pmf in twin.populations.items() if made), Fraction(0))
    with_yatzy = sum((sum(pmf.values()) for (_, scored), pmf in twin.populations.items() if scored), Fraction(0))
    assert (bonus, yatzy) == (with_bonus, with_yatzy)


def test_the_error_of_float64_is_that_of_its_table(small_rules):
    exact, table = solve_exactly(small_rules), solve(small_rules)
    found = float_error(exact, table)
    space, naive = state_space(small_rules), Expectimax(small_rules)
    errors = [
        abs(Fraction(table.value(int(f), int(u))) - naive.state(int(f), int(u)))
        for f, u in zip(*np.nonzero(space.reachable), strict=True)
    ]
    assert found.states == space.n_reachable == len(errors)
    assert (found.largest, found.mean) == (float(max(errors)), pytest.approx(float(sum(errors) / len(errors))))


def test_the_study_has_the_fractions_of_its_games(small_rules, tmp_path):
    found = measure_exact(small_rules, Context(tmp_path), [games.TINY])
    assert [one.rules for one in found.values] == ["three-dice", "tiny"]
    for rules, one in zip((small_rules, games.TINY), found.values, strict=True):
        assert Fraction(int(one.numerator), int(one.denominator)) == Expectimax(rules).state(0, 0)
        assert int(one.denominator) == np.prod([int(prime) ** power for prime, power in one.factors.items()])
        assert one.digits.startswith(repr(one.value)[:10])
