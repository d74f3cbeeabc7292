"""What is imported is declared; without an extra one sentence says what to install, and everything else works."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest

import yatzy
from yatzy import YatzyError
from yatzy.context import Context, connected
from yatzy.lab.training.train import train
from yatzy.lab.training.trees import fit_tree
from yatzy.lab.training.values import fit, start_model
from yatzy.players.model import ImitationTreeRecipe, ValueRecipe
from yatzy.policies.registry import find_policy

SOURCE = Path(yatzy.__file__).parent
PROJECT = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text())["project"]
PACKAGES = {
    "cluster": ("distributed",),
    "gym": ("gymnasium",),
    "lab": ("polars", "scipy", "sklearn"),
    "plot": ("matplotlib", "pandas"),
    "site": ("jinja2", "markdown_it", "mdit_py_plugins"),
}


def names(requirements):
    return {re.match(r"[\w-]+", one)[0].lower() for one in requirements}


def sentence(package, extra):
    return f"{package} is not installed; install it with: pip install 'yatzy[{extra}]'"


def imports(node, extra=None):
    """Every package that is imported in a tree of source, and the extra in whose name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((one.name.partition(".")[0], extra) for one in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield child.module.partition(".")[0], extra
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        elif isinstance(child, ast.Try):
            yield from imports(child, "optional")
        elif isinstance(child, ast.With) and ast.unparse(child.items[0]).startswith("needs_extra("):
            yield from imports(child, child.items[0].context_expr.args[0].value)
        else:
            yield from imports(child, extra)


def imported():
    for path in sorted(SOURCE.rglob("*.py")):
        inside = "gym" if path.parent.name == "gym" else None  # its __init__ asks for the extra
        for package, extra in imports(ast.parse(path.read_text()), inside):
            if package not in sys.stdlib_module_names and package != "yatzy":
                yield path.name, package, extra


def test_what_is_imported_is_declared():
    """Llvmlite and pydantic_core were imported, and came only because others need them."""
    always = names(PROJECT["dependencies"])
    extras = {name: names(those) for name, those in PROJECT["optional-dependencies"].items()}
    found = set(imported())
    assert {package for _, package, _ in found} > {
        "numba",
        "llvmlite",
        *(one for those in PACKAGES.values() for one in those),
    }
    for file, package, extra in found:
        comes_from = {one.lower() for one in packages_distributions().get(package, [package])}
        allowed = set().union(*extras.values()) if extra == "optional" else extras.get(extra, set())
        assert comes_from & (always | allowed), f"{file} imports {package}"


def test_installing_brings_no_more_than_is_imported():
    distributions = packages_distributions()
    used = {one.lower() for _, package, _ in imported() for one in distributions.get(package, [package])}
    assert names(PROJECT["dependencies"]) <= used
    assert len(PROJECT["dependencies"]) <= 12


@pytest.fixture
def without(monkeypatch):
    """Python as it is without an extra."""

    def block(extra):
        for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES[extra]]:
            monkeypatch.delitem(sys.modules, name)
        for name in PACKAGES[extra]:
            monkeypatch.setitem(sys.modules, name, None)

    return block


def without_in_a_process(extra, code):
    block = f"import sys; sys.modules.update(dict.fromkeys({PACKAGES[extra]!r}))\n"
    return subprocess.run([sys.executable, "-c", block + code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("recipe", "package"),
    [
        (ValueRecipe("x", (2,), parents=10, iterations=5), "scipy"),
        (ImitationTreeRecipe(2, games=20), "sklearn"),
    ],
    ids=["value", "imitation-trees"],
)
def test_training_says_what_is_missing_before_it_starts(small_table, tmp_path, without, recipe, package):
    without("lab")
    said = []
    with pytest.raises(YatzyError) as refused:
        train(recipe, small_table, Context(tmp_path, notice=said.append))
    assert str(refused.value) == sentence(package, "lab")
    assert not said
    assert not list(tmp_path.iterdir())


def test_the_fits_themselves_say_so_too(small_rules, without):
    without("lab")
    with pytest.raises(YatzyError, match=r"^scipy is not installed"):
        fit(start_model(small_rules, "x", [2], seed=0), None, 5)
    with pytest.raises(YatzyError, match=r"^sklearn is not installed"):
        fit_tree(np.zeros((2, 2), np.float32), None)


def test_a_frame_says_what_is_missing(small_table, without):
    without("lab")
    with pytest.raises(YatzyError) as refused:
        small_table.frame()
    assert str(refused.value) == sentence("polars", "lab")


def test_playing_a_model_needs_no_extra(rules, without):
    without("lab")
    assert find_policy("tree-6k", rules).parameters == 6198


def test_a_cluster_says_what_is_missing(without):
    without("cluster")
    with pytest.raises(YatzyError) as refused, connected("dask"):
        pass
    assert str(refused.value) == sentence("distributed", "cluster")


def test_the_environment_says_what_is_missing():
    ended = without_in_a_process("gym", "import yatzy.gym")
    assert ended.stderr.strip().endswith(sentence("gymnasium", "gym"))


def test_building_the_site_says_what_is_missing(tmp_path):
    command = ["yatzy", "treatise", "build", "--out", str(tmp_path)]
    code = f"sys.argv = {command}\nfrom yatzy.cli import main\nmain()"
    ended = without_in_a_process("site", code)
    package = ended.stderr.partition(": ")[2].partition(" ")[0]
    assert package in PACKAGES["site"]
    assert (ended.returncode, ended.stderr) == (2, f"yatzy: {sentence(package, 'site')}\n")
    assert not list(tmp_path.iterdir())


def test_a_built_site_is_copied_without_the_extra(tmp_path):
    """The command imported what builds the site before it looked for the one in the package."""
    built, out = tmp_path / "built", tmp_path / "out"
    built.mkdir()
    (built / "index.html").write_text("<!doctype html>")
    command = ["yatzy", "treatise", "build", "--out", str(out)]
    code = f"""
sys.argv = {command}
from pathlib import Path
from yatzy.cli import main, treatise
treatise.shipped_site = lambda: Path({str(built)!r})
main()"""
    ended = without_in_a_process("site", code)
    assert (ended.returncode, ended.stderr) == (
        0,
        "yatzy: this is an installed package: its built site is copied\n",
    )
    assert (out / "index.html").is_file()
