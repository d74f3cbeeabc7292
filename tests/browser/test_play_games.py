"""Other games on the coach's page: chosen in its settings, with their own card, jokers and saved throws."""

import pytest
from playwright.sync_api import Page, Route, expect

from browser.conftest import SOON
from browser.test_play import PHONE, choose, play, stored_log
from yatzy.rules import ruleset

pytestmark = pytest.mark.compiled

__all__ = ["play"]


def test_a_game_whose_rules_come_late_does_not_replace_one_chosen_since(play):
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page = play(service_workers="block").page
    page.route("**/rules/yacht.json", hold)
    page.select_option("#game", "yacht")
    choose_game(page, "yahtzee", 13)
    with page.expect_response(lambda response: "yacht.json" in response.url):
        held[-1].continue_()
    page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(page.locator(".box")).to_have_count(13)
    expect(page.locator("#game")).to_have_value("yahtzee")


def test_the_address_may_name_a_game(play):
    page = play("?rules=yahtzee%2Bfree-joker").page
    expect(page.locator(".box")).to_have_count(13)
    expect(page.locator("#house")).to_have_text("House rules: 1")


def choose_game(page: Page, name: str, boxes: int) -> None:
    expect(page.locator("#game option")).to_have_count(5)
    page.select_option("#game", name)
    expect(page.locator(".box")).to_have_count(boxes)


def turn_at_the_table(page: Page, dice: str) -> None:
    page.keyboard.press("Space")
    for face in dice:
        page.keyboard.press(face)


def shown_points(page: Page, category: str) -> str:
    return page.locator(f".box[data-category='{category}'] .points").inner_text()


def test_yahtzee_with_a_joker(play):
    """Entered dice: a Yahtzee, its sixes, and a joker that goes into a straight for 40 and 100 beside it."""
    page = play("", **PHONE).page
    choose_game(page, "yahtzee", 13)
    choose(page, "entered")
    turn_at_the_table(page, "44444")
    page.tap(".box[data-category='yahtzee']")
    turn_at_the_table(page, "66612")
    page.tap(".box[data-category='sixes']")
    turn_at_the_table(page, "66666")
    assert page.locator("#yours").inner_text() == "Joker: 100 points extra."
    assert shown_points(page, "large straight") == "40 + 100"
    assert shown_points(page, "ones") == "–"
    page.tap("#advice")
    expect(page.locator("#advice")).to_have_attribute("data-kind", "told", timeout=SOON)
    page.reload()
    assert shown_points(page, "large straight") == "40 + 100"
    page.keyboard.press("a")
    assert len(stored_log(page).turns) == 2
    page.tap(".box[data-category='large straight']")
    log = stored_log(page)
    assert (log.rules.name, log.points, log.extras) == ("yahtzee", (50, 18, 140), (0, 0, 100))
    assert page.locator("#extra").inner_text() == "100"
    assert page.locator("#total").inner_text() == str(log.score) == "208"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_whole_game_of_yahtzee_is_reviewed(play):
    page = play("?seed=5").page
    choose_game(page, "yahtzee", 13)
    for letter in "abcdefgijklmn":
        page.keyboard.press("Space")
        page.keyboard.press(letter)
    log = stored_log(page)
    assert log.is_finished
    assert log.seed == 5
    expect(page.locator("#term-score b")).to_have_text(f"= {log.score}", timeout=SOON)


def test_switches_and_saved_throws(play):
    page = play("?seed=5").page
    choose_game(page, "yacht", 12)
    assert page.locator("#bonus-box").is_hidden()
    page.locator(".house summary").click()
    page.locator("#switches input[value=saved-throws]").check()
    expect(page.locator("#house")).to_have_text("House rules: 1")
    page.locator("#house").evaluate("e => document.activeElement.blur()")
    page.keyboard.press("Space")
    page.keyboard.press("a")
    assert page.locator("#roll").inner_text() == "Roll · 5 throws, 2 saved"
    for _ in range(5):
        page.keyboard.press("Space")
    assert page.locator("#roll").inner_text() == "Choose a box"
    page.keyboard.press("b")
    log = stored_log(page)
    assert log.rules.name == "yacht+saved-throws"
    assert [len(turn.rolls) for turn in log.turns] == [1, 5]


def test_maxi_is_played_with_six_dice_and_no_coach(play):
    one = play("?seed=5")
    page = one.page
    choose_game(page, "maxi", 20)
    assert page.locator(".die-button").count() == 6
    page.keyboard.press("Space")
    page.keyboard.press("6")
    page.keyboard.press("h")
    expect(page.locator("#range")).to_contain_text("has 89,128,960 values to solve: too many for a page.")
    page.keyboard.press("y")
    assert stored_log(page).rules == ruleset("maxi")


def test_another_game_asks_before_it_takes_the_place_of_this_one(play):
    page = play("").page
    expect(page.locator("#game option")).to_have_count(5)
    page.keyboard.press("Space")
    page.keyboard.press("o")
    page.select_option("#game", "kniffel")
    page.locator("#leave button[value=stay]").click()
    expect(page.locator("#game")).to_have_value("scandinavian")
    assert len(stored_log(page).turns) == 1
