"""Charts as files, and those in the package by name.

A file holds the words of the chart and nothing that could say otherwise: reading a chart is reading its print.
"""

import json
import re
from pathlib import Path
from typing import Any

from yatzy.errors import YatzyError
from yatzy.files import write_whole
from yatzy.rulelists.charts.lines import Chart
from yatzy.rulelists.charts.words import chart_text, parse_chart
from yatzy.rules import Ruleset, ruleset
from yatzy.sealed import SealError, read_sealed, seal

FORMAT = "yatzy-chart-1"
SUFFIX = ".json"
SHIPPED = Path(__file__).parent / "shipped"


def chart_json(chart: Chart) -> dict[str, Any]:
    """A chart as plain values."""
    return {
        "format": FORMAT,
        "name": chart.name,
        "rules": chart.rules.name,
        "fingerprint": chart.rules.fingerprint,
        "text": chart_text(chart).splitlines(),
        "info": chart.info,
    }


def save_chart(chart: Chart, path: Path) -> Path:
    """Write a chart's file, whole or not at all."""
    return write_whole(path, json.dumps(seal(chart_json(chart)), indent=1).encode() + b"\n")


def load_chart(path: str | Path, game: str | Ruleset | None = None) -> Chart:
    """Read a chart's file."""
    found = _read(path)
    if found is None:
        raise YatzyError(f"chart: {path} is not a chart of format {FORMAT}")
    try:
        words, info = "\n".join(found["text"]), dict(found["info"])
        played = ruleset(found["rules"] if game is None else game)
    except (KeyError, TypeError, ValueError) as error:
        raise YatzyError(f"chart: {path} does not hold what a chart needs ({error})") from None
    if found.get("fingerprint") != played.fingerprint:
        raise YatzyError(f"chart: {path} plays {found.get('rules')!r}, not {played.name!r}")
    chart = parse_chart(words, played)
    return Chart(chart.name, chart.rules, chart.scores, chart.give_up, chart.keeps, chart.oracle_keeps, info)


def _read(path: str | Path) -> dict[str, Any] | None:
    """The content of a chart's file, None if it is something else."""
    if not Path(path).exists():
        raise YatzyError(f"chart: there is no file {path}")
    try:
        found = read_sealed(path)
    except SealError as error:
        raise YatzyError(f"chart: {error}") from None
    return found if found.get("format") == FORMAT else None


def is_chart(name: str) -> bool:
    """Is it the name of a chart in the package, or a chart's file?"""
    if name in shipped_charts():
        return True
    try:
        return name.endswith(SUFFIX) and Path(name).exists() and _read(name) is not None
    except YatzyError:
        return False


def shipped_charts() -> list[str]:
    """Names of the charts in the package, `chart-10` before `chart-20`."""
    found = [file.name.removesuffix(SUFFIX) for file in SHIPPED.glob(f"*{SUFFIX}")]
    return sorted(
        found, key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
    )


def find_chart(name: str, rules: str | Ruleset | None = None) -> Chart:
    """The chart of that name, or from the file at that path; the chart itself says which ruleset it is for."""
    if name in shipped_charts():
        return load_chart(SHIPPED / f"{name}{SUFFIX}", rules)
    if Path(name).exists():
        return load_chart(name, rules)
    known = ", ".join(shipped_charts()) or "none yet"
    raise YatzyError(f"chart: there is no chart {name!r}; allowed are {known}, or a chart's file")
