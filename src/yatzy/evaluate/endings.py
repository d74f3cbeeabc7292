"""How the turns of a layer end, packed: a policy uses few of the ends that a turn could have.

    end = throws left * n_outcomes + outcome        (0 throws left, except where they are saved)

The ends of a state lie together, by successor (what an outcome sets in the mask), because a layer is pulled from
the one before successor by successor. Packed, a layer takes a fifth of the memory of (n, n_ends) probabilities.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, Floats1, Floats2, IntArray, Ints1, Ints2
from yatzy.evaluate.growing import Growing
from yatzy.rules import Ruleset
from yatzy.running import chunks
from yatzy.turn.jit import jit
from yatzy.turn.outcomes import outcomes

STATES_PER_BLOCK = 1024

# How the turns of states end: (filled, upper) -> (n, levels * n_outcomes).
Exits = Callable[[IntArray, IntArray], FloatArray]
# (filled, upper, visits)
States = tuple[IntArray, IntArray, FloatArray]


class Endings(NamedTuple):
    """Ends of the turns of n states, with their probabilities.

    Those of state i that lead to successor s are `end` and `prob` from first[i] + offset[i, s] up to
    first[i] + offset[i, s + 1].
    """

    first: IntArray
    offset: NDArray[Any]
    end: NDArray[Any]
    prob: FloatArray


class Ends(NamedTuple):
    """Outcomes as the kernels read them: those of successor s are order[start[s] : start[s + 1]].

    `plane` and `shift` say where an outcome leads: see `forward`.
    """

    start: IntArray
    order: IntArray
    successors: IntArray
    lift: IntArray
    plane: IntArray
    shift: IntArray
    cap: int


def ends_of(rules: Ruleset, tracked: int) -> Ends:
    ends = outcomes(rules)
    order = np.argsort(ends.successor, kind="stable")
    start = np.searchsorted(ends.successor[order], np.arange(len(ends.successors) + 1))
    least = least_points(rules, tracked)
    plane = ((ends.category == tracked) & (ends.points > ends.extra)).astype(np.int64)
    return Ends(
        start, order, ends.successors, ends.lift, plane, ends.points - plane * least, rules.bonus_threshold
    )  # fmt: skip


def least_points(rules: Ruleset, category_id: int) -> int:
    """The least that a category scores if it scores at all, extra points included; 0 for category -1."""
    ends = outcomes(rules)
    points = ends.points[(ends.category == category_id) & (ends.points > ends.extra)]
    return int(points.min(initial=np.iinfo(np.int64).max)) if len(points) else 0


def endings_of(
    rules: Ruleset, states: States, exits_of: Exits, ends: Ends, trim: float,
    pool: ThreadPoolExecutor,
) -> tuple[Endings, FloatArray, float]:  # fmt: skip
    """How the turns of states (filled, upper, visits) end; the probability of each outcome; and what was left out.

    Ends that less than `trim` of all games reach are left out.
    """
    filled, upper, visits = states
    n_outcomes, n_successors = len(ends.lift), len(ends.successors)
    n_ends = (1 + rules.rerolls * rules.n_categories * rules.saves_throws) * n_outcomes
    kind = np.uint16 if n_ends < 1 << 16 else np.uint32

    all_ends, all_probs, lock = Growing(kind), Growing(np.float64), Lock()

    def pack(block: slice) -> tuple[IntArray, NDArray[Any], FloatArray, float]:
        exits = exits_of(filled[block], upper[block])
        offset = np.empty((len(exits), n_successors + 1), kind)
        n_used = np.count_nonzero(exits)
        end, prob, by_outcome = np.empty(n_used, kind), np.empty(n_used), np.zeros(n_outcomes)
        n, cut = pack_exits(exits, visits[block], trim, ends, offset, end, prob, by_outcome)
        first = np.cumsum(offset[:, -1], dtype=np.int64) - offset[:, -1]
        with lock:
            begin = all_ends.append(end[:n])
            all_probs.append(prob[:n])
        return first + begin, offset, by_outcome, cut

    packed = list(pool.map(pack, chunks(len(filled), STATES_PER_BLOCK)))
    first, offset = (np.concatenate([block[i] for block in packed]) for i in range(2))
    endings = Endings(first, offset, all_ends.finish(), all_probs.finish())
    return endings, np.sum([block[2] for block in packed], axis=0), sum(block[3] for block in packed)


@jit
def pack_exits(
    exits: Floats2,
    visits: Floats1,
    trim: float,
    ends: Ends,
    offset: Ints2,
    end: Ints1,
    prob: Floats1,
    by_outcome: Floats1,
) -> Any:
    """Fill `offset`, `end` and `prob` from `exits`, add to `by_outcome`; returns how many, and what is missing."""
    start, order = ends.start, ends.order
    n_outcomes = len(order)
    n, cut = 0, 0.0
    for i in range(len(exits)):
        begin, here = n, visits[i]
        for successor in range(len(start) - 1):
            offset[i, successor] = n - begin
            for level in range(0, exits.shape[1], n_outcomes):
                for place in range(start[successor], start[successor + 1]):
                    q = exits[i, level + order[place]]
                    if q > 0.0:
                        by_outcome[order[place]] += here * q
                        if here * q >= trim:
                            end[n] = level + order[place]
                            prob[n] = q
                            n += 1
                        else:
                            cut += here * q
        offset[i, len(start) - 1] = n - begin
    return n, cut
