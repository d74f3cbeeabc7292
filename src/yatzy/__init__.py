"""Yatzy and games like it, solved exactly: what every state is worth, what to do, and how well anybody plays.

>>> import yatzy
>>> table = yatzy.solve()
>>> round(table.value(), 4), round(table.value("ones,pair @ 3"), 4)
(248.44, 220.0926)
>>> print(yatzy.advise("1 3 3 5 6", rerolls=2).best)
keep 3 3
>>> yatzy.evaluate("heuristic")
<Evaluation of heuristic, scandinavian: mean 165.3170, SD 35.4789, exact>

Names and text are accepted wherever a game, a policy, a box, a state or dice are expected. See
`help(yatzy.policy)` for policies of your own, `help(yatzy.Ruleset)` for rules of your own.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from yatzy.errors import YatzyError

if TYPE_CHECKING:
    from yatzy.coach.advice import advise
    from yatzy.coach.chances import chance, chances
    from yatzy.coach.league import League, league
    from yatzy.coach.leak import Leaks, leaks
    from yatzy.coach.level import Level, level
    from yatzy.coach.profile import Profile, profile
    from yatzy.coach.review import Review, review
    from yatzy.context import Context
    from yatzy.game.action import Action, Keep, Score
    from yatzy.game.game import Game
    from yatzy.game.log import GameLog
    from yatzy.game.situation import Situation
    from yatzy.lab.studies.sweep import sweep
    from yatzy.lab.training.data import dataset
    from yatzy.measure.distribution import Distribution
    from yatzy.measure.duels import duel, duel_advice
    from yatzy.measure.exact import Evaluation, Evaluations, evaluate
    from yatzy.measure.frontier import pareto
    from yatzy.measure.simulate import Comparison, Games, compare, play_on, simulate
    from yatzy.players.chart import Chart
    from yatzy.players.estimators import from_estimators
    from yatzy.players.library import find_chart as chart
    from yatzy.players.situations import features
    from yatzy.policies.functions import States, policy
    from yatzy.policies.policy import Decisions, Policy
    from yatzy.rules import Category, Ruleset, State, ruleset, scandinavian
    from yatzy.solver.actions import ActionValues, action_values
    from yatzy.solver.advise import Advice
    from yatzy.solver.from_here import from_here
    from yatzy.solver.goal import Goal
    from yatzy.solver.solve import solve
    from yatzy.solver.table import ValueTable

__version__ = "0.3.0"

# Where each name is (and what it is called there, if that differs), imported on first use.
_HOME = {
    "Action": "game.action",
    "ActionValues": "solver.actions",
    "Advice": "solver.advise",
    "Category": "rules",
    "Chart": "players.chart",
    "Comparison": "measure.simulate",
    "Context": "context",
    "Decisions": "policies.policy",
    "Distribution": "measure.distribution",
    "Evaluation": "measure.exact",
    "Evaluations": "measure.exact",
    "Game": "game.game",
    "GameLog": "game.log",
    "Games": "measure.simulate",
    "Goal": "solver.goal",
    "Keep": "game.action",
    "League": "coach.league",
    "Leaks": "coach.leak",
    "Level": "coach.level",
    "Policy": "policies.policy",
    "Profile": "coach.profile",
    "Review": "coach.review",
    "Ruleset": "rules",
    "Score": "game.action",
    "Situation": "game.situation",
    "State": "rules",
    "States": "policies.functions",
    "ValueTable": "solver.table",
    "action_values": "solver.actions",
    "advise": "coach.advice",
    "chance": "coach.chances",
    "chances": "coach.chances",
    "chart": "players.library:find_chart",
    "compare": "measure.simulate",
    "dataset": "lab.training.data",
    "duel": "measure.duels",
    "duel_advice": "measure.duels",
    "evaluate": "measure.exact",
    "features": "players.situations",
    "from_estimators": "players.estimators",
    "from_here": "solver.from_here",
    "league": "coach.league",
    "leaks": "coach.leak",
    "level": "coach.level",
    "pareto": "measure.frontier",
    "play_on": "measure.simulate",
    "policy": "policies.functions",
    "profile": "coach.profile",
    "review": "coach.review",
    "ruleset": "rules",
    "scandinavian": "rules",
    "simulate": "measure.simulate",
    "solve": "solver.solve",
    "sweep": "lab.studies.sweep",
}

__all__ = [
    "Action",
    "ActionValues",
    "Advice",
    "Category",
    "Chart",
    "Comparison",
    "Context",
    "Decisions",
    "Distribution",
    "Evaluation",
    "Evaluations",
    "Game",
    "GameLog",
    "Games",
    "Goal",
    "Keep",
    "League",
    "Leaks",
    "Level",
    "Policy",
    "Profile",
    "Review",
    "Ruleset",
    "Score",
    "Situation",
    "State",
    "States",
    "ValueTable",
    "YatzyError",
    "__version__",
    "action_values",
    "advise",
    "chance",
    "chances",
    "chart",
    "compare",
    "dataset",
    "duel",
    "duel_advice",
    "evaluate",
    "features",
    "from_estimators",
    "from_here",
    "league",
    "leaks",
    "level",
    "pareto",
    "play_on",
    "policy",
    "profile",
    "review",
    "ruleset",
    "scandinavian",
    "simulate",
    "solve",
    "sweep",
]


def __getattr__(name: str) -> Any:
    """Import on first use, so that `import yatzy` and `yatzy --help` need neither NumPy nor Numba."""
    if name not in _HOME:
        raise AttributeError(f"module 'yatzy' has no attribute {name!r}")
    module, _, called = _HOME[name].partition(":")
    return getattr(import_module(f"yatzy.{module}"), called or name)


def __dir__() -> list[str]:
    return __all__
