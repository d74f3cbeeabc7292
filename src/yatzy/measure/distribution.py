"""A distribution of scores: its moments, quantiles and tail probabilities."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from yatzy.arrays import EqualByFields, FloatArray, Tabular, axes_of
from yatzy.errors import YatzyError
from yatzy.game.json import NULLABLE, Positive, json_property
from yatzy.svg import histogram

QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@dataclass(frozen=True, eq=False, repr=False)
class Distribution(EqualByFields, Tabular):
    """Probabilities by score: `mean`, `sd`, `quantiles[0.9]`, `at_least(300)`, `pmf`, and a picture: `svg()`.

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
    def quantiles(self) -> Mapping[Any, int]:
        """Scores by the share of games that do not exceed them: `quantiles[0.5]`."""
        return Quantiles(self)

    def at_least(self, score: int) -> float:
        """Probability of this score or more."""
        return float(self.pmf[max(score, 0) :][::-1].sum()) / self.weight

    def columns(self) -> dict[str, Any]:
        """Every score that can occur, with its probability."""
        scores = np.flatnonzero(self.pmf)
        return {"score": scores, "probability": self.pmf[scores]}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.pmf, dtype=dtype)

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw the probabilities with Matplotlib; `style` is that of the line. Returns the axes."""
        on = axes_of(ax)
        on.plot(*self.columns().values(), **style)
        on.set(xlabel="score", ylabel="probability")
        return on

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


class Quantiles(Mapping[Any, int]):
    """Scores by the share of games that do not exceed them: those of QUANTILES as texts, and of any number.

    >>> found = Distribution(np.array([0.25, 0.25, 0.5])).quantiles
    >>> found["0.5"], found[0.5], found[0.6]
    (1, 1, 2)
    """

    def __init__(self, of: Distribution) -> None:
        self._of = of

    def __getitem__(self, share: str | float) -> int:
        if isinstance(share, str) and share not in list(self):
            raise KeyError(share)
        if not 0 <= float(share) <= 1:
            raise YatzyError("quantile", share, "a share of games, 0..1")
        return self._of.quantile(float(share))

    def __iter__(self) -> Iterator[str]:
        return (f"{q:g}" for q in QUANTILES)

    def __len__(self) -> int:
        return len(QUANTILES)

    def __repr__(self) -> str:
        return repr(dict(self))
