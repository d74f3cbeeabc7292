"""`yatzy`: the commands, and how errors reach the user.

Bad input ends with exit status 2 and one sentence on stderr that names the field, what was given and what is
allowed. Heavy imports stay inside the commands: `yatzy --help` needs neither NumPy nor Numba.
"""

import os
import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from yatzy import __version__
from yatzy.cli.stdin import forget, spoken
from yatzy.errors import YatzyError, printable

COMMANDS = {
    "solve": ("yatzy.cli.solve", "solve", "Solve the game exactly and store the values of all states."),
    "value": ("yatzy.cli.solve", "value", "Expected remaining points from a state."),
    "advise": ("yatzy.cli.solve", "advise", "Every action in a situation, best first."),
    "chance": ("yatzy.cli.chance", "chance", "The greatest chance of a target score, from any state."),
    "duel": ("yatzy.cli.duel", "app", "Play to win against perfect play for the mean."),
    "games": ("yatzy.cli.games", "games", "The games there are, and their switches; or one game, box by box."),
    "evaluate": ("yatzy.cli.evaluate", "evaluate", "Exact strength of a policy, by category too."),
    "distribution": ("yatzy.cli.evaluate", "distribution", "Exact distribution of the final score."),
    "simulate": ("yatzy.cli.simulate", "simulate", "Play seeded games, to a file if you like."),
    "sweep": ("yatzy.cli.sweep", "sweep", "Optimal play for a grid of risk parameters."),
    "reproduce": ("yatzy.cli.reproduce", "reproduce", "Recompute the published numbers, study by study."),
    "treatise": ("yatzy.cli.treatise", "treatise", "Build the treatise as a static site."),
    "play": ("yatzy.cli.play", "play", "Play a game at the terminal, with hints if you like."),
    "review": ("yatzy.cli.play", "review", "Luck and skill of a game, decision by decision."),
    "practice": ("yatzy.cli.practice", "practice", "Work through a deck of your own mistakes."),
    "profile": ("yatzy.cli.profile", "profile", "A model of how you play, and what each habit costs."),
    "serve": ("yatzy.cli.serve", "serve", "Serve the coach: web page and HTTP API."),
    "dataset": (
        "yatzy.cli.dataset",
        "dataset",
        "Decisions of optimal games or of any policy, as training data.",
    ),
    "distill": ("yatzy.cli.distill", "distill", "Train small models on perfect play."),
    "rules": ("yatzy.cli.rules", "app", "Rule lists and charts to play by (the game's own rules: see games)."),
    "schema": ("yatzy.cli.schema", "schema", "What an answer or a file looks like, as JSON Schema."),
    "bench": ("yatzy.cli.bench", "bench", "Time everything against the obvious way, as ratios."),
}


# What is still there after Ctrl-C, and how to go on.
KEPT = {
    "solve": "a large game keeps its finished layers",
    "sweep": "finished thetas are kept",
    "reproduce": "finished studies and parts are kept",
    "dataset": "finished parts are kept",
    "distill": "finished models are kept",
    "rules": "finished lists are kept",
    "simulate": "with --out, finished blocks are kept",
    "play": "with --save, the game is in its file as it stands",
}
STOPPED = 130
HELP = {"help_option_names": ["-h", "--help"]}


class LazyGroup(TyperGroup):
    """Lists commands from COMMANDS and imports one only when it runs."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, name: str) -> Any:
        """The command; where a shell only completes its name, no more than what it does."""
        if name not in COMMANDS:
            return None
        is_completing = ctx is not None and ctx.resilient_parsing
        return TyperCommand(name, help=COMMANDS[name][2]) if is_completing else _loaded(name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, *others = args
        if name not in COMMANDS:
            raise YatzyError("command", name, list(COMMANDS), "is not known")
        return name, _loaded(name), others

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The overview does without the commands' imports."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, _, summary) in COMMANDS.items()])


def _loaded(name: str) -> Any:
    module, function, _ = COMMANDS[name]
    found = getattr(import_module(module), function)
    if not isinstance(found, typer.Typer):
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name, context_settings=HELP)(found)
        found = single
    return typer.main.get_command(found)


app = typer.Typer(cls=LazyGroup, rich_markup_mode=None, context_settings=HELP)


@app.callback(invoke_without_command=True)
def root(
    ctx: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True),
) -> None:
    """Scandinavian Yatzy, solved exactly.

    Values are expected remaining points under optimal play, bonus included. Start with:
    yatzy solve, then yatzy advise 1 3 3 5 6 --rerolls 2. Your shell completes commands and options after
    yatzy --install-completion (bash, zsh, fish).
    """
    if version:
        sys.stdout.write(f"yatzy {__version__}\n")
    elif ctx.invoked_subcommand is None:
        raise YatzyError("command", why="is needed; see yatzy --help")


def main() -> None:
    """Entry point."""
    try:
        _run(sys.argv[1:])
    finally:
        forget()


def _run(arguments: list[str]) -> None:
    if not arguments and "_YATZY_COMPLETE" not in os.environ:
        arguments = ["--help"]
    try:
        status = app(arguments, standalone_mode=False, prog_name="yatzy")
    except YatzyError as error:
        _fail(str(error), 2)
    except MemoryError:
        _fail("there is not enough memory for this; nothing is lost", 2)
    except TyperException as error:
        _fail_for_face(error)
        _fail(error.format_message(), error.exit_code)
    except OSError as error:
        _fail(f"{error.filename or 'output'}: {error.strerror or error}", 2)
    except (KeyboardInterrupt, typer.Abort):
        _fail(_stopped(arguments), STOPPED)
    else:
        # Typer itself turns Ctrl-C into this status.
        if status == STOPPED:
            _fail(_stopped(arguments), STOPPED)
        sys.exit(status if isinstance(status, int) else 0)


def _fail_for_face(error: Any) -> None:
    """A negative number among dice, which Click takes for an option."""
    face = str(getattr(error, "option_name", ""))
    if face[1:].isdecimal() and "dice" in {one.name for one in error.ctx.command.params}:
        _fail(str(YatzyError("dice", face, "a whole number, 1..6 on the usual dice", "is not a face")), 2)


def _stopped(arguments: list[str]) -> str:
    kept = KEPT.get(arguments[0], "")
    return f"stopped; {kept}: run the same command again to go on" if kept else "stopped; nothing is lost"


def _fail(sentence: str, status: int) -> None:
    sys.stderr.write(f"yatzy: {printable(' '.join(spoken(sentence).split()))}\n")
    sys.exit(status)
