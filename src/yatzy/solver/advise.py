"""What to do in one situation: every action with its value and its regret.

One situation is one pass through the lattice, so this is plain NumPy: see `turn.one`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

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
from yatzy.turn.one import OneTurn

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
    check_unfinished(table, mask, upper)
    rerolls = parse_rerolls(rules, rerolls, mask >> rules.saved_shift)
    ranked, texts = turn_of(table, mask, upper, rerolls).ranked(roll_id), action_texts(rules)
    best = ranked[0][1]
    return [Action(texts[action], value, best - value) for action, value in ranked]


def check_unfinished(table: ValueTable, filled: int, upper: int) -> None:
    """Refuse a state that cannot occur, and the end of a game.

    `StateSpace.check` takes as long as the advice, so it is asked only about a state that cannot occur, and says
    why.
    """
    rules, space = table.rules, table.space
    known = type(filled) is type(upper) is int and 0 <= filled < rules.n_sets and 0 <= upper < space.n_uppers
    if not (known and space.possible[filled] and space.reachable_by_upper_set[space.upper_set[filled], upper]):
        space.check(filled, upper)
    if rules.is_finished(filled):
        raise YatzyError("filled", why="the game is finished, no category is open")


def turn_of(table: ValueTable, filled: int, upper: int, rerolls: int) -> OneTurn:
    """The turn of a state, in points of this table."""
    return OneTurn(table.rules, table.stored, table.theta, filled, upper, rerolls)


@lru_cache(maxsize=16)
def action_texts(rules: Ruleset) -> tuple[str, ...]:
    """Every action in words: the categories, then the keeps."""
    keeps = lattice(rules.dice, rules.faces).keeps
    return (
        *(f"score {format_category(rules, category_id)}" for category_id in range(rules.n_categories)),
        *(f"keep {format_dice(keep) or 'nothing'}" for keep in keeps),
    )
