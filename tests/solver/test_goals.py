"""Goals against the slow twin on reduced games, and against published chances on the whole one."""

import numpy as np
import pytest

from games import LOWER_FIRST, THREE_DICE, TINY, TINY_BONUS, TWO_BOXES
from naive_goals import GoalExpectimax
from yatzy import YatzyError, from_here, solve
from yatzy.coach.advice import stored_chances
from yatzy.context import Context
from yatzy.game.aim import check_target, possible_points
from yatzy.game.situation import Situation
from yatzy.measure.exact import points_to_come
from yatzy.measure.opponent_model import mean_opponent
from yatzy.policies.optimal import Optimal
from yatzy.rules import State, format_dice, ruleset
from yatzy.solver.from_here import advise_for_target
from yatzy.solver.goal import duel, mean, reach, risk, utility
from yatzy.solver.goals import solve_goal
from yatzy.solver.states import state_space
from yatzy.solver.store import goal_path, stored_goal
from yatzy.turn.outcomes import highest_score

SMALL = (TINY, TINY_BONUS, TWO_BOXES)
# Two independent float32 solvers agree on these.
PUBLISHED = {200: 0.94566, 225: 0.81614, 250: 0.56029, 275: 0.31980, 300: 0.13725, 320: 0.03681, 340: 0.00164}


