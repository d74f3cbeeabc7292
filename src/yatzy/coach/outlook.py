"""The outlook: the exact distribution of the final score from a state on.

One forward pass (`evaluate.forward`) that starts in the state at hand and so reaches only masks that include its
filled categories: 2^k of them with k open categories. Points so far shift the result and change nothing else,
since a policy looks at the state alone.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.context import Context, Progress
from yatzy.evaluate.distribution import Distribution
from yatzy.game.aim import check_points
from yatzy.game.json import INLINE, Probability
from yatzy.rules import Ruleset, State
from yatzy.solver.goals import GoalTable
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.turn.outcomes import highest_score

if TYPE_CHECKING:
    from yatzy.policy.base import Policy


@dataclass(frozen=True)
class Outlook:
    """How a game can end: the distribution of the final score, and the chance of the bonus."""

    distribution: Annotated[Distribution, INLINE]
    bonus_rate: Probability


def outlook(policy: "Policy", state: State, points: int, threads: int | None = None) -> Outlook:
    """How the game ends from a state with `points` on the card, under a policy."""
    from yatzy.evaluate.exact import points_to_come

    state_space(policy.rules).check(state.filled, state.upper)
    check_points(policy.rules, state, points)
    to_come, bonus_rate = points_to_come(policy, state, Context(threads=threads))
    return Outlook(final_scores(policy.rules, points, to_come), bonus_rate)


def reach_curves(
    table: ValueTable, chances: GoalTable, state: State, points: int, progress: Progress | None = None
) -> tuple[list[float], list[float]]:
    """The chance of every final score from 0 on, or more: playing for it, and playing perfectly for the mean."""
    from yatzy.evaluate.exact import points_to_come
    from yatzy.policy.optimal import Optimal

    to_come, _ = points_to_come(Optimal(table), state, Context(progress=progress))
    pmf = final_scores(table.rules, points, to_come).pmf
    mean = np.minimum(np.cumsum(pmf[::-1])[::-1], 1.0)
    n = len(mean)
    best = chances.row_values(state, points - n + 1, n)[::-1]
    # A chance in float32 can be below that of a policy in float64 by its rounding.
    return np.maximum(best.astype(np.float64), mean).tolist(), mean.tolist()


def final_scores(rules: Ruleset, points: int, to_come: FloatArray) -> Distribution:
    """Points on the card plus points to come: the final score, from 0 to the most there can be."""
    pmf = np.zeros(highest_score(rules) + 1)
    n = min(len(to_come), len(pmf) - points)
    pmf[points : points + n] = to_come[:n]
    return Distribution(pmf)
