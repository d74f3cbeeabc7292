"""A digest of a module's source and of every module of this package that it imports, directly or not.

Compiled kernels and parts of unfinished work are kept under the digest of the module that makes them, so they are
made again exactly when something below it changes. Imports are found by reading the source, wherever they stand; a
string "yatzy.module:Name" counts as one. (grimp finds the same, as a test checks, but is twenty times slower.)
"""

import hashlib
import re
from functools import cache
from pathlib import Path

from yatzy.storage import PACKAGE

_IMPORTS = re.compile(
    r"^\s*from (yatzy[\w.]*) import (\([^)]*\)|[^\n]*)|^\s*import (yatzy[\w.]*)|[\"'](yatzy\.[\w.]+):\w+[\"']",
    re.MULTILINE,
)


@cache
def source_digest(module: str) -> str:
    """The digest of a module of this package, or of a single file elsewhere."""
    digest = hashlib.sha256()
    for name in sorted(modules_below(module)):
        digest.update(f"{name}\n".encode() + _source(name))
    return digest.hexdigest()


def modules_below(module: str) -> set[str]:
    """The module and all modules of this package that it imports, directly or not."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return found


def module_of(file: str | Path) -> str:
    """The name of the module in a file; the path itself if it is not in this package."""
    path, package = Path(file).resolve(), PACKAGE.resolve()
    if not path.is_relative_to(package):
        return str(path)
    return ".".join(("yatzy", *path.relative_to(package).with_suffix("").parts)).removesuffix(".__init__")


@cache
def _imports(module: str) -> tuple[str, ...]:
    named: list[str] = []
    for package, names, plain, address in _IMPORTS.findall(_source(module).decode()):
        # `from package import module` leads to the module too.
        named += [plain or address or package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))]
    return tuple(name for name in dict.fromkeys(named) if _file(name))


@cache
def _file(module: str) -> Path | None:
    if module.startswith("yatzy"):
        place = PACKAGE.joinpath(*module.split(".")[1:])
        files = (place.with_suffix(".py"), place / "__init__.py")
    else:
        files = (Path(module), Path(module))
    return next((file for file in files if file.is_file()), None)


@cache
def _source(module: str) -> bytes:
    file = _file(module)
    return file.read_bytes() if file else b""
