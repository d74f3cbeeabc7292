"""How docs/ becomes a site (mkdocs.yml).

Pages beside this folder join it. In reference.md, `::: yatzy.solve` is what the package calls so, wherever it is
defined. Examples in docstrings stay examples.
"""

import ast
import re
from pathlib import Path
from typing import Any

from griffe import Extension
from mkdocs.structure.files import File
from pygments.formatters import HtmlFormatter

ROOT = Path(__file__).parents[1]
# Pages at the top of the repository, and what they are called in the site.
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "SECURITY.md": "SECURITY.md",
    "CHANGELOG.md": "CHANGELOG.md",
}
PACKAGES = {"yatzy": ROOT / "src/yatzy/__init__.py", "yatzy.gym": ROOT / "src/yatzy/gym/__init__.py"}
LINK = re.compile(r"\]\((?:docs/|\.\./)?([^)\s:]+)\)")
DIRECTIVE = re.compile(r"^::: (\S+)\.(\w+)$", re.MULTILINE)
EXAMPLE = re.compile(r"^>>> (?:.*\n?)+?(?=\n|\Z)", re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages from outside, and the colours of code."""
    for source, name in OUTSIDE.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text(encoding="utf-8")))
    files.append(File.generated(config, "colours.css", content="\n".join(map(_colours, ("light", "dark")))))
    return files


def _colours(mode: str) -> str:
    style = HtmlFormatter(style={"light": "default", "dark": "github-dark"}[mode])
    return style.get_style_defs(f'[data-bs-theme="{mode}"] .highlight')


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links as they are once all pages lie in one folder, and public names where they are defined."""
    return DIRECTIVE.sub(_defined, LINK.sub(_moved, markdown))


def _moved(found: re.Match[str]) -> str:
    path, _, anchor = found[1].partition("#")
    return f"]({OUTSIDE.get(path, path)}{'#' + anchor if anchor else ''})"


def _defined(found: re.Match[str]) -> str:
    package, name = found[1], found[2]
    home = homes(PACKAGES[package])[name] if package in PACKAGES else f"{package}.{name}"
    return f"::: {home}\n    options:\n      heading: {package}.{name}\n      toc_label: {name}\n"


def homes(source: Path) -> dict[str, str]:
    """Where each name is defined that a package imports, and what it is called there."""
    imports = [node for node in ast.walk(ast.parse(source.read_text())) if isinstance(node, ast.ImportFrom)]
    names = [(node.module, alias) for node in imports for alias in node.names if node.module]
    return {alias.asname or alias.name: f"{module}.{alias.name}" for module, alias in names}


class Examples(Extension):
    """A run of `>>>` lines, with what it prints, is code; Markdown alone would make quotations of it."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of any object before it is rendered."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """The docstring with its examples between fences."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", docstring)
