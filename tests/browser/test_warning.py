"""The coach warns before a mistake: exactly from as many points as one wants, and what was wanted first counts."""

import json

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import SOON
from browser.test_learning import answer
from browser.test_pages import AXE, check_both_themes
from browser.test_play import OPEN_BOX, PHONE, begun, casual_game, choose, play, shown_dice, stored_log
from yatzy.coach.review import review
from yatzy.game.action import Keep
from yatzy.game.situation import Situation
from yatzy.solver.advise import AdvisedAction

pytestmark = pytest.mark.compiled

__all__ = ["casual_game", "play"]


def to_decide(page: Page, coach) -> list[AdvisedAction]:
    """Throw, and wait until the page knows what it may warn of; every action, best first."""
    page.locator("#roll").click()
    log, left = stored_log(page), int(page.locator("#roll").inner_text().split()[-2])
    expect(page.locator("#advice")).to_have_attribute("data-kind", "told", timeout=SOON)
    return list(coach.advise(Situation.of(coach.rules, tuple(shown_dice(page)), left, log.states[-1])))


def test_it_speaks_from_as_many_points_as_one_wants(play, coach, casual_game):
    """On a phone, by somebody who is new here."""
    page = play(log=begun(casual_game, 12), is_new=True, **PHONE).page
    slider, dialog = page.locator("#warn"), page.locator("#warning")
    expect(slider).to_have_attribute("aria-valuetext", "clear slips, from 0.5")
    choose(page, "always")
    actions = to_decide(page, coach)
    slip = min((one for one in actions if one.regret >= 0.5), key=lambda one: one.regret)
    small = max((one for one in actions if one.regret < 0.5), key=lambda one: one.regret)
    mistake = next(one for one in reversed(actions) if not isinstance(one.action, Keep))
    answer(page, slip.action)
    expect(dialog).to_be_visible()
    expect(page.locator("#warning-cost")).to_have_text(f"That costs {slip.regret:.1f} points.")
    dialog.locator("button[value=back]").tap()
    # A second intention is warned of, too; what was wanted first stays.
    answer(page, mistake.action)
    expect(page.locator("#warning-cost")).to_have_text(f"That costs {mistake.regret:.1f} points.")
    expect(page.locator("#warning-why")).to_contain_text("On average you give up", timeout=SOON)
    expect(dialog.locator(".dice, .why-box")).to_have_count(0)
    page.evaluate(AXE.read_text())
    check_both_themes(page)
    page.locator("#warning-show").tap()
    expect(page.locator("#warning-better")).to_contain_text("Better: ")
    expect(page.locator("#warning-better .why")).not_to_be_empty()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert len(stored_log(page).turns) == 12
    throws = json.loads(page.evaluate("localStorage.getItem('yatzy-game')"))["seats"][0]["throws"]
    assert throws[-1]["wanted"] == str(slip.action)
    # What costs less passes without a word, and so does everything when warnings are off.
    answer(page, small.action)
    expect(page.locator("#roll")).to_contain_text("1 left")
    expect(dialog).to_be_hidden()
    slider.focus()
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "never")
    page.evaluate("document.activeElement.blur()")
    page.locator(".box:not(:disabled, [aria-disabled=true])").last.click()
    expect(dialog).to_be_hidden()
    assert stored_log(page).turns[-1].wanted[0] == slip.action


def test_the_review_counts_what_was_wanted_first(play, coach, casual_game):
    page = play(log=begun(casual_game, 13), is_new=True).page
    choose(page, "always")
    actions = to_decide(page, coach)
    worst = next(one for one in reversed(actions) if not isinstance(one.action, Keep))
    answer(page, worst.action)
    page.keyboard.press("Enter")
    expect(page.locator("#warning")).to_be_hidden()
    answer(page, actions[0].action)
    page.evaluate("document.activeElement.blur()")
    for turns in range(len(stored_log(page).turns), 15):
        if not page.locator(OPEN_BOX).count():
            page.locator("#roll").click()
        page.locator(OPEN_BOX).first.click()
        if page.locator("#warning").is_visible():
            page.keyboard.press("Tab")
            page.keyboard.press("Tab")
            page.keyboard.press("Enter")
        page.wait_for_function(
            "n => JSON.parse(localStorage.getItem('yatzy-game')).seats[0].log.turns.length > n", arg=turns
        )
    log = stored_log(page)
    found = review(log, coach.table)
    assert found.spared >= worst.regret - 1e-3
    expect(page.locator("#term-lost b")).to_have_text(f"−{found.lost:.1f}", timeout=SOON)
    expect(page.locator("#term-spared b")).to_have_text(f"+{found.spared:.1f}")
    expect(page.locator("#verdict")).to_contain_text(f"Warnings spared you {found.spared:.1f} points.")
    first = next(i for i, one in enumerate(found.decisions) if one.wanted)
    page.locator("#show-mistakes").click()
    page.locator(".sorting button[value=order]").click()
    page.locator(".decisions button").nth(first).click()
    expect(page.locator("#judged")).to_contain_text("You wanted to ")
    expect(page.locator("#judged")).to_contain_text(str(worst.category), ignore_case=True)
    expect(page.locator("#judged")).to_contain_text("After the warning: You")
