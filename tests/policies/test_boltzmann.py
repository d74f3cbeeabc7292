"""Boltzmann play against its definition, played out throw by throw; its limits: optimal and uniform play."""

import math

import numpy as np
import pytest

from games import FIVE_FACES, JOKERS, LOWER_FIRST
from naive import Widget, after_scoring, transition_matrix
from naive_habits import PlayedSoftly, Seen, assert_played_so, boltzmann
from yatzy import YatzyError, solve
from yatzy.coach.profile import Habits, discounted
from yatzy.lab.training.data import label_situations
from yatzy.measure.exact import evaluate, turn_exits, visit
from yatzy.players.situations import all_situations, exact_situations
from yatzy.policies.boltzmann import LARGEST_SPREAD, Boltzmann
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Stochastic
from yatzy.solver.lookahead import tables_by_depth
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes


def uniform(worths):
    return [1 / len(worths)] * len(worths)


def test_it_is_what_its_definition_says(reduced_rules, reduced_table):
    assert_played_so(Boltzmann(reduced_table, 1.5), PlayedSoftly(reduced_rules, boltzmann(1.5)))


@pytest.mark.parametrize(
    "habits", [Habits(0.0, 0.7, 0.6, 1), Habits(0.05, 1.5, 0.8, 2), Habits(-0.05, 0.4, 1.0, 0)], ids=str
)
@pytest.mark.parametrize("rules", [LOWER_FIRST, FIVE_FACES], ids=lambda rules: rules.name)
def test_habits_are_played_as_they_are_defined(rules, habits):
    """Risk, impatience and short sight are in the table; beta is one over the temperature."""
    table = tables_by_depth(rules, [habits.depth], habits.theta)[habits.depth]
    player = Boltzmann(discounted(table, habits.gamma), 1 / habits.beta)
    assert isinstance(player, Stochastic)
    seen = Seen(rules, habits.depth, habits.theta, habits.gamma)
    assert_played_so(player, PlayedSoftly(rules, boltzmann(1 / habits.beta), seen))
    assert evaluate(player).mean == pytest.approx(visit(player).mean, abs=1e-9)


def test_near_zero_play_for_risk_is_optimal_for_it(small_rules):
    table = solve(small_rules, theta=0.05)
    assert visit(Boltzmann(table, 2e-4)).mean == pytest.approx(visit(Optimal(table)).mean, abs=1e-6)


@pytest.mark.parametrize("temperature", [0.05, 0.01])
def test_low_temperatures_are_no_exception(small_rules, small_table, temperature):
    """At 0.01 a bonus of 13 points is more than LARGEST_SPREAD: rolls are weighed one by one."""
    assert (small_rules.bonus > LARGEST_SPREAD * temperature) == (temperature == 0.01)
    assert_played_so(Boltzmann(small_table, temperature), PlayedSoftly(small_rules, boltzmann(temperature)))


def test_a_large_temperature_is_uniform_play(reduced_rules, reduced_table):
    assert_played_so(Boltzmann(reduced_table, 1e15), PlayedSoftly(reduced_rules, uniform))


