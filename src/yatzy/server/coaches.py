"""Long computations behind the API: coaches, chances of targets, and the queues in which they run.

`Coaches` keeps the server's own game from its files and the last few other games and thetas; a table is solved
once and then only read. The chances of all targets (`TargetChances`) are a file of over a gigabyte, solved once by
a separate process for the server's own game; until it exists, clients are told to try again. It is memory-mapped,
so it is checked for changes before each use.

`Queue` runs work in threads. Light work (a review, an outlook) takes up to a second, heavy work (solving for a new
theta) several, so each has its own queue. A client that disconnects leaves the queue; work that nobody waits for
any longer stops at its next step.
"""

import asyncio
import os
import subprocess
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from yatzy.coach.advice import Coach, GoalAdvisor, stored_coach
from yatzy.coach.outlook import BonusChances
from yatzy.coach.preparation import start_targets
from yatzy.coach.review import Judge
from yatzy.context import Context, Progress
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, State
from yatzy.solver.from_here import SOLVED_FROM_HERE
from yatzy.solver.goal import reach
from yatzy.solver.goals import GoalTable
from yatzy.solver.solve import solve
from yatzy.solver.store import goal_path, load_goal, stored_table
from yatzy.storage import home


class NotYetError(Exception):
    """Being computed; try again later. `field` is the part of the request that needs it."""

    field: str | None = None


@contextmanager
def naming_field(field: str) -> Iterator[None]:
    """Name the field that needs what is still being computed."""
    try:
        yield
    except NotYetError as error:
        error.field = field
        raise


class TargetChances:
    """The chances of all targets in all states of the server's own game."""

    def __init__(self, rules: Ruleset, folder: Path | None = None) -> None:
        self.rules, self._folder = rules, folder
        self._found: GoalTable | None = None
        self._seen: os.stat_result | None = None
        self._solving: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def find(self, rules: Ruleset) -> GoalTable:
        """The chances; `NotYetError` while they are being solved."""
        if rules != self.rules:
            why = f"has chances only once at most {SOLVED_FROM_HERE} boxes are open"
            raise YatzyError("rules", rules.name, f"{self.rules.name}, this server's game, at any time", why)
        with self._lock:
            if self._found is not None and self._is_changed():
                self._found = self._solving = None
            if self._found is None:
                self._seen = self._look()
                self._found = self._load()
            return self._found

    def _look(self) -> os.stat_result | None:
        try:
            return goal_path(self.rules, reach(), self._folder).stat()
        except OSError:
            return None

    def _is_changed(self) -> bool:
        """Whether the mapped file was written to; replacing or removing it does no harm."""
        then, now = self._seen, self._look()
        if then is None or now is None or then.st_ino != now.st_ino:
            return False
        return (then.st_size, then.st_mtime_ns) != (now.st_size, now.st_mtime_ns)

    def _load(self) -> GoalTable:
        if self._solving is not None and self._solving.poll() is None:
            raise NotYetError
        found = load_goal(self.rules, reach(), Context(self._folder))
        if found is not None:
            return found
        if self._solving is not None:
            path = goal_path(self.rules, reach(), self._folder)
            why = "the chances of every target could not be kept in {given}; is there room on the disk?"
            raise YatzyError("home", str(path.parent), why=why)
        self._solving = start_targets(self.rules, self._folder)
        raise NotYetError


Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept")

MAX_THETA = 1.0
MAX_GAMES_KEPT = 6
MAX_THETAS_KEPT = 4
MAX_OUTLOOKS_KEPT = 512


