"""Where a policy goes and what it scores on average: the forward pass without the distribution, in about a second.

    visits(filled + c, min(T, upper + lift)) += visits(filled, upper) * q(outcome | filled, upper)
    mean = sum over states and outcomes of visits * q * points, + bonus * P(upper >= T at the end)

For searching and training, where a policy is evaluated many times; `exact` tells everything else.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.evaluate.exact import turn_exits
from yatzy.evaluate.outcomes import outcomes
from yatzy.policy.base import Policy
from yatzy.solver.lanes import jit
from yatzy.solver.states import state_space


@dataclass(frozen=True)
class Visits:
    """Exact mean score, and the probability (n_masks, n_uppers) of coming through each state."""

    mean: float
    visits: NDArray[np.float64]


def visit(policy: Policy, threads: int | None = None) -> Visits:
    """Follow a policy whose answers are legal."""
    rules = policy.rules
    space, ends = state_space(rules), outcomes(rules)
    visits = np.zeros((space.n_masks, space.n_uppers))
    visits[0, 0] = 1.0
    totals = np.zeros(ends.n)
    for masks in space.layers[:-1]:
        index, upper = np.nonzero(visits[masks])
        filled = masks[index]
        exits = turn_exits(policy, filled, upper, threads)
        _push(filled, upper, exits, ends.category, ends.lift, visits, totals)
    bonus = rules.bonus * visits[rules.all_filled, rules.bonus_threshold]
    return Visits(float(totals @ ends.points + bonus), visits)


@jit
def _push(filled: Any, upper: Any, exits: Any, category: Any, lift: Any, visits: Any, totals: Any) -> None:
    """Move each state's probability to its successors, and count it by outcome."""
    cap = visits.shape[1] - 1
    for i in range(len(filled)):
        here = visits[filled[i], upper[i]]
        for outcome in range(len(category)):
            q = here * exits[i, outcome]
            if q != 0.0:
                totals[outcome] += q
                visits[filled[i] | 1 << category[outcome], min(upper[i] + lift[outcome], cap)] += q
