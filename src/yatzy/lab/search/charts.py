"""Charts by policy improvement: lines are exchanged where a sample promises most, if exact play confirms it.

*The sample* is of decisions drawn from play. With Q(situation, action) under that play, putting a line at position
p of a list gains, to first order,

    gain(line, p) = sum over decisions that reach p and that the line fits of  d * (Q(line's action) - Q(now)),

and changes how many lines are read: one more for those that reach p and are not taken, fewer for those that are.
A line is a *pattern* (columns of a matrix) under a *condition* (columns of another), so the sums for all lines are
products of the two, one for every line of the list that now decides; running sums of these give all positions.

*The objective* is the exact mean less a price for every line that is read per decision, `PRICE` points unless the
caller says otherwise: of two charts whose means differ by less than 0.3 points, the one that is read three lines
faster wins.

1. *Begin* with decisions of optimal play: lines are added, each the one that gains most there.
2. *Exchange*: on decisions drawn from the chart's own play, each line in turn is taken out and the best one put
   in, wherever in the two lists that gains most. If the exact objective of the new chart is not higher, a quarter
   as many lines are exchanged, and so on.
3. *Give-up order*: one box moves to another place, if the exact objective rises.
4. *Polish*: one line at a time, and the exact objective chooses among the few that the sample promises most of.
5. *Quicken*: a long chart may give up another 0.3 points to be read faster.
6. *Shrink*: lines that are missed least are taken out, judged exactly once there are few. A sample sees too little
   of that: a line that is missing changes what all others see.

A short chart is a long one that was shrunk, because it is easier to find what a good chart can do without than
what a bad one lacks. A longer chart of a ladder then grows out of the one before: it has all its lines, in their
order, and no new line may leave one of them with nothing to decide.

*The ladder* of a game has charts of 10, 20, 40 and 60 lines, each with the lines of the one before. A long chart
is found first, and shrunk to the shortest; then the charts grow, one out of the other (`search`). A finished chart
is kept on disk with what made it, so a killed search resumes after it.

*Scoring alone.* A chart of where to score, for dice that are kept as in optimal play, says what ranking boxes can
do at best. It is found in the same way: a longer one first, which is shrunk and then improved. Evaluations are
cheap, because the rolls that get scored are the same for all such charts (`chart_player.play_with_oracle`), so
samples are larger.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.context import DEFAULT_CONTEXT, Context, one_blas_thread
from yatzy.errors import YatzyError
from yatzy.lab.search.sample import draw_turns, kept, kept_in, sized_name
from yatzy.measure.exact import visit
from yatzy.players.chart import (
    ANY,
    COMPLETE,
    FIRST,
    IN_REACH,
    LAST,
    NO_DICE,
    SETTLED,
    Chart,
    KeepLine,
    ScoreLine,
    elementary,
    patterns,
    score_lines,
    upper_boxes,
)
from yatzy.players.chart_player import (
    ChartPlayer,
    PlayedChart,
    keeps_of_pattern,
    outcomes_in_boxes,
    play_chart,
    points_in_boxes,
)
from yatzy.players.library import load_chart, save_chart
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Policy
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable
from yatzy.source_digest import source_digest
from yatzy.storage import writer_lock
from yatzy.turn.outcomes import outcomes
from yatzy.turn.state_rows import settled

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
    player: Policy, values: FloatArray, visits: FloatArray, n: int, seed: int, threads: int | None,
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


# Points that a line less to read, per decision, is worth.
PRICE = 0.1
MIN_GAIN = 0.01
# A line of the chart before still has work if it decides this many rows of a sample, or as many as it did.
BUSY = 5
# A chart of which more than `MANY` lines are read per decision gives up to `GIVEN` points to be read faster; what
# is tried for that counts a line as `DEAR` points.
MANY, GIVEN, DEAR = 6.0, 0.3, 0.5
# With so few lines, each does too much for a sample to say what it is worth.
FEW = 16
# By this many points a sample may be wrong about an exchange of one line.
DOUBT = 0.1
# How many lines of either list are looked at: those that a sample promises most of.
OPTIONS = 8


@dataclass(frozen=True)
class ChartEffort:
    """How hard to search: turns per sample, rounds of exchanging (fewer for charts on the way to the shortest),
    how many may fail in a row, and rounds of polishing.

    A line that is taken out, or put in while polishing, is chosen among `tries` that a sample says are best.
    """

    turns: int = 10_000
    rounds: int = 8
    rounds_on_the_way: int = 2
    patience: int = 2
    tries: int = 3
    polishing: int = 2


class Measured(NamedTuple):
    """A chart with its exact mean, lines read per decision on a sample, and the mean less the price of these."""

    chart: Chart
    mean: float
    reads: float
    price: float

    @property
    def objective(self) -> float:
        return self.mean - self.price * self.reads


class ChartSearch:
    """Improves charts; everything random comes from the seed."""

    def __init__(self, table: ValueTable, effort: ChartEffort, seed: int, context: Context) -> None:
        self.table, self.effort, self.seed = table, effort, seed
        self.threads, self.report = context.threads, context.notice
        self.drawn = 0
        self.price = PRICE

    def begin(self, chart: Chart, n_lines: int) -> Chart:
        """A chart that imitates optimal play."""
        with one_blas_thread():
            optimal = Optimal(self.table)
            visits = visit(optimal, self.threads).visits
            return self._grow(chart, self._draw(chart, optimal, self.table.stored, visits), n_lines)

    def improve(self, chart: Chart, n_lines: int, fixed: Chart | None = None, rounds: int | None = None) -> Chart:
        """Grow to `n_lines`, then exchange lines as long as that helps; lines of `fixed` stay."""
        with one_blas_thread():
            now, boards = self._look(chart)
            failed, most = 0, n_lines
            for round_ in range(self.effort.rounds if rounds is None else rounds):
                now = self._order(now, boards, fixed)
                changed = self._grow(now.chart, boards, n_lines, fixed)
                changed = self._exchange(changed, boards, fixed, most)
                found, seen = self._look(changed)
                better = found.chart.n_lines > now.chart.n_lines or found.objective > now.objective + MIN_GAIN
                if better:
                    now, boards, failed, most = found, seen, 0, n_lines
                elif most > 1:
                    most = max(1, most // 4)
                else:
                    failed, most = failed + 1, n_lines
                    now, boards = self._look(now.chart)
                self._tell(now, f"round {round_ + 1}")
                if failed == self.effort.patience:
                    break
            return self._order(now, boards, fixed).chart

    def _tell(self, now: Measured, what: str) -> None:
        self.report(f"{now.chart.name}: {now.chart.n_lines} lines, {now.mean:.3f}, {now.reads:.2f} read ({what})")

    def polish(self, chart: Chart, n_lines: int, fixed: Chart | None = None) -> Chart:
        """Exchange lines one at a time, by the exact objective; lines that are not missed are left out."""
        with one_blas_thread():
            now, boards = self._look(chart)
            for round_ in range(self.effort.polishing):
                before = now
                for level, line in self._by_worth(now.chart, boards, fixed):
                    if line in lines_of(now.chart, level):
                        now, boards = self._replace(now, boards, level, line, fixed)
                while now.chart.n_lines < n_lines:
                    found = self._best_of(self._options(boards, now.chart, fixed), now.chart, boards)
                    if found is None or found.objective < now.objective + MIN_GAIN:
                        break
                    now, boards = self._look(found.chart)
                now = self._order(now, boards, fixed)
                self._tell(now, f"polished {round_ + 1}")
                if now.objective < before.objective + MIN_GAIN:
                    break
            return now.chart

    def _replace(
        self, now: Measured, boards: list[DecisionSample], level: int, line: Any, fixed: Chart | None
    ) -> tuple[Measured, list[DecisionSample]]:
        """Another line instead of this one, or none, if the exact objective says so."""
        lines = lines_of(now.chart, level)
        rest = tuple(other for other in lines if other != line)
        without = now.chart.with_lines(level, rest)
        lost = boards[level].total(lines, self.price) - boards[level].total(rest, self.price)
        options = (
            option
            for option in takewhile(lambda one: one.rank > lost - DOUBT, self._options(boards, without, fixed))
            if insert(without, option) != now.chart
        )
        found = self._best_of(options, without, boards)
        if found is not None and found.objective > now.objective + MIN_GAIN / 2:
            return self._look(found.chart)
        if lost < MIN_GAIN and self._measure(without, boards).objective >= now.objective:
            return self._look(without)
        return now, boards

    def _best_of(
        self, options: Iterator[Option], chart: Chart, boards: Sequence[DecisionSample]
    ) -> Measured | None:
        """The best of the charts that the first of these lines make, by the exact objective."""
        tried = [self._measure(insert(chart, option), boards) for option in islice(options, self.effort.tries)]
        return max(tried, key=lambda found: found.objective, default=None)

    def quicken(self, chart: Chart, fixed: Chart | None = None) -> Chart:
        """Exchange lines so that fewer are read, as long as the exact mean stays within `GIVEN` points: many at
        once on the sample, then one at a time by the exact objective.
        """
        with one_blas_thread():
            now, boards = self._look(chart)
            least, most = now.mean - GIVEN, chart.n_lines
            usual, self.price = self.price, DEAR
            while now.reads > MANY and most:
                found, seen = self._look(self._exchange(now.chart, boards, fixed, most))
                if found.mean >= least and found.reads < now.reads - MIN_GAIN:
                    now, boards = found, seen
                    self._tell(now, "faster")
                else:
                    most //= 4
            if now.reads > MANY:
                now, boards = self._look(now.chart)
                for level, line in self._by_worth(now.chart, boards, fixed):
                    if line in lines_of(now.chart, level):
                        found, seen = self._replace(now, boards, level, line, fixed)
                        if found.mean >= least:
                            now, boards = found, seen
                self._tell(now, "faster, line by line")
            self.price = usual
            return now.chart

    def shrink(self, chart: Chart, n_lines: int) -> Chart:
        """Take out the lines that are missed least."""
        with one_blas_thread():
            while chart.n_lines > n_lines:
                _, boards = self._look(chart)
                # A few at once while there are many.
                for _ in range(max(1, (chart.n_lines - FEW) // 4)):
                    if chart.n_lines > n_lines:
                        chart = self._remove(chart, boards)
            return chart

    def _remove(self, chart: Chart, boards: Sequence[DecisionSample]) -> Chart:
        losses = []
        for board in boards:
            lines = lines_of(chart, board.level)
            whole = board.total(lines, self.price)
            for line in free_lines(chart, board.level, None):
                rest = tuple(other for other in lines if other != line)
                losses.append((whole - board.total(rest, self.price), board.level, rest))
        losses.sort(key=lambda loss: loss[0])
        shorter = [chart.with_lines(level, rest) for _, level, rest in losses[: self.effort.tries]]
        if chart.n_lines > FEW:
            return shorter[0]
        return max(shorter, key=lambda tried: self._measure(tried, boards).objective)

    def _grow(
        self, chart: Chart, boards: Sequence[DecisionSample], n_lines: int, fixed: Chart | None = None
    ) -> Chart:
        while chart.n_lines < n_lines:
            option = next(self._options(boards, chart, fixed), None)
            if option is None or option.rank < MIN_GAIN:
                break
            chart = insert(chart, option)
        return chart

    def _exchange(self, chart: Chart, boards: Sequence[DecisionSample], fixed: Chart | None, most: int) -> Chart:
        """Take out lines, the least useful on the sample first, and put better ones in: at most `most` times."""
        exchanged = 0
        for level, line in self._by_worth(chart, boards, fixed):
            lines = lines_of(chart, level)
            if line not in lines or exchanged == most:
                continue
            board = boards[level]
            rest = tuple(other for other in lines if other != line)
            without = chart.with_lines(level, rest)
            lost = board.total(lines, self.price) - board.total(rest, self.price)
            option = next(self._options(boards, without, fixed), None)
            if option is not None and option.rank > lost + MIN_GAIN:
                chart = insert(without, option)
                exchanged += 1
        return chart

    def _by_worth(
        self, chart: Chart, boards: Sequence[DecisionSample], fixed: Chart | None
    ) -> list[tuple[int, Any]]:
        """(level, line) of all lines that may be exchanged, the least useful on the sample first."""
        found = []
        for board in boards:
            lines = lines_of(chart, board.level)
            whole = board.total(lines, self.price)
            for line in free_lines(chart, board.level, fixed):
                worth = whole - board.total([other for other in lines if other != line], self.price)
                found.append((worth, board.level, line))
        found.sort()
        return [(level, line) for _, level, line in found]

    def _order(self, now: Measured, boards: Sequence[DecisionSample], fixed: Chart | None) -> Measured:
        """Move boxes of the give-up order, one at a time, if the exact objective rises."""
        board = boards[0]
        assert isinstance(board, ScoreBoard)
        while fixed is None:
            orders = [now.chart.give_up]
            for box in now.chart.give_up:
                rest = [other for other in now.chart.give_up if other != box]
                orders += [(*rest[:place], box, *rest[place:]) for place in range(len(rest) + 1)]
            totals = board.order_totals(now.chart.scores, orders, self.price)
            best = int(totals.argmax())
            if totals[best] < totals[0] + MIN_GAIN / 2:
                break
            found = self._measure(replace(now.chart, give_up=orders[best]), boards)
            if found.objective < now.objective:
                break
            now = found
        _set_order(boards, now.chart)
        return now

    def _options(self, boards: Sequence[DecisionSample], chart: Chart, fixed: Chart | None) -> Iterator[Option]:
        """The most promising lines to put in, best first."""
        _set_order(boards, chart)
        found = []
        for board in boards:
            lines = lines_of(chart, board.level)
            last = len(lines) - (1 if board.level else 0)
            found += board.best(lines, self.price, OPTIONS, last)
        for option in sorted(found, key=lambda option: -option.rank):
            lines = lines_of(chart, option.level)
            if option.line not in lines and _leaves_work(boards[option.level], lines, option, fixed):
                yield option

    def _look(self, chart: Chart) -> tuple[Measured, list[DecisionSample]]:
        """A chart measured, with decisions of its own play."""
        played = self._play(chart)
        boards = self._draw(chart, played.player, played.values, played.visits)
        return Measured(chart, played.mean, _reads(boards, chart), self.price), boards

    def _measure(self, chart: Chart, boards: Sequence[DecisionSample]) -> Measured:
        """The same, with lines read on decisions of a chart that is not very different."""
        return Measured(chart, self._play(chart).mean, _reads(boards, chart), self.price)

    def _play(self, chart: Chart) -> PlayedChart:
        return play_chart(ChartPlayer(chart, table=self.table), self.threads)

    def _draw(self, chart: Chart, player: Any, values: Any, visits: Any) -> list[DecisionSample]:
        self.drawn += 1
        seed = self.seed * 100_003 + self.drawn
        boards = draw_boards(player, values, visits, self.effort.turns, seed, self.threads, chart.oracle_keeps)
        _set_order(boards, chart)
        return boards


def _leaves_work(board: DecisionSample, lines: Sequence[Any], option: Option, fixed: Chart | None) -> bool:
    """Whether the lines of the chart before would still decide something."""
    at = option.position
    below = [lines.index(line) for line in lines_of(fixed, board.level)] if fixed else []
    below = [number for number in below if number >= at]
    if not below:
        return True
    before = np.bincount(board.play(lines)[0], minlength=len(lines))
    after = np.bincount(board.play((*lines[:at], option.line, *lines[at:]))[0], minlength=len(lines) + 1)
    return all(after[number + 1] >= min(BUSY, before[number]) for number in below)


def _set_order(boards: Sequence[DecisionSample], chart: Chart) -> None:
    assert isinstance(boards[0], ScoreBoard)
    boards[0].give_up = chart.give_up


def _reads(boards: Sequence[DecisionSample], chart: Chart) -> float:
    _set_order(boards, chart)
    return sum(board.reads(board.play(lines_of(chart, board.level))[0]) for board in boards)


def lines_of(chart: Chart, level: int) -> tuple[Any, ...]:
    return chart.keeps if level else chart.scores


def free_lines(chart: Chart, level: int, fixed: Chart | None) -> list[Any]:
    """Lines that may be taken out: not those of a shorter chart, and not the last."""
    lines = lines_of(chart, level)
    kept = {*lines_of(fixed, level)} if fixed else set()
    return [line for line in (lines[:-1] if level else lines) if line not in kept]


def insert(chart: Chart, option: Option) -> Chart:
    """The chart with one more line."""
    lines = lines_of(chart, option.level)
    return chart.with_lines(option.level, (*lines[: option.position], option.line, *lines[option.position :]))


SIZES = (10, 20, 40, 60)
# Names of charts begin with this.
PREFIX = "chart"
# Points that a line less to read is worth in a chart of `LONG` lines or more, which is read more often in vain.
LONG_PRICE = 0.2
# Lines of the chart that is shrunk, and of those on the way to the shortest.
LONG = 40
STEPS = (24, 15)


def empty_chart(name: str, rules: Ruleset) -> Chart:
    """No line but the last of either list; the give-up order is that of the upper boxes, then of the sheet."""
    upper = upper_boxes(rules)
    lower = [box for box in range(rules.n_categories) if box not in upper]
    return Chart(name, rules, (), (*upper[:2], *reversed(lower), *upper[2:]), (NO_DICE,))


def find_ladder(
    table: ValueTable,
    folder: Path,
    most: int | None = None,
    effort: ChartEffort | None = None,
    seed: int = 0,
    context: Context = DEFAULT_CONTEXT,
) -> dict[str, Path]:
    """Find the charts of up to `most` lines; returns their files."""
    sizes = [size for size in SIZES if most is None or size <= most]
    if not sizes:
        raise YatzyError("lines", most, why=f"are too few; the shortest chart has {SIZES[0]}")
    made = made_by(effort or ChartEffort(), seed, __name__)
    with writer_lock(folder / PREFIX, context.notice):
        return _find(table, folder, sizes, ChartSearch(table, effort or ChartEffort(), seed, context), made)


def made_by(effort: ChartEffort, seed: int, search: str) -> dict[str, Any]:
    """What decides which chart is found by this module; it is in a chart's file."""
    return {"method": "chart", "code": source_digest(search)[:16], "seed": seed, **asdict(effort)}


