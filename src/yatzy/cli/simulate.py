"""The command that plays games: simulate."""

import math
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from yatzy import __version__
from yatzy.cli.console import (
    Engine,
    Games,
    Home,
    Json,
    Rules,
    Scheduler,
    Seed,
    Target,
    Theta,
    Threads,
    command_line,
    context_of,
    counted,
    print_json,
    working,
)
from yatzy.cli.evaluate import PolicyName, named_player, target_player
from yatzy.cli.stdin import may_be_dash
from yatzy.context import MAX_GAMES, Context, check_engine
from yatzy.errors import YatzyError
from yatzy.game.json import Count, Positive, Probability
from yatzy.measure.simulate import (
    CONFIDENCE_95,
    MAX_AT_ONCE,
    check_games,
    compare_games,
    join_games,
    provenance,
    simulate_to_parquet,
)
from yatzy.measure.simulate import Games as Played
from yatzy.measure.simulate import simulate as simulate_games
from yatzy.policies.registry import find_policy
from yatzy.rules import Ruleset
from yatzy.storage import check_outputs

MAX_LOGS = 10_000
GAMES_PER_TASK = 1 << 18


@dataclass(frozen=True)
class Rival:
    """The policy that is compared with, on the same dice: how far it is behind, with the 95% interval."""

    policy: str
    mean: float
    difference: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Simulated:
    """Games that were played: shares are told unless they went into a file."""

    policy: str
    rules: Ruleset
    theta: float
    games: Count
    seed: int
    mean: float
    sd: Positive
    standard_error: Positive
    seconds: Positive
    bonus_rate: Probability | None = None
    yatzy_rate: Probability | None = None
    target: int | None = None
    chance: Probability | None = None
    out: Path | None = None
    logs: Path | None = None
    compare: Rival | None = None


ANSWERS: dict[str, Any] = {"simulate": Simulated}


def simulate(
    policy: PolicyName = "optimal",
    games: Games = 100_000,
    theta: Theta = 0.0,
    target: Target = None,
    seed: Seed = 0,
    compare: Annotated[
        str | None,
        typer.Option(callback=may_be_dash("compare"), help="A second policy, which plays with the same dice."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write all games to this Parquet file (streamed, resumable)."),
    ] = None,
    logs: Annotated[
        Path | None, typer.Option(help="Write the games to this file as JSON logs, one per line.")
    ] = None,
    rules: Rules = "scandinavian",
    threads: Threads = None,
    engine: Engine = "local",
    scheduler: Scheduler = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Simulate seeded games, for data and cross-checks. To measure a policy use evaluate, which is exact.

    With --compare, both policies get the same dice wherever they reach the same point, and the difference is
    reported with its confidence interval.

    Example: yatzy simulate --games 1000000 --compare heuristic
    """
    check_engine(engine, scheduler)
    _check(games, seed, engine, target, compare, out, logs)
    check_outputs([policy, compare, rules], out=out, logs=logs)
    # First, because it may be a file that cannot be read; the other may have to be solved.
    rival = named_player(compare, 0.0, rules, home) if compare else None
    if target is None:
        player: Any = named_player(policy, theta, rules, home)
    else:
        player = target_player(policy, theta, target, rules, home)
    started = time.perf_counter()
    bonus_rate = yatzy_rate = chance = None
    play = partial(play_block, policy, theta, rules, home, seed)
    with context_of(home, threads, engine, scheduler) as whole, whole.shown(f"playing {games:,} games") as context:
        blocks = partial(context.runner, play) if context.is_distributed else None
        if out:
            about = provenance(
                player, seed, __version__, command_line(), games=games, theta=theta or None, target=target
            )
            mean, sd = simulate_to_parquet(player, games, out, seed, context, about=about, play=blocks)
        else:
            played = _play(player, games, seed, blocks, context)
            mean, sd = played.mean, played.sd
            bonus_rate, yatzy_rate = float(played.bonus.mean()), float(played.yatzy.mean())
            chance = None if target is None else float((played.score >= target).mean())
    if logs:
        from yatzy.game.log import write_logs
        from yatzy.measure.simulate import play_logs

        write_logs(play_logs(player, games, seed), logs)
    found = Simulated(
        player.name, player.rules, theta, games, seed, mean, sd, sd / math.sqrt(games),
        compare=_compare(played, rival, games, seed, threads) if rival else None,
        seconds=time.perf_counter() - started, bonus_rate=bonus_rate, yatzy_rate=yatzy_rate,
        target=None if out else target, chance=chance, out=out, logs=logs,
    )  # fmt: skip
    if json:
        print_json(found)
        return
    _print_played(found)
    for file in filter(None, (out, logs)):
        typer.echo(f"games in {file}")


def _check(
    games: int, seed: int, engine: str, target: int | None,
    compare: str | None, out: Path | None, logs: Path | None,
) -> None:  # fmt: skip
    """Refuse what does not go together before anything is solved or played."""
    check_games(games, seed, MAX_GAMES if out else MAX_AT_ONCE)
    if engine != "local" and target is not None:
        raise YatzyError("engine", why="cannot go with --target, whose play depends on the points so far")
    if compare and out:
        raise YatzyError("out", why="writes the games of one policy and cannot go with --compare")
    if logs and games > MAX_LOGS:
        raise YatzyError("games", games, f"1..{MAX_LOGS}", "is too many for logs")
    if logs and target is not None:
        raise YatzyError("logs", why="cannot go with --target, whose play depends on the points so far")


def play_block(policy: str, theta: float, rules: str, home: Home, seed: int, block: tuple[int, int]) -> Played:
    """Some of the games of a seed, wherever this runs."""
    first, games = block
    return simulate_games(find_policy(policy, rules, theta, Context(home)), games, seed, first=first)


def _play(player: Any, games: int, seed: int, blocks: Any, context: Context) -> Played:
    """The games, played here or block by block elsewhere."""
    if blocks is None:
        return simulate_games(player, games, seed, context=context)
    wanted = [(start, min(GAMES_PER_TASK, games - start)) for start in range(0, games, GAMES_PER_TASK)]
    found = {}
    for block, played in blocks(wanted):
        found[block] = played
        context.step(sum(n for _, n in found), games)
    return join_games([found[block] for block in wanted])


def _compare(played: Played, rival: Any, games: int, seed: int, threads: int | None) -> Rival:
    """The other's games on the same dice."""
    with working(f"playing {counted(games, 'game')}", threads=threads) as context:
        others = simulate_games(rival, games, seed, context=context)
    found = compare_games(rival.name, played, others)
    return Rival(rival.name, others.mean, found.difference, (found.low, found.high))


def _print_played(found: Simulated) -> None:
    error = CONFIDENCE_95 * found.standard_error
    typer.echo(
        f"{found.policy}: mean {found.mean:.3f} +- {error:.3f}, SD {found.sd:.2f} over "
        f"{counted(found.games, 'game')}, seed {found.seed}, {found.seconds:.1f} s"
    )
    if found.chance is not None:
        typer.echo(f"{found.target} or more in {found.chance:.3%} of them")
    if found.compare is not None:
        other, (low, high) = found.compare, found.compare.interval
        typer.echo(f"{other.policy}: mean {other.mean:.3f} on the same dice")
        typer.echo(f"difference {other.difference:.3f} points, 95% between {low:.3f} and {high:.3f}")
