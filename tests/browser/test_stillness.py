"""Nothing jumps when fonts, data and answers come late; a phone is slow besides. Nothing needs the fonts.

How every page of the article comes on a phone is in test_pages.
"""

import json

import pytest
from playwright.sync_api import expect

from browser.reading import DESK, PHONE, SCROLL, check_shifts, check_stillness, slow
from browser.test_figures import CUT, FIGURES, MARKS
from yatzy.game.json import as_json
from yatzy.measure.simulate import play_logs
from yatzy.policies.registry import find_policy
from yatzy.rules import scandinavian

__all__ = ["slow"]

pytestmark = pytest.mark.compiled

SIZES = pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])


@pytest.mark.parametrize("path", sorted(set(FIGURES.values())))
def test_figures_neither_jump_nor_need_the_fonts(slow, path):
    """A font that comes late is not used: no label may need it, on a desk and on a phone."""
    late = slow(path, DESK, fonts=False)
    check_stillness(late)
    for width, height in (DESK, PHONE):
        late.page.set_viewport_size({"width": width, "height": height})
        late.page.evaluate(SCROLL, 0)
        for figure in [figure for figure, at in FIGURES.items() if at == path]:
            page = late.visit.show(figure)
            assert page.evaluate(MARKS, figure)["outside"] == 0, figure
            assert page.evaluate(CUT, figure) == [], figure
        assert late.page.evaluate("document.documentElement.scrollWidth") <= width


@SIZES
@pytest.mark.parametrize("path", ["solver.html", "risk.html"])
def test_formulas_and_code_do_not_jump(slow, path, size):
    check_stillness(slow(path, size, {"yatzy-depth": "code"}))


@SIZES
def test_the_coach_does_not_jump(slow, size):
    page = check_stillness(slow("play/", size))
    expect(page.locator("#heading-for")).to_contain_text("Heading for")
    check_shifts(page)


@SIZES
@pytest.mark.parametrize("turns", [7, 15])
def test_a_game_that_was_begun_or_finished_comes_back_in_its_place(slow, size, turns):
    log = as_json(next(play_logs(find_policy("heuristic", scandinavian()), 1, seed=3)))
    begun = {**log, "turns": log["turns"][:turns]}
    seat = {"name": "", "kind": "person", "log": begun, "throws": [], "previous": [], "outlooks": []}
    kept = {"format": "yatzy-seats", "version": 2, "now": 0, "seats": [seat]}
    view = "review" if turns == 15 else "play"
    late = slow("play/", size, {"yatzy-game": json.dumps(kept), "yatzy-view": view})
    page = check_stillness(late)
    assert page.locator("#review").is_visible() == (turns == 15)
    if turns == 15:
        expect(page.locator("#term-score")).to_be_visible()
    expect(page.locator("#outlook")).to_be_visible()
    check_shifts(page)
