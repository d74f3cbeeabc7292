"""Results of studies as files: what was computed, by which code, and how it compares with what was claimed.

A result file is one JSON object: `study`, `provenance`, `key_figures`, and the fields of the result. It is stale
when its provenance (package version, ruleset, digest of the code) is not what the code at hand would write. The
digest covers the study's module and every module of this package that it imports, however indirectly, without
comments and docstrings: it changes when behaviour may have changed, and not with a better explanation.
"""

import ast
import hashlib
import io
import json
import tokenize
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from yatzy.files import write_whole

PACKAGE = Path(__file__).parents[1]


class Result(Protocol):
    """What a study returns."""

    @property
    def key_figures(self) -> dict[str, float]:
        """The few numbers to show first."""
        ...

    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Claim:
    """A number the seeds state, beside ours; `within` is half a unit of the last digit they give."""

    what: str
    seeds: float
    ours: float
    within: float

    @property
    def agrees(self) -> bool:
        return abs(self.ours - self.seeds) <= self.within

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"agrees": self.agrees}


@dataclass(frozen=True)
class Provenance:
    """Where a result comes from. The first three decide whether it is still good."""

    version: str
    fingerprint: str
    code: str
    rules: str
    seed: int | None
    seconds: float
    threads: int
    date: str

    @property
    def made_by(self) -> tuple[str, str, str]:
        return self.version, self.fingerprint, self.code


def write_result(path: Path, study: str, provenance: Provenance, result: Result) -> None:
    content = {
        "study": study,
        "provenance": asdict(provenance),
        "key_figures": result.key_figures,
        **result.to_json(),
    }
    write_whole(path, json.dumps(content, allow_nan=False, separators=(",", ":")).encode() + b"\n")


def read_result(path: Path) -> tuple[Provenance, dict[str, Any]] | None:
    """A result and where it comes from; None if it is not there or not readable."""
    try:
        content = json.loads(path.read_text())
        return Provenance(**content["provenance"]), content
    except (OSError, ValueError, TypeError, KeyError):
        return None


def code_digest(module: str, data: tuple[str, ...] = ()) -> str:
    """Digest of a module (by its full name), of all it imports from this package, and of data files beside it."""
    digest = hashlib.sha256()
    names = _imported(module)
    for name in sorted(names):
        digest.update(f"{name}\n{_statements(_source_path(name).read_text())}\n".encode())
    for name in data:
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()[:16]


def _source_path(module: str) -> Path:
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _imported(module: str) -> set[str]:
    """The module and every module of this package that it leads to; the package itself only lists the others."""
    found, ahead = {module}, [module]
    while ahead:
        for name in _imports_of(ahead.pop()):
            if name not in found:
                found.add(name)
                ahead.append(name)
    return found


@lru_cache(maxsize=256)
def _imports_of(module: str) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(ast.parse(_source_path(module).read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    ours = (name for name in names if name.startswith(f"{PACKAGE.name}."))
    return tuple(sorted({name for name in ours if _source_path(name).is_file()}))


def _statements(source: str) -> str:
    """The source without comments, docstrings and blank lines, the same under every version of Python."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (int(node.end_lineno or 0) - node.lineno + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip())
