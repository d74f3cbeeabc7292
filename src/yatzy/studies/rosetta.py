"""The Rosetta Stone: how much of perfect play fits into rules that a person can carry.

Every list is played through its printed words: printed, parsed, then evaluated exactly and by a million games. A
list either makes every decision, or only scores while dice are kept as in optimal play ("oracle keeps"). With V(N)
the exact mean of N rules and V* the optimum,

    share of the gap closed = (V(N) - V(0)) / (V* - V(0)),     worth of a rule = V(list) - V(list without it).
"""

from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from yatzy.distill.arena import Arena, OracleKeeps, OwnKeeps
from yatzy.distill.improve import remove
from yatzy.distill.library import find_list, shipped_lists
from yatzy.distill.list_player import grammar_values
from yatzy.distill.moves import GRAMMARS, keeping_moves
from yatzy.distill.rulelist import RuleList, parse, rule_text
from yatzy.evaluate.exact import evaluate
from yatzy.evaluate.visits import visit
from yatzy.policy.optimal import Optimal
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.states import Progress
from yatzy.solver.store import stored_table
from yatzy.studies.results import Claim
from yatzy.studies.strength import Strength, measure_strength

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
    """A list: what it is, what it is worth, and its rules."""

    strength: Strength
    method: str
    vocabulary: str
    every_decision: bool
    n_rules: int
    n_conditions: int
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
class Rosetta:
    """All lists; `covering_curve` is (rules, exact mean) of the seeds' way of finding them."""

    rules: str
    optimal_mean: float
    lists: list[ListStrength]
    covering_curve: list[tuple[int, float]]
    covering_phases: list[Phase]
    grammars: list[Grammar]

    def find(self, name: str) -> ListStrength:
        return next(found for found in self.lists if found.strength.name == name)

    @property
    def claims(self) -> list[Claim]:
        curve = dict(self.covering_curve)
        covering = self.find("covering-100")
        verbs, masks = (self.find(f"covering-300-{name}").strength.mean for name in ("verbs", "masks"))
        return [
            Claim("scoring without rules, oracle keeps", 196.7, curve[0], 0.05),
            Claim("50 covering rules, oracle keeps", 216.5, curve[50], 0.05),
            Claim("100 covering rules, oracle keeps", 227.5, curve[100], 0.05),
            Claim("share of the gap that 100 rules close", 0.597, covering.gap_closed, 0.0005),
            Claim("300 covering rules with verbs", 184.4, verbs, 0.05),
            Claim("300 covering rules with bitmasks", 168.7, masks, 0.05),
        ]

    @property
    def key_figures(self) -> dict[str, float]:
        return {found.strength.name: found.strength.mean for found in self.lists}

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"seeds_claim": [claim.to_json() for claim in self.claims]}


def measure_rosetta(
    rules: str | Ruleset = "scandinavian",
    home: Path | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Rosetta:
    """Evaluate every shipped list, through its words."""
    rules = ruleset(rules)
    table = stored_table(rules, folder=home)
    on_track = evaluate(Optimal(table), threads, check=False).visits
    lists = [find_list(name, rules) for name in shipped_lists()]
    found = []
    empty: dict[str, float] = {}
    arenas: dict[bool, Arena] = {False: OwnKeeps(threads), True: OracleKeeps(table, threads)}
    for i, shipped in enumerate(lists):
        spoken = parse(shipped.text(), rules, shipped.grammar)
        strength = measure_strength(
            spoken, "rules", spoken.parameters, table, on_track, home, shipped.text().encode(), threads
        )
        without = _without_rules(spoken)
        if without.text() not in empty:
            empty[without.text()] = visit(without, threads).mean
        start = empty[without.text()]
        arena = arenas[spoken.oracle_keeps] if shipped.name in WEIGHED else None
        found.append(_describe(shipped, spoken, strength, start, table.value(), arena))
        if progress:
            progress(i + 1, len(lists) + 2)
    covering = next(shipped for shipped in lists if shipped.name == "covering-100")
    curve = [
        (n, visit(replace(covering, scores=covering.scores[:n]), threads).mean)
        for n in range(0, len(covering.scores) + 1, STEP)
    ]
    if progress:
        progress(len(lists) + 1, len(lists) + 2)
    return Rosetta(
        rules=rules.name,
        optimal_mean=table.value(),
        lists=found,
        covering_curve=curve,
        covering_phases=[Phase(a + 1, b, (to - start) / (b - a)) for (a, start), (b, to) in pairwise(curve)],
        grammars=[_grammar(rules, name, table.value(), threads) for name in GRAMMARS],
    )


def _without_rules(rules: RuleList) -> RuleList:
    return replace(rules, name="empty", scores=(), keeps=((),), info={})


def _describe(
    shipped: RuleList, spoken: RuleList, strength: Strength, start: float, optimum: float, arena: Arena | None
) -> ListStrength:
    whole = arena.mean(spoken) if arena else 0.0
    worths = []
    for level in (0, *range(1, 1 if spoken.oracle_keeps else 1 + len(spoken.keeps))):
        for number, rule in enumerate(spoken.list_of(level), start=1):
            worth = whole - arena.mean(remove(spoken, level, rule)) if arena else None
            worths.append(RuleWorth(level, number, rule_text(spoken.rules, rule), worth))
    return ListStrength(
        strength=strength,
        method=shipped.info["method"],
        vocabulary=shipped.info.get("path", ""),
        every_decision=not spoken.oracle_keeps,
        n_rules=spoken.n_rules,
        n_conditions=sum(len(rule.conditions) for rule in spoken.all_rules),
        gap_closed=(strength.mean - start) / (optimum - start),
        text=shipped.text(),
        rules=worths,
        grown=[(int(n), float(mean)) for n, mean in shipped.info.get("grown", [])],
    )


def _grammar(rules: Ruleset, name: str, optimum: float, threads: int | None) -> Grammar:
    mean = float(grammar_values(rules, name, threads)[0, 0])
    return Grammar(name, len(keeping_moves(rules, name)), mean, optimum - mean)
