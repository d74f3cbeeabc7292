"""Scripts of web/scripts, bundled and run by Node."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from yatzy.treatise.web import WEB, find_node, install_packages


def run_script(name: str, *arguments: object) -> Any:
    """What web/scripts/<name>.ts prints, read as JSON."""
    node = find_node()
    install_packages(node, WEB)
    with tempfile.TemporaryDirectory() as folder:
        bundled = Path(folder) / f"{name}.js"
        bundler = WEB / "node_modules" / "rolldown" / "bin" / "cli.mjs"
        # A folder, for scripts that load a part of theirs when they need it.
        _run([*node.node, str(bundler), f"scripts/{name}.ts", "-d", folder, "--platform", "node"])
        (Path(folder) / "package.json").write_text('{"type": "module"}')
        return json.loads(_run([*node.node, str(bundled), *map(str, arguments)]))


def _run(command: list[str]) -> str:
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
