"""What perfect play does in a situation, by how much it is best, and what everything else is worth.

With best(r, n) the value of roll r with n rerolls left, the actions are

    n = 0   categories:  points + V(filled + c, min(T, upper + lift))
    n > 0   keeps:       E[best(K filled up with fresh dice, n - 1)];  keeping all dice passes: best(r, n - 1).

The *gap* is the value of the best action minus that of the best one that does something else (each keep inside a
roll counts once, however many masks give it); with a single action it is 0. Ties go to the lowest id.

One pass of the die lattice serves all situations of a state, so situations come grouped by state.

Decisions of perfect play in seeded games: all advance together, and each state is solved once per turn.
"""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, Ints1, Ints2, Lanes2
from yatzy.context import chunks, in_threads
from yatzy.measure.simulate import Throws, draws, first_roll, games_by_state, next_roll, throw_tables
from yatzy.players.columns import RollMasks, mask_tables
from yatzy.players.situations import STATES_PER_CHUNK
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable, check_table
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import n_lanes
from yatzy.turn.kernels.walks import best_two_categories, best_two_keeps
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import Continuation, Scratch, Turn, continuation_of, turn_scratch, turn_tables
from yatzy.turn.values import reading_of, walk_back


class Labels(NamedTuple):
    """Best actions in n situations.

    `action`: the category, or the canonical mask of the dice thrown again; `keep`: the keep of that mask (0 for
    categories); `values` (n, actions): of every category (NaN if filled) or mask; no rows if not asked for.
    """

    action: NDArray[np.uint8]
    keep: NDArray[np.uint16]
    gap: NDArray[np.float32]
    values: NDArray[np.float32]


def empty_labels(rules: Ruleset, n: int, rerolls: int, values: bool) -> Labels:
    """Room for n situations of one decision."""
    n_actions = 1 << rules.dice if rerolls else rules.n_categories
    return Labels(
        action=np.zeros(n, np.uint8),
        keep=np.zeros(n, np.uint16),
        gap=np.zeros(n, np.float32),
        values=np.full((n if values else 0, n_actions), np.nan, np.float32),
    )


def label_situations(
    table: ValueTable,
    filled: IntArray,
    upper: IntArray,
    roll_ids: IntArray,
    rerolls: int,
    values: bool = False,
    threads: int | None = None,
) -> Labels:
    """Best action, gap and (if asked for) the value of every action, in situations with `rerolls` left."""
    check_table(table)
    rules = table.rules
    filled, upper = np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64)
    roll_ids = np.ascontiguousarray(roll_ids, np.int64)
    rows = rows_by_state(rules, filled, upper)
    labels = empty_labels(rules, len(filled), rerolls, values)
    tables = label_tables(table)

    def run(part: slice) -> None:
        _label_states(rows.part(part), roll_ids, rerolls, tables, labels, turn_scratch(rules))

    in_threads(run, chunks(len(rows.filled), STATES_PER_CHUNK), threads)
    return labels


class Tables(NamedTuple):
    """The tables that labelling reads."""

    turn: Turn
    continuation: Continuation
    masks: RollMasks


def label_tables(table: ValueTable) -> Tables:
    """The tables of a solved game."""
    return Tables(turn_tables(table.rules), continuation_of(table.rules, table.stored), mask_tables(table.rules))


class ByState(NamedTuple):
    """Rows grouped by state: order[starts[i]:ends[i]] are in the state (filled[i], upper[i])."""

    order: IntArray
    starts: IntArray
    ends: IntArray
    filled: IntArray
    upper: IntArray

    def part(self, part: slice) -> "ByState":
        """Some of the states."""
        return ByState(self.order, self.starts[part], self.ends[part], self.filled[part], self.upper[part])


def rows_by_state(rules: Ruleset, filled: IntArray, upper: IntArray) -> ByState:
    """Group rows, which are in these states."""
    masks, uppers, starts, order = games_by_state(rules, filled, upper)
    return ByState(order, starts, np.append(starts[1:], len(filled)), masks, uppers)


@jit
def _label_states(
    rows: ByState, roll_ids: Ints1, rerolls: int, tables: Tables, labels: Labels, scratch: Scratch
) -> None:
    """Label situations, grouped by their states."""
    order, starts, ends, filled, upper = rows
    width = n_lanes(scratch.work)
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back(first, n, filled, upper, rerolls, False, tables.turn, tables.continuation, scratch)
        for lane in range(n):
            for position in range(starts[first + lane], ends[first + lane]):
                row = order[position]
                if rerolls:
                    _label_keep(row, roll_ids[row], lane, tables, scratch.levels[rerolls], labels)
                else:
                    _label_category(
                        row, filled[first + lane], roll_ids[row], lane, tables.turn, scratch.work, labels
                    )


@jit
def record_turn(
    games: ByState, drawn: Ints2, tables: Tables, throws: Throws, rolls: Ints2, category: Labels,
    keeps: tuple[Labels, ...], scratch: Scratch,
) -> None:  # fmt: skip
    """One turn of optimal play, in games grouped by their states.

    `drawn` (games, throws) are the dice; `rolls` (rerolls + 1, games), by rerolls left, is what they showed.
    `keeps` is a tuple of labels, for 1, 2, ... rerolls left.
    """
    order, starts, ends, filled, upper = games
    width = n_lanes(scratch.work)
    n_rerolls = len(keeps)
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back(first, n, filled, upper, n_rerolls, False, tables.turn, tables.continuation, scratch)
        for lane in range(n):
            for position in range(starts[first + lane], ends[first + lane]):
                row = order[position]
                roll = first_roll(drawn[row, 0], throws)
                for left in range(n_rerolls, 0, -1):
                    rolls[left, row] = roll
                    _label_keep(row, roll, lane, tables, scratch.levels[left], keeps[left - 1])
                    held = keeps[left - 1].keep[row]
                    roll = next_roll(held, drawn[row, n_rerolls + 1 - left], throws)
                rolls[0, row] = roll
                _label_category(row, filled[first + lane], roll, lane, tables.turn, scratch.work, category)


@jittable
def _label_keep(row: int, roll: int, lane: int, tables: Tables, level: Lanes2, labels: Labels) -> None:
    """Best keep of those inside the roll; `level` (n_keeps, lanes) is what they are worth."""
    best, second, slot = best_two_keeps(lane, roll, tables.turn, level)
    labels.action[row] = tables.masks.mask_of_slot[roll, slot]
    labels.keep[row] = tables.turn.keeps_in_roll[roll, slot]
    labels.gap[row] = best - second if second > -math.inf else 0.0
    if len(labels.values):
        for mask in range(labels.values.shape[1]):
            labels.values[row, mask] = level[tables.masks.keep_of_mask[roll, mask], lane]


@jittable
def _label_category(row: int, filled: int, roll: int, lane: int, turn: Turn, work: Lanes2, labels: Labels) -> None:
    """Best open category."""
    best, second, chosen = best_two_categories(lane, filled, roll, turn, work)
    labels.action[row] = chosen
    labels.gap[row] = best - second if second > -math.inf else 0.0
    if len(labels.values):
        reading = reading_of(filled, roll, turn.special.of_roll, turn.special.readings)
        for category in range(len(turn.zero)):
            value = work[turn.n_keeps + 1 + turn.outcome_of_reading[reading, category], lane]
            labels.values[row, category] = value if value > -math.inf else math.nan


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
