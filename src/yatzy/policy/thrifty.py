"""A plain policy in a game that saves throws: it plays as usual, and the throws it does not use are saved.

It uses this turn's own rerolls and never a saved one; where it holds all dice, what is left is saved. That is how
somebody plays who learned the game without saving, and it is legal in every game that saves.
"""

from dataclasses import dataclass, replace

import numpy as np

from yatzy.arrays import IntArray
from yatzy.errors import YatzyError
from yatzy.policy.base import Decisions, Policy, empty_decisions
from yatzy.rules import Ruleset


def without_saving(rules: Ruleset) -> Ruleset:
    """The same game with no throws saved: what a plain policy thinks it is playing."""
    return replace(rules, saves_throws=False)


@dataclass(frozen=True)
class Thrifty:
    """Plays `rules`, which save throws, as `plain` plays the same game without saving."""

    plain: Policy
    rules: Ruleset

    def __post_init__(self) -> None:
        if not self.rules.saves_throws or self.plain.rules != without_saving(self.rules):
            raise YatzyError(
                f"policy: {self.plain.name!r} plays {self.plain.rules.name!r}; "
                f"allowed is one for {self.rules.name!r} without saved throws"
            )

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
