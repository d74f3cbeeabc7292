"""Goals over HTTP: advice, outlook and review by the chance of a target, under a risk, and against others."""

import os

import pytest
import requests

from games import LOWER_FIRST
from listening import listening
from server.conftest import PATIENCE
from yatzy import solve
from yatzy.coach.advice import score_worths, stored_chances
from yatzy.coach.outlook import final_scores
from yatzy.coach.review import review
from yatzy.context import Context
from yatzy.game.aim import Aim, Card
from yatzy.game.json import as_json
from yatzy.game.situation import Situation
from yatzy.measure.exact import points_to_come
from yatzy.measure.simulate import play_logs
from yatzy.policies.baselines import Greedy
from yatzy.policies.optimal import Optimal
from yatzy.rules import State, format_category
from yatzy.server.app import create_app
from yatzy.server.coaches import NotYetError, TargetChances
from yatzy.solver.goal import reach
from yatzy.solver.goals import solve_goal
from yatzy.solver.store import goal_path, stored_goal
from yatzy.storage import write_atomically

pytestmark = pytest.mark.compiled

START = {"dice": [4, 6], "rerolls": 1}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server for a game of four boxes."""
    with listening(create_app(LOWER_FIRST, tmp_path_factory.mktemp("home"))) as address:
        yield lambda path, body: requests.post(f"{address}{path}", json=body, timeout=PATIENCE)


def refusal(answer):
    return answer.status_code, answer.json()["error"]["field"]


def test_a_certain_loss_is_not_advised(post, rules):
    """252 points with the bonus, Chance open, 4 4 4 4 4 and one reroll: to reach 274, Chance now is no use."""
    filled = [format_category(rules, c) for c in range(15) if c != 13]
    asked = {"dice": [4] * 5, "rerolls": 1, "filled": filled, "upper": 63, "points": 202}
    assert post("/api/advise", asked).json()["actions"][0]["action"] == "score chance"
    told = post("/api/advise", asked | {"target": 274}).json()
    assert told["actions"][0]["action"] == "keep 4 4 4 4"
    assert (told["goal"], told["target"], told["need"], told["exact"]) == ("reach", 274, 72, True)
    assert told["chance"] == pytest.approx(1 / 6)
    assert told["lead"] == "equal"
    by_action = {action["action"]: action for action in told["actions"]}
    assert by_action["score chance"]["chance"] == 0
    assert by_action["score chance"]["regret"] == 0


def test_advice_is_the_librarys(small):
    table, chances = solve(LOWER_FIRST), stored_chances()
    for aim, asked in [
        (Aim(target=30), {"target": 30}),
        (
            Aim(others=(Card(LOWER_FIRST, State(8, 12), 12),)),
            {"others": [{"filled": ["sixes"], "upper": 12, "points": 12}]},
        ),
    ]:
        told = small("/api/advise", START | asked).json()
        found = chances.advise(aim, table, Situation.of(LOWER_FIRST, (4, 6), 1, State()), 0)
        assert [action["action"] for action in told["actions"]] == [str(one.action) for one in found]
        assert [action["chance"] for action in told["actions"]] == pytest.approx(
            [one.chance for one in found], abs=1e-6
        )
        assert told["chance"] == told["actions"][0]["chance"]
        assert told["value"] == told["actions"][0]["value"]
        assert (told["goal"], told["lead"]) == (found.goal, found.lead)
    assert told["others"] == 1


def test_advice_says_why(small):
    told = small("/api/advise", START | {"why": True}).json()
    for one in told["actions"]:
        assert sum(one["parts"].values()) == pytest.approx(one["regret"], abs=1e-9)
        assert one["why"].endswith(".")
    assert "bonus" in told["actions"][0]["parts"]
    for goal in ({"target": 30}, {"theta": 0.1}, {"others": [{}]}):
        for one in small("/api/advise", START | goal | {"why": True}).json()["actions"]:
            assert "parts" not in one
            assert "bonus" in one["points_by_box"]
            assert one["why"].endswith(".")
    assert "why" not in small("/api/advise", START).json()["actions"][0]


def test_the_outlook_tells_the_chance_of_a_target_and_of_winning(small):
    table = solve(LOWER_FIRST)
    pmf = final_scores(LOWER_FIRST, 0, points_to_come(Optimal(table), State())[0]).pmf
    told = small("/api/distribution", {"target": 30}).json()
    assert told["chance"] == pytest.approx(solve_goal(LOWER_FIRST, reach()).chance(30), abs=1e-6)
    assert told["prob_target"] == pytest.approx(pmf[30:].sum())
    assert told["chance"] >= told["prob_target"]
    assert told["prob_win"] is None
    told = small("/api/distribution", {"others": [{}]}).json()
    assert told["prob_win"] == pytest.approx(1 / 2)
    assert told["chance"] is None
    told = small("/api/distribution", {"others": [{}, {"filled": ["chance"], "points": 12}]}).json()
    assert told["prob_win"] == pytest.approx(
        float(pmf @ score_worths(table, [Card(LOWER_FIRST, State(), 0), Card(LOWER_FIRST, State(4, 0), 12)]))
    )
    # Under a risk the chance is that of playing so, not that of playing for the target.
    assert small("/api/distribution", {"target": 30, "theta": 0.1}).json()["chance"] is None


def test_a_game_is_reviewed_by_its_goal(small):
    log = next(play_logs(Greedy(LOWER_FIRST), 1, seed=2))
    table = solve(LOWER_FIRST)
    for aim, asked in ((Aim(target=30), {"target": 30}), (Aim(theta=0.2), {"theta": 0.2})):
        expected = as_json(review(log.with_aim(aim), table))
        for body in (as_json(log) | asked, as_json(log.with_aim(aim))):
            told = small("/api/review", body).json()
            assert told["words"] == expected["words"]
            goals = [decision["goal"]["lost"] for decision in told["decisions"]]
            assert goals == pytest.approx([one["goal"]["lost"] for one in expected["decisions"]], abs=1e-6)
    assert "goal" not in small("/api/review", as_json(log)).json()["decisions"][0]


@pytest.mark.parametrize(
    ("path", "body", "status", "field"),
    [
        ("/api/advise", START | {"target": 9999}, 409, "target"),
        ("/api/advise", START | {"target": -1}, 422, "target"),
        ("/api/advise", START | {"target": 20, "theta": 0.1}, 409, "target"),
        ("/api/advise", START | {"target": 20, "others": [{}]}, 409, "target"),
        ("/api/advise", START | {"target": 20, "points": 3}, 409, "points"),
        ("/api/advise", START | {"others": [{"upper": 4}]}, 409, "others[0].upper"),
        ("/api/advise", START | {"others": [{}] * 8}, 422, "others"),
        ("/api/advise", START | {"others": [{"saved": 1}]}, 422, "others[0].saved"),
        ("/api/distribution", {"others": [{"points": 1}]}, 409, "others[0].points"),
        ("/api/distribution", {"target": 9999}, 409, "target"),
    ],
)
def test_what_cannot_be_played_for_is_refused(small, path, body, status, field):
    assert refusal(small(path, body)) == (status, field)


@pytest.mark.parametrize(
    ("goals", "status", "field"),
    [
        ([], 409, "turns[0].goals"),
        ([{}, None], 409, "turns[0].goals[0]"),
        ([{"target": 9999}, None], 409, "turns[0].goals[0].target"),
        ([{"target": "x"}, None], 422, "turns[0].goals[0].target"),
        ([{"others": []}, None], 422, "turns[0].goals[0].others"),
        ([None, {"theta": 1.5}], 409, "turns[0].goals[1].theta"),
        ([{"target": None, "theta": -2}, None], 409, "turns[0].goals[0].theta"),
    ],
)
def test_a_log_with_a_goal_that_is_none_is_refused(small, goals, status, field):
    turn = {"rolls": [[1, 2], [2, 2]], "keeps": [[2]], "category": "one pair", "goals": goals}
    log = {"format": "yatzy-game", "version": 1, "rules": "lower-first", "turns": [turn]}
    assert refusal(small("/api/review", log)) == (status, field)


def test_early_in_a_game_the_chances_are_solved_meanwhile(monkeypatch, tmp_path):
    """Whoever asks first starts a process and is told to come again; a file that appears is used.

    The refusal named the target where others were to be beaten, and promised an answer in about a minute.
    """
    monkeypatch.setattr("yatzy.solver.from_here.SOLVED_FROM_HERE", 0)
    solving = []

    class Process:
        def __init__(self, rules, folder):
            solving.append((rules, folder))

        def poll(self):
            return None if len(solving) == 1 and not goal_path(LOWER_FIRST, reach(), tmp_path).exists() else 0

    monkeypatch.setattr("yatzy.server.coaches.start_targets", Process)
    with listening(create_app(LOWER_FIRST, tmp_path)) as address:

        def ask(path="/api/advise", **body):
            return requests.post(f"{address}{path}", json=body, timeout=PATIENCE)

        for _ in range(2):
            answer = ask(**START, target=30)
            assert refusal(answer) == (503, "target")
            assert "being computed once; try again" in answer.json()["error"]["message"]
            assert answer.headers["retry-after"] == "3"
            assert refusal(ask(**START, others=[{}])) == (503, "others")
            assert ask("/api/distribution", target=30).json()["chance"] is None
        assert solving == [(LOWER_FIRST, tmp_path)]
        assert refusal(ask(dice=[1] * 5, rerolls=1, rules="yacht", target=30)) == (409, "rules")
        stored_goal(LOWER_FIRST, reach(), Context(tmp_path))
        told = ask(**START, target=30).json()
        assert told["exact"]
        assert not ask(**START, others=[{}]).json()["exact"]


def test_chances_that_cannot_be_kept_are_told_of(monkeypatch, tmp_path):
    monkeypatch.setattr("yatzy.solver.from_here.SOLVED_FROM_HERE", 0)

    class Process:
        def __init__(self, rules, folder):
            pass

        def poll(self):
            return 0

    monkeypatch.setattr("yatzy.server.coaches.start_targets", Process)
    with listening(create_app(LOWER_FIRST, tmp_path)) as address:
        asked = START | {"target": 30}
        first, second = (requests.post(f"{address}/api/advise", json=asked, timeout=PATIENCE) for _ in range(2))
    assert (first.status_code, second.status_code) == (503, 409)
    assert "is there room on the disk?" in second.json()["error"]["message"]


@pytest.mark.parametrize("damage", ["cut", "changed", "replaced", "deleted"])
def test_chances_are_not_used_after_their_file_was_changed(damage, monkeypatch, tmp_path):
    """They are mapped: a file cut short ended the server, and a changed one was told as if it were right."""
    started = []
    monkeypatch.setattr("yatzy.server.coaches.start_targets", lambda *given: started.append(given))
    stored_goal(LOWER_FIRST, reach(), Context(tmp_path))
    targets, path = TargetChances(LOWER_FIRST, tmp_path), goal_path(LOWER_FIRST, reach(), tmp_path)
    # Clocks of file systems tick some hundred times a second; a real file takes longer than that to be read.
    os.utime(path, (1, 1))
    found = targets.find(LOWER_FIRST)
    assert targets.find(LOWER_FIRST) is found
    if damage == "replaced":
        write_atomically(path, b"another file")
    elif damage == "deleted":
        path.unlink()
    else:
        with path.open("r+b") as file:
            if damage == "cut":
                file.truncate(100)
            else:
                file.seek(-1, os.SEEK_END)
                file.write(b"\0")
    if damage in ("replaced", "deleted"):
        # The file that was checked is still the one that is mapped.
        assert targets.find(LOWER_FIRST) is found
        assert started == []
    else:
        with pytest.raises(NotYetError):
            targets.find(LOWER_FIRST)
        assert started == [(LOWER_FIRST, tmp_path)]
