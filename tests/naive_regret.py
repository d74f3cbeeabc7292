"""What every decision of a policy loses, by definition and in exact fractions."""

from fractions import Fraction
from functools import cache

import numpy as np

from naive import Expectimax, Faces, PlayedOut
from yatzy.policies.policy import Policy
from yatzy.turn.lattice import lattice


class Judged(PlayedOut):
    """A policy by its own decisions, and the regret of each of them."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.dice = lattice(policy.rules.dice, policy.rules.faces)
        self.best = Expectimax(policy.rules)
        self.decided = cache(lambda *state: policy.decide(*(np.array([n]) for n in state)))
        super().__init__(policy.rules, self._category, self._keep)

    def _category(self, filled: int, upper: int, roll: Faces) -> int:
        return int(self.decided(filled, upper).category[0, self.dice.id_of(roll)])

    def _keep(self, filled: int, upper: int, roll: Faces, rerolls: int) -> Faces:
        return self.dice.keeps[self.decided(filled, upper).keep[0, rerolls - 1, self.dice.id_of(roll)]]

    def decisions(self, filled: int, upper: int) -> list[tuple[int, Faces, Fraction, Fraction]]:
        """(rerolls left, roll, probability, regret) of every decision that a turn may bring."""
        found = []
        rolls = self._throw({(): Fraction(1)})
        for left in range(self.rules.rerolls, -1, -1):
            kept: dict[Faces, Fraction] = {}
            for roll, prob in rolls.items():
                if left:
                    keep = self._keep(filled, upper, roll, left)
                    kept[keep] = kept.get(keep, 0) + prob
                    worth = self.best.keep(filled, upper, keep, left - 1)
                else:
                    worth = self.best.category(filled, upper, roll, self._category(filled, upper, roll))
                found.append((left, roll, prob, self.best.roll(filled, upper, roll, left) - worth))
            rolls = self._throw(kept)
        return found
