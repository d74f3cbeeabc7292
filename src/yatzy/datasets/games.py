"""Decisions of perfect play in seeded games: all advance together, and each state is solved once per turn."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.context import chunks
from yatzy.datasets.best_actions import (
    STATES_PER_CHUNK,
    Labels,
    empty_labels,
    label_tables,
    record_turn,
    rows_by_state,
)
from yatzy.evaluate.simulate import draws, throw_tables
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import turn_scratch


def decision_names(rules: Ruleset) -> tuple[str, ...]:
    """Kinds of decision by rerolls left: `category`, `reroll1`, `reroll2`."""
    return ("category", *(f"reroll{left}" for left in range(1, rules.rerolls + 1)))


@dataclass(frozen=True)
class TurnRows:
    """One turn of n games; lists are by rerolls left."""

    filled: IntArray
    upper: IntArray
    rolls: NDArray[np.uint16]
    labels: list[Labels]


def play_turns(
    table: ValueTable, first: int, n: int, seed: int, values: bool, pool: ThreadPoolExecutor
) -> Iterator[TurnRows]:
    """Optimal games number `first` to `first + n` of a seed, turn by turn: the games that `simulate` plays."""
    rules = table.rules
    tables, throws, after = label_tables(table), throw_tables(rules), outcomes(rules)
    filled, upper = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for turn in range(rules.n_categories):
        games = rows_by_state(rules, filled, upper)
        drawn = draws(rules, seed, turn, first, n, pool)
        rolls = np.zeros((rules.rerolls + 1, n), np.uint16)
        labels = [empty_labels(rules, n, left, values) for left in range(rules.rerolls + 1)]

        def run(
            part: slice, games: Any = games, drawn: Any = drawn, rolls: Any = rolls, labels: Any = labels
        ) -> None:
            record_turn(
                games.part(part), drawn, tables, throws, rolls, labels[0], tuple(labels[1:]), turn_scratch(rules)
            )

        list(pool.map(run, chunks(len(games.filled), STATES_PER_CHUNK)))
        yield TurnRows(filled, upper, rolls, labels)
        filled, upper = after.after(filled, upper, after.of_reading[rolls[0], labels[0].action])
