"""Commands that people wait for import no Numba, which takes longer to import than they take to answer."""

import subprocess
import sys

import pytest

from yatzy.context import Context
from yatzy.solver.store import stored_table

pytestmark = pytest.mark.compiled

COMMAND = (
    "sys.argv = ['yatzy', *{arguments!r}]\nfrom yatzy.cli import main\ntry: main()\nexcept SystemExit: pass\n"
)


def imports_numba(code):
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}print('numba' in sys.modules)"],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    *before, last = ended.stdout.splitlines()
    assert (ended.returncode, ended.stderr, bool(before)) == (0, "", True)
    return last != "False"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "arguments",
    [
        ("solve",),
        ("solve", "--rules", "yacht", "--theta", "0.01"),
        ("solve", "--precision", "float32"),
        ("value", "ones,pair @ 3"),
        ("value", "--filled", "ones", "--theta", "0.01"),
        ("advise", "1", "3", "3", "5", "6", "--rerolls", "2"),
        ("advise", "1", "3", "3", "5", "6", "--target", "250"),
        ("advise", "1", "3", "3", "5", "6", "--json"),
        ("games", "--rules", "yahtzee"),
    ],
    ids=" ".join,
)
def test_a_command_imports_no_numba(arguments):
    assert not imports_numba(COMMAND.format(arguments=arguments))


def test_games_imports_no_numba_once_tables_are_there(home):
    for name in ("yahtzee", "kniffel", "yacht"):
        stored_table(name, context=Context(home))
    assert not imports_numba(COMMAND.format(arguments=("games",)))


@pytest.mark.usefixtures("home")
def test_the_library_imports_no_numba_for_the_same():
    code = "import yatzy\nprint(yatzy.solve('yacht').value(), yatzy.advise('1 3 3 5 6', rerolls=2).best)\n"
    assert not imports_numba(code)


def test_numba_is_noticed():
    assert imports_numba("import numba\nprint()\n")
