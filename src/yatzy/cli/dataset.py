"""The command that writes training data: dataset."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yatzy import __version__
from yatzy.cli.console import (
    Engine,
    Home,
    Json,
    Rules,
    Scheduler,
    Seed,
    Threads,
    command_line,
    context_of,
    counted,
    print_json,
    progress_bar,
    ranged,
    solved_table,
    working,
)
from yatzy.cli.stdin import may_be_dash
from yatzy.context import MAX_GAMES, Context, check_engine
from yatzy.errors import YatzyError, needs_extra
from yatzy.game.json import Count, Positive
from yatzy.measure.simulate import provenance, stamp
from yatzy.players.model import GAMES, shipped_models
from yatzy.policies.optimal import Optimal
from yatzy.policies.registry import NAMES, UnknownPolicyError, find_policy
from yatzy.rules import Ruleset, ruleset, stored_name
from yatzy.solver.table import ValueTable
from yatzy.storage import check_folder
from yatzy.storage import home as home_folder

if TYPE_CHECKING:
    from yatzy.lab.training.data import DecisionFiles, Played
    from yatzy.measure.exact import Visits
    from yatzy.policies.policy import Policy, Stochastic

    # The files in the folder that was asked for, or in the usual one.
    Placed = Callable[[Path], DecisionFiles]

SOFTENED = "softened"
WHO = f"{', '.join([SOFTENED, *NAMES, *shipped_models()])}, a list of `yatzy lists list`, or a file (- for stdin)"


@dataclass(frozen=True)
class DataFile:
    """A file of decisions, and how many rows it has."""

    file: Path
    rows: Count


@dataclass(frozen=True)
class GamesWritten:
    """Decisions of optimal games, by their kind."""

    rules: Ruleset
    games: Count
    seed: int
    files: dict[str, DataFile]
    seconds: Positive


@dataclass(frozen=True)
class SituationsWritten:
    """Situations of a policy by their exact weight, by kind; `draws` is null if they are complete."""

    rules: Ruleset
    policy: str
    mean: float
    draws: Count | None
    seed: int
    files: dict[str, DataFile]
    seconds: Positive


ANSWERS = {"dataset": GamesWritten | SituationsWritten}


def dataset(
    policy: Annotated[
        str | None,
        typer.Argument(
            callback=may_be_dash("policy"),
            help=f"The policy whose situations to take, with --draws or --complete: {WHO} [default: optimal].",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            callback=ranged("games", 1, MAX_GAMES), help="Number of optimal games to play [default: 200000]."
        ),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(help="Temperature of softened play in points; near 0 it plays optimally [default: 3]."),
    ] = None,
    draws: Annotated[
        int | None,
        typer.Option(help="Instead of games, draw this many situations of each kind by their exact weight."),
    ] = None,
    complete: Annotated[
        bool,
        typer.Option(
            "--complete", help="Instead of games, take every situation that can occur, with its exact weight."
        ),
    ] = False,
    seed: Seed = 0,
    values: Annotated[bool, typer.Option("--values", help="Add the value of every action.")] = False,
    regrets: Annotated[bool, typer.Option("--regrets", help="Add what every action loses.")] = False,
    format: Annotated[str, typer.Option(help="parquet or csv.")] = "parquet",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the files [default: datasets/... in --home].")
    ] = None,
    rules: Rules = "scandinavian",
    threads: Threads = None,
    engine: Engine = "local",
    scheduler: Scheduler = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Write decisions as training data: features, best action and its margin, one file per kind of decision.

    The decisions come from optimal games or, with --draws or --complete, from any policy by their exact weight.
    The command can be interrupted and resumed, and gives the same rows with --engine dask.

    Example: yatzy dataset softened --draws 1000000 --values --out data
    """
    from yatzy.lab.training.data import DecisionFiles, check_format

    check_format(format)
    check_engine(engine, scheduler)
    ruleset(rules).check_plain("training data is")
    if out:
        check_folder("out", out)

    def placed(usual: Path) -> DecisionFiles:
        more = "-".join(name for name, given in (("values", values), ("regrets", regrets)) if given)
        return DecisionFiles(out or usual / more, values, format, regrets)

    is_games = draws is None and not complete
    for field, given in (("policy", policy), ("temperature", temperature)):
        if is_games and given is not None:
            raise YatzyError(field, given, why="needs --draws or --complete; games are those of optimal play")
    if games is not None and not is_games:
        raise YatzyError("games", games, why="cannot go with --draws or --complete, which play no games")
    if draws is not None and complete:
        raise YatzyError("draws", draws, why="cannot go with --complete, which draws nothing")
    who = Who(policy or "optimal", temperature, rules, home)
    with context_of(home, threads, engine, scheduler) as context:
        found = (
            _write_games(placed, GAMES if games is None else games, seed, rules, context)
            if is_games
            else _write_situations(placed, who, draws, seed, context)
        )
    if json:
        print_json(found)
        return
    for entry in found.files.values():
        typer.echo(f"{counted(entry.rows, 'decision')} in {entry.file}")
    if draws is not None and any(entry.rows < draws for entry in found.files.values()):
        typer.echo(f"of {draws:,} draws, those of the same situation are one row, with all of their weight")
    typer.echo(f"{found.seconds:.1f} s")


