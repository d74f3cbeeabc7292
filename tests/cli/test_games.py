"""`yatzy games`, and what other commands do with the rules of other games."""

import pytest

from yatzy.cli.games import spans
from yatzy.context import Context
from yatzy.rules import GAMES, SWITCHES, maxi, parse_filled, with_saved
from yatzy.rules.toml import EXAMPLES, read_rules
from yatzy.solver.store import stored_table
from yatzy.solver.table import table_path

FAMILY, LITTLE = str(EXAMPLES / "family.toml"), str(EXAMPLES / "little-yahtzee.toml")


@pytest.mark.compiled
def test_games_lists_the_catalogue(as_json, home):
    found = {game["name"]: game for game in as_json("games")["games"]}
    assert list(found) == list(GAMES)
    values = {name: game["value"] for name, game in found.items() if name != "maxi"}
    assert values == pytest.approx(
        {"scandinavian": 248.4399893778547, "yahtzee": 254.58772873449539, "kniffel": 248.20681442528127,
         "yacht": 166.9550677045723}, abs=1e-9,
    )  # fmt: skip
    assert found["scandinavian"]["states"] == 1_430_528
    assert (found["maxi"]["value"] is None) == (not table_path(maxi(), 0.0, "float64", home).exists())
    for name, game in found.items():
        assert game["title"] == GAMES[name].title
        assert game["switches"] == [{"name": s, "means": SWITCHES[s]} for s in GAMES[name].switches]


@pytest.mark.compiled
def test_games_prints_what_is_not_solved_yet_and_every_switch(yatzy, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.setattr("yatzy.cli.games.SOLVED_AT_ONCE", 5_000)
    status, out, _ = yatzy("games", "--home", tmp_path)
    assert status == 0
    assert "not solved yet: yatzy solve --rules yahtzee" in out
    assert "166.9551" in out
    assert all(switch in out and sentence in out for switch, sentence in SWITCHES.items())


@pytest.mark.compiled
def test_a_game_is_described_box_by_box(as_json):
    found = as_json("games", "--rules", LITTLE)
    rules = read_rules(LITTLE)
    assert found["value"] == pytest.approx(142.09239, abs=1e-5)
    assert (found["rules"], found["fingerprint"]) == ("little-yahtzee", rules.fingerprint)
    assert (found["dice"], found["faces"], found["throws"]) == (3, 6, 3)
    assert found["bonus"] == {"threshold": 36, "points": 25}
    assert found["jokers"] == {"box": "Triple", "extra": 30, "joker": "forced", "points": {"Row": 20}}
    assert (found["saved_throws"], found["forced_order"]) == (False, False)
    boxes = {box["name"]: box for box in found["boxes"]}
    assert boxes["Sixes"] == {"name": "Sixes", "aliases": [], "upper": True, "points": [0, 6, 12, 18]}
    assert boxes["Triple"]["points"] == [0, 30]
    assert boxes["Chance"]["points"] == list(range(3, 19))


@pytest.mark.compiled
def test_a_game_is_described_in_words(yatzy, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    out = yatzy("games", "--rules", FAMILY)[1]
    assert "family-yatzy: 4 dice with 6 faces, 3 throws a turn." in out
    assert "20 points more for 24 or more in the upper section." in out
    assert "throws that you do not use are kept for later turns" in out
    assert "value of perfect play: 147.9764" in out
    out = yatzy("games", "--rules", LITTLE)[1]
    assert "Triple: a further one is a joker, which goes into the box of its face first; 30 points extra" in out


def test_a_file_that_is_not_solved_is_named_as_it_was_given(yatzy, monkeypatch, tmp_path):
    monkeypatch.setattr("yatzy.cli.games.SOLVED_AT_ONCE", 0)
    out = yatzy("games", "--rules", LITTLE, "--home", tmp_path)[1]
    assert f"not solved yet: yatzy solve --rules {LITTLE}" in " ".join(out.split())


@pytest.mark.parametrize(
    ("points", "text"),
    [([0], "0"), ([0, 50], "0, 50"), ([0, 1, 2], "0..2"), ([0, 5, 10, 15, 25], "0..15 by 5, 25"), ([], ""),
     ([0, 7, 8, 9, 11], "0, 7..9, 11"), (list(range(5, 31)), "5..30")],
)  # fmt: skip
def test_points_are_told_in_spans(points, text):
    assert spans(points) == text


@pytest.mark.compiled
def test_value_and_advise_take_saved_throws(as_json, home):
    rules = read_rules(FAMILY)
    table = stored_table(rules, context=Context(home))
    mask = with_saved(rules, parse_filled(rules, "fours,row"), 3)
    state = ("--rules", FAMILY, "--filled", "fours,row", "--upper", 8, "--saved", 3)
    found = as_json("value", *state)
    assert found == {
        "rules": "family-yatzy", "theta": 0.0, "filled": ["fours", "row"], "upper": 8, "saved": 3,
        "value": table.value(mask, 8),
    }  # fmt: skip
    found = as_json("advise", "1 5 5 6", *state)
    expected = table.advise("1 5 5 6", 5, mask, 8)
    assert (found["rerolls"], found["saved"], found["value"]) == (5, 3, expected[0].value)
    assert as_json("advise", "1 5 5 6", *state, "--rerolls", 4)["value"] != found["value"]


@pytest.mark.compiled
def test_value_takes_a_box_that_holds_points(as_json):
    state = ("value", "--rules", LITTLE, "--upper", 0, "--filled")
    scored, crossed_out = as_json(*state, "triple*"), as_json(*state, "triple")
    assert (scored["filled"], crossed_out["filled"]) == (["triple*"], ["triple"])
    assert scored["value"] > crossed_out["value"]
    assert "saved" not in scored


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("value", "--saved", 2), "saved: 2 is not allowed; no throws are saved in scandinavian"),
        (("advise", "13356", "--saved", 1), "saved: 1 is not allowed; no throws are saved in scandinavian"),
        (("value", "--saved", -1), "saved: -1 is not allowed; allowed is a whole number, 0 or more"),
        (("value", "--rules", FAMILY, "--saved", 1), "saved: 1 cannot occur with filled '-'; allowed: 0..0"),
        (("value", "--rules", FAMILY, "--filled", "row", "--saved", 3), "saved: 3 cannot occur with filled 'row'"),
        (("advise", "1111", "--rules", FAMILY, "--filled", "row", "--saved", 1, "--rerolls", 4),
         "rerolls: 4 is not allowed; allowed are 0, 1, 2, 3"),
        (("value", "--rules", "nowhere.toml"), "rules: there is no file nowhere.toml"),
        (("games", "--rules", "yatzee"), "rules: 'yatzee' is not known"),
        (("games", "--rules", "kniffel+no-joker"), "rules: 'no-joker' is not a switch of kniffel; it has none"),
        (("dataset", "--rules", "yahtzee"), "rules: training data is for games without jokers, saved throws"),
        (("distill", "value", "--rules", FAMILY), "rules: models are for games without jokers, saved throws"),
        (("lists", "induce", "--rules", "kniffel"), "rules: rule lists are for games without jokers"),
    ],
)  # fmt: skip
def test_what_a_game_does_not_have_is_told_in_one_sentence(arguments, sentence, told):
    assert told(*arguments).startswith(sentence)


