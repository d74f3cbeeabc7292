"""Damaged entries in the browser's storage, damaged files and odd links: the page starts, and nothing is lost."""

import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import Visit, check_visit, leave_out_coach, open_visit
from yatzy.game.json import as_json
from yatzy.game.log import parse_log, write_logs
from yatzy.measure.simulate import play_logs
from yatzy.policies.registry import find_policy
from yatzy.rules import scandinavian

pytestmark = pytest.mark.compiled

NOTHING = "<link rel=icon href='data:,'>"
# web/tests/play/storage.test.ts tries hundreds without a page; `make soak` tries more in one.
STORES, FILES = (140, 60) if "YATZY_SOAK" in os.environ else (3, 3)
LINKS = ("#%", "#%E0%A4%A", "#%00", "#nowhere", "?x=%", "?seed=%", "?seed=1e99#%")
ODD = [None, 5, -1, 1.5, "abcde", [], {}, True, [None], {"dice": 1}, "é" * 100, 1e308]


@pytest.fixture(scope="module")
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    one = open_visit(browser, address, 1280, 900, reduced_motion="reduce")
    leave_out_coach(one.page)
    yield one
    one.context.close()


def entry() -> dict[str, Any]:
    """A game under way as the page keeps it."""
    log = as_json(next(play_logs(find_policy("heuristic", scandinavian()), 1, seed=3)))
    log["turns"] = log["turns"][:6]
    throws = [
        {"dice": [1, 3, 3, 5, 6], "held": [False, True, True, False, False]},
        {"dice": [2, 3, 3, 4, 4], "held": [False] * 5},
    ]
    outlook = {"theta": 0, "mean": 230.5, "quantiles": [150, 200, 260, 310]}
    seat = {"name": "", "kind": "person", "log": log, "throws": throws, "previous": []}
    seat["outlooks"] = [outlook, None]
    return {"format": "yatzy-seats", "version": 2, "now": 0, "seats": [seat]}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    if path:
        yield path
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(inner, (*path, key))


def damaged(whole: dict[str, Any], draw: random.Random) -> str:
    """The same text with something wrong: an odd value, a missing field, a changed byte, or half of it."""
    text = json.dumps(whole)
    kind = draw.randrange(4)
    if kind == 0:
        return text[: draw.randrange(len(text))]
    if kind == 1:
        at = draw.randrange(len(text))
        return text[:at] + chr(draw.randrange(32, 127)) + text[at + 1 :]
    value = copy.deepcopy(whole)
    path = draw.choice(list(places(value)))
    inner: Any = value
    for step in path[:-1]:
        inner = inner[step]
    if kind == 2 and isinstance(inner, dict):
        del inner[path[-1]]
    else:
        inner[path[-1]] = draw.choice(ODD)
    return json.dumps(value)


def assert_started(page: Page) -> None:
    """A card, and dice that can be thrown or scored; or a game that is over, with its review."""
    over = page.evaluate("document.documentElement.dataset.view") == "review"
    expect(page.locator("#review-title" if over else "#dice .die").first).to_be_visible()
    expect(page.locator(".box").first).to_be_visible()
    kept = page.evaluate("localStorage.getItem('yatzy-game')")
    if kept is not None:
        parse_log(json.loads(kept)["seats"][0]["log"])


def with_store(visit: Visit, entries: dict[str, str], clear: bool = True) -> Page:
    """The page opened with this store, which is written from an empty page: it would keep its own game."""
    visit.page.route("**/nothing", lambda route: route.fulfill(content_type="text/html", body=NOTHING))
    visit.go("nothing")
    visit.page.evaluate(
        """([entries, clear]) => {
          if (clear) localStorage.clear();
          for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
        }""",
        [entries, clear],
    )
    return visit.go("play/")


def test_damaged_stores(visit: Visit) -> None:
    draw = random.Random(5)
    visit.go("play/")
    whole = entry()
    texts = [damaged(whole, draw) for _ in range(STORES)]
    choices = {"version": 1, "hints": "always", "dice": "random", "theta": 0.05, "target": 250}
    for text in texts:
        page = with_store(
            visit, {"yatzy-game": text, "yatzy-choices": damaged(choices, draw), "yatzy-theme": "\0"}
        )
        assert_started(page)
        aside = page.evaluate("localStorage.getItem('yatzy-set-aside')")
        assert aside in (None, json.dumps([text], ensure_ascii=False, separators=(",", ":")))
        if aside is not None:
            expect(page.locator("#file-trouble")).to_contain_text("could not be read")
    check_visit(visit)


def test_what_was_set_aside_can_be_saved(visit: Visit) -> None:
    visit.go("play/")
    page = with_store(visit, {"yatzy-game": '{"version": 1, "log": 7}'})
    with page.expect_download() as download:
        page.locator("#file-trouble button").first.click()
    assert download.value.path().read_text() == '{"version": 1, "log": 7}\n'
    with_store(visit, {"yatzy-game": "another"}, clear=False)
    # The rules have to be there before a game is read.
    page.wait_for_function("() => JSON.parse(localStorage.getItem('yatzy-set-aside')).length > 1")
    assert json.loads(page.evaluate("localStorage.getItem('yatzy-set-aside')")) == [
        '{"version": 1, "log": 7}',
        "another",
    ]
    page.locator("#file-trouble button").last.click()
    expect(page.locator("#file-trouble")).to_be_empty()
    page.reload()
    expect(page.locator("#file-trouble")).to_be_empty()


def test_damaged_files(visit: Visit, tmp_path: Path) -> None:
    """A file is opened as it was written, or refused in a sentence; what opens can be saved again."""
    draw = random.Random(6)
    (log,) = play_logs(find_policy("heuristic", scandinavian()), 1, seed=4)
    whole = json.loads(write_logs([log], tmp_path / "g.json").read_text())
    page = visit.go("play/")
    texts = [json.dumps({**whole, "date": 5}), *(damaged(whole, draw) for _ in range(FILES - 1))]
    for text in texts:
        page = with_store(visit, {})
        (tmp_path / "bad.json").write_text(text)
        page.set_input_files("#file", tmp_path / "bad.json")
        page.wait_for_function(
            "() => document.querySelector('#file-trouble').textContent !== '' || "
            "(JSON.parse(localStorage.getItem('yatzy-game') ?? 'null')?.seats[0].log.turns.length ?? 0) > 0"
        )
        if page.locator("#file-trouble").text_content() == "":
            kept = parse_log(json.loads(page.evaluate("localStorage.getItem('yatzy-game')"))["seats"][0]["log"])
            assert kept.turns == log.turns[: len(kept.turns)] or "checksum" not in json.loads(text)
        assert_started(page)
    check_visit(visit)


@pytest.mark.parametrize("link", LINKS)
def test_odd_links(reader: Visit, link: str) -> None:
    """`/solver.html#%` drew no figure."""
    one = reader
    one.page.goto("about:blank")
    one.go("solver.html" + link)
    figure = one.page.locator("figure.chart").first.get_attribute("id")
    assert figure
    one.show(figure)
    check_visit(one)


@pytest.fixture(scope="module")
def reader(browser: Browser, address: str) -> Iterator[Visit]:
    """A page of the treatise, for one link after the other."""
    one = open_visit(browser, address, 1280, 900)
    yield one
    one.context.close()
