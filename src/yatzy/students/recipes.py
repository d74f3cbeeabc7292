"""How the named students are made: every setting that matters, in one place.

A finished model whose file says it was made by the same recipe is kept, so that training can be stopped and run
again. `yatzy distill value` and `yatzy distill regret-trees` train them; the ones in the package were made so.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from yatzy.errors import YatzyError
from yatzy.policy.registry import SUFFIX, shipped_file, shipped_students
from yatzy.running import Report
from yatzy.solver.table import ValueTable
from yatzy.students.student import Student, load_student, save_student


@dataclass(frozen=True)
class ValueRecipe:
    """A value model: hidden layers, parents and L-BFGS steps per round, rounds, and rounds of pattern search."""

    sizes: tuple[int, ...]
    parents: int
    iterations: int
    rounds: int = 2
    search_rounds: int = 0
    seed: int = 0


@dataclass(frozen=True)
class TreeRecipe:
    """Trees by regret: at most so many parameters; states, rolls per state and decision, and rounds."""

    parameters: int
    states: int
    rolls: int
    rounds: int
    seed: int = 0


RECIPES: dict[str, dict[str, ValueRecipe | TreeRecipe]] = {
    "value": {
        "value-18": ValueRecipe((), parents=20_000, iterations=200, search_rounds=5),
        "value-350": ValueRecipe((17,), parents=20_000, iterations=800),
        "value-650": ValueRecipe((33,), parents=20_000, iterations=1000),
        "value-2000": ValueRecipe((40, 28), parents=24_000, iterations=1200),
    },
    "regret-trees": {
        "tree-6k": TreeRecipe(parameters=6_200, states=60_000, rolls=6, rounds=2),
        "tree-80k": TreeRecipe(parameters=80_000, states=150_000, rolls=6, rounds=1),
    },
}


def train_family(
    family: str,
    table: ValueTable,
    folder: Path,
    names: Iterable[str] | None = None,
    report: Report = lambda text: None,
) -> dict[str, Path]:
    """Train the named students of a family, or all of them; returns their files."""
    recipes = RECIPES[family]
    wanted = list(names) if names else list(recipes)
    unknown = [name for name in wanted if name not in recipes]
    if unknown:
        raise YatzyError(f"name: {unknown[0]!r} is not known; allowed are {', '.join(recipes)}")
    files = {}
    for name in wanted:
        files[name] = folder / f"{name}{SUFFIX}"
        if _is_made_by(files[name], recipes[name], table):
            report(f"{name}: kept")
            continue
        save_student(train_student(name, recipes[name], table, report), files[name])
    return files


def find_or_train(
    family: str, table: ValueTable, folder: Path, report: Report = lambda text: None
) -> dict[str, Path]:
    """Every student of a family: the shipped one if its recipe made it, else one trained into the folder."""
    shipped = {name: shipped_file(name) for name in RECIPES[family] if name in shipped_students()}
    found = {name: file for name, file in shipped.items() if _is_made_by(file, RECIPES[family][name], table)}
    others = [name for name in RECIPES[family] if name not in found]
    trained = train_family(family, table, folder, others, report) if others else {}
    return {name: (found | trained)[name] for name in RECIPES[family]}


def train_student(name: str, recipe: ValueRecipe | TreeRecipe, table: ValueTable, report: Report) -> Student:
    """Train one student by its recipe."""
    if isinstance(recipe, ValueRecipe):
        from yatzy.students.value.training import train as train_value

        return train_value(table, name, report=report, **asdict(recipe))
    from yatzy.students.trees.regret import train as train_trees

    return train_trees(table, name, report=report, **asdict(recipe))


def _is_made_by(path: Path, recipe: ValueRecipe | TreeRecipe, table: ValueTable) -> bool:
    try:
        made = load_student(path, table.rules).info
    except YatzyError:
        return False
    settings = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(recipe).items()}
    return all(made.get(key) == value for key, value in settings.items())
