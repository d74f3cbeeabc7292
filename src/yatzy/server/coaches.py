"""The tables behind the API: one coach for theta 0 from memory-mapped files, and a few for other thetas.

Nothing here changes an answer: a table is solved once and then only read, and what is kept is what would be
computed again. Solving and forward passes take up to seconds and are called from worker threads.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from yatzy.coach.advice import Coach, stored_coach
from yatzy.coach.chances import BonusChances
from yatzy.evaluate.exact import points_to_come
from yatzy.policy.optimal import Optimal
from yatzy.rules import Ruleset, State
from yatzy.solver.solve import solve

Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept")

LARGEST_THETA = 1.0
THETAS_KEPT = 4
OUTLOOKS_KEPT = 512


class Recent(Generic[Key, Kept]):
    """The most recently used results of a function; one that is asked for twice at once is computed once."""

    def __init__(self, compute: Callable[[Key], Kept], most: int) -> None:
        self._compute, self._most = compute, most
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        self._lock, self._computing = Lock(), Lock()

    def peek(self, key: Key) -> Kept | None:
        """What is kept, without computing."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def get(self, key: Key) -> Kept:
        found = self.peek(key)
        if found is not None:
            return found
        with self._computing:
            found = self.peek(key)
            if found is None:
                found = self._compute(key)
                with self._lock:
                    self._kept[key] = found
                    if len(self._kept) > self._most:
                        self._kept.popitem(last=False)
        return found


class Coaches:
    """A coach for every theta, and by theta and state the probabilities of points to come and of the bonus."""

    def __init__(self, rules: Ruleset, folder: Path | None = None) -> None:
        self.rules = rules
        self.plain = stored_coach(rules, folder)
        self.others: Recent[float, Coach] = Recent(self._solve, THETAS_KEPT)
        self.outlooks: Recent[tuple[float, State], tuple[NDArray[np.float64], float]] = Recent(
            self._look_ahead, OUTLOOKS_KEPT
        )

    def get(self, theta: float) -> Coach:
        return self.plain if theta == 0 else self.others.get(theta)

    def _solve(self, theta: float) -> Coach:
        table = solve(self.rules, theta)
        return Coach(table, BonusChances(table))

    def _look_ahead(self, key: tuple[float, State]) -> tuple[NDArray[np.float64], float]:
        theta, state = key
        return points_to_come(Optimal(self.get(theta).table), state)
