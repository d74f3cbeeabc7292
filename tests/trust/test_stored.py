"""Whatever fails, at any step, for any kind of stored thing: nothing is lost, half written or wrong."""

import errno
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trust.mutations import DAMAGED, mutate
from trust.stored import KINDS, READ_BACK, Kind, contents, seeded
from yatzy.errors import YatzyError
from yatzy.lab.training import data as training_data
from yatzy.measure import simulate as simulating
from yatzy.players.library import find_chart, find_list, load_chart, save_chart
from yatzy.players.model import load_model, save_model, shipped_file
from yatzy.players.rule_list import load_list, save_list
from yatzy.storage import WriteError

# It all runs as plain Python too, which takes many times as long and sees nothing more.
pytestmark = pytest.mark.compiled

MUTATIONS = 24
LEFT = (".half", ".gone", ".lock")


class Kill(BaseException):
    """What a kill looks like from inside, but for the handlers that still run."""


opens = os.open


class Faults:
    """Counts every flush, rename, temporary file and write, and fails at one of them."""

    STEPS = ((os, "fsync"), (os, "replace"), (os, "open"), (tempfile, "mkstemp"), (Path, "write_bytes"))

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count, self.at, self.error = 0, -1, None
        for owner, name in self.STEPS:
            patch.setattr(owner, name, self._wrap(getattr(owner, name)))

    def _wrap(self, function: Any) -> Any:
        def step(*arguments: Any, **named: Any) -> Any:
            if function is opens and not arguments[1] & (os.O_WRONLY | os.O_RDWR):
                return function(*arguments, **named)  # reading, which no full disk stops
            self.count += 1
            if self.count == self.at and self.error is not None:
                raise self.error
            return function(*arguments, **named)

        return step

    def arm(self, at: int, error: BaseException | None) -> None:
        self.count, self.at, self.error = 0, at, error


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name.replace(" ", "-"))
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long work in several parts."""
    monkeypatch.setattr(simulating, "GAMES_PER_BLOCK", 16)
    monkeypatch.setattr(training_data, "GAMES_PER_BLOCK", 16)


def test_the_same_bytes_every_time(kind: Kind, tmp_path: Path) -> None:
    for name in ("a", "b"):
        kind.make(tmp_path / name)
    made = {name: contents(tmp_path / name) for name in ("a", "b")}
    if kind.name == "sweep":  # a point tells its seconds
        assert made["a"].keys() == made["b"].keys()
    else:
        assert made["a"] == made["b"]
    assert set(kind.files) <= made["a"].keys()


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), Kill()], ids=["full", "kill"])
def test_a_fault_at_any_step(
    kind: Kind, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thing is there and right, or not there; the next run makes it right; nothing half stays."""
    kind.make(tmp_path / "right")
    right = kind.read(tmp_path / "right")
    faults = Faults(monkeypatch)
    faults.arm(-1, None)
    kind.make(tmp_path / "count")
    steps = faults.count
    assert steps >= 3
    for at in range(1, steps + 1):
        folder = tmp_path / f"{at}"
        folder.mkdir()
        faults.arm(at, error)
        try:
            kind.make(folder)
        except WriteError as told:
            assert "cannot be written (No space left on device)" in str(told)  # noqa: PT017
        except Kill:
            pass
        faults.arm(-1, None)
        assert [name for name in contents(folder) if name.endswith(LEFT)] == []
        if all((folder / name).exists() for name in kind.files):
            assert kind.read(folder) == right
        kind.make(folder)
        assert kind.read(folder) == right
        assert [name for name in contents(folder) if name.endswith(LEFT) or ".parts/" in name] == []


@pytest.mark.parametrize("kind", READ_BACK, ids=lambda kind: kind.name.replace(" ", "-"))
def test_a_changed_byte_is_never_used(kind: Kind, tmp_path: Path) -> None:
    """Refused in one sentence, or made again."""
    kind.make(tmp_path)
    right, file = kind.read(tmp_path), tmp_path / kind.files[0]
    content = file.read_bytes()
    random = seeded(1)
    for place in [*random.integers(0, len(content), MUTATIONS), 0, len(content) - 1]:
        changed = bytearray(content)
        changed[place] ^= 1 << int(random.integers(0, 8))
        file.write_bytes(changed)
        _refused_or_right(kind, tmp_path, right)
    for length in (0, 1, 7, 8, 9, len(content) // 2, len(content) - 1):
        file.write_bytes(content[:length])
        _refused_or_right(kind, tmp_path, right)


@pytest.mark.parametrize("kind", DAMAGED[len(READ_BACK) + 1 :], ids=lambda kind: kind.name.replace(" ", "-"))
def test_what_the_long_run_changes(kind: Kind, tmp_path: Path) -> None:
    """A few of its trials: cached code, and work that goes on from what it kept."""
    assert [fault for _, fault in mutate(kind, tmp_path, "few", 5) if fault] == []


def _refused_or_right(kind: Kind, folder: Path, right: Any) -> None:
    try:
        found = kind.read(folder)
    except YatzyError as error:
        assert "\n" not in str(error)  # noqa: PT017
    except LookupError:
        pass
    else:
        assert found == right


HOSTILE = "evil\x1b[31mred"


@pytest.mark.parametrize(
    ("load", "save", "find"),
    [
        (load_model, save_model, lambda: load_model(shipped_file("tree-6k"))),
        (load_list, save_list, lambda: find_list("card-20")),
        (load_chart, save_chart, lambda: find_chart("chart-10")),
    ],
    ids=["model", "rule list", "chart"],
)
def test_a_name_with_escape_codes_does_not_reach_the_terminal(
    load: Any, save: Any, find: Any, tmp_path: Path
) -> None:
    """The checksum is right, the name is not."""
    file = save(replace(find(), name=HOSTILE), tmp_path / "hostile.file")
    with pytest.raises(YatzyError, match=r"has a name that cannot be printed$"):
        load(file)