def _find(
    table: ValueTable, folder: Path, sizes: list[int], search: ChartSearch, made: dict[str, Any]
) -> dict[str, Path]:
    files: dict[str, Path] = {}
    before: Chart | None = None
    for size in sizes:
        name, settings = f"{PREFIX}-{size}", made | {"at_most": size}
        chart = kept_in(folder, PREFIX, lambda file: load_chart(file, table.rules), settings)
        if chart:
            search.report(f"{chart.name}: kept")
        else:
            search.drawn, search.price = 10_000 * size, PRICE if size < LONG else LONG_PRICE
            start = before or _shortest(search, folder / f"{PREFIX}-way", made)
            found = search.improve(replace(start, name=name), size, before)
            found = search.quicken(search.polish(found, size, before), before)
            info = settings | measure(found, search.threads)
            chart = replace(found, name=sized_name(PREFIX, found.n_lines, files), info=info)
            save_chart(chart, folder / f"{chart.name}.json")
        files[chart.name], before = folder / f"{chart.name}.json", chart
    for file in files.values():
        chart = load_chart(file, table.rules)
        if "score_costs" not in chart.info:
            search.report(f"{chart.name}: weighing every line")
            save_chart(replace(chart, info=chart.info | weigh(chart, search.threads)), file)
    return files


