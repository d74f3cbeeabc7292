"""The exact distribution of play that sees the points on the card: one forward pass over (state, points).

    reach(filled + c, min(T, upper + lift), points + p) += reach(filled, upper, points) * q(outcome | all three)

Layer by layer, as in `forward`, but every number of points is asked for by itself: a hundred times as much to
decide. Cells that fewer than CUT of all games reach are left out, and their total is reported.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from yatzy.arrays import FloatArray, Floats2, IntArray, Ints2
from yatzy.context import HERE, Context, chunks, in_threads
from yatzy.errors import YatzyError
from yatzy.evaluate.distribution import Distribution
from yatzy.game.json import INLINE, Probability
from yatzy.policy.base import SeesPoints, by_level, check_decisions
from yatzy.solver.states import StateSpace, state_space
from yatzy.turn.jit import jit
from yatzy.turn.outcomes import highest_score, outcomes
from yatzy.turn.probability import exits_of_decisions
from yatzy.turn.tables import Effects, effects, turn_scratch, turn_tables
from yatzy.turn.values import after

CUT = 1e-13
CELLS_AT_ONCE = 1 << 16
CELLS_PER_CHUNK = 2048
# Room for a layer, in numbers.
MOST_NUMBERS = 400_000_000


@dataclass(frozen=True)
class PlayedWithPoints:
    """The distribution of the final score, the chance of the bonus, and what was left out."""

    distribution: Annotated[Distribution, INLINE]
    bonus_rate: Probability
    cut: Probability


def evaluate_with_points(policy: SeesPoints, context: Context = HERE) -> PlayedWithPoints:
    """Everything about the final score of a policy that sees the points so far."""
    rules, space = policy.rules, state_space(policy.rules)
    if rules.saves_throws:
        raise YatzyError(
            "rules", why=f"play that sees the points is for games that save no throws, not for {rules.name}"
        )
    most = max(int(space.reachable_by_upper_set[space.upper_set[sets]].sum()) for sets in space.layers)
    if most * (highest_score(rules) + 1) > MOST_NUMBERS:
        raise YatzyError("rules", why=f"{rules.name} has too many states to follow with their points; simulate it")
    _, lines = _places(space, 0)
    here = np.zeros((len(lines), highest_score(rules) + 1))
    here[0, 0] = 1.0
    cut = 0.0
    for turn in range(rules.n_categories):
        line, points = np.nonzero(here >= CUT)
        cut += float(here.sum(where=here < CUT))
        chance = here[line, points]
        filled, upper = lines[line].T
        place, lines = _places(space, turn + 1)
        here = np.zeros((len(lines), here.shape[1]))
        for part in chunks(len(line), CELLS_AT_ONCE):
            exits = _exits(policy, filled[part], upper[part], points[part], context.threads)
            cells = _Cells(filled[part], upper[part], points[part], chance[part])
            _push(cells, exits, effects(rules), place, here)
            context.step(1000 * turn + 1000 * part.stop // len(line), 1000 * rules.n_categories)
    has_bonus = lines[:, 1] >= rules.bonus_threshold
    pmf = here[~has_bonus].sum(axis=0)
    paid = here[has_bonus].sum(axis=0)
    pmf[rules.bonus :] += paid[: len(paid) - rules.bonus]
    return PlayedWithPoints(Distribution(pmf), float(paid.sum()) if rules.bonus else 0.0, cut)


def _places(space: StateSpace, n_filled: int) -> tuple[IntArray, IntArray]:
    """Which line of a layer is a state's, (n_sets, n_uppers); and the states (filled, upper) of its lines."""
    sets = space.layers[n_filled]
    index, upper = np.nonzero(space.reachable_by_upper_set[space.upper_set[sets]])
    lines = np.stack([sets[index], upper], axis=1)
    place = np.full((space.rules.n_sets, space.n_uppers), -1, np.int64)
    place[lines[:, 0], lines[:, 1]] = np.arange(len(lines))
    return place, lines


def _exits(
    policy: SeesPoints, filled: IntArray, upper: IntArray, points: IntArray, threads: int | None
) -> FloatArray:
    """(n, n_outcomes): how turns end."""
    rules = policy.rules
    exits = np.zeros((len(filled), outcomes(rules).n))
    directly: Callable[..., FloatArray] | None = getattr(policy, "exits_at", None)

    def run(part: slice) -> None:
        if directly:
            exits[part] = directly(filled[part], upper[part], points[part])
            return
        decisions = policy.decide_at(filled[part], upper[part], points[part])
        check_decisions(policy, filled[part], upper[part], decisions)
        exits_of_decisions(
            np.ascontiguousarray(filled[part]), by_level(decisions.category), decisions.keep, turn_tables(rules),
            exits[part], turn_scratch(rules),
        )  # fmt: skip

    in_threads(run, chunks(len(filled), CELLS_PER_CHUNK), threads)
    return exits


class _Cells(NamedTuple):
    """Cells of a layer, with the chance of each."""

    filled: IntArray
    upper: IntArray
    points: IntArray
    chance: FloatArray


@jit
def _push(cells: _Cells, exits: Floats2, does: Effects, place: Ints2, there: Floats2) -> None:
    """Move the chance of every cell to those after it."""
    filled, upper, points, chance = cells
    brings, bits, lift, cap = does.points + does.extra, does.bits, does.lift, does.cap
    for i in range(len(filled)):
        for outcome in range(exits.shape[1]):
            q = exits[i, outcome]
            if q > 0.0:
                mask, total = after(filled[i], upper[i], bits[outcome], lift[outcome], cap)
                there[place[mask, total], points[i] + brings[outcome]] += q * chance[i]
