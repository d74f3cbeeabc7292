"""Training data whose rows are computed elsewhere: the same files as `decision_files` writes, row by row.

The work is cut into *shares*, which come back in any order. Each is kept beside the files until they are whole, so
that a run that was stopped goes on with the shares that are missing. What is written is the parts in their order:

    games:       block of games, turn, share of the block         (first game, games)
    situations:  state, which a share has a run of                (rerolls left, number of the share, of how many)
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.context import HERE, Context, check_threads
from yatzy.datasets.decision_files import (
    GAMES_PER_BLOCK,
    ROWS_PER_PART,
    add_part,
    check_draws,
    check_format,
    complete_situations,
    join_parts,
    part_name,
    situation_frame,
    turn_frames,
)
from yatzy.datasets.games import decision_names, play_turns
from yatzy.datasets.situations import drawn_situations, join_situations
from yatzy.evaluate.simulate import check_games
from yatzy.files import only_writer
from yatzy.parts import Parts
from yatzy.policy.base import Mixed, Policy, identity
from yatzy.solver.table import ValueTable, check_table
from yatzy.source_digest import source_digest

if TYPE_CHECKING:
    import polars

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
    context: Context = HERE,
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
    with only_writer(folder / "decisions", context.notice):
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
    player: Policy | Mixed,
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


def write_situations(
    table: ValueTable,
    player: Policy | Mixed,
    visits: FloatArray,
    folder: Path,
    draws: int | None,
    seed: int,
    values: bool,
    file_format: str,
    find: FindSituations,
    context: Context = HERE,
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
    with only_writer(folder / "decisions", context.notice):
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
