"""A real browser on the built site: the system's chromium where there is one, else playwright's own."""

import functools
import http.server
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from yatzy.coach.advice import Coach, stored_coach
from yatzy.context import Context
from yatzy.rules import scandinavian
from yatzy.site.build import build_site

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
HERE = Path(__file__).parent
# Without windows first: it takes less time for a page.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
# Milliseconds after which a test gives up waiting, on whatever machine: nothing here is a test of speed.
SOON = 120_000
# What jumps, as the browser measures it; what follows a key or a tap may move.
SHIFTS = """window.shifts = [];
const named = (node) => node?.nodeType === 3 ? `text of ${named(node.parentElement)}`
  : node ? node.tagName.toLowerCase() + (node.id ? `#${node.id}` : `.${node.className}`) : "gone";
const note = (e) => e.hadRecentInput || window.shifts.push([e.value, e.sources.map((s) => named(s.node))]);
const watch = new PerformanceObserver((list) => list.getEntries().forEach(note));
watch.observe({ type: "layout-shift", buffered: true });
"""
expect.set_options(timeout=SOON)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


class Handler(http.server.SimpleHTTPRequestHandler):
    """A plain static server."""

    def log_message(self, *arguments: object) -> None: ...


class Server(http.server.ThreadingHTTPServer):
    """Quiet when a page goes away while it loads."""

    def handle_error(self, request: object, client_address: object) -> None: ...


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.mktemp("site")).out


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    with Server(("127.0.0.1", 0), functools.partial(Handler, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def coach(home: Path) -> Coach:
    return stored_coach(scandinavian(), Context(home))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Without a browser these tests fail: `make browser` finds or installs one."""
    system = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=system, args=FLAGS)
        yield launched
        launched.close()


@dataclass
class Visit:
    """A page in a context of its own, and what went wrong on it."""

    page: Page
    context: BrowserContext
    address: str
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def go(self, path: str) -> Page:
        self.page.goto(f"{self.address}/{path}")
        return self.page

    def show(self, figure_id: str) -> Page:
        """The page that is open, with this figure drawn and in view."""
        page = self.page
        page.locator(f"#{figure_id}").scroll_into_view_if_needed()
        page.wait_for_selector(f"#{figure_id}[data-state]", timeout=SOON)
        assert page.locator(f"#{figure_id}").get_attribute("data-state") == "drawn", self.errors
        if figure_id == "chart-score-spray" and not page.evaluate(
            "matchMedia('(prefers-reduced-motion)').matches"
        ):
            page.wait_for_selector(f"#{figure_id} .stage[data-played=true]", timeout=SOON)
        return page

    def figure(self, path: str, figure_id: str) -> Page:
        self.go(path)
        return self.show(figure_id)


def wait_for_coach(page: Page) -> None:
    """The coach's page hears keys when its language has come, which is after it has loaded."""

    def waiting(load: Callable[..., object]) -> Callable[..., object]:
        def load_and_wait(*where: str, **options: object) -> object:
            answer = load(*where, **options)
            if "wait_until" not in options and page.url.split("?")[0].endswith(("/play/", "/play/index.html")):
                page.wait_for_selector("html[data-ready]", state="attached")
            return answer

        return load_and_wait

    page.goto, page.reload = waiting(page.goto), waiting(page.reload)  # type: ignore[method-assign]


def leave_out_coach(page: Page) -> None:
    """A coach that never answers, for tests that need none: it would solve the whole game for every page."""
    page.route("**/worker-*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))


# Somebody who was here before: newcomers are warned of mistakes, and tests make many.
NO_WARNINGS = """try {
  localStorage.getItem("yatzy-choices") ?? localStorage.setItem("yatzy-choices", '{"version": 1}');
} catch {}"""


def open_visit(
    browser: Browser, address: str, width: int, height: int = 900, is_new: bool = False, **options: object
) -> Visit:
    """A page of its own. Nothing is kept for later (`service_workers`): tests see what the server sends."""
    options = {"service_workers": "block", **options}
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    if not is_new:
        context.add_init_script(NO_WARNINGS)
    context.set_default_timeout(SOON)
    one = Visit(context.new_page(), context, address)
    wait_for_coach(one.page)
    one.page.on("console", lambda said: one.errors.append(said.text) if said.type == "error" else None)
    one.page.on("pageerror", lambda error: one.errors.append(str(error)))
    one.page.on("request", lambda request: one.requests.append(request.url))
    return one


def check_visit(one: Visit) -> None:
    """Nothing went wrong, and nothing was asked for from elsewhere."""
    assert not one.errors, one.errors
    assert all(url.startswith((one.address, "data:")) for url in one.requests)


@pytest.fixture(scope="module")
def pages(browser: Browser, address: str) -> Iterator[Callable[[str, int], Visit]]:
    """Pages by path and width that stay open for all tests of a module, without motion."""

    @functools.cache
    def find(path: str, width: int) -> Visit:
        one = open_visit(browser, address, width, reduced_motion="reduce")
        one.go(path)
        opened.append(one)
        return one

    opened: list[Visit] = []
    yield find
    for one in opened:
        one.context.close()


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Visit]]:
    """Opens pages of a width, with options of playwright's contexts; what went wrong on them fails the test."""
    opened: list[Visit] = []

    def open_page(width: int = 1280, **options: object) -> Visit:
        opened.append(open_visit(browser, address, width, **options))
        return opened[-1]

    yield open_page
    for one in opened:
        one.context.close()
        check_visit(one)
