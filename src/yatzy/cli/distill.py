"""The command that trains small models on perfect play: distill."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yatzy.cli.console import Games, Home, Json, Rules, Seed, notice, print_json, solved_table, working
from yatzy.context import Context, silent
from yatzy.errors import YatzyError
from yatzy.game.json import Count, Positive
from yatzy.players.model import (
    GAMES,
    RECIPES,
    ImitationTreeRecipe,
    NetworkRecipe,
    Recipe,
    made_folder,
    named_recipes,
)
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.table import ValueTable
from yatzy.storage import check_folder

if TYPE_CHECKING:
    from yatzy.players.model import Model


@dataclass(frozen=True)
class Trained:
    """A model, with its exact mean if that was measured."""

    name: str
    parameters: Count
    file: Path
    mean: float | None = None


@dataclass(frozen=True)
class ModelsTrained:
    """Models of one family."""

    rules: Ruleset
    models: tuple[Trained, ...]
    seconds: Positive


ANSWERS = {"distill": ModelsTrained}


def distill(
    family: Annotated[str, typer.Argument(help=f"{', '.join(list(RECIPES)[:-1])} or {list(RECIPES)[-1]}.")],
    name: Annotated[
        list[str] | None, typer.Option(help="Name of a value model or regret tree; repeatable.")
    ] = None,
    depth: Annotated[list[int] | None, typer.Option(help="Depth of a tree, 0 for unlimited; repeatable.")] = None,
    hidden: Annotated[
        list[str] | None, typer.Option(help="Widths of hidden layers, such as 64,32; repeatable.")
    ] = None,
    weighting: Annotated[
        str | None, typer.Option(help="Weights of rows: equal, gap or gap-balanced (trees) [default: equal].")
    ] = None,
    games: Games = GAMES,
    seed: Seed = 0,
    measure: Annotated[bool, typer.Option("--measure", help="Also compute the exact mean of each model.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the models [default: students in --home].")
    ] = None,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """Train a family of models on perfect play, and save each as one small file.

    imitation-trees and networks learn the decisions of perfect play in --games games; value models and
    regret-trees learn the values of actions. The command can be interrupted and resumed: finished models are kept.

    Example: yatzy distill value --name value-18
    """
    from yatzy.lab.training.train import train_into

    recipes = _recipes(family, name, depth, hidden, weighting, games, seed)
    ruleset(rules).check_plain("models are")
    if out:
        check_folder("out", out)
    table = solved_table(rules, home)
    folder = out or made_folder(table.rules, home)
    started = time.perf_counter()
    files = train_into(folder, recipes, table, Context(home, notice=silent if json else notice))
    _report(table, files, measure, time.perf_counter() - started, json)


def _recipes(
    family: str, names: list[str] | None, depths: list[int] | None, hidden: list[str] | None,
    weighting: str | None, games: int, seed: int,
) -> list[Recipe]:  # fmt: skip
    """What to train: imitators by the given sizes, others by their names; the usual ones if none are given."""
    takes = {"imitation-trees": ("depth", "weighting"), "networks": ("hidden", "weighting")}.get(family, ("name",))
    given = {"name": names, "depth": depths, "hidden": hidden, "weighting": weighting}
    usual = named_recipes(family, names if "name" in takes else None)
    for option, value in given.items():
        if value is not None and option not in takes:
            raise YatzyError(
                option, why=f"is not for {family}, which takes {' and '.join(f'--{t}' for t in takes)}"
            )
    weighting = weighting or "equal"
    if family == "imitation-trees":
        sizes = depths or [recipe.depth for recipe in usual if isinstance(recipe, ImitationTreeRecipe)]
        return [ImitationTreeRecipe(one, weighting, games, seed) for one in sizes]
    if family == "networks":
        shapes = [recipe.hidden for recipe in usual if isinstance(recipe, NetworkRecipe)]
        shapes = [_widths(text) for text in hidden] if hidden else shapes
        return [NetworkRecipe(one, weighting=weighting, games=games, seed=seed) for one in shapes]
    return usual


def _widths(text: str) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isdecimal() and len(word) <= 18 and int(word) for word in words):
        raise YatzyError("hidden", text, why="is not a list of widths such as 64,32")
    return tuple(map(int, words))


def _report(table: ValueTable, files: dict[str, Path], measure: bool, seconds: float, json: bool) -> None:
    from yatzy.players.model import load_model

    rows = []
    for name, file in files.items():
        model = load_model(file, table.rules)
        rows.append(Trained(name, model.parameters, file, _mean(model) if measure else None))
    if json:
        print_json(ModelsTrained(table.rules, tuple(rows), seconds))
        return
    for row in rows:
        mean = f"  mean {row.mean:.2f}" if row.mean is not None else ""
        typer.echo(f"{row.name:24} {row.parameters:>9,} parameters{mean}  {row.file}")
    typer.echo(f"{seconds:.0f} s")


def _mean(model: "Model") -> float:
    from yatzy.measure.exact import evaluate

    with working(f"evaluating {model.name}") as context:
        return evaluate(model, context=context).mean
