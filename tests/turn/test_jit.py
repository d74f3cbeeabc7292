"""The cache of kernels sees a change in any module that a kernel's module leads to, and no other change."""

import ast
import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

import yatzy
from yatzy.turn.kernels import jit as caching

CALLER = """
from yatzy.turn.kernels.jit import jit
from yatzy.turn.probe_called import add
@jit
def kernel(x):
    return add(x) * 2
if __name__ == "__main__":
    from yatzy.turn.probe_caller import kernel
    print(kernel(3.0), sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values()))
"""
CALLED = """
from yatzy.turn.kernels.jit import jittable
@jittable
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
    # Python takes a file of the same size, written in the same second, for the one that it has compiled.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
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
    unrelated = copy / "measure" / "exact.py"
    unrelated.write_text(unrelated.read_text() + "\nUNRELATED = 1\n")
    assert run(copy, ask) == "26.0 1 0"


@pytest.mark.compiled
def test_the_last_states_of_the_sources_are_kept(copy: Path, tmp_path: Path) -> None:
    """Going back to the one before compiles nothing; older ones are deleted."""
    ask, called = ["-m", "yatzy.turn.probe_caller"], copy / "turn" / "probe_called.py"
    last = called.read_text()
    for number in range(2, 6):
        called.write_text(CALLED.replace("x + 1", f"x + {number}"))
        assert run(copy, ask, tmp_path) == f"{2.0 * (3 + number)} 0 1"
    states = [folder for folder in (tmp_path / "kernels" / "turn.probe_caller").iterdir() if folder.is_dir()]
    assert len(states) == caching.STATES_KEPT
    called.write_text(CALLED.replace("x + 1", "x + 4"))
    assert run(copy, ask, tmp_path) == "14.0 1 0"
    called.write_text(last)


def _twice(x: int) -> int:
    return 2 * x


def test_a_function_that_only_kernels_call_is_plain_for_python() -> None:
    twice = caching.jittable(_twice)
    assert twice is _twice
    assert caching.jit(lambda x: twice(twice(x)))(3) == 12


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
@pytest.mark.parametrize("killed", ["before anything", "after the index", "before the seal"])
def test_code_is_only_taken_if_it_was_saved_whole(copy: Path, tmp_path: Path, killed: str) -> None:
    """Numba writes its index, then the code: killed between, it ran what had that name before."""
    ask = ["-m", "yatzy.turn.probe_caller"]
    answer = run(copy, ask, tmp_path).split()[0]
    (index,), (code,), (seal,) = (
        list(tmp_path.rglob(name)) for name in ("*.nbi", "*.nbc", "turn.probe_caller/*/seal.json")
    )
    if killed == "before anything":
        index.unlink()
    elif killed == "after the index":
        code.unlink()
    else:
        seal.unlink()
    assert run(copy, ask, tmp_path) == f"{answer} 0 1"
    assert run(copy, ask, tmp_path) == f"{answer} 1 0"


# Each has read the index before either writes its own, unless one waits for the other.
SAVE_SLOWLY = """
import sys, time
from numba.core.caching import IndexDataCacheFile as File
save_index = File._save_index
File._save_index = lambda self, overloads: (time.sleep(2), save_index(self, overloads))
from yatzy.turn.probe_caller import kernel
print("ready", flush=True)
sys.stdin.readline()
kernel(TYPE(3))
"""
THEN = """
from yatzy.turn.probe_caller import kernel
print(kernel(3), kernel(3.0), sum(kernel.stats.cache_hits.values()))
"""


@pytest.mark.compiled
def test_two_processes_may_compile_at_once(copy: Path, tmp_path: Path) -> None:
    """Numba's index forgot one of them, and code for one type was run for another."""
    (copy / "turn" / "probe_called.py").write_text(CALLED)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")}
    environment |= {"PYTHONPATH": str(copy.parent), "NUMBA_CACHE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", SAVE_SLOWLY.replace("TYPE", name)],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for name in ("int", "float")
    ]  # fmt: skip
    for process in started:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    for process in started:
        process.communicate()
        assert process.returncode == 0
    assert run(copy, ["-c", THEN], tmp_path) == "8 8.0 2"


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


def test_python_calls_kernels_and_kernels_call_what_only_they_need() -> None:
    """A function for kernels alone would run as plain Python, slowly, if Python called it."""
    source = Path(yatzy.__file__).parent
    trees = {f"yatzy.{'.'.join(path.relative_to(source).with_suffix('').parts)}": ast.parse(path.read_text())
             for path in source.rglob("*.py")}  # fmt: skip
    kinds = {
        (module, node.name): decorator.id
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Name) and decorator.id in ("jit", "jittable")
    }
    assert len(set(kinds.values())) == 2
    wrong = []
    for module, tree in trees.items():
        known = {name: (owner, name) for owner, name in kinds if owner == module}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                of = {(node.module, alias.name): alias.asname or alias.name for alias in node.names}
                known |= {name: one for one, name in of.items() if one in kinds}
        for top in tree.body:
            in_kernel = isinstance(top, ast.FunctionDef) and (module, top.name) in kinds
            called = {node.id for node in ast.walk(top) if isinstance(node, ast.Name) and node.id in known}
            wrong += [(module, name) for name in called if (kinds[known[name]] == "jittable") is not in_kernel]
    assert wrong == []
