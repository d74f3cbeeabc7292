"""Commands for two: duel, and duel advise."""

import time
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import typer

from yatzy.cli.app import HELP
from yatzy.cli.console import (
    DiceWords,
    Engine,
    Filled,
    Games,
    Home,
    Json,
    Points,
    Rerolls,
    Rules,
    Scheduler,
    Seed,
    Threads,
    Top,
    Upper,
    context_of,
    notice,
    print_json,
    read_situation,
)
from yatzy.cli.solve import print_advice
from yatzy.context import Context
from yatzy.errors import YatzyError
from yatzy.game.json import INLINE, Positive, Probability
from yatzy.measure.duels import Duels, check_duel, duel_advice, duelist, play_duels
from yatzy.rules import Ruleset, State, parse_filled
from yatzy.solver.advise import Advice

app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=HELP)

First = Annotated[bool, typer.Option("--first", help="You move first; by default the opponent does.")]
DUELS_PER_TASK = 20_000


@dataclass(frozen=True)
class DuelsPlayed:
    """Duels against perfect play for the mean; `promise` is the chance to win as the model has it."""

    rules: Ruleset
    seed: int
    moves_first: bool
    duels: Annotated[Duels, INLINE]
    promise: Probability
    seconds: Positive


ANSWERS = {"duel": DuelsPlayed, "duel advise": Advice}


@app.callback(invoke_without_command=True)
def duel(
    ctx: typer.Context,
    games: Games = 100_000,
    seed: Seed = 0,
    first: First = False,
    rules: Rules = "scandinavian",
    threads: Threads = None,
    engine: Engine = "local",
    scheduler: Scheduler = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Play to win against an opponent who maximises the mean, and count how often that wins.

    The first run solves the duel for all states and leads, which takes two or three minutes and 3.9 GB of disk; so
    does the first run with --first. For advice in one situation, see yatzy duel advise --help.

    Example: yatzy duel --games 1000000
    """
    if ctx.invoked_subcommand:
        _check_order(ctx)
        return
    from yatzy.context import check_engine
    from yatzy.measure.simulate import CONFIDENCE_95

    game = check_duel(rules)
    check_engine(engine, scheduler)
    player = duelist(game, first, Context(home, threads, notice=notice))
    started = time.perf_counter()
    parts = [(start, min(DUELS_PER_TASK, games - start)) for start in range(0, games, DUELS_PER_TASK)]
    play = partial(play_part, game, first, Context(home, threads), seed)
    found, done = {}, 0
    with (
        context_of(home, threads, engine, scheduler) as context,
        context.shown(f"playing {games:,} duels") as shown,
    ):
        for part, duels in shown.runner(play, parts):
            found[part] = duels
            done += part[1]
            shown.step(done, games)
    told = Duels.joined(found[part] for part in parts)
    result = DuelsPlayed(game, seed, first, told, player.goals.promise, time.perf_counter() - started)
    if json:
        print_json(result)
        return
    order = "first" if first else "second"
    typer.echo(f"moving {order}, {games:,} duels, seed {seed}, {result.seconds:.1f} s")
    decided = f"{told.decided_rate:.2%} of those that were decided; " if told.decided_rate is not None else ""
    typer.echo(
        f"won {told.win_rate:.2%} (95% within {CONFIDENCE_95 * told.standard_error:.2%}; ties as half), {decided}"
        f"{told.tie_rate:.2%} ties"
    )
    typer.echo(f"mean score {told.mean:.2f}, the other's {told.mean_of_other:.2f}")


@app.command("advise")
def duel_advise(
    dice: DiceWords,
    rerolls: Rerolls = None,
    filled: Filled = "",
    upper: Upper = None,
    points: Points = 0,
    other_filled: Annotated[str, typer.Option(help="The opponent's filled categories.")] = "",
    other_upper: Annotated[int, typer.Option(help="The opponent's upper-section total.")] = 0,
    other_points: Annotated[int, typer.Option(help="Points in the opponent's boxes, without the bonus.")] = 0,
    first: First = False,
    rules: Rules = "scandinavian",
    top: Top = 8,
    home: Home = None,
    json: Json = False,
) -> None:
    """Rank every action in a duel by its chance to win; a tie counts as half.

    The opponent maximises the mean. Their next turn is exact; later turns are approximated from similar cards, so
    at the start of a game chances are about one percentage point too high.

    Example: yatzy duel advise 3 3 4 5 6 --rerolls 2 --other-filled chance --other-points 24
    """
    game = check_duel(rules)
    here = read_situation(game, dice, rerolls, filled, upper)
    other = State(parse_filled(game, other_filled), other_upper)
    context = Context(home, notice=notice)
    advice = duel_advice(here, points, other, other_points, first, game, context)
    if json:
        print_json(advice)
        return
    print_advice(
        advice, top, "chance: to win as the model has it, a tie as half; value and regret: points for the mean"
    )


def play_part(game: Ruleset, first: bool, context: Context, seed: int, part: tuple[int, int]) -> Any:
    """Some of the duels of a seed, wherever this runs."""
    start, games = part
    player = duelist(game, first, context)
    return play_duels(player, player.opponent.table, range(start, start + games), seed, first, context)


def _check_order(ctx: typer.Context) -> None:
    """Refuse options of `duel` before `advise`, which has its own."""
    for name in ctx.params:
        source = ctx.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise YatzyError(
                name, why=f"belongs after advise: yatzy duel advise DICE --{name.replace('_', '-')} ..."
            )
