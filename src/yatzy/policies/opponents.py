"""Opponents of any strength: they stray from the best as people do, and never far.

With Q(a) the value of action a under optimal play and best the largest of them, an opponent with a *limit* (in
points) plays

    P(a) = exp(-SHARPNESS * (best - Q(a)) / limit) / sum over such actions    if best - Q(a) <= limit,    else 0

over everything a person may do: the open boxes and, while rerolls are left, the keeps of fewer than all dice
(`solver.advise`). So no move loses more than the limit, and the most that is lost is the rarest. It is Boltzmann
play (`policies.boltzmann`) at temperature limit / SHARPNESS, cut off; scoring early is an action of its own there,
and ends the turn. As the limit goes to 0, play becomes perfect.

Probabilities in a turn are exact:

    kept(K, left)  = sum over rolls r around K of mass(r, left) * P(K | r, left)      on to mass(., left - 1)
    ended(outcome) = sum over left and r of mass(r, left) * P(outcome | r, left)

Rolls share their actions: with weight(a) = exp(SHARPNESS * (Q(a) - top) / limit), top the best of a state, each
roll sums the weights of its actions within the limit.
"""

import hashlib
import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

import numpy as np

from yatzy.arrays import FloatArray, Floats2, Floats3, IntArray, Ints1, Ints2, aligned, lanes_of, read_only
from yatzy.errors import YatzyError
from yatzy.game.action import Action
from yatzy.game.dice import SeededDice
from yatzy.game.game import Game
from yatzy.rules import Ruleset
from yatzy.solver.advise import Advice
from yatzy.solver.table import ValueTable
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import larger_of, load, multiply_add, n_lanes, store, where_equal
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes
from yatzy.turn.probability import begin_turns, copy_masses, fill_up
from yatzy.turn.tables import Continuation, Scratch, Turn, continuation_of, turn_scratch, turn_tables
from yatzy.turn.values import copy_rows, reading_of, walk_back

# A move that loses all of the limit is exp(-SHARPNESS) as likely as the best.
SHARPNESS = 3.0
# By level, the most that a move may lose, in points.
LEVELS = {"level-1": 10.0, "level-2": 7.0, "level-3": 4.0, "level-4": 2.5, "level-5": 1.5}
# Others are named by their limit.
BY_LIMIT = "limit-"
LEAST, MOST = 0.05, 50.0
# A loss of just the limit is within it, whatever its rounding.
ROUNDING = 1e-9
LANES = lanes_of(np.float64)
# Weights and their sums in any roll stay within float64 if no action is further behind the top, in exponents.
LARGEST_SPREAD = 500.0


def limit_of(name: str) -> float | None:
    """The limit of `level-1` to `level-5`, or of `limit-2.5`; None for any other name."""
    if name in LEVELS:
        return LEVELS[name]
    given = re.fullmatch(rf"{BY_LIMIT}(\d+(\.\d+)?)", name)
    return check_limit(float(given[1])) if given else None


def name_of(limit: float) -> str:
    """That of its level, or of its limit."""
    return next((name for name, one in LEVELS.items() if one == limit), f"{BY_LIMIT}{limit:g}")


def check_limit(limit: float) -> float:
    if not LEAST <= limit <= MOST:
        raise YatzyError("limit", limit, f"{LEAST:g}..{MOST:g} points")
    return limit


