"""A level: the mean of what games lost with its interval, the decisions that are not obvious, and the words."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from games import JOKERS, THREE_DICE
from yatzy import Game, YatzyError, level, play_on, review, solve
from yatzy.coach.level import (
    REFERENCES,
    UNCLEAR,
    WORDS,
    Level,
    half_interval,
    level_word,
    levels_of,
    published_levels,
)
from yatzy.game.json import as_json
from yatzy.game.log import parse_log, write_logs
from yatzy.game.start import Start
from yatzy.measure.simulate import play_logs
from yatzy.policies.opponents import LEVELS
from yatzy.policies.registry import find_policy
from yatzy.rules import ruleset
from yatzy.solver.store import stored_table

GOLDEN = json.loads((Path(__file__).parent / "level.json").read_text())


def level_with(history, rules="scandinavian", best=None, unclear=0, lost=0.0):
    best = best or published_levels()[rules.partition("+")[0]].best
    return Level(ruleset(rules), best, tuple(history), unclear, lost, {})


def test_the_interval_is_that_of_a_mean():
    """By hand: sd of 10, 20, 30 is 10; t of 2 degrees of freedom is 4.303. Of many it is nearly the normal's."""
    found = level_with([10.0, 20.0, 30.0])
    assert (found.games, found.lost) == (3, 20.0)
    assert found.within == pytest.approx(4.303 * 10 / math.sqrt(3))
    assert level_with([12.5]).within is None
    games = np.random.default_rng(1).normal(20, 5, 400).tolist()
    assert half_interval(games) == pytest.approx(1.9659 * np.std(games, ddof=1) / 20, rel=1e-4)
    # Of 100 players, about 95 intervals hold the truth.
    drawn = np.random.default_rng(2).gamma(4.0, 5.0, (1000, 8)).tolist()
    held = [abs(np.mean(one) - 20) <= half_interval(one) for one in drawn]
    assert 0.92 < np.mean(held) < 0.97


def test_every_word_begins_where_a_player_stands_whose_mean_is_known():
    scale = published_levels()["scandinavian"]
    means = [next(one.mean for one in scale.references if one.player == name) for name in REFERENCES]
    assert means == sorted(means)
    assert [round(mean) for mean in (*means, scale.best)] == [165, 199, 228, 235, 239, 248]
    for mean, below, above in zip(means, WORDS, WORDS[1:], strict=False):
        assert level_word(scale.best - mean + 1e-6, scale.best) == below
        assert level_word(scale.best - mean - 1e-6, scale.best) == above
    assert level_word(0.0, scale.best) == "master"
    # In another game, the same share of the mean.
    assert level_word(0.2 * 170, 170.0) == level_word(0.2 * scale.best, scale.best) == "casual player"


def test_opponents_lose_what_they_may_and_one_is_as_strong_as_somebody():
    for found in published_levels().values():
        assert list(found.means) == sorted(found.means, reverse=True)
        assert found.best > found.means[0] > found.best - 1
        by_level = [found.mean_of(limit) for limit in LEVELS.values()]
        assert by_level == sorted(by_level)
        assert min(np.diff(by_level)) > 0.02 * found.best
        for limit, mean in zip(found.limits, found.means, strict=True):
            assert found.limit_for(found.best - mean) == limit
    assert level_with([84.0, 88.0]).opponent == "level-1"
    assert level_with([21.3]).opponent == "limit-3"
    assert level_with([200.0]).opponent == "limit-16"


def test_house_rules_take_the_game_that_they_change():
    known, best = published_levels()["yahtzee"], 240.0
    found = levels_of(ruleset("yahtzee+no-joker"), best)
    assert found.limits == known.limits
    assert found.references == ()
    assert found.mean_of(4.0) == pytest.approx(known.mean_of(4.0) * best / known.best)
    assert levels_of(THREE_DICE, 50.0).means[0] == pytest.approx(
        50 * published_levels()["scandinavian"].means[0] / published_levels()["scandinavian"].best
    )


