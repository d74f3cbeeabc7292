"""Nothing jumps when fonts, data and answers come late; a phone is slow besides. Nothing needs the fonts."""

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from browser.conftest import SHIFTS, SOON, open_visit
from browser.test_figures import CUT, FIGURES, MARKS
from browser.test_pages import PAGES, SCROLL, scroll_through
from yatzy.coach.game import play_logs
from yatzy.policy.registry import named_policy
from yatzy.rules import scandinavian

pytestmark = pytest.mark.compiled

# The sum over a whole visit; 0.1 is what is called good for a page.
LIMIT = 0.02
# A phone: its processor and its line.
SLOWER = 2
LINE = {"offline": False, "latency": 100, "downloadThroughput": 300_000, "uploadThroughput": 100_000}
PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length > 0"
SETTLED = "document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))"
PHONE, DESK = (390, 844), (1280, 900)
SIZES = pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])


class Late:
    """A page for which what it asks for does not come before it is let go."""

    def __init__(self, page: Page) -> None:
        self.page, self.waiting, self.holding = page, list[Route](), True
        page.route(lambda url: url.endswith((".woff2", ".json")) or "/worker-" in url, self._meet)

    def _meet(self, route: Route) -> None:
        if self.holding:
            self.waiting.append(route)
        else:
            route.continue_()

    def let_go(self) -> None:
        self.holding = False
        for route in self.waiting:
            route.continue_()
        self.waiting.clear()


@pytest.fixture
def slow(browser: Browser, address: str) -> Iterator[Callable[..., Late]]:
    """Opens a page as far as its first paint, with what the reader's browser remembers from before."""
    opened = []

    def open_page(path: str, size: tuple[int, int], remembered: dict[str, str]) -> Late:
        one = open_visit(browser, address, *size, reduced_motion="reduce")
        opened.append(one)
        one.page.add_init_script(
            SHIFTS + f"for (const [k, v] of Object.entries({json.dumps(remembered)})) localStorage.setItem(k, v);"
        )
        if size == PHONE:
            tools = one.context.new_cdp_session(one.page)
            tools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
            tools.send("Network.enable")
            tools.send("Network.emulateNetworkConditions", LINE)
        late = Late(one.page)
        one.page.goto(f"{address}/{path}", wait_until="domcontentloaded")
        one.page.wait_for_function(PAINTED, timeout=SOON)
        return late

    yield open_page
    for one in opened:
        one.context.close()
        assert not one.errors, one.errors


def check_stillness(late: Late) -> Page:
    """Read to the end, and watch what jumps."""
    page = late.page
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    late.let_go()
    page.wait_for_load_state("load")
    page.evaluate(SETTLED)
    scroll_through(page)
    page.wait_for_load_state("networkidle")
    check_shifts(page)
    return page


def check_shifts(page: Page) -> None:
    page.evaluate(SETTLED)
    shifts = page.evaluate("window.shifts")
    assert sum(value for value, _ in shifts) < LIMIT, shifts


# On a phone every page; on a desk those whose figures come late.
@pytest.mark.parametrize(
    ("path", "size"),
    [*((path, PHONE) for path in PAGES), *((path, DESK) for path in PAGES if path in FIGURES.values())],
    ids=lambda one: {PHONE: "phone", DESK: "desk"}.get(one, one),
)
def test_no_page_jumps(slow, path, size):
    check_stillness(slow(path, size, {}))


@SIZES
@pytest.mark.parametrize("path", ["solver.html", "risk.html"])
def test_formulas_and_code_do_not_jump(slow, path, size):
    check_stillness(slow(path, size, {"yatzy-depth": "code"}))


@SIZES
def test_the_coach_does_not_jump(slow, size):
    page = check_stillness(slow("play/", size, {}))
    expect(page.locator("#heading-for")).to_contain_text("Heading for")
    check_shifts(page)


@SIZES
@pytest.mark.parametrize("turns", [7, 15])
def test_a_game_that_was_begun_or_finished_comes_back_in_its_place(slow, size, turns):
    log = next(play_logs(named_policy("heuristic", scandinavian()), 1, seed=3)).to_json()
    begun = {**log, "turns": log["turns"][:turns]}
    seat = {"name": "", "kind": "person", "log": begun, "throws": [], "previous": [], "outlooks": []}
    kept = {"format": "yatzy-seats", "version": 2, "now": 0, "seats": [seat]}
    view = "review" if turns == 15 else "play"
    late = slow("play/", size, {"yatzy-game": json.dumps(kept), "yatzy-view": view})
    page = check_stillness(late)
    assert page.locator("#review").is_visible() == (turns == 15)
    if turns == 15:
        expect(page.locator("#term-score")).to_be_visible()
    expect(page.locator("#outlook")).to_be_visible()
    check_shifts(page)


@pytest.mark.parametrize("path", sorted(set(FIGURES.values())))
def test_figures_fit_without_the_fonts_too(browser, address, path):
    """A font that comes late is not used: no label may need it, on a phone and on a desk."""
    one = open_visit(browser, address, *PHONE, reduced_motion="reduce")
    one.page.route("**/*.woff2", lambda route: route.abort())
    one.go(path)
    for width, height in (PHONE, DESK):
        one.page.set_viewport_size({"width": width, "height": height})
        one.page.evaluate(SCROLL, 0)
        for figure in [figure for figure, at in FIGURES.items() if at == path]:
            page = one.show(figure)
            assert page.evaluate(MARKS, figure)["outside"] == 0, figure
            assert page.evaluate(CUT, figure) == [], figure
        assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    one.context.close()
