"""Compiled kernels, and a disk cache that notices every change.

Numba keeps a compiled kernel on disk and compiles again when the kernel's own file changes. It does not notice
a change in another file whose functions were compiled into the kernel. Here the stamp of a cached kernel is a
digest of its module and of every module of this package that it leads to, so a kernel may call any other. A file
of the cache that was damaged is compiled again, and all of them are in one place (`home.code_cache`).

This uses private names of Numba. Where they are missing there is no disk cache; nothing else changes.
"""

import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from numba import njit

from yatzy.home import code_cache
from yatzy.running import compiling
from yatzy.turn.machine import COMPILES, read_code, write_code
from yatzy.turn.stamps import stamp_of_file

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
INNER = ".inner"


def jit(function: Callable[..., Any], **options: Any) -> Any:
    """A kernel: compiled on its first call, run without the GIL, kept on disk until code it leads to changes.

    A third of the time to compile goes into what Numba adds for callers from Python: unpacking of every array of
    every argument. Kernels that call this one get a twin without it.
    """
    options = OPTIONS | options
    kernel: Any = njit(**options)(function)
    if COMPILES:
        inner: Any = njit(**options | {"no_cpython_wrapper": True})(function)
        _enable_cache(kernel, "")
        _enable_cache(inner, INNER)
        # What Numba asks of a kernel while it compiles another one that calls it.
        kernel.get_call_template, kernel.get_overload = inner.get_call_template, inner.get_overload
    return kernel


def is_kept(kernel: Any) -> bool:
    """Whether the kernel was compiled before, for whatever types; true where nothing is kept."""
    try:
        return not COMPILES or bool(kernel._cache._cache_file._load_index())
    except AttributeError:
        return True


def _tell_compiling() -> None:
    """Mark `compiling` as under way while Numba compiles, for whoever shows progress."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            compiling.__enter__()

        def on_end(self, event: Any) -> None:
            compiling.__exit__()

    event.register("numba:compile", Listener())


if COMPILES:
    with suppress(AttributeError, ImportError):
        _tell_compiling()


def _enable_cache(kernel: Any, suffix: str) -> None:
    try:
        kernel._cache = _cache_class()(kernel.py_func, suffix)
    except (AttributeError, ImportError, RuntimeError, StopIteration, TypeError):
        return


@lru_cache(maxsize=1)
def _cache_class() -> Any:
    """Numba's own cache with our stamp, in our folder, and with files that carry their checksum."""
    from numba.core import caching

    folder, files = code_cache(), _files_class()
    # Its name in Numba 0.61 begins with an underscore.
    names = ("UserProvidedCacheLocator", "_UserProvidedCacheLocator")
    located: Any = next(getattr(caching, name) for name in names if hasattr(caching, name))

    class Locator(located):
        def __init__(self, py_func: Any, py_file: str) -> None:
            self._py_file = py_file
            self._lineno = py_func.__code__.co_firstlineno
            self._cache_path = str(folder / self.get_suitable_cache_subpath(py_file)) if folder else ""

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            return super(located, cls).from_function(py_func, py_file) if folder else None

        def get_source_stamp(self) -> str:
            return stamp_of_file(self._py_file)

    class Keeper(caching.CompileResultCacheImpl):
        _locator_classes = [Locator]  # noqa: RUF012

    class Cache(caching.FunctionCache):
        _impl_class = Keeper

        def __init__(self, py_func: Any, suffix: str) -> None:
            super().__init__(py_func)
            self._cache_file = files(
                self._cache_path, self._impl.filename_base + suffix, stamp_of_file(py_func.__code__.co_filename)
            )

    return Cache


def _files_class() -> Any:
    """Numba's own files, with checksums."""
    from numba.core import caching

    class Files(caching.IndexDataCacheFile):
        """A file that is not what was written counts as not there; one that cannot be written is not kept.

        Code says what it was compiled from: the index is written before the code it names, and by several
        processes at once, so what it names may be code of older sources or for other types.
        """

        def save(self, key: Any, data: Any) -> None:
            super().save(key, (self._source_stamp, key, data))

        def load(self, key: Any) -> Any:
            found = super().load(key)
            return found[2] if found is not None and found[:2] == (self._source_stamp, key) else None

        def _load_index(self) -> Any:
            try:
                version, stamp, overloads = pickle.loads(read_code(Path(self._index_path)) or b"")
            except Exception:
                # Not there, damaged, or of another version of Numba.
                return {}
            return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

        def _save_index(self, overloads: Any) -> None:
            write_code(Path(self._index_path), self._dump((self._version, self._source_stamp, overloads)))

        def _load_data(self, name: str) -> Any:
            content = read_code(Path(self._data_path(name)))
            if content is None:
                raise OSError(f"{name}: is damaged")
            return pickle.loads(content)

        def _save_data(self, name: str, data: Any) -> None:
            write_code(Path(self._data_path(name)), self._dump(data))

    return Files
