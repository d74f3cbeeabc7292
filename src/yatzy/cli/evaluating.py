"""Commands that measure a policy: evaluate, distribution, simulate."""

import math
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from yatzy.cli.chart import histogram
from yatzy.cli.console import Home, Json, Rules, Target, Theta, Threads, notice, print_json, progress_bar
from yatzy.errors import YatzyError
from yatzy.evaluate.ahead import compile_ahead
from yatzy.evaluate.exact import Evaluation, tracked_category
from yatzy.evaluate.exact import evaluate as evaluate_exactly
from yatzy.evaluate.simulate import Games, check_games, simulate_to_parquet
from yatzy.evaluate.simulate import simulate as simulate_games
from yatzy.policy.base import Policy
from yatzy.policy.registry import NAMES, find_policy
from yatzy.students.library import shipped_students

WHO = f"Who plays: {', '.join([*NAMES, *shipped_students()])}, a list of `yatzy rules list`, or a file."
PolicyName = Annotated[str, typer.Option("--policy", help=WHO)]
CONFIDENCE_95 = 1.959964
MOST_LOGS = 10_000


def evaluate(
    policy: Annotated[str, typer.Argument(help=WHO)] = "optimal",
    theta: Theta = 0.0,
    target: Target = None,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """Exact strength of a policy: mean, spread, quantiles, bonus, and points by category. Nothing is sampled.

    With --target it is the best play for that score: how often it gets there, and what that costs in the mean.
    The first time, its chances are solved for a minute and keep a gigabyte; following the points on the card takes
    some minutes more. Example: yatzy evaluate heuristic
    """
    if target is not None:
        _evaluate_for_target(_for_target(policy, theta, target, rules, home), json)
        return
    found, seconds = _evaluate(policy, theta, rules, home)
    if json:
        print_json(found.to_json() | {"theta": theta, "seconds": seconds})
        return
    _print_summary(found, seconds)
    from rich.console import Console
    from rich.table import Table

    view = Table(title="by category")
    for heading in ("category", "mean", "zero", "filled on average in turn"):
        view.add_column(heading, justify="left" if heading == "category" else "right")
    turns = found.fill_turn @ range(1, found.fill_turn.shape[1] + 1)
    columns = zip(found.rules.categories, found.category_means, found.category_zero_rates, turns, strict=True)
    for category, mean, zero, turn in columns:
        view.add_row(category.name, f"{mean:.2f}", f"{zero:.1%}", f"{turn:.1f}")
    Console().print(view)


def distribution(
    policy: PolicyName = "optimal",
    theta: Theta = 0.0,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """Exact distribution of the final score, as a picture (or as a list of probabilities with --json).

    Example: yatzy distribution --theta 0.05
    """
    found, seconds = _evaluate(policy, theta, rules, home)
    if json:
        print_json(found.to_json() | {"theta": theta, "seconds": seconds})
        return
    histogram(found)
    _print_summary(found, seconds)


def simulate(
    games: Annotated[int, typer.Option(help="How many games.")] = 100_000,
    policy: PolicyName = "optimal",
    theta: Theta = 0.0,
    target: Target = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same games, on any machine.")] = 0,
    compare: Annotated[str | None, typer.Option(help="A second policy that plays the same dice.")] = None,
    out: Annotated[Path | None, typer.Option(help="Parquet file for all games (streamed, resumable).")] = None,
    logs: Annotated[Path | None, typer.Option(help="File for the games as JSON logs, one per line.")] = None,
    rules: Rules = "scandinavian",
    threads: Threads = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Play seeded games, for data and cross-checks. To measure a policy use evaluate, which is exact.

    With --compare, both policies see the same dice wherever they reach the same point, and the difference is
    reported with its confidence interval. Example: yatzy simulate --games 1000000 --compare heuristic
    """
    check_games(games, seed)
    if compare and out:
        raise YatzyError("out: writes the games of one policy and cannot go with --compare")
    if logs and games > MOST_LOGS:
        raise YatzyError(f"games: {games} is too many for logs; allowed is 1..{MOST_LOGS}")
    if logs and target is not None:
        raise YatzyError("logs: are of play that does not see the points, and cannot go with --target")
    player = _for_target(policy, theta, target, rules, home) if target else _policy(policy, theta, rules, home)
    rival = _policy(compare, 0.0, rules, home) if compare else None
    started = time.perf_counter()
    result: dict[str, Any] = {
        "policy": player.name, "rules": player.rules.name, "theta": theta, "games": games, "seed": seed,
    }  # fmt: skip
    if out:
        with progress_bar(f"playing {games:,} games") as progress:
            mean, sd = simulate_to_parquet(player, games, out, seed, threads, progress)
        result |= {"mean": mean, "sd": sd, "standard_error": sd / math.sqrt(games), "out": str(out)}
    else:
        played = _play(player, games, seed, threads)
        result |= _figures(played, target)
        if rival:
            result["compare"] = _difference(played, _play(rival, games, seed, threads), rival.name)
    if logs:
        from yatzy.coach.game import play_logs
        from yatzy.coach.log import write_logs

        result["logs"] = str(write_logs(play_logs(player, games, seed), logs))
    result["seconds"] = time.perf_counter() - started
    if json:
        print_json(result)
        return
    _print_played(result)
    for file in filter(None, (out, logs)):
        typer.echo(f"games in {file}")


def _play(policy: Any, games: int, seed: int, threads: int | None) -> Games:
    with progress_bar(f"playing {games:,} games") as progress:
        return simulate_games(policy, games, seed, threads, progress)


def _figures(played: Games, target: int | None) -> dict[str, Any]:
    found = {
        "mean": played.mean, "sd": played.sd, "standard_error": played.standard_error,
        "bonus_rate": float(played.bonus.mean()), "yatzy_rate": float(played.yatzy.mean()),
    }  # fmt: skip
    if target is None:
        return found
    return found | {"target": target, "chance": float((played.score >= target).mean())}


def _difference(played: Games, others: Games, name: str) -> dict[str, Any]:
    """Game by game on the same dice, with its 95% confidence interval."""
    difference = played.score.astype(float) - others.score
    games = len(difference)
    spread = CONFIDENCE_95 * difference.std(ddof=1) / math.sqrt(games) if games > 1 else 0.0
    mean = float(difference.mean())
    return {
        "policy": name, "mean": others.mean, "difference": mean,
        "interval": [float(mean - spread), float(mean + spread)],
    }  # fmt: skip


def _print_played(result: dict[str, Any]) -> None:
    typer.echo(
        f"{result['policy']}: mean {result['mean']:.3f} +- {CONFIDENCE_95 * result['standard_error']:.3f}, SD "
        f"{result['sd']:.2f} over {result['games']:,} games, seed {result['seed']}, {result['seconds']:.1f} s"
    )
    if "chance" in result:
        typer.echo(f"{result['target']} or more in {result['chance']:.3%} of them")
    if "compare" in result:
        c = result["compare"]
        low, high = c["interval"]
        typer.echo(f"{c['policy']}: mean {c['mean']:.3f} on the same dice")
        typer.echo(f"difference {c['difference']:.3f} points, 95% between {low:.3f} and {high:.3f}")


def _policy(name: str, theta: float, rules: str, home: Home) -> Policy:
    with progress_bar("solving") as progress:
        return find_policy(name, rules, theta, home, progress, notice)


def _for_target(policy: str, theta: float, target: int, rules: str, home: Home) -> Any:
    """The best play for a target, from stored chances."""
    from yatzy.policy.goals import PlaysFor
    from yatzy.rules import ruleset
    from yatzy.solver.chances import check_target
    from yatzy.solver.goal_rows import reach
    from yatzy.solver.goal_store import stored_goal
    from yatzy.solver.store import stored_table

    if policy != "optimal" or theta:
        raise YatzyError(f"target: is for the best play, and cannot go with {'--theta' if theta else policy}")
    game = ruleset(rules)
    check_target(game, target)
    with progress_bar("solving") as progress:
        table = stored_table(game, folder=home, progress=progress, notice=notice)
    with progress_bar("solving for every target") as progress:
        return PlaysFor(stored_goal(game, reach(), home, progress, notice), table, target)


def _evaluate_for_target(player: Any, json: bool) -> None:
    from yatzy.evaluate.with_points import evaluate_with_points

    started = time.perf_counter()
    with progress_bar(f"evaluating play {player.name}") as progress:
        found = evaluate_with_points(player, progress=progress)
    d, seconds, best_mean = found.distribution, time.perf_counter() - started, player.table.value()
    chance = d.at_least(player.target)
    if json:
        print_json({
            "policy": player.name, "rules": player.rules.name, "goal": "reach", "target": player.target,
            "chance": chance, "mean": d.mean, "cost": best_mean - d.mean, "sd": d.sd, "skewness": d.skewness,
            "bonus_rate": found.bonus_rate, "cut": found.cut, "quantiles": d.quantiles, "pmf": d.pmf.tolist(),
            "seconds": seconds,
        })  # fmt: skip
        return
    typer.echo(f"{player.name}, {player.rules.name}: reached in {chance:.3%} of games, exact, in {seconds:.1f} s")
    typer.echo(f"mean {d.mean:.4f}, {best_mean - d.mean:.4f} below the best mean; SD {d.sd:.4f}")
    _print_quantiles(d.quantiles)


def _evaluate(name: str, theta: float, rules: str, home: Home) -> tuple[Evaluation, float]:
    compile_ahead(rules)
    policy = _policy(name, theta, rules, home)
    started = time.perf_counter()
    with progress_bar(f"evaluating {policy.name}") as progress:
        found = evaluate_exactly(policy, progress=progress)
    return found, time.perf_counter() - started


def _print_summary(found: Evaluation, seconds: float) -> None:
    d = found.distribution
    typer.echo(f"{found.policy}, {found.rules.name}: mean {d.mean:.4f}, SD {d.sd:.4f}, exact, in {seconds:.1f} s")
    tracked = tracked_category(found.rules)
    rates = [f"bonus in {found.bonus_rate:.3%} of games"] if found.rules.bonus else []
    if tracked >= 0:
        rates.append(f"{found.rules.categories[tracked].name} in {found.yatzy_rate:.3%}")
    if rates:
        typer.echo(", ".join(rates))
    _print_quantiles(d.quantiles)


def _print_quantiles(found: dict[str, int]) -> None:
    told = ", ".join(f"{float(q):.0%} {score}" for q, score in found.items())
    typer.echo(f"share of games at or below a score: {told}")
