"""The twin solves the same game, and a bench gives numbers that can be compared."""

import json

import numpy as np
import pytest

from yatzy import Ruleset, ValueTable, YatzyError
from yatzy.bench.solver import bench_solver, count_operations, random_situations
from yatzy.bench.sparse_rows import solve_by_sparse_rows, sparse_rows
from yatzy.solver.states import state_space


def assert_agrees(table: ValueTable, threads: int) -> None:
    values = solve_by_sparse_rows(table.rules, table.precision, threads)
    reachable = table.space.reachable
    np.testing.assert_allclose(values[reachable], table.values[reachable], rtol=0, atol=1e-9)


def test_twin_agrees_with_solve_on_reduced_games(reduced_table: ValueTable) -> None:
    assert_agrees(reduced_table, threads=1)


@pytest.mark.compiled
def test_twin_agrees_with_solve_at_every_state(table: ValueTable) -> None:
    assert_agrees(table, threads=2)


def test_transition_rows_are_probabilities(rules: Ruleset) -> None:
    """With all dice held left out, 4,368 - 252 entries are left both ways."""
    game = sparse_rows(rules, "float64")
    np.testing.assert_allclose(np.add.reduceat(game.prob, game.prob_start[:-1]), 1.0, rtol=1e-12)
    assert len(game.prob) == len(game.keep) == 4_116


def test_random_situations_can_occur(rules: Ruleset) -> None:
    filled, upper, roll_ids, rerolls = random_situations(rules, 1_000, seed=1)
    assert state_space(rules).reachable[filled, upper].all()
    assert filled.max() < rules.all_filled
    assert (roll_ids.min(), roll_ids.max()) == (0, 251)
    assert set(rerolls.tolist()) == {0, 1, 2}


def test_operations_of_one_block(small_rules: Ruleset) -> None:
    """At least both lattice passes of every mask, once per block; fewer lanes need more blocks."""
    assert count_operations(small_rules, "float64") >= count_operations(small_rules, "float32") > 0


def test_repeats_must_be_positive() -> None:
    with pytest.raises(YatzyError, match="repeats: 0 is not allowed"):
        bench_solver(repeats=0)


@pytest.mark.compiled
def test_bench_gives_positive_numbers(capfd: pytest.CaptureFixture[str]) -> None:
    """No more than positive: one round on a busy machine says nothing about speed."""
    result = bench_solver(repeats=1, threads=2)
    assert {(t.precision, t.threads) for t in result.timings} == {
        (precision, threads) for precision in ("float32", "float64") for threads in (1, 2)
    }
    assert all(timing.ratio > 0 for timing in result.timings)
    assert all(share > 0 for share in result.share_of_peak.values())
    assert min(*result.thread_speedup.values(), *result.situations_per_second.values()) > 0
    assert min(result.float64_over_float32, result.advise_seconds) > 0
    assert json.loads(json.dumps(result.to_json()))["timings"][0]["ratio"] == result.timings[0].ratio
    assert all(row.seconds is None or row.seconds > 0 for row in result.rows)
    assert capfd.readouterr().out == ""
