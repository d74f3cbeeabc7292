"""How small can a player be? Every student's size beside its exact strength (see `strength`).

On the frontier are the models that no model of their size or smaller beats.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yatzy.distill.dataset import decision_names, write_dataset
from yatzy.distill.features import check_lossless
from yatzy.distill.imitate import DEPTHS, HIDDEN, train_networks, train_trees
from yatzy.distill.library import find_policy
from yatzy.distill.recipes import RECIPES, find_or_train
from yatzy.distill.student import load_student
from yatzy.evaluate.exact import evaluate
from yatzy.home import home as home_folder
from yatzy.policy.base import Policy
from yatzy.policy.optimal import Optimal
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.states import Progress
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.studies.results import Claim
from yatzy.studies.strength import Strength, measure_strength

if TYPE_CHECKING:
    import polars

GAMES = 200_000
# Parameters and mean as the seeds report them, by our names.
SEEDS = {
    "heuristic": (0, 166), "tree-depth-5": (276, 157), "tree-depth-8": (1_878, 192), "tree-depth-10": (6_249, 216),
    "tree-depth-15": (81_237, 239), "tree-depth-20": (412_629, 245), "network-64-32": (11_000, 221),
}  # fmt: skip


@dataclass(frozen=True)
class Compression:
    """All models by size."""

    rules: str
    optimal_mean: float
    lookup_parameters: int
    situations: int
    lossless: bool
    models: list[Strength]

    @property
    def claims(self) -> list[Claim]:
        by_name = {model.name: model for model in self.models}
        both = [name for name in SEEDS if name in by_name]
        return [Claim(f"mean of {name}", SEEDS[name][1], by_name[name].mean, 0.5) for name in both]

    @property
    def key_figures(self) -> dict[str, float]:
        return {model.name: model.mean for model in self.models if model.on_frontier}

    def frame(self) -> "polars.DataFrame":
        """A model per row."""
        import polars as pl

        return pl.DataFrame([asdict(model) for model in self.models])

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"seeds_claim": [claim.to_json() for claim in self.claims]}


def measure_compression(
    rules: str | Ruleset = "scandinavian",
    home: Path | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Compression:
    """Train what is not trained yet, and evaluate every model exactly."""
    rules = ruleset(rules)
    table = stored_table(rules, folder=home)
    on_track = evaluate(Optimal(table), threads, check=False).visits
    n_models = 2 + len(DEPTHS) + len(HIDDEN) + sum(len(recipes) for recipes in RECIPES.values())
    models = []
    for family, policy, parameters, identity in _players(table, home):
        models.append(measure_strength(policy, family, parameters, table, on_track, home, identity, threads))
        if progress:
            progress(len(models), n_models)
    lossless = check_lossless(rules)
    return Compression(
        rules=rules.name,
        optimal_mean=table.value(),
        lookup_parameters=table.space.n_reachable,
        situations=sum(lossless.situations),
        lossless=lossless.lossless,
        models=mark_frontier(models),
    )


def _players(table: ValueTable, home: Path | None) -> Iterator[tuple[str, Policy, int, bytes]]:
    """Every model: (family, policy, parameters, what it is made of), found again or trained."""
    folder = home_folder(home) / "students" / table.rules.name
    for name in ("heuristic", "greedy"):
        yield "by hand", find_policy(name, table.rules), 0, name.encode()
    data_folder = home_folder(home) / "datasets" / f"{table.rules.name}-{GAMES}-0"
    data = {name: data_folder / f"{name}_decisions.parquet" for name in decision_names(table.rules)}
    if not all(file.exists() for file in data.values()):
        data = write_dataset(table, data_folder, GAMES, 0)
    families: dict[str, Callable[[], dict[str, Path]]] = {
        "value models": lambda: find_or_train("value", table, folder),
        "regret trees": lambda: find_or_train("regret-trees", table, folder),
        "imitation trees": lambda: train_trees(table.rules, data, folder, DEPTHS),
        "networks": lambda: train_networks(table.rules, data, folder, HIDDEN, seed=0),
    }
    for family, train in families.items():
        for file in train().values():
            student = load_student(file, table.rules)
            yield family, student, student.parameters, file.read_bytes()


def mark_frontier(models: list[Strength]) -> list[Strength]:
    """By size; a model is on the frontier if none of its size or smaller is stronger."""
    marked, strongest = [], -np.inf
    for model in sorted(models, key=lambda model: (model.parameters, -model.mean)):
        marked.append(replace(model, on_frontier=model.mean > strongest))
        strongest = max(strongest, model.mean)
    return marked
