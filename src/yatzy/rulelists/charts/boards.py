"""Decisions drawn from play, on which lines are tried: what each line would take, and what that is worth.

With Q(situation, action) under the play that is sampled, putting a line at position p of a list gains, to first
order,

    gain(line, p) = sum over decisions that reach p and that the line fits of  d * (Q(line's action) - Q(now)),

and changes how many lines are read: one more for those that reach p and are not taken, fewer for those that are.
A line is a *pattern* (columns of a matrix) under a *condition* (columns of another), so the sums for all lines are
products of the two, one for every line of the list that now decides; running sums of these give all positions.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.rulelists.charts.candidates import patterns, score_lines
from yatzy.rulelists.charts.lines import (
    ANY,
    COMPLETE,
    FIRST,
    IN_REACH,
    LAST,
    SETTLED,
    KeepLine,
    ScoreLine,
    elementary,
)
from yatzy.rulelists.charts.player import keeps_of_pattern, outcomes_in_boxes, points_in_boxes
from yatzy.rulelists.search.samples import Plays, draw_turns
from yatzy.rules import Ruleset
from yatzy.turn.bonus import settled
from yatzy.turn.outcomes import outcomes

Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Option:
    """A line that promises `gain` points at a position, and `reads` more lines read per decision of a game."""

    rank: float
    gain: float
    reads: float
    level: int
    position: int
    line: Any


class DecisionSample(ABC):
    """Decisions of one kind. `weight`: decisions per game that a row stands for; `share`: of all decisions.

    `fit` and `worth` (rows, columns) are those of the patterns, `holds` (rows, conditions) says where a condition
    does; `phase` (rows,) numbers the throws.
    """

    def __init__(
        self,
        level: int,
        fit: Bools,
        worth: Floats,
        holds: Bools,
        phase: NDArray[np.int8],
        weight: float,
        share: float,
    ) -> None:
        self.level, self.weight, self.share = level, weight, share
        self.fit, self.worth, self.phase = fit, np.where(fit, worth, 0).astype(np.float32), phase
        self.fit_numbers = fit.astype(np.float32)
        self.holds, self.hold_numbers = holds, holds.astype(np.float32)

    def __len__(self) -> int:
        return len(self.fit)

    @abstractmethod
    def column(self, line: Any) -> tuple[int, int, int]:
        """Numbers of a line's pattern, condition and phase (-1: any)."""

    @abstractmethod
    def line(self, pattern: int, condition: int, phase: int) -> Any:
        """The line with these numbers: `column` the other way round."""

    @abstractmethod
    def last(self, undecided: Bools, fired: IntArray, now: Floats, n_lines: int) -> None:
        """Decide what no line has decided."""

    def hits(self, line: Any) -> Bools:
        pattern, condition, phase = self.column(line)
        found = self.fit[:, pattern] & self.holds[:, condition]
        return found if phase < 0 else found & (self.phase == phase)

    def play(self, lines: Sequence[Any]) -> tuple[IntArray, Floats]:
        """Which line decides each row, and what that is worth."""
        fired = np.zeros(len(self), np.int64)
        now = np.zeros(len(self), np.float32)
        undecided = np.ones(len(self), np.bool_)
        for number, line in enumerate(lines):
            hit = undecided & self.hits(line)
            fired[hit] = number
            now[hit] = self.worth[hit, self.column(line)[0]]
            undecided &= ~hit
        self.last(undecided, fired, now, len(lines))
        return fired, now

    def total(self, lines: Sequence[Any], price: float) -> float:
        """What the list earns on the sample, up to a constant, less the price of reading it."""
        fired, now = self.play(lines)
        return float(now.sum(dtype=np.float64)) * self.weight - price * self.reads(fired)

    def reads(self, fired: IntArray) -> float:
        """Lines read, as a part of those per decision of a game."""
        return float((fired + 1).mean()) * self.share

    def best(self, lines: Sequence[Any], price: float, n: int, last: int, first: int = 0) -> list[Option]:
        """The n best lines to put in, at positions `first` to `last`."""
        fired, now = self.play(lines)
        group = np.minimum(fired, len(lines))
        gain, reads = self._sums(group, fired, now, len(lines) + 1)
        rank = gain - price * reads
        rank = rank[first : last + 1]
        flat = rank.reshape(-1)
        n = min(n, len(flat))
        best = np.argpartition(-flat, n - 1)[:n]
        found = []
        for k in best[np.argsort(-flat[best], kind="stable")]:
            at, phase, pattern, condition = np.unravel_index(int(k), rank.shape)
            position = int(at) + first
            place = (position, phase, pattern, condition)
            line = self.line(int(pattern), int(condition), int(phase) - 1)
            found.append(
                Option(float(flat[k]), float(gain[place]), float(reads[place]), self.level, position, line)
            )
        return found

    def _sums(self, group: IntArray, fired: IntArray, now: Floats, n_groups: int) -> tuple[FloatArray, FloatArray]:
        """(positions, phases + 1, patterns, conditions): points gained, and lines read more."""
        n_phases = int(self.phase.max()) + 1
        shape = (n_groups, n_phases + 1, self.fit.shape[1], self.holds.shape[1])
        gain, taken, earlier = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        lead = self.worth - now[:, None] * self.fit_numbers
        for phase in range(n_phases):
            for number in range(n_groups):
                rows = np.flatnonzero((group == number) & (self.phase == phase))
                if not len(rows):
                    continue
                holds = self.hold_numbers[rows]
                gain[number, phase + 1] = lead[rows].T @ holds
                fit = self.fit_numbers[rows]
                taken[number, phase + 1] = fit.T @ holds
                # The give-up order is read box by box: what it saves depends on how far down it is.
                depth = fired[rows] - number
                earlier[number, phase + 1] = (fit * depth[:, None]).T @ holds if depth.any() else 0
        for sums in (gain, taken, earlier):
            sums[:, 0] = sums[:, 1:].sum(axis=1)
        rows_of = np.bincount(group, minlength=n_groups)[:, None, None, None]
        numbers = np.arange(n_groups)[:, None, None, None]

        def below(values: FloatArray) -> FloatArray:
            return np.asarray(values[::-1].cumsum(axis=0)[::-1])

        reading = below(rows_of - taken) + numbers * below(taken) - below(numbers * taken + earlier)
        return below(gain) * self.weight, reading / len(self) * self.share


