"""Charts by policy improvement: lines are exchanged where a sample promises most, if exact play confirms it.

The objective is the exact mean less `PRICE` points for every line that is read per decision: of two charts whose
means differ by less than 0.3 points, the one that is read three lines faster wins.

1. *Begin* with decisions of optimal play: lines are added, each the one that gains most there.
2. *Exchange*: on decisions drawn from the chart's own play, each line in turn is taken out and the best one put
   in, wherever in the two lists that gains most. If the exact objective of the new chart is not higher, a quarter
   as many lines are exchanged, and so on.
3. *Give-up order*: one box moves to another place, if the exact objective rises.
4. *Quicken*: a long chart may give up another 0.3 points to be read faster.
5. *Shrink*: lines that are missed least are taken out, judged exactly once there are few. A sample sees too little
   of that: a line that is missing changes what all others see.

A short chart is a long one that was shrunk, because it is easier to find what a good chart can do without than
what a bad one lacks. A longer chart of a ladder then grows out of the one before and keeps its lines, in order,
except those that new lines above them leave nothing to decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from yatzy.evaluate.visits import visit
from yatzy.policy.optimal import Optimal
from yatzy.rulelists.charts.boards import Board, Option, ScoreBoard, draw_boards
from yatzy.rulelists.charts.lines import Chart
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rulelists.charts.valuing import Played, PlayedWithOracle, play
from yatzy.running import Report, one_blas_thread
from yatzy.solver.table import ValueTable

# Points that a line less to read, per decision, is worth.
PRICE = 0.1
LEAST_GAIN = 0.01
# Exact means that differ by less are those of charts that decide alike.
SAME = 1e-9
# A chart of which more than `MANY` lines are read per decision gives up to `GIVEN` points to be read faster; what
# is tried for that counts a line as `DEAR` points.
MANY, GIVEN, DEAR = 6.0, 0.3, 0.5
# With so few lines, each does too much for a sample to say what it is worth.
FEW = 16


@dataclass(frozen=True)
class Effort:
    """How hard to search: turns per sample, rounds of exchanging (fewer for charts on the way to the shortest),
    and how many may fail in a row.

    A line that is taken out is chosen among `tries` that a sample says are missed least.
    """

    turns: int = 10_000
    rounds: int = 10
    rounds_on_the_way: int = 2
    patience: int = 2
    tries: int = 3


class Measured(NamedTuple):
    """A chart with its exact mean, lines read per decision on a sample, and the mean less the price of these."""

    chart: Chart
    mean: float
    reads: float

    @property
    def objective(self) -> float:
        return self.mean - PRICE * self.reads


class Search:
    """Improves charts; everything random comes from the seed."""

    def __init__(self, table: ValueTable, effort: Effort, seed: int, threads: int | None, report: Report) -> None:
        self.table, self.effort, self.seed, self.threads, self.report = table, effort, seed, threads, report
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
                kept = self._drop_idle(now, boards) if fixed else now.chart
                changed = self._grow(kept, boards, n_lines)
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
                self.report(
                    f"{now.chart.name}: {now.chart.n_lines} lines, {now.mean:.3f}, {now.reads:.2f} read "
                    f"(round {round_ + 1})"
                )
                if failed == self.effort.patience:
                    break
            return self._order(now, boards, fixed).chart

    def _drop_idle(self, now: Measured, boards: Sequence[Board]) -> Chart:
        """Without lines that never decide: those above them, which came later, leave nothing to them."""
        chart = now.chart
        for board in boards:
            fired = board.play(lines_of(chart, board.level))[0]
            lines = lines_of(chart, board.level)
            for line in [line for n, line in enumerate(lines[: len(lines) - board.level]) if n not in fired]:
                without = chart.with_lines(board.level, [o for o in lines_of(chart, board.level) if o != line])
                chart = without if abs(self._play(without).mean - now.mean) < SAME else chart
        return chart

    def quicken(self, chart: Chart, fixed: Chart | None = None) -> Chart:
        """Exchange lines so that fewer are read, as long as the exact mean stays within `GIVEN` points."""
        with one_blas_thread():
            now, boards = self._look(chart)
            least, most = now.mean - GIVEN, chart.n_lines
            self.price = DEAR
            while now.reads > MANY and most:
                found, seen = self._look(self._exchange(now.chart, boards, fixed, most))
                if found.mean >= least and found.reads < now.reads - LEAST_GAIN:
                    now, boards = found, seen
                    self.report(f"{chart.name}: {now.mean:.3f}, {now.reads:.2f} read (faster)")
                else:
                    most //= 4
            self.price = PRICE
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

    def _remove(self, chart: Chart, boards: Sequence[Board]) -> Chart:
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

    def _grow(self, chart: Chart, boards: Sequence[Board], n_lines: int) -> Chart:
        while chart.n_lines < n_lines:
            option = self._best(boards, chart)
            if option is None or option.rank < LEAST_GAIN:
                break
            chart = insert(chart, option)
        return chart

    def _exchange(self, chart: Chart, boards: Sequence[Board], fixed: Chart | None, most: int) -> Chart:
        """Take out lines, the least useful on the sample first, and put better ones in: at most so many."""
        exchanged = 0
        for level, line in self._by_worth(chart, boards, fixed):
            lines = lines_of(chart, level)
            if line not in lines or exchanged == most:
                continue
            board = boards[level]
            rest = tuple(other for other in lines if other != line)
            without = chart.with_lines(level, rest)
            lost = board.total(lines, self.price) - board.total(rest, self.price)
            option = self._best(boards, without)
            if option is not None and option.rank > lost + LEAST_GAIN:
                chart = insert(without, option)
                exchanged += 1
        return chart

    def _by_worth(self, chart: Chart, boards: Sequence[Board], fixed: Chart | None) -> list[tuple[int, Any]]:
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

    def _order(self, now: Measured, boards: Sequence[Board], fixed: Chart | None) -> Measured:
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

    def _best(self, boards: Sequence[Board], chart: Chart) -> Option | None:
        """The most promising line to put in."""
        _set_order(boards, chart)
        found = []
        for board in boards:
            lines = lines_of(chart, board.level)
            last = len(lines) - (1 if board.level else 0)
            found += [option for option in board.best(lines, self.price, 4, last) if option.line not in lines][:1]
        return max(found, key=lambda option: option.rank, default=None)

    def _look(self, chart: Chart) -> tuple[Measured, list[Board]]:
        """A chart measured, with decisions of its own play."""
        played = self._play(chart)
        boards = self._draw(chart, played.player, played.values, played.visits)
        return Measured(chart, played.mean, _reads(boards, chart)), boards

    def _measure(self, chart: Chart, boards: Sequence[Board]) -> Measured:
        """The same, with lines read on decisions of a chart that is not very different."""
        return Measured(chart, self._play(chart).mean, _reads(boards, chart))

    def _play(self, chart: Chart) -> Played | PlayedWithOracle:
        player = ChartPlayer(chart, table=self.table)
        return PlayedWithOracle(player, self.threads) if chart.oracle_keeps else play(player, self.threads)

    def _draw(self, chart: Chart, player: Any, values: Any, visits: Any) -> list[Board]:
        self.drawn += 1
        seed = self.seed * 100_003 + self.drawn
        boards = draw_boards(
            chart.rules, player, values, visits, self.effort.turns, seed, self.threads, chart.oracle_keeps
        )
        _set_order(boards, chart)
        return boards


def _set_order(boards: Sequence[Board], chart: Chart) -> None:
    assert isinstance(boards[0], ScoreBoard)
    boards[0].give_up = chart.give_up


def _reads(boards: Sequence[Board], chart: Chart) -> float:
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
