"""Duels on seeded dice: somebody who plays to win, or in any other way, against perfect play for the mean.

Both throw their own dice (`simulate`): two ways of playing that are tried on one seed meet the same opponents, and
the same dice wherever they come to the same point.

How the expected final score of a player moves, round by round, exactly.

A player with p points in state s expects p + V(s) in the end, and after his turn p + points + V(s'). Under play
for the mean this is a martingale. Its step in round k depends on the state; states are put together by their kind
(below). The distribution of the step and of the kind b after it, for cards of kind a, is the sum over the states
of that kind in this round, each with its probability, of the probabilities of their outcomes:

    P_k(d, b | a) ~ sum over s of kind a of visits(s) * sum over outcomes o of q(o)
                       with points(o) + V(s after o) - V(s) = d and s after o of kind b.

Steps are real numbers. Each is split between the two whole numbers beside it, so that its mean stays what it is.

*Kinds of cards* are states of a layer that are alike in what may still happen to their player's expected score.

Let M = points + V(s) be what a player expects in the end, R what it will still move by, and d its step in a turn.
R has mean 0, and its moments follow from those of the states after,

    m2(s) = E[d^2 + m2(s')],    m3(s) = E[d^3 + 3 d m2(s') + m3(s')],
    m4(s) = E[d^4 + 6 d^2 m2(s') + 4 d m3(s') + m4(s')].

A state is a point (m2^1/2, m3^1/3, m4^1/4), all in points. One kind at first; then the kind with the most spread,
weighed by how often play comes there, is cut at the mean of the coordinate that spreads most, until there are
enough of them or nothing is left to tell apart.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.context import HERE, Context, chunks
from yatzy.errors import YatzyError
from yatzy.game.json import HIDDEN, NULLABLE, Count, Positive, Probability, json_property
from yatzy.measure.exact import turn_exits, visit
from yatzy.measure.simulate import (
    STATES_PER_CHUNK,
    Block,
    Grouped,
    InPlay,
    check_games,
    draws,
    play_games,
    throw_tables,
)
from yatzy.policies.duel import Cards, Duelist, split
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Decisions, Policy, check_decisions
from yatzy.rules import Ruleset
from yatzy.solver.goal_layout import Opponent, Round
from yatzy.solver.table import ValueTable, check_table
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import effects

DUELS_PER_BLOCK = 1 << 17
# The other's dice are those of another seed, far from any that a person would choose.
OTHER_DICE = 1 << 63
# Called with the number of a turn, my cards and the other's.
Watch = Callable[[int, Cards, Cards], None]


class DuelDecider(Protocol):
    """A way of playing that has looked at the others' cards of n duels."""

    def decide(self, mine: Cards, duels: IntArray) -> Decisions:
        """Like `Policy.decide`, for these of the n duels."""
        ...


@runtime_checkable
class OpponentAware(Protocol):
    """A way of playing that sees both cards."""

    @property
    def name(self) -> str: ...

    @property
    def rules(self) -> Ruleset: ...

    def against(self, other: Cards, threads: int | None = None) -> DuelDecider:
        """Look at the other's card in each of n duels."""
        ...


@dataclass(frozen=True)
class Duels:
    """Finished duels, one per row: my final scores and the other's."""

    mine: Annotated[NDArray[np.int16], HIDDEN]
    other: Annotated[NDArray[np.int16], HIDDEN]

    @json_property
    def games(self) -> Count:
        return len(self.mine)

    @property
    def wins(self) -> float:
        return float((self.mine > self.other).mean())

    @json_property
    def tie_rate(self) -> Probability:
        return float((self.mine == self.other).mean())

    @json_property
    def win_rate(self) -> Probability:
        """Share of duels won, a tie counting as half."""
        return self.wins + self.tie_rate / 2

    @json_property
    def decided_rate(self) -> Annotated[Probability | None, NULLABLE]:
        """Share won of the duels that were not ties; None if all were ties."""
        return self.wins / (1 - self.tie_rate) if self.tie_rate < 1 else None

    @json_property
    def standard_error(self) -> Positive:
        """Standard error of the win rate."""
        return float((np.sign(self.mine - self.other) / 2).std()) / math.sqrt(len(self.mine))

    @json_property
    def mean(self) -> float:
        return float(self.mine.mean(dtype=np.float64))

    @json_property
    def mean_of_other(self) -> float:
        return float(self.other.mean(dtype=np.float64))

    @classmethod
    def joined(cls, parts: Iterable["Duels"]) -> "Duels":
        """Join duels, one part after another."""
        mine, other = zip(*((part.mine, part.other) for part in parts), strict=True)
        return cls(np.concatenate(mine), np.concatenate(other))


def play_duels(
    player: Policy | OpponentAware,
    table: ValueTable,
    games: int,
    seed: int = 0,
    moves_first: bool = False,
    context: Context = HERE,
    start: int = 0,
    watch: Watch | None = None,
) -> Duels:
    """Duels number `start` to `start + games` of a seed with perfect play by `table`.

    `moves_first` says whether the player does; `watch` is shown the cards before each of the player's turns.
    """
    check_games(games, seed)
    check_table(table)
    if player.rules != table.rules:
        raise YatzyError("policy", player.name, why=f"plays {player.rules.name!r}, the other {table.rules.name!r}")
    if isinstance(player, Duelist) and player.opponent.moves_first == moves_first:
        raise YatzyError("moves_first", given=moves_first, why="is not what this duel was solved for")
    numbers = range(start, start + games)
    return Duels.joined(_blocks(player, table, numbers, seed, moves_first, context, watch))


