"""The score of optimal play: its exact distribution, four populations in it, and the bonus gap.

*The distribution.* P(score >= s) is the sum of the pmf from s up. Exact evaluation only adds and multiplies
positive numbers, so a probability of 1e-30 is as accurate, relative to its size, as one of 0.1: the tails are
computed, not fitted. Simulated games check them: with E the expected and O the observed number of games in each
bin of scores,

    chi-square = sum of (O - E)^2 / E       with one degree of freedom fewer than bins.

*Four populations*, with or without the bonus, with or without Yatzy: pmf(s) = sum of weight_i * pmf_i(s). Each is
said to be "roughly normal". With n_i the normal of the same mean and SD, integrated over s - 1/2 .. s + 1/2, and
F, N the cumulative sums,

    total variation = 1/2 * sum |pmf_i - n_i|         (the largest error in the probability of any event)
    KS distance     = max |F_i - N_i|                 (the largest error in the probability of "at most s"),

for each population, for the mixture of the four normals, and for one normal for the whole. Their humps, about 20
points apart (`ripple`), come from boxes that are made or missed as a whole: split by how many of those were made,
every part has one hump.

*The bonus gap*, how much more games with the bonus score than games without it, split exactly:

    E[score | bonus] - E[score | no bonus]
        = bonus points + sum over c of (E[points_c | bonus] - E[points_c | no bonus])

A category's part comes from a backward pass. With B(state) the probability of getting the bonus from a state under
the policy, q(o) the probability that a turn there ends with outcome o = (c, points), and s + o the state after it,

    B(s) = sum over o of q(o) * B(s + o),          B(finished) = 1 if upper >= T else 0,
    E[points_c * 1{bonus}] = sum over s, o in c of visits(s) * q(o) * points(o) * B(s + o).

*Ten thousand games* with their scorecards, small enough for a web page: a column per category has one character
per game. Digit k (base 36) of `points` stands for the k-th number of `possible`, and of `turns` for the turn, from
1. In JavaScript: possible[parseInt(points[game], 36)].
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.game.json import json_property
from yatzy.lab.studies.results import Claim
from yatzy.measure.distribution import Distribution
from yatzy.measure.exact import Evaluation, evaluate, tracked_category, turn_exits
from yatzy.measure.simulate import Games, simulate
from yatzy.policies.policy import Policy
from yatzy.policies.registry import find_policy
from yatzy.rules import Ruleset
from yatzy.solver.states import state_space
from yatzy.turn.outcomes import outcomes

SEED = 1
GAMES = 1_000_000
TAIL_POWERS = range(1, 13)
THRESHOLDS = (200, 250, 300, 320, 350)
BIN_WIDTH = 5
FEWEST_EXPECTED = 20.0


@dataclass(frozen=True)
class Tail:
    """The highest and lowest scores that a game reaches or passes with at least this probability."""

    probability: float
    at_least: int
    at_most: int


@dataclass(frozen=True)
class Bin:
    """Scores first..last (both included) in exact and in simulated games."""

    first: int
    last: int
    expected: float
    observed: int


@dataclass(frozen=True)
class ChiSquare:
    """The distance of simulated games from the exact distribution."""

    statistic: float
    degrees: int
    p_value: float


@dataclass(frozen=True)
class CategoryCheck:
    """Mean points of a category, exact and simulated; `z` in standard errors."""

    category: str
    exact: float
    simulated: float
    z: float


@dataclass(frozen=True)
class SimulatedScores:
    """The same distribution from seeded games."""

    games: int
    seed: int
    mean: float
    sd: float
    z: float
    counts: list[int]
    bins: list[Bin]
    chi_square: ChiSquare
    categories: list[CategoryCheck]


@dataclass(frozen=True)
class ScoreDistribution:
    """Exact distribution of the final score, indexed by score, and simulated games beside it."""

    policy: str
    rules: str
    mean: float
    sd: float
    skewness: float
    excess_kurtosis: float
    bonus_rate: float
    yatzy_rate: float
    lowest: int
    highest: int
    quantiles: dict[str, int]
    pmf: list[float]
    at_least: dict[str, float]
    tails: list[Tail]
    log10_at_least: list[float | None]
    log10_at_most: list[float | None]
    simulated: SimulatedScores

    @json_property
    def claims(self) -> list[Claim]:
        return [
            Claim("mean under optimal play", 248.4, self.mean, 0.05),
            Claim("standard deviation under optimal play", 38.5, self.sd, 0.05),
            Claim("bonus rate, where given as roughly 90%", 0.90, self.bonus_rate, 0.005),
            Claim("bonus rate, where given as about 87%", 0.87, self.bonus_rate, 0.005),
            Claim("Yatzy rate", 0.39, self.yatzy_rate, 0.005),
        ]

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            "mean": self.mean,
            "sd": self.sd,
            "median": self.quantiles["0.5"],
            "simulated_mean": self.simulated.mean,
            "chi_square_p": self.simulated.chi_square.p_value,
        }


def measure_distribution(
    rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT, games: int = GAMES, seed: int = SEED
) -> ScoreDistribution:
    """Evaluate optimal play exactly and by simulation."""
    policy = find_policy("optimal", rules, context=context.quiet())
    found = evaluate(policy, context=context)
    d = found.distribution
    at_least, at_most = np.cumsum(d.pmf[::-1])[::-1], np.cumsum(d.pmf)
    support = np.flatnonzero(d.pmf)
    return ScoreDistribution(
        policy=policy.name,
        rules=policy.rules.name,
        mean=d.mean,
        sd=d.sd,
        skewness=d.skewness,
        excess_kurtosis=d.excess_kurtosis,
        bonus_rate=found.bonus_rate,
        yatzy_rate=found.yatzy_rate,
        lowest=int(support[0]),
        highest=int(support[-1]),
        quantiles=dict(d.quantiles),
        pmf=d.pmf.tolist(),
        at_least={str(score): d.at_least(score) for score in THRESHOLDS},
        tails=[_tail(10.0**-k, at_least, at_most) for k in TAIL_POWERS],
        log10_at_least=_log10(at_least),
        log10_at_most=_log10(at_most),
        simulated=compare(found, simulate(policy, games, seed, context=context), seed),
    )


def compare(exact: Evaluation, games: Games, seed: int) -> SimulatedScores:
    """Simulated games beside the exact evaluation of the same policy."""
    pmf = exact.distribution.pmf
    counts = np.bincount(games.score, minlength=len(pmf))
    bins = bin_scores(pmf * len(games), counts)
    statistic = math.fsum((b.observed - b.expected) ** 2 / b.expected for b in bins)
    points = games.points.astype(np.float64)
    errors = points.std(axis=0) / math.sqrt(len(games))
    return SimulatedScores(
        games=len(games),
        seed=seed,
        mean=games.mean,
        sd=games.sd,
        z=(games.mean - exact.mean) / games.standard_error,
        counts=counts.tolist(),
        bins=bins,
        chi_square=ChiSquare(statistic, len(bins) - 1, chi_square_tail(statistic, len(bins) - 1)),
        categories=[
            CategoryCheck(category.name.lower(), float(mean), float(seen), float((seen - mean) / error))
            for category, mean, seen, error in zip(
                exact.rules.categories, exact.category_means, points.mean(axis=0), errors, strict=True
            )
        ],
    )


def bin_scores(expected: FloatArray, observed: IntArray) -> list[Bin]:
    """Bins of BIN_WIDTH scores, joined until each expects FEWEST_EXPECTED games."""
    bins: list[Bin] = []
    first = 0
    for end in (*range(BIN_WIDTH, len(expected), BIN_WIDTH), len(expected)):
        inside = slice(first, end)
        if expected[inside].sum() >= FEWEST_EXPECTED:
            bins.append(Bin(first, end - 1, float(expected[inside].sum()), int(observed[inside].sum())))
            first = end
    if bins and first < len(expected):
        last = slice(bins[-1].first, len(expected))
        bins[-1] = Bin(last.start, last.stop - 1, float(expected[last].sum()), int(observed[last].sum()))
    return bins


def chi_square_tail(statistic: float, degrees: int) -> float:
    """P(chi-square >= statistic), by the finite series for whole degrees of freedom."""
    half = statistic / 2
    if half <= 0:
        return 1.0
    odd = degrees % 2
    total = math.erfc(math.sqrt(half)) if odd else 0.0
    orders = (odd / 2 + i for i in range(degrees // 2))
    terms = (math.exp(k * math.log(half) - half - math.lgamma(k + 1)) for k in orders)
    return min(1.0, total + math.fsum(terms))


def _tail(probability: float, at_least: FloatArray, at_most: FloatArray) -> Tail:
    above = np.flatnonzero(at_least >= probability)
    below = np.flatnonzero(at_most >= probability)
    return Tail(probability, int(above[-1]), int(below[0]))


def _log10(probabilities: FloatArray) -> list[float | None]:
    return [math.log10(p) if p > 0 else None for p in probabilities.tolist()]


NOTICEABLE = 1e-6
# A local maximum at least this high, relative to the highest, is a visible hump.
VISIBLE = 0.3
# Boxes that stay empty in more games than this are made or missed as a whole: straights, Full House, ...
OFTEN_EMPTY = 0.05
POPULATIONS_SEED, POPULATIONS_GAMES = 5, 1_000_000

# (bonus, Yatzy): the forerunner's mixing weight and mean.
FORERUNNER = {
    (False, False): (0.055, 164.0),
    (False, True): (0.055, 213.0),
    (True, False): (0.555, 237.0),
    (True, True): (0.335, 288.0),
}


@dataclass(frozen=True)
class MixtureFit:
    """Distances of a model of the distribution from the exact one."""

    total_variation: float
    ks_distance: float


@dataclass(frozen=True)
class Population:
    """One component; `density` by score sums to `weight`; `humps` are the scores of its visible maxima."""

    bonus: bool
    yatzy: bool
    weight: float
    mean: float
    sd: float
    skewness: float
    excess_kurtosis: float
    normal_fit: MixtureFit
    humps: list[int]
    density: list[float]

    @property
    def name(self) -> str:
        return f"{'bonus' if self.bonus else 'no bonus'}, {'Yatzy' if self.yatzy else 'no Yatzy'}"


@dataclass(frozen=True)
class Made:
    """Games in which `made` of the ripple's boxes were scored; `density` by score sums to `share`."""

    made: int
    share: float
    mean: float
    sd: float
    humps: list[int]
    density: list[float]


