"""A distribution of scores: its moments, quantiles and tail probabilities."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from yatzy.arrays import EqualByFields, FloatArray
from yatzy.errors import needs_extra
from yatzy.game.json import NULLABLE, Positive, json_property
from yatzy.svg import histogram

if TYPE_CHECKING:
    import polars

QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@dataclass(frozen=True, eq=False, repr=False)
class Distribution(EqualByFields):
    """Probabilities by score: `mean`, `sd`, `quantile(0.9)`, `at_least(300)`, `pmf`, and a picture: `svg()`.

    The distribution of a population within all games sums to less than 1.
    """

    pmf: FloatArray

    @property
    def weight(self) -> float:
        return float(self.pmf.sum())

    @json_property
    def mean(self) -> float:
        return self._moment(1)

    @json_property
    def sd(self) -> Positive:
        return float(np.sqrt(self._central(2)))

    @json_property
    def skewness(self) -> Annotated[float, NULLABLE]:
        """NaN if there is only one score."""
        return self._central(3) / self.sd**3 if self.sd else math.nan

    @property
    def excess_kurtosis(self) -> float:
        return self._central(4) / self.sd**4 - 3

    def quantile(self, q: float) -> int:
        """The smallest score that at least the share q of games does not exceed."""
        return int(np.searchsorted(np.cumsum(self.pmf), q * self.weight))

    @json_property
    def quantiles(self) -> dict[str, int]:
        return {f"{q:g}": self.quantile(q) for q in QUANTILES}

    def at_least(self, score: int) -> float:
        """Probability of this score or more."""
        return float(self.pmf[max(score, 0) :][::-1].sum()) / self.weight

    def frame(self) -> "polars.DataFrame":
        """Every score that can occur, with its probability."""
        with needs_extra("lab"):
            import polars as pl

        return pl.DataFrame({"score": range(len(self.pmf)), "probability": self.pmf}).filter(
            pl.col("probability") > 0
        )

    def svg(self, title: str = "") -> str:
        """The distribution as a picture."""
        return histogram(self.pmf, title or repr(self)[1:-1])

    def __repr__(self) -> str:
        low, high = self.quantile(0.05), self.quantile(0.95)
        return f"<Distribution: mean {self.mean:.4f}, SD {self.sd:.4f}, 90% from {low} to {high}>"

    def _repr_html_(self) -> str:
        return self.svg()

    def _moment(self, k: int) -> float:
        return float((self.pmf * np.arange(len(self.pmf), dtype=np.float64) ** k).sum()) / self.weight

    def _central(self, k: int) -> float:
        return float((self.pmf * (np.arange(len(self.pmf)) - self.mean) ** k).sum()) / self.weight