def action_chances(behind: FloatArray, limit: float) -> FloatArray:
    """The chance of each action, by the points that it is behind the best."""
    weights = np.where(behind <= limit + ROUNDING, np.exp(-SHARPNESS * behind / limit), 0.0)
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True)
class Opponent:
    """Plays each action with its probability, and none that loses more than `limit` points.

    >>> import yatzy
    >>> opponent = Opponent(yatzy.solve("yacht"), 2.0)
    >>> opponent
    <Opponent limit-2, yacht: no move loses more than 2 points>
    >>> yatzy.play_on(yatzy.Game("yacht", seed=7), opponent).is_finished
    True
    """

    table: ValueTable
    limit: float

    def __post_init__(self) -> None:
        if self.rules.saves_throws:
            raise YatzyError("rules", why=f"levels are for games without saved throws, not for {self.rules.name}")
        if self.table.precision != "float64" or self.table.theta:
            raise YatzyError("table", why="is not for the mean in float64")
        check_limit(self.limit)

    @property
    def name(self) -> str:
        return name_of(self.limit)

    @property
    def rules(self) -> Ruleset:
        return self.table.rules

    @property
    def content(self) -> bytes:
        """See `HasContent`."""
        return repr(self.limit).encode() + self.table.stored.tobytes()

    def __repr__(self) -> str:
        return f"<Opponent {self.name}, {self.rules.name}: no move loses more than {self.limit:g} points>"

    def chances(self, advice: Advice) -> FloatArray:
        """The chance of each action of the advice."""
        return action_chances(np.array([one.regret for one in advice]), self.limit)

    def draw(self, game: Game) -> Action:
        """An action with the dice on the table: the same whenever a seeded game comes there."""
        advice = self.table.advise(game.situation)
        ends = np.cumsum(self.chances(advice))
        return advice[int(np.searchsorted(ends, chance_of(game) * ends[-1], side="right"))].action

    def decide(self, filled: IntArray, upper: IntArray) -> NoReturn:
        """What is drawn at random is not a decision of a state."""
        why = f"{self.name} draws its moves: yatzy evaluate has its exact mean, yatzy play plays against it"
        raise YatzyError("policy", why=why)

    def situation_masses(self, filled: IntArray, upper: IntArray) -> FloatArray:
        """(n, rerolls + 1, n_rolls): the chance to be there with each roll, by rerolls left, in one turn."""
        return self._turns(filled, upper)[0]

    def add_exits(self, filled: IntArray, upper: IntArray, exits: FloatArray) -> None:
        """How the turns of these states end: see `HasTurnOutcomes`."""
        exits += self._turns(filled, upper)[1]

    def _turns(self, filled: IntArray, upper: IntArray) -> tuple[FloatArray, FloatArray]:
        rules = self.rules
        turn, n_ends = turn_tables(rules), outcomes(rules).n
        mass = np.zeros((len(filled), turn.n_rerolls + 1, len(turn.prob_roll)))
        exits = np.zeros((len(filled), n_ends))
        rows = _Rows(*(aligned((turn.n_keeps + n_ends, LANES)) for _ in _Rows._fields))
        _play_turns(
            np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64), self.limit,
            _actions(rules), turn, continuation_of(rules, self.table.stored), mass, exits, rows,
            turn_scratch(rules),
        )  # fmt: skip
        return mass, exits


def chance_of(game: Game) -> float:
    """A number in [0, 1) for this decision: by the seed and its place, or by the dice of the game so far."""
    source = game.source
    seeded = (source.seed, source.game) if isinstance(source, SeededDice) else [t.rolls for t in game.so_far.turns]
    place = repr((seeded, game.turn, len(game.rolls), () if isinstance(source, SeededDice) else game.rolls))
    return int.from_bytes(hashlib.sha256(place.encode()).digest()[:6], "big") / 2**48


class _Rows(NamedTuple):
    """Lane vectors by action, keeps and then outcomes: values, weights, and the probability of each."""

    worth: FloatArray
    weight: FloatArray
    chosen: FloatArray


@lru_cache(maxsize=4)
def _actions(rules: Ruleset) -> IntArray:
    """(n_readings, slots): the actions of each reading of a roll as rows, -1 past the end."""
    dice, ends = lattice(rules.dice, rules.faces), outcomes(rules)
    roll_of = dict(enumerate(range(dice.n_rolls)))
    for roll, readings in zip(ends.special_rolls, ends.readings, strict=True):
        roll_of |= dict.fromkeys(np.unique(readings).tolist(), roll)
    rows = [
        [
            *(k for k in dice.keeps_in_roll[roll_of[reading]][1:] if k >= 0),
            *(dice.n_keeps + o for o in row if o >= 0),
        ]
        for reading, row in enumerate(ends.of_reading)
    ]
    found = np.full((len(rows), max(map(len, rows))), -1, np.int64)
    for row, actions in zip(found, rows, strict=True):
        row[: len(actions)] = actions
    return read_only(found)


