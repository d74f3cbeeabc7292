"""`yatzy chance`, `yatzy advise --target` and `yatzy duel`: on a small game of one's own, and what they refuse."""

import json

import pytest

from yatzy.cli.duel import play_part
from yatzy.context import Context
from yatzy.game.aim import Aim
from yatzy.game.log import parse_log, read_logs
from yatzy.rules import State, format_category
from yatzy.rules.toml import read_rules
from yatzy.solver.goal import reach
from yatzy.solver.goals import solve_goal

SMALL = """
name = "small"
dice = 2
faces = 4
throws = 2
bonus = { threshold = 6, points = 5 }

[[box]]
name = "Threes"
score = "sum of face"
face = 3
upper = true

[[box]]
name = "Fours"
score = "sum of face"
face = 4
upper = true

[[box]]
name = "Chance"
score = "total"
"""


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


def test_a_target(as_json, yatzy, small, tmp_path):
    rules = read_rules(small)
    table = solve_goal(rules, reach(), precision="float64")
    asked = ("--rules", small, "--home", tmp_path)
    found = as_json("chance", "--target", 18, *asked)
    assert found["chance"] == pytest.approx(table.chance(18), abs=1e-6)
    assert 0 < found["chance_for_mean"] <= found["chance"]
    assert found["need"] == 18
    curve = as_json("chance", *asked)["targets"]
    chances = [row["chance"] for row in curve]
    assert chances == sorted(chances, reverse=True)
    drawn = yatzy("chance", *asked)[1].splitlines()
    assert drawn[0].split() == ["target", "mean", "target"]
    row = next(line for line in drawn if line.split()[0] == "20")
    told = next(one for one in curve if one["target"] == 20)
    assert row.split()[1:3] == [f"{told['chance_for_mean']:.1%}", f"{told['chance']:.1%}"]
    assert max(map(len, drawn)) <= 80
    advice = as_json("advise", "3 4", "--rerolls", 0, "--target", 18, *asked)
    by_action = {action["action"]: action for action in advice["actions"]}
    assert by_action["score threes"]["chance"] == pytest.approx(table.chance(18, State(1, 3), 3), abs=1e-6)
    ranked = [action["chance"] for action in advice["actions"]]
    assert ranked == sorted(ranked, reverse=True)
    assert advice["chance"] == ranked[0]
    status, out, _ = yatzy("advise", "3 4", "--target", 18, *asked)
    assert status == 0
    assert "chance" in out


def test_play_for_a_target_is_measured_and_simulated(as_json, yatzy, small, tmp_path):
    asked = ("--rules", small, "--home", tmp_path)
    best = as_json("chance", "--target", 18, *asked)["chance"]
    found = as_json("evaluate", "--target", 18, *asked)
    assert found["chance"] == pytest.approx(best, abs=1e-6)
    assert found["cost"] == pytest.approx(as_json("evaluate", *asked)["mean"] - found["mean"], abs=1e-9)
    assert found["cost"] > 0
    played = as_json("simulate", "--target", 18, "--games", 20_000, *asked)
    assert played["chance"] == pytest.approx(best, abs=0.02)
    assert played["mean"] == pytest.approx(found["mean"], abs=5 * played["standard_error"])
    assert "below the best mean" in yatzy("evaluate", "--target", 18, *asked)[1]
    assert "18 or more in" in yatzy("simulate", "--target", 18, "--games", 100, *asked)[1]


def test_a_game_is_played_and_reviewed_for_a_target(as_json, yatzy, small, tmp_path):
    asked, file = ("--rules", small, "--home", tmp_path), tmp_path / "game.json"
    typed = ["", "h", "a", "", "b", "", "c"]
    status, out, _ = yatzy("play", "--seed", 4, "--target", 18, "--save", file, *asked, lines=typed)
    assert status == 0
    assert "for 18, 18 more to come: " in out
    log = read_logs(file, read_rules(small))[0]
    assert [turn.goals for turn in log.turns] == [tuple(Aim(18) for _ in turn.rolls) for turn in log.turns]
    told = json.loads(yatzy("play", "--seed", 4, "--target", 18, "--json", *asked, lines=typed)[1])
    assert told["turns"][0]["goals"][0]["target"] == 18
    assert parse_log(told, read_rules(small)).turns == log.turns
    found = as_json("review", file, *asked)
    assert all(decision["goal"]["target"] == 18 for decision in found["decisions"])
    judged = as_json("review", file, "--target", 10, *asked)
    assert all(decision["goal"]["target"] == 10 for decision in judged["decisions"])
    at_risk = as_json("review", file, "--theta", 0.2, *asked)
    assert all(decision["goal"]["theta"] == 0.2 for decision in at_risk["decisions"])
    lossy = [decision for decision in found["decisions"] if decision["goal"]["lost"]]
    shown = " ".join(yatzy("review", file, *asked)[1].split())
    assert lossy
    for decision in found["mistakes"]:
        assert f"yours cost {decision['goal']['lost']:.1%} of your chance of 18" in shown


@pytest.mark.compiled
def test_a_certain_loss_is_not_advised(as_json, home, rules):
    """252 points with the bonus, Chance open, 4 4 4 4 4 and one reroll, and 274 wins: Chance now is 20, a loss."""
    filled = ",".join(format_category(rules, c) for c in range(15) if c != 13)
    asked = ("advise", "4 4 4 4 4", "--rerolls", 1, "--filled", filled, "--upper", 63, "--home", home)
    assert as_json(*asked)["actions"][0]["action"] == "score chance"
    found = as_json(*asked, "--points", 202, "--target", 274)
    assert found["actions"][0]["action"] == "keep 4 4 4 4"
    assert found["chance"] == pytest.approx(1 / 6)
    assert {one["action"]: one["chance"] for one in found["actions"]}["score chance"] == 0