@dataclass(frozen=True)
class Ripple:
    """Seeded games of the largest population by the number of `boxes` made; one more adds `step` points."""

    games: int
    seed: int
    boxes: list[str]
    step: float
    parts: list[Made]


@dataclass(frozen=True)
class Populations:
    """The populations, and how well normals describe the whole; `modes` are those of four normals together."""

    policy: str
    rules: str
    populations: list[Population]
    four_normals: MixtureFit
    one_normal: MixtureFit
    forerunner_normals: MixtureFit
    modes: list[int]
    ripple: Ripple

    @json_property
    def claims(self) -> list[Claim]:
        claims = []
        for part in self.populations:
            weight, mean = FORERUNNER[part.bonus, part.yatzy]
            claims.append(Claim(f"weight of {part.name}", weight, part.weight, 0.0025))
            claims.append(Claim(f"mean of {part.name}", mean, part.mean, 0.5))
        return claims

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            **{f"mean ({part.name})": part.mean for part in self.populations},
            "total_variation_four_normals": self.four_normals.total_variation,
            "total_variation_one_normal": self.one_normal.total_variation,
        }


def measure_populations(
    rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT, games: int = POPULATIONS_GAMES
) -> Populations:
    """The four populations of optimal play, exactly, and the ripple in the largest, from seeded games."""
    policy = find_policy("optimal", rules, context=context.quiet())
    exactly, playing = (context.part(i, 2) for i in range(2))
    return split_populations(
        evaluate(policy, context=exactly), simulate(policy, games, POPULATIONS_SEED, context=playing)
    )


