"""One contract for every kind of player: a file that loads to the same play, or is refused if it is not whole."""

import json
from dataclasses import replace

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from yatzy import YatzyError
from yatzy.context import Context
from yatzy.lab.training.train import made_by, train_into
from yatzy.measure.exact import evaluate, policy_values
from yatzy.measure.simulate import simulate
from yatzy.players.model import (
    FORMAT,
    RECIPES,
    ImitationTreeRecipe,
    NetworkRecipe,
    load_model,
    made_folder,
    save_model,
    shipped_file,
    shipped_models,
)
from yatzy.policies.policy import Validated
from yatzy.policies.registry import find_policy
from yatzy.solver.states import state_space


@pytest.fixture(scope="module")
def files(small_table, tmp_path_factory):
    """Two models of the reduced game, trained on 400 of its games."""
    folder = tmp_path_factory.mktemp("students")
    recipes = [ImitationTreeRecipe(4, games=400, seed=1), NetworkRecipe((8,), epochs=300, games=400, seed=1)]
    made = train_into(made_folder(small_table.rules, folder), recipes, small_table, Context(folder))
    return {"trees": made["tree-depth-4"], "networks": made["network-8"]}


@pytest.fixture(params=["trees", "networks"])
def file(request, files):
    return files[request.param]


def every_state(rules):
    return np.nonzero(state_space(rules).reachable[:-1])


def test_every_decision_is_legal_and_always_the_same(file, small_rules):
    player, twin = load_model(file, small_rules), load_model(file, small_rules)
    filled, upper = every_state(small_rules)
    decisions = Validated(player).decide(filled, upper)
    assert (decisions.category.dtype, decisions.keep.dtype) == (np.uint8, np.uint16)
    backwards = twin.decide(filled[::-1], upper[::-1])
    assert np.array_equal(decisions.category, backwards.category[::-1])
    assert np.array_equal(decisions.keep, backwards.keep[::-1])


def test_a_model_is_worth_the_same_from_both_ends_and_at_the_table(file, small_rules, small_table):
    """Exact forward, exact backward, simulated; not above the optimum, nor far below."""
    player = load_model(file, small_rules)
    mean = evaluate(player).mean
    assert mean == pytest.approx(policy_values(player)[0, 0])
    games = simulate(player, 5_000, seed=3)
    assert abs(games.mean - mean) < 4 * games.standard_error
    assert 0.6 * small_table.value() < mean <= small_table.value() + 1e-9


def test_the_file_says_what_it_is(file, small_rules):
    player = load_model(file, small_rules)
    with safe_open(file, framework="numpy") as opened:
        metadata = opened.metadata()
    assert metadata["format"] == FORMAT
    assert (metadata["kind"], metadata["name"]) == (player.kind, player.name)
    assert int(metadata["parameters"]) == player.parameters
    assert metadata["fingerprint"] == small_rules.fingerprint
    assert json.loads(metadata["info"]) == player.info
    assert player.info["method"] == "imitation"


def content(file):
    """Metadata and arrays (safetensors writes metadata in any order)."""
    with safe_open(file, framework="numpy") as opened:
        return opened.metadata(), {key: opened.get_tensor(key).tolist() for key in opened.keys()}  # noqa: SIM118


def test_saving_again_gives_the_same_file(file, small_rules, tmp_path):
    again = save_model(load_model(file, small_rules), tmp_path / "again.safetensors")
    assert content(again) == content(file)
    assert [path.name for path in tmp_path.iterdir()] == ["again.safetensors"]


def test_other_rules_are_refused(file, small_rules):
    with pytest.raises(YatzyError, match="three-dice"):
        load_model(file, "scandinavian")
    with pytest.raises(YatzyError, match="not 'twin'"):
        load_model(file, replace(small_rules, name="twin", bonus=99))


@pytest.mark.parametrize("damage", ["missing", "empty", "text", "format", "kind", "array", "shape"])
def test_what_is_not_a_model_is_refused(file, small_rules, tmp_path, damage):
    bad = tmp_path / "bad.safetensors"
    with safe_open(file, framework="numpy") as opened:
        metadata = opened.metadata()
        tensors = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118 (not a mapping)
    key = sorted(key for key in tensors if "." in key)[0]
    if damage == "format":
        metadata["format"] = "yatzy-student-0"
    if damage == "kind":
        metadata["kind"] = "oracle"
    if damage == "array":
        del tensors[key]
    if damage == "shape":
        tensors[key] = np.concatenate([tensors[key], tensors[key]])
    if damage in ("empty", "text"):
        bad.write_bytes(b"" if damage == "empty" else b"play well" * 99)
    elif damage != "missing":
        save_file(tensors, bad, metadata=metadata)
    with pytest.raises(YatzyError):
        load_model(bad, small_rules)


def test_a_file_is_a_policy_by_its_path(file, small_rules):
    assert find_policy(str(file), small_rules).name == load_model(file, small_rules).name
    with pytest.raises(YatzyError, match="theta"):
        find_policy(str(file), small_rules, theta=0.1)


def test_a_model_made_at_home_is_a_policy_by_its_name(file, small_rules):
    home, name = file.parents[2], file.stem
    assert find_policy(name, small_rules, context=Context(home)).name == name
    with pytest.raises(YatzyError, match=f"policy: '{name}' is not known"):
        find_policy(name, small_rules)


def test_the_models_in_the_package_were_made_by_the_recipes_of_their_names(rules):
    recipes = {name: recipe for family in RECIPES.values() for name, recipe in family.items()}
    assert shipped_models() == ["tree-6k", "value-18", "value-350", "value-650", "value-2000"]
    for name in shipped_models():
        assert made_by(recipes[name], shipped_file(name), rules)
        assert not made_by(replace(recipes[name], seed=1), shipped_file(name), rules)


@pytest.mark.parametrize("recipe", [recipe for family in RECIPES.values() for recipe in family.values()], ids=str)
def test_a_recipe_is_remembered_as_json(recipe, rules):
    info = recipe.info(rules)
    assert json.loads(json.dumps(info)) == info
