"""How the expected final score of a player moves, round by round, exactly.

A player with p points in state s expects p + V(s) in the end, and after his turn p + points + V(s'). Under play
for the mean this is a martingale. Its step in round k depends on the state; states are put together by their kind
(`kinds`). The distribution of the step and of the kind b after it, for cards of kind a, is the sum over the states
of that kind in this round, each with its probability, of the probabilities of their outcomes:

    P_k(d, b | a) ~ sum over s of kind a of visits(s) * sum over outcomes o of q(o)
                       with points(o) + V(s after o) - V(s) = d and s after o of kind b.

Steps are real numbers. Each is split between the two whole numbers beside it, so that its mean stays what it is.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.errors import YatzyError
from yatzy.evaluate.exact import turn_exits
from yatzy.evaluate.kinds import KINDS, kinds_of_states
from yatzy.evaluate.visits import visit
from yatzy.policy.duelist import split
from yatzy.policy.optimal import Optimal
from yatzy.running import Progress, chunks
from yatzy.solver.goal_rows import Opponent, Round
from yatzy.solver.table import ValueTable, check_table
from yatzy.turn.outcomes import outcomes

STATES_AT_ONCE = 1 << 14


def mean_player(
    table: ValueTable,
    moves_first: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
    n_kinds: Mapping[int, int] = KINDS,
) -> Opponent:
    """Perfect play for the mean as the opponent in a duel; `n_kinds` are the most kinds, by open categories."""
    check_table(table)
    if table.rules.saves_throws:
        raise YatzyError(f"rules: duels are for games that save no throws, not for {table.rules.name}")
    rules = table.rules
    visits = visit(Optimal(table), threads).visits
    kinds = kinds_of_states(table, visits, n_kinds, threads)
    rounds = []
    for n_filled in range(rules.n_categories):
        rounds.append(_round(table, visits, kinds, n_filled, threads))
        if progress:
            progress(n_filled + 1, rules.n_categories)
    return Opponent(table, tuple(rounds), kinds, moves_first)


def _round(
    table: ValueTable, visits: FloatArray, kinds: NDArray[np.uint8], n_filled: int, threads: int | None
) -> Round:
    layers = table.space.layers
    sets = layers[n_filled]
    index, upper = np.nonzero(visits[sets])
    filled = sets[index]
    furthest = int(outcomes(table.rules).points.max() + np.nanmax(table.stored)) + 2
    n_before, n_after = (int(kinds[layers[n]].max()) + 1 for n in (n_filled, n_filled + 1))
    found = np.zeros((n_before, n_after, 2 * furthest + 1))
    for part in chunks(len(filled), STATES_AT_ONCE):
        _add_steps(found, table, kinds, filled[part], upper[part], visits, threads)
    weights = np.bincount(kinds[filled, upper], visits[filled, upper], n_before).astype(np.float64)
    used = np.flatnonzero(found.any(axis=(0, 1)))
    chance = found[:, :, used[0] : used[-1] + 1]
    # A kind that play never comes to gets the average of its neighbours.
    whole, seen = chance.sum(axis=0), weights > 0
    given = np.where(seen[:, None, None], chance / np.where(seen, weights, 1.0)[:, None, None], whole)
    return Round(weights, int(used[0]) - furthest, given)


def _add_steps(
    found: FloatArray, table: ValueTable, kinds: NDArray[np.uint8], filled: IntArray, upper: IntArray,
    visits: FloatArray, threads: int | None,
) -> None:  # fmt: skip
    """Add the steps of turns in these states to `found`, by kind before and after; its middle is no step."""
    ends = outcomes(table.rules)
    exits = turn_exits(Optimal(table), filled, upper, threads) * visits[filled, upper][:, None]
    line, outcome = np.nonzero(exits)
    after, to_upper = ends.after(filled[line], upper[line], outcome)
    points = ends.points[outcome] + table.stored[after, to_upper] - table.stored[filled[line], upper[line]]
    n_after, n_steps = found.shape[1:]
    pair = kinds[filled[line], upper[line]].astype(np.int64) * n_after + kinds[after, to_upper]
    for place, weight in split(points + n_steps // 2, exits[line, outcome]):
        found += np.bincount(pair * n_steps + place, weight, found.size).reshape(found.shape)
