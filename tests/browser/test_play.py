"""The coach's page on a plain static host: whole games by keyboard and by touch, hints, review, trouble."""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from browser.conftest import SHIFTS, SOON, Visit, check_visit, leave_out_coach, open_visit
from browser.test_pages import AXE, check_both_themes, check_theme
from yatzy.coach.advice import Coach, stored_chances
from yatzy.coach.review import review
from yatzy.game.action import Keep, Score
from yatzy.game.aim import Aim
from yatzy.game.dice import SeededDice
from yatzy.game.json import as_json
from yatzy.game.log import GameLog, parse_log, read_logs, write_logs
from yatzy.game.situation import Situation
from yatzy.measure.exact import points_to_come
from yatzy.measure.simulate import play_logs
from yatzy.policies.optimal import Optimal
from yatzy.policies.registry import find_policy
from yatzy.rules import State, scandinavian
from yatzy.solver.advise import lead_word
from yatzy.solver.solve import solve

pytestmark = pytest.mark.compiled

LETTERS = "abcdefgijklmnop"
RULES = scandinavian()
PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
# Dice as random as those of `crypto`, but the same in every run.
SAME_DICE = """let state = 12345;
crypto.getRandomValues = (bytes) => bytes.map(() => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return state >>> 24;
});
"""
OPEN_BOX = ".box:not(:disabled, [aria-disabled=true])"


@pytest.fixture
def play(browser: Browser, address: str) -> Iterator[Callable[..., Visit]]:
    """Opens the coach; what went wrong on the page fails the test."""
    opened: list[Visit] = []

    def open_page(
        query: str = "?seed=7",
        width: int = 1280,
        height: int = 900,
        first: str = "",
        coach: bool = True,
        log: GameLog | None = None,
        **options: object,
    ) -> Visit:
        """With a game under way, the page needs less time than for one that begins: its outlook is shorter."""
        options = {"reduced_motion": "reduce", **options}
        if log:
            query, first = "", first + keep_game(log)
        one = open_visit(browser, address, width, height, **options)
        if not coach:
            leave_out_coach(one.page)
        one.page.add_init_script(SHIFTS + first)
        one.go(f"play/{query}")
        opened.append(one)
        return one

    yield open_page
    for one in opened:
        one.context.close()
        check_visit(one)


@pytest.fixture(scope="module")
def casual_game() -> GameLog:
    """A whole game of someone who plays by feel."""
    return next(play_logs(find_policy("heuristic", RULES), 1, seed=3))


def keep_game(log: GameLog) -> str:
    """A script by which the browser has kept this game since an earlier visit, with outlooks of its turns."""
    outlook = {"theta": 0, "mean": 230.5, "quantiles": [150, 200, 260, 310]}
    seat = {"name": "", "kind": "person", "log": as_json(log), "throws": [], "previous": []}
    seat["outlooks"] = [outlook] * len(log.turns)
    kept = {"format": "yatzy-seats", "version": 2, "now": 0, "seats": [seat]}
    text = json.dumps(json.dumps(kept))
    return f"localStorage.getItem('yatzy-game') ?? localStorage.setItem('yatzy-game', {text});"


def stored_log(page: Page) -> GameLog:
    """The game of the first player as this browser keeps it."""
    return parse_log(json.loads(page.evaluate("localStorage.getItem('yatzy-game')"))["seats"][0]["log"])


def open_log(page: Page, log: GameLog, folder: Path) -> None:
    """Opens a game log by the page's button for files, in place of the game under way."""
    under_way = bool(stored_log(page).turns) or page.locator("#dice [data-face='0']").count() < 5
    page.set_input_files("#file", write_logs([log], folder / "game.json"))
    if under_way:
        page.locator("#leave button[value=leave]").click()
    page.wait_for_function(
        "turns => JSON.parse(localStorage.getItem('yatzy-game')).seats[0].log.turns.length === turns",
        arg=len(log.turns),
    )


