"""The actions and observations of the environment, as numbers.

Actions: 0 .. 2^dice - 1 hold dice and throw the others, bit i standing for die i of the sorted dice (set: the die
is held); the codes after that score in a box, in the order of the card. With five dice and fifteen boxes there are
32 + 15 = 47. Holding all dice, and holding equal dice in any but the leftmost places, is masked out: every
different decision has exactly one code.

Observations are one row of float32: how many dice show each face / dice; rerolls left / rerolls; the boxes that
are closed, a 0 or 1 each; the upper total / threshold; and for each box the points that the dice would bring there
/ 50 (0 if it is closed).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.game.action import Action, actions_of
from yatzy.rules import Ruleset
from yatzy.turn.outcomes import outcomes

DICE = 5
POINTS_SCALE = 50.0


@dataclass(frozen=True)
class Codes:
    """The codes of one game of five dice."""

    rules: Ruleset

    def __post_init__(self) -> None:
        if self.rules.dice != DICE or self.rules.saves_throws:
            raise YatzyError(
                "rules",
                self.rules.name,
                "a game of five dice that saves no throws",
                "is not a game of the environment",
            )

    @property
    def n_holds(self) -> int:
        return 1 << DICE

    @property
    def n_actions(self) -> int:
        return self.n_holds + self.rules.n_categories

    @property
    def n_observed(self) -> int:
        return self.rules.faces + 1 + self.rules.n_categories + 1 + self.rules.n_categories

    @property
    def most_observed(self) -> float:
        """No number of an observation is larger."""
        return max(1.0, float(outcomes(self.rules).points.max()) / POINTS_SCALE)

    @cached_property
    def keep_of_code(self) -> IntArray:
        """(n_rolls, 2^dice): the keep that a code holds, -1 where another code stands for the same dice."""
        grid = lattice(DICE, self.rules.faces)
        table = np.full((grid.n_rolls, self.n_holds), -1, np.int64)
        for roll_id, roll in enumerate(grid.keeps[: grid.n_rolls]):
            seen = set()
            for code in range(self.n_holds - 1):
                keep = grid.id_of([die for place, die in enumerate(roll) if code >> place & 1])
                if keep not in seen:
                    seen.add(keep)
                    table[roll_id, code] = keep
        return table

    def action(self, roll_id: int, code: int) -> Action:
        """What a code does to the dice on the table."""
        n, keep_id = self.rules.n_categories, 0 if code >= self.n_holds else self.keep_of_code[roll_id, code]
        return actions_of(self.rules)[code - self.n_holds if code >= self.n_holds else n + keep_id]

    @cached_property
    def observed_dice(self) -> NDArray[np.float32]:
        """(n_rolls, faces): the part of an observation that shows the dice."""
        grid = lattice(DICE, self.rules.faces)
        return (grid.counts[: grid.n_rolls] / DICE).astype(np.float32)


@lru_cache(maxsize=8)
def codes_of(rules: Ruleset) -> Codes:
    """The codes of a game, cached."""
    return Codes(rules)
