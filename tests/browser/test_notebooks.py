"""The pictures of the library in a notebook: whole, and one line where one line is meant."""

from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))

SIDES = """() => [...document.querySelectorAll(".jp-RenderedHTMLCommon table:has(caption)")].map((table) => {
  const side = (one) => getComputedStyle(one).textAlign;
  const row = (selector) => [...table.querySelector(selector).children].map(side);
  return [row("thead tr"), row("tbody tr:last-child")];
})"""
BARS = """() => [...document.querySelectorAll(".jp-RenderedHTMLCommon svg")].map((svg) => {
  const frame = svg.getBoundingClientRect();
  const inside = (one) => {
    const box = one.getBoundingClientRect();
    return box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.bottom <= frame.bottom + 1;
  };
  return [svg.querySelectorAll("rect").length, [...svg.querySelectorAll("rect, text")].every(inside)];
})"""
LINES = """() => [...document.querySelectorAll("caption")].map((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  return range.getClientRects().length;
})"""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_pictures_are_whole(browser: Browser, tmp_path: Path, path: Path) -> None:
    html, _ = HTMLExporter().from_notebook_node(nbformat.read(path, as_version=4))
    page = browser.new_page(viewport={"width": 900, "height": 900})
    file = tmp_path / "notebook.html"
    file.write_text(html, encoding="utf-8")
    page.goto(file.as_uri())
    bars = page.evaluate(BARS)
    assert len(bars) >= 2
    assert all(n > 50 and inside for n, inside in bars)
    assert all(lines == 1 for lines in page.evaluate(LINES))
    for headings, cells in page.evaluate(SIDES):
        assert headings == cells
    page.close()
