"""Other goals than the mean: what they look like, what actions are worth for them, and how they are judged."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from games import SAVING, THREE_DICE, TWO_BOXES
from games import TINY_BONUS as TINY
from naive_goals import GoalExpectimax
from yatzy import YatzyError, solve
from yatzy.coach import advice
from yatzy.coach.advice import GoalAdvisor, score_worths, share_of_win, stored_chances
from yatzy.coach.outlook import final_scores
from yatzy.coach.review import Judge, review
from yatzy.context import Context
from yatzy.game.aim import Aim, Card, make_aim, parse_aim
from yatzy.game.game import Game
from yatzy.game.json import as_json, check_json
from yatzy.game.log import parse_log
from yatzy.game.situation import Situation
from yatzy.measure.exact import points_to_come
from yatzy.measure.simulate import play_logs
from yatzy.policies.baselines import Random
from yatzy.policies.optimal import Optimal
from yatzy.rules import State
from yatzy.solver import from_here as solver_chances
from yatzy.solver.goal import reach
from yatzy.solver.goals import solve_goal
from yatzy.turn.outcomes import highest_score

OTHERS = (Card(TINY, State(1, 1), 1), Card(TINY, State(), 0))


def chances_of(rules):
    whole = solve_goal(rules, reach(), context=Context(threads=1))
    return GoalAdvisor(lambda _: whole, threads=1)


def judge_of(rules):
    table = solve(rules)
    return Judge(table, chances_of(rules), lambda theta: solve(rules, theta))


# What they look like.


@pytest.mark.parametrize("aim", [Aim(target=7), Aim(theta=-0.2), Aim(others=OTHERS)])
def test_a_goal_is_read_as_it_was_written(aim):
    assert parse_aim(TINY, check_json(Aim, as_json(aim))) == aim


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, r"\{\} is not a goal; allowed is null"),
        ({"target": 3, "theta": 0.1}, r"\{'target': 3, 'theta': 0.1\} is not a goal"),
        ({"wish": 3}, "wish: 'wish' is not known; allowed are target, theta, others"),
        (3, "goal: 3 is not an object with target, theta, others"),
        ({"target": 99}, "target: 99 is not allowed"),
        ({"target": "7"}, "target: '7' is not a whole number"),
        ({"theta": "x"}, "theta: 'x' is not a number"),
        ({"others": 3}, "others: 3 is not a list"),
        ({"others": [{"filled": []}]}, r"others\[0\].points: is missing"),
        ({"others": [{"filled": ["ones"], "upper": 9, "points": 9}]}, r"others\[0\].upper: 9 is outside"),
        ({"others": [{"filled": [], "upper": 0, "points": 1}]}, r"others\[0\].points: 1 cannot occur"),
        ({"others": [{"filled": [], "upper": 0, "points": 0}] * 8}, "others: has 8 entries; allowed is 7"),
    ],
)
def test_what_is_no_goal_is_refused(given, sentence):
    with pytest.raises(YatzyError, match=f"^{sentence}"):
        parse_aim(TINY, check_json(Aim, given, "goal"))


def test_the_mean_is_no_goal_to_be_told():
    assert parse_aim(TINY, None) is None
    assert make_aim(TINY, None, 0.0) is None
    assert parse_aim(TINY, {"theta": 0}) is None


def test_one_goal_at_a_time_and_no_chances_with_saved_throws():
    with pytest.raises(YatzyError, match=r"^target: cannot go with theta"):
        make_aim(TINY, 5, 0.1)
    with pytest.raises(YatzyError, match=r"^target: chances are for games that save no throws, not for saving"):
        make_aim(SAVING, 5, 0.0)
    assert make_aim(SAVING, None, 0.1) == Aim(theta=0.1)


def test_a_log_keeps_its_goals():
    log = next(play_logs(Random(TINY), 1, seed=1)).with_aim(Aim(target=5))
    told = as_json(log)
    assert told["turns"][0]["goals"] == [{"target": 5}] * len(log.turns[0].rolls)
    assert parse_log(told, TINY) == log
    assert "goals" not in as_json(log.with_aim(None))["turns"][0]
    told["turns"][1]["goals"] = [None]
    with pytest.raises(YatzyError, match=r"^turns\[1\].goals: has 1 entries"):
        parse_log(told, TINY)
    told["turns"][1]["goals"] = [{"target": -1}] * len(log.turns[1].rolls)
    with pytest.raises(YatzyError, match=r"^turns\[1\].goals\[0\].target: -1 is not allowed"):
        parse_log(told, TINY)


def test_a_game_writes_what_it_is_played_for():
    game = Game(TINY, seed=0, aim=Aim(target=4)).throw().throw().score("ones")
    assert game.log().turns[0].goals == (Aim(target=4),) * 2


# What actions are worth.


def test_the_share_of_a_win_is_counted_out():
    scores = np.array([[0.2, 0.5, 0.3], [0.6, 0.0, 0.4]])
    for mine in range(3):
        expected = sum(
            scores[0, a] * scores[1, b] / (1 + (a == mine) + (b == mine))
            for a, b in product(range(mine + 1), repeat=2)
        )
        assert share_of_win(scores)[mine] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("rules", [TINY, TWO_BOXES], ids=lambda rules: rules.name)
@pytest.mark.parametrize("others", [OTHERS[1:], OTHERS[1:] * 2])
def test_advice_against_others_is_that_of_the_twin(rules, others):
    table, chances = solve(rules), chances_of(rules)
    worths = score_worths(table, others)
    twin = GoalExpectimax(rules, lambda score: Fraction(float(worths[score])))
    for dice in rules.rolls:
        found = chances.advise(Aim(others=others), table, Situation.of(rules, dice, 1, State()), 0)
        assert found.exact
        assert found.chance == pytest.approx(float(twin.roll(0, 0, 0, tuple(dice), 1)), abs=1e-6)


def test_before_it_can_be_solved_an_estimate_is_never_less(monkeypatch):
    rules = THREE_DICE
    table, chances = solve(rules), chances_of(rules)
    aim, here = Aim(others=(Card(rules, State(), 0),)), Situation.of(rules, (1, 2, 4), 1, State(1, 2))
    exact = chances.advise(aim, table, here, 2)
    monkeypatch.setattr(solver_chances, "SOLVED_FROM_HERE", 0)
    estimate = chances.advise(aim, table, here, 2)
    assert exact.exact
    assert not estimate.exact
    assert len(estimate) == len(exact)
    for one in exact:
        assert one.chance - 1e-6 <= estimate.of(one.action).chance <= one.chance + 0.1


def test_two_who_play_for_the_mean_win_as_often():
    pmf = final_scores(TINY, 0, points_to_come(Optimal(solve(TINY)), State())[0]).pmf
    assert float(pmf @ share_of_win(pmf[None])) == pytest.approx(1 / 2, abs=1e-12)


def test_a_target_that_is_certain_or_lost_leaves_the_order_to_the_points():
    table, chances = solve(TINY), chances_of(TINY)
    for target, chance in ((0, 1), (highest_score(TINY), 0)):
        found = chances.advise(Aim(target=target), table, Situation.of(TINY, (1, 3), 2, State(1, 1)), 1)
        values = [action.value for action in found]
        assert found.chance == chance
        assert values == sorted(values, reverse=True)
        assert found.lead == "equal"


def test_what_was_solved_is_used_again(monkeypatch):
    solved = []
    monkeypatch.setattr(advice, "solve_goal", lambda *a, **k: solved.append(a) or solve_goal(*a, **k))
    chances = GoalAdvisor(lambda _: pytest.fail("needs no whole game"), threads=1)
    whole = solve_goal(TINY, reach(), context=Context(threads=1))
    for state in (State(1, 1), State(3, 3), State(1, 1)):
        assert chances.chance(TINY, 5, Card(TINY, state, state.upper)) == whole.chance(5, state, state.upper)
    # The second state follows from the first.
    assert len(solved) == 1


def test_whole_games_come_from_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(solver_chances, "SOLVED_FROM_HERE", 0)
    found = stored_chances(Context(tmp_path)).chance(TINY, 5, Card(TINY, State(), 0))
    assert [path.name for path in (tmp_path / "goals").iterdir()]
    assert found == pytest.approx(chances_of(TINY).chance(TINY, 5, Card(TINY, State(), 0)))


# How they are judged.


def follow(rules, judge, aim, seed):
    """A game in which the coach's first action is always played."""
    game = Game(rules, seed, aim=aim)
    while not game.is_finished:
        game = game if game.dice else game.throw()
        game = game.push(judge.advise(aim, game.situation, sum(game.points)).best)
    return game.log()