def smallest_gap(table, visits):
    """How far the best action is ahead of the second, in the closest decision of all."""
    n_rolls = lattice(table.rules.dice, table.rules.faces).n_rolls
    filled, upper = (np.repeat(column, n_rolls) for column in np.nonzero(visits[:-1]))
    rolls = np.tile(np.arange(n_rolls), len(filled) // n_rolls)
    several = np.bitwise_count(filled) < table.rules.n_categories - 1
    by_kind = []
    for rerolls in range(table.rules.rerolls + 1):
        gap = label_situations(table, filled, upper, rolls, rerolls).gap
        by_kind.append(gap.min() if rerolls else gap[several].min())
    return float(min(by_kind))


def test_near_zero_it_is_optimal_play():
    """A game in which every decision has one best action, 0.006 points ahead or more."""
    table = solve(LOWER_FIRST)
    optimal = visit(Optimal(table))
    gap = smallest_gap(table, optimal.visits)
    assert gap > 0.005
    softened = visit(Boltzmann(table, gap / 50))
    assert softened.visits == pytest.approx(optimal.visits, abs=1e-12)
    assert softened.mean == pytest.approx(optimal.mean, abs=1e-12)


def test_near_zero_equals_share_and_the_mean_is_optimal(reduced_table):
    assert visit(Boltzmann(reduced_table, 1e-5)).mean == pytest.approx(reduced_table.value(), abs=1e-9)


def test_the_mean_from_the_other_end(reduced_rules, reduced_table):
    """Backwards: V = sum over outcomes of their chance times (points + V afterwards)."""
    softened, ends = Boltzmann(reduced_table, 2.0), outcomes(reduced_rules)
    space = reduced_table.space
    values = np.zeros((space.n_masks, space.n_uppers))
    values[-1, reduced_rules.bonus_threshold] = reduced_rules.bonus
    for masks in reversed(space.layers[:-1]):
        index, uppers = np.nonzero(space.reachable[masks])
        for filled, upper in zip(masks[index], uppers, strict=True):
            (exits,) = turn_exits(softened, np.array([filled]), np.array([upper]))
            assert exits.sum() == pytest.approx(1)
            for outcome in np.flatnonzero(exits):
                c, points = int(ends.category[outcome]), int(ends.points[outcome])
                after = after_scoring(reduced_rules, int(filled), int(upper), c, points)
                values[filled, upper] += exits[outcome] * (points + values[after])
    assert visit(softened).mean == pytest.approx(values[0, 0], abs=1e-9)


def test_warmer_play_is_worse(small_table):
    means = [visit(Boltzmann(small_table, temperature)).mean for temperature in (0.1, 1.0, 3.0, 30.0)]
    assert means == sorted(means, reverse=True)
    assert means[0] < small_table.value()


def test_threads_do_not_matter(small_table):
    one, two = (visit(Boltzmann(small_table), threads) for threads in (1, 2))
    assert np.array_equal(one.visits, two.visits)


def test_weights_sum_to_the_number_of_turns(small_rules, small_table):
    softened = Boltzmann(small_table)
    visits = visit(softened).visits
    total = np.zeros(small_rules.rerolls + 1)
    for block in all_situations(softened, visits):
        by_state = block.weight.sum(axis=2)
        assert by_state == pytest.approx(visits[block.filled, block.upper][:, None] + 0 * by_state, abs=1e-12)
        total += by_state.sum(axis=0)
    assert total == pytest.approx(np.full(small_rules.rerolls + 1, small_rules.n_categories))


@pytest.mark.parametrize("rerolls", [0, 1, 2])
def test_draws_follow_the_exact_weights(small_rules, small_table, rerolls):
    softened = Boltzmann(small_table)
    visits = visit(softened).visits
    drawn = exact_situations(softened, visits, rerolls, 3000, seed=4)
    step = small_rules.n_categories / 3000
    assert drawn.weight.sum() == pytest.approx(small_rules.n_categories)
    weight = np.zeros((*visits.shape, lattice(small_rules.dice, small_rules.faces).n_rolls))
    weight[drawn.filled, drawn.upper, drawn.roll_ids] = drawn.weight
    for block in all_situations(softened, visits):
        assert np.abs(weight[block.filled, block.upper] - block.weight[:, rerolls]).max() < step + 1e-9


@pytest.mark.compiled
@pytest.mark.parametrize("temperature", [3.0, 0.05])
def test_turns_of_the_full_game(rules, table, temperature):
    """Some states of every layer, by sparse rows and a table of chances; at 0.05 roll by roll."""
    widget, rng = Widget(rules), np.random.default_rng(8)
    prob = transition_matrix(rules.dice, rules.faces)[2]
    ends, softened = outcomes(rules), Boltzmann(table, temperature)
    dice = lattice(rules.dice, rules.faces)
    roll_ids = [dice.id_of(roll) for roll in widget.rolls]
    inside = np.zeros((len(widget.rolls), len(widget.keeps)), bool)
    for roll, keeps in enumerate(widget.keeps_in_roll):
        inside[roll, keeps] = True
    states = np.argwhere(table.space.reachable[:-1])
    filled, upper = states[rng.integers(len(states), size=20)].T
    masses, exits = softened.situation_masses(filled, upper), turn_exits(softened, filled, upper)
    for i, (f, u) in enumerate(zip(filled.tolist(), upper.tolist(), strict=True)):
        keep_worths, _ = widget.turn(f, u, table.value)
        mass = prob[widget.keeps.index(())]
        for left in range(rules.rerolls, 0, -1):
            assert masses[i, left, roll_ids] == pytest.approx(mass, abs=1e-12)
            mass = mass @ chances_by_roll(np.where(inside, keep_worths[left - 1], -np.inf), temperature) @ prob
        assert masses[i, 0, roll_ids] == pytest.approx(mass, abs=1e-12)
        scored = np.nan_to_num(widget.category_worths(f, u, table.value), nan=-np.inf)
        found = np.zeros(ends.n)
        np.add.at(found, ends.of_reading[roll_ids], mass[:, None] * chances_by_roll(scored, temperature))
        assert exits[i] == pytest.approx(found, abs=1e-12)


def chances_by_roll(worths, temperature):
    weights = np.exp((worths - worths.max(axis=1, keepdims=True)) / temperature)
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan, math.inf])
def test_a_temperature_that_is_none_is_refused(small_table, temperature):
    with pytest.raises(YatzyError, match=r"temperature: .* is not allowed; allowed is a finite number above 0"):
        Boltzmann(small_table, temperature)


def test_tables_and_games_of_another_kind_are_refused(small_rules):
    with pytest.raises(YatzyError, match="needs float64, not float32"):
        Boltzmann(solve(small_rules, precision="float32"))
    with pytest.raises(YatzyError, match="softened play is"):
        Boltzmann(solve(JOKERS))
