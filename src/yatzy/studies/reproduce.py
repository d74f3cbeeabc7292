"""Every published number, computed again: a registry of studies, and running them.

    results/<study>.json = study(ruleset), computed by exactly this code.

A result is kept if its provenance says that the same ruleset and code made it. A killed run therefore resumes
where it stopped, and after a change of code only what it may have changed is computed again.
"""

import io
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from yatzy import __version__
from yatzy.errors import YatzyError
from yatzy.files import write_whole
from yatzy.rulelists.charts.library import chart_file, charted_games, shipped_charts
from yatzy.rulelists.library import shipped_lists
from yatzy.rules import Ruleset, ruleset
from yatzy.running import Progress, Report, check_threads, part_of, silent
from yatzy.students.library import shipped_file, shipped_students
from yatzy.studies import charts, distribution, duel, game_spray, games, learning, populations, profile, reach
from yatzy.studies.bonus import split_bonus_gap
from yatzy.studies.compression import measure_compression
from yatzy.studies.decisions import measure_decisions
from yatzy.studies.freshness import Code, code_of, tell_changes
from yatzy.studies.heuristic_gap import measure_heuristic_gap
from yatzy.studies.opening_turn import measure_opening_turn
from yatzy.studies.precision import compare_precisions
from yatzy.studies.quiz import ask_questions
from yatzy.studies.reported import explain_reported
from yatzy.studies.results import Provenance, Result, read_result, write_result
from yatzy.studies.rosetta import measure_rosetta
from yatzy.studies.small_game import solve_small_game
from yatzy.studies.statespace import count_states
from yatzy.studies.sweep import GRID, sweep_default_grid


@dataclass(frozen=True)
class Study:
    """A study: `function(rules, home, threads, progress)` computes it; `data` are files beside its module."""

    name: str
    description: str
    function: Callable[..., Result]
    seed: int | None = None
    data: tuple[str, ...] = ()

    @property
    def code(self) -> Code:
        return code_of(self.function, data=self.data)


@dataclass(frozen=True)
class Reproduced:
    """A result that is now in its file; `kept` if it already was, else `why` it was computed."""

    study: str
    path: str
    kept: bool
    why: str
    provenance: Provenance
    key_figures: dict[str, float]
    claims: list[dict[str, Any]]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


STUDIES = {
    study.name: study
    for study in (
        Study("statespace", "how large the game is, from histories to classes", count_states),
        Study(
            "distribution", "the exact score distribution, its tails, a million games beside it",
            distribution.measure_distribution, distribution.SEED,
        ),
        Study(
            "populations", "with and without bonus and Yatzy: four populations in one",
            populations.measure_populations, populations.SEED,
        ),
        Study("bonus", "the gap between games with and without the bonus, taken apart", split_bonus_gap),
        Study(
            "game-spray", "ten thousand perfect games with their scorecards",
            game_spray.spray_games, game_spray.SEED,
        ),
        Study("precision", "what solving in float32 costs", compare_precisions),
        Study("reported", "the value usually cited, and the rules it is the value of", explain_reported),
        Study("quiz", "ten decisions of a first turn, with what every choice costs", ask_questions),
        Study("small-game", "a Yatzy of two dice and two boxes, solved by hand", solve_small_game),
        Study("opening-turn", "the first turn in full: every roll, keep and category", measure_opening_turn),
        Study("decisions", "what one decision is worth, beside the spread of a game", measure_decisions),
        Study("heuristic-gap", "where a bot that plays by patterns loses points", measure_heuristic_gap),
        Study(
            "compression", "how small a strong player can be", measure_compression,
            data=("../rulelists/language/par.toml", *(str(shipped_file(name)) for name in shipped_students())),
        ),
        Study(
            "rosetta", "how much of perfect play fits into rules that a person can carry", measure_rosetta,
            data=tuple(f"../rulelists/lists/{name}.json" for name in shipped_lists()),
        ),
        Study(
            "learning", "four learners that only play, and how well each plays after up to ten million games",
            learning.measure_learning, learning.SEED,
        ),
        Study(
            "charts", "charts beside cards and lists: strength, and how much is read", charts.measure_charts,
            charts.SEED,
            data=(
                *(
                    f"../rulelists/charts/shipped/{chart_file(name, game).name}"
                    for game in charted_games()
                    for name in shipped_charts(game)
                ),
                *(f"../rulelists/lists/{name}.json" for name in shipped_lists()),
            ),
        ),
        Study(
            "profile", "what thirty questions tell about a player, and what each habit costs",
            profile.measure_profile, profile.SEED, data=("../profiles/quiz.json",),
        ),
        Study("games", "every game side by side, from Yacht to Maxi Yatzy", games.compare_games, games.SEED),
        Study(
            "reach", "the greatest chance of every score, and what playing for it costs",
            reach.measure_reach, reach.SEED, data=(GRID,),
        ),
        Study(
            "duel", "playing to win against play for the mean, with both cards in view",
            duel.measure_duels, duel.SEED, data=(GRID,),
        ),
        Study("sweep", "optimal play for a grid of risk parameters", sweep_default_grid, data=(GRID,)),
    )
}  # fmt: skip


