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
from typing import Any, TypeVar

from yatzy.context import Progress

Result = TypeVar("Result")


class BusyError(Exception):
    """More is asked for than can be computed."""


class GoneError(Exception):
    """Nobody waits for this any more."""


class Queue:
    """At most `at_once` computing and `waiting` behind them."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._free, self._pool = asyncio.Semaphore(at_once), ThreadPoolExecutor(at_once)
        self._waiting, self._most_waiting = 0, waiting
        self._gone: set[threading.Event] = set()

    async def run(self, function: Callable[[Progress], Result]) -> Result:
        """The function's result; it is given a progress to call, which stops it when nobody waits any more."""
        if self._waiting >= self._most_waiting:
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
                loop.call_soon_threadsafe(self._free.release)

        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        self._gone.add(gone)
        under_way = self._pool.submit(work)
        under_way.add_done_callback(release)
        try:
            return await asyncio.wrap_future(under_way)
        except GoneError:
            # The server is ending.
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

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    answering, watching = asyncio.create_task(answer()), asyncio.create_task(watch())
    watching.add_done_callback(lambda _: answering.cancel())
    try:
        await answering
    except asyncio.CancelledError:
        if not watching.done():
            raise
    finally:
        watching.cancel()
