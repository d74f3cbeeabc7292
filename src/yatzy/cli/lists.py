"""`yatzy lists`: rule lists and charts that a person can carry. Induce, show, list, explain."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yatzy.cli.app import HELP
from yatzy.cli.console import (
    DiceWords,
    Filled,
    Home,
    Json,
    Rerolls,
    Rules,
    Seed,
    Threads,
    Upper,
    notice,
    print_json,
    progress_bar,
    ranged,
    read_situation,
    solved_table,
)
from yatzy.cli.stdin import may_be_dash
from yatzy.context import Context, silent
from yatzy.errors import YatzyError
from yatzy.game.action import Action
from yatzy.game.json import INLINE, Count, Positive
from yatzy.players.library import (
    ChartFile,
    chart_content,
    charted_games,
    find_chart,
    find_list,
    is_chart,
    shipped_charts,
    shipped_lists,
)
from yatzy.players.rule_list import ListFile
from yatzy.rules import Ruleset, ruleset, stored_name
from yatzy.storage import check_folder
from yatzy.storage import home as home_folder

if TYPE_CHECKING:
    from yatzy.players.chart import Chart
    from yatzy.players.rule_list import RuleList
    from yatzy.solver.table import ValueTable

MAX_RULES = 1000
METHODS = ("improve", "covering")
FORMATS = ("terminal", "markdown", "html", "text")
DEFAULT_PATH = "card"
# With --chart: where to score only.
SCORING_PATH = "scores"
SHIPPED = ", ".join([*shipped_charts(), *shipped_lists()])
WHO = f"{SHIPPED}, or the file of a list or chart (- for stdin)"

Game = Annotated[
    str | None,
    typer.Option("--rules", help=f"The game of a shipped chart: {' or '.join(charted_games())} [default: "
    f"{charted_games()[0]}]. A "
                 "file names its own game."),
]  # fmt: skip


@dataclass(frozen=True)
class ListRow:
    """A list of rules: how many, how many numbers they hold, and its exact mean; `file` if it was just found."""

    name: str
    n_rules: Count
    parameters: Count
    oracle_keeps: bool
    mean: float | None
    file: Path | None = None


@dataclass(frozen=True)
class ChartRow:
    """A chart: its lines, how many are read per decision, and its exact mean; `file` if it was just found."""

    name: str
    lines: Count
    game: Ruleset
    reads: float | None
    oracle_keeps: bool
    mean: float | None
    file: Path | None = None


@dataclass(frozen=True)
class ListsFound:
    """What a search found: lists, or charts."""

    rules: Ruleset
    method: str
    seed: int
    seconds: Positive
    lists: tuple[ListRow, ...] | None = None
    charts: tuple[ChartRow, ...] | None = None


@dataclass(frozen=True)
class ListsShipped:
    """The lists and charts in the package."""

    lists: tuple[ListRow, ...]
    charts: tuple[ChartRow, ...]


@dataclass(frozen=True)
class ChartShown:
    """A chart as its file has it, beside playing every turn for its most points, and perfect play."""

    mean: float
    greedy: float
    optimum: float
    file: Annotated[ChartFile, INLINE]


@dataclass(frozen=True)
class ListShown:
    """A list as its file has it, beside playing every turn for its most points, and perfect play."""

    mean: float
    greedy: float
    optimum: float
    file: Annotated[ListFile, INLINE]


@dataclass(frozen=True)
class DecisionExplained:
    """What a chart or list does in a situation; `number` is of its line or rule, null after the last."""

    policy: str
    dice: tuple[int, ...]
    rerolls: Count
    number: Count | None
    rule: str
    action: Action


ANSWERS = {
    "lists induce": ListsFound,
    "lists list": ListsShipped,
    "lists show": ChartShown | ListShown,
    "lists explain": DecisionExplained,
}

app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=HELP)


@app.callback()
def rules() -> None:
    """Charts and rule lists: strategies in plain words that play the whole game.

    These are rules to play by; for the rules of the games see yatzy games. A chart is two ranked lists, what to
    keep and where to score: use the first line that applies. A card is a list of rules with a table of numbers.
    What is printed is exactly what is evaluated.

    Start with yatzy lists list, then yatzy lists show chart-20 or yatzy lists show card-20.
    """


@app.command()
def induce(
    method: Annotated[
        str,
        typer.Option(
            help="improve: start with a complete list and improve it rule by rule. covering: the "
            "forerunner's greedy method."
        ),
    ] = "improve",
    path: Annotated[
        str | None,
        typer.Option(
            help="Which lists to find with improve: card, par, rich, primitive (every decision), or rules, "
            f"rules-rich, rules-par (scoring only, with optimal keeps) [default: {DEFAULT_PATH}]. With --chart: "
            "scores (scoring only)."
        ),
    ] = None,
    chart: Annotated[
        bool, typer.Option("--chart", help="Find charts of up to 10, 20, 40 and 60 lines instead of rule lists.")
    ] = False,
    rules_count: Annotated[
        int | None,
        typer.Option(
            callback=ranged("rules-count", 1, MAX_RULES),
            help="Maximum length; with covering, the number of rules of each part [default: 100; charts: 60].",
        ),
    ] = None,
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the lists [default: rules in --home].")
    ] = None,
    rules: Rules = "scandinavian",
    threads: Threads = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Find rule lists, measure them exactly, and write each to a JSON file that can be played.

    improve takes minutes to hours and can be interrupted and resumed: each list extends the one before it.
    covering takes about a minute and finds three lists: scoring only with optimal keeps, and every decision with
    keeps as verbs or as masks (positions of dice). --chart takes about ten minutes, and works for every game
    without saved throws and without a forced order.

    Example: yatzy lists induce --method improve --path card --rules-count 20 --out lists

    Example: yatzy lists induce --chart --rules yahtzee --out charts
    """
    _check_search(method, path, chart)
    if chart:
        from yatzy.players.chart_player import check_game

        check_game(ruleset(rules))
        if path == SCORING_PATH:
            ruleset(rules).check_plain("charts that only score are")
    else:
        ruleset(rules).check_plain("rule lists are")
    if out:
        check_folder("out", out)
    table = solved_table(rules, home)
    folder = out or _folder(home, table.rules)
    context = Context(home, threads, notice=silent if json else notice)
    started = time.perf_counter()
    if chart:
        files = _find_charts(table, folder, path, rules_count, seed, context)
    elif method == "covering":
        from yatzy.lab.search.covering import Settings, induce_by_covering

        settings = Settings(seed=seed) if rules_count is None else Settings(seed=seed, n_rules=rules_count)
        files = induce_by_covering(table, folder, settings, context)
    else:
        from yatzy.lab.search.lists import induce as induce_by_improvement

        files = induce_by_improvement(path or DEFAULT_PATH, table, folder, rules_count, seed=seed, context=context)
    seconds = time.perf_counter() - started
    charts, lists = None, None
    if chart:
        charts = tuple(_chart_row(find_chart(str(file), table.rules), file) for file in files.values())
    else:
        lists = tuple(_row(find_list(str(file), table.rules), file) for file in files.values())
    if json:
        print_json(ListsFound(table.rules, "chart" if chart else method, seed, seconds, lists, charts))
        return
    found: list[ListRow | ChartRow] = [*(charts or ()), *(lists or ())]
    for row in found:
        typer.echo(f"{_words(row)}  {row.file}")
    typer.echo(f"{seconds:.0f} s")


