"""Where long work runs: on this machine, or spread over a Dask cluster.

An engine takes a function and items and yields (item, result) pairs as they finish, in any order. `local` runs
the items one after another (the kernels themselves use all cores); `dask` sends each item to a worker, and again
if the worker dies. Functions and items must be picklable, and results must not depend on where they are computed.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from yatzy.errors import YatzyError

Item = TypeVar("Item")
Result = TypeVar("Result")

ENGINES = ("local", "dask")
SECONDS_TO_ANSWER = 10


def run(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    engine: str = "local",
    scheduler: str | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Apply the function to every item; without a scheduler's address, dask starts a local cluster."""
    if engine not in ENGINES:
        raise YatzyError(f"engine: {engine!r} is not known; allowed are {' and '.join(ENGINES)}")
    if engine == "local":
        if scheduler:
            raise YatzyError(f"scheduler: {scheduler!r} is for the engine dask only")
        return ((item, function(item)) for item in items)
    return _run_on_dask(function, list(items), scheduler)


def _run_on_dask(
    function: Callable[[Item], Result], items: list[Item], scheduler: str | None
) -> Iterator[tuple[Item, Result]]:
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise YatzyError(
            "engine: dask is not installed; install the extra with: pip install 'yatzy[cluster]'"
        ) from None
    try:
        client = (
            Client(scheduler, timeout=SECONDS_TO_ANSWER)
            if scheduler
            else Client(threads_per_worker=1, dashboard_address=None)
        )
    except (OSError, TimeoutError, ValueError) as error:
        raise YatzyError(f"scheduler: no Dask scheduler answers at {scheduler!r} ({error})") from None
    with client:
        futures = {client.submit(function, item, pure=False, retries=2): item for item in items}
        for future, result in as_completed(futures, with_results=True):
            yield futures[future], result