@pytest.mark.parametrize("who", ["value-18", "card-20"])
def test_players_of_one_game_say_so(who, told):
    assert "plays 'scandinavian', not 'little-yahtzee'" in told("evaluate", who, "--rules", LITTLE)


@pytest.mark.parametrize("command", ["solve", "value", "evaluate", "simulate", "sweep", "play", "dataset"])
def test_help_names_the_games_and_says_that_files_are_allowed(command, yatzy):
    out = " ".join(yatzy(command, "--help")[1].replace("│", " ").split())
    assert all(name in out for name in GAMES)
    assert "mine.toml" in out


@pytest.mark.compiled
@pytest.mark.parametrize("game", [FAMILY, LITTLE])
@pytest.mark.parametrize("who", ["heuristic", "greedy", "random"])
def test_named_policies_play_games_from_files(who, game, as_json):
    found = as_json("simulate", "--games", 500, who, "--rules", game)
    assert found["rules"] == read_rules(game).name
    assert 20 < found["mean"] < stored_table(game).value()


@pytest.mark.compiled
def test_a_game_by_rules_of_ones_own_is_reviewed(as_json, told, tmp_path):
    """A log says the name of its rules; whose they are says --rules."""
    asked = ("--rules", LITTLE, "--home", tmp_path)
    log = tmp_path / "games.jsonl"
    as_json("simulate", "--games", 2, "greedy", "--logs", log, *asked)
    found = as_json("review", log, "--game", 2, *asked)
    assert found["rules"] == "little-yahtzee"
    assert found["start_value"] + found["luck"] - found["lost"] == pytest.approx(found["score"])
    assert told("review", log, "--home", tmp_path).startswith("rules: 'little-yahtzee' is not known; allowed are")
    assert told("review", log, "--rules", "yahtzee").startswith("rules: the game was played by 'little-yahtzee'")
