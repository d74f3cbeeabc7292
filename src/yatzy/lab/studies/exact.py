"""The number itself: the values of games as fractions, and what float64 makes of them.

For each game of five dice the value of the start, N / 6^(15 k). For the first game also, from the exact numbers of
every reachable state:

    error      value in float64 - exact value
    ties       decisions in which two actions are exactly equal
    wrong      decisions in which play by the float64 table takes an action that is worse, by however little
    other      decisions in which it takes one that is as good, but not the first

and the probability of the bonus and of a Yatzy under optimal play, ties to the lowest id, as fractions too. These
follow the turn of `solver.exact` once more: with P' the probabilities of the states after it,

    P(roll, 0) = P'(state after the best box),    P(K) = sum over faces of P(K + f),    P(roll, t) = P(best keep)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from yatzy.arrays import FloatArray, IntArray, Ints1, Lanes2, aligned, lanes_of
from yatzy.context import DEFAULT_CONTEXT, Context, map_in_threads
from yatzy.game.json import Count
from yatzy.lab.studies.results import kept_part, part_file
from yatzy.measure.exact import tracked_category
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Decisions
from yatzy.rules import Ruleset, ruleset, stored_name
from yatzy.solver.exact import (
    SETS_PER_CHUNK,
    ExactTable,
    ExactTurn,
    ExactValue,
    Layer,
    add_up,
    denominator,
    empty_layer,
    exact_turn,
    exact_value,
    limbs_of,
    number_of,
    points_of,
    scale_row,
    score_rolls,
    solve_exactly,
    take_larger,
)
from yatzy.solver.states import state_space
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.source_digest import source_digest
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes
from yatzy.turn.values import after as state_after

GAMES = (
    "scandinavian", "scandinavian+five-as-full-house", "scandinavian+four-as-two-pairs",
    "scandinavian+five-as-full-house+four-as-two-pairs", "scandinavian+forced-order", "yahtzee",
    "yahtzee+free-joker", "yahtzee+no-joker", "yahtzee+no-joker+no-extra-bonus", "kniffel", "yacht",
)  # fmt: skip


@dataclass(frozen=True)
class PublishedValue:
    """The numerator and denominator that somebody else published, by their digits, and how long it took."""

    source: str
    numerator_digits: Count
    denominator_digits: Count
    computing: str


# The fraction that Liese and Kelly found for Yahtzee: that of the free joker, by its digits.
PUBLISHED = PublishedValue("Liese and Kelly, 2017", 139, 137, "about five days")


@dataclass(frozen=True)
class FloatError:
    """How far float64 values are from the exact ones, over all reachable states."""

    states: Count
    largest: float
    mean: float
    start: float


@dataclass(frozen=True)
class ExactDecisions:
    """Decisions of all reachable states, by rerolls left from none: how many, and how many are exactly equal."""

    decisions: tuple[int, ...]
    ties: tuple[int, ...]
    wrong: tuple[int, ...]
    other: tuple[int, ...]


@dataclass(frozen=True)
class ExactStudy:
    """The fractions of all games, and what is known of the first game beside them."""

    values: tuple[ExactValue, ...]
    published: PublishedValue
    error: FloatError
    choices: ExactDecisions
    bonus: ExactValue
    yatzy: ExactValue

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            **{one.rules: one.value for one in self.values},
            "largest error of a float64 value": self.error.largest,
            "decisions that are exactly equal": float(sum(self.choices.ties)),
            "decisions that float64 gets wrong": float(sum(self.choices.wrong)),
            "bonus": self.bonus.value,
            "yatzy": self.yatzy.value,
        }


def measure_exact(
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
    games: Sequence[str | Ruleset] = GAMES,
) -> ExactStudy:
    """Every fraction; the first game is looked at more closely. Games are kept one by one."""
    first, code, found = ruleset(rules), source_digest(__name__), []
    names = list(dict.fromkeys([first, *map(ruleset, games)]))
    for i, game in enumerate(names):
        kept = part_file(context.home, "exact", stored_name(game), code, game.fingerprint)
        solve = partial(_value_of, game, context.part(i, len(names) + 2))
        found.append(kept_part(kept, ExactValue, solve))
    last = context.part(len(names), len(names) + 2)
    exact = solve_exactly(first, context=last)
    table = stored_table(first, context=context.quiet())
    choices, bonus, yatzy = follow(exact, table, context.part(len(names) + 1, len(names) + 2))
    return ExactStudy(
        values=tuple(found),
        published=PUBLISHED,
        error=float_error(exact, table),
        choices=choices,
        bonus=exact_value(first, bonus),
        yatzy=exact_value(first, yatzy),
    )


def _value_of(rules: Ruleset, context: Context) -> ExactValue:
    return exact_value(rules, solve_exactly(rules, context=context).value())


def float_error(exact: ExactTable, table: ValueTable) -> FloatError:
    """Every reachable state's float64 value beside the exact one."""
    rules, space = exact.rules, state_space(exact.rules)
    errors = []
    for n_open, layer in enumerate(exact.layers):
        scale = denominator(rules, n_open)
        place, upper = np.nonzero(space.reachable[layer.sets])
        filled = layer.sets[place]
        rows, which = np.unique(
            layer.start[filled] + np.maximum(upper - layer.low[filled], 0), return_inverse=True
        )
        numbers = [number_of(limbs) for limbs in layer.numbers[rows]]
        for row, value in zip(which.tolist(), table.values[filled, upper].tolist(), strict=True):
            top, bottom = value.as_integer_ratio()
            errors.append(abs(top * scale - numbers[row] * bottom) / (bottom * scale))
    start = float(Fraction(table.value()) - exact.value())
    return FloatError(len(errors), max(errors), float(np.mean(errors)), start)


