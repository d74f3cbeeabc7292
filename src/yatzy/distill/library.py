"""Every policy there is, by name or by file: those of `policy`, the shipped students, and files of your own."""

from collections.abc import Callable
from pathlib import Path

from yatzy.distill.student import load_student
from yatzy.errors import YatzyError
from yatzy.policy.base import Policy
from yatzy.policy.named import NAMES, named_policy
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.states import Progress

SUFFIX = ".safetensors"


MODELS = Path(__file__).parent / "models"


def shipped_students() -> list[str]:
    """Names of the students in the package."""
    return sorted(file.name.removesuffix(SUFFIX) for file in MODELS.glob(f"*{SUFFIX}"))


def shipped_file(name: str) -> Path:
    """The file of a student in the package."""
    return MODELS / f"{name}{SUFFIX}"


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
    if name.endswith(SUFFIX) or Path(name).exists():
        return load_student(name, game)
    known = ", ".join([*NAMES, *shipped_students()])
    raise YatzyError(f"policy: {name!r} is not known; allowed are {known}, or a student's file")
