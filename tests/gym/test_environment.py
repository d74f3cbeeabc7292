"""The environment: conventions, the game it plays, and exact numbers for its agents."""

import doctest
import json
import re
import sys
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import yatzy
import yatzy.gym
from games import ALL_ALIKE, CHANCE, ONES, PAIR, TWOS
from naive import PlayedOut, choices, sub_multisets
from yatzy import Context, Ruleset, Score, YatzyError
from yatzy.gym import (
    AgentPolicy,
    YatzyEnv,
    YatzyVectorEnv,
    environment,
    exact_regret,
    exact_return,
    sampled_regret,
)
from yatzy.gym import __main__ as gym_main
from yatzy.gym import exact as measures
from yatzy.gym.environment import codes_of
from yatzy.measure.exact import visit
from yatzy.policies.registry import find_policy
from yatzy.rules import GAMES, ruleset
from yatzy.rules.jokers import Jokers
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


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda chances: chances * 1.01, "do not sum to 1"),
        (
            lambda chances: chances[:, ::-1],
            "a probability above 0, which its action_mask forbids",
        ),
        (lambda chances: chances - 2 * chances[:, 43:44], "gives probabilities below 0"),
    ],
)
def test_probabilities_that_break_the_rules_are_a_sentence(change, sentence):
    def agent(observed, masks):
        return change(masks / masks.sum(axis=1, keepdims=True))

    with pytest.raises(YatzyError, match=sentence):
        exact_regret(agent, "yacht")


def evenly(observed, masks):
    return masks / masks.sum(axis=1, keepdims=True)


def test_sampled_games_agree_with_the_exact_regret():
    """Within four standard errors, and with a fifth of the error of the scores."""
    exact = exact_return(evenly, TWO_FACES)
    regret = exact_regret(evenly, TWO_FACES)
    found = sampled_regret(evenly, TWO_FACES, games=20_000, seed=1)
    assert abs(found.regret - regret) < 4 * found.standard_error
    assert abs(found.value - exact.mean) < 4 * found.standard_error
    assert found == sampled_regret(evenly, TWO_FACES, games=20_000, seed=1)
    assert "sampled in 20,000 games" in repr(found)
    low, high = found.interval
    assert low < found.regret < high


def test_an_agent_that_draws_plays_single_games_and_has_no_decisions():
    policy = AgentPolicy(evenly, TWO_FACES)
    game = yatzy.play_on(yatzy.Game(TWO_FACES, seed=4), policy)
    assert game.is_finished
    assert game == yatzy.play_on(yatzy.Game(TWO_FACES, seed=4), policy)
    with pytest.raises(YatzyError, match="cannot be written as decisions by roll"):
        yatzy.simulate(policy, games=10)


def test_a_run_that_was_stopped_goes_on(tmp_path):
    """With what is left: two of four turns were answered in the first run."""
    asked = []

    def agent(observed, masks):
        asked.append(len(masks))
        if len(asked) == 6:
            raise KeyboardInterrupt
        return evenly(observed, masks)

    once = Context(threads=1)
    with pytest.raises(KeyboardInterrupt):
        exact_return(agent, TWO_FACES, once, keep=tmp_path)
    assert list(tmp_path.rglob("*.npz"))
    found = exact_return(agent, TWO_FACES, once, keep=tmp_path)
    # Two to estimate and one to tell agents apart, as before; then two turns.
    assert len(asked) == 6 + 3 + 2
    assert found.mean == exact_return(evenly, TWO_FACES).mean
    assert not list(tmp_path.rglob("*.npz"))


def test_a_small_learner_is_measured_on_its_way():
    """Proximal policy optimisation with a linear policy: from chance towards perfect play, by exact numbers."""
    rules, rng, games = TWO_FACES, np.random.default_rng(0), 128
    codes = codes_of(rules)
    theta = np.zeros((codes.n_observed + 1, codes.n_actions))

    def chances(observed, masks, theta):
        scores = np.where(masks > 0, np.c_[observed, np.ones(len(observed))] @ theta, -np.inf)
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        return likely / likely.sum(axis=1, keepdims=True)

    regrets = [exact_regret(lambda o, m: chances(o, m, theta), rules)]
    envs = YatzyVectorEnv(games, rules)
    observed, info = envs.reset(seed=1)
    for _ in range(20):
        steps = []
        for _ in range(24):
            masks = info["action_mask"]
            now = chances(observed, masks, theta)
            taken = (np.cumsum(now, axis=1) > rng.random((games, 1))).argmax(axis=1)
            before = observed
            observed, reward, finished, _, info = envs.step(taken)
            steps.append((before, masks, taken, now[np.arange(games), taken], reward, finished))
        to_come, gains = np.zeros(games), []
        for *_, reward, finished in reversed(steps):
            to_come = reward + np.where(finished, 0, to_come)
            gains.append(to_come)
        o, m, a, old, _, _ = (np.concatenate(column) for column in zip(*steps, strict=True))
        gain = np.concatenate(gains[::-1])
        features = np.c_[o, np.ones(len(o))]
        gain -= features @ np.linalg.lstsq(features, gain, rcond=None)[0]
        gain /= gain.std()
        for _ in range(4):
            now = chances(o, m, theta)
            ratio = now[np.arange(len(a)), a] / old
            inside = np.where(gain > 0, ratio < 1.2, ratio > 0.8)
            push = -now
            push[np.arange(len(a)), a] += 1
            theta += 2.0 * features.T @ (push * (gain * ratio * inside)[:, None]) / len(a)
    envs.close()
    regrets.append(exact_regret(lambda o, m: chances(o, m, theta), rules))

    def greedy(observed, masks):
        return chances(observed, masks, theta).argmax(axis=1)

    best = yatzy.solve(rules).value()
    assert 0 <= regrets[-1] < 0.7 * regrets[0]
    assert exact_regret(greedy, rules) < regrets[-1]
    assert exact_return(greedy, rules).mean == pytest.approx(best - exact_regret(greedy, rules), abs=1e-9)


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


