"""The command for the frontier of small players: pareto."""

from dataclasses import dataclass
from typing import Annotated

import typer

from yatzy.cli.console import Home, Json, Out, Rules, notice, print_json
from yatzy.cli.stdin import may_be_dash
from yatzy.cli.terminal import scatter
from yatzy.context import Context
from yatzy.measure.frontier import Sized, pareto
from yatzy.players.model import shipped_models
from yatzy.rules import Ruleset, ruleset
from yatzy.storage import check_outputs, write_atomically


@dataclass(frozen=True)
class FrontierFound:
    """Policies by size, with their exact means."""

    rules: Ruleset
    policies: tuple[Sized, ...]


ANSWERS = {"pareto": FrontierFound}


def pareto_command(
    policy: Annotated[
        list[str] | None,
        typer.Argument(
            callback=may_be_dash("policy"),
            help="Names or files of models and other policies (- for stdin) [default: those installed].",
        ),
    ] = None,
    out: Out = None,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """Measure models exactly, and show which of them nobody of their size or smaller beats.

    --out draws the picture as SVG.

    Example: yatzy pareto value-18 value-350 tree-6k mine.safetensors
    """
    import math

    game = ruleset(rules)
    check_outputs(out=out)
    found = pareto(policy or ["heuristic", "greedy", *shipped_models()], game, Context(home, notice=notice))
    if out:
        write_atomically(out, found.svg().encode())
    if json:
        print_json(FrontierFound(game, found.rows))
        return
    for one in found:
        typer.echo(f"{one.policy:24} {one.parameters:>9,} parameters  mean {one.mean:.4f}{' *' * one.on_frontier}")
    marks = [(math.log10(max(one.parameters, 1)), one.mean, "*" if one.on_frontier else "o") for one in found]
    scatter(marks, "parameters, as a power of ten", "mean")
    typer.echo(f"          * nobody of its size or smaller is better{f'; picture in {out}' if out else ''}")
