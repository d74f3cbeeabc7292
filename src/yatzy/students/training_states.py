"""States to train on: drawn by how often play comes there, also play that makes mistakes."""

from dataclasses import dataclass

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.policy.base import Decisions
from yatzy.policy.optimal import best_decisions
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable

TREMBLE = 3.0


@dataclass(frozen=True)
class Trembling:
    """Optimal play on values with normal noise, one draw per state: mistakes of a few points, repeatable."""

    table: ValueTable
    noisy: FloatArray
    name: str = "trembling"

    @property
    def rules(self) -> Ruleset:
        return self.table.rules

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        return best_decisions(self.rules, self.noisy, 0.0, filled, upper)


def trembling(table: ValueTable, seed: int, size: float = TREMBLE) -> Trembling:
    """Play whose values are off by normal noise of `size` points."""
    noise = np.random.default_rng(seed).normal(0.0, size, table.values.shape)
    noise[table.rules.all_filled] = 0.0
    return Trembling(table, table.values + noise)


def draw_states(visits: FloatArray, n: int, seed: int) -> tuple[IntArray, IntArray]:
    """Unfinished states, n of them, in proportion to their visits (systematic sampling: as even as can be)."""
    weights = visits.copy()
    weights[-1] = 0.0
    ends = np.cumsum(weights.reshape(-1))
    places = (np.arange(n) + np.random.default_rng(seed).random()) / n * ends[-1]
    states = np.minimum(np.searchsorted(ends, places, side="right"), len(ends) - 1)
    return states // visits.shape[1], states % visits.shape[1]