def choose(page: Page, value: str) -> None:
    page.locator(f"main .switch label:has(input[value={value}])").click()


def begun(log: GameLog, turns: int) -> GameLog:
    """The first turns of a game; it has a seed, whose dice the page throws from there on."""
    assert log.game == 0
    return replace(log, turns=log.turns[:turns])


def shown_dice(page: Page) -> list[int]:
    return [int(face) for face in page.locator("#dice .face").evaluate_all("all => all.map(e => e.dataset.face)")]


def said_action(page: Page, selector: str) -> str:
    """An action as the page says it, in the library's words."""
    text = page.locator(selector).inner_text().strip()
    dice = page.locator(f"{selector} .dice").first
    if dice.count():
        return "keep " + (dice.get_attribute("aria-label") or "").replace(",", "")
    return re.sub(r" for\s\d+.*", "", text.replace("\n", " ")).lower().replace("cross out", "score")


def check_dice_are_those_of_the_seed(log: GameLog, seed: int) -> None:
    source = SeededDice(RULES, seed)
    for number, turn in enumerate(log.turns):
        assert turn.rolls[0] == source.throw(number, 0, 5)
        for throw, (keep, roll) in enumerate(zip(turn.keeps, turn.rolls[1:], strict=True), start=1):
            assert roll[: len(keep)] == keep
            assert roll[len(keep) :] == source.throw(number, throw, 5 - len(keep))


def check_review(page: Page, log: GameLog, coach: Coach) -> None:
    """What the page says about the game is what the library says, and it adds up."""
    expect(page.locator("#term-score")).to_be_visible(timeout=SOON)
    found = review(log, coach.table)
    number = {
        term: float(re.search(r"[-\d.]+", page.locator(f"#term-{term} b").inner_text().replace("−", "-"))[0])
        for term in ("start", "luck", "lost", "score")
    }
    assert page.locator("#review-score").inner_text() == str(log.score)
    assert number["score"] == log.score
    assert round(number["start"] + number["luck"] + number["lost"], 6) == log.score
    assert number["start"] == pytest.approx(found.start_value, abs=0.051)
    assert number["luck"] == pytest.approx(found.luck, abs=0.11)
    assert -number["lost"] == pytest.approx(found.lost, abs=0.051)
    if page.locator("#show-mistakes").count():
        page.locator("#show-mistakes").click()
    regrets = page.locator(".mistakes li").evaluate_all("all => all.map(e => Number(e.dataset.regret))")
    assert regrets == pytest.approx([one.regret for one in found.mistakes], abs=2e-3)
    losses = page.locator(".words li").evaluate_all(
        "all => all.map(e => [+e.dataset.loss, parseInt(e.innerText)])"
    )
    assert losses == [[loss, n] for loss, n in enumerate(found.words.values()) if n]
    page.locator(".replay summary").click()
    totals = page.locator(".replay tr:last-child td").all_inner_texts()
    assert totals == [str(log.score), str(found.replay.score)]
    for column in (1, 2):
        cells = [int(text) for text in page.locator(f".replay td:nth-of-type({column})").all_inner_texts()]
        assert sum(cells[:-1]) == cells[-1]


def test_a_whole_game_by_keyboard(play, coach):
    page = play().page
    for letter in LETTERS:
        page.keyboard.press("Space")
        page.keyboard.press("1")
        page.keyboard.press("4")
        page.keyboard.press("Space")
        page.keyboard.press("4")
        page.keyboard.press("Space")
        page.keyboard.press(letter)
    log = stored_log(page)
    assert log.is_finished
    assert log.seed == 7
    assert [turn.category for turn in log.turns] == [category.name.lower() for category in RULES.categories]
    assert all(len(turn.keeps[0]) == 2 and len(turn.keeps[1]) == 1 for turn in log.turns)
    check_dice_are_those_of_the_seed(log, 7)
    assert page.locator("#total").inner_text() == str(log.score)
    assert page.locator("#review-title").evaluate("e => e === document.activeElement")
    check_review(page, log, coach)
    page.keyboard.press("Tab")
    page.locator("#roll").press("Space")
    assert page.locator("#total").inner_text() == "0"
    assert page.locator("#review").is_hidden()


