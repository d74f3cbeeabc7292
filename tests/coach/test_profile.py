"""Habits fitted to decisions: against the chances of naive play, and found again where there is enough to see."""

import numpy as np
import pytest

from games import JOKERS, THREE_DICE
from naive import sub_multisets
from naive_habits import Seen, boltzmann
from yatzy import YatzyError
from yatzy.coach.profile import (
    Fit,
    Grid,
    Habits,
    Record,
    choice_chances,
    choice_values,
    decisions_of,
    draw_choices,
    fit_decisions,
    grid_of,
    log_likelihood,
    profile,
    values_by_habit,
)
from yatzy.game.log import GameLog, TurnLog
from yatzy.measure.simulate import play_logs
from yatzy.policies.baselines import Greedy
from yatzy.policies.optimal import Optimal
from yatzy.turn.lattice import lattice

# It all runs as plain Python too, which takes many times as long and sees nothing more.
pytestmark = pytest.mark.compiled

SMALL = Grid(thetas=(-0.05, 0.0), gammas=(0.5, 1.0), depths=(0, 1, 3), betas=(0.5, 1.0, 2.0))


def test_a_log_is_its_decisions(small_rules):
    """Who scores with rerolls left has held all dice in each of them."""
    ids = lattice(small_rules.dice, small_rules.faces)
    turns = (
        TurnLog(((1, 2, 4), (4, 4, 4)), ((4,),), "fours"),
        TurnLog(((1, 1, 2), (1, 1, 3), (1, 1, 1)), ((1, 1), (1, 1)), "ones"),
    )
    found = decisions_of([GameLog(small_rules, turns)], small_rules)
    assert found.rerolls.tolist() == [2, 1, 0, 2, 1, 0]
    assert found.filled.tolist() == [0, 0, 0, 4, 4, 4]
    assert found.upper.tolist() == [0, 0, 0, 12, 12, 12]
    slots = zip(found.roll_ids, found.chosen, strict=True)
    keeps = [tuple(ids.keeps[ids.keeps_in_roll[roll, slot]]) for roll, slot in slots]
    assert [keeps[0], keeps[1], keeps[3], keeps[4]] == [(4,), (4, 4, 4), (1, 1), (1, 1)]
    assert found.chosen[[2, 5]].tolist() == [2, 0]


@pytest.mark.parametrize("habits", [Habits(-0.05, 0.8, 0.5, 1), Habits(0.0, 1.5, 1.0, 0)])
def test_chances_of_choices_are_those_of_naive_play(small_rules, habits):
    ids = lattice(small_rules.dice, small_rules.faces)
    seen = Seen(small_rules, habits.depth, habits.theta, habits.gamma)
    chances = boltzmann(1 / habits.beta)
    grid = Grid((habits.theta,), (habits.gamma,), (habits.depth,), (habits.beta,))
    rolls = np.arange(ids.n_rolls)
    for rerolls in (0, 1, 2):
        n = len(rolls)
        asked = Record(np.full(n, 1), np.full(n, 2), rolls, np.full(n, rerolls), np.zeros(n, np.int64))
        ((_, values),) = values_by_habit(small_rules, grid, asked)
        found = choice_chances(values, habits.beta)
        for roll, row in zip(rolls, found, strict=True):
            dice = tuple(ids.keeps[roll])
            if rerolls == 0:
                choices = [1, 2, 3]
                worths = [seen.category(1, 2, dice, c) for c in choices]
            else:
                keeps = sorted(sub_multisets(dice))
                worths = [seen.keep(1, 2, keep, rerolls - 1) for keep in keeps]
                places = {tuple(ids.keeps[k]): slot for slot, k in enumerate(ids.keeps_in_roll[roll]) if k >= 0}
                choices = [places[tuple(keep)] for keep in keeps]
            assert row[choices] == pytest.approx(chances(worths), abs=1e-9)
            assert row.sum() == pytest.approx(1)


def test_likelihood_is_the_logarithm_of_the_chance(small_table):
    asked = decisions_of(play_logs(Greedy(small_table.rules), 3), small_table.rules)
    values = choice_values(small_table, asked)
    found = log_likelihood(values, asked.chosen, (0.5, 2.0))
    for row, beta in zip(found, (0.5, 2.0), strict=True):
        made = choice_chances(values, beta)[np.arange(len(asked)), asked.chosen]
        assert row == pytest.approx(np.log(made), abs=1e-12)


