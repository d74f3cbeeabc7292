"""The slow, obvious twin of goals: the whole game by definition, with the points so far in every state."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product

from naive import Faces, after_scoring, open_categories, score_of, sub_multisets
from yatzy.rules import Ruleset


class GoalExpectimax:
    """The most that `worth(final score)` can be on average, an exact `Fraction`."""

    def __init__(self, rules: Ruleset, worth: Callable[[int], Fraction | int]) -> None:
        self.rules, self.worth = rules, worth
        self.throws = [list(product(range(1, rules.faces + 1), repeat=n)) for n in range(rules.dice + 1)]
        self.state = cache(self.state)
        self.roll = cache(self.roll)
        self.keep = cache(self.keep)

    def state(self, filled: int, upper: int, points: int) -> Fraction:
        """Start of a turn with these points in the boxes."""
        if not open_categories(self.rules, filled):
            bonus = self.rules.bonus if upper >= self.rules.bonus_threshold else 0
            return Fraction(self.worth(points + bonus))
        return self.keep(filled, upper, points, (), self.rules.rerolls)

    def category(self, filled: int, upper: int, points: int, roll: Faces, category_id: int) -> Fraction:
        scored = score_of(self.rules, category_id, roll)
        return self.state(*after_scoring(self.rules, filled, upper, category_id, scored), points + scored)

    def keep(self, filled: int, upper: int, points: int, kept: Faces, rerolls_after: int) -> Fraction:
        thrown = self.throws[self.rules.dice - len(kept)]
        rolls = [tuple(sorted(kept + dice)) for dice in thrown]
        return sum((self.roll(filled, upper, points, roll, rerolls_after) for roll in rolls), Fraction(0)) / len(
            rolls
        )

    def roll(self, filled: int, upper: int, points: int, roll: Faces, rerolls: int) -> Fraction:
        worths = [self.category(filled, upper, points, roll, c) for c in open_categories(self.rules, filled)]
        if rerolls:
            worths += [self.keep(filled, upper, points, kept, rerolls - 1) for kept in sub_multisets(roll)]
        return max(worths)
