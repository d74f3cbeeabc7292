"""How a game can end from here: the distribution of the final score, and the chance of the bonus.

The distribution is one forward pass (`measure.exact.points_to_come`) from the current state: with k open boxes it
reaches only 2^k sets of them. Points already on the card shift the result and change nothing else, because a
policy looks at the state alone.

The chance of the bonus in every state, under optimal play, is computed like the mean of a policy with the bonus as
the only payoff (`measure.exact.bonus_chances`), and stored beside the table.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated

import numpy as np

from yatzy.arrays import FloatArray, read_only
from yatzy.context import DEFAULT_CONTEXT, Context, Progress
from yatzy.game.aim import check_points
from yatzy.game.json import INLINE, Probability
from yatzy.measure.distribution import Distribution
from yatzy.rules import Ruleset, State
from yatzy.sealed import SealError, read_tensors, write_tensors
from yatzy.solver.goals import GoalTable
from yatzy.solver.states import StateSpace, state_space
from yatzy.solver.table import ValueTable, table_path
from yatzy.storage import WriteError
from yatzy.turn.outcomes import highest_score

if TYPE_CHECKING:
    from yatzy.policies.policy import Policy


@dataclass(frozen=True)
class Outlook:
    """How a game can end: the distribution of the final score, and the chance of the bonus."""

    distribution: Annotated[Distribution, INLINE]
    bonus_rate: Probability


def outlook(policy: "Policy", state: State, points: int, threads: int | None = None) -> Outlook:
    """From a state with `points` on the card, under a policy."""
    from yatzy.measure.exact import points_to_come

    state_space(policy.rules).check(state.filled, state.upper)
    check_points(policy.rules, state, points)
    to_come, bonus_rate = points_to_come(policy, state, Context(threads=threads))
    return Outlook(final_scores(policy.rules, points, to_come), bonus_rate)


def reach_curves(
    table: ValueTable, chances: GoalTable, state: State, points: int, progress: Progress | None = None
) -> tuple[list[float], list[float]]:
    """The chance of every final score or more, from 0 on: playing for it, and playing for the mean."""
    from yatzy.measure.exact import points_to_come
    from yatzy.policies.optimal import Optimal

    to_come, _ = points_to_come(Optimal(table), state, Context(progress=progress))
    pmf = final_scores(table.rules, points, to_come).pmf
    mean = np.minimum(np.cumsum(pmf[::-1])[::-1], 1.0)
    n = len(mean)
    best = chances.row_values(state, points - n + 1, n)[::-1]
    # In float32 the best chance may be rounded to below that of play for the mean.
    return np.maximum(best.astype(np.float64), mean).tolist(), mean.tolist()


def final_scores(rules: Ruleset, points: int, to_come: FloatArray) -> Distribution:
    """Points on the card plus points to come: the final score, from 0 to the most there can be."""
    pmf = np.zeros(highest_score(rules) + 1)
    n = min(len(to_come), len(pmf) - points)
    pmf[points : points + n] = to_come[:n]
    return Distribution(pmf)


FORMAT = "yatzy-bonus-chances-1"


class BonusChances:
    """Chances of the bonus (n_masks, n_uppers), computed on demand; NaN where a state cannot occur.

    Only masks that include the filled categories can follow, so late in a game little is left to compute.
    """

    def __init__(self, table: ValueTable, chances: FloatArray | None = None) -> None:
        """`chances`, if given, must be complete, as `stored_bonus_chances` returns them."""
        self.table = table
        self._chances = chances
        self._known_from = [] if chances is None else [0]
        self._lock = Lock()

    def from_mask(self, filled: int, context: Context = DEFAULT_CONTEXT) -> FloatArray:
        """The chances, complete for all states whose filled categories include these."""
        # These import Numba, which a coach that finds the file does without.
        from yatzy.measure.exact import bonus_chances
        from yatzy.policies.optimal import Optimal

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


def stored_bonus_chances(table: ValueTable, context: Context = DEFAULT_CONTEXT) -> FloatArray:
    """The chances from their file, or computed and stored now.

    A notice is given if the file belongs to another table, or if it cannot be written.
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
        context.notice(f"{error}; the chances are not stored")
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
