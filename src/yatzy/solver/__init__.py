"""The exact solution: state space, kernels, backward induction, stored values, and advice from them."""

from yatzy.solver.advise import Action, ActionValues, action_values, advise
from yatzy.solver.solve import solve
from yatzy.solver.states import StateSpace, state_space
from yatzy.solver.table import TableError, ValueTable

__all__ = [
    "Action",
    "ActionValues",
    "StateSpace",
    "TableError",
    "ValueTable",
    "action_values",
    "advise",
    "solve",
    "state_space",
]
