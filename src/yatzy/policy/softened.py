"""Softened optimal play: every action has a chance, the better the larger (Boltzmann).

With Q*(a) the value of action a under perfect play from there on, and best the largest of them in the situation,

    P(a) = exp((Q*(a) - best) / temperature) / sum over actions,

over the open categories, or over the keeps inside the roll (each once, however many dice say it). A temperature of
a few points strays from perfect play as people and students do; towards 0 it becomes perfect play with even
chances among equals, without bound it becomes uniform play.

The choices are not fixed, so this is `Mixed` play and no `Policy`; in a turn its probability moves as exactly:

    kept(K) = sum over rolls r around K of mass(r) * P(K | r),      from there along the die lattice.

Rolls share their actions, and so most of the work: with weight(a) = exp((Q*(a) - top) / temperature), top the best
of a state, P(a | r) = weight(a) / sum of weights in r, which takes one exponential for each keep. Where all
weights of a roll could vanish (temperatures near 0), each roll is compared with its own best instead.

A kernel calls only kernels of this file and the lanes: Numba's disk cache does not notice a change elsewhere.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from yatzy.arrays import FloatArray, IntArray, aligned, lanes_of
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset
from yatzy.running import check_threads, chunks
from yatzy.solver.table import ValueTable, check_table
from yatzy.turn.lanes import Fold, fold, jit, larger_of, load, multiply_add, n_lanes, store
from yatzy.turn.outcomes import outcomes
from yatzy.turn.probability import Turn
from yatzy.turn.tables import game_tables
from yatzy.turn.values import Game

TEMPERATURE = 3.0
LANES = lanes_of(np.float64)
STATES_PER_CHUNK = 512

# In temperatures. exp(-LARGEST_SPREAD) and what it is divided by stay within float64; an action that is NEGLIGIBLE
# behind the best does not change a sum.
LARGEST_SPREAD = 500.0
NEGLIGIBLE = 40.0


def check_temperature(temperature: float) -> None:
    if not (math.isfinite(temperature) and temperature > 0):
        raise YatzyError(
            f"temperature: {temperature} is not allowed; allowed is a finite number above 0, in points"
        )


@dataclass(frozen=True)
class Softened:
    """Plays each action with its Boltzmann probability under the table's values; `temperature` in points."""

    table: ValueTable
    temperature: float = TEMPERATURE

    def __post_init__(self) -> None:
        check_table(self.table)
        check_temperature(self.temperature)

    @property
    def name(self) -> str:
        return f"softened, temperature {self.temperature:g}"

    @property
    def rules(self) -> Ruleset:
        return self.table.rules

    def situation_masses(self, filled: IntArray, upper: IntArray) -> FloatArray:
        """(n, rerolls + 1, n_rolls): probability of each roll by rerolls left, in one turn of each state."""
        return self._turns(filled, upper)[0]

    def exits(self, filled: IntArray, upper: IntArray, threads: int | None = None) -> FloatArray:
        """(n, n_outcomes): how the turn of each state (filled[i], upper[i]) ends."""
        exits = np.empty((len(filled), outcomes(self.rules).n))

        def run(part: slice) -> None:
            exits[part] = self._turns(filled[part], upper[part])[1]

        with ThreadPoolExecutor(check_threads(threads)) as pool:
            list(pool.map(run, chunks(len(filled), STATES_PER_CHUNK)))
        return exits

    def _turns(self, filled: IntArray, upper: IntArray) -> tuple[FloatArray, FloatArray]:
        game, turn, ends = game_tables(self.rules, "float64"), turn_tables(self.rules), outcomes(self.rules)
        mass = np.empty((len(filled), turn.n_rerolls + 1, len(turn.prob_roll)))
        exits = np.empty((len(filled), ends.n))
        n_rows = max(turn.n_keeps, ends.n)
        buffers = [aligned((n_rows, LANES), np.dtype(np.float64)) for _ in range(2)]
        _soften_turns(
            np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64), self.temperature,
            game, turn, ends.category, ends.points, ends.lift, np.asarray(self.table.stored), mass, exits,
            aligned((ends.n, LANES), np.dtype(np.float64)),
            aligned((turn.n_rerolls, turn.n_keeps, LANES), np.dtype(np.float64)), *buffers,
        )  # fmt: skip
        return mass, exits


