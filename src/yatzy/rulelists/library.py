"""Rule lists and charts by name: those in the package, and any other by its file (a `policy` source)."""

from pathlib import Path

from yatzy.errors import YatzyError
from yatzy.policy.base import Policy
from yatzy.rulelists.charts.library import find_chart, is_chart, shipped_charts
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rulelists.language.rulelist import RuleList, load_list
from yatzy.rulelists.play.player import ListPlayer
from yatzy.rules import Ruleset
from yatzy.shipped import natural

SUFFIX = ".json"
LISTS = Path(__file__).parent / "lists"


def names() -> list[str]:
    """What the registry lists: the rule lists and charts in the package."""
    return [*shipped_lists(), *shipped_charts()]


def shipped_lists() -> list[str]:
    """Names of the rule lists in the package, `card-20` before `card-100`."""
    return sorted((file.name.removesuffix(SUFFIX) for file in LISTS.glob(f"*{SUFFIX}")), key=natural)


def find(name: str, rules: Ruleset, folder: Path | None = None) -> Policy | None:
    """The list or chart of that name, or in this file, ready to play."""
    if is_chart(name):
        return ChartPlayer(find_chart(name, rules), folder)
    if name in shipped_lists() or name.endswith(SUFFIX):
        return ListPlayer(find_list(name, rules), folder)
    return None


def find_list(name: str, rules: str | Ruleset | None = None) -> RuleList:
    """The rule list of that name, or from the file at that path; the list itself says which ruleset it is for."""
    if name in shipped_lists():
        return load_list(LISTS / f"{name}{SUFFIX}", rules)
    if name.endswith(SUFFIX) or Path(name).exists():
        return load_list(name, rules)
    raise YatzyError("policy", name, (*shipped_lists(), "a rule list's file"), "is no rule list")
