"""How small can a player be? Every model's size beside its exact strength (see `strength`).

On the frontier are the models that no model of their size or smaller beats.

The Rosetta Stone: how much of perfect play fits into rules that a person can carry.

Every list is played through its printed words: printed, parsed, then evaluated exactly and by a million games. A
list either makes every decision, or only scores while dice are kept as in optimal play ("oracle keeps"). With V(N)
the exact mean of N rules and V* the optimum,

    share of the gap closed = (V(N) - V(0)) / (V* - V(0)),     worth of a rule = V(list) - V(list without it).

Strengths, means and curves take an hour together; each is kept (see `parts`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yatzy.context import DEFAULT_CONTEXT, Context, in_threads
from yatzy.errors import needs_extra
from yatzy.game.json import json_property
from yatzy.lab.search.covering import scaling_curve
from yatzy.lab.search.lists import remove
from yatzy.lab.search.sample import ListEvaluator, OracleKeeps, OwnKeeps
from yatzy.lab.studies.results import Claim, kept_part, part_file
from yatzy.lab.studies.strength import Strength, measure_strength
from yatzy.lab.training.train import find_or_train
from yatzy.measure.exact import evaluate, visit
from yatzy.players.columns import check_lossless
from yatzy.players.library import find_list, shipped_lists
from yatzy.players.model import RECIPES, load_model
from yatzy.players.moves import GRAMMARS, keeping_moves
from yatzy.players.rule_list import RuleList, parse, rule_text
from yatzy.players.rule_list_player import ListPlayer
from yatzy.players.rule_list_values import grammar_values
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Policy
from yatzy.policies.registry import find_policy
from yatzy.rules import Ruleset, ruleset
from yatzy.sealed import digest_of
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.source_digest import source_digest

if TYPE_CHECKING:
    import polars

# What the families of models are called here, in this order.
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
            said = FORERUNNER.get(model.name)
            if said:
                found += [
                    Claim(f"mean of {model.name}", said.mean, model.mean, 0.5),
                    Claim(f"parameters of {model.name}", said.parameters, model.parameters, 0),
                    Claim(f"bonus rate of {model.name}", said.bonus_rate, model.bonus_rate, 0.0005),
                    Claim(f"errors of {model.name} on optimal states, points", said.loss, model.proxy, 0.05),
                ]
            found += self._more_claims(model)
        return found

    def _more_claims(self, model: Strength) -> list[Claim]:
        """What the forerunner says about single models outside its table."""
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
    """Every model, found or trained: (family, policy, parameters, its content)."""
    for name in ("heuristic", "greedy"):
        yield "by hand", find_policy(name, table.rules), 0, name.encode()
    # Growing a tree keeps one core busy: families are trained side by side.
    found = in_threads(
        lambda family: find_or_train(family, table, context.quiet()), FAMILIES.values(), context.threads
    )
    for label, files in zip(FAMILIES, found, strict=True):
        for file in files.values():
            model = load_model(file, table.rules)
            yield label, model, model.parameters, file.read_bytes()


def mark_frontier(models: list[Strength]) -> list[Strength]:
    """By size; a model is on the frontier if none of its size or smaller is stronger."""
    marked, strongest = [], -np.inf
    for model in sorted(models, key=lambda model: (model.parameters, -model.mean)):
        marked.append(replace(model, on_frontier=model.mean > strongest))
        strongest = max(strongest, model.mean)
    return marked


# Lists whose rules are also weighed one by one: those on the card, and those that are shipped for scoring.
WEIGHED = ("card-20", "card-40", "card-100", "rules-10", "rules-25", "rules-50", "rules-100")
STEP = 10


@dataclass(frozen=True)
class RuleWorth:
    """A rule in words; `worth` is what the list loses without it (None where it was not weighed)."""

    level: int
    number: int
    text: str
    worth: float | None


@dataclass(frozen=True)
class ListStrength:
    """A list: what it is, what it is worth, and its rules. `start_mean` is that of its defaults alone.

    `grown` are (rules, mean) while the search added rules, before it exchanged and dropped some.
    """

    strength: Strength
    method: str
    path: str
    every_decision: bool
    n_rules: int
    n_conditions: int
    start_mean: float
    gap_closed: float
    text: str
    rules: list[RuleWorth]
    grown: list[tuple[int, float]]


@dataclass(frozen=True)
class Grammar:
    """A way to name keeps: how many names, and the best mean that play with these keeps alone can reach."""

    name: str
    moves: int
    mean: float
    cost: float


@dataclass(frozen=True)
class Phase:
    """Rules `first` to `last` of a curve and what each adds on average."""

    first: int
    last: int
    points_per_rule: float


@dataclass(frozen=True)
class ListCurve:
    """How the exact mean grows with the number of rules: `points` (rules, mean) are lists found the same way."""

    name: str
    method: str
    every_decision: bool
    points: list[tuple[int, float]]
    phases: list[Phase]


@dataclass(frozen=True)
class Rosetta:
    """All lists, and the curves they lie on."""

    rules: str
    optimal_mean: float
    lists: list[ListStrength]
    curves: list[ListCurve]
    grammars: list[Grammar]

    def find(self, name: str) -> ListStrength:
        return next(found for found in self.lists if found.strength.name == name)

    @json_property
    def claims(self) -> list[Claim]:
        curve = dict(next(curve for curve in self.curves if curve.name == "covering-100").points)
        covering = self.find("covering-100")
        verbs, masks = (self.find(f"covering-300-{name}").strength.mean for name in ("verbs", "masks"))
        return [
            Claim("scoring without rules, oracle keeps", 196.7, curve[0], 0.05),
            Claim("50 covering rules, oracle keeps", 216.5, curve[50], 0.05),
            Claim("100 covering rules, oracle keeps", 227.5, curve[100], 0.05),
            Claim("points that the first 20 covering rules add", 2.7, curve[20] - curve[0], 0.05),
            Claim("points that covering rules 71 to 100 add", 6.2, curve[100] - curve[70], 0.05),
            Claim("share of the gap that 100 rules close", 0.597, covering.gap_closed, 0.0005),
            Claim("points that 100 covering rules leave", 20.9, covering.strength.gap, 0.05),
            Claim("300 covering rules with verbs", 184.4, verbs, 0.05),
            Claim("300 covering rules with bitmasks", 168.7, masks, 0.05),
            Claim("points that verbs gain over bitmasks", 15.7, verbs - masks, 0.05),
            Claim("points between oracle keeps and keeps in verbs", 43, curve[100] - verbs, 0.5),
        ]

    @property
    def key_figures(self) -> dict[str, float]:
        return {found.strength.name: found.strength.mean for found in self.lists}


def measure_rosetta(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> Rosetta:
    """Evaluate every shipped list, through its words."""
    rules = ruleset(rules)
    table = stored_table(rules, context=context.quiet())
    on_track = evaluate(Optimal(table), context=context.quiet(), check=False).visits
    lists = [find_list(name, rules) for name in shipped_lists()]
    found = []
    empty: dict[str, float] = {}
    scales = _Scales(table, context)
    for i, shipped in enumerate(lists):
        spoken = parse(shipped.text(), rules, shipped.grammar)
        strength = measure_strength(
            ListPlayer(spoken, table=table),
            "rules",
            spoken.parameters,
            table,
            on_track,
            context,
            shipped.text().encode(),
        )
        without = _without_rules(spoken)
        if without.text() not in empty:
            empty[without.text()] = visit(ListPlayer(without, table=table), context.threads).mean
        start = empty[without.text()]
        mean = scales.mean if shipped.name in WEIGHED else None
        found.append(_describe(shipped, spoken, strength, start, table.value(), mean))
        context.step(i + 1, len(lists) + 2)
    curves = _improved_curves(found)
    for shipped in lists:
        if shipped.info["method"] == "covering":
            points = scales.curve(shipped, range(0, len(shipped.scores) + 1, STEP))
            curves.append(_curve(shipped.name, "covering", not shipped.oracle_keeps, points))
    context.step(len(lists) + 1, len(lists) + 2)
    return Rosetta(
        rules=rules.name,
        optimal_mean=table.value(),
        lists=found,
        curves=curves,
        grammars=[_grammar(rules, name, table.value(), context.threads) for name in GRAMMARS],
    )


class _Scales:
    """Exact means of lists, kept or measured now; what measures them is made on demand."""

    def __init__(self, table: ValueTable, context: Context) -> None:
        self.table = table
        self.home = context.home
        self.threads = context.threads

    @cached_property
    def _own_keeps(self) -> ListEvaluator:
        return OwnKeeps(self.threads)

    @cached_property
    def _oracle_keeps(self) -> ListEvaluator:
        return OracleKeeps(self.table, self.threads)

    @cached_property
    def _solution(self) -> str:
        return digest_of(self.table.stored.tobytes())

    def mean(self, rules: RuleList) -> float:
        kept = self._file("mean", rules, self._solution if rules.oracle_keeps else "")
        return kept_part(kept, float, lambda: self._arena(rules).mean(rules))

    def curve(self, rules: RuleList, steps: Sequence[int]) -> list[tuple[int, float]]:
        kept = self._file("curve", rules, repr(steps))
        return kept_part(
            kept, list[tuple[int, float]], lambda: scaling_curve(rules, steps, self.table, self.threads)
        )

    def _arena(self, rules: RuleList) -> ListEvaluator:
        return self._oracle_keeps if rules.oracle_keeps else self._own_keeps

    def _file(self, what: str, rules: RuleList, settings: str) -> Path:
        """Where a number is kept: a list is identified by its words and its way of naming keeps."""
        code = source_digest(__name__)
        played = (rules.rules.fingerprint, rules.grammar, rules.text())
        return part_file(self.home, what, rules.name, code, settings, *played)


def _improved_curves(lists: list[ListStrength]) -> list[ListCurve]:
    """A curve for every path of growing lists, from no rules on."""
    paths: dict[str, list[ListStrength]] = {}
    for one in lists:
        if one.method == "improve":
            paths.setdefault(one.path, []).append(one)
    curves = []
    for path, grown in paths.items():
        means = {one.n_rules: one.strength.mean for one in grown}
        points = sorted(({0: grown[0].start_mean} | means).items())
        curves.append(_curve(path, "improve", grown[0].every_decision, points))
    return curves


def _curve(name: str, method: str, every_decision: bool, points: list[tuple[int, float]]) -> ListCurve:
    phases = [Phase(a + 1, b, (after - before) / (b - a)) for (a, before), (b, after) in pairwise(points)]
    return ListCurve(name, method, every_decision, points, phases)


def _without_rules(rules: RuleList) -> RuleList:
    return replace(rules, name="empty", scores=(), keeps=((),), info={})


def _describe(
    shipped: RuleList, spoken: RuleList, strength: Strength, start: float, optimum: float,
    mean: Callable[[RuleList], float] | None,
) -> ListStrength:  # fmt: skip
    whole = mean(spoken) if mean else 0.0
    worths = []
    for level in (0, *range(1, 1 if spoken.oracle_keeps else 1 + len(spoken.keeps))):
        for number, rule in enumerate(spoken.list_of(level), start=1):
            worth = whole - mean(remove(spoken, level, rule)) if mean else None
            worths.append(RuleWorth(level, number, rule_text(spoken.rules, rule), worth))
    return ListStrength(
        strength=strength,
        method=shipped.info["method"],
        path=shipped.info.get("path", ""),
        every_decision=not spoken.oracle_keeps,
        n_rules=spoken.n_rules,
        n_conditions=sum(len(rule.conditions) for rule in spoken.all_rules),
        start_mean=start,
        gap_closed=(strength.mean - start) / (optimum - start),
        text=shipped.text(),
        rules=worths,
        grown=[(int(n), float(mean)) for n, mean in shipped.info.get("grown", [])],
    )


def _grammar(rules: Ruleset, name: str, optimum: float, threads: int | None) -> Grammar:
    mean = float(grammar_values(rules, name, threads)[0, 0])
    return Grammar(name, len(keeping_moves(rules, name)), mean, optimum - mean)
