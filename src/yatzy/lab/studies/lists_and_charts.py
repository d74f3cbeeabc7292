"""How much of perfect play fits into rules that a person can carry: rule lists, cards and charts.

Everything is played through its printed words: printed, parsed, then evaluated exactly and by a million games.

*Rule lists* (the Rosetta Stone). A list either makes every decision, or only scores while dice are kept as in
optimal play ("oracle keeps"). With V(N) the exact mean of N rules and V* the optimum,

    share of the gap closed = (V(N) - V(0)) / (V* - V(0)),     worth of a rule = V(list) - V(list without it).

*Charts* beside cards and other lists: strength against how much has to be read. What a player reads until a line
(a rule) applies is computed exactly for all of them, under their own play:

    lines read = sum over states, rerolls left n, rolls of  d(state) * mass(roll, n) * its number / decisions

where what follows the last line counts as one more, and in the give-up order of a chart every box counts. For a
chart that only scores, only what is read to score counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count, pairwise
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.context import DEFAULT_CONTEXT, Context, chunks, in_threads
from yatzy.game.json import ALWAYS, json_property
from yatzy.lab.search.covering import scaling_curve
from yatzy.lab.search.lists import remove
from yatzy.lab.search.sample import ListEvaluator, OracleKeeps, OwnKeeps
from yatzy.lab.studies.results import Claim, kept_part, part_file
from yatzy.lab.studies.strength import Strength, measure_strength
from yatzy.measure.exact import evaluate, visit
from yatzy.measure.simulate import simulate
from yatzy.players.chart import chart_text, parse_chart
from yatzy.players.chart_player import ChartPlayer, play_chart
from yatzy.players.library import charted_games, find_chart, find_list, shipped_charts, shipped_lists
from yatzy.players.moves import GRAMMARS, keeping_moves
from yatzy.players.rule_list import RuleList, parse, rule_text
from yatzy.players.rule_list_kernels import ListDecisions, decide_states
from yatzy.players.rule_list_player import ListPlayer
from yatzy.players.rule_list_values import grammar_values
from yatzy.players.situations import situation_masses
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import empty_decisions
from yatzy.rules import Ruleset, ruleset
from yatzy.sealed import digest_of
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.source_digest import source_digest

# Lists whose rules are also valued one by one: those on the card, and those for scoring only.
WEIGHED = ("card-20", "card-40", "card-77", "rules-10", "rules-25", "rules-50", "rules-50-best")
STEP = 10


@dataclass(frozen=True)
class RuleWorth:
    """A rule in words; `worth` is what the list loses without it (None if not measured)."""

    level: int
    number: int
    text: str
    worth: float | None


@dataclass(frozen=True)
class ListStrength:
    """A list, its strength and its rules; `start_mean` is that of its defaults alone.

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
    """A way to name keeps: the number of names, and the best mean of play with these keeps only."""

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
    """The exact mean by number of rules; `points` (rules, mean) are lists found the same way."""

    name: str
    method: str
    every_decision: bool
    points: list[tuple[int, float]]
    phases: list[Phase]


@dataclass(frozen=True)
class Rosetta:
    """All lists, and their learning curves."""

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
    """Evaluate every shipped list through its printed words."""
    rules = ruleset(rules)
    table = stored_table(rules, context=context.quiet())
    on_track = evaluate(Optimal(table), context=context.quiet(), check=False).visits
    lists = [find_list(name, rules) for name in shipped_lists()]
    found = []
    empty: dict[str, float] = {}
    means = _Means(table, context)
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
        mean = means.mean if shipped.name in WEIGHED else None
        found.append(_describe(shipped, spoken, strength, start, table.value(), mean))
        context.step(i + 1, len(lists) + 2)
    curves = _improved_curves(found)
    for shipped in lists:
        if shipped.info["method"] == "covering":
            points = means.curve(shipped, range(0, len(shipped.scores) + 1, STEP))
            curves.append(_curve(shipped.name, "covering", not shipped.oracle_keeps, points))
    context.step(len(lists) + 1, len(lists) + 2)
    return Rosetta(
        rules=rules.name,
        optimal_mean=table.value(),
        lists=found,
        curves=curves,
        grammars=[_grammar(rules, name, table.value(), context.threads) for name in GRAMMARS],
    )


class _Means:
    """Exact means of lists, from an earlier run or measured now; evaluators are made on demand."""

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
        return kept_part(kept, float, lambda: self._evaluator(rules).mean(rules))

    def curve(self, rules: RuleList, steps: Sequence[int]) -> list[tuple[int, float]]:
        kept = self._file("curve", rules, repr(steps))
        return kept_part(
            kept, list[tuple[int, float]], lambda: scaling_curve(rules, steps, self.table, self.threads)
        )

    def _evaluator(self, rules: RuleList) -> ListEvaluator:
        return self._oracle_keeps if rules.oracle_keeps else self._own_keeps

    def _file(self, what: str, rules: RuleList, settings: str) -> Path:
        """Where a number is kept; a list is identified by its words and grammar."""
        code = source_digest(__name__)
        played = (rules.rules.fingerprint, rules.grammar, rules.text())
        return part_file(self.home, what, rules.name, code, settings, *played)


def _improved_curves(lists: list[ListStrength]) -> list[ListCurve]:
    """A curve for every path of growing lists, starting without rules."""
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


