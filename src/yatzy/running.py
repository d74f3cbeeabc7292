"""How long-running work is done: threads, chunks, progress reports, and a progress bar on a terminal."""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import pairwise
from typing import Any, TypeVar, cast

from yatzy.errors import whole

Item = TypeVar("Item")
Result = TypeVar("Result")

# Games of one run: what would take longer than anybody waits is a slip of the finger.
MOST_GAMES = 10**9
MOST_THREADS = 1024
MOST_SEED = 2**64 - 1

# Called with (done, total) while long work is running.
Progress = Callable[[int, int], None]
# A part reports its own steps; all of them make up this many steps of the whole.
STEPS_PER_PART = 1000
# Called with a sentence whenever there is something to report.
Report = Callable[[str], None]


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


def parts_of(progress: Progress | None, n: int) -> list[Progress]:
    """Progress of n parts that run at the same time, as part of the whole."""
    steps = [0] * n

    def part(i: int) -> Progress:
        def report(done: int, total: int) -> None:
            steps[i] = STEPS_PER_PART * done // max(total, 1)
            if progress:
                progress(sum(steps), n * STEPS_PER_PART)

        return report

    return [part(i) for i in range(n)]


def shown(progress: Progress | None, what: str) -> AbstractContextManager[Progress]:
    """The caller's own progress or, without one, a bar."""
    return nullcontext(progress) if progress else progress_bar(what)


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


def check_threads(threads: int | None) -> int:
    """The number of threads to use: all cores if none is given."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return whole("threads", threads, 1, MOST_THREADS)


def check_seed(seed: int) -> int:
    """A seed of everything that is drawn."""
    return whole("seed", seed, 0, MOST_SEED)


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
