"""The opponent in a duel: how the expected final score of perfect play for the mean moves, round by round.

A player with p points in state s expects M = p + V(s) in the end, and p + points + V(s') after his turn. Under
play for the mean M is a martingale. Its step d in round k depends on the state; states of a layer that are alike
in what may still happen to M form a *cluster*. The chance of the step and of the cluster b after it, for cards of
cluster a, is the sum over the states of that cluster, each with its probability:

    P_k(d, b | a) ~ sum over s in a of visits(s) * sum over outcomes o of q(o)
                       with points(o) + V(s after o) - V(s) = d and s after o in b.

Steps are real numbers. Each is split between the two whole numbers beside it, so that its mean stays what it is.

*Clustering.* What M will still move by has mean 0, and its moments follow from those of the states after,

    m2(s) = E[d^2 + m2(s')],    m3(s) = E[d^3 + 3 d m2(s') + m3(s')],
    m4(s) = E[d^4 + 6 d^2 m2(s') + 4 d m3(s') + m4(s')].

A state is a point (m2^1/2, m3^1/3, m4^1/4), all in points. A layer begins as one cluster; then the cluster with
the most spread, weighted by how often play comes there, is cut at the mean of its widest coordinate, until there
are enough of them or nothing is left to tell apart.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.context import DEFAULT_CONTEXT, Context, chunks
from yatzy.errors import YatzyError
from yatzy.measure.exact import turn_exits, visit
from yatzy.policies.duel import split
from yatzy.policies.optimal import Optimal
from yatzy.solver.goal import OpponentModel, Round
from yatzy.solver.table import ValueTable, check_table
from yatzy.turn.outcomes import outcomes

# Clusters by open categories. Near the end one has few states of one's own, and many clusters are cheap.
CLUSTERS: Mapping[int, int] = {1: 64, 2: 32, 3: 8, 4: 3}
STATES_AT_ONCE = 1 << 14
# States that play never comes to are given the cluster of those like them.
MIN_WEIGHT = 1e-12
SAME = 1e-6


def mean_opponent(
    table: ValueTable,
    moves_first: bool = True,
    context: Context = DEFAULT_CONTEXT,
    n_clusters: Mapping[int, int] = CLUSTERS,
) -> OpponentModel:
    """Perfect play for the mean as the opponent; `n_clusters` is the limit of clusters, by open categories."""
    check_table(table)
    if table.rules.saves_throws:
        raise YatzyError("rules", why=f"duels are for games that save no throws, not for {table.rules.name}")
    rules = table.rules
    visits = visit(Optimal(table), context.threads).visits
    clusters = cluster_states(table, visits, n_clusters, context.threads)
    rounds = []
    for n_filled in range(rules.n_categories):
        rounds.append(_round(table, visits, clusters, n_filled, context.threads))
        context.step(n_filled + 1, rules.n_categories)
    return OpponentModel(table, tuple(rounds), clusters, moves_first)


def _round(
    table: ValueTable, visits: FloatArray, clusters: NDArray[np.uint8], n_filled: int, threads: int | None
) -> Round:
    layers = table.space.layers
    sets = layers[n_filled]
    index, upper = np.nonzero(visits[sets])
    filled = sets[index]
    furthest = int(outcomes(table.rules).points.max() + np.nanmax(table.stored)) + 2
    n_before, n_after = (int(clusters[layers[n]].max()) + 1 for n in (n_filled, n_filled + 1))
    found = np.zeros((n_before, n_after, 2 * furthest + 1))
    for part in chunks(len(filled), STATES_AT_ONCE):
        _add_steps(found, table, clusters, filled[part], upper[part], visits, threads)
    weights = np.bincount(clusters[filled, upper], visits[filled, upper], n_before).astype(np.float64)
    used = np.flatnonzero(found.any(axis=(0, 1)))
    chance = found[:, :, used[0] : used[-1] + 1]
    # A cluster that play never comes to gets the average of its neighbours.
    whole, seen = chance.sum(axis=0), weights > 0
    given = np.where(seen[:, None, None], chance / np.where(seen, weights, 1.0)[:, None, None], whole)
    return Round(weights, int(used[0]) - furthest, given)


def _add_steps(
    found: FloatArray, table: ValueTable, clusters: NDArray[np.uint8], filled: IntArray, upper: IntArray,
    visits: FloatArray, threads: int | None,
) -> None:  # fmt: skip
    """Add the steps of turns in these states to `found`, by cluster before and after; its middle is no step."""
    ends = outcomes(table.rules)
    exits = turn_exits(Optimal(table), filled, upper, threads) * visits[filled, upper][:, None]
    line, outcome = np.nonzero(exits)
    after, to_upper = ends.after(filled[line], upper[line], outcome)
    points = ends.points[outcome] + table.stored[after, to_upper] - table.stored[filled[line], upper[line]]
    n_after, n_steps = found.shape[1:]
    pair = clusters[filled[line], upper[line]].astype(np.int64) * n_after + clusters[after, to_upper]
    for place, weight in split(points + n_steps // 2, exits[line, outcome]):
        found += np.bincount(pair * n_steps + place, weight, found.size).reshape(found.shape)


def cluster_states(
    table: ValueTable, visits: FloatArray, wanted: Mapping[int, int] = CLUSTERS, threads: int | None = None
) -> NDArray[np.uint8]:
    """(n_sets, n_uppers): the cluster of every state of a game, from 0 on in each layer."""
    rules, space = table.rules, table.space
    clusters = np.zeros(table.stored.shape, np.uint8)
    later = np.zeros((3, *table.stored.shape))
    for n_open in range(1, max(wanted, default=0) + 1):
        if n_open > rules.n_categories:
            break
        sets = space.layers[rules.n_categories - n_open]
        index, upper = np.nonzero(space.reachable[sets])
        filled = sets[index]
        for part in chunks(len(filled), STATES_AT_ONCE):
            later[:, filled[part], upper[part]] = moments(table, later, filled[part], upper[part], threads)
        m2, m3, m4 = later[:, filled, upper]
        places = np.stack([np.sqrt(m2), np.cbrt(m3), m4**0.25], axis=1)
        weights = np.maximum(visits[filled, upper], MIN_WEIGHT)
        clusters[filled, upper] = cut(places, weights, wanted.get(n_open, 1))
    return clusters


def moments(
    table: ValueTable, later: FloatArray, filled: IntArray, upper: IntArray, threads: int | None
) -> FloatArray:
    """(3, states): the second, third and fourth moment of what is to come; `later` are those of later states."""
    ends = outcomes(table.rules)
    exits = turn_exits(Optimal(table), filled, upper, threads)
    line, outcome = np.nonzero(exits)
    after, to_upper = ends.after(filled[line], upper[line], outcome)
    d = ends.points[outcome] + table.stored[after, to_upper] - table.stored[filled[line], upper[line]]
    m2, m3, m4 = later[:, after, to_upper]
    terms = (d**2 + m2, d**3 + 3 * d * m2 + m3, d**4 + 6 * d**2 * m2 + 4 * d * m3 + m4)
    return np.stack([np.bincount(line, exits[line, outcome] * term, len(filled)) for term in terms])


def variances(table: ValueTable, threads: int | None = None) -> FloatArray:
    """(n_sets, n_uppers): the variance of the points to come under play for the mean."""
    later = np.zeros((3, *table.stored.shape))
    for sets in table.space.layers[-2::-1]:
        index, upper = np.nonzero(table.space.reachable[sets])
        for part in chunks(len(index), STATES_AT_ONCE):
            here = sets[index[part]], upper[part]
            later[:, *here] = moments(table, later, *here, threads)
    return np.asarray(later[0])


def cut(places: FloatArray, weights: FloatArray, n: int) -> IntArray:
    """The cluster of each of these points, at most n of them."""
    cluster = np.zeros(len(places), np.int64)
    spread = [_spread(places, weights)]
    while len(spread) < n:
        widest = int(np.argmax([one.sum() for one in spread]))
        if spread[widest].sum() <= SAME:
            break
        inside = np.flatnonzero(cluster == widest)
        along = places[inside, int(np.argmax(spread[widest]))]
        beyond = inside[along > np.average(along, weights=weights[inside])]
        cluster[beyond] = len(spread)
        spread.append(_spread(places[beyond], weights[beyond]))
        rest = inside[cluster[inside] == widest]
        spread[widest] = _spread(places[rest], weights[rest])
    return cluster


def _spread(places: FloatArray, weights: FloatArray) -> FloatArray:
    """By coordinate, the squared distances from the mean, weighed."""
    return weights @ (places - np.average(places, axis=0, weights=weights)) ** 2
