"""Exact values on the command line: solve and value with --exact, and check-exact."""

from fractions import Fraction
from pathlib import Path

import pytest

from games import TINY_FILE
from naive import Expectimax
from yatzy.rules import ruleset


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY_FILE)
    return ruleset("tiny.toml")


def fraction(answer):
    return Fraction(int(answer["numerator"]), int(answer["denominator"]))


def test_a_game_is_solved_into_a_file_that_the_checker_confirms(tiny, as_json, yatzy):
    found = as_json("solve", "--exact", "--rules", "tiny.toml", "--out", "all")
    assert fraction(found) == Expectimax(tiny).state(0, 0)
    assert found["digits"].startswith(repr(found["value"])[:8])
    checked = as_json("check-exact", "all", "--rules", "tiny.toml")
    assert checked["checked"] == checked["agree"] == checked["states"] == found["states"]
    status, out, _ = yatzy("solve", "--exact", "--rules", "tiny.toml")
    assert status == 0
    assert all(found[key] in out for key in ("numerator", "denominator", "digits"))


def test_a_state_has_its_fraction(tiny, as_json):
    found = as_json("value", "--filled", "twins", "--rules", "tiny.toml", "--exact")
    assert fraction(found) == Expectimax(tiny).state(2, 0)


def test_a_file_that_was_changed_is_refused(tiny, as_json, told):
    as_json("solve", "--exact", "--rules", "tiny.toml", "--out", "all")
    content = bytearray(Path("all").read_bytes())
    content[-1] ^= 1
    Path("all").write_bytes(content)
    assert "checksum" in told("check-exact", "all", "--rules", "tiny.toml")


def test_what_cannot_be_exact_is_refused(tiny, told):
    assert told("solve", "--exact", "--theta", "0.1").startswith("exact: is for play for the mean")
    assert told("value", "--exact", "--theta", "0.1").startswith("exact: is for play for the mean")
    assert told("solve", "--exact", "--rules", "maxi").startswith("exact: is for at most 8,192 ways")
    assert told("solve", "--out", "all").startswith("out: all")
