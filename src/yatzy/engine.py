"""Where long work runs: on this machine, or spread over a Dask cluster.

An engine takes a function and items and yields (item, result) pairs as they finish, in any order. `local` runs
the items one after another (the kernels themselves use all cores); `dask` sends each item to a worker, and again
if the worker dies; items are made only as workers get free. Functions and items must be picklable, and results
must not depend on where they are computed.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from yatzy.errors import YatzyError

Item = TypeVar("Item")
Result = TypeVar("Result")

# Applies a function to items, as `run` does.
Runner = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[tuple[Any, Any]]]

ENGINES = ("local", "dask")
SECONDS_TO_ANSWER = 10
# Items that wait at a worker, so that it never waits for one.
ITEMS_PER_WORKER = 2


def run(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    engine: str = "local",
    scheduler: str | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Apply the function to every item; without a scheduler's address, dask starts a local cluster."""
    check_engine(engine, scheduler)

    def results() -> Iterator[tuple[Item, Result]]:
        with connected(engine, scheduler) as runner:
            yield from runner(function, items)

    return results()


def check_engine(engine: str, scheduler: str | None) -> None:
    """Refuse an engine that is not known, and a scheduler without one."""
    if engine not in ENGINES:
        raise YatzyError("engine", engine, ENGINES, "is not known")
    if engine == "local" and scheduler:
        raise YatzyError("scheduler", scheduler, why="is for the engine dask only")


@contextmanager
def connected(engine: str, scheduler: str | None = None) -> Iterator[Runner]:
    """An engine that stays for several rounds of work."""
    check_engine(engine, scheduler)
    if engine == "local":
        yield lambda function, items: ((item, function(item)) for item in items)
        return
    try:
        from distributed import Client
    except ImportError:
        raise YatzyError(
            "engine", why="dask is not installed; install the extra with: pip install 'yatzy[cluster]'"
        ) from None
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
