"""Compression: the frontier, the claims, and what the published results must show."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from yatzy.game.json import as_json, from_json
from yatzy.lab.studies.compression import FORERUNNER, Compression, mark_frontier
from yatzy.lab.studies.strength import Strength

RESULTS = Path(__file__).parents[2] / "results" / "compression.json"


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return json.loads(RESULTS.read_text())


@pytest.fixture(scope="module")
def models(results: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {found["name"]: found for found in results["models"]}


@pytest.fixture(scope="module")
def model(results: dict[str, Any]) -> Strength:
    return from_json(Strength, results["models"][0])


def test_on_the_frontier_is_what_nothing_smaller_beats(model: Strength) -> None:
    sizes = {"b": (10, 5.0), "a": (10, 6.0), "c": (20, 5.5), "d": (30, 7.0), "e": (30, 7.0), "f": (0, 1.0)}
    models = [replace(model, name=name, parameters=n, mean=mean) for name, (n, mean) in sizes.items()]
    marked = mark_frontier(models)
    assert [m.parameters for m in marked] == [0, 10, 10, 20, 30, 30]
    assert [m.name for m in marked][:4] == ["f", "a", "b", "c"]
    assert [m.on_frontier for m in marked][:5] == [True, True, False, False, True]
    assert mark_frontier([]) == []
    again = mark_frontier([replace(m, on_frontier=True) for m in models])
    assert [m.on_frontier for m in again] == [m.on_frontier for m in marked]


def test_claims_are_those_of_models_that_are_there(model: Strength) -> None:
    models = mark_frontier(
        [replace(model, name="tree-depth-10", mean=216.4), replace(model, name="ours", mean=5.0)]
    )
    found = Compression("three-dice", 20.0, 1, 2, True, models)
    claim, *others = found.claims
    assert (claim.forerunner, claim.ours, claim.agrees) == (216, 216.4, True)
    assert {other.what.split(" of ")[0] for other in others} == {"parameters", "bonus rate", "errors"}
    assert found.key_figures == {"tree-depth-10": 216.4}
    assert json.loads(json.dumps(as_json(found)))["models"][0]["name"] == "tree-depth-10"


def test_every_exact_mean_is_confirmed_by_a_million_games(models: dict[str, dict[str, Any]]) -> None:
    for found in models.values():
        assert abs(found["simulated_mean"] - found["mean"]) < 4 * found["simulated_error"], found["name"]
        assert found["simulated_error"] == pytest.approx(found["sd"] / 1000, rel=0.02), found["name"]


def test_the_models_are_as_strong_and_as_small_as_promised(models: dict[str, dict[str, Any]]) -> None:
    promised = {
        "value-18": (18, 246.7),
        "value-350": (350, 248.0),
        "value-650": (650, 248.2),
        "value-2000": (2_000, 248.3),
        "tree-6k": (6_500, 243.0),
        "tree-80k": (82_000, 245.0),
    }
    for name, (most, least) in promised.items():
        assert models[name]["parameters"] <= most
        assert models[name]["mean"] >= least


def test_the_imitation_trees_are_those_of_the_forerunner(models: dict[str, dict[str, Any]]) -> None:
    for name, said in FORERUNNER.items():
        if not name.startswith("network"):
            assert models[name]["mean"] == pytest.approx(said.mean, abs=3), name


def test_the_figures_of_every_model_fit_together(
    results: dict[str, Any], models: dict[str, dict[str, Any]]
) -> None:
    assert results["lossless"] is True
    assert results["optimal_mean"] == pytest.approx(248.44, abs=0.005)
    for found in models.values():
        own, proxy = sum(found["regret_by_decision"]), sum(found["proxy_by_decision"])
        assert found["mean"] + own == pytest.approx(results["optimal_mean"], abs=1e-6), found["name"]
        assert found["gap"] == pytest.approx(own, abs=1e-6)
        assert found["proxy"] == pytest.approx(proxy, abs=1e-9)
        assert found["compounding"] == pytest.approx(own - proxy, abs=1e-9)
        for parts in (found["regret_by_upper"], found["regret_by_turn"]):
            assert sum(parts) == pytest.approx(own, abs=1e-6)
        shares = ("agreement_by_decision", "share_at_upper_40_to_62", "share_below_a_tenth")
        assert all(0 <= share <= 1 for key in shares for share in found[key])
    frontier = [found for found in results["models"] if found["on_frontier"]]
    assert [found["mean"] for found in frontier] == sorted({found["mean"] for found in frontier})
    assert [found["parameters"] for found in frontier] == sorted(found["parameters"] for found in frontier)
