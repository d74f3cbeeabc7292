"""`yatzy rules`: rules a person can carry. Induce, show, list, explain."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yatzy.cli.console import (
    DiceWords,
    Filled,
    Home,
    Json,
    Rules,
    Upper,
    notice,
    print_json,
    progress_bar,
    read_situation,
)
from yatzy.errors import YatzyError
from yatzy.home import home as home_folder
from yatzy.rulelists.library import find_list, shipped_lists
from yatzy.rules import ruleset

if TYPE_CHECKING:
    from yatzy.rulelists.language.rulelist import RuleList

METHODS = ("improve", "covering")
FORMATS = ("terminal", "markdown", "html", "text")
DEFAULT_PATH = "card"
WHO = f"{', '.join(shipped_lists()) or 'a shipped list'}, or a rule list's file"

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]}
)


@app.callback()
def rules() -> None:
    """Rule lists: short lists of IF-THEN rules in plain words that play the whole game.

    What is printed is what is evaluated: the first rule that fits decides, a default if none does.
    Start with: yatzy rules list, then yatzy rules show card-20.
    """


@app.command()
def induce(
    method: Annotated[
        str,
        typer.Option(
            help="improve: a list that plays gets better rule by rule. covering: the forerunner's greedy method."
        ),
    ] = "improve",
    path: Annotated[
        str | None,
        typer.Option(
            help="With improve, which lists: card, par, rich, primitive (every decision), rules, rules-rich, "
            f"rules-par (where to score; dice kept as in optimal play) [default: {DEFAULT_PATH}]."
        ),
    ] = None,
    rules_count: Annotated[
        int | None,
        typer.Option(
            help="With improve the longest list wanted; with covering the rules of each part [default: 100]."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same rules.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for the lists [default: rules in --home].")] = None,
    rules: Rules = "scandinavian",
    threads: Annotated[int | None, typer.Option(help="Threads [default: all cores].")] = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Find rule lists, measure them exactly, and write each to a JSON file that plays.

    improve takes minutes to hours: a list of a path grows out of the one before it, and finished ones are kept, so
    stop it at any time and run it again. covering takes about a minute and makes three lists: where to score with
    the dice kept as in optimal play, and every decision in verbs and in masks (positions of dice).
    Example: yatzy rules induce --method improve --path card --rules-count 20 --out lists
    """
    from yatzy.solver.store import stored_table

    if method not in METHODS:
        raise YatzyError(f"method: {method!r} is not known; allowed are {' and '.join(METHODS)}")
    if method == "covering" and path is not None:
        raise YatzyError(f"path: {path!r} goes with --method improve only")
    if seed < 0 or (rules_count is not None and rules_count < 0):
        raise YatzyError(f"seed, rules-count: {seed}, {rules_count}; allowed are numbers from 0 on")
    ruleset(rules).check_plain("rule lists are")
    with progress_bar("solving") as progress:
        table = stored_table(rules, folder=home, progress=progress, notice=notice)
    folder = out or home_folder(home) / "rules"
    report = (lambda text: None) if json else notice
    started = time.perf_counter()
    if method == "covering":
        from yatzy.rulelists.search.covering import Settings, induce_by_covering

        settings = Settings(seed=seed) if rules_count is None else Settings(seed=seed, n_rules=rules_count)
        files = induce_by_covering(table, folder, settings, threads, report)
    else:
        from yatzy.rulelists.search.paths import induce as induce_by_improvement

        files = induce_by_improvement(
            path or DEFAULT_PATH, table, folder, rules_count, seed=seed, threads=threads, report=report
        )
    seconds = time.perf_counter() - started
    rows = [_row(find_list(str(file), table.rules)) | {"file": str(file)} for file in files.values()]
    if json:
        print_json({"rules": table.rules.name, "method": method, "seed": seed, "lists": rows, "seconds": seconds})
        return
    for row in rows:
        typer.echo(f"{_words(row)}  {row['file']}")
    typer.echo(f"{seconds:.0f} s")


@app.command("list")
def list_lists(json: Json = False) -> None:
    """The rule lists in the package: rules, numbers to carry, exact mean.

    Example: yatzy rules list
    """
    rows = [_row(find_list(name)) for name in shipped_lists()]
    if json:
        print_json({"lists": rows})
        return
    for row in rows:
        typer.echo(_words(row))