def _folder(home: Path | None, game: Ruleset) -> Path:
    """Where lists and charts are kept; those of every other game have a folder of their own."""
    folder = home_folder(home) / "rules"
    return folder if game == ruleset("scandinavian") else folder / stored_name(game)


def _find_charts(
    table: "ValueTable", folder: Path, path: str | None, n_lines: int | None, seed: int, context: Context,
) -> dict[str, Path]:  # fmt: skip
    from yatzy.lab.search.charts import EFFORT, MAX_LINES, find_ladder, find_scoring_chart

    if path != SCORING_PATH:
        return find_ladder(table, folder, n_lines, None, seed, context)
    lines = MAX_LINES if n_lines is None else n_lines
    return find_scoring_chart(table, folder, lines, EFFORT, seed, context)


def _check_search(method: str, path: str | None, chart: bool) -> None:
    if method not in METHODS:
        raise YatzyError("method", method, METHODS, "is not known")
    if chart and (path not in (None, SCORING_PATH) or method != "improve"):
        raise YatzyError("chart", why=f"--chart excludes --method covering and any --path but {SCORING_PATH!r}")
    if method == "covering" and path is not None:
        raise YatzyError("path", path, why="requires --method improve")


@app.command("list")
def list_lists(json: Json = False) -> None:
    """List the shipped charts and rule lists with their sizes and exact means.

    Example: yatzy lists list
    """
    rows = tuple(_row(find_list(name)) for name in shipped_lists())
    charts = tuple(_chart_row(find_chart(name, game)) for game in charted_games() for name in shipped_charts(game))
    if json:
        print_json(ListsShipped(rows, charts))
        return
    found: list[ListRow | ChartRow] = [*charts, *rows]
    for row in found:
        typer.echo(_words(row))


