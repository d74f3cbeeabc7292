"""Golden situations: the file is what the library says; web/tests/engine holds the page's engine to it."""

import json
from functools import cache
from pathlib import Path

import pytest

from yatzy.site import golden

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
    warned = [game for one in GOLDEN["reviews"] for game in one["games"] if game["spared"]]
    assert [game["log"]["rules"] for game in warned] == list(golden.REVIEWS)
    assert any(line[0] >> 13 & 1 for rules, _, line in advice if rules == "yahtzee"), "flags"


@pytest.mark.compiled
def test_the_file_is_what_the_library_says(monkeypatch):
    # Every table is solved once; `make golden` keeps few of them, for the sake of memory.
    monkeypatch.setattr(golden, "_table", cache(golden.solve))
    assert FILE.read_text() == golden.as_text(golden.situations())


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
