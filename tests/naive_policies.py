"""A policy by its own decisions, followed through every throw of every turn: slow, obvious, in exact fractions."""

from fractions import Fraction
from functools import cache, cached_property

import numpy as np

from naive import Expectimax, Faces, PlayedOut, after_scoring, open_categories
from yatzy.policies.policy import Policy
from yatzy.turn.lattice import lattice


class NaivePolicy(PlayedOut):
    """What becomes of a policy from any state on, and what each of its decisions loses."""

    def __init__(self, policy: Policy, tracked: int = -1) -> None:
        dice = lattice(policy.rules.dice, policy.rules.faces)
        decide = cache(lambda *state: policy.decide(*(np.array([n]) for n in state)))
        self.ends_in = cache(self.ends_in)
        self.rest = cache(self.rest)
        super().__init__(
            policy.rules,
            lambda filled, upper, roll, *left: int(decide(filled, upper).category[0, *left, dice.id_of(roll)]),
            lambda filled, upper, roll, left: dice.keeps[
                decide(filled, upper).keep[0, left - 1, dice.id_of(roll)]
            ],
            tracked,
        )

    @cached_property
    def best(self) -> Expectimax:
        return Expectimax(self.rules)

    def decisions(self, filled: int, upper: int) -> list[tuple[int, Faces, Fraction, Fraction]]:
        """(rerolls left, roll, probability, regret) of every decision that a turn may bring."""
        found = []
        rolls = self._throw({(): Fraction(1)})
        for left in range(self.rules.rerolls, -1, -1):
            kept: dict[Faces, Fraction] = {}
            for roll, prob in rolls.items():
                if left:
                    keep = self.choose_keep(filled, upper, roll, left)
                    kept[keep] = kept.get(keep, 0) + prob
                    value = self.best.keep(filled, upper, keep, left - 1)
                else:
                    value = self.best.category(filled, upper, roll, self.choose_category(filled, upper, roll))
                found.append((left, roll, prob, self.best.roll(filled, upper, roll, left) - value))
            rolls = self._throw(kept)
        return found

    def ends_in(self, filled: int, upper: int, roll: Faces, rerolls: int) -> dict[int, Fraction]:
        """Probability of each category that a turn may end in, from a roll on."""
        if not rerolls:
            return {self.choose_category(filled, upper, roll): Fraction(1)}
        found: dict[int, Fraction] = {}
        for after, prob in self._throw({self.choose_keep(filled, upper, roll, rerolls): Fraction(1)}).items():
            for c, share in self.ends_in(filled, upper, after, rerolls - 1).items():
                found[c] = found.get(c, 0) + prob * share
        return found

    def rest(self, filled: int, upper: int) -> dict[tuple[int, bool], Fraction]:
        """Probability of each (points to come, bonus paid) from a state on."""
        if not open_categories(self.rules, filled):
            is_paid = upper >= self.rules.bonus_threshold and self.rules.bonus > 0
            return {(self.rules.bonus * is_paid, is_paid): Fraction(1)}
        found: dict[tuple[int, bool], Fraction] = {}
        for (category_id, points, extra, left), prob in self.ends(filled, upper).items():
            after = after_scoring(self.rules, filled, upper, category_id, points, left)
            for (to_come, is_paid), prob_after in self.rest(*after).items():
                key = points + extra + to_come, is_paid
                found[key] = found.get(key, Fraction(0)) + prob * prob_after
        return found

    def bonus_chance(self, filled: int, upper: int) -> float:
        return float(sum(prob for (_, is_paid), prob in self.rest(filled, upper).items() if is_paid))

    def after_keep(self, filled: int, upper: int, keep: Faces, rerolls: int) -> dict[tuple[int, int], Fraction]:
        """Probability of each (category, points) that the turn ends with, once a keep is held."""
        rolls = self._throw({keep: Fraction(1)})
        for left in range(rerolls - 1, 0, -1):
            kept: dict[Faces, Fraction] = {}
            for roll, prob in rolls.items():
                held = self.choose_keep(filled, upper, roll, left)
                kept[held] = kept.get(held, Fraction(0)) + prob
            rolls = self._throw(kept)
        found: dict[tuple[int, int], Fraction] = {}
        for roll, prob in rolls.items():
            category_id = self.choose_category(filled, upper, roll)
            end = category_id, self.rules.scores[self.rules.rolls.index(roll)][category_id]
            found[end] = found.get(end, Fraction(0)) + prob
        return found
