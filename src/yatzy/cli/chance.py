"""Commands for players with a goal: chance."""

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from yatzy.cli.console import Filled, Home, Json, Points, Rules, Upper, notice, print_json, read_state
from yatzy.cli.terminal import curves
from yatzy.coach.chances import TargetChance, chances
from yatzy.coach.chances import chance as chance_of
from yatzy.context import Context
from yatzy.game.json import INLINE, Count
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.states import NamedState, named_state


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
    where, context = named_state(game, state), Context(home, notice=notice)
    if target is not None:
        found = chance_of(target, state, points, game, context)
        _tell_one(ChanceFrom(game, "reach", where, points, found), json)
        return
    all_found = chances(state, points, game, context)
    if json:
        print_json(ChancesFrom(game, "reach", where, points, all_found.rows))
        return
    columns = all_found.columns()
    for_target, for_mean = (
        dict(zip(columns["target"], columns[name], strict=True)) for name in ("chance", "chance_for_mean")
    )
    curves(columns["target"], {"playing for the target": for_target, "playing for the mean": for_mean})


def _tell_one(told: ChanceFrom, json: bool) -> None:
    if json:
        print_json(told)
        return
    one = told.found
    typer.echo(f"{one.chance:.2%} to end with {one.target} or more, playing for it ({one.need} points to come)")
    typer.echo(f"{one.chance_for_mean:.2%} playing perfectly for the mean")
