"""Boltzmann play: every action has a probability, larger for better ones.

With Q(a) the value of action a under the table, and best the largest of them in the situation,

    P(a) = exp((Q(a) - best) / temperature) / sum over actions,

over the open categories, or over the keeps inside the roll (each counted once, however many choices of dice
give it; keeping all dice is one of them). At a temperature of a few points, play strays from perfect as people and
models do. As the temperature goes to 0 it becomes perfect play with even chances among equals, and as it grows
without bound, uniform play.

Actions are drawn, so this is `Stochastic` and not a `Policy`; probabilities in a turn are just as exact:

    kept(K) = sum over rolls r around K of mass(r) * P(K | r),      from there along the die lattice.

Rolls share their actions, and so most of the work: with weight(a) = exp((Q(a) - top) / temperature), top the best
of a state, P(a | r) = weight(a) / sum of weights in r, which takes one exponential per keep. Where all
weights of a roll could vanish (temperatures near 0), each roll is compared with its own best instead.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from yatzy.arrays import FloatArray, Floats2, Floats3, IntArray, Ints1, Ints2, Lanes2, aligned, lanes_of
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import load, multiply_add, n_lanes, store
from yatzy.turn.outcomes import outcomes
from yatzy.turn.probability import begin_turns, copy_masses, fill_up
from yatzy.turn.tables import Continuation, Scratch, Turn, continuation_of, turn_scratch, turn_tables
from yatzy.turn.values import copy_rows, reference, walk_back

TEMPERATURE = 3.0
LANES = lanes_of(np.float64)

# In units of the temperature. exp(-LARGEST_SPREAD) and what it is divided by stay within float64; an action that
# is NEGLIGIBLE behind the best does not change a sum.
LARGEST_SPREAD = 500.0
NEGLIGIBLE = 40.0


def check_temperature(temperature: float) -> None:
    if not (math.isfinite(temperature) and temperature > 0):
        raise YatzyError("temperature", temperature, "a finite number above 0, in points")


@dataclass(frozen=True)
class Boltzmann:
    """Plays each action with its Boltzmann probability under the table's values; `temperature` in points.

    Actions are compared by the points that they are worth, whatever the table's theta.
    """

    table: ValueTable
    temperature: float = TEMPERATURE

    def __post_init__(self) -> None:
        self.rules.check_plain("softened play is")
        if self.table.precision != "float64":
            raise YatzyError("table", why=f"needs float64, not {self.table.precision}")
        check_temperature(self.temperature)

    @property
    def name(self) -> str:
        return f"softened, temperature {self.temperature:g}"

    @property
    def rules(self) -> Ruleset:
        return self.table.rules

    @property
    def content(self) -> bytes:
        """See `HasContent`."""
        return repr((self.temperature, self.table.theta)).encode() + self.table.stored.tobytes()

    def situation_masses(self, filled: IntArray, upper: IntArray) -> FloatArray:
        """(n, rerolls + 1, n_rolls): probability of each roll by rerolls left, in one turn of each state."""
        return self._turns(filled, upper)[0]

    def add_exits(self, filled: IntArray, upper: IntArray, exits: FloatArray) -> None:
        """How the turns of these states end: see `HasTurnOutcomes`."""
        exits += self._turns(filled, upper)[1]

    def _turns(self, filled: IntArray, upper: IntArray) -> tuple[FloatArray, FloatArray]:
        rules = self.rules
        turn, ends = turn_tables(rules), outcomes(rules)
        mass = np.empty((len(filled), turn.n_rerolls + 1, len(turn.prob_roll)))
        exits = np.empty((len(filled), ends.n))
        _play_turns(
            np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64), self.temperature,
            turn, continuation_of(rules, self.table.stored, self.table.theta), mass, exits,
            aligned((ends.n, LANES)), aligned((max(turn.n_keeps, ends.n), LANES)), turn_scratch(rules),
        )  # fmt: skip
        return mass, exits


@jit
def _play_turns(
    filled: Ints1, upper: Ints1, temperature: float, turn: Turn, continuation: Continuation, mass: Floats3,
    exits: Floats2, ending: Lanes2, weight: Lanes2, scratch: Scratch,
) -> None:  # fmt: skip
    """`mass` (n, rerolls + 1, n_rolls) and `exits` (n, n_outcomes); each lane is a different state.

    `ending` (n_outcomes, lanes) is scratch for what outcomes are worth, `weight` for a row per keep or outcome.
    """
    width = n_lanes(scratch.work)
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back(first, n, filled, upper, turn.n_rerolls, False, turn, continuation, scratch)
        copy_rows(scratch.work[turn.n_keeps + 1 :], ending)
        if continuation.theta != 0:
            _rows_to_points(first, n, filled, upper, turn, continuation, ending)
            for left in range(1, turn.n_rerolls + 1):
                _rows_to_points(first, n, filled, upper, turn, continuation, scratch.levels[left])
        begin_turns(turn.prob_roll, scratch.mass[turn.n_rerolls])
        for left in range(turn.n_rerolls, 0, -1):
            now = scratch.mass[left]
            _choose(turn.keeps_in_roll, scratch.levels[left], now, temperature, scratch.work, weight)
            fill_up(scratch.mass[left - 1], turn.spread, scratch.work)
        _choose(turn.outcome_of_reading, ending, scratch.mass[0], temperature, scratch.work, weight)
        copy_masses(first, n, mass, scratch)
        for lane in range(n):
            for outcome in range(len(ending)):
                exits[first + lane, outcome] = scratch.work[outcome, lane]


@jittable
def _rows_to_points(
    first: int, n: int, filled: Ints1, upper: Ints1, turn: Turn, continuation: Continuation, rows: Lanes2
) -> None:
    """Turn utilities into the points that they stand for; -inf, which is not allowed, stays."""
    for lane in range(n):
        ref = reference(filled[first + lane], upper[first + lane], turn, continuation)
        for row in range(len(rows)):
            if rows[row, lane] > -math.inf:
                rows[row, lane] = (ref + math.log(abs(rows[row, lane]))) / continuation.theta


@jittable
def _choose(
    actions: Ints2, worth: Lanes2, mass: Floats2, temperature: float, chosen: Lanes2, weight: Lanes2
) -> None:
    """`chosen` (rows, lanes): probability of each action if `mass` (n_rolls, lanes) lies on the rolls.

    `actions` (n_rolls, slots) are those of each roll, as rows of `worth`, -1 past the end.
    """
    width = n_lanes(worth)
    n_rows = len(worth)
    chosen[:n_rows] = 0.0
    if not _weigh(worth, temperature, weight):
        for lane in range(width):
            _choose_by_roll(lane, actions, worth, mass, temperature, chosen)
        return
    share = np.zeros(width)
    nothing = np.zeros(width)
    for roll in range(len(actions)):
        total = load(nothing, 0)
        for slot in range(actions.shape[1]):
            if actions[roll, slot] < 0:
                break
            total = multiply_add(load(weight, actions[roll, slot] * width), 1.0, total)
        store(share, 0, total)
        for lane in range(width):
            share[lane] = mass[roll, lane] / share[lane]
        for slot in range(actions.shape[1]):
            if actions[roll, slot] < 0:
                break
            row = actions[roll, slot] * width
            store(chosen, row, multiply_add(load(share, 0), 1.0, load(chosen, row)))
    for row in range(n_rows):
        for lane in range(width):
            chosen[row, lane] *= weight[row, lane]


@jittable
def _weigh(worth: Floats2, temperature: float, weight: Floats2) -> Any:
    """Set `weight` (rows, lanes) from `worth`; return whether all, and their sums in any roll, are far above 0."""
    for lane in range(worth.shape[1]):
        top, bottom = -math.inf, math.inf
        for row in range(len(worth)):
            top = max(top, worth[row, lane])
            if worth[row, lane] > -math.inf:
                bottom = min(bottom, worth[row, lane])
        if top - bottom > LARGEST_SPREAD * temperature:
            return False
        for row in range(len(worth)):
            weight[row, lane] = math.exp((worth[row, lane] - top) / temperature)
    return True


@jittable
def _choose_by_roll(
    lane: int, actions: Ints2, worth: Floats2, mass: Floats2, temperature: float, chosen: Ints2
) -> None:
    """The same for one lane, action by action: for temperatures at which the best of a roll may weigh nothing."""
    weight = np.zeros(actions.shape[1])
    for roll in range(len(actions)):
        best = -math.inf
        n = 0
        while n < actions.shape[1] and actions[roll, n] >= 0:
            best = max(best, worth[actions[roll, n], lane])
            n += 1
        total = 0.0
        for slot in range(n):
            behind = (best - worth[actions[roll, slot], lane]) / temperature
            weight[slot] = math.exp(-behind) if behind < NEGLIGIBLE else 0.0
            total += weight[slot]
        for slot in range(n):
            chosen[actions[roll, slot], lane] += mass[roll, lane] * weight[slot] / total
