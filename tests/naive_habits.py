"""Play by habit by definition: what is seen some turns ahead, and choices drawn by what they look worth."""

import math
from fractions import Fraction

import numpy as np
import pytest

from naive import Expectimax, PlayedOut, RiskExpectimax, choices, open_categories, score_of, sub_multisets
from yatzy.measure.exact import visit
from yatzy.turn.lattice import lattice


class Seen:
    """A turn as it looks to somebody who sees `depth` turns after it, and counts their points as `gamma` each."""

    def __init__(self, rules, depth, theta=0.0, gamma=1):
        self.game = RiskExpectimax(rules, theta) if theta else Expectimax(rules)
        self.rules, self.depth, self.theta, self.gamma = rules, depth, theta, gamma
        self.later = Seen(rules, depth - 1, theta) if depth else None
        # A turn is what it always was, except for what comes after it.
        self.game.state = self.after

    def after(self, filled, upper):
        """What a state after the turn looks worth."""
        if self.later is None or not open_categories(self.rules, filled):
            seen = self.game.of_points(self.rules.bonus if upper >= self.rules.bonus_threshold else 0)
        else:
            seen = self.later.turn(filled, upper)
        return self.gamma * seen

    def turn(self, filled, upper):
        """What a whole turn looks worth, before it begins."""
        return self.game.keep(filled, upper, (), self.rules.rerolls)

    def points(self, worth):
        return worth / self.theta if self.theta else float(worth)

    def keep(self, filled, upper, kept, rerolls_after):
        return self.points(self.game.keep(filled, upper, kept, rerolls_after))

    def category(self, filled, upper, roll, category_id):
        return self.points(self.game.category(filled, upper, roll, category_id))


class PlayedSoftly(PlayedOut):
    """Every action of every roll with its own chance: `chances(worths)` gives them, by what actions look worth."""

    def __init__(self, rules, chances, game=None):
        self.chances = chances
        self.game = game or Expectimax(rules)
        self.rolls_of = {}
        super().__init__(rules, None, None)

    def ends(self, filled, upper):
        rolls = self._throw({(): Fraction(1)})
        self.rolls_of[filled, upper] = by_rerolls = {self.rules.rerolls: rolls}
        for rerolls in range(self.rules.rerolls, 0, -1):
            kept = {}
            for roll, prob in rolls.items():
                keeps = sorted(sub_multisets(roll))
                worths = [float(self.game.keep(filled, upper, keep, rerolls - 1)) for keep in keeps]
                for keep, chance in zip(keeps, self.chances(worths), strict=True):
                    kept[keep] = kept.get(keep, 0.0) + prob * chance
            rolls = by_rerolls[rerolls - 1] = self._throw(kept)
        ends = {}
        for roll, prob in rolls.items():
            categories = open_categories(self.rules, filled)
            worths = [float(self.game.category(filled, upper, roll, c)) for c in categories]
            for c, chance in zip(categories, self.chances(worths), strict=True):
                end = c, score_of(self.rules, c, roll), 0, 0
                ends[end] = ends.get(end, 0.0) + prob * chance
        return ends


def boltzmann(temperature):
    """Chances of actions by what they look worth."""

    def chances(worths):
        weights = [math.exp((worth - max(worths)) / temperature) for worth in worths]
        return [weight / math.fsum(weights) for weight in weights]

    return chances


class PlayedWithin(PlayedSoftly):
    """Everything a person may do with its own chance: boxes now, or fewer than all dice held."""

    def ends(self, filled, upper):
        rolls, ends = self._throw({(): Fraction(1)}), {}
        self.rolls_of[filled, upper] = by_rerolls = {}
        for rerolls in range(self.rules.rerolls, -1, -1):
            by_rerolls[rerolls] = rolls
            kept = {}
            for roll, prob in rolls.items():
                boxes = choices(self.rules, filled, roll)
                keeps = sorted(sub_multisets(roll) - {roll}) if rerolls else []
                worths = [float(self.game.category(filled, upper, roll, c)) for c in boxes]
                worths += [float(self.game.keep(filled, upper, keep, rerolls - 1)) for keep in keeps]
                chances = self.chances(worths)
                for (c, scored), chance in zip(boxes.items(), chances, strict=False):
                    ends[c, *scored, 0] = ends.get((c, *scored, 0), 0.0) + prob * chance
                for keep, chance in zip(keeps, chances[len(boxes) :], strict=True):
                    kept[keep] = kept.get(keep, 0.0) + prob * chance
            rolls = self._throw(kept)
        return ends


def limited(limit, sharpness):
    """Chances of actions by what they are worth; none that loses more than the limit."""

    def chances(worths):
        best = max(worths)
        weights = [math.exp(sharpness * (w - best) / limit) * (best - w <= limit + 1e-9) for w in worths]
        return [weight / math.fsum(weights) for weight in weights]

    return chances


def assert_played_so(player, played):
    """Mean, visits of every state, and the chance of every roll with any number of rerolls left."""
    rules = player.rules
    found = visit(player)
    assert found.mean == pytest.approx(float(played.value()), abs=1e-9)
    visits = np.zeros_like(found.visits)
    for state, prob in played.visits.items():
        visits[state] = prob
    assert found.visits == pytest.approx(visits, abs=1e-12)
    keeps = lattice(rules.dice, rules.faces).keeps
    states = np.array(list(played.rolls_of))
    masses = player.situation_masses(states[:, 0], states[:, 1])
    for mass, by_rerolls in zip(masses, played.rolls_of.values(), strict=True):
        for rerolls, rolls in by_rerolls.items():
            expected = [float(rolls.get(tuple(keeps[roll]), 0)) for roll in range(masses.shape[2])]
            assert mass[rerolls] == pytest.approx(expected, abs=1e-12)
