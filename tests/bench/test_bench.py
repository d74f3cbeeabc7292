"""The twins do the same work, and a bench gives numbers that can be compared.

No test here asks for speed: one round on a busy machine says nothing about it.
"""

import json
import statistics
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from games import JOKERS, LOWER_FIRST, SAVING, THREE_DICE
from yatzy import Ruleset, ValueTable, YatzyError, policy, simulate
from yatzy.bench import cold, evaluation, peak, peer
from yatzy.bench.evaluation import bench_evaluation, bench_simulation, measure_peak_memory, play_one_by_one
from yatzy.bench.games import bench_games, bench_goals
from yatzy.bench.library import bench_functions, bench_gym, most_points, top_down
from yatzy.bench.plain_forward import PlainForward, Plan, transition_matrix
from yatzy.bench.risk import THETAS, bench_risk
from yatzy.bench.solver import bench_solver, count_operations, random_situations
from yatzy.bench.sparse_rows import solve_by_sparse_rows, sparse_rows
from yatzy.bench.timing import Row, best_seconds, format_seconds
from yatzy.evaluate.exact import evaluate
from yatzy.policy.optimal import Optimal
from yatzy.solver.states import state_space


def assert_agrees(table: ValueTable, threads: int) -> None:
    values = solve_by_sparse_rows(table.rules, table.precision, threads)
    reachable = table.space.reachable
    np.testing.assert_allclose(values[reachable], table.values[reachable], rtol=0, atol=1e-9)


class SamePlay(PlainForward):
    """The twin with our decisions: equal values may be broken another way by another rounding."""

    def plan(self, state: tuple[int, int]) -> Plan:
        found = Optimal(self.table).decide(np.array([state[0]]), np.array([state[1]]))
        return Plan(found.category[0].astype(int), list(found.keep[0].astype(int)))


def test_sparse_rows_agree_with_solve_on_reduced_games(reduced_table: ValueTable) -> None:
    assert_agrees(reduced_table, threads=1)


@pytest.mark.compiled
def test_sparse_rows_agree_with_solve_at_every_state(table: ValueTable) -> None:
    assert_agrees(table, threads=2)


def test_transition_rows_are_probabilities(rules: Ruleset) -> None:
    """With all dice held left out, 4,368 - 252 entries are left both ways."""
    game = sparse_rows(rules, "float64")
    np.testing.assert_allclose(np.add.reduceat(game.prob, game.prob_start[:-1]), 1.0, rtol=1e-12)
    assert len(game.prob) == len(game.keep) == 4_116
    assert np.count_nonzero(transition_matrix(rules)) == 4_368


def test_plain_forward_finds_the_value(reduced_table: ValueTable) -> None:
    """The twin decides by itself and loses nothing by it."""
    pmf, _ = PlainForward(reduced_table).run()
    assert pmf.sum() == pytest.approx(1.0, abs=1e-12)
    assert pmf.sum(axis=(0, 1)) @ np.arange(pmf.shape[2]) == pytest.approx(reduced_table.value(), abs=1e-9)


def test_plain_forward_agrees_with_evaluate(small_table: ValueTable) -> None:
    """The whole distribution and every visit, with the same decisions."""
    found = evaluate(Optimal(small_table))
    pmf, visits = SamePlay(small_table).run()
    np.testing.assert_allclose(pmf, [[part.pmf for part in row] for row in found.populations], rtol=0, atol=1e-13)
    for (filled, upper), prob in visits.items():
        assert found.visits[filled, upper] == pytest.approx(prob, abs=1e-13)


@pytest.mark.compiled
def test_plain_forward_keeps_values_of_the_full_game(table: ValueTable) -> None:
    """A turn's ends, weighted by points and what comes after, are worth the state."""
    twin = PlainForward(table)
    for state in [(0, 0), (0b100_0000_0000_0001, 3), (0b011_1111_1011_1111, 60)]:
        ends = twin.ends(state).items()
        worth = sum(q * (points + table.value(*twin.after(state, c, points))) for (c, points), q in ends)
        assert worth == pytest.approx(table.value(*state), abs=1e-9)


def test_one_by_one_plays_as_well(small_table: ValueTable) -> None:
    """The mean of seeded games lies within 4 standard errors of the value."""
    scores = play_one_by_one(Optimal(small_table), games=100, seed=4)
    error = statistics.stdev(scores) / len(scores) ** 0.5
    assert abs(statistics.mean(scores) - small_table.value()) < 4 * error


def test_random_situations_can_occur(rules: Ruleset) -> None:
    filled, upper, roll_ids, rerolls = random_situations(rules, 1_000, seed=1)
    assert state_space(rules).reachable[filled, upper].all()
    assert filled.max() < rules.all_filled
    assert (roll_ids.min(), roll_ids.max()) == (0, 251)
    assert set(rerolls.tolist()) == {0, 1, 2}