class ScoreBoard(DecisionSample):
    """Where to score: patterns are boxes with what they must bring, conditions say how the bonus stands."""

    def __init__(self, game: Ruleset, filled: IntArray, upper: IntArray, rolls: IntArray, values: FloatArray,
                 share: float) -> None:  # fmt: skip
        self.lines = score_lines(game)
        self.place = {(line.boxes, line.least): number for number, line in enumerate(self.lines)}
        ends, outcome = outcomes(game), outcomes_in_boxes(game, filled, rolls)
        self.allowed, points = outcome >= 0, points_in_boxes(game, filled, rolls)
        self.of_box = np.zeros((len(filled), game.n_categories), np.float32)
        for box in range(game.n_categories):
            worth = values[ends.after(filled, upper, outcome[:, box])] + ends.points[outcome[:, box]]
            self.of_box[:, box] = np.where(self.allowed[:, box], worth, 0)
        fit = np.zeros((len(filled), len(self.lines)), np.bool_)
        worth = np.zeros(fit.shape, np.float32)
        for number, line in enumerate(self.lines):
            for box, least in reversed(elementary(game, line)):
                hit = points[:, box] >= least
                fit[hit, number] = True
                worth[hit, number] = self.of_box[hit, box]
        side = settled(game, filled, upper)
        holds = np.stack([np.ones_like(side), ~side, side], axis=1)
        self.give_up: tuple[int, ...] = tuple(range(game.n_categories))
        phase = np.zeros(len(filled), np.int8)
        super().__init__(0, fit, worth, holds, phase, game.n_categories / len(filled), share)

    def column(self, line: ScoreLine) -> tuple[int, int, int]:
        return self.place[line.boxes, line.least], ("", IN_REACH, SETTLED).index(line.when), -1

    def line(self, pattern: int, condition: int, phase: int) -> ScoreLine:
        known = self.lines[pattern]
        return ScoreLine(known.boxes, known.least, ("", IN_REACH, SETTLED)[condition])

    def order_totals(
        self, lines: Sequence[ScoreLine], orders: Sequence[tuple[int, ...]], price: float
    ) -> FloatArray:
        """`total` with each of these give-up orders, up to a constant."""
        left = np.flatnonzero(self.play(lines)[0] >= len(lines))
        allowed, of_box = self.allowed[left], self.of_box[left]
        found = []
        for order in orders:
            first = allowed[:, order].argmax(axis=1)
            worth = of_box[np.arange(len(left)), np.array(order)[first]].sum(dtype=np.float64)
            found.append(float(worth) * self.weight - price * float(first.sum()) / len(self) * self.share)
        return np.array(found)

    def last(self, undecided: Bools, fired: IntArray, now: Floats, n_lines: int) -> None:
        left = np.flatnonzero(undecided)
        first = self.allowed[left][:, self.give_up].argmax(axis=1)
        fired[left] = n_lines + first
        now[left] = self.of_box[left, np.array(self.give_up)[first]]