def test_what_is_counted(small_rules, small_table):
    """Every decision whose second best loses 0.01 to 2 points, and what it lost; of the boxes all of it."""
    logs = [replace(log, policy=None) for log in play_logs(find_policy("random", small_rules), 12, seed=4)]
    reviews = [review(log, small_table) for log in logs]
    found = level(reviews)
    decisions = [one for one_review in reviews for one in one_review.decisions]
    unclear = []
    for one in decisions:
        regrets = [action.regret for action in small_table.advise(one.situation)]
        if len(regrets) > 1 and UNCLEAR[0] <= regrets[1] <= UNCLEAR[1]:
            unclear.append(one.regret)
    assert 0 < len(unclear) < len(decisions)
    assert found.unclear == len(unclear)
    assert found.lost_each == pytest.approx(sum(unclear) / len(unclear), abs=1e-9)
    assert found.history == pytest.approx([one.lost for one in reviews])
    assert sum(found.boxes.values()) == pytest.approx(found.lost)
    assert list(found.boxes.values()) == sorted(found.boxes.values(), reverse=True)
    assert found.mean == pytest.approx(small_table.value() - found.lost)
    assert as_json(found)["word"] == found.word


def test_only_finished_games_of_people_by_the_same_rules_count(small_rules, small_table, tmp_path):
    mine = next(play_logs(find_policy("greedy", small_rules), 1, seed=4))
    mine = replace(mine, policy=None)
    other = Game(small_rules, seed=5).throw().score("ones").log()
    bot = replace(mine, policy="greedy")
    taken_over = play_on(Game.at({"ones": 2}, small_rules, seed=1), "greedy").log()
    start = replace(taken_over, policy=None)
    assert isinstance(start.start, Start)
    hinted = parse_log(as_json(replace(mine, hints=True)), small_rules)
    assert hinted.hints
    with pytest.raises(YatzyError, match="hints"):
        parse_log(as_json(mine) | {"hints": False}, small_rules)
    reviews = [review(log, small_table) for log in (mine, other, bot, start, hinted)]
    assert level(reviews).history == (reviews[0].lost,)
    with pytest.raises(YatzyError, match="games: are none that a person finished"):
        level(reviews[1:])
    elsewhere = review(replace(play_on(Game(JOKERS, seed=1), "greedy").log(), policy=None), solve(JOKERS))
    with pytest.raises(YatzyError, match="are of 2 rules"):
        level([reviews[0], elsewhere])


@pytest.mark.parametrize("one", GOLDEN, ids=lambda one: one["rules"])
def test_the_golden_file_is_what_the_library_says(one):
    """The page is held to it as well: web/tests/play/learn.test.ts."""
    found = level_with(one["history"], one["rules"], one["best"], one["unclear"], one["lost_in_unclear"])
    assert one["word"] == found.word
    assert one["opponent"] == found.opponent
    for key in ("lost", "within", "lost_each", "mean"):
        assert one[key] == (None if getattr(found, key) is None else pytest.approx(getattr(found, key), abs=1e-9))


@pytest.mark.compiled
def test_the_level_of_a_player_is_that_of_its_mean(home):
    """Many games of level-3: what they lose is what its exact mean lacks."""
    table = stored_table("scandinavian")
    logs = play_logs(find_policy("level-3"), 60, seed=11)
    found = level([review(replace(log, policy=None), table) for log in logs])
    known = published_levels()["scandinavian"]
    assert abs(found.mean - known.mean_of(LEVELS["level-3"])) < 2 * found.within
    assert found.word == "regular"


def test_a_file_with_many_games(small_rules, small_table, tmp_path, monkeypatch):
    logs = [replace(log, policy=None) for log in play_logs(find_policy("greedy", small_rules), 3, seed=4)]
    path = write_logs(logs, tmp_path / "games.jsonl")
    monkeypatch.setattr("yatzy.coach.level.table_of", lambda *_, **__: small_table)
    assert level(path, small_rules).history == level([review(log, small_table) for log in logs]).history


def test_the_docs_say_what_was_computed():
    text = (Path(__file__).parents[2] / "docs" / "coach.md").read_text()
    games = published_levels()
    for name, limit in LEVELS.items():
        means = " | ".join(
            f"{games[game].mean_of(limit):.1f}" for game in ("scandinavian", "yahtzee", "kniffel", "yacht")
        )
        assert f"| `{name}` | {limit:g} | {means} |" in text
    scale = games["scandinavian"]
    for word, one in zip(WORDS[1:], scale.references, strict=True):
        assert re.search(rf"\| {word} \| [^|]+ \| {one.mean:.0f} \|", text)
    assert f"Perfect play makes {scale.best:.0f}." in text
