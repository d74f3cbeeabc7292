"""Simulation: seeded games in lockstep; in every turn each distinct state is put to the policy once.

The dice of game g in turn t depend on nothing but (seed, g, t): results are the same for any number of threads
and games, and two policies on one seed see the same dice wherever they reach the same point (common random
numbers). Their scores then differ far less than their means are uncertain (`compare`). A reroll of m dice takes
the first m of the dice drawn for that throw.

`play_on` and `play_logs` play single games, decision by decision: the same games as `simulate`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import EqualByFields, IntArray, Ints1, Ints2, Tabular
from yatzy.context import DEFAULT_CONTEXT, MAX_GAMES, Context, check_seed, chunks
from yatzy.errors import YatzyError, check_int, needs_extra
from yatzy.game.dice import GAMES_PER_STREAM, SeededDice
from yatzy.game.game import Game
from yatzy.game.log import GameLog
from yatzy.measure.exact import tracked_category
from yatzy.policies.policy import Decisions, Draws, Named, Policy, ScoreAware, by_level, check_decisions, identity
from yatzy.policies.registry import Player, as_policy
from yatzy.rules import Ruleset
from yatzy.sealed import Parts
from yatzy.solver.states import state_space
from yatzy.source_digest import source_digest
from yatzy.storage import atomic_file, check_outputs, writer_lock
from yatzy.svg import Share, histogram, html_table
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import highest_score, outcomes
from yatzy.turn.tables import Effects, effects
from yatzy.turn.values import after, reading_of

CONFIDENCE_95 = 1.959964
GAMES_PER_BLOCK = 1 << 20
# In memory a game takes some 40 bytes.
MAX_AT_ONCE = 10**8
STATES_PER_CHUNK = 1024
# Larger state spaces are sorted instead of counted.
MAX_COUNTED = 1 << 27
# Every way to throw all dice has a row in a table: 8 dice with 6 faces are fine.
MAX_DRAWS = 1 << 21
ROWS_PER_GROUP = 1 << 18


@dataclass(frozen=True, eq=False, repr=False)
class Games(EqualByFields, Tabular):
    """Games that were played: `score`, `points`, ... one row per game; `frame()` is all of it as a table.

    `points` and `turn` (n, n_categories) are what a box scored, and when; `extra` points beside the boxes, other
    than the bonus.
    """

    rules: Ruleset
    first: int
    score: NDArray[np.int16]
    bonus: NDArray[np.bool_]
    yatzy: NDArray[np.bool_]
    extra: NDArray[np.int16]
    points: NDArray[np.uint8 | np.uint16]
    turn: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.score)

    @property
    def mean(self) -> float:
        return float(self.score.mean(dtype=np.float64))

    @property
    def sd(self) -> float:
        return float(self.score.std(dtype=np.float64, ddof=1)) if len(self) > 1 else 0.0

    @property
    def standard_error(self) -> float:
        return self.sd / math.sqrt(len(self))

    def columns(self) -> dict[str, Any]:
        """As a table: game, score, bonus, yatzy, extra (if there is any), points and turn of every category."""
        names = [category.name.lower().replace(" ", "_") for category in self.rules.categories]
        return {
            "game": np.arange(self.first, self.first + len(self)),
            "score": self.score,
            "bonus": self.bonus,
            "yatzy": self.yatzy,
            **({"extra": self.extra} if outcomes(self.rules).extra.any() else {}),
            **{f"points_{name}": self.points[:, i] for i, name in enumerate(names)},
            **{f"turn_{name}": self.turn[:, i] for i, name in enumerate(names)},
        }

    def __repr__(self) -> str:
        error = CONFIDENCE_95 * self.standard_error
        return f"<{len(self):,} games of {self.rules.name}: mean {self.mean:.3f} +- {error:.3f}, SD {self.sd:.2f}>"

    def _repr_html_(self) -> str:
        return histogram(np.bincount(self.score) / len(self), repr(self)[1:-1])


def simulate(
    policy: Player = "optimal",
    games: int = 100_000,
    seed: int = 0,
    rules: str | Ruleset | None = None,
    theta: float = 0.0,
    context: Context = DEFAULT_CONTEXT,
    first: int = 0,
) -> Games:
    """Play seeded games: the same seed gives the same dice to everybody, on any machine.

    >>> import yatzy
    >>> games = yatzy.simulate("heuristic", games=10_000, seed=1)
    >>> games
    <10,000 games of scandinavian: mean 165.536 +- 0.696, SD 35.52>
    >>> games.frame().shape
    (10000, 34)

    `first` is the number of the first game: 5 games from 10 on are the last five of 15.
    """
    check_games(games, seed, MAX_AT_ONCE)
    with context.shown("solving") as shown:
        player = as_policy(policy, rules, theta, shown)
    with context.shown(f"playing {games:,} games") as shown:
        return join_games(list(simulate_blocks(player, games, seed, shown, first)))


def simulate_blocks(
    policy: Policy | ScoreAware, games: int, seed: int = 0, context: Context = DEFAULT_CONTEXT, first: int = 0
) -> Iterator[Games]:
    """The same games in blocks, for more games than memory holds."""
    check_games(games, seed)
    check_int("first", first, 0)
    rules = policy.rules
    with ThreadPoolExecutor(context.n_threads) as pool:
        for start in range(first, first + games, GAMES_PER_BLOCK):
            n = min(GAMES_PER_BLOCK, first + games - start)
            block = Block(rules, start, n, seed)
            for turn in range(rules.n_categories):
                block.play_turn(policy, turn, pool)
                context.step(start - first + n * (turn + 1) // rules.n_categories, games)
            yield block.finish()


def join_games(blocks: list[Games]) -> Games:
    """Join consecutive blocks."""
    names = ("score", "bonus", "yatzy", "extra", "points", "turn")
    columns = (np.concatenate([getattr(block, name) for block in blocks]) for name in names)
    return Games(blocks[0].rules, blocks[0].first, *columns)


def check_games(games: int, seed: int, most: int = MAX_GAMES) -> None:
    check_int("games", games, 1, most)
    check_seed(seed)


class Block:
    """Games in progress."""

    def __init__(self, rules: Ruleset, first: int, n: int, seed: int) -> None:
        self.rules, self.first, self.n, self.seed = rules, first, n, seed
        self.filled = np.zeros(n, np.int64)
        self.upper = np.zeros(n, np.int64)
        most = int((outcomes(rules).points - outcomes(rules).extra).max())
        self.points = np.zeros((n, rules.n_categories), np.uint8 if most < 256 else np.uint16)
        self.extra = np.zeros(n, np.int16)
        self.turn = np.zeros((n, rules.n_categories), np.uint8)

    def play_turn(self, policy: Policy | ScoreAware, turn: int, pool: ThreadPoolExecutor) -> None:
        if isinstance(policy, ScoreAware):
            points_now = self.points.sum(axis=1, dtype=np.int64) + self.extra
            filled, upper, points, starts, order = games_by_points(self.rules, self.filled, self.upper, points_now)
        else:
            filled, upper, starts, order = games_by_state(self.rules, self.filled, self.upper)
        ends = np.append(starts[1:], self.n)
        drawn = draws(self.rules, self.seed, turn, self.first, self.n, pool)
        tables, does = throw_tables(self.rules), effects(self.rules)
        games = InPlay(self.filled, self.upper, self.extra, self.points, self.turn)

        def run(part: slice) -> None:
            if isinstance(policy, ScoreAware):
                decisions = policy.decide_at(filled[part], upper[part], points[part])
            else:
                decisions = policy.decide(filled[part], upper[part])
            check_decisions(policy, filled[part], upper[part], decisions)
            grouped = Grouped(order, starts[part], ends[part])
            play_games(turn, grouped, drawn, decisions.by_level, tables, does, games)

        list(pool.map(run, chunks(len(filled), STATES_PER_CHUNK)))

    def finish(self) -> Games:
        bonus = (self.upper >= self.rules.bonus_threshold) & (self.rules.bonus > 0)
        tracked = tracked_category(self.rules)
        return Games(
            rules=self.rules,
            first=self.first,
            score=(self.points.sum(axis=1, dtype=np.int64) + self.extra + bonus * self.rules.bonus).astype(
                np.int16
            ),
            bonus=bonus,
            yatzy=self.points[:, tracked] > 0 if tracked >= 0 else np.zeros(self.n, np.bool_),
            extra=self.extra,
            points=self.points,
            turn=self.turn,
        )


def games_by_state(
    rules: Ruleset, filled: IntArray, upper: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Distinct states (filled, upper), where the games of each start in an order, and that order."""
    space = state_space(rules)
    if space.n_masks * space.n_uppers <= MAX_COUNTED:
        counts = np.zeros(space.n_masks * space.n_uppers, np.int32)
        distinct, starts, order = group_by_state(space.row(filled), upper, space.n_uppers, counts)
        return space.masks[distinct // space.n_uppers], distinct % space.n_uppers, starts, order
    states = filled * space.n_uppers + upper
    order = np.argsort(states, kind="stable")
    distinct, starts = np.unique(states[order], return_index=True)
    return distinct // space.n_uppers, distinct % space.n_uppers, starts, order


def games_by_points(
    rules: Ruleset, filled: IntArray, upper: IntArray, points: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Distinct (filled, upper, points), where the games of each start in an order, and that order."""
    n_uppers, n_points = rules.bonus_threshold + 1, highest_score(rules) + 1
    keys = (filled * n_uppers + upper) * n_points + points
    order = np.argsort(keys, kind="stable")
    distinct, starts = np.unique(keys[order], return_index=True)
    states, points = np.divmod(distinct, n_points)
    return states // n_uppers, states % n_uppers, points, starts, order


@jit
def group_by_state(filled: Ints1, upper: Ints1, n_uppers: int, counts: Ints1) -> Any:
    """Distinct states, where the games of each start in `order`, and all games in that order (a counting sort).

    `filled` are rows of masks here.
    """
    n = len(filled)
    for game in range(n):
        counts[filled[game] * n_uppers + upper[game]] += 1
    n_distinct = 0
    for state in range(len(counts)):
        n_distinct += counts[state] > 0
    distinct, starts = np.empty(n_distinct, np.int64), np.empty(n_distinct, np.int64)
    found, position = 0, 0
    for state in range(len(counts)):
        if counts[state] > 0:
            distinct[found], starts[found] = state, position
            found += 1
            position += counts[state]
            counts[state] = position - counts[state]
    order = np.empty(n, np.int64)
    for game in range(n):
        state = filled[game] * n_uppers + upper[game]
        order[counts[state]] = game
        counts[state] += 1
    return distinct, starts, order


def draws(
    rules: Ruleset, seed: int, turn: int, first: int, n: int, pool: ThreadPoolExecutor
) -> NDArray[np.uint32]:
    """(n, throws): all dice of each throw in a turn as one number, for games `first` to `first + n`."""
    n_throws = 1 + rules.rerolls * (1 + turn * rules.saves_throws)
    shape = (GAMES_PER_STREAM, n_throws)
    sides = rules.faces**rules.dice

    def draw(stream: int) -> NDArray[np.uint32]:
        generator = np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, turn, stream]))
        return generator.integers(0, sides, shape, dtype=np.uint32)

    streams = range(first // GAMES_PER_STREAM, (first + n - 1) // GAMES_PER_STREAM + 1)
    skip = first - streams[0] * GAMES_PER_STREAM
    return np.concatenate(list(pool.map(draw, streams)))[skip : skip + n]


class Throws(NamedTuple):
    """Tables that turn a draw into dice.

    `part_of_draw` (faces^dice, dice + 1): the first m dice of a draw, as a number among the keeps of that size.
    `roll_of_join`: a keep filled up with such a part is roll `roll_of_join[join_start[keep] + part]`.
    """

    part_of_draw: NDArray[np.uint16]
    roll_of_join: NDArray[np.uint16]
    join_start: IntArray
    n_to_throw: IntArray


@lru_cache(maxsize=4)
def throw_tables(rules: Ruleset) -> Throws:
    if rules.faces**rules.dice > MAX_DRAWS:
        what = f"{rules.dice} dice with {rules.faces} faces are too many to simulate"
        raise YatzyError("rules", why=f"{what}; allowed are {MAX_DRAWS:,} ways to throw them all")
    dice = lattice(rules.dice, rules.faces)
    all_draws = np.indices((rules.faces,) * rules.dice).reshape(rules.dice, -1).T + 1
    by_size = [list(range(dice.n_keeps)[dice.levels[rules.dice - m]]) for m in range(rules.dice + 1)]
    number = {dice.keeps[k]: i for ids in by_size for i, k in enumerate(ids)}
    part_of_draw = np.zeros((len(all_draws), rules.dice + 1), np.uint16)
    for m in range(1, rules.dice + 1):
        part_of_draw[:, m] = [number[tuple(part)] for part in np.sort(all_draws[:, :m], axis=1).tolist()]
    joins: list[int] = []
    starts = []
    for keep in dice.keeps:
        starts.append(len(joins))
        joins += [dice.id_of((*keep, *dice.keeps[k])) for k in by_size[rules.dice - len(keep)]]
    return Throws(
        part_of_draw=part_of_draw,
        roll_of_join=np.array(joins, np.uint16),
        join_start=np.array(starts, np.int64),
        n_to_throw=np.array([rules.dice - len(keep) for keep in dice.keeps], np.int64),
    )


@jittable
def first_roll(draw: int, throws: Throws) -> Any:
    """The roll when all dice are thrown."""
    return throws.part_of_draw[draw, throws.part_of_draw.shape[1] - 1]


@jittable
def next_roll(held: int, draw: int, throws: Throws) -> Any:
    """The roll when all dice but the keep are thrown."""
    part = throws.part_of_draw[draw, throws.n_to_throw[held]]
    return throws.roll_of_join[throws.join_start[held] + part]


class Grouped(NamedTuple):
    """Games by state: order[starts[i]:ends[i]] are in one state."""

    order: IntArray
    starts: IntArray
    ends: IntArray


class InPlay(NamedTuple):
    """Games in progress, as kernels see them: their states, and what `Games` will hold."""

    filled: IntArray
    upper: IntArray
    extra: NDArray[np.int16]
    points: NDArray[Any]
    turn: NDArray[np.uint8]


@jit
def play_games(
    number: int, grouped: Grouped, drawn: Ints2, decided: Decisions, tables: Throws, does: Effects, games: InPlay
) -> None:
    """Turn `number` of the games, the i-th group of which is in the state of decisions i."""
    order, starts, ends = grouped
    category, keep = decided
    outcome_of_reading, points, extra, bits, lift, _, _, cap, n_rerolls = does
    special_of_roll, readings, has_special = (
        does.special.of_roll,
        does.special.readings,
        len(does.special.rolls) > 0,
    )
    _, set_mask, shift, saves, _ = does.masks
    all_filled, all_upper, all_extra, all_points, all_turns = games
    for i in range(len(starts)):
        # One state for all these games: reading it anew for each would wait for memory.
        filled, upper = all_filled[order[starts[i]]], all_upper[order[starts[i]]]
        for position in range(starts[i], ends[i]):
            game = order[position]
            roll = first_roll(drawn[game, 0], tables)
            left, throw = n_rerolls, 1
            if saves:
                left += filled >> shift
            while left > 0:
                held = keep[i, left - 1, roll]
                if saves and held == roll:
                    break
                roll = next_roll(held, drawn[game, throw], tables)
                left -= 1
                throw += 1
            scored = category[i, left if saves else 0, roll]
            reading = roll
            if has_special:
                reading = reading_of(filled, roll, special_of_roll, readings)
            outcome = outcome_of_reading[reading, scored]
            all_points[game, scored] = points[outcome]
            if has_special:
                all_extra[game] += extra[outcome]
            all_turns[game, scored] = number + 1
            mask = filled & set_mask | left << shift if saves else filled
            all_filled[game], all_upper[game] = after(mask, upper, bits[outcome], lift[outcome], cap)


def simulate_to_parquet(
    policy: Policy | ScoreAware,
    games: int,
    out: Path,
    seed: int = 0,
    context: Context = DEFAULT_CONTEXT,
    about: dict[str, str] | None = None,
    play: Callable[[list[tuple[int, int]]], Iterable[tuple[tuple[int, int], Games]]] | None = None,
) -> tuple[float, float]:
    """Stream games to a Parquet file and return mean and SD. A run that was killed keeps its finished blocks.

    `about` is written into the file's metadata (see `provenance`). `play` plays blocks elsewhere: it gets
    (first game, games) of each missing block and yields them in any order.
    """
    with needs_extra("lab"):
        import polars as pl

    check_games(games, seed)
    check_outputs(out=out)
    made_from = (policy.rules.fingerprint, seed, games, GAMES_PER_BLOCK, identity(policy), source_digest(__name__))
    with writer_lock(out, context.notice):
        parts = Parts(out, made_from, context.notice)
        blocks = [(start, min(GAMES_PER_BLOCK, games - start)) for start in range(0, games, GAMES_PER_BLOCK)]
        missing = [block for block in blocks if not parts.has(_part_name(block[0]))]

        def play_here(wanted: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], Games]]:
            for start, n in wanted:

                def report(done: int, _total: int, start: int = start) -> None:
                    context.step(start + done, games)

                own = replace(context, progress=report)
                yield (start, n), simulate(policy, n, seed, context=own, first=start)

        for done, ((start, n), played) in enumerate((play or play_here)(missing)):
            parts.add(_part_name(start), n, played.frame().write_parquet)
            if play:
                context.step(len(blocks) - len(missing) + done + 1, len(blocks))
        with atomic_file(out) as half:
            files = [parts.folder / _part_name(start) for start, _ in blocks]
            with half.open("wb") as file:
                pl.scan_parquet(files).sink_parquet(file, metadata=about)
            written = pl.scan_parquet(half).select(
                rows=pl.len(), mean=pl.col("score").mean(), sd=pl.col("score").std()
            )
            rows, mean, sd = written.collect().row(0)
            if rows != games:
                raise YatzyError(f"{out}", rows, why=f"games were written of {games}")
        parts.remove()
    return float(mean), float(sd or 0.0)


def _part_name(start: int) -> str:
    return f"{start:012d}.parquet"


def provenance(player: Named, seed: int | None, version: str, command: str = "", **more: object) -> dict[str, str]:
    """Metadata for a file of this player's games or decisions; what is not known is left out."""
    about: dict[str, object] = {
        "rules": player.rules.name,
        "fingerprint": player.rules.fingerprint,
        "policy": player.name,
        "seed": seed,
        "version": version,
        "command": command or None,
        **more,
    }
    return {key: str(value) for key, value in about.items() if value is not None}


def stamp(file: Path, about: dict[str, str]) -> None:
    """Add metadata to a finished Parquet file, atomically."""
    with needs_extra("lab"):
        import polars as pl

    with atomic_file(file) as half, half.open("wb") as out:
        rows = pl.scan_parquet(file)
        rows.sink_parquet(out, compression="lz4", row_group_size=ROWS_PER_GROUP, statistics=False, metadata=about)


def play_on(game: Game, policy: Player = "optimal", turns: int | None = None) -> Game:
    """The game as a policy plays it on: to the end, or for some turns.

    >>> import yatzy
    >>> game = yatzy.Game(seed=7).throw().score("chance")
    >>> yatzy.play_on(game, "heuristic")
    <Game scandinavian: finished with 165 points>
    """
    player = as_policy(policy, game.rules)
    until = game.rules.n_categories if turns is None else game.turn - 1 + turns
    while not game.is_finished and game.turn <= until:
        game = _play_turn(game, player)
    return game


def _play_turn(game: Game, policy: Policy | ScoreAware) -> Game:
    if isinstance(policy, Draws):
        turn, game = game.turn, game if game.dice else game.throw()
        while game.turn == turn and not game.is_finished:
            game = game.push(policy.draw(game))
        return game
    rules, ids = game.rules, lattice(game.rules.dice, game.rules.faces)
    filled, upper = np.array([game.state.filled]), np.array([game.state.upper])
    if isinstance(policy, ScoreAware):
        decisions = policy.decide_at(filled, upper, np.array([game.total]))
    else:
        decisions = policy.decide(filled, upper)
    check_decisions(policy, filled, upper, decisions)
    game = game if game.dice else game.throw()
    while game.rerolls:
        roll_id = ids.id_of(game.dice)
        keep_id = int(decisions.keep[0, game.rerolls - 1, roll_id])
        if keep_id == roll_id and rules.saves_throws:
            break
        game = game.hold(ids.keeps[keep_id]).throw()
    level = game.rerolls if rules.saves_throws else 0
    category_id = by_level(decisions.category)[0, level, ids.id_of(game.dice)]
    return game.score(rules.categories[category_id].name)


def play_logs(policy: Policy | ScoreAware, games: int, seed: int = 0, first: int = 0) -> Iterator[GameLog]:
    """Games number `first` to `first + games` of a seed as logs: the games that `simulate` plays."""
    check_games(games, seed)
    for number in range(first, first + games):
        game = Game(policy.rules, dice=SeededDice(policy.rules, seed, number))
        yield play_on(game, policy).log(player=policy.name)


@dataclass(frozen=True)
class Compared:
    """One of several policies on the same dice: its difference to the first, with a 95% interval."""

    policy: str
    mean: float
    sd: float
    difference: float
    low: float
    high: float
    wins: float
    ties: float


@dataclass(frozen=True, repr=False)
class Comparison(Sequence[Compared], Tabular):
    """Several policies on the same dice."""

    rows: tuple[Compared, ...]
    games: int
    seed: int

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def columns(self) -> dict[str, Any]:
        """One row per policy."""
        return {one.name: [getattr(row, one.name) for row in self] for one in fields(Compared)}

    def __repr__(self) -> str:
        means = ", ".join(f"{row.policy} {row.mean:.2f}" for row in self)
        return f"<Comparison over {self.games:,} games, seed {self.seed}: {means}>"

    def _repr_html_(self) -> str:
        headings = ("policy", "mean", "SD", "difference", "from", "to", "wins", "ties")
        first, *others = self
        rows = [
            (one.policy, one.mean, one.sd, one.difference, one.low, one.high, Share(one.wins), Share(one.ties))
            for one in others
        ]
        return html_table(headings, [(first.policy, first.mean, first.sd, *[None] * 5), *rows], repr(self)[1:-1])


def compare(
    *policies: Player,
    games: int = 100_000,
    seed: int = 0,
    rules: str | Ruleset | None = None,
    context: Context = DEFAULT_CONTEXT,
) -> Comparison:
    """Play several policies on the same dice, and compare each with the first.

    >>> import yatzy
    >>> found = yatzy.compare("greedy", "heuristic", games=10_000)
    >>> [row.policy for row in found], found[1].low < found[1].difference < found[1].high
    (['greedy', 'heuristic'], True)

    They see the same dice wherever they reach the same point, so differences need far fewer games than means do.
    `wins` and `ties` are the shares of games with a higher and with the same score as the first.
    """
    if len(policies) < 2:
        raise YatzyError("policies", len(policies), "two or more", "cannot be compared")
    check_games(games, seed)
    players = [as_policy(policy, rules) for policy in policies]
    for player in players:
        if player.rules != players[0].rules:
            why = f"plays {player.rules.name}, the first {players[0].rules.name}"
            raise YatzyError("policies", player.name, why=why)
    with context.shown(f"playing {games:,} games") as shown:
        played = [
            simulate(player, games, seed, context=shown.part(i, len(players))) for i, player in enumerate(players)
        ]
    rows = (compare_games(player.name, own, played[0]) for player, own in zip(players, played, strict=True))
    return Comparison(tuple(rows), games, seed)


def compare_games(policy: str, played: Games, first: Games) -> Compared:
    """Compare the games of a policy with those of the first on the same dice."""
    ahead = played.score.astype(float) - first.score
    mean, spread = float(ahead.mean()), 0.0
    if len(played) > 1:
        spread = CONFIDENCE_95 * float(ahead.std(ddof=1)) / math.sqrt(len(played))
    return Compared(
        policy, played.mean, played.sd, mean, mean - spread, mean + spread,
        float((ahead > 0).mean()), float((ahead == 0).mean()),
    )  # fmt: skip
