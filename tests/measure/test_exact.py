"""The exact distribution against enumeration in fractions, published figures, and the backward pass."""

from dataclasses import replace

import numpy as np
import pytest

import naive
from games import IN_ORDER, JOKERS, LOWER_FIRST, REDUCED_GAMES, SAVING, SPECIAL_GAMES, TINY
from naive_policies import NaivePolicy
from yatzy import YatzyError, solve
from yatzy.context import Context, check_threads
from yatzy.game.json import as_json
from yatzy.measure.distribution import Distribution
from yatzy.measure.exact import (
    bonus_chances,
    evaluate,
    points_to_come,
    policy_values,
    tracked_category,
    turn_exits,
)
from yatzy.measure.forward import GrowableArray, check_memory, walk_game
from yatzy.policies.baselines import Greedy, Heuristic, Random
from yatzy.policies.optimal import Optimal
from yatzy.rules import Category, State, maxi, parse_category, ruleset, scoring
from yatzy.solver.states import state_space
from yatzy.turn.outcomes import outcomes

# Without compiling, NumPy warns of the wrap-around that the hash of `random` lives on.

YATZY = Category("Yatzy", scoring.all_equal(50))
WITH_YATZY = replace(LOWER_FIRST, name="with-yatzy", categories=(*LOWER_FIRST.categories[:3], YATZY))
# A Yatzy of several worths, and one that is worth less than other things.
DEAR_YATZY = replace(
    TINY, name="dear-yatzy", categories=(*TINY.categories[:2], Category("Yatzy", scoring.pairs(1)))
)
# Of full size, and evaluated by other tests too.
PLAIN_YAHTZEE = "yahtzee+no-joker+no-extra-bonus"
GAMES = (*REDUCED_GAMES, WITH_YATZY, DEAR_YATZY, *SPECIAL_GAMES)


def follow(policy):
    """The twin of a policy: the same decisions, followed through every throw."""
    return NaivePolicy(policy, tracked_category(policy.rules))


@pytest.fixture(scope="module", params=GAMES, ids=lambda rules: rules.name)
def game(request):
    return request.param


@pytest.fixture(scope="module", params=["optimal", "heuristic", "random"])
def played(request, game):
    """(policy, its twin, its evaluation)."""
    policy = {
        "optimal": lambda: Optimal(solve(game)),
        # The casual player does not know what to do with saved throws.
        "heuristic": lambda: Greedy(game) if game.saves_throws else Heuristic(game),
        "random": lambda: Random(game, 1),
    }[request.param]()
    return policy, follow(policy), evaluate(policy, context=Context(threads=2))


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
            part, exact = found.distributions[bonus][scored], twin.populations.get((bonus, scored), {})
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
    policy, twin, found = played
    expected, row = np.zeros_like(found.visits), state_space(policy.rules).row
    for (filled, upper), prob in twin.visits.items():
        expected[row(filled), upper] = float(prob)
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
    values, row = policy_values(policy), state_space(policy.rules).row
    reachable = naive.reachable_states(policy.rules)
    for state in reachable:
        assert values[row(state[0]), state[1]] == pytest.approx(float(twin.value(*state)), abs=1e-12)
    assert np.count_nonzero(~np.isnan(values)) == len(reachable)
    assert values[0, 0] == pytest.approx(found.mean, abs=1e-12)


@pytest.mark.parametrize("rules", [LOWER_FIRST, JOKERS, SAVING], ids=lambda rules: rules.name)
def test_number_of_threads_does_not_matter(rules):
    policy = Random(rules, 2)
    alone, found = evaluate(policy, context=Context(threads=1)), evaluate(policy, context=Context(threads=2))
    assert alone.distribution.pmf.tobytes() == found.distribution.pmf.tobytes()
    assert alone.visits.tobytes() == found.visits.tobytes()
    assert alone.fill_turn.tobytes() == found.fill_turn.tobytes()
    assert (
        policy_values(policy, Context(threads=1)).tobytes() == policy_values(policy, Context(threads=2)).tobytes()
    )


