"""The page asks cards again on the days on which Python does, and reads the decks that it kept before."""

import json
from pathlib import Path

import pytest

from web_scripts import run_script

TESTS = Path(__file__).parent.parent
OLD = TESTS / "old" / "page-deck.json"
TODAY = "2026-02-08"


def test_the_page_and_python_agree(tmp_path):
    """Answer by answer, to the day; what FSRS remembers differs by its roundings."""
    golden = json.loads((TESTS / "coach" / "spacing.json").read_text())
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps([one["answers"] for one in golden]))
    told = run_script("spacing", answers, OLD, TODAY)["memories"]
    assert len(told) == len(golden)
    for one, memories in zip(golden, told, strict=True):
        for wanted, found in zip(one["memories"], memories, strict=True):
            assert (found["last"], found["due"]) == (wanted["last"], wanted["due"])
            assert found["stability"] == pytest.approx(wanted["stability"], rel=1e-6, abs=1e-6)
            assert found["difficulty"] == pytest.approx(wanted["difficulty"], abs=1e-5)


@pytest.fixture
def told(tmp_path, monkeypatch):
    """What the page makes of the text that it kept as its deck."""
    monkeypatch.setenv("TZ", "UTC")
    (tmp_path / "answers.json").write_text("[]")

    def run(text):
        (tmp_path / "deck.json").write_text(text)
        return run_script("spacing", tmp_path / "answers.json", tmp_path / "deck.json", TODAY)

    return run


def test_a_deck_of_version_1(told):
    """Its cards: new; right once; wrong; right three times. One was right four times, and had left."""
    found = told(OLD.read_text())
    old = json.loads(OLD.read_text())["cards"]
    cards = found["deck"]["cards"]
    assert [card["log"] for card in cards] == [card["log"] for card in old]
    assert [card["memory"] and (card["memory"]["last"], card["memory"]["due"]) for card in cards] == [
        None, ("2026-02-07", "2026-02-08"), None, ("2026-02-11", "2026-02-18"),
    ]  # fmt: skip
    assert found["mastered"] == 1
    assert found["due"] == [[0, 2, 1], [0, 2, 1, 3]]
    assert found["kept"] == ["yatzy-deck"]


@pytest.mark.parametrize("wrong", ['"step":4', '"step":-1', '"step":"1"', '"step":null'])
def test_a_deck_that_is_none_is_set_aside(told, wrong):
    found = told(OLD.read_text().replace('"step":1', wrong))
    assert (found["deck"]["cards"], found["kept"]) == ([], ["yatzy-deck-set-aside"])


def test_a_deck_of_version_2(told):
    memory = {"stability": 46.0, "difficulty": 2.0, "last": "2026-01-01", "due": "2026-02-16"}
    due = {"stability": 2.0, "difficulty": 2.0, "last": "2026-01-01", "due": "2026-01-03"}
    deck = {"version": 2, "spaced": True, "retired": 3}
    cards = [{"log": {}, "throws": [], "memory": one} for one in (memory, due, None)]
    found = told(json.dumps(deck | {"cards": cards}))
    assert found["deck"]["cards"] == cards
    assert (found["mastered"], found["due"]) == (4, [[2, 1], [2, 1]])
    for wrong in ({"stability": 0}, {"difficulty": "2"}, {"last": "yesterday"}, {"due": None}):
        broken = deck | {"cards": [{"log": {}, "throws": [], "memory": memory | wrong}]}
        assert told(json.dumps(broken))["kept"] == ["yatzy-deck-set-aside"]