def split_populations(found: Evaluation, played: Games) -> Populations:
    """The populations of a policy from its exact evaluation, the ripple from games that it played."""
    whole = found.distribution
    parts = [
        _population(bool(bonus), bool(yatzy), part)
        for bonus, row in enumerate(found.distributions)
        for yatzy, part in enumerate(row)
        if part.weight
    ]
    n = len(whole.pmf)
    four = np.sum([part.weight * normal_pmf(part.mean, part.sd, n) for part in parts], axis=0)
    forerunner = [(*FORERUNNER[part.bonus, part.yatzy], part.sd) for part in parts]
    theirs = np.sum([weight * normal_pmf(mean, sd, n) for weight, mean, sd in forerunner], axis=0)
    return Populations(
        policy=found.policy,
        rules=found.rules.name,
        populations=parts,
        four_normals=measure_fit(whole.pmf, four),
        one_normal=measure_fit(whole.pmf, normal_pmf(whole.mean, whole.sd, n)),
        forerunner_normals=measure_fit(whole.pmf, theirs),
        modes=_modes(four, NOTICEABLE),
        ripple=find_ripple(played, max(parts, key=lambda part: part.weight)),
    )


def find_ripple(played: Games, within: Population) -> Ripple:
    """The games of one population by how many of the boxes that often stay empty were made."""
    categories, tracked = played.rules.categories, tracked_category(played.rules)
    empty = (played.points == 0).mean(axis=0)
    often = [c for c, one in enumerate(categories) if not one.upper and c != tracked and empty[c] > OFTEN_EMPTY]
    inside = (played.bonus == within.bonus) & (played.yatzy == within.yatzy)
    score, made = played.score[inside], (played.points[inside][:, often] > 0).sum(axis=1)
    counts = np.unique(made).tolist()
    parts = [_made(k, score[made == k], len(score), len(within.density)) for k in counts]
    return Ripple(
        games=len(played),
        seed=POPULATIONS_SEED,
        boxes=[categories[c].name for c in often],
        step=(parts[-1].mean - parts[0].mean) / max(1, counts[-1] - counts[0]),
        parts=parts,
    )