def test_a_whole_game_by_touch_on_a_phone(play, coach):
    """One thumb: everything to press is within reach and large enough, and nothing jumps."""
    one = play("", first=SAME_DICE, **PHONE)
    page = one.page
    for turn in range(15):
        page.tap("#roll")
        for place in (turn % 5, (turn + 2) % 5):
            page.tap(f".die-button:nth-child({place + 1})")
        if turn == 4:
            page.tap("#advice")
            expect(page.locator("#advice")).to_have_attribute("data-kind", "told")
            page.tap("#more")
            assert page.locator("#ranking").is_visible()
            page.tap("#close-ranking")
            assert page.locator("#ranking").is_hidden()
        page.tap("#roll")
        if turn == 3:
            small = page.locator("button:visible, input:visible").evaluate_all(
                """all => all.map(e => [e.id || e.className, (e.closest("label") ?? e).getBoundingClientRect()])
                  .filter(([, r]) => Math.min(r.width, r.height) < 40).map(([name]) => name)"""
            )
            assert small == []
            dock = page.locator("#dock").bounding_box()
            assert dock["y"] + dock["height"] == 844
        page.locator(OPEN_BOX).last.tap()
    log = stored_log(page)
    assert log.is_finished
    assert log.scheme == "by-die"
    assert all(len(turn.keeps) == 1 and len(turn.keeps[0]) == 2 for turn in log.turns)
    check_review(page, log, coach)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shifts = page.evaluate("window.shifts")
    assert sum(value for value, _ in shifts) < 0.02, shifts


def test_a_reload_in_the_middle_keeps_everything(play):
    page = play().page
    choose(page, "always")
    page.fill("#target", "250")
    page.locator("#target").blur()
    for letter in "fog":
        page.keyboard.press("Space")
        page.keyboard.press(letter)
    page.keyboard.press("Space")
    page.keyboard.press("2")
    page.keyboard.press("Space")
    page.keyboard.press("5")
    told = page.locator("#advice[data-kind=told]")
    seen = """() => [...document.querySelectorAll("#card [id], .box, .die-button, #roll, #said, #lead, #yours")]
      .map((e) => [e.getAttribute("aria-label"), e.getAttribute("aria-pressed"), e.innerText])"""
    expect(told).to_be_visible(timeout=SOON)
    before = page.evaluate(seen)
    page.reload()
    expect(told).to_be_visible(timeout=SOON)
    assert page.evaluate(seen) == before
    assert page.input_value("#target") == "250"
    page.keyboard.press("Space")
    page.keyboard.press("a")
    check_dice_are_those_of_the_seed(stored_log(page), 7)
    page.evaluate("localStorage.setItem('yatzy-game', '{\"version\": 99}')")
    page.reload()
    assert page.locator("#total").inner_text() == "0"


def test_a_score_can_be_taken_back_until_the_next_roll(play):
    page = play().page
    page.keyboard.press("z")
    assert page.locator("#undo").get_attribute("aria-disabled") == "true"
    page.keyboard.press("Space")
    page.keyboard.press("3")
    page.keyboard.press("Space")
    dice = shown_dice(page)
    page.keyboard.press("z")
    assert shown_dice(page) == dice
    page.keyboard.press("o")
    assert page.locator("#total").inner_text() == str(sum(dice))
    page.keyboard.press("z")
    assert page.locator("#total").inner_text() == "0"
    assert shown_dice(page) == dice
    page.keyboard.press("o")
    page.keyboard.press("Space")
    page.keyboard.press("z")
    assert page.locator("#total").inner_text() == str(sum(dice))
    page.keyboard.press("o")
    assert len(stored_log(page).turns) == 1


