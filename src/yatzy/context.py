"""The context of long-running work: home folder, threads, progress, notices, and the runner.

A runner applies a function to items and yields (item, result) pairs in any order: locally one after another (the
kernels themselves use all cores), or on the workers of a Dask cluster, which retries if a worker dies and takes
items only as workers become free. Functions and items must be picklable, and results must not depend on where
they are computed.
"""

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, TypeVar, cast

from yatzy.errors import YatzyError, check_int, needs_extra, printable

Item = TypeVar("Item")
Result = TypeVar("Result")

# More games in one run are a typing error.
MAX_GAMES = 10**9
MAX_THREADS = 1024
MAX_SEED = 2**64 - 1

# Called with (done, total) while long work is running.
Progress = Callable[[int, int], None]
# Resolution of the progress of one part of several.
STEPS_PER_PART = 1000
# Set, nobody is shown progress.
QUIET = "YATZY_QUIET"
# Work that takes longer says so before it begins.
ESTIMATES_ABOVE = 10
# Seconds until the first line of progress off a terminal, and the most between two.
FIRST_LINE, LONGEST_SILENCE = 2.0, 60.0
# Called with a sentence for the user.
Report = Callable[[str], None]
# Applies a function to items, and yields each item with its result.
Runner = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[tuple[Any, Any]]]

ENGINES = ("local", "dask")
SECONDS_TO_ANSWER = 10
# Queued at each worker, so that none is idle.
ITEMS_PER_WORKER = 2


