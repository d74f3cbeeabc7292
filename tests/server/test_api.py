"""The HTTP API: answers are the library's, and what cannot be answered is refused by name."""

import http.client
import json
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import numpy as np
import pytest
import requests

from listening import listening
from server.conftest import PATIENCE
from yatzy import YatzyError, __version__, solve
from yatzy.coach.advice import Coach
from yatzy.coach.outlook import outlook
from yatzy.coach.review import CARD, review
from yatzy.game.json import as_json
from yatzy.game.situation import Situation
from yatzy.lab.bench.processes import random_situations
from yatzy.measure.simulate import play_logs
from yatzy.policies.baselines import Heuristic
from yatzy.policies.optimal import Optimal
from yatzy.rules import State, format_category, parse_filled, ruleset, scandinavian
from yatzy.server.app import MAX_LIGHT_WAITING, create_app
from yatzy.server.coaches import Coaches, RecentResults
from yatzy.server.guard import MAX_BODY

pytestmark = pytest.mark.compiled

NAMES = [format_category(scandinavian(), c) for c in range(15)]
SITUATION = {"dice": [2, 5, 5, 5, 6], "rerolls": 1, "filled": ["ones"], "upper": 3}
GAME = {
    "format": "yatzy-game",
    "version": 1,
    "rules": "scandinavian",
    "turns": [{"rolls": [[1, 3, 3, 5, 6], [3, 3, 2, 3, 4]], "keeps": [[3, 3]], "category": "threes"}],
}


def names(rules, filled):
    return [format_category(rules, c) for c in range(rules.n_categories) if filled >> c & 1]


def test_health(get, coach):
    assert get("/api/health").json() == {
        "status": "ok", "version": __version__, "rules": "scandinavian", "value": coach.table.value(),
    }  # fmt: skip


def test_rules(get, rules):
    told = get("/api/rules").json()
    assert (told["rules"], told["fingerprint"]) == ("scandinavian", rules.fingerprint)
    assert (told["dice"], told["faces"], told["rerolls"], told["bonus"], told["bonus_threshold"]) == (
        5,
        6,
        2,
        50,
        63,
    )
    assert [c["category"] for c in told["categories"]] == names(rules, rules.all_filled)
    assert told["categories"][6] == {"category": "one pair", "label": "One Pair", "upper": False, "most": 12}
    assert told["words"]["loss"]["mistake"] == 5


@pytest.mark.parametrize("query", ["filled=ones,pair&upper=3", "filled=ones&filled=one%20pair&upper=3"])
def test_state_value(get, coach, query):
    assert get(f"/api/state-value?{query}").json() == {
        "rules": "scandinavian", "theta": 0.0, "filled": ["ones", "one pair"], "upper": 3,
        "value": coach.table.value(0b100_0001, 3),
    }  # fmt: skip


def test_state_value_for_another_theta(get, policy_of):
    told = get("/api/state-value", filled="ones", upper=3, theta=0.05).json()
    assert told["value"] == policy_of("optimal", 0.05).table.value(1, 3)
    told = get("/api/state-value", filled="ones", theta=-0.05, rules="yacht").json()
    assert told["theta"] == -0.05
    assert told["value"] == policy_of("optimal", -0.05, "yacht").table.value(1)


def test_advice_is_the_librarys_to_the_last_bit(post, coach):
    rules = coach.rules
    columns = [column.tolist() for column in random_situations(rules, 60, seed=7)]
    for filled, upper, roll, rerolls in zip(*columns, strict=True):
        body = {"dice": rules.rolls[roll], "rerolls": rerolls, "filled": names(rules, filled), "upper": upper}
        told = post("/api/advise", body).json()
        expected = coach.table.advise(rules.rolls[roll], rerolls, filled, upper)
        assert [(a["action"], a["value"], a["regret"]) for a in told["actions"]] == [
            (str(a.action), a.value, a.regret) for a in expected
        ]
        assert told["value"] == expected.value
        own = coach.advise(Situation.of(coach.rules, rules.rolls[roll], rerolls, State(filled, upper)))
        assert told == json.loads(json.dumps(as_json(own)))


