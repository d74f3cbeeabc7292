"""Trees by regret: growing against hand-made data, regrets against advice, and a small tree that plays."""

import json

import numpy as np
import pytest

from yatzy.game.action import Keep, actions_of
from yatzy.lab.training.trees import RegretRows, action_regrets, column_names, grow
from yatzy.lab.training.trees import train_by_regret as train
from yatzy.measure.exact import visit
from yatzy.players.model import RegretTreeRecipe
from yatzy.players.moves import verb_answers, verbs
from yatzy.policies.policy import check_decisions
from yatzy.policies.registry import find_policy
from yatzy.storage import RESULTS
from yatzy.turn.lattice import lattice


def situations(n=400, seed=0):
    """Action 0 is right where column 1 is small, action 2 where it is large; column 0 is noise."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 10, (n, 2)).astype(np.float32)
    regret = np.ones((n, 3), np.float32)
    regret[rows[:, 1] <= 3, 0] = 0
    regret[rows[:, 1] > 3, 2] = 0
    return RegretRows(rows, regret)


def test_the_split_that_saves_most_is_made_first():
    (tree,) = grow([situations()], splits=1)
    assert tree.feature.tolist() == [1]
    assert tree.threshold.tolist() == [3.5]
    assert tree.ranking.tolist() == [0, 2]


def test_no_split_is_made_for_nothing():
    """After the one split that matters no leaf has any regret, whatever the budget."""
    (tree,) = grow([situations()], splits=50)
    assert tree.n_splits == 1


def test_the_budget_goes_where_points_are_lost():
    """The second tree has ten times the regret: its split comes first."""
    small, large = situations(seed=1), situations(seed=2)
    trees = grow([small, RegretRows(large.rows, large.regret * 10)], splits=1)
    assert [tree.n_splits for tree in trees] == [0, 1]


def passing_regret(table, roll, rerolls, filled, upper):
    """What holding all dice loses: it hands the roll to the next decision."""
    now, later = (table.advise(roll, left, filled, upper).value for left in (rerolls, rerolls - 1))
    return now - later


@pytest.mark.compiled
@pytest.mark.parametrize("rerolls", [0, 1, 2])
def test_regrets_are_those_of_advice(table, rerolls):
    rules = table.rules
    dice = lattice(rules.dice, rules.faces)
    filled, upper = np.array([0, 0b1000000001]), np.array([0, 3])
    rolls = np.array([dice.id_of((2, 2, 5, 5, 6)), dice.id_of((1, 3, 4, 5, 6))])
    regrets = action_regrets(table, filled, upper, rolls, rerolls)
    for i in range(2):
        advice = table.advise(dice.keeps[rolls[i]], rerolls, int(filled[i]), int(upper[i]))
        if rerolls == 0:
            for c in (c for c in range(15) if not filled[i] >> c & 1):
                expected = min(advice.of(actions_of(rules)[c]).regret, 20)
                assert regrets[i, c] == pytest.approx(expected, abs=1e-4)
        else:
            passed = passing_regret(table, dice.keeps[rolls[i]], rerolls, int(filled[i]), int(upper[i]))
            for verb, keep_id in enumerate(verb_answers(rules, filled[i : i + 1])[0, :, rolls[i]]):
                kept = Keep(dice.keeps[keep_id])
                expected = passed if keep_id == rolls[i] else advice.of(kept).regret
                assert regrets[i, verb] == pytest.approx(min(expected, 20), abs=1e-4)


def test_holding_all_dice_passes_the_roll_on(small_table):
    """With two rerolls left it is worth what the roll is worth with one, which may still be thrown."""
    rules, hold = small_table.rules, list(verbs(small_table.rules)).index("keep everything")
    filled, upper = np.nonzero(small_table.space.reachable[:-1])
    passes = 0
    for roll_id, roll in enumerate(rules.rolls):
        regrets = action_regrets(small_table, filled, upper, np.full(len(filled), roll_id), 2)
        for i in range(0, len(filled), 5):
            expected = passing_regret(small_table, roll, 2, int(filled[i]), int(upper[i]))
            assert regrets[i, hold] == pytest.approx(min(expected, 20), abs=1e-4)
            passes += isinstance(small_table.advise(roll, 1, int(filled[i]), int(upper[i])).best, Keep)
    assert passes > 50


@pytest.mark.compiled
def test_a_small_tree_plays_legally_and_better_than_greedy_play(policy_of):
    """Yacht: training ends with an exact mean, which takes half a minute for Scandinavian Yatzy."""
    table = policy_of("optimal", 0.0, "yacht").table
    player = train(RegretTreeRecipe("small", parameters=300, states=600, rolls=3, rounds=1, seed=5), table)
    assert player.parameters <= 300
    assert set(player.columns) == set(column_names(table.rules))
    filled, upper = np.nonzero(table.space.reachable[:-1])
    some = np.random.default_rng(0).choice(len(filled), 300, replace=False)
    check_decisions(player, filled[some], upper[some], player.decide(filled[some], upper[some]))
    assert visit(policy_of("greedy", 0.0, "yacht")).mean < visit(player).mean < table.value()


@pytest.mark.compiled
def test_the_shipped_tree_keeps_its_promise(table):
    """Its mean takes half a minute: the study has it, kept under a digest of the file."""
    player = find_policy("tree-6k")
    assert player.parameters <= 6_500
    models = json.loads((RESULTS / "compression.json").read_text())["models"]
    assert 243 <= next(one["mean"] for one in models if one["name"] == "tree-6k") < table.value()
