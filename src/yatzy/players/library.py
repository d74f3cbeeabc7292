"""Rule lists and charts by name: those in the package, and any other by its file (a `policy` source).

A chart's file holds its words and nothing that could say otherwise: reading the file is reading the print. In the
package, `chart-20.json` is for Scandinavian Yatzy, and `chart-20.yahtzee.json` is the `chart-20` of Yahtzee.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from yatzy.errors import YatzyError
from yatzy.game.json import as_json
from yatzy.players.chart import Chart, chart_text, parse_chart
from yatzy.players.chart_player import ChartPlayer
from yatzy.players.rule_list import RuleList, load_list
from yatzy.players.rule_list_player import ListPlayer
from yatzy.policies.policy import Policy
from yatzy.rules import Ruleset, ruleset
from yatzy.sealed import read_sealed, seal
from yatzy.storage import natural_key, write_atomically

FORMAT = "yatzy-chart-1"
SUFFIX = ".json"
LISTS, CHARTS = Path(__file__).parent / "lists", Path(__file__).parent / "charts"
DEFAULT = "scandinavian"
# Files whose names once promised more rules or lines than they have; the old names still find them.
OLD_NAMES = {
    "card-100": "card-77",
    "par-100": "par-74",
    "primitive-100": "primitive-93",
    "rich-100": "rich-91",
    "rules-100": "rules-50-best",
    "rules-par-25": "rules-par-23",
    "rules-rich-50": "rules-rich-40",
    "chart-60": "chart-58",
    "chart-60.yahtzee": "chart-57.yahtzee",
}


def names() -> list[str]:
    """What the registry lists: the rule lists and charts in the package."""
    return [*shipped_lists(), *shipped_charts()]


def find(name: str, rules: Ruleset, folder: Path | None = None) -> Policy | None:
    """The list or chart of that name, or in this file, ready to play."""
    if is_chart(name):
        return ChartPlayer(find_chart(name, rules), folder)
    if _shipped(LISTS, name) or name.endswith(SUFFIX):
        return ListPlayer(find_list(name, rules), folder)
    return None


def _shipped(folder: Path, stem: str) -> Path | None:
    """The file of that name, or of the old name, in a folder of the package."""
    file = folder / f"{OLD_NAMES.get(stem, stem)}{SUFFIX}"
    return file if Path(stem).name == stem and file.exists() else None


def shipped_lists() -> list[str]:
    """Names of the rule lists in the package, `rules-10` before `rules-50`."""
    return sorted((file.name.removesuffix(SUFFIX) for file in LISTS.glob(f"*{SUFFIX}")), key=natural_key)


def find_list(name: str, rules: str | Ruleset | None = None) -> RuleList:
    """The rule list of that name, or from the file at that path; the list itself says which ruleset it is for."""
    file = _shipped(LISTS, name)
    if file or name.endswith(SUFFIX) or Path(name).exists():
        return load_list(file or name, rules)
    raise YatzyError("policy", name, (*shipped_lists(), "a rule list's file"), "is no rule list")


def shipped_charts(game: str = DEFAULT) -> list[str]:
    """Names of the charts of a game in the package, `chart-10` before `chart-20`."""
    return sorted((name for name, played in _charts() if played == game), key=natural_key)


def charted_games() -> list[str]:
    """Names of the games that have charts in the package, Scandinavian Yatzy first."""
    return [DEFAULT, *sorted({game for _, game in _charts()} - {DEFAULT})]


def _charts() -> list[tuple[str, str]]:
    """(name, game) of every chart in the package."""
    parts = [file.name.removesuffix(SUFFIX).partition(".") for file in CHARTS.glob(f"*{SUFFIX}")]
    return [(name, game or DEFAULT) for name, _, game in parts]


def chart_file(name: str, game: str) -> Path | None:
    """Where the package has the chart of that name for a game, if it has one."""
    return _shipped(CHARTS, name if game == DEFAULT else f"{name}.{game}")


def is_chart(name: str) -> bool:
    """Is it the name of a chart in the package, for whatever game, or a chart's file?"""
    if any(chart_file(name, game) for game in charted_games()):
        return True
    try:
        return name.endswith(SUFFIX) and Path(name).exists() and _read(name) is not None
    except YatzyError:
        return False


def find_chart(name: str = "chart-20", rules: str | Ruleset | None = None) -> Chart:
    """A chart by its name for a game (if none is given, Scandinavian Yatzy), or from a file.

    >>> import yatzy
    >>> found = yatzy.chart("chart-10")
    >>> found
    <Chart chart-10 for scandinavian: 10 lines, mean 227.82, 3.8 read per decision>
    >>> print(str(found).splitlines()[2])
    1. Yatzy, Full House, Large Straight or Small Straight: any points
    >>> yatzy.chart("chart-20", rules="yahtzee").info["mean"] > 244
    True

    `yatzy lists list` lists the names; `found.policy` plays by it, and so does its name wherever a policy is
    wanted. A notebook shows it with what the chart would lose without each line, in points per game.
    """
    game = ruleset(DEFAULT if rules is None else rules)
    if file := chart_file(name, game.name):
        return load_chart(file, game)
    if Path(name).exists():
        return load_chart(name, rules)
    raise YatzyError("chart", name, (*shipped_charts(game.name), "a chart's file"), f"is no chart for {game.name}")


@dataclass(frozen=True)
class ChartFile:
    """The file of a chart, without its checksum: its words, line by line."""

    format: str
    name: str
    rules: Ruleset
    fingerprint: str
    text: list[str]
    info: dict[str, Any]


def chart_content(chart: Chart) -> ChartFile:
    """What the file of a chart holds."""
    rules = chart.rules
    return ChartFile(FORMAT, chart.name, rules, rules.fingerprint, chart_text(chart).splitlines(), chart.info)


def save_chart(chart: Chart, path: Path) -> Path:
    """Write a chart's file, whole or not at all."""
    return write_atomically(path, json.dumps(seal(as_json(chart_content(chart))), indent=1).encode() + b"\n")


def load_chart(path: str | Path, game: str | Ruleset | None = None) -> Chart:
    """Read a chart's file."""
    path = Path(path)
    found = _read(path)
    if found is None:
        raise YatzyError("chart", path, why=f"is not a chart of format {FORMAT}")
    try:
        words, info = "\n".join(found["text"]), dict(found["info"])
        played = ruleset(found["rules"] if game is None else game)
    except (KeyError, TypeError, ValueError) as error:
        raise YatzyError("chart", path, why=f"does not hold what a chart needs ({error})") from None
    if found.get("fingerprint") != played.fingerprint:
        raise YatzyError("chart", path, why=f"plays {found.get('rules')!r}, not {played.name!r}")
    chart = parse_chart(words, played)
    if not chart.name.isprintable():
        raise YatzyError("chart", path, why="has a name that cannot be printed")
    return replace(chart, info=info)


def _read(path: str | Path) -> dict[str, Any] | None:
    """The content of a chart's file, None if it is something else."""
    found = read_sealed(path, "chart")
    return found if found.get("format") == FORMAT else None
