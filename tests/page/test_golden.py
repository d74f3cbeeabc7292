"""Golden situations: the file is what the library says, and the page's engine says the same."""

import json
from functools import cache
from pathlib import Path

import pytest

from web_scripts import run_script
from yatzy.page import golden, tables

FILE = Path(__file__).with_name("golden.json")
GOLDEN = json.loads(FILE.read_text())


def test_there_are_enough_of_every_kind():
    advice = [(one["rules"], one["theta"], line) for one in GOLDEN["advice"] for line in one["situations"]]
    targets = [line for one in GOLDEN["targets"] for line in one["situations"]]
    assert len(advice) + len(targets) >= 2000
    assert sum(len(line[-1]) > 1 for _, _, line in advice) > 100, "ties"
    assert {line[4] for _, _, line in advice} >= {0, 1, 2, 5}, "rerolls, saved ones too"
    assert {theta > 0 for _, theta, _ in advice if theta} == {True, False}
    filled = {(line[0] & 0x7FFF).bit_count() for rules, _, line in advice if rules == "scandinavian"}
    assert filled == set(range(15))
    unfinished = [game for one in GOLDEN["reviews"] for game in one["games"] if game["value_left"]]
    assert len(unfinished) == sum(golden.UNFINISHED.values())
    assert all(game["log"]["turns"][-1]["goals"][-1] for game in unfinished)
    assert any(line[0] >> 13 & 1 for rules, _, line in advice if rules == "yahtzee"), "flags"


@pytest.mark.compiled
def test_the_file_is_what_the_library_says(monkeypatch):
    # Every table is solved once; `make golden` keeps few of them, for the sake of memory.
    monkeypatch.setattr(golden, "_table", cache(golden.solve))
    assert FILE.read_text() == golden.as_text(golden.situations())


@pytest.mark.browser
def test_the_engine_agrees(tmp_path):
    """In every situation, with the best action equal unless several are, and values within 2e-3.

    Also a bug: reviews of unfinished games in which the bonus was reached paid it, and counted it ahead as well.
    """
    tables.write_tables(tmp_path)
    told = run_script("golden", FILE, tmp_path)
    assert told["wrong"] == []
    assert told["situations"] == sum(
        len(one["situations"]) for kind in ("advice", "targets") for one in GOLDEN[kind]
    )
    assert told["reviews"] == sum(len(one["games"]) for one in GOLDEN["reviews"])
    assert told["outlooks"] == sum(len(one["states"]) for one in GOLDEN["outlooks"])
    assert told["value"] < 2e-3
    assert told["chance"] < 1e-5
    assert 0 < told["new_game"] < 1e-5, "what the page has of a new game, by score"


def test_commands(tmp_path, monkeypatch):
    monkeypatch.setattr(golden, "situations", lambda: {"advice": [[1], [2]]})
    path = tmp_path / "golden.json"
    with pytest.raises(SystemExit, match="make golden"):
        golden.main(["check", str(path)])
    golden.main(["write", str(path)])
    golden.main(["check", str(path)])
    assert path.read_text() == '{"advice":[[1],\n[2]]}\n'
    with pytest.raises(SystemExit, match="which file"):
        golden.main(["check"])