class KeepBoard(DecisionSample):
    """What to keep: patterns of dice, conditions say which box has to be open."""

    def __init__(self, game: Ruleset, filled: IntArray, rolls: IntArray, worth: Floats, phase: NDArray[np.int8],
                 share: float) -> None:  # fmt: skip
        self.patterns = patterns(game)
        self.place = {pattern: number for number, pattern in enumerate(self.patterns)}
        is_open = (~filled[:, None] >> np.arange(game.n_categories) & 1).astype(np.bool_)
        points = points_in_boxes(game, filled, rolls)
        fit = np.isfinite(worth)
        for number, pattern in enumerate(self.patterns):
            if pattern.kind == COMPLETE:
                fit[:, number] = (points[:, list(pattern.boxes)] >= pattern.n).any(axis=1)
        holds = np.concatenate([np.ones((len(filled), 1), np.bool_), is_open], axis=1)
        weight = game.n_categories * game.rerolls / len(filled)
        super().__init__(1, fit, worth, holds, phase, weight, share)
        # One condition at most: an upper box of the pattern's own, or the boxes of a made hand, is one.
        self.one_only = np.array([pattern.own or pattern.kind == COMPLETE for pattern in self.patterns])

    def _sums(self, group: IntArray, fired: IntArray, now: Floats, n_groups: int) -> tuple[FloatArray, FloatArray]:
        gain, reads = super()._sums(group, fired, now, n_groups)
        gain[:, :, self.one_only, 1:] = -np.inf
        return gain, reads

    def column(self, line: KeepLine) -> tuple[int, int, int]:
        return self.place[line.pattern], line.box + 1, ("", LAST, FIRST).index(line.throw) - 1

    def line(self, pattern: int, condition: int, phase: int) -> KeepLine:
        return KeepLine(self.patterns[pattern], condition - 1, (ANY, LAST, FIRST)[phase + 1])

    def last(self, undecided: Bools, fired: IntArray, now: Floats, n_lines: int) -> None:
        assert not undecided.any()


def draw_boards(
    player: Plays, values: FloatArray, visits: FloatArray, n: int, seed: int, threads: int | None,
    oracle_keeps: bool = False,
) -> list[DecisionSample]:  # fmt: skip
    """Draw n turns: a decision on where to score in each, and one on what to keep for every reroll."""
    game = player.rules
    known = patterns(game)
    kept = np.ascontiguousarray(np.stack([keeps_of_pattern(game, pattern) for pattern in known], axis=1))
    turns = draw_turns(player, values, visits, kept, n, seed, threads)
    share = 1 if oracle_keeps else 1 / (1 + game.rerolls)
    boards: list[DecisionSample] = [ScoreBoard(game, *turns.scoring, values, share)]
    if not oracle_keeps:
        phase = np.repeat(np.array([0, *[1] * (game.rerolls - 1)], np.int8), n)
        filled, _, rolls = turns.keeping
        boards.append(KeepBoard(game, filled, rolls, turns.keeping_worth, phase, share * game.rerolls))
    return boards