def _made(made: int, score: NDArray[np.int16], games: int, n: int) -> Made:
    density = np.bincount(score, minlength=n) / games
    # Counts are noisy: humps are sought in a moving average.
    smooth = np.convolve(density, np.full(9, 1 / 9), "same")
    return Made(
        made=made,
        share=len(score) / games,
        mean=float(score.mean()),
        sd=float(score.std()),
        humps=_modes(smooth, VISIBLE * smooth.max()),
        density=density.tolist(),
    )


def normal_pmf(mean: float, sd: float, n: int) -> FloatArray:
    """(n,): a normal distribution rounded to 0..n - 1, with the tails beyond added at the ends."""
    edges = (np.arange(n + 1) - 0.5 - mean) / (sd * math.sqrt(2))
    edges[[0, -1]] = -math.inf, math.inf
    return np.diff([math.erf(edge) / 2 for edge in edges.tolist()])


def measure_fit(exact: FloatArray, model: FloatArray) -> MixtureFit:
    """Distances of two distributions over the same scores."""
    return MixtureFit(
        total_variation=float(np.abs(exact - model).sum() / 2),
        ks_distance=float(np.abs(np.cumsum(exact) - np.cumsum(model)).max()),
    )


def _modes(pmf: FloatArray, least: float) -> list[int]:
    """Scores where a smooth pmf has a local maximum above `least`."""
    inner = pmf[1:-1]
    is_mode = (inner > pmf[:-2]) & (inner >= pmf[2:]) & (inner > least)
    return (1 + np.flatnonzero(is_mode)).tolist()


def _population(bonus: bool, yatzy: bool, part: Distribution) -> Population:
    return Population(
        bonus=bonus,
        yatzy=yatzy,
        weight=part.weight,
        mean=part.mean,
        sd=part.sd,
        skewness=part.skewness,
        excess_kurtosis=part.excess_kurtosis,
        normal_fit=measure_fit(part.pmf / part.weight, normal_pmf(part.mean, part.sd, len(part.pmf))),
        humps=_modes(part.pmf, VISIBLE * part.pmf.max()),
        density=part.pmf.tolist(),
    )


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


def split_bonus_gap(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> BonusGap:
    """The gap under optimal play."""
    policy = find_policy("optimal", rules, context=context.quiet())
    return split_gap(policy, evaluate(policy, context=context), context)


def split_gap(policy: Policy, found: Evaluation, context: Context = DEFAULT_CONTEXT) -> BonusGap:
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


def points_with_bonus(policy: Policy, found: Evaluation, context: Context = DEFAULT_CONTEXT) -> FloatArray:
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


SPRAY_SEED = 2
SPRAY_GAMES = 10_000
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Column:
    """A category in all games."""

    category: str
    possible: list[int]
    points: str
    turns: str


@dataclass(frozen=True)
class GameSpray:
    """Seeded games of optimal play; `bonus` and `yatzy` are strings with a 0 or 1 per game."""

    policy: str
    rules: str
    games: int
    seed: int
    bonus_points: int
    mean: float
    sd: float
    score: list[int]
    bonus: str
    yatzy: str
    columns: list[Column]

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            "games": self.games, "mean": self.mean, "sd": self.sd, "lowest": min(self.score),
            "highest": max(self.score),
        }  # fmt: skip


def spray_games(
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
    games: int = SPRAY_GAMES,
    seed: int = SPRAY_SEED,
) -> GameSpray:
    """Play the games and encode them, a character per number."""
    policy = find_policy("optimal", rules, context=context.quiet())
    played = simulate(policy, games, seed, context=context)
    ends = outcomes(policy.rules)
    possible = [ends.points[a:b] for a, b in zip(ends.start[:-1], ends.start[1:], strict=True)]
    if max(policy.rules.n_categories + 1, *map(len, possible)) > len(DIGITS):
        raise YatzyError("rules", policy.rules.name, why="has too many categories or points for one digit each")
    return GameSpray(
        policy=policy.name,
        rules=policy.rules.name,
        games=games,
        seed=seed,
        bonus_points=policy.rules.bonus,
        mean=round(played.mean, 3),
        sd=round(played.sd, 3),
        score=played.score.tolist(),
        bonus=_digits(played.bonus.astype(int)),
        yatzy=_digits(played.yatzy.astype(int)),
        columns=[
            Column(
                category=category.name.lower(),
                possible=possible[c].tolist(),
                points=_digits(np.searchsorted(possible[c], played.points[:, c])),
                turns=_digits(played.turn[:, c]),
            )
            for c, category in enumerate(policy.rules.categories)
        ],
    )


def _digits(numbers: Iterable[int]) -> str:
    return "".join(DIGITS[number] for number in numbers)
