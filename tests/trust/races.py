"""Three processes with one output: it is that of one of them, and each is told its own numbers."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from trust import forked
from trust.stored import DECISIONS, MINI, mini_table, use_small_blocks
from trust.tally import Tally
from yatzy.context import Context
from yatzy.lab.studies.sweep import sweep
from yatzy.lab.training.data import DecisionFiles, write_dataset
from yatzy.measure.simulate import simulate_to_parquet
from yatzy.policies.optimal import Optimal

SEEDS = (3, 4, 5)
GAMES = 200


def _games(out: Path, seed: int) -> Any:
    use_small_blocks()
    return simulate_to_parquet(
        Optimal(mini_table()), GAMES, out / "games.parquet", seed=seed, context=Context(threads=1)
    )


def _data(out: Path, seed: int) -> Any:
    use_small_blocks()
    files = write_dataset(mini_table(), DecisionFiles(out), GAMES, seed=seed, context=Context(threads=1))
    return sorted(file.name for file in files.values())


def _points(out: Path, seed: int) -> Any:
    return [point.mean for point in sweep([0.0, 0.01 * seed], out, MINI).points]


def _rows(out: Path) -> Any:
    files = [out / "games.parquet", *(out / f"{name}_decisions.parquet" for name in DECISIONS)]
    return [pl.read_parquet(file).rows() for file in files if file.exists()]


def _means(out: Path) -> Any:
    return [pl.read_parquet(out / "sweep.parquet")["mean"].to_list()]


RACES: dict[str, tuple[Callable[[Path, int], Any], Callable[[Path], Any]]] = {
    "simulate": (_games, _rows),
    "dataset": (_data, _rows),
    "sweep": (_points, _means),
}


class Races:
    def __init__(self, tally: Tally, draw: random.Random, folder: Path) -> None:
        self.tally, self.draw, self.folder = tally, draw, folder
        self._right: dict[tuple[str, int], tuple[Any, Any]] = {}
        self._turn = 0
        folder.mkdir(parents=True)

    def trial(self) -> int:
        name = list(RACES)[self._turn % len(RACES)]
        self._turn += 1
        seeds = self.draw.sample(SEEDS, len(SEEDS))
        right = {seed: self._alone(name, seed) for seed in seeds}
        work, read = RACES[name]
        out = self.folder / "raced"
        running = [
            (seed, forked.start(lambda seed=seed: work(out, seed), self.folder / f"told-{seed}")) for seed in seeds
        ]
        ended = {seed: forked.finish(pid, self.folder / f"told-{seed}") for seed, pid in running}
        self.tally.count(f"races of {name}", self._fault(ended, right, out, read))
        shutil.rmtree(out)
        return 1

    def _fault(self, ended: dict[int, forked.Ended], right: dict[int, Any], out: Path, read: Any) -> str | None:
        for seed, one in ended.items():
            if one.status:
                return f"status {one.status}: {forked.told(self.folder / f'told-{seed}')[-300:]}"
            if one.result != right[seed][0]:
                return f"seed {seed} was told {one.result}"
        found = forked.run(lambda: read(out), self.folder / "read")
        if found.status or found.result not in [of_file for _, of_file in right.values()]:
            return "the output is a mixture"
        left = [file.name for file in out.iterdir() if file.name.startswith(".")]
        return f"left {left}" if left else None

    def _alone(self, name: str, seed: int) -> tuple[Any, Any]:
        """What the work gives when nobody else is there."""
        if (name, seed) not in self._right:
            work, read = RACES[name]
            out = self.folder / "alone"
            ended = forked.run(lambda: (work(out, seed), read(out)), self.folder / "result")
            assert ended.status == 0, forked.told(self.folder / "result")
            self._right[name, seed] = ended.result
            shutil.rmtree(out)
        return self._right[name, seed]
