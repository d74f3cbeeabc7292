"""Stamps of source code: a digest of a module and of every module of this package that it leads to.

Compiled code that carries its stamp is made again when anything below it changes, and only then.
"""

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from yatzy.home import PACKAGE

_IMPORTS = re.compile(r"^\s*from (yatzy[\w.]*) import (\([^)]*\)|[^\n]*)|^\s*import (yatzy[\w.]*)", re.MULTILINE)


def stamp_of_file(file: str) -> str:
    """The stamp of the module in a file; a file from elsewhere stands for itself."""
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
