"""A position from paper: a half-filled card on a phone to advice in few taps, every game, refusals, links."""

import json
from collections.abc import Mapping

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import SOON, Visit, open_visit
from browser.test_pages import AXE, check_both_themes
from browser.test_play import PHONE, choose, play, said_action, shown_dice, stored_log
from browser.test_table import seat, stored_logs, whose_turn
from yatzy.game.log import parse_log
from yatzy.game.start import Start, state_of
from yatzy.rules import ruleset

pytestmark = pytest.mark.compiled

__all__ = ["play"]

COUNT_TAPS = """window.taps = 0;
addEventListener("pointerdown", (e) => e.isTrusted && window.taps++, true);
"""
PAPER = {
    "twos": 6,
    "fours": 12,
    "one pair": 10,
    "three of a kind": 15,
    "small straight": 15,
    "chance": 22,
    "yatzy": 0,
}


def tap_box(page: Page, label: str) -> None:
    page.locator("#setup-card label").filter(has=page.get_by_text(label, exact=True)).tap()


def tap_points(page: Page, points: int) -> None:
    page.locator("#setup-amounts").get_by_role("button", name=str(points), exact=True).tap()


def enter(page: Page, **values: object) -> None:
    """Type into fields by their labels, with a keyboard."""
    for label, value in values.items():
        page.locator(f"#setup-card input[aria-label='{label}']").focus()
        page.keyboard.press("Control+A")
        page.keyboard.type(str(value))


def card_of(page: Page) -> list[str]:
    return page.locator("#setup-card input").evaluate_all("all => all.map(e => e.value)")


def said(page: Page) -> str:
    return page.locator("#setup-said").inner_text()


@pytest.fixture
def phone(play) -> Visit:
    return play("", first=COUNT_TAPS, **PHONE)


def test_from_a_half_filled_card_to_advice_in_few_taps(phone, coach):
    """Seven boxes, the dice, and a hint; then the game goes on with real dice."""
    page = phone.page
    page.locator("#setup-open").scroll_into_view_if_needed()
    before = page.evaluate("window.taps")
    page.tap("#setup-open")
    for name, points in PAPER.items():
        tap_box(page, name.title().replace(" Of A ", " of a "))
        tap_points(page, points)
    tap_box(page, "Dice")
    for face in (3, 3, 5, 3, 6):
        page.locator(f"#setup-amounts button[aria-label='It shows {face}']").tap()
    tap_points(page, 1)
    assert said(page) == "Upper 18 · Total 80"
    page.tap("#setup-start")
    page.tap("#advice")
    expect(page.locator("#advice")).to_have_attribute("data-kind", "told", timeout=SOON)
    assert page.evaluate("window.taps") - before <= 25
    assert shown_dice(page) == [3, 3, 5, 3, 6]
    expect(page.locator("#total")).to_have_text("80")
    start = stored_log(page).start
    assert start == Start(PAPER, rerolls=1)
    state = state_of(coach.rules, start)
    best = coach.table.advise((3, 3, 5, 3, 6), 1, state)[0]
    assert said_action(page, "#said") == str(best.action)
    # The third throw is one of real dice; the turn is written, and the next has three throws again.
    page.locator(".die-button").first.tap()
    assert page.locator("#keypad").is_visible()
    for face in (3, 3, 6, 1):
        page.tap(f"#keypad button:nth-child({face})")
    assert shown_dice(page)[0] == 3
    page.locator(".box[data-category=threes]").tap()
    expect(page.locator("#said")).to_have_text("Turn 9 of 15")
    log = stored_log(page)
    assert len(log.turns) == 1
    assert log.score == 89
    assert state_of(log.rules, log.start).upper == 18


def test_what_cannot_stand_in_a_box_is_refused_there(phone):
    page = phone.page
    page.tap("#setup-open")
    enter(page, Fives=12)
    fives = page.locator("#setup-card input[aria-label=Fives]")
    expect(fives).to_have_attribute("aria-invalid", "true")
    assert said(page) == "Fives: possible are 0, 5, 10, 15, 20, 25."
    page.tap("#setup-start")
    expect(page.locator("#setup")).to_be_visible()
    expect(fives).to_be_focused()
    assert said(page) == "Fives: possible are 0, 5, 10, 15, 20, 25."
    page.evaluate(AXE.read_text())
    check_both_themes(page)
    # Half of a number that is possible is not refused while it is typed.
    enter(page, Fives=2)
    expect(fives).to_have_attribute("aria-invalid", "false")
    page.keyboard.type("0")
    enter(page, Dice="3337")
    page.keyboard.press("Enter")
    page.tap("#setup-start")
    assert said(page) == "Dice: 5 faces from 1 to 6, or none."
    page.tap("#setup-clear")
    assert not any(card_of(page))
    page.tap("#setup button[value=cancel]")
    assert stored_log(page).start is None


