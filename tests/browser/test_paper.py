"""On paper: charts and score sheets in every language, each on one page."""

import pytest
from playwright.sync_api import Page, expect

from browser.test_pages import AXE, printed_pages
from browser.test_play import PHONE, play
from yatzy.players.chart import keep_text, kept_text, score_text
from yatzy.players.library import find_chart, shipped_charts

pytestmark = pytest.mark.compiled

__all__ = ["play"]

LADDER = ["chart-10", "chart-20", "chart-40", "chart-58"]


def open_paper(page: Page) -> None:
    page.locator("#paper-open").click()
    expect(page.locator("#paper-body h2")).to_be_visible()


def fits(page: Page) -> bool:
    """Is nothing cut off at the side?"""
    return page.locator("#paper").evaluate("one => one.scrollWidth <= one.clientWidth")


@pytest.mark.parametrize("language", ["en", "sv", "nb", "da", "fi", "de"])
def test_everything_prints_on_one_page(play, language):
    page = play(locale=language, coach=False).page
    open_paper(page)
    for choice in [*LADDER, "sheet"]:
        page.select_option("#paper-choice", choice)
        assert printed_pages(page) == 1, choice


@pytest.mark.parametrize("game", ["scandinavian", "yahtzee"])
def test_a_chart_says_what_the_library_says(play, game):
    page = play(f"?rules={game}", coach=False).page
    open_paper(page)
    name = shipped_charts(game)[3]
    page.select_option("#paper-choice", name)
    chart = find_chart(name, game)
    said = [f"{keep_text(chart.rules, line)}: {kept_text(chart.rules, line.pattern)}" for line in chart.keeps[:-1]]
    said += [score_text(chart.rules, line) for line in chart.scores]
    shown = page.locator("#paper-body .said").evaluate_all(
        "all => all.map((one) => [...one.childNodes].filter(({ tagName }) => tagName !== 'SMALL')"
        ".map((part) => part.textContent).join(''))"
    )
    assert shown == said
    costs = [*chart.info["keep_costs"], *chart.info["score_costs"]]
    assert page.locator("#paper-body .cost").all_inner_texts() == [f"{round(cost, 2) + 0.0:.2f}" for cost in costs]
    assert f"{chart.info['mean']:.1f} points on average" in page.locator("#paper-body > p").inner_text()


def test_a_game_without_charts_has_its_score_sheet(play):
    page = play("?rules=maxi", coach=False, **PHONE).page
    open_paper(page)
    assert page.locator("#paper-choice option").count() == 1
    assert page.locator(".sheet tbody tr").count() == 20 + 3
    assert fits(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_paper(play, scheme):
    page = play(color_scheme=scheme, coach=False, **PHONE).page
    page.evaluate(AXE.read_text())
    open_paper(page)
    for choice in ("chart-20", "sheet"):
        page.select_option("#paper-choice", choice)
        found = page.evaluate("() => axe.run('#paper').then(({ violations }) => violations.map(({ id }) => id))")
        assert found == []
        assert fits(page)
