"""Time jobs against each other, and the rows that show it."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

from yatzy.context import check_threads
from yatzy.errors import YatzyError

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class BenchRow:
    """One line of a table: what was measured, and how it compares with what `versus` names.

    `amount` is what was measured if that is not a time: a rate, a size.
    """

    name: str
    seconds: float | None = None
    ratio: float | None = None
    versus: str = ""
    amount: str = ""

    @property
    def measured(self) -> str:
        """The amount or the time, with its unit."""
        return self.amount or ("" if self.seconds is None else format_seconds(self.seconds))


@dataclass(frozen=True)
class Timed:
    """What timing one part gives."""

    threads: int
    repeats: int
    rows: tuple[BenchRow, ...]


def format_seconds(seconds: float) -> str:
    """Three digits and the unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            digits = 2 if seconds < 10 * size else 1 if seconds < 100 * size else 0
            return f"{seconds / size:.{digits}f} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def format_threads(n: int) -> str:
    return "1 thread" if n == 1 else f"{n} threads"


def check_effort(repeats: int, threads: int | None = None) -> int:
    """The threads, if these numbers can be used."""
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise YatzyError("repeats", repeats, "1 or more")
    return check_threads(threads)


def best_seconds(jobs: Mapping[Name, Callable[[], object]], repeats: int) -> dict[Name, float]:
    """Shortest time of each job. Rounds are interleaved, so that a noisy minute hits all jobs alike."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeats):
        for name, job in jobs.items():
            start = perf_counter()
            job()
            best[name] = min(best[name], perf_counter() - start)
    return best
