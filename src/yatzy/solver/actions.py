"""The values of all actions in many situations at once (`advise` is for one)."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yatzy.arrays import read_only
from yatzy.context import check_threads, in_threads
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, format_filled, parse_dice, parse_rerolls, with_saved
from yatzy.solver.states import as_state
from yatzy.solver.table import ValueTable
from yatzy.turn.lattice import lattice
from yatzy.turn.tables import Continuation, continuation_of, turn_scratch, turn_tables
from yatzy.turn.values import value_actions

# The work of one thread at a time.
SITUATIONS_PER_PART = 4096


class ActionValues(NamedTuple):
    """Values of all actions in n situations; NaN where an action is not allowed.

    `category` (n, n_categories); `keep` (n, slots), where slot j is the keep `keep_ids[i, j]` (-1: no such keep).
    Slot 0 holds all dice, which means scoring now, and is always NaN.
    """

    category: NDArray[Any]
    keep: NDArray[Any]
    keep_ids: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"<ActionValues: category {self.category.shape}, keep {self.keep.shape}>"


def action_values(
    table: ValueTable,
    filled: Any = 0,
    upper: Any = 0,
    roll_ids: Any = 0,
    rerolls: ArrayLike = 0,
    threads: int | None = None,
    continuation: Continuation | None = None,
) -> ActionValues:
    """The values of all actions in many situations; the arguments are broadcast against each other.

    >>> import yatzy
    >>> table = yatzy.solve()
    >>> values = yatzy.action_values(table, roll_ids=range(252), rerolls=2)
    >>> values.keep.shape, round(float(values.category[0].max()), 3)         # every keep of every opening roll
    ((252, 32), 280.122)
    >>> some = yatzy.action_values(table, ["ones @ 3", "ones,yatzy @ 2"], roll_ids=["13356", "66666"], rerolls=0)
    >>> some.category.shape
    (2, 15)

    `filled` are masks, or states as text (then omit `upper`); `roll_ids` are ids or dice. With a
    `continuation` for theta 0, ends of the turn are worth what it says instead of what the table does.
    """
    columns = _situation_columns(table, *_numbers(table.rules, filled, upper, roll_ids), rerolls)
    turn = turn_tables(table.rules, table.precision)
    if continuation is None:
        continuation = continuation_of(table.rules, table.stored, table.theta)
    else:
        turn = turn._replace(points=read_only(continuation.points.astype(np.int64)))
    n = len(columns[0])
    category = np.full((n, table.rules.n_categories), np.nan, table.precision)
    keep = np.full((n, turn.keeps_in_roll.shape[1]), np.nan, table.precision)

    order = _by_rerolls_and_state(columns)
    situations = [*(column[order] for column in columns), order]

    def act(start: int) -> None:
        part, scratch = slice(start, start + SITUATIONS_PER_PART), turn_scratch(table.rules, table.precision)
        masks, totals, rolls, left, to = (column[part] for column in situations)
        value_actions(masks, totals, rolls, left, to, turn, continuation, category, keep, scratch)

    starts = range(0, n, SITUATIONS_PER_PART)
    in_threads(act, starts, min(check_threads(threads), len(starts) or 1))
    return ActionValues(category, keep, turn.keeps_in_roll[columns[2]])


def _numbers(rules: Ruleset, filled: Any, upper: Any, roll_ids: Any) -> tuple[Any, Any, Any]:
    """Masks, totals and ids of states and dice that may be texts."""
    states, rolls = _texts(filled), _texts(roll_ids)
    if states is not None:
        if not isinstance(upper, int) or upper:
            raise YatzyError("upper", why="is part of the texts of states, such as 'ones @ 3'; leave it out")
        found = [as_state(rules, text) for text in states]
        filled, upper = np.array([one.filled for one in found]), np.array([one.upper for one in found])
    if rolls is not None:
        grid = lattice(rules.dice, rules.faces)
        roll_ids = np.array([grid.id_of(parse_dice(rules, text)) for text in rolls])
    return filled, upper, roll_ids


def _texts(given: Any) -> list[str] | None:
    """The texts, None if they are numbers."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, int | np.ndarray | range):
        return None
    items = list(given) if hasattr(given, "__iter__") else []
    return items if items and all(isinstance(item, str) for item in items) else None


def _by_rerolls_and_state(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """An order in which the lanes of a vector have equal rerolls and read nearby values."""
    filled, upper, _, rerolls = columns
    state = filled * (upper.max(initial=0) + 1) + upper
    return np.argsort(rerolls * (state.max(initial=0) + 1) + state)


def _situation_columns(table: ValueTable, *arguments: ArrayLike) -> list[NDArray[np.int64]]:
    """Four checked columns of equal length."""
    space, rules, dice = table.space, table.rules, lattice(table.rules.dice, table.rules.faces)
    names = ("filled", "upper", "roll_ids", "rerolls")
    most_mask = with_saved(rules, rules.n_sets - 1, rules.most_saved)
    ends = (most_mask + 1, space.n_uppers, dice.n_rolls, rules.rerolls + rules.most_saved + 1)
    for name, argument, end in zip(names, arguments, ends, strict=True):
        try:
            numbers = np.asarray(argument)
        except ValueError:
            raise YatzyError(name, why="is not an array of whole numbers") from None
        if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
            raise YatzyError(name, why=f"has type {numbers.dtype}; whole numbers are needed")
        if numbers.size and not (numbers.min() >= 0 and numbers.max() < end):
            raise YatzyError(name, why=f"has a number outside 0..{end - 1}")
    try:
        columns = np.broadcast_arrays(*(np.atleast_1d(np.asarray(a, dtype=np.int64)) for a in arguments))
    except ValueError:
        shapes = ", ".join(str(np.shape(a)) for a in arguments)
        raise YatzyError("shapes", why=f"those of filled, upper, roll_ids and rerolls differ: {shapes}") from None
    if columns[0].ndim != 1:
        raise YatzyError("filled", allowed="1", why=f"has {columns[0].ndim} dimensions")
    filled, upper, _, left = columns
    saved = filled >> rules.saved_shift
    of_set = filled & rules.n_sets - 1
    possible = space.possible[of_set] & (saved < space.n_saved[of_set]) & ~np.asarray(rules.is_finished(filled))
    possible &= space.reachable_by_upper_set[space.upper_set[of_set], upper]
    for first in np.flatnonzero(~possible)[:1]:
        space.check(int(filled[first]), int(upper[first]))
        raise YatzyError("filled", format_filled(rules, int(filled[first])), why="is a finished game")
    for first in np.flatnonzero(left > rules.rerolls + saved)[:1]:
        parse_rerolls(rules, int(left[first]), int(saved[first]))
    return [np.ascontiguousarray(column) for column in columns]
