"""The registry of studies: computes every published number again and compares.

    results/<study>.json = study(ruleset), with the version and commit that it was computed with.

What a stopped run had finished is kept under a digest of the code, and found by the next one.
"""

import io
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_type_hints

from yatzy import __version__
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.game.json import as_json, from_json
from yatzy.lab.studies import (
    compression,
    decisions,
    duel,
    exact,
    games,
    learning,
    levels,
    lists_and_charts,
    profile,
    reach,
    scores,
    solution,
    statespace,
    strength,
    sweep,
)
from yatzy.lab.studies.results import (
    Provenance,
    Result,
    commit_of_sources,
    kept_part,
    part_file,
    parts_folder,
    read_result,
    result_content,
    result_json,
    write_result,
)
from yatzy.rules import Ruleset, ruleset
from yatzy.sealed import CHECKSUM
from yatzy.source_digest import source_digest
from yatzy.storage import PACKAGE, RESULTS, remove_folder, write_atomically, writer_lock

WHOLE = "studies"
# Rooms whose data files studies measure: models, lists, charts, the quiz, the grid.
ROOMS_WITH_DATA = ("players", "coach", "lab")
# Differences up to this, of numbers above 1 in proportion, are rounding.
SAME = 1e-9
# What may differ between two runs of the same code.
OF_THE_RUN = frozenset({"provenance", "seconds", "version", CHECKSUM})


@dataclass(frozen=True)
class Study:
    """A study: `function(rules=, context=)` computes it; `parts` are the kinds of parts that it keeps."""

    name: str
    description: str
    function: Callable[..., Result]
    seed: int | None = None
    parts: tuple[str, ...] = ()

    @property
    def result_type(self) -> type:
        found: type = get_type_hints(self.function)["return"]
        return found


@dataclass(frozen=True)
class StudyReport:
    """A study, its result in a file if there is one, and how that differs from the published one."""

    study: str
    description: str
    path: str
    provenance: Provenance | None
    key_figures: dict[str, float]
    claims: list[dict[str, Any]]
    differences: list[str]


STUDIES = {
    study.name: study
    for study in (
        Study("statespace", "how large the game is, from histories to classes", statespace.count_states),
        Study(
            "distribution", "the exact score distribution, its tails, a million games beside it",
            scores.measure_distribution, scores.SEED,
        ),
        Study(
            "populations", "with and without bonus and Yatzy: four populations in one",
            scores.measure_populations, scores.POPULATIONS_SEED,
        ),
        Study("bonus", "the gap between games with and without the bonus, taken apart", scores.split_bonus_gap),
        Study(
            "game-spray", "ten thousand perfect games with their scorecards",
            scores.spray_games, scores.SPRAY_SEED,
        ),
        Study("precision", "what solving in float32 costs", solution.compare_precisions),
        Study(
            "reported", "the value usually cited, and the rules it is the value of", solution.explain_reported
        ),
        Study("quiz", "ten decisions of a first turn, with what every choice costs", decisions.ask_questions),
        Study(
            "exact", "the value of the game as a fraction, equal decisions, and what float64 gets wrong",
            exact.measure_exact, parts=("exact",),
        ),
        Study("small-game", "a Yatzy of two dice and two boxes, solved by hand", solution.solve_small_game),
        Study(
            "opening-turn", "the first turn in full: every roll, keep and category", solution.measure_opening_turn
        ),
        Study(
            "decisions", "what one decision is worth, beside the spread of a game", decisions.measure_decisions
        ),
        Study("heuristic-gap", "where a bot that plays by patterns loses points", strength.measure_heuristic_gap),
        Study(
            "compression", "how small a strong player can be", compression.measure_compression,
            parts=("strength",),
        ),
        Study(
            "rosetta", "how much of perfect play fits into rules that a person can carry",
            lists_and_charts.measure_rosetta, parts=("strength", "mean", "curve"),
        ),
        Study(
            "learning", "four learners that only play, and how well each plays after up to ten million games",
            learning.measure_learning, learning.SEED, ("learning",),
        ),
        Study(
            "charts", "charts beside cards and lists: strength, and how much is read",
            lists_and_charts.measure_charts, lists_and_charts.SEED,
        ),
        Study(
            "profile", "what thirty questions tell about a player, and what each habit costs",
            profile.measure_profile, profile.SEED,
        ),
        Study(
            "levels", "the exact means of players that people can picture, and of opponents of every strength",
            levels.measure_levels, parts=("levels",),
        ),
        Study(
            "games", "every game side by side, from Yacht to Maxi Yatzy", games.compare_games, games.SEED,
            ("games",),
        ),
        Study(
            "reach", "the greatest chance of every score, and what playing for it costs",
            reach.measure_reach, reach.SEED, ("reach",),
        ),
        Study(
            "duel", "playing to win against play for the mean, with both cards in view",
            duel.measure_duels, duel.SEED, ("duel",),
        ),
        Study(
            "sweep", "optimal play for a grid of risk parameters", sweep.sweep_default_grid, parts=("sweep",)
        ),
    )
}  # fmt: skip


