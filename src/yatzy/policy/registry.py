"""Every policy there is, by name or by file: those of `policy`, shipped students and rule lists, your files."""

import re
from collections.abc import Callable
from pathlib import Path

from yatzy.errors import YatzyError
from yatzy.policy.base import Policy
from yatzy.policy.named import NAMES, named_policy
from yatzy.rulelists.language.rulelist import RuleList, load_list
from yatzy.rules import Ruleset, ruleset
from yatzy.running import Progress
from yatzy.students.student import load_student

SUFFIX = ".safetensors"
LIST_SUFFIX = ".json"

MODELS = Path(__file__).parents[1] / "students" / "models"
LISTS = Path(__file__).parents[1] / "rulelists" / "lists"


def shipped_students() -> list[str]:
    """Names of the students in the package."""
    return sorted(file.name.removesuffix(SUFFIX) for file in MODELS.glob(f"*{SUFFIX}"))


def shipped_file(name: str) -> Path:
    """The file of a student in the package."""
    return MODELS / f"{name}{SUFFIX}"


def shipped_lists() -> list[str]:
    """Names of the rule lists in the package, `card-20` before `card-100`."""
    names = [file.name.removesuffix(LIST_SUFFIX) for file in LISTS.glob(f"*{LIST_SUFFIX}")]
    return sorted(
        names, key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
    )


def find_list(name: str, rules: str | Ruleset | None = None) -> RuleList:
    """The rule list of that name, or from the file of that path; it says itself for which ruleset it is."""
    if name in shipped_lists():
        return load_list(LISTS / f"{name}{LIST_SUFFIX}", rules)
    if name.endswith(LIST_SUFFIX) or Path(name).exists():
        return load_list(name, rules)
    known = ", ".join(shipped_lists()) or "none yet"
    raise YatzyError(f"policy: there is no rule list {name!r}; allowed are {known}, or a rule list's file")


def find_policy(
    name: str,
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    folder: str | Path | None = None,
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
) -> Policy:
    """The policy of that name, or from the file of that path."""
    game = ruleset(rules)
    if name in NAMES:
        return named_policy(name, game, theta, folder, progress, notice)
    if theta != 0:
        raise YatzyError(f"theta: {theta} is for the optimal policy only, not for {name!r}")
    if name in shipped_students():
        return load_student(shipped_file(name), game)
    if name in shipped_lists() or name.endswith(LIST_SUFFIX):
        return find_list(name, game)
    if name.endswith(SUFFIX) or Path(name).exists():
        return load_student(name, game)
    known = ", ".join(known_policies())
    raise YatzyError(f"policy: {name!r} is not known; allowed are {known}, or a student's file or a rule list's")


def known_policies() -> list[str]:
    """Every name that `find_policy` knows."""
    return [*NAMES, *shipped_students(), *shipped_lists()]
