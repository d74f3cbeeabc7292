"""Where a bot that plays by patterns loses points: every decision charged with what it costs against perfect play.

    V*(start) - V_heuristic(start) = sum over turns, decisions and categories of the expected regret

at the states the heuristic itself reaches, each with its exact probability (`yatzy.evaluate.regret`). The same gap
can also be split exactly by what ends up in the boxes,

    V*(start) - V_heuristic(start) = bonus * difference of bonus rates + sum over c of difference of means in c.

The first says which decision was the mistake, the second where it shows on the scorecard.
"""

from dataclasses import dataclass

from yatzy.context import HERE, Context
from yatzy.evaluate.exact import Evaluation, evaluate
from yatzy.evaluate.regret import ExpectedRegret, expected_regret
from yatzy.game.json import json_property
from yatzy.policy.optimal import Optimal
from yatzy.policy.registry import find_policy
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.store import stored_table
from yatzy.studies.results import Claim


@dataclass(frozen=True)
class DecisionLoss:
    """Points lost per game by one kind of decision."""

    decision: str
    regret: float
    share: float


@dataclass(frozen=True)
class CategoryLoss:
    """A category: regret of the turns that end in it, by decision, and what it scores under either policy."""

    category: str
    regret: float
    regret_by_decision: list[float]
    mean: float
    optimal_mean: float
    shortfall: float


@dataclass(frozen=True)
class TurnLoss:
    """Regret in one turn of the game, by decision."""

    turn: int
    regret: float
    regret_by_decision: list[float]


@dataclass(frozen=True)
class HeuristicGap:
    """The gap and where it comes from. Lists by decision are in the order of `decisions`."""

    policy: str
    rules: str
    optimal_mean: float
    mean: float
    sd: float
    gap: float
    regret: float
    bonus_rate: float
    optimal_bonus_rate: float
    bonus_shortfall: float
    decisions: list[DecisionLoss]
    categories: list[CategoryLoss]
    turns: list[TurnLoss]

    @json_property
    def claims(self) -> list[Claim]:
        return [
            Claim("mean of the heuristic", 166, self.mean, 0.5),
            Claim("gap between naive and optimal play", 82, self.gap, 0.5),
        ]

    @property
    def key_figures(self) -> dict[str, float]:
        return {"mean": self.mean, "gap": self.gap, **{d.decision: d.regret for d in self.decisions}}


def measure_heuristic_gap(
    rules: str | Ruleset = "scandinavian", context: Context = HERE, policy_name: str = "heuristic"
) -> HeuristicGap:
    """Charge every decision of the heuristic (or of another named policy) with its regret."""
    rules = ruleset(rules)
    table = stored_table(rules, context=context.quiet())
    policy = find_policy(policy_name, rules, context=context.quiet())
    best = evaluate(Optimal(table), context=context, check=False)
    found = evaluate(policy, context=context)
    lost = expected_regret(policy, table, found.visits, context)
    return HeuristicGap(
        policy=policy.name,
        rules=rules.name,
        optimal_mean=table.value(),
        mean=found.mean,
        sd=found.sd,
        gap=table.value() - found.mean,
        regret=lost.total,
        bonus_rate=found.bonus_rate,
        optimal_bonus_rate=best.bonus_rate,
        bonus_shortfall=rules.bonus * (best.bonus_rate - found.bonus_rate),
        decisions=[
            DecisionLoss(_decision_name(decision), regret, regret / lost.total if lost.total else 0.0)
            for decision, regret in enumerate(lost.by_decision.tolist())
        ],
        categories=_categories(found, best, lost),
        turns=[
            TurnLoss(turn, sum(by_decision), by_decision)
            for turn, by_decision in enumerate(lost.by_turn_decision_category.sum(axis=2).tolist(), start=1)
        ],
    )


def _decision_name(decision: int) -> str:
    if decision == 0:
        return "category"
    return f"keep with {decision} reroll{'s' if decision > 1 else ''}"


def _categories(found: Evaluation, best: Evaluation, lost: ExpectedRegret) -> list[CategoryLoss]:
    by_category = lost.by_turn_decision_category.sum(axis=0).T.tolist()
    columns = zip(
        found.rules.categories, by_category, found.category_means.tolist(), best.category_means.tolist(),
        strict=True,
    )  # fmt: skip
    return [
        CategoryLoss(
            category=category.name.lower(),
            regret=sum(by_decision),
            regret_by_decision=by_decision,
            mean=mean,
            optimal_mean=optimal_mean,
            shortfall=optimal_mean - mean,
        )
        for category, by_decision, mean, optimal_mean in columns
    ]