def _shortest(search: ChartSearch, way: Path, made: dict[str, Any]) -> Chart:
    """A long chart, shrunk step by step; every step is kept, in files beside the charts."""
    chart: Chart | None = None

    def load(file: Path) -> Chart:
        return load_chart(file, search.table.rules)

    for size in (LONG, *STEPS, SIZES[0]):
        file = way / f"{size}.json"
        found = kept(file, load, made)
        if found is None:
            search.drawn = 1000 * size
            if chart is None:
                found = search.begin(empty_chart(f"of {size}", search.table.rules), size)
            else:
                found = search.shrink(replace(chart, name=f"of {size}"), size)
            if size > SIZES[0]:
                found = search.improve(found, size, rounds=search.effort.rounds_on_the_way)
            found = replace(found, info=made)
            save_chart(found, file)
        chart = found
    assert chart is not None
    return chart


def describe(chart: Chart, threads: int | None = None, table: ValueTable | None = None) -> dict[str, Any]:
    """Exact mean, lines read per decision (all, and by rerolls left), and what is lost without each line.

    `table` or the stored one is for a chart that only scores.
    """
    return measure(chart, threads, table) | weigh(chart, threads, table)


def measure(chart: Chart, threads: int | None = None, table: ValueTable | None = None) -> dict[str, Any]:
    """Exact mean, and lines read per decision: all, and by rerolls left."""
    played = play_chart(ChartPlayer(chart, table=table), threads)
    return {
        "mean": played.mean, "reads": played.reads_per_decision, "reads_by_rerolls": played.reads.tolist()
    }  # fmt: skip


