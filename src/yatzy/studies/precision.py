"""What it costs to solve the game in float32: errors of values, other decisions, points lost.

    error(s)  = |V32(s) - V64(s)|
    regret(s) = what one turn from s loses, under V64, if it is played by V32.

A state errs if its regret is more than rounding: in some of its situations float32 then prefers an action that is
worse, not merely equal. Played from the start, V32 loses the sum of its regrets along the way, and nothing else.
"""

from dataclasses import dataclass

import numpy as np

from yatzy.context import HERE, Context, chunks
from yatzy.evaluate.exact import visit
from yatzy.evaluate.regret import turn_regrets
from yatzy.game.json import json_property
from yatzy.policy.optimal import Optimal
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.solve import solve
from yatzy.studies.results import Claim

# Sums of float64 are good to about 1e-13 points.
ROUNDING = 1e-12
STATES_PER_BLOCK = 1 << 16


@dataclass(frozen=True)
class Precision:
    """float32 beside float64; `mean_lost` is per game, the largest regret that of a single turn."""

    rules: str
    states: int
    value: float
    value_float32: float
    largest_error: float
    mean_error: float
    states_erring: int
    largest_regret: float
    mean_lost: float

    @json_property
    def claims(self) -> list[Claim]:
        return [
            Claim("states in which float32 prefers another action", 22, self.states_erring, 0.5),
            Claim("largest error of a value in float32", 0.00046, self.largest_error, 0.000005),
        ]

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            "largest_error": self.largest_error,
            "states_erring": self.states_erring,
            "largest_regret": self.largest_regret,
            "mean_lost": self.mean_lost,
        }


def compare_precisions(rules: str | Ruleset = "scandinavian", context: Context = HERE) -> Precision:
    """Solve in both precisions, and judge the play of one by the values of the other."""
    rules = ruleset(rules)
    exact, rough = (
        solve(rules, precision=precision, context=context.quiet()) for precision in ("float64", "float32")
    )
    player = Optimal(rough)
    masks = np.flatnonzero(~rules.is_finished(exact.space.masks))
    index, upper = np.nonzero(~np.isnan(exact.stored[masks]))
    filled = masks[index]
    error = np.abs(rough.stored[filled, upper].astype(np.float64) - exact.stored[filled, upper])
    regret = np.empty(len(filled))
    blocks = list(chunks(len(filled), STATES_PER_BLOCK))
    for i, block in enumerate(blocks):
        context.part(i, len(blocks)).step(0, 1)
        lost = turn_regrets(player, exact.stored, filled[block], upper[block], context.threads)
        regret[block] = lost.sum(axis=(1, 2))
    return Precision(
        rules=rules.name,
        states=len(filled),
        value=exact.value(),
        value_float32=float(rough.value()),
        largest_error=float(error.max()),
        mean_error=float(error.mean()),
        states_erring=int((regret > ROUNDING).sum()),
        largest_regret=float(regret.max()),
        mean_lost=exact.value() - visit(player, context.threads).mean,
    )