def test_a_policy_that_cheats_is_not_evaluated(small_rules):
    class Cheat(Heuristic):
        def decide(self, filled, upper):
            decisions = super().decide(filled, upper)
            decisions.keep[:] = 0
            return decisions

    for measure in (evaluate, policy_values):
        with pytest.raises(YatzyError, match=r"^policy 'heuristic': with dice 1 1 2 in state '.*' it keeps 1 1 1"):
            measure(Cheat(small_rules))


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
    assert ends.points[ends.of_reading[roll_id]].tolist() == list(rules.scores[roll_id])


def test_yatzy_is_tracked_by_whatever_name(rules, small_rules):
    assert tracked_category(rules) == 14
    assert tracked_category(maxi()) == 19
    assert tracked_category(small_rules) == -1


def test_json_has_everything_but_the_visits(small_rules):
    found = evaluate(Greedy(small_rules))
    written = as_json(found)
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
    found = [(part.weight, part.mean) for row in optimal.distributions for part in row]
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
    optimal = policy_of("optimal", 0.0, PLAIN_YAHTZEE)
    np.testing.assert_allclose(policy_values(optimal), optimal.table.values, rtol=0, atol=1e-9)


@pytest.mark.compiled
def test_yahtzee_with_free_jokers_spreads_as_published(evaluation_of):
    """Verhoeff's figures: mean 254.5896, SD 59.61, median 248."""
    found = evaluation_of("optimal", 0.0, "yahtzee+free-joker")
    assert found.mean == pytest.approx(254.58960948196315, abs=1e-9)
    assert found.sd == pytest.approx(59.6114, abs=5e-5)
    assert found.distribution.quantile(0.5) == 248
    assert found.bonus_rate == pytest.approx(0.6812, abs=5e-5)
    assert found.yatzy_rate == pytest.approx(0.3374, abs=5e-5)
    assert found.category_means.sum() + found.extra_mean + 35 * found.bonus_rate == pytest.approx(found.mean)
    assert found.cut == 0


@pytest.mark.compiled
def test_yahtzee_without_jokers_spreads_as_published(evaluation_of):
    found = evaluation_of("optimal", 0.0, PLAIN_YAHTZEE)
    assert found.mean == pytest.approx(245.8707745, abs=5e-8)
    assert found.sd == pytest.approx(39.82, abs=0.005)


@pytest.mark.compiled
def test_backward_pass_of_the_heuristic_is_its_mean(policy_of, evaluation_of):
    heuristic = policy_of("heuristic", 0.0, "yacht")
    assert policy_values(heuristic)[0, 0] == pytest.approx(evaluation_of("heuristic", 0.0, "yacht").mean, abs=1e-9)


@pytest.mark.compiled
def test_a_full_game_does_not_depend_on_threads(policy_of, evaluation_of):
    expected = evaluation_of("optimal", 0.0, PLAIN_YAHTZEE)
    found = evaluate(policy_of("optimal", 0.0, PLAIN_YAHTZEE), context=Context(threads=check_threads(None) + 1))
    assert found.distribution.pmf.tobytes() == expected.distribution.pmf.tobytes()
    assert found.outcome_probabilities.tobytes() == expected.outcome_probabilities.tobytes()
    assert found.visits.tobytes() == expected.visits.tobytes()


@pytest.mark.parametrize(
    ("make", "rules"),
    [
        *(pytest.param(Random, rules, id=f"random-{rules.name}") for rules in SPECIAL_GAMES),
        *(
            pytest.param(lambda rules: Optimal(solve(rules)), rules, id=f"optimal-{rules.name}")
            for rules in (JOKERS, SAVING, IN_ORDER)
        ),
    ],
)
def test_points_to_come_and_the_chance_of_the_bonus_from_any_state(rules, make):
    policy, row = make(rules), state_space(rules).row
    twin, chances = NaivePolicy(policy), bonus_chances(policy)
    for filled, upper in sorted(naive.reachable_states(rules))[::17]:
        pmf, bonus = points_to_come(policy, State(filled, upper), Context(threads=1))
        expected = np.zeros_like(pmf)
        for (to_come, _), prob in twin.rest(filled, upper).items():
            expected[to_come] += float(prob)
        np.testing.assert_allclose(pmf, expected, rtol=0, atol=1e-14)
        assert bonus == pytest.approx(twin.bonus_chance(filled, upper), abs=1e-14)
        assert chances[row(filled), upper] == pytest.approx(twin.bonus_chance(filled, upper), abs=1e-14)


