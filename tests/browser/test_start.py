"""The start: three questions for newcomers, few taps to the first throw, and a site that says its language."""

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import SOON
from browser.test_pages import AXE, check_both_themes
from browser.test_play import PHONE, begun, casual_game, choose, play, shown_dice, stored_log
from browser.test_table import stored_logs, whose_turn
from yatzy.game.action import Keep
from yatzy.game.situation import Situation

pytestmark = pytest.mark.compiled

__all__ = ["casual_game", "play"]

# Every tap and every scroll, on all pages of a visit.
COUNT = """const count = (name) => sessionStorage.setItem(name, Number(sessionStorage.getItem(name) ?? 0) + 1);
addEventListener("pointerdown", (e) => e.isTrusted && count("taps"), true);
addEventListener("scroll", () => scrollY > 0 && count("scrolls"), true);
"""


def tap(page: Page, selector: str) -> None:
    """Tap what is on the screen, without scrolling to it."""
    spot = page.locator(selector).first.bounding_box()
    assert spot
    middle = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    assert 0 < middle[0] < 390, selector
    assert 0 < middle[1] < 844, selector
    page.touchscreen.tap(*middle)


def counted(page: Page, name: str) -> int:
    return int(page.evaluate(f"sessionStorage.getItem('{name}')") or 0)


@pytest.fixture
def newcomer(visit):
    def arrive(path: str = "play/", **options: object) -> Page:
        one = visit(**{**PHONE, "is_new": True, "reduced_motion": "reduce", **options})
        one.page.add_init_script(COUNT)
        return one.go(path)

    return arrive


@pytest.mark.parametrize("dice", ["random", "entered"])
def test_three_players_from_the_front_page_to_the_first_throw(newcomer, dice):
    """At most five taps, and no scrolling, on a phone; real dice are thrown by hand."""
    page = newcomer("index.html")
    tap(page, "a.play")
    page.wait_for_selector("html[data-ready]", state="attached")
    tap(page, "#add-seat")
    tap(page, "#add-seat")
    if dice == "entered":
        tap(page, "#seating label:has(input[value=entered])")
    tap(page, "#seating button[value=start]")
    if dice == "entered":
        expect(page.locator("#keypad")).to_be_visible()
    else:
        tap(page, "#roll")
        assert all(shown_dice(page))
    assert page.locator(".player .name").all_inner_texts() == ["Player 1", "Player 2", "Player 3"]
    assert counted(page, "taps") == 5
    assert counted(page, "scrolls") == 0


def test_a_newcomer_skips_with_one_tap_and_is_not_asked_again(newcomer):
    page = newcomer()
    expect(page.locator("#seating")).to_be_visible()
    expect(page.locator("#seating button[value=start]")).to_be_focused()
    page.evaluate(AXE.read_text())
    check_both_themes(page)
    tap(page, "#seating button[value=cancel]")
    tap(page, "#roll")
    assert all(shown_dice(page))
    assert counted(page, "taps") == 2
    page.reload()
    expect(page.locator("#seating")).to_be_hidden()


def test_what_was_chosen_is_remembered(newcomer):
    """Two players, real dice, Yahtzee; the next new game asks with these."""
    page = newcomer()
    page.tap("#add-seat")
    page.locator("#seats input").first.fill("Ada")
    page.locator("#seating label:has(input[value=entered])").tap()
    page.locator("#new-rules").select_option("yahtzee")
    page.tap("#seating button[value=start]")
    expect(page.locator(".box")).to_have_count(13)
    expect(page.locator("#keypad")).to_be_visible()
    assert [log["rules"] for log in stored_logs(page)] == ["yahtzee", "yahtzee"]
    page.reload()
    expect(page.locator("#seating")).to_be_hidden()
    assert whose_turn(page) == "Ada"
    page.tap("#new")
    names = page.locator("#seats input").evaluate_all("all => all.map(e => e.value)")
    assert names == ["Ada", "Player 2"]
    assert page.locator("#new-rules").input_value() == "yahtzee"
    assert page.locator("input[name=new-dice][value=entered]").is_checked()
    # A game without a coach has nobody whom the page plays.
    assert page.locator("#seats select:visible").count() == 1
    page.locator("#new-rules").select_option("maxi")
    expect(page.locator("#seats select:visible")).to_have_count(0)


def test_a_game_whose_rules_come_late_is_waited_for(newcomer):
    """Not the game that was played before."""
    page = newcomer()
    held = []
    page.route("**/rules/kniffel.json", lambda route: held.append(route))  # noqa: PLW0108
    page.locator("#new-rules").select_option("kniffel")
    page.tap("#seating button[value=start]")
    expect(page.locator("#seating")).to_be_hidden()
    expect(page.locator(".box")).to_have_count(15)
    held[0].continue_()
    expect(page.locator(".box")).to_have_count(13)
    assert stored_log(page).rules.name == "kniffel"


def test_who_was_invited_or_has_a_game_is_not_asked(newcomer, play, casual_game):
    expect(newcomer("play/?seed=7").locator("#seating")).to_be_hidden()
    page = play(log=begun(casual_game, 7), is_new=True).page
    expect(page.locator("#seating")).to_be_hidden()
    assert len(stored_log(page).turns) == 7


def test_a_paper_card_of_two_players_from_the_start(newcomer):
    page = newcomer()
    page.tap("#add-seat")
    page.tap("#seating button[value=setup]")
    expect(page.locator("#setup")).to_be_visible()
    assert page.locator("#setup-players label").all_inner_texts() == ["Player 1", "Player 2"]
    page.locator("#setup-card input[aria-label=Twos]").fill("6")
    page.tap("#setup-start")
    assert whose_turn(page) == "Player 2"
    assert page.locator(".player b").all_inner_texts() == ["6", "0"]


