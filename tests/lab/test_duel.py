"""The study of duels: on a reduced game, against exact win rates and duels played in one go."""

from itertools import product

import numpy as np
import pytest

from games import THREE_DICE
from yatzy import solve
from yatzy.context import Context
from yatzy.game.json import as_json, check_json
from yatzy.lab.studies import duel as study
from yatzy.lab.studies import results
from yatzy.lab.studies import sweep as sweeping
from yatzy.lab.studies.duel import DuelRecord, Tally, measure_duels, signs, win_rate
from yatzy.measure.duels import Duels, play_duels
from yatzy.measure.exact import evaluate, points_to_come
from yatzy.measure.opponent_model import mean_opponent, variances
from yatzy.policies.duel import HIGHEST, LOWEST, Cards, Duelist, VarianceRule, grid
from yatzy.policies.optimal import Optimal
from yatzy.rules import State
from yatzy.solver.goal import duel, reach
from yatzy.solver.goals import solve_goal
from yatzy.storage import write_atomically

GAMES = {"games": 2500, "games_first": 1200, "per_part": 1000}


@pytest.fixture(scope="module", autouse=True)
def few_thetas():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeping, "default_grid", lambda: [-0.1, 0.0, 0.1])
        yield


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return measure_duels(THREE_DICE, Context(tmp_path_factory.mktemp("home"), 1), **GAMES)


def test_a_win_rate_is_counted_out():
    mine, other = np.array([0.2, 0.5, 0.0, 0.3]), np.array([0.6, 0.1, 0.3])
    counted = sum(
        mine[x] * other[y] * ((x > y) + (x == y) / 2) for x, y in product(range(len(mine)), range(len(other)))
    )
    assert win_rate(mine, other) == pytest.approx(counted, abs=1e-15)
    assert win_rate(other, mine) == pytest.approx(1 - counted, abs=1e-15)


@pytest.mark.compiled
def test_who_sees_more_wins_more(found):
    blind, known, best = found.blind, found.known, found.find("to win")
    assert 0.5 <= blind.theta_rate <= blind.best_rate + 1e-12
    assert blind.best_rate < known.half_ties
    assert best.gain > 2 * best.gain_error
    assert abs(best.win_rate - best.promise) < 4 * best.standard_error
    assert best.promise < known.half_ties
    assert found.find("to win", moves_first=True).promise <= best.promise
    plain = found.find("for the mean")
    assert (plain.gain, plain.gain_error) == (0, 0)
    assert abs(plain.win_rate - 0.5) < 4 * plain.standard_error
    assert found.worth_of_moving_second == best.win_rate - found.find("to win", moves_first=True).win_rate
    scores = evaluate(Optimal(solve(THREE_DICE))).distribution.pmf
    assert blind.tie_of_equals == pytest.approx(float((scores**2).sum()))
    assert abs(plain.tie_rate - blind.tie_of_equals) < 4 * np.sqrt(blind.tie_of_equals / plain.games)
    theta = found.find("one theta")
    assert abs(theta.win_rate - blind.theta_rate) < 4 * theta.standard_error
    check_json(type(found), as_json(found))


@pytest.mark.compiled
def test_parts_are_the_duels_of_one_run(found):
    table = solve(THREE_DICE)
    goals = solve_goal(THREE_DICE, duel(mean_opponent(table)), context=Context(threads=1))
    duels = play_duels(Duelist(goals), table, range(GAMES["games"]), study.SEED, context=Context(threads=1))
    best = found.find("to win")
    assert best.games == len(duels.mine)
    assert best.win_rate == pytest.approx(duels.win_rate, abs=1e-12)
    assert best.decided_rate == pytest.approx(duels.decided_rate, abs=1e-12)
    assert best.standard_error == pytest.approx(duels.standard_error, abs=1e-12)
    assert best.mean == pytest.approx(duels.mean, abs=1e-12)


@pytest.mark.compiled
def test_a_model_that_is_the_game_keeps_its_promise(found):
    """Where every card is of its own kind, the promise is the same before every turn but for luck."""
    promises = found.promises
    assert len(promises.by_turn) == THREE_DICE.n_categories
    for one in promises.by_turn:
        assert abs(one - promises.win_rate) < 4 * promises.standard_error


