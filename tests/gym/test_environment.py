"""The environment: conventions, the game it plays, and exact numbers for its agents."""

import doctest
import json
import re
import sys
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import yatzy
import yatzy.gym
from yatzy import Score, YatzyError
from yatzy.gym import AgentPolicy, YatzyEnv, YatzyVectorEnv, environment, exact_regret
from yatzy.gym import __main__ as gym_main
from yatzy.gym import exact as measures
from yatzy.gym.environment import codes_of
from yatzy.policies.registry import find_policy
from yatzy.rules import GAMES, ruleset
from yatzy.solver.states import state_space

FIVE_DICE = [name for name in GAMES if ruleset(name).dice == 5]

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("rules", [*FIVE_DICE, "scandinavian+forced-order"])
def test_it_keeps_the_conventions(rules):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("yatzy/Yatzy-v0", rules=rules).unwrapped)


def test_its_docstring_is_true():
    assert doctest.testmod(environment).failed == 0


@pytest.mark.parametrize("rules", ["scandinavian", "yahtzee"])
def test_masks_are_the_actions_of_advice_and_a_return_is_a_score(rules):
    env, table = YatzyEnv(rules, regret=True), yatzy.solve(rules)
    _, info = env.reset(seed=3)
    rng, total, finished = np.random.default_rng(1), 0.0, False
    while not finished:
        here = env.situation
        advice = {one.action: one.regret for one in table.advise(here)}
        allowed = np.flatnonzero(info["action_mask"])
        roll = here.rules.rolls.index(here.dice)
        assert {env.codes.action(roll, code) for code in allowed} == set(advice)
        assert len(allowed) == len(advice)
        action = int(rng.choice(allowed))
        done = env.codes.action(roll, action)
        points = here.points[done.category] if isinstance(done, Score) else 0
        _, reward, finished, _, info = env.step(action)
        assert info["regret"] == pytest.approx(advice[done], abs=1e-9)
        assert finished or reward == points
        total += reward
    assert 0 <= total < 1000
    with pytest.raises(YatzyError, match="step: the game is over"):
        env.step(0)


def test_a_seed_fixes_the_dice_and_a_refused_action_changes_nothing():
    one, other = YatzyEnv(), YatzyEnv()
    (seen, info), (also, _) = one.reset(seed=5), other.reset(seed=5)
    np.testing.assert_array_equal(seen, also)
    masked = int(np.flatnonzero(info["action_mask"] == 0)[0])
    seen, reward, finished, _, info = one.step(masked)
    np.testing.assert_array_equal(seen, also)
    assert (reward, finished, info["refused"]) == (0, False, True)


def test_the_vector_environment_plays_to_the_same_mean():
    """Greedy scoring without rerolls, 20,000 games: within four standard errors of the exact mean."""
    rules = ruleset("yacht")
    games = YatzyVectorEnv(2_000, rules)
    codes, shift = games.codes, rules.faces + 2 + rules.n_categories

    def agent(observed, masks):
        points = np.where(masks[:, codes.n_holds :] > 0, observed[:, shift:], -1)
        return codes.n_holds + points.argmax(axis=1)

    exact = yatzy.gym.exact_return(agent, rules)
    observed, info = games.reset(seed=2)
    scores = []
    for _ in range(10 * rules.n_categories):
        observed, _, finished, _, info = games.step(agent(observed, info["action_mask"]))
        if finished.any():
            scores.append(info["final_score"][info["_final_score"]])
    games.close()
    scores = np.concatenate(scores)
    assert len(scores) == 20_000
    assert abs(scores.mean() - exact.mean) < 4 * exact.sd / np.sqrt(len(scores))
    assert exact_regret(agent, rules) == pytest.approx(yatzy.solve(rules).value() - exact.mean)