@pytest.mark.parametrize("aim", [Aim(target=12), Aim(target=21), Aim(theta=0.3), Aim(theta=-0.3)])
@pytest.mark.parametrize("seed", range(2))
def test_whoever_follows_the_coach_makes_no_mistake(aim, seed):
    judge = judge_of(THREE_DICE)
    found = review(follow(THREE_DICE, judge, aim, seed), judge.table, judge=judge)
    assert found.words["perfect"] == len(found.decisions)
    assert not found.mistakes
    assert all(decision.best == decision.played for decision in found.decisions)


def test_whoever_follows_the_coach_against_others_makes_no_mistake():
    judge, aim = judge_of(TINY), Aim(others=OTHERS)
    for seed in range(6):
        found = review(follow(TINY, judge, aim, seed), judge.table, judge=judge)
        assert found.words["perfect"] == len(found.decisions)


def test_a_decision_is_judged_by_its_own_goal():
    """Played at random: what is lost is the best chance less that of the action, and points stand beside it."""
    judge, target = judge_of(THREE_DICE), 16
    log = next(play_logs(Random(THREE_DICE), 1, seed=8))
    plain, found = review(log, judge.table), review(log.with_aim(Aim(target=target)), judge.table, judge=judge)
    twin = GoalExpectimax(THREE_DICE, lambda score: int(score >= target))
    assert [d.regret for d in found.decisions] == [d.regret for d in plain.decisions]
    assert found.luck == plain.luck
    for decision in found.decisions:
        points = sum(log.points[: decision.turn - 1])
        here = decision.situation
        best = float(twin.roll(here.state.filled, here.state.upper, points, here.dice, here.rerolls))
        assert decision.goal.best_worth == pytest.approx(best, abs=1e-6)
        assert 0 <= decision.goal.worth <= best + 1e-6
    costly = max(found.decisions, key=lambda decision: decision.goal.lost)
    assert found.mistakes[0] == costly
    told = as_json(found)["mistakes"][0]["goal"]
    assert told["lost"] == pytest.approx(told["best_chance"] - told["chance"])
    assert told["target"] == target
