"""Everything that plays, by name: the policies of this package, and those that *sources* know.

A source is a module or object with two functions (`Source`): which names it knows, and what plays under a name or
from a file. Models and rule lists, packages to the right of this one, are sources too: SHIPPED lists their
modules by name, and they are imported when a policy is asked for that is not one of ours. Add your own players in
the same way:

    class Mine:
        def names(self): return ["mine"]
        def find(self, name, rules, folder): return MyPolicy(rules) if name == "mine" else None

    register(Mine())
    find_policy("mine")
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.game.situation import Situation
from yatzy.policies.baselines import Greedy, Heuristic, Random
from yatzy.policies.functions import FunctionPolicy
from yatzy.policies.opponents import LEVELS, Opponent, limit_of
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Policy, ScoreAware
from yatzy.policies.transfer import IgnoresSavedThrows, without_saving
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.store import stored_table

NAMES = {
    "optimal": "the best action everywhere, for the theta asked for",
    "heuristic": "a casual person: pattern-matching keeps, most points now",
    "greedy": "the most expected points of each turn by itself",
    "random": "any legal action",
    **{
        level: f"strays as people do, but no move loses more than {limit:g} points"
        for level, limit in LEVELS.items()
    },
}

# A name, the file of a model or a rule list, an object that decides, or a function of a situation.
Player = str | Policy | ScoreAware | Callable[[Situation], Any]

# Modules that are sources, in the order they are asked.
SHIPPED = ("yatzy.players.model", "yatzy.players.library")


class UnknownPolicyError(YatzyError):
    """No source knows this name."""


class PolicySource(Protocol):
    """Something that finds policies by name; a module with these two functions will do."""

    def names(self) -> Sequence[str]:
        """Every name that `find` knows; it may find files too."""
        ...

    def find(self, name: str, rules: Ruleset, folder: Path | None) -> Policy | None:
        """The policy of that name, or from the file of that path; None to leave it to other sources.

        `folder` is where tables and results are kept, None for the usual place. A file that this source should
        know but cannot read is a YatzyError.
        """
        ...


_registered: list[PolicySource] = []


def register(source: PolicySource) -> None:
    """Let `find_policy` ask this source too, after the others."""
    if source not in _registered:
        _registered.append(source)


def sources() -> list[PolicySource]:
    """All sources, in the order they are asked."""
    return [*(cast("PolicySource", import_module(name)) for name in SHIPPED), *_registered]


def find_policy(
    name: str, rules: str | Ruleset = "scandinavian", theta: float = 0.0, context: Context = DEFAULT_CONTEXT
) -> Policy:
    """The policy of that name, or from the file of that path.

    `theta` is for optimal play, whose table is loaded or solved.
    """
    game = ruleset(rules)
    if name == "optimal":
        return Optimal(stored_table(game, theta, context=context))
    if theta:
        raise YatzyError("theta", theta, why=f"applies only to the optimal policy, not to {name!r}")
    if name == "heuristic":
        return IgnoresSavedThrows(Heuristic(without_saving(game)), game) if game.saves_throws else Heuristic(game)
    if name == "greedy":
        return Greedy(game)
    if name == "random":
        return Random(game)
    if (limit := limit_of(name)) is not None:
        return Opponent(stored_table(game, context=context), limit)
    for source in sources():
        found = source.find(name, game, context.home)
        if found is not None:
            return found
    known = (*known_policies(), "the file of a model, rule list or chart")
    raise UnknownPolicyError("policy", name, known, "is not known")


def known_policies() -> list[str]:
    """Every name that `find_policy` knows."""
    return [*NAMES, *(name for source in sources() for name in source.names())]


def as_policy(
    player: Player, rules: str | Ruleset | None = None, theta: float = 0.0, context: Context = DEFAULT_CONTEXT
) -> Policy | ScoreAware:
    """Whoever plays, from a name, a file, a function (by these rules) or an object that decides."""
    if isinstance(player, str):
        return find_policy(player, rules or "scandinavian", theta, context)
    if theta:
        raise YatzyError("theta", theta, why=f"applies only to the optimal policy, not to {player!r}")
    if hasattr(player, "decide") or hasattr(player, "decide_at") or hasattr(player, "add_exits"):
        found = cast("Policy", player)
        if rules is not None and ruleset(rules) != found.rules:
            wanted = ruleset(rules).name
            raise YatzyError("policy", found.name, f"one for {wanted}", f"plays {found.rules.name}")
        return found
    if callable(player):
        return FunctionPolicy(player, rules or "scandinavian")
    raise YatzyError("policy", player, "a name, a function of a situation, a Policy", "is not a policy")