def _blocks(
    player: Policy | OpponentAware, table: ValueTable, numbers: range, seed: int, moves_first: bool,
    context: Context, watch: Watch | None,
) -> Iterator[Duels]:  # fmt: skip
    rules, best = table.rules, Optimal(table)
    with ThreadPoolExecutor(context.n_threads) as pool:
        for first in numbers[::DUELS_PER_BLOCK]:
            n = min(DUELS_PER_BLOCK, numbers.stop - first)
            me, other = (Block(rules, first, n, key) for key in (seed, (seed + OTHER_DICE) % 2**64))
            for turn in range(rules.n_categories):
                if not moves_first:
                    other.play_turn(best, turn, pool)
                if watch:
                    watch(turn, cards_of(me), cards_of(other))
                if isinstance(player, OpponentAware):
                    play_turn_against(me, player, turn, cards_of(other), pool, context.n_threads)
                else:
                    me.play_turn(player, turn, pool)
                if moves_first:
                    other.play_turn(best, turn, pool)
                context.step(first - numbers.start + n * (turn + 1) // rules.n_categories, len(numbers))
            yield Duels(me.finish().score, other.finish().score)


def play_turn_against(
    block: Block, player: OpponentAware, turn: int, other: Cards, pool: ThreadPoolExecutor, threads: int
) -> None:
    """A turn of every game of a block, each decided by itself."""
    rules, decider = block.rules, player.against(other, threads)
    drawn = draws(rules, block.seed, turn, block.first, block.n, pool)
    games = InPlay(block.filled, block.upper, block.extra, block.points, block.turn)
    tables, does = throw_tables(rules), effects(rules)
    cards = cards_of(block)
    # By state, so that neighbours read what lies together.
    order = np.lexsort((cards.upper, cards.filled))

    def run(part: slice) -> None:
        mine = Cards(*(column[order[part]] for column in cards))
        decisions = decider.decide(mine, order[part])
        check_decisions(player, mine.filled, mine.upper, decisions)
        starts = np.arange(part.start, part.stop)
        grouped = Grouped(order, starts, starts + 1)
        play_games(turn, grouped, drawn, decisions.by_level, tables, does, games)

    list(pool.map(run, chunks(block.n, STATES_PER_CHUNK)))


def cards_of(block: Block) -> Cards:
    """The cards of all games of a block, as they are now."""
    return Cards(block.filled.copy(), block.upper.copy(), block.points.sum(axis=1, dtype=np.int64) + block.extra)


# Kinds by open categories: near the end there are few states of one's own, and lines for many kinds are cheap.
KINDS: Mapping[int, int] = {1: 64, 2: 32, 3: 8, 4: 3}
STATES_AT_ONCE = 1 << 14
# States that play never comes to are given the kind of those like them.
MIN_WEIGHT = 1e-12
SAME = 1e-6


def kinds_of_states(
    table: ValueTable, visits: FloatArray, wanted: Mapping[int, int] = KINDS, threads: int | None = None
) -> NDArray[np.uint8]:
    """(n_sets, n_uppers): the kind of every state of a game, from 0 on in each layer."""
    rules, space = table.rules, table.space
    kinds = np.zeros(table.stored.shape, np.uint8)
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
        kinds[filled, upper] = cut(places, weights, wanted.get(n_open, 1))
    return kinds


def variances(table: ValueTable, threads: int | None = None) -> FloatArray:
    """(n_sets, n_uppers): the variance of the points to come under play for the mean."""
    later = np.zeros((3, *table.stored.shape))
    for sets in table.space.layers[-2::-1]:
        index, upper = np.nonzero(table.space.reachable[sets])
        for part in chunks(len(index), STATES_AT_ONCE):
            here = sets[index[part]], upper[part]
            later[:, *here] = moments(table, later, *here, threads)
    return np.asarray(later[0])


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


def cut(places: FloatArray, weights: FloatArray, n: int) -> IntArray:
    """The kind of each of these points, at most n of them."""
    kind = np.zeros(len(places), np.int64)
    spread = [_spread(places, weights)]
    while len(spread) < n:
        widest = int(np.argmax([one.sum() for one in spread]))
        if spread[widest].sum() <= SAME:
            break
        inside = np.flatnonzero(kind == widest)
        along = places[inside, int(np.argmax(spread[widest]))]
        beyond = inside[along > np.average(along, weights=weights[inside])]
        kind[beyond] = len(spread)
        spread.append(_spread(places[beyond], weights[beyond]))
        rest = inside[kind[inside] == widest]
        spread[widest] = _spread(places[rest], weights[rest])
    return kind


def _spread(places: FloatArray, weights: FloatArray) -> FloatArray:
    """By coordinate, the squared distances from the mean, weighed."""
    return weights @ (places - np.average(places, axis=0, weights=weights)) ** 2


def mean_player(
    table: ValueTable, moves_first: bool = True, context: Context = HERE, n_kinds: Mapping[int, int] = KINDS
) -> Opponent:
    """Perfect play for the mean as the opponent in a duel; `n_kinds` are the most kinds, by open categories."""
    check_table(table)
    if table.rules.saves_throws:
        raise YatzyError("rules", why=f"duels are for games that save no throws, not for {table.rules.name}")
    rules = table.rules
    visits = visit(Optimal(table), context.threads).visits
    kinds = kinds_of_states(table, visits, n_kinds, context.threads)
    rounds = []
    for n_filled in range(rules.n_categories):
        rounds.append(_round(table, visits, kinds, n_filled, context.threads))
        context.step(n_filled + 1, rules.n_categories)
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
