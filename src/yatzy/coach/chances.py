"""The chance of the bonus in every state, under optimal play for a table's theta, and its file beside the table.

Where the bonus is sure (the upper total has reached the threshold) or lost (even the most that the open upper
categories can bring does not reach it) there is nothing to compute: 1 and 0. The other states are done layer by
layer from the end, like the solution itself; see `kernels`.
"""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import numpy as np

from yatzy.arrays import FloatArray, IntArray, read_only
from yatzy.coach.kernels import chance_in_states
from yatzy.files import write_tensors
from yatzy.running import Progress, check_threads, chunks
from yatzy.solver.states import StateSpace
from yatzy.solver.store import table_path
from yatzy.solver.table import ValueTable
from yatzy.turn.tables import game_tables, option_weights, work_buffer

FORMAT = "yatzy-bonus-chances-1"
STATES_PER_CHUNK = 512


class BonusChances:
    """Chances of a table (n_masks, n_uppers), as far as they were asked for; NaN where a state cannot occur.

    From a state on only masks that hold its filled categories can come, so that late in a game little is to do.
    """

    def __init__(self, table: ValueTable, chances: FloatArray | None = None) -> None:
        """`chances` are complete, as `stored_chances` has them; without them nothing is known yet."""
        self.table = table
        self._chances = _decided(table.space) if chances is None else np.asarray(chances)
        self._to_read = read_only(self._chances)
        self._known_from = [] if chances is None else [0]
        self._lock = Lock()

    def from_mask(self, filled: int, threads: int | None = None, progress: Progress | None = None) -> FloatArray:
        """The chances, known in all states whose filled categories include these."""
        with self._lock:
            if not any(known & filled == known for known in self._known_from):
                fill_chances(self.table, self._chances, filled, threads, progress)
                self._known_from.append(filled)
        return self._to_read


def fill_chances(
    table: ValueTable,
    chances: FloatArray,
    filled: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Set the chances that are still open in all states whose filled categories include these."""
    space = table.space
    game = game_tables(table.rules, "float64")
    gain, points = option_weights(game, table.theta, "float64")
    values = np.asarray(read_only(table.stored), dtype=np.float64)

    def run(states: tuple[IntArray, IntArray]) -> None:
        scratch = [work_buffer(game, "float64") for _ in range(3)]
        chance_in_states(*states, game, gain, points, table.theta, values, chances, *scratch)

    with ThreadPoolExecutor(check_threads(threads)) as pool:
        for n_left, layer in enumerate(space.layers[-2::-1], start=1):
            masks = layer[layer & filled == filled]
            index, upper = np.nonzero(np.isnan(chances[masks]) & space.reachable[masks])
            filled_of, upper_of = masks[index], np.ascontiguousarray(upper)
            parts = chunks(len(upper), STATES_PER_CHUNK)
            list(pool.map(run, ((filled_of[part], upper_of[part]) for part in parts)))
            if progress:
                progress(n_left, table.rules.n_categories)


def _decided(space: StateSpace) -> FloatArray:
    """1 where the bonus is sure, 0 where it is lost, NaN where it is open or the state cannot occur."""
    rules = space.rules
    chances = np.full((space.n_masks, space.n_uppers), np.nan)
    most = [points[-1] for points in space.upper_points]
    most_to_come = sum(m * (1 - (space.upper_set >> bit & 1)) for bit, m in enumerate(most))
    lost = np.arange(space.n_uppers) + np.reshape(most_to_come, (-1, 1)) < rules.bonus_threshold
    chances[np.broadcast_to(lost, chances.shape)] = 0.0
    chances[:, rules.bonus_threshold] = 1.0 if rules.bonus else 0.0
    chances[~space.reachable] = np.nan
    return chances


def chances_path(table: ValueTable, folder: str | Path | None = None) -> Path:
    """Beside the table's own file."""
    path = table_path(table.rules, table.theta, table.precision, folder)
    return path.with_name(f"{path.stem}-bonus.safetensors")


def stored_chances(
    table: ValueTable,
    folder: str | Path | None = None,
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
) -> FloatArray:
    """The chances from their file (memory-mapped), or computed and stored now.

    A file that belongs to another table is reported through `notice` and replaced.
    """
    path = chances_path(table, folder)
    expected = _metadata(table)
    if path.exists():
        found = _load(path, expected, table.space)
        if found is not None:
            return found
        if notice:
            notice(f"{path}: does not belong to the table beside it; computing again")
    chances = BonusChances(table).from_mask(0, progress=progress)
    _save(path, chances, expected)
    return chances


def _metadata(table: ValueTable) -> dict[str, str]:
    """What the chances were computed for: the very values of the table."""
    values = hashlib.sha256(np.ascontiguousarray(table.stored).data).hexdigest()
    return {
        "format": FORMAT, "rules": table.rules.name, "fingerprint": table.rules.fingerprint,
        "theta": repr(table.theta), "values": values,
    }  # fmt: skip


def _load(path: Path, expected: dict[str, str], space: StateSpace) -> FloatArray | None:
    """The file's chances, or None if it is not what is expected."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            shape = tuple(file.get_slice("chances").get_shape())
    except (SafetensorError, OSError):
        return None
    checksum = metadata.pop("checksum", "")
    if metadata != expected or shape != (space.n_masks, space.n_uppers):
        return None
    # The only tensor is the last thing in the file.
    offset = path.stat().st_size - shape[0] * shape[1] * 8
    chances = np.memmap(path, dtype=np.float64, mode="r", offset=offset, shape=shape)
    return chances if hashlib.sha256(chances.data).hexdigest() == checksum else None


def _save(path: Path, chances: FloatArray, metadata: dict[str, str]) -> None:
    checksum = hashlib.sha256(chances.data).hexdigest()
    write_tensors(path, {"chances": chances}, {**metadata, "checksum": checksum})
