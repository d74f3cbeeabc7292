"""Names and text wherever a table, a policy or a state is wanted."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

from yatzy.errors import YatzyError
from yatzy.game.situation import Situation
from yatzy.policy.base import Policy, SeesPoints
from yatzy.policy.functions import FunctionPolicy
from yatzy.policy.registry import find_policy
from yatzy.rules import Ruleset, ruleset
from yatzy.running import Progress
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable

# A name, a student's or rule list's file, an object that decides, or a function of a situation.
Player = str | Policy | SeesPoints | Callable[[Situation], Any]


@lru_cache(maxsize=8)
def table_of(rules: Ruleset, theta: float = 0.0) -> ValueTable:
    """The solved table, from the home folder if it is there."""
    return stored_table(rules, theta, draft=True)


def as_policy(
    player: Player, rules: str | Ruleset | None = None, theta: float = 0.0, progress: Progress | None = None
) -> Policy | SeesPoints:
    """Whoever plays, from a name, a file, a function (by these rules) or an object that decides."""
    if isinstance(player, str):
        return find_policy(player, rules or "scandinavian", theta, progress=progress)
    if theta:
        raise YatzyError(f"theta: {theta} is for the optimal policy only, not for {player!r}")
    if hasattr(player, "decide") or hasattr(player, "decide_at") or hasattr(player, "add_exits"):
        found = cast("Policy", player)
        if rules is not None and ruleset(rules) != found.rules:
            raise YatzyError(
                f"rules: {ruleset(rules).name!r} is not what {found.name!r} plays, {found.rules.name!r}"
            )
        return found
    if callable(player):
        return FunctionPolicy(player, rules or "scandinavian")
    raise YatzyError(
        f"policy: {player!r} is not a policy; allowed are a name, a function of a situation, a Policy"
    )
