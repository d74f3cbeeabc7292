"""Reading a page from top to bottom; and pages for which fonts, data and answers come late."""

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from browser.conftest import SHIFTS, SOON, Visit, check_visit, open_visit

# The sum of what jumps in a whole visit; 0.1 is what is called good for a page.
LIMIT = 0.02
PHONE, DESK = (390, 844), (1280, 900)
# A phone's line, and its processor where scripts have most to do. A browser throttles its processor by spinning,
# even while it waits for the line.
LINE = {"offline": False, "latency": 100, "downloadThroughput": 300_000, "uploadThroughput": 100_000}
SLOWER = 2
BUSY = ("game.html", "play/")
PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length > 0"
SETTLED = "document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))"
# Two frames: in the first the page sees where it is, in the second what it has done about it is drawn.
SCROLL = """(top) => {
  window.scrollTo({ top, behavior: "instant" });
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


def scroll_through(page: Page) -> None:
    """From top to bottom, as a reader would, until all figures are drawn."""
    height = page.evaluate("document.documentElement.scrollHeight")
    for top in range(0, height + 1, 700):
        page.evaluate(SCROLL, top)
    figures = page.locator("figure.chart")
    expect(page.locator("figure.chart[data-state=drawn]")).to_have_count(figures.count())


class Late:
    """A page for which what it asks for does not come before it is let go; fonts may come broken."""

    def __init__(self, visit: Visit, fonts: bool = True) -> None:
        self.visit, self.page, self.fonts = visit, visit.page, fonts
        self.waiting, self.holding = list[Route](), True
        self.tools = visit.context.new_cdp_session(visit.page)
        self.page.route(lambda url: url.endswith((".woff2", ".json")) or "/worker-" in url, self._meet)

    def _meet(self, route: Route) -> None:
        if self.holding:
            self.waiting.append(route)
        elif self.fonts or not route.request.url.endswith(".woff2"):
            route.continue_()
        else:
            route.fulfill(body="", content_type="font/woff2")

    def let_go(self) -> None:
        self.holding = False
        for route in self.waiting:
            self._meet(route)
        self.waiting.clear()

    def slow_down(self, processor: float) -> None:
        self.tools.send("Emulation.setCPUThrottlingRate", {"rate": processor})
        self.tools.send("Network.enable")
        self.tools.send("Network.emulateNetworkConditions", LINE)

    def at_full_speed(self) -> Visit:
        """The processor at full speed again, when nothing more is watched; the line stays slow."""
        self.tools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        return self.visit


@pytest.fixture
def slow(browser: Browser, address: str) -> Iterator[Callable[..., Late]]:
    """Opens a page as far as its first paint, with what the reader's browser remembers from before."""
    opened: list[Visit] = []

    def open_page(
        path: str,
        size: tuple[int, int],
        remembered: dict[str, str] | None = None,
        fonts: bool = True,
        **options: object,
    ) -> Late:
        one = open_visit(browser, address, *size, reduced_motion="reduce", **options)
        opened.append(one)
        kept = json.dumps(remembered or {})
        one.page.add_init_script(
            SHIFTS + f"for (const [k, v] of Object.entries({kept})) localStorage.setItem(k, v);"
        )
        late = Late(one, fonts)
        if size == PHONE:
            late.slow_down(SLOWER if path in BUSY else 1)
        one.page.goto(f"{address}/{path}", wait_until="domcontentloaded")
        one.page.wait_for_function(PAINTED, timeout=SOON)
        return late

    yield open_page
    for one in opened:
        one.context.close()
        check_visit(one)


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
