"""How long work is done: where things are kept, threads, progress, notices, and who computes the parts.

A `Context` carries all of it through the functions that work long. Its `runner` applies a function to items and
yields (item, result) pairs as they finish, in any order: here one after another (the kernels themselves use all
cores), or each by a worker of a Dask cluster, and again if the worker dies; items are made only as workers get
free. Functions and items must be picklable, and results must not depend on where they are computed.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, TypeVar, cast

from yatzy.errors import YatzyError, check_int, needs_extra

Item = TypeVar("Item")
Result = TypeVar("Result")

# Games of one run: what would take longer than anybody waits is a slip of the finger.
MAX_GAMES = 10**9
MAX_THREADS = 1024
MAX_SEED = 2**64 - 1

# Called with (done, total) while long work is running.
Progress = Callable[[int, int], None]
# A part reports its own steps; all of them make up this many steps of the whole.
STEPS_PER_PART = 1000
# Called with a sentence whenever there is something to report.
Report = Callable[[str], None]
# Applies a function to items, and yields each item with its result.
Runner = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[tuple[Any, Any]]]

ENGINES = ("local", "dask")
SECONDS_TO_ANSWER = 10
# Items that wait at a worker, so that it never waits for one.
ITEMS_PER_WORKER = 2


class Activity:
    """Something that happens from time to time and may be worth showing to the user: `with compiling: ...`."""

    def __init__(self) -> None:
        self._under_way = 0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            self._under_way += 1

    def __exit__(self, *_error: object) -> None:
        with self._lock:
            self._under_way -= 1

    @property
    def now(self) -> bool:
        return self._under_way > 0


compiling = Activity()
_one_bar = threading.Lock()


def silent(_text: str) -> None:
    """A report that goes nowhere."""


def part_of(progress: Progress | None, i: int, n: int) -> Progress:
    """Progress of part i of n, as part of the whole."""

    def report(done: int, total: int) -> None:
        if progress:
            progress(i * STEPS_PER_PART + STEPS_PER_PART * done // max(total, 1), n * STEPS_PER_PART)

    return report


def check_threads(threads: int | None) -> int:
    """The number of threads to use: all cores if none is given."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return check_int("threads", threads, 1, MAX_THREADS)


def check_seed(seed: int) -> int:
    """A seed of everything that is drawn."""
    return check_int("seed", seed, 0, MAX_SEED)


