"""Training data: decisions of perfect play, from seeded games or with their exact probabilities.

*Games* (`write_dataset`): optimal games in lockstep, every turn each distinct state once; three decisions a turn,
one file per kind of decision: `category_decisions`, `reroll1_decisions` (one reroll left), `reroll2_decisions`.

*Exactly* (`exact_situations`): play comes to (state, roll, n rerolls left) with probability

    visits(state) * mass(roll, n),    mass(., rerolls) = prob_roll,
    mass(., n - 1) = the keeps of the policy filled up along the die lattice,

so the weights of each kind of decision sum to the number of turns, and nothing needs to be played. Of all these
situations either every one is given, block by block, or n are drawn systematically: points at equal steps along
the summed weights, so that a situation of n * share expected draws gets that number rounded up or down. Play that
draws its actions itself (`Mixed`, such as softened optimal play) has such masses as well as any policy.
`write_situations` writes them as files with the columns of the games' files and `weight`.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, aligned
from yatzy.datasets.best_actions import (
    LANES,
    STATES_PER_CHUNK,
    Labels,
    check_table,
    empty_labels,
    label_situations,
    levels_buffer,
    record_turn,
)
from yatzy.datasets.columns import Columns, plain_columns, roll_part, state_part
from yatzy.datasets.reroll_bits import mask_tables
from yatzy.errors import YatzyError
from yatzy.evaluate.exact import turn_tables
from yatzy.evaluate.simulate import check_games, draws, group_by_state, throw_tables
from yatzy.files import whole_file
from yatzy.policy.base import Policy
from yatzy.rules import Ruleset, format_category
from yatzy.running import Progress, check_threads, chunks
from yatzy.solver.table import ValueTable
from yatzy.turn.lanes import fold, jit, n_lanes
from yatzy.turn.probability import Turn
from yatzy.turn.tables import game_tables, work_buffer

if TYPE_CHECKING:
    import polars

FORMATS = ("parquet", "csv")
GAMES_PER_BLOCK = 1 << 16
ROWS_PER_GROUP = 1 << 18
ROWS_PER_PART = 1 << 19

Block = TypeVar("Block")


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
    rules, space = table.rules, table.space
    game, masks, throws = game_tables(rules, "float64"), mask_tables(rules), throw_tables(rules)
    stored, scores = np.asarray(table.stored), np.array(rules.scores)
    is_upper = np.array([category.upper for category in rules.categories])
    filled, upper = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for turn in range(rules.n_categories):
        counts = np.zeros(space.n_masks * space.n_uppers, np.int32)
        distinct, starts, order = group_by_state(filled, upper, space.n_uppers, counts)
        ends = np.append(starts[1:], n)
        drawn = draws(rules, seed, turn, first, n, pool)
        rolls = np.zeros((rules.rerolls + 1, n), np.uint16)
        labels = [empty_labels(rules, n, left, values) for left in range(rules.rerolls + 1)]

        def run(
            part: slice, distinct: Any = distinct, starts: Any = starts, ends: Any = ends, order: Any = order,
            drawn: Any = drawn, rolls: Any = rolls, labels: Any = labels,
        ) -> None:  # fmt: skip
            record_turn(
                order, starts[part], ends[part], distinct[part] // space.n_uppers, distinct[part] % space.n_uppers,
                drawn, game, masks, throws, stored, rolls, labels[0], tuple(labels[1:]),
                levels_buffer(rules), work_buffer(game, "float64"),
            )  # fmt: skip

        list(pool.map(run, chunks(len(distinct), STATES_PER_CHUNK)))
        yield TurnRows(filled, upper, rolls, labels)
        scored = labels[0].action
        lift = scores[rolls[0], scored] * is_upper[scored]
        filled = filled | 1 << scored.astype(np.int64)
        upper = np.minimum(upper + lift, rules.bonus_threshold)


def turn_frames(rules: Ruleset, rows: TurnRows) -> "Iterator[polars.DataFrame]":
    """Tables of one turn, by rerolls left: features, `action`, `keep` (of rerolls), `gap`, then any values."""
    by_state = state_part(rules, rows.filled, rows.upper)
    states = [np.ascontiguousarray(by_state[:, j]) for j in range(by_state.shape[1] - 1)]
    for left, labels in enumerate(rows.labels):
        rolls = roll_part(rules).T[:, rows.rolls[left]]
        columns = [*rolls, *states, *([np.full(len(rows.filled), left, np.int16)] if left else [])]
        yield label_frame(rules, left, dict(zip(plain_columns(rules, left > 0), columns, strict=True)), labels)


def label_frame(
    rules: Ruleset,
    rerolls: int,
    columns: dict[str, NDArray[Any]],
    labels: Labels,
    weight: FloatArray | None = None,
) -> "polars.DataFrame":
    """Columns, labels and any weights as one table."""
    import polars as pl

    found: dict[str, NDArray[Any]] = {**columns, "action": labels.action}
    if rerolls:
        found["keep"] = labels.keep
    found["gap"] = labels.gap
    if weight is not None:
        found["weight"] = weight
    if len(labels.values):
        for action, values in zip(action_names(rules, rerolls), labels.values.T, strict=True):
            found[f"value_{action}"] = np.ascontiguousarray(values)
    return pl.DataFrame(found)


def action_names(rules: Ruleset, rerolls: int) -> list[str]:
    """Categories in words, or masks as bits, lowest position last."""
    if rerolls:
        return [f"{mask:0{rules.dice}b}" for mask in range(1 << rules.dice)]
    return [format_category(rules, c).replace(" ", "_") for c in range(rules.n_categories)]


def write_dataset(
    table: ValueTable,
    folder: Path,
    games: int = 200_000,
    seed: int = 0,
    values: bool = False,
    file_format: str = "parquet",
    threads: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Path]:
    """Play games and write their decisions, one file per kind; returns the files.

    Memory holds one turn of one block of games. Finished blocks are kept beside the files until these are whole:
    killed and started again, it goes on with the next block.
    """
    check_games(games, seed)
    check_table(table)
    check_format(file_format)
    rules = table.rules
    folder.mkdir(parents=True, exist_ok=True)
    with_values = "-values" if values else ""
    parts = folder / f".{rules.fingerprint}-{games}-{seed}{with_values}.parts"
    parts.mkdir(exist_ok=True)
    with ThreadPoolExecutor(check_threads(threads)) as pool:
        for start in range(0, games, GAMES_PER_BLOCK):
            n = min(GAMES_PER_BLOCK, games - start)
            if not _part_path(parts, start, rules.n_categories - 1, decision_names(rules)[-1]).exists():
                _write_block(table, parts, start, n, seed, values, pool)
            if progress:
                progress(start + n, games + games // 2)
    return _join_parts(rules, parts, folder, file_format, games, progress)


def check_format(file_format: str) -> None:
    if file_format not in FORMATS:
        raise YatzyError(f"format: {file_format!r} is not known; allowed are {' and '.join(FORMATS)}")


def _part_path(parts: Path, start: int, turn: int, decision: str) -> Path:
    return parts / f"{decision}-{start:012d}-{turn:03d}.arrow"


def _write_block(
    table: ValueTable, parts: Path, start: int, n: int, seed: int, values: bool, pool: ThreadPoolExecutor
) -> None:
    """All turns of a block; its last file is written last."""
    for turn, rows in enumerate(play_turns(table, start, n, seed, values, pool)):
        for decision, frame in zip(decision_names(table.rules), turn_frames(table.rules, rows), strict=True):
            _write_part(frame, _part_path(parts, start, turn, decision))


def _write_part(frame: "polars.DataFrame", file: Path, compression: Any = "uncompressed") -> None:
    """Whole or not there."""
    with whole_file(file) as half:
        frame.write_ipc(half, compression=compression)


def _join_parts(
    rules: Ruleset, parts: Path, folder: Path, file_format: str, done: int, progress: Progress | None
) -> dict[str, Path]:
    """One file per kind of decision, streamed from its parts, which then go; `done` units of work lie behind."""
    import polars as pl

    files = {}
    for i, decision in enumerate(decision_names(rules)):
        file = folder / f"{decision}_decisions.{file_format}"
        found = sorted(parts.glob(f"{decision}-*.arrow"))
        rows = pl.scan_ipc(found)
        with whole_file(file) as half:
            if file_format == "csv":
                rows.sink_csv(half)
            else:
                rows.sink_parquet(half, compression="lz4", row_group_size=ROWS_PER_GROUP, statistics=False)
        files[decision] = file
        if progress:
            progress(done + done // 2 * (i + 1) // (rules.rerolls + 1), done + done // 2)
    for part in parts.iterdir():
        part.unlink()
    parts.rmdir()
    return files


@dataclass(frozen=True)
class Situations:
    """Situations of one kind of decision; `weight` is how often a game comes there, or stands for that many."""

    rules: Ruleset
    rerolls: int
    filled: IntArray
    upper: IntArray
    roll_ids: IntArray
    weight: FloatArray

    def __len__(self) -> int:
        return len(self.filled)

    def features(self, names: tuple[str, ...] | None = None) -> NDArray[Any]:
        """(n, columns): the plain columns, or those asked for."""
        columns = Columns(self.rules, names or plain_columns(self.rules, self.rerolls > 0))
        return columns.rows(self.filled, self.upper, self.roll_ids, self.rerolls)

    def frame(self) -> "polars.DataFrame":
        """As a table: filled, upper, roll, weight."""
        import polars as pl

        return pl.DataFrame(
            {"filled": self.filled, "upper": self.upper, "roll": self.roll_ids, "weight": self.weight}
        )


def join_situations(blocks: list[Situations]) -> Situations:
    """One after the other; at least one, all of one kind."""
    columns = ("filled", "upper", "roll_ids", "weight")
    joined = (np.concatenate([getattr(block, column) for block in blocks]) for column in columns)
    return Situations(blocks[0].rules, blocks[0].rerolls, *joined)


@dataclass(frozen=True)
class SituationBlock:
    """Every situation of some states: `weight` (n, rerolls + 1, n_rolls), by rerolls left and roll."""

    filled: IntArray
    upper: IntArray
    weight: FloatArray


@runtime_checkable
class Mixed(Protocol):
    """Play that draws its actions: it has no decisions to show, but probabilities."""

    @property
    def name(self) -> str: ...

    @property
    def rules(self) -> Ruleset: ...

    def situation_masses(self, filled: IntArray, upper: IntArray) -> FloatArray:
        """(n, rerolls + 1, n_rolls): probability of each roll by rerolls left, in one turn of each state."""
        ...


def all_situations(
    player: Policy | Mixed, visits: FloatArray, threads: int | None = None
) -> Iterator[SituationBlock]:
    """Every situation the player comes to with its exact weight; `visits` are those of its exact evaluation."""
    filled, upper = np.nonzero(visits[:-1])

    def run(part: slice) -> SituationBlock:
        weight = situation_masses(player, filled[part], upper[part])
        weight *= visits[filled[part], upper[part]][:, None, None]
        return SituationBlock(filled[part], upper[part], weight)

    return _in_order(run, len(filled), threads)


def exact_situations(
    player: Policy | Mixed, visits: FloatArray, rerolls: int, n: int, seed: int = 0, threads: int | None = None
) -> Situations:
    """N draws of situations with so many rerolls left, in proportion to their exact weight.

    A situation drawn several times is one row, with that multiple of turns / n as its weight.
    """
    return join_situations(list(drawn_situations(player, visits, rerolls, n, seed, threads)))


def drawn_situations(
    player: Policy | Mixed, visits: FloatArray, rerolls: int, n: int, seed: int = 0, threads: int | None = None
) -> Iterator[Situations]:
    """The same block by block, for more of them than memory holds."""
    if n < 1 or not 0 <= rerolls <= player.rules.rerolls:
        raise YatzyError(f"n, rerolls: {n}, {rerolls}; allowed are 1 or more, and 0..{player.rules.rerolls}")
    filled, upper = np.nonzero(visits[:-1])
    by_state = visits[filled, upper]
    ends = np.cumsum(by_state)
    step = float(ends[-1]) / n
    offset = float(np.random.default_rng(seed).random())
    # Draw k lies at (k + offset) * step; the draws of a state are those between its ends.
    last = np.ceil(ends / step - offset).astype(np.int64)
    last[-1] = n
    before = np.append(0, last[:-1])
    drawn = np.flatnonzero(last > before)

    def run(part: slice) -> Situations:
        states = drawn[part]
        mass = situation_masses(player, filled[states], upper[states])[:, rerolls]
        counts = np.zeros(mass.shape, np.int64)
        position = (before[states] + offset) * step - (ends[states] - by_state[states])
        _count_draws(mass, by_state[states], position, last[states] - before[states], step, counts)
        i, roll = np.nonzero(counts)
        weight = np.asarray(counts[i, roll] * step, np.float64)
        return Situations(player.rules, rerolls, filled[states[i]], upper[states[i]], roll, weight)

    return _in_order(run, len(drawn), threads)


def _in_order(run: Callable[[slice], Block], n_states: int, threads: int | None) -> Iterator[Block]:
    """What `run` makes of the states, chunk by chunk; no more at a time than there are threads."""
    n_threads = check_threads(threads)
    parts = list(chunks(n_states, STATES_PER_CHUNK))
    with ThreadPoolExecutor(n_threads) as pool:
        for i in range(0, len(parts), n_threads):
            yield from pool.map(run, parts[i : i + n_threads])


@jit
def _count_draws(mass: Any, by_state: Any, position: Any, n_draws: Any, step: Any, counts: Any) -> None:
    """`counts` (n, n_rolls): how many of a state's draws, the first at `position`, fall on each roll."""
    for i in range(len(mass)):
        end, roll = by_state[i] * mass[i, 0], 0
        at = position[i]
        for _ in range(n_draws[i]):
            while at >= end and roll < mass.shape[1] - 1:
                roll += 1
                end += by_state[i] * mass[i, roll]
            # Rounding at the end of a state must not choose a roll that cannot occur.
            while mass[i, roll] == 0.0:
                roll -= 1
            counts[i, roll] += 1
            at += step


