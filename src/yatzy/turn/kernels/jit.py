"""Compiled kernels, kept on disk by Numba in a folder for each state of their sources.

Numba compiles again when a kernel's own file changes, not when one does whose functions were compiled into the
kernel. So `numba.config.CACHE_DIR` names another folder as soon as the module of the kernel or anything below it
is another (`source_digest`). Numba trusts what it finds there: one process at a time saves, and what it has saved
is sealed. Files that are not as sealed are deleted before Numba looks at them, and compiled again.
"""

import os
import shutil
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import njit
from numba.core import event
from numba.extending import register_jitable

from yatzy.context import compiling
from yatzy.errors import YatzyError
from yatzy.sealed import digest_of, match_seal, seal_files
from yatzy.source_digest import module_of, source_digest
from yatzy.storage import code_cache, writer_lock
from yatzy.turn.kernels.llvm import COMPILES

# What is decorated keeps its type.
Kernel = TypeVar("Kernel", bound=Callable[..., Any])
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_settings: Any = numba.config
SEAL = "seal.json"
# How many states of a module's sources are kept: going back to the last one compiles nothing.
STATES_KEPT = 3


def jit(function: Kernel, **options: Any) -> Kernel:
    """A kernel: compiled on its first call, run without the GIL, kept on disk until code it leads to changes."""
    folder = kernel_folder(function.__code__.co_filename) if COMPILES else None
    before = _settings.CACHE_DIR
    _settings.CACHE_DIR = str(folder or before)
    try:
        kernel = njit(**OPTIONS | options, cache=folder is not None)(function)
    finally:
        _settings.CACHE_DIR = before
    if folder is not None:
        kernel.compile = partial(_compile, kernel.compile)
    return cast("Kernel", kernel)


def jittable(function: Kernel) -> Kernel:
    """For what only kernels call: compiled with each of them, plain Python for Python.

    Without what unpacks every array of every argument for callers from Python, a kernel compiles in four fifths of
    the time.
    """
    return register_jitable(error_model="numpy", no_cfunc_wrapper=True)(function)


def _compile(compiles: Callable[[Any], Any], types: Any) -> Any:
    """Compile a kernel for these types; where it cannot be saved, as on a full disk, it is there in memory."""
    try:
        return compiles(types)
    except OSError:
        return compiles(types)


def is_kept(kernel: Any) -> bool:
    """Whether the kernel was compiled before, for whatever types; true where nothing is kept."""
    folder = kernel_folder(kernel.py_func.__code__.co_filename) if COMPILES else None
    return folder is None or any(folder.rglob(f"*.{kernel.__name__}-*"))


@cache
def kernel_folder(file: str) -> Path | None:
    """Where the compiled kernels of a file are kept, without what was not saved there; None for nowhere.

    Numba begins its index anew when the file has another time or size, or Numba another version: that is another
    folder too, because what is left beside a new index would be taken for what it names.
    """
    root, path = code_cache(), Path(file)
    if root is None or not path.is_file():
        return None
    module, found = module_of(path), path.stat()
    digest = digest_of(source_digest(module), str(path), found.st_mtime_ns, found.st_size, numba.__version__)
    kernels = root / "kernels" / module.removeprefix("yatzy.").removesuffix(".py").replace(os.sep, ".").strip(".")
    folder = kernels / digest
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _remove_all_but_newest(kernels)
        drop_unsealed(folder)
    except (OSError, YatzyError):
        return None
    return folder


def drop_unsealed(folder: Path) -> None:
    """Delete what is saved in a folder unless all of it is as it was sealed."""
    if not _is_sound(folder):
        with writer_lock(folder):
            if not _is_sound(folder):
                for one in _saved(folder):
                    one.unlink(missing_ok=True)


def seal_kernels(folder: Path) -> None:
    """Keep the checksums of what is saved in a folder."""
    seal_files(folder / SEAL, _saved(folder))


def _saved(folder: Path) -> list[Path]:
    return sorted(one for one in folder.rglob("*.nb[ic]") if one.is_file())


def _is_sound(folder: Path) -> bool:
    saved = _saved(folder)
    return not saved or match_seal(folder / SEAL, saved)


def _remove_all_but_newest(kernels: Path) -> None:
    states = sorted((one for one in kernels.iterdir() if one.is_dir()), key=lambda one: one.stat().st_mtime)
    for old in states[:-STATES_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


class _Saving(event.Listener):
    """Numba saves a kernel after it has compiled it and before it gives back its lock."""

    def __init__(self) -> None:
        self._here = threading.local()

    def on_start(self, event: Any) -> None:
        if event.kind == "numba:compile":
            compiling.__enter__()
        else:
            self._here.depth = self._depth + 1

    def on_end(self, event: Any) -> None:
        if event.kind == "numba:compile":
            compiling.__exit__()
            self._begin(event.data["dispatcher"])
        else:
            self._here.depth = self._depth - 1
            self._finish()

    @property
    def _depth(self) -> int:
        return getattr(self._here, "depth", 0)

    @property
    def _open(self) -> list[tuple[int, Path, AbstractContextManager[None]]]:
        """What this thread is saving: at what depth of the lock, into which folder, and who else waits for it."""
        if not hasattr(self._here, "open"):
            self._here.open = []
        found: list[tuple[int, Path, AbstractContextManager[None]]] = self._here.open
        return found

    def _begin(self, kernel: Any) -> None:
        folder = Path(kernel.stats.cache_path).parent if kernel.stats.cache_path else None
        if folder and folder.parent.parent == (code_cache() or folder) / "kernels":
            with suppress(YatzyError):
                lock = writer_lock(folder)
                lock.__enter__()
                self._open.append((self._depth, folder, lock))

    def _finish(self) -> None:
        while self._open and self._open[-1][0] > self._depth:
            _, folder, lock = self._open.pop()
            with suppress(YatzyError, OSError):
                seal_kernels(folder)
            lock.__exit__(None, None, None)


if COMPILES:
    _saving = _Saving()
    for _kind in ("numba:compile", "numba:compiler_lock"):
        event.register(_kind, _saving)
