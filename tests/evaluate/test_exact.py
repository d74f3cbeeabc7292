"""The exact distribution against enumeration in fractions, published figures, and the backward pass."""

from dataclasses import replace

import numpy as np
import pytest

import naive
from games import LOWER_FIRST, REDUCED_GAMES, TINY
from yatzy import YatzyError, solve
from yatzy.dice import lattice
from yatzy.evaluate.distribution import Distribution
from yatzy.evaluate.exact import evaluate, policy_values, tracked_category
from yatzy.policy.heuristic import Heuristic
from yatzy.policy.optimal import Optimal
from yatzy.policy.simple import Greedy, Random
from yatzy.rules import Category, maxi, parse_category, scoring
from yatzy.turn.outcomes import outcomes

# Without compiling, NumPy warns of the wrap-around that the hash of `random` lives on.

YATZY = Category("Yatzy", scoring.all_equal(50))
WITH_YATZY = replace(LOWER_FIRST, name="with-yatzy", categories=(*LOWER_FIRST.categories[:3], YATZY))
# A Yatzy of several worths, and one that is worth less than other things.
DEAR_YATZY = replace(
    TINY, name="dear-yatzy", categories=(*TINY.categories[:2], Category("Yatzy", scoring.pairs(1)))
)
GAMES = (*REDUCED_GAMES, WITH_YATZY, DEAR_YATZY)


def follow(policy):
    """The twin of a policy: the same decisions, followed through every throw."""
    rules, dice = policy.rules, lattice(policy.rules.dice, policy.rules.faces)
    asked = {}

    def decisions(filled, upper):
        if (filled, upper) not in asked:
            asked[filled, upper] = policy.decide(np.array([filled]), np.array([upper]))
        return asked[filled, upper]

    return naive.PlayedOut(
        rules,
        lambda filled, upper, roll: int(decisions(filled, upper).category[0, rules.rolls.index(roll)]),
        lambda filled, upper, roll, rerolls: dice.keeps[
            decisions(filled, upper).keep[0, rerolls - 1, rules.rolls.index(roll)]
        ],
        tracked_category(rules),
    )


@pytest.fixture(scope="module", params=GAMES, ids=lambda rules: rules.name)
def game(request):
    return request.param


@pytest.fixture(scope="module", params=["optimal", "heuristic", "random 1", "random 2"])
def played(request, game):
    """(policy, its twin, its evaluation)."""
    name, _, seed = request.param.partition(" ")
    policy = {
        "optimal": lambda: Optimal(solve(game)),
        "heuristic": lambda: Heuristic(game),
        "random": lambda: Random(game, int(seed)),
    }[name]()
    return policy, follow(policy), evaluate(policy)


def as_pmf(probs, n):
    """{score: fraction} as an array."""
    return np.array([float(probs.get(score, 0)) for score in range(n)])


def test_distribution_is_the_exact_fractions(played):
    _, twin, found = played
    pmf = found.distribution.pmf
    assert sum(twin.pmf.values()) == 1
    assert set(twin.pmf) <= set(range(len(pmf)))
    np.testing.assert_allclose(pmf, as_pmf(twin.pmf, len(pmf)), rtol=0, atol=1e-14)
    # What cannot happen has no probability at all, not even a rounding error.
    assert set(np.flatnonzero(pmf)) == set(twin.pmf)


def test_populations_are_the_exact_fractions(played):
    _, twin, found = played
    for bonus in (False, True):
        for scored in (False, True):
            part, exact = found.populations[bonus][scored], twin.populations.get((bonus, scored), {})
            np.testing.assert_allclose(part.pmf, as_pmf(exact, len(part.pmf)), rtol=0, atol=1e-14)
    assert found.bonus_rate == pytest.approx(
        float(sum(sum(part.values()) for (bonus, _), part in twin.populations.items() if bonus)), abs=1e-14
    )
    assert found.yatzy_rate == pytest.approx(
        float(sum(sum(part.values()) for (_, scored), part in twin.populations.items() if scored)), abs=1e-14
    )


