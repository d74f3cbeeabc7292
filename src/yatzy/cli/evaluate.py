"""Commands that measure a policy exactly: evaluate, distribution."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import typer

from yatzy.cli.console import (
    Engine,
    Filled,
    Home,
    Json,
    Points,
    Rules,
    Saved,
    Scheduler,
    Target,
    Theta,
    Upper,
    context_of,
    counted,
    print_json,
    progress_bar,
    read_state,
    solved_table,
    working,
)
from yatzy.cli.stdin import may_be_dash
from yatzy.cli.terminal import bars, histogram
from yatzy.coach.outlook import Outlook, outlook
from yatzy.context import Context, check_engine
from yatzy.errors import YatzyError
from yatzy.game.aim import check_points, check_target, check_theta
from yatzy.game.json import INLINE, Count, Positive, Probability
from yatzy.measure.ahead import compile_ahead
from yatzy.measure.exact import Evaluation, PlayedWithPoints, evaluate_with_points, tracked_category
from yatzy.measure.exact import evaluate as evaluate_exactly
from yatzy.players.model import shipped_models
from yatzy.policies.policy import Policy
from yatzy.policies.registry import NAMES, find_policy
from yatzy.rules import Ruleset, State, format_state, ruleset
from yatzy.solver.states import NamedState, check_solvable, named_state

NAMED = ", ".join([*NAMES, *shipped_models()])
WHO = f"The policy: {NAMED}, a name from yatzy lists list, or a file (- for stdin)."
PolicyName = Annotated[str, typer.Argument(callback=may_be_dash("policy"), help=WHO)]


@dataclass(frozen=True)
class Evaluated:
    """A policy, measured exactly; `chance` is that of the target, if one is asked for."""

    evaluation: Annotated[Evaluation, INLINE]
    theta: float
    seconds: Positive
    target: int | None = None
    chance: Probability | None = None


@dataclass(frozen=True)
class EvaluatedTogether:
    """Several policies, in the order asked for."""

    rules: Ruleset
    evaluations: tuple[Evaluated, ...]


@dataclass(frozen=True)
class EvaluatedForTarget:
    """The best play for a target; `cost` is what that takes from the mean."""

    policy: str
    rules: Ruleset
    goal: Literal["reach"]
    target: int
    chance: Probability
    cost: float
    played: Annotated[PlayedWithPoints, INLINE]
    seconds: Positive


@dataclass(frozen=True)
class OutlookFrom:
    """How games end from a state on; `chance` is that of the target, if one is asked for."""

    policy: str
    rules: Ruleset
    theta: float
    state: Annotated[NamedState, INLINE]
    points: Count
    outlook: Annotated[Outlook, INLINE]
    seconds: Positive
    target: int | None = None
    chance: Probability | None = None


ANSWERS = {"evaluate": Evaluated | EvaluatedTogether | EvaluatedForTarget, "distribution": Evaluated | OutlookFrom}


def evaluate(
    policy: Annotated[
        list[str] | None, typer.Argument(callback=may_be_dash("policy"), help=f"{WHO} Several can be compared.")
    ] = None,
    theta: Theta = 0.0,
    target: Target = None,
    rules: Rules = "scandinavian",
    engine: Engine = "local",
    scheduler: Scheduler = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Compute the exact strength of a policy: mean, spread, quantiles, bonus, points by category.

    Nothing is sampled. With --target, the policy is the one that maximises the chance of that score: how often it
    succeeds, and what that costs in the mean. The first run with --target takes a minute and a gigabyte of disk;
    tracking the points on the card takes some minutes more. Several policies are evaluated one after another, or
    in parallel with --engine dask.

    Example: yatzy evaluate heuristic

    Example: yatzy evaluate optimal card-20 value-18
    """
    names = policy or ["optimal"]
    check_engine(engine, scheduler)
    if target is not None:
        if len(names) > 1:
            raise YatzyError("target", why=f"applies only to optimal play, not to {len(names)} policies")
        _evaluate_for_target(target_player(names[0], theta, target, rules, home), json)
        return
    if len(names) > 1:
        with context_of(home, None, engine, scheduler) as context:
            _evaluate_several(names, theta, rules, context, json)
        return
    found, seconds = _evaluate(names[0], theta, rules, home)
    if json:
        print_json(Evaluated(found, theta, seconds))
        return
    _print_summary(found, seconds)
    _print_table(
        "by category",
        ("category", "mean", "zero", "filled on average in turn"),
        [
            (category.name, f"{mean:.2f}", f"{zero:.1%}", f"{turn:.1f}")
            for category, mean, zero, turn in zip(
                found.rules.categories,
                found.category_means,
                found.category_zero_rates,
                found.fill_turn @ range(1, found.fill_turn.shape[1] + 1),
                strict=True,
            )
        ],
    )


def _evaluate_several(names: list[str], theta: float, rules: str, context: Context, json: bool) -> None:
    """One evaluation for each name, wherever the engine runs them."""
    # Optimal play last: it may have to be solved, and a name that is not known is told before that.
    for name in sorted(names, key=lambda name: name == "optimal"):
        named_player(name, theta if name == "optimal" else 0.0, rules, context.home)
    found: dict[str, Evaluated] = {}
    with context.shown(f"evaluating {len(names)} policies") as shown:
        for name, result in shown.runner(partial(evaluate_named, theta, rules, context.home), names):
            found[name] = result
            shown.step(len(found), len(names))
    if json:
        print_json(EvaluatedTogether(ruleset(rules), tuple(found[name] for name in names)))
        return
    rows = [
        (name, f"{one.mean:.4f}", f"{one.sd:.4f}", f"{one.bonus_rate:.2%}", f"{one.yatzy_rate:.2%}")
        for name, one in ((name, found[name].evaluation) for name in names)
    ]
    _print_table("exact", ("policy", "mean", "SD", "bonus", "Yatzy"), rows)


