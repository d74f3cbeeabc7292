"""Game logs: what is written is read back, and a bad field is named."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yatzy import YatzyError
from yatzy.game import log as module
from yatzy.game.action import Keep
from yatzy.game.aim import Aim
from yatzy.game.game import Game
from yatzy.game.json import as_json, check_json
from yatzy.game.log import GameLog, TurnLog, after_turn, parse_log, read_logs, remove_dice, write_logs
from yatzy.measure.simulate import play_logs, play_on
from yatzy.policies.baselines import Heuristic, Random
from yatzy.rules import State, scandinavian
from yatzy.sealed import seal

GAME = {
    "format": "yatzy-game",
    "version": 1,
    "rules": "scandinavian",
    "player": "Ada",
    "date": "2025-12-31T20:15:00",
    "seed": 2**64 - 1,
    "game": 3,
    "turns": [
        {"rolls": [[1, 3, 3, 5, 6], [3, 3, 2, 3, 4]], "keeps": [[3, 3]], "category": "threes"},
        {"rolls": [[2, 3, 4, 5, 6]], "keeps": [], "category": "large straight"},
        {"rolls": [[6, 6, 6, 6, 6], [6, 6, 6, 6, 6]], "keeps": [[6, 6, 6, 6, 6]], "category": "yatzy"},
    ],
}


def changed(path, value):
    """The game with another value at a path such as ("turns", 0, "keeps"); ... takes the field away."""
    game = copy.deepcopy(GAME)
    *way, last = path
    place = game
    for step in way:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return game


def test_a_log_tells_states_and_points():
    log = parse_log(GAME)
    assert log.points == (9, 20, 50)
    assert log.states == (State(), State(0b100, 9), State(0b1000_0000_0100, 9), State(0b100_1000_0000_0100, 9))
    assert (log.score, log.bonus, log.is_finished) == (79, 0, False)
    assert (log.player, log.seed, log.game) == ("Ada", 2**64 - 1, 3)


def test_what_is_written_is_read_back():
    assert as_json(parse_log(GAME)) == GAME


def test_what_is_not_known_is_not_written():
    least = {key: GAME[key] for key in ("format", "version", "rules", "turns")}
    assert as_json(parse_log(least)) == least


def test_the_bonus_is_paid_at_the_end():
    """Three of each upper face and nothing else: 63 points, and 50 for them."""
    rules = scandinavian()
    boxes = [category.name.lower() for category in rules.categories]
    three = [TurnLog(((face,) * 3 + (face % 6 + 1,) * 2,), (), boxes[face - 1]) for face in range(1, 7)]
    rest = [TurnLog(((1, 1, 2, 4, 6),), (), box) for box in boxes[6:]]
    assert GameLog(rules, tuple(three)).score == 63
    whole = GameLog(rules, tuple(three + rest))
    assert (whole.bonus, whole.score) == (50, 63 + 2 + 14 + 50)


def test_its_json_is_of_its_type():
    check_json(GameLog, seal(GAME))
    check_json(GameLog, as_json(parse_log(GAME).with_aim(Aim(target=260))))


def test_every_turn_is_looked_at_once(monkeypatch):
    """A review of 15 turns walked through turns 465 times."""
    asked = []
    monkeypatch.setattr(module, "after_turn", lambda *given: asked.append(given) or after_turn(*given))
    log = parse_log(GAME)
    assert (log.score, len(log.states), log.about(player="Bo").with_aim(Aim(theta=0.1)).points) == (
        79,
        4,
        log.points,
    )
    assert len(asked) == 3
    log.with_turn(TurnLog(((1, 1, 2, 2, 3),), (), "two pairs"))
    assert len(asked) == 4
    asked.clear()
    game = play_on(Game(seed=1), Heuristic(scandinavian()))
    assert game.log().score == game.total
    assert len(asked) == 15


@given(st.integers(0, 2**64 - 1), st.integers(0, 200_000))
def test_any_game_goes_through_json(small_rules, seed, number):
    log = next(play_logs(Random(small_rules), 1, seed, number))
    assert parse_log(json.loads(json.dumps(as_json(log))), small_rules) == log


def test_files_hold_one_game_or_many(tmp_path):
    log = parse_log(GAME)
    write_logs([log], tmp_path / "new" / "one.json")
    assert read_logs(tmp_path / "new" / "one.json") == [log]
    write_logs([log, log], tmp_path / "two.jsonl")
    assert read_logs(tmp_path / "two.jsonl") == [log, log]
    (tmp_path / "pretty.json").write_text(json.dumps(GAME, indent=2))
    assert read_logs(tmp_path / "pretty.json") == [log]


def test_a_failed_write_leaves_nothing(tmp_path):
    def games():
        yield parse_log(GAME)
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        write_logs(games(), tmp_path / "games.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"{", "line 1, is not JSON"),
        (b"\xff\xfe", "is not text in UTF-8"),
        (b"[" * 100_000, "line 1, is not JSON"),
        (b"[" + b"9" * 5_000 + b"]", "line 1, is not JSON"),
        (b"[]", "is not an object with format, version, rules, turns"),
        (json.dumps(GAME).encode() + b"\n{}", "format: is missing"),
    ],
)
def test_files_that_are_no_logs(tmp_path, content, sentence):
    path = tmp_path / "game.json"
    path.write_bytes(content)
    with pytest.raises(YatzyError, match=sentence):
        read_logs(path)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(YatzyError, match="game: there is no file"):
        read_logs(tmp_path / "none.json")
    with pytest.raises(YatzyError, match="is a folder; allowed is a file"):
        write_logs([], tmp_path)


BAD = [
    (("format",), ..., "format: is missing"),
    (("format",), "yahtzee-game", "format: 'yahtzee-game' is not allowed; allowed is 'yatzy-game'"),
    (("version",), 2, "version: 2 is not allowed; allowed is 1"),
    (("version",), "1", "version: '1' is not allowed; allowed is 1"),
    (("rules",), "poker", "rules: 'poker' is not known"),
    (("rules",), 5, "rules: 5 is not a text"),
    (("colour",), "red", "colour: 'colour' is not known; allowed are format, version,"),
    (("player",), "", "player: '' has 0; allowed is 1 or more characters"),
    (("player",), "x" * 81, "player: 'xxx"),
    (("date",), "2" * 81, "date: '222"),
    (("turns",), [GAME["turns"][0]] * 25, "turns: has 25 entries; allowed is 24 or fewer"),
    (("turns", 0, "rolls", 1, 2), 0, "turns[0].rolls[1][2]: 0 is not allowed; allowed is 1 or more"),
    (
        ("turns", 0, "goals"),
        [{"target": -1}, None],
        "turns[0].goals[0].target: -1 is not allowed; allowed is 0 or more",
    ),
    (("player",), 5, "player: 5 is not a text"),
    (("date",), "yesterday", "date: 'yesterday' is not of the form 2025-12-31"),
    (("date",), 20251231, "date: 20251231 is not a text"),
    (("seed",), -1, "seed: -1 is not allowed; allowed is 0 or more"),
    (("seed",), 1.5, "seed: 1.5 is not a whole number"),
    (("seed",), True, "seed: True is not a whole number"),
    (("game",), 2**60, "game: 1152921504606846976 is not allowed"),
    (("turns",), {}, "turns: {} is not a list"),
    (("turns",), [GAME["turns"][0]] * 16, "turns: has 16 entries; allowed is 0..15"),
    (("turns", 1), [], r"turns[1]: [] is not an object with rolls, keeps, category"),
    (("turns", 1, "score"), 20, "turns[1].score: 'score' is not known; allowed are rolls, keeps, category, goals"),
    (("turns", 1, "keeps"), ..., "turns[1].keeps: is missing"),
    (("turns", 0, "rolls"), [], "turns[0].rolls: has 0 entries; allowed is 1 or more"),
    (("turns", 0, "rolls"), [[1] * 5] * 4, "turns[0].rolls: has 4 entries"),
    (("turns", 0, "rolls", 1), [3, 3, 2, 3], "turns[0].rolls[1]: has 4 entries; allowed is exactly 5"),
    (("turns", 0, "rolls", 1, 2), 7, "turns[0].rolls[1]: 7 is not a face; allowed is 1..6"),
    (("turns", 0, "rolls", 1, 2), 2.0, "turns[0].rolls[1][2]: 2.0 is not a whole number"),
    (("turns", 0, "rolls", 1, 2), True, "turns[0].rolls[1][2]: True is not a whole number"),
    (("turns", 0, "keeps"), [], "turns[0].keeps: has 0 entries; allowed is exactly 1"),
    (("turns", 0, "keeps", 0), [2], "turns[0].keeps[0]: '2' is not part of rolls[0], which is '1 3 3 5 6'"),
    (("turns", 0, "keeps", 0), [3, 3, 6], "turns[0].keeps[0]: '3 3 6' is not part of rolls[1]"),
    (("turns", 0, "keeps", 0), "33", "turns[0].keeps[0]: '33' is not a list"),
    (("turns", 0, "keeps", 0), [3, 3, 3, 3, 3, 3], "turns[0].keeps[0]: '3 3 3 3 3 3' is not part of rolls[0]"),
    (("turns", 0, "goals"), [], "turns[0].goals: has 0 entries; allowed is exactly 2"),
    (("turns", 0, "goals"), [None], "turns[0].goals: has 1 entries; allowed is exactly 2"),
    (("turns", 0, "goals"), [None, {"target": 999}], "turns[0].goals[1].target: 999 is not allowed"),
    (
        ("turns", 0, "goals"),
        [None, {"aim": 260}],
        "turns[0].goals[1].aim: 'aim' is not known; allowed are",
    ),
    (("turns", 2, "rolls", 1, 0), 5, "turns[2].keeps[0]: '6 6 6 6 6' is not part of rolls[1]"),
    (("turns", 1, "category"), "poker", "turns[1].category: 'poker' is not known; allowed are Ones,"),
    (("turns", 1, "category"), 5, "turns[1].category: 5 is not a text"),
    (("turns", 2, "category"), "Threes", "turns[2].category: 'threes' is already filled"),
]


@pytest.mark.parametrize(("path", "value", "sentence"), BAD, ids=lambda x: x if isinstance(x, str) else "")
def test_a_bad_field_is_named(path, value, sentence):
    with pytest.raises(YatzyError) as refused:
        parse_log(changed(path, value))
    assert str(refused.value).startswith(sentence)


def test_rules_must_be_those_at_hand(small_rules):
    with pytest.raises(YatzyError, match="rules: the game was played by 'scandinavian', not by 'three-dice'"):
        parse_log(GAME, small_rules)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
paths = st.sampled_from(
    [(key,) for key in GAME] + [("turns", i, key) for i in range(3) for key in ("rolls", "keeps", "category")]
)


@given(paths, json_values)
def test_anything_else_is_read_or_refused(path, value):
    try:
        log = parse_log(changed(path, value))
    except YatzyError as error:
        assert ": " in str(error)  # noqa: PT017
    else:
        assert parse_log(as_json(log)) == log


def test_take_out_keeps_the_order_of_the_others():
    assert remove_dice((3, 5, 3, 1, 5), (5, 3)) == (3, 1, 5)
    assert remove_dice((3, 5), ()) == (3, 5)
    assert remove_dice((3, 5), (3, 3)) is None


def test_what_is_null_in_a_turn_might_as_well_be_left_out():
    """Since logs are checked by type, a turn's `"goals": null` was refused, which 0.2 read."""
    told = copy.deepcopy(GAME)
    told["turns"][0]["goals"] = None
    assert parse_log(told) == parse_log(GAME)


