"""Your numbers: the history of games on a device, its file, and what it tells."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import SOON
from browser.test_pages import AXE, EVERYTHING, check_both_themes, problems
from browser.test_play import LETTERS, PHONE, play, stored_log
from yatzy import leaks
from yatzy.coach.leak import MIN_GAMES
from yatzy.coach.level import UNCLEAR, published_levels
from yatzy.coach.review import review
from yatzy.game.json import as_json
from yatzy.game.log import GameLog, parse_log
from yatzy.measure.exact import points_to_come
from yatzy.measure.simulate import play_logs
from yatzy.policies.baselines import Greedy
from yatzy.policies.optimal import Optimal
from yatzy.rules import State, scandinavian

pytestmark = pytest.mark.compiled

__all__ = ["play"]

COUNT = """name => new Promise((done) => {
  const asked = indexedDB.open("yatzy-history", 1);
  asked.onupgradeneeded = () =>
    ["summaries", "logs"].forEach((name) => asked.result.createObjectStore(name, { keyPath: "id" }));
  asked.onsuccess = () => {
    const request = asked.result.transaction(name).objectStore(name).count();
    request.onsuccess = () => { asked.result.close(); done(request.result); };
  };
})"""
# Many games, as the page itself would keep them; only what is counted.
FILL = """n => new Promise((done) => {
  const asked = indexedDB.open("yatzy-history", 1);
  asked.onupgradeneeded = () =>
    ["summaries", "logs"].forEach((name) => asked.result.createObjectStore(name, { keyPath: "id" }));
  asked.onsuccess = () => {
    const all = asked.result.transaction("summaries", "readwrite");
    for (let i = 0; i < n; i++) {
      const date = new Date(1.6e12 + i * 3.6e6).toISOString().slice(0, 19);
      const lost = 10 + (i * 7919 % 101) / 10;
      const lostBy = { throws: [lost, 0, 0], stages: [0, lost, 0], boxes: { ones: lost }, dice: { pair: lost } };
      const game = { id: date, date, rules: "scandinavian", score: 150 + i % 150, start: 248.44, decisions: 40 };
      all.objectStore("summaries").put({ ...game, lost, lostBy });
    }
    all.oncomplete = () => { asked.result.close(); done(); };
  };
})"""


def play_a_game(page: Page) -> GameLog:
    for letter in LETTERS:
        page.keyboard.press("Space")
        page.keyboard.press("2")
        page.keyboard.press("Space")
        page.keyboard.press(letter)
    expect(page.locator("#term-score")).to_be_visible(timeout=SOON)
    page.wait_for_function(f"async () => await ({COUNT})('logs') > 0")
    return stored_log(page)


def test_a_finished_game_is_counted_and_goes_through_a_file(play, coach, tmp_path):
    page = play("?seed=7").page
    log = play_a_game(page)
    found = review(log, coach.table)
    page.click("#numbers-open")
    expect(page.locator("#rating")).to_have_text(f"Your decisions cost {found.lost:.1f} points a game")
    expect(page.locator("#level")).to_have_text("Too few games to tell your level: 4 more are needed.")
    unclear = [one.regret for one in found.decisions if one.lead and UNCLEAR[0] <= one.lead <= UNCLEAR[1]]
    each = sum(unclear) / len(unclear)
    expect(page.locator("#numbers-body")).to_contain_text(f"You lose {each:.2f} per decision that is not obvious.")
    # Among players whose means are known, best first.
    means = [*(one.mean for one in published_levels()["scandinavian"].references), found.start_value]
    shown = sorted([*means, found.start_value - found.lost], reverse=True)
    assert page.locator(".ladder b").all_inner_texts() == [f"{mean:.1f}" for mean in shown]
    expect(page.locator(".ladder .mine .name")).to_have_text("you")
    by_throw = [float(text) for text in page.locator(".bars:not(.ladder)").first.locator("b").all_inner_texts()]
    expected = [sum(one.regret for one in found.decisions if one.rerolls == left) for left in (2, 1, 0)]
    assert by_throw == pytest.approx(expected, abs=0.06)
    pmf, _ = points_to_come(Optimal(coach.table), State())
    # Bug: a score that nearly every game reaches was "one in 1.0 games of perfect play".
    assert pmf[log.score :].sum() > 0.995
    expect(page.locator("#likely")).to_contain_text("over 99% of games of perfect play", timeout=SOON)
    with page.expect_download() as saving:
        page.click("#history-save")
    text = saving.value.path().read_text()
    saved = json.loads(text)
    assert (saved["format"], saved["version"], len(saved["games"])) == ("yatzy-history", 1, 1)
    assert parse_log(saved["games"][0]["log"]) == log
    # A damaged file is refused in a sentence, and nothing is lost.
    (tmp_path / "bad.json").write_text(text.replace('"score":', '"score":1', 1))
    page.set_input_files("#history-file", tmp_path / "bad.json")
    expect(page.locator("#history-said")).to_contain_text("bad.json cannot be opened.")
    assert page.evaluate(COUNT, "logs") == 1
    page.click("#history-forget")
    page.click("#history-forget")
    expect(page.locator("#numbers-body")).to_contain_text("No games yet.")
    page.set_input_files("#history-file", saving.value.path())
    expect(page.locator("#history-said")).to_have_text("1 game was added.")
    expect(page.locator("#rating")).to_contain_text(f"{found.lost:.1f}")


def test_ten_thousand_games(play):
    """All of them are counted; what is drawn does not grow with them."""
    page = play("", **PHONE).page
    page.evaluate(FILL, 10_000)
    page.tap("#numbers-open")
    expect(page.locator("#rating")).to_contain_text("15.0 ± 0.1 points a game")
    expect(page.locator("#numbers-body")).to_contain_text("10,000 games")
    assert page.locator("#trend .mark").count() <= 60
    assert page.locator("#numbers *").count() < 600
    expect(page.locator("#likely")).to_contain_text("one in 3.0 of yours", timeout=SOON)
    page.keyboard.press("Escape")
    page.tap("#roll")
    expect(page.locator("#roll")).to_contain_text("2 left")


def test_a_game_with_hints_is_kept_but_not_counted(play):
    """Bug: whoever did what the hints said had a level, and a "first game with nothing lost"."""
    page = play("?seed=7", **PHONE).page
    page.keyboard.press("Space")
    page.keyboard.press("h")
    page.wait_for_selector("[data-kind=told]", state="attached")
    # It is remembered before anything is decided, and when the page comes back.
    assert stored_log(page).hints
    page.keyboard.press("h")
    page.keyboard.press("Escape")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    for letter in LETTERS:
        page.keyboard.press("Space")
        page.keyboard.press(letter)
    expect(page.locator("#review-hints")).to_contain_text("Hints were shown in this game", timeout=SOON)
    expect(page.locator("#review-body .joy")).to_have_count(0)
    page.wait_for_function(f"async () => await ({COUNT})('logs') > 0")
    assert stored_log(page).hints
    page.tap("#numbers-open")
    expect(page.locator("#with-hints")).to_have_text("One game with hints is kept; it is not counted here.")
    expect(page.locator("#rating")).to_have_count(0)
    with page.expect_download() as saving:
        page.click("#history-save")
    (game,) = json.loads(saving.value.path().read_text())["games"]
    assert game["summary"]["hints"]
    assert parse_log(game["log"]).hints


def test_who_sends_a_game_with_hints_says_so(play):
    page = play("", **PHONE).page
    page.keyboard.press("Space")
    page.keyboard.press("h")
    page.wait_for_selector("[data-kind=told]", state="attached")
    for letter in LETTERS:
        page.keyboard.press("Space")
        page.keyboard.press(letter)
    page.locator("#beat").tap()
    expect(page.locator("#same-text")).to_contain_text("(played with hints)")


def test_few_games_tell_neither_a_level_nor_an_interval(play):
    """Bug: two games cost "75.9 ± 964.9 points a game", and made a level."""
    page = play("", **PHONE).page
    page.evaluate(FILL, 4)
    page.tap("#numbers-open")
    expect(page.locator("#level")).to_have_text("Too few games to tell your level: 1 more is needed.")
    assert "±" not in page.locator("#numbers-body").inner_text()
    assert page.locator(".ladder .range").count() == 0
    page.keyboard.press("Escape")
    page.evaluate(FILL.replace("lost = 10 +", "lost = 60 + 150 * (i % 2) +"), 5)
    page.tap("#numbers-open")
    expect(page.locator("#level")).to_contain_text("Your level: ")
    # However wide the interval is, the scale is that of the players to compare with.
    means = [one.mean for one in published_levels()["scandinavian"].references]
    track, mark, drawn = (
        page.locator(where).bounding_box()
        for where in (".ladder .mine .track", ".ladder .mine .spot", ".ladder .mine .range")
    )
    assert float(page.locator(".ladder .mine b").inner_text()) < min(means)
    assert mark["x"] + mark["width"] / 2 == pytest.approx(track["x"], abs=2)
    assert track["x"] - 1 <= drawn["x"] <= drawn["x"] + drawn["width"] <= track["x"] + track["width"] + 1


def test_a_game_that_is_tried_again_is_not_counted(play):
    page = play("?seed=7").page
    play_a_game(page)
    page.click("#show-mistakes")
    page.locator(".decisions button").first.click()
    page.click("#try-again")
    while page.locator(".box:not(:disabled)").count():
        if page.locator(".box:not(:disabled, [aria-disabled=true])").count() == 0:
            page.keyboard.press("Space")
        page.locator(".box:not(:disabled, [aria-disabled=true])").first.click()
    expect(page.locator("#term-score")).to_be_visible(timeout=SOON)
    assert page.evaluate(COUNT, "logs") == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_numbers(play, scheme):
    page = play("", color_scheme=scheme, **PHONE).page
    page.evaluate(FILL, 30)
    page.evaluate(AXE.read_text())
    page.tap("#numbers-open")
    expect(page.locator("#rating")).to_be_visible()
    assert problems(page, EVERYTHING) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


FILL_LOGS = """games => new Promise((done) => {
  const asked = indexedDB.open("yatzy-history", 1);
  asked.onupgradeneeded = () =>
    ["summaries", "logs"].forEach((name) => asked.result.createObjectStore(name, { keyPath: "id" }));
  asked.onsuccess = () => {
    const all = asked.result.transaction(["summaries", "logs"], "readwrite");
    for (const log of games) {
      const { date, rules } = log;
      const lostBy = { throws: [9, 0, 0], stages: [0, 9, 0], boxes: {}, dice: {} };
      const summary = { id: date, date, rules, score: 200, start: 248.44, lost: 9, decisions: 40, lostBy };
      all.objectStore("summaries").put(summary);
      all.objectStore("logs").put({ id: date, log });
    }
    all.oncomplete = () => { asked.result.close(); done(); };
  };
})"""


def greedy_games(n: int) -> list[GameLog]:
    """Games of somebody who takes most points now, as if a person had played them."""
    logs = play_logs(Greedy(scandinavian()), n, seed=1)
    return [replace(log, policy=None, date=f"2026-02-{i:02}T10:00:00") for i, log in enumerate(logs, 1)]


def test_the_habit_that_costs_most_is_named_and_trained(play):
    """As the library names it; a round asks ten questions, none of them twice."""
    logs = greedy_games(MIN_GAMES)
    found = leaks(logs).found
    one = play("", **PHONE)
    page = one.page
    page.evaluate(FILL_LOGS, [as_json(log) for log in logs])
    page.tap("#numbers-open")
    expect(page.locator("#leak")).to_have_text("You take points now that cost you more later.")
    expect(page.locator("#your-leak")).to_contain_text(f"cost you {found.lost:.1f} points a game.")
    expect(page.locator("#your-leak")).to_contain_text(f"loses {found.usual:.1f} that way.")
    expect(page.locator("#your-leak")).to_contain_text(f"You made {found.mistakes} of them in 20 games")
    page.tap("#looked-for summary")
    expect(page.locator("#looked-for li").first).to_contain_text(f"{found.costs:.1f}\xa0±\xa0{found.within:.1f}")
    page.evaluate(AXE.read_text())
    assert problems(page, EVERYTHING) == []
    page.tap("#train")
    asked = set()
    for number in range(1, 11):
        expect(page.locator("#lesson h2")).to_have_text(f"Training · {number} of 10")
        page.locator(".box:not(:disabled, [aria-disabled=true])").first.tap()
        expect(page.locator("#judged")).to_be_visible()
        trained = page.evaluate("JSON.parse(localStorage.getItem('yatzy-training'))")["points-now"]
        asked.add(trained["asked"][-1])
        assert len(asked) == number == len(trained["asked"])
        if number < 10:
            page.tap("#next-question")
    expect(page.locator("#round-done")).to_contain_text("Where the habit costs, you lost ")
    expect(page.locator("#round-done")).to_contain_text(f"In your games it was {found.lost_each:.2f}.")
    (only,) = page.evaluate("JSON.parse(localStorage.getItem('yatzy-training'))")["points-now"]["rounds"]
    assert only["n"] == 5
    assert page.evaluate("localStorage.getItem('yatzy-answers')") is None


def test_before_a_habit_can_be_told_the_page_says_how_many_games_it_takes(play):
    page = play("", **PHONE).page
    page.evaluate(FILL_LOGS, [as_json(log) for log in greedy_games(3)])
    page.tap("#numbers-open")
    expect(page.locator("#leak")).to_have_text(
        "After 17 more games the page can say which habit costs you most. Until then it could be chance."
    )
    assert page.locator("#train").count() == 0


# The games of a league, as the page itself would keep them; only what is counted.
FILL_LEAGUE = """all => new Promise((done) => {
  const asked = indexedDB.open("yatzy-history", 1);
  asked.onupgradeneeded = () =>
    ["summaries", "logs"].forEach((name) => asked.result.createObjectStore(name, { keyPath: "id" }));
  asked.onsuccess = () => {
    const both = asked.result.transaction(["summaries", "logs"], "readwrite");
    for (const { player, lost, scores } of all) lost.forEach((cost, i) => {
      const date = new Date(1.6e12 + i * 3.6e6).toISOString().slice(0, 19);
      const lostBy = { throws: [cost, 0, 0], stages: [0, cost, 0], boxes: {}, dice: {} };
      const game = { id: `${date} ${player}`, date, rules: "scandinavian", score: scores[i], start: 248.44 };
      both.objectStore("summaries").put({ ...game, decisions: 40, lost: cost, lostBy });
      both.objectStore("logs").put({ id: game.id, log: { player } });
    });
    both.oncomplete = () => { asked.result.close(); done(); };
  };
})"""


def test_who_is_really_better(play):
    """The places of the library, in words; without a second player of three games there are none."""
    page = play("", color_scheme="light", **PHONE).page
    told = json.loads((Path(__file__).parents[1] / "coach" / "league.json").read_text())[0]
    first, second, third = told["games"]
    page.evaluate(FILL_LEAGUE, [first, {**second, "lost": second["lost"][:2]}])
    page.tap("#numbers-open")
    expect(page.locator("#league")).to_contain_text("It takes two players with 3 games each.")
    page.keyboard.press("Escape")
    page.evaluate(FILL_LEAGUE, [second, third])
    page.tap("#numbers-open")
    best, next_best, last = told["placed"]
    expect(page.locator("#league .big")).to_have_text(f"{best['player']} plays best: {best['sure']:.0%} sure.")
    says = page.locator("#league")
    expect(says).to_contain_text(f"About {best['more']} games more each to be 95% sure.")
    expect(says).to_contain_text(f"By scores alone it would take {best['by_scores']:,} games each.")
    expect(says).to_contain_text(f"{next_best['player']} is better than {last['player']}: over 99% sure.")
    names = page.locator("#league tbody th").all_inner_texts()
    assert names == [one["player"] for one in told["placed"]]
    expect(page.locator("#league tbody tr").first).to_contain_text(f"{best['lost']:.1f} ± {best['within']:.1f}")
    page.evaluate(AXE.read_text())
    check_both_themes(page)
