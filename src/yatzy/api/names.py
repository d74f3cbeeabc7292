"""Names and text wherever a table, a policy or a state is wanted."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import comb
from typing import Any, SupportsIndex, cast

from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.game.situation import Situation
from yatzy.policy.base import Policy, SeesPoints
from yatzy.policy.functions import FunctionPolicy
from yatzy.policy.registry import find_policy
from yatzy.rules import Ruleset, State, parse_dice, parse_filled, parse_rerolls, parse_state, ruleset
from yatzy.running import Progress
from yatzy.solver.states import state_space
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable

# A mask, names separated by commas, a list of names, or a whole state: 'ones,pair @ 3'.
Filled = SupportsIndex | str | Iterable[str] | State
Dice = str | Iterable[int]
# A name, a student's or rule list's file, an object that decides, or a function of a situation.
Player = str | Policy | SeesPoints | Callable[[Situation], Any]


# As many as eight dice of six faces have. Code for more would take hours to compile.
MOST_KEEPS_SOLVED = 3003


def check_solvable(rules: Ruleset) -> Ruleset:
    """Refuse a game whose dice can be kept in too many ways, before anything is compiled for it."""
    n_keeps = comb(rules.dice + rules.faces, rules.faces)
    if n_keeps > MOST_KEEPS_SOLVED:
        raise YatzyError(
            f"dice: {rules.dice} of {rules.faces} faces can be kept in {n_keeps:,} ways; allowed are "
            f"{MOST_KEEPS_SOLVED:,} for a game that is solved"
        )
    return rules


@lru_cache(maxsize=8)
def table_of(rules: Ruleset, theta: float = 0.0) -> ValueTable:
    """The solved table, from the home folder if it is there."""
    return stored_table(check_solvable(rules), theta, draft=True)


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


def as_state(rules: Ruleset, filled: Filled = 0, upper: SupportsIndex | None = None) -> State:
    """A state that can occur; the upper total may be part of the text."""
    if isinstance(filled, str) and "@" in filled:
        filled = parse_state(rules, filled)
    if isinstance(filled, State):
        if upper is not None and upper != filled.upper:
            raise YatzyError(f"upper: {upper!r} is given twice; the state already says {filled.upper}")
        mask, total = filled.filled, filled.upper
    else:
        mask, total = parse_filled(rules, filled), cast("int", 0 if upper is None else upper)
    state_space(rules).check(mask, total)
    return State(mask, int(total))


def as_situation(
    rules: Ruleset,
    dice: Dice | Situation,
    rerolls: int | None = None,
    filled: Filled = 0,
    upper: int | None = None,
) -> Situation:
    """A situation, from one text or from its parts; without `rerolls`, none is used yet."""
    if isinstance(dice, str) and "|" in dice:
        dice = Situation.parse(dice, rules)
    if isinstance(dice, Situation):
        if rerolls is not None or upper is not None or (not isinstance(filled, SupportsIndex) or int(filled)):
            raise YatzyError("situation: says its rerolls and state itself; give it alone")
        as_state(rules, dice.state)
        return dice
    state = as_state(rules, filled, upper)
    saved = state.saved(rules)
    left = parse_rerolls(rules, rules.rerolls + saved if rerolls is None else rerolls, saved)
    return Situation.at(rules, lattice(rules.dice, rules.faces).id_of(parse_dice(rules, dice)), left, state)