def test_advice_for_another_theta(post, policy_of):
    body = {**SITUATION, "filled": names(scandinavian(), 0b111_1110_0011_1111), "upper": 63, "theta": 0.05}
    told = post("/api/advise", body).json()
    expected = policy_of("optimal", 0.05).table.advise(body["dice"], 1, 0b111_1110_0011_1111, 63)
    assert [(a["action"], a["value"]) for a in told["actions"]] == [(str(a.action), a.value) for a in expected]
    assert told["actions"][0]["bonus_chance"] == pytest.approx(1)


def test_as_many_details_as_are_asked_for(post):
    for details in (0, 3, 8):
        actions = post("/api/advise", {**SITUATION, "details": details}).json()["actions"]
        assert ["outcomes" in action for action in actions] == [i < details for i in range(len(actions))]


def test_names_may_be_spelt_as_people_do(post):
    one, other = (post("/api/advise", {**SITUATION, "filled": [name]}).json() for name in ("ones", " Ones"))
    assert one == other


def test_whole_numbers_may_have_a_point(post):
    """1.0 is an integer, in JSON Schema as in JavaScript."""
    given = {**SITUATION, "dice": [2.0, 5.0, 5.0, 5.0, 6.0], "rerolls": 1.0, "upper": 3.0, "details": 3.0}
    assert post("/api/advise", given).json() == post("/api/advise", SITUATION).json()


def test_distribution_from_the_start(post, evaluation_of):
    told = post("/api/distribution", {"target": 300}).json()
    exact, bonus_rate = evaluation_of("optimal").distribution, evaluation_of("optimal").bonus_rate
    np.testing.assert_allclose(told["pmf"], exact.pmf, rtol=0, atol=1e-14)
    assert told["bonus_rate"] == pytest.approx(bonus_rate, abs=1e-12)
    assert told["quantiles"] == exact.quantiles
    assert told["prob_target"] == pytest.approx(0.09946, abs=1e-5)
    assert (told["points"], told["target"]) == (0, 300)


def test_distribution_in_the_middle(post, coach):
    filled, points = 0b000_0011_1111_0011, 70
    body = {"filled": names(coach.rules, filled), "upper": 14, "points": points}
    told = post("/api/distribution", body).json()
    found = outlook(Optimal(coach.table), State(filled, 14), points)
    assert told["pmf"] == found.distribution.pmf.tolist()
    assert told["mean"] == pytest.approx(points + coach.table.value(filled, 14), abs=1e-9)
    assert told["bonus_rate"] == pytest.approx(coach.chances.from_mask(0)[filled, 14], abs=1e-12)
    assert (told["target"], told["prob_target"]) == (None, None)


def test_distribution_of_a_finished_game(post, rules):
    body = {"filled": names(rules, rules.all_filled), "upper": 63, "points": 200, "target": 250}
    told = post("/api/distribution", body).json()
    assert (told["mean"], told["sd"], told["bonus_rate"], told["prob_target"]) == (250, 0, 1, 1)


def test_review(post, coach):
    """A whole game of a casual player: the sums, and every decision as the library has it."""
    log = next(play_logs(Heuristic(coach.rules), 1, seed=7))
    told = post("/api/review", as_json(log)).json()
    total = told["start_value"] + told["luck"] - told["lost"]
    assert total == pytest.approx(log.score, abs=1e-9)
    found = review(log, coach.table)
    assert [d["regret"] for d in told["decisions"]] == [d.regret for d in found.decisions]
    assert len(told["mistakes"]) == 3
    assert told["replay"]["log"]["turns"] == as_json(found.replay.log)["turns"]
    cards = [decision["card"] for decision in told["decisions"]]
    assert {card["policy"] for card in cards} == {CARD}
    assert all(card["rule"] and card["action"].split()[0] in ("keep", "score") for card in cards)


