"""Where a policy goes and what it scores on average: the forward pass without the distribution, in about a second.

    visits(filled + c, min(T, upper + lift)) += visits(filled, upper) * q(outcome | filled, upper)
    mean = sum over states and outcomes of visits * q * points, + bonus * P(upper >= T at the end)

For searching and training, where a policy is evaluated many times; `exact` gives everything else.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from yatzy.arrays import FloatArray, Floats1, Floats2, IntArray, Ints1
from yatzy.evaluate.exact import turn_exits
from yatzy.policy.base import KnowsExits, Policy
from yatzy.rules import Ruleset
from yatzy.running import chunks
from yatzy.solver.states import state_space
from yatzy.turn.jit import jit
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import Turn, turn_tables
from yatzy.turn.values import after, row_of, with_saved

STATES_PER_BLOCK = 1 << 16


@dataclass(frozen=True)
class Visits:
    """Exact mean score, and the probability (n_masks, n_uppers) of passing through each state."""

    mean: float
    visits: FloatArray


def visit(player: Policy | KnowsExits, threads: int | None = None) -> Visits:
    """Follow a policy whose answers are legal, or play that draws its actions."""
    return follow(player.rules, lambda filled, upper: turn_exits(player, filled, upper, threads))


def follow(rules: Ruleset, exits_of: Callable[[IntArray, IntArray], FloatArray]) -> Visits:
    """Follow play known only by how its turns end: `exits_of(filled, upper)` (n, n_outcomes)."""
    space, ends = state_space(rules), outcomes(rules)
    visits = np.zeros((space.n_masks, space.n_uppers))
    visits[0, 0] = 1.0
    totals = np.zeros(ends.n)
    for n_filled in range(rules.n_categories):
        masks = space.masks_of_layer(n_filled)
        index, upper = np.nonzero(visits[space.row(masks)])
        filled = masks[index]
        for block in chunks(len(filled), STATES_PER_BLOCK // (1 + n_filled * rules.saves_throws)):
            exits = exits_of(filled[block], upper[block])
            _push(filled[block], upper[block], exits, turn_tables(rules), visits, totals)
    bonus = rules.bonus * visits[rules.is_finished(space.masks), rules.bonus_threshold].sum()
    return Visits(float(totals @ ends.points + bonus), visits)


@jit
def _push(filled: Ints1, upper: Ints1, exits: Floats2, turn: Turn, visits: Floats2, totals: Floats1) -> None:
    """Move each state's probability to its successors, and count it by outcome."""
    n_outcomes, masks, bits, lift, cap = len(turn.points), turn.masks, turn.bits, turn.lift, turn.cap
    for i in range(len(filled)):
        here = visits[row_of(filled[i], masks), upper[i]]
        for end in range(exits.shape[1]):
            q = here * exits[i, end]
            if q != 0.0:
                saved, outcome = end // n_outcomes, end % n_outcomes
                mask = with_saved(filled[i], saved, masks)
                to_mask, to_upper = after(mask, upper[i], bits[outcome], lift[outcome], cap)
                totals[outcome] += q
                visits[row_of(to_mask, masks), to_upper] += q