def reproduce(
    names: Sequence[str] = (),
    results_folder: Path = Path("results"),
    home: Path | None = None,
    progress: Progress | None = None,
    force: bool = False,
    rules: str | Ruleset = "scandinavian",
    threads: int | None = None,
    notice: Report = silent,
    shipped: Path | None = None,
) -> list[Reproduced]:
    """Run the named studies (all of them if none is named), each into its file, unless it is there already.

    What is not in the folder may be in `shipped`, which nothing is written to. `notice` is told first which
    results are stale, and why.
    """
    rules = ruleset(rules)
    rules.check_plain("studies are")
    studies = [find_study(name) for name in names] or list(STUDIES.values())
    for study in studies:
        # Read now what was imported: the source may be edited before a later study begins.
        _ = study.code
    paths = [_find(study, results_folder, shipped) for study in studies]
    whys = [why_stale(study, path, rules) for study, path in zip(studies, paths, strict=True)]
    for path, stale in zip(paths, whys, strict=True):
        if stale and path.exists():
            notice(stale)
    done = []
    for i, (study, path, why) in enumerate(zip(studies, paths, whys, strict=True)):
        report = part_of(progress, i, len(studies))
        report(0, 1)
        result = path
        if force or why:
            result = results_folder / path.name
            _compute(study, result, home, report, rules, threads)
        done.append(_reproduced(study, result, why or ("asked for" if force else "")))
        report(1, 1)
    return done


def _find(study: Study, folder: Path, shipped: Path | None) -> Path:
    """The file of a result, or where it is to be."""
    name = f"{study.name}.json"
    if shipped and not (folder / name).exists() and (shipped / name).is_file():
        return shipped / name
    return folder / name


def find_study(name: str) -> Study:
    """The study of that name; dashes and underscores are the same."""
    study = STUDIES.get(name.replace("_", "-").lower())
    if study is None:
        raise YatzyError("study", name, STUDIES, "is not known")
    return study


def why_stale(study: Study, path: Path, rules: str | Ruleset = "scandinavian") -> str | None:
    """Why the result in this file is stale, in a sentence; None if it is fresh."""
    found = read_result(path)
    if found is None:
        return f"{path} {'cannot be read' if path.exists() else 'is not there yet'}"
    made, rules = found[0], ruleset(rules)
    if made.fingerprint != rules.fingerprint:
        return f"{path} is stale: it was made for another ruleset"
    if made.code == study.code.digest:
        return None
    if made.definitions is None:
        return f"{path} is stale: it was made before results told which definitions they hang on"
    return f"{path} is stale: {tell_changes(made.definitions, study.code)}"


def _compute(
    study: Study, path: Path, home: Path | None, progress: Progress, rules: Ruleset, threads: int | None
) -> None:
    code, started = study.code, time.perf_counter()
    result = study.function(rules=rules, home=home, threads=threads, progress=progress)
    provenance = Provenance(
        version=__version__,
        fingerprint=rules.fingerprint,
        code=code.digest,
        rules=rules.name,
        seed=study.seed,
        seconds=time.perf_counter() - started,
        threads=check_threads(threads),
        date=datetime.now(UTC).date().isoformat(),
        definitions=code.definitions,
    )
    _write_frame(path.with_suffix(".parquet"), result)
    write_result(path, study.name, provenance, result)


def _reproduced(study: Study, path: Path, why: str) -> Reproduced:
    found = read_result(path)
    if found is None:
        raise YatzyError("results", why=f"{path} was written but cannot be read")
    provenance, content = found
    return Reproduced(
        study=study.name,
        path=str(path),
        kept=not why,
        why=why,
        provenance=provenance,
        key_figures=content["key_figures"],
        claims=content.get("claims", []),
    )


def _write_frame(path: Path, result: Any) -> None:
    """The table of a result that has one (`frame`), as Parquet."""
    if hasattr(result, "frame"):
        content = io.BytesIO()
        result.frame().write_parquet(content)
        write_whole(path, content.getvalue())