WRONG_FORM = [
    ("/api/advise", {}, "dice"),
    ("/api/advise", {**SITUATION, "dice": [1, 2, 3, 4, 0]}, "dice[4]"),
    ("/api/advise", {**SITUATION, "dice": [1, 2, 3, 4, 2.5]}, "dice[4]"),
    ("/api/advise", {**SITUATION, "dice": [1, 2, 3, 4, True]}, "dice[4]"),
    ("/api/advise", {**SITUATION, "dice": "12345"}, "dice"),
    ("/api/advise", {**SITUATION, "rerolls": -1}, "rerolls"),
    ("/api/advise", {**SITUATION, "rerolls": "2"}, "rerolls"),
    ("/api/advise", {**SITUATION, "filled": [5]}, "filled[0]"),
    ("/api/advise", {**SITUATION, "filled": ["ones"] * 25}, "filled"),
    ("/api/advise", {**SITUATION, "dice": [1] * 31}, "dice"),
    ("/api/advise", {**SITUATION, "rules": 5}, "rules"),
    ("/api/advise", {**SITUATION, "rules": "x" * 81}, "rules"),
    ("/api/advise", {**SITUATION, "saved": -1}, "saved"),
    ("/api/advise", {**SITUATION, "filled": "ones"}, "filled"),
    ("/api/advise", {**SITUATION, "upper": -1}, "upper"),
    ("/api/advise", {**SITUATION, "upper": None}, "upper"),
    ("/api/advise", {**SITUATION, "theta": 1.5}, "theta"),
    ("/api/advise", {**SITUATION, "theta": "0"}, "theta"),
    ("/api/advise", {**SITUATION, "details": 9}, "details"),
    ("/api/advise", {**SITUATION, "colour": "red"}, "colour"),
    ("/api/advise", [SITUATION], "body"),
    ("/api/advise", None, "body"),
    ("/api/distribution", {"points": -1}, "points"),
    ("/api/distribution", {"target": 25_001}, "target"),
    ("/api/distribution", {"target": 2.5}, "target"),
    ("/api/review", {**GAME, "format": "poker"}, "format"),
    ("/api/review", {**GAME, "version": 2}, "version"),
    ("/api/review", {**GAME, "turns": [{**GAME["turns"][0], "rolls": []}]}, "turns[0].rolls"),
    ("/api/review", {**GAME, "seed": 2**64}, "seed"),
    ("/api/review", {**GAME, "player": ""}, "player"),
]


def assert_refused(answer, status, field):
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    told = answer.json()
    assert set(told) == {"error"}
    assert set(told["error"]) - {"given", "allowed"} == {"field", "message"}
    assert told["error"]["field"] == field
    assert len(told["error"]["message"]) < 400
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(("path", "body", "field"), WRONG_FORM, ids=lambda x: x if isinstance(x, str) else "")
def test_a_wrong_form_is_named(post, path, body, field):
    assert_refused(post(path, body), 422, field)


CONTRADICTIONS = [
    ("/api/advise", {**SITUATION, "upper": 7}, "upper", "7 cannot occur with filled 'ones'; allowed: 0..5"),
    ("/api/advise", {**SITUATION, "filled": ["ones", "ones"]}, "filled", "'ones' is named twice"),
    ("/api/advise", {**SITUATION, "filled": sorted(NAMES), "upper": 0}, "filled", "the game is finished"),
    ("/api/advise", {**SITUATION, "theta": 1e-12}, "theta", "1e-12 is too near 0"),
    ("/api/distribution", {"filled": ["ones"], "upper": 3, "points": 4}, "points", "4 cannot occur"),
    ("/api/distribution", {"upper": 3}, "upper", "3 cannot occur"),
    ("/api/advise", {**SITUATION, "dice": [1, 2, 3, 4]}, "dice", "'1 2 3 4' has 4 dice; exactly 5 are needed"),
    ("/api/advise", {**SITUATION, "dice": [1, 2, 3, 4, 7]}, "dice[4]", "7 is not a face; allowed is 1..6"),
    ("/api/advise", {**SITUATION, "rerolls": 3}, "rerolls", "3 is not allowed; allowed are 0, 1, 2"),
    ("/api/advise", {**SITUATION, "filled": ["poker"]}, "filled[0]", "'poker' is not known"),
    ("/api/advise", {**SITUATION, "upper": 64}, "upper", "64 is outside 0..63"),
    ("/api/advise", {**SITUATION, "saved": 1}, "saved", "1 is not allowed; no throws are saved in scandinavian"),
    (
        "/api/advise",
        {**SITUATION, "rules": "poker"},
        "rules",
        "'poker' is not known; allowed are",
    ),
    ("/api/advise", {**SITUATION, "rules": "/etc/game.toml"}, "rules", "'/etc/game.toml' is not known"),
    ("/api/advise", {**SITUATION, "rules": "yacht+free-joker"}, "rules", "'free-joker' is not a switch of yacht"),
    (
        "/api/advise",
        {**SITUATION, "rules": "scandinavian+saved-throws"},
        "rules",
        "'scandinavian+saved",
    ),
    ("/api/distribution", {"rules": "maxi"}, "rules", "'maxi' is too large to be solved here"),
    ("/api/distribution", {"points": 375}, "points", "375 cannot occur"),
    ("/api/review", {**GAME, "rules": "poker"}, "rules", "'poker' is not known"),
    ("/api/review", {**GAME, "turns": GAME["turns"] * 16}, "turns", "has 16 entries; allowed is 0..15"),
    (
        "/api/review",
        {**GAME, "turns": [{**GAME["turns"][0], "keeps": [[7]]}]},
        "turns[0].keeps[0]",
        "7 is not a face",
    ),
    (
        "/api/review",
        {**GAME, "turns": [{**GAME["turns"][0], "category": "poker"}]},
        "turns[0].category",
        "'poker' is",
    ),
    ("/api/review", {**GAME, "date": "yesterday"}, "date", "'yesterday' is not of the form"),
    ("/api/review", {**GAME, "turns": GAME["turns"] * 2}, "turns[1].category", "'threes' is already filled"),
    (
        "/api/review",
        {**GAME, "turns": [{**GAME["turns"][0], "keeps": [[3, 3, 6]]}]},
        "turns[0].keeps[0]",
        "'3 3 6' is not part of rolls[1], which is '3 3 2 3 4'",
    ),
    ("/api/review", {**GAME, "turns": [{**GAME["turns"][0], "keeps": []}]}, "turns[0].keeps", "has 0 entries"),
]


