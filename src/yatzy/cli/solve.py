"""Commands of the solver: solve, value, advise."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yatzy.arrays import FloatArray
from yatzy.cli.console import (
    DiceWords,
    Engine,
    Filled,
    Home,
    Json,
    Out,
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
    context_of,
    counted,
    listing,
    print_json,
    read_situation,
    read_state,
    solved_table,
    working,
)
from yatzy.cli.exact import Exact, ExactlySolved, ExactStateValue, solve_to_fractions, tell_exact_value
from yatzy.errors import YatzyError
from yatzy.game.json import Count, Positive
from yatzy.game.situation import Situation
from yatzy.rules import Ruleset, format_filled, parse_state, ruleset
from yatzy.solver.advise import Advice
from yatzy.solver.states import StateValue, named_state
from yatzy.solver.store import stored_table
from yatzy.solver.table import table_path

if TYPE_CHECKING:
    from yatzy.coach.why import ExplainedAdvice


@dataclass(frozen=True)
class Solved:
    """A solved game: its value, how large it is, and where its table is."""

    rules: Ruleset
    fingerprint: str
    theta: float
    precision: str
    value: float
    states: Count
    classes: Count
    seconds: Positive
    path: Path


ANSWERS = {"solve": Solved | ExactlySolved, "value": StateValue | ExactStateValue, "advise": Advice}


def solve(
    theta: Theta = 0.0,
    rules: Rules = "scandinavian",
    precision: Annotated[str, typer.Option(help="float64, or float32 in half the time.")] = "float64",
    threads: Threads = None,
    engine: Engine = "local",
    scheduler: Scheduler = None,
    exact: Exact = False,
    out: Out = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Solve the game exactly and store the values of all states.

    The first run after installation compiles for a second or two. After that, a game with five dice takes a
    fraction of a second, Maxi Yatzy half a minute on two cores. A game too large for memory, such as
    maxi+saved-throws, is written to its file layer by layer and can be interrupted and resumed at any time.

    With --exact, every value is a fraction: a whole number over a power of 6, in some ten seconds. --out keeps all
    of them in a file, which yatzy check-exact checks.

    Example: yatzy solve --theta 0.05

    Example: yatzy solve --exact --rules yahtzee --out yahtzee.safetensors
    """
    game = ruleset(rules)
    if exact:
        if theta or precision != "float64" or engine != "local":
            raise YatzyError("exact", why="is for play for the mean; leave out --theta, --precision and --engine")
        solve_to_fractions(game, out, threads, home, json)
        return
    if out:
        raise YatzyError("out", out, why="requires --exact; other values are stored in --home")
    started = time.perf_counter()
    with context_of(home, threads, engine, scheduler) as context, context.shown("solving") as shown:
        table = stored_table(game, theta, precision, shown, again=True)
    seconds = time.perf_counter() - started
    space, path = table.space, table_path(game, table.theta, precision, home)
    if json:
        print_json(
            Solved(
                game, game.fingerprint, table.theta, precision, table.value(), space.n_reachable, space.n_classes,
                seconds, path,
            )
        )  # fmt: skip
        return
    what = "expected score" if table.theta == 0 else "certainty equivalent"
    typer.echo(f"{table.rules.name}, theta {table.theta:g}: {what} {table.value():.6f} points")
    typer.echo(f"{space.n_reachable:,} states ({space.n_classes:,} classes) in {seconds:.2f} s, {precision}")
    typer.echo(f"stored in {path}")


