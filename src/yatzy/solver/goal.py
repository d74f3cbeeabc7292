"""What a player may want of the final score: the mean, a risk, a target, any worth of it, or to win a duel.

How a goal is solved for is in `goals`.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, read_only
from yatzy.errors import YatzyError
from yatzy.game.aim import check_theta
from yatzy.solver.table import ValueTable

# Small enough to decide only ties, large enough for float64 to resolve a mean to a millionth.
PRICE = 1e-9


class Round(NamedTuple):
    """How an expected score changes in a round: chance[a, b, i] is that of `lowest` + i points and cluster b
    afterwards, given cluster a before; `weights` are the chances of the clusters before.
    """

    weights: FloatArray
    lowest: int
    chance: FloatArray

    @property
    def points(self) -> IntArray:
        return self.lowest + np.arange(self.chance.shape[2])

    @property
    def variance(self) -> float:
        return float(self.weights @ self.chance.sum(axis=1) @ self.points**2)


@dataclass(frozen=True, eq=False)
class OpponentModel:
    """An opponent who plays for the mean by `table`: his expected final score changes in every round.

    The change depends on the cluster of his card; `clusters` (n_sets, n_uppers) has that of every card.
    """

    table: ValueTable = field(repr=False)
    rounds: tuple[Round, ...] = field(repr=False)
    clusters: NDArray[np.uint8] = field(repr=False)
    moves_first: bool = True

    def round_after(self, n_filled: int) -> Round | None:
        """His round after my turn that fills the n-th category, if any."""
        number = n_filled + self.moves_first
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None

    def n_clusters(self, n_filled: int) -> int:
        """The number of clusters of his card when it is my turn with n categories filled."""
        played = n_filled + self.moves_first
        return len(self.rounds[played].weights) if played < len(self.rounds) else 1


@dataclass(frozen=True, eq=False)
class Goal:
    """What a player wants of the final score, for `yatzy.solve(goal=...)` and `yatzy.from_here`.

    >>> from yatzy.solver.goal import reach, risk
    >>> reach().name, risk(0.05).theta
    ('reach', 0.05)

    Functions of `yatzy.solver.goal` make them: `mean()`, `risk(theta)`, `reach()` (the greatest chance of
    any target), `cheapest_reach(table)`, `utility(worths)` (any worth of the final score) and `duel(opponent)`.
    """

    name: str
    worths: NDArray[np.float64] | None = field(default=None, repr=False)
    opponent: OpponentModel | None = None
    theta: float | None = None
    # The value of a point beside the chance, and the table of play for the mean.
    price: float = 0.0
    table: ValueTable | None = field(default=None, repr=False)

    @property
    def is_reach(self) -> bool:
        return self.is_chance and self.opponent is None

    @property
    def is_chance(self) -> bool:
        """Whether values are chances: 0 before a row and 1 after it."""
        return self.worths is None and self.theta is None

    @property
    def is_rising(self) -> bool:
        """Whether more points are never worse."""
        return self.worths is None or bool((np.diff(self.worths) >= 0).all())

    def worth(self, y: IntArray) -> NDArray[Any]:
        """The utility of finished games, by y with the bonus."""
        if self.worths is not None:
            return np.asarray(self.worths[np.minimum(y, len(self.worths) - 1)])
        if self.opponent is not None:
            return np.asarray((np.sign(y) + 1) / 2)
        return np.asarray((y >= 0) + self.price * y)


def mean() -> Goal:
    """The greatest expected score."""
    return Goal("mean", theta=0.0)


def risk(theta: float) -> Goal:
    """The greatest mean of exp(theta * score): positive seeks risk, negative avoids it."""
    return Goal("risk", theta=check_theta(theta))


def reach() -> Goal:
    """The greatest chance of at least a target, for all targets at once."""
    return Goal("reach")


def cheapest_reach(table: ValueTable) -> Goal:
    """The greatest chance of a target and, among plays with that chance, the highest mean.

    F = chance + PRICE * (mean - target), for all targets at once; it needs float64.
    """
    return Goal("cheapest-reach", price=PRICE, table=table)


def utility(worths: Any, name: str = "utility") -> Goal:
    """The greatest mean of worths[final score]; scores past the end count as the last."""
    numbers = np.asarray(worths, dtype=np.float64)
    if numbers.ndim != 1 or not len(numbers) or not np.isfinite(numbers).all():
        raise YatzyError("worths", why="is not a list of finite numbers, one for each score from 0 up")
    return Goal(name, read_only(numbers))


def duel(opponent: OpponentModel) -> Goal:
    """The greatest chance to beat an opponent who plays for the mean; a tie is half a win."""
    return Goal(f"duel-{'second' if opponent.moves_first else 'first'}", opponent=opponent)
