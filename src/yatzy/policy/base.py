"""What a policy is: anything that answers, for any states, what to do with every roll."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, State, format_category, format_dice, format_state
from yatzy.turn.jit import jit


class Decisions(NamedTuple):
    """What a policy does in n states with every roll.

    `category` (n, n_rolls) uint8: the category to score when no reroll is left.
    `keep` (n, rerolls, n_rolls) uint16: the keep with j + 1 rerolls left at [:, j]. Keeping all dice throws none;
    what is then done with one reroll fewer is a decision of its own.
    """

    category: NDArray[np.uint8]
    keep: NDArray[np.uint16]


class Policy(Protocol):
    """A way of playing. Deterministic: the same state always gets the same answer."""

    @property
    def name(self) -> str: ...

    @property
    def rules(self) -> Ruleset: ...

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        """Decisions in the states (filled[i], upper[i]), none finished; several threads may ask at once."""
        ...


@runtime_checkable
class Mixed(Protocol):
    """Play that says itself how its turns end: it need not write its decisions down, and may draw its actions."""

    @property
    def name(self) -> str: ...

    @property
    def rules(self) -> Ruleset: ...

    def add_exits(self, filled: IntArray, upper: IntArray, exits: FloatArray) -> None:
        """Add the probability of each outcome of the turns in n states to `exits` (n, n_outcomes), zeros before.

        Several threads may ask at once.
        """
        ...


def empty_decisions(rules: Ruleset, n: int) -> Decisions:
    """Uninitialised arrays of the right shape and type."""
    n_rolls = lattice(rules.dice, rules.faces).n_rolls
    return Decisions(np.empty((n, n_rolls), np.uint8), np.empty((n, rules.rerolls, n_rolls), np.uint16))


@lru_cache(maxsize=8)
def keep_is_inside(rules: Ruleset) -> NDArray[np.bool_]:
    """(n_rolls, n_keeps): is the keep part of the roll?"""
    dice = lattice(rules.dice, rules.faces)
    inside = np.zeros((dice.n_rolls, dice.n_keeps), dtype=np.bool_)
    for roll_id, keeps in enumerate(dice.keeps_in_roll):
        inside[roll_id, keeps[keeps >= 0]] = True
    return inside


@dataclass(frozen=True)
class Checked:
    """A policy whose answers are checked: an illegal one is an error, never a better score."""

    policy: Policy

    @property
    def name(self) -> str:
        return self.policy.name

    @property
    def rules(self) -> Ruleset:
        return self.policy.rules

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        decisions = self.policy.decide(filled, upper)
        check_decisions(self.policy, filled, upper, decisions)
        return decisions


def check_decisions(policy: Policy, filled: IntArray, upper: IntArray, decisions: Decisions) -> None:
    """Refuse a filled category or a keep that is not inside its roll, naming the first one."""
    rules = policy.rules
    dice = lattice(rules.dice, rules.faces)
    found = _first_illegal(filled, decisions.category, decisions.keep, keep_is_inside(rules), rules.n_categories)
    if found < 0:
        return
    line, roll = divmod(int(found), dice.n_rolls)
    i, left = divmod(line, rules.rerolls + 1)
    roll_text = format_dice(dice.keeps[roll])
    if left == rules.rerolls:
        what = f"scores {_category_text(rules, int(decisions.category[i, roll]))}, which is not open"
    else:
        kept = int(decisions.keep[i, left, roll])
        kept_text = format_dice(dice.keeps[kept]) if kept < dice.n_keeps else f"keep {kept}"
        what = f"keeps {kept_text}, which is not part of them"
    state = format_state(rules, State(int(filled[i]), int(upper[i])))
    raise YatzyError(f"policy {policy.name!r}: with dice {roll_text} in state {state!r} it {what}")


@jit
def _first_illegal(filled: Any, category: Any, keep: Any, inside: Any, n_categories: Any) -> Any:
    """Number of the first illegal decision, -1 if there is none: (state, keeps then category, roll)."""
    n_rerolls, n_rolls = keep.shape[1], keep.shape[2]
    for i in range(len(filled)):
        for left in range(n_rerolls):
            for roll in range(n_rolls):
                if keep[i, left, roll] >= inside.shape[1] or not inside[roll, keep[i, left, roll]]:
                    return (i * (n_rerolls + 1) + left) * n_rolls + roll
        for roll in range(n_rolls):
            if category[i, roll] >= n_categories or filled[i] >> category[i, roll] & 1:
                return (i * (n_rerolls + 1) + n_rerolls) * n_rolls + roll
    return -1


def _category_text(rules: Ruleset, category_id: int) -> str:
    return format_category(rules, category_id) if category_id < rules.n_categories else f"category {category_id}"