def situation_masses(player: Policy | Mixed, filled: IntArray, upper: IntArray) -> FloatArray:
    """(n, rerolls + 1, n_rolls): probability of each roll by rerolls left, in one turn of each state."""
    if isinstance(player, Mixed):
        return player.situation_masses(filled, upper)
    turn = turn_tables(player.rules)
    decisions = player.decide(filled, upper)
    mass = np.empty((len(filled), turn.n_rerolls + 1, len(turn.prob_roll)))
    _spread_masses(decisions.keep, turn, mass, aligned((turn.n_keeps, LANES), np.dtype(np.float64)))
    return mass


@jit
def _spread_masses(keep: Any, turn: Turn, mass: Any, work: Any) -> None:
    """`mass` (n, rerolls + 1, n_rolls); each lane of `work` is another state."""
    width = n_lanes(work)
    n_rolls = len(turn.prob_roll)
    for start in range(0, len(keep), width):
        n = min(width, len(keep) - start)
        for lane in range(n):
            mass[start + lane, turn.n_rerolls] = turn.prob_roll
        for left in range(turn.n_rerolls, 0, -1):
            work[: turn.n_keeps] = 0.0
            for lane in range(n):
                for roll in range(n_rolls):
                    work[keep[start + lane, left - 1, roll], lane] += mass[start + lane, left, roll]
            fold(work, turn.spread)
            for lane in range(n):
                for roll in range(n_rolls):
                    mass[start + lane, left - 1, roll] = work[roll, lane]


