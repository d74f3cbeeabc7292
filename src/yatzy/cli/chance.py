"""Commands for players with a goal: chance."""

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from yatzy.cli.console import Filled, Home, Json, Points, Rules, Upper, print_json, read_state, working
from yatzy.cli.terminal import curves
from yatzy.coach.advice import stored_chances
from yatzy.coach.outlook import reach_curves
from yatzy.game.aim import check_points, check_target
from yatzy.game.json import INLINE, Count, Probability
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.states import NamedState, named_state
from yatzy.solver.store import stored_table

# The curve is drawn and printed where it is neither certain nor hopeless.
NEARLY_NEVER = 5e-4


@dataclass(frozen=True)
class TargetChance:
    """The greatest chance of a final score, with `need` points to come, and that of perfect play for the mean."""

    target: Count
    need: Count
    chance: Probability
    chance_for_mean: Probability


@dataclass(frozen=True)
class ChanceFrom:
    """The chance of one target from a state with points on its card."""

    rules: Ruleset
    goal: Literal["reach"]
    state: Annotated[NamedState, INLINE]
    points: Count
    found: Annotated[TargetChance, INLINE]


@dataclass(frozen=True)
class ChancesFrom:
    """The chance of every target that is neither certain nor hopeless."""

    rules: Ruleset
    goal: Literal["reach"]
    state: Annotated[NamedState, INLINE]
    points: Count
    targets: tuple[TargetChance, ...]


ANSWERS = {"chance": ChanceFrom | ChancesFrom}


def chance(
    target: Annotated[
        int | None, typer.Option(help="The final score to reach, including the bonus [default: every score].")
    ] = None,
    points: Points = 0,
    filled: Filled = "",
    upper: Upper = None,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """Show the best chance of reaching a target score, beside the chance when maximising the mean.

    Early in a game the chances of all states are computed once, in about a minute, and stored; late in a game it
    takes a second.

    Example: yatzy chance --target 260
    """
    game = ruleset(rules)
    state = read_state(game, filled, upper)
    check_points(game, state, points)
    if target is not None:
        check_target(game, target)
    with working("solving for every target", home) as context:
        chances = stored_chances(context).reach(game, state, context.progress)
    with working("the score of perfect play", home) as context:
        table = stored_table(game, context=context)
        best, mean = reach_curves(table, chances, state, points, context.progress)
    where = named_state(game, state)
    if target is not None:
        found = TargetChance(target, max(target - points, 0), best[target], mean[target])
        _tell_one(ChanceFrom(game, "reach", where, points, found), json)
        return
    targets = [t for t in range(points, len(best)) if best[t] >= NEARLY_NEVER]
    if json:
        rows = tuple(TargetChance(t, t - points, best[t], mean[t]) for t in targets)
        print_json(ChancesFrom(game, "reach", where, points, rows))
        return
    curves(targets, {"playing for the target": best, "playing for the mean": mean})


def _tell_one(told: ChanceFrom, json: bool) -> None:
    if json:
        print_json(told)
        return
    one = told.found
    typer.echo(f"{one.chance:.2%} to end with {one.target} or more, playing for it ({one.need} points to come)")
    typer.echo(f"{one.chance_for_mean:.2%} playing perfectly for the mean")
