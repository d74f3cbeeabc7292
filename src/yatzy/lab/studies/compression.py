"""How small can a player be? Every model's size beside its exact strength (`strength`).

On the frontier are the models that no model of their size or smaller beats.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yatzy.context import DEFAULT_CONTEXT, Context, in_threads
from yatzy.errors import needs_extra
from yatzy.game.json import json_property
from yatzy.lab.studies.results import Claim
from yatzy.lab.studies.strength import Strength, measure_strength
from yatzy.lab.training.train import find_or_train
from yatzy.measure.exact import evaluate
from yatzy.players.columns import check_lossless
from yatzy.players.model import RECIPES, load_model
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Policy
from yatzy.policies.registry import find_policy
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable

if TYPE_CHECKING:
    import polars


# Families of models by their published names, in this order.
FAMILIES = {
    "value models": "value",
    "regret trees": "regret-trees",
    "imitation trees": "imitation-trees",
    "networks": "networks",
}


class ForerunnerModel(NamedTuple):
    """A row of the forerunner's table: parameters, mean score, bonus rate, and what its errors cost."""

    parameters: int
    mean: int
    bonus_rate: float
    loss: float


# By our names.
FORERUNNER = {
    "heuristic": ForerunnerModel(0, 166, 0.012, 82.6),
    "tree-depth-5": ForerunnerModel(276, 157, 0.094, 53.7),
    "tree-depth-8": ForerunnerModel(1_878, 192, 0.356, 11.7),
    "tree-depth-10": ForerunnerModel(6_249, 216, 0.540, 11.5),
    "tree-depth-15": ForerunnerModel(81_237, 239, 0.770, 3.4),
    "tree-depth-20": ForerunnerModel(412_629, 245, 0.844, 1.4),
    "network-64-32": ForerunnerModel(5_000, 221, 0.668, 6.4),
}


@dataclass(frozen=True)
class Compression:
    """All models by size."""

    rules: str
    optimal_mean: float
    lookup_parameters: int
    situations: int
    lossless: bool
    models: list[Strength]

    @json_property
    def claims(self) -> list[Claim]:
        found = []
        for model in self.models:
            forerunner = FORERUNNER.get(model.name)
            if forerunner:
                found += [
                    Claim(f"mean of {model.name}", forerunner.mean, model.mean, 0.5),
                    Claim(f"parameters of {model.name}", forerunner.parameters, model.parameters, 0),
                    Claim(f"bonus rate of {model.name}", forerunner.bonus_rate, model.bonus_rate, 0.0005),
                    Claim(f"errors of {model.name} on optimal states, points", forerunner.loss, model.proxy, 0.05),
                ]
            found += self._more_claims(model)
        return found

    def _more_claims(self, model: Strength) -> list[Claim]:
        """The forerunner's claims about single models outside its table."""
        if model.name == "tree-depth-20":
            return [
                Claim("tree-depth-20 as its errors predict", 247.0, self.optimal_mean - model.proxy, 0.05),
                Claim("tree-depth-20, points lost by going astray", 2, model.compounding, 0.5),
            ]
        if model.name == "tree-unlimited":
            near, close = model.share_at_upper_40_to_62, model.share_below_a_tenth
            return [
                Claim("parameters of tree-unlimited", 280_000, model.parameters, 5_000),
                Claim("points that tree-unlimited loses", 0.9, model.gap, 0.05),
                Claim("tree-unlimited, scoring errors at upper totals 40 to 62", 0.534, near[0], 0.0005),
                Claim("tree-unlimited, close calls among errors of the first keep", 0.38, close[2], 0.03),
                Claim("tree-unlimited, close calls among errors of the second keep", 0.38, close[1], 0.03),
            ]
        if model.name == "network-128-64":
            return [Claim("mean of the largest network", 241, model.mean, 0.5)]
        return []

    @property
    def key_figures(self) -> dict[str, float]:
        return {model.name: model.mean for model in self.models if model.on_frontier}

    def frame(self) -> "polars.DataFrame":
        """One model per row."""
        with needs_extra("lab"):
            import polars as pl

        return pl.DataFrame([asdict(model) for model in self.models])


def measure_compression(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> Compression:
    """Train what is not trained yet, and evaluate every model exactly."""
    rules = ruleset(rules)
    table = stored_table(rules, context=context.quiet())
    on_track = evaluate(Optimal(table), context=context.quiet(), check=False).visits
    n_models = 2 + sum(len(RECIPES[family]) for family in FAMILIES.values())
    models = []
    for family, policy, parameters, identity in _players(table, context):
        models.append(measure_strength(policy, family, parameters, table, on_track, context, identity))
        context.step(len(models), n_models)
    lossless = check_lossless(rules)
    return Compression(
        rules=rules.name,
        optimal_mean=table.value(),
        lookup_parameters=table.space.n_reachable,
        situations=sum(lossless.situations),
        lossless=lossless.lossless,
        models=mark_frontier(models),
    )


def _players(table: ValueTable, context: Context) -> Iterator[tuple[str, Policy, int, bytes]]:
    """Every model, stored or trained: (family, policy, parameters, identity)."""
    for name in ("heuristic", "greedy"):
        yield "by hand", find_policy(name, table.rules), 0, name.encode()
    # A tree grows on one core: families are trained side by side.
    found = in_threads(
        lambda family: find_or_train(family, table, context.quiet()), FAMILIES.values(), context.threads
    )
    for label, files in zip(FAMILIES, found, strict=True):
        for file in files.values():
            model = load_model(file, table.rules)
            yield label, model, model.parameters, file.read_bytes()


def mark_frontier(models: list[Strength]) -> list[Strength]:
    """The models by size, those on the frontier marked."""
    marked, strongest = [], -np.inf
    for model in sorted(models, key=lambda model: (model.parameters, -model.mean)):
        marked.append(replace(model, on_frontier=model.mean > strongest))
        strongest = max(strongest, model.mean)
    return marked
