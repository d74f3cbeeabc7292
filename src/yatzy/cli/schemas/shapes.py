"""What several answers have in common: shares, counts, probabilities, and objects that have no other keys."""

import math
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, with_config


def _sums_to_one(pmf: list[float]) -> list[float]:
    if abs(math.fsum(pmf) - 1) > 1e-9:
        raise ValueError(f"probabilities sum to {math.fsum(pmf)}")
    return pmf


def _rises(quantiles: dict[str, int]) -> dict[str, int]:
    if list(quantiles.values()) != sorted(quantiles.values()):
        raise ValueError("quantiles do not rise")
    return quantiles


Share = Annotated[float, Field(ge=-1e-12, le=1 + 1e-12)]
Seconds = Annotated[float, Field(ge=0)]
Spread = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Fingerprint = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Pmf = Annotated[list[Share], AfterValidator(_sums_to_one)]
Quantiles = Annotated[dict[str, int], AfterValidator(_rises)]

exact = with_config(ConfigDict(extra="forbid", strict=True))