GAMES = 1_000_000
SEED = 5
STATES_PER_CHUNK = 2048


@dataclass(frozen=True)
class ReadingAid:
    """A chart, card or list; `reads` are lines or rules read per decision, by rerolls left too (0: scoring).

    `numbers` is the size of the par table beside it. With `oracle_keeps` dice are kept as in optimal play. Only
    charts are also played in games.
    """

    name: str
    kind: Literal["chart", "card", "list"]
    n_lines: int
    numbers: int
    mean: float
    reads: float
    reads_by_rerolls: list[float]
    oracle_keeps: Annotated[bool, ALWAYS] = False
    sd: Annotated[float | None, ALWAYS] = None
    bonus_rate: Annotated[float | None, ALWAYS] = None
    simulated_mean: Annotated[float | None, ALWAYS] = None
    simulated_error: Annotated[float | None, ALWAYS] = None
    text: Annotated[str, ALWAYS] = ""


@dataclass(frozen=True)
class GameCharts:
    """All charts of a game, and all lists that make every decision; only the first game has `other_games`."""

    rules: str
    optimal_mean: float
    carried: list[ReadingAid]
    other_games: Sequence[object] = field(default_factory=list)

    def find(self, name: str) -> ReadingAid:
        return next(one for one in self.carried if one.name == name)

    @property
    def key_figures(self) -> dict[str, float]:
        means = {one.name: one.mean for one in self.carried if one.kind == "chart"}
        return means | {f"{one.name} read": one.reads for one in self.carried if one.kind != "list"}


@dataclass(frozen=True)
class Charts(GameCharts):
    """The charts of a game, then those of other games."""

    other_games: Sequence[GameCharts] = field(default_factory=list)

    @property
    def key_figures(self) -> dict[str, float]:
        found = super().key_figures
        for other in self.other_games:
            found |= {f"{other.rules} {name}": figure for name, figure in other.key_figures.items()}
        return found


def measure_charts(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> Charts:
    """Measure every shipped chart, and how much is read of every list that makes every decision."""
    game = ruleset(rules)
    others = [ruleset(name) for name in charted_games() if name != game.name]
    lists = [name for name in shipped_lists() if not find_list(name).oracle_keeps]
    total = len(lists) + sum(len(shipped_charts(one.name)) for one in [game, *others])
    done = count(1)

    def count_step(found: ReadingAid) -> ReadingAid:
        context.step(next(done), total)
        return found

    def charts_of(one: Ruleset) -> GameCharts:
        table = stored_table(one, context=context.quiet())
        carried = [count_step(_of_chart(name, table, context.threads)) for name in shipped_charts(one.name)]
        return GameCharts(one.name, table.value(), carried)

    found = charts_of(game)
    carried = [*found.carried, *(count_step(_of_list(name, game, context.threads)) for name in lists)]
    return Charts(game.name, found.optimal_mean, carried, [charts_of(one) for one in others])


def _of_chart(name: str, table: ValueTable, threads: int | None) -> ReadingAid:
    game = table.rules
    text = chart_text(find_chart(name, game))
    player = ChartPlayer(parse_chart(text, game), table=table)
    played, whole = play_chart(player, threads), evaluate(player, context=Context(threads=threads))
    games = simulate(player, GAMES, SEED, context=Context(threads=threads))
    return ReadingAid(
        name=name,
        kind="chart",
        n_lines=player.chart.n_lines,
        numbers=0,
        mean=whole.mean,
        reads=played.reads_per_decision,
        reads_by_rerolls=played.reads.tolist(),
        oracle_keeps=player.chart.oracle_keeps,
        sd=whole.sd,
        bonus_rate=whole.bonus_rate,
        simulated_mean=games.mean,
        simulated_error=games.standard_error,
        text=text,
    )


def _of_list(name: str, game: Ruleset, threads: int | None) -> ReadingAid:
    shipped = find_list(name, game)
    player = ListPlayer(parse(shipped.text(), game, shipped.grammar))
    walked = visit(player, threads)
    reads = rules_read(player, walked.visits, threads)
    return ReadingAid(
        name=name,
        kind="card" if name.startswith("card") else "list",
        n_lines=shipped.n_rules,
        numbers=2 * game.n_categories if shipped.par else 0,
        mean=walked.mean,
        reads=float(reads.mean()),
        reads_by_rerolls=reads.tolist(),
    )


def rules_read(player: ListPlayer, visits: FloatArray, threads: int | None = None) -> FloatArray:
    """(rerolls + 1,): rules read until one applies, per decision, by rerolls left; the default is one more."""
    game = player.rules
    filled, upper = np.nonzero(visits[:-1])

    def run(part: slice) -> FloatArray:
        decisions = empty_decisions(game, filled[part])
        fired = np.empty((len(filled[part]), game.rerolls + 1, decisions.category.shape[1]), np.int16)
        now, answers = (filled[part], upper[part]), ListDecisions(*decisions, fired)
        decide_states(*now, player.numbers, player.sheet, answers, player.scratch())
        mass = situation_masses(player, filled[part], upper[part])
        return np.asarray(np.einsum("s,slr,slr->l", visits[filled[part], upper[part]], mass, 1.0 + fired))

    read = in_threads(run, chunks(len(filled), STATES_PER_CHUNK), threads)
    return np.asarray(np.sum(read, axis=0) / game.n_categories)
