"""Tables and solved goals kept between runs: load a valid file, or else solve and store it."""

from collections import OrderedDict
from pathlib import Path

import numpy as np

from yatzy.arrays import lanes_of
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.game.aim import check_theta
from yatzy.rules import Ruleset, State, ruleset, stored_name
from yatzy.sealed import SealError, digest_of, map_tensors, write_tensor_blocks
from yatzy.solver.goal import Goal
from yatzy.solver.goal_layout import GoalLayout
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.solve import solve
from yatzy.solver.states import check_solvable
from yatzy.solver.table import TableError, ValueTable, check_precision, table_path
from yatzy.storage import WriteError, check_writable, home


def stored_table(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str = "float64",
    context: Context = DEFAULT_CONTEXT,
    draft: bool = False,
    again: bool = False,
) -> ValueTable:
    """The table from its file, or else solved and stored; `again` solves it even if there is a file.

    An invalid file is replaced, with a notice. If the file cannot be written, a notice says so, but for a large
    table or one solved `again` that is an error. `draft` is as for `solve`.
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
            context.notice(f"{error}; the table was not saved")
    return table


# The most recently used tables, by game, theta and folder.
_tables: OrderedDict[tuple[Ruleset, float, Path], ValueTable] = OrderedDict()
TABLES_KEPT = 8


def table_of(rules: Ruleset, theta: float = 0.0, context: Context = DEFAULT_CONTEXT) -> ValueTable:
    """The table in the home folder, cached in memory."""
    key = (rules, theta, home(context.home))
    if key not in _tables:
        _tables[key] = stored_table(rules, theta, context=context, draft=True)
    _tables.move_to_end(key)
    while len(_tables) > TABLES_KEPT:
        _tables.popitem(last=False)
    return _tables[key]


FORMAT = "yatzy-goal-1"
PRECISION = "float32"


def goal_path(rules: Ruleset, goal: Goal, folder: Path | None = None) -> Path:
    """One file per ruleset and goal."""
    own = "" if goal.worths is None else f"-{digest_of(goal.worths.tobytes(), length=8)}"
    kind = "utility" if goal.worths is not None else goal.name
    return home(folder) / "goals" / f"{stored_name(rules)}-{kind}{own}.safetensors"


def stored_goal(rules: Ruleset, goal: Goal, context: Context = DEFAULT_CONTEXT) -> GoalTable:
    """A goal solved for the whole game, from its file or else solved and stored."""
    found = load_goal(rules, goal, context)
    if found is not None:
        return found
    path = goal_path(rules, goal, context.home)
    table = solve_goal(rules, goal, precision=PRECISION, context=context)
    try:
        write_tensor_blocks(path, "values", table.values.shape, PRECISION, [table.values], _metadata(rules, goal))
    except WriteError as error:
        context.notice(f"{error}; the chances were not saved")
    return table


def load_goal(rules: Ruleset, goal: Goal, context: Context = DEFAULT_CONTEXT) -> GoalTable | None:
    """A goal solved for the whole game, from its file; None without a valid one."""
    path = goal_path(rules, goal, context.home)
    if not path.exists():
        return None
    rows = GoalLayout(rules, goal, State(), lanes_of(PRECISION))
    try:
        tensors, metadata = map_tensors(path)
    except SealError as error:
        context.notice(f"{error}; solving again")
        return None
    values = tensors.get("values", np.zeros(0))
    if metadata == _metadata(rules, goal) and values.shape == (rows.n_numbers,) and values.dtype == PRECISION:
        return GoalTable(rows, values)
    context.notice(f"{path}: was solved for something else; solving again")
    return None


def _metadata(rules: Ruleset, goal: Goal) -> dict[str, str]:
    wanted = [] if goal.worths is None else [goal.worths.tobytes()]
    if goal.opponent:
        wanted = [f"{one.lowest}".encode() + one.chance.tobytes() for one in goal.opponent.rounds]
    return {
        "format": FORMAT, "rules": rules.name, "fingerprint": rules.fingerprint, "goal": goal.name,
        "worths": digest_of(*wanted), "precision": PRECISION,
    }  # fmt: skip