def weigh(chart: Chart, threads: int | None = None, table: ValueTable | None = None) -> dict[str, list[float]]:
    """What the chart loses without each of its lines; the last of the keeping lines stays."""

    def mean(one: Chart) -> float:
        return play_chart(ChartPlayer(one, table=table), threads).mean

    whole = mean(chart)
    costs: dict[str, list[float]] = {}
    for level, name in ((0, "score_costs"), (1, "keep_costs")):
        costs[name] = []
        for line in free_lines(chart, level, None):
            rest = [other for other in lines_of(chart, level) if other != line]
            costs[name].append(whole - mean(chart.with_lines(level, rest)))
    return costs


NAME = f"{PREFIX}-scores"
MAX_LINES = 40
# Polishing one line at a time adds little to a list of forty (0.02 points were seen) and takes longest.
EFFORT = ChartEffort(turns=40_000, rounds=6, polishing=0)
# Lines of the chart that is shrunk, for every line of the one wanted.
LONGER = 1.5


class ScoringSearch(ChartSearch):
    """Where to score is one decision of a turn among several: what is read there counts as it does in a ladder."""

    def _draw(self, chart: Chart, player: Any, values: Any, visits: Any) -> list[DecisionSample]:
        boards = super()._draw(chart, player, values, visits)
        boards[0].share = 1 / (1 + chart.rules.rerolls)
        return boards


