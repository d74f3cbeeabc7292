"""Charts beside cards and other rule lists: strength against how much has to be read.

Every chart of every game is played through its printed words: printed, parsed, evaluated exactly and by a million
games. What a player reads until a line (a rule) fits is computed exactly for all of them, under their own play:

    lines read = sum over states, rerolls left n, rolls of  d(state) * mass(roll, n) * its number / decisions

with what comes after the last line counted as one more; in the give-up order of a chart every box counts. Of a
chart that only scores, what is read to score is counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Annotated, Literal

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.context import DEFAULT_CONTEXT, Context, chunks, in_threads
from yatzy.game.json import ALWAYS
from yatzy.measure.exact import evaluate, visit
from yatzy.measure.simulate import simulate
from yatzy.players.chart import chart_text, parse_chart
from yatzy.players.chart_player import ChartPlayer, play_chart
from yatzy.players.library import charted_games, find_chart, find_list, shipped_charts, shipped_lists
from yatzy.players.rule_list import parse
from yatzy.players.rule_list_kernels import ListDecisions, decide_states
from yatzy.players.rule_list_player import ListPlayer
from yatzy.players.situations import situation_masses
from yatzy.policies.policy import empty_decisions
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable

GAMES = 1_000_000
SEED = 5
STATES_PER_CHUNK = 2048


@dataclass(frozen=True)
class Carried:
    """Something to play by. `reads` are lines or rules read per decision, by rerolls left too (0: where to score).

    `numbers` is how many numbers of a par table are looked up beside it. With `oracle_keeps` dice are kept as in
    optimal play. Games are played by charts only.
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
    """All charts of a game, and all lists that make every decision; only the first game has others beside it."""

    rules: str
    optimal_mean: float
    carried: list[Carried]
    other_games: Sequence[object] = field(default_factory=list)

    def find(self, name: str) -> Carried:
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
    """Measure every shipped chart, and what is read of every shipped list that keeps dice itself."""
    game = ruleset(rules)
    others = [ruleset(name) for name in charted_games() if name != game.name]
    lists = [name for name in shipped_lists() if not find_list(name).oracle_keeps]
    total = len(lists) + sum(len(shipped_charts(one.name)) for one in [game, *others])
    done = count(1)

    def tell(found: Carried) -> Carried:
        context.step(next(done), total)
        return found

    def charts_of(one: Ruleset) -> GameCharts:
        table = stored_table(one, context=context.quiet())
        carried = [tell(_of_chart(name, table, context.threads)) for name in shipped_charts(one.name)]
        return GameCharts(one.name, table.value(), carried)

    found = charts_of(game)
    carried = [*found.carried, *(tell(_of_list(name, game, context.threads)) for name in lists)]
    return Charts(game.name, found.optimal_mean, carried, [charts_of(one) for one in others])


def _of_chart(name: str, table: ValueTable, threads: int | None) -> Carried:
    game = table.rules
    text = chart_text(find_chart(name, game))
    player = ChartPlayer(parse_chart(text, game), table=table)
    played, whole = play_chart(player, threads), evaluate(player, context=Context(threads=threads))
    games = simulate(player, GAMES, SEED, context=Context(threads=threads))
    return Carried(
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


def _of_list(name: str, game: Ruleset, threads: int | None) -> Carried:
    shipped = find_list(name, game)
    player = ListPlayer(parse(shipped.text(), game, shipped.grammar))
    walked = visit(player, threads)
    reads = rules_read(player, walked.visits, threads)
    return Carried(
        name=name,
        kind="card" if name.startswith("card") else "list",
        n_lines=shipped.n_rules,
        numbers=2 * game.n_categories if shipped.par else 0,
        mean=walked.mean,
        reads=float(reads.mean()),
        reads_by_rerolls=reads.tolist(),
    )


def rules_read(player: ListPlayer, visits: FloatArray, threads: int | None = None) -> FloatArray:
    """(rerolls + 1,): rules read until one decides, per decision, by rerolls left; the default is one more."""
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
