"""The outlook: the exact distribution of the final score from a state on.

One forward pass (`evaluate.forward`) that starts in the state at hand and so reaches only masks that include its
filled categories: 2^k of them with k open categories. Points so far shift the result and change nothing else,
since a policy looks at the state alone.
"""

from dataclasses import dataclass

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.errors import YatzyError
from yatzy.evaluate.distribution import Distribution
from yatzy.evaluate.exact import points_to_come
from yatzy.policy.base import Policy
from yatzy.rules import Ruleset, State, format_filled
from yatzy.solver.states import state_space


@dataclass(frozen=True)
class Outlook:
    """How a game can end: the distribution of the final score, and the chance of the bonus."""

    distribution: Distribution
    bonus_rate: float


def outlook(policy: Policy, state: State, points: int, threads: int | None = None) -> Outlook:
    """How the game ends from a state with `points` on the card, under a policy whose answers are legal."""
    check_points(policy.rules, state, points)
    to_come, bonus_rate = points_to_come(policy, state, threads)
    return Outlook(final_scores(policy.rules, points, to_come), bonus_rate)


def final_scores(rules: Ruleset, points: int, to_come: FloatArray) -> Distribution:
    """Points on the card plus points to come: the final score, from 0 to the most there can be."""
    pmf = np.zeros(sum(map(max, zip(*rules.scores, strict=True))) + rules.bonus + 1)
    n = min(len(to_come), len(pmf) - points)
    pmf[points : points + n] = to_come[:n]
    return Distribution(pmf)


def check_points(rules: Ruleset, state: State, points: int) -> None:
    """Refuse points that a card with these categories filled and this upper total cannot have."""
    state_space(rules).check(state.filled, state.upper)
    possible = possible_points(rules, state)
    if isinstance(points, bool) or not isinstance(points, int) or points not in possible:
        raise YatzyError(
            f"points: {points!r} cannot stand with filled {format_filled(rules, state.filled)!r} and upper "
            f"{state.upper}; allowed are numbers from {min(possible)} to {max(possible)}"
        )


def possible_points(rules: Ruleset, state: State) -> set[int]:
    """Every sum of points that the filled categories can hold with this upper total."""
    by_category = list(zip(*rules.scores, strict=True))
    sums = {True: {0}, False: {0}}
    for category_id, category in enumerate(rules.categories):
        if state.filled >> category_id & 1:
            points = {0, *by_category[category_id]}
            sums[category.upper] = {a + b for a in sums[category.upper] for b in points}
    uppers = {u for u in sums[True] if min(u, rules.bonus_threshold) == state.upper}
    return {a + b for a in uppers for b in sums[False]}
