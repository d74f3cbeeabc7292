"""Games too large for memory: solved layer by layer into a file, resumably, here or on a cluster.

Only two layers are in memory (`solver.layers`). Finished layers are kept as `sealed.Parts`, from which a run that
was killed resumes. In the end they are joined into the file that `ValueTable.save` would write, which is mapped
instead of read. On a cluster, a worker gets some sets of a layer and the values of their successors, and returns
theirs. The result is the same to the bit as that of `solve`.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.context import DEFAULT_CONTEXT, Context, chunks
from yatzy.rules import Ruleset
from yatzy.sealed import Parts, write_tensor_blocks
from yatzy.solver.layers import SETS_PER_CHUNK, SETS_PER_COPY, LayerSolver, solve_layers
from yatzy.solver.states import StateSpace, state_space
from yatzy.solver.table import TableError, ValueTable, table_metadata
from yatzy.source_digest import source_digest
from yatzy.storage import writer_lock

# Per task of a cluster: enough to share successors, few enough to occupy all workers.
SETS_PER_TASK = 4096


def solve_to_file(
    path: Path,
    rules: Ruleset,
    theta: float = 0.0,
    precision: str = "float64",
    context: Context = DEFAULT_CONTEXT,
    again: bool = True,
) -> ValueTable:
    """Solve a game into its file, on the cluster of the context if it has one.

    Without `again`, a table that another process has finished meanwhile is used.
    """
    space = state_space(rules)
    made_from = (rules.fingerprint, theta, precision, source_digest("yatzy.solver.layers"))
    with writer_lock(path, context.notice):
        if path.exists() and not again:
            with suppress(TableError):
                return ValueTable.load(path, rules, theta, precision)
        parts = Parts(path, made_from, context.notice)
        solver = LayerSolver(space, theta, precision)
        first = _resume(solver, parts)
        if first < rules.n_categories:
            context.notice(f"resuming with {first + 1} of {rules.n_categories + 1} layers left to solve")
        layers = (
            _spread_layers(solver, first, context)
            if context.is_distributed
            else solve_layers(solver, first, context)
        )
        for n_filled in layers:
            n_rows = (len(solver.values) - 1) * solver.values.shape[1]
            parts.add(_part(n_filled), n_rows, partial(_save, solver, n_rows))
        shape = (int(space.n_saved.sum()), space.n_uppers)
        blocks = _blocks(space, parts, precision)
        write_tensor_blocks(path, "values", shape, precision, blocks, table_metadata(rules, theta, precision))
        parts.remove()
    return ValueTable.load(path, rules, theta, precision)


def _part(n_filled: int) -> str:
    return f"layer-{n_filled:02d}.npy"


def _save(solver: LayerSolver, n_rows: int, half: Path) -> None:
    """Write the layer as an array of rows, some sets at a time."""
    kind = np.dtype(solver.precision)
    shape = {"shape": (n_rows, solver.space.n_uppers), "fortran_order": False}
    with half.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, shape | {"descr": np.lib.format.dtype_to_descr(kind)})
        for part in chunks(len(solver.sets), SETS_PER_COPY):
            file.write(solver.layer_values(part)[1].data)


def _resume(solver: LayerSolver, parts: Parts) -> int:
    """Load the last layer that was finished; returns the layer to solve next, -1 if there is none."""
    n_filled = solver.space.rules.n_categories
    while n_filled >= 0 and parts.has(_part(n_filled)):
        n_filled -= 1
    if n_filled < solver.space.rules.n_categories:
        values = np.load(parts.folder / _part(n_filled + 1), mmap_mode="r")
        solver.take(n_filled + 1, solver.space.layers[n_filled + 1], values)
    return n_filled


def _blocks(space: StateSpace, parts: Parts, precision: str) -> Iterator[NDArray[Any]]:
    """The rows of the table in their order."""
    if space.rules.saves_throws:
        for n_filled in range(space.rules.n_categories + 1):
            yield from _rows_of_layer(space, n_filled, np.load(parts.folder / _part(n_filled), mmap_mode="r"))
        return
    table = np.full((space.n_masks, space.n_uppers), np.nan, precision)
    for n_filled in range(space.rules.n_categories + 1):
        table[space.layers[n_filled]] = np.load(parts.folder / _part(n_filled))
    yield table


def _rows_of_layer(space: StateSpace, n_filled: int, values: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Rows of a layer, those of impossible sets included."""
    sets = np.flatnonzero(space.n_filled == n_filled)
    n_saved = int(space.n_saved[sets[0]])
    if len(values) == len(sets) * n_saved:
        yield values
        return
    rows = np.full((len(sets), n_saved, values.shape[1]), np.nan, values.dtype)
    rows[space.possible[sets]] = values.reshape(-1, n_saved, values.shape[1])
    yield rows.reshape(-1, values.shape[1])


class Task(NamedTuple):
    """Some sets of a layer, and the values of the sets they lead to."""

    rules: Ruleset
    theta: float
    precision: str
    n_filled: int
    sets: IntArray
    successors: IntArray
    values: NDArray[Any]


def solve_task(task: Task) -> NDArray[Any]:
    """The values of a task's sets, as `LayerSolver.layer_values` gives them."""
    solver = LayerSolver(state_space(task.rules), task.theta, task.precision)
    solver.take(task.n_filled + 1, task.successors, task.values)
    solver.begin(task.n_filled, task.sets)
    for part in chunks(len(task.sets), SETS_PER_CHUNK):
        solver.solve_sets(task.sets[part])
    return solver.layer_values(slice(None))[1]


def _spread_layers(solver: LayerSolver, first: int, context: Context) -> Iterator[int]:
    """`solve_layers` on a cluster."""
    space, rules = solver.space, solver.space.rules
    for n_filled in range(first, -1, -1):
        sets = space.layers[n_filled]
        if n_filled == rules.n_categories:
            solver.begin(n_filled, sets)
        else:
            parts = np.array_split(sets, -(-len(sets) // SETS_PER_TASK))
            tasks = (_task(solver, n_filled, part) for part in parts)
            solved = {int(task.sets[0]): values for task, values in context.runner(solve_task, tasks)}
            solver.take(n_filled, sets, np.concatenate([solved[int(part[0])] for part in parts]))
        context.step(rules.n_categories - n_filled, rules.n_categories)
        yield n_filled


def _task(solver: LayerSolver, n_filled: int, sets: IntArray) -> Task:
    """A task with no more than it needs."""
    after = solver.sets[np.unique(solver.successors_of(sets))]
    values = solver.layer_values(solver.place[after])[1]
    return Task(solver.space.rules, solver.theta, solver.precision, n_filled, sets, after, values)
