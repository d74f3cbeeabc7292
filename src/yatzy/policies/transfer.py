"""Playing a game by what is best in another: without its saved throws, or by perfect play of a different ruleset.

For `Transferred`, boxes are matched by name. A box that only the known game has counts as filled; one that only
the new game has is filled when no other is open, without rerolls. Where the new game's rules forbid the box that
the known one would take (a joker), the box with most points is taken. An upper total that the known game cannot
have is taken as the next lower one that it can.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.errors import YatzyError
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Decisions, Policy, empty_decisions
from yatzy.rules import Ruleset, parse_category
from yatzy.turn.outcomes import outcomes


def without_saving(rules: Ruleset) -> Ruleset:
    """The same game with no throws saved."""
    return replace(rules, saves_throws=False)


@dataclass(frozen=True)
class IgnoresSavedThrows:
    """Plays `rules`, which save throws, as `plain` plays the game without saving."""

    plain: Policy
    rules: Ruleset

    def __post_init__(self) -> None:
        if not self.rules.saves_throws or self.plain.rules != without_saving(self.rules):
            allowed = f"one for {self.rules.name!r} without saved throws"
            raise YatzyError("policy", self.plain.name, allowed, f"plays {self.plain.rules.name!r}")

    @property
    def name(self) -> str:
        return self.plain.name

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        rules = self.rules
        saved = np.asarray(filled) >> rules.saved_shift
        plain = self.plain.decide(filled & rules.n_sets - 1, upper)
        decisions = empty_decisions(rules, filled)
        decisions.category[:] = plain.category[:, None, :]
        # All dice are held, unless this turn has rerolls of its own; ids of rolls are those of their keeps.
        decisions.keep[:] = np.arange(decisions.keep.shape[2], dtype=np.uint16)
        lines = np.arange(len(saved))
        for own_left in range(rules.rerolls):
            decisions.keep[lines, saved + own_left] = plain.keep[:, own_left]
        return decisions


def can_transfer(old: Ruleset, new: Ruleset) -> bool:
    """Whether play of the old game can be legal in the new game."""
    same_dice = (old.dice, old.faces, old.rerolls) == (new.dice, new.faces, new.rerolls)
    return same_dice and old.is_plain and not new.saves_throws and not new.forced_order


@dataclass(frozen=True)
class Transferred:
    """Plays `rules` as `known` plays another game with the same dice."""

    known: Optimal
    rules: Ruleset

    def __post_init__(self) -> None:
        old, new = self.known.rules, self.rules
        if not can_transfer(old, new):
            raise YatzyError("policy", why=f"play of {old.name!r} does not transfer to {new.name!r}")

    @property
    def name(self) -> str:
        return f"perfect play of {self.known.rules.name}"

    @cached_property
    def counterpart(self) -> IntArray:
        """(n_categories,): the known game's box for each of ours, -1 if it has none."""
        found = [self._find(c.name, *c.aliases) for c in self.rules.categories]
        # Of two boxes with the same counterpart, the first.
        return np.array([box if found.index(box) == i else -1 for i, box in enumerate(found)])

    def _find(self, *names: str) -> int:
        for name in names:
            try:
                return parse_category(self.known.rules, name)
            except YatzyError:
                continue
        return -1

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        old, new = self.known.rules, self.rules
        ours = np.flatnonzero(self.counterpart >= 0)
        theirs = self.counterpart[ours]
        mask = np.full(len(filled), old.all_filled & ~int((1 << theirs).sum()), np.int64)
        for mine, other in zip(ours.tolist(), theirs.tolist(), strict=True):
            mask |= (filled >> mine & 1) << other
        # With no counterpart open any box will do in the question: the answer is replaced below.
        asked = np.where(mask == old.all_filled, old.all_filled ^ 1, mask)
        decisions = self.known.decide(asked, self._known_upper(asked, upper))
        back = np.zeros(old.n_categories, np.uint8)
        back[theirs] = ours
        category = back[decisions.category]
        keep = decisions.keep
        only_own = mask == old.all_filled
        points = outcomes(new).points_of_rolls(filled)
        lines, rolls = np.indices(category.shape)
        wrong = only_own[:, None] | (points[lines, rolls, category] < 0)
        category[wrong] = points[wrong].argmax(axis=1)
        keep[only_own] = self._hold_all(keep)[only_own]
        return Decisions(category, keep)

    def _known_upper(self, mask: IntArray, upper: IntArray) -> IntArray:
        """The largest upper total of the known game that is not above this one."""
        space = self.known.table.space
        reached = space.reachable_by_upper_set
        below = np.maximum.accumulate(np.where(reached, np.arange(reached.shape[1]), 0), axis=1)
        return np.asarray(below[space.upper_set[mask], np.minimum(upper, self.known.rules.bonus_threshold)])

    @staticmethod
    def _hold_all(keep: NDArray[np.uint16]) -> NDArray[np.uint16]:
        return np.broadcast_to(np.arange(keep.shape[2], dtype=np.uint16), keep.shape)