@pytest.mark.parametrize(
    ("path", "body", "field", "message"), CONTRADICTIONS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_what_cannot_occur_is_named(post, path, body, field, message):
    answer = post(path, body)
    assert_refused(answer, 409, field)
    assert answer.json()["error"]["message"].startswith(message)


def test_bad_queries_are_named(get):
    assert_refused(get("/api/state-value", upper=64), 409, "upper")
    assert_refused(get("/api/state-value", upper="ten"), 422, "upper")
    assert_refused(get("/api/state-value", theta="nan"), 422, "theta")
    assert_refused(get("/api/state-value", filled="poker"), 409, "filled[0]")
    assert_refused(get("/api/rules", rules="poker"), 409, "rules")
    assert_refused(get("/api/state-value", colour="red"), 422, "colour")
    assert_refused(get("/api/state-value", filled="ones", upper=9), 409, "upper")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b"nothing", 422),
        (b"\xff\xfe\x00", 400),
        (b"[" * 60_000, 400),
        (b'{"dice": [' + b"9" * 5_000 + b"]}", 400),
        (b'{"dice": [1, 2, 3, 4, 5], "rerolls": 1, "theta": NaN}', 422),
        (b'{"dice": [1, 2, 3, 4, 5], "rerolls": 1, "theta": 1e999}', 422),
    ],
)
@pytest.mark.parametrize("path", ["/api/advise", "/api/review"])
def test_what_is_not_json_is_refused(address, path, body, status):
    headers = {"content-type": "application/json"}
    answer = requests.post(f"{address}{path}", body, headers=headers, timeout=PATIENCE)
    assert answer.status_code in (status, 422)
    assert answer.json()["error"]["field"]
    assert "Traceback" not in answer.text


def test_a_body_that_says_it_is_something_else(address):
    answer = requests.post(
        f"{address}/api/advise", b"dice=1", headers={"content-type": "text/plain"}, timeout=PATIENCE
    )
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == "body"


def test_the_largest_body_is_read_and_a_larger_one_is_not(address):
    whole = json.dumps(SITUATION).encode()
    headers = {"content-type": "application/json"}
    for size, status in ((MAX_BODY, 200), (MAX_BODY + 1, 413), (10 * MAX_BODY, 413)):
        body = whole + b" " * (size - len(whole))
        answer = requests.post(f"{address}/api/advise", body, headers=headers, timeout=PATIENCE)
        assert answer.status_code == status
    assert_refused(answer, 413, "body")


