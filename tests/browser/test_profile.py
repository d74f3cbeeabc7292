"""The profile: thirty questions in the page, the habits that fit, and what they are worth."""

import json
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from browser.conftest import leave_out_coach
from browser.test_learning import answer
from browser.test_pages import AXE
from browser.test_play import PHONE, play
from yatzy.coach.profile import HabitEvaluator, Habits, Profile, choice_chances, draw_choices
from yatzy.coach.quiz import Quiz, read_quiz
from yatzy.game.action import Keep, Score
from yatzy.site.tables import as_text, describe_game

pytestmark = pytest.mark.compiled

__all__ = ["play"]

# Places in the grid of theta, gamma and depth, and beta: far-sighted and sure, short-sighted, bold and careless.
PLAYERS = [((2, 4, 3), 6.0), ((2, 2, 0), 2.0), ((4, 4, 3), 0.6)]
# Exact means take a minute of work: here they are there.
WORTH = {"mean": 221.9, "best": 248.4, "costs": [{"habit": "depth", "mean": 231.0, "gain": 9.1}]}


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
        at = question.situation
        answer(page, Score(at.open[0]) if choice == Keep(at.dice) else choice)


def kept(page: Page) -> dict:
    return json.loads(page.evaluate("localStorage.getItem('yatzy-profile')"))


@pytest.mark.parametrize(("place", "beta"), PLAYERS, ids=["far-sighted", "this turn only", "bold"])
def test_a_simulated_player_is_told_what_fits(play, place, beta):
    quiz = read_quiz()
    answers = answers_of(quiz, place, beta, seed=7)
    page = play(coach=False, **PHONE).page
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
    assert (f"{fit.habits.gamma:.2f} of a point now" in told) == (fit.habits.depth > 0)
    better = 1 / (1 + np.exp(-fit.habits.beta))
    assert f"{'over 99%' if better >= 0.995 else f'{better:.0%}'} of the time" in told
    risk = Profile(quiz.rules, fit).sentences["theta"].split(" (")[0]
    assert {
        "plays for the average": "for the best average",
        "seeks risk": "seek risk",
        "avoids risk": "avoid risk",
    }[risk] in told
    expect(page.locator("#working")).to_contain_text("exactly")


def test_what_habits_are_worth_is_told_and_kept(play):
    """On the way it says how far it is. The numbers are told to this page: the next test works some out."""
    one = play(coach=False)
    page, quiz = one.page, read_quiz()
    tells = f"""const games = new Map();
    onmessage = ({{ data }}) => {{
      if (!data.ask) return games.set(data.fingerprint, data);
      const {{ id, ask }} = data;
      if (ask.kind !== "worth") return;
      const channel = new BroadcastChannel("asked");
      channel.onmessage = () => postMessage({{ id, answer: {json.dumps(WORTH)} }});
      channel.postMessage([games.get(data.game).rules, ask.habits]);
      postMessage({{ id, share: 0.25 }});
    }};"""
    page.route("**/worker-*.js", lambda route: route.fulfill(body=tells, content_type="text/javascript"))
    best = {n: int(np.argmax(one.values[2, 4, 3])) for n, one in enumerate(quiz.questions)}
    page.evaluate("kept => localStorage.setItem('yatzy-profile', JSON.stringify(kept))",
                  {"version": 1, "answers": best})  # fmt: skip
    page.reload()
    page.evaluate(
        """() => {
          window.asked = new BroadcastChannel("asked");
          asked.onmessage = ({ data }) => (asked.data = data);
        }"""
    )
    open_profile(page)
    expect(page.locator("#working")).to_contain_text("25")
    page.wait_for_function("() => window.asked.data")
    rules, habits = page.evaluate("asked.data")
    assert rules == "scandinavian"
    fitted = quiz.fit(best).habits
    for name in ("theta", "beta", "gamma", "depth"):
        assert habits[name] == pytest.approx(getattr(fitted, name), abs=1e-6), name
    page.evaluate("asked.postMessage('go on')")
    expect(page.locator("#profile-mean")).to_contain_text("221.9 points on average")
    assert kept(page)["worth"] == WORTH
    page.unroute("**/worker-*.js")
    leave_out_coach(page)
    page.reload()
    open_profile(page)
    expect(page.locator("#profile-mean")).to_contain_text("221.9")


def test_the_worker_says_what_habits_are_worth(play, small_rules):
    """A small game: the whole one, by the same code, is in tests/site/test_measuring.py."""
    one = play()
    worker = next(url for url in one.requests if "/worker-" in url)
    habits = Habits(theta=0.05, beta=2.0, gamma=0.9, depth=2)
    game = json.loads(as_text(describe_game(replace(small_rules, name="scandinavian"))))
    told = one.page.evaluate(
        """([url, game, habits]) => new Promise((done) => {
          const worker = new Worker(url, { type: "module" }), shares = [];
          worker.onmessage = ({ data }) => "share" in data ? shares.push(data.share) : done({ shares, ...data });
          worker.postMessage(game);
          worker.postMessage({ id: 1, game: game.fingerprint, ask: { kind: "worth", habits } });
        })""",
        [worker, game, vars(habits)],
    )
    true = HabitEvaluator(small_rules).worth(habits)
    assert told["answer"]["mean"] == pytest.approx(true.mean, abs=1e-4)
    assert told["answer"]["best"] == pytest.approx(true.best, abs=1e-4)
    assert {cost["habit"] for cost in told["answer"]["costs"]} == {cost.habit for cost in true.costs}
    gains = [cost["gain"] for cost in told["answer"]["costs"]]
    assert gains == sorted(gains, reverse=True)
    assert told["shares"] == sorted(told["shares"]) != []


def test_one_can_stop_and_go_on_and_begin_again(play):
    page = play(coach=False, **PHONE).page
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
    page = play(coach=False).page
    page.evaluate("text => localStorage.setItem('yatzy-profile', text)", damage)
    page.reload()
    open_profile(page)
    expect(page.locator("#profile-start")).to_be_visible()
    assert page.evaluate("localStorage.getItem('yatzy-profile-set-aside')") == damage


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_profile(play, scheme):
    page = play(color_scheme=scheme, coach=False, **PHONE).page
    answers = answers_of(read_quiz(), *PLAYERS[1], seed=7)
    page.evaluate("kept => localStorage.setItem('yatzy-profile', JSON.stringify(kept))",
                  {"version": 1, "answers": answers, "worth": WORTH})  # fmt: skip
    open_profile(page)
    expect(page.locator("#costs li")).to_have_count(1)
    page.evaluate(AXE.read_text())
    found = page.evaluate("() => axe.run('#numbers').then(({ violations }) => violations.map(({ id }) => id))")
    assert found == []