def run_locally(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """One after another, each when it is asked for."""
    return ((item, function(item)) for item in items)


@dataclass(frozen=True)
class Context:
    """How long work is done, for those who care; what is not given is as usual.

    >>> import yatzy
    >>> yatzy.solve("yacht", context=yatzy.Context(threads=2))
    <ValueTable yacht: 166.9551 points from the start, 4,096 states, float64>
    """

    # Where tables and results are kept; the user's data folder if not given.
    home: Path | None = None
    # All cores if not given.
    threads: int | None = None
    progress: Progress | None = None
    notice: Report = silent
    runner: Runner = run_locally

    def __post_init__(self) -> None:
        check_threads(self.threads)

    @property
    def n_threads(self) -> int:
        return check_threads(self.threads)

    @property
    def is_distributed(self) -> bool:
        """Do others compute?"""
        return self.runner is not run_locally

    def step(self, done: int, total: int) -> None:
        """Tell how far the work is."""
        if self.progress:
            self.progress(done, total)

    def part(self, i: int, n: int) -> "Context":
        """For part i of n, one after another: its progress is part of the whole."""
        return replace(self, progress=part_of(self.progress, i, n))

    def parts(self, n: int) -> list["Context"]:
        """For n parts that run at the same time: their progress is part of the whole."""
        steps = [0] * n

        def part(i: int) -> Progress:
            def report(done: int, total: int) -> None:
                steps[i] = STEPS_PER_PART * done // max(total, 1)
                self.step(sum(steps), n * STEPS_PER_PART)

            return report

        return [replace(self, progress=part(i)) for i in range(n)]

    def quiet(self) -> "Context":
        """The same place and threads, without a word; this can be sent to other processes."""
        return Context(self.home, self.threads)

    @contextmanager
    def shown(self, what: str) -> "Iterator[Context]":
        """With the caller's own progress or, without one, a bar."""
        if self.progress:
            yield self
            return
        with progress_bar(what) as progress:
            yield replace(self, progress=progress)


DEFAULT_CONTEXT = Context()


@contextmanager
def progress_bar(what: str, after: float = 1.0) -> Iterator[Progress]:
    """A progress bar on a terminal's stderr, if the work takes longer than `after` seconds; one at a time.

    While something is being compiled, which happens once after an installation, it says that instead.
    """
    if not sys.stderr.isatty() or not _one_bar.acquire(blocking=False):
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    class Shown(Bar):
        def get_renderables(self) -> Any:
            if compiling.now:
                yield f"{what}: compiling, once"
            else:
                yield from super().get_renderables()

    console = Console(stderr=True)
    columns = ("{task.description}", BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Shown(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(what, total=None)
    timer = threading.Timer(after, bar.start)
    timer.daemon = True

    def update(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)

    timer.start()
    try:
        yield update
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
        _one_bar.release()


def chunks(n: int, size: int) -> Iterator[slice]:
    """Slices of at most `size` that cover 0..n."""
    bounds = [*range(0, n, size), n]
    return (slice(a, b) for a, b in pairwise(bounds))


def in_threads(function: Callable[[Item], Result], items: Iterable[Item], threads: int | None) -> list[Result]:
    """Results of the function for all items, in order; several run at once, and the first error ends the run."""
    n_threads = check_threads(threads)
    if n_threads == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, items))


def as_they_finish(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int | None
) -> Iterator[Result]:
    """The same, one by one as they are done, for callers that show progress."""
    n_threads = check_threads(threads)
    if n_threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(function, items)


def one_blas_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread, which is faster for small matrix products; do nothing without threadpoolctl."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    return cast("AbstractContextManager[Any]", threadpool_limits(1, user_api="blas"))


def check_engine(engine: str, scheduler: str | None) -> None:
    """Refuse an engine that is not known, and a scheduler without one."""
    if engine not in ENGINES:
        raise YatzyError("engine", engine, ENGINES, "is not known")
    if engine == "local" and scheduler:
        raise YatzyError("scheduler", scheduler, why="is for the engine dask only")


@contextmanager
def connected(engine: str, scheduler: str | None = None) -> Iterator[Runner]:
    """Who computes: this machine or, without a scheduler's address, a cluster of its own; for several rounds."""
    check_engine(engine, scheduler)
    if engine == "local":
        yield run_locally
        return
    with needs_extra("cluster"):
        from distributed import Client

    try:
        client = (
            Client(scheduler, timeout=SECONDS_TO_ANSWER)
            if scheduler
            else Client(threads_per_worker=1, dashboard_address=None)
        )
    except (OSError, TimeoutError, ValueError) as error:
        raise YatzyError("scheduler", why=f"no Dask scheduler answers at {scheduler!r} ({error})") from None
    with client:
        yield lambda function, items: _spread(client, function, items)


def _spread(
    client: Any, function: Callable[[Item], Result], items: Iterable[Item]
) -> Iterator[tuple[Item, Result]]:
    with needs_extra("cluster"):
        from distributed import as_completed

    waiting = iter(items)
    n_at_once = ITEMS_PER_WORKER * max(1, len(client.scheduler_info()["workers"]))
    item_of: dict[Any, Item] = {}

    def submit(n: int) -> list[Any]:
        futures = []
        for item in islice(waiting, n):
            futures.append(client.submit(function, item, pure=False, retries=2))
            item_of[futures[-1]] = item
        return futures

    finished = as_completed(submit(n_at_once), with_results=True)
    for future, result in finished:
        item = item_of.pop(future)
        for more in submit(1):
            finished.add(more)
        yield item, result
