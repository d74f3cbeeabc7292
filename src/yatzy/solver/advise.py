"""What to do in one situation: every action with its value and its regret.

One situation is one pass through the lattice, so this is plain NumPy. It is the readable form of what
`turn.values` does for many states at once, operation by operation: for theta = 0 both give the same numbers to the
last bit.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.rules import (
    Ruleset,
    State,
    format_category,
    format_dice,
    parse_dice,
    parse_filled,
    parse_rerolls,
)
from yatzy.solver.table import ValueTable
from yatzy.turn.outcomes import outcomes

# A regret up to this is rounding: such actions are equally good.
TIE = 1e-9


@dataclass(frozen=True)
class Action:
    """One action, its value (expected remaining points after it) and what it loses against the best."""

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

    Holding all dice means scoring now and is not listed as a keep. Equal values are in the order of their ids,
    categories first.
    """
    rules = table.rules
    roll_id = lattice(rules.dice, rules.faces).id_of(parse_dice(rules, dice))
    mask = parse_filled(rules, filled)
    table.space.check(mask, upper)
    rerolls = parse_rerolls(rules, rerolls, State(mask).saved(rules))
    if rules.is_finished(mask):
        raise YatzyError("filled: the game is finished, no category is open")
    worth = [
        (value, f"score {format_category(rules, category_id)}")
        for category_id, value in category_values(table, mask, upper, roll_id, rerolls).items()
    ]
    if rerolls:
        worth += [
            (value, f"keep {format_dice(kept) or 'nothing'}")
            for kept, value in keep_values(table, mask, upper, roll_id, rerolls).items()
        ]
    worth.sort(key=lambda pair: -pair[0])
    best = worth[0][0]
    return [Action(action=text, value=value, regret=best - value) for value, text in worth]


def category_values(
    table: ValueTable, filled: int, upper: int, roll_id: int, rerolls: int = 0
) -> dict[int, float]:
    """Points now plus the value of the state after, by open category; where throws are saved, rerolls left are."""
    ends = outcomes(table.rules)
    worth = {}
    for category_id, outcome in ends.allowed(filled, roll_id).items():
        mask, total = ends.after(filled, upper, outcome, rerolls)
        after = table.stored[table.space.row(mask), total]
        after = after / table.theta if table.theta else after
        worth[category_id] = float(after.dtype.type(ends.points[outcome]) + after)
    return worth


def keep_values(
    table: ValueTable, filled: int, upper: int, roll_id: int, rerolls: int
) -> dict[tuple[int, ...], float]:
    """Value of rerolling all dice but a keep, by keep of fewer than all dice."""
    dice = lattice(table.rules.dice, table.rules.faces)
    exits, ref = _exit_utilities(table, filled, upper, 0)
    keeps = keep_utilities(
        table.rules, exits, rerolls, lambda left: _exit_utilities(table, filled, upper, left)[0]
    )
    ids = [int(k) for k in dice.keeps_in_roll[roll_id] if k >= dice.n_rolls]
    if table.theta:
        return {dice.keeps[k]: (ref + float(np.log(abs(keeps[k])))) / table.theta for k in ids}
    return {dice.keeps[k]: float(keeps[k]) for k in ids}


def keep_utilities(
    rules: Ruleset, exits: NDArray[Any], rerolls: int, exits_with: Callable[[int], NDArray[Any]]
) -> NDArray[Any]:
    """(n_keeps,) utility of each keep with `rerolls` left, from that of scoring every roll.

    `exits_with(left)` is the latter with that many throws left to save, where they are saved.
    """
    utility = exits
    for left in range(1, rerolls + 1):
        keeps = _mean_over_dice(rules, utility)
        if left < rerolls:
            utility = _best_inside(rules, keeps)
            if rules.saves_throws:
                utility = np.maximum(utility, exits_with(left))
    return keeps


def _exit_utilities(table: ValueTable, filled: int, upper: int, saved: int) -> tuple[NDArray[Any], float]:
    """(n_rolls,) utility of the best category for each roll, and the reference of the exponent."""
    ends = outcomes(table.rules)
    is_open = ends.is_open(filled)
    masks, uppers = ends.after(filled, upper, np.flatnonzero(is_open), saved)
    stored = table.stored[table.space.row(masks), uppers]
    points = ends.points[is_open]
    worth = np.full(ends.n + 1, -np.inf, stored.dtype)
    ref = 0.0
    if table.theta:
        masks, uppers = ends.after(filled, upper, np.flatnonzero(is_open & (ends.points == 0)))
        ref = float(table.stored[table.space.row(masks), uppers].max())
        worth[:-1][is_open] = np.sign(table.theta) * np.exp(stored - ref) * np.exp(table.theta * points)
    else:
        worth[:-1][is_open] = stored + points.astype(stored.dtype)
    # What is not allowed, -1, reads the -inf at the end.
    return np.asarray(worth[ends.of_reading[ends.readings_of_rolls(filled)]].max(axis=1)), ref


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