def test_a_larger_body_of_unknown_length_is_not_read(address):
    """Sent in chunks, nothing tells its size before."""

    def chunks(n):
        yield json.dumps(SITUATION).encode()
        for _ in range(n):
            yield b" " * 1024

    headers = {"content-type": "application/json"}
    small = requests.post(f"{address}/api/advise", chunks(10), headers=headers, timeout=PATIENCE)
    assert small.status_code == 200
    assert_refused(
        requests.post(f"{address}/api/advise", chunks(64), headers=headers, timeout=PATIENCE), 413, "body"
    )


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/advise/", "/api/nothing", "/nothing", "/docs", "/redoc"])
def test_unknown_paths_are_not_found(get, path):
    assert_refused(get(path), 404, "path")


def test_wrong_methods_are_refused(address):
    for method, path in (
        ("GET", "/api/advise"),
        ("DELETE", "/api/advise"),
        ("POST", "/api/health"),
        ("POST", "/"),
    ):
        answer = requests.request(method, f"{address}{path}", timeout=PATIENCE)
        assert_refused(answer, 405, "method")
    assert requests.get(f"{address}/api/advise", timeout=PATIENCE).headers["allow"] == "POST"


@pytest.mark.parametrize(
    "path", ["/", "/play/", "/assets/main.js", "/nothing", "/api/health", "/api/advise", "/openapi.json"]
)
def test_every_answer_has_the_security_headers(get, path):
    headers = get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert policy["object-src"] == policy["base-uri"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_refused_bodies_have_them_too(address):
    answer = requests.post(f"{address}/api/advise", b" " * (MAX_BODY + 1), timeout=PATIENCE)
    assert answer.status_code == 413
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_site_is_served(get):
    assert get("/").text == "<!doctype html>treatise"
    assert get("/play/").text == get("/play").text == "<!doctype html>coach"
    assert get("/notes%20on%20dice.txt").text == "six sides"
    script = get("/assets/main.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert get("/play").history[0].headers["location"].endswith("/play/")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt", "/play/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/%2E%2E%2F",
        "/assets/..%5c..%5csecret.txt", "//secret.txt", "/....//secret.txt", "/%00", "/play%00/index.html",
        "/../site/../secret.txt", "/etc/passwd", "//etc/passwd", "/../../../../etc/passwd", "/%2fetc%2fpasswd",
        "/" + "a" * 5_000, "/assets", "/assets/",
    ],
)  # fmt: skip
def test_nothing_outside_the_site_is_served(address, path):
    """Sent as it stands: a browser or a library would tidy the path up."""
    where = urlsplit(address)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=PATIENCE)
    connection.putrequest("GET", path, skip_host=False)
    connection.endheaders()
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert answer.status in (400, 404)
    assert "secret" not in text
    assert "root:" not in text


@pytest.mark.usefixtures("nothing_ahead")
def test_without_a_site_there_is_only_the_api(home):
    with listening(create_app("scandinavian", home)) as address:
        assert_refused(requests.get(f"{address}/", timeout=PATIENCE), 404, "path")
        assert requests.get(f"{address}/api/health", timeout=PATIENCE).status_code == 200


@pytest.mark.usefixtures("nothing_ahead")
def test_a_house_rule_is_served(home):
    name = "yacht+forced-order"
    with listening(create_app(name, home)) as address:
        told = requests.get(f"{address}/api/health", timeout=PATIENCE).json()
    assert told["rules"] == name
    assert told["value"] == solve(name).value() < solve("yacht").value()


@pytest.mark.usefixtures("nothing_ahead")
def test_an_error_of_our_own_tells_nothing(home, monkeypatch):
    def fail(*_):
        raise RuntimeError("the secret of the server")

    monkeypatch.setattr(Coach, "advise", fail)
    with listening(create_app("scandinavian", home)) as address:
        answer = requests.post(f"{address}/api/advise", json=SITUATION, timeout=PATIENCE)
        assert_refused(answer, 500, None)
        assert "secret" not in answer.text
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert requests.get(f"{address}/api/health", timeout=PATIENCE).status_code == 200