def test_keys_do_what_a_focused_control_says(play):
    """Space on a die holds it; with no control in focus it rolls. A pointer leaves the keyboard to the game."""
    page = play().page
    page.keyboard.press("Space")
    first, roll = page.locator(".die-button").first, page.locator("#roll")
    first.focus()
    page.keyboard.press("Space")
    assert first.get_attribute("aria-pressed") == "true"
    assert "2 left" in roll.inner_text()
    first.click()
    assert first.get_attribute("aria-pressed") == "false"
    page.keyboard.press("Space")
    assert "1 left" in roll.inner_text()
    for key in "12345":
        page.keyboard.press(key)
    assert roll.get_attribute("aria-disabled") == "true"
    page.keyboard.press("Space")
    assert "choose a box" in roll.inner_text()
    page.keyboard.press("?")
    assert page.locator("#help-text").is_visible()
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    assert page.locator("#help-text").is_hidden()
    assert stored_log(page).turns == ()


def test_hints_are_the_librarys(play, coach, casual_game, tmp_path):
    page = play(log=begun(casual_game, 10)).page
    compared = 0
    for turns in (3, 10):
        log = begun(casual_game, turns)
        open_log(page, log, tmp_path)
        for throw in range(3):
            page.keyboard.press("Space")
            if throw == 0:
                assert tuple(shown_dice(page)) == SeededDice(RULES, 3).throw(turns, 0, 5)
            assert page.locator(".box.best").count() == 0
            page.keyboard.press("h")
            expect(page.locator("#advice")).to_have_attribute("data-kind", "told")
            advice = coach.advise(Situation.of(coach.rules, tuple(shown_dice(page)), 2 - throw, log.states[-1]))
            assert said_action(page, "#said") == str(advice.best)
            assert page.locator("#lead").inner_text() == advice.lead
            ranked = [float(text) for text in page.locator("#ranked .value").all_inner_texts()]
            expected = [sum(log.points) + action.value for action in advice.actions[:12]]
            assert ranked == pytest.approx(expected, abs=0.0501)
            best = advice.best
            marked = page.locator(".box.best").evaluate_all("all => all.map(e => e.dataset.category)")
            assert marked == ([best.category] if isinstance(best, Score) else [])
            page.keyboard.press(str(throw + 1))
            if throw < 2 and "What you hold" in page.locator("#yours").inner_text():
                kept = [
                    face for face, button in zip(shown_dice(page), page.locator(".die-button").all(), strict=True)
                    if button.get_attribute("aria-pressed") == "true"
                ]  # fmt: skip
                regret = advice.of(Keep(tuple(sorted(kept)))).regret
                said = page.locator("#yours").inner_text()
                number = re.search(r"\d+\.\d", said)
                assert (float(number[0]) if number else 0) == pytest.approx(regret, abs=0.0501)
                assert number or re.search("best|good|nothing", said)
                compared += bool(number)
    assert compared
    assert lead_word(0.2) == "close call"


def test_hints_off_says_nothing(play):
    one = play()
    choose(one.page, "off")
    one.page.keyboard.press("Space")
    one.page.keyboard.press("h")
    # A hint that were asked for would be there before the answer to what is asked now.
    one.page.keyboard.press("Space")
    expect(one.page.locator("#roll")).to_contain_text("1 left")
    assert one.page.locator("#advice").get_attribute("data-kind") == "off"
    assert one.page.locator("#ranked li").count() == 0


