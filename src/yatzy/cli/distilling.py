"""Commands that make perfect play small: dataset, distill."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yatzy.cli.console import Home, Json, Rules, notice, print_json, progress_bar
from yatzy.distill.recipes import RECIPES, train_family
from yatzy.errors import YatzyError
from yatzy.evaluate.simulate import check_games
from yatzy.home import home as home_folder
from yatzy.solver.states import Progress
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable

if TYPE_CHECKING:
    from yatzy.distill.student import Student

Games = Annotated[int, typer.Option(help="How many optimal games the training data has.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.")]


def dataset(
    games: Games = 200_000,
    seed: Seed = 0,
    values: Annotated[bool, typer.Option("--values", help="Also the value of every action.")] = False,
    format: Annotated[str, typer.Option(help="parquet or csv.")] = "parquet",
    out: Annotated[
        Path | None, typer.Option(help="Folder for the files [default: datasets/... in --home].")
    ] = None,
    rules: Rules = "scandinavian",
    threads: Annotated[int | None, typer.Option(help="Threads [default: all cores].")] = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Play optimal games and write every decision: features, best action, gap to the second best.

    One file per kind of decision. Finished parts are kept: stop it at any time and run it again.
    Example: yatzy dataset --games 10000 --values --out data
    """
    from yatzy.distill.dataset import write_dataset

    check_games(games, seed)
    table = _table(rules, home)
    folder = out or _dataset_folder(home, table, games, seed) / ("values" if values else "")
    started = time.perf_counter()
    with progress_bar(f"playing {games:,} games") as progress:
        files = write_dataset(table, folder, games, seed, values, format, threads, progress)
    seconds = time.perf_counter() - started
    rows = games * table.rules.n_categories
    if json:
        found = {name: {"file": str(file), "rows": rows} for name, file in files.items()}
        print_json({"rules": table.rules.name, "games": games, "seed": seed, "files": found, "seconds": seconds})
        return
    for file in files.values():
        typer.echo(f"{rows:,} decisions in {file}")
    typer.echo(f"{seconds:.1f} s")


def distill(
    family: Annotated[str, typer.Argument(help="imitation-trees, networks, value or regret-trees.")],
    name: Annotated[list[str] | None, typer.Option(help="Which value models or regret trees; repeatable.")] = None,
    depth: Annotated[list[int] | None, typer.Option(help="Depth of trees, 0 for unlimited; repeatable.")] = None,
    hidden: Annotated[list[str] | None, typer.Option(help="Hidden layers, such as 64,32; repeatable.")] = None,
    weighting: Annotated[str, typer.Option(help="What rows weigh: equal, gap or gap-balanced (trees).")] = "equal",
    games: Games = 200_000,
    seed: Seed = 0,
    measure: Annotated[bool, typer.Option("--measure", help="Also the exact mean of every model.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the models [default: students in --home].")] = None,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """Train a family of students on perfect play, each saved as one small file.

    imitation-trees and networks learn what perfect play did in --games games; value models and regret-trees learn
    what actions are worth. Finished models are kept: stop it at any time and run it again.
    Example: yatzy distill value --name value-18
    """
    if family not in (*IMITATORS, *RECIPES):
        raise YatzyError(f"family: {family!r} is not known; allowed are {', '.join([*IMITATORS, *RECIPES])}")
    check_games(games, seed)
    table = _table(rules, home)
    folder = out or home_folder(home) / "students" / table.rules.name
    started = time.perf_counter()
    if family in RECIPES:
        files = train_family(family, table, folder, name, notice)
    else:
        data = _dataset(table, games, seed, home)
        with progress_bar(f"training {family}") as progress:
            files = IMITATORS[family](table, data, folder, depth, hidden, weighting, seed, progress)
    _report(table, files, measure, time.perf_counter() - started, json)


def _imitation_trees(
    table: ValueTable, data: dict[str, Path], folder: Path, depth: list[int] | None, hidden: list[str] | None,
    weighting: str, seed: int, progress: Progress,
) -> dict[str, Path]:  # fmt: skip
    from yatzy.distill.imitate import DEPTHS, train_trees

    return train_trees(table.rules, data, folder, depth or DEPTHS, weighting, seed, progress)


def _networks(
    table: ValueTable, data: dict[str, Path], folder: Path, depth: list[int] | None, hidden: list[str] | None,
    weighting: str, seed: int, progress: Progress,
) -> dict[str, Path]:  # fmt: skip
    from yatzy.distill.imitate import HIDDEN, train_networks

    sizes = [_widths(text) for text in hidden] if hidden else HIDDEN
    return train_networks(table.rules, data, folder, sizes, weighting=weighting, seed=seed, progress=progress)


def _widths(text: str) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isdecimal() and int(word) > 0 for word in words):
        raise YatzyError(f"hidden: {text!r} is not a list of widths such as 64,32")
    return tuple(map(int, words))


IMITATORS: dict[str, Callable[..., dict[str, Path]]] = {"imitation-trees": _imitation_trees, "networks": _networks}


def _table(rules: str, home: Path | None) -> ValueTable:
    with progress_bar("solving") as progress:
        return stored_table(rules, folder=home, progress=progress, notice=notice)


def _dataset_folder(home: Path | None, table: ValueTable, games: int, seed: int) -> Path:
    return home_folder(home) / "datasets" / f"{table.rules.name}-{games}-{seed}"


def _dataset(table: ValueTable, games: int, seed: int, home: Path | None) -> dict[str, Path]:
    """The training data of an earlier run, or written now."""
    from yatzy.distill.dataset import decision_names, write_dataset

    folder = _dataset_folder(home, table, games, seed)
    files = {name: folder / f"{name}_decisions.parquet" for name in decision_names(table.rules)}
    if all(file.exists() for file in files.values()):
        return files
    with progress_bar(f"playing {games:,} games") as progress:
        return write_dataset(table, folder, games, seed, progress=progress)


def _report(table: ValueTable, files: dict[str, Path], measure: bool, seconds: float, json: bool) -> None:
    from yatzy.distill.student import load_student

    rows = []
    for name, file in files.items():
        student = load_student(file, table.rules)
        rows.append({"name": name, "parameters": student.parameters, "file": str(file)})
        if measure:
            rows[-1]["mean"] = _mean(student)
    if json:
        print_json({"rules": table.rules.name, "models": rows, "seconds": seconds})
        return
    for row in rows:
        mean = f"  mean {row['mean']:.2f}" if measure else ""
        typer.echo(f"{row['name']:24} {row['parameters']:>9,} parameters{mean}  {row['file']}")
    typer.echo(f"{seconds:.0f} s")


def _mean(student: "Student") -> float:
    from yatzy.evaluate.exact import evaluate

    with progress_bar(f"evaluating {student.name}") as progress:
        return evaluate(student, progress=progress).mean
