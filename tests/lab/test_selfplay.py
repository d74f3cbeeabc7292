"""Learners that only play: on reduced games, against the solution that they never see."""

import numpy as np
import pytest

from games import THREE_DICE, TWO_BOXES
from yatzy import solve
from yatzy.context import Context
from yatzy.game.json import as_json
from yatzy.lab.studies import learning as study
from yatzy.lab.studies.learning import measure_learning
from yatzy.lab.training.self_play import Learner, batches, learn
from yatzy.measure.exact import visit
from yatzy.players.self_play import state_values, upper_sets
from yatzy.policies.baselines import Greedy
from yatzy.policies.policy import check_decisions

LEARNERS = [Learner(f"{a} {b}", a, b) for a in (True, False) for b in (False, True)]


def taught(learner, rules, games, threads=1, cut=None):
    known = learner.begin(rules)
    for first, last in ((0, cut or games), (cut or games, games)):
        learn(learner, rules, known, first, last, seed=3, context=Context(threads=threads))
    return known


def test_batches_cover_every_game_once_and_grow():
    found = list(batches(0, 5000))
    assert [first for first, _ in found] == list(np.cumsum([0, *(n for _, n in found[:-1])]))
    assert sum(n for _, n in found) == 5000
    sizes = [n for _, n in found[:-1]]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


def test_who_knows_nothing_and_looks_ahead_plays_each_turn_for_its_most_points():
    player = LEARNERS[0].player(THREE_DICE, LEARNERS[0].begin(THREE_DICE))
    values = player.values
    assert not values[:-1].any()
    assert values[-1, -1] == THREE_DICE.bonus
    # The last turn knows the bonus, which greedy play does not.
    assert visit(player, 1).mean >= visit(Greedy(THREE_DICE), 1).mean


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: one.name)
def test_learners_get_better_and_stay_legal(learner):
    rules = TWO_BOXES
    known = taught(learner, rules, 400)
    player = learner.player(rules, known)
    filled, upper = np.zeros(1, np.int64), np.zeros(1, np.int64)
    check_decisions(player, filled, upper, player.decide(filled, upper))
    best = solve(rules).value()
    ignorant = visit(learner.player(rules, learner.begin(rules)), 1).mean
    assert visit(player, 1).mean <= best + 1e-9
    assert visit(player, 1).mean >= min(ignorant, 0.8 * best)


@pytest.mark.compiled
@pytest.mark.parametrize("from_scores", [False, True])
def test_looking_ahead_it_comes_close_to_the_solution(from_scores):
    learner = Learner("ahead", True, from_scores)
    known = taught(learner, THREE_DICE, 40_000)
    best, greedy = solve(THREE_DICE).value(), visit(Greedy(THREE_DICE), 1).mean
    mean = visit(learner.player(THREE_DICE, known), 1).mean
    assert mean > best - 0.05 * (best - greedy) - 0.02
    # And it has learned what the start is worth.
    assert state_values(THREE_DICE, known)[0, 0] == pytest.approx(best, abs=0.5)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: one.name)
def test_what_is_learned_depends_on_the_games_alone(learner):
    """Not on threads, nor on where a run stopped, if it stopped between batches."""
    once = taught(learner, TWO_BOXES, 192)
    for again in (taught(learner, TWO_BOXES, 192, threads=2), taught(learner, TWO_BOXES, 192, cut=64)):
        for a, b in zip(once, again, strict=True):
            assert np.array_equal(a, b)


def test_upper_sets_are_numbered_without_gaps():
    found = upper_sets(THREE_DICE)
    n_upper = sum(category.upper for category in THREE_DICE.categories)
    assert set(found.tolist()) == set(range(1 << n_upper))


def test_the_study_measures_exactly_and_keeps_what_is_done(tmp_path, monkeypatch):
    found = measure_learning(TWO_BOXES, Context(tmp_path, threads=1), LEARNERS[:2], (20, 60))
    assert [len(one.points) for one in found.learners] == [2, 2]
    known = LEARNERS[1].begin(TWO_BOXES)
    for first, last in ((0, 20), (20, 60)):
        learn(LEARNERS[1], TWO_BOXES, known, first, last, study.SEED, Context(threads=1))
    assert found.learners[1].points[1].mean == visit(LEARNERS[1].player(TWO_BOXES, known), 1).mean
    assert found.optimal_mean >= max(stop.mean for one in found.learners for stop in one.points) - 1e-9
    assert set(as_json(found)["games_to_beat_greedy"]) == {one.name for one in LEARNERS[:2]}
    shown = []
    at_once = tmp_path / "at-once"
    again = measure_learning(
        TWO_BOXES, Context(at_once, threads=2, progress=lambda *step: shown.append(step)), LEARNERS[:2], (20, 60)
    )
    assert again == found, "learners that play at the same time do not hear each other"
    assert shown[-1] == (2000, 2000)
    monkeypatch.setattr(study, "learn", None)
    assert measure_learning(TWO_BOXES, Context(tmp_path, threads=1), LEARNERS[:2], (20, 60)) == found
