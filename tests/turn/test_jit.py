"""The cache of kernels sees a change in any module that a kernel's module leads to, and no other change."""

import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

import yatzy
from yatzy.turn import jit as caching

CALLER = """
from yatzy.turn.jit import jit
from yatzy.turn.probe_called import add
@jit
def kernel(x):
    return add(x) * 2
if __name__ == "__main__":
    from yatzy.turn.probe_caller import kernel
    print(kernel(3.0), sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values()))
"""
CALLED = """
from yatzy.turn.jit import jit
@jit
def add(x):
    return x + 1
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with two kernels more: one calls the other, in another file."""
    package = tmp_path_factory.mktemp("copy") / "yatzy"
    ignore = shutil.ignore_patterns("__pycache__", "lists", "models", "chapters")
    shutil.copytree(Path(yatzy.__file__).parent, package, ignore=ignore)
    (package / "turn" / "probe_caller.py").write_text(CALLER)
    (package / "turn" / "probe_called.py").write_text(CALLED)
    return package


def run(copy: Path, code: list[str], cache: Path | None = None) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")}
    environment["PYTHONPATH"] = str(copy.parent)
    if cache:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    ended = subprocess.run([sys.executable, *code], env=environment, capture_output=True, text=True, check=True)
    return ended.stdout.strip()


@pytest.mark.compiled
def test_a_kernel_is_compiled_again_when_what_it_calls_has_changed(copy: Path) -> None:
    """Numba's own cache left the old number: it looks at the kernel's file alone."""
    ask = ["-m", "yatzy.turn.probe_caller"]
    assert run(copy, ask) == "8.0 0 1"
    assert run(copy, ask) == "8.0 1 0"
    (copy / "turn" / "probe_called.py").write_text(CALLED.replace("x + 1", "x + 10"))
    assert run(copy, ask) == "26.0 0 1"
    unrelated = copy / "evaluate" / "exact.py"
    unrelated.write_text(unrelated.read_text() + "\nUNRELATED = 1\n")
    assert run(copy, ask) == "26.0 1 0"


def test_the_stamp_of_a_real_kernel_covers_what_it_leads_to(copy: Path) -> None:
    ask = ["-c", "from yatzy.turn.stamps import source_stamp; print(source_stamp('yatzy.evaluate.regret'))"]
    before = run(copy, ask)
    for file, changes in (("treatise/site.py", False), ("studies/bonus.py", False), ("turn/lanes.py", True)):
        path = copy / file
        path.write_text(path.read_text() + "\n# another line\n")
        assert (run(copy, ask) != before) is changes, file


def test_without_the_private_names_of_numba_nothing_is_kept_and_all_works(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise AttributeError("CompileResultCacheImpl")

    monkeypatch.setattr(caching, "_cache_class", missing)
    assert caching.jit(_twice)(4) == 8


def _twice(x: int) -> int:
    return 2 * x


@pytest.mark.compiled
@pytest.mark.parametrize("first", ["kernel", "Python"])
def test_a_kernel_called_by_another_is_ready_for_python_too(first: str) -> None:
    """The twin that other kernels call cannot be called from Python: that would end the process."""
    twice = caching.jit(_twice)
    four_times = caching.jit(lambda x: twice(twice(x)))
    if first == "Python":
        assert twice(3) == 6
    assert four_times(3) == 12
    assert len(twice.signatures) == (first == "Python")
    assert twice(4) == 8


@pytest.mark.compiled
def test_a_damaged_file_of_the_cache_is_compiled_again(copy: Path, tmp_path: Path) -> None:
    """An empty index ended every command for ever, and a flipped bit in compiled code was run.

    One damage after the other: each run mends what the next one finds.
    """
    ask = ["-m", "yatzy.turn.probe_caller"]
    answer = run(copy, ask, tmp_path).split()[0]
    for damage, kind in product(("empty", "half", "flipped"), (".nbi", ".nbc")):
        files = [file for file in tmp_path.rglob("*") if file.suffix == kind]
        assert files
        for file in files:
            content = file.read_bytes()
            assert content
            changed = bytearray(content)
            changed[len(changed) * 2 // 3] ^= 16
            half = content[: len(content) // 2]
            file.write_bytes({"empty": b"", "half": half, "flipped": bytes(changed)}[damage])
        assert run(copy, ask, tmp_path) == f"{answer} 0 1", (damage, kind)
    assert run(copy, ask, tmp_path) == f"{answer} 1 0"


@pytest.mark.compiled
def test_code_is_only_taken_for_what_it_was_compiled_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba writes its index, then the code: killed between, or beside another process, it ran other code."""

    class Kill(BaseException):
        pass

    def kill(*_arguments: object) -> None:
        raise Kill

    files = type(caching._cache_class()(_twice, "")._cache_file)
    old, new = (files(str(tmp_path), "kernel", stamp) for stamp in ("old sources", "new sources"))
    old.save("float64", "old code")
    assert old.load("float64") == "old code"
    with monkeypatch.context() as patch:
        patch.setattr(files, "_save_data", kill)
        with pytest.raises(Kill):
            new.save("float64", "new code")
    assert new.load("float64") is None
    new.save("float64", "new code")
    assert new.load("float64") == "new code"

    # Another process, which had read the index before that, keeps code for other types under the same name.
    index = Path(new._index_path).read_bytes()
    new._save_index({})
    new.save("int64", "code for int64")
    Path(new._index_path).write_bytes(index)
    assert new.load("float64") is None


@pytest.mark.compiled
def test_where_the_cache_cannot_be_written_it_goes_elsewhere_and_says_so(copy: Path, tmp_path: Path) -> None:
    """A file in place of the folder: even root cannot write there."""
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    environment = {**os.environ, "PYTHONPATH": str(copy.parent), "NUMBA_CACHE_DIR": str(blocked / "cache")}
    environment["TMPDIR"] = str(tmp_path)
    ended = subprocess.run(
        [sys.executable, "-m", "yatzy.turn.probe_caller"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.split()[1:] == ["0", "1"]
    (line,) = ended.stderr.splitlines()
    assert "cannot be written to; compiled code goes to" in line
    assert list(tmp_path.glob("yatzy-*"))
