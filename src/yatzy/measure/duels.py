"""Duels on seeded dice: somebody who plays to win, or in any other way, against perfect play for the mean.

Both throw their own dice (`simulate`). Two ways of playing that are tried on one seed meet the same opponents, and
the same dice wherever they come to the same point.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.context import DEFAULT_CONTEXT, Context, chunks
from yatzy.errors import YatzyError
from yatzy.game.aim import check_points
from yatzy.game.json import HIDDEN, NULLABLE, Count, Positive, Probability, json_property
from yatzy.game.situation import Situation
from yatzy.measure.opponent_model import mean_opponent
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
from yatzy.policies.duel import Cards, Duelist, check_turns
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Decisions, Policy, check_decisions
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.advise import Advice
from yatzy.solver.from_here import rank_actions
from yatzy.solver.goal import duel as duel_goal
from yatzy.solver.states import FilledGiven, as_situation, as_state
from yatzy.solver.store import stored_goal, stored_table
from yatzy.solver.table import ValueTable, check_table
from yatzy.turn.tables import effects

DUELS_PER_BLOCK = 1 << 17
# The opponent's dice are those of another seed, far from any that a person would choose.
OTHER_DICE = 1 << 63
# Five dice have 252 rolls, six 462: the rows of Maxi Yatzy would fit into no ordinary memory.
MAX_ROLLS = 300
# Called with the number of the turn, my cards and the opponent's.
Watch = Callable[[int, Cards, Cards], None]


class DuelDecider(Protocol):
    """A player who has seen the opponent's card in each of n duels."""

    def decide(self, mine: Cards, duels: IntArray) -> Decisions:
        """Like `Policy.decide`, in some of the duels."""
        ...


@runtime_checkable
class OpponentAware(Protocol):
    """A player who sees both cards."""

    @property
    def name(self) -> str: ...

    @property
    def rules(self) -> Ruleset: ...

    def against(self, other: Cards, threads: int | None = None) -> DuelDecider:
        """Look at the opponent's card in each of n duels."""
        ...


@dataclass(frozen=True)
class Duels:
    """Finished duels: my final scores and the opponent's."""

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
        """Share of duels won, a tie counting half."""
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


def duel(
    games: int = 100_000,
    seed: int = 0,
    moves_first: bool = False,
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
) -> Duels:
    """Play to win against an opponent who maximises the mean, and count how often that wins.

    The first call solves the duel for all states and leads, which takes two or three minutes and 3.9 GB of disk;
    so does the first with `moves_first`.
    """
    player = duelist(rules, moves_first, context)
    with context.shown(f"playing {games:,} duels") as shown:
        return play_duels(player, player.opponent.table, range(games), seed, moves_first, shown)


def duel_advice(
    here: str | Situation,
    points: int = 0,
    other: FilledGiven = 0,
    other_points: int = 0,
    moves_first: bool = False,
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
) -> Advice:
    """Every action in a duel by its chance to win, a tie as half: `here`, with points, against the other's card.

    The opponent maximises the mean. Their next turn is exact; later turns are approximated from similar cards, so
    at the start of a game chances are about one percentage point too high.
    """
    game = check_duel(rules)
    mine = as_situation(game, here)
    theirs = as_state(game, other)
    check_points(game, mine.state, points)
    check_points(game, theirs, other_points)
    check_turns(game, mine.state, theirs, moves_first)
    player = duelist(game, moves_first, context)
    cards = (
        Cards(*(np.array([number]) for number in (one.filled, one.upper, held)))
        for one, held in ((mine.state, points), (theirs, other_points))
    )
    my_card, their_card = cards
    worth = player.against(their_card).chances(my_card, np.array([0]))[0]
    return replace(rank_actions(player.opponent.table, worth, mine), goal="duel", moves_first=moves_first)


def check_duel(rules: str | Ruleset) -> Ruleset:
    """A game that duels can be played in; others are refused before anything is solved."""
    game = ruleset(rules)
    if game.saves_throws:
        raise YatzyError("rules", why=f"duels are for games that save no throws, not for {game.name}")
    if math.comb(game.dice + game.faces - 1, game.dice) > MAX_ROLLS:
        why = f"a duel in {game.name} would need too much memory; allowed are games of five dice"
        raise YatzyError("rules", why=why)
    return game


@lru_cache(maxsize=1)
def duelist(
    rules: str | Ruleset = "scandinavian", moves_first: bool = False, context: Context = DEFAULT_CONTEXT
) -> Duelist:
    """Play to win, its table solved and kept."""
    game = check_duel(rules)
    with context.shown("solving") as shown:
        table = stored_table(game, context=shown)
    with context.shown("the other's steps") as shown:
        other = mean_opponent(table, moves_first=not moves_first, context=shown)
    with context.shown("solving the duel") as shown:
        return Duelist(stored_goal(game, duel_goal(other), shown))


def play_duels(
    player: Policy | OpponentAware,
    table: ValueTable,
    games: range,
    seed: int = 0,
    moves_first: bool = False,
    context: Context = DEFAULT_CONTEXT,
    watch: Watch | None = None,
) -> Duels:
    """The duels of a seed with these numbers, against perfect play by `table`.

    `moves_first` says whether the player does; `watch` sees the cards before each of the player's turns.
    """
    check_games(len(games), seed)
    check_table(table)
    if player.rules != table.rules:
        raise YatzyError("policy", player.name, why=f"plays {player.rules.name!r}, the other {table.rules.name!r}")
    if isinstance(player, Duelist) and player.opponent.moves_first == moves_first:
        raise YatzyError("moves_first", given=moves_first, why="is not what this duel was solved for")
    return Duels.joined(_blocks(player, table, games, seed, moves_first, context, watch))


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
    """Play a turn of every game of a block, each decided by itself."""
    rules, decider = block.rules, player.against(other, threads)
    drawn = draws(rules, block.seed, turn, block.first, block.n, pool)
    games = InPlay(block.filled, block.upper, block.extra, block.points, block.turn)
    tables, does = throw_tables(rules), effects(rules)
    cards = cards_of(block)
    # By state, for locality of memory.
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
