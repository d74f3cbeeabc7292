"""Policies by name."""

from collections.abc import Callable
from pathlib import Path

from yatzy.errors import YatzyError
from yatzy.policy.base import Policy
from yatzy.policy.heuristic import Heuristic
from yatzy.policy.optimal import Optimal
from yatzy.policy.simple import Greedy, Random
from yatzy.rules import Ruleset, ruleset
from yatzy.running import Progress
from yatzy.solver.store import stored_table

NAMES = {
    "optimal": "the best action everywhere, for the theta asked for",
    "heuristic": "a casual person: pattern-matching keeps, most points now",
    "greedy": "the most expected points of each turn by itself",
    "random": "any legal action",
}


def named_policy(
    name: str,
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    folder: str | Path | None = None,
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
) -> Policy:
    """The policy of that name; `theta` is for optimal play, whose table is loaded or solved."""
    rules = ruleset(rules)
    if theta != 0 and name != "optimal":
        raise YatzyError(f"theta: {theta} is for the optimal policy only, not for {name!r}")
    if name == "optimal":
        return Optimal(stored_table(rules, theta, folder=folder, progress=progress, notice=notice))
    if name == "heuristic":
        return Heuristic(rules)
    if name == "greedy":
        return Greedy(rules)
    if name == "random":
        return Random(rules)
    raise YatzyError(f"policy: {name!r} is not known; allowed are {', '.join(NAMES)}")