@pytest.mark.compiled
def test_knowing_the_score_is_worth_what_it_says(found):
    """Against each final score by itself: the chance of one more, or of as many, weighed by the score's own."""
    chances = solve_goal(THREE_DICE, reach(), precision="float64", context=Context(threads=1))
    scores = evaluate(Optimal(solve(THREE_DICE))).distribution.pmf
    for told, more in ((found.known.win, 1), (found.known.win_or_tie, 0)):
        counted = sum(q * chances.chance(score + more) for score, q in enumerate(scores.tolist()))
        assert told == pytest.approx(counted, abs=1e-12)


@pytest.mark.compiled
def test_duels_that_were_played_are_found_again(tmp_path, monkeypatch):
    once = measure_duels(THREE_DICE, Context(tmp_path, 1), **GAMES)
    files = sorted((tmp_path / "reproduce" / "duel").glob("to-win-second-*"))
    assert len(files) == 3
    gone = files[1]
    gone.unlink()
    kept = []
    monkeypatch.setattr(
        results, "write_atomically", lambda path, content: kept.append(path) or write_atomically(path, content)
    )
    assert measure_duels(THREE_DICE, Context(tmp_path, 1), **GAMES) == once
    assert kept == [gone]


def test_tallies_add_up():
    mine, other, plain = (np.array(one, np.int16) for one in ([5, 6, 7, 9], [5, 7, 6, 2], [4, 8, 7, 1]))
    halves = [
        Tally.of(Duels(mine[s], other[s]), signs(Duels(plain[s], other[s]))) for s in (slice(2), slice(2, 4))
    ]
    whole = Tally.of(Duels(mine, other), signs(Duels(plain, other)))
    assert halves[0] + halves[1] == whole
    told = DuelRecord.of("x", False, whole, None)
    assert (told.win_rate, told.decided_rate, told.tie_rate, told.mean) == (2.5 / 4, 2 / 3, 0.25, 6.75)
    # Duel by duel: half a win more, one less, none, one more.
    assert told.gain == (0.5 - 1 + 0 + 1) / 4


# The forerunner's rule.


def test_variance_is_that_of_the_points_to_come():
    found = variances(solve(THREE_DICE), 1)
    for state in (State(), State(1, 2), State(14, 6)):
        to_come, _ = points_to_come(Optimal(solve(THREE_DICE)), state)
        points = np.arange(len(to_come))
        spread = to_come @ points**2 - (to_come @ points) ** 2
        assert found[state.filled, state.upper] == pytest.approx(spread, rel=1e-9)


def test_the_rule_seeks_risk_when_it_is_behind():
    table = solve(THREE_DICE)
    tables = [solve(THREE_DICE, theta) if theta else table for theta in grid()]
    player = VarianceRule(table, tables, variances(table, 1))
    mine = Cards(np.array([0, 1, 1, 3]), np.array([0, 2, 2, 6]), np.array([0, 2, 2, 6]))
    other = Cards(np.array([0, 1, 1, 3]), np.array([0, 2, 2, 6]), np.array([0, 4, 30, 0]))
    thetas = player.thetas(mine, other)
    to_come = 2 * player.variance[[1, 3], [2, 6]]
    assert thetas == pytest.approx([0, min(2 / to_come[0], HIGHEST), HIGHEST, max(-6 / to_come[1], LOWEST)])
    decided = player.against(other).decide(mine, np.arange(4))
    for i, theta in enumerate(thetas.tolist()):
        nearest = min(grid(), key=lambda one: abs(one - theta))
        alone = Optimal(tables[grid().index(nearest)]).decide(mine.filled[i : i + 1], mine.upper[i : i + 1])
        assert (decided.category[i] == alone.category[0]).all()
        assert (decided.keep[i] == alone.keep[0]).all()
    assert grid()[0] == LOWEST
    assert grid()[-1] == HIGHEST
    assert 0.0 in grid()
