"""Commands for two: duel, and duel advise."""

import time
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import typer

from yatzy.cli.console import Filled, Home, Json, Rules, Upper, notice, print_json, progress_bar
from yatzy.cli.solving import print_chances
from yatzy.rules import Ruleset, State, parse_filled, ruleset

app = typer.Typer(add_completion=False, rich_markup_mode=None)

First = Annotated[bool, typer.Option("--first", help="You move first; without it, the other does.")]
Points = Annotated[int, typer.Option(help="Points in your filled boxes, the bonus aside.")]
DUELS_PER_TASK = 100_000


@app.callback(invoke_without_command=True)
def duel(
    ctx: typer.Context,
    games: Annotated[int, typer.Option(help="How many duels.")] = 100_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same duels, on any machine.")] = 0,
    first: First = False,
    rules: Rules = "scandinavian",
    threads: Annotated[int | None, typer.Option(help="Threads [default: all cores].")] = None,
    engine: Annotated[str, typer.Option(help="local, or dask for a cluster.")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Play to win against perfect play for the mean: how often that wins, on seeded dice.

    The first run solves the duel for all states and leads, in a minute or two, and keeps 2.5 GB. Example:
    yatzy duel --games 1000000. What to do in one situation: yatzy duel advise --help
    """
    if ctx.invoked_subcommand:
        return
    from yatzy.engine import check_engine, run
    from yatzy.evaluate.simulate import check_games

    game = ruleset(rules)
    check_games(games, seed)
    check_engine(engine, scheduler)
    duelist = _duelist(game, first, home)
    started = time.perf_counter()
    parts = [(start, min(DUELS_PER_TASK, games - start)) for start in range(0, games, DUELS_PER_TASK)]
    play = partial(play_part, game, first, home, seed, threads)
    found, done = [], 0
    results: Iterator[tuple[Any, Any]]
    with progress_bar(f"playing {games:,} duels") as progress:
        if engine == "local":
            results = ((part, _play(duelist, part, seed, first, threads)) for part in parts)
        else:
            results = run(play, parts, engine, scheduler)
        for part, duels in results:
            found.append((part, duels))
            done += part[1]
            progress(done, games)
    told = _joined([duels for _, duels in sorted(found, key=lambda pair: pair[0])])
    result = {
        "rules": game.name, "seed": seed, "moves_first": first, **told.to_json(),
        "promise": duelist.goals.promise, "seconds": time.perf_counter() - started,
    }  # fmt: skip
    if json:
        print_json(result)
        return
    order = "first" if first else "second"
    typer.echo(f"moving {order}, {games:,} duels, seed {seed}, {result['seconds']:.1f} s")
    typer.echo(
        f"won {result['win_rate']:.2%} +- {1.96 * result['standard_error']:.2%} (ties as half), "
        f"{result['decided_rate']:.2%} of those that were decided; {result['tie_rate']:.2%} ties"
    )
    typer.echo(f"mean score {result['mean']:.2f}, the other's {result['mean_of_other']:.2f}")


@app.command("advise")
def duel_advise(
    dice: Annotated[str, typer.Argument(help="The dice on the table: '1 3 3 5 6' or 13356.")],
    rerolls: Annotated[int | None, typer.Option(help="Rerolls left [default: none is used yet].")] = None,
    filled: Filled = "",
    upper: Upper = 0,
    points: Points = 0,
    other_filled: Annotated[str, typer.Option(help="The other's filled categories.")] = "",
    other_upper: Annotated[int, typer.Option(help="The other's upper total.")] = 0,
    other_points: Annotated[int, typer.Option(help="Points in the other's boxes, the bonus aside.")] = 0,
    first: First = False,
    rules: Rules = "scandinavian",
    top: Annotated[int, typer.Option(help="How many actions to show; 0 shows all.")] = 8,
    home: Home = None,
    json: Json = False,
) -> None:
    """Every action in one situation of a duel with its chance to win, a tie as half; the other plays for the mean.

    Example: yatzy duel advise "3 3 4 5 6" --rerolls 2 --other-filled chance --other-points 24
    """
    from dataclasses import asdict

    import numpy as np

    from yatzy.coach.outlook import check_points
    from yatzy.errors import YatzyError
    from yatzy.policy.duelist import Cards
    from yatzy.solver.chances import rank_actions

    game = ruleset(rules)
    state, other = State(parse_filled(game, filled), upper), State(parse_filled(game, other_filled), other_upper)
    check_points(game, state, points)
    check_points(game, other, other_points)
    turns, his = ((one.filled & game.all_filled).bit_count() for one in (state, other))
    if his != turns + (not first):
        raise YatzyError(
            f"other_filled: {his} boxes cannot stand with {turns} of yours; allowed are {turns + (not first)}, "
            f"because {'you move' if first else 'the other moves'} first"
        )
    duelist = _duelist(game, first, home)
    mine, theirs = (
        Cards(*(np.array([number]) for number in (one.filled, one.upper, held)))
        for one, held in ((state, points), (other, other_points))
    )
    left = game.rerolls if rerolls is None else rerolls
    worth = duelist.utilities(mine, theirs)[0]
    actions = rank_actions(duelist.opponent.table, worth, dice, left, state)
    if json:
        print_json(
            {
                "rules": game.name, "goal": "duel", "moves_first": first, "dice": dice, "rerolls": left,
                "chance": actions[0].chance, "actions": [asdict(action) for action in actions],
            }
        )  # fmt: skip
        return
    print_chances(actions, top, "chance: to win, a tie as half; value and regret: points for the mean")


def play_part(game: Ruleset, first: bool, home: Any, seed: int, threads: int | None, part: tuple[int, int]) -> Any:
    """Some of the duels of a seed, wherever this runs."""
    return _play(_duelist(game, first, home), part, seed, first, threads)


def _play(duelist: Any, part: tuple[int, int], seed: int, first: bool, threads: int | None) -> Any:
    from yatzy.evaluate.duels import play_duels

    start, games = part
    return play_duels(duelist, duelist.opponent.table, games, seed, first, threads, start=start)


def _joined(duels: list[Any]) -> Any:
    import numpy as np

    from yatzy.evaluate.duels import Duels

    return Duels(np.concatenate([one.mine for one in duels]), np.concatenate([one.other for one in duels]))


def _duelist(game: Ruleset, first: bool, home: Any) -> Any:
    """Play to win, its table solved and kept."""
    from yatzy.evaluate.steps import mean_player
    from yatzy.policy.duelist import Duelist
    from yatzy.solver.goal_rows import duel as duel_goal
    from yatzy.solver.goal_store import stored_goal
    from yatzy.solver.store import stored_table

    with progress_bar("solving") as progress:
        table = stored_table(game, folder=home, progress=progress, notice=notice)
    with progress_bar("the other's steps") as progress:
        other = mean_player(table, moves_first=not first, progress=progress)
    with progress_bar("solving the duel") as progress:
        return Duelist(stored_goal(game, duel_goal(other), home, progress, notice))