def states_of(rules):
    space = state_space(rules)
    return [State(int(f), int(u)) for f, u in np.argwhere(space.reachable)]


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: rules.name)
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_chances_are_those_of_the_twin(rules, precision):
    table = solve_goal(rules, reach(), precision=precision, context=Context(threads=1))
    most = highest_score(rules)
    for target in sorted({1, most // 2, most - 1}):
        twin = GoalExpectimax(rules, lambda score, target=target: int(score >= target))
        for state in states_of(rules)[::2]:
            for points in sorted(possible_points(rules, state))[::4]:
                found = table.chance(target, state, points)
                expected = float(twin.state(state.filled, state.upper, points))
                assert found == pytest.approx(expected, abs=1e-13 if precision == "float64" else 1e-6)


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: rules.name)
def test_any_worth_of_the_score_is_that_of_the_twin(rules):
    worths = np.random.default_rng(3).integers(-5, 20, highest_score(rules) + 1)
    table = solve_goal(rules, utility(worths), precision="float64", context=Context(threads=1))
    twin = GoalExpectimax(rules, lambda score: int(worths[score]))
    for state in states_of(rules):
        for points in sorted(possible_points(rules, state))[::2]:
            expected = float(twin.state(state.filled, state.upper, points))
            assert table.value(state, points) == pytest.approx(expected, abs=1e-12)


@pytest.mark.compiled
def test_the_mean_is_a_worth_of_the_score():
    scores = np.arange(highest_score(THREE_DICE) + 1)
    assert solve_goal(THREE_DICE, utility(scores), precision="float64").value(State(), 0) == pytest.approx(
        solve(THREE_DICE).value(), abs=1e-12
    )


@pytest.mark.compiled
def test_a_situation_solved_from_here_is_that_of_the_whole_game():
    whole = solve_goal(LOWER_FIRST, reach(), precision="float64", context=Context(threads=1))
    for state in states_of(LOWER_FIRST):
        alone = solve_goal(LOWER_FIRST, reach(), state, precision="float64", context=Context(threads=1))
        everywhere = np.arange(-highest_score(LOWER_FIRST) - 2, 3)
        np.testing.assert_array_equal(
            alone.row_values(state, int(everywhere[0]), len(everywhere)),
            whole.row_values(state, int(everywhere[0]), len(everywhere)),
        )


@pytest.mark.compiled
def test_threads_change_nothing():
    one, two = (solve_goal(LOWER_FIRST, reach(), context=Context(threads=n)) for n in (1, 2))
    np.testing.assert_array_equal(one.values, two.values)


@pytest.mark.compiled
def test_chances_fall_with_the_target_and_rise_with_points():
    table = solve_goal(LOWER_FIRST, reach(), precision="float64", context=Context(threads=1))
    for state in states_of(LOWER_FIRST):
        chances = table.row_values(state, -highest_score(LOWER_FIRST) - 2, highest_score(LOWER_FIRST) + 4)
        assert (np.diff(chances) >= 0).all()
        assert chances.min() >= 0
        assert chances.max() <= 1


@pytest.mark.parametrize("rules", [TINY, TWO_BOXES, LOWER_FIRST], ids=lambda rules: rules.name)
def test_play_for_the_mean_never_has_a_better_chance(rules):
    chances, best = (
        solve_goal(rules, reach(), precision="float64", context=Context(threads=1)),
        Optimal(solve(rules)),
    )
    for state in states_of(rules)[::3]:
        to_come, _ = points_to_come(best, state)
        for need in range(1, len(to_come)):
            assert to_come[need:].sum() <= chances.value(state, -need) + 1e-12


@pytest.mark.compiled
def test_advice_for_a_target_is_that_of_the_twin():
    rules, target, points, state = THREE_DICE, 20, 3, State(1, 3)
    chances, table = solve_goal(rules, reach(), precision="float64"), solve(rules)
    twin = GoalExpectimax(rules, lambda score: int(score >= target))
    for dice in [(1, 2, 2), (2, 3, 4), (4, 4, 4), (1, 1, 3)]:
        for rerolls in (0, 1, 2):
            actions = advise_for_target(chances, table, Situation.of(rules, dice, rerolls, state), points, target)
            best = float(twin.roll(state.filled, state.upper, points, dice, rerolls))
            assert actions[0].chance == pytest.approx(best, abs=1e-13)
            assert [a.chance for a in actions] == sorted((a.chance for a in actions), reverse=True)
            for kept in {(), dice[:1], dice[1:]} if rerolls else set():
                told = {str(a.action): a.chance for a in actions}[f"keep {format_dice(kept) or 'nothing'}"]
                worth = float(twin.keep(state.filled, state.upper, points, kept, rerolls - 1))
                assert told == pytest.approx(worth, abs=1e-13)


@pytest.mark.compiled
def test_a_certain_loss_is_not_advised():
    """252 points with the bonus, Chance open, 4 4 4 4 4 and one reroll, and 274 wins: Chance now is 20, a loss."""
    rules = ruleset()
    state = State(rules.all_filled & ~(1 << 13), 63)
    here = Situation.of(rules, (4, 4, 4, 4, 4), 1, state)
    actions = advise_for_target(stored_chances().reach(rules, state), solve(rules), here, 202, 274)
    assert str(actions[0].action) == "keep 4 4 4 4"
    assert actions[0].chance == pytest.approx(1 / 6)
    assert {str(a.action): a.chance for a in actions}["score chance"] == 0


def test_one_call_solves_every_goal():
    assert solve(TINY, goal=mean()).value() == solve(TINY).value()
    assert solve(TINY, goal=risk(0.1)).value() == solve(TINY, 0.1).value()
    assert solve(TINY, goal=reach()).chance(5) == solve_goal(TINY, reach()).chance(5)
    squares = utility(np.arange(highest_score(TINY) + 1) ** 2)
    assert solve(TINY, goal=squares, precision="float64").promise == solve_goal(
        TINY, squares, precision="float64"
    ).value(State(), 0)
    with pytest.raises(YatzyError, match=r"^theta: cannot go with the goal reach; .* goal=risk\(0.2\)"):
        solve(TINY, 0.2, goal=reach())
    with pytest.raises(YatzyError, match=r"^goal: mean does not look at the points so far"):
        solve_goal(TINY, mean())


def test_a_situation_answers_by_itself():
    whole, table = solve_goal(LOWER_FIRST, reach(), precision="float64"), solve(LOWER_FIRST)
    here = from_here(State(2, 8), 8, reach(), LOWER_FIRST, precision="float64")
    assert here.chance(30) == whole.chance(30, State(2, 8), 8)
    assert here.advise(table, (4, 6), 1, 30) == advise_for_target(
        whole, table, Situation.of(table.rules, (4, 6), 1, State(2, 8)), 8, 30
    )
    scores = np.arange(highest_score(LOWER_FIRST) + 1)
    worth = from_here(State(2, 8), 8, utility(scores), LOWER_FIRST, precision="float64")
    assert worth.value == pytest.approx(8 + table.value(2, 8), abs=1e-12)
    best = worth.advise(table, (4, 6), 1)[0]
    assert best.chance == pytest.approx(8 + best.value, abs=1e-12)
    for wrong, sentence in [
        (lambda: here.value, r"^goal: 'reach' has no single value; ask for"),
        (lambda: here.advise(table, (4, 6), 1), r"^target: the goal reach needs one"),
        (lambda: worth.advise(table, (4, 6), 1, 30), r"^target: .* no other goal takes one"),
        (lambda: worth.chance(30), r"^goal: a chance belongs to the goal reach"),
        (
            lambda: from_here(State(), 0, duel(mean_opponent(table)), LOWER_FIRST),
            r"^goal: a duel is played",
        ),
    ]:
        with pytest.raises(YatzyError, match=sentence):
            wrong()


@pytest.mark.parametrize("target", [-1, 375, 3.5, True, "300"])
def test_a_target_that_no_game_can_have_is_refused(target):
    with pytest.raises(YatzyError, match=r"^target: .* is not allowed; allowed is a whole number from 0 to 374"):
        check_target(ruleset(), target)


def test_goals_are_refused_where_throws_are_saved():
    with pytest.raises(YatzyError, match=r"^rules: goals are for games that save no throws"):
        solve_goal("scandinavian+saved-throws", reach())


@pytest.mark.parametrize("worths", [[], [[1, 2]], [1, float("nan")]])
def test_worths_that_are_no_list_of_numbers_are_refused(worths):
    with pytest.raises(YatzyError, match=r"^worths: "):
        utility(worths)


@pytest.mark.compiled
def test_a_stored_goal_is_found_again_and_a_damaged_one_is_solved_again(tmp_path):
    told = []
    first = stored_goal(LOWER_FIRST, reach(), Context(tmp_path, notice=told.append))
    path = goal_path(LOWER_FIRST, reach(), tmp_path)
    again = stored_goal(LOWER_FIRST, reach(), Context(tmp_path, notice=told.append))
    np.testing.assert_array_equal(first.values, again.values)
    assert told == []
    content = bytearray(path.read_bytes())
    content[-9] ^= 1
    path.write_bytes(content)
    mended = stored_goal(LOWER_FIRST, reach(), Context(tmp_path, notice=told.append))
    assert "solving again" in told[0]
    np.testing.assert_array_equal(first.values, mended.values)


@pytest.mark.compiled
def test_published_chances(evaluation_of, published):
    """By the study `reach`, in float64, if it is fresh; else by the table of `yatzy chance`, in a minute."""
    study = published("reach")
    targets = range(100, 375)
    if study:
        curve = study["curve"]["best"][100:]
    else:
        table = stored_goal(ruleset(), reach())
        curve = [table.chance(target) for target in targets]
    chances = dict(zip(targets, curve, strict=True))
    assert {target: chances[target] for target in PUBLISHED} == pytest.approx(PUBLISHED, abs=1e-5)
    assert (np.diff(curve) <= 0).all()
    assert curve[-1] > 0
    scores = evaluation_of("optimal").distribution
    for target, chance in chances.items():
        assert chance >= scores.at_least(target) - 1e-6


@pytest.mark.compiled
def test_float32_is_enough_for_chances():
    """From the middle of a game on, beside float64."""
    for state in (
        State(0b000101110010110, 40), State(0b110011000111111, 63), State(0b111111100011000, 17),
        State(0b001110111101011, 30), State(0b011111111000110, 8), State(0b101111011111111, 55),
    ):  # fmt: skip
        table = solve_goal("scandinavian", reach(), state)
        exact = solve_goal("scandinavian", reach(), state, precision="float64")
        for filled in subsets(ruleset().all_filled & ~state.filled):
            after = State(state.filled | filled, state.upper)
            np.testing.assert_allclose(
                table.row_values(after, -300, 301), exact.row_values(after, -300, 301), rtol=0, atol=1e-6
            )


def subsets(mask):
    """Some sets of boxes: none, each alone, and all but one."""
    bits = [1 << c for c in range(15) if mask >> c & 1 and c > 5]
    return [0, *bits, sum(bits[1:])]
