"""The digest of sources: what a module leads to, beside another reader of imports, and edits of a copy."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

import yatzy
from yatzy.lab.studies.reproduce import STUDIES
from yatzy.source_digest import module_of, modules_below, source_digest


def test_no_import_is_missed() -> None:
    graph = grimp.build_graph("yatzy", cache_dir=None)
    assert len(graph.modules) > 100
    for module in graph.modules:
        assert modules_below(module) >= graph.find_upstream_modules(module) | {module}


def test_what_a_module_does_not_import_does_not_count() -> None:
    below = modules_below("yatzy.measure.regret")
    assert "yatzy.turn.kernels.simd" in below
    assert not [name for name in below if name.startswith(("yatzy.site", "yatzy.lab.studies", "yatzy.cli"))]
    for study in STUDIES.values():
        below = modules_below(study.function.__module__)
        assert not [name for name in below if re.match(r"yatzy\.(cli|server|site|lab\.bench)\b", name)]


def test_a_name_in_a_text_is_an_import() -> None:
    """Kinds of models are imported by name."""
    assert "yatzy.players.tree" in modules_below("yatzy.players.model")


def test_a_file_from_elsewhere_stands_for_itself(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("one = 1")
    assert module_of(file) == str(file)
    assert module_of(str(Path(yatzy.__file__))) == "yatzy"
    assert source_digest(str(file)) != source_digest(str(Path(__file__)))


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("site/build.py", False),
        ("lab/studies/scores.py", False),
        ("turn/kernels/simd.py", True),
        ("measure/regret.py", True),
    ],
)
def test_an_edit_counts_for_what_leads_to_it(tmp_path: Path, file: str, counts: bool) -> None:
    shutil.copytree(
        Path(yatzy.__file__).parent, tmp_path / "yatzy",
        ignore=lambda _, names: [name for name in names if not name.endswith(".py") and "." in name],
    )  # fmt: skip
    command = "from yatzy.source_digest import source_digest as d; print(d('yatzy.measure.regret'))"

    def ask() -> str:
        run = subprocess.run(
            [sys.executable, "-c", command], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, check=True
        )
        return run.stdout.decode()

    before = ask()
    path = tmp_path / "yatzy" / file
    path.write_text(path.read_text() + "\n# another line\n")
    assert (ask() != before) is counts
