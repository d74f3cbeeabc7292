"""What to do in one situation: every action with its value and its regret.

One situation is one pass through the lattice, so this is plain NumPy, and the readable form of what `kernels`
does for many states at once, operation by operation: for theta = 0 both give the same numbers to the last bit.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.rules import (
    Ruleset,
    format_category,
    format_dice,
    parse_dice,
    parse_filled,
    parse_rerolls,
)
from yatzy.solver.table import ValueTable


@dataclass(frozen=True)
class Action:
    """One thing to do, its value (expected remaining points after it) and what it loses to the best."""

    action: str
    value: float
    regret: float


def advise(
    table: ValueTable,
    dice: str | Iterable[int],
    rerolls: int,
    filled: int | str | Iterable[str] = 0,
    upper: int = 0,
) -> list[Action]:
    """Every action in a situation, best first: open categories and, while rerolls are left, keeps.

    Holding all dice is scoring now and is not listed as a keep. Equal values stand in the order of their ids,
    categories first.
    """
    rules = table.rules
    roll_id = lattice(rules.dice, rules.faces).id_of(parse_dice(rules, dice))
    rerolls = parse_rerolls(rules, rerolls)
    mask = parse_filled(rules, filled)
    table.space.check(mask, upper)
    if mask == rules.all_filled:
        raise YatzyError("filled: the game is finished, no category is open")
    worth = [
        (value, f"score {format_category(rules, category_id)}")
        for category_id, value in category_values(table, mask, upper, roll_id).items()
    ]
    if rerolls:
        worth += [
            (value, f"keep {format_dice(kept) or 'nothing'}")
            for kept, value in keep_values(table, mask, upper, roll_id, rerolls).items()
        ]
    worth.sort(key=lambda pair: -pair[0])
    best = worth[0][0]
    return [Action(action=text, value=value, regret=best - value) for value, text in worth]


def category_values(table: ValueTable, filled: int, upper: int, roll_id: int) -> dict[int, float]:
    """Points now plus the value of the state after, by open category."""
    worth = {}
    for category_id, points in enumerate(table.rules.scores[roll_id]):
        if not filled >> category_id & 1:
            lift = points if table.rules.categories[category_id].upper else 0
            after = table.stored[filled | 1 << category_id, min(upper + lift, table.space.n_uppers - 1)]
            after = after / table.theta if table.theta else after
            worth[category_id] = float(after.dtype.type(points) + after)
    return worth


def keep_values(
    table: ValueTable, filled: int, upper: int, roll_id: int, rerolls: int
) -> dict[tuple[int, ...], float]:
    """Value of rerolling all but a keep, by keep of fewer than all dice."""
    dice = lattice(table.rules.dice, table.rules.faces)
    utility, ref = _exit_utilities(table, filled, upper)
    for left in range(rerolls, 0, -1):
        keeps = _mean_over_dice(table.rules, utility)
        utility = _best_inside(table.rules, keeps) if left > 1 else keeps
    ids = [int(k) for k in dice.keeps_in_roll[roll_id] if k >= dice.n_rolls]
    if table.theta:
        return {dice.keeps[k]: (ref + float(np.log(abs(keeps[k])))) / table.theta for k in ids}
    return {dice.keeps[k]: float(keeps[k]) for k in ids}


def _exit_utilities(table: ValueTable, filled: int, upper: int) -> tuple[NDArray[Any], float]:
    """(n_rolls,) utility of the best category for each final roll, and the reference of the exponent."""
    scores, lifts = _score_arrays(table.rules)
    open_ids = [c for c in range(table.rules.n_categories) if not filled >> c & 1]
    successors = np.array([filled | 1 << c for c in open_ids])
    after = np.minimum(upper + lifts[:, open_ids], table.space.n_uppers - 1)
    stored = table.stored[successors, after]
    points = scores[:, open_ids]
    if not table.theta:
        return np.asarray((stored + points.astype(stored.dtype)).max(axis=1)), 0.0
    ref = float(table.stored[successors, upper].max())
    utility = np.sign(table.theta) * np.exp(stored - ref) * np.exp(table.theta * points)
    return np.asarray(utility.max(axis=1)), ref


def _mean_over_dice(rules: Ruleset, rolls: NDArray[Any]) -> NDArray[Any]:
    """(n_keeps,) expected utility of each keep; a keep of all dice is the roll itself."""
    dice = lattice(rules.dice, rules.faces)
    keeps = np.empty(dice.n_keeps, rolls.dtype)
    keeps[: dice.n_rolls] = rolls
    share = rolls.dtype.type(1 / rules.faces)
    for level in dice.levels[1:]:
        total = keeps[dice.added[level, 0]]
        for face in range(1, rules.faces):
            total = total + keeps[dice.added[level, face]]
        keeps[level] = total * share
    return keeps


def _best_inside(rules: Ruleset, keeps: NDArray[Any]) -> NDArray[Any]:
    """(n_rolls,) utility of the best keep inside each roll."""
    dice = lattice(rules.dice, rules.faces)
    best = np.append(keeps, -np.inf).astype(keeps.dtype)
    for level in dice.levels[-2::-1]:
        # -1, where no die shows the face, reads the -inf at the end.
        best[level] = np.maximum(best[level], best[dice.removed[level]].max(axis=1))
    return best[: dice.n_rolls]


@lru_cache(maxsize=8)
def _score_arrays(rules: Ruleset) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(n_rolls, n_categories) points, and what they add to the upper total."""
    scores = np.array(rules.scores, dtype=np.int64)
    return scores, scores * np.array([category.upper for category in rules.categories])
