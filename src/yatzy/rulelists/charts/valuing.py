"""What a chart is worth and how much of it is read: exactly, in a fraction of a second.

A chart looks at the boxes, the dice, and one bit of the upper total: is the bonus settled? So a turn ends alike
at all upper totals on one side of that bit, and is played once on each (`play.valuing` does the rest). Lines read
per decision are, with r(roll, n | filled, side) the number of the line that decides,

    sum over filled, side, n rerolls left, rolls of  d(filled, side) * mass(roll, n) * r(roll, n) / decisions.

A chart that only scores leaves the dice to optimal play, which looks at the whole upper total: what it scores is
still the same on either side of the bonus, but `mass` is that of every state.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, read_only
from yatzy.context import chunks, in_threads, one_blas_thread
from yatzy.datasets.situations import situation_masses
from yatzy.evaluate.exact import turn_exits
from yatzy.rulelists.charts.lines import NO_DICE, Chart
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rulelists.play.valuing import ListPlay, Turns, endings_of, oracle_rolls
from yatzy.rules import Ruleset
from yatzy.solver.states import state_space
from yatzy.turn.bonus import settled
from yatzy.turn.outcomes import outcomes

STATES_PER_CHUNK = 1024


@dataclass(frozen=True)
class PlayedChart(ListPlay):
    """A chart that is played through, and how much of it is read.

    `masses(filled, upper, share)` is the probability (n, decisions, n_rolls) of each decision of a turn in which a
    chart is read, summed over the upper totals of a mask with their `share` (n, n_uppers); `upper` is one of them.
    """

    player: ChartPlayer
    reader: ChartPlayer
    masses: Callable[[IntArray, IntArray, FloatArray], FloatArray]

    @cached_property
    def reads(self) -> FloatArray:
        """(decisions,): lines read until one fits, per decision, by rerolls left (0: where to score)."""
        game = self.rules
        filled, upper, side = one_of_each(game)

        def read(part: slice) -> FloatArray:
            share = np.where(sides(game)[filled[part]] == side[part, None], self.visits[filled[part]], 0.0)
            mass = self.masses(filled[part], upper[part], share)
            lines = 1.0 + self.reader.lines(filled[part], upper[part])[:, : mass.shape[1]]
            return np.asarray(np.einsum("slr,slr->l", mass, lines))

        return np.asarray(sum(map(read, chunks(len(filled), STATES_PER_CHUNK))) / game.n_categories)

    @property
    def reads_per_decision(self) -> float:
        return float(self.reads.mean())


def play_chart(player: ChartPlayer, threads: int | None = None) -> PlayedChart:
    """A chart played through, whoever keeps the dice."""
    return (play_with_oracle if player.chart.oracle_keeps else play)(player, threads)


def play(player: ChartPlayer, threads: int | None = None) -> PlayedChart:
    """Play every turn once on either side of the bonus."""
    game = player.rules
    filled, upper, side = one_of_each(game)
    endings = endings_of(game)
    prob = np.zeros((state_space(game).n_masks, 2, len(endings.bits)))
    points = np.zeros(prob.shape[:2])
    merge = np.zeros((len(endings.of_outcome), len(endings.bits)))
    merge[np.arange(len(merge)), endings.of_outcome] = 1.0

    def run(part: slice) -> None:
        found = turn_exits(player, filled[part], upper[part], 1)
        prob[filled[part], side[part]] = found @ merge
        points[filled[part], side[part]] = found @ endings.points

    with one_blas_thread():
        in_threads(run, chunks(len(filled), STATES_PER_CHUNK), threads)

    def turns(masks: IntArray) -> Turns:
        return Turns(2 * masks[:, None] + sides(game)[masks], prob.reshape(-1, prob.shape[2]), points.reshape(-1))

    def masses(filled: IntArray, upper: IntArray, share: FloatArray) -> FloatArray:
        return np.asarray(share.sum(axis=1)[:, None, None] * situation_masses(player, filled, upper))

    return PlayedChart(game, turns, threads, player, player, masses)


def play_with_oracle(player: ChartPlayer, threads: int | None = None) -> PlayedChart:
    """The same for a chart that only scores."""
    game = player.rules
    game.check_plain("charts that only score are")
    scorer = ChartPlayer(replace(player.chart, oracle_keeps=False, keeps=(NO_DICE,)))
    rolls = oracle_rolls(player.oracle.table, threads)
    filled, upper, side = one_of_each(game)
    every_roll, of_reading = np.arange(len(game.rolls)), outcomes(game).of_reading
    decided = np.zeros((state_space(game).n_masks, 2, len(every_roll)), np.int16)
    for part in chunks(len(filled), STATES_PER_CHUNK):
        category = scorer.decide(filled[part], upper[part]).category
        decided[filled[part], side[part]] = of_reading[every_roll, category]

    def turns(masks: IntArray) -> Turns:
        which = 2 * np.arange(len(masks))[:, None] + sides(game)[masks]
        return rolls.turns(masks, decided[masks].reshape(-1, decided.shape[2]), which)

    def masses(filled: IntArray, upper: IntArray, share: FloatArray) -> FloatArray:
        found = [share[i] @ rolls.mass[rolls.row_of[mask]] for i, mask in enumerate(filled)]
        return np.array(found)[:, None]

    return PlayedChart(game, turns, threads, player, scorer, masses)


def exact_mean(chart: Chart, threads: int | None = None) -> float:
    """Mean score of a chart that makes every decision."""
    return play(ChartPlayer(chart), threads).mean


@lru_cache(maxsize=2)
def sides(game: Ruleset) -> NDArray[np.int8]:
    """(n_masks, n_uppers): the side of the bonus, 1 where it is settled, 0 where it is in reach."""
    space = state_space(game)
    return read_only(settled(game, space.masks[:, None], np.arange(space.n_uppers)).astype(np.int8))


def one_of_each(game: Ruleset) -> tuple[IntArray, IntArray, IntArray]:
    """A state (filled, upper) for every mask of an unfinished game on either side of the bonus, and that side."""
    space = state_space(game)
    masks = space.masks[~game.is_finished(space.masks)]
    in_reach = sides(game)[masks] == 0
    near = in_reach.any(axis=1)
    filled = np.concatenate([masks[near], masks])
    upper = np.concatenate([in_reach[near].argmax(axis=1), np.full(len(masks), game.bonus_threshold)])
    return filled, upper, np.repeat([0, 1], [near.sum(), len(masks)])
