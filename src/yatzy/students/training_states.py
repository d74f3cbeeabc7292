"""Play that makes mistakes: students are trained on its states too."""

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