def test_a_certain_loss_is_not_hinted_at(as_json, yatzy, small, tmp_path):
    """14 points and the bonus, Chance open, 3 3 and one reroll, and 26 wins: Chance now is 6, a loss by one."""
    asked = ("--rules", small, "--home", tmp_path)
    found = as_json("advise", "3 3", "--rerolls", 1, "--filled", "threes,fours", "--upper", 6, *asked)
    assert found["actions"][0]["action"] == "score chance"
    typed = ["", "3 3", "threes", "", "4 4", "fours", "", "3 3", "3", "4", "chance"]
    for target, first in ((None, "score chance"), (26, "keep 3 ")):
        aim = () if target is None else ("--target", target)
        status, out, _ = yatzy("play", "--dice", "--hints", "always", *aim, *asked, lines=typed)
        assert status == 0
        shown = out.split("Turn 3.")[1].splitlines()
        hinted = next(i for i, line in enumerate(shown) if "keep 3 " in line or "score chance" in line)
        assert shown[hinted].strip().startswith(first)
    assert "25.0%" in shown[hinted]


def test_a_duel(as_json, yatzy, small, tmp_path):
    asked = ("--rules", small, "--home", tmp_path)
    found = as_json("duel", "--games", 400, "--seed", 3, *asked)
    assert found["games"] == 400
    assert 0 < found["win_rate"] < 1
    context = Context(tmp_path, threads=1)
    part = play_part(read_rules(small), False, context, 3, (100, 200))
    whole = play_part(read_rules(small), False, context, 3, (0, 400))
    assert (part.mine == whole.mine[100:300]).all()
    assert found["win_rate"] == whole.win_rate
    again = as_json("duel", "--games", 400, "--seed", 3, *asked)
    assert {**again, "seconds": 0} == {**found, "seconds": 0}
    first = as_json("duel", "--games", 100, "--first", *asked)
    assert first["moves_first"]
    status, out, _ = yatzy("duel", "--games", 50, *asked)
    assert status == 0
    assert "of those that were decided" in out


def test_advice_in_a_duel(as_json, yatzy, told, small, tmp_path):
    asked = ("--rules", small, "--home", tmp_path)
    cards = ("--other-filled", "chance", "--other-points", 7)
    found = as_json("duel", "advise", "3 4", *cards, *asked)
    ranked = [action["chance"] for action in found["actions"]]
    assert ranked == sorted(ranked, reverse=True)
    assert 0 <= ranked[-1] <= ranked[0] <= 1
    ahead = as_json("duel", "advise", "3 4", "--other-filled", "chance", "--other-points", 2, *asked)
    assert ahead["chance"] > found["chance"]
    assert yatzy("duel", "advise", "3 4", *cards, *asked)[0] == 0
    assert told("duel", "advise", "3 4", *asked).startswith("other_filled: 0 boxes do not match 0 of yours")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("advise", "1 2 3 4 5", "--points", 3), "points: requires --target"),
        (("advise", "1 2 3 4 5", "--target", 200, "--theta", 0.1), "theta: cannot go with --target"),
        (("advise", "1 2 3 4 5", "--target", 1000), "target: 1000 is not allowed"),
        (("advise", "1 2 3 4 5", "--target", 200, "--points", 7), "points: 7 cannot occur with filled"),
        (("chance", "--target", -1), "target: -1 is not allowed"),
        (
            ("evaluate", "greedy", "--target", 200),
            "target: applies only to optimal play, not to greedy",
        ),
        (
            ("simulate", "--theta", 0.1, "--target", 200),
            "target: applies only to optimal play, not with",
        ),
        (("simulate", "--target", 200, "--logs", "x", "--games", 2), "logs: cannot go with --target, whose play"),
        (("evaluate", "--target", 999), "target: 999 is not allowed"),
        (("play", "--target", 999), "target: 999 is not allowed"),
        (("duel", "--games", 0), "games: 0 is not allowed"),
        (("duel", "--engine", "carts"), "engine: 'carts' is not known"),
        (("duel", "advise", "1 2 3 4 5", "--points", 9), "points: 9 cannot occur with filled"),
        (("duel", "advise", "1 2 3 4 7"), "dice: '1 2 3 4 7' has a face outside"),
        (("duel", "advise", "1 2 3 4 5", "--rerolls", 3), "rerolls: 3 is not allowed"),
        (("duel", "--threads", 0), "threads: 0 is not allowed"),
        (("duel", "--rules", "scandinavian+saved-throws"), "rules: duels are for games that save no throws"),
        (("duel", "--rules", "maxi"), "rules: a duel in maxi would need too much memory"),
        (("duel", "--first", "advise", "1 2 3 4 5"), "first: belongs after advise"),
    ],
)
def test_what_is_refused(told, arguments, sentence):
    assert told(*arguments).startswith(sentence)


def test_a_game_without_a_yatzy_tells_no_rate_of_it(yatzy, small, tmp_path):
    _, out, _ = yatzy("evaluate", "greedy", "--rules", small, "--home", tmp_path)
    assert "bonus in" in out
    assert "Yatzy" not in out