def find_scoring_chart(
    table: ValueTable,
    folder: Path,
    n_lines: int = MAX_LINES,
    effort: ChartEffort = EFFORT,
    seed: int = 0,
    context: Context = DEFAULT_CONTEXT,
) -> dict[str, Path]:
    """Find the chart; returns its file."""
    table.rules.check_plain("charts that only score are")
    made = made_by(effort, seed, __name__) | {"lines": n_lines}
    file = folder / f"{NAME}.json"
    with writer_lock(folder / NAME, context.notice):
        if kept(file, lambda path: load_chart(path, table.rules), made):
            context.notice(f"{NAME}: kept")
            return {NAME: file}
        search = ScoringSearch(table, effort, seed, context)
        longer = round(LONGER * n_lines)
        found = search.begin(replace(empty_chart(NAME, table.rules), oracle_keeps=True, keeps=()), longer)
        found = search.improve(found, longer, rounds=effort.rounds_on_the_way)
        found = search.improve(search.shrink(found, n_lines), n_lines)
        found = search.polish(found, n_lines)
        context.notice(f"{NAME}: weighing every line")
        save_chart(_weighed(found, made, context.threads, table), file)
    return {NAME: file}


def _weighed(chart: Chart, made: dict[str, Any], threads: int | None, table: ValueTable) -> Chart:
    """The chart without lines that decide nothing, with what it is worth."""
    costs = weigh(chart, threads, table)["score_costs"]
    found = chart.with_lines(0, [line for line, cost in zip(chart.scores, costs, strict=True) if cost])
    told = measure(found, threads, table) | {"mean": visit(ChartPlayer(found, table=table), threads).mean}
    return replace(found, info=made | told | {"score_costs": [cost for cost in costs if cost]})
