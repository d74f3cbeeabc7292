"""Strength and compression: every figure against its definition on small games; what the results must show."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games import THREE_DICE, TWO_BOXES
from naive import Expectimax
from naive_regret import Judged
from yatzy import ValueTable
from yatzy.arrays import IntArray
from yatzy.context import Context
from yatzy.game.json import as_json
from yatzy.lab.studies import strength as measuring
from yatzy.lab.studies.compression import FORERUNNER, Compression, mark_frontier
from yatzy.lab.studies.strength import Remembering, Strength, measure_strength
from yatzy.measure.exact import evaluate
from yatzy.policies.baselines import Greedy, Heuristic, Random
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Decisions, Policy
from yatzy.rules import Category, Ruleset, scoring
from yatzy.sealed import seal
from yatzy.solver.solve import solve
from yatzy.solver.states import state_space

RESULTS = Path(__file__).parents[2] / "results" / "compression.json"


def twenty_times(face: int) -> Category:
    """An upper box large enough for upper totals of 40 to 62."""
    return Category(f"{face} twentyfold", lambda counts: 20 * counts[face - 1], upper=True)


HIGH_UPPER = Ruleset(
    "high-upper",
    dice=2,
    faces=6,
    rerolls=2,
    categories=(twenty_times(6), Category("Chance", scoring.total), twenty_times(2), twenty_times(5)),
    bonus_threshold=70,
    bonus=30,
)


def test_a_policy_is_asked_about_no_state_twice() -> None:
    class Counting(Heuristic):
        def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
            asked.update(zip(filled.tolist(), upper.tolist(), strict=True))
            return super().decide(filled, upper)

    asked: Counter[tuple[int, int]] = Counter()
    policy = Counting(THREE_DICE)
    remembering = Remembering(policy)
    states = np.argwhere(state_space(THREE_DICE).reachable[:-1]).astype(np.int64)
    for part in (states[:7], states[5:20], states[::-1]):
        found, expected = remembering.decide(*part.T), Heuristic(THREE_DICE).decide(*part.T)
        assert np.array_equal(found.category, expected.category)
        assert np.array_equal(found.keep, expected.keep)
    assert len(asked) == len(states)
    assert set(asked.values()) == {1}


class Twin(Judged):
    """Its decisions in a whole game."""

    def rows(self, visits: dict[tuple[int, int], Fraction]) -> list[tuple[int, int, int, Fraction, Fraction]]:
        """(turn, upper, rerolls left, probability, regret) of every decision, in states so weighed."""
        return [
            (filled.bit_count(), upper, left, weight * prob, regret)
            for (filled, upper), weight in visits.items()
            if filled != self.rules.all_filled
            for left, _, prob, regret in self.decisions(filled, upper)
        ]


def by(rows: list[Any], key: int, n: int, of: Callable[[Any], Fraction]) -> list[float]:
    return [float(sum((of(row) for row in rows if row[key] == i), Fraction(0))) for i in range(n)]


@pytest.fixture
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million games take too long for a test."""
    monkeypatch.setattr(measuring, "GAMES", 2_000)