def test_too_much_to_compute_is_refused(coaches, home, monkeypatch):
    """While nothing gets done, as many may wait as there are places; the next is told to come again."""
    gate = threading.Event()
    real = Coaches._look_ahead

    def slow(self, key, progress):
        gate.wait(PATIENCE)
        return real(self, key, progress)

    monkeypatch.setattr(Coaches, "_look_ahead", slow)
    monkeypatch.setattr("yatzy.server.app.MAX_LIGHT_WAITING", 3)
    body = {"filled": sorted(NAMES), "upper": 0}
    with listening(create_app("scandinavian", home)) as address, ThreadPoolExecutor(10) as pool:

        def ask(_):
            answer = requests.post(f"{address}/api/distribution", json=body, timeout=PATIENCE)
            if answer.status_code == 503:
                gate.set()
            return answer

        answers = list(pool.map(ask, range(10)))
        assert requests.get(f"{address}/api/health", timeout=PATIENCE).status_code == 200
    refused = [answer for answer in answers if answer.status_code == 503]
    assert refused
    assert len(refused) < 10
    assert all(answer.status_code in (200, 503) for answer in answers)
    assert_refused(refused[0], 503, None)
    assert refused[0].headers["retry-after"] == "1"
    assert MAX_LIGHT_WAITING > 3


def test_what_is_recent_is_kept_and_no_more():
    computed = []
    recent = RecentResults(lambda key, _: computed.append(key) or key * 10, most=2)
    assert [recent.get(key) for key in (1, 2, 1, 3, 1, 2)] == [10, 20, 10, 30, 10, 20]
    assert computed == [1, 2, 3, 2]
    assert recent.peek(3) is None
    assert recent.peek(2) == 20


def test_different_keys_are_computed_side_by_side():
    """Each waits until the other has begun: one after the other they would never end."""
    begun = {"one": threading.Event(), "other": threading.Event()}

    def compute(key, _progress):
        begun[key].set()
        assert begun["other" if key == "one" else "one"].wait(PATIENCE)
        return key.upper()

    recent = RecentResults(compute, most=4)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(recent.get, ["one", "other"])) == ["ONE", "OTHER"]


@pytest.mark.parametrize("fails", [False, True])
def test_one_key_is_computed_once_for_all_who_ask_at_once(fails):
    """The second waits for the first and gets its result; after an error it tries for itself."""
    computed, begun, gate = [], threading.Event(), threading.Event()

    def compute(key, _progress):
        computed.append(key)
        begun.set()
        assert gate.wait(PATIENCE)
        if fails and len(computed) == 1:
            raise YatzyError("no luck")
        return key * 10

    recent = RecentResults(compute, most=4)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(recent.get, 1)
        assert begun.wait(PATIENCE)
        second = pool.submit(recent.get, 1)
        # Whoever does not wait computes it again meanwhile.
        time.sleep(0.2)
        assert computed == [1]
        gate.set()
        if fails:
            with pytest.raises(YatzyError, match="no luck"):
                first.result(PATIENCE)
        else:
            assert first.result(PATIENCE) == 10
        assert second.result(PATIENCE) == 10
    assert computed == ([1, 1] if fails else [1])
    assert recent.get(1) == 10
    assert computed == ([1, 1] if fails else [1])


@pytest.mark.parametrize("points", [5, 1])
def test_advice_is_for_points_that_can_be(post, points):
    """5 points on an empty card were taken, as no target asked for them."""
    assert_refused(post("/api/advise", {"dice": [1, 2, 3, 4, 5], "rerolls": 2, "points": points}), 409, "points")
    assert post("/api/advise", {"dice": [1, 2, 3, 4, 5], "rerolls": 2, "points": 0}).ok


def test_a_refusal_tells_values(post):
    """They were read out of the sentence, by a pattern."""
    error = post("/api/advise", {**SITUATION, "rules": "yatzee"}).json()["error"]
    assert (error["field"], error["given"]) == ("rules", "yatzee")
    assert "yahtzee" in error["allowed"]
    assert error["message"].endswith("did you mean 'yahtzee'?")
    error = post("/api/advise", {**SITUATION, "rerolls": "x"}).json()["error"]
    assert (error["field"], error["given"]) == ("rerolls", "x")
    assert "given" not in post("/api/advise", {**SITUATION, "rerolls": "x" * 1000}).json()["error"]
    assert post("/api/advise", {"rerolls": 2}).json()["error"] == {"field": "dice", "message": "is missing"}


def test_theta_zero_needs_no_solving(coaches, monkeypatch):
    monkeypatch.setattr("yatzy.server.coaches.solve", pytest.fail)
    assert coaches.get(coaches.rules, 0.0) is coaches.plain
    assert math.isfinite(coaches.plain.table.value(parse_filled(ruleset(), "ones"), 3))
