"""The coach in six languages: the browser's, or the one that is chosen; numbers as each writes them."""

import re

import pytest
from playwright.sync_api import expect

from browser.conftest import SOON
from browser.test_play import PHONE, begun, casual_game, open_log, play, stored_log
from web_scripts import run_script

pytestmark = pytest.mark.compiled

__all__ = ["casual_game", "play"]

LOCALES = {"en-GB": "en", "sv-SE": "sv", "nn-NO": "nb", "da-DK": "da", "fi-FI": "fi", "de-AT": "de"}
DESK = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def spoken() -> dict[str, dict]:
    return run_script("languages")


# A phone is where words are cut off; on a desk the language with the longest will do.
@pytest.mark.parametrize(
    ("locale", "size"),
    [pytest.param(locale, PHONE, id=f"phone-{locale}") for locale in LOCALES]
    + [pytest.param("fi-FI", DESK, id="desk-fi-FI")],
)
def test_the_browser_says_which(play, spoken, casual_game, tmp_path, locale, size):
    """A throw, a hint, and a review, without a word of English or a box that is cut off."""
    language = LOCALES[locale]
    texts, english = spoken[language], spoken["en"]
    page = play(log=begun(casual_game, 8), locale=locale, **size).page
    assert page.evaluate("document.documentElement.lang") == language
    assert page.title() == texts["page"]["title"]
    labels = page.locator(".box .label").all_inner_texts()
    assert labels[0] == texts["boxes"]["ones"]
    assert labels[10] == texts["boxes"]["small straight"]
    cut = ".box .label, .sum-box .label, #roll, .switch span, .files button"
    assert page.locator(cut).evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth + 1).length") == 0
    page.keyboard.press("Space")
    page.keyboard.press("h")
    expect(page.locator("#advice")).to_have_attribute("data-kind", "told", timeout=SOON)
    expect(page.locator("#heading-for")).to_contain_text(re.compile(r"\d{3}[.,]\d"))
    mark = "." if language == "en" else ","
    value = page.locator("#ranked .value").first.text_content()
    assert re.fullmatch(rf"\d{{3}}\{mark}\d", value or "")
    page.keyboard.press("f")
    open_log(page, casual_game, tmp_path)
    expect(page.locator("#term-score")).to_be_visible(timeout=SOON)
    text = page.locator("body").inner_text()
    if language != "en":
        left = [one for one in english["review"].values() if isinstance(one, str) and " " in one and one in text]
        assert left == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert sum(value for value, _ in page.evaluate("window.shifts")) < 0.02, page.evaluate("window.shifts")


def test_another_language_is_chosen_and_remembered(play):
    page = play("?seed=7", coach=False, **PHONE).page
    page.tap("#roll")
    page.select_option("#language", "sv")
    expect(page.locator("html")).to_have_attribute("lang", "sv")
    expect(page.locator("#roll")).to_contain_text("Kasta alla · 2 kvar")
    assert page.locator(".box[data-category='full house'] .label").inner_text() == "Kåk"
    page.reload()
    expect(page.locator("#roll")).to_contain_text("Kasta alla")
    assert stored_log(page).seed == 7


def test_an_unknown_language_is_english(play):
    first = "localStorage.setItem('yatzy-language', 'constructor');"
    page = play("?seed=7", first=first, coach=False, locale="fr-FR").page
    expect(page.locator("#roll")).to_have_text("Roll")
    assert page.evaluate("document.documentElement.lang") == "en"


def test_nothing_needs_more_than_320_pixels(play):
    for language in ("en", "fi", "de"):
        first = f"localStorage.setItem('yatzy-language', '{language}');"
        page = play(width=320, height=640, first=first, coach=False).page
        page.keyboard.press("Space")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, language
        labels = page.locator(".box .label").evaluate_all(
            "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)"
        )
        assert labels == [], language
