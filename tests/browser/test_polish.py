"""Small things seen in use: words for a zero, a bonus that is made, a picture that stays inside, some joy."""

import re

import pytest
from playwright.sync_api import expect

from browser.conftest import SOON
from browser.test_play import PHONE, RULES, begun, casual_game, choose, open_log, play, shown_dice
from browser.test_table import late_game, seat, write
from yatzy.game.situation import Situation
from yatzy.rules import State

pytestmark = pytest.mark.compiled

__all__ = ["casual_game", "play"]

UPPER = {"ones": 3, "twos": 6, "threes": 9, "fours": 16, "fives": 20, "sixes": 24}


def test_a_bonus_that_is_made_is_certain_and_a_zero_is_crossed_out(play):
    """The upper section is full with 78 points; one by one all boxes but Yatzy are written."""
    page = play("", **PHONE).page
    choose(page, "pad")
    for category, points in UPPER.items():
        write(page, category, points)
    expect(page.locator("#bonus")).to_have_text("50")
    for category in RULES.categories[6:-1]:
        page.locator(f".box[data-category='{category.name.lower()}']").click()
        page.locator("#amounts button").first.click()
    choose(page, "entered")
    page.evaluate("document.activeElement.blur()")
    for face in "12345":
        page.keyboard.press(face)
    for _ in range(2):
        page.keyboard.press("Space")
        for face in "12345":
            page.keyboard.press(face)
    page.tap("#advice")
    expect(page.locator("#said")).to_have_text("Cross out Yatzy", timeout=SOON)
    page.tap("#more")
    expect(page.locator("#ranked .action")).to_have_text("Cross out Yatzy")
    page.tap("#ranked summary")
    expect(page.locator("#ranked .why")).to_have_text("There is nothing else to do.", timeout=SOON)


def test_the_histogram_stays_inside_its_picture(play, casual_game):
    """Once it is drawn: when its box gets another width, that is a frame later."""
    page = play(log=begun(casual_game, 9)).page
    expect(page.locator("#fan .bin").first).to_be_visible(timeout=SOON)
    page.wait_for_function(
        """() => { const box = document.querySelector("#fan").getBoundingClientRect();
          return [...document.querySelectorAll("#fan .bin")].map(e => e.getBoundingClientRect())
            .every(r => r.top >= box.top - 1 && r.bottom <= box.bottom + 1 && r.right <= box.right + 1); }"""
    )


def test_the_outlook_follows_the_throws_and_does_not_blank(play, coach):
    page = play("?seed=7").page
    expect(page.locator("#fan .bin").first).to_be_visible(timeout=SOON)
    start = page.locator("#heading-for").inner_text()
    page.keyboard.press("Space")
    advice = coach.advise(Situation.of(coach.rules, tuple(shown_dice(page)), 2, State()))
    expect(page.locator("#heading-for")).to_have_text(f"Heading for {advice.actions[0].value:.1f}", timeout=SOON)
    assert page.locator("#fan .bin").count() > 0
    # Only the picture is dimmed while it is old: dimmed text has too little contrast.
    assert page.locator("#range").evaluate("e => getComputedStyle(e).opacity") == "1"
    assert start != page.locator("#heading-for").inner_text()
    page.wait_for_function("() => !document.querySelector('#fan').classList.contains('stale')")
    expect(page.locator("#heading-for")).to_have_text(f"Heading for {advice.actions[0].value:.1f}")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_yatzy_deserves_a_moment(play, motion):
    page = play("", reduced_motion=motion).page
    choose(page, "entered")
    page.evaluate("document.activeElement.blur()")
    for _ in range(5):
        page.keyboard.press("6")
    page.keyboard.press("p")
    running = page.locator(".box[data-category=yatzy]").evaluate(
        "box => box.getAnimations().filter(a => a.effect.getKeyframes().some(k => 'boxShadow' in k)).length"
    )
    assert running == (1 if motion == "no-preference" else 0)


def test_a_newcomer_finishes_a_turn_without_help(play):
    """What is on the screen says what to do next, in words for fingers or for mice alike."""
    page = play("", **PHONE).page
    assert page.locator("#roll").inner_text() == "Roll"
    page.tap("#roll")
    expect(page.locator("#yours")).to_have_text("Pick dice to keep, roll again, or pick a box.")
    assert page.locator("#yours").evaluate("e => e.scrollWidth <= e.clientWidth")
    page.locator(".die-button").first.tap()
    expect(page.locator(".die-button").first).to_contain_text("held")
    page.tap("#roll")
    page.tap("#roll")
    assert page.locator("#roll").inner_text() == "Choose a box"
    page.locator(".box[data-category=chance]").tap()
    expect(page.locator("#said")).to_have_text("Turn 2 of 15")


