"""Four populations in one distribution: with or without the bonus, with or without Yatzy.

    pmf(s) = sum over the four of weight_i * pmf_i(s).

Each is said to be "roughly normal". How nearly? With n_i(s) the normal of the same mean and SD, integrated over
s - 1/2 .. s + 1/2, and F, N the cumulative sums,

    total variation = 1/2 * sum |pmf_i - n_i|         (the largest error in the probability of any event)
    KS distance     = max |F_i - N_i|                 (the largest error in the probability of "at most s"),

for each population, for the mixture of the four normals, and for one normal for the whole.

They have humps, though (`humps`): scores come in waves about 20 points apart. Some boxes are mostly made or missed
as a whole (`ripple`). Split a population by how many of them were made, and every part has one hump.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray
from yatzy.context import HERE, Context
from yatzy.evaluate.distribution import Distribution
from yatzy.evaluate.exact import Evaluation, evaluate, tracked_category
from yatzy.evaluate.simulate import Games, simulate
from yatzy.game.json import json_property
from yatzy.policy.registry import find_policy
from yatzy.rules import Ruleset
from yatzy.studies.results import Claim

NOTICEABLE = 1e-6
# A local maximum this high, beside the highest, is a hump that one sees.
VISIBLE = 0.3
# Boxes crossed out in more games than this are made or missed as a whole: straights, Full House, Four of a Kind.
OFTEN_EMPTY = 0.05
SEED, GAMES = 5, 1_000_000

# (bonus, Yatzy): mixing weight and mean as the forerunner gives them.
FORERUNNER = {
    (False, False): (0.055, 164.0),
    (False, True): (0.055, 213.0),
    (True, False): (0.555, 237.0),
    (True, True): (0.335, 288.0),
}


@dataclass(frozen=True)
class MixtureFit:
    """How far a normal (or a mixture of them) is from the exact distribution."""

    total_variation: float
    ks_distance: float


@dataclass(frozen=True)
class Population:
    """One component; `density` is what it contributes to the whole, by score (it sums to `weight`); `humps` are
    the scores at which it has a visible maximum.
    """

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
    """Games in which this many of the ripple's boxes were made; `density` by score sums to `share`."""

    made: int
    share: float
    mean: float
    sd: float
    humps: list[int]
    density: list[float]


@dataclass(frozen=True)
class Ripple:
    """Seeded games of the largest population, by how many of `boxes` were made; `step` is what one more adds."""

    games: int
    seed: int
    boxes: list[str]
    step: float
    parts: list[Made]


@dataclass(frozen=True)
class Populations:
    """The four of them, and how well normals describe the whole.

    `modes` are the scores at which the mixture of four normals has a local maximum.
    """

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
    rules: str | Ruleset = "scandinavian", context: Context = HERE, games: int = GAMES
) -> Populations:
    """The four populations of optimal play, exactly, and the ripple in the largest, from seeded games."""
    policy = find_policy("optimal", rules, context=context.quiet())
    exactly, playing = (context.part(i, 2) for i in range(2))
    return split_populations(
        evaluate(policy, context=exactly),
        simulate(policy, games, SEED, context=playing),
    )


def split_populations(found: Evaluation, played: Games) -> Populations:
    """The four populations of a policy, from its exact evaluation; the ripple from games that it played."""
    whole = found.distribution
    parts = [
        _population(bool(bonus), bool(yatzy), part)
        for bonus, row in enumerate(found.distributions)
        for yatzy, part in enumerate(row)
        if part.weight
    ]
    n = len(whole.pmf)
    four = np.sum([part.weight * normal_pmf(part.mean, part.sd, n) for part in parts], axis=0)
    said = [(*FORERUNNER[part.bonus, part.yatzy], part.sd) for part in parts]
    return Populations(
        policy=found.policy,
        rules=found.rules.name,
        populations=parts,
        four_normals=measure_fit(whole.pmf, four),
        one_normal=measure_fit(whole.pmf, normal_pmf(whole.mean, whole.sd, n)),
        forerunner_normals=measure_fit(whole.pmf, np.sum([w * normal_pmf(m, sd, n) for w, m, sd in said], axis=0)),
        modes=_modes(four, NOTICEABLE),
        ripple=find_ripple(played, max(parts, key=lambda part: part.weight)),
    )


def find_ripple(played: Games, within: Population) -> Ripple:
    """The games of one population, by how many of the boxes that often end empty were made."""
    categories, tracked = played.rules.categories, tracked_category(played.rules)
    empty = (played.points == 0).mean(axis=0)
    often = [c for c, one in enumerate(categories) if not one.upper and c != tracked and empty[c] > OFTEN_EMPTY]
    inside = (played.bonus == within.bonus) & (played.yatzy == within.yatzy)
    score, made = played.score[inside], (played.points[inside][:, often] > 0).sum(axis=1)
    counts = np.unique(made).tolist()
    parts = [_made(k, score[made == k], len(score), len(within.density)) for k in counts]
    return Ripple(
        games=len(played),
        seed=SEED,
        boxes=[categories[c].name for c in often],
        step=(parts[-1].mean - parts[0].mean) / max(1, counts[-1] - counts[0]),
        parts=parts,
    )


def _made(made: int, score: NDArray[np.int16], games: int, n: int) -> Made:
    density = np.bincount(score, minlength=n) / games
    # Counts are rough: a hump is one of the average over neighbours.
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
    """(n,): a normal distribution rounded to whole numbers 0..n - 1; what lies beyond falls on the ends."""
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
