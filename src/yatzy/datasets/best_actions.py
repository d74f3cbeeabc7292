"""What perfect play does in a situation, by how much it is the best, and what everything else is worth.

With best(r, n) the value of roll r with n rerolls left, the actions are

    n = 0   categories:  points + V(filled + c, min(T, upper + lift))
    n > 0   keeps:       E[best(K filled up with fresh dice, n - 1)];  keeping all dice passes: best(r, n - 1).

The *gap* is the value of the best action less that of the best one that does something else (of the keeps inside
a roll each counts once, however many masks say it); with a single action it is 0. Ties go to the lowest id.

One pass of the die lattice serves all situations of a state, so situations come grouped by state. A kernel calls
only kernels of this file and the lanes: Numba's disk cache does not notice a change elsewhere.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import LANE_BITS, IntArray
from yatzy.datasets.reroll_bits import Masks, mask_tables
from yatzy.evaluate.simulate import Throws, group_by_state
from yatzy.rules import Ruleset
from yatzy.running import check_threads, chunks
from yatzy.solver.table import ValueTable, check_table
from yatzy.turn.lanes import fold, jit, n_lanes
from yatzy.turn.tables import game_tables, work_buffer
from yatzy.turn.values import Game

STATES_PER_CHUNK = 512
LANES = LANE_BITS // 64


class Labels(NamedTuple):
    """Best actions in n situations.

    `action`: the category, or the canonical mask of the dice thrown again; `keep`: the keep of that mask (0 for
    categories); `values` (n, actions): of every category (NaN if filled) or mask; without rows if not asked for.
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
    rules, space = table.rules, table.space
    filled, upper = np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64)
    roll_ids = np.ascontiguousarray(roll_ids, np.int64)
    counts = np.zeros(space.n_masks * space.n_uppers, np.int32)
    distinct, starts, order = group_by_state(filled, upper, space.n_uppers, counts)
    ends = np.append(starts[1:], len(filled))
    labels = empty_labels(rules, len(filled), rerolls, values)
    game, masks = game_tables(rules, "float64"), mask_tables(rules)
    stored = np.asarray(table.stored)

    def run(part: slice) -> None:
        _label_states(
            order, starts[part], ends[part], distinct[part] // space.n_uppers, distinct[part] % space.n_uppers,
            roll_ids, rerolls, game, masks, stored, labels, levels_buffer(rules), work_buffer(game, "float64"),
        )  # fmt: skip

    with ThreadPoolExecutor(check_threads(threads)) as pool:
        list(pool.map(run, chunks(len(distinct), STATES_PER_CHUNK)))
    return labels


def levels_buffer(rules: Ruleset) -> NDArray[np.float64]:
    """(rerolls + 1, n_keeps, lanes): scratch of one thread for `_turn_values`."""
    return np.zeros((rules.rerolls + 1, game_tables(rules, "float64").n_keeps, LANES))


@jit
def _label_states(
    order: Any, starts: Any, ends: Any, filled: Any, upper: Any, roll_ids: Any, rerolls: Any, game: Game,
    masks: Masks, values: Any, labels: Labels, levels: Any, work: Any,
) -> None:  # fmt: skip
    """Label the situations order[starts[i]:ends[i]], which are in the state (filled[i], upper[i])."""
    width = n_lanes(work)
    for start in range(0, len(filled), width):
        n = min(width, len(filled) - start)
        _turn_values(start, n, rerolls, filled, upper, game, values, levels, work)
        for lane in range(n):
            i = start + lane
            for position in range(starts[i], ends[i]):
                row = order[position]
                if rerolls:
                    _label_keep(row, roll_ids[row], lane, game, masks, levels[rerolls], labels)
                else:
                    _label_category(row, roll_ids[row], filled[i], upper[i], game, values, labels)