def value(
    state: Annotated[
        str | None, typer.Argument(help="The state as one text, such as 'ones,pair @ 3' [default: the start].")
    ] = None,
    filled: Filled = "",
    upper: Upper = None,
    saved: Saved = 0,
    theta: Theta = 0.0,
    rules: Rules = "scandinavian",
    exact: Exact = False,
    home: Home = None,
    json: Json = False,
) -> None:
    """Show the expected remaining points from a state under optimal play, including the bonus.

    Example: yatzy value "ones,pair @ 3", which is short for yatzy value --filled ones,pair --upper 3
    """
    game = ruleset(rules)
    if state is not None and (filled or upper is not None or saved):
        raise YatzyError(
            "state", state, why="is already a complete state; leave out --filled, --upper and --saved"
        )
    if state is not None and "@" not in state:
        parse_state(game, state)
    found = read_state(game, filled if state is None else state, upper, saved)
    mask, upper = found.filled, found.upper
    if exact:
        if theta:
            raise YatzyError("exact", why="is for play for the mean; leave out --theta")
        tell_exact_value(game, found, home, json)
        return
    table = solved_table(game, home, theta, draft=True)
    worth = table.value(mask, upper)
    if json:
        print_json(StateValue(game, table.theta, named_state(game, found), worth))
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
    why: Annotated[bool, typer.Option("--why", help="Say why, and which boxes the points come from.")] = False,
    rules: Rules = "scandinavian",
    top: Top = 8,
    home: Home = None,
    json: Json = False,
) -> None:
    """Rank every action in a situation by its value, and show its regret.

    The value is the expected remaining points if you take the action and play optimally afterwards; the regret is
    how much less that is than the best value. With --target, actions are ranked by the chance of reaching it.

    With --why, the regret of an action is split by box, bonus and extra points. A risk or a chance has no such
    split: it shows what each box brings after an action, and that need not sum to anything.

    Example: yatzy advise 2 5 5 5 6 --rerolls 1 --filled fives --upper 15

    Example: yatzy advise "2 5 5 5 6 | 1 | fives @ 15" --why

    Example: yatzy advise 3 3 4 5 6 --filled ones,twos,yatzy --upper 6 --points 56 --target 260
    """
    game = ruleset(rules)
    here = read_situation(game, dice, rerolls, filled, upper, saved)
    if target is None and points:
        raise YatzyError("points", why="requires --target")
    if target is not None and theta:
        raise YatzyError("theta", why="cannot go with --target, which is a goal of its own")
    worth = None
    if target is None:
        advice = solved_table(game, home, theta, draft=True).advise(here)
    else:
        advice, worth = _advise_for_target(here, points, target, home)
    found = _explained(advice, worth, home) if why else None
    if json:
        print_json(found.told() if found else advice)
        return
    caption = "value: expected remaining points; regret: points lost against the best"
    if target is not None:
        caption = f"chance: of {target} or more, playing for it; value and regret: points for the mean"
    print_advice(advice, top, caption)
    if found:
        _print_why(found, top)


def _explained(advice: Advice, worth: FloatArray | None, home: Home) -> "ExplainedAdvice":
    from yatzy.coach.why import explain
    from yatzy.measure.parts import BoxParts

    table = solved_table(advice.rules, home, advice.theta, draft=True)
    with working("working out why", home) as context:
        return explain(BoxParts(table, context), advice, worth, context)


def _print_why(found: "ExplainedAdvice", top: int) -> None:
    """Why the best action is best, in full, and in a sentence why the others are worse."""
    from rich.console import Console
    from rich.padding import Padding

    from yatzy.cli.why import draw_parts, draw_why

    console = Console(highlight=False)
    for one in found.advice.actions[:top] if top > 0 else found.advice.actions:
        console.print(str(one.action), Padding(draw_why(found, one.action), (0, 0, 0, 2)))
    console.print("", draw_parts(found))


def _advise_for_target(here: Situation, points: int, target: int, home: Home) -> tuple[Advice, FloatArray]:
    """With what each outcome of the turn is worth."""
    from yatzy.coach.advice import stored_chances
    from yatzy.game.aim import Aim, check_points, check_target

    check_target(here.rules, target)
    check_points(here.rules, here.state, points)
    with working("solving for every target", home) as context:
        chances, aim, table = (
            stored_chances(context),
            Aim(target=target),
            solved_table(here.rules, home, draft=True),
        )
        advice = chances.advise(aim, table, here, points, context.progress)
        return advice, chances.worth(aim, table, here.state, points, context.progress)


def print_advice(advice: Advice, top: int, caption: str) -> None:
    """A table of actions, with their chances where there are any."""
    from rich.console import Console

    shown = advice.actions[:top] if top > 0 else advice.actions
    by_chance = advice.chance is not None
    numbers = ("chance", "value", "regret") if by_chance else ("value", "regret")
    view = listing(("action", *numbers), right=numbers, caption=caption)
    for one in shown:
        chance, digits = ([f"{one.worth:.3%}"], 2) if by_chance else ([], 3)
        view.add_row(str(one.action), *chance, f"{one.value:.{digits}f}", f"{one.regret:.{digits}f}")
    Console().print(view)
    if len(shown) < len(advice):
        typer.echo(f"{counted(len(advice) - len(shown), 'more action')} with --top 0")