def weight(dice, held, box, left, closed, upper):
    """An arbitrary strategy, as a definition: early scores, other boxes early than late, and some never."""
    if held is None:
        return (7 * box + 5 * left + 3 * upper + sum(dice) + closed) % 5
    return (3 * sum(held) + 2 * len(held) + 5 * left + upper + 2 * closed) % 7 + 1


def told_of(rules, observed, masks):
    """(dice, rerolls left, closed boxes, upper total) and the allowed codes of every observation."""
    n, faces = rules.n_categories, rules.faces
    for row, mask in zip(observed.astype(float), masks, strict=True):
        counts = np.rint(5 * row[:faces]).astype(int)
        dice = tuple(face for face in range(1, faces + 1) for _ in range(counts[face - 1]))
        closed = int((row[faces + 1 : faces + 1 + n] > 0) @ (1 << np.arange(n)))
        upper = round(row[faces + 1 + n] * max(rules.bonus_threshold, 1))
        yield dice, round(row[faces] * max(rules.rerolls, 1)), closed, upper, np.flatnonzero(mask)


def chances_by_definition(rules):
    """The strategy as an agent that draws."""

    def agent(observed, masks):
        chances = np.zeros(masks.shape)
        for i, (dice, left, closed, upper, allowed) in enumerate(told_of(rules, observed, masks)):
            for code in allowed:
                held = None if code >= 32 else tuple(d for place, d in enumerate(dice) if code >> place & 1)
                chances[i, code] = weight(dice, held, code - 32, left, closed, upper) if left else 1 + (code % 2)
            chances[i] /= chances[i].sum()
        return chances

    return agent


class PlayedOutDrawn(PlayedOut):
    """The same strategy followed through every throw of every game."""

    def __init__(self, rules, certain=False):
        self.certain = certain
        super().__init__(rules, None, None)

    def ends(self, filled, upper):
        rolls, ends = self._throw({(): Fraction(1)}), {}
        for left in range(self.rules.rerolls, -1, -1):
            kept = {}
            for roll, prob in rolls.items():
                boxes = choices(self.rules, filled, roll)
                closed = sum(2**c for c in range(len(self.rules.categories)) if c not in boxes)
                weights = {c: weight(roll, None, c, left, closed, upper) if left else 1 + c % 2 for c in boxes} | {
                    k: weight(roll, k, 0, left, closed, upper) for k in sub_multisets(roll) - {roll} if left
                }
                if self.certain:
                    best = max(weights.values())
                    first = min((k for k in weights if weights[k] == best), key=lambda k: code_of(roll, k))
                    weights = {first: 1}
                for action, part in weights.items():
                    q = prob * Fraction(part, sum(weights.values()))
                    if isinstance(action, tuple):
                        kept[action] = kept.get(action, 0) + q
                    elif q:
                        end = (action, *boxes[action], 0)
                        ends[end] = ends.get(end, 0) + q
            rolls = self._throw(kept)
        return ends


def code_of(roll, action):
    """The lowest code of these dice, or of the box."""
    if not isinstance(action, tuple):
        return 32 + action
    codes = range(32)
    return next(c for c in codes if tuple(d for place, d in enumerate(roll) if c >> place & 1) == action)


TWO_FACES = Ruleset("two-faces", 5, 2, 2, categories=(ONES, TWOS, PAIR, CHANCE), bonus_threshold=11, bonus=9)
JOKERS_OF_FIVE = Ruleset(
    "jokers-of-five", 5, 2, 1, categories=(ONES, TWOS, CHANCE, ALL_ALIKE), bonus_threshold=11, bonus=9,
    special=Jokers(box=3, extra=7, joker="forced", lower=((2, 9),)),
)  # fmt: skip


@pytest.mark.parametrize("rules", [TWO_FACES, replace(TWO_FACES, name="one-throw", rerolls=0), JOKERS_OF_FIVE])
def test_an_agent_that_draws_and_scores_early_is_measured_exactly(rules):
    """Against its definition, played out in exact fractions."""
    agent, played = chances_by_definition(rules), PlayedOutDrawn(rules)
    assert exact_return(agent, rules).mean == pytest.approx(float(played.value()), abs=1e-12)
    policy = AgentPolicy(agent, rules)
    visits = visit(policy).visits
    row = state_space(rules).row
    for (filled, upper), prob in played.visits.items():
        assert visits[row(np.array([filled]))[0], upper] == pytest.approx(float(prob), abs=1e-12)

    def certain(observed, masks):
        """The likeliest action, the lowest code of equals."""
        return agent(observed, masks).argmax(axis=1)

    played = PlayedOutDrawn(rules, certain=True)
    assert exact_return(certain, rules).mean == pytest.approx(float(played.value()), abs=1e-12)


def test_threads_change_nothing():
    one, more = (YatzyVectorEnv(3 * environment.GAMES_PER_THREAD, "yacht", threads=n) for n in (1, 3))
    (seen, info), (also, _) = one.reset(seed=3), more.reset(seed=3)
    for _ in range(40):
        actions = info["action_mask"].argmax(axis=1)
        seen, rewards, finished, _, info = one.step(actions)
        also, likewise, ended, _, other = more.step(actions)
        np.testing.assert_array_equal(seen, also)
        np.testing.assert_array_equal(rewards, likewise)
        np.testing.assert_array_equal(finished, ended)
        np.testing.assert_array_equal(info["action_mask"], other["action_mask"])
    one.close()
    more.close()
