"""Training data as files, Parquet or CSV, one for each kind of decision.

They are called `category_decisions`, `reroll1_decisions` (one reroll left) and `reroll2_decisions`, and hold the
decisions of seeded optimal games (`write_dataset`) or situations with their exact weights (`write_situations`).

Training data whose rows are computed elsewhere: the same files as `decision_files` writes, row by row.

The work is cut into *shares*, which come back in any order. Each is kept beside the files until they are whole, so
that a run that was stopped goes on with the shares that are missing. What is written is the parts in their order:

    games:       block of games, turn, share of the block         (first game, games)
    situations:  state, which a share has a run of                (rerolls left, number of the share, of how many)
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray
from yatzy.context import DEFAULT_CONTEXT, MAX_GAMES, Context, check_seed, check_threads
from yatzy.errors import YatzyError, check_int, needs_extra
from yatzy.lab.data.best_actions import Labels, TurnRows, decision_names, label_situations, play_turns
from yatzy.measure.simulate import check_games
from yatzy.players.columns import plain_columns, roll_part, state_part
from yatzy.players.situations import Situations, all_situations, drawn_situations, join_situations
from yatzy.policies.policy import Policy, Stochastic, identity
from yatzy.rules import Ruleset, format_category, stored_name
from yatzy.sealed import Parts, match_seal, seal_files
from yatzy.solver.table import ValueTable, check_table
from yatzy.source_digest import source_digest
from yatzy.storage import atomic_file, home, writer_lock

if TYPE_CHECKING:
    import polars


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
    with needs_extra("lab"):
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


def situation_frame(
    table: ValueTable, situations: Situations, values: bool = False, threads: int | None = None
) -> "polars.DataFrame":
    """A table with the columns of the games' files and, after `gap`, `weight`."""
    rules, left = situations.rules, situations.rerolls
    labels = label_situations(
        table, situations.filled, situations.upper, situations.roll_ids, left, values, threads
    )
    features = situations.columns()
    columns = {name: np.ascontiguousarray(features[:, j]) for j, name in enumerate(plain_columns(rules, left > 0))}
    return label_frame(rules, left, columns, labels, situations.weight)


FORMATS = ("parquet", "csv")
GAMES_PER_BLOCK = 1 << 16
ROWS_PER_GROUP = 1 << 18
ROWS_PER_PART = 1 << 19
SEAL = "checksums.json"


def dataset_folder(rules: Ruleset, games: int, seed: int, folder: Path | None = None) -> Path:
    """Where the decisions of these games are kept."""
    return home(folder) / "datasets" / f"{stored_name(rules)}-{games}-{seed}"


def find_dataset(table: ValueTable, games: int, seed: int, context: Context = DEFAULT_CONTEXT) -> dict[str, Path]:
    """The files of these games: from an earlier run if they are as it left them, else written now."""
    place = dataset_folder(table.rules, games, seed, context.home)
    files = {name: place / f"{name}_decisions.parquet" for name in decision_names(table.rules)}
    if not match_seal(place / SEAL, files.values()):
        write_dataset(table, place, games, seed, context=context)
        seal_files(place / SEAL, files.values())
    return files


