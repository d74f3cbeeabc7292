"""The chance of the bonus in every state, under optimal play for a table's theta, and its file beside the table.

The chance is computed like the mean of a policy, with the bonus as the only payoff: see `evaluate.exact`.
"""

import hashlib
from pathlib import Path
from threading import Lock

import numpy as np

from yatzy.arrays import FloatArray, read_only
from yatzy.context import HERE, Context
from yatzy.files import WriteError
from yatzy.sealed import SealError, read_tensors, write_tensors
from yatzy.solver.states import StateSpace
from yatzy.solver.table import ValueTable, table_path

FORMAT = "yatzy-bonus-chances-1"


class BonusChances:
    """Chances of a table (n_masks, n_uppers), computed on demand; NaN where a state cannot occur.

    From a state, only masks that include its filled categories can follow, so late in a game little is left to do.
    """

    def __init__(self, table: ValueTable, chances: FloatArray | None = None) -> None:
        """`chances` are complete, as `stored_bonus_chances` returns them; without them nothing is known yet."""
        self.table = table
        self._chances = chances
        self._known_from = [] if chances is None else [0]
        self._lock = Lock()

    def from_mask(self, filled: int, context: Context = HERE) -> FloatArray:
        """The chances, known in all states whose filled categories include these."""
        # Imported here because it needs Numba: a coach that finds its file does without.
        from yatzy.evaluate.exact import bonus_chances
        from yatzy.policy.optimal import Optimal

        boxes = filled & self.table.rules.all_filled
        with self._lock:
            if self._chances is None or not any(known & boxes == known for known in self._known_from):
                self._chances = bonus_chances(Optimal(self.table), self._chances, boxes, context)
                self._known_from.append(boxes)
            return read_only(self._chances)


def chances_path(table: ValueTable, folder: Path | None = None) -> Path:
    """The file of the chances, beside the table's own."""
    path = table_path(table.rules, table.theta, table.precision, folder)
    return path.with_name(f"{path.stem}-bonus.safetensors")


def stored_bonus_chances(table: ValueTable, context: Context = HERE) -> FloatArray:
    """The chances from their file, or computed and stored now.

    A notice tells of a file that belongs to another table and is replaced, and of one that cannot be written.
    """
    path = chances_path(table, context.home)
    found = load_chances(table, context.home)
    if found is not None:
        return found
    if path.exists():
        context.notice(f"{path}: does not belong to the table beside it; computing again")
    chances = BonusChances(table).from_mask(0, context)
    try:
        write_tensors(path, {"chances": chances}, _metadata(table))
    except WriteError as error:
        context.notice(f"{error}; the chances are not kept")
    return chances


def load_chances(table: ValueTable, folder: Path | None = None) -> FloatArray | None:
    """The chances from their file, if it is there and belongs to the table."""
    path = chances_path(table, folder)
    return _load(path, _metadata(table), table.space) if path.exists() else None


def _metadata(table: ValueTable) -> dict[str, str]:
    """What the chances were computed for: the exact values of the table."""
    values = hashlib.sha256(np.ascontiguousarray(table.stored).data).hexdigest()
    return {
        "format": FORMAT, "rules": table.rules.name, "fingerprint": table.rules.fingerprint,
        "theta": repr(table.theta), "values": values,
    }  # fmt: skip


def _load(path: Path, expected: dict[str, str], space: StateSpace) -> FloatArray | None:
    """The file's chances, or None if it is not what is expected."""
    try:
        tensors, metadata = read_tensors(path)
    except SealError:
        return None
    chances = tensors.get("chances", np.zeros(0))
    fits = chances.shape == (space.n_masks, space.n_uppers) and chances.dtype == np.float64
    return chances if metadata == expected and fits else None
