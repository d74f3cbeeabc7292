"""What takes long, in threads: bounded queues, and nothing for a client that has gone.

There are two queues. *Light* work (a review, an outlook) takes up to a second; *heavy* work (solving for a new
theta) takes several, so it waits in a queue of its own and never keeps light work waiting. A client that leaves
while it waits is taken out of the queue; what nobody waits for any more stops at its next step.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio

from yatzy.running import Progress

Result = TypeVar("Result")


class BusyError(Exception):
    """More is asked for than can be computed."""


class GoneError(Exception):
    """Nobody waits for this any more."""


@dataclass
class Queue:
    """At most `at_once` computing and `waiting` behind them."""

    at_once: int
    waiting: int
    _limiter: anyio.CapacityLimiter | None = None
    _pool: ThreadPoolExecutor = field(init=False)
    _gone: set[threading.Event] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._pool = ThreadPoolExecutor(self.at_once)

    async def run(self, function: Callable[[Progress], Result]) -> Result:
        """The function's result; it is given a progress to call, which stops it when nobody waits any more."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(self.at_once)
        limiter = self._limiter
        if limiter.statistics().tasks_waiting >= self.waiting:
            raise BusyError
        loop, gone = asyncio.get_running_loop(), threading.Event()

        def still_wanted(_done: int, _total: int) -> None:
            if gone.is_set():
                raise GoneError

        def work() -> Result:
            still_wanted(0, 0)
            return function(still_wanted)

        def release(_ended: object) -> None:
            with suppress(RuntimeError):  # the loop may be closed
                loop.call_soon_threadsafe(limiter.release_on_behalf_of, gone)

        await limiter.acquire_on_behalf_of(gone)
        self._gone.add(gone)
        under_way = self._pool.submit(work)
        under_way.add_done_callback(release)
        try:
            return await asyncio.wrap_future(under_way)
        except GoneError:
            # It was computed for somebody else, who has left.
            raise BusyError from None
        finally:
            self._gone.discard(gone)
            gone.set()

    def close(self) -> None:
        """Stop what is being computed."""
        for gone in tuple(self._gone):
            gone.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


async def while_connected(answer: Callable[[], Any], receive: Callable[[], Any]) -> None:
    """Await an answer as long as the client is there; `receive` has nothing more to give but its leaving."""

    async def watch(scope: anyio.CancelScope) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch, tasks.cancel_scope)
        await answer()
        tasks.cancel_scope.cancel()
