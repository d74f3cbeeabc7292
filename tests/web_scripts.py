"""Scripts of web/scripts, bundled and run by Node."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from yatzy.site.web import WEB, find_node, install_packages


def run_script(name: str, *arguments: object) -> Any:
    """What web/scripts/<name>.ts prints, read as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        bundled = bundle(name, Path(folder), "node")
        (Path(folder) / "package.json").write_text('{"type": "module"}')
        return json.loads(_run([*find_node().node, str(bundled), *map(str, arguments)]))


def bundle(name: str, folder: Path, platform: str) -> Path:
    """web/scripts/<name>.ts as one script; parts that it loads when it needs them lie beside it."""
    node = find_node()
    install_packages(node, WEB)
    bundler = WEB / "node_modules" / "rolldown" / "bin" / "cli.mjs"
    _run([*node.node, str(bundler), f"scripts/{name}.ts", "-d", str(folder), "--platform", platform])
    return folder / f"{name}.js"


def _run(command: list[str]) -> str:
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
