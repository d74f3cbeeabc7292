"""The bonus gap: how much more games with the bonus score than games without it, split exactly.

    E[score | bonus] - E[score | no bonus]
        = bonus points + sum over c of (E[points_c | bonus] - E[points_c | no bonus])

A category's part comes from a backward pass. With B(state) the probability of getting the bonus from a state under
the policy, q(o) the probability that a turn there ends with outcome o = (c, points), and s + o the state after it,

    B(s) = sum over o of q(o) * B(s + o),          B(finished) = 1 if upper >= T else 0,
    E[points_c * 1{bonus}] = sum over s, o in c of visits(s) * q(o) * points(o) * B(s + o).
"""

from dataclasses import dataclass

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.context import HERE, Context
from yatzy.errors import YatzyError
from yatzy.evaluate.exact import Evaluation, evaluate, turn_exits
from yatzy.game.json import json_property
from yatzy.policy.base import Policy
from yatzy.policy.registry import find_policy
from yatzy.rules import Ruleset
from yatzy.solver.states import state_space
from yatzy.studies.results import Claim
from yatzy.turn.outcomes import outcomes


@dataclass(frozen=True)
class CategoryPart:
    """Mean points of a category with and without the bonus."""

    category: str
    upper: bool
    mean: float
    with_bonus: float
    without_bonus: float
    difference: float


@dataclass(frozen=True)
class BonusGap:
    """The gap and its parts: gap = bonus + upper_part + lower_part."""

    policy: str
    rules: str
    bonus_rate: float
    mean_with_bonus: float
    mean_without_bonus: float
    gap: float
    bonus: int
    upper_part: float
    lower_part: float
    categories: list[CategoryPart]

    @json_property
    def claims(self) -> list[Claim]:
        return [
            Claim("gap between games with and without the bonus", 72, self.gap, 0.5),
            Claim("correlated part of the gap", 22, self.upper_part + self.lower_part, 0.5),
            Claim("upper-section part of the gap", 12, self.upper_part, 0.5),
            Claim("lower-section part of the gap", 10, self.lower_part, 0.5),
        ]

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            "gap": self.gap, "bonus": self.bonus, "upper_part": self.upper_part, "lower_part": self.lower_part,
        }  # fmt: skip


def split_bonus_gap(rules: str | Ruleset = "scandinavian", context: Context = HERE) -> BonusGap:
    """The gap under optimal play."""
    policy = find_policy("optimal", rules, context=context.quiet())
    return split_gap(policy, evaluate(policy, context=context), context)


def split_gap(policy: Policy, found: Evaluation, context: Context = HERE) -> BonusGap:
    """The gap of any policy, whose exact evaluation is `found`."""
    rate = found.bonus_rate
    if not 0 < rate < 1:
        raise YatzyError("rules", policy.rules.name, why="has games with the bonus or without it, not both")
    with_bonus = points_with_bonus(policy, found, context)
    parts = [
        CategoryPart(
            category=category.name.lower(),
            upper=category.upper,
            mean=mean,
            with_bonus=joint / rate,
            without_bonus=(mean - joint) / (1 - rate),
            difference=joint / rate - (mean - joint) / (1 - rate),
        )
        for category, mean, joint in zip(
            policy.rules.categories, found.category_means.tolist(), with_bonus.tolist(), strict=True
        )
    ]
    upper_part = sum(part.difference for part in parts if part.upper)
    lower_part = sum(part.difference for part in parts if not part.upper)
    without, having = (_mean_of(found, bonus) for bonus in range(2))
    return BonusGap(
        policy=policy.name,
        rules=policy.rules.name,
        bonus_rate=rate,
        mean_with_bonus=having,
        mean_without_bonus=without,
        gap=having - without,
        bonus=policy.rules.bonus,
        upper_part=upper_part,
        lower_part=lower_part,
        categories=parts,
    )


def points_with_bonus(policy: Policy, found: Evaluation, context: Context = HERE) -> FloatArray:
    """(n_categories,): E[points in a category * 1{bonus}] under the policy, whose evaluation is `found`."""
    rules = policy.rules
    space, ends, visits = state_space(rules), outcomes(rules), found.visits
    prob_bonus = np.zeros_like(visits)
    prob_bonus[rules.all_filled, rules.bonus_threshold] = 1.0
    joint = np.zeros(rules.n_categories)
    for n_filled, masks in reversed(list(enumerate(space.layers[:-1]))):
        index, upper = np.nonzero(visits[masks])
        filled = masks[index]
        exits = turn_exits(policy, filled, upper, context.threads)
        weight, total = visits[filled, upper], np.zeros(len(filled))
        for outcome in range(ends.n):
            line = np.flatnonzero(exits[:, outcome])
            through = exits[line, outcome] * prob_bonus[ends.after(filled[line], upper[line], outcome)]
            total[line] += through
            joint[ends.category[outcome]] += ends.points[outcome] * float((weight[line] * through).sum())
        prob_bonus[filled, upper] = total
        context.step(rules.n_categories - n_filled, rules.n_categories)
    return joint


def _mean_of(found: Evaluation, bonus: int) -> float:
    """Mean score of games with (1) or without (0) the bonus."""
    parts = [part for part in found.distributions[bonus] if part.weight]
    return sum(part.weight * part.mean for part in parts) / sum(part.weight for part in parts)