def test_dice_from_a_real_table(play, coach, tmp_path):
    """Faces are tapped or typed, nothing else; a die can be picked to be set, and a wrong face is taken back."""
    page = play(**PHONE).page
    choose(page, "entered")
    for face in (6, 6, 1):
        page.tap(f"#keypad button:nth-child({face})")
    page.tap(".die-button:nth-child(5)")
    page.tap("#keypad button:nth-child(2)")
    assert shown_dice(page) == [6, 6, 1, 0, 2]
    page.tap("#undo")
    page.tap(".die-button:nth-child(5)")
    page.keyboard.press("5")
    assert shown_dice(page) == [6, 6, 1, 0, 5]
    assert page.locator(".box[data-category=sixes] .points").inner_text() == ""
    page.reload()
    page.keyboard.press("3")
    assert shown_dice(page) == [6, 6, 1, 3, 5]
    assert page.locator(".box[data-category=sixes] .points").inner_text() == "12"
    page.tap(".die-button:nth-child(1)")
    page.tap(".die-button:nth-child(2)")
    for face in (6, 2, 2):
        page.tap(f"#keypad button:nth-child({face})")
    assert shown_dice(page) == [6, 6, 6, 2, 2]
    page.tap("#undo")
    assert shown_dice(page) == [6, 6, 6, 2, 0]
    page.tap("#undo")
    page.keyboard.press("Backspace")
    assert shown_dice(page) == [6, 6, 1, 3, 5]
    assert page.locator(".die-button[aria-pressed=true]").count() == 2
    page.keyboard.press("Space")
    for face in "644":
        page.keyboard.press(face)
    page.tap("#advice")
    expect(page.locator("#advice")).to_have_attribute("data-kind", "told")
    assert said_action(page, "#said") == str(
        coach.advise(Situation.of(coach.rules, (6, 6, 6, 4, 4), 1, State())).best
    )
    page.tap(".box[data-category='full house']")
    log = stored_log(page)
    assert log.seed is None
    assert log.turns[0].rolls == ((6, 6, 1, 3, 5), (6, 6, 6, 4, 4))
    assert log.turns[0].keeps == ((6, 6),)
    assert log.points == (26,)


def test_a_game_is_opened_reviewed_and_saved(play, coach, casual_game, tmp_path):
    page = play(log=begun(casual_game, 10)).page
    open_log(page, casual_game, tmp_path)
    check_review(page, casual_game, coach)
    mistake = page.locator(".mistakes li").first
    found = review(casual_game, coach.table).mistakes[0]
    assert f"Turn {found.turn}," in mistake.inner_text()
    assert found.word in mistake.inner_text()
    assert f"worth {found.regret:.1f} points more" in mistake.inner_text()
    with page.expect_download() as saving:
        page.click("#save")
    (saved,) = read_logs(saving.value.path())
    assert saved == casual_game
    (tmp_path / "bad.json").write_text('{"format": "yatzy-game", "version": 1, "rules": "scandinavian"}')
    page.set_input_files("#file", tmp_path / "bad.json")
    expect(page.locator("#file-trouble")).to_contain_text("turns:")
    (tmp_path / "bad.json").write_text("not a game")
    page.set_input_files("#file", tmp_path / "bad.json")
    expect(page.locator("#file-trouble")).to_contain_text("not JSON")
    assert page.locator("#total").inner_text() == str(casual_game.score)


def test_the_outlook_of_a_new_game_is_there_beforehand(play):
    """A coach that never answers is not needed for it."""
    page = play("", coach=False).page
    expect(page.locator("#heading-for")).to_contain_text("248.4")
    page.keyboard.press("Space")
    expect(page.locator("#fan")).to_have_class(re.compile("stale"))


