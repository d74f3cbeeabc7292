"""Training data: decisions of perfect play, from seeded games or with their exact probabilities.

*Games* (`write_dataset`): optimal games in lockstep, every turn each distinct state once; three decisions a turn,
one file per kind of decision: `category_decisions`, `reroll1_decisions` (one reroll left), `reroll2_decisions`.

*Exactly* (`exact_situations`): a policy comes to (state, roll, n rerolls left) with probability

    visits(state) * mass(roll, n),    mass(., rerolls) = prob_roll,
    mass(., n - 1) = the keeps of the policy filled up along the die lattice,

so the weights of each kind of decision sum to the number of turns, and nothing needs to be played. Of all these
situations either every one is given, block by block, or n are drawn systematically: points at equal steps along
the summed weights, so that a situation of n * share expected draws gets that number rounded up or down.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yatzy.distill.features import Columns, plain_columns, roll_part, state_part
from yatzy.distill.labels import (
    LANES,
    STATES_PER_CHUNK,
    Labels,
    check_table,
    empty_labels,
    levels_buffer,
    record_turn,
)
from yatzy.distill.masks import mask_tables
from yatzy.errors import YatzyError
from yatzy.evaluate.exact import FloatArray, chunks, turn_tables
from yatzy.evaluate.kernels import Turn
from yatzy.evaluate.simulate import check_games, draws, group_by_state, throw_tables
from yatzy.policy.base import IntArray, Policy
from yatzy.rules import Ruleset, format_category
from yatzy.solver.game import aligned, game_tables, work_buffer
from yatzy.solver.lanes import fold, jit, n_lanes
from yatzy.solver.solve import check_threads
from yatzy.solver.states import Progress
from yatzy.solver.table import ValueTable

if TYPE_CHECKING:
    import polars

FORMATS = ("parquet", "csv")
GAMES_PER_BLOCK = 1 << 16
ROWS_PER_GROUP = 1 << 18


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
    rules: Ruleset, rerolls: int, columns: dict[str, NDArray[Any]], labels: Labels
) -> "polars.DataFrame":
    """Columns and labels as one table."""
    import polars as pl

    found: dict[str, NDArray[Any]] = {**columns, "action": labels.action}
    if rerolls:
        found["keep"] = labels.keep
    found["gap"] = labels.gap
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
    if file_format not in FORMATS:
        raise YatzyError(f"format: {file_format!r} is not known; allowed are {' and '.join(FORMATS)}")
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


def _part_path(parts: Path, start: int, turn: int, decision: str) -> Path:
    return parts / f"{decision}-{start:012d}-{turn:03d}.arrow"


def _write_block(
    table: ValueTable, parts: Path, start: int, n: int, seed: int, values: bool, pool: ThreadPoolExecutor
) -> None:
    """All turns of a block; its last file is written last."""
    for turn, rows in enumerate(play_turns(table, start, n, seed, values, pool)):
        for decision, frame in zip(decision_names(table.rules), turn_frames(table.rules, rows), strict=True):
            file = _part_path(parts, start, turn, decision)
            half = file.with_suffix(".half")
            frame.write_ipc(half)
            half.replace(file)


def _join_parts(
    rules: Ruleset, parts: Path, folder: Path, file_format: str, games: int, progress: Progress | None
) -> dict[str, Path]:
    """One file per kind of decision, streamed from its parts, which then go."""
    import polars as pl

    files = {}
    for i, decision in enumerate(decision_names(rules)):
        file = folder / f"{decision}_decisions.{file_format}"
        found = sorted(parts.glob(f"{decision}-*.arrow"))
        rows = pl.scan_ipc(found)
        half = file.with_name(f".{file.name}.half")
        if file_format == "csv":
            rows.sink_csv(half)
        else:
            rows.sink_parquet(half, compression="lz4", row_group_size=ROWS_PER_GROUP, statistics=False)
        half.replace(file)
        files[decision] = file
        if progress:
            progress(games + games // 2 * (i + 1) // (rules.rerolls + 1), games + games // 2)
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


@dataclass(frozen=True)
class SituationBlock:
    """Every situation of some states: `weight` (n, rerolls + 1, n_rolls), by rerolls left and roll."""

    filled: IntArray
    upper: IntArray
    weight: FloatArray


def all_situations(policy: Policy, visits: FloatArray, threads: int | None = None) -> Iterator[SituationBlock]:
    """Every situation the policy comes to with its exact weight; `visits` are those of its exact evaluation."""
    filled, upper = np.nonzero(visits[:-1])

    def run(part: slice) -> SituationBlock:
        weight = situation_masses(policy, filled[part], upper[part])
        weight *= visits[filled[part], upper[part]][:, None, None]
        return SituationBlock(filled[part], upper[part], weight)

    n_threads = check_threads(threads)
    parts = list(chunks(len(filled), STATES_PER_CHUNK))
    with ThreadPoolExecutor(n_threads) as pool:
        for i in range(0, len(parts), n_threads):
            yield from pool.map(run, parts[i : i + n_threads])


def exact_situations(
    policy: Policy, visits: FloatArray, rerolls: int, n: int, seed: int = 0, threads: int | None = None
) -> Situations:
    """N draws of situations with so many rerolls left, in proportion to their exact weight.

    A situation drawn several times is one row, with that multiple of turns / n as its weight.
    """
    if n < 1 or not 0 <= rerolls <= policy.rules.rerolls:
        raise YatzyError(f"n, rerolls: {n}, {rerolls}; allowed are 1 or more, and 0..{policy.rules.rerolls}")
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

    def run(part: slice) -> tuple[IntArray, IntArray, IntArray]:
        states = drawn[part]
        mass = situation_masses(policy, filled[states], upper[states])[:, rerolls]
        counts = np.zeros(mass.shape, np.int64)
        position = (before[states] + offset) * step - (ends[states] - by_state[states])
        _count_draws(mass, by_state[states], position, last[states] - before[states], step, counts)
        state, roll = np.nonzero(counts)
        return states[state], roll, counts[state, roll]

    with ThreadPoolExecutor(check_threads(threads)) as pool:
        found = list(pool.map(run, chunks(len(drawn), STATES_PER_CHUNK)))
    state, roll_ids, count = (np.concatenate(column) for column in zip(*found, strict=True))
    return Situations(policy.rules, rerolls, filled[state], upper[state], roll_ids, count * step)


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


def situation_masses(policy: Policy, filled: IntArray, upper: IntArray) -> FloatArray:
    """(n, rerolls + 1, n_rolls): probability of each roll by rerolls left, in one turn of each state."""
    turn = turn_tables(policy.rules)
    decisions = policy.decide(filled, upper)
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