def simulated(rules, habits, n, seed=0):
    """Decisions of a player of these habits in random situations."""
    generator = np.random.default_rng(seed)
    ids = lattice(rules.dice, rules.faces)
    filled = generator.choice([0, 1, 2, 4, 8, 3, 5], n)
    asked = Record(
        filled, np.zeros(n, np.int64), generator.integers(ids.n_rolls, size=n), generator.integers(3, size=n),
        np.zeros(n, np.int64),
    )  # fmt: skip
    grid = Grid((habits.theta,), (habits.gamma,), (habits.depth,), (habits.beta,))
    ((_, values),) = values_by_habit(rules, grid, asked)
    chosen = draw_choices(choice_chances(values, habits.beta), generator)
    return Record(asked.filled, asked.upper, asked.roll_ids, asked.rerolls, chosen)


@pytest.mark.parametrize("habits", [Habits(-0.05, 2.0, 0.5, 1), Habits(0.0, 1.0, 1.0, 3)])
def test_with_enough_decisions_habits_are_found(small_rules, habits):
    found = fit_decisions(small_rules, simulated(small_rules, habits, 700), SMALL)
    assert found.habits.depth == habits.depth
    assert found.habits.gamma == pytest.approx(habits.gamma, abs=0.05)
    assert found.habits.theta == pytest.approx(habits.theta, abs=0.03)
    assert found.habits.beta == pytest.approx(habits.beta, rel=0.15)
    assert found.chance_of_choice > found.chance_of_guess


def test_the_posterior_is_proportional_to_the_likelihood():
    generator = np.random.default_rng(1)
    likelihood = generator.normal(size=(2, 2, 3, 3))
    fit = Fit(SMALL, likelihood, 10, -20.0)
    chances = np.exp(likelihood) / np.exp(likelihood).sum()
    assert fit.chances == pytest.approx(chances)
    depth = chances.sum(axis=(0, 1, 3)).argmax()
    given = chances[:, :, depth] / chances[:, :, depth].sum()
    assert fit.habits.theta == pytest.approx((given.sum(axis=(1, 2)) * np.array(SMALL.thetas)).sum())
    assert fit.habits.beta == pytest.approx(np.exp((given.sum(axis=(0, 1)) * np.log(SMALL.betas)).sum()))


def test_greedy_games_are_those_of_somebody_who_sees_one_turn(small_rules, small_table):
    greedy = profile(play_logs(Greedy(small_rules), 10), costs=False)
    assert greedy.sentences["depth"] == "sees this turn only"
    perfect = profile(play_logs(Optimal(small_table), 10), costs=False)
    assert perfect.fit.habits.depth == 3
    assert perfect.sentences["depth"] == "sees to the end of the game"
    assert perfect.fit.habits.beta > greedy.fit.grid.betas[5]


def test_costs_are_differences_of_exact_means(small_rules, small_table):
    found = profile(play_logs(Greedy(small_rules), 5))
    assert found.worth.best == small_table.value()
    assert {cost.habit for cost in found.worth.costs} == {"theta", "beta", "gamma", "depth"}
    for cost in found.worth.costs:
        assert cost.gain == pytest.approx(cost.mean - found.worth.mean)
        assert cost.mean <= found.worth.best + 1e-9
    gains = [cost.gain for cost in found.worth.costs]
    assert gains == sorted(gains, reverse=True)


def test_what_cannot_be_fitted_is_refused(small_rules):
    with pytest.raises(YatzyError, match="decisions: there are none"):
        profile([GameLog(small_rules, ())], costs=False)
    with pytest.raises(YatzyError, match="games: are of 0 rules"):
        profile([])
    with pytest.raises(YatzyError, match="a profile is"):
        profile([GameLog(JOKERS, ())])


def test_the_grid_fits_the_game():
    assert grid_of(THREE_DICE).depths == (0, 1, 3)
    assert grid_of(JOKERS).depths == (0, 1, 3, 4)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"beta": 0.0}, "beta: 0.0 is not allowed"),
        ({"beta": float("inf")}, "beta: inf is not allowed"),
        ({"gamma": 1.1}, "gamma: 1.1 is not allowed; allowed is 0..1"),
        ({"depth": 4}, "depth: 4 is not allowed; allowed is 0..3"),
        ({"theta": float("nan")}, "theta: nan is not a finite number"),
    ],
)
def test_habits_that_mean_nothing_are_refused(small_rules, change, sentence):
    habits = Habits(**{"theta": 0.0, "beta": 1.0, "gamma": 1.0, "depth": 3} | change)
    with pytest.raises(YatzyError, match=sentence):
        habits.check(small_rules)