def test_help_says_what_boxes_score(play):
    page = play("", **PHONE).page
    page.tap("#help")
    text = page.locator("#box-scores").inner_text()
    assert re.search(r"Small Straight\s+1 2 3 4 5: 15", text)
    assert re.search(r"Full House\s+three alike and two others alike: sum of all dice", text)
    assert page.locator(".keys").is_hidden()


def test_two_numbers_that_seem_to_disagree_stand_with_a_reason(play, casual_game, tmp_path):
    page = play(log=begun(casual_game, 10)).page
    open_log(page, casual_game, tmp_path)
    expect(page.locator("#review-body")).to_contain_text(
        "on average, over everything the dice might have done", timeout=SOON
    )


def test_help_opens_at_its_top(play):
    """Bug: the focus went to the button at its end, and a phone showed that first."""
    page = play("", coach=False, width=390, height=600, has_touch=True, is_mobile=True).page
    page.tap("#help")
    assert page.locator("#help-text").evaluate("e => [e.scrollTop, e.scrollHeight > e.clientHeight]") == [0, True]
    expect(page.locator("#help-title")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('dialog')?.id") == "help-text"


def test_touch_screens_show_no_keys(play):
    """A letter stands before each box, and a number under each die, for keyboards alone."""
    page = play("", coach=False, **PHONE).page
    assert page.locator(".box kbd:visible").count() == 0
    assert page.locator(".caption").first.evaluate("e => getComputedStyle(e).fontSize") == "0px"
    assert play("", coach=False).page.locator(".box kbd:visible").count() == len(RULES.categories)
    hybrid = play("", coach=False, width=390).page
    assert hybrid.locator(".box kbd:visible").count() == 0


def test_chances_to_win_stay_while_the_dice_change_them(play):
    """Bug: after every throw they were gone until the coach had worked out the next ones."""
    page = play("", **PHONE).page
    late_game(page)
    choose(page, "entered")
    expect(page.locator(".odds").first).to_have_text(re.compile(r"^\d+%$"), timeout=SOON)
    # From here on the coach takes its time.
    page.evaluate(
        """() => {
          const odds = document.querySelector("#players");
          window.seen = [];
          new MutationObserver(() => window.seen.push([...odds.querySelectorAll(".odds")].map((e) => e.innerText)))
            .observe(odds, { childList: true, subtree: true, characterData: true });
          document.activeElement.blur();
        }"""
    )
    for face in "36624":
        page.keyboard.press(face)
    expect(page.locator(".odds").first).to_have_text(re.compile(r"^\d+%$"), timeout=SOON)
    seen = page.evaluate("window.seen")
    assert seen
    assert all(re.fullmatch(r"\d+%( …)?", one) for both in seen for one in both), seen
    # What was known before the throw says that it is not the last word.
    assert any(one.endswith("…") for both in seen for one in both), seen


@pytest.mark.parametrize("language", ["en", "de"])
def test_without_a_coach_the_page_says_so_once_and_offers_no_second_try(play, language):
    """Bug: hints "always", kept from another game, put a red text that left its box over every throw."""
    first = "localStorage.setItem('yatzy-choices', JSON.stringify({ version: 1, hints: 'always' }));"
    first += f"localStorage.setItem('yatzy-language', '{language}');"
    page = play("?rules=maxi", first=first, **PHONE).page
    expect(page.locator(".box")).to_have_count(20)
    page.tap("#roll")
    for selector in ("#advice", "#dock"):
        assert page.locator(selector).evaluate("e => e.scrollHeight <= e.clientHeight + 1"), selector
    assert page.locator("#advice").get_attribute("data-kind") == "off"
    assert page.locator("#lead").inner_text() == ""
    expect(page.locator("#range")).to_contain_text(re.compile(r"\d"))


def test_a_link_says_what_it_is_before_it_takes_the_place_of_a_game(play, browser, address):
    """Bug: "Leave this game? It is not finished, and a new one takes its place" was all that a link said."""
    page = play("", coach=False, **PHONE).page
    seat(page, ("Åsa", "person"), ("Ben", "person"))
    choose(page, "pad")
    write(page, "chance", 21)
    page.tap("#share")
    expect(page.locator("#link")).not_to_have_value("")
    link = page.locator("#link").input_value()
    other = play("", coach=False, **PHONE).page
    other.tap("#roll")
    other.tap(".box[data-category=chance]")
    other.evaluate("hash => { location.hash = hash; }", link.partition("#")[2])
    expect(other.locator("#leave")).to_be_visible()
    text = other.locator("#leave").inner_text()
    assert "link" in text
    assert re.search(r"Scandinavian Yatzy.*Åsa 21, Ben 0", text)
    other.locator("#leave button[value=stay]").tap()
    assert other.locator("#players").is_hidden()
    other.evaluate("hash => { location.hash = hash; }", link.partition("#")[2])
    other.locator("#leave button[value=leave]").tap()
    expect(other.locator(".player .name").first).to_have_text("Åsa")
