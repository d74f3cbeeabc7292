"""docs/coach.md shows what the server really answers."""

import json
import re
from pathlib import Path

import pytest

from yatzy import __version__
from yatzy.game.words import LEAD_WORDS, LOSS_WORDS

PAGE = Path(__file__).parents[2] / "docs" / "coach.md"
SECTION = re.compile(r"^### (GET|POST) (/api/[\w-]+)\n(.*?)(?=^### |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUERY = re.compile(r"`/api/[\w-]+(\?[^`]+)`")
EXAMPLES = [match.groups() for match in SECTION.finditer(PAGE.read_text())]


def assert_shown(shown, told, where=""):
    """Objects are shown whole, of lists at least the first entries."""
    if where == ".version":
        assert told == __version__
    elif isinstance(shown, dict):
        assert set(shown) == set(told), where
        for key in shown:
            assert_shown(shown[key], told[key], f"{where}.{key}")
    elif isinstance(shown, list):
        assert len(shown) <= len(told), where
        for i, entry in enumerate(shown):
            assert_shown(entry, told[i], f"{where}[{i}]")
    elif isinstance(shown, float):
        assert told == pytest.approx(shown, abs=1e-9), where
    else:
        assert shown == told, where


@pytest.mark.compiled
@pytest.mark.parametrize(("method", "path", "text"), EXAMPLES, ids=lambda x: x if x.startswith("/") else "")
def test_the_examples_are_what_is_answered(get, post, method, path, text):
    blocks = [json.loads(block) for block in BLOCK.findall(text)]
    if method == "POST":
        # The first answer is shown whole, of further ones some fields.
        for i, (body, shown) in enumerate(zip(blocks[::2], blocks[1::2], strict=True)):
            told = post(path, body).json()
            assert_shown(shown, {key: told[key] for key in shown} if i else told)
    else:
        (shown,) = blocks
        query = QUERY.search(text)
        assert_shown(shown, get(path + (query[1] if query else "")).json())


def test_the_thresholds_are_those_of_the_code():
    rows = PAGE.read_text().splitlines()
    for words, beyond in ((LOSS_WORDS, "blunder"), (LEAD_WORDS, "obvious")):
        for word, below in words:
            assert f"| {word} | less than {below:g} |" in rows
        assert f"| {beyond} | {words[-1][1]:g} or more |" in rows


def test_every_endpoint_has_an_example():
    assert len(EXAMPLES) == 7
