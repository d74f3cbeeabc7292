"""The solved game: one value per state, and its file.

A table is stored as one safetensors file with a single tensor and, as metadata, what it was solved for: `format`,
`rules`, `fingerprint`, `theta` and `precision`. It is sealed (see `sealed`) and read into memory, or mapped if it
is large. A loader refuses any table but the one it was asked for, so a table is never silently stale.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import Tabular, read_only
from yatzy.errors import YatzyError
from yatzy.game.aim import check_theta
from yatzy.game.situation import Situation
from yatzy.rules import Ruleset, format_filled, ruleset, stored_name
from yatzy.sealed import MAX_TENSOR_BYTES, SealError, Tensors, map_tensors, read_tensors, write_tensors
from yatzy.solver.advise import Advice, advise
from yatzy.solver.states import DiceGiven, FilledGiven, StateSpace, as_situation, as_state, state_space
from yatzy.storage import home
from yatzy.svg import html_table

PRECISIONS = ("float64", "float32")
FORMAT = "yatzy-values-1"
# Larger tables, in bytes, are solved into a file and mapped.
MAPPED_FROM = MAX_TENSOR_BYTES


class TableError(YatzyError):
    """A stored table that is invalid; solving again fixes it."""


def check_precision(precision: str, theta: float) -> None:
    if precision not in PRECISIONS:
        raise YatzyError("precision", precision, PRECISIONS)
    if theta != 0 and precision != "float64":
        raise YatzyError("precision", precision, "float64", f"is not allowed with theta {theta}")


def table_path(rules: Ruleset, theta: float, precision: str, folder: Path | None = None) -> Path:
    """One file per ruleset, theta and precision."""
    return home(folder) / "tables" / f"{stored_name(rules)}-theta{theta!r}-{precision}.safetensors"


def is_large(rules: Ruleset, precision: str) -> bool:
    """Whether the table of a game is too large for memory."""
    space = state_space(rules)
    return int(space.n_saved.sum()) * space.n_uppers * np.dtype(precision).itemsize > MAPPED_FROM


@dataclass(frozen=True, eq=False)
class ValueTable(Tabular):
    """Values of every state of `rules` under optimal play for `theta`, as `yatzy.solve` finds them.

    >>> import yatzy
    >>> table = yatzy.solve()
    >>> table
    <ValueTable scandinavian: 248.4400 points from the start, 1,430,528 states, float64>
    >>> round(table.value("ones,pair @ 3"), 3), round(table.value("ones,pair", upper=3), 3)
    (220.093, 220.093)

    `stored` (n_masks, n_uppers), by the row of a mask, holds what the solver keeps between turns: values for
    theta = 0, log-values otherwise; NaN where a state cannot occur. `file` is where they were read from.
    """

    rules: Ruleset
    theta: float
    stored: NDArray[Any]
    file: Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "stored", read_only(self.stored))

    def __reduce__(self) -> tuple[Any, ...]:
        return ValueTable, (self.rules, self.theta, np.array(self.stored))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ValueTable) or (self.rules, self.theta) != (other.rules, other.theta):
            return False
        return self is other or np.array_equal(self.stored, other.stored, equal_nan=True)

    def __hash__(self) -> int:
        return hash((self.rules, self.theta))

    def __repr__(self) -> str:
        risk = f", theta {self.theta:g}" if self.theta else ""
        size = f"{self.space.n_reachable:,} states, {self.precision}"
        return f"<ValueTable {self.rules.name}{risk}: {self.value():.4f} points from the start, {size}>"

    @property
    def space(self) -> StateSpace:
        return state_space(self.rules)

    @property
    def precision(self) -> str:
        return str(self.stored.dtype.name)

    @cached_property
    def values(self) -> NDArray[Any]:
        """(n_masks, n_uppers): expected remaining points (certainty equivalent L / theta for theta != 0)."""
        return self.stored / self.theta if self.theta else self.stored

    @property
    def log_values(self) -> NDArray[Any]:
        """(n_masks, n_uppers): L = ln E[exp(theta * remaining points)]; only for theta != 0."""
        if not self.theta:
            raise YatzyError("log_values", why="a table for theta 0 has none; use values")
        return self.stored

    def value(self, filled: FilledGiven = 0, upper: SupportsIndex | None = None) -> float:
        """Expected remaining points from a state, bonus included: `value("ones,pair @ 3")`."""
        state = as_state(self.rules, filled, upper)
        stored = float(self.stored[self.space.row(state.filled), state.upper])
        return stored / self.theta if self.theta else stored

    def advise(
        self,
        dice: DiceGiven | Situation,
        rerolls: int | None = None,
        filled: FilledGiven = 0,
        upper: int | None = None,
    ) -> Advice:
        """Every action in a situation, best first: `advise("1 3 3 5 6", 2, "ones,pair @ 3")`, or one text."""
        return advise(self, as_situation(self.rules, dice, rerolls, filled, upper))

    def columns(self) -> dict[str, Any]:
        """All reachable states: `filled` as a mask, `upper` and `value`."""
        row, upper = np.nonzero(self.space.reachable)
        columns = self.space.masks[row], upper.astype(np.int16), self.values[row, upper]
        return dict(zip(("filled", "upper", "value"), columns, strict=True))

    def _repr_html_(self) -> str:
        start = self.space.layers[1].tolist()
        reached = self.space.reachable[self.space.row(np.array(start))]
        rows = [
            (format_filled(self.rules, mask), int(upper), self.value(mask, int(upper)))
            for mask, row in zip(start, reached, strict=True)
            for upper in np.flatnonzero(row)[-1:]
        ]
        return html_table(("filled first", "upper", "points to come"), rows, repr(self)[1:-1])

    def save(self, path: str | Path) -> Path:
        """Write the file atomically."""
        return write_tensors(path, {"values": self.stored}, table_metadata(self.rules, self.theta, self.precision))

    @classmethod
    def load(
        cls,
        path: str | Path,
        rules: str | Ruleset | None = None,
        theta: float | None = None,
        precision: str | None = None,
    ) -> "ValueTable":
        """Read and check a stored table; refuse one for other rules, another theta or another precision.

        `rules` is needed for a ruleset that is not in the catalogue.
        """
        path = Path(path)
        tensors, metadata = _read(path)
        if metadata.get("format") != FORMAT:
            raise TableError(str(path), why=f"format is {metadata.get('format')!r}, this version reads {FORMAT!r}")
        missing = {"rules", "fingerprint", "theta", "precision"} - metadata.keys()
        if missing:
            raise TableError(str(path), why=f"does not say its {', '.join(sorted(missing))}")
        wanted = ruleset(metadata["rules"] if rules is None else rules)
        if metadata["fingerprint"] != wanted.fingerprint:
            solved = f"rules {metadata['rules']!r} ({metadata['fingerprint']})"
            raise TableError(
                str(path), why=f"was solved for {solved}, not for {wanted.name!r} ({wanted.fingerprint})"
            )
        try:
            stored_theta = check_theta(float(metadata["theta"]))
        except ValueError:
            raise TableError(str(path), why=f"its theta {metadata['theta']!r} is not a number") from None
        if metadata["precision"] not in PRECISIONS:
            raise TableError(
                str(path), why=f"its precision {metadata['precision']!r} is not {' or '.join(PRECISIONS)}"
            )
        for what, found, asked in (
            ("theta", stored_theta, theta),
            ("precision", metadata["precision"], precision),
        ):
            if asked is not None and found != asked:
                raise TableError(str(path), why=f"was solved for {what} {found}, not for {asked}")
        space, stored = state_space(wanted), tensors["values"]
        if stored.shape != (space.n_masks, space.n_uppers) or stored.dtype.name != metadata["precision"]:
            wanted_values = f"{metadata['precision']} of {space.n_masks, space.n_uppers}"
            why = f"holds {stored.dtype.name} values of shape {stored.shape}, not {wanted_values}"
            raise TableError(str(path), why=why)
        return cls(rules=wanted, theta=stored_theta, stored=stored, file=path)


def table_metadata(rules: Ruleset, theta: float, precision: str) -> dict[str, str]:
    """The metadata of a table's file."""
    return {
        "format": FORMAT,
        "rules": rules.name,
        "fingerprint": rules.fingerprint,
        "theta": repr(theta),
        "precision": precision,
    }


def _read(path: Path) -> tuple[Tensors, dict[str, str]]:
    """Read a file that has values and nothing else."""
    try:
        is_mapped = path.exists() and path.stat().st_size > MAPPED_FROM
        tensors, metadata = map_tensors(path) if is_mapped else read_tensors(path)
    except SealError as error:
        raise TableError(*error.args) from None
    if list(tensors) != ["values"]:
        raise TableError(str(path), why=f"holds {', '.join(sorted(tensors)) or 'nothing'}, not values")
    return tensors, metadata


def check_table(table: ValueTable) -> None:
    """Refuse a table with another theta than 0, or in float32."""
    if table.theta != 0 or table.precision != "float64":
        why = f"needs theta 0 and float64, not theta {table.theta} and {table.precision}"
        raise YatzyError("table", why=why)
