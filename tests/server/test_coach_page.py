"""docs/coach.md shows what the server really answers."""

import json
import re
from pathlib import Path

import pytest

from yatzy.solver.advise import LEAD_WORDS, LOSS_WORDS

PAGE = Path(__file__).parents[2] / "docs" / "coach.md"
SECTION = re.compile(r"^### (GET|POST) (/api/[\w-]+)\n(.*?)(?=^### |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [match.groups() for match in SECTION.finditer(PAGE.read_text())]


def assert_shown(shown, told, where=""):
    """What is shown of an object or of a list, from its beginning, is what is answered."""
    if isinstance(shown, dict):
        assert set(shown) <= set(told), where
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
def test_the_examples_are_what_is_answered(post, method, path, text):
    found = [json.loads(block) for block in BLOCK.findall(text)]
    assert method == "POST"
    for body, shown in zip(found[::2], found[1::2], strict=True):
        assert_shown(shown, post(path, body).json())


def test_the_thresholds_are_those_of_the_code():
    rows = PAGE.read_text().splitlines()
    for words, beyond in ((LOSS_WORDS, "blunder"), (LEAD_WORDS, "obvious")):
        for word, below in words:
            assert f"| {word} | less than {below:g} |" in rows
        assert f"| {beyond} | {words[-1][1]:g} or more |" in rows


@pytest.mark.compiled
def test_every_endpoint_is_listed_and_the_larger_ones_have_examples(get):
    listed = re.findall(r"^\| `(GET|POST) (/api/[\w-]+)` \|", PAGE.read_text(), re.MULTILINE)
    served = get("/openapi.json").json()["paths"]
    assert set(listed) == {(method.upper(), path) for path, ways in served.items() for method in ways}
    assert {(method, path) for method, path, _ in EXAMPLES} == {way for way in listed if way[0] == "POST"}
