"""Training: one call for every family, which turns a recipe and a solved game into a model."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, cast

from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.lab.training import networks, trees
from yatzy.lab.training import values as value
from yatzy.players.model import (
    SUFFIX,
    ImitationTreeRecipe,
    Model,
    NetworkRecipe,
    Recipe,
    RegretTreeRecipe,
    ValueRecipe,
    load_model,
    made_folder,
    named_recipes,
    save_model,
    shipped_file,
)
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable
from yatzy.storage import writer_lock


class Trainer(Protocol):
    """The signature of every family's `train`."""

    def __call__(self, recipe: Recipe, table: ValueTable, context: Context) -> Model: ...


TRAINERS: dict[type, Trainer] = {
    ValueRecipe: cast("Trainer", value.train),
    RegretTreeRecipe: cast("Trainer", trees.train_by_regret),
    ImitationTreeRecipe: cast("Trainer", trees.train),
    NetworkRecipe: cast("Trainer", networks.train),
}


def train(recipe: Recipe, table: ValueTable, context: Context = DEFAULT_CONTEXT) -> Model:
    """Train one model; data sets and half-finished work are kept in the home folder."""
    table.rules.check_plain("models are")
    return TRAINERS[type(recipe)](recipe, table, context)


def train_into(
    out: Path, recipes: Iterable[Recipe], table: ValueTable, context: Context = DEFAULT_CONTEXT
) -> dict[str, Path]:
    """Train models and save each when it is finished; those already there are kept. Returns the files."""
    files = {}
    for recipe in recipes:
        file = files[recipe.name] = out / f"{recipe.name}{SUFFIX}"
        with writer_lock(file, context.notice):
            if made_by(recipe, file, table.rules):
                context.notice(f"{recipe.name}: kept")
            else:
                save_model(train(recipe, table, context), file)
    return files


def find_or_train(family: str, table: ValueTable, context: Context = DEFAULT_CONTEXT) -> dict[str, Path]:
    """Every model of a family: the shipped one if its recipe made it, else one made at home or trained now."""
    found = {}
    for recipe in named_recipes(family):
        file = shipped_file(recipe.name)
        if made_by(recipe, file, table.rules):
            found[recipe.name] = file
        else:
            found |= train_into(made_folder(table.rules, context.home), [recipe], table, context)
    return found


def made_by(recipe: Recipe, file: Path, rules: Ruleset) -> bool:
    """Does this file hold the model that the recipe makes?"""
    try:
        info = load_model(file, rules).info
    except YatzyError:
        return False
    return all(info.get(key) == value for key, value in recipe.info(rules).items())
