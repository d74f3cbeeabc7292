"""Training data: what perfect play does in a situation, by how much it is best, and tables of that as files.

With best(r, n) the value of roll r with n rerolls left, the actions are

    n = 0   categories:  points + V(filled + c, min(T, upper + lift))
    n > 0   keeps:       E[best(K filled up with fresh dice, n - 1)];  keeping all dice passes: best(r, n - 1).

The *gap* is the value of the best action minus that of the best one that does something else (each keep inside a
roll counts once, however many masks give it); with a single action it is 0. Ties go to the lowest id. One pass of
the die lattice serves all situations of a state, so situations come grouped by state.

The files, Parquet or CSV, are `category_decisions`, `reroll1_decisions` (one reroll left) and `reroll2_decisions`:
the decisions of seeded optimal games, which all advance together (`write_dataset`), or situations with their exact
weights (`write_situations`). The work is cut into *shares*, which may be computed elsewhere and come back in any
order. Each is kept beside the files until they are whole, and what is written is the shares in their order:

    games:       block of games, turn, share of the block
    situations:  state, of which a share has a run
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, Ints1, Ints2, Lanes2, Tabular
from yatzy.context import DEFAULT_CONTEXT, MAX_GAMES, Context, check_seed, check_threads, chunks, in_threads
from yatzy.errors import YatzyError, check_int, needs_extra
from yatzy.measure.exact import visit
from yatzy.measure.simulate import (
    MAX_AT_ONCE,
    Throws,
    check_games,
    first_roll,
    games_by_state,
    next_roll,
    throw_tables,
)
from yatzy.measure.simulate import draws as drawn_dice
from yatzy.players.columns import RollMasks, mask_tables, plain_columns, roll_part, state_part
from yatzy.players.situations import (
    STATES_PER_CHUNK,
    Situations,
    all_situations,
    drawn_situations,
    exact_situations,
    join_situations,
)
from yatzy.policies.policy import Policy, Stochastic, Validated, identity
from yatzy.policies.registry import Player, as_policy
from yatzy.rules import Ruleset, format_category, stored_name
from yatzy.sealed import Parts, match_seal, seal_files
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable, check_table
from yatzy.source_digest import source_digest
from yatzy.storage import atomic_file, home, writer_lock
from yatzy.turn.kernels.decisions import best_two_categories, best_two_keeps
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import n_lanes
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import Continuation, Scratch, Turn, continuation_of, turn_scratch, turn_tables
from yatzy.turn.values import reading_of, walk_back

if TYPE_CHECKING:
    import polars


class Labels(NamedTuple):
    """Best actions in n situations.

    `action`: the category, or the canonical mask of the dice thrown again; `keep`: the keep of that mask (0 for
    categories); `values` (n, actions): of every category (NaN if filled) or mask; no rows if not asked for.
    """

    action: NDArray[np.uint8]
    keep: NDArray[np.uint16]
    gap: NDArray[np.float32]
    values: NDArray[np.float32]


class Wanted(NamedTuple):
    """Which columns are wanted beside the best action: the value, or the regret, of every action."""

    values: bool = False
    regrets: bool = False


NOTHING_MORE = Wanted()


def empty_labels(rules: Ruleset, n: int, rerolls: int, values: bool) -> Labels:
    """Room for n situations of one decision."""
    n_actions = 1 << rules.dice if rerolls else rules.n_categories
    return Labels(
        action=np.zeros(n, np.uint8),
        keep=np.zeros(n, np.uint16),
        gap=np.zeros(n, np.float32),
        values=np.full((n if values else 0, n_actions), np.nan, np.float32),
    )


def label_situations(
    table: ValueTable,
    filled: IntArray,
    upper: IntArray,
    roll_ids: IntArray,
    rerolls: int,
    values: bool = False,
    threads: int | None = None,
) -> Labels:
    """Best action, gap and (if asked for) the value of every action, in situations with `rerolls` left."""
    check_table(table)
    rules = table.rules
    filled, upper = np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64)
    roll_ids = np.ascontiguousarray(roll_ids, np.int64)
    rows = rows_by_state(rules, filled, upper)
    labels = empty_labels(rules, len(filled), rerolls, values)
    tables = label_tables(table)

    def run(part: slice) -> None:
        _label_states(rows.part(part), roll_ids, rerolls, tables, labels, turn_scratch(rules))

    in_threads(run, chunks(len(rows.filled), STATES_PER_CHUNK), threads)
    return labels


class Tables(NamedTuple):
    """The tables that labelling reads."""

    turn: Turn
    continuation: Continuation
    masks: RollMasks


def label_tables(table: ValueTable) -> Tables:
    """The tables of a solved game."""
    return Tables(turn_tables(table.rules), continuation_of(table.rules, table.stored), mask_tables(table.rules))


class ByState(NamedTuple):
    """Rows grouped by state: order[starts[i]:ends[i]] are in the state (filled[i], upper[i])."""

    order: IntArray
    starts: IntArray
    ends: IntArray
    filled: IntArray
    upper: IntArray

    def part(self, part: slice) -> "ByState":
        """Some of the states."""
        return ByState(self.order, self.starts[part], self.ends[part], self.filled[part], self.upper[part])


def rows_by_state(rules: Ruleset, filled: IntArray, upper: IntArray) -> ByState:
    """Group rows, which are in these states."""
    masks, uppers, starts, order = games_by_state(rules, filled, upper)
    return ByState(order, starts, np.append(starts[1:], len(filled)), masks, uppers)


@jit
def _label_states(
    rows: ByState, roll_ids: Ints1, rerolls: int, tables: Tables, labels: Labels, scratch: Scratch
) -> None:
    """Label situations, grouped by their states."""
    order, starts, ends, filled, upper = rows
    width = n_lanes(scratch.work)
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back(first, n, filled, upper, rerolls, False, tables.turn, tables.continuation, scratch)
        for lane in range(n):
            for position in range(starts[first + lane], ends[first + lane]):
                row = order[position]
                if rerolls:
                    _label_keep(row, roll_ids[row], lane, tables, scratch.levels[rerolls], labels)
                else:
                    _label_category(
                        row, filled[first + lane], roll_ids[row], lane, tables.turn, scratch.work, labels
                    )


@jit
def record_turn(
    games: ByState, drawn: Ints2, tables: Tables, throws: Throws, rolls: Ints2, labels: tuple[Labels, ...],
    scratch: Scratch,
) -> None:  # fmt: skip
    """One turn of optimal play, in games grouped by their states.

    `drawn` (games, throws) are the dice; `rolls` (rerolls + 1, games) is what they showed, and `labels` are what
    to do, both by rerolls left.
    """
    order, starts, ends, filled, upper = games
    width = n_lanes(scratch.work)
    n_rerolls = len(labels) - 1
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back(first, n, filled, upper, n_rerolls, False, tables.turn, tables.continuation, scratch)
        for lane in range(n):
            for position in range(starts[first + lane], ends[first + lane]):
                row = order[position]
                roll = first_roll(drawn[row, 0], throws)
                for left in range(n_rerolls, 0, -1):
                    rolls[left, row] = roll
                    _label_keep(row, roll, lane, tables, scratch.levels[left], labels[left])
                    held = labels[left].keep[row]
                    roll = next_roll(held, drawn[row, n_rerolls + 1 - left], throws)
                rolls[0, row] = roll
                _label_category(row, filled[first + lane], roll, lane, tables.turn, scratch.work, labels[0])


@jittable
def _label_keep(row: int, roll: int, lane: int, tables: Tables, level: Lanes2, labels: Labels) -> None:
    """Best keep of those inside the roll; `level` (n_keeps, lanes) is what they are worth."""
    best, second, slot = best_two_keeps(lane, roll, tables.turn, level)
    labels.action[row] = tables.masks.mask_of_slot[roll, slot]
    labels.keep[row] = tables.turn.keeps_in_roll[roll, slot]
    labels.gap[row] = best - second if second > -math.inf else 0.0
    if len(labels.values):
        for mask in range(labels.values.shape[1]):
            labels.values[row, mask] = level[tables.masks.keep_of_mask[roll, mask], lane]


@jittable
def _label_category(row: int, filled: int, roll: int, lane: int, turn: Turn, work: Lanes2, labels: Labels) -> None:
    """Best open category."""
    best, second, chosen = best_two_categories(lane, filled, roll, turn, work)
    labels.action[row] = chosen
    labels.gap[row] = best - second if second > -math.inf else 0.0
    if len(labels.values):
        reading = reading_of(filled, roll, turn.special.of_roll, turn.special.readings)
        for category in range(len(turn.zero)):
            value = work[turn.n_keeps + 1 + turn.outcome_of_reading[reading, category], lane]
            labels.values[row, category] = value if value > -math.inf else math.nan


def decision_names(rules: Ruleset) -> tuple[str, ...]:
    """Kinds of decision by rerolls left: `category`, `reroll1`, `reroll2`."""
    return ("category", *(f"reroll{left}" for left in range(1, rules.rerolls + 1)))


@dataclass(frozen=True)
class TurnRows:
    """One turn of n games; lists are by rerolls left."""

    filled: IntArray
    upper: IntArray
    rolls: NDArray[np.uint16]
    labels: list[Labels]


def play_turns(
    table: ValueTable, first: int, n: int, seed: int, values: bool, pool: ThreadPoolExecutor
) -> Iterator[TurnRows]:
    """Optimal games number `first` to `first + n` of a seed, turn by turn: the games that `simulate` plays."""
    rules = table.rules
    tables, throws, after = label_tables(table), throw_tables(rules), outcomes(rules)
    filled, upper = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for turn in range(rules.n_categories):
        games = rows_by_state(rules, filled, upper)
        drawn = drawn_dice(rules, seed, turn, first, n, pool)
        rolls = np.zeros((rules.rerolls + 1, n), np.uint16)
        labels = [empty_labels(rules, n, left, values) for left in range(rules.rerolls + 1)]

        def run(
            part: slice, games: Any = games, drawn: Any = drawn, rolls: Any = rolls, labels: Any = labels
        ) -> None:
            record_turn(games.part(part), drawn, tables, throws, rolls, tuple(labels), turn_scratch(rules))

        list(pool.map(run, chunks(len(games.filled), STATES_PER_CHUNK)))
        yield TurnRows(filled, upper, rolls, labels)
        filled, upper = after.after(filled, upper, after.of_reading[rolls[0], labels[0].action])


def turn_frames(rules: Ruleset, rows: TurnRows, wanted: Wanted = NOTHING_MORE) -> "Iterator[polars.DataFrame]":
    """Tables of one turn, by rerolls left: features, `action`, `keep` (of rerolls), `gap`, then what is wanted."""
    with needs_extra("lab"):
        import polars as pl

    by_state = state_part(rules, rows.filled, rows.upper)
    states = [np.ascontiguousarray(by_state[:, j]) for j in range(by_state.shape[1] - 1)]
    for left, labels in enumerate(rows.labels):
        rolls = roll_part(rules).T[:, rows.rolls[left]]
        columns = [*rolls, *states, *([np.full(len(rows.filled), left, np.int16)] if left else [])]
        features = dict(zip(plain_columns(rules, left > 0), columns, strict=True))
        yield pl.DataFrame(features | label_columns(rules, left, labels, wanted))


def label_columns(
    rules: Ruleset, rerolls: int, labels: Labels, wanted: Wanted = NOTHING_MORE, weight: FloatArray | None = None
) -> dict[str, NDArray[Any]]:
    """Labels and any weights as columns."""
    found: dict[str, NDArray[Any]] = {"action": labels.action}
    if rerolls:
        found["keep"] = labels.keep
    found["gap"] = labels.gap
    if weight is not None:
        found["weight"] = weight
    regrets = regrets_of(labels) if wanted.regrets else labels.values
    for what, is_wanted, numbers in (("value", wanted.values, labels.values), ("regret", wanted.regrets, regrets)):
        if is_wanted:
            for action, column in zip(action_names(rules, rerolls), numbers.T, strict=True):
                found[f"{what}_{action}"] = np.ascontiguousarray(column)
    return found


def regrets_of(labels: Labels) -> NDArray[np.float32]:
    """(n, actions): what each action loses against the best, NaN where it is not allowed."""
    return np.asarray(np.fmax.reduce(labels.values, axis=1, keepdims=True) - labels.values)


def action_names(rules: Ruleset, rerolls: int) -> list[str]:
    """Categories in words, or masks as bits, lowest position last."""
    if rerolls:
        return [f"{mask:0{rules.dice}b}" for mask in range(1 << rules.dice)]
    return [format_category(rules, c).replace(" ", "_") for c in range(rules.n_categories)]


@dataclass(frozen=True, eq=False, repr=False)
class DecisionRows(Tabular):
    """Situations of one kind, and what perfect play does there: arrays to learn from.

    `x` (n, columns) are the features, called `names`; `action` (n,) is the category or the mask of the dice thrown
    again; `gap` what the second best action loses; `weight` how often a game comes to the situation; `values` and
    `regrets` (n, actions) are those of every action, NaN where it is not allowed.
    """

    table: ValueTable
    situations: Situations
    threads: int | None = None

    def __len__(self) -> int:
        return len(self.situations)

    @property
    def names(self) -> tuple[str, ...]:
        return plain_columns(self.situations.rules, self.situations.rerolls > 0)

    @cached_property
    def x(self) -> NDArray[np.float32]:
        return self.situations.columns().astype(np.float32)

    @property
    def action(self) -> NDArray[np.uint8]:
        return self._labels.action

    @property
    def gap(self) -> NDArray[np.float32]:
        return self._labels.gap

    @property
    def weight(self) -> FloatArray:
        return self.situations.weight

    @property
    def values(self) -> NDArray[np.float32]:
        return self._valued.values

    @property
    def regrets(self) -> NDArray[np.float32]:
        return regrets_of(self._valued)

    @cached_property
    def _labels(self) -> Labels:
        return self._label(False)

    @cached_property
    def _valued(self) -> Labels:
        return self._label(True)

    def _label(self, values: bool) -> Labels:
        here = self.situations
        return label_situations(
            self.table, here.filled, here.upper, here.roll_ids, here.rerolls, values, self.threads
        )

    def columns(self, values: bool = False, regrets: bool = False) -> dict[str, Any]:
        """Features, action, keep (of rerolls), gap, weight; if asked for, the value or regret of every action."""
        here, wanted = self.situations, Wanted(values, regrets)
        labels = self._valued if any(wanted) else self._labels
        features = dict(zip(self.names, np.ascontiguousarray(here.columns().T), strict=True))
        return features | label_columns(here.rules, here.rerolls, labels, wanted, here.weight)

    def __repr__(self) -> str:
        kind = decision_names(self.situations.rules)[self.situations.rerolls]
        return f"<{len(self):,} decisions ({kind}), {len(self.names)} columns>"


class Dataset(Mapping[str, DecisionRows]):
    """Decisions by kind: `category`, `reroll1`, `reroll2`."""

    def __init__(self, rows: Iterable[DecisionRows], asked: str) -> None:
        self._rows = {decision_names(one.situations.rules)[one.situations.rerolls]: one for one in rows}
        self._asked = asked

    def __getitem__(self, kind: str) -> DecisionRows:
        return self._rows[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        found = ", ".join(f"{kind} {len(rows):,}" for kind, rows in self.items())
        return f"<Dataset of {self._asked}: {found} rows>"


def dataset(
    policy: Player = "optimal",
    draws: int | None = None,
    games: int | None = None,
    rules: str | Ruleset | None = None,
    seed: int = 0,
    context: Context = DEFAULT_CONTEXT,
) -> Dataset:
    """Situations that a policy comes to, and what perfect play does in them.

    >>> import yatzy
    >>> data = yatzy.dataset(draws=1000, rules="scandinavian")
    >>> rows = data["category"]
    >>> rows.x.shape[1], len(rows) <= 1000, round(float(rows.weight.sum()), 6)      # every game decides 15 times
    (29, True, 15.0)

    Either `draws` of each kind, in proportion to how often a game comes there (100,000 if nothing is said), or the
    decisions of seeded `games` of optimal play. Draws of the same situation are one row with all of their weight,
    so there are fewer rows than draws. Learn from `x`, `action`, `gap`, `weight`, `values` and `regrets` of each
    kind, or from its `frame(regrets=True)`; `yatzy.from_estimators` makes a policy of what has learnt.
    """
    if games is not None and (draws is not None or policy != "optimal"):
        raise YatzyError("games", games, why="are those of optimal play, and cannot go with draws or a policy")
    with context.shown("solving") as shown:
        player: Any = as_policy(policy, rules, context=shown)
        table = stored_table(player.rules, context=shown)
    _check_solved(table)
    if games is not None:
        check_games(games, seed, MAX_AT_ONCE)
        with context.shown(f"playing {games:,} games") as shown:
            return Dataset(_game_rows(table, games, seed, shown), f"{games:,} optimal games")
    n = DRAWS if draws is None else draws
    check_draws(n, seed)
    with context.shown(f"following {player.name}") as shown:
        visits = player_visits(player, shown.threads)
        levels = range(table.rules.rerolls + 1)
        found = [exact_situations(player, visits, left, n, seed, shown.threads) for left in levels]
    rows = (DecisionRows(table, one, context.threads) for one in found)
    return Dataset(rows, f"{n:,} draws of each kind, {player.name}")


def player_visits(player: Any, threads: int | None = None) -> FloatArray:
    """How often each state is reached."""
    return visit(player if isinstance(player, Stochastic) else Validated(player), threads).visits


def _game_rows(table: ValueTable, games: int, seed: int, context: Context) -> Iterator[DecisionRows]:
    """The decisions of optimal games, turn by turn."""
    rules, turns = table.rules, []
    with ThreadPoolExecutor(context.n_threads) as pool:
        for turn, rows in enumerate(play_turns(table, 0, games, seed, False, pool)):
            turns.append(rows)
            context.step(turn + 1, rules.n_categories)
    filled, upper = (np.concatenate([getattr(turn, name) for turn in turns]) for name in ("filled", "upper"))
    weight = np.full(len(filled), 1 / games)
    for left in range(rules.rerolls + 1):
        rolls = np.concatenate([turn.rolls[left] for turn in turns]).astype(np.int64)
        yield DecisionRows(table, Situations(rules, left, filled, upper, rolls, weight), context.threads)


FORMATS = ("parquet", "csv")
# Draws of each kind of decision, if nothing is said.
DRAWS = 100_000
# Games whose turns follow one another in a file, and games that a worker elsewhere plays at once.
GAMES_PER_BLOCK = 1 << 16
GAMES_PER_SHARE = GAMES_PER_BLOCK // 4
ROWS_PER_GROUP = 1 << 18
ROWS_PER_PART = 1 << 19
SEAL = "checksums.json"

# (first game, games); (rerolls left, number of the share, of how many)
GamesShare = tuple[int, int]
SituationsShare = tuple[int, int, int]


@dataclass(frozen=True)
class DecisionFiles:
    """Where decisions are written, with the values and regrets of all actions or without, as parquet or csv."""

    folder: Path
    values: bool = False
    file_format: str = "parquet"
    regrets: bool = False

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.values, self.regrets)

    def __post_init__(self) -> None:
        check_format(self.file_format)

    @contextmanager
    def parts(self, made_from: Iterable[object], context: Context) -> Iterator[Parts]:
        """Finished parts beside the files, until these are whole: a stopped run goes on with what is missing."""
        with writer_lock(self.folder / "decisions", context.notice):
            made = (*made_from, *self.wanted, source_digest(__name__))
            yield Parts(self.folder / "decisions", made, context.notice)


def check_format(file_format: str) -> None:
    if file_format not in FORMATS:
        raise YatzyError("format", file_format, FORMATS, "is not known")


@dataclass(frozen=True, eq=False)
class Played:
    """Somebody who plays a solved game, and how often each state is reached."""

    table: ValueTable
    player: Policy | Stochastic
    visits: FloatArray


def dataset_folder(rules: Ruleset, games: int, seed: int, folder: Path | None = None) -> Path:
    """Where the decisions of these games are kept."""
    return home(folder) / "datasets" / f"{stored_name(rules)}-{games}-{seed}"


def find_dataset(table: ValueTable, games: int, seed: int, context: Context = DEFAULT_CONTEXT) -> dict[str, Path]:
    """The files of these games: from an earlier run if they are as it left them, else written now."""
    place = dataset_folder(table.rules, games, seed, context.home)
    files = {name: place / f"{name}_decisions.parquet" for name in decision_names(table.rules)}
    if not match_seal(place / SEAL, files.values()):
        write_dataset(table, DecisionFiles(place), games, seed, context)
        seal_files(place / SEAL, files.values())
    return files


def write_dataset(
    table: ValueTable,
    out: DecisionFiles,
    games: int = 200_000,
    seed: int = 0,
    context: Context = DEFAULT_CONTEXT,
    away: Callable[[], ValueTable] | None = None,
) -> dict[str, Path]:
    """Play games and write their decisions, one file per kind; return the files.

    Memory holds one turn of one block of games. With `away`, which gives a worker its table, the runner of the
    context plays them.
    """
    check_games(games, seed)
    _check_solved(table)
    rules, names = table.rules, decision_names(table.rules)
    turns, size = range(rules.n_categories), GAMES_PER_SHARE if away else GAMES_PER_BLOCK
    blocks = [
        _shares(start, min(start + GAMES_PER_BLOCK, games), size) for start in range(0, games, GAMES_PER_BLOCK)
    ]
    made_from = ("games", rules.fingerprint, games, seed, GAMES_PER_BLOCK, size, table.stored.tobytes())
    with out.parts(made_from, context) as parts:
        missing = [
            (first, n)
            for first, n in chain(*blocks)
            if not all(parts.has(part_name(name, first, turn)) for name in names for turn in turns)
        ]
        done = games - sum(n for _, n in missing)
        if away:
            played = context.runner(partial(_play_away, away, seed, out.wanted), missing)
        else:
            played = ((share, play_share(table, seed, out.wanted, share, context.threads)) for share in missing)
        for (first, n), frames in played:
            for turn, by_rerolls in enumerate(frames):
                for name, frame in zip(names, by_rerolls, strict=True):
                    if not parts.has(part_name(name, first, turn)):
                        _add_part(parts, part_name(name, first, turn), frame)
            done += n
            context.step(done, games + games // 2)
        listed = {
            name: [part_name(name, first, turn) for block in blocks for turn in turns for first, _ in block]
            for name in names
        }
        return _join_parts(out, parts, listed, games, context)


def _check_solved(table: ValueTable) -> None:
    check_table(table)
    table.rules.check_plain("training data is")


def _shares(first: int, end: int, size: int) -> list[GamesShare]:
    """The games of a block as shares."""
    return [(start, min(size, end - start)) for start in range(first, end, size)]


def play_share(
    table: ValueTable, seed: int, wanted: Wanted, share: GamesShare, threads: int | None = None
) -> "Iterator[list[polars.DataFrame]]":
    """The decisions of some optimal games, turn by turn: tables by rerolls left."""
    with ThreadPoolExecutor(check_threads(threads)) as pool:
        for rows in play_turns(table, *share, seed, any(wanted), pool):
            yield list(turn_frames(table.rules, rows, wanted))


def _play_away(
    away: Callable[[], ValueTable], seed: int, wanted: Wanted, share: GamesShare
) -> "list[list[polars.DataFrame]]":
    return list(play_share(away(), seed, wanted, share))


def part_name(decision: str, start: int, turn: int) -> str:
    return f"{decision}-{start:012d}-{turn:03d}.arrow"


def _add_part(parts: Parts, name: str, frame: "polars.DataFrame", compression: Any = "uncompressed") -> None:
    parts.add(name, len(frame), lambda half: frame.write_ipc(half, compression=compression))


def _join_parts(
    out: DecisionFiles, parts: Parts, listed: dict[str, list[str]], done: int, context: Context
) -> dict[str, Path]:
    """One file per kind of decision, streamed from its parts, which are then deleted; `done` steps are done."""
    with needs_extra("lab"):
        import polars as pl

    files, is_csv = {}, out.file_format == "csv"
    for i, (decision, names) in enumerate(listed.items(), start=1):
        file = out.folder / f"{decision}_decisions.{out.file_format}"
        rows = pl.scan_ipc([parts.folder / name for name in names])
        with atomic_file(file) as half:
            with half.open("wb") as content:
                if is_csv:
                    rows.sink_csv(content)
                else:
                    rows.sink_parquet(content, compression="lz4", row_group_size=ROWS_PER_GROUP, statistics=False)
            written = pl.scan_csv(half) if is_csv else pl.scan_parquet(half)
            found = written.select(pl.len()).collect().item()
            if found != parts.rows(names):
                raise YatzyError(str(file), why=f"{found} rows were written of {parts.rows(names)}")
        files[decision] = file
        context.step(done + done // 2 * i // len(listed), done + done // 2)
    parts.remove()
    return files


def write_situations(
    played: Played,
    out: DecisionFiles,
    draws: int | None = None,
    seed: int = 0,
    context: Context = DEFAULT_CONTEXT,
    away: Callable[[], Played] | None = None,
) -> dict[str, Path]:
    """Write situations the player reaches and what perfect play does in them, one file per kind; return the files.

    N draws of each kind, or every situation if `draws` is None. Memory holds one part: ROWS_PER_PART rows or a few
    more. With `away`, which gives a worker the same play, the runner of the context finds them.
    """
    check_draws(draws, seed)
    _check_solved(played.table)
    rules, player, visits = played.table.rules, played.player, played.visits
    if player.rules != rules:
        raise YatzyError("table", why=f"is for rules {rules.name!r}, the player plays {player.rules.name!r}")
    of = -(-(draws or int(np.count_nonzero(visits[:-1])) * len(rules.rolls)) // ROWS_PER_PART)
    made_from = (
        "situations", rules.fingerprint, draws, seed, ROWS_PER_PART, identity(player),
        played.table.stored.tobytes(), np.ascontiguousarray(visits).tobytes(),
    )  # fmt: skip
    with out.parts(made_from, context) as parts:
        names = decision_names(rules)
        listed = {name: [part_name(name, number, 0) for number in range(of)] for name in names}
        shares = [(left, number, of) for left in range(len(names)) for number in range(of)]
        missing = [share for share in shares if not parts.has(listed[names[share[0]]][share[1]])]
        if away:
            found = context.runner(partial(_find_away, away, draws, seed, out.wanted), missing)
        else:
            find = partial(find_share, played, draws, seed, out.wanted, threads=context.threads)
            found = ((share, find(share)) for share in missing)
        for done, ((left, number, _), frame) in enumerate(found, len(shares) - len(missing) + 1):
            _add_part(parts, listed[names[left]][number], frame, "lz4")
            context.step(done, len(shares) + len(shares) // 2)
        # A share may have no states, and then it has not all columns.
        listed = {name: [part for part in listed[name] if parts.rows([part])] for name in names}
        return _join_parts(out, parts, listed, len(shares), context)


def check_draws(draws: int | None, seed: int) -> None:
    """Refuse impossible draws or seeds; `draws` may be None, for every situation."""
    if draws is not None:
        check_int("draws", draws, 1, MAX_GAMES)
    check_seed(seed)


def find_share(
    played: Played,
    draws: int | None,
    seed: int,
    wanted: Wanted,
    share: SituationsShare,
    threads: int | None = None,
) -> "polars.DataFrame":
    """The situations of a run of states; `draws` is None for every one of them."""
    left, *run = share
    if draws is None:
        blocks = complete_situations(played.player, played.visits, left, threads, (run[0], run[1]))
    else:
        blocks = drawn_situations(played.player, played.visits, left, draws, seed, threads, (run[0], run[1]))
    situations = join_situations(played.table.rules, left, list(blocks))
    return DecisionRows(played.table, situations, threads).frame(*wanted)


def _find_away(
    away: Callable[[], Played], draws: int | None, seed: int, wanted: Wanted, share: SituationsShare
) -> "polars.DataFrame":
    return find_share(away(), draws, seed, wanted, share)


def complete_situations(
    player: Policy | Stochastic, visits: FloatArray, rerolls: int, threads: int | None, share: tuple[int, int]
) -> Iterator[Situations]:
    """Every situation of one kind that can occur, block by block; `share` as in `all_situations`."""
    for block in all_situations(player, visits, threads, share):
        weight = block.weight[:, rerolls]
        state, roll = np.nonzero(weight)
        yield Situations(player.rules, rerolls, block.filled[state], block.upper[state], roll, weight[state, roll])


def read_decisions(file: Path, names: tuple[str, ...]) -> tuple[NDArray[np.float32], Labels]:
    """A data set's file as numbers: features (n, columns) and labels without values."""
    with needs_extra("lab"):
        import polars as pl

    read = pl.read_csv if file.suffix == ".csv" else pl.read_parquet
    frame = read(file, columns=[*names, "action", "gap"])
    rows = np.empty((len(frame), len(names)), np.float32)
    for j, name in enumerate(names):
        rows[:, j] = frame[name].to_numpy()
    action, gap = frame["action"].to_numpy().astype(np.uint8), frame["gap"].to_numpy().astype(np.float32)
    return rows, Labels(action, np.zeros(0, np.uint16), gap, np.zeros((0, 0), np.float32))
