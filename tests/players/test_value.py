"""Value models: the formula against its definition, the gradient against differences, and the shipped ones."""

import math

import numpy as np
import pytest

from yatzy.errors import YatzyError
from yatzy.lab.training.values import fit, gradient, pack, search, start_model, successors, train, unpack
from yatzy.measure.exact import visit
from yatzy.players.model import ValueRecipe, load_model, save_model
from yatzy.players.situations import draw_states
from yatzy.players.value_model import ValueModel, state_features
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import check_decisions
from yatzy.policies.registry import find_policy

# The most numbers each may have, and the least mean.
PROMISED = {
    "value-18": (18, 246.7),
    "value-350": (350, 248.0),
    "value-650": (650, 248.2),
    "value-2000": (2000, 248.3),
}


@pytest.fixture
def model(small_rules):
    return start_model(small_rules, "small", [5, 3], seed=1)


@pytest.fixture
def data(small_table):
    visits = visit(Optimal(small_table)).visits
    return successors(
        small_table, *draw_states(visits + 1e-3 * small_table.space.reachable, 60, np.random.default_rng(2))
    )


def naive_value(model: ValueModel, filled: int, upper: int) -> float:
    """The formula of the module, for one state, step by step."""
    rules = model.rules
    if filled == rules.all_filled:
        return float(rules.bonus) if upper >= rules.bonus_threshold else 0.0
    is_open = [0.0 if filled >> c & 1 else 1.0 for c in range(rules.n_categories)]
    faces = [{"Ones": 1, "Twos": 2, "Fours": 4}.get(c.name, 0) for c in rules.categories]
    open_faces = [f for f, o in zip(faces, is_open, strict=True) if o and f]
    big_b, mu, sigma = model.bonus
    top = upper + mu * sum(open_faces) - (rules.bonus_threshold - 0.5)
    chance = 0.5 * (1 + math.erf(top / math.sqrt(1 + sigma**2 * sum(f * f for f in open_faces)) / math.sqrt(2)))
    if upper >= rules.bonus_threshold:
        chance = 1.0
    elif upper + rules.dice * sum(open_faces) < rules.bonus_threshold:
        chance = 0.0
    layer = [*is_open, chance, (upper + 3 * sum(open_faces) - rules.bonus_threshold) / 20]
    for weights, offsets in model.hidden:
        layer = [math.tanh(o + sum(x * w for x, w in zip(layer, column, strict=True)))
                 for o, column in zip(offsets, weights.T, strict=True)]  # fmt: skip
    worth = sum(o * w for o, w in zip(is_open, model.worth, strict=True))
    return worth + big_b * chance + sum(x * w for x, w in zip(layer, model.out, strict=True))


def test_the_table_is_the_formula(model, small_table):
    for filled, upper in np.argwhere(small_table.space.reachable).tolist():
        assert model.table[filled, upper] == pytest.approx(naive_value(model, filled, upper), abs=1e-12)


def test_the_gradient_is_the_slope_of_the_loss(model, data):
    numbers = pack(model)
    _, slope = gradient(model, data.states, data.loss)
    exact = lambda x: data.loss(unpack(model, x).value(data.states))[0]  # noqa: E731
    for i in range(len(numbers)):
        step = np.zeros_like(numbers)
        step[i] = 1e-5
        measured = (exact(numbers + step) - exact(numbers - step)) / 2e-5
        assert slope[i] == pytest.approx(measured, rel=2e-3, abs=2e-4)


def test_the_loss_ignores_what_siblings_share(data):
    """Errors that all successors of every parent have in common cost nothing; others do."""
    loss, slope = data.loss(data.target + 7.0)
    assert loss == pytest.approx(0, abs=1e-9)
    assert slope == pytest.approx(0, abs=1e-9)
    assert data.loss(data.target * 1.1)[0] > 1e-3


def test_fitting_lowers_the_loss_and_training_is_repeatable(model, data, small_table):
    before = data.loss(model.value(data.states))[0]
    fitted, loss = fit(model, data, 50)
    assert loss < before / 2
    assert loss == pytest.approx(data.loss(fitted.value(data.states))[0], rel=1e-3, abs=1e-6)
    recipe = ValueRecipe("x", (4,), parents=50, iterations=30, seed=3)
    first, second = (train(recipe, small_table) for _ in range(2))
    assert pack(first).tobytes() == pack(second).tobytes()
    assert small_table.value() - 2 < visit(first).mean <= small_table.value() + 1e-9


def test_pattern_search_never_loses(small_rules, small_table):
    model = start_model(small_rules, "small", [], seed=0)
    said = []
    found = search(model, 2, said.append)
    assert visit(found).mean >= visit(model).mean
    assert len(said) == 2
    assert visit(found).mean <= small_table.value() + 1e-9


def test_a_file_gives_the_same_decisions(model, tmp_path, small_rules, small_table):
    path = save_model(model, tmp_path / "small.safetensors")
    again = load_model(path, small_rules)
    filled, upper = np.nonzero(small_table.space.reachable[:-1])
    assert again.parameters == model.parameters == len(pack(model))
    for mine, theirs in zip(model.decide(filled, upper), again.decide(filled, upper), strict=True):
        assert mine.tobytes() == theirs.tobytes()
    check_decisions(model, filled, upper, model.decide(filled, upper))


def test_a_file_that_does_not_fit_is_refused(model, tmp_path, rules):
    path = save_model(model, tmp_path / "small.safetensors")
    with pytest.raises(YatzyError, match=r"^policy: .*plays 'three-dice', not 'scandinavian'"):
        load_model(path, rules)
    with pytest.raises(YatzyError, match=r"^policy: there is no file"):
        load_model(tmp_path / "none.safetensors")
    (tmp_path / "odd.safetensors").write_bytes(b"not a player")
    with pytest.raises(YatzyError, match=r"^policy: .*is not a safetensors file"):
        load_model(tmp_path / "odd.safetensors")


@pytest.mark.compiled
@pytest.mark.parametrize("name", PROMISED)
def test_a_shipped_value_model_keeps_its_promise(name, table, published):
    """By what `compression` measured; the smallest is measured here in any case."""
    most, least = PROMISED[name]
    player, study = find_policy(name), published("compression")
    assert player.parameters <= most
    measured = {one["name"]: one["mean"] for one in study["models"]} if study else {}
    mean = visit(player).mean if name == min(PROMISED, key=PROMISED.get) or not study else measured[name]
    assert mean == pytest.approx(measured.get(name, mean), abs=1e-9)
    assert least <= mean < table.value()


def test_an_unknown_policy_is_refused_with_all_names():
    with pytest.raises(
        YatzyError,
        match=r"^policy: 'chess' is not known; allowed are optimal, .*, the file of a model, rule list or chart",
    ):
        find_policy("chess")


def test_features_of_states_are_what_they_say(small_rules):
    states = state_features(small_rules, np.array([0, 1, 15]), np.array([0, 2, 14]))
    assert states.faces.tolist() == [7, 6, 0]
    assert states.safe.tolist() == [False, False, True]
    assert states.finished.tolist() == [False, False, True]
