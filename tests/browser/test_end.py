"""The end of a game: the winner, who played best, reviews one tap away, and the dice for those who doubt them."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from browser.conftest import SOON
from browser.test_pages import AXE, check_both_themes
from browser.test_play import PHONE, casual_game, choose, play
from browser.test_table import seat
from yatzy.coach.review import review
from yatzy.game.json import as_json
from yatzy.game.log import GameLog
from yatzy.measure.simulate import play_logs
from yatzy.policies.registry import find_policy
from yatzy.rules import ruleset, scandinavian

pytestmark = pytest.mark.compiled

__all__ = ["casual_game", "play"]

NAMES = ("Ada", "Bengt-Åke", "Cleo")


def named_games(rules: str = "scandinavian", names: Sequence[str] = NAMES) -> list[GameLog]:
    logs = play_logs(find_policy("heuristic", ruleset(rules)), len(names), seed=3)
    return [replace(log, player=name) for name, log in zip(names, logs, strict=True)]


def keep_table(logs: Sequence[GameLog]) -> str:
    """A script by which the browser has kept a table of these games."""
    seats = [
        {"name": log.player, "kind": "person", "log": as_json(log), "throws": [], "previous": [], "outlooks": []}
        for log in logs
    ]
    text = json.dumps(json.dumps({"format": "yatzy-seats", "version": 2, "now": 0, "seats": seats}))
    return f"localStorage.getItem('yatzy-game') ?? localStorage.setItem('yatzy-game', {text});"


def thrown(log: GameLog) -> Counter[int]:
    faces = Counter(face for turn in log.turns for roll in turn.rolls for face in roll)
    faces.subtract(face for turn in log.turns for keep in turn.keeps for face in keep)
    return faces


def test_the_winner_comes_first_and_then_who_played_best(play, coach):
    """Bug: a game of three ended with the first player's review, and the winner was not on the screen."""
    logs = named_games()
    by_score = sorted(logs, key=lambda log: -log.score)
    page = play("", first=keep_table(logs), **PHONE).page
    expect(page.locator("#review-title")).to_have_text(f"{by_score[0].player} wins")
    ahead = by_score[0].score - by_score[1].score
    expect(page.locator("#verdict")).to_have_text(
        f"{by_score[0].score} points, {ahead} more than {by_score[1].player}."
    )
    rows = [row.split("\t") for row in page.locator(".standings tbody tr").all_inner_texts()]
    assert rows == [[f"{i}.", log.player, str(log.score)] for i, log in enumerate(by_score, start=1)]
    standings = page.locator(".standings").bounding_box()
    assert standings["y"] + standings["height"] < page.locator("#dock").bounding_box()["y"]
    # Points lost say who played best: the library's, luck taken out.
    found = {log.player: review(log, coach.table) for log in logs}
    by_loss = sorted(found, key=lambda name: found[name].lost)
    assert by_loss[0] != by_score[0].player
    expect(page.locator("#best tbody tr").first).to_contain_text(f"{found[by_loss[0]].lost:.1f}", timeout=SOON)
    best = [row.split("\t")[:3] for row in page.locator("#best tbody tr").all_inner_texts()]
    assert [name for name, *_ in best] == by_loss
    for name, lost, luck in best:
        assert float(lost) == pytest.approx(found[name].lost, abs=0.051)
        assert float(luck.replace("−", "-")) == pytest.approx(found[name].luck, abs=0.11)
    expect(page.locator("#ending h3").first).to_have_text(f"{by_loss[0]} played best")
    more = found[by_score[0].player].luck - found[by_loss[0]].luck
    said = page.locator("#best-note").inner_text()
    told = float(re.search(rf"gave {by_score[0].player} ([\d.]+) more than {by_loss[0]}", said)[1])
    assert told == pytest.approx(more, abs=0.11)
    assert page.locator("#luck svg").get_attribute("aria-label").count(":") == 4
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert sum(value for value, _ in page.evaluate("window.shifts")) < 0.02
    # Each one's review is one tap away.
    assert page.locator("#review-body").is_hidden()
    page.get_by_role("button", name="Review of Cleo’s game").tap()
    expect(page.locator("#review-of")).to_have_text(f"Cleo: {logs[2].score} points")
    expect(page.locator("#term-score")).to_have_text(re.compile(f"= {logs[2].score}"), timeout=SOON)
    expect(page.locator("#review-of")).to_be_focused()
    expect(page.locator("#review-title")).to_have_text(f"{by_score[0].player} wins")
    # The next game of the table begins, and ends, without it.
    page.tap("#roll")
    expect(page.locator("#review")).to_be_hidden()


def test_those_who_doubt_the_dice_can_count_them(play):
    logs = named_games()
    page = play("", first=keep_table(logs), **PHONE).page
    page.locator("#doubts summary").tap()
    rows = {
        cells[0]: [int(cell) for cell in cells[1:]]
        for cells in (row.split("\t") for row in page.locator("#doubts tbody tr").all_inner_texts())
    }
    for log in logs:
        assert rows[log.player] == [thrown(log)[face] for face in range(1, 7)]
    together = sum((thrown(log) for log in logs), Counter())
    assert rows["Together"] == [together[face] for face in range(1, 7)]
    n = together.total()
    assert (
        f"{n} dice were thrown; each face should show about {n / 6:.1f} times."
        in page.locator("#doubts").inner_text()
    )
    # Pearson's test says 20.0% (scipy.stats.chisquare).
    assert rows["Together"] == [63, 81, 61, 56, 55, 59]
    expect(page.locator("#fair")).to_have_text(
        "Nothing unusual: counts at least this uneven come up in about 20% of games with fair dice."
    )
    assert page.locator(".seeds li").all_inner_texts() == [f"{log.player}: 3" for log in logs]
    page.evaluate(AXE.read_text())
    check_both_themes(page)