def _write_games(
    placed: "Placed", games: int, seed: int, rules: str, context: Context
) -> GamesWritten | SituationsWritten:
    from yatzy.lab.training.data import dataset_folder, write_dataset

    home, table = context.home, solved_table(rules, context.home)
    files = placed(dataset_folder(table.rules, games, seed, home))
    started = time.perf_counter()
    away = partial(solved_table, rules, home) if context.is_distributed else None
    with context.shown(f"playing {games:,} games") as shown:
        written = write_dataset(table, files, games, seed, shown, away)
    rows = games * table.rules.n_categories
    if files.file_format == "parquet":
        for file in written.values():
            stamp(file, provenance(Optimal(table), seed, __version__, command_line(), games=games))
    by_kind = {name: DataFile(file, rows) for name, file in written.items()}
    return GamesWritten(table.rules, games, seed, by_kind, time.perf_counter() - started)


@dataclass(frozen=True)
class Who:
    """Somebody who plays: what a worker elsewhere has to know to find the same player."""

    name: str
    temperature: float | None
    rules: str
    home: Path | None


def _write_situations(
    placed: "Placed", who: Who, draws: int | None, seed: int, context: Context
) -> SituationsWritten:
    with needs_extra("lab"):
        import polars as pl

    from yatzy.lab.training.data import Played, check_draws, write_situations

    check_draws(draws, seed)
    if draws is None and seed:
        raise YatzyError("seed", seed, why="cannot go with --complete, which draws nothing")
    table, player = _player(who)
    started = time.perf_counter()
    with progress_bar(f"following {player.name}"):
        followed = _followed(player, context.threads)
    how = "complete" if draws is None else f"{draws}-{seed}"
    name = f"{stored_name(table.rules)}-{player.name.replace(', ', '-').replace(' ', '-')}-{how}"
    files = placed(home_folder(context.home) / "datasets" / name)
    away = partial(_play, who) if context.is_distributed else None
    with context.shown(f"writing the situations of {player.name}") as shown:
        written = write_situations(Played(table, player, followed.visits), files, draws, seed, shown, away)
    if files.file_format == "parquet":
        for file in written.values():
            stamp(
                file, provenance(player, None if draws is None else seed, __version__, command_line(), draws=draws)
            )
    scan = pl.scan_csv if files.file_format == "csv" else pl.scan_parquet
    by_kind = {
        name: DataFile(file, int(scan(file).select(pl.len()).collect().item())) for name, file in written.items()
    }
    seconds = time.perf_counter() - started
    return SituationsWritten(table.rules, player.name, followed.mean, draws, seed, by_kind, seconds)


@lru_cache(maxsize=1)
def _play(who: Who) -> "Played":
    """Who plays, and how often each state is reached: found once by each worker."""
    from yatzy.lab.training.data import Played

    table, player = _player(who)
    return Played(table, player, _followed(player, None).visits)


def _followed(player: "Policy | Stochastic", threads: int | None) -> "Visits":
    from yatzy.measure.exact import visit
    from yatzy.policies.policy import Stochastic, Validated

    return visit(player if isinstance(player, Stochastic) else Validated(player), threads)


def _player(who: Who) -> tuple[ValueTable, "Policy | Stochastic"]:
    """The table, and who plays."""
    from yatzy.policies.boltzmann import TEMPERATURE, Boltzmann, check_temperature

    if who.name == SOFTENED:
        degrees = TEMPERATURE if who.temperature is None else who.temperature
        check_temperature(degrees)
        table = solved_table(who.rules, who.home)
        return table, Boltzmann(table, degrees)
    if who.temperature is not None:
        why = f"is for the policy {SOFTENED!r} only, not for {who.name!r}"
        raise YatzyError("temperature", who.temperature, why=why)
    try:
        with working("solving", who.home) as context:
            policy = find_policy(who.name, who.rules, context=context)
    except UnknownPolicyError as error:
        raise error.but(allowed=(SOFTENED, *(error.allowed or ()))) from None
    return solved_table(who.rules, who.home), policy
