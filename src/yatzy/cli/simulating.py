"""The command that plays games: simulate."""

import math
import time
from collections.abc import Iterator
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
    counted,
    notice,
    print_json,
    progress_bar,
)
from yatzy.cli.evaluating import PolicyName, named_player, target_player
from yatzy.cli.stdin import may_be_dash
from yatzy.context import MOST_GAMES, Progress, check_engine, run
from yatzy.errors import YatzyError
from yatzy.evaluate.comparison import compare_games
from yatzy.evaluate.provenance import provenance
from yatzy.evaluate.simulate import CONFIDENCE_95, MOST_AT_ONCE, check_games, join_games, simulate_to_parquet
from yatzy.evaluate.simulate import Games as Played
from yatzy.evaluate.simulate import simulate as simulate_games
from yatzy.files import check_outputs
from yatzy.policy.registry import find_policy

MOST_LOGS = 10_000
GAMES_PER_TASK = 1 << 18


def simulate(
    games: Games = 100_000,
    policy: PolicyName = "optimal",
    theta: Theta = 0.0,
    target: Target = None,
    seed: Seed = 0,
    compare: Annotated[
        str | None,
        typer.Option(callback=may_be_dash("compare"), help="A second policy that plays the same dice."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Parquet file for all games (streamed, resumable).")] = None,
    logs: Annotated[Path | None, typer.Option(help="File for the games as JSON logs, one per line.")] = None,
    rules: Rules = "scandinavian",
    threads: Threads = None,
    engine: Engine = "local",
    scheduler: Scheduler = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Play seeded games, for data and cross-checks. To measure a policy use evaluate, which is exact.

    With --compare, both policies see the same dice wherever they reach the same point, and the difference is
    reported with its confidence interval. Example: yatzy simulate --games 1000000 --compare heuristic
    """
    _check(games, seed, engine, scheduler, target, compare, out, logs)
    check_outputs([policy, compare, rules], out=out, logs=logs)
    if target is None:
        player: Any = named_player(policy, theta, rules, home)
    else:
        player = target_player(policy, theta, target, rules, home)
    rival = named_player(compare, 0.0, rules, home) if compare else None
    blocks = None
    if engine != "local":
        blocks = partial(play_blocks, policy, theta, rules, home, seed, engine, scheduler)
    started = time.perf_counter()
    result: dict[str, Any] = {
        "policy": player.name, "rules": player.rules.name, "theta": theta, "games": games, "seed": seed,
    }  # fmt: skip
    with progress_bar(f"playing {games:,} games") as progress:
        if out:
            about = provenance(
                player, seed, __version__, command_line(), games=games, theta=theta or None, target=target
            )
            mean, sd = simulate_to_parquet(
                player, games, out, seed, threads, progress, notice, about=about, play=blocks
            )
            result |= {"mean": mean, "sd": sd, "standard_error": sd / math.sqrt(games), "out": str(out)}
        else:
            played = _play(player, games, seed, threads, blocks, progress)
            result |= {
                "mean": played.mean, "sd": played.sd, "standard_error": played.standard_error,
                "bonus_rate": float(played.bonus.mean()), "yatzy_rate": float(played.yatzy.mean()),
            }  # fmt: skip
            if target is not None:
                result |= {"target": target, "chance": float((played.score >= target).mean())}
    if logs:
        from yatzy.evaluate.play import play_logs
        from yatzy.game.log import write_logs

        result["logs"] = str(write_logs(play_logs(player, games, seed), logs))
    if rival:
        result["compare"] = _compare(played, rival, games, seed, threads)
    result["seconds"] = time.perf_counter() - started
    if json:
        print_json(result)
        return
    _print_played(result)
    for file in filter(None, (out, logs)):
        typer.echo(f"games in {file}")


def _check(
    games: int, seed: int, engine: str, scheduler: str | None, target: int | None,
    compare: str | None, out: Path | None, logs: Path | None,
) -> None:  # fmt: skip
    """Refuse what does not go together before anything is solved or played."""
    check_games(games, seed, MOST_GAMES if out else MOST_AT_ONCE)
    check_engine(engine, scheduler)
    if engine != "local" and target is not None:
        raise YatzyError("engine", why="is for play that does not see the points, and cannot go with --target")
    if compare and out:
        raise YatzyError("out", why="writes the games of one policy and cannot go with --compare")
    if logs and games > MOST_LOGS:
        raise YatzyError("games", games, f"1..{MOST_LOGS}", "is too many for logs")
    if logs and target is not None:
        raise YatzyError("logs", why="are of play that does not see the points, and cannot go with --target")


def play_blocks(
    policy: str, theta: float, rules: str, home: Home, seed: int, engine: str, scheduler: str | None,
    wanted: list[tuple[int, int]],
) -> Iterator[tuple[tuple[int, int], Played]]:  # fmt: skip
    """Blocks of games (first game, games), in any order, as an engine plays them."""
    return run(partial(play_block, policy, theta, rules, home, seed), wanted, engine, scheduler)


def play_block(policy: str, theta: float, rules: str, home: Home, seed: int, block: tuple[int, int]) -> Played:
    """Some of the games of a seed, wherever this runs."""
    first, games = block
    return simulate_games(find_policy(policy, rules, theta, home), games, seed, first=first)


def _play(player: Any, games: int, seed: int, threads: int | None, blocks: Any, progress: Progress) -> Played:
    """The games, played here or block by block elsewhere."""
    if blocks is None:
        return simulate_games(player, games, seed, threads=threads, progress=progress)
    wanted = [(start, min(GAMES_PER_TASK, games - start)) for start in range(0, games, GAMES_PER_TASK)]
    found = {}
    for block, played in blocks(wanted):
        found[block] = played
        progress(sum(n for _, n in found), games)
    return join_games([found[block] for block in wanted])


def _compare(played: Played, rival: Any, games: int, seed: int, threads: int | None) -> dict[str, Any]:
    """The other's games on the same dice."""
    with progress_bar(f"playing {counted(games, 'game')}") as progress:
        others = simulate_games(rival, games, seed, threads=threads, progress=progress)
    found = compare_games(rival.name, played, others)
    return {
        "policy": rival.name, "mean": others.mean, "difference": found.difference,
        "interval": [found.low, found.high],
    }  # fmt: skip


def _print_played(result: dict[str, Any]) -> None:
    typer.echo(
        f"{result['policy']}: mean {result['mean']:.3f} +- {CONFIDENCE_95 * result['standard_error']:.3f}, SD "
        f"{result['sd']:.2f} over {counted(result['games'], 'game')}, seed {result['seed']}, "
        f"{result['seconds']:.1f} s"
    )
    if "chance" in result:
        typer.echo(f"{result['target']} or more in {result['chance']:.3%} of them")
    if "compare" in result:
        c = result["compare"]
        low, high = c["interval"]
        typer.echo(f"{c['policy']}: mean {c['mean']:.3f} on the same dice")
        typer.echo(f"difference {c['difference']:.3f} points, 95% between {low:.3f} and {high:.3f}")