def write_dataset(
    table: ValueTable,
    folder: Path,
    games: int = 200_000,
    seed: int = 0,
    values: bool = False,
    file_format: str = "parquet",
    context: Context = DEFAULT_CONTEXT,
) -> dict[str, Path]:
    """Play games and write their decisions, one file per kind; return the files.

    Memory holds one turn of one block of games. Finished blocks are kept beside the files until these are whole:
    a run that was killed goes on with the next block when started again.
    """
    check_games(games, seed)
    check_table(table)
    table.rules.check_plain("training data is")
    check_format(file_format)
    rules, names = table.rules, decision_names(table.rules)
    made_from = (
        "games", rules.fingerprint, games, seed, values, GAMES_PER_BLOCK, table.stored.tobytes(),
        source_digest(__name__),
    )  # fmt: skip
    with writer_lock(folder / "decisions", context.notice), ThreadPoolExecutor(context.n_threads) as pool:
        parts = Parts(folder / "decisions", made_from, context.notice)
        listed: dict[str, list[str]] = {name: [] for name in names}
        for start in range(0, games, GAMES_PER_BLOCK):
            n = min(GAMES_PER_BLOCK, games - start)
            block = [{name: part_name(name, start, turn) for name in names} for turn in range(rules.n_categories)]
            if not all(parts.has(part) for turn in block for part in turn.values()):
                _write_block(table, parts, block, start, n, seed, values, pool)
            for turn in block:
                for name, part in turn.items():
                    listed[name].append(part)
            context.step(start + n, games + games // 2)
        return join_parts(rules, parts, listed, folder, file_format, games, context)


def check_format(file_format: str) -> None:
    if file_format not in FORMATS:
        raise YatzyError("format", file_format, FORMATS, "is not known")


def part_name(decision: str, start: int, turn: int) -> str:
    return f"{decision}-{start:012d}-{turn:03d}.arrow"


def _write_block(
    table: ValueTable, parts: Parts, names: list[dict[str, str]], start: int, n: int, seed: int, values: bool,
    pool: ThreadPoolExecutor,
) -> None:  # fmt: skip
    """All turns of a block."""
    for part_of, rows in zip(names, play_turns(table, start, n, seed, values, pool), strict=True):
        for part, frame in zip(part_of.values(), turn_frames(table.rules, rows), strict=True):
            if not parts.has(part):
                add_part(parts, part, frame)


def add_part(parts: Parts, name: str, frame: "polars.DataFrame", compression: Any = "uncompressed") -> None:
    parts.add(name, len(frame), lambda half: frame.write_ipc(half, compression=compression))


def join_parts(
    rules: Ruleset,
    parts: Parts,
    listed: dict[str, list[str]],
    folder: Path,
    file_format: str,
    done: int,
    context: Context,
) -> dict[str, Path]:
    """One file per kind of decision, streamed from its parts, which are then deleted; `done` steps are done."""
    with needs_extra("lab"):
        import polars as pl

    files = {}
    for i, (decision, names) in enumerate(listed.items()):
        file = folder / f"{decision}_decisions.{file_format}"
        rows = pl.scan_ipc([parts.folder / name for name in names])
        with atomic_file(file) as half:
            with half.open("wb") as out:
                if file_format == "csv":
                    rows.sink_csv(out)
                else:
                    rows.sink_parquet(out, compression="lz4", row_group_size=ROWS_PER_GROUP, statistics=False)
            written = pl.scan_csv(half) if file_format == "csv" else pl.scan_parquet(half)
            found = written.select(pl.len()).collect().item()
            if found != parts.rows(names):
                raise YatzyError(str(file), why=f"{found} rows were written of {parts.rows(names)}")
        files[decision] = file
        context.step(done + done // 2 * (i + 1) // (rules.rerolls + 1), done + done // 2)
    parts.remove()
    return files


def write_situations(
    table: ValueTable,
    player: Policy | Stochastic,
    visits: FloatArray,
    folder: Path,
    draws: int | None = None,
    seed: int = 0,
    values: bool = False,
    file_format: str = "parquet",
    context: Context = DEFAULT_CONTEXT,
) -> dict[str, Path]:
    """Write situations the player reaches and what perfect play does in them, one file per kind; return the files.

    N draws of each kind, or every situation if `draws` is None. Memory holds one part: ROWS_PER_PART rows or a few
    more. Parts are kept beside the files until these are whole: a run that was killed goes on from there.
    """
    check_draws(draws, seed)
    check_table(table)
    table.rules.check_plain("training data is")
    check_format(file_format)
    rules = table.rules
    if player.rules != rules:
        raise YatzyError("table", why=f"is for rules {rules.name!r}, the player plays {player.rules.name!r}")
    made_from = (
        "situations", rules.fingerprint, draws, seed, values, ROWS_PER_PART, identity(player),
        table.stored.tobytes(), np.ascontiguousarray(visits).tobytes(), source_digest(__name__),
    )  # fmt: skip
    states = np.flatnonzero(visits[:-1])
    total = len(states) * (rules.rerolls + 1)
    with writer_lock(folder / "decisions", context.notice):
        parts = Parts(folder / "decisions", made_from, context.notice)
        listed: dict[str, list[str]] = {name: [] for name in decision_names(rules)}
        for left, decision in enumerate(listed):
            if draws is None:
                blocks = complete_situations(player, visits, left, context.threads)
            else:
                blocks = drawn_situations(player, visits, left, draws, seed, context.threads)
            for number, situations in enumerate(_gather(blocks)):
                name = part_name(decision, number, 0)
                if not parts.has(name):
                    add_part(parts, name, situation_frame(table, situations, values, context.threads), "lz4")
                listed[decision].append(name)
                last = situations.filled[-1] * visits.shape[1] + situations.upper[-1]
                done = left * len(states) + int(np.searchsorted(states, last)) + 1
                context.step(done, total + total // 2)
        return join_parts(rules, parts, listed, folder, file_format, total, context)


def check_draws(draws: int | None, seed: int) -> None:
    """Refuse impossible draws or seeds; `draws` may be None, for every situation."""
    if draws is not None:
        check_int("draws", draws, 1, MAX_GAMES)
    check_seed(seed)


def complete_situations(
    player: Policy | Stochastic,
    visits: FloatArray,
    rerolls: int,
    threads: int | None,
    share: tuple[int, int] = (0, 1),
) -> Iterator[Situations]:
    """Every situation of one kind that can occur, block by block; `share` as in `all_situations`."""
    for block in all_situations(player, visits, threads, share):
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
            yield join_situations(held[0].rules, held[0].rerolls, held)
            held, n = [], 0
    if n:
        yield join_situations(held[0].rules, held[0].rerolls, held)


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


GAMES_PER_SHARE = GAMES_PER_BLOCK // 4

GamesShare = tuple[int, int]
SituationsShare = tuple[int, int, int]
# Give the shares to whoever computes them, and their tables back as they are finished.
PlayGames = Callable[[list[GamesShare]], "Iterable[tuple[GamesShare, list[list[polars.DataFrame]]]]"]
FindSituations = Callable[[list[SituationsShare]], "Iterable[tuple[SituationsShare, polars.DataFrame]]"]


def games_share(
    table: ValueTable, seed: int, values: bool, share: GamesShare, threads: int | None = None
) -> "list[list[polars.DataFrame]]":
    """The decisions of some optimal games: by turn, and then by rerolls left."""
    with ThreadPoolExecutor(check_threads(threads)) as pool:
        turns = play_turns(table, *share, seed, values, pool)
        return [list(turn_frames(table.rules, rows)) for rows in turns]


def write_games(
    table: ValueTable,
    folder: Path,
    games: int,
    seed: int,
    values: bool,
    file_format: str,
    play: PlayGames,
    context: Context = DEFAULT_CONTEXT,
) -> dict[str, Path]:
    """What `decision_files.write_dataset` writes, with games that are played elsewhere."""
    check_games(games, seed)
    check_table(table)
    check_format(file_format)
    rules, names = table.rules, decision_names(table.rules)
    turns = range(rules.n_categories)
    made_from = (
        "shares of games", rules.fingerprint, games, seed, values, GAMES_PER_BLOCK, GAMES_PER_SHARE,
        table.stored.tobytes(), source_digest(__name__),
    )  # fmt: skip
    with writer_lock(folder / "decisions", context.notice):
        parts = Parts(folder / "decisions", made_from, context.notice)
        blocks = [range(start, min(start + GAMES_PER_BLOCK, games)) for start in range(0, games, GAMES_PER_BLOCK)]
        shares = [_shares(block) for block in blocks]
        missing = [
            (first, n)
            for first, n in (share for block in shares for share in block)
            if not all(parts.has(part_name(name, first, turn)) for name in names for turn in turns)
        ]
        done = games - sum(n for _, n in missing)
        for (first, n), frames in play(missing):
            for turn, by_rerolls in enumerate(frames):
                for name, frame in zip(names, by_rerolls, strict=True):
                    if not parts.has(part_name(name, first, turn)):
                        add_part(parts, part_name(name, first, turn), frame)
            done += n
            context.step(done, games + games // 2)
        listed = {
            name: [part_name(name, first, turn) for block in shares for turn in turns for first, _ in block]
            for name in names
        }
        return join_parts(rules, parts, listed, folder, file_format, games, context)


def _shares(games: range) -> list[GamesShare]:
    """Shares of a block, (first game, games) each."""
    starts = games[::GAMES_PER_SHARE]
    return [(start, min(GAMES_PER_SHARE, games.stop - start)) for start in starts]


def situations_share(
    table: ValueTable,
    player: Policy | Stochastic,
    visits: FloatArray,
    draws: int | None,
    seed: int,
    values: bool,
    share: SituationsShare,
    threads: int | None = None,
) -> "polars.DataFrame":
    """The situations of a run of states; `draws` is None for every one of them."""
    left, number, of = share
    if draws is None:
        blocks = complete_situations(player, visits, left, threads, (number, of))
    else:
        blocks = drawn_situations(player, visits, left, draws, seed, threads, (number, of))
    return situation_frame(table, join_situations(player.rules, left, list(blocks)), values, threads)


def write_situations_elsewhere(
    table: ValueTable,
    player: Policy | Stochastic,
    visits: FloatArray,
    folder: Path,
    draws: int | None,
    seed: int,
    values: bool,
    file_format: str,
    find: FindSituations,
    context: Context = DEFAULT_CONTEXT,
) -> dict[str, Path]:
    """What `decision_files.write_situations` writes, with situations that are found elsewhere."""
    check_draws(draws, seed)
    check_table(table)
    check_format(file_format)
    rules = table.rules
    most = draws or int(np.count_nonzero(visits[:-1])) * len(rules.rolls)
    of = -(-most // ROWS_PER_PART)
    made_from = (
        "shares of situations", rules.fingerprint, draws, seed, values, ROWS_PER_PART, identity(player),
        table.stored.tobytes(), np.ascontiguousarray(visits).tobytes(), source_digest(__name__),
    )  # fmt: skip
    with writer_lock(folder / "decisions", context.notice):
        parts = Parts(folder / "decisions", made_from, context.notice)
        names = decision_names(rules)
        listed = {name: [part_name(name, number, 0) for number in range(of)] for name in names}
        shares = [(left, number, of) for left in range(len(names)) for number in range(of)]
        missing = [share for share in shares if not parts.has(listed[names[share[0]]][share[1]])]
        for done, ((left, number, _), frame) in enumerate(find(missing), len(shares) - len(missing) + 1):
            add_part(parts, listed[names[left]][number], frame, "lz4")
            context.step(done, len(shares) + len(shares) // 2)
        # A share may have no states, and then it has not all columns.
        listed = {name: [part for part in listed[name] if parts.rows([part])] for name in names}
        return join_parts(rules, parts, listed, folder, file_format, len(shares), context)