def evaluate_named(theta: float, rules: str, home: Home, name: str) -> Evaluated:
    """One policy's evaluation, wherever this runs."""
    risk = theta if name == "optimal" else 0.0
    started = time.perf_counter()
    found = evaluate_exactly(find_policy(name, rules, risk, Context(home)))
    return Evaluated(found, risk, time.perf_counter() - started)


def _print_table(title: str, headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table

    view = Table(title=title)
    for i, heading in enumerate(headings):
        view.add_column(heading, justify="right" if i else "left")
    for row in rows:
        view.add_row(*row)
    Console().print(view)


def distribution(
    policy: PolicyName = "optimal",
    theta: Theta = 0.0,
    filled: Filled = "",
    upper: Upper = None,
    saved: Saved = 0,
    points: Points = 0,
    target: Annotated[int | None, typer.Option(help="Also show the chance of at least this final score.")] = None,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """Compute the exact distribution of the final score, from the start or from a state.

    It is drawn as a histogram; --json prints the probabilities.

    Example: yatzy distribution --theta 0.05

    Example: yatzy distribution --filled "ones,yatzy @ 3" --points 53
    """
    game = ruleset(rules)
    state = read_state(game, filled, upper, saved)
    check_points(game, state, points)
    if target is not None:
        check_target(game, target)
    if state != State():
        _outlook(policy, theta, game, state, points, target, rules, home, json)
        return
    found, seconds = _evaluate(policy, theta, rules, home)
    chance = None if target is None else found.distribution.at_least(target)
    if json:
        print_json(Evaluated(found, theta, seconds, target, chance))
        return
    histogram(found)
    _print_summary(found, seconds)
    _print_chance(target, chance)


def _outlook(
    policy: str, theta: float, game: Ruleset, state: State, points: int, target: int | None, rules: str,
    home: Home, json: bool,
) -> None:  # fmt: skip
    """The distribution from a state on."""
    player = named_player(policy, theta, rules, home)
    started = time.perf_counter()
    with progress_bar(f"following {player.name}"):
        found = outlook(player, state, points)
    d, seconds = found.distribution, time.perf_counter() - started
    chance = None if target is None else d.at_least(target)
    if json:
        where = named_state(game, state)
        print_json(OutlookFrom(player.name, game, theta, where, points, found, seconds, target, chance))
        return
    bars(d)
    typer.echo(f"{player.name}, {game.name}, from {format_state(game, state)} with {counted(points, 'point')}:")
    typer.echo(f"mean {d.mean:.4f}, SD {d.sd:.4f}, exact; bonus in {found.bonus_rate:.3%} of games")
    _print_quantiles(d.quantiles)
    _print_chance(target, chance)


def _print_chance(target: int | None, chance: float | None) -> None:
    if chance is not None:
        typer.echo(f"{target} or more in {chance:.3%} of games")


def named_player(name: str, theta: float, rules: str, home: Home) -> Policy:
    with working("solving", home) as context:
        return find_policy(name, rules, theta, context)


def target_player(policy: str, theta: float, target: int, rules: str, home: Home) -> Any:
    """The best play for a target, from stored chances."""
    from yatzy.policies.optimal import PlaysFor
    from yatzy.solver.goal import reach
    from yatzy.solver.store import stored_goal

    if policy != "optimal" or theta:
        raise YatzyError(
            "target", why=f"applies only to optimal play, not {'with --theta' if theta else f'to {policy}'}"
        )
    game = ruleset(rules)
    check_target(game, target)
    table = solved_table(game, home)
    with working("solving for every target", home) as context:
        return PlaysFor(stored_goal(game, reach(), context), table, target)


def _evaluate_for_target(player: Any, json: bool) -> None:
    started = time.perf_counter()
    with working(f"evaluating play {player.name}") as context:
        found = evaluate_with_points(player, context)
    d, seconds, best_mean = found.distribution, time.perf_counter() - started, player.table.value()
    chance = d.at_least(player.target)
    if json:
        cost = best_mean - d.mean
        print_json(
            EvaluatedForTarget(player.name, player.rules, "reach", player.target, chance, cost, found, seconds)
        )
        return
    typer.echo(f"{player.name}, {player.rules.name}: reached in {chance:.3%} of games, exact, in {seconds:.1f} s")
    typer.echo(f"mean {d.mean:.4f}, {best_mean - d.mean:.4f} below the best mean; SD {d.sd:.4f}")
    _print_quantiles(d.quantiles)


def _evaluate(name: str, theta: float, rules: str, home: Home) -> tuple[Evaluation, float]:
    # Optimal play has nothing left to refuse once game and theta are known, and solving leaves time to compile.
    if name == "optimal":
        check_solvable(ruleset(rules))
        check_theta(theta)
        compile_ahead(rules)
        policy = named_player(name, theta, rules, home)
    else:
        policy = named_player(name, theta, rules, home)
        compile_ahead(rules)
    started = time.perf_counter()
    with working(f"evaluating {policy.name}") as context:
        found = evaluate_exactly(policy, context=context)
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


def _print_quantiles(found: Mapping[Any, int]) -> None:
    told = ", ".join(f"{float(q):.0%} {score}" for q, score in found.items())
    typer.echo(f"share of games at or below a score: {told}")