def write_situations(
    table: ValueTable,
    player: Policy | Mixed,
    visits: FloatArray,
    folder: Path,
    draws: int | None = None,
    seed: int = 0,
    values: bool = False,
    file_format: str = "parquet",
    threads: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Path]:
    """Situations the player comes to and what perfect play does in them, one file per kind; returns the files.

    N draws of each kind, or every situation if `draws` is None. Memory holds one part: ROWS_PER_PART rows or a few
    more. Parts are kept beside the files until these are whole: killed and started again, it goes on from there.
    """
    check_draws(draws, seed)
    check_table(table)
    check_format(file_format)
    rules = table.rules
    if player.rules != rules:
        raise YatzyError(f"table: is for rules {rules.name!r}, the player plays {player.rules.name!r}")
    # Visits differ as soon as play does: with them in its name, a run never finds the parts of another player.
    settings = f"{rules.fingerprint} {draws} {seed} {values} {ROWS_PER_PART}"
    digest = hashlib.sha256(np.ascontiguousarray(visits).tobytes() + settings.encode()).hexdigest()[:16]
    parts = folder / f".{digest}.parts"
    parts.mkdir(parents=True, exist_ok=True)
    states = np.flatnonzero(visits[:-1])
    total = len(states) * (rules.rerolls + 1)
    for left, decision in enumerate(decision_names(rules)):
        if draws is None:
            blocks = _complete_situations(player, visits, left, threads)
        else:
            blocks = drawn_situations(player, visits, left, draws, seed, threads)
        for number, situations in enumerate(_gather(blocks)):
            file = _part_path(parts, number, 0, decision)
            if not file.exists():
                _write_part(situation_frame(table, situations, values, threads), file, "lz4")
            if progress:
                last = situations.filled[-1] * visits.shape[1] + situations.upper[-1]
                progress(left * len(states) + int(np.searchsorted(states, last)) + 1, total + total // 2)
    return _join_parts(rules, parts, folder, file_format, total, progress)


def check_draws(draws: int | None, seed: int) -> None:
    """`draws` may be None: every situation."""
    if draws is not None and draws < 1:
        raise YatzyError(f"draws: {draws} is not allowed; allowed is 1 or more")
    check_games(1, seed)


def situation_frame(
    table: ValueTable, situations: Situations, values: bool = False, threads: int | None = None
) -> "polars.DataFrame":
    """The columns of the games' files and `weight`, after `gap`."""
    rules, left = situations.rules, situations.rerolls
    labels = label_situations(
        table, situations.filled, situations.upper, situations.roll_ids, left, values, threads
    )
    features = situations.features()
    columns = {name: np.ascontiguousarray(features[:, j]) for j, name in enumerate(plain_columns(rules, left > 0))}
    return label_frame(rules, left, columns, labels, situations.weight)


def _complete_situations(
    player: Policy | Mixed, visits: FloatArray, rerolls: int, threads: int | None
) -> Iterator[Situations]:
    """Every situation of one kind that can occur, block by block."""
    for block in all_situations(player, visits, threads):
        weight = block.weight[:, rerolls]
        state, roll = np.nonzero(weight)
        yield Situations(player.rules, rerolls, block.filled[state], block.upper[state], roll, weight[state, roll])


def _gather(blocks: Iterable[Situations]) -> Iterator[Situations]:
    """The same situations in larger blocks."""
    held: list[Situations] = []
    n = 0
    for block in blocks:
        held.append(block)
        n += len(block)
        if n >= ROWS_PER_PART:
            yield join_situations(held)
            held, n = [], 0
    if n:
        yield join_situations(held)


def read_decisions(file: Path, names: tuple[str, ...]) -> tuple[NDArray[np.float32], Labels]:
    """A data set's file as numbers: features (n, columns) and labels without values."""
    import polars as pl

    read = pl.read_csv if file.suffix == ".csv" else pl.read_parquet
    frame = read(file, columns=[*names, "action", "gap"])
    rows = np.empty((len(frame), len(names)), np.float32)
    for j, name in enumerate(names):
        rows[:, j] = frame[name].to_numpy()
    action, gap = frame["action"].to_numpy().astype(np.uint8), frame["gap"].to_numpy().astype(np.float32)
    return rows, Labels(action, np.zeros(0, np.uint16), gap, np.zeros((0, 0), np.float32))
