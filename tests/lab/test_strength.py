"""The strength of a policy: every figure against its definition on small games."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games import LOWER_FIRST, THREE_DICE, TWO_BOXES
from naive import Expectimax
from naive_policies import NaivePolicy
from yatzy import ValueTable
from yatzy.arrays import IntArray
from yatzy.context import Context
from yatzy.game.json import as_json
from yatzy.lab.studies import strength as measuring
from yatzy.lab.studies.scores import measure_distribution
from yatzy.lab.studies.strength import Remembering, Strength, measure_heuristic_gap, measure_strength
from yatzy.measure.exact import Evaluation, evaluate
from yatzy.policies.baselines import Greedy, Heuristic, Random
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Decisions, Policy
from yatzy.rules import Category, Ruleset, scoring
from yatzy.sealed import seal
from yatzy.solver.solve import solve
from yatzy.solver.states import state_space


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


def decisions_of(twin: NaivePolicy, visits: dict[tuple[int, int], Fraction]) -> list[Any]:
    """(turn, upper, rerolls left, probability, regret) of every decision, in states so weighed."""
    return [
        (filled.bit_count(), upper, left, weight * prob, regret)
        for (filled, upper), weight in visits.items()
        if filled != twin.rules.all_filled
        for left, _, prob, regret in twin.decisions(filled, upper)
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
    twin, optimal = NaivePolicy(policy), NaivePolicy(Optimal(table))
    own, track = decisions_of(twin, twin.visits), decisions_of(twin, optimal.visits)
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


@pytest.mark.compiled
@pytest.mark.usefixtures("evaluated_once")
def test_every_point_of_the_heuristic_gap_is_accounted_for(
    home: Path, evaluation_of: Callable[..., Evaluation], published: Callable[[str], dict[str, Any] | None]
) -> None:
    found = published("heuristic-gap") or as_json(measure_heuristic_gap(context=Context(home)))
    gap = found["gap"]
    assert found["optimal_mean"] == pytest.approx(248.439989378, abs=1e-9)
    assert found["mean"] == pytest.approx(evaluation_of("heuristic").mean, abs=1e-9)
    assert gap == found["optimal_mean"] - found["mean"]
    assert found["regret"] == pytest.approx(gap, abs=1e-9)
    for parts in (found["decisions"], found["categories"], found["turns"]):
        assert sum(part["regret"] for part in parts) == pytest.approx(gap, abs=1e-9)
        assert all(part["regret"] >= 0 for part in parts)
    shortfall = found["bonus_shortfall"] + sum(part["shortfall"] for part in found["categories"])
    assert shortfall == pytest.approx(gap, abs=1e-9)
    assert [decision["decision"] for decision in found["decisions"]] == [
        "category", "keep with 1 reroll", "keep with 2 rerolls",
    ]  # fmt: skip


def test_studies_evaluate_for_themselves(home: Path) -> None:
    """The same two as above, on a reduced game, with no evaluation handed to them."""
    gap, found = (
        measure_heuristic_gap(LOWER_FIRST, Context(home)),
        measure_distribution(LOWER_FIRST, Context(home), games=500),
    )
    assert gap.optimal_mean == pytest.approx(solve(LOWER_FIRST).value(), abs=1e-12)
    assert gap.mean == pytest.approx(evaluate(Heuristic(LOWER_FIRST)).mean, abs=1e-12)
    assert gap.regret == pytest.approx(gap.gap, abs=1e-12)
    assert found.mean == pytest.approx(gap.optimal_mean, abs=1e-12)
    assert sum(found.simulated.counts) == 500