@pytest.fixture
def hardly_any_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is said about their mean."""
    monkeypatch.setattr(measuring, "GAMES", 50)


def measured(policy: Policy, table: ValueTable, home: Path | None = None, identity: bytes = b"") -> Strength:
    on_track = evaluate(Optimal(table)).visits
    return measure_strength(policy, "by hand", 7, table, on_track, Context(home, threads=1), identity)


@pytest.mark.usefixtures("few_games")
@pytest.mark.parametrize(
    ("rules", "make"),
    [
        (THREE_DICE, Random),
        (HIGH_UPPER, Greedy),
        (HIGH_UPPER, Heuristic),
        (replace(THREE_DICE, name="one-throw", rerolls=0), Random),
    ],
    ids=lambda one: one.name if isinstance(one, Ruleset) else one.__name__,
)
def test_strength_is_as_defined(rules: Ruleset, make: Callable[[Ruleset], Policy]) -> None:
    """Regret, proxy, agreement and the kinds of errors, each summed over every decision in exact fractions."""
    table = solve(rules)
    policy = make(rules)
    found = measured(policy, table)
    twin, optimal = Twin(policy), Twin(Optimal(table))
    own, track = twin.rows(twin.visits), twin.rows(optimal.visits)
    n_decisions, n_turns = rules.rerolls + 1, len(rules.categories)

    assert found.mean == pytest.approx(float(twin.value()), abs=1e-10)
    assert found.gap == pytest.approx(float(Expectimax(rules).state(0, 0) - twin.value()), abs=1e-10)
    assert found.mean == pytest.approx(table.value() - sum(found.regret_by_decision), abs=1e-10)
    assert found.proxy == pytest.approx(float(sum(p * regret for *_, p, regret in track)), abs=1e-10)
    assert found.proxy + found.compounding == pytest.approx(found.gap, abs=1e-10)

    def lost(row: Any) -> Fraction:
        return row[3] * row[4]

    def erred(row: Any) -> Fraction:
        return row[3] if row[4] > 0 else Fraction(0)

    def close_to(expected: list[float]) -> Any:
        return pytest.approx(expected, abs=1e-10)

    assert found.regret_by_decision == close_to(by(own, 2, n_decisions, lost))
    assert found.proxy_by_decision == close_to(by(track, 2, n_decisions, lost))
    assert found.regret_by_turn == close_to(by(own, 0, n_turns, lost))
    assert found.regret_by_upper == close_to(by(own, 1, rules.bonus_threshold + 1, lost))
    errors = by(own, 2, n_decisions, erred)
    assert found.errors_by_decision == close_to(errors)
    wrong = by(track, 2, n_decisions, erred)
    assert found.agreement_by_decision == close_to([1 - n / n_turns for n in wrong])
    near_bonus = by([row for row in own if 40 <= row[1] <= 62], 2, n_decisions, erred)
    close = by([row for row in own if row[4] < Fraction(1, 10)], 2, n_decisions, erred)
    assert found.share_at_upper_40_to_62 == close_to(
        [a / b if b else 0 for a, b in zip(near_bonus, errors, strict=True)]
    )
    assert found.share_below_a_tenth == close_to([a / b if b else 0 for a, b in zip(close, errors, strict=True)])
    if rules is HIGH_UPPER:
        assert 0 < max(found.share_at_upper_40_to_62) < 1
    assert abs(found.deviation) < 4
    assert (found.name, found.family, found.parameters) == (policy.name, "by hand", 7)


@pytest.mark.usefixtures("few_games")
def test_optimal_play_loses_nothing_and_always_agrees(small_table: ValueTable) -> None:
    found = measured(Optimal(small_table), small_table)
    assert found.gap == pytest.approx(0, abs=1e-12)
    assert (found.proxy, found.compounding) == pytest.approx((0, 0), abs=1e-12)
    assert found.agreement_by_decision == pytest.approx([1, 1, 1], abs=1e-12)
    assert found.share_below_a_tenth == [0, 0, 0]


@pytest.fixture(scope="module")
def tiny_table() -> ValueTable:
    return solve(TWO_BOXES)


@pytest.mark.usefixtures("hardly_any_games")
def test_what_was_measured_is_kept_and_used(tiny_table: ValueTable, tmp_path: Path) -> None:
    policy = Random(tiny_table.rules)
    found = measured(policy, tiny_table, home=tmp_path, identity=b"this one")
    (kept,) = (tmp_path / "reproduce" / "strength").iterdir()
    content = json.loads(kept.read_text())["part"]
    assert content == asdict(found)
    kept.write_text(json.dumps(seal({"part": content | {"mean": -1.0}})))
    assert measured(policy, tiny_table, home=tmp_path, identity=b"this one").mean == -1.0


@pytest.mark.usefixtures("hardly_any_games")
@pytest.mark.parametrize(
    "what",
    ["identity", "no identity", "code", "policy's code", "rules", "parameters", "family", "solution", "visits"],
)
def test_what_was_measured_otherwise_is_not_used(
    tiny_table: ValueTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """The kept file says -1: whoever reads it gets that."""
    policy: Policy = Random(tiny_table.rules)
    table, identity, parameters, family = tiny_table, b"this one", 7, "by hand"
    on_track = evaluate(Optimal(table)).visits
    measure_strength(policy, family, parameters, table, on_track, Context(tmp_path, threads=1), identity)
    (kept,) = (tmp_path / "reproduce" / "strength").iterdir()
    kept.write_text(json.dumps(seal({"part": json.loads(kept.read_text())["part"] | {"mean": -1.0}})))
    if what == "identity":
        identity = b"that one"
    if what == "no identity":
        identity = b""
    if what == "parameters":
        parameters = 8
    if what == "family":
        family = "by foot"
    if what == "rules":
        table = solve(replace(tiny_table.rules, bonus=14))
        policy = Random(table.rules)
        on_track = evaluate(Optimal(table)).visits
    if what == "solution":
        table = replace(table, stored=table.stored + 1)
    if what == "visits":
        on_track = on_track * 0.5
    if what in ("code", "policy's code"):
        changed = measuring.__name__ if what == "code" else Random.__module__
        digest = measuring.source_digest
        monkeypatch.setattr(measuring, "source_digest", lambda name: "new" if name == changed else digest(name))
    found = measure_strength(policy, family, parameters, table, on_track, Context(tmp_path, threads=1), identity)
    assert found.mean > 0
    assert len(list(kept.parent.iterdir())) == (1 if what == "no identity" else 2)


@pytest.fixture(scope="module")
def model(small_table: ValueTable) -> Strength:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "GAMES", 200)
        return measured(Greedy(small_table.rules), small_table)


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


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return json.loads(RESULTS.read_text())


@pytest.fixture(scope="module")
def models(results: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {found["name"]: found for found in results["models"]}


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
