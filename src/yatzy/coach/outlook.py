"""The outlook: the exact distribution of the final score from a state on.

One forward pass (`evaluate.forward`) that starts in the state at hand and so reaches only masks that include its
filled categories: 2^k of them with k open categories. Points so far shift the result and change nothing else,
since a policy looks at the state alone.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.errors import YatzyError
from yatzy.evaluate.distribution import Distribution
from yatzy.rules import Ruleset, State, format_filled
from yatzy.solver.states import state_space
from yatzy.turn.outcomes import highest_score, outcomes

if TYPE_CHECKING:
    from yatzy.policy.base import Policy


@dataclass(frozen=True)
class Outlook:
    """How a game can end: the distribution of the final score, and the chance of the bonus."""

    distribution: Distribution
    bonus_rate: float


def outlook(policy: "Policy", state: State, points: int, threads: int | None = None) -> Outlook:
    """How the game ends from a state with `points` on the card, under a policy."""
    from yatzy.evaluate.exact import points_to_come

    check_points(policy.rules, state, points)
    to_come, bonus_rate = points_to_come(policy, state, threads)
    return Outlook(final_scores(policy.rules, points, to_come), bonus_rate)


def final_scores(rules: Ruleset, points: int, to_come: FloatArray) -> Distribution:
    """Points on the card plus points to come: the final score, from 0 to the most there can be."""
    pmf = np.zeros(highest_score(rules) + 1)
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
            f"{state.upper}; {_nearest(points, possible)}"
        )


def _nearest(points: object, possible: set[int]) -> str:
    """What is allowed, beginning next to what was given."""
    if not isinstance(points, int):
        return f"allowed are whole numbers from {min(possible)} to {max(possible)}"
    below, above = [p for p in possible if p < points], [p for p in possible if p > points]
    nearest = [str(end) for end in (max(below, default=None), min(above, default=None)) if end is not None]
    return f"nearest are {' and '.join(nearest)}" if len(nearest) > 1 else f"nearest is {nearest[0]}"


def possible_points(rules: Ruleset, state: State) -> set[int]:
    """Every sum of points that the filled categories can hold with this upper total, and extra points beside them.

    Which box a roll with extra points went into is not asked: a few sums may be let through that no game has.
    """
    ends = outcomes(rules)
    in_box = ends.points - ends.extra
    sums = {True: {0}, False: {0}}
    for category_id, category in enumerate(rules.categories):
        if state.filled >> category_id & 1:
            of_box = (ends.category == category_id) & (state.filled & ends.bits == ends.bits)
            if state.filled & rules.flag_of(category_id):
                of_box &= ends.bits & rules.flag_of(category_id) > 0
            points = set(in_box[of_box].tolist())
            sums[category.upper] = {a + b for a in sums[category.upper] for b in points}
    uppers = {u for u in sums[True] if min(u, rules.bonus_threshold) == state.upper}
    on_card = {a + b for a in uppers for b in sums[False]}
    return {a + b for a in on_card for b in _possible_extra(rules, state)}


def _possible_extra(rules: Ruleset, state: State) -> set[int]:
    """Sums of extra points: they need a flag that is set, and come at most once with each other filled box."""
    flags = sum(rules.flag_of(c) for c in rules.flagged)
    most = int(outcomes(rules).extra.max(initial=0))
    n_filled = (state.filled & rules.all_filled).bit_count()
    return set(range(0, most * (n_filled - 1) + 1, most)) if most and state.filled & flags else {0}
