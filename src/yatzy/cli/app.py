"""`yatzy`: the commands, and how errors reach the user.

Bad input ends with exit status 2 and one sentence on stderr that names the field, what was given and what is
allowed. Heavy imports stay inside the commands: `yatzy --help` needs neither NumPy nor Numba.
"""

import os
import sys
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from yatzy import __version__
from yatzy.cli.spelling import modern
from yatzy.cli.stdin import forget, spoken
from yatzy.context import QUIET, to_stderr
from yatzy.errors import YatzyError, printable

COMMANDS = {
    "solve": ("yatzy.cli.solve", "solve", "Solve the game exactly and store the values of all states."),
    "value": ("yatzy.cli.solve", "value", "Show the expected remaining points from a state."),
    "check-exact": ("yatzy.cli.exact", "check_exact", "Check a file of exact values without the solver."),
    "advise": ("yatzy.cli.solve", "advise", "Rank every action in a situation."),
    "chance": ("yatzy.cli.chance", "chance", "Show the best chance of reaching a target score."),
    "duel": ("yatzy.cli.duel", "app", "Play to win against an opponent who maximises the mean."),
    "games": ("yatzy.cli.games", "games", "List the games and their switches, or describe one game."),
    "evaluate": ("yatzy.cli.evaluate", "evaluate", "Compute the exact strength of a policy."),
    "distribution": ("yatzy.cli.evaluate", "distribution", "Compute the exact distribution of the final score."),
    "simulate": ("yatzy.cli.simulate", "simulate", "Simulate seeded games."),
    "sweep": ("yatzy.cli.sweep", "sweep", "Compute optimal play for a grid of risk parameters."),
    "pareto": ("yatzy.cli.pareto", "pareto_command", "Measure models, and show which are best for their size."),
    "reproduce": ("yatzy.cli.reproduce", "reproduce", "Recompute the published numbers."),
    "treatise": ("yatzy.cli.treatise", "treatise", "Build the static site: the article and the coach."),
    "play": ("yatzy.cli.play", "play", "Play at the terminal, with hints if you like."),
    "review": ("yatzy.cli.play", "review", "Review a game: luck, skill and every decision."),
    "level": ("yatzy.cli.practice", "level", "Say how well you play, from your games."),
    "leaks": ("yatzy.cli.practice", "leaks", "Find the habit that costs you most, if it is more than chance."),
    "practice": ("yatzy.cli.practice", "practice", "Practise the decisions you got wrong."),
    "profile": ("yatzy.cli.profile", "profile", "Model how you play, and what each habit costs."),
    "serve": ("yatzy.cli.serve", "serve", "Serve the coach: the web page and the HTTP API."),
    "dataset": ("yatzy.cli.dataset", "dataset", "Write decisions of a policy as training data."),
    "distill": ("yatzy.cli.distill", "distill", "Train small models on perfect play."),
    "lists": (
        "yatzy.cli.lists",
        "app",
        "Show and find charts and rule lists, strategies you can play from memory.",
    ),
    "schema": ("yatzy.cli.schema", "schema", "Print the JSON Schema of an answer or a file."),
    "bench": ("yatzy.cli.bench", "bench", "Benchmark against reference implementations."),
}
# The groups of `yatzy --help`.
GROUPS = {
    "Play": ("play", "review", "practice", "profile", "leaks", "level", "serve"),
    "Solve": ("solve", "value", "check-exact", "advise", "chance", "duel", "games"),
    "Measure": ("evaluate", "distribution", "simulate", "sweep"),
    "Learn": ("dataset", "distill", "pareto", "lists"),
    "Publish": ("treatise", "schema"),
    "Maintain": ("bench", "reproduce"),
}


# What Ctrl-C leaves behind, to continue from.
KEPT = {
    "solve": "a large game keeps its finished layers",
    "sweep": "finished thetas are kept",
    "reproduce": "finished studies and parts are kept",
    "dataset": "finished parts are kept",
    "distill": "finished models are kept",
    "lists": "finished lists are kept",
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
        """The command; only its summary while a shell completes names."""
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
        """The overview, without importing the commands."""
        for group, names in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name, COMMANDS[name][2]) for name in names])


def _loaded(name: str) -> Any:
    module, function, _ = COMMANDS[name]
    found = getattr(import_module(module), function)
    if not isinstance(found, typer.Typer):
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name, context_settings=HELP)(found)
        found = single
    command = typer.main.get_command(found)
    for one in [command, *getattr(command, "commands", {}).values()]:
        one.params.append(_quiet())
    return command


def _hush(value: bool) -> None:
    if value:
        os.environ[QUIET] = "1"


def _with_quiet(
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", callback=_hush, expose_value=False, help="Show no progress.")
    ] = False,
) -> None:
    """Carries the option that every command has."""


@cache
def _quiet() -> Any:
    carrier = typer.Typer(add_completion=False)
    carrier.command()(_with_quiet)
    return next(one for one in typer.main.get_command(carrier).params if one.name == "quiet")


app = typer.Typer(cls=LazyGroup, rich_markup_mode=None, context_settings=HELP)


@app.callback(invoke_without_command=True)
def root(
    ctx: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True),
) -> None:
    """Yatzy, solved exactly.

    Values are expected remaining points under optimal play, including the bonus. Start with yatzy solve, then
    yatzy advise 1 3 3 5 6 --rerolls 2. To complete commands and options in your shell, run
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
    arguments, sentence = modern(arguments)
    if sentence:
        to_stderr(sentence)
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
    """Report a negative number among the dice, which Click takes for an option."""
    face = str(getattr(error, "option_name", ""))
    if face[1:].isdecimal() and "dice" in {one.name for one in error.ctx.command.params}:
        _fail(str(YatzyError("dice", face, "a whole number, 1..6 on the usual dice", "is not a face")), 2)


def _stopped(arguments: list[str]) -> str:
    kept = KEPT.get(arguments[0], "")
    return f"stopped; {kept}: run the same command again to go on" if kept else "stopped; nothing is lost"


def _fail(sentence: str, status: int) -> None:
    sys.stderr.write(f"yatzy: {printable(' '.join(spoken(sentence).split()))}\n")
    sys.exit(status)