def result_types() -> dict[str, type]:
    """By study, the class of its result, from which its JSON Schema can be made."""
    return {study.name: study.result_type for study in STUDIES.values()}


def find_study(name: str) -> Study:
    """The study of that name; dashes and underscores are the same."""
    study = STUDIES.get(name.replace("_", "-").lower())
    if study is None:
        raise YatzyError("study", name, STUDIES, "is not known")
    return study


def published_results(folder: Path = RESULTS) -> list[StudyReport]:
    """The published result of every study."""
    return [_report(study, folder / f"{study.name}.json") for study in STUDIES.values()]


def reproduce(
    names: Sequence[str],
    results_folder: Path = Path("results"),
    context: Context = DEFAULT_CONTEXT,
    rules: str | Ruleset = "scandinavian",
    published: Path = RESULTS,
) -> list[StudyReport]:
    """Compute the named studies, write each to its file, and compare with the published result for these rules."""
    rules = ruleset(rules)
    rules.check_plain("studies are")
    studies = [find_study(name) for name in names]
    # Taken now: the source may be edited before a later study begins.
    codes = [source_digest(study.function.__module__) for study in studies]
    done = []
    with writer_lock(parts_folder(context.home), context.notice):
        for i, (study, code) in enumerate(zip(studies, codes, strict=True)):
            part = context.part(i, len(studies))
            part.step(0, 1)
            done.append(_reproduce(study, code, results_folder, part, rules, published))
            part.step(1, 1)
        for kind in {WHOLE, *(kind for study in studies for kind in study.parts)}:
            remove_folder(parts_folder(context.home) / kind)
    return done


def _reproduce(
    study: Study, code: str, folder: Path, context: Context, rules: Ruleset, published: Path
) -> StudyReport:
    def compute() -> dict[str, Any]:
        started = time.perf_counter()
        result = study.function(rules=rules, context=context)
        provenance = Provenance(
            version=__version__,
            commit=commit_of_sources(),
            fingerprint=rules.fingerprint,
            rules=rules.name,
            seed=study.seed,
            seconds=time.perf_counter() - started,
            threads=context.n_threads,
            date=datetime.now(UTC).date().isoformat(),
        )
        return {"provenance": as_json(provenance), "result": result_json(result)}

    before = read_result(published / f"{study.name}.json")
    kept = part_file(
        context.home, WHOLE, study.name, code, rules.fingerprint, *(path.read_bytes() for path in data_files())
    )
    found = kept_part(kept, dict[str, Any], compute)
    provenance = from_json(Provenance, found["provenance"])
    result: Any = from_json(study.result_type, found["result"])
    path = folder / f"{study.name}.json"
    _write_frame(path.with_suffix(".parquet"), result, provenance)
    write_result(path, study.name, provenance, result)
    if before is None or before[0].fingerprint != rules.fingerprint:
        return _report(study, path)
    content = result_content(study.name, provenance, result)
    return _report(study, path, list(differences(before[1], content)))


def data_files() -> list[Path]:
    """The files beside the code that studies measure."""
    found = [path for room in ROOMS_WITH_DATA for path in sorted((PACKAGE / room).rglob("*")) if path.is_file()]
    return [path for path in found if not path.suffix.startswith(".py")]


def differences(published: Any, now: Any, where: str = "") -> Iterator[str]:
    """Where two results differ by more than rounding, in words; time and version do not count."""
    if isinstance(published, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*published, *now]):
            if key not in OF_THE_RUN:
                place = f"{where}.{key}" if where else key
                yield from differences(published.get(key), now.get(key), place)
    elif isinstance(published, list) and isinstance(now, list | tuple) and len(published) == len(now):
        for i, (one, other) in enumerate(zip(published, now, strict=True)):
            yield from differences(one, other, f"{where}[{i}]")
    elif isinstance(published, int | float) and isinstance(now, int | float):
        if not math.isclose(published, now, rel_tol=SAME, abs_tol=SAME):
            yield f"{where}: {published!r} is published, {now!r} was computed"
    elif published != now:
        yield f"{where}: {_short(published)} is published, {_short(now)} was computed"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _report(study: Study, path: Path, differing: Sequence[str] = ()) -> StudyReport:
    provenance, content = read_result(path) or (None, {})
    return StudyReport(
        study=study.name,
        description=study.description,
        path=str(path),
        provenance=provenance,
        key_figures=content.get("key_figures", {}),
        claims=content.get("claims", []),
        differences=list(differing),
    )


def _write_frame(path: Path, result: Any, provenance: Provenance) -> None:
    """The table of a result that has one (`frame`), as Parquet."""
    if hasattr(result, "frame"):
        content = io.BytesIO()
        metadata = {"version": provenance.version, "commit": provenance.commit or ""}
        result.frame().write_parquet(content, metadata=metadata)
        write_atomically(path, content.getvalue())
