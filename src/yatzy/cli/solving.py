"""Commands of the solver: solve, value, advise."""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from typing import Annotated, Any

import typer

from yatzy.cli.console import (
    DiceWords,
    Engine,
    Filled,
    Home,
    Json,
    Points,
    Rerolls,
    Rules,
    Saved,
    Scheduler,
    Target,
    Theta,
    Threads,
    Top,
    Upper,
    counted,
    notice,
    print_json,
    progress_bar,
    read_situation,
    read_state,
)
from yatzy.engine import check_engine, connected
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, State, format_category, format_filled, parse_state, ruleset
from yatzy.solver.advise import advise as advise_situation
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable, table_path


def solve(
    theta: Theta = 0.0,
    rules: Rules = "scandinavian",
    precision: Annotated[str, typer.Option(help="float64, or float32 for half the time.")] = "float64",
    threads: Threads = None,
    engine: Engine = "local",
    scheduler: Scheduler = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Solve the game exactly and store the values of all states.

    The first run after an installation compiles for a second or two. With five dice, every later one takes a
    fraction of a second; Maxi Yatzy takes half a minute on two cores. A game too large for memory, such as
    maxi+saved-throws, goes into its file layer by layer: stop it at any time and run it again.
    Example: yatzy solve --theta 0.05
    """
    game = ruleset(rules)
    check_engine(engine, scheduler)
    started = time.perf_counter()
    cluster = nullcontext() if engine == "local" else connected(engine, scheduler)
    with cluster as runner, progress_bar("solving") as progress:
        table = stored_table(
            game, theta, precision, home, progress, notice, threads=threads, runner=runner, again=True
        )
    seconds = time.perf_counter() - started
    space, path = table.space, table_path(game, table.theta, precision, home)
    if json:
        print_json(
            {
                "rules": table.rules.name, "fingerprint": table.rules.fingerprint, "theta": table.theta,
                "precision": precision, "value": table.value(), "states": space.n_reachable,
                "classes": space.n_classes, "seconds": seconds, "path": str(path),
            }
        )  # fmt: skip
        return
    what = "expected score" if table.theta == 0 else "certainty equivalent"
    typer.echo(f"{table.rules.name}, theta {table.theta:g}: {what} {table.value():.6f} points")
    typer.echo(f"{space.n_reachable:,} states ({space.n_classes:,} classes) in {seconds:.2f} s, {precision}")
    typer.echo(f"stored in {path}")


def value(
    state: Annotated[
        str | None, typer.Argument(help="The state in one text: 'ones,pair @ 3' [default: the start].")
    ] = None,
    filled: Filled = "",
    upper: Upper = None,
    saved: Saved = 0,
    theta: Theta = 0.0,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """Expected remaining points from a state, bonus included, under optimal play.

    Example: yatzy value "ones,pair @ 3", which is yatzy value --filled ones,pair --upper 3
    """
    game = ruleset(rules)
    if state is not None and (filled or upper is not None or saved):
        raise YatzyError("state", state, why="says all of it; give it without --filled, --upper and --saved")
    if state is not None and "@" not in state:
        parse_state(game, state)
    found = read_state(game, filled if state is None else state, upper, saved)
    mask, upper = found.filled, found.upper
    table = _table(game, theta, home)
    worth = table.value(mask, upper)
    if json:
        print_json({"rules": game.name, "theta": table.theta, **_state_json(game, mask, upper), "value": worth})
        return
    kept = f", saved {found.saved(game)}" if game.saves_throws else ""
    typer.echo(f"{worth:.4f} points to come from filled {format_filled(game, mask)}, upper {upper}{kept}")


def advise(
    dice: DiceWords,
    rerolls: Rerolls = None,
    filled: Filled = "",
    upper: Upper = None,
    saved: Saved = 0,
    theta: Theta = 0.0,
    target: Target = None,
    points: Points = 0,
    rules: Rules = "scandinavian",
    top: Top = 8,
    home: Home = None,
    json: Json = False,
) -> None:
    """Every action in a situation, best first, with its value and its regret.

    The value is the expected remaining points if you take this action and play optimally from there; the regret
    is what it loses against the best. Example: yatzy advise 2 5 5 5 6 --rerolls 1 --filled fives --upper 15
    The same in one text: yatzy advise "2 5 5 5 6 | 1 | fives @ 15"

    With --target, actions are ranked by the chance of a final score of at least that:
    yatzy advise 3 3 4 5 6 --filled ones,twos,yatzy --upper 6 --points 56 --target 260
    """
    game = ruleset(rules)
    here = read_situation(game, dice, rerolls, filled, upper, saved)
    shown_dice = " ".join(dice).partition("|")[0].strip()
    mask, total = here.state.filled, here.state.upper
    if target is None and points:
        raise YatzyError("points", why="are for a target; give --target too")
    if target is not None and theta:
        raise YatzyError("theta", why="cannot go with --target, which is a goal of its own")
    if target is not None:
        _advise_for_target(game, shown_dice, here.rerolls, here.state, points, target, top, home, json)
        return
    table = _table(game, theta, home)
    actions = advise_situation(table, here.dice, here.rerolls, mask, total)
    if json:
        print_json(
            {
                "rules": game.name, "theta": table.theta, "dice": shown_dice, "rerolls": here.rerolls,
                **_state_json(game, mask, total), "value": actions[0].value,
                "actions": [asdict(action) for action in actions],
            }
        )  # fmt: skip
        return
    from rich.console import Console
    from rich.table import Table

    shown = actions[:top] if top > 0 else actions
    view = Table(caption="value: expected remaining points; regret: points lost against the best")
    view.add_column("action")
    view.add_column("value", justify="right")
    view.add_column("regret", justify="right")
    for action in shown:
        view.add_row(action.action, f"{action.value:.3f}", f"{action.regret:.3f}")
    Console().print(view)
    if len(shown) < len(actions):
        typer.echo(f"{counted(len(actions) - len(shown), 'more action')} with --top 0")


def _advise_for_target(
    game: Ruleset, dice: str, rerolls: int, state: State, points: int, target: int, top: int, home: Home,
    json: bool,
) -> None:  # fmt: skip
    from yatzy.game.aim import check_points, check_target
    from yatzy.solver.chances import advise_for_target, reach_table

    check_target(game, target)
    check_points(game, state, points)
    with progress_bar("solving for every target") as progress:
        chances = reach_table(game, state, home, progress, notice)
    actions = advise_for_target(chances, _table(game, 0.0, home), dice, rerolls, state, points, target)
    if json:
        print_json(
            {
                "rules": game.name, "goal": "reach", "target": target, "points": points, "dice": dice,
                "rerolls": rerolls, **_state_json(game, state.filled, state.upper), "chance": actions[0].chance,
                "actions": [asdict(action) for action in actions],
            }
        )  # fmt: skip
        return
    print_chances(
        actions, top, f"chance: of {target} or more, playing for it; value and regret: points for the mean"
    )


def print_chances(actions: Sequence[Any], top: int, caption: str) -> None:
    """A table of actions with their chances."""
    from rich.console import Console
    from rich.table import Table

    shown = actions[:top] if top > 0 else actions
    view = Table(caption=caption)
    for heading in ("action", "chance", "value", "regret"):
        view.add_column(heading, justify="left" if heading == "action" else "right")
    for action in shown:
        view.add_row(action.action, f"{action.chance:.3%}", f"{action.value:.2f}", f"{action.regret:.2f}")
    Console().print(view)
    if len(shown) < len(actions):
        typer.echo(f"{counted(len(actions) - len(shown), 'more action')} with --top 0")


def _table(game: Ruleset, theta: float, home: Home) -> ValueTable:
    with progress_bar("solving") as progress:
        return stored_table(game, theta, folder=home, progress=progress, notice=notice, draft=True)


def _state_json(game: Ruleset, mask: int, upper: int) -> dict[str, Any]:
    """The state as the notation has it: a star where a flag is set, saved throws where a game has them."""
    names = [
        format_category(game, c) + "*" * bool(mask & game.flag_of(c))
        for c in range(game.n_categories)
        if mask >> c & 1
    ]
    saved = {"saved": State(mask).saved(game)} if game.saves_throws else {}
    return {"filled": names, "upper": upper, **saved}