@app.command()
def show(
    name: Annotated[str, typer.Argument(help=WHO)],
    format: Annotated[
        str,
        typer.Option(help="terminal; markdown; html (a page to print on A4); text (which reads back as rules)."),
    ] = "terminal",
    home: Home = None,
    json: Json = False,
) -> None:
    """A rule list in words, in the order of a turn, with its exact average.

    Example: yatzy rules show card-20 --format html > card.html
    """
    from yatzy.rulelists.print import card

    if format not in FORMATS:
        raise YatzyError(f"format: {format!r} is not known; allowed are {', '.join(FORMATS)}")
    found = find_list(name)
    if format == "text" and not json:
        typer.echo(found.text(), nl=False)
        return
    mean, casual, optimum = _standing(found, home)
    if json:
        print_json(found.to_json() | {"mean": mean, "casual": casual, "optimum": optimum})
    elif format == "terminal":
        from rich.console import Console

        Console().print(card.terminal(found, mean, casual, optimum))
    else:
        page = card.html if format == "html" else card.markdown
        typer.echo(page(found, mean, casual, optimum), nl=False)


@app.command()
def explain(
    dice: DiceWords,
    rerolls: Annotated[int | None, typer.Option(help="Rerolls left: 2, 1 or 0 [default: 2].")] = None,
    filled: Filled = "",
    upper: Upper = None,
    policy: Annotated[str, typer.Option(help=f"Whose rules: {WHO}.")] = "card-20",
    home: Home = None,
    json: Json = False,
) -> None:
    """Which rule of a list decides in a situation, and what it does there.

    Example: yatzy rules explain 1 3 3 5 6 --rerolls 2 --filled ones --upper 3 --policy card-20
    """
    import numpy as np

    from yatzy.dice import lattice
    from yatzy.rulelists.language.rulelist import rule_text
    from yatzy.rulelists.play.player import ListPlayer
    from yatzy.rules import format_category, format_dice

    found = find_list(policy)
    game = found.rules
    grid = lattice(game.dice, game.faces)
    here = read_situation(game, dice, rerolls, filled, upper)
    roll, left, mask, total = here.dice, here.rerolls, here.state.filled, here.state.upper
    if mask == game.all_filled:
        raise YatzyError("filled: all categories are filled; the game is over")
    roll_id = grid.id_of(roll)
    player = ListPlayer(found, home)
    rule = player.explain(mask, total, roll_id, left)
    decisions = player.decide(np.array([mask]), np.array([total]))
    if left:
        kept = grid.keeps[int(decisions.keep[0, left - 1, roll_id])]
        action = f"keep {format_dice(kept) or 'nothing'}"
    else:
        action = f"score {format_category(game, int(decisions.category[0, roll_id]))}"
    words = [rule_text(game, one) for one in found.list_of(left)]
    number = words.index(rule) + 1 if rule in words else None
    if json:
        print_json(
            {"policy": found.name, "dice": list(roll), "rerolls": left, "number": number, "rule": rule,
             "action": action}
        )  # fmt: skip
        return
    typer.echo(action if number is None else f"{action}, by rule {number} of {len(words)}")
    typer.echo(rule)


def _row(rules: "RuleList") -> dict[str, Any]:
    return {
        "name": rules.name, "rules": rules.n_rules, "parameters": rules.parameters,
        "oracle_keeps": rules.oracle_keeps, "mean": rules.info.get("mean"),
    }  # fmt: skip


def _words(row: dict[str, Any]) -> str:
    mean = f"mean {row['mean']:.2f}" if row["mean"] is not None else "not evaluated"
    keeps = ", dice kept as in optimal play" if row["oracle_keeps"] else ""
    return f"{row['name']:20} {row['rules']:>4} rules {row['parameters']:>5} numbers  {mean}{keeps}"


def _standing(rules: "RuleList", home: Path | None) -> tuple[float, float, float]:
    """Exact means of the list, of a casual player and of perfect play."""
    from yatzy.evaluate.visits import visit
    from yatzy.policy.heuristic import Heuristic
    from yatzy.rulelists.play.player import ListPlayer
    from yatzy.rulelists.play.valuing import exact_mean
    from yatzy.solver.store import stored_table

    with progress_bar("evaluating"):
        optimum = stored_table(rules.rules, folder=home, notice=notice).value()
        casual = visit(Heuristic(rules.rules)).mean
        # The means of the lists in the package are tested; what another file says of itself is only a claim.
        shipped = rules.name in shipped_lists() and rules == find_list(rules.name)
        known = rules.info.get("mean") if shipped else None
        mean = exact_mean(ListPlayer(rules, home)) if known is None else float(known)
        return mean, casual, optimum
