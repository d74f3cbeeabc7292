"""Compiled kernels, and a disk cache that notices every change.

Numba keeps a compiled kernel on disk and compiles again when the kernel's own file changes. It does not notice
a change in another file whose functions were compiled into the kernel. Here the stamp of a cached kernel is a
digest of its module and of every module of this package that it leads to, so a kernel may call any other. A file
of the cache that was damaged is compiled again, and all of them are in one place (`home.code_cache`).

This uses private names of Numba. Where they are missing there is no disk cache; nothing else changes.
"""

import hashlib
import pickle
import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from numba import njit

from yatzy.home import PACKAGE, code_cache
from yatzy.running import compiling
from yatzy.turn.machine import COMPILES, read_code, write_code

_IMPORTS = re.compile(r"^\s*from (yatzy[\w.]*) import (\([^)]*\)|[^\n]*)|^\s*import (yatzy[\w.]*)", re.MULTILINE)


def jit(function: Callable[..., Any]) -> Any:
    """A kernel: compiled on its first call, run without the GIL, kept on disk until code it leads to changes."""
    kernel = njit(nogil=True, error_model="numpy")(function)
    if COMPILES:
        _enable_cache(kernel)
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


def _enable_cache(kernel: Any) -> None:
    try:
        kernel._cache = _cache_class()(kernel.py_func)
    except (AttributeError, ImportError, RuntimeError, TypeError):
        return


@lru_cache(maxsize=1)
def _cache_class() -> Any:
    """Numba's own cache with our stamp, in our folder, and with files that carry their checksum."""
    from numba.core import caching

    folder, files = code_cache(), _files_class()

    class Locator(caching.UserProvidedCacheLocator):
        def __init__(self, py_func: Any, py_file: str) -> None:
            self._py_file = py_file
            self._lineno = py_func.__code__.co_firstlineno
            self._cache_path = str(folder / self.get_suitable_cache_subpath(py_file)) if folder else ""

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            return super(caching.UserProvidedCacheLocator, cls).from_function(py_func, py_file) if folder else None

        def get_source_stamp(self) -> str:
            return _stamp_of_file(self._py_file)

    class Keeper(caching.CompileResultCacheImpl):
        _locator_classes = [Locator]  # noqa: RUF012

    class Cache(caching.FunctionCache):
        _impl_class = Keeper

        def __init__(self, py_func: Any) -> None:
            super().__init__(py_func)
            self._cache_file = files(
                self._cache_path, self._impl.filename_base, _stamp_of_file(py_func.__code__.co_filename)
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


def _stamp_of_file(file: str) -> str:
    path = Path(file).resolve()
    if not path.is_relative_to(PACKAGE.resolve()):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    parts = path.relative_to(PACKAGE.resolve()).with_suffix("").parts
    return source_stamp(".".join(("yatzy", *parts)).removesuffix(".__init__"))


@lru_cache(maxsize=256)
def source_stamp(module: str) -> str:
    """A digest of a module's source and of all modules of this package that it imports, directly or not."""
    digest = hashlib.sha256()
    for name in sorted(_leads_to(module)):
        digest.update(f"{name}\n".encode() + _source(name))
    return digest.hexdigest()


def _leads_to(module: str) -> set[str]:
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return found


@lru_cache(maxsize=256)
def _imports(module: str) -> tuple[str, ...]:
    """Modules of this package that a module's import statements name."""
    named: list[str] = []
    for package, names, plain in _IMPORTS.findall(_source(module).decode()):
        if plain:
            named.append(plain)
            continue
        named.append(package)
        # `from package import module` leads to the module too.
        named += [f"{package}.{name}" for name in re.findall(r"\w+", names) if _path(f"{package}.{name}")]
    return tuple(dict.fromkeys(name for name in named if _path(name)))


@lru_cache(maxsize=1024)
def _path(module: str) -> Path | None:
    place = PACKAGE.joinpath(*module.split(".")[1:])
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file
    return None


@lru_cache(maxsize=256)
def _source(module: str) -> bytes:
    file = _path(module)
    return file.read_bytes() if file else b""
