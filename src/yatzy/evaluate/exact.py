"""Exact evaluation: one forward pass of probability gives everything about a policy's score.

Layer by layer from the start of the game: which states the policy comes to and with what probability, what each
of their turns ends with (`kernels`), and from these the distribution of points so far in every state of the next
layer. Nothing is sampled and nothing is rounded but by float64.

The backward pass `policy_values` computes the same mean from the other end, as an independent check:

    V(filled, upper) = sum over outcomes q(outcome) * (points + V(filled + c, min(T, upper + lift))).
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from yatzy.arrays import LANE_BITS, FloatArray, IntArray, aligned
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.policy.base import Checked, Policy
from yatzy.rules import Ruleset, parse_category
from yatzy.running import Progress, check_threads, chunks
from yatzy.solver.states import StateSpace, state_space
from yatzy.turn.lanes import Fold
from yatzy.turn.outcomes import outcomes
from yatzy.turn.probability import Rows, Turn, exit_probabilities, pull_rows

QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
LANES = LANE_BITS // 64
STATES_PER_CHUNK = 1024
MASKS_PER_CHUNK = 16


@dataclass(frozen=True)
class Distribution:
    """Probabilities by score; they need not sum to 1 (a population's part of the whole)."""

    pmf: FloatArray

    @cached_property
    def weight(self) -> float:
        return float(self.pmf.sum())

    @cached_property
    def mean(self) -> float:
        return self._moment(1)

    @cached_property
    def sd(self) -> float:
        return float(np.sqrt(self._central(2)))

    @cached_property
    def skewness(self) -> float:
        return self._central(3) / self.sd**3

    @cached_property
    def excess_kurtosis(self) -> float:
        return self._central(4) / self.sd**4 - 3

    def quantile(self, q: float) -> int:
        """The smallest score that at least a share q of games does not exceed."""
        return int(np.searchsorted(np.cumsum(self.pmf), q * self.weight))

    @property
    def quantiles(self) -> dict[str, int]:
        return {f"{q:g}": self.quantile(q) for q in QUANTILES}

    def at_least(self, score: int) -> float:
        """Probability of this score or more."""
        return float(self.pmf[max(score, 0) :][::-1].sum()) / self.weight

    def _moment(self, k: int) -> float:
        return float((self.pmf * np.arange(len(self.pmf), dtype=np.float64) ** k).sum()) / self.weight

    def _central(self, k: int) -> float:
        return float((self.pmf * (np.arange(len(self.pmf)) - self.mean) ** k).sum()) / self.weight


@dataclass(frozen=True)
class Evaluation:
    """Everything the forward pass tells of a policy.

    `populations` is indexed [bonus][tracked category scored]; `visits` (n_masks, n_uppers) is the probability of
    coming through a state; `fill_turn` (n_categories, turns) the probability of filling a category in a turn.
    """

    policy: str
    rules: Ruleset
    populations: tuple[tuple[Distribution, Distribution], tuple[Distribution, Distribution]]
    outcome_probabilities: FloatArray
    fill_turn: FloatArray
    visits: FloatArray

    @cached_property
    def distribution(self) -> Distribution:
        return Distribution(np.sum([d.pmf for row in self.populations for d in row], axis=0))

    @property
    def mean(self) -> float:
        return self.distribution.mean

    @property
    def sd(self) -> float:
        return self.distribution.sd

    @property
    def bonus_rate(self) -> float:
        return self.populations[1][0].weight + self.populations[1][1].weight

    @property
    def yatzy_rate(self) -> float:
        return self.populations[0][1].weight + self.populations[1][1].weight

    @cached_property
    def category_means(self) -> FloatArray:
        """(n_categories,): expected points in each category."""
        table = outcomes(self.rules)
        return np.add.reduceat(self.outcome_probabilities * table.points, table.start[:-1])

    @cached_property
    def category_zero_rates(self) -> FloatArray:
        """(n_categories,): how often nothing is scored in each category."""
        return self.outcome_probabilities[outcomes(self.rules).start[:-1]]

    def to_json(self) -> dict[str, Any]:
        """Everything but the visits, as plain values."""
        d = self.distribution
        names = [category.name.lower() for category in self.rules.categories]
        return {
            "policy": self.policy,
            "rules": self.rules.name,
            "mean": d.mean,
            "sd": d.sd,
            "skewness": d.skewness,
            "bonus_rate": self.bonus_rate,
            "yatzy_rate": self.yatzy_rate,
            "quantiles": d.quantiles,
            "pmf": d.pmf.tolist(),
            "categories": [
                {"category": name, "mean": mean, "zero_rate": zero, "fill_turn": turns}
                for name, mean, zero, turns in zip(
                    names,
                    self.category_means.tolist(),
                    self.category_zero_rates.tolist(),
                    self.fill_turn.tolist(),
                    strict=True,
                )
            ],
            "populations": [
                {
                    "bonus": bool(bonus), "yatzy": bool(yatzy), "weight": part.weight,
                    "mean": part.mean if part.weight else None, "sd": part.sd if part.weight else None,
                }
                for bonus, row in enumerate(self.populations)
                for yatzy, part in enumerate(row)
            ],
        }  # fmt: skip


def tracked_category(rules: Ruleset) -> int:
    """The category whose scoring splits the populations: Yatzy, by whatever name; -1 if there is none."""
    try:
        return parse_category(rules, "yatzy")
    except YatzyError:
        return -1


def evaluate(
    policy: Policy, threads: int | None = None, progress: Progress | None = None, check: bool = True
) -> Evaluation:
    """The exact score distribution of a policy, and all that comes with it.

    `check` refuses illegal decisions; it may be left out for play that is legal by construction.
    """
    rules = policy.rules
    space = state_space(rules)
    ends = outcomes(rules)
    asked = Checked(policy) if check else policy
    visits = np.zeros((space.n_masks, space.n_uppers))
    visits[0, 0] = 1.0
    fill_turn = np.zeros((rules.n_categories, rules.n_categories))
    outcome_probabilities = np.zeros(ends.n)
    sizes = _RowSizes(space)
    masks = space.layers[0]
    rows, buffer = sizes.layout(masks)
    buffer[rows.start[0]] = 1.0
    with ThreadPoolExecutor(check_threads(threads)) as pool:
        for turn in range(rules.n_categories):
            filled, upper = _visited(masks, visits)
            exits = _exits(asked, filled, upper, pool)
            by_outcome = np.einsum("i,ij->j", visits[filled, upper], exits)
            outcome_probabilities += by_outcome
            fill_turn[:, turn] = np.add.reduceat(by_outcome, ends.start[:-1])
            masks = space.layers[turn + 1]
            rows, buffer = _next_layer(sizes, filled, upper, exits, masks, rows, buffer, visits, pool)
            if progress:
                progress(turn + 1, rules.n_categories)
    return Evaluation(
        policy=policy.name,
        rules=rules,
        populations=_populations(sizes, rows, buffer),
        outcome_probabilities=outcome_probabilities,
        fill_turn=fill_turn,
        visits=visits,
    )


def policy_values(policy: Policy, threads: int | None = None, progress: Progress | None = None) -> FloatArray:
    """(n_masks, n_uppers): expected remaining points of every reachable state under the policy, NaN elsewhere."""
    rules = policy.rules
    space = state_space(rules)
    ends = outcomes(rules)
    values = np.full((space.n_masks, space.n_uppers), np.nan)
    finished = space.reachable[rules.all_filled]
    values[rules.all_filled, finished] = 0.0
    if finished[rules.bonus_threshold]:
        values[rules.all_filled, rules.bonus_threshold] = rules.bonus
    with ThreadPoolExecutor(check_threads(threads)) as pool:
        for n_filled, masks in reversed(list(enumerate(space.layers[:-1]))):
            index, upper = np.nonzero(space.reachable[masks])
            filled = masks[index]
            exits = _exits(Checked(policy), filled, upper, pool)
            total = np.zeros(len(filled))
            for outcome in range(ends.n):
                bit = 1 << ends.category[outcome]
                is_open = filled & bit == 0
                after = np.minimum(upper[is_open] + ends.lift[outcome], rules.bonus_threshold)
                value = ends.points[outcome] + values[filled[is_open] | bit, after]
                total[is_open] += exits[is_open, outcome] * value
            values[filled, upper] = total
            if progress:
                progress(rules.n_categories - n_filled, rules.n_categories)
    return values


def turn_exits(policy: Policy, filled: IntArray, upper: IntArray, threads: int | None = None) -> FloatArray:
    """(n, n_outcomes): how the turn of each state (filled[i], upper[i]) ends under the policy."""
    with ThreadPoolExecutor(check_threads(threads)) as pool:
        return _exits(policy, filled, upper, pool)


@lru_cache(maxsize=8)
def turn_tables(rules: Ruleset) -> Turn:
    """The turn as the kernels see it."""
    dice = lattice(rules.dice, rules.faces)
    spread = [(keep, [k for k in dice.removed[keep] if k >= 0]) for keep in range(dice.n_keeps - 2, -1, -1)]
    return Turn(
        prob_roll=dice.prob_roll,
        outcome_of_roll=outcomes(rules).of_roll,
        spread=Fold("spread", spread, share=1 / rules.faces),
        n_keeps=dice.n_keeps,
        n_rerolls=rules.rerolls,
    )


def _visited(masks: IntArray, visits: FloatArray) -> tuple[IntArray, IntArray]:
    index, upper = np.nonzero(visits[masks])
    return masks[index], upper


def _exits(policy: Policy, filled: IntArray, upper: IntArray, pool: ThreadPoolExecutor) -> FloatArray:
    """(n, n_outcomes): how the turn of each state ends under the policy."""
    turn = turn_tables(policy.rules)
    exits = np.zeros((len(filled), outcomes(policy.rules).n))

    def run(part: slice) -> None:
        decisions = policy.decide(filled[part], upper[part])
        work = aligned((turn.n_keeps, LANES), np.dtype(np.float64))
        exit_probabilities(decisions.category, decisions.keep, turn, exits[part], work)

    list(pool.map(run, chunks(len(filled), STATES_PER_CHUNK)))
    return exits


class _RowSizes:
    """How long the rows of each mask are: see `Rows`."""

    def __init__(self, space: StateSpace) -> None:
        rules = space.rules
        self.space = space
        self.tracked = tracked_category(rules)
        most = np.max(np.array(rules.scores), axis=0)
        is_upper = np.array([category.upper for category in rules.categories])
        bits = np.arange(space.n_masks)[:, None] >> np.arange(rules.n_categories) & 1
        rest = most * ~is_upper
        self.tracked_points = 0
        if self.tracked >= 0:
            self.tracked_points = min((row[self.tracked] for row in rules.scores if row[self.tracked]), default=0)
            rest[self.tracked] -= self.tracked_points
        self.most_rest = bits @ rest
        self.most_excess = np.maximum(bits @ (most * is_upper) - rules.bonus_threshold, 0)
        self.longest_shift = int(max(most))

    def layout(self, masks: IntArray) -> tuple[Rows, FloatArray]:
        """Rows of a layer and a zeroed buffer for them."""
        start = np.full(self.space.n_masks, -1, dtype=np.int64)
        length = _whole_lanes(self.most_rest + 1)
        length_capped = _whole_lanes(self.most_rest + self.most_excess + 1)
        plane_size = self.space.highest_upper * length + length_capped
        planes = 1 + (masks >> self.tracked & 1 if self.tracked >= 0 else np.zeros_like(masks))
        # A shifted row is written in whole lanes: what it adds past its end is zero, but must be somewhere.
        sizes = plane_size[masks] * planes + LANES
        ends = np.cumsum(sizes)
        start[masks] = ends - sizes
        rows = Rows(start, plane_size, length, length_capped)
        return rows, aligned((int(ends[-1]) + self.longest_shift + LANES,), np.dtype(np.float64))


def _whole_lanes(n: IntArray) -> IntArray:
    return np.asarray(-(-n // LANES) * LANES)


def _next_layer(
    sizes: _RowSizes, filled: IntArray, upper: IntArray, exits: FloatArray, masks: IntArray,
    rows: Rows, buffer: FloatArray, visits: FloatArray, pool: ThreadPoolExecutor,
) -> tuple[Rows, FloatArray]:  # fmt: skip
    """Rows of the next layer, whose visits are set on the way."""
    space = sizes.space
    ends = outcomes(space.rules)
    state_row = np.full((space.n_masks, space.n_uppers), -1, dtype=np.int64)
    state_row[filled, upper] = np.arange(len(filled))
    next_rows, next_buffer = sizes.layout(masks)

    def run(part: slice) -> None:
        pull_rows(
            masks[part], space.highest_upper, state_row, exits, ends.start, ends.points, ends.lift,
            sizes.tracked, sizes.tracked_points, space.rules.bonus_threshold, buffer, rows, next_buffer, next_rows,
            visits,
        )  # fmt: skip

    list(pool.map(run, chunks(len(masks), MASKS_PER_CHUNK)))
    return next_rows, next_buffer


def _populations(
    sizes: _RowSizes, rows: Rows, buffer: FloatArray
) -> tuple[tuple[Distribution, Distribution], tuple[Distribution, Distribution]]:
    """Distributions of the final score by bonus and by the tracked category."""
    rules = sizes.space.rules
    mask, cap = rules.all_filled, rules.bonus_threshold
    most = np.max(np.array(rules.scores), axis=0)
    pmf = np.zeros((2, 2, int(most.sum()) + rules.bonus + 1))
    for plane in range(2 if sizes.tracked >= 0 else 1):
        for upper in range(int(sizes.space.highest_upper[mask]) + 1):
            bonus = int(upper >= cap and rules.bonus > 0)
            n = int(sizes.most_rest[mask] + (sizes.most_excess[mask] if upper == cap else 0)) + 1
            first = rows.start[mask] + plane * rows.plane_size[mask] + upper * rows.length[mask]
            score = upper + plane * sizes.tracked_points + bonus * rules.bonus
            pmf[bonus, plane, score : score + n] += buffer[first : first + n]
    (a, b), (c, d) = pmf
    return (Distribution(a), Distribution(b)), (Distribution(c), Distribution(d))
