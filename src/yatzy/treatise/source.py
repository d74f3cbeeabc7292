"""Code in the treatise is the code that runs: functions are quoted from their modules, never copied."""

import ast
from pathlib import Path

from yatzy.errors import YatzyError

PACKAGE = Path(__file__).parents[1]


def source_of(module: str, name: str) -> str:
    """The source of a function, class or method as a fenced block: ("dice.lattice", "Lattice.added")."""
    path = PACKAGE.joinpath(*module.split(".")).with_suffix(".py")
    if not path.is_file():
        raise YatzyError("source", module, why="is no module of yatzy")
    text = path.read_text()
    node: ast.AST = ast.parse(text)
    for part in name.split("."):
        inside = (child for child in ast.iter_child_nodes(node) if getattr(child, "name", None) == part)
        found = next(inside, None)
        if found is None:
            raise YatzyError("source", why=f"{module} has no {name!r}")
        node = found
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])  # type: ignore[attr-defined]
    lines = text.splitlines()[first - 1 : node.end_lineno]  # type: ignore[attr-defined]
    indent = len(lines[0]) - len(lines[0].lstrip())
    code = "\n".join(line[indent:] for line in lines)
    return f"```python\n# yatzy/{module.replace('.', '/')}.py\n{code}\n```"
