"""Commands that make perfect play small: dataset, distill."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yatzy.cli.console import Home, Json, Rules, notice, print_json, progress_bar
from yatzy.errors import YatzyError
from yatzy.evaluate.simulate import check_games
from yatzy.home import home as home_folder
from yatzy.policy.named import NAMES
from yatzy.policy.registry import find_policy, known_policies, shipped_students
from yatzy.running import Progress
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.students.recipes import RECIPES, train_family

if TYPE_CHECKING:
    from yatzy.datasets.situations import Mixed
    from yatzy.evaluate.visits import Visits
    from yatzy.policy.base import Policy
    from yatzy.students.student import Student

Games = Annotated[int, typer.Option(help="How many optimal games the training data has.")]
SOFTENED = "softened"
WHO = f"{', '.join([SOFTENED, *NAMES, *shipped_students()])}, a list of `yatzy rules list`, or a file"
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.")]


def dataset(
    games: Annotated[int | None, typer.Option(help="Optimal games to play [default: 200000].")] = None,
    policy: Annotated[
        str | None,
        typer.Option(help=f"Whose situations, with --draws or --complete: {WHO} [default: optimal]."),
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(help="Of softened play, in points; near 0 it is optimal play [default: 3].")
    ] = None,
    draws: Annotated[
        int | None, typer.Option(help="Draw that many situations of each kind by their exact weight; no games.")
    ] = None,
    complete: Annotated[
        bool, typer.Option("--complete", help="Every situation that can occur, with its exact weight; no games.")
    ] = False,
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
    """Write decisions as training data: features, best action, gap to the second best, one file per kind.

    Those of optimal games, or with --draws or --complete the situations of any policy by their exact weight.
    Finished parts are kept: stop it at any time and run it again.
    Example: yatzy dataset --policy softened --draws 1000000 --values --out data
    """
    from yatzy.datasets.situations import check_format

    check_format(format)
    if draws is None and not complete:
        for field, given in (("policy", policy), ("temperature", temperature)):
            if given is not None:
                raise YatzyError(
                    f"{field}: {given!r} needs --draws or --complete; games are those of optimal play"
                )
        found = _write_games(200_000 if games is None else games, seed, values, format, out, rules, threads, home)
    else:
        if games is not None:
            raise YatzyError(f"games: {games} cannot go with --draws or --complete, which play no games")
        if draws is not None and complete:
            raise YatzyError(f"draws: {draws} cannot go with --complete, which draws nothing")
        found = _write_situations(
            policy or "optimal", temperature, draws, seed, values, format, out, rules, threads, home
        )
    if json:
        print_json(found)
        return
    for entry in found["files"].values():
        typer.echo(f"{entry['rows']:,} decisions in {entry['file']}")
    typer.echo(f"{found['seconds']:.1f} s")


def _write_games(
    games: int, seed: int, values: bool, file_format: str, out: Path | None, rules: str, threads: int | None,
    home: Path | None,
) -> dict[str, Any]:  # fmt: skip
    from yatzy.datasets.situations import write_dataset

    check_games(games, seed)
    table = _table(rules, home)
    folder = out or _dataset_folder(home, table, games, seed) / ("values" if values else "")
    started = time.perf_counter()
    with progress_bar(f"playing {games:,} games") as progress:
        files = write_dataset(table, folder, games, seed, values, file_format, threads, progress)
    rows = games * table.rules.n_categories
    return {
        "rules": table.rules.name, "games": games, "seed": seed,
        "files": {name: {"file": str(file), "rows": rows} for name, file in files.items()},
        "seconds": time.perf_counter() - started,
    }  # fmt: skip


def _write_situations(
    who: str, temperature: float | None, draws: int | None, seed: int, values: bool, file_format: str,
    out: Path | None, rules: str, threads: int | None, home: Path | None,
) -> dict[str, Any]:  # fmt: skip
    import polars as pl

    from yatzy.datasets.situations import check_draws, write_situations

    check_draws(draws, seed)
    if draws is None and seed:
        raise YatzyError(f"seed: {seed} cannot go with --complete, which draws nothing")
    table, player, follow = _player(who, temperature, rules, home)
    started = time.perf_counter()
    with progress_bar(f"following {player.name} "):
        found = follow(threads)
    how = "complete" if draws is None else f"{draws}-{seed}"
    name = f"{table.rules.name}-{player.name.replace(', ', '-').replace(' ', '-')}-{how}"
    folder = out or home_folder(home) / "datasets" / name / ("values" if values else "")
    with progress_bar(f"writing the situations of {player.name}") as progress:
        files = write_situations(
            table, player, found.visits, folder, draws, seed, values, file_format, threads, progress
        )
    scan = pl.scan_csv if file_format == "csv" else pl.scan_parquet
    return {
        "rules": table.rules.name, "policy": player.name, "mean": found.mean, "draws": draws, "seed": seed,
        "files": {
            name: {"file": str(file), "rows": int(scan(file).select(pl.len()).collect().item())}
            for name, file in files.items()
        },
        "seconds": time.perf_counter() - started,
    }  # fmt: skip


def _player(
    who: str, temperature: float | None, rules: str, home: Path | None
) -> tuple[ValueTable, "Policy | Mixed", Callable[[int | None], "Visits"]]:
    """The table, who plays, and what follows the play with so many threads."""
    from yatzy.evaluate.visits import visit
    from yatzy.policy.base import Checked
    from yatzy.policy.softened import TEMPERATURE, Softened, check_temperature

    if who == SOFTENED:
        degrees = TEMPERATURE if temperature is None else temperature
        check_temperature(degrees)
        table = _table(rules, home)
        softened = Softened(table, degrees)
        return table, softened, softened.visit
    if temperature is not None:
        raise YatzyError(f"temperature: {temperature} is for the policy {SOFTENED!r} only, not for {who!r}")
    if who not in known_policies() and not Path(who).exists():
        known = ", ".join([SOFTENED, *known_policies()])
        raise YatzyError(
            f"policy: {who!r} is not known; allowed are {known}, or a student's file or a rule list's"
        )
    with progress_bar("solving") as progress:
        policy = find_policy(who, rules, folder=home, progress=progress, notice=notice)
    return _table(rules, home), policy, lambda threads: visit(Checked(policy), threads)


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
    from yatzy.students.imitation import DEPTHS, train_trees

    return train_trees(table.rules, data, folder, depth or DEPTHS, weighting, seed, progress)


def _networks(
    table: ValueTable, data: dict[str, Path], folder: Path, depth: list[int] | None, hidden: list[str] | None,
    weighting: str, seed: int, progress: Progress,
) -> dict[str, Path]:  # fmt: skip
    from yatzy.students.imitation import HIDDEN, train_networks

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
    from yatzy.datasets.situations import decision_names, write_dataset

    folder = _dataset_folder(home, table, games, seed)
    files = {name: folder / f"{name}_decisions.parquet" for name in decision_names(table.rules)}
    if all(file.exists() for file in files.values()):
        return files
    with progress_bar(f"playing {games:,} games") as progress:
        return write_dataset(table, folder, games, seed, progress=progress)


def _report(table: ValueTable, files: dict[str, Path], measure: bool, seconds: float, json: bool) -> None:
    from yatzy.students.student import load_student

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
