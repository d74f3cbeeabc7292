"""How the expected final score of a player moves, round by round, exactly.

A player with p points in state s expects p + V(s) in the end, and after his turn p + points + V(s'). Under play
for the mean this is a martingale. The distribution of its step in round k is the sum over the states of the round,
each with its probability, of the probabilities of their outcomes:

    P_k(d) = sum over s of visits(s) * sum over outcomes o with points(o) + V(s after o) - V(s) = d of q(o).

Steps are real numbers. Each is split between the two whole numbers beside it, so that its mean stays what it is.
"""

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.errors import YatzyError
from yatzy.evaluate.exact import turn_exits
from yatzy.evaluate.visits import visit
from yatzy.policy.duelist import split
from yatzy.policy.optimal import Optimal
from yatzy.running import Progress, chunks
from yatzy.solver.goal_rows import Opponent, Step
from yatzy.solver.table import ValueTable, check_table
from yatzy.turn.outcomes import outcomes

STATES_AT_ONCE = 1 << 14


def mean_player(
    table: ValueTable,
    moves_first: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Opponent:
    """Perfect play for the mean as the opponent in a duel."""
    check_table(table)
    if table.rules.saves_throws:
        raise YatzyError(f"rules: duels are for games that save no throws, not for {table.rules.name}")
    rules, space, best = table.rules, table.space, Optimal(table)
    visits = visit(best, threads).visits
    furthest = int(outcomes(rules).points.max() + np.nanmax(table.stored)) + 2
    steps = []
    for n_filled in range(rules.n_categories):
        sets = space.layers[n_filled]
        index, upper = np.nonzero(visits[sets])
        found = np.zeros(2 * furthest + 1)
        for part in chunks(len(index), STATES_AT_ONCE):
            _add_steps(found, table, best, sets[index[part]], upper[part], visits, threads)
        used = np.flatnonzero(found)
        steps.append(Step(int(used[0]) - furthest, found[used[0] : used[-1] + 1]))
        if progress:
            progress(n_filled + 1, rules.n_categories)
    return Opponent(table, tuple(steps), moves_first)


def _add_steps(
    found: FloatArray, table: ValueTable, best: Optimal, filled: IntArray, upper: IntArray, visits: FloatArray,
    threads: int | None,
) -> None:  # fmt: skip
    """Add the steps of turns in these states to `found`, whose middle is no step at all."""
    ends = outcomes(table.rules)
    exits = turn_exits(best, filled, upper, threads) * visits[filled, upper][:, None]
    line, outcome = np.nonzero(exits)
    after, to_upper = ends.after(filled[line], upper[line], outcome)
    points = ends.points[outcome] + table.stored[after, to_upper] - table.stored[filled[line], upper[line]]
    for place, weight in split(points + len(found) // 2, exits[line, outcome]):
        found += np.bincount(place, weight, len(found))