def test_a_game_alone_ends_with_its_score(play, casual_game):
    """The review as before, without a winner; its dice are counted too."""
    game = replace(casual_game, player=None)
    seat_file = keep_table([replace(game, player="")]).replace('\\"player\\": \\"\\", ', "")
    page = play("", first=seat_file, **PHONE).page
    expect(page.locator("#review-title")).to_have_text(f"{game.score} points")
    expect(page.locator("#term-score")).to_be_visible(timeout=SOON)
    assert page.locator("#ending").inner_text() == ""
    page.locator("#doubts summary").tap()
    row = page.locator("#doubts tbody tr").all_inner_texts()
    assert [line.split("\t") for line in row] == [["Thrown", *(str(thrown(game)[face]) for face in range(1, 7))]]


def test_a_tie_and_scores_alone(play):
    """Nothing is said about how people played whose dice nobody knows."""
    page = play("", **PHONE).page
    seat(page, ("Ada", "person"), ("Ben", "person"))
    choose(page, "pad")
    for category in scandinavian().categories:
        for _ in range(2):
            page.locator(f".box[data-category='{category.name.lower()}']").tap()
            page.locator("#amounts button").last.tap()
    expect(page.locator("#review-title")).to_have_text("A tie: Ada and Ben")
    expect(page.locator("#verdict")).to_have_text("5 points each.")
    assert [row.split("\t")[0] for row in page.locator(".standings tbody tr").all_inner_texts()] == ["1.", "1."]
    expect(page.locator("#ending")).to_contain_text("Only scores were written")
    assert page.locator("#best").count() == 0
    assert page.locator("#doubts").inner_text() == ""


@pytest.mark.parametrize("rules", ["yahtzee", "kniffel", "yacht", "maxi", "scandinavian+saved-throws"])
def test_every_game_has_an_end(play, rules):
    """Also without a coach: then the page says why nobody played best, and offers nothing that cannot work."""
    logs = named_games(rules, NAMES[:2])
    page = play("", first=keep_table(logs), **PHONE).page
    won = max(logs, key=lambda log: log.score)
    expect(page.locator("#review-title")).to_have_text(f"{won.player} wins")
    if rules in ("maxi", "scandinavian+saved-throws"):
        expect(page.locator("#ending")).to_contain_text("too many for a page")
        assert page.locator("#ending button").count() == 0
        assert page.get_by_text("Try again").count() == 0
    else:
        expect(page.locator("#ending h3").first).to_contain_text("played best", timeout=SOON)
        assert page.locator("#best button").count() == 2
    page.locator("#doubts summary").tap()
    assert page.locator("#doubts tbody tr").count() == 3
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("joy", [True, False])
def test_records_and_firsts_have_a_line_unless_they_are_switched_off(play, joy):
    """Ada makes her first Yatzy; the others make nothing new."""
    choices = f"localStorage.setItem('yatzy-choices', JSON.stringify({{ version: 1, joy: {str(joy).lower()} }}));"
    logs = [replace(log, date="2026-11-18T20:15:00+01:00") for log in named_games()]
    page = play("", first=keep_table(logs) + choices, **PHONE).page
    expect(page.locator("#best tbody tr").first).to_contain_text("87.6", timeout=SOON)
    said = page.locator("#best tr", has_text="Ada").locator(".joy").all_inner_texts()
    assert said == (["First Yatzy"] if joy else [])
    assert page.locator("#best .joy").count() == len(said)
    assert page.locator("#joy").is_checked() == joy
    page.get_by_role("button", name="Review of Ada’s game").tap()
    expect(page.locator("#term-score")).to_be_visible(timeout=SOON)
    assert page.locator("#review-body .joy").all_inner_texts() == said


@pytest.mark.parametrize(("rules", "says"), [("scandinavian", "Yatzy!"), ("kniffel", "Kniffel!"), ("maxi", "")])
def test_five_alike_have_their_moment(play, rules, says):
    """Gold dice and their name, without motion; in Maxi Yatzy it takes six. One switch, and they are dice."""
    page = play(f"?rules={rules}", coach=False, **PHONE).page
    choose(page, "entered")
    page.evaluate("document.activeElement.blur()")
    for face in "555554" if rules == "maxi" else "55555":
        page.keyboard.press(face)
    assert page.locator("#dice.alike").count() == (1 if says else 0)
    if says:
        assert page.locator("#yours").inner_text() == says
        assert page.locator("#live").inner_text().startswith(says)
        assert page.locator(".die-button .face").first.evaluate("e => e.getAnimations().length") == 0
        page.locator("#joy").uncheck()
        assert page.locator("#dice.alike").count() == 0
        assert page.locator("#yours").inner_text() != says
