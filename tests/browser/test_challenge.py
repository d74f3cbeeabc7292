"""Beat my dice, the game and the puzzle of a day: one try each, and a link that was changed is refused."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import SOON
from browser.test_pages import AXE, check_both_themes
from browser.test_play import LETTERS, OPEN_BOX, PHONE, play, stored_log
from yatzy.coach.review import review
from yatzy.game.log import GameLog

pytestmark = pytest.mark.compiled

__all__ = ["play"]


def play_out(page: Page, letters: str, hold: bool = False) -> GameLog:
    """Scores the boxes in this order, with or without a second throw that keeps the first die."""
    for letter in letters:
        page.keyboard.press("Space")
        if hold:
            page.keyboard.press("1")
            page.keyboard.press("Space")
        page.keyboard.press(letter)
    page.wait_for_selector("#same .marks")
    return stored_log(page)


def link_of(page: Page, name: str) -> str:
    page.fill("#same-name", name)
    return page.inner_text("#same-text").split()[-1]


def standings(page: Page) -> list[list[str]]:
    rows = page.locator("#same .standings tbody tr:not(.marked)")
    return [row.split("\t") for row in rows.all_inner_texts()]


def expected(name: str, log: GameLog, table: object) -> list[str]:
    return [name, str(log.score), f"{review(log, table).lost:.1f}"]


def test_two_phones_play_a_challenge_from_a_link(play, coach):  # noqa: PLR0915
    """Both see both games, with what the library says that each lost; nobody tries twice."""
    ada, bo = play("", **PHONE).page, play("?seed=4", **PHONE).page
    for letter in LETTERS[:-1]:
        ada.keyboard.press("Space")
        ada.keyboard.press(letter)
    ada.keyboard.press("Space")
    ada.keyboard.press(LETTERS[-1])
    ada.tap("#beat")
    ada.wait_for_selector("#same .marks")
    first = stored_log(ada)
    assert first.scheme == "by-die"
    assert standings(ada) == [expected("You", first, coach.table)]
    said = ada.inner_text("#same-text").splitlines()
    assert said[0] == "Beat my dice · Scandinavian Yatzy"
    assert said[1].startswith(f"{first.score} points, ")
    assert len(said[2]) == 15
    assert not re.search("keep|Ones|Chance", " ".join(said[:3])), "nothing is given away"

    bo.keyboard.press("Space")
    bo.goto(link_of(ada, "Ada <b>"))
    expect(bo.locator("#same-title")).to_have_text("Ada <b> challenges you")
    expect(bo.locator("#same-body")).to_contain_text(f"Ada <b> made {first.score} points with these dice.")
    expect(bo.locator("#same-body")).to_contain_text(
        "Your game under way (Scandinavian Yatzy, turn 1 of 15) would"
    )
    assert bo.locator("#same b").count() == 0
    assert stored_log(bo).seed == 4, "nothing is replaced yet"
    bo.tap("#same-play")
    bo.keyboard.press("Space")
    bo.keyboard.press("h")
    expect(bo.locator("#said")).to_have_text("Turn 1 of 15")
    bo.keyboard.press(LETTERS[-1])
    # Another game in between, and the link again: it goes on where it was.
    bo.evaluate("document.querySelector('#new').click()")
    bo.locator("#seating button[value=start]").tap()
    bo.locator("#leave button[value=leave]").tap()
    bo.evaluate(f"location.hash = {json.dumps(link_of(ada, 'Ada <b>').split('/play/')[1])}")
    expect(bo.locator("#same-play")).to_have_text("Go on")
    bo.tap("#same-play")
    assert len(stored_log(bo).turns) == 1
    second = play_out(bo, LETTERS[-2::-1], hold=True)
    assert (second.seed, second.turns[0].rolls[0]) == (first.seed, first.turns[0].rolls[0])
    both = sorted([("Ada <b>", first), ("You", second)], key=lambda one: -one[1].score)
    assert standings(bo) == [expected(name, log, coach.table) for name, log in both]
    expect(bo.locator("#same-title")).to_contain_text(re.compile("win|tie"))
    expect(bo.locator("#same .where")).to_have_text("Turn 1, after the first throw")
    expect(bo.locator("#same .parting li").first).to_contain_text("Score Yatzy" if second.points[0] else "Yatzy")

    back = link_of(bo, "Bo")
    bo.keyboard.press("Escape")
    assert bo.locator("#undo").is_disabled()
    ada.keyboard.press("Escape")
    ada.goto("about:blank")
    ada.goto(back)
    ada.wait_for_selector("#same .parting .chip")
    names = {"Ada <b>": "You", "You": "Bo"}
    assert standings(ada) == [expected(names[name], log, coach.table) for name, log in both]
    assert stored_log(ada) == first
    ada.evaluate(AXE.read_text())
    check_both_themes(ada)

    # Once more from the start: what was played counts.
    bo.goto("about:blank")
    bo.goto(back)
    bo.wait_for_selector("#same .marks")
    assert stored_log(bo) == second


def test_a_link_that_was_changed_is_refused_in_a_sentence(play):
    one = play("", coach=False, **PHONE)
    page = one.page
    page.click("#practise")
    page.locator("[data-deck=same]").tap()
    page.tap("#same-new")
    expect(page.locator("#same-body")).to_contain_text("New dice for a game of Scandinavian Yatzy")
    link = link_of(page, "Ada")
    page.keyboard.press("Escape")
    kept = page.evaluate("localStorage.getItem('yatzy-game')")
    for n in range(9, len(link) - link.index("#")):
        at = link.index("#") + n
        changed = link[:at] + ("x" if link[at] != "x" else "y") + link[at + 1 :]
        page.evaluate("hash => { location.hash = hash; }", changed[changed.index("#") :])
        expect(page.locator("#same .trouble")).to_have_text("The challenge cannot be opened. The link is damaged.")
        page.evaluate(
            "document.querySelector('#same').close(); document.querySelector('#same-body').replaceChildren()"
        )
    assert page.evaluate("localStorage.getItem('yatzy-game')") == kept
    page.evaluate("hash => { location.hash = hash; }", link[link.index("#") :])
    expect(page.locator("#same-title")).to_have_text("Ada challenges you")


def test_the_game_of_a_day_is_the_same_for_everybody_and_played_once(play):
    """By the date on the device; its dice are frozen (`tests/game/dice.json`)."""
    logs = []
    for zone in ("Pacific/Auckland", "UTC"):
        page = play("", timezone_id=zone, **PHONE).page
        page.clock.set_fixed_time("2026-11-19T03:00:00Z")
        page.click("#practise")
        page.locator("[data-deck=day]").tap()
        expect(page.locator("#same-title")).to_have_text("The day’s game, November 19, 2026")
        page.tap("#day-play")
        logs.append(play_out(page, LETTERS))
        page.keyboard.press("Escape")
    assert logs[0].seed == logs[1].seed == 120261119
    assert logs[0].turns == logs[1].turns
    assert logs[0].turns[0].rolls[0] == (3, 5, 3, 4, 3)
    page.click("#practise")
    expect(page.locator("[data-deck=day] span")).to_contain_text(f"{logs[1].score} points, ")
    page.locator("[data-deck=day]").tap()
    expect(page.locator("#streak")).to_have_text("One day in a row.")
    expect(page.locator(".days li")).to_contain_text("November 19, 2026")
    page.tap("#day-play")
    page.wait_for_selector("#same .marks")
    assert stored_log(page) == logs[1]
    page.keyboard.press("Escape")
    # The next day there is another, and the streak goes on.
    page.clock.set_fixed_time("2026-11-20T03:00:00Z")
    page.click("#practise")
    page.locator("[data-deck=day]").tap()
    expect(page.locator("#streak")).to_have_text("One day in a row.")
    page.tap("#day-play")
    play_out(page, LETTERS)
    assert stored_log(page).seed == 120261120
    page.keyboard.press("Escape")
    page.click("#practise")
    page.locator("[data-deck=day]").tap()
    expect(page.locator("#streak")).to_have_text("2 days in a row.")
    page.evaluate(AXE.read_text())
    check_both_themes(page)


def test_a_puzzle_that_was_answered_stays_answered(play):
    page = play("", **PHONE).page
    page.clock.set_fixed_time("2026-02-07T03:00:00Z")

    def ask() -> None:
        page.click("#practise")
        page.locator("[data-deck=puzzle]").tap()
        expect(page.locator("#lesson h2")).to_have_text("Puzzle of February 7, 2026", timeout=SOON)

    ask()
    page.wait_for_selector("html[data-view=drill]", state="attached")
    page.locator(OPEN_BOX).first.tap()
    said = page.locator("#judged").inner_text()
    page.tap("#leave-drill")
    for _ in range(2):
        ask()
        expect(page.locator("#judged")).to_have_text(said)
        page.tap("#leave-drill")
    kept = json.loads(page.evaluate("localStorage.getItem('yatzy-puzzles')"))
    assert len(kept["answers"]) == 1
    page.click("#practise")
    expect(page.locator("[data-deck=puzzle] span")).to_contain_text("another one tomorrow")
