"""One contract: what endpoints build is what the document says."""

import json
from typing import get_type_hints

import pytest
from pydantic import TypeAdapter

from yatzy import YatzyError
from yatzy.coach.review import card_policy, review
from yatzy.game.json import as_json, json_type
from yatzy.game.log import parse_log
from yatzy.measure.simulate import play_logs
from yatzy.policies.baselines import Heuristic
from yatzy.rules import scandinavian
from yatzy.server.app import Api
from yatzy.server.models import ReviewRequest, read_game

RULES = scandinavian()
TURN = {"rolls": [[1, 3, 3, 5, 6], [3, 3, 2, 3, 4]], "keeps": [[3, 3]], "category": "threes"}
GAME = {"format": "yatzy-game", "version": 1, "rules": "scandinavian", "turns": [TURN]}
READ = TypeAdapter(ReviewRequest)
SITUATION = {"dice": [2, 5, 5, 5, 6], "rerolls": 1, "filled": ["ones"], "upper": 3}
ASKED = [
    (Api.health, "/api/health", None),
    (Api.describe_games, "/api/games", None),
    (Api.describe_rules, "/api/rules", None),
    (Api.state_value, "/api/state-value", None),
    (Api.advise, "/api/advise", SITUATION),
    (Api.advise, "/api/advise", {**SITUATION, "rerolls": 0, "details": 0}),
    (Api.distribution, "/api/distribution", {"filled": ["ones", "one pair"], "upper": 3, "points": 15}),
    (Api.review, "/api/review", {**GAME, "player": "Ada", "date": "2025-12-31", "seed": 7, "game": 0}),
    (Api.review, "/api/review", {**GAME, "turns": []}),
]


@pytest.mark.compiled
@pytest.mark.parametrize(("endpoint", "path", "body"), ASKED)
def test_an_answer_is_of_the_type_that_the_endpoint_names(get, post, endpoint, path, body):
    """All of it and no more: what the type does not know is lost on the way through it."""
    told = (get(path) if body is None else post(path, body)).json()
    adapter = TypeAdapter(json_type(get_type_hints(endpoint)["return"]))
    assert adapter.dump_python(adapter.validate_json(json.dumps(told), strict=True), mode="json") == told


@pytest.mark.compiled
def test_nothing_of_the_librarys_review_is_lost(post, coach):
    log = next(play_logs(Heuristic(coach.rules), 1, seed=5))
    expected = as_json(review(log, coach.table, card_policy(coach.rules)))
    assert post("/api/review", as_json(log)).json() == json.loads(json.dumps(expected))


CANNOT_BE = [
    {**GAME, "date": "yesterday"},
    {**GAME, "turns": [TURN, TURN]},
    {**GAME, "turns": [{**TURN, "keeps": [[3, 3, 6]]}]},
    {**GAME, "turns": [{**TURN, "keeps": [[2]]}]},
    {**GAME, "turns": [{**TURN, "keeps": []}]},
    {**GAME, "turns": [{**TURN, "keeps": [[3], [3]]}]},
]


@pytest.mark.parametrize("game", CANNOT_BE)
def test_a_game_that_cannot_be_is_refused_in_the_librarys_words(game):
    """The form is checked by the model alone; what does not fit together is told as for a file."""
    with pytest.raises(YatzyError) as expected:
        parse_log(game, RULES)
    with pytest.raises(YatzyError) as told:
        read_game(READ.validate_python(game), RULES)
    assert str(told.value) == str(expected.value)


def test_a_game_is_read_as_the_library_reads_it():
    """Seeds above 2^53 were refused here, and accepted there."""
    logs = [*play_logs(Heuristic(RULES), 3, seed=11), *play_logs(Heuristic(RULES), 1, seed=2**64 - 1)]
    whole = {**GAME, "player": "Ada", "date": "2025-12-31T20:15:00+01:00", "seed": 7, "game": 3}
    for game in (GAME, whole, {**GAME, "turns": []}, *(as_json(log) for log in logs)):
        assert read_game(READ.validate_python(game), RULES) == parse_log(game, RULES)
