"""Everything that plays has a name, and whoever brings a source brings names."""

from dataclasses import replace

import numpy as np
import pytest

from games import SAVING, SAVING_IN_ORDER, THREE_DICE
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.measure.exact import evaluate
from yatzy.measure.simulate import simulate
from yatzy.players.library import shipped_charts, shipped_lists
from yatzy.players.model import shipped_models
from yatzy.policies import registry
from yatzy.policies.baselines import Random
from yatzy.policies.registry import NAMES, UnknownPolicyError, find_policy, known_policies, register, sources


class Coins:
    """A source that knows one policy, and what it was asked for."""

    def __init__(self):
        self.asked = []

    def names(self):
        return ["coins"]

    def find(self, name, rules, folder):
        self.asked.append((name, rules.name, folder))
        return Random(rules, seed=7) if name == "coins" else None


@pytest.fixture
def coins(monkeypatch):
    monkeypatch.setattr(registry, "_registered", [])
    source = Coins()
    register(source)
    return source


def test_every_name_is_known_once():
    known = known_policies()
    assert known == [*NAMES, *shipped_models(), *shipped_lists(), *shipped_charts()]
    assert len(set(known)) == len(known)


def test_a_source_of_ones_own_is_asked_too(coins, small_rules, tmp_path):
    assert known_policies()[-1] == "coins"
    assert find_policy("coins", small_rules, context=Context(tmp_path)).name == "random, seed 7"
    assert coins.asked == [("coins", small_rules.name, tmp_path)]
    register(coins)
    assert sources().count(coins) == 1


def test_our_own_names_come_first(coins, small_rules):
    assert find_policy("random", small_rules).name == "random"
    assert not coins.asked


def test_what_no_source_knows_is_refused_with_all_names(coins):
    with pytest.raises(
        UnknownPolicyError, match=r"^policy: 'chess' is not known; allowed are optimal, .*, coins, the file"
    ):
        find_policy("chess")
    with pytest.raises(YatzyError, match=r"^theta: 0.1 applies only to the optimal policy, not to 'coins'"):
        find_policy("coins", theta=0.1)


@pytest.mark.parametrize("game", [SAVING, SAVING_IN_ORDER], ids=lambda game: game.name)
@pytest.mark.parametrize("name", ["heuristic", "greedy", "random", "optimal"])
def test_every_named_policy_plays_a_game_that_saves(name, game, tmp_path):
    policy = find_policy(name, game, context=Context(tmp_path))
    exact, simulated = evaluate(policy), simulate(policy, 4_000, seed=3)
    assert policy.rules == game
    assert exact.mean <= solve(game).value() + 1e-9
    assert abs(simulated.mean - exact.mean) < 4 * simulated.standard_error


@pytest.mark.parametrize("name", ["heuristic", "greedy", "random", "optimal"])
def test_every_named_policy_fills_boxes_in_a_forced_order(name, tmp_path):
    game = replace(THREE_DICE, name="in-order", forced_order=True)
    found = evaluate(find_policy(name, game, context=Context(tmp_path)))
    assert found.fill_turn == pytest.approx(np.eye(game.n_categories), abs=1e-12)
