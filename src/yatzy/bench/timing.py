"""Time jobs against each other, and the rows that show it."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Row:
    """One line of a table: what was timed, and how it compares with what `versus` names."""

    name: str
    seconds: float | None = None
    ratio: float | None = None
    versus: str = ""


def best_seconds(jobs: Mapping[Name, Callable[[], object]], repeats: int) -> dict[Name, float]:
    """Shortest time of each job. Rounds are interleaved, so that a noisy minute hits all jobs alike."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeats):
        for name, job in jobs.items():
            start = perf_counter()
            job()
            best[name] = min(best[name], perf_counter() - start)
    return best
