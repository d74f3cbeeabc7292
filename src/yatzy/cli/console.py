"""What commands share: their options, reading states and situations, results to stdout and all else to stderr."""

import json
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from yatzy.cli.stdin import may_be_dash
from yatzy.context import MAX_GAMES, MAX_SEED, MAX_THREADS, Context, connected, to_stderr
from yatzy.context import progress_bar as progress_bar  # noqa: PLC0414
from yatzy.errors import YatzyError, check_int
from yatzy.game.aim import SMALLEST_THETA
from yatzy.game.json import as_json
from yatzy.game.situation import Situation
from yatzy.rules import GAMES, Ruleset, State, parse_dice, parse_filled, parse_rerolls, with_saved
from yatzy.solver.states import state_space
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable

# Colours of what is good, what is lost, and what stands beside.
FELT, LOSS, MUTED = "#4FB08C", "#E07A6B", "#9AA0A3"


def ranged(field: str, lowest: int, highest: int | None = None) -> Callable[[Any], Any]:
    """A callback that checks the range of a whole number before work begins."""

    def check(value: Any) -> Any:
        return value if value is None else check_int(field, value, lowest, highest)

    return check


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Rules = Annotated[
    str,
    typer.Option(
        callback=may_be_dash("rules", ".toml"),
        help=f"The game: {', '.join(GAMES)}, with any switches after plus signs (see yatzy games), or a file with "
        "your own rules (mine.toml, - for stdin).",
    ),
]
Theta = Annotated[
    float,
    typer.Option(
        help="Risk parameter: 0 maximises the mean, positive values seek risk, negative ones avoid it. Must "
        "be 0 or "
        f"at least {SMALLEST_THETA:g} in size, and exp(theta * score) must fit into a float64."
    ),
]
Target = Annotated[
    int | None,
    typer.Option(help="Maximise the chance of a final score of at least this much, including the bonus."),
]
Home = Annotated[
    Path | None, typer.Option(help="Folder for stored tables [default: $YATZY_HOME or your data folder].")
]
OwnRules = Annotated[
    str | None,
    typer.Option(
        callback=may_be_dash("rules", ".toml"),
        help="The rules of the games, if they are your own (mine.toml, - for stdin).",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(callback=ranged("threads", 1, MAX_THREADS), help="Number of threads [default: all cores]."),
]
Games = Annotated[int, typer.Option(callback=ranged("games", 1, MAX_GAMES), help="Number of games.")]
Seed = Annotated[
    int,
    typer.Option(
        callback=ranged("seed", 0, MAX_SEED),
        help="Random seed; the same seed gives the same result on every machine.",
    ),
]
Rerolls = Annotated[int | None, typer.Option(help="Rerolls left, including saved throws [default: all of them].")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="File or folder for the result.")]
Engine = Annotated[str, typer.Option(help="Where to compute: local, or dask for a cluster.")]
Scheduler = Annotated[str | None, typer.Option(help="Address of a Dask scheduler: tcp://host:port.")]
Filled = Annotated[
    str,
    typer.Option(
        help="Filled categories, separated by commas ('ones,pair'), or a state ('ones,pair @ 3'); 'yahtzee*' is a "
        "Yahtzee box with points in it, 'yahtzee' one that was crossed out."
    ),
]
Upper = Annotated[int | None, typer.Option(help="Upper-section total so far (63 means at least 63) [default: 0].")]
Points = Annotated[
    int, typer.Option(help="Points in the filled boxes, without the bonus, which follows from --upper.")
]
DiceWords = Annotated[
    list[str],
    typer.Argument(
        metavar="DICE",
        help="The dice on the table (1 3 3 5 6 or 13356), or the whole situation ('1 3 3 5 6 | 2 | ones @ 3').",
    ),
]
Top = Annotated[int, typer.Option(min=0, help="Number of actions to show; 0 shows all.")]
Saved = Annotated[int, typer.Option(help="Throws saved from earlier turns, in games with saved throws.")]


def read_state(game: Ruleset, filled: str, upper: int | None, saved: int = 0) -> State:
    """The state given by options or as one text; refused if it cannot occur."""
    from yatzy.solver.states import as_state

    state = as_state(game, filled if "@" in filled else parse_filled(game, filled), upper)
    if saved:
        state = State(with_saved(game, state.filled, saved), state.upper)
        state_space(game).check(state.filled, state.upper)
    return state


def read_situation(
    game: Ruleset, dice: list[str], rerolls: int | None, filled: str, upper: int | None, saved: int = 0
) -> Situation:
    """The situation given by dice and options, or as one text."""
    text = " ".join(dice)
    if "|" in text:
        given = {"rerolls": rerolls, "filled": filled or None, "upper": upper, "saved": saved or None}
        for field, value in given.items():
            if value is not None:
                why = f"is given twice; the situation {text!r} already says it"
                raise YatzyError(field, value, why=why)
        situation = Situation.parse(text, game)
        state_space(game).check(situation.state.filled, situation.state.upper)
        return situation
    rolled = parse_dice(game, text)
    state = read_state(game, filled, upper, saved)
    left = game.rerolls + state.saved(game) if rerolls is None else rerolls
    return Situation.of(game, rolled, parse_rerolls(game, left, state.saved(game)), state)


def command_line() -> str:
    """The command as typed, for the provenance of a file."""
    return shlex.join(["yatzy", *sys.argv[1:]])


def counted(n: int, what: str) -> str:
    """'1 game', '2,000 games'."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def print_json(answer: Any) -> None:
    """A value as one object on one line."""
    sys.stdout.write(json.dumps(as_json(answer), allow_nan=False) + "\n")


# A table without lines.
PLAIN: dict[str, Any] = {"box": None, "padding": (0, 2, 0, 0), "pad_edge": False}


def listing(
    headings: Sequence[str], rows: Iterable[Sequence[Any]] = (), right: Collection[str] = (), **style: Any
) -> Any:
    """A table for Rich to print; the columns in `right` are right-aligned."""
    from rich.table import Table

    view = Table(**style)
    for heading in headings:
        view.add_column(heading, justify="right" if heading in right else "left")
    for row in rows:
        view.add_row(*row)
    return view


@contextmanager
def context_of(home: Path | None, threads: int | None, engine: str, scheduler: str | None) -> Iterator[Context]:
    """The context of a command; a cluster stays connected for its duration."""
    with connected(engine, scheduler) as runner:
        yield Context(home, threads, notice=notice, runner=runner)


def working(what: str, home: Path | None = None, threads: int | None = None) -> AbstractContextManager[Context]:
    """Long work on this machine, with a labelled progress bar."""
    return Context(home, threads, notice=notice).shown(what)


def solved_table(rules: str | Ruleset, home: Path | None, theta: float = 0.0, draft: bool = False) -> ValueTable:
    """The table of a game, solved now if it is not stored."""
    with working("solving", home) as context:
        return stored_table(rules, theta, context=context, draft=draft)


notice = to_stderr
