"""The notebooks: every cell runs, and gives what is stored with it."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))

pytestmark = pytest.mark.compiled


def told(notebook):
    """What each cell prints and shows as text; pictures are in the browser's test."""
    return [
        "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("default")  # of the kernel's transport, not of this package
def test_a_notebook_gives_what_it_shows(path, tmp_path):
    stored = nbformat.read(path, as_version=4)
    shown = told(stored)
    NotebookClient(stored, timeout=600, resources={"metadata": {"path": tmp_path}}).execute()
    assert told(stored) == shown
    assert sum(map(bool, shown)) > 5


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["beat-the-card", "learning", "own-policy"]
