"""The score of optimal play: its exact distribution, its far tails, and a million games beside it.

    P(score >= s) = sum of pmf from s up,      P(score <= s) = sum of pmf up to s.

Exact evaluation only ever adds and multiplies positive numbers, so a probability of 1e-30 is as good, relative to
its size, as one of 0.1: the tails are computed, not fitted. Simulated games check it from outside: with E the
expected and O the observed number of games in each bin of scores,

    chi-square = sum of (O - E)^2 / E       with one degree of freedom fewer than bins.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yatzy.context import HERE, Context
from yatzy.evaluate.exact import Evaluation, evaluate
from yatzy.evaluate.simulate import Games, simulate
from yatzy.game.json import json_property
from yatzy.policy.registry import find_policy
from yatzy.rules import Ruleset
from yatzy.studies.results import Claim

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
    """How far simulated games are from the exact distribution; `p_value` of being at least as far by chance."""

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
    """What seeded games say about the same distribution."""

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
    rules: str | Ruleset = "scandinavian", context: Context = HERE, games: int = GAMES, seed: int = SEED
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
        quantiles=d.quantiles,
        pmf=d.pmf.tolist(),
        at_least={str(score): d.at_least(score) for score in THRESHOLDS},
        tails=[_tail(10.0**-k, at_least, at_most) for k in TAIL_POWERS],
        log10_at_least=_log10(at_least),
        log10_at_most=_log10(at_most),
        simulated=compare(
            found,
            simulate(policy, games, seed, context=context),
            seed,
        ),
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


def bin_scores(expected: NDArray[np.float64], observed: NDArray[np.int64]) -> list[Bin]:
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
    terms = (math.exp(k * math.log(half) - half - math.lgamma(k + 1)) for k in _steps(odd / 2, degrees / 2))
    return min(1.0, total + math.fsum(terms))


def _steps(first: float, end: float) -> list[float]:
    return [first + i for i in range(round(end - first))]


def _tail(probability: float, at_least: NDArray[np.float64], at_most: NDArray[np.float64]) -> Tail:
    above = np.flatnonzero(at_least >= probability)
    below = np.flatnonzero(at_most >= probability)
    return Tail(probability, int(above[-1]), int(below[0]))


def _log10(probabilities: NDArray[np.float64]) -> list[float | None]:
    return [math.log10(p) if p > 0 else None for p in probabilities.tolist()]
