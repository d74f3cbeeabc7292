"""A policy from a vectorised function, which is asked about many states at once and answers with arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import BoolArray, IntArray
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.policy.base import Decisions, empty_decisions
from yatzy.rules import Ruleset, ruleset
from yatzy.turn.outcomes import outcomes


@dataclass(frozen=True, eq=False)
class States:
    """Many states at once, for a vectorised function: n states (filled[i], upper[i]), and every roll in each.

    >>> import numpy as np, yatzy
    >>> def quick(states):
    ...     pairs = states.keep_ids(states.counts * (states.counts >= 2))      # hold what is there twice
    ...     return states.points.argmax(axis=2), pairs                         # score where it pays most
    >>> yatzy.policy(quick, vectorised=True)
    <policy 'quick' for scandinavian>

    A function returns two arrays of whole numbers: the category (n, n_rolls), and the id of the keep (n, rerolls,
    n_rolls), at [:, j] with j + 1 rerolls left; what is the same for every state may have fewer axes.
    """

    rules: Ruleset
    filled: IntArray
    upper: IntArray

    @property
    def counts(self) -> IntArray:
        """(n_rolls, faces): how many dice show each face."""
        dice = lattice(self.rules.dice, self.rules.faces)
        return dice.counts[: dice.n_rolls]

    @cached_property
    def points(self) -> IntArray:
        """(n, n_rolls, n_categories): what a roll would bring, -1 where it may not be scored."""
        return outcomes(self.rules).points_of_rolls(self.filled)

    @cached_property
    def is_open(self) -> BoolArray:
        """(n, n_categories)."""
        closed = np.asarray(self.rules.closed(self.filled))
        return np.asarray(closed[:, None] >> np.arange(self.rules.n_categories) & 1 == 0)

    def keep_ids(self, counts: IntArray) -> IntArray:
        """Ids of keeps, from how many dice of each face are held (the last axis)."""
        ids = _keep_of_counts(self.rules.dice, self.rules.faces)
        places = (self.rules.dice + 1) ** np.arange(self.rules.faces)
        return np.asarray(ids[counts @ places])


@lru_cache(maxsize=4)
def _keep_of_counts(dice: int, faces: int) -> IntArray:
    grid = lattice(dice, faces)
    ids = np.full((dice + 1) ** faces, -1, np.int64)
    ids[grid.counts @ (dice + 1) ** np.arange(faces)] = np.arange(grid.n_keeps)
    return ids


class VectorisedPolicy:
    """A policy that does what a function of many states says: `yatzy.policy(function, vectorised=True)`."""

    def __init__(
        self, function: Callable[[States], Any], rules: str | Ruleset = "scandinavian", name: str | None = None
    ) -> None:
        self.function, self.rules = function, ruleset(rules)
        self.name = str(name or getattr(function, "__name__", type(function).__name__))

    def __repr__(self) -> str:
        return f"<policy {self.name!r} for {self.rules.name}>"

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        right = empty_decisions(self.rules, filled)
        found = self.function(States(self.rules, np.asarray(filled), np.asarray(upper)))
        if not isinstance(found, tuple) or len(found) != 2:
            raise YatzyError(
                f"policy {self.name!r}",
                allowed="a pair (category, keep)",
                why=f"answers with {type(found).__name__}",
            )
        category, keep = found
        return Decisions(self._fit("category", category, right.category), self._fit("keep", keep, right.keep))

    def _fit(self, field: str, given: Any, like: NDArray[Any]) -> NDArray[Any]:
        """The array in its full shape; what it must not hold is found by whoever plays it."""
        numbers = np.asarray(given)
        if numbers.ndim == 2 and like.ndim == 3 and numbers.shape[0] == like.shape[0]:
            numbers = numbers[:, None, :]
        try:
            return np.broadcast_to(numbers, like.shape)
        except ValueError:
            raise YatzyError(
                f"policy {self.name!r}", allowed=f"{like.shape}", why=f"its {field} has shape {numbers.shape}"
            ) from None
