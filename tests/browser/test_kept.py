"""Nothing lost: all that a device keeps goes into one file and comes back, elsewhere too, and nothing twice."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import SOON
from browser.test_numbers import COUNT, play_a_game
from browser.test_old import OLD
from browser.test_play import PHONE, play

pytestmark = pytest.mark.compiled

__all__ = ["play"]

ANSWER = {"day": "2026-11-17", "rules": "scandinavian", "action": "keep 6 6", "cost": 0.0, "right": True}


def save(page: Page, path: Path) -> dict:
    """Everything, in a file."""
    page.locator("#numbers-open").click()
    with page.expect_download() as saving:
        page.locator("#history-save").click()
    saving.value.save_as(path)
    page.keyboard.press("Escape")
    return json.loads(path.read_text())


def read_in(page: Page, path: Path) -> str:
    if not page.locator("#numbers").is_visible():
        page.locator("#numbers-open").click()
    page.locator("#history-file").set_input_files(path)
    expect(page.locator("#history-said")).not_to_have_text("")
    return page.locator("#history-said").inner_text()


def entry(page: Page, name: str) -> dict:
    return json.loads(page.evaluate("name => localStorage.getItem(name)", f"yatzy-{name}") or "{}")


def test_everything_goes_to_another_device_and_nothing_is_there_twice(play, tmp_path):
    page = play("?seed=7").page
    log = play_a_game(page)
    page.click("#add-to-deck")
    cards = len(entry(page, "deck")["cards"])
    page.evaluate(
        "answers => localStorage.setItem('yatzy-puzzles', JSON.stringify({ version: 1, answers }))", [ANSWER]
    )
    page.locator(".switch label:has(input[value=always])").click()
    page.keyboard.press("Escape")
    page.click("#roll")
    page.keyboard.press("Space")
    page.keyboard.press("o")
    file = tmp_path / "all.json"
    kept = save(page, file)
    assert len(kept["games"]) == 1
    assert {"game", "choices", "deck", "puzzles"} <= set(kept["kept"])
    # Here everything is known already.
    assert read_in(page, file) == "0 games were added; 1 was here already."
    page.keyboard.press("Escape")
    assert page.evaluate(COUNT, "logs") == 1
    assert len(entry(page, "deck")["cards"]) == cards
    # A device with an answer of its own, and a game under way.
    mine = {**ANSWER, "day": "2026-11-18", "right": False, "cost": 1.5}
    other = play("", **PHONE).page
    other.evaluate(
        "answers => localStorage.setItem('yatzy-puzzles', JSON.stringify({ version: 1, answers }))", [mine]
    )
    # Tests have settings of their own.
    other.evaluate("localStorage.removeItem('yatzy-choices')")
    other.tap("#roll")
    assert read_in(other, file) == "1 game was added."
    expect(other.locator("#leave")).to_contain_text("Scandinavian Yatzy")
    other.tap("#leave-do")
    expect(other.locator("#rating")).to_be_visible(timeout=SOON)
    assert entry(other, "puzzles")["answers"] == [ANSWER, mine]
    assert len(entry(other, "deck")["cards"]) == cards
    assert read_in(other, file) == "0 games were added; 1 was here already."
    # With the dialog closed the page starts again, with the settings of the file and its game.
    with other.expect_navigation():
        other.locator("#numbers form button").tap()
    expect(other.locator("html[data-ready]")).to_be_attached()
    assert other.locator("input[name=hints]:checked").get_attribute("value") == "always"
    assert other.locator(".box.filled").count() == 1
    # The same game under another name is the same game.
    renamed = json.loads(file.read_text())
    renamed.pop("checksum")
    renamed["games"][0]["summary"]["id"] = f"{log.date} Ada"
    renamed["games"][0]["log"]["player"] = "Ada"
    (tmp_path / "renamed.json").write_text(json.dumps(renamed))
    assert read_in(other, tmp_path / "renamed.json") == "0 games were added; 1 was here already."
    # Another one of the same second and name is another game.
    twin = json.loads(json.dumps(renamed))
    twin["games"][0]["summary"]["id"] = log.date
    roll = twin["games"][0]["log"]["turns"][0]["rolls"][0]
    roll[:] = sorted(roll, reverse=True) if roll != sorted(roll, reverse=True) else sorted(roll)
    (tmp_path / "twin.json").write_text(json.dumps(twin))
    assert read_in(other, tmp_path / "twin.json") == "1 game was added."
    assert other.evaluate(COUNT, "logs") == 2


@pytest.mark.parametrize("bad", [7, "{", '{"version": 9}', '{"version": 1, "cards": [{}], "retired": 0}'])
def test_a_bad_entry_changes_nothing(play, tmp_path, bad):
    page = play("", coach=False).page
    (tmp_path / "bad.json").write_text(json.dumps({**without_checksum(), "kept": {"deck": bad}}))
    assert read_in(page, tmp_path / "bad.json") == "bad.json cannot be opened. kept.deck: this cannot be read."
    assert page.evaluate(COUNT, "logs") == 0
    assert entry(page, "deck") == {}


def without_checksum() -> dict:
    return {key: value for key, value in OLD["history"].items() if key != "checksum"}


def test_what_0_2_kept_goes_through_the_file(play, tmp_path):
    """Its game, choices, deck, answers and history, saved by this version and read on another device."""
    page = play("", coach=False).page
    page.evaluate("kept => Object.entries(kept).forEach((one) => localStorage.setItem(...one))", OLD["kept"])
    page.reload()
    (tmp_path / "old.json").write_text(json.dumps(OLD["history"]))
    assert read_in(page, tmp_path / "old.json") == "1 game was added."
    page.keyboard.press("Escape")
    kept = save(page, tmp_path / "all.json")
    assert [one["log"]["turns"] for one in kept["games"]] == [
        one["log"]["turns"] for one in OLD["history"]["games"]
    ]
    other = play("", coach=False).page
    assert read_in(other, tmp_path / "all.json") == "1 game was added."
    with other.expect_navigation():
        other.keyboard.press("Escape")
    expect(other.locator("html[data-ready]")).to_be_attached()
    expect(other.locator("#total")).to_have_text("5")
    assert other.locator("#game").input_value() == "yahtzee"
    assert len(entry(other, "deck")["cards"]) == 3


def test_lasting_storage_is_asked_for_once_there_is_something_to_keep(play):
    asked = """window.asked = 0;
    navigator.storage.persist = async () => { window.asked++; return true; };
    navigator.storage.persisted = async () => window.asked > 0;"""
    page = play("?seed=7", first=asked).page
    page.click("#numbers-open")
    expect(page.locator("#lasting")).to_contain_text("save a file now and then")
    page.keyboard.press("Escape")
    assert page.evaluate("window.asked") == 0
    play_a_game(page)
    page.wait_for_function("window.asked === 1")
    page.click("#numbers-open")
    expect(page.locator("#lasting")).to_have_text("This browser has promised to keep all this.")