def walk_to_the_end(policy, **how):
    """The last layer, and its rows by state."""
    tracked = tracked_category(policy.rules)
    *_, last = walk_game(policy.rules, lambda f, u: turn_exits(policy, f, u, 1), None, tracked, **how)
    rows = {}
    for part in last.rows:
        for index, slot in np.argwhere(part.line >= 0).tolist():
            line = part.line[index, slot]
            for plane, (start, length) in enumerate(zip(part.start[line], part.length[line], strict=True)):
                key = int(np.flatnonzero(part.place == index)[0]), slot, plane, int(part.low[line, plane])
                rows[key] = part.buffer[start : start + length].tobytes()
    return last, rows


@pytest.mark.parametrize("rules", [LOWER_FIRST, JOKERS, SAVING], ids=lambda rules: rules.name)
@pytest.mark.parametrize("trim", [0.0, 1e-4])
def test_groups_and_threads_do_not_matter(rules, trim):
    """Bit for bit, whether or not anything is cut."""
    policy = Random(rules, 3)
    _, expected = walk_to_the_end(policy, trim=trim, split=0, context=Context(threads=1))
    for split, threads in ((0, 2), (1, 1), (2, 2), (3, 1)):
        assert walk_to_the_end(policy, trim=trim, split=split, context=Context(threads=threads))[1] == expected


@pytest.mark.parametrize("rules", [LOWER_FIRST, JOKERS, SAVING], ids=lambda rules: rules.name)
def test_what_is_cut_is_what_is_missing(rules):
    policy = Random(rules, 3)
    assert evaluate(policy).cut == 0.0
    whole, _ = walk_to_the_end(policy)
    trimmed, _ = walk_to_the_end(policy, trim=1e-3, split=2)
    assert whole.cut == 0.0
    assert 1e-3 < trimmed.cut < 0.5
    assert whole.states[2].sum() == pytest.approx(1, abs=1e-14)
    assert trimmed.states[2].sum() == pytest.approx(1 - trimmed.cut, abs=1e-14)


def test_a_large_game_is_cut_and_says_so(small_rules, monkeypatch):
    monkeypatch.setattr("yatzy.measure.forward.TRIMMED_ABOVE", 0)
    monkeypatch.setattr("yatzy.measure.forward.TRIM", 1e-3)
    found = evaluate(Greedy(small_rules))
    assert found.cut > 0
    assert as_json(found)["cut"] == found.cut
    assert found.distribution.weight == pytest.approx(1 - found.cut, abs=1e-14)


def test_memory_grows_without_losing_anything():
    memory, expected = GrowableArray(np.uint16), []
    for n in (3, 0, 1000, 1, 100_000):
        part = np.arange(n, dtype=np.uint16)
        expected.append((memory.append(part), part))
    numbers = memory.finish()
    for begin, part in expected:
        assert (numbers[begin : begin + len(part)] == part).all()


def test_a_game_that_does_not_fit_into_memory_is_refused_before_it_is_computed(small_rules, monkeypatch):
    """`evaluate --rules maxi` grew to 21 GB and was killed."""
    monkeypatch.setattr("yatzy.measure.forward.free_memory", lambda: 1000)
    with pytest.raises(YatzyError, match=r"rules: the exact distribution of three-dice needs about .* GB"):
        evaluate(Greedy(small_rules))


@pytest.mark.parametrize(
    ("game", "gigabytes", "fits"),
    [("scandinavian", 2, True), ("yahtzee", 3, True), ("maxi", 12, True), ("maxi", 5, False),
     ("scandinavian+saved-throws", 16, True), ("scandinavian+saved-throws", 4, False)],
)  # fmt: skip
def test_what_fits_into_memory(monkeypatch, game, gigabytes, fits):
    monkeypatch.setattr("yatzy.measure.forward.free_memory", lambda: gigabytes * 10**9)
    if fits:
        check_memory(state_space(ruleset(game)), State())
    else:
        with pytest.raises(YatzyError, match="simulate it instead"):
            check_memory(state_space(ruleset(game)), State())
