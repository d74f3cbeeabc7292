"""docs/coach.md shows what the server really answers."""

import json
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "coach.md"
SECTION = re.compile(r"^### (GET|POST) (/api/[\w-]+)\n(.*?)(?=^### |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUERY = re.compile(r"`/api/[\w-]+(\?[^`]+)`")
EXAMPLES = [match.groups() for match in SECTION.finditer(PAGE.read_text())]


def assert_shown(shown, told, where=""):
    """Objects are shown whole, of lists at least the first entries. What a card says depends on the card."""
    if where.endswith(".card"):
        assert shown is None or set(shown) == {"policy", "action", "regret", "rule"}
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
        body, shown = blocks
        assert_shown(shown, post(path, body).json())
    else:
        (shown,) = blocks
        query = QUERY.search(text)
        assert_shown(shown, get(path + (query[1] if query else "")).json())


def test_every_endpoint_has_an_example():
    assert len(EXAMPLES) == 6
