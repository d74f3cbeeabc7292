"""The reference: built strictly from docstrings, with everything that the package offers."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import yatzy
import yatzy.gym

ROOT = Path(__file__).parents[1]
NAMES = [f"yatzy.{name}" for name in yatzy.__all__ if name != "__version__"]
NAMES += [f"yatzy.gym.{name}" for name in yatzy.gym.__all__]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; a link or an anchor that leads nowhere would have ended it."""
    folder = tmp_path_factory.mktemp("reference")
    ended = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    return folder


def test_every_public_name_is_described(site):
    page = (site / "reference.html").read_text()
    headings = re.findall(r'<h3 id="yatzy[^>]*>\s*<code[^>]*></code>\s*([\w.]+)', page)
    assert set(NAMES) <= set(headings)
    assert headings.count("yatzy.solve") == 1


def test_every_page_of_the_docs_is_in_the_site(site):
    pages = {"index", "CONTRIBUTING", "CHANGELOG", *(page.stem for page in (ROOT / "docs").glob("*.md"))}
    assert pages <= {page.stem for page in site.glob("*.html")}
    home = (site / "index.html").read_text()
    assert all(f'href="{page}.html"' in home for page in pages - {"index"})


def test_examples_are_code_and_not_quotations(site):
    page = (site / "reference.html").read_text()
    assert page.count('class="gp">&gt;&gt;&gt; ') > 50
    assert "<blockquote>" not in page