def test_it_remembers_what_was_wanted_first():
    told = changed(("turns", 0, "wanted"), ["keep 5 6", None])
    log = parse_log(told)
    assert [turn.wanted for turn in log.turns] == [(Keep((5, 6)), None), (), ()]
    assert as_json(log) == told
    assert parse_log(seal(as_json(log))) == log
    # What warned nobody is left out, so that the checksums of older logs stay.
    assert as_json(parse_log(changed(("turns", 0, "wanted"), [None, None]))) == GAME


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (["keep 3"], r"turns\[0\].wanted: has 1 entries; allowed is exactly 2"),
        (["keep 4", None], r"turns\[0\].wanted\[0\].keep: '4' is not part of '1 3 3 5 6'"),
        (["keep 1 3 3 5 6", None], r"turns\[0\].wanted\[0\].keep: all dice are held"),
        (["throw", None], "turns.0..wanted.action: 'throw' is not an action"),
        ([1, None], r"turns\[0\].wanted\[0\]"),
    ],
)
def test_what_nobody_can_have_wanted_is_refused(wanted, sentence):
    with pytest.raises(YatzyError, match=sentence):
        parse_log(changed(("turns", 0, "wanted"), wanted))


def test_a_filled_box_or_a_throw_too_many_cannot_have_been_wanted():
    with pytest.raises(YatzyError, match=r"turns\[1\].wanted\[0\].category: 'threes' is already filled"):
        parse_log(changed(("turns", 1, "wanted"), ["score threes"]))
    three = {"rolls": [[1, 3, 3, 5, 6]] * 3, "keeps": [[1, 3, 3, 5, 6]] * 2, "category": "threes"}
    with pytest.raises(YatzyError, match=r"wanted\[2\].rerolls: none are left"):
        parse_log(changed(("turns", 0), three | {"wanted": [None, None, "keep 3 3"]}))