@jit
def record_turn(
    order: Any, starts: Any, ends: Any, filled: Any, upper: Any, drawn: Any, game: Game, masks: Masks,
    throws: Throws, values: Any, rolls: Any, category: Labels, keeps: Any, levels: Any, work: Any,
) -> None:  # fmt: skip
    """One turn of optimal play: games order[starts[i]:ends[i]] are in the state (filled[i], upper[i]).

    `drawn` (games, throws) are the dice; `rolls` (rerolls + 1, games), by rerolls left, is what they showed.
    `keeps` is a tuple of labels, for 1, 2, ... rerolls left.
    """
    width = n_lanes(work)
    n_rerolls = len(keeps)
    for start in range(0, len(filled), width):
        n = min(width, len(filled) - start)
        _turn_values(start, n, n_rerolls, filled, upper, game, values, levels, work)
        for lane in range(n):
            i = start + lane
            for position in range(starts[i], ends[i]):
                row = order[position]
                roll = throws.part_of_draw[drawn[row, 0], throws.part_of_draw.shape[1] - 1]
                for left in range(n_rerolls, 0, -1):
                    rolls[left, row] = roll
                    _label_keep(row, roll, lane, game, masks, levels[left], keeps[left - 1])
                    held = keeps[left - 1].keep[row]
                    part = throws.part_of_draw[drawn[row, n_rerolls + 1 - left], throws.n_to_throw[held]]
                    roll = throws.roll_of_join[throws.join_start[held] + part]
                rolls[0, row] = roll
                _label_category(row, roll, filled[i], upper[i], game, values, category)


@jit
def _turn_values(
    start: Any, n: Any, rerolls: Any, filled: Any, upper: Any, game: Game, values: Any, levels: Any, work: Any
) -> None:
    """`levels` (rerolls + 1, n_keeps, lanes): with so many rerolls left, the value of every keep."""
    for lane in range(n):
        _score_lane(lane, filled[start + lane], upper[start + lane], game, values, work)
    fold(work, game.choose)
    for left in range(1, rerolls + 1):
        fold(work, game.mean)
        levels[left] = work[: game.n_keeps]
        if left < rerolls:
            fold(work, game.best)


@jit
def _score_lane(lane: Any, filled: Any, upper: Any, game: Game, values: Any, work: Any) -> None:
    """Floor (the best of scoring nothing) and options of one state in one lane."""
    floor = -math.inf
    for category in range(game.n_categories):
        if not filled >> category & 1:
            floor = max(floor, values[filled | 1 << category, upper])
    work[game.n_keeps, lane] = floor
    for option in range(len(game.option_category)):
        category = game.option_category[option]
        worth = floor
        if not filled >> category & 1:
            after = min(upper + game.option_lift[option], values.shape[1] - 1)
            worth = values[filled | 1 << category, after] + game.option_points[option]
        work[game.n_keeps + 1 + option, lane] = worth


@jit
def _label_keep(row: Any, roll: Any, lane: Any, game: Game, masks: Masks, by_keep: Any, labels: Labels) -> None:
    """Best keep and second best of those inside the roll; `by_keep` (n_keeps, lanes)."""
    best, second, best_slot = -math.inf, -math.inf, 0
    for slot in range(game.keeps_in_roll.shape[1]):
        keep = game.keeps_in_roll[roll, slot]
        if keep < 0:
            break
        value = by_keep[keep, lane]
        if value > best:
            best, second, best_slot = value, best, slot
        elif value > second:
            second = value
    labels.action[row] = masks.mask_of_slot[roll, best_slot]
    labels.keep[row] = game.keeps_in_roll[roll, best_slot]
    labels.gap[row] = best - second if second > -math.inf else 0.0
    if len(labels.values):
        for mask in range(labels.values.shape[1]):
            labels.values[row, mask] = by_keep[masks.keep_of_mask[roll, mask], lane]


@jit
def _label_category(row: Any, roll: Any, filled: Any, upper: Any, game: Game, values: Any, labels: Labels) -> None:
    """Best open category and second best."""
    best, second, chosen = -math.inf, -math.inf, 0
    for category in range(game.n_categories):
        if filled >> category & 1:
            continue
        points = game.score_by_roll_category[roll, category]
        after = min(upper + points * game.is_upper[category], values.shape[1] - 1)
        value = points + values[filled | 1 << category, after]
        if value > best:
            best, second, chosen = value, best, category
        elif value > second:
            second = value
        if len(labels.values):
            labels.values[row, category] = value
    labels.action[row] = chosen
    labels.gap[row] = best - second if second > -math.inf else 0.0
