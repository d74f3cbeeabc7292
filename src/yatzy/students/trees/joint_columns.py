"""What trees may read of state and dice together: margins over par, and the shapes that a player sees."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.dice import lattice
from yatzy.rulelists.language.keeps import SHAPES, shape_columns
from yatzy.rulelists.language.par import PAR_COLUMNS, Par, margins, par_columns
from yatzy.rules import Ruleset

NAMES = (*PAR_COLUMNS, *SHAPES)


@dataclass(frozen=True, eq=False)
class ParAndShapes:
    """The columns of NAMES under one par table (`datasets.columns.JointColumns`)."""

    rules: Ruleset
    par: Par
    names: tuple[str, ...] = NAMES

    @cached_property
    def _margin(self) -> NDArray[np.float32]:
        return margins(self.rules, self.par).astype(np.float32)

    def values(self, filled: IntArray, upper: IntArray) -> NDArray[np.float32]:
        """(n, names, n_rolls)."""
        n_rolls = lattice(self.rules.dice, self.rules.faces).n_rolls
        columns = np.empty((len(filled), len(NAMES), n_rolls), np.float32)
        columns[:, : len(PAR_COLUMNS)] = self._by_par(filled, upper).swapaxes(0, 1)
        columns[:, len(PAR_COLUMNS) :] = shape_columns(self.rules, filled)
        return columns

    def par_choice(self, filled: IntArray, upper: IntArray) -> NDArray[np.float32]:
        """(n, n_rolls): the open box with the largest margin over par."""
        return np.asarray(self._by_par(filled, upper)[0])

    def _by_par(self, filled: IntArray, upper: IntArray) -> NDArray[np.float32]:
        return par_columns(self.rules, filled, upper, self._margin)
