"""What a chart is worth and how much of it is read: exactly, in a fraction of a second.

A chart looks at the boxes, the dice, and one bit of the upper total: is the bonus settled? So a turn ends alike at
all upper totals on one side of that bit. With q(outcome | filled, side) computed once for each of them,

    V(filled, upper) = sum over outcomes of q(outcome | filled, side) * (points + V(filled + c, upper + lift))

from the last layer to the first, and the probability d(filled, upper) of passing through a state the other way.
Lines read per decision are, with r(roll, n | filled, side) the number of the line that decides,

    sum over filled, side, n rerolls left, rolls of  d(filled, side) * mass(roll, n) * r(roll, n) / decisions.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, read_only
from yatzy.datasets.situations import situation_masses
from yatzy.evaluate.exact import turn_exits
from yatzy.rulelists.charts.lines import NO_DICE, Chart
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rulelists.search.measuring import oracle_masses
from yatzy.rules import Ruleset
from yatzy.running import check_threads, chunks, in_threads, one_blas_thread
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.turn.bonus import settled
from yatzy.turn.given import move_on, value_scored, visit_scored
from yatzy.turn.jit import jit
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import Turn, turn_tables
from yatzy.turn.values import after

STATES_PER_CHUNK = 1024


@dataclass(frozen=True)
class Played:
    """A chart that is played through: `exits` (n_masks, 2, ends) is how turns end on either side of the bonus."""

    player: ChartPlayer
    exits: FloatArray
    points: FloatArray  # (n_masks, 2): expected points of the turn
    threads: int | None = None

    @cached_property
    def values(self) -> FloatArray:
        """(n_masks, n_uppers): expected remaining points of every state."""
        game = self.player.rules
        space = state_space(game)
        values = np.zeros((space.n_masks, space.n_uppers))
        values[game.is_finished(space.masks), game.bonus_threshold] = game.bonus
        bits, lift, _ = ends_of(game)
        for layer in space.layers[-2::-1]:
            _value(layer, self.exits, self.points, bits, lift, _sides(game), game.bonus_threshold, values)
        return values

    @cached_property
    def visits(self) -> FloatArray:
        """(n_masks, n_uppers): probability of passing through every state."""
        game = self.player.rules
        space = state_space(game)
        visits = np.zeros((space.n_masks, space.n_uppers))
        visits[0, 0] = 1.0
        bits, lift, _ = ends_of(game)
        for layer in space.layers[:-1]:
            _visit(layer, self.exits, bits, lift, _sides(game), game.bonus_threshold, visits)
        return visits

    @property
    def mean(self) -> float:
        return float(self.values[0, 0])

    @cached_property
    def reads(self) -> FloatArray:
        """(rerolls + 1,): lines read until one fits, per decision, by rerolls left (0: where to score)."""
        game = self.player.rules
        side = _sides(game)
        weight = np.stack([np.where(side, 0, self.visits).sum(axis=1), np.where(side, self.visits, 0).sum(axis=1)])
        filled, upper, asked = _one_of_each(game)
        found = np.zeros(game.rerolls + 1)
        for part in chunks(len(filled), STATES_PER_CHUNK):
            share = weight[asked[part], filled[part]]
            mass = situation_masses(self.player, filled[part], upper[part])
            found += np.einsum("s,slr,slr->l", share, mass, 1.0 + self.player.lines(filled[part], upper[part]))
        return np.asarray(found / game.n_categories)

    @property
    def reads_per_decision(self) -> float:
        return float(self.reads.mean())


@dataclass(frozen=True)
class PlayedWithOracle:
    """A chart that only scores: dice are kept as in optimal play, which depends on the whole upper total.

    The rolls that get scored are then the same for all charts. Their probabilities, a row of `mass` for every
    state by `row_of`, are in float32: enough for searching. Published means come from the keeps themselves.
    """

    player: ChartPlayer
    row_of: NDArray[np.int32]
    mass: NDArray[np.float32]

    @cached_property
    def _scorer(self) -> ChartPlayer:
        return ChartPlayer(replace(self.player.chart, oracle_keeps=False, keeps=(NO_DICE,)))

    @cached_property
    def _decided(self) -> IntArray:
        """(n_masks, 2, n_rolls): the outcome on either side of the bonus."""
        rolls, ends = np.arange(self.mass.shape[1]), outcomes(self.player.rules)
        return self._on_each_side(
            lambda filled, upper: ends.of_reading[rolls, self._scorer.decide(filled, upper).category]
        )

    def _on_each_side(self, answer: Callable[[IntArray, IntArray], NDArray[Any]]) -> IntArray:
        """(n_masks, 2, n_rolls): an answer for every roll, mask and side of the bonus."""
        game = self.player.rules
        filled, upper, side = _one_of_each(game)
        found = np.zeros((state_space(game).n_masks, 2, self.mass.shape[1]), np.int64)
        for part in chunks(len(filled), STATES_PER_CHUNK):
            found[filled[part], side[part]] = answer(filled[part], upper[part])
        return found

    @cached_property
    def values(self) -> FloatArray:
        """(n_masks, n_uppers): 0 where a state cannot occur."""
        game = self.player.rules
        space = state_space(game)
        values = np.zeros((space.n_masks, space.n_uppers))
        values[game.is_finished(space.masks), game.bonus_threshold] = game.bonus
        for layer in space.layers[-2::-1]:
            _value_scores(layer, self._decided, _sides(game), self.row_of, self.mass, turn_tables(game), values)
        return values

    @cached_property
    def visits(self) -> FloatArray:
        """(n_masks, n_uppers): probability of passing through every state."""
        game = self.player.rules
        space = state_space(game)
        visits = np.zeros((space.n_masks, space.n_uppers))
        visits[0, 0] = 1.0
        for layer in space.layers[:-1]:
            _visit_scores(layer, self._decided, _sides(game), self.row_of, self.mass, turn_tables(game), visits)
        return visits

    @property
    def mean(self) -> float:
        return float(self.values[0, 0])

    @cached_property
    def reads(self) -> FloatArray:
        """(1,): lines read until one fits, per decision on where to score."""
        game = self.player.rules
        read = 1 + self._on_each_side(lambda filled, upper: self._scorer.lines(filled, upper)[:, 0])
        filled, upper = np.nonzero(np.where(game.is_finished(state_space(game).masks)[:, None], 0, self.visits))
        side, total = _sides(game)[filled, upper], 0.0
        for part in chunks(len(filled), STATES_PER_CHUNK):
            mass = self.mass[self.row_of[filled[part], upper[part]]]
            share = self.visits[filled[part], upper[part]]
            total += float(np.einsum("s,sr,sr->", share, mass, read[filled[part], side[part]]))
        return np.array([total / game.n_categories])

    @property
    def reads_per_decision(self) -> float:
        return float(self.reads[0])


def play_chart(player: ChartPlayer, threads: int | None = None) -> Played | PlayedWithOracle:
    """A chart played through, whoever keeps the dice."""
    if not player.chart.oracle_keeps:
        return play(player, threads)
    player.rules.check_plain("charts that only score are")
    return PlayedWithOracle(player, *_masses(player.oracle.table, threads))


@lru_cache(maxsize=1)
def _masses(table: ValueTable, threads: int | None) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    return oracle_masses(table, check_threads(threads))


def play(player: ChartPlayer, threads: int | None = None) -> Played:
    """Play every turn once on either side of the bonus."""
    game = player.rules
    space = state_space(game)
    filled, upper, side = _one_of_each(game)
    bits, _, group = ends_of(game)
    exits = np.zeros((space.n_masks, 2, len(bits)))
    points = np.zeros((space.n_masks, 2))
    of_outcome = outcomes(game).points.astype(np.float64)
    merge = np.zeros((len(group), len(bits)))
    merge[np.arange(len(group)), group] = 1.0

    def run(part: slice) -> None:
        found = turn_exits(player, filled[part], upper[part], 1)
        exits[filled[part], side[part]] = found @ merge
        points[filled[part], side[part]] = found @ of_outcome

    with one_blas_thread():
        in_threads(run, chunks(len(filled), STATES_PER_CHUNK), threads)
    return Played(player, exits, points, threads)


def exact_mean(chart: Chart, threads: int | None = None) -> float:
    """Mean score of a chart that makes every decision."""
    return play(ChartPlayer(chart), threads).mean


def ends_of(game: Ruleset) -> tuple[IntArray, IntArray, IntArray]:
    """Ends of a turn that lead to different states, their bits and lifts; and the end of each outcome."""
    found = outcomes(game)
    pairs, group = np.unique(np.stack([found.bits, found.lift], axis=1), axis=0, return_inverse=True)
    return pairs[:, 0].copy(), pairs[:, 1].copy(), np.asarray(group).reshape(-1)


@lru_cache(maxsize=2)
def _sides(game: Ruleset) -> NDArray[np.int8]:
    """(n_masks, n_uppers): the side of the bonus, 1 where it is settled, 0 where it is in reach."""
    space = state_space(game)
    return read_only(settled(game, space.masks[:, None], np.arange(space.n_uppers)).astype(np.int8))


def _one_of_each(game: Ruleset) -> tuple[IntArray, IntArray, IntArray]:
    """A state (filled, upper) for every mask of an unfinished game on either side of the bonus, and that side."""
    space = state_space(game)
    masks = space.masks[~game.is_finished(space.masks)]
    in_reach = _sides(game)[masks] == 0
    near = in_reach.any(axis=1)
    filled = np.concatenate([masks[near], masks])
    upper = np.concatenate([in_reach[near].argmax(axis=1), np.full(len(masks), game.bonus_threshold)])
    return filled, upper, np.repeat([0, 1], [near.sum(), len(masks)])


@jit
def _value(masks: Any, exits: Any, points: Any, bits: Any, lift: Any, sides: Any, cap: Any, values: Any) -> None:
    """`values` of the masks, from those of their successors."""
    for mask in masks:
        for upper in range(cap + 1):
            side = sides[mask, upper]
            total = points[mask, side]
            for end in range(len(bits)):
                q = exits[mask, side, end]
                if q != 0.0:
                    total += q * values[after(mask, upper, bits[end], lift[end], cap)]
            values[mask, upper] = total


@jit
def _visit(masks: Any, exits: Any, bits: Any, lift: Any, sides: Any, cap: Any, visits: Any) -> None:
    """Move the probability of each state of the masks on to its successors."""
    ends = np.arange(len(bits))
    for mask in masks:
        for upper in range(cap + 1):
            if visits[mask, upper] != 0.0:
                move_on(mask, upper, ends, exits[mask, sides[mask, upper]], bits, lift, cap, visits)


@jit
def _value_scores(masks: Any, decided: Any, sides: Any, row_of: Any, mass: Any, turn: Turn, values: Any) -> None:
    """`values` of the masks, from those of their successors, for given rolls to score."""
    for mask in masks:
        for upper in range(turn.cap + 1):
            outcome = decided[mask, sides[mask, upper]]
            value_scored(mask, upper, upper + 1, outcome, row_of, mass, turn, values)


@jit
def _visit_scores(masks: Any, decided: Any, sides: Any, row_of: Any, mass: Any, turn: Turn, visits: Any) -> None:
    """Move the probability of each state on to its successors, for given rolls to score."""
    for mask in masks:
        for upper in range(turn.cap + 1):
            outcome = decided[mask, sides[mask, upper]]
            visit_scored(mask, upper, upper + 1, outcome, row_of, mass, turn, visits)
