"""What the source tree promises a reader: names that say something, and packages that say what they are."""

import ast
import re
from pathlib import Path

import pytest

import yatzy

SOURCE = Path(yatzy.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))


def name_of(path):
    return str(path.relative_to(SOURCE))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_is_a_drawer_for_everything(path):
    names = {*path.relative_to(SOURCE).with_suffix("").parts}
    assert not names & {"utils", "util", "helpers", "core", "common", "misc"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_it_is(path):
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_every_folder_with_modules_is_a_package():
    assert {path.parent for path in MODULES} == {path.parent for path in SOURCE.rglob("__init__.py")}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_has_one_subject_and_a_function_fits_on_a_screen(path):
    source = path.read_text()
    assert source.count("\n") <= 400
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.body[0].lineno < 60, node.name


def test_the_state_after_an_outcome_is_computed_in_one_place():
    """Kernels and NumPy use `turn.outcomes.after`; only the twins that `bench` compares with have their own."""
    pattern = re.compile(r"\| *\(?1 << ")
    found = [name_of(path) for path in MODULES if pattern.search(path.read_text())]
    assert set(found) <= {"bench/evaluation.py", "bench/plain_forward.py", "bench/sparse_rows.py"}


def test_there_is_one_walk_back_and_one_walk_forward():
    """The passes of the die lattice are run by `turn`, and where softened play chooses between them."""
    users = {
        name_of(path)
        for path in MODULES
        if re.search(r"fold\([\w.]+, turn\.(best|spread|choose)\)", path.read_text())
    }
    assert users == {"turn/values.py", "turn/probability.py", "policy/softened.py"}
