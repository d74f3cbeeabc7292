"""Regret: the points a policy loses, decision by decision, in expectation.

With V the value of every state and best(r, n) the best that roll r with n rerolls left can bring under V,

    regret(r, 0) = best(r, 0) - (points(r, c) + V(filled + c, min(T, upper + lift)))      c the policy's category
    regret(r, n) = best(r, n) - E[best(K filled up with fresh dice, n - 1)]               K the policy's keep.

If V is the value under optimal play, regrets telescope: every decision is charged against the best that was
still possible when it was made, and nothing twice. Summed over a whole game,

    E[sum of all regrets] = V*(start) - V_policy(start).

A regret is entered under the decision that caused it (0: the category; n: the keep with n rerolls left) and
under the category in which its turn ends. For the latter, regret travels along with probability: `carried(r)` is
the probability of coming to roll r times the regret met on the way, and moves along the die lattice just so.

A kernel calls only kernels of this file and the lanes: Numba's disk cache does not notice a change elsewhere.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.errors import YatzyError
from yatzy.evaluate.exact import turn_tables
from yatzy.policy.base import Policy
from yatzy.running import Progress, check_threads, chunks
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.turn.lanes import fold, jit, n_lanes
from yatzy.turn.probability import Turn
from yatzy.turn.tables import game_tables, work_buffer
from yatzy.turn.values import Game

STATES_PER_CHUNK = 512


@dataclass(frozen=True)
class ExpectedRegret:
    """Points lost per game. Decisions: 0 is the category, n the keep with n rerolls left.

    `by_turn_decision_category` (turns, decisions, n_categories), by the category in which the turn ends;
    `by_state` (n_masks, n_uppers), times the probability of coming there.
    """

    by_turn_decision_category: FloatArray
    by_state: FloatArray

    @property
    def total(self) -> float:
        return float(self.by_turn_decision_category.sum())

    @property
    def by_decision(self) -> FloatArray:
        return np.asarray(self.by_turn_decision_category.sum(axis=(0, 2)))

    @property
    def by_turn(self) -> FloatArray:
        return np.asarray(self.by_turn_decision_category.sum(axis=(1, 2)))

    @property
    def by_category(self) -> FloatArray:
        return np.asarray(self.by_turn_decision_category.sum(axis=(0, 1)))


def expected_regret(
    policy: Policy,
    table: ValueTable,
    visits: FloatArray,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ExpectedRegret:
    """What a whole game of the policy loses against the table; `visits` are those of its exact evaluation."""
    if table.theta != 0:
        raise YatzyError(f"theta: regret in points needs a table for theta 0, not for {table.theta}")
    if table.rules != policy.rules:
        raise YatzyError(f"table: is for rules {table.rules.name!r}, the policy plays {policy.rules.name!r}")
    rules = policy.rules
    lost = np.zeros((rules.n_categories, rules.rerolls + 1, rules.n_categories))
    by_state = np.zeros_like(visits)
    for turn, masks in enumerate(state_space(rules).layers[:-1]):
        index, upper = np.nonzero(visits[masks])
        filled = masks[index]
        weighted = turn_regrets(policy, table.values, filled, upper, threads)
        weighted *= visits[filled, upper][:, None, None]
        lost[turn] = weighted.sum(axis=0)
        by_state[filled, upper] = weighted.sum(axis=(1, 2))
        if progress:
            progress(turn + 1, rules.n_categories)
    return ExpectedRegret(lost, by_state)


def turn_regrets(
    policy: Policy, values: NDArray[Any], filled: IntArray, upper: IntArray, threads: int | None = None
) -> FloatArray:
    """(n, rerolls + 1, n_categories): expected regret of one turn in each state, by decision and category.

    `values` (n_masks, n_uppers) are points to come after the turn, under whatever play is to be compared with.
    """
    rules = policy.rules
    game, turn = game_tables(rules, "float64"), turn_tables(rules)
    values = np.asarray(values, dtype=np.float64)
    regrets = np.zeros((len(filled), rules.rerolls + 1, rules.n_categories))

    def run(part: slice) -> None:
        decisions = policy.decide(filled[part], upper[part])
        add_regrets(
            filled[part], upper[part], decisions.category, decisions.keep, game, turn, values,
            regrets[part], work_buffer(game, "float64"),
        )  # fmt: skip

    with ThreadPoolExecutor(check_threads(threads)) as pool:
        list(pool.map(run, chunks(len(filled), STATES_PER_CHUNK)))
    return regrets


@jit
def add_regrets(
    filled: Any, upper: Any, category: Any, keep: Any, game: Game, turn: Turn, values: Any,
    regrets: Any, work: Any,
) -> None:  # fmt: skip
    """Add to `regrets` (n, rerolls + 1, n_categories); each lane of `work` is another state."""
    width = n_lanes(work)
    n_rolls = len(turn.prob_roll)
    n_decisions = turn.n_rerolls + 1
    lost = np.zeros((n_decisions, n_rolls, width))
    carried = np.zeros((n_decisions, n_rolls, width))
    mass = np.zeros((n_rolls, width))
    for start in range(0, len(filled), width):
        n = min(width, len(filled) - start)
        _regret_by_roll(start, n, filled, upper, category, keep, game, values, lost, work)
        for roll in range(n_rolls):
            mass[roll, :] = turn.prob_roll[roll]
        for left in range(turn.n_rerolls, 0, -1):
            carried[left] = mass * lost[left]
            for decision in range(left, n_decisions):
                _throw(start, n, keep, left, turn, carried[decision], work)
            _throw(start, n, keep, left, turn, mass, work)
        carried[0] = mass * lost[0]
        for lane in range(n):
            for decision in range(n_decisions):
                for roll in range(n_rolls):
                    scored = category[start + lane, roll]
                    regrets[start + lane, decision, scored] += carried[decision, roll, lane]


@jit
def _regret_by_roll(
    start: Any, n: Any, filled: Any, upper: Any, category: Any, keep: Any, game: Game, values: Any,
    lost: Any, work: Any,
) -> None:  # fmt: skip
    """`lost` (decisions, n_rolls, lanes): regret of the policy's decision with every roll."""
    n_rolls = len(game.prob_roll)
    for lane in range(n):
        _score_lane(lane, filled[start + lane], upper[start + lane], game, values, work)
    fold(work, game.choose)
    for lane in range(n):
        i = start + lane
        for roll in range(n_rolls):
            scored = category[i, roll]
            lift = game.score_by_roll_category[roll, scored] * game.is_upper[scored]
            after = min(upper[i] + lift, values.shape[1] - 1)
            worth = values[filled[i] | 1 << scored, after] + game.score_by_roll_category[roll, scored]
            lost[0, roll, lane] = work[roll, lane] - worth
    for left in range(1, game.n_rerolls + 1):
        fold(work, game.mean)
        for lane in range(n):
            for roll in range(n_rolls):
                lost[left, roll, lane] = -work[keep[start + lane, left - 1, roll], lane]
        fold(work, game.best)
        for roll in range(n_rolls):
            for lane in range(n):
                lost[left, roll, lane] += work[roll, lane]


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
def _throw(start: Any, n: Any, keep: Any, left: Any, turn: Turn, by_roll: Any, work: Any) -> None:
    """What lies on the rolls goes to the policy's keeps with `left` rerolls, and from there to the next rolls."""
    n_rolls = len(turn.prob_roll)
    work[: turn.n_keeps] = 0.0
    for lane in range(n):
        for roll in range(n_rolls):
            work[keep[start + lane, left - 1, roll], lane] += by_roll[roll, lane]
    fold(work, turn.spread)
    by_roll[:] = work[:n_rolls]


