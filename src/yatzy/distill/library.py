"""Every policy there is, by name or by file: those of `policy`, the shipped students, and files of your own."""

from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

from yatzy.distill.student import load_student
from yatzy.errors import YatzyError
from yatzy.policy.base import Policy
from yatzy.policy.named import NAMES, named_policy
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.states import Progress

SUFFIX = ".safetensors"


def shipped_students() -> list[str]:
    """Names of the students in the package."""
    folder = files("yatzy.distill") / "models"
    return sorted(entry.name.removesuffix(SUFFIX) for entry in folder.iterdir() if entry.name.endswith(SUFFIX))


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
        with as_file(files("yatzy.distill") / "models" / f"{name}{SUFFIX}") as path:
            return load_student(path, game)
    if name.endswith(SUFFIX) or Path(name).exists():
        return load_student(name, game)
    known = ", ".join([*NAMES, *shipped_students()])
    raise YatzyError(f"policy: {name!r} is not known; allowed are {known}, or a student's file")