def test_moments_are_those_of_the_exact_fractions(played):
    _, twin, found = played
    mean = sum(score * prob for score, prob in twin.pmf.items())
    central = [float(sum((score - mean) ** k * prob for score, prob in twin.pmf.items())) for k in (2, 3, 4)]
    assert found.mean == pytest.approx(float(mean), abs=1e-12)
    assert found.sd == pytest.approx(central[0] ** 0.5, abs=1e-12)
    assert found.distribution.skewness == pytest.approx(central[1] / central[0] ** 1.5, abs=1e-10)
    assert found.distribution.excess_kurtosis == pytest.approx(central[2] / central[0] ** 2 - 3, abs=1e-10)


def test_visits_are_the_exact_fractions(played):
    _, twin, found = played
    expected = np.zeros_like(found.visits)
    for state, prob in twin.visits.items():
        expected[state] = float(prob)
    np.testing.assert_allclose(found.visits, expected, rtol=0, atol=1e-14)


def test_categories_are_the_exact_fractions(played):
    policy, twin, found = played
    n = policy.rules.n_categories
    turns = [[float(twin.fill_turn.get((c, turn), 0)) for turn in range(n)] for c in range(n)]
    np.testing.assert_allclose(found.fill_turn, turns, rtol=0, atol=1e-14)
    means = [float(sum(p * prob for (c, p), prob in twin.points_of.items() if c == i)) for i in range(n)]
    np.testing.assert_allclose(found.category_means, means, rtol=0, atol=1e-13)
    zeros = [float(twin.points_of.get((c, 0), 0)) for c in range(n)]
    np.testing.assert_allclose(found.category_zero_rates, zeros, rtol=0, atol=1e-14)


def test_backward_pass_is_the_exact_fractions(played):
    policy, twin, found = played
    values = policy_values(policy)
    reachable = naive.reachable_states(policy.rules)
    for state in reachable:
        assert values[state] == pytest.approx(float(twin.value(*state)), abs=1e-12)
    assert np.count_nonzero(~np.isnan(values)) == len(reachable)
    assert values[0, 0] == pytest.approx(found.mean, abs=1e-12)


def test_number_of_threads_does_not_matter(played):
    policy, _, found = played
    for threads in (1, 2):
        other = evaluate(policy, threads)
        assert other.distribution.pmf.tobytes() == found.distribution.pmf.tobytes()
        assert other.visits.tobytes() == found.visits.tobytes()
        assert other.fill_turn.tobytes() == found.fill_turn.tobytes()
        assert policy_values(policy, threads).tobytes() == policy_values(policy).tobytes()


def test_a_policy_that_cheats_is_not_evaluated(small_rules):
    class Cheat(Heuristic):
        def decide(self, filled, upper):
            decisions = super().decide(filled, upper)
            decisions.keep[:] = 0
            return decisions

    for measure in (evaluate, policy_values):
        with pytest.raises(YatzyError, match=r"^policy 'heuristic': with dice 1 1 2 in state '.*' it keeps 1 1 1"):
            measure(Cheat(small_rules))


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_bad_threads_are_refused(small_rules, threads):
    for measure in (evaluate, policy_values):
        with pytest.raises(YatzyError, match=r"^threads: "):
            measure(Heuristic(small_rules), threads)


def test_quantiles_are_the_smallest_scores_with_enough_below():
    distribution = Distribution(np.array([0.0, 0.125, 0.25, 0.0, 0.125]))
    assert distribution.weight == 0.5
    found = [distribution.quantile(q) for q in (0.01, 0.25, 0.26, 0.75, 0.76, 1.0)]
    assert found == [1, 1, 2, 2, 4, 4]
    assert distribution.at_least(2) == 0.75
    assert (distribution.at_least(-3), distribution.at_least(5)) == (1.0, 0.0)