@dataclass(frozen=True)
class DecisionErrors:
    """How often a policy does not take a best action; decisions as in `ExpectedRegret`.

    `by_decision_upper` (decisions, n_uppers): probability of an error, summed over the turns of a game;
    `close_by_decision`: of these, the errors that cost less than CLOSE points.
    """

    by_decision_upper: FloatArray
    close_by_decision: FloatArray

    @property
    def by_decision(self) -> FloatArray:
        """Errors per game."""
        return np.asarray(self.by_decision_upper.sum(axis=1))


# A regret below TIE is a tie, not an error; an error below CLOSE points hardly matters.
TIE = 1e-9
CLOSE = 0.1


def decision_errors(
    policy: Policy, table: ValueTable, visits: FloatArray, threads: int | None = None
) -> DecisionErrors:
    """Count the errors in the states of `visits`; inside a turn the policy's own keeps are followed."""
    rules = policy.rules
    game, turn = game_tables(rules, "float64"), turn_tables(rules)
    values = np.asarray(table.values, dtype=np.float64)
    weights = visits.copy()
    weights[rules.all_filled] = 0.0
    filled, upper = np.nonzero(weights)

    def run(part: slice) -> FloatArray:
        decisions = policy.decide(filled[part], upper[part])
        errors = np.zeros((2, rules.rerolls + 1, visits.shape[1]))
        add_errors(
            filled[part], upper[part], weights[filled[part], upper[part]], decisions.category, decisions.keep,
            game, turn, values, TIE, CLOSE, errors, work_buffer(game, "float64"),
        )  # fmt: skip
        return errors

    with ThreadPoolExecutor(check_threads(threads)) as pool:
        errors = sum(pool.map(run, chunks(len(filled), STATES_PER_CHUNK)), np.zeros(()))
    return DecisionErrors(errors[0], errors[1].sum(axis=1))


@jit
def add_errors(
    filled: Any, upper: Any, weight: Any, category: Any, keep: Any, game: Game, turn: Turn, values: Any,
    tie: Any, close: Any, errors: Any, work: Any,
) -> None:  # fmt: skip
    """Add to `errors` (all and close, rerolls + 1, n_uppers) the probability of decisions that are not best."""
    width = n_lanes(work)
    n_rolls = len(turn.prob_roll)
    lost = np.zeros((turn.n_rerolls + 1, n_rolls, width))
    mass = np.zeros((n_rolls, width))
    for start in range(0, len(filled), width):
        n = min(width, len(filled) - start)
        _regret_by_roll(start, n, filled, upper, category, keep, game, values, lost, work)
        for roll in range(n_rolls):
            mass[roll, :] = turn.prob_roll[roll]
        for left in range(turn.n_rerolls, -1, -1):
            for lane in range(n):
                for roll in range(n_rolls):
                    if lost[left, roll, lane] > tie:
                        here = weight[start + lane] * mass[roll, lane]
                        errors[0, left, upper[start + lane]] += here
                        if lost[left, roll, lane] < close:
                            errors[1, left, upper[start + lane]] += here
            if left > 0:
                _throw(start, n, keep, left, turn, mass, work)
