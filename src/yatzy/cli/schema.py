"""The command that says what an answer or a file looks like: schema."""

import json
import sys
from importlib import import_module
from typing import Annotated, Any

import typer

from yatzy.cli.app import COMMANDS
from yatzy.errors import YatzyError
from yatzy.game.json import json_schema

# Files by their name in docs/formats.md, and the class of their content.
FILES = {
    "game log": "yatzy.game.log:GameLog",
    "turn under way": "yatzy.game.game:CurrentTurn",
    "quiz": "yatzy.coach.quiz:QuizFile",
    "answers": "yatzy.coach.quiz:QuizAnswers",
    "rule list": "yatzy.players.rule_list:ListFile",
    "chart": "yatzy.players.library:ChartFile",
}


def schema(
    name: Annotated[
        list[str] | None, typer.Argument(help="A command (solve, rules show) or a kind of file (game log).")
    ] = None,
) -> None:
    """Print the JSON Schema of a command's --json output or of a file; without a name, list the names.

    Example: yatzy schema evaluate
    """
    known = {**dict.fromkeys(FILES), **answers()}
    if not name:
        for one in known:
            typer.echo(one)
        return
    asked = " ".join(name)
    if asked not in known:
        raise YatzyError("name", asked, tuple(known), "is not known")
    sys.stdout.write(json.dumps(json_schema(known[asked] or _content(asked)), indent=2) + "\n")


def answers() -> dict[str, Any]:
    """What every command with --json prints: a class, or several of them."""
    found: dict[str, Any] = {}
    for module in dict.fromkeys(module for module, _, _ in COMMANDS.values()):
        found |= getattr(import_module(module), "ANSWERS", {})
    return found


def _content(file: str) -> Any:
    module, _, name = FILES[file].partition(":")
    return getattr(import_module(module), name)
