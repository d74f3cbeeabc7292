"""Answers that measure play and make something of it: evaluate, simulate, duel, sweep, dataset, distill."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from yatzy.cli.schemas.shapes import Count, Fingerprint, Pmf, Quantiles, Seconds, Share, Spread, exact


@exact
class Duels(TypedDict):
    rules: str
    seed: int
    moves_first: bool
    games: Count
    win_rate: Share
    decided_rate: Share | None
    tie_rate: Share
    standard_error: Spread
    mean: float
    mean_of_other: float
    promise: Share
    seconds: Seconds


@exact
class ByCategory(TypedDict):
    category: str
    mean: float
    zero_rate: Share
    fill_turn: list[Share]


@exact
class Population(TypedDict):
    bonus: bool
    yatzy: bool
    weight: Share
    mean: float | None
    sd: float | None


@exact
class Evaluation(TypedDict):
    policy: str
    rules: str
    theta: float
    mean: float
    sd: Spread
    skewness: float | None
    bonus_rate: Share
    yatzy_rate: Share
    quantiles: Quantiles
    pmf: Pmf
    categories: list[ByCategory]
    populations: list[Population]
    cut: Share
    seconds: Seconds
    target: NotRequired[int]
    chance: NotRequired[Share]


@exact
class Evaluations(TypedDict):
    rules: str
    evaluations: list[Evaluation]


@exact
class EvaluationForTarget(TypedDict):
    policy: str
    rules: str
    goal: Literal["reach"]
    target: int
    chance: Share
    mean: float
    cost: float
    sd: Spread
    skewness: float | None
    bonus_rate: Share
    cut: Share
    quantiles: Quantiles
    pmf: Pmf
    seconds: Seconds


@exact
class Outlook(TypedDict):
    policy: str
    rules: str
    theta: float
    filled: list[str]
    upper: Count
    points: Count
    mean: float
    sd: Spread
    skewness: float | None
    bonus_rate: Share
    quantiles: Quantiles
    pmf: Pmf
    seconds: Seconds
    target: NotRequired[int]
    chance: NotRequired[Share]


@exact
class Rival(TypedDict):
    policy: str
    mean: float
    difference: float
    interval: Annotated[list[float], Field(min_length=2, max_length=2)]


@exact
class Simulated(TypedDict):
    policy: str
    rules: str
    theta: float
    games: Count
    seed: int
    mean: float
    sd: Spread
    standard_error: Spread
    seconds: Seconds
    bonus_rate: NotRequired[Share]
    yatzy_rate: NotRequired[Share]
    target: NotRequired[int]
    chance: NotRequired[Share]
    out: NotRequired[str]
    logs: NotRequired[str]
    compare: NotRequired[Rival]


@exact
class Point(TypedDict):
    theta: float
    value: float
    mean: float
    sd: Spread
    skewness: float | None
    bonus_rate: Share
    yatzy_rate: Share
    quantiles: Quantiles
    pmf: Pmf
    seconds: Seconds


@exact
class Slope(TypedDict):
    theta_from: float
    theta_to: float
    measured: float
    predicted: float


@exact
class Sweep(TypedDict):
    rules: str
    fingerprint: Fingerprint
    version: str
    points: list[Point]
    slopes: list[Slope]
    seconds: Seconds
    out: str


@exact
class File(TypedDict):
    file: str
    rows: Count


@exact
class Dataset(TypedDict):
    rules: str
    seed: int
    seconds: Seconds
    files: dict[str, File]
    games: NotRequired[Count]
    policy: NotRequired[str]
    mean: NotRequired[float]
    draws: NotRequired[Count | None]


@exact
class Model(TypedDict):
    name: str
    parameters: Count
    file: str
    mean: NotRequired[float]


@exact
class Models(TypedDict):
    rules: str
    models: list[Model]
    seconds: Seconds
