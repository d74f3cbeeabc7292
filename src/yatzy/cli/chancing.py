"""Commands for players with a goal: chance."""

from typing import Annotated, Any

import typer

from yatzy.cli.chart import curves
from yatzy.cli.console import (
    Filled,
    Home,
    Json,
    Points,
    Rules,
    Upper,
    notice,
    print_json,
    progress_bar,
    read_state,
)
from yatzy.coach.by_chance import stored_chances
from yatzy.coach.outlook import reach_curves
from yatzy.game.aim import check_points, check_target
from yatzy.rules import filled_names, ruleset
from yatzy.solver.store import stored_table

# The curve is drawn and printed where it is neither certain nor hopeless.
NEARLY_NEVER = 5e-4


def chance(
    target: Annotated[
        int | None, typer.Option(help="The final score to reach, bonus and all; without it, every score.")
    ] = None,
    points: Points = 0,
    filled: Filled = "",
    upper: Upper = None,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """The greatest chance of a final score of at least the target, and that of perfect play for the mean.

    Early in a game the chances of all states are solved once, in about a minute, and kept; late in a game a second
    is enough. Example: yatzy chance --target 260
    """
    game = ruleset(rules)
    state = read_state(game, filled, upper)
    check_points(game, state, points)
    if target is not None:
        check_target(game, target)
    with progress_bar("solving for every target") as progress:
        chances = stored_chances(home, progress, notice).reach(game, state, progress)
    with progress_bar("the score of perfect play") as progress:
        table = stored_table(game, folder=home, progress=progress, notice=notice)
        best, mean = reach_curves(table, chances, state, points, progress)
    told = {
        "rules": game.name,
        "goal": "reach",
        "filled": filled_names(game, state.filled),
        "upper": state.upper,
        "points": points,
    }
    if target is not None:
        _tell_one(told, target, best[target], mean[target], json)
        return
    targets = [t for t in range(points, len(best)) if best[t] >= NEARLY_NEVER]
    if json:
        rows = [{"target": t, "chance": best[t], "chance_for_mean": mean[t], "need": t - points} for t in targets]
        print_json(told | {"targets": rows})
        return
    curves(targets, {"playing for the target": best, "playing for the mean": mean})


def _tell_one(told: dict[str, Any], target: int, best: float, mean: float, json: bool) -> None:
    need = max(target - told["points"], 0)
    if json:
        print_json(told | {"target": target, "need": need, "chance": best, "chance_for_mean": mean})
        return
    typer.echo(f"{best:.2%} to end with {target} or more, playing for it ({need} points to come)")
    typer.echo(f"{mean:.2%} playing perfectly for the mean")
