"""The command that writes training data: dataset."""

import time
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from yatzy.players.model import (
    GAMES,
    shipped_models,
)
from yatzy.policies.optimal import Optimal
from yatzy.policies.registry import NAMES, UnknownPolicyError, find_policy
from yatzy.rules import Ruleset, ruleset, stored_name
from yatzy.solver.table import ValueTable
from yatzy.storage import check_folder
from yatzy.storage import home as home_folder

if TYPE_CHECKING:
    from yatzy.measure.exact import Visits
    from yatzy.policies.policy import Policy, Stochastic

SOFTENED = "softened"
WHO = f"{', '.join([SOFTENED, *NAMES, *shipped_models()])}, a list of `yatzy rules list`, or a file (- for stdin)"


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
    games: Annotated[
        int | None,
        typer.Option(
            callback=ranged("games", 1, MAX_GAMES), help="Number of optimal games to play [default: 200000]."
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            callback=may_be_dash("policy"),
            help=f"The policy whose situations to take, with --draws or --complete: {WHO} [default: optimal].",
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
    format: Annotated[str, typer.Option(help="parquet or csv.")] = "parquet",
    out: Annotated[
        Path | None, typer.Option(help="Folder for the files [default: datasets/... in --home].")
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

    Example: yatzy dataset --policy softened --draws 1000000 --values --out data
    """
    from yatzy.lab.data.decision_files import check_format

    check_format(format)
    check_engine(engine, scheduler)
    ruleset(rules).check_plain("training data is")
    if out:
        check_folder("out", out)
    if draws is None and not complete:
        for field, given in (("policy", policy), ("temperature", temperature)):
            if given is not None:
                why = "needs --draws or --complete; games are those of optimal play"
                raise YatzyError(field, given, why=why)
        with context_of(home, threads, engine, scheduler) as context:
            found: GamesWritten | SituationsWritten = _write_games(
                GAMES if games is None else games, seed, values, format, out, rules, context
            )
    else:
        if games is not None:
            raise YatzyError("games", games, why="cannot go with --draws or --complete, which play no games")
        if draws is not None and complete:
            raise YatzyError("draws", draws, why="cannot go with --complete, which draws nothing")
        with context_of(home, threads, engine, scheduler) as context:
            found = _write_situations(
                policy or "optimal", temperature, draws, seed, values, format, out, rules, context
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
    games: int, seed: int, values: bool, file_format: str, out: Path | None, rules: str, context: Context,
) -> GamesWritten:  # fmt: skip
    from yatzy.lab.data.decision_files import dataset_folder, write_dataset, write_games

    home, table = context.home, solved_table(rules, context.home)
    folder = out or dataset_folder(table.rules, games, seed, home) / ("values" if values else "")
    started = time.perf_counter()
    with context.shown(f"playing {games:,} games") as shown:
        if context.is_distributed:
            play = partial(context.runner, partial(games_away, rules, home, seed, values))
            files = write_games(table, folder, games, seed, values, file_format, play, shown)
        else:
            files = write_dataset(table, folder, games, seed, values, file_format, shown)
    rows = games * table.rules.n_categories
    if file_format == "parquet":
        for file in files.values():
            stamp(file, provenance(Optimal(table), seed, __version__, command_line(), games=games))
    written = {name: DataFile(file, rows) for name, file in files.items()}
    return GamesWritten(table.rules, games, seed, written, time.perf_counter() - started)


def _write_situations(
    who: str, temperature: float | None, draws: int | None, seed: int, values: bool, file_format: str,
    out: Path | None, rules: str, context: Context,
) -> SituationsWritten:  # fmt: skip
    with needs_extra("lab"):
        import polars as pl

    from yatzy.lab.data import decision_files
    from yatzy.lab.data.decision_files import check_draws, write_situations

    check_draws(draws, seed)
    if draws is None and seed:
        raise YatzyError("seed", seed, why="cannot go with --complete, which draws nothing")
    home, (table, player) = context.home, _player(who, temperature, rules, context.home)
    started = time.perf_counter()
    with progress_bar(f"following {player.name}"):
        found = _followed(player, context.threads)
    how = "complete" if draws is None else f"{draws}-{seed}"
    name = f"{stored_name(table.rules)}-{player.name.replace(', ', '-').replace(' ', '-')}-{how}"
    folder = out or home_folder(home) / "datasets" / name / ("values" if values else "")
    with context.shown(f"writing the situations of {player.name}") as shown:
        if context.is_distributed:
            find = partial(
                context.runner, partial(situations_away, who, temperature, rules, home, draws, seed, values)
            )
            files = decision_files.write_situations_elsewhere(
                table, player, found.visits, folder, draws, seed, values, file_format, find, shown
            )
        else:
            files = write_situations(table, player, found.visits, folder, draws, seed, values, file_format, shown)
    if file_format == "parquet":
        for file in files.values():
            stamp(
                file, provenance(player, None if draws is None else seed, __version__, command_line(), draws=draws)
            )
    scan = pl.scan_csv if file_format == "csv" else pl.scan_parquet
    written = {
        name: DataFile(file, int(scan(file).select(pl.len()).collect().item())) for name, file in files.items()
    }
    return SituationsWritten(
        table.rules, player.name, found.mean, draws, seed, written, time.perf_counter() - started
    )


def games_away(rules: str, home: Path | None, seed: int, values: bool, share: tuple[int, int]) -> Any:
    """Some of the games of a seed, wherever this runs."""
    from yatzy.lab.data.decision_files import games_share

    return games_share(solved_table(rules, home), seed, values, share)


def situations_away(
    who: str, temperature: float | None, rules: str, home: Path | None, draws: int | None, seed: int, values: bool,
    share: tuple[int, int, int],
) -> Any:  # fmt: skip
    """Some of a player's situations, wherever this runs."""
    from yatzy.lab.data.decision_files import situations_share

    table, player, visits = _visited(who, temperature, rules, home)
    return situations_share(table, player, visits, draws, seed, values, share)


@lru_cache(maxsize=1)
def _visited(who: str, temperature: float | None, rules: str, home: Path | None) -> Any:
    """The table, who plays, and how often each state is reached: found once by each worker."""
    table, player = _player(who, temperature, rules, home)
    return table, player, _followed(player, None).visits


def _followed(player: "Policy | Stochastic", threads: int | None) -> "Visits":
    from yatzy.measure.exact import visit
    from yatzy.policies.policy import Stochastic, Validated

    return visit(player if isinstance(player, Stochastic) else Validated(player), threads)


def _player(
    who: str, temperature: float | None, rules: str, home: Path | None
) -> tuple[ValueTable, "Policy | Stochastic"]:
    """The table, and who plays."""
    from yatzy.policies.boltzmann import TEMPERATURE, Boltzmann, check_temperature

    if who == SOFTENED:
        degrees = TEMPERATURE if temperature is None else temperature
        check_temperature(degrees)
        table = solved_table(rules, home)
        return table, Boltzmann(table, degrees)
    if temperature is not None:
        raise YatzyError("temperature", temperature, why=f"is for the policy {SOFTENED!r} only, not for {who!r}")
    try:
        with working("solving", home) as context:
            policy = find_policy(who, rules, context=context)
    except UnknownPolicyError as error:
        raise error.but(allowed=(SOFTENED, *(error.allowed or ()))) from None
    return solved_table(rules, home), policy
