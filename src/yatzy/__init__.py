"""Scandinavian Yatzy, solved exactly.

>>> import yatzy
>>> table = yatzy.solve()
>>> round(table.value(), 4)
248.44
>>> yatzy.advise(table, "1 3 3 5 6", rerolls=2)[0].action
'keep 3 3'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from yatzy.errors import YatzyError

if TYPE_CHECKING:
    from yatzy.rules import Category, Ruleset, ruleset, scandinavian
    from yatzy.solver.actions import ActionValues, action_values
    from yatzy.solver.advise import Action, advise
    from yatzy.solver.any_goal import from_here, solve
    from yatzy.solver.goal_rows import Goal
    from yatzy.solver.table import ValueTable

__version__ = "0.1.0"

_HOME = {
    "Category": "rules",
    "Ruleset": "rules",
    "ruleset": "rules",
    "scandinavian": "rules",
    "Action": "solver.advise",
    "ActionValues": "solver.actions",
    "ValueTable": "solver.table",
    "action_values": "solver.actions",
    "advise": "solver.advise",
    "from_here": "solver.any_goal",
    "Goal": "solver.goal_rows",
    "solve": "solver.any_goal",
}

__all__ = [
    "Action",
    "ActionValues",
    "Category",
    "Goal",
    "Ruleset",
    "ValueTable",
    "YatzyError",
    "action_values",
    "advise",
    "from_here",
    "ruleset",
    "scandinavian",
    "solve",
]


def __getattr__(name: str) -> Any:
    """Import on first use, so that `import yatzy` and `yatzy --help` need neither NumPy nor Numba."""
    if name not in _HOME:
        raise AttributeError(f"module 'yatzy' has no attribute {name!r}")
    return getattr(import_module(f"yatzy.{_HOME[name]}"), name)