class RecentResults(Generic[Key, Kept]):
    """An LRU cache of a slow function for several threads.

    A key requested twice at once is computed once; different keys are computed in parallel. The function takes a
    progress callback, through which the caller may stop it.
    """

    def __init__(self, compute: Callable[[Key, Progress | None], Kept], most: int) -> None:
        self._compute, self._most = compute, most
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        # A lock for each key that is being computed.
        self._turns: WeakValueDictionary[Key, Lock] = WeakValueDictionary()
        self._lock = Lock()

    def peek(self, key: Key) -> Kept | None:
        """The cached result, if any."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def get(self, key: Key, progress: Progress | None = None) -> Kept:
        with self._lock:
            turn = self._turns.setdefault(key, Lock())
        with turn:
            found = self.peek(key)
            if found is None:
                found = self._compute(key, progress)
                with self._lock:
                    self._kept[key] = found
                    if len(self._kept) > self._most:
                        self._kept.popitem(last=False)
            return found


class OutlookKey(NamedTuple):
    """What an outlook depends on."""

    rules: Ruleset
    theta: float
    state: State


class Coaches:
    """A coach for every game and theta, and the distribution of remaining points from every state.

    `plain`, for the server's own game and theta 0, is always there; of all others the last few are kept.
    """

    def __init__(self, rules: Ruleset, folder: Path | None = None, wait: bool = True) -> None:
        """Without `wait`, another process computes what is missing (see `coach.preparation`)."""
        self.rules, self._folder, self._wait = rules, folder, wait
        self.games: RecentResults[Ruleset, Coach] = RecentResults(self._solve_game, MAX_GAMES_KEPT)
        self.others: RecentResults[tuple[Ruleset, float], Coach] = RecentResults(
            lambda key, progress: self._solve(*key, progress), MAX_THETAS_KEPT
        )
        self.chances = GoalAdvisor(TargetChances(rules, folder).find, threads=1)
        self.outlooks: RecentResults[OutlookKey, tuple[NDArray[np.float64], float]] = RecentResults(
            self._look_ahead, MAX_OUTLOOKS_KEPT
        )

    @cached_property
    def plain(self) -> Coach:
        """The coach of the server's own game for theta 0; missing files are written."""
        if self._wait:
            return stored_coach(self.rules, Context(self._folder))
        return Coach(
            stored_table(self.rules, context=Context(self._folder), draft=True), look_in=home(self._folder)
        )

    def peek(self, rules: Ruleset, theta: float) -> Coach | None:
        """A coach that is ready."""
        if theta == 0:
            return self.plain if rules == self.rules else self.games.peek(rules)
        return self.others.peek((rules, theta))

    def get(self, rules: Ruleset, theta: float, progress: Progress | None = None) -> Coach:
        if theta == 0:
            return self.plain if rules == self.rules else self.games.get(rules, progress)
        return self.others.get((rules, theta), progress)

    def judge(self, rules: Ruleset, progress: Progress | None = None) -> Judge:
        """Judges decisions made for a goal other than the mean."""
        table = self.get(rules, 0.0, progress).table
        return Judge(table, self.chances, lambda theta: self.get(rules, theta, progress).table)

    def _solve_game(self, rules: Ruleset, progress: Progress | None) -> Coach:
        """With all chances of the bonus, so that advice is as fast as for the server's own game."""
        coach = self._solve(rules, 0.0, progress)
        assert coach.chances is not None
        coach.chances.from_mask(0, Context(threads=1, progress=progress))
        return coach

    def _solve(self, rules: Ruleset, theta: float, progress: Progress | None) -> Coach:
        # On one thread: the others serve requests that need no solving.
        table = solve(rules, theta, context=Context(threads=1, progress=progress), draft=True)
        return Coach(table, BonusChances(table))

    def _look_ahead(self, key: OutlookKey, progress: Progress | None) -> tuple[NDArray[np.float64], float]:
        from yatzy.measure.exact import points_to_come
        from yatzy.policies.optimal import Optimal

        table = self.get(key.rules, key.theta, progress).table
        return points_to_come(Optimal(table), key.state, Context(progress=progress))


Result = TypeVar("Result")


class BusyError(Exception):
    """The queue is full."""


class GoneError(Exception):
    """Nobody waits for this any longer."""


class Queue:
    """At most `at_once` jobs running and `waiting` behind them."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._free, self._pool = asyncio.Semaphore(at_once), ThreadPoolExecutor(at_once)
        self._waiting, self._most_waiting = 0, waiting
        self._gone: set[threading.Event] = set()

    async def run(self, function: Callable[[Progress], Result]) -> Result:
        """The function's result; the progress callback it is given stops it once nobody waits any longer."""
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
            # The server is shutting down.
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
    """Await a response while the client is connected; all that `receive` can still bring is its disconnect."""

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