def test_the_outlook_is_exact_and_follows_target_and_risk(play, coach, casual_game, tmp_path):
    """Late in a game, so that looking ahead is quick; the fan gets earlier turns too, the latest first."""
    one = play()
    page, log = one.page, begun(casual_game, 12)
    open_log(page, log, tmp_path)
    points = sum(log.points)
    expected = points + coach.table.value(log.states[-1].filled, log.states[-1].upper)
    expect(page.locator("#heading-for")).to_have_text(f"Heading for {expected:.1f}")
    to_come, _ = points_to_come(Optimal(coach.table), log.states[-1])
    target = points + int(to_come.argmax())
    page.fill("#target", str(target))
    chance = to_come[target - points :].sum()
    expect(page.locator("#chance")).to_have_text(f"chance {100 * chance:.0f}%")
    assert page.locator("#fan .bin.reaches").count() > 0

    expect(page.locator("#for-it")).to_contain_text("if you play for it")
    page.wait_for_function("() => document.querySelectorAll('#fan .mark').length >= 6")
    means = re.findall(r"\d+|unknown", page.locator("#fan svg").get_attribute("aria-label"))[:13]
    before = zip(log.states, itertools.accumulate(log.points, initial=0), strict=True)
    expected_by_turn = [f"{points + coach.table.value(state.filled, state.upper):.0f}" for state, points in before]
    assert means[-5:] == expected_by_turn[-5:]
    page.locator("#risk").press("End")
    assert page.locator("#risk-text").inner_text() == "all or nothing"
    bold, _ = points_to_come(Optimal(solve(RULES, 0.1)), log.states[-1])
    expect(page.locator("#heading-for")).to_have_text(f"Heading for {points + bold @ np.arange(len(bold)):.1f}")
    page.locator("#risk").press("Home")
    for _ in range(4):
        page.locator("#risk").press("ArrowRight")
    expect(page.locator("#heading-for")).to_have_text(f"Heading for {expected:.1f}")


def test_a_new_game_asks_before_it_takes_the_place_of_another(play):
    page = play("").page
    page.keyboard.press("Space")
    page.keyboard.press("o")
    page.click("#new")
    page.locator("#seating button[value=start]").click()
    page.locator("#leave button[value=stay]").click()
    assert len(stored_log(page).turns) == 1
    page.click("#new")
    page.locator("#seating button[value=start]").click()
    page.locator("#leave button[value=leave]").click()
    expect(page.locator("#total")).to_have_text("0")
    assert stored_log(page).turns == ()


def test_the_page_asks_no_server(play, casual_game, tmp_path):
    """Hint, outlook and review of a game: what is fetched are files of the site, and each of them once."""
    one = play(log=begun(casual_game, 10))
    page = one.page
    page.keyboard.press("Space")
    page.keyboard.press("h")
    expect(page.locator("#advice")).to_have_attribute("data-kind", "told")
    expect(page.locator("#solver")).to_contain_text("Solved 1,430,528 states here in")
    open_log(page, casual_game, tmp_path)
    expect(page.locator("#term-score")).to_be_visible(timeout=SOON)
    assert not [url for url in one.requests if "/api/" in url]
    page.reload()
    expect(page.locator("#solver")).to_have_text("1,430,528 states, solved in this browser before.")


def test_without_the_coach_the_game_goes_on(play):
    """Aborted requests are errors in the console: those are what this test is about."""
    one = play("?seed=9", service_workers="block")
    page = one.page
    page.wait_for_load_state("networkidle")
    page.route("**/assets/worker-*.js", lambda route: route.abort())
    page.reload()
    choose(page, "always")
    page.keyboard.press("Space")
    expect(page.locator("#said")).to_have_text("The coach could not be started here. Your game goes on.")
    for letter in LETTERS:
        page.keyboard.press("Space")
        page.keyboard.press(letter)
    assert stored_log(page).is_finished
    check_dice_are_those_of_the_seed(stored_log(page), 9)
    expect(page.locator("#review-body")).to_contain_text("Your game is kept")
    page.unroute("**/assets/worker-*.js")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#term-score")).to_have_text(re.compile(f"= {stored_log(page).score}"))
    assert all("ERR_FAILED" in error for error in one.errors)
    one.errors.clear()


def test_a_slow_coach_holds_nothing_up(play):
    page = play(service_workers="block").page
    page.wait_for_load_state("networkidle")
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/assets/worker-*.js", hold)
    page.reload()
    page.keyboard.press("Space")
    page.keyboard.press("h")
    expect(page.locator("#said")).to_have_text("The coach is thinking …")
    page.keyboard.press("1")
    page.keyboard.press("Space")
    assert "1 left" in page.locator("#roll").inner_text()
    for route in waiting:
        route.continue_()
    expect(page.locator("#heading-for")).to_contain_text("Heading for")
    assert page.locator("#said").inner_text() == "Show a hint"


