"""The worth of single decisions, against a slow and obvious twin on a small game; and the quiz."""

from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pytest

from yatzy.context import Context
from yatzy.game.action import Keep, Score
from yatzy.lab.studies.decisions import (
    BIN,
    DECISIONS,
    answer,
    ask_questions,
    count_gaps,
    games_to_tell,
    measure_decisions,
)
from yatzy.lab.studies.solution import measure_opening_turn
from yatzy.measure.exact import evaluate
from yatzy.policies.baselines import Heuristic
from yatzy.policies.optimal import Optimal
from yatzy.rules import scandinavian
from yatzy.solver.states import state_space
from yatzy.turn.lattice import lattice


def naive_gaps(table, visits):
    """(turns, decisions) dictionaries from gap to expected number of decisions, by plain enumeration."""
    rules = table.rules
    faces = range(1, rules.faces + 1)
    dice = lattice(rules.dice, rules.faces)
    scores = np.array(rules.scores)
    found = [[Counter() for _ in range(rules.rerolls + 1)] for _ in range(rules.n_categories)]
    chance = 1 / rules.faces

    for turn, masks in enumerate(state_space(rules).layers[:-1]):
        for filled in masks.tolist():
            for upper in np.flatnonzero(visits[filled]).tolist():

                def exits(roll, filled=filled, upper=upper):
                    worth = []
                    for c, category in enumerate(rules.categories):
                        if not filled >> c & 1:
                            points = int(scores[dice.id_of(roll), c])
                            after = min(upper + points * category.upper, rules.bonus_threshold)
                            worth.append(points + table.values[filled | 1 << c, after])
                    return worth

                @cache
                def best(roll, left, exits=exits):
                    return max(exits(roll)) if left == 0 else max(keeps(roll, left)[1])

                @cache
                def keeps(roll, left):
                    ids = [k for k in dice.keeps_in_roll[dice.id_of(roll)].tolist() if k >= 0]
                    worth = []
                    for k in ids:
                        held = dice.keeps[k]
                        thrown = product(faces, repeat=rules.dice - len(held))
                        values = [best(tuple(sorted((*held, *more))), left - 1) for more in thrown]
                        worth.append(sum(values) / len(values))
                    return ids, worth

                mass = Counter()
                for roll in product(faces, repeat=rules.dice):
                    mass[tuple(sorted(roll))] += visits[filled, upper] * chance**rules.dice
                for left in range(rules.rerolls, -1, -1):
                    after = Counter()
                    for roll, weight in mass.items():
                        worth = keeps(roll, left)[1] if left else exits(roll)
                        if len(worth) > 1:
                            first, second = sorted(worth)[-2:][::-1]
                            found[turn][left][round(first - second, 9)] += weight
                        if left:
                            ids, worth = keeps(roll, left)
                            top = max(worth)
                            chosen = next(k for k, w in zip(ids, worth, strict=True) if w >= top - 1e-12)
                            held = dice.keeps[chosen]
                            n = rules.dice - len(held)
                            for more in product(faces, repeat=n):
                                after[tuple(sorted((*held, *more)))] += weight * chance**n
                    mass = after
    return found


def test_gaps_are_those_of_plain_enumeration(small_table):
    visits = evaluate(Optimal(small_table)).visits
    counts, sums = count_gaps(small_table, visits)
    naive = naive_gaps(small_table, visits)
    for turn, decisions in enumerate(naive):
        for kind, gaps in enumerate(decisions):
            assert counts[turn, kind].sum() == pytest.approx(sum(gaps.values()), abs=1e-9)
            assert sums[turn, kind] == pytest.approx(sum(gap * n for gap, n in gaps.items()), abs=1e-6)
            tied = sum(n for gap, n in gaps.items() if gap < 1e-9)
            assert counts[turn, kind, 0] == pytest.approx(tied, abs=1e-9)
            small = sum(n for gap, n in gaps.items() if 1e-9 <= gap < 100 * BIN - 1e-7)
            assert counts[turn, kind, 1:101].sum() == pytest.approx(small, abs=1e-6)


def test_the_study_adds_up(small_rules, tmp_path):
    found = measure_decisions(small_rules, Context(tmp_path))
    assert [kind.decision for kind in found.decisions] == ["category", "keep with 1 reroll", "keep with 2 rerolls"]
    assert found.decisions_per_game == pytest.approx(sum(kind.per_game for kind in found.decisions))
    # With one category left there is nothing to choose.
    assert found.decisions[0].per_game == pytest.approx(small_rules.n_categories - 1)
    assert found.decisions[0].mean_by_turn[-1] is None
    for kind in found.decisions:
        assert sum(kind.histogram) == pytest.approx(1)
        assert len(kind.histogram) == len(found.edges) + 1
        assert list(kind.below.values()) == sorted(kind.below.values())
    assert found.layers[0].mean == pytest.approx(measure_opening_turn(small_rules, Context(tmp_path)).value)
    assert all(layer.lowest - 1e-9 <= layer.mean <= layer.highest + 1e-9 for layer in found.layers)


def test_games_to_tell():
    """Two means of n games each, standard deviation 10, a difference of 1: two standard errors at n = 800."""
    assert games_to_tell(1.0, 10.0) == pytest.approx(800)
    assert 2 * 10.0 * (2 / games_to_tell(1.0, 10.0)) ** 0.5 == pytest.approx(1.0)


@pytest.mark.compiled
def test_ten_decisions(home):
    found = ask_questions(context=Context(home))
    assert [one.dice for one in found.questions] == [dice for dice, _, _ in DECISIONS]
    best = {one.dice: one.choices[0].action for one in found.questions}
    assert best["1 3 3 5 6"] == "keep 3 3"
    assert best["1 2 4 5 6"] == "score small straight"
    for one in found.questions:
        assert one.choices[0].regret == 0
        assert len(one.points) == len(found.boxes) == 15
        values = [choice.value for choice in one.choices]
        assert values == sorted(values, reverse=True)
        # Whoever holds all dice scores them: the best box is a choice too.
        assert any(choice.action.startswith("score ") for choice in one.choices)
    assert found.bot_lost == pytest.approx(sum(one.bot_regret for one in found.questions))
    assert 0 < found.greedy_lost < found.bot_lost
    assert (found.cautious, found.bold) == ("keep 3 3", "keep 5 6")


def test_what_a_player_answers():
    bot = Heuristic(scandinavian())
    assert answer(bot, "1 3 3 5 6", 2) == Keep((3, 3))
    assert answer(bot, "1 2 3 4 6", 2) == Keep((2, 3, 4, 6))
    assert isinstance(answer(bot, "5 5 5 6 6", 2), Score)
