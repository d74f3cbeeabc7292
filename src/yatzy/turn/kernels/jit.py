"""Compiled kernels, cached on disk by Numba in a folder named after the digest of their sources.

Numba recompiles a kernel when its own file changes, but not when functions of other files that were compiled into
it do. So `numba.config.CACHE_DIR` is set to a folder for the digest of the kernel's module and all modules below
it (`source_digest`). Numba trusts what it finds there: one process at a time saves, and what it saved is sealed.
Files that were changed are deleted before Numba looks at them.
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

# Decorated functions keep their type.
Kernel = TypeVar("Kernel", bound=Callable[..., Any])
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_settings: Any = numba.config
SEAL = "seal.json"
# Digests kept per module, so that going back to the previous sources compiles nothing.
STATES_KEPT = 3


def jit(function: Kernel, **options: Any) -> Kernel:
    """A kernel, compiled on its first call, run without the GIL, cached on disk until its sources change."""
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
    """A function that only kernels call, compiled into each of them; for Python it stays plain Python.

    It has no entry point that unpacks arguments from Python, which saves a fifth of the compilation time.
    """
    return register_jitable(error_model="numpy", no_cfunc_wrapper=True)(function)


def _compile(compiles: Callable[[Any], Any], types: Any) -> Any:
    """Compile a kernel for these types; if it cannot be saved, as on a full disk, it is kept in memory."""
    try:
        return compiles(types)
    except OSError:
        return compiles(types)


def is_kept(kernel: Any) -> bool:
    """Whether the kernel is cached for any types; true if nothing is cached."""
    folder = kernel_folder(kernel.py_func.__code__.co_filename) if COMPILES else None
    return folder is None or any(folder.rglob(f"*.{kernel.__name__}-*"))


@cache
def kernel_folder(file: str) -> Path | None:
    """The folder with the cached kernels of a file, without changed files; None if nothing is cached.

    The digest includes the file's time and size and Numba's version, with which Numba starts a new index: it would
    mistake old files beside a new index for those that it names.
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
    """Delete the cached files of a folder unless all of them are as sealed."""
    if not _is_sound(folder):
        with writer_lock(folder):
            if not _is_sound(folder):
                for one in _saved(folder):
                    one.unlink(missing_ok=True)


def seal_kernels(folder: Path) -> None:
    """Seal the cached files of a folder."""
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
    """Locks the folder while Numba saves a kernel: after compiling it and before releasing the compiler lock."""

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
        """What this thread is saving: the depth of the compiler lock, the folder, and its lock."""
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