def test_what_is_not_needed_to_play_is_one_level_down(play):
    page = play(coach=False, **PHONE).page
    for hidden in ("#fan", "#target", "#risk"):
        assert page.locator(hidden).is_hidden()
    page.tap("#outlook-open")
    # What opened is seen whole, between the top and the dock.
    top, bottom, dock = page.evaluate(
        "['#outlook', '#dock'].map((one) => document.querySelector(one).getBoundingClientRect())"
        ".flatMap((one, i) => i ? [one.top] : [one.top, one.bottom])"
    )
    assert 0 <= top < bottom <= dock
    for shown in ("#fan", "#target", "#risk"):
        assert page.locator(shown).is_visible()
    page.fill("#target", "250")
    # Who wants a score sees it on the next visit.
    page.reload()
    assert page.locator("#target").is_visible()
    assert play(coach=False).page.locator("#risk").is_visible()


@pytest.mark.parametrize(
    ("locale", "says", "game"),
    [
        ("sv-SE", "Artikeln finns bara på engelska. Spela på svenska", "Vilka spelar?"),
        ("nn-NO", "Artikkelen finnes bare på engelsk. Spill på norsk", "Hvem spiller?"),
        ("fi-FI", "Artikkeli on vain englanniksi. Pelaa suomeksi", "Ketkä pelaavat?"),
        ("en-GB", "", "Who plays?"),
        ("fr-FR", "", "Who plays?"),
    ],
)
def test_the_article_says_that_it_is_english_and_where_another_language_is(newcomer, locale, says, game):
    page = newcomer("game.html", locale=locale)
    assert " ".join(page.locator(".spoken").inner_text().split()) == says
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.tap(".spoken p:visible a" if says else "a.play")
    page.wait_for_selector("html[data-ready]", state="attached")
    expect(page.locator("#seating-title")).to_have_text(game)


def held(page: Page) -> list[int]:
    return [
        face for face, die in zip(shown_dice(page), page.locator(".die-button").all(), strict=True)
        if die.get_attribute("aria-pressed") == "true"
    ]  # fmt: skip


@pytest.mark.parametrize("dice", ["entered", "random"])
def test_hint_line_and_button_agree(play, coach, casual_game, dice):
    """A hint to keep some: the line says to tap it, tapping holds them, and what will be thrown are the others."""
    page = play(log=begun(casual_game, 9), **PHONE).page
    choose(page, dice)
    if dice == "entered":
        for face in "66123":
            page.tap(f"#keypad button:nth-child({face})")
    else:
        page.tap("#roll")
    situation = Situation.of(coach.rules, tuple(shown_dice(page)), 2, begun(casual_game, 9).states[-1])
    best = coach.advise(situation).best
    assert isinstance(best, Keep)
    n = 5 - len(best.dice)
    assert 0 < n < 5
    page.tap("#advice")
    expect(page.locator("#advice")).to_have_attribute("data-kind", "told", timeout=SOON)
    expect(page.locator("#yours")).to_have_text(f"Tap the hint to hold, then throw {n}.")
    page.tap("#advice")
    assert sorted(held(page)) == sorted(best.dice)
    if dice == "entered":
        says = f"What you hold is best. Throw {n} · 2 left"
        expect(page.locator("#yours")).to_have_text(says)
        page.tap("#keypad button:nth-child(4)")
        assert page.locator("#dice [data-face='0']").count() == n - 1
    else:
        expect(page.locator("#yours")).to_have_text("What you hold is best.")
        expect(page.locator("#roll")).to_have_text(f"Roll {n} · 2 left")
    assert page.locator("#yours").evaluate("e => e.scrollHeight <= e.clientHeight + 1")


def test_a_tap_on_a_hint_to_score_a_box_scores_it(play):
    page = play(**PHONE).page
    choose(page, "entered")
    for _ in range(5):
        page.tap("#keypad button:nth-child(6)")
    page.tap("#advice")
    expect(page.locator("#advice")).to_have_attribute("data-kind", "told", timeout=SOON)
    expect(page.locator("#yours")).to_have_text("Tap the hint or its box on the card to score it.")
    page.tap("#advice")
    assert page.locator("#total").inner_text() == "50"


@pytest.mark.parametrize("locale", ["en-GB", "sv-SE", "nb-NO", "da-DK", "fi-FI", "de-DE"])
def test_the_lines_for_real_dice_fit_on_a_phone(play, casual_game, locale):
    page = play(log=begun(casual_game, 9), locale=locale, **PHONE).page
    choose(page, "entered")
    for face in "66123":
        page.tap(f"#keypad button:nth-child({face})")
    assert page.locator("#yours").evaluate("e => e.scrollHeight <= e.clientHeight + 1")
    if locale == "en-GB":
        expect(page.locator("#yours")).to_have_text("Tap the dice you keep, throw the rest, tap their faces")
    page.tap("#advice")
    expect(page.locator("#advice")).to_have_attribute("data-kind", "told", timeout=SOON)
    for _ in range(2):
        assert page.locator("#yours").evaluate("e => e.scrollHeight <= e.clientHeight + 1")
        page.locator(".die-button").nth(2).tap()
    page.tap("#advice")
    assert page.locator("#yours").evaluate("e => e.scrollHeight <= e.clientHeight + 1")
