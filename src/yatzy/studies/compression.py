"""How small can a player be? Every student's size beside its exact strength.

For a student pi with visits d_pi, and optimal play with visits d*,

    mean(pi) = V*(start) - regret(pi, d_pi)                     exact: regrets telescope
    proxy    = regret(pi, d*)                                   what its errors cost on optimal play's states
    compounding = regret(pi, d_pi) - proxy                      what going astray costs on top

Agreement is the share of decisions, on optimal play's states, that take a best action (ties count as best).
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from yatzy.distill.dataset import decision_names, write_dataset
from yatzy.distill.features import check_lossless
from yatzy.distill.imitate import DEPTHS, HIDDEN, train_networks, train_trees
from yatzy.distill.library import find_policy
from yatzy.distill.recipes import train_family
from yatzy.distill.student import load_student
from yatzy.evaluate.exact import Evaluation, FloatArray, evaluate
from yatzy.evaluate.regret import decision_errors, expected_regret
from yatzy.home import home as home_folder
from yatzy.policy.base import Policy
from yatzy.policy.optimal import Optimal
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.states import Progress
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.studies.results import Claim

GAMES = 200_000
# Parameters and mean as the seeds report them, by our names.
SEEDS = {
    "heuristic": (0, 166), "tree-depth-5": (276, 157), "tree-depth-8": (1_878, 192), "tree-depth-10": (6_249, 216),
    "tree-depth-15": (81_237, 239), "tree-depth-20": (412_629, 245), "network-64-32": (11_000, 221),
}  # fmt: skip


@dataclass(frozen=True)
class Strength:
    """One model. Lists by decision: category, keep with 1 reroll left, keep with 2."""

    name: str
    family: str
    parameters: int
    mean: float
    sd: float
    bonus_rate: float
    yatzy_rate: float
    gap: float
    proxy: float
    compounding: float
    regret_by_decision: list[float]
    proxy_by_decision: list[float]
    agreement_by_decision: list[float]
    on_frontier: bool = False


@dataclass(frozen=True)
class Anatomy:
    """Where one model's errors and regret sit, on its own states."""

    name: str
    errors_by_decision: list[float]
    share_at_upper_40_to_62: list[float]
    share_below_a_tenth: list[float]
    regret_by_upper: list[float]
    regret_by_turn: list[float]


@dataclass(frozen=True)
class Compression:
    """All models by size, and the anatomy of some."""

    rules: str
    optimal_mean: float
    lookup_parameters: int
    situations: int
    lossless: bool
    models: list[Strength]
    anatomy: list[Anatomy]

    @property
    def claims(self) -> list[Claim]:
        by_name = {model.name: model for model in self.models}
        both = [name for name in SEEDS if name in by_name]
        return [Claim(f"mean of {name}", SEEDS[name][1], by_name[name].mean, 0.5) for name in both]

    @property
    def key_figures(self) -> dict[str, float]:
        return {model.name: model.mean for model in self.models if model.on_frontier}

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
    best = evaluate(Optimal(table), threads, check=False)
    players = list(_players(table, home))
    models, anatomy = [], []
    for done, (family, policy, parameters) in enumerate(players, start=1):
        found = evaluate(policy, threads)
        models.append(_strength(family, policy, parameters, found, table, best, threads))
        if family == "imitation trees" and parameters > 10_000:
            anatomy.append(_anatomy(policy, found, table, threads))
        if progress:
            progress(done, len(players))
    lossless = check_lossless(rules)
    return Compression(
        rules=rules.name,
        optimal_mean=table.value(),
        lookup_parameters=table.space.n_reachable,
        situations=sum(lossless.situations),
        lossless=lossless.lossless,
        models=_mark_frontier(models),
        anatomy=anatomy,
    )


def _players(table: ValueTable, home: Path | None) -> Iterator[tuple[str, Policy, int]]:
    """Every model: (family, policy, parameters), trained or found again."""
    folder = home_folder(home) / "students" / table.rules.name
    for name in ("heuristic", "greedy"):
        yield "by hand", find_policy(name, table.rules), 0
    data_folder = home_folder(home) / "datasets" / f"{table.rules.name}-{GAMES}-0"
    data = {name: data_folder / f"{name}_decisions.parquet" for name in decision_names(table.rules)}
    if not all(file.exists() for file in data.values()):
        data = write_dataset(table, data_folder, GAMES, 0)
    families = {
        "imitation trees": train_trees(table.rules, data, folder, DEPTHS),
        "networks": train_networks(table.rules, data, folder, HIDDEN, seed=0),
        "regret trees": train_family("regret-trees", table, folder),
        "value models": train_family("value", table, folder),
    }
    for family, files in families.items():
        for file in files.values():
            student = load_student(file, table.rules)
            yield family, student, student.parameters


def _strength(
    family: str, policy: Policy, parameters: int, found: Evaluation, table: ValueTable, best: Evaluation,
    threads: int | None,
) -> Strength:  # fmt: skip
    own = expected_regret(policy, table, found.visits, threads)
    on_track = expected_regret(policy, table, best.visits, threads)
    errors = decision_errors(policy, table, best.visits, threads)
    return Strength(
        name=policy.name,
        family=family,
        parameters=parameters,
        mean=found.mean,
        sd=found.sd,
        bonus_rate=found.bonus_rate,
        yatzy_rate=found.yatzy_rate,
        gap=table.value() - found.mean,
        proxy=on_track.total,
        compounding=own.total - on_track.total,
        regret_by_decision=own.by_decision.tolist(),
        proxy_by_decision=on_track.by_decision.tolist(),
        agreement_by_decision=(1 - errors.by_decision / policy.rules.n_categories).tolist(),
    )


def _anatomy(policy: Policy, found: Evaluation, table: ValueTable, threads: int | None) -> Anatomy:
    errors = decision_errors(policy, table, found.visits, threads)
    lost = expected_regret(policy, table, found.visits, threads)
    near_bonus = errors.by_decision_upper[:, 40:63].sum(axis=1)
    return Anatomy(
        name=policy.name,
        errors_by_decision=errors.by_decision.tolist(),
        share_at_upper_40_to_62=_shares(near_bonus, errors.by_decision),
        share_below_a_tenth=_shares(errors.close_by_decision, errors.by_decision),
        regret_by_upper=lost.by_state.sum(axis=0).tolist(),
        regret_by_turn=lost.by_turn.tolist(),
    )


def _shares(part: FloatArray, whole: FloatArray) -> list[float]:
    shares: list[float] = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0).tolist()
    return shares


def _mark_frontier(models: list[Strength]) -> list[Strength]:
    """By size; a model is on the frontier if none of its size or smaller is stronger."""
    ordered = sorted(models, key=lambda model: (model.parameters, -model.mean))
    marked, strongest = [], -np.inf
    for model in ordered:
        marked.append(Strength(**{**asdict(model), "on_frontier": model.mean > strongest}))
        strongest = max(strongest, model.mean)
    return marked
