"""The rest of a game, followed through every throw of every turn: slow, obvious, in exact fractions."""

from fractions import Fraction
from functools import cache

import numpy as np

from naive import PlayedOut, after_scoring, open_categories
from yatzy.policies.policy import Policy
from yatzy.turn.lattice import lattice


class PlayedToTheEnd:
    """What becomes of a policy from any state on."""

    def __init__(self, policy: Policy) -> None:
        rules = self.rules = policy.rules
        dice = lattice(rules.dice, rules.faces)
        decide = cache(lambda filled, upper: policy.decide(np.array([filled]), np.array([upper])))
        self.twin = PlayedOut(
            rules,
            lambda filled, upper, roll, *left: int(
                decide(filled, upper).category[0, *left, rules.rolls.index(roll)]
            ),
            lambda filled, upper, roll, rerolls: dice.keeps[
                decide(filled, upper).keep[0, rerolls - 1, rules.rolls.index(roll)]
            ],
        )
        self.ends = cache(self.ends)

    def ends(self, filled: int, upper: int) -> dict[tuple[int, bool], Fraction]:
        """Probability of each (points to come, bonus paid)."""
        if not open_categories(self.rules, filled):
            is_paid = upper >= self.rules.bonus_threshold and self.rules.bonus > 0
            return {(self.rules.bonus * is_paid, is_paid): Fraction(1)}
        found: dict[tuple[int, bool], Fraction] = {}
        for (category_id, points, extra, left), prob in self.twin.ends(filled, upper).items():
            after = after_scoring(self.rules, filled, upper, category_id, points, left)
            for (to_come, is_paid), prob_after in self.ends(*after).items():
                key = points + extra + to_come, is_paid
                found[key] = found.get(key, Fraction(0)) + prob * prob_after
        return found

    def bonus_chance(self, filled: int, upper: int) -> float:
        return float(sum(prob for (_, is_paid), prob in self.ends(filled, upper).items() if is_paid))

    def after_keep(self, filled: int, upper: int, keep: tuple[int, ...], rerolls: int) -> dict:
        """Probability of each (category, points) that the turn ends with, once a keep is held."""
        rolls = self.twin._throw({keep: Fraction(1)})
        for left in range(rerolls - 1, 0, -1):
            kept: dict[tuple[int, ...], Fraction] = {}
            for roll, prob in rolls.items():
                held = self.twin.choose_keep(filled, upper, roll, left)
                kept[held] = kept.get(held, Fraction(0)) + prob
            rolls = self.twin._throw(kept)
        found: dict[tuple[int, int], Fraction] = {}
        for roll, prob in rolls.items():
            category_id = self.twin.choose_category(filled, upper, roll)
            end = category_id, self.rules.scores[self.rules.rolls.index(roll)][category_id]
            found[end] = found.get(end, Fraction(0)) + prob
        return found