def test_outcomes_are_categories_with_points(rules):
    """Fifteen categories, 121 ways to end a turn."""
    ends = outcomes(rules)
    assert ends.n == 121
    assert ends.points[ends.start[14] :].tolist() == [0, 50]
    fours = slice(ends.start[3], ends.start[4])
    assert ends.points[fours].tolist() == ends.lift[fours].tolist() == [0, 4, 8, 12, 16, 20]
    assert not ends.lift[ends.start[6] :].any()
    roll_id = rules.rolls.index((1, 3, 3, 5, 6))
    assert ends.points[ends.of_roll[roll_id]].tolist() == list(rules.scores[roll_id])


def test_yatzy_is_tracked_by_whatever_name(rules, small_rules):
    assert tracked_category(rules) == 14
    assert tracked_category(maxi()) == 19
    assert tracked_category(small_rules) == -1


def test_json_has_everything_but_the_visits(small_rules):
    found = evaluate(Greedy(small_rules))
    written = found.to_json()
    assert written["pmf"] == found.distribution.pmf.tolist()
    assert {q: type(score) for q, score in written["quantiles"].items()} == dict.fromkeys(
        ("0.01", "0.05", "0.1", "0.25", "0.5", "0.75", "0.9", "0.95", "0.99"), int
    )
    assert [c["category"] for c in written["categories"]] == ["ones", "twos", "fours", "run"]
    assert sum(c["mean"] for c in written["categories"]) + 13 * written["bonus_rate"] == pytest.approx(found.mean)
    # No Yatzy in this game: two of the four populations are empty.
    assert [(p["bonus"], p["yatzy"], p["weight"] > 0, p["mean"] is None) for p in written["populations"]] == [
        (False, False, True, False),
        (False, True, False, True),
        (True, False, True, False),
        (True, True, False, True),
    ]


@pytest.fixture
def optimal(evaluation_of):
    return evaluation_of("optimal", 0.0)


@pytest.mark.compiled
def test_exact_mean_is_the_value_of_the_start(optimal, table):
    assert optimal.mean == pytest.approx(table.value(), abs=1e-9)
    assert abs(optimal.distribution.weight - 1) < 1e-12


@pytest.mark.compiled
def test_optimal_play_spreads_as_published(optimal):
    d = optimal.distribution
    assert d.sd == pytest.approx(38.4964, abs=5e-5)
    assert optimal.bonus_rate == pytest.approx(0.89806, abs=5e-6)
    assert optimal.yatzy_rate == pytest.approx(0.38840, abs=5e-6)
    assert len(d.pmf) == 375
    assert (np.flatnonzero(d.pmf)[0], np.flatnonzero(d.pmf)[-1]) == (10, 374)
    assert list(d.quantiles.values()) == [145, 179, 203, 225, 249, 276, 299, 309, 325]
    assert d.at_least(300) == pytest.approx(0.09946, abs=5e-6)
    assert d.at_least(320) == pytest.approx(0.01964, abs=5e-6)
    tie = float((d.pmf**2).sum())
    assert tie == pytest.approx(0.00762, abs=5e-6)


@pytest.mark.compiled
def test_populations_are_as_published(optimal):
    found = [(part.weight, part.mean) for row in optimal.populations for part in row]
    expected = [(0.0607, 164.1), (0.0412, 212.7), (0.5509, 236.6), (0.3472, 286.3)]
    for (weight, mean), (expected_weight, expected_mean) in zip(found, expected, strict=True):
        assert weight == pytest.approx(expected_weight, abs=5e-5)
        assert mean == pytest.approx(expected_mean, abs=0.05)


