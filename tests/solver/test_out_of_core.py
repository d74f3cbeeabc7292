"""Games solved layer by layer into a file: the same bytes as in memory, after a kill too, and on a cluster."""

from dataclasses import replace

import numpy as np
import pytest

from games import LOWER_FIRST, THREE_DICE, TINY
from yatzy import ValueTable, YatzyError, solve
from yatzy.context import Context, connected
from yatzy.rules import ruleset
from yatzy.solver import out_of_core, table
from yatzy.solver.store import stored_table
from yatzy.solver.table import table_path

SAVED = replace(TINY, name="tiny-saved", saves_throws=True, bonus_threshold=4, bonus=10)
ORDERED = replace(LOWER_FIRST, name="ordered", forced_order=True)
GAMES = (LOWER_FIRST, SAVED, ORDERED, replace(SAVED, name="both", forced_order=True))


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("theta", [0.0, 0.03])
def test_the_file_is_that_of_the_table_in_memory(rules, theta, tmp_path):
    found = out_of_core.solve_to_file(tmp_path / "streamed.safetensors", rules, theta)
    solve(rules, theta).save(tmp_path / "saved.safetensors")
    assert (tmp_path / "streamed.safetensors").read_bytes() == (tmp_path / "saved.safetensors").read_bytes()
    assert found.value() == solve(rules, theta).value()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["saved.safetensors", "streamed.safetensors"]


@pytest.mark.parametrize("rules", [SAVED, THREE_DICE], ids=lambda rules: rules.name)
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_run_that_was_ended_goes_on_from_its_last_layer(rules, layers, tmp_path, monkeypatch):
    path = tmp_path / "table.safetensors"
    solved = []
    layer_solver = out_of_core.LayerSolver.solve_layer

    def until(self, n_filled, threads):
        if len(solved) == layers:
            raise KeyboardInterrupt
        solved.append(n_filled)
        yield from layer_solver(self, n_filled, threads)

    with monkeypatch.context() as patch:
        patch.setattr(out_of_core.LayerSolver, "solve_layer", until)
        with pytest.raises(KeyboardInterrupt):
            out_of_core.solve_to_file(path, rules)
    assert not path.exists()
    told = []
    found = out_of_core.solve_to_file(path, rules, context=Context(notice=told.append))
    assert told == [
        f"resuming with {rules.n_categories + 1 - layers} of {rules.n_categories + 1} layers left to solve"
    ]
    np.testing.assert_array_equal(found.stored, solve(rules).stored)


def test_a_layer_that_was_changed_is_solved_again(tmp_path, monkeypatch):
    path = tmp_path / "table.safetensors"
    with monkeypatch.context() as patch:
        patch.setattr(out_of_core, "write_tensor_blocks", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            out_of_core.solve_to_file(path, SAVED)
    layer = next(tmp_path.glob(".*.parts/layer-01.npy"))
    content = bytearray(layer.read_bytes())
    content[-3] ^= 1
    layer.write_bytes(content)
    told = []
    found = out_of_core.solve_to_file(path, SAVED, context=Context(notice=told.append))
    assert "was changed after it was written" in told[0]
    np.testing.assert_array_equal(found.stored, solve(SAVED).stored)


def test_a_large_table_is_solved_into_its_file_and_mapped(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "MAPPED_FROM", 100)
    found = stored_table(SAVED, context=Context(tmp_path))
    assert isinstance(found.stored.base, np.memmap) or isinstance(found.stored, np.memmap)
    again = ValueTable.load(table_path(SAVED, 0.0, "float64", tmp_path), SAVED)
    np.testing.assert_array_equal(found.stored, again.stored)
    with pytest.raises(ValueError, match="read-only"):
        found.stored[0, 0] = 1.0


@pytest.mark.parametrize("place", [3, 60, -1, None])
def test_a_damaged_mapped_table_is_refused(tmp_path, monkeypatch, place):
    monkeypatch.setattr(table, "MAPPED_FROM", 100)
    path = solve(SAVED).save(tmp_path / "table.safetensors")
    content = bytearray(path.read_bytes())
    if place is None:
        del content[-40:]
    else:
        content[place] ^= 4
    path.write_bytes(content)
    with pytest.raises(YatzyError, match=r"^.*table.safetensors (is not|was damaged)"):
        ValueTable.load(path, SAVED)


@pytest.mark.compiled
def test_a_cluster_gives_the_same_bits(tmp_path):
    with connected("dask") as runner:
        for rules in (SAVED, ruleset("yahtzee")):
            path = tmp_path / "table.safetensors"
            found = out_of_core.solve_to_file(path, rules, context=Context(runner=runner))
            np.testing.assert_array_equal(found.stored, solve(rules).stored)
            path.unlink()
