"""Long work, killed at seeded moments again and again: run to its end, it gives what an unharmed run gives."""

import json
import os
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trust import forked
from trust.stored import KINDS, TRAINED, Kind, contents, use_small_blocks
from trust.tally import Tally
from yatzy.storage import sweep

MAX_KILLS = 6
# What differs from run to run: how long it took, and when.
PASSING = {"seconds", "provenance", "checksum", "date"}
LEFT = (".lock", ".gone", ".half")


@dataclass(frozen=True)
class Work:
    """`run` works into a folder and goes on where it was killed; `read` gives what came out."""

    name: str
    run: Callable[[Path], object]
    read: Callable[[Path], Any]


def command(words: str, own_home: bool = False) -> Callable[[Path], object]:
    """A command as a user types it; OUT is its folder, which may also be its home."""

    def run(out: Path) -> None:
        from yatzy.cli import main

        if own_home:
            os.environ["YATZY_HOME"] = str(out)
        out.mkdir(parents=True, exist_ok=True)
        (out / "grid.toml").write_text("theta = [-0.05, 0.05]\n")
        sys.argv = ["yatzy", *words.replace("OUT", str(out)).split()]
        main()

    return run


def outputs(folder: Path) -> dict[str, Any]:
    """Every file that was asked for, without what differs from run to run."""
    found: dict[str, Any] = {}
    for name, content in contents(folder).items():
        if any(part.startswith(".") for part in Path(name).parts) or name.endswith(("sweep.parquet", ".toml")):
            continue
        found[name] = _lasting(json.loads(content)) if name.endswith(".json") else content
    return found


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lasting(inner) for key, inner in value.items() if key not in PASSING}
    return [_lasting(inner) for inner in value] if isinstance(value, list) else value


def small(kind: Kind) -> Work:
    """A stored thing of a tiny game, where a kill costs a fraction of a second."""

    def run(out: Path) -> None:
        use_small_blocks()
        kind.make(out)

    return Work(f"small {kind.name}", run, kind.read)


SMALL = tuple(small(kind) for kind in (*KINDS, TRAINED))
REAL = tuple(
    Work(name, command(words, own_home), outputs)
    for name, words, own_home in (
        ("solve", "solve", True),
        ("solve, theta 0.05", "solve --theta 0.05", True),
        ("simulate", "simulate --games 300000 --seed 4 --out OUT/games.parquet", False),
        ("simulate --logs", "simulate --games 2000 --seed 4 --logs OUT/games.jsonl", False),
        ("dataset", "dataset --games 20000 --seed 4 --out OUT/data", False),
        ("dataset --draws", "dataset heuristic --draws 20000 --out OUT/data", False),
        ("sweep", "sweep OUT/grid.toml --out OUT/sweep", False),
        ("distill", "distill imitation-trees --depth 3 --depth 5 --games 2000 --out OUT/students", True),
        ("lists induce", "lists induce --method covering --rules-count 2 --out OUT/lists", False),
        ("reproduce", "reproduce statespace opening-turn --out OUT/results", False),
        ("chance", "chance --rules yacht --target 200", True),
        ("duel", "duel --rules yacht --games 2000", True),
    )
)


class Kills:
    """Trials over some works; the unharmed run of each comes first."""

    def __init__(
        self, tally: Tally, draw: random.Random, home: Path, folder: Path, works: tuple[Work, ...]
    ) -> None:
        self.tally, self.draw, self.home, self.folder = tally, draw, home, folder
        self.works = works
        self._right: dict[str, forked.Ended] = {}
        self._turn = 0
        folder.mkdir(parents=True)

    def trial(self) -> int:
        """Kill one work a few times and run it to its end; how many kills that were."""
        work = self.works[self._turn % len(self.works)]
        self._turn += 1
        right = self._unharmed(work)
        if right.status:
            return 0
        out, result, kills = self.folder / "work", self.folder / "result", 0
        for _ in range(self.draw.randint(1, MAX_KILLS)):
            moment = self.draw.uniform(0.0, 1.0) * right.seconds
            ended = forked.run(self._run(work, out), result, moment)
            if ended.status < 0:
                kills += 1
                self.tally.count(f"kills of {work.name}", None)
        ended = forked.run(self._run(work, out), result)
        self.tally.count("works run to their end after kills", self._fault(work, ended, out, result))
        shutil.rmtree(out, ignore_errors=True)
        return kills

    def _run(self, work: Work, out: Path) -> Callable[[], Any]:
        def run() -> Any:
            os.environ["YATZY_HOME"] = str(self.home)
            try:
                work.run(out)
            except SystemExit as ended:
                if ended.code:
                    raise
            return work.read(out)

        return run

    def _unharmed(self, work: Work) -> forked.Ended:
        if work.name not in self._right:
            # In the same place: files say by which command they were written.
            out, result = self.folder / "work", self.folder / "result"
            ended = self._right[work.name] = forked.run(self._run(work, out), result)
            if ended.status:
                self.tally.count(f"kills of {work.name}", f"fails unharmed: {forked.told(result)[-400:]}")
            shutil.rmtree(out, ignore_errors=True)
        return self._right[work.name]

    def _fault(self, work: Work, ended: forked.Ended, out: Path, result: Path) -> str | None:
        if ended.status:
            return f"{work.name}: status {ended.status}: {forked.told(result)[-400:]}"
        if ended.result != self._right[work.name].result:
            return f"{work.name}: another result"
        for file in out.rglob("*.half"):
            # Young ones may belong to somebody; a minute later they go.
            os.utime(file, (1, 1))
        for place in {out, *(file.parent for file in out.rglob("*"))}:
            sweep(place)
        left = [name for name in contents(out) if name.endswith(LEFT) or ".parts/" in name]
        return f"{work.name}: left {left}" if left else None