def test_a_position_is_sent_as_a_link_and_set_up_again(phone, browser, address):
    """Dice and throws left come along; the dialog shows the position of the game under way."""
    page = phone.page
    page.tap("#setup-open")
    enter(page, Ones=3, Sixes=24, Yatzy=50, Dice="11346", **{"Throws left": 0})
    page.keyboard.press("Enter")
    page.tap("#setup-start")
    page.tap("#share")
    expect(page.locator("#link")).not_to_have_value("")
    other = open_visit(browser, address, 390)
    other.page.goto(page.locator("#link").input_value())
    expect(other.page.locator("#total")).to_have_text("77")
    assert shown_dice(other.page) == [1, 1, 3, 4, 6]
    assert stored_log(other.page).start == Start({"ones": 3, "sixes": 24, "yatzy": 50}, rerolls=0)
    expect(other.page.locator("#roll")).to_have_text("Choose a box")
    other.page.locator("#setup-open").click()
    assert [one for one in card_of(other.page) if one] == ["3", "24", "11346", "0", "50"]
    other.context.close()


GAMES: Mapping[str, tuple[dict[str, object], Start]] = {
    "maxi": ({"Sixes": 36, "Tower": 0}, Start({"sixes": 36, "tower": 0})),
    "kniffel": ({"Ones": 3, "Chance": 30}, Start({"ones": 3, "chance": 30})),
    "yacht": ({"Yacht": 50, "Choice": 5}, Start({"yacht": 50, "choice": 5})),
    "yahtzee": ({"Yahtzee": 50, "Ones": 5, "Extra points": 100}, Start({"yahtzee": 50, "ones": 5}, extra=100)),
    "scandinavian+saved-throws": (
        {"Ones": 3, "Saved throws": 2, "Dice": "12345", "Throws left": 4},
        Start({"ones": 3}, saved=2),
    ),
    "scandinavian+forced-order": ({"Ones": 3, "Twos": 6}, Start({"ones": 3, "twos": 6})),
}


@pytest.mark.parametrize("name", GAMES)
def test_every_game_can_be_set_up_by_keyboard(play, name):
    """With jokers and saved throws where a game has them; the log is one that the library reads."""
    typed, start = GAMES[name]
    page = play(f"?rules={name.replace('+', '%2B')}", coach=False).page
    page.locator("#setup-open").focus()
    page.keyboard.press("Enter")
    enter(page, **typed)
    page.locator("#setup-start").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#setup")).to_be_hidden()
    log = stored_log(page)
    assert log.rules == ruleset(name)
    assert log.start == start
    expect(page.locator("#total")).to_have_text(str(start.points))


@pytest.mark.parametrize(
    ("name", "typed", "says"),
    [
        ("yahtzee", {"Yahtzee": 0, "Extra points": 100}, "Extra points: possible are 0."),
        ("scandinavian+saved-throws", {"Ones": 3, "Saved throws": 3}, "Saved throws: possible are 0–2."),
        (
            "scandinavian+forced-order",
            {"Twos": 6},
            "Boxes are filled from top to bottom in this game: none may be left out.",
        ),
    ],
)
def test_what_no_game_leads_to_is_refused(play, name, typed, says):
    page = play(f"?rules={name.replace('+', '%2B')}", coach=False).page
    page.locator("#setup-open").click()
    enter(page, **typed)
    page.locator("#setup-start").click()
    assert said(page) == says
    expect(page.locator("#setup")).to_be_visible()


def test_cards_of_three_players_and_whose_turn_it_is(play):
    page = play("", coach=False, **PHONE).page
    seat(page, ("Ada", "person"), ("Ben", "person"), ("Cleo", "person"))
    page.tap("#setup-open")
    for player, boxes in (("Ada", {"Ones": 3, "Twos": 6}), ("Ben", {"Sixes": 18}), ("Cleo", {})):
        page.locator("#setup-players label", has_text=player).tap()
        enter(page, **boxes)
    page.tap("#setup-start")
    assert said(page) == "These cards cannot be in one round. Boxes filled: Ada 2, Ben 1, Cleo 0."
    enter(page, Chance=20)
    assert page.locator("#setup-turn option").all_inner_texts() == ["Ben"]
    page.evaluate(AXE.read_text())
    check_both_themes(page)
    page.tap("#setup-start")
    assert whose_turn(page) == "Ben"
    assert page.locator(".player b").all_inner_texts() == ["9", "18", "20"]
    for face in "22456":
        page.tap(f"#keypad button:nth-child({face})")
    page.locator(".box[data-category=twos]").tap()
    assert whose_turn(page) == "Cleo"
    logs = [parse_log(log) for log in stored_logs(page)]
    assert [log.n_filled for log in logs] == [2, 2, 1]
    page.reload()
    assert whose_turn(page) == "Cleo"
    kept = json.loads(page.evaluate("localStorage.getItem('yatzy-game')"))
    assert kept["version"] == 3
    choose(page, "random")
    page.tap("#undo")
    assert whose_turn(page) == "Ben"
