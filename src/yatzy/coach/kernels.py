"""Compiled kernels of the coach.

*One situation.* Its action values as in `solver.kernels`, with one state in the first lane. From a keep to the end
of its turn, probability moves along the die lattice as in `evaluate.kernels`, but starts from the keep instead of
from all rolls; here each lane is another keep.

*From turn to turn.* As in `evaluate.kernels`, but only the states that can still come have a row.

*Chance of the bonus.* Under optimal play, by the same recursion as the value, with the bonus as the only payoff:

    chance(filled, upper) = sum over rolls of P(r) * chance(r, rerolls)
    chance(r, 0) = chance(state after the best category),    chance(r, n) = E[chance(best keep filled up, n - 1)]

A kernel calls only kernels of this file and the lanes: Numba's disk cache does not notice a change elsewhere.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba.extending import typeof_impl
from numpy.typing import NDArray

from yatzy.turn.lanes import fold, fold_ids, jit, load, multiply_add, n_lanes, store
from yatzy.turn.probability import Turn
from yatzy.turn.values import Game


class Tables(NamedTuple):
    """All that advice in one situation reads."""

    game: Game
    turn: Turn
    gain: NDArray[np.float64]
    points: NDArray[np.float64]
    theta: float
    values: NDArray[np.float64]
    outcome_category: NDArray[np.int64]
    outcome_points: NDArray[np.int64]
    outcome_lift: NDArray[np.int64]


class SharedTables(Tables):
    """Tables whose Numba type is found once: finding it takes ten times as long as a situation."""

    numba_type: Any = None


@typeof_impl.register(SharedTables)
def _typeof_tables(tables: SharedTables, context: Any) -> Any:
    if tables.numba_type is None:
        tables.numba_type = typeof_impl.dispatch(tuple)(tables, context)
    return tables.numba_type


@jit
def weigh_situation(
    filled: Any, upper: Any, roll_id: Any, rerolls: Any, tie: Any, tables: Tables, chances: Any,
    category_values: Any, keep_values: Any, chosen: Any, exits: Any, bonus: Any, improve: Any, work: Any, ids: Any,
) -> None:  # fmt: skip
    """All numbers of advice in one situation; for theta != 0 the values of the actions are given.

    `category_values` (n_categories,) and `keep_values` (keeps in a roll,) are as in `solver.kernels`, NaN where an
    action is not allowed. `chosen` (n,) becomes the n best actions, categories from 0, then keeps by slot, -1 if
    there are fewer; n is at most the number of lanes. `exits` (n, n_outcomes), `bonus` (n,) and `improve` (n,),
    zeros before, become how the turn ends after each, the chance of the bonus, and the chance of ending worth more
    than scoring now.
    """
    if tables.theta == 0:
        _value_actions(filled, upper, roll_id, rerolls, tables, category_values, keep_values, work, ids)
    _choose_best(category_values, keep_values, chosen)
    _follow(filled, upper, roll_id, rerolls, chosen, tables, exits, work, ids)
    now = -math.inf
    for category in range(len(category_values)):
        if not math.isnan(category_values[category]):
            now = max(now, category_values[category])
    for outcome in range(exits.shape[1]):
        category = tables.outcome_category[outcome]
        if filled >> category & 1:
            continue
        mask = filled | 1 << category
        after = min(upper + tables.outcome_lift[outcome], chances.shape[1] - 1)
        value = tables.values[mask, after]
        worth = tables.outcome_points[outcome] + (value / tables.theta if tables.theta != 0 else value)
        for i in range(len(exits)):
            if exits[i, outcome] > 0.0:
                bonus[i] += exits[i, outcome] * chances[mask, after]
                if worth > now + tie:
                    improve[i] += exits[i, outcome]


@jit
def _value_actions(
    filled: Any, upper: Any, roll_id: Any, rerolls: Any, tables: Tables, category_values: Any, keep_values: Any,
    work: Any, ids: Any,
) -> None:  # fmt: skip
    """Value of every action, theta = 0."""
    game, values = tables.game, tables.values
    for category in range(game.n_categories):
        if not filled >> category & 1:
            scored = game.score_by_roll_category[roll_id, category]
            after = min(upper + scored * game.is_upper[category], values.shape[1] - 1)
            category_values[category] = scored + values[filled | 1 << category, after]
    if rerolls > 0:
        _score_lane(0, filled, upper, game, tables.gain, tables.points, 0.0, values, work, ids)
        fold(work, game.choose)
        fold(work, game.mean)
        for _ in range(rerolls - 1):
            fold(work, game.best)
            fold(work, game.mean)
        for slot in range(1, len(keep_values)):
            keep = game.keeps_in_roll[roll_id, slot]
            if keep >= 0:
                keep_values[slot] = work[keep, 0]


@jit
def _choose_best(category_values: Any, keep_values: Any, chosen: Any) -> None:
    """The best actions, ties in the order of ids, categories first."""
    n_categories = len(category_values)
    for place in range(len(chosen)):
        chosen[place] = -1
        best = -math.inf
        for action in range(n_categories + len(keep_values)):
            value = category_values[action] if action < n_categories else keep_values[action - n_categories]
            if value > best:
                is_new = True
                for earlier in range(place):
                    is_new = is_new and chosen[earlier] != action
                if is_new:
                    best = value
                    chosen[place] = action


@jit
def _follow(
    filled: Any,
    upper: Any,
    roll_id: Any,
    rerolls: Any,
    chosen: Any,
    tables: Tables,
    exits: Any,
    work: Any,
    ids: Any,
) -> None:
    """How the turn ends after each action and optimal play after it."""
    game, turn = tables.game, tables.turn
    n_rolls = len(turn.prob_roll)
    category = np.empty(n_rolls, np.int64)
    held = np.empty((rerolls, n_rolls), np.int64)
    _set_ids(game, ids)
    _score_lane(0, filled, upper, game, tables.gain, tables.points, tables.theta, tables.values, work, ids)
    fold_ids(work, ids, game.choose)
    for roll in range(n_rolls):
        category[roll] = int(ids[roll, 0])
    for left in range(rerolls - 1):
        fold(work, game.mean)
        fold_ids(work, ids, game.best)
        for roll in range(n_rolls):
            held[left, roll] = int(ids[roll, 0])
    mass = np.empty((n_rolls, n_lanes(work)))
    work[: turn.n_keeps] = 0.0
    for lane in range(len(chosen)):
        slot = chosen[lane] - game.n_categories
        if slot >= 0:
            work[game.keeps_in_roll[roll_id, slot], lane] = 1.0
        elif chosen[lane] >= 0:
            exits[lane, turn.outcome_of_roll[roll_id, chosen[lane]]] = 1.0
    fold(work, turn.spread)
    for left in range(rerolls - 2, -1, -1):
        mass[:] = work[:n_rolls]
        work[: turn.n_keeps] = 0.0
        for roll in range(n_rolls):
            work[held[left, roll]] += mass[roll]
        fold(work, turn.spread)
    for roll in range(n_rolls):
        outcome = turn.outcome_of_roll[roll, category[roll]]
        for lane in range(len(chosen)):
            exits[lane, outcome] += work[roll, lane]


@jit
def mark_successors(filled: Any, upper: Any, exits: Any, category: Any, lift: Any, line: Any) -> None:
    """Set `line` (n_masks, n_uppers) to 0 in every state that an outcome of positive probability leads to."""
    cap = line.shape[1] - 1
    for i in range(len(filled)):
        for outcome in range(len(category)):
            if exits[i, outcome] > 0.0:
                line[filled[i] | 1 << category[outcome], min(upper[i] + lift[outcome], cap)] = 0


@jit
def pull_rows(
    masks: Any, exits: Any, outcome_start: Any, points: Any, lift: Any, length: Any,
    line_before: Any, start_before: Any, before: Any, line_after: Any, start_after: Any, after: Any,
) -> None:  # fmt: skip
    """Rows over `rest` of the states of `masks`, from those of the layer before.

    A state's `line` (n_masks, n_uppers; -1 where nothing comes) is its place among the states of its layer. Its
    row is `length[mask]` numbers (`length[mask + n_masks]` for the capped upper total) from `start[line]` on.
    """
    n_masks, n_uppers = line_before.shape
    cap = n_uppers - 1
    width = n_lanes(before)
    for mask in masks:
        for category in range(len(outcome_start) - 1):
            source = mask ^ 1 << category
            if source > mask:
                continue
            for upper in range(n_uppers):
                line = line_before[source, upper]
                if line < 0:
                    continue
                n = length[source + n_masks] if upper == cap else length[source]
                read = start_before[line]
                for outcome in range(outcome_start[category], outcome_start[category + 1]):
                    q = exits[line, outcome]
                    if q > 0.0:
                        to_upper = min(upper + lift[outcome], cap)
                        shift = points[outcome] - (to_upper - upper)
                        write = start_after[line_after[mask, to_upper]] + shift
                        for i in range(0, n, width):
                            store(
                                after, write + i, multiply_add(load(before, read + i), q, load(after, write + i))
                            )


@jit
def chance_in_states(
    filled: Any, upper: Any, game: Game, gain: Any, points: Any, theta: Any, values: Any,
    chances: Any, work: Any, ids: Any, chance_work: Any,
) -> None:  # fmt: skip
    """Set `chances` (n_masks, n_uppers) in the given states from those after them; each lane is another state.

    `values` are those that the best actions are chosen by (log-values for theta != 0); `work`, `ids` and
    `chance_work` are scratch of one shape.
    """
    width = n_lanes(work)
    n_rolls = len(game.prob_roll)
    _set_ids(game, ids)
    for start in range(0, len(filled), width):
        n = min(width, len(filled) - start)
        for lane in range(n):
            _score_lane(
                lane, filled[start + lane], upper[start + lane], game, gain, points, theta, values, work, ids
            )
        fold_ids(work, ids, game.choose)
        for lane in range(n):
            i = start + lane
            for roll in range(n_rolls):
                scored = int(ids[roll, lane])
                lift = game.score_by_roll_category[roll, scored] * game.is_upper[scored]
                after = min(upper[i] + lift, chances.shape[1] - 1)
                chance_work[roll, lane] = chances[filled[i] | 1 << scored, after]
        for _ in range(game.n_rerolls):
            fold(work, game.mean)
            fold(chance_work, game.mean)
            fold_ids(work, ids, game.best)
            # A roll's best keep is the roll itself or one of fewer dice: nothing is read after it was set.
            for roll in range(n_rolls):
                for lane in range(n):
                    chance_work[roll, lane] = chance_work[int(ids[roll, lane]), lane]
        for lane in range(n):
            total = 0.0
            for roll in range(n_rolls):
                total += game.prob_roll[roll] * chance_work[roll, lane]
            chances[filled[start + lane], upper[start + lane]] = total


@jit
def _set_ids(game: Game, ids: Any) -> None:
    """What no fold sets: the categories of the options, and the empty keep."""
    for option in range(len(game.option_category)):
        ids[game.n_keeps + 1 + option, :] = game.option_category[option]
    ids[game.n_keeps - 1, :] = game.n_keeps - 1


@jit
def _score_lane(
    lane: Any, filled: Any, upper: Any, game: Game, gain: Any, points: Any, theta: Any, values: Any,
    work: Any, ids: Any,
) -> None:  # fmt: skip
    """Utilities of one state's options in one lane, as in `solver.kernels`; closed ones cannot even tie."""
    sign = 1.0 if theta >= 0 else -1.0
    ref, best = -math.inf, -math.inf
    for category in range(game.n_categories):
        if not filled >> category & 1:
            nothing = values[filled | 1 << category, upper]
            ref = max(ref, nothing)
            if sign * nothing > best:
                best = sign * nothing
                ids[game.n_keeps, lane] = category
    work[game.n_keeps, lane] = best if theta == 0 else sign * math.exp(sign * best - ref)
    for option in range(len(game.option_category)):
        category = game.option_category[option]
        utility = -math.inf
        if not filled >> category & 1:
            after = min(upper + game.option_lift[option], values.shape[1] - 1)
            utility = values[filled | 1 << category, after]
            if theta != 0:
                utility = sign * math.exp(utility - ref)
            utility = gain[option] * utility + points[option]
        work[game.n_keeps + 1 + option, lane] = utility
