"""The twins do the same work, and a bench gives numbers that can be compared.

No test here asks for speed: one round on a busy machine says nothing about it.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from yatzy import Ruleset, ValueTable, YatzyError
from yatzy.arrays import lanes_of
from yatzy.game.json import as_json
from yatzy.lab.bench import processes, ratios
from yatzy.lab.bench.processes import random_situations
from yatzy.lab.bench.ratios import (
    Timed,
    bench_evaluation,
    bench_simulation,
    bench_solver,
    best_seconds,
    format_seconds,
)
from yatzy.lab.bench.twins import (
    PlainForward,
    Plan,
    play_one_by_one,
    solve_by_sparse_rows,
    sparse_rows,
    transition_matrix,
)
from yatzy.measure.exact import evaluate
from yatzy.policies.optimal import Optimal
from yatzy.solver.states import state_space
from yatzy.turn.tables import turn_tables

# Of this process alone: what `resource` says about a child includes the parent that started it.
PEAK_MEMORY = """
from yatzy.context import Context
from yatzy.measure.exact import evaluate
from yatzy.policies.optimal import Optimal
from yatzy.solver.solve import solve
context = Context(threads=2)
evaluate(Optimal(solve(context=context)), context=context)
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


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
    np.testing.assert_allclose(
        pmf, [[part.pmf for part in row] for row in found.distributions], rtol=0, atol=1e-13
    )
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


def test_operations_of_the_full_game_are_those_of_the_docs(rules: Ruleset) -> None:
    """A block is one lane vector of the upper totals that the solver visits."""
    text = (Path(__file__).parents[2] / "docs" / "algorithms.md").read_text()
    space, turn = state_space(rules), turn_tables(rules)
    n_outcomes, n_boxes = len(turn.points), len(turn.zero)
    passes = turn.choose.n_operations + 2 * (
        turn.mean.n_operations + len(turn.mean.steps) + turn.best.n_operations
    )
    per_block = passes + 2 * len(rules.rolls) + n_boxes + 2 * (n_outcomes - n_boxes)
    assert per_block == 1544 + 2 * (1050 + 210 + 1260) + 2 * 252 + 15 + 2 * (121 - 15)
    totals = (space.highest_upper - space.lowest_upper)[: rules.all_filled]
    blocks = [int((1 + totals // lanes_of(precision)).sum()) for precision in ("float32", "float64")]
    assert f"{blocks[0]:,} blocks in float32 and {blocks[1]:,} in float64" in text
    operations = [n * per_block / 1e9 for n in blocks]
    assert f"or {operations[0]:.2f} and {operations[1]:.2f} billion vector" in text


def test_best_of_interleaved_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    clock = iter([0, 5, 5, 9, 9, 12, 12, 13, 13, 20, 20, 24])
    monkeypatch.setattr(ratios, "perf_counter", lambda: next(clock))
    best = best_seconds({name: lambda name=name: order.append(name) for name in "ab"}, repeats=3)
    assert order == list("ababab")
    assert best == {"a": 3, "b": 1}


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


@pytest.mark.parametrize("bench", [bench_solver, bench_evaluation, bench_simulation])
def test_repeats_must_be_positive(bench) -> None:
    with pytest.raises(YatzyError, match="repeats: 0 is not allowed"):
        bench(repeats=0)


def assert_rows(timed: Timed) -> None:
    """Every row says something, fits a terminal, and is in the JSON."""
    for row in timed.rows:
        assert row.measured
        assert not row.measured.startswith("0 ")
        assert len(row.name) <= 37
        assert max(len(row.measured), len(row.versus) - 15) <= 10
        assert row.seconds is None or row.seconds > 0
        assert row.ratio is None or row.ratio > 0
    answer = json.loads(json.dumps(as_json(timed)))
    assert [row["name"] for row in answer["rows"]] == [row.name for row in timed.rows]


@pytest.fixture
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, n in {"N_STATES": 5, "N_GAMES": 1_000, "N_GAMES_PLAIN": 5}.items():
        monkeypatch.setattr(ratios, name, n)


@pytest.mark.compiled
@pytest.mark.usefixtures("little_work")
def test_bench_solver(small_rules: Ruleset, capfd: pytest.CaptureFixture[str]) -> None:
    timed = bench_solver(repeats=1, threads=2, rules=small_rules)
    ours, rows = timed.rows[2:4]
    assert (ours.name, rows.name) == ("solve, float32, 2 threads", "sparse rows, float32, 2 threads")
    assert ours.ratio == rows.seconds / ours.seconds
    assert len(timed.rows) == 8
    assert_rows(timed)
    assert capfd.readouterr().out == ""


@pytest.mark.compiled
@pytest.mark.usefixtures("little_work")
def test_what_differs_is_not_timed(small_rules: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = solve_by_sparse_rows(small_rules, "float64", 1)
    monkeypatch.setattr(ratios, "solve_by_sparse_rows", lambda *_: rows + 0.01)
    with pytest.raises(RuntimeError, match="solve and sparse rows in float32 disagree"):
        bench_solver(repeats=1, threads=1, rules=small_rules)


@pytest.mark.compiled
@pytest.mark.usefixtures("little_work")
def test_bench_evaluation(small_rules: Ruleset) -> None:
    timed = bench_evaluation(repeats=1, threads=1, rules=small_rules)
    assert timed.rows[0].ratio == timed.rows[1].seconds / timed.rows[0].seconds
    assert timed.rows[1].name.startswith("plain NumPy (5 of ")
    assert_rows(timed)


@pytest.mark.compiled
@pytest.mark.usefixtures("little_work")
def test_bench_simulation(small_rules: Ruleset) -> None:
    timed = bench_simulation(repeats=1, threads=1, rules=small_rules)
    assert timed.rows[0].ratio == pytest.approx(timed.rows[1].seconds / timed.rows[0].seconds)
    assert_rows(timed)


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak memory of a process from /proc")
def test_exact_evaluation_needs_less_than_4_gb() -> None:
    ended = subprocess.run([sys.executable, "-c", PEAK_MEMORY], capture_output=True, check=True, text=True)
    assert 1e8 < int(ended.stdout) * 1024 < 4e9


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

    monkeypatch.setattr(processes, "SECONDS_TO_CLEAR", 0.0)
    monkeypatch.setattr(processes, "_run", lambda _arguments, env: start(env))
    monkeypatch.setattr(processes, "_first_prompt", start)
    monkeypatch.setattr(processes, "_serve", lambda env: [start(env), 0.25])
    found = processes.bench_cold(repeats=2)
    assert [(row.name, row.seconds, row.ratio) for row in found.rows] == [
        ("cold start, advise", 4.0, 4.0),
        ("cold start, solve", 4.0, 4.0),
        ("cold start, evaluate card-20", 4.0, 4.0),
        ("cold start, play, first prompt", 4.0, 4.0),
        ("cold start, serve, healthy", 4.0, 4.0),
        ("cold start, serve, first advice after that", 0.25, 1.0),
    ]
    assert len(folders) == 10
    assert not any(folder.exists() for folder in folders)