def test_operations_of_one_block(small_rules: Ruleset) -> None:
    """At least both lattice passes of every mask, once per block; fewer lanes need more blocks."""
    assert count_operations(small_rules, "float64") >= count_operations(small_rules, "float32") > 0


def test_operations_of_the_full_game_are_those_of_the_docs(rules: Ruleset) -> None:
    text = (Path(__file__).parents[2] / "docs" / "algorithms.md").read_text()
    blocks, operations = [], []
    for precision in ("float32", "float64"):
        total = count_operations(rules, precision)
        per_block = 1544 + 2 * (1050 + 210 + 1260) + 2 * 252 + 15 + 2 * (121 - 15)
        assert total % per_block == 0
        blocks.append(f"{total // per_block:,}")
        operations.append(f"{total / 1e9:.2f}")
    assert f"{blocks[0]} blocks in float32 and {blocks[1]} in float64" in text
    assert f"or {operations[0]} and {operations[1]} billion vector" in text


def test_best_of_interleaved_rounds() -> None:
    order: list[str] = []
    best = best_seconds({name: lambda name=name: order.append(name) for name in "ab"}, repeats=3)
    assert order == list("ababab")
    assert min(best.values()) > 0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (545.2, "545 s"),
        (12.34, "12.3 s"),
        (1.234, "1.23 s"),
        (0.2512, "251 ms"),
        (2.54e-4, "254 µs"),
        (8e-9, "8 ns"),
    ],
)
def test_seconds_have_a_unit_that_suits(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize("bench", [bench_solver, bench_risk, bench_evaluation, bench_simulation])
def test_repeats_must_be_positive(bench) -> None:
    with pytest.raises(YatzyError, match="repeats: 0 is not allowed"):
        bench(repeats=0)


def assert_rows(rows: list[Row], answer: dict) -> None:
    """Every row says something, fits a terminal, and is in the JSON."""
    for row in rows:
        assert row.measured or row.ratio
        assert not row.measured.startswith("0 ")
        assert len(row.name) <= 37
        assert max(len(row.measured), len(row.versus) - 15) <= 10
        assert row.seconds is None or row.seconds > 0
        assert row.ratio is None or row.ratio > 0
    assert [row["name"] for row in json.loads(json.dumps(answer))["rows"]] == [row.name for row in rows]


@pytest.fixture
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peak, "SWEEPS", 1_000)
    monkeypatch.setattr(evaluation, "N_STATES", 5)
    monkeypatch.setattr(evaluation, "N_GAMES", 1_000)
    monkeypatch.setattr(evaluation, "N_GAMES_PLAIN", 5)


@pytest.mark.compiled
@pytest.mark.usefixtures("little_work")
def test_bench_solver(small_rules: Ruleset, capfd: pytest.CaptureFixture[str]) -> None:
    result = bench_solver(repeats=1, threads=2, rules=small_rules)
    assert {(t.precision, t.threads) for t in result.timings} == {
        (precision, threads) for precision in ("float32", "float64") for threads in (1, 2)
    }
    assert result.peer_seconds is None
    assert result.to_json()["timings"][0]["ratio"] == result.timings[0].ratio
    assert_rows(result.rows, result.to_json())
    assert capfd.readouterr().out == ""


@pytest.mark.compiled
def test_bench_risk(small_rules: Ruleset) -> None:
    result = bench_risk(repeats=1, threads=1, rules=small_rules)
    assert tuple(result.ratio) == THETAS
    assert result.ratio[3.0] == result.seconds[3.0] / result.seconds[0.0]
    assert_rows(result.rows, result.to_json())


@pytest.mark.compiled
@pytest.mark.usefixtures("little_work")
def test_bench_evaluation(small_rules: Ruleset) -> None:
    result = bench_evaluation(repeats=1, threads=1, rules=small_rules)
    assert result.plain_states == 5
    assert result.plain_seconds_extrapolated == pytest.approx(result.plain_seconds * result.states / 5)
    assert result.peak_memory is None
    assert_rows(result.rows, result.to_json())


@pytest.mark.compiled
@pytest.mark.usefixtures("little_work")
def test_bench_simulation(small_rules: Ruleset) -> None:
    result = bench_simulation(repeats=1, threads=1, rules=small_rules)
    assert result.ratio(5, 2 * result.seconds) == pytest.approx(2 * result.games / 5)
    assert_rows(result.rows, result.to_json())


@pytest.mark.compiled
def test_exact_evaluation_needs_less_than_4_gb() -> None:
    assert 1e8 < measure_peak_memory(threads=2) < 4e9


