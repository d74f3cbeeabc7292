"""Decisions as tables, one row each: plain columns, best action, gap, and any weights and values."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray
from yatzy.datasets.best_actions import Labels, label_situations
from yatzy.datasets.columns import plain_columns, roll_part, state_part
from yatzy.datasets.games import TurnRows
from yatzy.datasets.situations import Situations
from yatzy.rules import Ruleset, format_category
from yatzy.solver.table import ValueTable

if TYPE_CHECKING:
    import polars


def turn_frames(rules: Ruleset, rows: TurnRows) -> "Iterator[polars.DataFrame]":
    """Tables of one turn, by rerolls left: features, `action`, `keep` (of rerolls), `gap`, then any values."""
    by_state = state_part(rules, rows.filled, rows.upper)
    states = [np.ascontiguousarray(by_state[:, j]) for j in range(by_state.shape[1] - 1)]
    for left, labels in enumerate(rows.labels):
        rolls = roll_part(rules).T[:, rows.rolls[left]]
        columns = [*rolls, *states, *([np.full(len(rows.filled), left, np.int16)] if left else [])]
        yield label_frame(rules, left, dict(zip(plain_columns(rules, left > 0), columns, strict=True)), labels)


def label_frame(
    rules: Ruleset,
    rerolls: int,
    columns: dict[str, NDArray[Any]],
    labels: Labels,
    weight: FloatArray | None = None,
) -> "polars.DataFrame":
    """Columns, labels and any weights as one table."""
    import polars as pl

    found: dict[str, NDArray[Any]] = {**columns, "action": labels.action}
    if rerolls:
        found["keep"] = labels.keep
    found["gap"] = labels.gap
    if weight is not None:
        found["weight"] = weight
    if len(labels.values):
        for action, values in zip(action_names(rules, rerolls), labels.values.T, strict=True):
            found[f"value_{action}"] = np.ascontiguousarray(values)
    return pl.DataFrame(found)


def action_names(rules: Ruleset, rerolls: int) -> list[str]:
    """Categories in words, or masks as bits, lowest position last."""
    if rerolls:
        return [f"{mask:0{rules.dice}b}" for mask in range(1 << rules.dice)]
    return [format_category(rules, c).replace(" ", "_") for c in range(rules.n_categories)]


def situation_frame(
    table: ValueTable, situations: Situations, values: bool = False, threads: int | None = None
) -> "polars.DataFrame":
    """A table with the columns of the games' files and, after `gap`, `weight`."""
    rules, left = situations.rules, situations.rerolls
    labels = label_situations(
        table, situations.filled, situations.upper, situations.roll_ids, left, values, threads
    )
    features = situations.features()
    columns = {name: np.ascontiguousarray(features[:, j]) for j, name in enumerate(plain_columns(rules, left > 0))}
    return label_frame(rules, left, columns, labels, situations.weight)