class Activity:
    """Something that may be going on in any thread: `with compiling: ...` marks it, `compiling.now` asks."""

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
    """Progress of part i of n, reported as progress of the whole."""

    def report(done: int, total: int) -> None:
        if progress:
            progress(i * STEPS_PER_PART + STEPS_PER_PART * done // max(total, 1), n * STEPS_PER_PART)

    return report


def check_threads(threads: int | None) -> int:
    """The number of threads, all cores by default."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return check_int("threads", threads, 1, MAX_THREADS)


def check_seed(seed: int) -> int:
    """A valid random seed."""
    return check_int("seed", seed, 0, MAX_SEED)


def run_locally(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """Run the items one after another, lazily."""
    return ((item, function(item)) for item in items)


@dataclass(frozen=True)
class Context:
    """How and where long work runs; every field has a sensible default.

    >>> import yatzy
    >>> yatzy.solve("yacht", context=yatzy.Context(threads=2))
    <ValueTable yacht: 166.9551 points from the start, 4,096 states, float64>
    """

    # Where tables and results are kept; None is the user's data folder.
    home: Path | None = None
    # None is all cores.
    threads: int | None = None
    progress: Progress | None = None
    notice: Report = silent
    runner: Runner = run_locally

    def __post_init__(self) -> None:
        check_threads(self.threads)

    def __repr__(self) -> str:
        given = {
            one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) != one.default
        }
        return f"Context({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    @property
    def n_threads(self) -> int:
        return check_threads(self.threads)

    @property
    def is_distributed(self) -> bool:
        """Whether the work runs on a cluster."""
        return self.runner is not run_locally

    def step(self, done: int, total: int) -> None:
        """Report progress."""
        if self.progress:
            self.progress(done, total)

    def part(self, i: int, n: int) -> "Context":
        """The context of part i of n sequential parts."""
        return replace(self, progress=part_of(self.progress, i, n))

    def parts(self, n: int) -> list["Context"]:
        """The contexts of n concurrent parts."""
        steps = [0] * n

        def part(i: int) -> Progress:
            def report(done: int, total: int) -> None:
                steps[i] = STEPS_PER_PART * done // max(total, 1)
                self.step(sum(steps), n * STEPS_PER_PART)

            return report

        return [replace(self, progress=part(i)) for i in range(n)]

    def quiet(self) -> "Context":
        """The same home and threads without callbacks, so that it can be pickled."""
        return Context(self.home, self.threads)

    def tell(self, sentence: str) -> None:
        """A sentence for whoever waits: to `notice` or, if the caller supplied neither, to stderr."""
        if self.notice is not silent:
            self.notice(sentence)
        elif not self.progress:
            to_stderr(sentence)

    @contextmanager
    def shown(self, what: str, seconds: float = 0.0, why: str = "") -> "Iterator[Context]":
        """The context, with a progress bar unless the caller supplied progress of his own.

        An estimate of more than ten seconds is told before the work begins.
        """
        if seconds > ESTIMATES_ABOVE and not os.environ.get(QUIET):
            self.tell(f"{what} takes about {described(seconds)}{f': {why}' if why else ''}")
        if self.progress:
            yield self
            return
        with progress_bar(what) as progress:
            yield replace(self, progress=progress)


DEFAULT_CONTEXT = Context()


def to_stderr(sentence: str) -> None:
    """Tell whoever waits, without touching stdout."""
    sys.stderr.write(f"yatzy: {printable(sentence)}\n")


def described(seconds: float) -> str:
    """A time as one would say it: 40 s, 12 min, 3 h."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds > 1.5 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{math.ceil(seconds)} s"


@contextmanager
def progress_bar(what: str, after: float = 1.0) -> Iterator[Progress]:
    """A progress bar on stderr if the work takes longer than `after` seconds; a line now and then off a terminal.

    There is one at a time, and none if $YATZY_QUIET is set. During the one-off compilation after installation it
    says so instead.
    """
    if os.environ.get(QUIET) or not _one_bar.acquire(blocking=False):
        yield lambda _done, _total: None
        return
    if not sys.stderr.isatty():
        try:
            with _progress_lines(what) as lines:
                yield lines
        finally:
            _one_bar.release()
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


@contextmanager
def _progress_lines(what: str) -> Iterator[Progress]:
    """A line on stderr after FIRST_LINE seconds, and then each time that twice as many have gone by."""
    started, at = time.monotonic(), [0, 0]
    ended = threading.Event()

    def tell() -> None:
        wait = FIRST_LINE
        while not ended.wait(wait):
            done, total = at
            gone = time.monotonic() - started
            share = f"{done / total:.0%}, " if total else ""
            left = f", about {described(gone * (total / done - 1))} to go" if done and done < total else ""
            to_stderr(f"{what}: {'compiling, once' if compiling.now else f'{share}after {described(gone)}{left}'}")
            wait = min(gone, LONGEST_SILENCE)

    def update(done: int, total: int) -> None:
        at[:] = done, total

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield update
    finally:
        ended.set()
        teller.join()


def chunks(n: int, size: int) -> Iterator[slice]:
    """Slices of at most `size` that cover 0..n."""
    bounds = [*range(0, n, size), n]
    return (slice(a, b) for a, b in pairwise(bounds))


def in_threads(function: Callable[[Item], Result], items: Iterable[Item], threads: int | None) -> list[Result]:
    """The function's results for all items, in order; the first error ends the run."""
    return list(map_in_threads(function, items, threads))


def map_in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int | None
) -> Iterator[Result]:
    """The same as an iterator, for callers that show progress."""
    n_threads = check_threads(threads)
    if n_threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(function, items)


def one_blas_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread, which is faster for small matrix products; a no-op without threadpoolctl."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    return cast("AbstractContextManager[Any]", threadpool_limits(1, user_api="blas"))


def check_engine(engine: str, scheduler: str | None) -> None:
    """Refuse an unknown engine, and a scheduler address without Dask."""
    if engine not in ENGINES:
        raise YatzyError("engine", engine, ENGINES, "is not known")
    if engine == "local" and scheduler:
        raise YatzyError("scheduler", scheduler, why="is for the engine dask only")


@contextmanager
def connected(engine: str, scheduler: str | None = None) -> Iterator[Runner]:
    """A runner: this machine, the cluster at a scheduler's address, or a local Dask cluster without one."""
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
            else Client(threads_per_worker=1, dashboard_address=":0")
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
