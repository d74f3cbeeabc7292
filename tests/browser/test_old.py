"""What version 0.2 of the page kept, sent and saved (tests/old/browser.json) is still read."""

import json
from pathlib import Path

from playwright.sync_api import expect

OLD = json.loads((Path(__file__).parents[1] / "old" / "browser.json").read_text())


def test_what_0_2_kept_in_a_browser_is_read(visit):
    """A game under way with its dice, choices from before there were three ways to throw, a deck, and answers."""
    one = visit()
    page = one.go("play/")
    page.evaluate("kept => Object.entries(kept).forEach((one) => localStorage.setItem(...one))", OLD["kept"])
    page.reload()
    expect(page.locator("#total")).to_have_text("5")
    (seat,) = json.loads(OLD["kept"]["yatzy-game"])["seats"]
    faces = page.locator("#dice .face").evaluate_all("all => all.map(e => Number(e.dataset.face))")
    assert faces == seat["throws"][-1]["dice"]
    assert page.locator('input[name="dice"]:checked').get_attribute("value") == "entered"
    assert page.locator('input[name="hints"]:checked').get_attribute("value") == "always"
    page.evaluate("document.querySelector('#practise').click()")
    expect(page.locator('[data-deck="own"]')).to_contain_text("3")
    page.keyboard.press("Escape")
    page.evaluate("document.querySelector('#numbers-open').click()")
    expect(page.locator("#profile-start")).to_contain_text("3 of 30")
    aside = page.evaluate("Object.keys(localStorage).filter((name) => name.endsWith('set-aside'))")
    assert aside == []


def test_a_link_of_0_2_is_read(visit):
    page = visit().go(f"play/{OLD['link']}")
    expect(page.locator("#total")).to_have_text("5")
    assert page.locator("#game").input_value() == "yahtzee"
    assert page.locator(".box.filled").count() == 3


def test_a_history_of_0_2_is_read(visit, tmp_path):
    page = visit().go("play/")
    file = tmp_path / "history.json"
    file.write_text(json.dumps(OLD["history"]))
    page.evaluate("document.querySelector('#numbers-open').click()")
    page.locator("#history-file").set_input_files(file)
    expect(page.locator("#history-said")).to_contain_text("1")
    expect(page.locator("#rating")).to_be_visible()