@pytest.mark.parametrize("phone", [True, False], ids=["phone", "desk"])
def test_axe_finds_nothing(play, casual_game, tmp_path, phone):
    """The ranked list, the help, entering dice and the review; a desk has the colours of a phone."""
    page = play(color_scheme="light", **(PHONE if phone else {})).page
    check = check_both_themes if phone else lambda page: check_theme(page, "light")
    page.evaluate(AXE.read_text())
    page.keyboard.press("Space")
    page.keyboard.press("2")
    page.keyboard.press("h")
    expect(page.locator("#advice")).to_have_attribute("data-kind", "told")
    page.keyboard.press("h")
    page.locator("#ranked summary").first.click()
    check(page)
    page.keyboard.press("?")
    check(page)
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    choose(page, "entered")
    check(page)
    open_log(page, casual_game, tmp_path)
    expect(page.locator("#term-score")).to_be_visible(timeout=SOON)
    check(page)


def test_the_worker_is_told_a_game_once(play):
    """A bug: all tables of the game, 27 KB, went along with every question."""
    page = play().page
    page.add_init_script(
        """window.sent = [];
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (told) { window.sent.push(told); post.call(this, told); };"""
    )
    page.reload()
    for _ in range(2):
        page.keyboard.press("Space")
        page.keyboard.press("h")
        expect(page.locator("#advice")).to_have_attribute("data-kind", "told", timeout=SOON)
    sent = page.evaluate("window.sent")
    games = [one for one in sent if "ask" not in one]
    assert len(sent) > 3
    assert [one["rules"] for one in games] == ["scandinavian"]
    assert {one["game"] for one in sent if "ask" in one} == {games[0]["fingerprint"]}


def test_a_tap_on_the_hint_holds_its_dice(play, coach):
    page = play(**PHONE).page
    page.tap("#roll")
    page.tap(".die-button:nth-child(1)")
    page.tap("#advice")
    expect(page.locator("#advice")).to_have_attribute("data-kind", "told")
    keep = coach.advise(Situation.of(coach.rules, tuple(shown_dice(page)), 2, State())).best.dice
    page.tap("#advice")
    held = page.locator(".die-button[aria-pressed=true] .face").evaluate_all("all => all.map(e => e.dataset.face)")
    assert sorted(held) == [str(face) for face in keep]
    expect(page.locator("#yours")).to_have_text("What you hold is best.")
    page.tap("#more")
    page.locator("#ranked details").nth(1).locator("summary").tap()
    page.locator("#ranked details").nth(1).get_by_role("button").tap()
    expect(page.locator("#yours")).not_to_have_text("What you hold is best.")


def test_with_a_target_choices_are_ranked_by_its_chance(play, coach, casual_game, tmp_path):
    """Late in a game: exact, as `yatzy advise --target` says."""
    page, log = play(log=begun(casual_game, 10)).page, begun(casual_game, 11)
    open_log(page, log, tmp_path)
    target = sum(log.points) + 60
    page.fill("#target", str(target))
    page.locator("#target").blur()
    page.keyboard.press("Space")
    page.keyboard.press("h")
    expect(page.locator("#worth")).to_have_text(f"On the right: the chance of {target} or more.")
    here = Situation.of(RULES, shown_dice(page), 2, log.states[-1])
    advice = stored_chances().advise(Aim(target=target), coach.table, here, sum(log.points))
    told = [float(text.rstrip("%")) for text in page.locator("#ranked .value").all_inner_texts()]
    assert told == pytest.approx([100 * one.chance for one in advice[:12]], abs=0.051)
    assert said_action(page, "#said") == str(advice.best)