@pytest.mark.compiled
def test_category_means_are_as_published(optimal):
    published = {
        "ones": 2.179, "twos": 5.666, "threes": 9.290, "fours": 12.800, "fives": 16.243, "sixes": 19.973,
        "one pair": 11.185, "two pairs": 19.386, "three of a kind": 15.504, "four of a kind": 13.667,
        "small straight": 3.945, "large straight": 9.728, "full house": 21.461, "chance": 23.090, "yatzy": 19.420,
    }  # fmt: skip
    means = {name: optimal.category_means[parse_category(optimal.rules, name)] for name in published}
    # Half a unit of the last digit, and what the choice among equally good actions moves (4e-5 for Full House).
    assert means == pytest.approx(published, abs=5.5e-4)
    assert optimal.category_means.sum() + 50 * optimal.bonus_rate == pytest.approx(optimal.mean, abs=1e-9)


@pytest.mark.compiled
def test_every_game_comes_through_every_layer_once(optimal, table):
    for masks in table.space.layers:
        assert optimal.visits[masks].sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(optimal.fill_turn.sum(axis=0), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(optimal.fill_turn.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert not optimal.visits[~table.space.reachable].any()


@pytest.mark.compiled
@pytest.mark.parametrize(("theta", "mean", "sd"), [(0.05, 244.53, 43.21), (-0.05, 245.14, 35.72)])
def test_risk_moves_mean_and_spread_as_published(evaluation_of, theta, mean, sd):
    found = evaluation_of("optimal", theta)
    assert (found.mean, found.sd) == (pytest.approx(mean, abs=0.005), pytest.approx(sd, abs=0.005))
    assert abs(found.distribution.weight - 1) < 1e-12


@pytest.mark.compiled
def test_backward_pass_of_optimal_play_is_the_solved_table(policy_of):
    optimal = policy_of("optimal", 0.0, "yahtzee")
    np.testing.assert_allclose(policy_values(optimal), optimal.table.values, rtol=0, atol=1e-9)


@pytest.mark.compiled
def test_yahtzee_spreads_as_published(evaluation_of):
    found = evaluation_of("optimal", 0.0, "yahtzee")
    assert found.mean == pytest.approx(245.8707745, abs=5e-8)
    assert found.sd == pytest.approx(39.82, abs=0.005)


@pytest.mark.compiled
def test_backward_pass_of_the_heuristic_is_its_mean(policy_of, evaluation_of):
    heuristic = policy_of("heuristic", 0.0, "yahtzee")
    assert policy_values(heuristic)[0, 0] == pytest.approx(
        evaluation_of("heuristic", 0.0, "yahtzee").mean, abs=1e-9
    )


@pytest.mark.compiled
def test_a_full_game_does_not_depend_on_threads(policy_of, evaluation_of):
    expected = evaluation_of("optimal", 0.0, "yahtzee")
    for threads in (1, 2):
        found = evaluate(policy_of("optimal", 0.0, "yahtzee"), threads)
        assert found.distribution.pmf.tobytes() == expected.distribution.pmf.tobytes()
        assert found.outcome_probabilities.tobytes() == expected.outcome_probabilities.tobytes()
        assert found.visits.tobytes() == expected.visits.tobytes()


def test_a_game_that_does_not_fit_into_memory_is_refused_before_it_is_computed(small_rules, monkeypatch):
    """`evaluate --rules maxi` grew to 21 GB and was killed."""
    monkeypatch.setattr("yatzy.evaluate.forward._free_memory", lambda: 1000)
    with pytest.raises(YatzyError, match=r"rules: the exact distribution of three-dice needs about .* GB"):
        evaluate(Greedy(small_rules))


def test_maxi_is_refused_on_a_machine_of_24_gigabytes(monkeypatch):
    from yatzy.evaluate.forward import check_memory
    from yatzy.rules import State, maxi
    from yatzy.solver.states import state_space

    monkeypatch.setattr("yatzy.evaluate.forward._free_memory", lambda: 24 * 10**9)
    with pytest.raises(YatzyError, match="simulate it instead"):
        check_memory(state_space(maxi()), State())