class FollowedLayer(NamedTuple):
    """A layer under the best decisions: the probabilities of the bonus and of a Yatzy, and counts of decisions.

    `ties`, `wrong` and `other` are (states, levels), by rerolls left.
    """

    bonus: Layer
    yatzy: Layer
    ties: IntArray
    wrong: IntArray
    other: IntArray


def follow(
    exact: ExactTable, table: ValueTable, context: Context = DEFAULT_CONTEXT
) -> tuple[ExactDecisions, Fraction, Fraction]:
    """Decisions that are equal or that float64 gets wrong; the probabilities of the bonus and of a Yatzy."""
    rules, space, turn = exact.rules, state_space(exact.rules), exact_turn(exact.rules)
    player, levels = Optimal(table), rules.rerolls + 1
    finished = exact.layers[0]
    before = _empty(exact, 0, levels)
    before.bonus.numbers[:, 0] = finished.numbers[:, 0] > 0
    counts = np.zeros((3, levels), np.int64)
    n_states = 0
    total, done = sum(len(layer.sets) for layer in exact.layers), len(finished.sets)
    for n_open, layer in enumerate(exact.layers[1:], 1):
        found = _empty(exact, n_open, levels)
        part = partial(_follow_part, player, turn, exact.layers[n_open - 1], layer, before, found)
        for n in map_in_threads(
            part, np.array_split(layer.sets, -(-len(layer.sets) // SETS_PER_CHUNK)), context.threads
        ):
            done += n
            context.step(done, total)
        place, upper = np.nonzero(space.reachable[layer.sets])
        filled = layer.sets[place]
        rows = layer.start[filled] + np.maximum(upper - layer.low[filled], 0)
        n_states += len(rows)
        counts += [one[rows].sum(axis=0) for one in (found.ties, found.wrong, found.other)]
        before = found
    scale = denominator(rules, rules.n_categories)
    bonus, yatzy = (Fraction(number_of(one.numbers[0]), scale) for one in (before.bonus, before.yatzy))
    ties, wrong, other = (tuple(row) for row in counts.tolist())
    return ExactDecisions((n_states * turn.n_rolls,) * levels, ties, wrong, other), bonus, yatzy


def _empty(exact: ExactTable, n_open: int, levels: int) -> FollowedLayer:
    space, sets = state_space(exact.rules), exact.layers[n_open].sets
    bonus, yatzy = empty_layer(space, sets), empty_layer(space, sets)
    return FollowedLayer(bonus, yatzy, *(np.zeros((len(bonus.numbers), levels), np.int64) for _ in range(3)))


def _follow_part(
    player: Optimal,
    turn: ExactTurn,
    after: Layer,
    layer: Layer,
    before: FollowedLayer,
    found: FollowedLayer,
    sets: IntArray,
) -> int:
    """Follow the turns of some sets; how many."""
    rules, limbs = player.rules, layer.numbers.shape[1]
    rows = len(turn.added) + len(turn.bits)
    works = Works(*(aligned((rows * limbs, lanes_of(np.float64))) for _ in Works._fields))
    n_open = rules.n_categories - int(state_space(rules).n_filled[sets[0]])
    one = np.array(limbs_of(denominator(rules, n_open - 1), limbs))
    keeps_in_roll = lattice(rules.dice, rules.faces).keeps_in_roll
    task = FollowTask(
        points_of(rules, layer), is_yatzy(rules), one, keeps_in_roll, turn, after, layer, before, found,
        _decisions(player, layer, sets), int(layer.start[sets[0]]),
    )  # fmt: skip
    _follow_sets(sets, np.asarray(rules.closed(sets)), task, works)
    return len(sets)


def _decisions(player: Optimal, layer: Layer, sets: IntArray) -> Decisions:
    """What float64 decides in the states of consecutive sets; 0 where a state cannot be reached."""
    space = state_space(player.rules)
    first, last = int(layer.start[sets[0]]), sets[-1]
    n = int(layer.start[last] + layer.high[last] - layer.low[last] + 1) - first
    place, upper = np.nonzero(space.reachable[sets])
    filled = sets[place]
    rows = layer.start[filled] + np.maximum(upper - layer.low[filled], 0) - first
    decided = player.decide(filled, upper.astype(np.int64))
    category = np.zeros((n, *decided.category.shape[1:]), np.int64)
    keep = np.zeros((n, *decided.keep.shape[1:]), np.int64)
    category[rows], keep[rows] = decided.category, decided.keep
    return Decisions(category, keep)


def is_yatzy(rules: Ruleset) -> IntArray:
    """(n_outcomes,): 1 for points in the box for dice all alike."""
    ends = outcomes(rules)
    return np.asarray((ends.category == tracked_category(rules)) & (ends.points - ends.extra > 0), np.int64)


class FollowTask(NamedTuple):
    """What is followed: points and Yatzy by outcome, the limbs of 1 over the denominator after a turn, the layers,
    and what float64 decides in their states from row `origin` on.
    """

    points: FloatArray
    yatzy: IntArray
    one: FloatArray
    keeps_in_roll: IntArray
    turn: ExactTurn
    after: Layer
    layer: Layer
    before: FollowedLayer
    found: FollowedLayer
    decided: Decisions
    origin: int


class Works(NamedTuple):
    """Rows of limbs: the values of keeps and outcomes, the best inside each keep, and two probabilities."""

    values: FloatArray
    best: FloatArray
    bonus: FloatArray
    yatzy: FloatArray


@jit
def _follow_sets(sets: Ints1, closed: Ints1, task: FollowTask, works: Works) -> None:
    """Follow the turns of all upper totals of these sets, one to a lane."""
    turn, layer, found = task.turn, task.layer, task.found
    limbs, width, nothing = layer.numbers.shape[1], works.values.shape[1], len(turn.added) - 1
    for i in range(len(sets)):
        low, high = layer.low[sets[i]], layer.high[sets[i]]
        for first in range(low, high + 1, width):
            row = layer.start[sets[i]] + first - low
            lanes = min(width, high + 1 - first)
            score_rolls(sets[i], closed[i], first, high, task.points, turn, task.after, works.values, limbs)
            _follow_boxes(sets[i], closed[i], first, lanes, row, task, works, limbs)
            for left in range(1, turn.rerolls + 1):
                for work in (works.values, works.bonus, works.yatzy):
                    add_up(turn, work, limbs)
                    for keep in range(len(turn.added)):
                        scale_row(keep, turn.scale[keep], work, limbs)
                works.best[: len(turn.added) * limbs] = works.values[: len(turn.added) * limbs]
                for keep in range(nothing - 1, -1, -1):
                    for face in range(turn.removed.shape[1]):
                        if turn.removed[keep, face] >= 0:
                            take_larger(turn.removed[keep, face], keep, works.best, limbs)
                _follow_keeps(left, lanes, row, task, works, limbs)
            add_up(turn, works.bonus, limbs)
            add_up(turn, works.yatzy, limbs)
            for lane in range(lanes):
                for limb in range(limbs):
                    found.bonus.numbers[row + lane, limb] = works.bonus[nothing * limbs + limb, lane]
                    found.yatzy.numbers[row + lane, limb] = works.yatzy[nothing * limbs + limb, lane]


@jittable
def _are_equal(one: int, other: int, lane: int, work: Lanes2, best: Lanes2, limbs: int) -> Any:
    """Whether a row of `work` equals a row of `best` in a lane."""
    for limb in range(limbs - 1, -1, -1):
        if work[one * limbs + limb, lane] != best[other * limbs + limb, lane]:
            return False
    return True


@jittable
def _count(
    n_equal: int, first: int, chosen: int, is_right: bool, row: int, left: int, found: FollowedLayer
) -> None:
    """Count one decision: `chosen` by float64, `first` the lowest of the best."""
    found.ties[row, left] += n_equal > 1
    found.wrong[row, left] += not is_right
    found.other[row, left] += is_right and chosen != first


@jittable
def _follow_boxes(
    filled: int, closed: int, first: int, lanes: int, row: int, task: FollowTask, works: Works, limbs: int
) -> None:
    """With no reroll left: the first of the best boxes, and the probabilities after it."""
    turn, before, found, decided = task.turn, task.before, task.found, task.decided.category
    top, known = len(turn.added), before.bonus.numbers.shape[1]
    for roll in range(turn.n_rolls):
        special = turn.special_of_roll[roll]
        reading = roll if special < 0 else turn.readings[special, filled]
        for lane in range(lanes):
            n_equal, box, best, is_right = 0, -1, -1, False
            chosen = decided[row + lane - task.origin, roll]
            for category in range(turn.of_reading.shape[1]):
                outcome = turn.of_reading[reading, category]
                if outcome < 0 or closed & turn.bits[outcome]:
                    continue
                if _are_equal(top + outcome, roll, lane, works.values, works.values, limbs):
                    n_equal += 1
                    is_right = is_right or category == chosen
                    if box < 0:
                        box, best = category, outcome
            _count(n_equal, box, chosen, is_right, row + lane, 0, found)
            later, total = state_after(filled, first + lane, turn.bits[best], turn.lift[best], turn.cap)
            state = before.bonus.start[later] + max(total - before.bonus.low[later], 0)
            for limb in range(limbs):
                at = roll * limbs + limb
                works.bonus[at, lane] = before.bonus.numbers[state, limb] if limb < known else 0.0
                works.yatzy[at, lane] = before.yatzy.numbers[state, limb] if limb < known else 0.0
                works.yatzy[at, lane] += task.yatzy[best] * task.one[limb]


@jittable
def _follow_keeps(left: int, lanes: int, row: int, task: FollowTask, works: Works, limbs: int) -> None:
    """With rerolls left: the first of the best keeps of each roll."""
    turn, found, keeps_in_roll = task.turn, task.found, task.keeps_in_roll
    for roll in range(turn.n_rolls):
        for lane in range(lanes):
            n_equal, first, is_right = 0, -1, False
            chosen = task.decided.keep[row + lane - task.origin, left - 1, roll]
            for slot in range(keeps_in_roll.shape[1]):
                keep = keeps_in_roll[roll, slot]
                if keep >= 0 and _are_equal(keep, roll, lane, works.values, works.best, limbs):
                    n_equal += 1
                    is_right = is_right or keep == chosen
                    if first < 0:
                        first = keep
            _count(n_equal, first, chosen, is_right, row + lane, left, found)
            for limb in range(limbs):
                works.values[roll * limbs + limb, lane] = works.best[roll * limbs + limb, lane]
                works.bonus[roll * limbs + limb, lane] = works.bonus[first * limbs + limb, lane]
                works.yatzy[roll * limbs + limb, lane] = works.yatzy[first * limbs + limb, lane]
