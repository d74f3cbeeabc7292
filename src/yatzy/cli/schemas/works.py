"""Answers about rule lists, studies, the site, the server and timings; and the game log that play prints."""

from typing import Any, Literal, NotRequired

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from yatzy.cli.schemas.shapes import Count, Fingerprint, Seconds, exact
from yatzy.server.answers import LogTold
from yatzy.studies.reproduce import StudyReport


@exact
class ListRow(TypedDict):
    name: str
    n_rules: Count
    parameters: Count
    oracle_keeps: bool
    mean: float | None
    file: NotRequired[str]


@exact
class ChartRow(TypedDict):
    name: str
    lines: Count
    game: str
    reads: float | None
    oracle_keeps: bool
    mean: float | None
    file: NotRequired[str]


@exact
class Induced(TypedDict):
    rules: str
    method: Literal["improve", "covering", "chart"]
    seed: int
    lists: NotRequired[list[ListRow]]
    charts: NotRequired[list[ChartRow]]
    seconds: Seconds


@exact
class Lists(TypedDict):
    lists: list[ListRow]
    charts: list[ChartRow]


@exact
class ShownChart(TypedDict):
    format: str
    name: str
    rules: str
    fingerprint: Fingerprint
    text: list[str]
    info: dict[str, Any]
    mean: float
    greedy: float
    optimum: float


@exact
class ShownList(TypedDict):
    format: str
    name: str
    rules: str
    fingerprint: Fingerprint
    scores: list[dict[str, Any]]
    keeps: list[list[dict[str, Any]]]
    score_default: Any
    keep_default: Any
    grammar: str
    oracle_keeps: bool
    par: dict[str, Any] | None
    info: dict[str, Any]
    mean: float
    greedy: float
    optimum: float


@exact
class Explained(TypedDict):
    policy: str
    dice: list[int]
    rerolls: Count
    number: int | None
    rule: str
    action: str


@exact
class Served(TypedDict):
    address: str
    workers: int
    site: str | None


@exact
class Built(TypedDict):
    out: str
    pages: list[str]
    figures: list[str]
    claims: Count


@exact
class Studies(TypedDict):
    out: NotRequired[str]
    studies: list[StudyReport]


@exact
class Row(TypedDict):
    name: str
    seconds: float | None
    ratio: float | None
    versus: str
    amount: str


@with_config(ConfigDict(extra="allow", strict=True))
class Timed(TypedDict):
    """One part of `bench`."""

    threads: int
    repeats: int
    rows: list[Row]


@exact
class Log(LogTold):
    checksum: str


@exact
class Logs(TypedDict):
    games: list[Log]
