"""The score of optimal play: against published figures, simulated games and a naive twin."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from games import LOWER_FIRST, THREE_DICE
from naive import after_scoring
from naive_policies import NaivePolicy
from yatzy import YatzyError
from yatzy.context import Context
from yatzy.game.json import as_json, check_json
from yatzy.lab.studies.scores import (
    BonusGap,
    Populations,
    bin_scores,
    chi_square_tail,
    measure_distribution,
    measure_fit,
    normal_pmf,
    points_with_bonus,
    split_bonus_gap,
    split_gap,
    split_populations,
    spray_games,
)
from yatzy.measure.exact import Evaluation, evaluate
from yatzy.measure.simulate import Games, simulate
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Policy
from yatzy.rules import Ruleset
from yatzy.solver.solve import solve

TWIN_GAMES = (
    replace(THREE_DICE, name="three-dice-one-reroll", rerolls=1),
    replace(LOWER_FIRST, name="lower-first-one-throw", rerolls=0),
    LOWER_FIRST,
)


@pytest.fixture(scope="module")
def bonus_gap(policy_of: Callable[..., Policy], evaluation_of: Callable[..., Evaluation]) -> BonusGap:
    return split_gap(policy_of("optimal"), evaluation_of("optimal"))


@pytest.fixture(scope="module")
def games(policy_of: Callable[..., Policy]) -> Games:
    return simulate(policy_of("optimal"), 100_000, seed=5)


@pytest.fixture(scope="module")
def populations(evaluation_of: Callable[..., Evaluation], games: Games) -> Populations:
    return split_populations(evaluation_of("optimal"), games)


@pytest.mark.compiled
@pytest.mark.usefixtures("evaluated_once")
def test_distribution_exact_and_simulated(home: Path) -> None:
    found = measure_distribution(context=Context(home), games=200_000, seed=3)
    assert found.mean == pytest.approx(248.439989378, abs=1e-9)
    assert found.sd == pytest.approx(38.4964, abs=5e-5)
    assert (found.lowest, found.highest) == (10, 374)
    assert list(found.quantiles.values()) == [145, 179, 203, 225, 249, 276, 299, 309, 325]
    assert found.at_least["300"] == pytest.approx(0.09946, abs=5e-6)
    assert found.at_least["320"] == pytest.approx(0.01964, abs=5e-6)
    assert [tail.at_least for tail in found.tails] == sorted(tail.at_least for tail in found.tails)
    last = found.tails[-1]
    assert sum(found.pmf[last.at_least :]) >= 1e-12 > sum(found.pmf[last.at_least + 1 :])
    assert sum(found.pmf[: last.at_most + 1]) >= 1e-12 > sum(found.pmf[: last.at_most])
    simulated = found.simulated
    assert sum(simulated.counts) == sum(b.observed for b in simulated.bins) == 200_000
    assert simulated.chi_square.p_value > 0.001
    assert max(abs(category.z) for category in simulated.categories) < 4
    assert abs(simulated.z) < 4
    check_json(type(found), as_json(found))


@pytest.mark.parametrize(
    ("statistic", "degrees"),
    [(3.841458820694124, 1), (11.070497693516351, 5), (18.307038053275146, 10), (124.34211340400407, 100)],
)
def test_chi_square_tail_is_the_tables_five_percent(statistic: float, degrees: int) -> None:
    assert chi_square_tail(statistic, degrees) == pytest.approx(0.05, abs=1e-12)


def test_bins_cover_all_scores_and_expect_enough() -> None:
    expected = np.linspace(0, 30, 48)
    bins = bin_scores(expected, np.arange(48))
    assert [b.first for b in bins] == [0, *(b.last + 1 for b in bins[:-1])]
    assert bins[-1].last == 47
    assert min(b.expected for b in bins) >= 20
    assert sum(b.observed for b in bins) == sum(range(48))


@pytest.mark.compiled
def test_populations_are_the_published_ones(populations: Populations) -> None:
    found = {(p.bonus, p.yatzy): (p.weight, p.mean) for p in populations.populations}
    published = {
        (False, False): (0.0607, 164.1), (False, True): (0.0412, 212.7),
        (True, False): (0.5509, 236.6), (True, True): (0.3472, 286.3),
    }  # fmt: skip
    for key, (weight, mean) in published.items():
        assert found[key][0] == pytest.approx(weight, abs=5.1e-5)
        assert found[key][1] == pytest.approx(mean, abs=0.051)
    assert sum(sum(p.density) for p in populations.populations) == pytest.approx(1, abs=1e-12)
    assert populations.four_normals.total_variation < populations.one_normal.total_variation
    assert [mode // 10 for mode in populations.modes] == [16, 23]


@pytest.mark.compiled
def test_the_populations_ripple(populations: Populations) -> None:
    """They were called bells, under curves with two and three humps."""
    assert [part.humps for part in populations.populations] == [
        [154, 171], [203, 221], [232, 250], [264, 282, 300],
    ]  # fmt: skip
    ripple = populations.ripple
    assert ripple.boxes == ["Four of a Kind", "Small Straight", "Large Straight", "Full House"]
    assert [part.made for part in ripple.parts] == [0, 1, 2, 3, 4]
    assert sum(part.share for part in ripple.parts) == pytest.approx(1, abs=1e-12)
    assert 18 < ripple.step < 22
    for part in ripple.parts[1:]:
        # One hill; its top is ragged, because the parts come from games that were played.
        assert max(part.humps) - min(part.humps) < ripple.step / 4
        assert part.sd < ripple.step / 1.8


def test_distances_of_distributions() -> None:
    exact, model = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5])
    assert measure_fit(exact, model).total_variation == 0.5
    assert measure_fit(exact, model).ks_distance == 0.5
    normal = normal_pmf(10.0, 2.0, 40)
    assert normal.sum() == pytest.approx(1, abs=1e-15)
    assert normal[10] == pytest.approx(math.erf(0.25 / math.sqrt(2)), abs=1e-15)


def naive_points_with_bonus(twin: NaivePolicy) -> list[float]:
    """E[points in a category * 1{bonus}], over every scorecard."""
    rules = twin.rules
    n = len(rules.categories)
    cards: dict[tuple[tuple[int, int], tuple[int, ...]], Fraction] = {((0, 0), (0,) * n): Fraction(1)}
    for _ in range(n):
        after: dict[tuple[tuple[int, int], tuple[int, ...]], Fraction] = {}
        for (state, card), prob in cards.items():
            for (c, points), share in twin.ends_of_turn(*state).items():
                key = after_scoring(rules, *state, c, points), (*card[:c], points, *card[c + 1 :])
                after[key] = after.get(key, 0) + prob * share
        cards = after
    paid = [(card, prob) for (state, card), prob in cards.items() if state[1] >= rules.bonus_threshold]
    return [float(sum(card[c] * prob for card, prob in paid)) for c in range(n)]


@pytest.mark.parametrize("rules", TWIN_GAMES, ids=lambda rules: rules.name)
def test_bonus_points_are_as_defined(rules: Ruleset) -> None:
    policy = Optimal(solve(rules))
    found = points_with_bonus(policy, evaluate(policy))
    np.testing.assert_allclose(found, naive_points_with_bonus(NaivePolicy(policy)), rtol=0, atol=1e-12)


def test_bonus_gap_needs_games_of_both_kinds(home: Path) -> None:
    out_of_reach = replace(THREE_DICE, name="three-dice-no-bonus", bonus_threshold=40)
    with pytest.raises(YatzyError, match="not both"):
        split_bonus_gap(out_of_reach, Context(home))


@pytest.mark.compiled
def test_bonus_gap_adds_up(bonus_gap: BonusGap) -> None:
    assert bonus_gap.gap == pytest.approx(72.02, abs=0.005)
    assert bonus_gap.bonus + bonus_gap.upper_part + bonus_gap.lower_part == pytest.approx(bonus_gap.gap, abs=1e-9)
    assert (bonus_gap.upper_part, bonus_gap.lower_part) == pytest.approx((10.29, 11.73), abs=0.005)
    for part in bonus_gap.categories:
        both = bonus_gap.bonus_rate * part.with_bonus + (1 - bonus_gap.bonus_rate) * part.without_bonus
        assert both == pytest.approx(part.mean, abs=1e-9)
    assert [claim.agrees for claim in bonus_gap.claims] == [True, True, False, False]


@pytest.mark.compiled
def test_bonus_gap_agrees_with_simulated_games(bonus_gap: BonusGap, games: Games) -> None:
    for c, part in enumerate(bonus_gap.categories):
        for mean, chosen in ((part.with_bonus, games.bonus), (part.without_bonus, ~games.bonus)):
            points = games.points[chosen, c]
            assert abs(points.mean() - mean) < 4 * points.std() / math.sqrt(len(points))


@pytest.mark.compiled
def test_spray_unpacks_to_whole_games(home: Path) -> None:
    spray = spray_games(context=Context(home), games=2_000)
    content = json.dumps(as_json(spray), separators=(",", ":"))
    assert len(content) * 5 < 700_000
    columns = [[column.possible[int(digit, 36)] for digit in column.points] for column in spray.columns]
    turns = [[int(digit, 36) for digit in column.turns] for column in spray.columns]
    for game in range(spray.games):
        bonus = sum(column[game] for column in columns[:6]) >= 63
        assert spray.score[game] == sum(column[game] for column in columns) + 50 * bonus
        assert (spray.bonus[game] == "1") == bonus
        assert (spray.yatzy[game] == "1") == (columns[14][game] == 50)
        assert sorted(column[game] for column in turns) == list(range(1, 16))
