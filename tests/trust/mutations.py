"""A byte of a stored thing changes: it is refused in a sentence, or what comes out is what would have come out.

Also half-finished work: a run that was stopped before it joined its parts goes on after one of them was damaged.
"""

import random
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from trust import forked
from trust.stored import KINDS, READ_BACK, TRAINED, Kind, contents, kernel_kind, use_small_blocks
from trust.tally import Tally
from yatzy.errors import YatzyError

AT_A_TIME = 20


class StoppedError(BaseException):
    """Where a kill would have been."""


def _stop(*_arguments: Any, **_named: Any) -> Any:
    raise StoppedError


def half_done(kind: Kind, *addresses: str) -> Kind:
    """The work stopped where it joins its parts; to read it is to run it to its end."""

    def make(folder: Path) -> None:
        with ExitStack() as stack:
            for address in addresses:
                stack.enter_context(patch(address, _stop))
            try:
                kind.make(folder)
            except StoppedError:
                return
        raise AssertionError(f"{kind.name}: did not come to its parts")

    def read(folder: Path) -> Any:
        kind.make(folder)
        return kind.read(folder)

    return Kind(f"parts of {kind.name}", make, read, ())


def by_name(name: str) -> Kind:
    return next(kind for kind in KINDS if kind.name == name)


def finished(kind: Kind, *without: str) -> Kind:
    """Finished work whose outputs are gone, so that the next run has only what was kept on the way."""

    def make(folder: Path) -> None:
        kind.make(folder)
        for name in without:
            (folder / name).unlink()

    def read(folder: Path) -> Any:
        kind.make(folder)
        return kind.read(folder)

    return Kind(f"what {kind.name} keeps", make, read, ())


DAMAGED = (
    *READ_BACK,
    TRAINED,
    kernel_kind(),
    half_done(by_name("games"), "polars.scan_parquet"),
    half_done(by_name("data set"), "polars.scan_ipc"),
    half_done(by_name("streamed table"), "yatzy.solver.out_of_core.write_tensor_blocks"),
    finished(by_name("sweep"), "sweep.json", "sweep.parquet"),
)


def change(content: bytes, draw: random.Random) -> bytes:
    """The same with one bit, or a few, or the end of it gone."""
    changed = bytearray(content)
    for _ in range(draw.choice([1, 1, 1, 2, 8])):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed[: draw.randrange(len(changed))]) if draw.random() < 0.2 else bytes(changed)


def fault_of(kind: Kind, folder: Path, right: Any) -> str | None:
    """What is wrong about how a damaged thing is read."""
    try:
        found = kind.read(folder)
    except YatzyError as error:
        return f"{error!r} is not one sentence" if "\n" in str(error) else None
    except LookupError:
        return None
    except Exception as error:
        return f"traceback: {error!r}"
    return None if found == right else "used as if nothing had happened"


def mutate(kind: Kind, folder: Path, seed: str, n: int) -> list[tuple[str, str | None]]:
    """Change the thing n times; each file that was changed, and the fault if there is one."""
    use_small_blocks()
    draw = random.Random(seed)
    whole, right_place, hurt = folder / "whole", folder / "right", folder / "hurt"
    kind.make(whole)
    shutil.copytree(whole, right_place)
    right = kind.read(right_place)
    found = []
    for _ in range(n):
        shutil.copytree(whole, hurt)
        name = draw.choice(sorted(name for name, content in contents(whole).items() if content))
        (hurt / name).write_bytes(change((hurt / name).read_bytes(), draw))
        found.append((name, fault_of(kind, hurt, right)))
        shutil.rmtree(hurt)
    return found


class Mutations:
    """Trials in batches, each in a process of its own: one that crashes is a fault like any other."""

    def __init__(self, tally: Tally, draw: random.Random, folder: Path) -> None:
        self.tally, self.draw, self.folder = tally, draw, folder
        self._turn = 0
        folder.mkdir(parents=True)

    def trial(self, most: int = AT_A_TIME) -> int:
        kind = DAMAGED[self._turn % len(DAMAGED)]
        self._turn += 1
        n = min(most, AT_A_TIME)
        place, seed = self.folder / "things", str(self.draw.random())
        place.mkdir()
        ended = forked.run(self._batch(kind, place, seed, n), self.folder / "result")
        what = f"changed bytes in {kind.name}"
        if ended.status:
            told = forked.told(self.folder / "result")[-400:]
            self.tally.count(what, f"crash, status {ended.status}, seed {seed}: {told}", n)
        for name, fault in ended.result or ():
            self.tally.count(what, f"{name}: {fault} (seed {seed})" if fault else None)
        shutil.rmtree(place)
        return n

    def _batch(self, kind: Kind, place: Path, seed: str, n: int) -> Callable[[], Any]:
        return lambda: mutate(kind, place, seed, n)
