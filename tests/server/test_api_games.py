"""Other games over HTTP: what a page is told of them, and answers that are the library's."""

import json

import numpy as np
import pytest

from games import SPECIAL_GAMES
from games import TOLD_JOKERS as JOKERS
from yatzy import ValueTable, solve
from yatzy.coach.outlook import outlook
from yatzy.coach.review import card_policy, review
from yatzy.game.json import as_json
from yatzy.measure.simulate import play_logs
from yatzy.policies.baselines import Random
from yatzy.policies.optimal import Optimal
from yatzy.rules import GAMES, SWITCHES, parse_state, ruleset, scandinavian
from yatzy.server.coaches import MAX_GAMES_KEPT, Coaches
from yatzy.server.models import describe_games, describe_rules, find_game
from yatzy.site.tables import MAX_ENTRIES, ask_bits, table_entries
from yatzy.solver.states import state_space
from yatzy.turn.outcomes import outcomes

JOKER = {"rules": "yahtzee", "dice": [6] * 5, "rerolls": 1, "filled": ["sixes", "yahtzee*"], "upper": 18}


def follow(questions, mask):
    """As a page does it."""
    at = 0
    while at >= 0:
        bit, clear, is_set = questions[at]
        at = is_set if mask >> bit & 1 else clear
    return -1 - at


@pytest.mark.parametrize("rules", [ruleset("yahtzee"), ruleset("kniffel"), *SPECIAL_GAMES], ids=lambda r: r.name)
def test_a_page_finds_the_reading_of_every_special_roll(rules):
    told, ends = as_json(describe_rules(rules, rules, 1.0)), outcomes(rules)
    for special, row in zip(told["special"], ends.readings, strict=True):
        for mask in range(0, rules.n_sets, 7):
            assert follow(special["questions"], mask) == row[mask]
    assert told["readings"] == ends.of_reading.tolist()
    assert len(json.dumps(told)) < 60_000


def test_equal_answers_need_no_question():
    assert follow(ask_bits(np.full(16, 3)), 5) == 3


@pytest.mark.parametrize("name", ["scandinavian", "yahtzee", "yacht", "yacht+saved-throws", "maxi"])
def test_the_size_of_a_table_is_known_before_it_is_made(name):
    space = state_space(ruleset(name))
    assert table_entries(space.rules) == space.n_masks * space.n_uppers


def test_the_games_are_those_of_the_catalogue():
    told = as_json(describe_games(scandinavian()))
    assert [game["rules"] for game in told["games"]] == list(GAMES)
    by_name = {game["rules"]: game for game in told["games"]}
    assert not by_name["maxi"]["solved"]
    assert by_name["yahtzee"]["solved"]
    assert all(SWITCHES[s["switch"]] == s["sentence"] for game in told["games"] for s in game["switches"])
    assert by_name["yahtzee"]["switches"][0]["not_with"] == ["no-joker"]
    assert told["most_entries"] == MAX_ENTRIES


def test_the_servers_own_game_has_any_name():
    assert find_game(None, JOKERS) is JOKERS
    assert find_game("told-jokers", JOKERS) is JOKERS


@pytest.mark.compiled
def test_so_many_games_are_kept(home):
    coaches = Coaches(scandinavian(), home)
    names = ["yacht", "yacht+forced-order", "yacht+saved-throws", "yacht+saved-throws+forced-order"]
    for name in names:
        rules = ruleset(name)
        assert coaches.peek(rules, 0.0) is None
        assert coaches.get(rules, 0.0) is coaches.peek(rules, 0.0)
    assert len(names) <= MAX_GAMES_KEPT


@pytest.fixture(scope="module")
def yahtzee() -> ValueTable:
    return solve("yahtzee")


@pytest.mark.compiled
class TestYahtzee:
    """Jokers, extra points and the flag."""

    def test_rules(self, get):
        told = get("/api/rules", rules="Yahtzee+free-joker").json()
        assert (told["rules"], told["title"], told["switches"]) == (
            "yahtzee+free-joker",
            "Yahtzee",
            ["free-joker"],
        )
        assert told["flagged"] == ["yahtzee"]

    def test_advice(self, post, yahtzee):
        told = post("/api/advise", JOKER).json()
        expected = yahtzee.advise("66666", 1, "sixes,yahtzee*", 18)
        assert [(a["action"], a["value"], a["regret"]) for a in told["actions"]] == [
            (str(a.action), a.value, a.regret) for a in expected
        ]
        straight = next(a for a in told["actions"] if a.get("category") == "large straight")
        assert (straight["points"], straight["extra"]) == (140, 100)
        assert told["filled"] == ["sixes", "yahtzee*"]
        assert 0 < straight["bonus_chance"] < 1

    def test_state_value(self, get, yahtzee):
        told = get("/api/state-value", rules="yahtzee", filled="sixes,yahtzee*", upper=18).json()
        state = parse_state(yahtzee.rules, "sixes,yahtzee* @ 18")
        assert told["value"] == yahtzee.value(state.filled, state.upper)

    def test_distribution(self, post, yahtzee):
        names = [c.name.lower() for c in yahtzee.rules.categories if c.name not in ("Chance", "Ones", "Yahtzee")]
        body = {"rules": "yahtzee", "filled": [*names, "yahtzee*"], "upper": 40, "points": 390}
        told = post("/api/distribution", body).json()
        state = parse_state(yahtzee.rules, ",".join(body["filled"]) + " @ 40")
        found = outlook(Optimal(yahtzee), state, 390)
        assert told["pmf"] == found.distribution.pmf.tolist()
        assert told["mean"] == pytest.approx(390 + yahtzee.value(state.filled, 40), abs=1e-9)

    def test_review(self, post, yahtzee):
        log = next(play_logs(Random(yahtzee.rules), 1, seed=4))
        told = post("/api/review", as_json(log)).json()
        assert told == json.loads(json.dumps(as_json(review(log, yahtzee, card_policy(yahtzee.rules)))))
        assert told["start_value"] + told["luck"] - told["lost"] == pytest.approx(log.score, abs=1e-9)


@pytest.mark.compiled
def test_saved_throws(post):
    body = {"rules": "yacht+saved-throws", "dice": [1, 6, 6, 6, 6], "rerolls": 4, "filled": ["sixes", "yacht"]}
    told = post("/api/advise", {**body, "saved": 3}).json()
    table = solve("yacht+saved-throws")
    mask = parse_state(table.rules, "sixes,yacht @ 0 saved 3").filled
    assert [(a["action"], a["value"]) for a in told["actions"]] == [
        (str(a.action), a.value) for a in table.advise("16666", 4, mask)
    ]
    assert told["saved"] == 3
    refused = post("/api/advise", body).json()["error"]
    assert (refused["field"], refused["message"]) == ("rerolls", "4 is not allowed; allowed are 0, 1, 2")
