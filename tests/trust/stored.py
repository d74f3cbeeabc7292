"""Every kind of thing that is stored: how it is made, and how it is read back."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from games import ONES, PAIR, THREE_DICE
from yatzy import ValueTable, solve
from yatzy.coach import outlook
from yatzy.context import Context
from yatzy.game.log import GameLog, TurnLog, read_logs, write_logs
from yatzy.lab.studies.results import Provenance, kept_part, read_result, write_result
from yatzy.lab.studies.sweep import sweep
from yatzy.lab.training import data as training_data
from yatzy.lab.training.train import train_into
from yatzy.measure import simulate as simulating
from yatzy.players.library import chart_content, find_chart, find_list, load_chart, save_chart
from yatzy.players.model import ImitationTreeRecipe, load_model, save_model, shipped_file
from yatzy.players.rule_list import load_list, save_list
from yatzy.policies.optimal import Optimal
from yatzy.rules import Ruleset, scandinavian, stored_name
from yatzy.solver.goal import reach
from yatzy.solver.out_of_core import solve_to_file
from yatzy.solver.store import load_goal, stored_goal
from yatzy.storage import write_atomically
from yatzy.turn.kernels.jit import drop_unsealed, seal_kernels
from yatzy.turn.kernels.llvm import read_code, write_code

GAMES = 20
# Two dice with two faces, one reroll, two boxes: every step of all work on it can fail in turn.
MINI = Ruleset("mini", dice=2, faces=2, rerolls=1, categories=(ONES, PAIR))
DECISIONS = ("category", "reroll1")


@dataclass(frozen=True)
class Kind:
    """`make` writes into a folder (and goes on where an earlier call was stopped); `read` gives what is there."""

    name: str
    make: Callable[[Path], Any]
    read: Callable[[Path], Any]
    files: tuple[str, ...]


@dataclass(frozen=True)
class _Number:
    number: float = 1.5
    list: tuple[int, ...] = (1, 2, 3)

    @property
    def key_figures(self) -> dict[str, float]:
        return {"number": self.number}


def _log() -> GameLog:
    turn = TurnLog(((1, 3, 3, 5, 6), (3, 3, 2, 3, 4)), ((3, 3),), "threes")
    return GameLog(scandinavian(), (turn,), player="Åsa", date="2026-01-31", seed=5, game=1)


@cache
def mini_table() -> ValueTable:
    return solve(MINI)


def _simulate(folder: Path) -> Any:
    return simulating.simulate_to_parquet(Optimal(mini_table()), GAMES, folder / "games.parquet", seed=3)


def _dataset(folder: Path) -> Any:
    files = training_data.DecisionFiles(folder)
    return training_data.write_dataset(mini_table(), files, GAMES, seed=3, context=Context(threads=1))


def _training_data(folder: Path) -> Any:
    """As `distill` finds it: what was damaged is written again."""
    files = training_data.find_dataset(mini_table(), GAMES, 3, Context(folder))
    return [pl.read_parquet(file).rows() for file in files.values()]


def _provenance() -> Provenance:
    return Provenance("0", "f", "tiny", None, 0.5, 1, "2026-01-31", "c")


def _read_table(folder: Path) -> Any:
    return ValueTable.load(folder / "t.safetensors", THREE_DICE).stored.tobytes()


def _read_streamed(folder: Path) -> Any:
    return ValueTable.load(folder / "t.safetensors", MINI).stored.tobytes()


def _train(folder: Path) -> Any:
    """Through a data set and a grown tree, which are kept for the next model."""
    return train_into(folder, [ImitationTreeRecipe(depth=3, games=GAMES)], mini_table(), Context(folder))


def _model() -> Any:
    return load_model(shipped_file("tree-6k"))


KINDS = (
    Kind("table", lambda f: solve(THREE_DICE).save(f / "t.safetensors"), _read_table, ("t.safetensors",)),
    Kind(
        "chances",
        lambda f: outlook.stored_bonus_chances(mini_table(), Context(f)),
        lambda f: _needed(outlook.load_chances(mini_table(), f)).tobytes(),
        (f"tables/{stored_name(MINI)}-theta0.0-float64-bonus.safetensors",),
    ),
    Kind(
        "model",
        lambda f: save_model(_model(), f / "s.safetensors"),
        lambda f: load_model(f / "s.safetensors").content,
        ("s.safetensors",),
    ),
    Kind(
        "rule list",
        lambda f: save_list(find_list("card-20"), f / "l.json"),
        lambda f: load_list(f / "l.json").file,
        ("l.json",),
    ),
    Kind(
        "chart",
        lambda f: save_chart(find_chart("chart-10"), f / "c.json"),
        lambda f: chart_content(load_chart(f / "c.json")),
        ("c.json",),
    ),
    Kind("log", lambda f: write_logs([_log()], f / "g.json"), lambda f: read_logs(f / "g.json"), ("g.json",)),
    Kind(
        "result",
        lambda f: write_result(f / "r.json", "study", _provenance(), _Number()),
        lambda f: _needed(read_result(f / "r.json"))[1],
        ("r.json",),
    ),
    Kind(
        "part of a study",
        lambda f: kept_part(f / "p.json", dict[str, Any], lambda: {"mean": 248.44, "list": [1.5, 2.5]}),
        lambda f: kept_part(f / "p.json", dict[str, Any], _refuse),
        ("p.json",),
    ),
    Kind(
        "sweep",
        lambda f: sweep([0.0, 0.1], f, MINI),
        lambda f: [p["mean"] for p in json.loads((f / "sweep.json").read_text())["points"]],
        ("sweep.json", "sweep.parquet"),
    ),
    Kind(
        "compiled code",
        lambda f: write_code(f / "turn.code", bytes(range(256)) * 40),
        lambda f: _needed(read_code(f / "turn.code")),
        ("turn.code",),
    ),
    Kind(
        "chances of targets",
        lambda f: stored_goal(MINI, reach(), Context(f)),
        lambda f: np.array(_needed(load_goal(MINI, reach(), Context(f))).values).tobytes(),
        (f"goals/{stored_name(MINI)}-reach.safetensors",),
    ),
    Kind(
        "streamed table",
        lambda f: solve_to_file(f / "t.safetensors", MINI, context=Context(threads=1)),
        _read_streamed,
        ("t.safetensors",),
    ),
    Kind("games", _simulate, lambda f: pl.read_parquet(f / "games.parquet").rows(), ("games.parquet",)),
    Kind(
        "data set",
        _dataset,
        lambda f: [pl.read_parquet(f / f"{n}_decisions.parquet").rows() for n in DECISIONS],
        tuple(f"{n}_decisions.parquet" for n in DECISIONS),
    ),
)

# A hundred steps, each of which trains again: for the long run only.
TRAINED = Kind(
    "trained model",
    _train,
    lambda f: load_model(f / "tree-depth-3.safetensors", MINI).content,
    ("tree-depth-3.safetensors",),
)

# Its steps are those of a data set and of one more file.
TRAINING_DATA = Kind(
    "training data",
    _training_data,
    _training_data,
    tuple(f"datasets/{stored_name(MINI)}-{GAMES}-3/{n}_decisions.parquet" for n in DECISIONS),
)

# The others are outputs, which we write and do not read.
READ_BACK = (*(kind for kind in KINDS if kind.name not in ("games", "data set", "sweep")), TRAINING_DATA)


def use_small_blocks() -> None:
    """Long work in several parts, however small."""
    simulating.GAMES_PER_BLOCK = training_data.GAMES_PER_BLOCK = 16


def kernel_kind() -> Kind:
    """Two files that Numba has saved, and their seal."""

    def make(folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        for name in ("kernel.nbi", "kernel.1.nbc"):
            write_atomically(folder / name, bytes(range(256)))
        seal_kernels(folder)

    def read(folder: Path) -> list[bytes]:
        drop_unsealed(folder)
        found = [file.read_bytes() for file in sorted(folder.glob("*.nb[ic]"))]
        return [_needed(content) for content in found or [None]]

    return Kind("compiled kernel", make, read, ())


def _needed(found: Any) -> Any:
    if found is None:
        raise LookupError("not there, or refused")
    return found


def _refuse() -> Any:
    raise LookupError("it would be made again")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file under a folder, hidden ones included."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def seeded(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)
