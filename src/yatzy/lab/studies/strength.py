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

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.context import DEFAULT_CONTEXT, Context, check_threads, chunks
from yatzy.game.json import ALWAYS, json_property
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
    """One policy. Lists by decision: category, keep with 1 reroll left, keep with 2; errors are per game.

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
    on_track: FloatArray,
    context: Context = DEFAULT_CONTEXT,
    identity: bytes = b"",
) -> Strength:
    """Measure a policy, or find what an earlier run measured; `on_track` are the visits of optimal play.

    `identity` tells policies of one name apart (a model's file); without it nothing is kept.
    """

    def measure() -> Strength:
        return _measure(policy, family, parameters, table, on_track, context.threads)

    if not identity:
        return measure()
    code = source_digest(__name__) + source_digest(type(policy).__module__)
    rules, content = table.rules.fingerprint, (table.stored.tobytes(), on_track.tobytes())
    kept = part_file(
        context.home, "strength", policy.name, code, identity, rules, family, str(parameters), *content
    )
    return kept_part(kept, Strength, measure)


def _measure(
    policy: Policy, family: str, parameters: int, table: ValueTable, on_track: FloatArray, threads: int | None
) -> Strength:
    # A player that says how its turns end without listing its decisions is asked for those only to play games.
    asked = policy if isinstance(policy, HasTurnOutcomes) else Remembering(policy)
    found = evaluate(asked, context=Context(threads=threads))
    own, track = _weigh(asked, table, (found.visits, on_track), threads)
    games = simulate(asked, GAMES, SEED, context=Context(threads=threads))
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
        proxy=float(track.regret.sum()),
        compounding=float(own.regret.sum() - track.regret.sum()),
        regret_by_decision=own.regret.sum(axis=(0, 1)).tolist(),
        proxy_by_decision=track.regret.sum(axis=(0, 1)).tolist(),
        agreement_by_decision=(1 - track.errors[0].sum(axis=1) / turns).tolist(),
        errors_by_decision=own.errors[0].sum(axis=1).tolist(),
        share_at_upper_40_to_62=_shares(own.errors[0][:, 40:63].sum(axis=1), own.errors[0].sum(axis=1)),
        share_below_a_tenth=_shares(own.errors[1].sum(axis=1), own.errors[0].sum(axis=1)),
        regret_by_upper=own.regret.sum(axis=(0, 2)).tolist(),
        regret_by_turn=own.regret.sum(axis=(1, 2)).tolist(),
        simulated_mean=games.mean,
        simulated_error=games.standard_error,
    )


class Remembering:
    """A policy that is asked about no state twice: 5 bytes for every state and roll, 1.8 GB for the whole game."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.name, self.rules = policy, policy.name, policy.rules
        reachable = state_space(policy.rules).reachable
        self.number = np.cumsum(reachable).reshape(reachable.shape) - 1
        n = int(self.number[-1, -1]) + 1
        self.known = np.zeros(n, np.bool_)
        # Rows of states that nobody asks about take no memory: they are never touched.
        self.answers = empty_decisions(policy.rules, np.broadcast_to(np.int64(0), n))

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        category, keep = self.answers
        numbers = self.number[filled, upper]
        asked = ~self.known[numbers]
        if asked.any():
            new = numbers[asked]
            category[new], keep[new] = self.policy.decide(filled[asked], upper[asked])
            # Known when it is there: another thread may ask for the same.
            self.known[new] = True
        return Decisions(category[numbers], keep[numbers])


@dataclass
class _Weighed:
    """Under one weight: `regret` (turns, n_uppers, decisions), `errors` (all and close, decisions, n_uppers)."""

    regret: FloatArray
    errors: FloatArray

    def __add__(self, other: "_Weighed") -> "_Weighed":
        return _Weighed(self.regret + other.regret, self.errors + other.errors)


def _weigh(
    policy: Policy, table: ValueTable, weights: tuple[FloatArray, ...], threads: int | None
) -> list[_Weighed]:
    """Regret and errors under each of the weights (n_masks, n_uppers), with one answer per state."""
    rules = policy.rules
    turn, continuation = turn_tables(rules), continuation_of(rules, np.asarray(table.values, dtype=np.float64))
    somewhere = np.sum(weights, axis=0)
    somewhere[rules.all_filled] = 0.0
    filled, upper = np.nonzero(somewhere)
    turn_of = np.bitwise_count(filled).astype(np.int64)

    def run(part: slice) -> list[_Weighed]:
        answer = decisions_of(policy, filled[part], upper[part])
        arrays = (filled[part], upper[part])
        decided = Decided(*arrays, *answer.by_level)
        regrets = np.zeros((len(arrays[0]), rules.rerolls + 1, rules.n_categories))
        add_regrets(decided, turn, continuation, regrets, turn_scratch(rules))
        found = []
        for weight in weights:
            here = weight[arrays]
            errors = np.zeros((2, rules.rerolls + 1, rules.bonus_threshold + 1))
            add_errors(decided, here, turn, continuation, errors, turn_scratch(rules))
            found.append(_Weighed(_by_turn_upper(turn_of[part], upper[part], here, regrets, rules), errors))
        return found

    with ThreadPoolExecutor(check_threads(threads)) as pool:
        parts = list(pool.map(run, chunks(len(filled), STATES_PER_CHUNK)))
    totals = parts[0]
    for part in parts[1:]:
        totals = [a + b for a, b in zip(totals, part, strict=True)]
    return totals


def _by_turn_upper(
    turns: IntArray, upper: IntArray, weight: FloatArray, regrets: FloatArray, rules: Ruleset
) -> FloatArray:
    by_place = np.zeros((rules.n_categories, rules.bonus_threshold + 1, rules.rerolls + 1))
    np.add.at(by_place, (turns, upper), weight[:, None] * regrets.sum(axis=2))
    return by_place


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