@app.command()
def show(
    name: Annotated[str, typer.Argument(callback=may_be_dash("name", ".json"), help=WHO)],
    format: Annotated[
        str,
        typer.Option(help="terminal, markdown, html (an A4 page to print) or text (which can be parsed back)."),
    ] = "terminal",
    rules: Game = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Show a chart or a rule list in words, in the order of a turn, with its exact mean.

    Example: yatzy lists show chart-20

    Example: yatzy lists show chart-20 --rules yahtzee

    Example: yatzy lists show card-20 --format html > card.html
    """
    if format not in FORMATS:
        raise YatzyError("format", format, FORMATS, "is not known")
    if is_chart(name):
        _show_chart(find_chart(name, rules), format, home, json)
        return
    from yatzy.players import rule_list_card
    from yatzy.players.rule_list_player import ListPlayer
    from yatzy.players.rule_list_values import exact_mean

    found = find_list(name, rules)
    if format == "text" and not json:
        typer.echo(found.text(), nl=False)
        return
    # The means of the lists in the package are tested; what another file says of itself is only a claim.
    shipped = found.name in shipped_lists() and found.file == find_list(found.name).file
    known = found.info.get("mean") if shipped else None
    numbers = _standing(found.rules, home, known or (lambda: exact_mean(ListPlayer(found, home))))
    if json:
        print_json(ListShown(*numbers, found.file))
    elif format == "terminal":
        _print(rule_list_card.terminal(found, *numbers))
    else:
        typer.echo(
            (rule_list_card.html if format == "html" else rule_list_card.markdown)(found, *numbers), nl=False
        )


def _show_chart(found: "Chart", format: str, home: Path | None, json: bool) -> None:
    from dataclasses import replace

    from yatzy.lab.search.charts import describe
    from yatzy.players import chart_card
    from yatzy.players.chart import chart_text

    if format == "text" and not json:
        typer.echo(chart_text(found), nl=False)
        return
    game = found.rules
    # The numbers of the charts in the package are tested; what another file says of itself is only a claim.
    if found.name not in shipped_charts(game.name) or chart_content(found) != chart_content(
        find_chart(found.name, game)
    ):
        table = solved_table(game, home) if found.oracle_keeps else None
        with progress_bar("weighing every line"):
            found = replace(found, info=found.info | describe(found, table=table))
    numbers = _standing(game, home, float(found.info["mean"]))
    if json:
        print_json(ChartShown(*numbers, chart_content(found)))
    elif format == "terminal":
        _print(chart_card.terminal(found, *numbers))
    else:
        typer.echo((chart_card.html if format == "html" else chart_card.markdown)(found, *numbers), nl=False)


def _print(what: Any) -> None:
    from rich.console import Console

    Console().print(what)


@app.command()
def explain(
    dice: DiceWords,
    rerolls: Rerolls = None,
    filled: Filled = "",
    upper: Upper = None,
    policy: Annotated[
        str, typer.Option(callback=may_be_dash("policy", ".json"), help=f"The chart or rule list: {WHO}.")
    ] = "card-20",
    rules: Game = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Explain which line of a chart or rule of a list decides in a situation.

    Example: yatzy lists explain 1 3 3 5 6 --rerolls 2 --policy chart-20

    Example: yatzy lists explain 1 3 3 5 6 --policy chart-20 --rules yahtzee

    Example: yatzy lists explain 1 3 3 5 6 --rerolls 2 --filled ones --upper 3 --policy card-20
    """
    import numpy as np

    from yatzy.game.action import actions_of
    from yatzy.players.chart_player import ChartPlayer
    from yatzy.players.rule_list_player import ListPlayer

    player = (
        ChartPlayer(find_chart(policy, rules), home)
        if is_chart(policy)
        else ListPlayer(find_list(policy, rules), home)
    )
    game = player.rules
    here = read_situation(game, dice, rerolls, filled, upper)
    roll, left, mask, total = here.dice, here.rerolls, here.state.filled, here.state.upper
    if game.is_finished(mask):
        raise YatzyError("filled", why="all categories are filled; the game is over")
    roll_id = here.roll_id
    decisions = player.decide(np.array([mask]), np.array([total]))
    kept, box = int(decisions.keep[0, left - 1, roll_id]), int(decisions.category[0, roll_id])
    action = actions_of(game)[game.n_categories + kept if left else box]
    rule = player.explain(mask, total, roll_id, left)
    number, of = player.place(mask, total, roll_id, left)
    if json:
        print_json(DecisionExplained(player.name, roll, left, number, rule, action))
        return
    what = "line" if isinstance(player, ChartPlayer) else "rule"
    typer.echo(str(action) if number is None else f"{action}, by {what} {number} of {of}")
    typer.echo(rule)


def _row(rules: "RuleList", file: Path | None = None) -> ListRow:
    return ListRow(rules.name, rules.n_rules, rules.parameters, rules.oracle_keeps, rules.info.get("mean"), file)


def _chart_row(chart: "Chart", file: Path | None = None) -> ChartRow:
    info = chart.info
    return ChartRow(
        chart.name, chart.n_lines, chart.rules, info.get("reads"), chart.oracle_keeps, info.get("mean"), file
    )


def _words(row: ListRow | ChartRow) -> str:
    mean = f"mean {row.mean:.2f}" if row.mean is not None else "not evaluated"
    keeps = ", dice kept as in optimal play" if row.oracle_keeps else ""
    if isinstance(row, ChartRow):
        reads = f"{row.reads:>5.1f} read   " if row.reads is not None else " " * 13
        game = "" if row.game.name == charted_games()[0] else f", for {row.game.name}"
        return f"{row.name:20} {row.lines:>4} lines {reads}  {mean}{keeps}{game}"
    return f"{row.name:20} {row.n_rules:>4} rules {row.parameters:>5} numbers  {mean}{keeps}"


def _standing(game: Ruleset, home: Path | None, mean: float | Callable[[], float]) -> tuple[float, float, float]:
    """Exact means of a list or chart, of playing every turn for its most points, and of perfect play."""
    from yatzy.measure.exact import visit
    from yatzy.policies.baselines import Greedy

    optimum = solved_table(game, home).value()
    with progress_bar("evaluating"):
        greedy = visit(Greedy(game)).mean
        return mean if isinstance(mean, float) else mean(), greedy, optimum
