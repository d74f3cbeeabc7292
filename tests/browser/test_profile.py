"""The profile: thirty questions in the page, the habits that fit, and what they are worth."""

import json

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from browser.test_learning import answer
from browser.test_pages import AXE
from browser.test_play import PHONE, play
from yatzy.policy.habits import Habits
from yatzy.profiles.fit import choice_chances, draw_choices
from yatzy.profiles.profile import Profile
from yatzy.profiles.quiz import Quiz, read_quiz
from yatzy.rules import format_category, parse_situation

pytestmark = pytest.mark.compiled

__all__ = ["play"]

# Places in the grid of theta, gamma and depth, and beta: far-sighted and sure, short-sighted, bold and careless.
PLAYERS = [((2, 4, 3), 6.0), ((2, 2, 0), 2.0), ((4, 4, 3), 0.6)]
# Exact means take a minute of work: one test waits for them, in the others they are there.
WORTH = {"mean": 221.9, "best": 248.4, "costs": [{"habit": "depth", "mean": 231.0, "gain": 9.1}]}
MINUTES = 240_000


def answers_of(quiz: Quiz, place: tuple[int, int, int], beta: float, seed: int) -> dict[int, int]:
    """What a simulated player answers."""
    generator = np.random.default_rng(seed)
    return {
        number: int(draw_choices(choice_chances(question.values[place][None], beta), generator)[0])
        for number, question in enumerate(quiz.questions)
    }


def open_profile(page: Page) -> None:
    page.locator("#numbers-open").click()
    expect(page.locator("#profile h3")).to_be_visible()


def answer_some(page: Page, quiz: Quiz, answers: dict[int, int], numbers: range) -> None:
    """Who would keep all dice chooses a box, whichever."""
    for number in numbers:
        expect(page.locator("#lesson h2")).to_contain_text(f"{number + 1} of 30")
        question = quiz.questions[number]
        choice = question.choices[answers[number]]
        filled = parse_situation(quiz.rules, question.situation).state.filled
        box = next(c for c in range(quiz.rules.n_categories) if not filled >> c & 1)
        answer(page, f"score {format_category(quiz.rules, box)}" if choice == "keep all" else choice)


def kept(page: Page) -> dict:
    return json.loads(page.evaluate("localStorage.getItem('yatzy-profile')"))


@pytest.mark.parametrize(("place", "beta"), PLAYERS, ids=["far-sighted", "this turn only", "bold"])
def test_a_simulated_player_is_told_what_fits(play, place, beta):
    quiz = read_quiz()
    answers = answers_of(quiz, place, beta, seed=7)
    page = play(**PHONE).page
    open_profile(page)
    page.locator("#profile-start").click()
    answer_some(page, quiz, answers, range(30))
    expect(page.locator("#habits li").first).to_be_visible()
    assert {int(number): choice for number, choice in kept(page)["answers"].items()} == answers
    fit = quiz.fit(answers)
    told = page.locator("#habits").inner_text()
    assert fit.habits.depth == quiz.grid.depths[place[2]]
    sees = "this turn only" if fit.habits.depth == 0 else "to the end of the game"
    assert sees in told
    # Who sees this turn only has nothing later to count.
    assert (f"{fit.habits.gamma:.2f} of points now" in told) == (fit.habits.depth > 0)
    better = 1 / (1 + np.exp(-fit.habits.beta))
    assert f"{'over 99%' if better >= 0.995 else f'{better:.0%}'} of the time" in told
    risk = Profile(quiz.rules, fit).sentences["theta"].split(" (")[0]
    assert {"plays for the average": "for the average", "seeks risk": "seek risk", "avoids risk": "avoid risk"}[
        risk
    ] in told
    expect(page.locator("#working")).to_contain_text("exactly")


def test_what_habits_are_worth_is_worked_out_and_kept(play):
    """Somebody who plays nearly perfectly: what is told stays told, and is what the exact evaluation says."""
    page = play().page
    quiz = read_quiz()
    best = {n: int(np.argmax(one.values[2, 4, 3])) for n, one in enumerate(quiz.questions)}
    page.evaluate("kept => localStorage.setItem('yatzy-profile', JSON.stringify(kept))",
                  {"version": 1, "answers": best})  # fmt: skip
    open_profile(page)
    expect(page.locator("#profile-mean")).to_be_visible(timeout=MINUTES)
    found = kept(page)["worth"]
    fitted = quiz.fit(best).habits
    assert isinstance(fitted, Habits)
    assert 225 < found["mean"] < found["best"] == pytest.approx(248.43999, abs=1e-3)
    assert f"{found['mean']:.1f} points on average" in page.locator("#profile-mean").inner_text()
    assert {cost["habit"] for cost in found["costs"]} >= {"beta", "theta", "gamma"}
    gains = [cost["gain"] for cost in found["costs"]]
    assert gains == sorted(gains, reverse=True)
    page.reload()
    open_profile(page)
    expect(page.locator("#profile-mean")).to_contain_text(f"{found['mean']:.1f}")


def test_one_can_stop_and_go_on_and_begin_again(play):
    page = play(**PHONE).page
    quiz = read_quiz()
    answers = answers_of(quiz, *PLAYERS[0], seed=3)
    open_profile(page)
    page.locator("#profile-start").click()
    answer_some(page, quiz, answers, range(3))
    # The last answer is taken back and given again.
    expect(page.locator("#lesson h2")).to_contain_text("4 of 30")
    page.locator("#question-before").click()
    expect(page.locator("#lesson h2")).to_contain_text("3 of 30")
    assert len(kept(page)["answers"]) == 2
    answer_some(page, quiz, answers, range(2, 3))
    expect(page.locator("#lesson h2")).to_contain_text("4 of 30")
    page.locator("#leave-drill").click()
    page.reload()
    open_profile(page)
    expect(page.locator("#profile-start")).to_have_text("Go on: 3 of 30 answered")
    page.locator("#profile-start").click()
    answer_some(page, quiz, answers, range(3, 30))
    expect(page.locator("#habits li")).to_have_count(4)
    page.locator("#profile-again").click()
    expect(page.locator("#profile-again")).to_have_text("Really delete?")
    assert len(kept(page)["answers"]) == 30
    page.locator("#profile-again").click()
    expect(page.locator("#lesson h2")).to_contain_text("1 of 30")
    assert kept(page)["answers"] == {}


@pytest.mark.parametrize(
    "damage",
    [
        "{",
        "5",
        '{"version":1,"answers":{"0":999}}',
        '{"version":1,"answers":{"77":0}}',
        '{"version":1,"answers":{"0":"length"}}',
        '{"version":1,"answers":{},"worth":{"mean":5}}',
    ],
)
def test_a_damaged_profile_is_set_aside(play, damage):
    page = play().page
    page.evaluate("text => localStorage.setItem('yatzy-profile', text)", damage)
    page.reload()
    open_profile(page)
    expect(page.locator("#profile-start")).to_be_visible()
    assert page.evaluate("localStorage.getItem('yatzy-profile-set-aside')") == damage


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_profile(play, scheme):
    page = play(color_scheme=scheme, **PHONE).page
    answers = answers_of(read_quiz(), *PLAYERS[1], seed=7)
    page.evaluate("kept => localStorage.setItem('yatzy-profile', JSON.stringify(kept))",
                  {"version": 1, "answers": answers, "worth": WORTH})  # fmt: skip
    open_profile(page)
    expect(page.locator("#costs li")).to_have_count(1)
    page.evaluate(AXE.read_text())
    found = page.evaluate("() => axe.run('#numbers').then(({ violations }) => violations.map(({ id }) => id))")
    assert found == []
