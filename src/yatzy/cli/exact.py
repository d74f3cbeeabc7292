"""Exact values: what solve and value print with --exact, and the command check-exact."""

import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yatzy.cli.console import Json, OwnRules, context_of, print_json
from yatzy.cli.stdin import may_be_dash
from yatzy.game.json import ALWAYS, INLINE, Count, Positive
from yatzy.measure.check_exact import ExactCheck
from yatzy.rules import Ruleset, State, format_filled
from yatzy.solver.states import NamedState, named_state, state_space
from yatzy.storage import check_outputs

if TYPE_CHECKING:
    from yatzy.solver.exact import ExactValue

ANSWERS = {"check-exact": ExactCheck}
Exact = Annotated[
    bool, typer.Option("--exact", help="As a fraction, exact to the last digit; some seconds of work.")
]


@dataclass(frozen=True)
class ExactlySolved:
    """A game whose values are all fractions: that of the start, and the file that holds all of them."""

    rules: Ruleset
    fingerprint: str
    value: float
    numerator: str
    denominator: str
    factors: Annotated[dict[str, int], ALWAYS]
    digits: str
    states: Count
    seconds: Positive
    path: Path | None = None


@dataclass(frozen=True)
class ExactStateValue:
    """The value of a state as a fraction."""

    rules: Ruleset
    state: Annotated[NamedState, INLINE]
    value: float
    numerator: str
    denominator: str
    factors: Annotated[dict[str, int], ALWAYS]
    digits: str


def solve_to_fractions(
    rules: Ruleset, out: Path | None, threads: int | None, home: Path | None, json: bool
) -> None:
    """Every state's value as a fraction; with `out`, into a file."""
    # This imports Numba, which the same commands without --exact do without.
    from yatzy.solver.exact import check_exact_rules, exact_value, solve_exactly

    check_exact_rules(rules)
    check_outputs(out=out)
    started = time.perf_counter()
    with context_of(home, threads, "local", None) as context:
        table = solve_exactly(rules, context=context)
        seconds = time.perf_counter() - started
        path = table.save(out) if out else None
    found = exact_value(rules, table.value())
    states = state_space(rules).n_reachable
    if json:
        print_json(
            ExactlySolved(
                rules, rules.fingerprint, found.value, found.numerator, found.denominator, found.factors,
                found.digits, states, seconds, path,
            )
        )  # fmt: skip
        return
    typer.echo(f"{rules.name}: expected score, exactly")
    _tell(found)
    typer.echo(f"{states:,} states in {seconds:.2f} s, as whole numbers")
    if path:
        typer.echo(f"all of them in {path}; yatzy check-exact {path} checks them")


def tell_exact_value(rules: Ruleset, state: State, home: Path | None, json: bool) -> None:
    """The value of a state as a fraction, from the states that may follow it."""
    from yatzy.solver.exact import exact_value, solve_exactly

    with context_of(home, None, "local", None) as context:
        found = exact_value(rules, solve_exactly(rules, state.filled, context).value(state))
    if json:
        print_json(
            ExactStateValue(
                rules, named_state(rules, state), found.value, found.numerator, found.denominator, found.factors,
                found.digits,
            )
        )  # fmt: skip
        return
    typer.echo(f"points to come from filled {format_filled(rules, state.filled)}, upper {state.upper}, exactly")
    _tell(found)


def _tell(found: "ExactValue") -> None:
    typer.echo(f"  {found.numerator} /")
    typer.echo(f"  {found.denominator}")
    factors = " * ".join(f"{prime}^{power}" for prime, power in found.factors.items()) or "1"
    is_all = Fraction(found.digits) == Fraction(int(found.numerator), int(found.denominator))
    typer.echo(f"= {found.digits}{'' if is_all else '...'}")
    typer.echo(f"the denominator is {factors}")


def check_exact(
    file: Annotated[
        Path,
        typer.Argument(callback=may_be_dash("file", ".safetensors"), help="A file of yatzy solve --exact --out."),
    ],
    sample: Annotated[
        int | None, typer.Option(min=1, help="Check this many states, drawn at random [default: all].")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draw.")] = 0,
    rules: OwnRules = None,
    json: Json = False,
) -> None:
    """Check exact values without the solver: each state's number from those of the states after it.

    A page of plain Python and its whole numbers, which shares no code with the solver. All states of Scandinavian
    Yatzy take about an hour and a half; a sample of 1,000 takes seconds. The exit status is 1 if a
    state does not agree.

    Example: yatzy check-exact exact.safetensors --sample 1000
    """
    from yatzy.measure.check_exact import check_exact as check

    with context_of(None, None, "local", None) as context:
        found = check(file, rules, sample, seed, context)
    if json:
        print_json(found)
    else:
        typer.echo(
            f"{found.rules.name}: {found.agree:,} of {found.checked:,} states checked agree with those after them"
        )
        typer.echo(f"{found.states:,} states in {file}")
    if found.agree < found.checked:
        raise typer.Exit(1)
