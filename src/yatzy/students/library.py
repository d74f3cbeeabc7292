"""Students by name: those in the package, those made at home, and any other by its file (a `policy` source)."""

from pathlib import Path

from yatzy.home import home
from yatzy.rules import Ruleset, stored_name
from yatzy.students.student import Student, load_student

SUFFIX = ".safetensors"
MODELS = Path(__file__).parent / "models"


def names() -> list[str]:
    """What the registry lists: the students in the package."""
    return shipped_students()


def shipped_students() -> list[str]:
    """Names of the students in the package."""
    return sorted(file.name.removesuffix(SUFFIX) for file in MODELS.glob(f"*{SUFFIX}"))


def find(name: str, rules: Ruleset, folder: Path | None = None) -> Student | None:
    """A student in the package, one made at home (`yatzy distill`), or the one in this file."""
    for file in (shipped_file(name), made_file(name, rules, folder)):
        if file.name == f"{name}{SUFFIX}" and file.exists():
            return load_student(file, rules)
    return load_student(name, rules) if name.endswith(SUFFIX) else None


def shipped_file(name: str) -> Path:
    """Where the package has a student of that name, if it has one."""
    return MODELS / f"{name}{SUFFIX}"


def made_folder(rules: Ruleset, folder: Path | None = None) -> Path:
    """Where the students made at home are kept."""
    return home(folder) / "students" / stored_name(rules)


def made_file(name: str, rules: Ruleset, folder: Path | None = None) -> Path:
    """Where a student made at home is kept, if it has been made."""
    return made_folder(rules, folder) / f"{name}{SUFFIX}"