def test_peer_is_timed_where_it_is_installed(table_like, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the package: same names, an answer that is right or wrong."""
    solver = SimpleNamespace(state_value=lambda state: 248.0, simulate=lambda games: None)
    stand_in = SimpleNamespace(Variant=str, Solver=SimpleNamespace(build=lambda variant: solver))
    monkeypatch.setattr(peer, "_solved", lambda module: (module.Solver.build("game"), 1.5))
    monkeypatch.setitem(sys.modules, "yatzy_solver", stand_in)
    assert peer.time_peer_solve(table_like(248.0)) == 1.5
    with pytest.raises(RuntimeError, match="disagree"):
        peer.time_peer_solve(table_like(247.0))
    games, seconds = peer.time_peer_games(table_like(248.0).rules)
    assert games == peer.N_GAMES
    assert seconds >= 0
    monkeypatch.setitem(sys.modules, "yatzy_solver", None)
    assert peer.time_peer_solve(table_like(248.0)) is None
    assert peer.time_peer_games(table_like(248.0).rules) is None


@pytest.fixture
def table_like(rules: Ruleset):
    """A table that is nothing but its ruleset and the value of the start."""
    return lambda value: SimpleNamespace(rules=rules, value=lambda: value)


def test_games_are_compared_class_by_class() -> None:
    found = bench_games(1, 1, (THREE_DICE, JOKERS, SAVING))
    names = [timing.rules for timing in found.timings]
    assert names == ["three-dice", "jokers", "saving"]
    assert found.ratios["three-dice"] == 1
    for timing in found.timings:
        assert timing.classes > 0
        assert timing.seconds > 0
    told = json.loads(json.dumps(found.to_json()))
    assert [row["ratio"] for row in told["rows"] if row["ratio"]] == [
        found.ratios["jokers"],
        found.ratios["saving"],
    ]


def test_goals_are_compared_with_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yatzy.bench.games.OPEN_BOXES", (2, 1))
    found = bench_goals(1, 1, LOWER_FIRST)
    assert set(found.ratios) == {"reach", "utility"}
    assert list(found.from_here_seconds) == [2, 1]
    assert len(found.to_json()["rows"]) == 5


def test_bench_functions(small_rules: Ruleset) -> None:
    """Exact means, and far fewer runs than situations where a function tells few apart."""
    found = bench_functions(1, 1, small_rules)
    by_name = {one.name: one for one in found.functions}
    for name, function in (("top_down", top_down), ("most_points", most_points)):
        assert by_name[name].mean == pytest.approx(
            simulate(policy(function, rules=small_rules), 4_000).mean, rel=0.1
        )
    assert 0 < by_name["top_down"].runs < by_name["most_points"].runs
    assert 0 < found.import_seconds < 60
    assert [row["name"] for row in found.to_json()["rows"]] == [
        "import yatzy", "evaluate top_down", "evaluate most_points",
    ]  # fmt: skip


def test_bench_gym() -> None:
    found = bench_gym(1, 2, "yacht", games=4, steps=30)
    assert found.decisions == 120
    assert set(found.stepping) == set(found.with_agent) == {1, 2}
    assert all(0 < found.with_agent[n] < found.stepping[n] for n in (1, 2))
    assert found.rows[0].ratio == 1
    assert found.rows[0].measured.endswith(" M decisions/s")
    assert json.loads(json.dumps(found.to_json()))["stepping"]["2"] == found.stepping[2]


def test_cold_starts_begin_with_nothing_and_warm_ones_with_what_those_left(monkeypatch):
    """Every command twice in folders of its own, which are gone afterwards; the best of the repeats."""
    folders, slower = [], iter([0.5] * 5 + [0.0] * 5)

    def start(env):
        home, code = Path(env["YATZY_HOME"]), Path(env["NUMBA_CACHE_DIR"])
        if home.exists():
            return 1.0
        assert not code.exists()
        home.mkdir(parents=True)
        folders.append(home)
        return 4.0 + next(slower)

    monkeypatch.setattr(cold, "SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(cold, "_run", lambda _arguments, env: start(env))
    monkeypatch.setattr(cold, "_first_prompt", start)
    monkeypatch.setattr(cold, "_serve", lambda env: [start(env), 0.25])
    found = cold.bench_cold(repeats=2)
    assert [(one.command, one.cold, one.warm) for one in found.starts] == [
        ("advise", 4.0, 1.0),
        ("solve", 4.0, 1.0),
        ("evaluate card-20", 4.0, 1.0),
        ("play, first prompt", 4.0, 1.0),
        ("serve, healthy", 4.0, 1.0),
        ("serve, first advice after that", 0.25, 0.25),
    ]
    assert [row.ratio for row in found.rows] == [4.0] * 5 + [1.0]
    assert len(folders) == 10
    assert not any(folder.exists() for folder in folders)
