"""Regret: the points a policy loses, decision by decision, in expectation.

With V the value of every state and best(r, n) the best that roll r with n rerolls left can bring under V,

    regret(r, 0) = best(r, 0) - (points(r, c) + V(filled + c, min(T, upper + lift)))      c the policy's category
    regret(r, n) = best(r, n) - E[best(K filled up with fresh dice, n - 1)]               K the policy's keep.

If V is the value under optimal play, regrets telescope: every decision is charged against the best that was still
possible when it was made, and nothing is charged twice. Over a whole game,

    E[sum of all regrets] = V*(start) - V_policy(start).

A regret is entered under the decision that caused it (0: the category; n: the keep with n rerolls left) and
under the category in which its turn ends. For the latter, regret is moved along with probability: the probability
of reaching roll r times the regret on the way there goes along the die lattice likewise.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, Floats1, Floats3, IntArray
from yatzy.context import DEFAULT_CONTEXT, Context, chunks, in_threads
from yatzy.errors import YatzyError
from yatzy.policies.policy import Policy, decisions_of
from yatzy.solver.advise import TIE
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import n_lanes
from yatzy.turn.probability import take_decisions, throw, walk_forward
from yatzy.turn.tables import Continuation, Scratch, Turn, continuation_of, turn_scratch, turn_tables
from yatzy.turn.values import outcome_points, reading_of, walk_back

STATES_PER_CHUNK = 512
# Errors below this many points are counted as close.
CLOSE = 0.1


@dataclass(frozen=True)
class ExpectedRegret:
    """Points lost per game. Decisions: 0 is the category, n the keep with n rerolls left.

    `by_turn_decision_category` (turns, decisions, n_categories), by the category in which the turn ends;
    `by_state` (n_masks, n_uppers), times the probability of getting there.
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
    policy: Policy, table: ValueTable, visits: FloatArray, context: Context = DEFAULT_CONTEXT
) -> ExpectedRegret:
    """What the policy loses in a whole game by the table; `visits` are those of its exact evaluation."""
    if table.theta != 0:
        raise YatzyError("theta", why=f"regret in points needs a table for theta 0, not for {table.theta}")
    if table.rules != policy.rules:
        raise YatzyError("table", why=f"is for rules {table.rules.name!r}, the policy plays {policy.rules.name!r}")
    rules = policy.rules
    if rules.saves_throws:
        raise YatzyError("rules", why=f"regret by decision is for games that save no throws, not for {rules.name}")
    lost = np.zeros((rules.n_categories, rules.rerolls + 1, rules.n_categories))
    by_state = np.zeros_like(visits)
    for turn, masks in enumerate(state_space(rules).layers[:-1]):
        index, upper = np.nonzero(visits[masks])
        filled = masks[index]
        weighted = turn_regrets(policy, table.values, filled, upper, context.threads)
        weighted *= visits[filled, upper][:, None, None]
        lost[turn] = weighted.sum(axis=0)
        by_state[filled, upper] = weighted.sum(axis=(1, 2))
        context.step(turn + 1, rules.n_categories)
    return ExpectedRegret(lost, by_state)


def turn_regrets(
    policy: Policy, values: NDArray[Any], filled: IntArray, upper: IntArray, threads: int | None = None
) -> FloatArray:
    """(n, rerolls + 1, n_categories): expected regret of one turn in each state, by decision and category.

    `values` (n_masks, n_uppers) are points to come after the turn, under the play the policy is compared with.
    """
    rules = policy.rules
    turn, continuation = turn_tables(rules), continuation_of(rules, np.asarray(values, dtype=np.float64))
    regrets = np.zeros((len(filled), rules.rerolls + 1, rules.n_categories))

    def run(part: slice) -> None:
        decisions = decisions_of(policy, filled[part], upper[part])
        decided = Decided(filled[part], upper[part], *decisions.by_level)
        add_regrets(decided, turn, continuation, regrets[part], turn_scratch(rules))

    in_threads(run, chunks(len(filled), STATES_PER_CHUNK), threads)
    return regrets


class Decided(NamedTuple):
    """States, and the decisions of a policy there by level."""

    filled: IntArray
    upper: IntArray
    category: NDArray[Any]
    keep: NDArray[Any]


@jit
def add_regrets(
    decided: Decided, turn: Turn, continuation: Continuation, regrets: Floats3, scratch: Scratch
) -> None:
    """Add to `regrets` (n, rerolls + 1, n_categories); each lane is a different state."""
    filled = decided.filled
    width = n_lanes(scratch.work)
    n_rolls = len(turn.prob_roll)
    n_decisions = turn.n_rerolls + 1
    lost = np.zeros((n_decisions, n_rolls, width))
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        _regret_by_roll(first, n, decided, turn, continuation, lost, scratch)
        walk_forward(first, n, filled, turn.n_rerolls, turn, scratch)
        for left in range(turn.n_rerolls, -1, -1):
            for roll in range(n_rolls):
                for lane in range(width):
                    lost[left, roll, lane] *= scratch.mass[left, roll, lane]
            if left > 0:
                for decision in range(left, n_decisions):
                    throw(scratch.held[left - 1], lost[decision], lost[decision], turn, scratch.work)
        for lane in range(n):
            for decision in range(n_decisions):
                for roll in range(n_rolls):
                    regrets[first + lane, decision, int(scratch.scored[0, roll, lane])] += lost[
                        decision, roll, lane
                    ]


@jittable
def _regret_by_roll(
    first: int, n: int, decided: Decided, turn: Turn, continuation: Continuation, lost: Floats3, scratch: Scratch
) -> None:
    """`lost` (decisions, n_rolls, lanes): regret of the policy's decision with every roll."""
    filled, upper, category, keep = decided
    walk_back(first, n, filled, upper, turn.n_rerolls, True, turn, continuation, scratch)
    take_decisions(first, n, category, keep, scratch)
    special_of_roll, readings = turn.special.of_roll, turn.special.readings
    for lane in range(n):
        i = first + lane
        for roll in range(len(turn.prob_roll)):
            reading = reading_of(filled[i], roll, special_of_roll, readings)
            outcome = turn.outcome_of_reading[reading, category[i, 0, roll]]
            worth_now = outcome_points(filled[i], upper[i], outcome, turn, continuation)
            lost[0, roll, lane] = scratch.tops[0, roll, lane] - worth_now
            for left in range(1, turn.n_rerolls + 1):
                kept = scratch.levels[left, keep[i, left - 1, roll], lane]
                lost[left, roll, lane] = scratch.tops[left, roll, lane] - kept


@jit
def add_errors(
    decided: Decided, weight: Floats1, turn: Turn, continuation: Continuation, errors: Floats3, scratch: Scratch
) -> None:
    """Add the probability of suboptimal decisions to `errors` (all and close, rerolls + 1, n_uppers).

    `weight` (n,) is how often play comes to each state; inside a turn the policy's own keeps are followed.
    """
    filled, upper = decided.filled, decided.upper
    width = n_lanes(scratch.work)
    lost = np.zeros((turn.n_rerolls + 1, len(turn.prob_roll), width))
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        _regret_by_roll(first, n, decided, turn, continuation, lost, scratch)
        walk_forward(first, n, filled, turn.n_rerolls, turn, scratch)
        for left in range(turn.n_rerolls + 1):
            for lane in range(n):
                for roll in range(len(turn.prob_roll)):
                    if lost[left, roll, lane] > TIE:
                        here = weight[first + lane] * scratch.mass[left, roll, lane]
                        errors[0, left, upper[first + lane]] += here
                        if lost[left, roll, lane] < CLOSE:
                            errors[1, left, upper[first + lane]] += here
