"""The strength of one policy: its exact mean, how often it errs, and where it loses points.

For a policy pi with visits d_pi, and optimal play with visits d*,

    mean(pi) = V*(start) - regret(pi, d_pi)                     exact: regrets telescope
    proxy    = regret(pi, d*)                                   what its errors cost on optimal play's states
    compounding = regret(pi, d_pi) - proxy                      the extra cost of ending up in other states

Agreement is the share of decisions, on optimal play's states, that take a best action (ties count as best).
A million seeded games stand beside the exact mean.

The *heuristic gap* splits what a bot that plays by patterns loses in two ways, both exact: by decision, as regrets
at the states it reaches (`yatzy.measure.regret`), and by what ends up in the boxes,

    V*(start) - V_heuristic(start) = bonus * difference of bonus rates + sum over c of difference of means in c.

The first says which decision was the mistake, the second where it shows on the scorecard.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.context import DEFAULT_CONTEXT, Context, chunks, in_threads
from yatzy.game.json import ALWAYS, json_property
from yatzy.lab.studies.decisions import decision_name
from yatzy.lab.studies.results import Claim, kept_part, part_file
from yatzy.measure.exact import Evaluation, evaluate
from yatzy.measure.regret import (
    STATES_PER_CHUNK,
    Decided,
    ExpectedRegret,
    add_errors,
    add_regrets,
    expected_regret,
)
from yatzy.measure.simulate import simulate
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Decisions, HasTurnOutcomes, Policy, decisions_of, empty_decisions
from yatzy.policies.registry import find_policy
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.states import state_space
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.source_digest import source_digest
from yatzy.turn.tables import continuation_of, turn_scratch, turn_tables

GAMES = 1_000_000
# Not the seed of the training data: a large tree has learned those games by heart, and plays them too well.
SEED = 1


@dataclass(frozen=True)
class Strength:
    """One policy. Lists are by decision: category, keep with 1 reroll left, keep with 2; errors are per game.

    Proxy and agreement are measured on optimal play's states, regret and errors on the policy's own.
    """

    name: str
    family: str
    parameters: int
    mean: float
    sd: float
    bonus_rate: float
    yatzy_rate: float
    gap: float
    proxy: float
    compounding: float
    regret_by_decision: list[float]
    proxy_by_decision: list[float]
    agreement_by_decision: list[float]
    errors_by_decision: list[float]
    share_at_upper_40_to_62: list[float]
    share_below_a_tenth: list[float]
    regret_by_upper: list[float]
    regret_by_turn: list[float]
    simulated_mean: float
    simulated_error: float
    on_frontier: Annotated[bool, ALWAYS] = False

    @property
    def deviation(self) -> float:
        """How many standard errors the million games are from the exact mean."""
        return (self.simulated_mean - self.mean) / self.simulated_error


def measure_strength(
    policy: Policy,
    family: str,
    parameters: int,
    table: ValueTable,
    optimal_visits: FloatArray,
    context: Context = DEFAULT_CONTEXT,
    identity: bytes = b"",
) -> Strength:
    """Measure a policy, or load what an earlier run measured.

    `identity` distinguishes policies of one name (a model's file); without it nothing is kept.
    """

    def measure() -> Strength:
        return _measure(policy, family, parameters, table, optimal_visits, context.threads)

    if not identity:
        return measure()
    code = source_digest(__name__) + source_digest(type(policy).__module__)
    rules, content = table.rules.fingerprint, (table.stored.tobytes(), optimal_visits.tobytes())
    kept = part_file(
        context.home, "strength", policy.name, code, identity, rules, family, str(parameters), *content
    )
    return kept_part(kept, Strength, measure)


def _measure(
    policy: Policy,
    family: str,
    parameters: int,
    table: ValueTable,
    optimal_visits: FloatArray,
    threads: int | None,
) -> Strength:
    # Decisions of a policy that computes how its turns end are only needed to play games: not worth keeping.
    asked = policy if isinstance(policy, HasTurnOutcomes) else Remembering(policy)
    found = evaluate(asked, context=Context(threads=threads))
    games = simulate(asked, GAMES, SEED, context=Context(threads=threads))
    (own, errors), (proxy, optimal_errors) = _losses(asked, table, (found.visits, optimal_visits), threads)
    errors_by_decision = errors[0].sum(axis=1)
    turns = policy.rules.n_categories
    return Strength(
        name=policy.name,
        family=family,
        parameters=parameters,
        mean=found.mean,
        sd=found.sd,
        bonus_rate=found.bonus_rate,
        yatzy_rate=found.yatzy_rate,
        gap=table.value() - found.mean,
        proxy=float(proxy.sum()),
        compounding=float(own.sum() - proxy.sum()),
        regret_by_decision=own.sum(axis=(0, 1)).tolist(),
        proxy_by_decision=proxy.sum(axis=(0, 1)).tolist(),
        agreement_by_decision=(1 - optimal_errors[0].sum(axis=1) / turns).tolist(),
        errors_by_decision=errors_by_decision.tolist(),
        share_at_upper_40_to_62=_shares(errors[0][:, 40:63].sum(axis=1), errors_by_decision),
        share_below_a_tenth=_shares(errors[1].sum(axis=1), errors_by_decision),
        regret_by_upper=own.sum(axis=(0, 2)).tolist(),
        regret_by_turn=own.sum(axis=(1, 2)).tolist(),
        simulated_mean=games.mean,
        simulated_error=games.standard_error,
    )


class Remembering:
    """A policy that is asked about no state twice: 5 bytes per state and roll, 1.8 GB for the whole game."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.name, self.rules = policy, policy.name, policy.rules
        reachable = state_space(policy.rules).reachable
        self.number = np.cumsum(reachable).reshape(reachable.shape) - 1
        n = int(self.number[-1, -1]) + 1
        self.known = np.zeros(n, np.bool_)
        # Rows that nobody asks for are never touched, and take no memory.
        self.answers = empty_decisions(policy.rules, np.broadcast_to(np.int64(0), n))

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        category, keep = self.answers
        numbers = self.number[filled, upper]
        asked = ~self.known[numbers]
        if asked.any():
            new = numbers[asked]
            category[new], keep[new] = self.policy.decide(filled[asked], upper[asked])
            # Only now: another thread may ask for the same state.
            self.known[new] = True
        return Decisions(category[numbers], keep[numbers])


class _Losses(NamedTuple):
    """Under the visits of one way to play."""

    regret_by_turn_upper_decision: FloatArray
    # All errors, then those below a tenth of a point.
    errors_by_kind_decision_upper: FloatArray


def _losses(
    policy: Policy, table: ValueTable, visits: tuple[FloatArray, ...], threads: int | None
) -> list[_Losses]:
    """Regret and errors under each of the visits (n_masks, n_uppers), with one answer per state."""
    rules = policy.rules
    turn, continuation = turn_tables(rules), continuation_of(rules, np.asarray(table.values, dtype=np.float64))
    anywhere = np.sum(visits, axis=0)
    anywhere[rules.all_filled] = 0.0
    filled, upper = np.nonzero(anywhere)

    def run(part: slice) -> list[_Losses]:
        states = (filled[part], upper[part])
        decided = Decided(*states, *decisions_of(policy, *states).by_level)
        regrets = np.zeros((len(states[0]), rules.rerolls + 1, rules.n_categories))
        add_regrets(decided, turn, continuation, regrets, turn_scratch(rules))
        found = []
        for weights in visits:
            weight = weights[states]
            errors = np.zeros((2, rules.rerolls + 1, rules.bonus_threshold + 1))
            add_errors(decided, weight, turn, continuation, errors, turn_scratch(rules))
            lost = np.zeros((rules.n_categories, rules.bonus_threshold + 1, rules.rerolls + 1))
            np.add.at(lost, (np.bitwise_count(states[0]), states[1]), weight[:, None] * regrets.sum(axis=2))
            found.append(_Losses(lost, errors))
        return found

    by_part = in_threads(run, chunks(len(filled), STATES_PER_CHUNK), threads)
    return [
        _Losses(*(np.sum(part, axis=0) for part in zip(*parts, strict=True)))
        for parts in zip(*by_part, strict=True)
    ]


def _shares(part: FloatArray, whole: FloatArray) -> list[float]:
    shares: list[float] = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0).tolist()
    return shares


@dataclass(frozen=True)
class DecisionLoss:
    """Points lost per game by one kind of decision."""

    decision: str
    regret: float
    share: float


@dataclass(frozen=True)
class CategoryLoss:
    """A category: regret of the turns that end in it, by decision, and its mean under either policy."""

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
    rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT, policy_name: str = "heuristic"
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
            DecisionLoss(decision_name(decision), regret, regret / lost.total if lost.total else 0.0)
            for decision, regret in enumerate(lost.by_decision.tolist())
        ],
        categories=_categories(found, best, lost),
        turns=[
            TurnLoss(turn, sum(by_decision), by_decision)
            for turn, by_decision in enumerate(lost.by_turn_decision_category.sum(axis=2).tolist(), start=1)
        ],
    )


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
