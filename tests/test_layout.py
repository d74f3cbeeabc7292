"""What the source tree promises a reader: names that say something, and packages that say what they are."""

import ast
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
