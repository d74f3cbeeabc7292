"""Tables kept between runs: load a usable one, or else solve and store it."""

from collections import OrderedDict
from pathlib import Path

from yatzy.context import HERE, Context
from yatzy.files import WriteError, check_writable
from yatzy.game.aim import check_theta
from yatzy.game.situation import Situation
from yatzy.home import home
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.advise import Advice
from yatzy.solver.solve import solve
from yatzy.solver.states import DiceGiven, FilledGiven, as_situation, check_solvable
from yatzy.solver.table import TableError, ValueTable, check_precision, table_path


def stored_table(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str = "float64",
    context: Context = HERE,
    draft: bool = False,
    again: bool = False,
) -> ValueTable:
    """The table from its file, or solved and stored now (also if it is there, if it is to be solved `again`).

    A file that is there but cannot be used is told as a notice and replaced; so is one that cannot be
    written, and then the table is only returned: that is an error for a large one, and with `again`. `draft` is
    for a caller who is waiting: see `solve`.
    """
    rules, theta = check_solvable(ruleset(rules)), check_theta(theta)
    check_precision(precision, theta)
    path = table_path(rules, theta, precision, context.home)
    if again:
        check_writable(path)
    elif path.exists():
        try:
            return ValueTable.load(path, rules, theta, precision)
        except TableError as error:
            context.notice(f"{error}; solving again")
    table = solve(rules, theta, precision, context, draft=draft, again=again)
    if table.file is None:
        try:
            table.save(path)
        except WriteError as error:
            if again:
                raise
            context.notice(f"{error}; the table is not kept")
    return table


def advise(
    dice: DiceGiven | Situation,
    rerolls: int | None = None,
    filled: FilledGiven = 0,
    upper: int | None = None,
    *,
    rules: str | Ruleset | None = None,
    theta: float = 0.0,
) -> Advice:
    """Every action in a situation, best first, with its value and what it loses against the best.

    >>> import yatzy
    >>> advice = yatzy.advise("1 3 3 5 6", rerolls=2)
    >>> advice
    <Advice for '1 3 3 5 6 | 2 | - @ 0': keep 3 3, 245.755; 38 actions>
    >>> str(advice[1].action), round(advice[1].value, 3), round(advice[1].regret, 3)
    ('keep 5 6', 245.673, 0.082)
    >>> yatzy.advise("1 3 3 5 6 | 2 | ones,pair @ 3").best
    Keep(dice=(3, 3))
    >>> print(yatzy.advise("5 5 5 5 5", rerolls=0, filled="yahtzee*", rules="yahtzee").best)
    score fives

    The game is solved once, or read from the home folder. One text may stand for all of the situation; ask a table
    that you have by `table.advise`.
    """
    if rules is None:
        rules = dice.rules if isinstance(dice, Situation) else "scandinavian"
    here = as_situation(ruleset(rules), dice, rerolls, filled, upper)
    return table_of(check_solvable(here.rules), check_theta(theta)).advise(here)


# Those that were read or solved last, by game, theta and folder.
_tables: OrderedDict[tuple[Ruleset, float, Path], ValueTable] = OrderedDict()
TABLES_KEPT = 8


def table_of(rules: Ruleset, theta: float = 0.0, context: Context = HERE) -> ValueTable:
    """The table of the home folder, read once."""
    key = (rules, theta, home(context.home))
    if key not in _tables:
        _tables[key] = stored_table(rules, theta, context=context, draft=True)
    _tables.move_to_end(key)
    while len(_tables) > TABLES_KEPT:
        _tables.popitem(last=False)
    return _tables[key]