@jit
def _play_turns(
    filled: Ints1, upper: Ints1, limit: float, actions: Ints2, turn: Turn, continuation: Continuation,
    mass: Floats3, exits: Floats2, rows: _Rows, scratch: Scratch,
) -> None:  # fmt: skip
    """`mass` (n, rerolls + 1, n_rolls) and `exits` (n, n_outcomes), zeros before; each lane is another state."""
    width, n_keeps, n_ends = n_lanes(scratch.work), turn.n_keeps, len(turn.points)
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back(first, n, filled, upper, turn.n_rerolls, False, turn, continuation, scratch)
        copy_rows(scratch.work[n_keeps + 1 :], rows.worth[n_keeps:])
        begin_turns(turn.prob_roll, scratch.mass[turn.n_rerolls])
        for left in range(turn.n_rerolls, -1, -1):
            if left > 0:
                copy_rows(scratch.levels[left], rows.worth[:n_keeps])
            else:
                rows.worth[:n_keeps] = -math.inf
            _choose(first, n, filled, scratch.mass[left], limit, actions, turn, rows)
            for outcome in range(n_ends):
                for lane in range(n):
                    exits[first + lane, outcome] += rows.chosen[n_keeps + outcome, lane]
            if left > 0:
                copy_rows(rows.chosen, scratch.work[:n_keeps])
                fill_up(scratch.mass[left - 1], turn.spread, scratch.work)
        copy_masses(first, n, mass, scratch)


@jittable
def _choose(
    first: int, n: int, filled: Ints1, mass: Floats2, limit: float, actions: Ints2, turn: Turn, rows: _Rows
) -> None:
    """`rows.chosen`: the probability of each action if `mass` (n_rolls, lanes) lies on the rolls."""
    worth, weight, chosen = rows.worth, rows.weight, rows.chosen
    width, special_of_roll, readings = n_lanes(worth), turn.special.of_roll, turn.special.readings
    chosen[:] = 0.0
    together = _weigh(n, limit, worth, weight)
    nothing, share, lowest = np.zeros(width), np.zeros(width), np.full(width, -math.inf)
    for roll in range(len(mass)):
        if not together or (len(turn.special.rolls) > 0 and special_of_roll[roll] >= 0):
            for lane in range(n):
                reading = roll
                if len(turn.special.rolls) > 0:
                    reading = reading_of(filled[first + lane], roll, special_of_roll, readings)
                _choose_alone(lane, mass[roll, lane], limit, actions[reading], together, rows)
            continue
        best, slots = load(lowest, 0), 0
        while slots < actions.shape[1] and actions[roll, slots] >= 0:
            best = larger_of(best, load(worth, actions[roll, slots] * width))
            slots += 1
        least = multiply_add(best, 1.0, -(limit + ROUNDING))
        total = load(nothing, 0)
        for slot in range(slots):
            row = actions[roll, slot] * width
            value = load(worth, row)
            within = where_equal(larger_of(value, least), value, load(weight, row), load(nothing, 0))
            total = multiply_add(within, 1.0, total)
        store(share, 0, total)
        for lane in range(width):
            share[lane] = mass[roll, lane] / share[lane] if lane < n else 0.0
        for slot in range(slots):
            row = actions[roll, slot] * width
            value = load(worth, row)
            within = where_equal(larger_of(value, least), value, load(share, 0), load(nothing, 0))
            store(chosen, row, multiply_add(within, 1.0, load(chosen, row)))
    if together:
        for row in range(len(chosen)):
            for lane in range(n):
                chosen[row, lane] *= weight[row, lane]


@jittable
def _weigh(n: int, limit: float, worth: Floats2, weight: Floats2) -> Any:
    """Set `weight` from `worth`; return whether all are far above 0."""
    weight[:] = 0.0
    for lane in range(n):
        top, bottom = -math.inf, math.inf
        for row in range(len(worth)):
            if worth[row, lane] > -math.inf:
                top, bottom = max(top, worth[row, lane]), min(bottom, worth[row, lane])
        if SHARPNESS * (top - bottom) > LARGEST_SPREAD * limit:
            return False
        for row in range(len(worth)):
            if worth[row, lane] > -math.inf:
                weight[row, lane] = math.exp(SHARPNESS * (worth[row, lane] - top) / limit)
    return True


@jittable
def _choose_alone(lane: int, mass: float, limit: float, actions: Ints1, together: bool, rows: _Rows) -> None:
    """The same for one lane and roll; where weights could vanish, they are taken against the best of the roll."""
    worth, weight, chosen = rows.worth, rows.weight, rows.chosen
    best, total = -math.inf, 0.0
    for row in actions:
        if row >= 0:
            best = max(best, worth[row, lane])
    for again in range(2):
        for row in actions:
            if row < 0 or worth[row, lane] == -math.inf or worth[row, lane] < best - (limit + ROUNDING):
                continue
            likely = weight[row, lane] if together else math.exp(SHARPNESS * (worth[row, lane] - best) / limit)
            if again == 0:
                total += likely
            else:
                chosen[row, lane] += mass / total if together else mass * likely / total