def test_a_policy_as_an_agent_is_the_same_policy():
    """The heuristic, asked through observations, makes the same decisions."""
    rules = ruleset("yacht")
    player, codes = find_policy("heuristic", rules), codes_of(rules)
    by_dice = {tuple(row): i for i, row in enumerate(np.round(codes.observed_dice * 5).astype(int).tolist())}

    def agent(observed, masks):
        n, faces = rules.n_categories, rules.faces
        closed = observed[:, faces + 1 : faces + 1 + n] > 0
        filled = closed @ (1 << np.arange(n))
        rolls = np.array([by_dice[tuple(row)] for row in np.round(observed[:, :faces] * 5).astype(int).tolist()])
        left = np.round(observed[:, faces] * rules.rerolls).astype(int)
        sets, where = np.unique(filled, return_inverse=True)
        decisions = player.decide(sets, np.zeros(len(sets), int))
        keep = decisions.keep[where, np.maximum(left - 1, 0), rolls]
        score = codes.n_holds + decisions.category[where, rolls].astype(int)
        holds = (codes.keep_of_code[rolls] == keep[:, None]).argmax(axis=1)
        return np.where((left == 0) | (keep == rolls), score, holds)

    space = state_space(rules)
    filled = space.masks[:-1:17]
    mine = AgentPolicy(agent, rules).decide(filled, np.zeros(len(filled), np.int64))
    expected = player.decide(filled, np.zeros(len(filled), np.int64))
    np.testing.assert_array_equal(mine.category, expected.category)
    np.testing.assert_array_equal(mine.keep, expected.keep)


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        (lambda observed, masks: np.zeros(3), "allowed is one action for each observation"),
        (lambda observed, masks: np.full(len(masks), 99), "takes action 99, which its action_mask forbids"),
        (lambda observed, masks: np.full(len(masks), 31), "takes action 31, which its action_mask forbids"),
    ],
)
def test_an_agent_that_breaks_the_rules_is_a_sentence(agent, sentence):
    with pytest.raises(YatzyError, match=sentence):
        exact_regret(agent, "yacht")


def test_games_of_other_sizes_are_refused():
    for rules in ("maxi", "yacht+saved-throws"):
        with pytest.raises(YatzyError, match="allowed is a game of five dice"):
            YatzyEnv(rules)


def test_baselines_are_those_of_exact_evaluation():
    rows = measures.baselines("yacht", ("heuristic", "optimal"))
    assert [row[0] for row in rows] == ["heuristic", "optimal"]
    assert rows[1][2] == pytest.approx(0, abs=1e-9)
    assert "| `heuristic` |" in measures.markdown(rows)


def test_the_command_prints_a_table(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["yatzy.gym", "greedy", "optimal", "--rules", "yacht"])
    gym_main.main()
    printed = capsys.readouterr().out
    assert "| `greedy` | 152.63 | 14.32 |" in printed
    assert "| `optimal` | 166.96 | 0.00 |" in printed


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--rules", "maxi"], "rules: 'maxi'"),
        (["--rules", "yatzee"], "rules: 'yatzee' is not known"),
        (["gredy", "--rules", "yacht"], "policy: 'gredy' is not known"),
    ],
)
def test_the_command_refuses_in_a_sentence(monkeypatch, words, sentence):
    monkeypatch.setattr(sys, "argv", ["yatzy.gym", *words])
    with pytest.raises(SystemExit) as ended:
        gym_main.main()
    assert str(ended.value).startswith(f"yatzy: {sentence}")


def test_the_table_of_the_docs_is_that_of_the_published_means(random_mean):
    """The study `compression` evaluates the same players exactly, all but random play."""
    root = Path(__file__).parents[2]
    study = json.loads((root / "results" / "compression.json").read_text())
    means = {row["name"]: row["mean"] for row in study["models"]} | {"optimal": 248.43998937785}
    means["random"] = random_mean
    rows = re.findall(
        r"^\| `([\w-]+)` \| ([\d.]+) \| ([\d.]+) \|$", (root / "docs/environment.md").read_text(), re.M
    )
    assert [row[0] for row in rows] == list(measures.BASELINES)
    for name, mean, regret in rows:
        assert float(mean) == round(means[name], 2)
        assert float(regret) == round(means["optimal"] - means[name], 2)
