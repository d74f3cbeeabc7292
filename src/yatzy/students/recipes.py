"""How students are made: every setting that matters, for every family, in one place.

A recipe is data. `training.train` makes a student from it, and the student's file remembers it (`info`). A student
whose file remembers the same recipe is kept, so training can be stopped and resumed. The students in the package
were made from the recipes of the same names.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.errors import YatzyError, whole
from yatzy.policy.base import Decisions
from yatzy.policy.optimal import best_decisions
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable

TREE_WEIGHTINGS = ("equal", "gap", "gap-balanced")
NETWORK_WEIGHTINGS = ("equal", "gap")
GAMES = 200_000
# More is neither learnt in a day nor held in memory.
DEEPEST, MOST_LAYERS, WIDEST = 1000, 8, 4096
EPOCHS = 6


class Recipe(Protocol):
    """Everything that decides what a student becomes, given a solved game."""

    @property
    def name(self) -> str: ...

    def info(self, rules: Ruleset) -> dict[str, Any]:
        """What the student's file remembers."""
        ...


@dataclass(frozen=True)
class ValueRecipe:
    """A value model: hidden layers, parents and L-BFGS steps per round, rounds, and rounds of pattern search."""

    name: str
    sizes: tuple[int, ...]
    parents: int
    iterations: int
    rounds: int = 2
    search_rounds: int = 0
    seed: int = 0

    def info(self, rules: Ruleset) -> dict[str, Any]:
        return {"family": "value", **_settings(self)}


@dataclass(frozen=True)
class RegretTreeRecipe:
    """Trees by regret: the most parameters; states, rolls per state and decision, and rounds."""

    name: str
    parameters: int
    states: int = 60_000
    rolls: int = 6
    rounds: int = 3
    seed: int = 0

    def info(self, rules: Ruleset) -> dict[str, Any]:
        return {"family": "regret-trees", **_settings(self)}


@dataclass(frozen=True)
class ImitationTreeRecipe:
    """Trees that imitate optimal games: depth (0: unlimited), how rows are weighted, and which games."""

    depth: int
    weighting: str = "equal"
    games: int = GAMES
    seed: int = 0

    def __post_init__(self) -> None:
        whole("depth", self.depth, 0, DEEPEST)
        whole("seed", self.seed, 0, 2**32 - 1)  # that of scikit-learn
        if self.weighting not in TREE_WEIGHTINGS:
            raise YatzyError("weighting", self.weighting, TREE_WEIGHTINGS, "is not known")

    @property
    def name(self) -> str:
        return _kind("tree", self.weighting) + (f"-depth-{self.depth}" if self.depth else "-unlimited")

    def info(self, rules: Ruleset) -> dict[str, Any]:
        return {**_imitation(rules, self.weighting, self.games, self.seed), "depth": self.depth}


@dataclass(frozen=True)
class NetworkRecipe:
    """Networks that imitate optimal games: hidden layers, passes over the data, row weighting, which games."""

    hidden: tuple[int, ...]
    epochs: int = EPOCHS
    weighting: str = "equal"
    games: int = GAMES
    seed: int = 0

    def __post_init__(self) -> None:
        if self.weighting not in NETWORK_WEIGHTINGS:
            raise YatzyError("weighting", self.weighting, NETWORK_WEIGHTINGS, "is not for networks")
        if not 1 <= len(self.hidden) <= MOST_LAYERS:
            raise YatzyError("hidden", len(self.hidden), f"1..{MOST_LAYERS}", "layers are not allowed")
        for width in self.hidden:
            whole("hidden", width, 1, WIDEST)

    @property
    def name(self) -> str:
        return f"{_kind('network', self.weighting)}-{'-'.join(map(str, self.hidden))}"

    def info(self, rules: Ruleset) -> dict[str, Any]:
        made = _imitation(rules, self.weighting, self.games, self.seed)
        return {**made, "hidden": list(self.hidden), "epochs": self.epochs}


def _settings(recipe: ValueRecipe | RegretTreeRecipe) -> dict[str, Any]:
    """All fields but the name, as JSON values."""
    fields = {key: value for key, value in asdict(recipe).items() if key != "name"}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in fields.items()}


def _imitation(rules: Ruleset, weighting: str, games: int, seed: int) -> dict[str, Any]:
    data = f"{rules.name}-{games}-{seed}"
    return {"method": "imitation", "weighting": weighting, "seed": seed, "data": data}


def _kind(kind: str, weighting: str) -> str:
    return kind if weighting == "equal" else f"{weighting}-{kind}"


def _by_name(*recipes: Recipe) -> dict[str, Recipe]:
    return {recipe.name: recipe for recipe in recipes}


RECIPES: dict[str, dict[str, Recipe]] = {
    "imitation-trees": _by_name(*(ImitationTreeRecipe(depth) for depth in (3, 5, 8, 10, 12, 15, 20, 0))),
    "networks": _by_name(*(NetworkRecipe(hidden) for hidden in ((16,), (32, 16), (64, 32), (128, 64)))),
    "value": _by_name(
        ValueRecipe("value-18", (), parents=20_000, iterations=200, search_rounds=5),
        ValueRecipe("value-350", (17,), parents=20_000, iterations=800),
        ValueRecipe("value-650", (33,), parents=20_000, iterations=1000),
        ValueRecipe("value-2000", (40, 28), parents=24_000, iterations=1200),
    ),
    "regret-trees": _by_name(
        RegretTreeRecipe("tree-6k", parameters=6_200, states=60_000, rolls=6, rounds=2),
        RegretTreeRecipe("tree-80k", parameters=80_000, states=150_000, rolls=6, rounds=1),
    ),
}


def named_recipes(family: str, names: Iterable[str] | None = None) -> list[Recipe]:
    """The recipes of a family, or only those with these names."""
    if family not in RECIPES:
        raise YatzyError("family", family, list(RECIPES), "is not known")
    recipes = RECIPES[family]
    wanted = list(names) if names else list(recipes)
    unknown = [name for name in wanted if name not in recipes]
    if unknown:
        raise YatzyError("name", unknown[0], list(recipes), "is not known")
    return [recipes[name] for name in wanted]


TREMBLE = 3.0


@dataclass(frozen=True)
class Trembling:
    """Optimal play on values with normal noise, one draw per state: mistakes of a few points, repeatable."""

    table: ValueTable
    noisy: FloatArray
    name: str = "trembling"

    @property
    def rules(self) -> Ruleset:
        return self.table.rules

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        return best_decisions(self.rules, self.noisy, 0.0, filled, upper)


def trembling(table: ValueTable, seed: int, size: float = TREMBLE) -> Trembling:
    """Play whose values are off by normal noise of `size` points."""
    noise = np.random.default_rng(seed).normal(0.0, size, table.values.shape)
    noise[table.rules.all_filled] = 0.0
    return Trembling(table, table.values + noise)
