"""The tables behind the API: one coach for theta 0 from its files, and a few for other games and other thetas.

Nothing here changes an answer: a table is solved once and then only read, and what is kept is what would be
computed again. Solving and forward passes take up to seconds and are called from worker threads.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Generic, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from yatzy.coach.advice import Coach, stored_coach
from yatzy.coach.by_chance import ByChance
from yatzy.coach.chances import BonusChances
from yatzy.coach.judging import Judge
from yatzy.context import Context, Progress
from yatzy.home import home
from yatzy.rules import Ruleset, State
from yatzy.server.targets import Targets
from yatzy.solver.solve import solve
from yatzy.solver.store import stored_table

Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept")

LARGEST_THETA = 1.0
GAMES_KEPT = 6
THETAS_KEPT = 4
OUTLOOKS_KEPT = 512


class Recent(Generic[Key, Kept]):
    """The most recently used results of a function.

    A key that is asked for twice at once is computed once, and whoever asks second waits for it; different keys
    are computed side by side. The function is given a progress, by which whoever asked may stop it.
    """

    def __init__(self, compute: Callable[[Key, Progress | None], Kept], most: int) -> None:
        self._compute, self._most = compute, most
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        # One for each key that is being computed.
        self._turns: WeakValueDictionary[Key, Lock] = WeakValueDictionary()
        self._lock = Lock()

    def peek(self, key: Key) -> Kept | None:
        """What is kept, without computing."""
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
    """A coach for every game and theta, and by state the probabilities of points to come and of the bonus.

    `plain` is for the server's own game and theta 0, and always there; of all others the last few are kept.
    """

    def __init__(self, rules: Ruleset, folder: Path | None = None, wait: bool = True) -> None:
        """Without `wait`, another process makes what is not there yet: see `coach.preparing`."""
        self.rules, self._folder, self._wait = rules, folder, wait
        self.games: Recent[Ruleset, Coach] = Recent(self._solve_game, GAMES_KEPT)
        self.others: Recent[tuple[Ruleset, float], Coach] = Recent(
            lambda key, progress: self._solve(*key, progress), THETAS_KEPT
        )
        self.chances = ByChance(Targets(rules, folder).find, threads=1)
        self.outlooks: Recent[OutlookKey, tuple[NDArray[np.float64], float]] = Recent(
            self._look_ahead, OUTLOOKS_KEPT
        )

    @cached_property
    def plain(self) -> Coach:
        """The coach of the server's own game for theta 0; its files are made if they are not there."""
        if self._wait:
            return stored_coach(self.rules, Context(self._folder))
        return Coach(
            stored_table(self.rules, context=Context(self._folder), draft=True), look_in=home(self._folder)
        )

    def peek(self, rules: Ruleset, theta: float) -> Coach | None:
        """A coach that is there."""
        if theta == 0:
            return self.plain if rules == self.rules else self.games.peek(rules)
        return self.others.peek((rules, theta))

    def get(self, rules: Ruleset, theta: float, progress: Progress | None = None) -> Coach:
        if theta == 0:
            return self.plain if rules == self.rules else self.games.get(rules, progress)
        return self.others.get((rules, theta), progress)

    def judge(self, rules: Ruleset, progress: Progress | None = None) -> Judge:
        """What judges decisions that were made for a goal other than the mean."""
        table = self.get(rules, 0.0, progress).table
        return Judge(table, self.chances, lambda theta: self.get(rules, theta, progress).table)

    def _solve_game(self, rules: Ruleset, progress: Progress | None) -> Coach:
        """With every chance of the bonus, so that advice is as quick as in the server's own game."""
        coach = self._solve(rules, 0.0, progress)
        assert coach.chances is not None
        coach.chances.from_mask(0, Context(threads=1, progress=progress))
        return coach

    def _solve(self, rules: Ruleset, theta: float, progress: Progress | None) -> Coach:
        # On one thread: the others are for those who ask for what is there.
        table = solve(rules, theta, context=Context(threads=1, progress=progress), draft=True)
        return Coach(table, BonusChances(table))

    def _look_ahead(self, key: OutlookKey, progress: Progress | None) -> tuple[NDArray[np.float64], float]:
        from yatzy.evaluate.exact import points_to_come
        from yatzy.policy.optimal import Optimal

        table = self.get(key.rules, key.theta, progress).table
        return points_to_come(Optimal(table), key.state, Context(progress=progress))
