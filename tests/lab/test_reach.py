"""The study of targets: on reduced games, against naive twins and play that is followed exactly."""

from fractions import Fraction

import numpy as np
import pytest

from games import LOWER_FIRST, THREE_DICE
from naive_goals import GoalExpectimax
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.game.json import as_json, check_json
from yatzy.lab.studies import results
from yatzy.lab.studies import sweep as sweeping
from yatzy.lab.studies.reach import Change, measure_reach
from yatzy.measure.exact import evaluate, evaluate_with_points
from yatzy.policies.optimal import Optimal, PlaysFor
from yatzy.rules import State
from yatzy.solver.goal import PRICE, cheapest_reach, reach
from yatzy.solver.goals import solve_goal
from yatzy.turn.outcomes import highest_score


@pytest.fixture(scope="module", autouse=True)
def few_thetas():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeping, "default_grid", lambda: [-0.2, 0.0, 0.2])
        yield


def measure(game, home, **changed):
    asked = {"followed": (20, 30), "change_targets": (20, 30), "replayed": 20} | changed
    return measure_reach(game, Context(home, 1), **asked)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return measure(THREE_DICE, tmp_path_factory.mktemp("reach"))


@pytest.mark.compiled
def test_the_frontier_is_above_everything_else(found):
    curve, table = found.curve, solve(THREE_DICE)
    best, for_mean, for_theta = (np.array(one) for one in (curve.best, curve.for_mean, curve.for_theta))
    twin = GoalExpectimax(THREE_DICE, lambda score: int(score >= 30))
    assert best[30] == pytest.approx(float(twin.state(0, 0, 0)), abs=1e-12)
    assert len(best) == highest_score(THREE_DICE) + 1
    assert (np.diff(best) <= 1e-15).all()
    assert (best >= for_theta - 1e-12).all()
    assert (for_theta >= for_mean - 1e-12).all()
    scores = evaluate(Optimal(table)).distribution
    assert for_mean == pytest.approx([scores.at_least(target) for target in range(len(best))], abs=1e-12)
    for one in found.within:
        assert best[one.best] >= one.probability
        assert one.best == len(best) - 1 or best[one.best + 1] < one.probability
        assert one.for_mean <= one.for_theta <= one.best
    check_json(type(found), as_json(found))


@pytest.mark.compiled
def test_what_a_target_costs_is_what_play_for_it_loses(found):
    for one in found.followed:
        assert one.chance == pytest.approx(found.curve.best[one.target], abs=1e-6)
        assert one.mean == pytest.approx(found.curve.mean_of_best[one.target], abs=1e-5)
        assert one.cost == pytest.approx(found.mean - one.mean)
        assert one.cost > 0
    assert found.curve.mean_of_best[0] == pytest.approx(found.mean, abs=1e-5)
    assert max(found.curve.mean_of_best) <= found.mean + 1e-5
    assert found.curve.mean_of_best[found.costliest] == min(found.curve.mean_of_best)


@pytest.mark.compiled
@pytest.mark.parametrize("target", [25, 35, 45])
def test_the_cheapest_play_is_no_dearer_than_any_other(target):
    """Of all plays with the greatest chance it has the highest mean."""
    table = solve(LOWER_FIRST)
    chances, priced = (
        solve_goal(LOWER_FIRST, goal, precision="float64", context=Context(threads=1))
        for goal in (reach(), cheapest_reach(table))
    )
    gained = priced.value(State(), -target) - chances.value(State(), -target)
    played = evaluate_with_points(PlaysFor(chances, table, target), Context(threads=1))
    assert played.distribution.mean - 1e-5 <= target + gained / PRICE <= table.value() + 1e-5
    twin = GoalExpectimax(LOWER_FIRST, lambda score: int(score >= target) + Fraction(PRICE) * score)
    expected = float(twin.state(0, 0, 0)) - PRICE * target
    assert priced.value(State(), -target) == pytest.approx(expected, abs=1e-13)


def test_a_price_needs_values_and_float64():
    for goal, precision in (
        (cheapest_reach(solve(LOWER_FIRST)), "float64"),
        (cheapest_reach(solve(THREE_DICE)), "float32"),
    ):
        with pytest.raises(YatzyError, match=r"^goal: cheapest-reach needs the values of three-dice, and float64"):
            solve_goal(THREE_DICE, goal, precision=precision)
    solved = solve_goal(
        THREE_DICE, cheapest_reach(solve(THREE_DICE)), precision="float64", context=Context(threads=1)
    )
    with pytest.raises(YatzyError, match=r"^goal: a chance belongs to the goal reach, not to cheapest-reach"):
        solved.chance(3)


@pytest.mark.compiled
def test_changes_are_what_the_mean_gives_away(tmp_path):
    found = measure(THREE_DICE, tmp_path, replayed=40)
    sizes = [one.size for one in found.changes]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] > 0
    assert len({one.game for one in found.changes}) == len(sizes)
    assert 0 < sum(found.decisions_changed.values()) < 2 * found.decisions_replayed
    for one in found.changes[:3]:
        filled = sum(1 << c for c, box in enumerate(THREE_DICE.categories) if box.name.lower() not in one.open)
        twin = GoalExpectimax(THREE_DICE, lambda score, target=one.target: int(score >= target))
        best = float(twin.roll(filled, one.upper, one.points, tuple(one.dice), one.rerolls))
        assert one.chance == pytest.approx(best, abs=1e-6)


def test_a_change_in_words():
    one = Change(
        300, 7, 15, 210, ["chance"], 63, [4, 4, 4, 4, 4], 1, "keep 4 4 4 4", "score chance", 1 / 6, 0.0, 0.5
    )
    assert one.words == (
        "For 300, with 210 points in the boxes, an upper total of 63, chance open, 4 4 4 4 4 on the table and "
        "one reroll left: keep 4 4 4 4, not score chance. That is a chance of 16.7% instead of 0.0%, for 0.5 "
        "points of the mean."
    )


@pytest.mark.compiled
def test_what_was_found_is_found_again(tmp_path, monkeypatch):
    steps = []
    once = measure_reach(
        THREE_DICE,
        Context(tmp_path, threads=1, progress=lambda done, total: steps.append(done / total)),
        (20,),
        (20,),
        5,
    )
    assert steps == sorted(steps)
    # Nothing is kept a second time.
    monkeypatch.setattr(results, "write_atomically", None)
    assert measure_reach(THREE_DICE, Context(tmp_path, threads=1), (20,), (20,), 5) == once
