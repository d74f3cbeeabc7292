"""Every published number, computed again: a registry of studies, and running them.

    results/<study>.json = study(ruleset), computed by exactly this code.

A result is kept when its provenance says that the same version, ruleset and code made it; a killed run therefore
goes on where it stopped, and a change of code computes again what it may have changed and nothing else.
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
from yatzy.rulelists.library import shipped_lists
from yatzy.rules import Ruleset, ruleset
from yatzy.running import Progress, check_threads
from yatzy.studies import distribution, game_spray
from yatzy.studies.bonus import split_bonus_gap
from yatzy.studies.compression import measure_compression
from yatzy.studies.decisions import measure_decisions
from yatzy.studies.heuristic_gap import measure_heuristic_gap
from yatzy.studies.opening_turn import measure_opening_turn
from yatzy.studies.populations import measure_populations
from yatzy.studies.results import Provenance, Result, code_digest, read_result, write_result
from yatzy.studies.rosetta import measure_rosetta
from yatzy.studies.statespace import count_states
from yatzy.studies.sweep import GRID, sweep_default_grid

# A study reports its own steps; together they fill so many steps of the whole run.
STEPS_PER_STUDY = 1000


@dataclass(frozen=True)
class Study:
    """A study: `function(rules, home, threads, progress)` computes it; `data` are files beside its module."""

    name: str
    description: str
    function: Callable[..., Result]
    seed: int | None = None
    data: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        return code_digest(self.function.__module__, self.data)


@dataclass(frozen=True)
class Reproduced:
    """A result that is now in its file; `kept` if it already was."""

    study: str
    path: str
    kept: bool
    provenance: Provenance
    key_figures: dict[str, float]
    seeds_claim: list[dict[str, Any]]

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
        Study("populations", "with and without bonus and Yatzy: four populations in one", measure_populations),
        Study("bonus", "the gap between games with and without the bonus, taken apart", split_bonus_gap),
        Study(
            "game-spray", "ten thousand perfect games with their scorecards",
            game_spray.spray_games, game_spray.SEED,
        ),
        Study("opening-turn", "the first turn in full: every roll, keep and category", measure_opening_turn),
        Study("decisions", "what one decision is worth, beside the spread of a game", measure_decisions),
        Study("heuristic-gap", "where a casual player loses points", measure_heuristic_gap),
        Study("compression", "how small a strong player can be", measure_compression),
        Study(
            "rosetta", "how much of perfect play fits into rules that a person can carry", measure_rosetta,
            data=tuple(f"../rulelists/lists/{name}.json" for name in shipped_lists()),
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
) -> list[Reproduced]:
    """Run the named studies (all of them if none is named), each into its file, unless it is there already."""
    studies = [find_study(name) for name in names] or list(STUDIES.values())
    done = []
    for i, study in enumerate(studies):
        report = _part_of(progress, i, len(studies))
        report(0, 1)
        done.append(_reproduce_one(study, results_folder, home, report, force, ruleset(rules), threads))
        report(1, 1)
    return done


def find_study(name: str) -> Study:
    """The study of that name; dashes and underscores are the same."""
    study = STUDIES.get(name.replace("_", "-").lower())
    if study is None:
        raise YatzyError(f"study: {name!r} is not known; allowed are {', '.join(STUDIES)}")
    return study


def is_fresh(study: Study, path: Path, rules: str | Ruleset = "scandinavian") -> bool:
    """Was the result in this file made by the code at hand?"""
    found = read_result(path)
    rules = ruleset(rules)
    return found is not None and found[0].made_by == (__version__, rules.fingerprint, study.code)


def _reproduce_one(
    study: Study, folder: Path, home: Path | None, progress: Progress, force: bool, rules: Ruleset,
    threads: int | None,
) -> Reproduced:  # fmt: skip
    path = folder / f"{study.name}.json"
    kept = not force and is_fresh(study, path, rules)
    if not kept:
        code, started = study.code, time.perf_counter()
        result = study.function(rules=rules, home=home, threads=threads, progress=progress)
        provenance = Provenance(
            version=__version__,
            fingerprint=rules.fingerprint,
            code=code,
            rules=rules.name,
            seed=study.seed,
            seconds=time.perf_counter() - started,
            threads=check_threads(threads),
            date=datetime.now(UTC).date().isoformat(),
        )
        _write_frame(path.with_suffix(".parquet"), result)
        write_result(path, study.name, provenance, result)
    found = read_result(path)
    if found is None:
        raise YatzyError(f"results: {path} was written but cannot be read")
    provenance, content = found
    return Reproduced(
        study=study.name,
        path=str(path),
        kept=kept,
        provenance=provenance,
        key_figures=content["key_figures"],
        seeds_claim=content.get("seeds_claim", []),
    )


def _write_frame(path: Path, result: Any) -> None:
    """The table of a result that has one (`frame`), as Parquet."""
    if hasattr(result, "frame"):
        content = io.BytesIO()
        result.frame().write_parquet(content)
        write_whole(path, content.getvalue())


def _part_of(progress: Progress | None, i: int, n: int) -> Progress:
    """Progress of study i as part of n."""

    def report(done: int, total: int) -> None:
        if progress:
            progress(i * STEPS_PER_STUDY + STEPS_PER_STUDY * done // max(total, 1), n * STEPS_PER_STUDY)

    return report
