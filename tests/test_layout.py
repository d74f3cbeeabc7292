"""What the source tree promises a reader: names that say something, and packages that say what they are."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import yatzy

SOURCE = Path(yatzy.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
ERRORS = {"YatzyError", "TableError", "SealError", "WriteError", "UnknownPolicyError"}


def name_of(path):
    return str(path.relative_to(SOURCE))


@cache
def source_of(path):
    return path.read_text()


@cache
def nodes_of(path):
    """The module and every node inside, for all tests."""
    return list(ast.walk(ast.parse(source_of(path))))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_is_a_drawer_for_everything(path):
    names = {*path.relative_to(SOURCE).with_suffix("").parts}
    assert not names & {"utils", "util", "helpers", "core", "common", "misc"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_it_is(path):
    assert ast.get_docstring(nodes_of(path)[0])


def test_every_folder_with_modules_is_a_package():
    assert {path.parent for path in MODULES} == {path.parent for path in SOURCE.rglob("__init__.py")}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_function_fits_on_a_screen(path):
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.body[0].lineno < 60, node.name


def test_the_state_after_an_outcome_is_computed_in_one_place():
    """Kernels and NumPy use `turn.outcomes.after`; only twins of `bench` and an independent checker do not."""
    pattern = re.compile(r"\| *(\(?1 << |bits\b)")
    found = {name_of(path) for path in MODULES if pattern.search(source_of(path))}
    assert found - {"lab/bench/twins.py", "measure/check_exact.py"} == {"turn/outcomes.py"}


def test_there_is_one_walk_back_and_one_walk_forward():
    """The passes of the die lattice are run by `turn`."""
    users = {
        name_of(path)
        for path in MODULES
        if re.search(r"\bfold\([\w.]+, (\w+\.)*(best|choose|mean|spread)\)", source_of(path))
    }
    assert users == {"turn/values.py", "turn/kernels/decisions.py", "turn/probability.py"}


def module_of(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path):
    """Modules of ours that this one imports, at its top or anywhere inside; not only for type checkers."""
    nodes = nodes_of(path)
    typing_only = {
        node
        for block in nodes
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in nodes:
        if isinstance(node, ast.Import) and node not in typing_only:
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == "yatzy")
        elif isinstance(node, ast.ImportFrom) and node not in typing_only and node.module:
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                yield inside if inside in BY_NAME else node.module


BY_NAME = {module_of(path): path for path in MODULES}


def test_no_import_comes_back_to_where_it_started():
    """Not even inside a function, where it would hide that two modules are one."""
    # Packages only show what is inside.
    shown = {module_of(path) for path in MODULES if path.name == "__init__.py"} | {"yatzy.__main__"}
    below = {
        name: {one for one in imported(path) if one in BY_NAME and one not in shown}
        for name, path in BY_NAME.items()
        if name not in shown
    }
    while ready := [name for name, needs in below.items() if not needs & below.keys()]:
        for name in ready:
            del below[name]
    assert not below, f"modules that need each other: {sorted(below)}"


HOW = {"home", "folder", "threads", "progress", "notice", "report", "runner", "engine", "scheduler"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_how_to_work_is_told_by_one_context(path):
    """Only commands, whose options these are, and the one function that makes a context of them, name several."""
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = {argument.arg for argument in [*node.args.args, *node.args.kwonlyargs]}
            is_command = name_of(path).startswith("cli/") and ("json" in names or node.name == "context_of")
            assert is_command or len(names & HOW) < 3, node.name


def kernels(path):
    """Functions that are compiled."""
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef) and any(
            getattr(one, "id", "") in {"jit", "jittable", "fused"} for one in node.decorator_list
        ):
            yield node


def test_kernels_are_compiled_by_one_jit_and_take_few_arguments():
    users = {
        name_of(path) for path in MODULES if re.search(r"\bn?jit\b.*\bnumba\b|numba.*\bn?jit\b", source_of(path))
    }
    assert users == {"turn/kernels/jit.py"}
    found = {f"{name_of(path)}:{one.name}": len(one.args.args) for path in MODULES for one in kernels(path)}
    assert len(found) > 100
    assert {name: n for name, n in found.items() if n > 10} == {}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_errors_are_values_not_sentences(path):
    """A field alone says nothing: what was given, what is allowed or what is wrong with it stands beside it."""
    for node in nodes_of(path):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS:
            assert len(node.args) + len(node.keywords) > 1 or isinstance(node.args[0], ast.Starred), node.lineno
