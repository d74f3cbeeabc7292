"""A model: a policy learned from the solution, with a parameter count and a file.

The file is sealed safetensors: the model's arrays, and as metadata `format`, `kind`, `name`, the ruleset's name
and fingerprint, `parameters` (how many numbers it has learned) and `info` (JSON: how it was made). Loading refuses
another format, an unknown kind, other rules, and arrays that do not match.

*A recipe* is data: every setting that decides what a model becomes. `lab.training.train` makes a model from it,
and the model's file remembers it (`info`). A model whose file remembers the same recipe is kept, so training can
be stopped and resumed. The models in the package were made from the recipes of the same names.

*By name* (as a source of policies) there are the models in the package, those made at home, and any other by its
file.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.errors import YatzyError, check_int
from yatzy.policies.optimal import best_decisions
from yatzy.policies.policy import Decisions, HasContent, Policy
from yatzy.rules import Ruleset, ruleset, stored_name
from yatzy.sealed import Tensors, read_tensors, write_tensors
from yatzy.solver.table import ValueTable
from yatzy.storage import home, natural_key

FORMAT = "yatzy-student-1"
KINDS = {
    "value-model": "yatzy.players.value_model:ValueModel",
    "trees": "yatzy.players.tree:Trees",
    "networks": "yatzy.players.network:Networks",
}


class Model(Policy, HasContent, Protocol):
    """A policy with a size and a file form."""

    @property
    def kind(self) -> str: ...

    @property
    def parameters(self) -> int: ...

    @property
    def info(self) -> dict[str, Any]: ...

    def tensors(self) -> Tensors: ...

    @classmethod
    def from_tensors(cls, name: str, rules: Ruleset, tensors: Tensors, info: dict[str, Any]) -> Self: ...


def save_model(model: Model, path: str | Path) -> Path:
    """Write a model's file, whole or not at all."""
    metadata = {
        "format": FORMAT,
        "kind": model.kind,
        "name": model.name,
        "rules": model.rules.name,
        "fingerprint": model.rules.fingerprint,
        "parameters": str(model.parameters),
        "info": json.dumps(model.info),
    }
    return write_tensors(path, model.tensors(), metadata)


def load_model(path: str | Path, rules: str | Ruleset | None = None) -> Model:
    """Read a model's file."""
    path = Path(path)
    tensors, metadata = read_tensors(path, "policy")
    if metadata.get("format") != FORMAT or metadata.get("kind") not in KINDS:
        raise YatzyError("policy", path, why=f"is not a model of format {FORMAT} and kind {', '.join(KINDS)}")
    for key, tensor in tensors.items():
        if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
            raise YatzyError("policy", path, why=f"has numbers in {key!r} that are not finite")
    if not metadata.get("name", "").isprintable():
        raise YatzyError("policy", path, why="has a name that cannot be printed")
    game = ruleset(metadata.get("rules", "") if rules is None else rules)
    if metadata.get("fingerprint") != game.fingerprint:
        raise YatzyError("policy", path, why=f"plays {metadata.get('rules')!r}, not {game.name!r}")
    module, _, name = KINDS[metadata["kind"]].partition(":")
    kind: type[Model] = getattr(import_module(module), name)
    try:
        return kind.from_tensors(metadata["name"], game, tensors, json.loads(metadata["info"]))
    except (KeyError, ValueError, TypeError, IndexError) as error:
        why = f"does not hold what a model of its kind needs ({error})"
        raise YatzyError("policy", path, why=why) from None


TREE_WEIGHTINGS = ("equal", "gap", "gap-balanced")
NETWORK_WEIGHTINGS = ("equal", "gap")
GAMES = 200_000
# More is neither learnt in a day nor held in memory.
DEEPEST, MAX_LAYERS, WIDEST = 1000, 8, 4096
EPOCHS = 6


class Recipe(Protocol):
    """Everything that decides what a model becomes, given a solved game."""

    @property
    def name(self) -> str: ...

    def info(self, rules: Ruleset) -> dict[str, Any]:
        """What the model's file remembers."""
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
        check_int("depth", self.depth, 0, DEEPEST)
        check_int("seed", self.seed, 0, 2**32 - 1)  # that of scikit-learn
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
        if not 1 <= len(self.hidden) <= MAX_LAYERS:
            raise YatzyError("hidden", len(self.hidden), f"1..{MAX_LAYERS}", "layers are not allowed")
        for width in self.hidden:
            check_int("hidden", width, 1, WIDEST)

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


SUFFIX = ".safetensors"
MODELS = Path(__file__).parent / "models"


def names() -> list[str]:
    """What the registry lists: the models in the package."""
    return shipped_models()


def shipped_models() -> list[str]:
    """Names of the models in the package, `value-350` before `value-2000`."""
    return sorted((file.name.removesuffix(SUFFIX) for file in MODELS.glob(f"*{SUFFIX}")), key=natural_key)


def find(name: str, rules: Ruleset, folder: Path | None = None) -> Model | None:
    """A model in the package, one made at home (`yatzy distill`), or the one in this file."""
    for file in (shipped_file(name), made_file(name, rules, folder)):
        if file.name == f"{name}{SUFFIX}" and file.exists():
            return load_model(file, rules)
    return load_model(name, rules) if name.endswith(SUFFIX) else None


def shipped_file(name: str) -> Path:
    """Where the package has a model of that name, if it has one."""
    return MODELS / f"{name}{SUFFIX}"


def made_folder(rules: Ruleset, folder: Path | None = None) -> Path:
    """Where the models made at home are kept."""
    return home(folder) / "students" / stored_name(rules)


def made_file(name: str, rules: Ruleset, folder: Path | None = None) -> Path:
    """Where a model made at home is kept, if it has been made."""
    return made_folder(rules, folder) / f"{name}{SUFFIX}"
