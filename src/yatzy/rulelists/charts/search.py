"""Charts by policy improvement: lines are exchanged where a sample promises most, if exact play confirms it.

The objective is the exact mean less a price for every line that is read per decision, `PRICE` points unless the
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
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import Any, NamedTuple

import numpy as np

from yatzy.context import Context, one_blas_thread
from yatzy.evaluate.exact import visit
from yatzy.policy.optimal import Optimal
from yatzy.rulelists.charts.boards import DecisionSample, Option, ScoreBoard, draw_boards
from yatzy.rulelists.charts.lines import Chart
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rulelists.charts.valuing import PlayedChart, play_chart
from yatzy.solver.table import ValueTable

# Points that a line less to read, per decision, is worth.
PRICE = 0.1
LEAST_GAIN = 0.01
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
                better = found.chart.n_lines > now.chart.n_lines or found.objective > now.objective + LEAST_GAIN
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
                    if found is None or found.objective < now.objective + LEAST_GAIN:
                        break
                    now, boards = self._look(found.chart)
                now = self._order(now, boards, fixed)
                self._tell(now, f"polished {round_ + 1}")
                if now.objective < before.objective + LEAST_GAIN:
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
        if found is not None and found.objective > now.objective + LEAST_GAIN / 2:
            return self._look(found.chart)
        if lost < LEAST_GAIN and self._measure(without, boards).objective >= now.objective:
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
                if found.mean >= least and found.reads < now.reads - LEAST_GAIN:
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
            if option is None or option.rank < LEAST_GAIN:
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
            if option is not None and option.rank > lost + LEAST_GAIN:
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
            if totals[best] < totals[0] + LEAST_GAIN / 2:
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