@lru_cache(maxsize=8)
def turn_tables(rules: Ruleset) -> Turn:
    """The turn as the kernels see it; the twin of `evaluate.exact.turn_tables`, which lies to our right."""
    dice = lattice(rules.dice, rules.faces)
    spread = [(keep, [k for k in dice.removed[keep] if k >= 0]) for keep in range(dice.n_keeps - 2, -1, -1)]
    return Turn(
        prob_roll=dice.prob_roll,
        outcome_of_roll=outcomes(rules).of_roll,
        spread=Fold("spread", spread, share=1 / rules.faces),
        n_keeps=dice.n_keeps,
        n_rerolls=rules.rerolls,
    )


@jit
def _soften_turns(
    filled: Any, upper: Any, temperature: Any, game: Game, turn: Turn, category: Any, points: Any, lift: Any,
    values: Any, mass: Any, exits: Any, ending: Any, keeping: Any, work: Any, weight: Any,
) -> None:  # fmt: skip
    """`mass` (n, rerolls + 1, n_rolls) and `exits` (n, n_outcomes); each lane is another state.

    `ending` (n_outcomes, lanes) and `keeping` (rerolls, n_keeps, lanes) are scratch for what actions are worth;
    `work` and `weight` have a row for each keep and for each outcome.
    """
    width = n_lanes(work)
    n_rolls = len(turn.prob_roll)
    here = np.zeros((n_rolls, width))
    for start in range(0, len(filled), width):
        n = min(width, len(filled) - start)
        _worths(start, n, filled, upper, game, turn, category, points, lift, values, ending, keeping, work)
        for roll in range(n_rolls):
            here[roll, :] = turn.prob_roll[roll]
        for left in range(turn.n_rerolls, 0, -1):
            for lane in range(n):
                mass[start + lane, left] = here[:, lane]
            _choose(game.keeps_in_roll, keeping[left - 1], here, temperature, work, weight)
            fold(work, turn.spread)
            here[:] = work[:n_rolls]
        for lane in range(n):
            mass[start + lane, 0] = here[:, lane]
        _choose(turn.outcome_of_roll, ending, here, temperature, work, weight)
        for lane in range(n):
            exits[start + lane] = work[: len(category), lane]


@jit
def _worths(
    start: Any, n: Any, filled: Any, upper: Any, game: Game, turn: Turn, category: Any, points: Any, lift: Any,
    values: Any, ending: Any, keeping: Any, work: Any,
) -> None:  # fmt: skip
    """`ending` (n_outcomes, lanes): value of scoring, -inf if filled; `keeping` (rerolls, n_keeps, lanes)."""
    width = n_lanes(work)
    for lane in range(n):
        i = start + lane
        for outcome in range(len(category)):
            ending[outcome, lane] = -math.inf
            if not filled[i] >> category[outcome] & 1:
                after = min(upper[i] + lift[outcome], values.shape[1] - 1)
                ending[outcome, lane] = values[filled[i] | 1 << category[outcome], after] + points[outcome]
    for roll in range(len(turn.prob_roll)):
        best = load(ending, turn.outcome_of_roll[roll, 0] * width)
        for c in range(1, turn.outcome_of_roll.shape[1]):
            best = larger_of(best, load(ending, turn.outcome_of_roll[roll, c] * width))
        store(work, roll * width, best)
    for left in range(turn.n_rerolls):
        fold(work, game.mean)
        keeping[left] = work[: turn.n_keeps]
        if left + 1 < turn.n_rerolls:
            fold(work, game.best)


@jit
def _choose(actions: Any, worth: Any, mass: Any, temperature: Any, chosen: Any, weight: Any) -> None:
    """`chosen` (rows, lanes): probability of each action if `mass` (n_rolls, lanes) lies on the rolls.

    `actions` (n_rolls, slots) are those of a roll, as rows of `worth`, -1 past the end.
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


@jit
def _weigh(worth: Any, temperature: Any, weight: Any) -> Any:
    """Set `weight` (rows, lanes) from `worth`; are all of them, and their sums in any roll, well above 0?"""
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


@jit
def _choose_by_roll(lane: Any, actions: Any, worth: Any, mass: Any, temperature: Any, chosen: Any) -> None:
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
