"""The strength of one policy: exact mean, where it loses points, how often it errs, and a million games beside it.

For a policy pi with visits d_pi, and optimal play with visits d*,

    mean(pi) = V*(start) - regret(pi, d_pi)                     exact: regrets telescope
    proxy    = regret(pi, d*)                                   what its errors cost on optimal play's states
    compounding = regret(pi, d_pi) - proxy                      what going astray costs on top

Agreement is the share of decisions, on optimal play's states, that take a best action (ties count as best).

A policy answers every state once, for all of them. What was measured is kept in a file under a name made of the
policy's and the code's digests (see `parts`), so that a long study resumes where it was stopped.

Where a bot that plays by patterns loses points: every decision charged with what it costs against perfect play.

    V*(start) - V_heuristic(start) = sum over turns, decisions and categories of the expected regret

at the states the heuristic itself reaches, each with its exact probability (`yatzy.measure.regret`). The same gap
can also be split exactly by what ends up in the boxes,

    V*(start) - V_heuristic(start) = bonus * difference of bonus rates + sum over c of difference of means in c.

The first says which decision was the mistake, the second where it shows on the scorecard.

Can Yatzy be learned by playing alone? Four learners, and the exact mean of each as it goes on.

                          holds dice by working through the turn      holds dice by habit
    learns turn by turn            looks ahead, turn by turn           by habit, turn by turn
    learns from final scores       looks ahead, from scores            by habit, from scores

None of them sees the solution. If it is credit assignment that makes the game hard to learn, the second row must
fail: all it is told is how many points a game still brought. If it is the lack of looking ahead, the second column
must. Means are exact (`evaluate.exact`): no game is played to measure them, and nothing is tried at random.

Every learner is kept when it is done (`parts`): a killed run resumes with the next one.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.context import DEFAULT_CONTEXT, Context, check_threads, chunks, in_threads
from yatzy.game.json import ALWAYS, json_property
from yatzy.lab.studies.results import Claim, kept_part, part_file
from yatzy.lab.training.self_play import Learner, learn
from yatzy.measure.exact import Evaluation, evaluate, visit
from yatzy.measure.regret import (
    STATES_PER_CHUNK,
    Decided,
    ExpectedRegret,
    add_errors,
    add_regrets,
    expected_regret,
)
from yatzy.measure.simulate import simulate
from yatzy.policies.baselines import Greedy
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


LEARNERS = (
    Learner("looks ahead, turn by turn", looks_ahead=True, from_scores=False),
    Learner("looks ahead, from scores", looks_ahead=True, from_scores=True),
    Learner("by habit, turn by turn", looks_ahead=False, from_scores=False),
    Learner("by habit, from scores", looks_ahead=False, from_scores=True),
)
STOPS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
LEARNING_SEED = 7


@dataclass(frozen=True)
class Stop:
    """How a learner plays after a number of games."""

    games: int
    mean: float
    bonus_rate: float


@dataclass(frozen=True)
class LearningCurve:
    """One learner at every stop."""

    name: str
    looks_ahead: bool
    from_scores: bool
    points: list[Stop]

    def first_above(self, mean: float) -> int | None:
        """After how many games it first plays better than this; None if never."""
        return next((stop.games for stop in self.points if stop.mean > mean), None)


@dataclass(frozen=True)
class Learning:
    """All learners; `games_to_beat_greedy` by learner, None where it never does."""

    rules: str
    seed: int
    optimal_mean: float
    greedy_mean: float
    learners: list[LearningCurve]

    @property
    def key_figures(self) -> dict[str, float]:
        return {learned.name: learned.points[-1].mean for learned in self.learners}

    @json_property
    def games_to_beat_greedy(self) -> dict[str, int | None]:
        return {learned.name: learned.first_above(self.greedy_mean) for learned in self.learners}


def measure_learning(
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
    learners: Sequence[Learner] = LEARNERS,
    stops: Sequence[int] = STOPS,
) -> Learning:
    """Let every learner play and measure it on the way; several play at once, each games of its own."""
    rules = ruleset(rules)
    code = source_digest(__name__)

    def learn_one(one: tuple[Learner, Context]) -> LearningCurve:
        learner, own = one
        name = learner.name.replace(", ", "-").replace(" ", "-")
        kept = part_file(
            context.home, "learning", name, code, rules.fingerprint, repr((learner, tuple(stops), LEARNING_SEED))
        )
        found = kept_part(kept, list[Stop], lambda: follow(learner, rules, stops, own))
        own.step(1, 1)
        return LearningCurve(learner.name, learner.looks_ahead, learner.from_scores, found)

    parts = context.parts(len(learners))
    learned = in_threads(learn_one, zip(learners, parts, strict=True), context.threads)
    return Learning(
        rules=rules.name,
        seed=LEARNING_SEED,
        optimal_mean=stored_table(rules, context=context.quiet()).value(),
        greedy_mean=visit(Greedy(rules), context.threads).mean,
        learners=learned,
    )


def follow(learner: Learner, rules: Ruleset, stops: Sequence[int], context: Context) -> list[Stop]:
    """One learner from its first game to its last, measured at every stop."""
    known, found, played = learner.begin(rules), [], 0
    for games in stops:

        def report(done: int, total: int, played: int = played) -> None:
            context.step(played + done, stops[-1])

        learn(learner, rules, known, played, games, LEARNING_SEED, replace(context, progress=report))
        played = games
        visits = visit(learner.player(rules, known), context.threads)
        bonus = float(visits.visits[-1, rules.bonus_threshold :].sum())
        found.append(Stop(games, visits.mean, bonus))
    return found
