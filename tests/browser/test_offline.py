"""The site on a plain static host, below any path: no errors, no connection needed, updates on offer."""

import functools
import gzip
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import SOON, Handler, Server, Visit, open_visit
from browser.reading import scroll_through
from browser.test_pages import PAGES
from yatzy.server.guard import PAGE_POLICY
from yatzy.site.offline import LANGUAGES, WORKER, group_files, write_worker
from yatzy.site.web import WEB

BELOW = "some/deep/path"
FIRST_VISIT = 300_000
# Addresses of what is kept, in the browser's own order.
KEPT = f"""caches.open("yatzy " + location.origin + "/{BELOW}/")
  .then((cache) => cache.keys()).then((found) => found.map((one) => one.url))"""
CONTROLLED = "() => navigator.serviceWorker.controller !== null"


class Host:
    """A static host that can be cut off, with a site that can be changed."""

    def __init__(self, folder: Path, site: Path) -> None:
        self.root, self.site = folder, folder / BELOW
        shutil.copytree(site, self.site)
        self.asked: list[str] = []
        self.port = 0
        self.start()

    def start(self) -> None:
        asked = self.asked

        class Noting(Handler):
            def do_GET(self) -> None:  # noqa: N802
                asked.append(self.path)
                super().do_GET()

        self._server = Server(("127.0.0.1", self.port), functools.partial(Noting, directory=str(self.root)))
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/{BELOW}"

    def publish(self, name: str, old: str, new: str) -> None:
        """Change a text of the site, and write its worker again, as a build would."""
        path = self.site / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        write_worker(self.site, WEB / "dist" / WORKER)


@pytest.fixture
def host(tmp_path: Path, site: Path) -> Iterator[Host]:
    made = Host(tmp_path, site)
    yield made
    made.stop()


@pytest.fixture
def reader(browser: Browser, host: Host) -> Iterator[Callable[..., Visit]]:
    """A reader whose browser may keep the site."""
    opened: list[Visit] = []

    def come(width: int = 1280) -> Visit:
        opened.append(open_visit(browser, host.address, width, service_workers="allow", reduced_motion="reduce"))
        return opened[-1]

    yield come
    for one in opened:
        one.context.close()


def wait_until_kept(page: Page, group: dict[str, str], address: str) -> None:
    """Until the worker has these files and answers for the page."""
    missing = page.evaluate(
        f"""async ([wanted, tries]) => {{
          let missing = wanted;
          for (; missing.length > 0 && tries > 0; tries--) {{
            await new Promise((done) => setTimeout(done, 50));
            const kept = new Set(await {KEPT});
            missing = wanted.filter((one) => !kept.has(one));
          }}
          return missing;
        }}""",
        [[f"{address}/{path}?{digest}" for path, digest in group.items()], SOON // 50],
    )
    assert missing == []
    page.wait_for_function(CONTROLLED)


def cut_off(host: Host, one: Visit) -> None:
    one.context.set_offline(True)
    host.stop()


def test_every_page_works_below_any_path(browser, host):
    """No error, nothing from above the site, everything found."""
    one = open_visit(browser, host.address, 390, reduced_motion="reduce")
    missing: list[str] = []
    one.page.on("response", lambda answer: missing.append(answer.url) if answer.status == 404 else None)
    for path in [*PAGES, "play/"]:
        page = one.go(path)
        scroll_through(page)
        page.wait_for_load_state("networkidle")
        assert missing == []
        assert one.errors == []
        assert all(url.startswith(f"{host.address}/") for url in one.requests if not url.startswith("data:"))
        assert page.locator("meta[http-equiv]").get_attribute("content") == PAGE_POLICY
    one.context.close()


def test_the_app_can_be_installed(reader):
    one = reader()
    page = one.go("play/")
    page.wait_for_function(CONTROLLED)
    tools = one.context.new_cdp_session(page)
    manifest = tools.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert manifest["url"].endswith(f"/{BELOW}/app.webmanifest")
    # Contexts of tests are private ones, in which nothing is ever installed.
    errors = {error["errorId"] for error in tools.send("Page.getInstallabilityErrors")["installabilityErrors"]}
    assert errors <= {"in-incognito"}
    told = json.loads(manifest["data"])
    for icon in told["icons"]:
        size = page.evaluate(
            "async (src) => { const image = new Image(); image.src = src; await image.decode();"
            " return `${image.naturalWidth}x${image.naturalHeight}`; }",
            f"../{icon['src']}",
        )
        assert size == icon["sizes"]


def test_the_coach_works_without_a_connection_after_its_first_visit(reader, host):
    """A fresh tab without a network: dice, a hint, a box; the article is not there yet, and says so."""
    one = reader(390)
    page = one.go("play/?seed=7")
    wait_until_kept(page, group_files(host.site)["first"], host.address)
    cut_off(host, one)
    page.close()
    page = one.context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{host.address}/play/?seed=7")
    page.click("#roll")
    page.keyboard.press("h")
    expect(page.locator("#said")).to_contain_text("Keep")
    page.locator("#lower button", has_text="Chance").click()
    expect(page.locator("#total")).not_to_have_text("0")
    assert page.evaluate("document.fonts.check('16px \"Inter Variable\"')")
    page.goto(f"{host.address}/play/index.html")
    expect(page.locator("#roll")).to_be_visible()
    page.goto(f"{host.address}/play")
    expect(page.locator("#roll")).to_be_visible()
    assert page.url.endswith("/play/")
    assert errors == []
    page.goto(f"{host.address}/risk.html")
    expect(page.locator("h1")).to_have_text("No connection")
    page.click("a")
    expect(page.locator("#roll")).to_be_visible()


def test_the_coach_keeps_its_language_without_a_connection(browser, host):
    """The language of a first visit is loaded before there is a worker that keeps it."""
    one = open_visit(browser, host.address, 390, service_workers="allow", locale="fi-FI")
    page = one.go("play/")
    files = group_files(host.site)
    (finnish,) = [path for path in files["later"] if path.startswith(f"{LANGUAGES}fi-")]
    wait_until_kept(page, files["first"] | {finnish: files["later"][finnish]}, host.address)
    assert sum(f"/{LANGUAGES}" in path for path in host.asked) <= 2
    cut_off(host, one)
    page.reload()
    expect(page.locator("#roll")).to_have_text("Heitä")
    page.select_option("#language", "de")
    expect(page.locator("#file-trouble")).to_have_text("Tämä kieli ei ole laitteella, eikä yhteyttä ole.")
    expect(page.locator("#language")).to_have_value("fi")
    one.context.close()


def test_the_article_works_without_a_connection(reader, host):
    """Whoever has opened one chapter has them all, with their figures."""
    one = reader()
    page = one.go("index.html")
    groups = group_files(host.site)
    wait_until_kept(page, groups["first"] | groups["later"], host.address)
    cut_off(host, one)
    for path in PAGES:
        one.go(path)
        scroll_through(page)
    assert one.errors == []
    one.go("")
    expect(page.locator("h1")).to_be_visible()


def test_whoever_comes_back_to_the_coach_gets_the_article_too(reader, host):
    one = reader()
    page = one.go("play/")
    groups = group_files(host.site)
    wait_until_kept(page, groups["first"], host.address)
    assert not {"/risk.html", "/data/sweep.json"} & {path.removeprefix(f"/{BELOW}") for path in host.asked}
    page.reload()
    wait_until_kept(page, groups["later"], host.address)


def test_a_game_is_kept_when_it_is_first_played(reader, host):
    (host.site / "play" / "rules").mkdir(exist_ok=True)
    (host.site / "play" / "rules" / "small+odd.json").write_text("[1]")
    write_worker(host.site, WEB / "dist" / WORKER)
    one = reader()
    page = one.go("play/")
    groups = group_files(host.site)
    wait_until_kept(page, groups["first"], host.address)
    assert not any("small" in path for path in host.asked)
    load = "fetch('rules/' + encodeURIComponent('small+odd') + '.json').then((answer) => answer.json())"
    assert page.evaluate(load) == [1]
    cut_off(host, one)
    assert page.evaluate(load) == [1]


def test_a_new_version_is_offered_and_never_forced(reader, host):
    one = reader()
    page = one.go("index.html")
    groups = group_files(host.site)
    wait_until_kept(page, groups["first"] | groups["later"], host.address)
    host.asked.clear()
    host.publish("index.html", "Start reading", "Begin to read")
    page.reload()
    offer = page.locator(".offer")
    expect(offer).to_contain_text("A new version is ready.")
    # It is fetched beside the old one; all that is unchanged is there already.
    expect(page.get_by_text("Start reading")).to_be_visible()
    assert {path.removeprefix(f"/{BELOW}/") for path in host.asked} == {WORKER}
    page.click(".offer button:has-text('Later')")
    expect(offer).to_have_count(0)
    page.click("text=Start reading")
    expect(offer).to_be_visible()
    page.go_back()
    expect(page.get_by_text("Start reading")).to_be_visible()
    with page.expect_navigation():
        page.click(".offer button:has-text('Reload')")
    expect(page.get_by_text("Begin to read")).to_be_visible()
    expect(offer).to_have_count(0)
    groups = group_files(host.site)
    wait_until_kept(page, groups["first"] | groups["later"], host.address)
    # What was old is gone.
    assert len(page.evaluate(KEPT)) == len(groups["first"]) + len(groups["later"])


def test_the_offer_moves_nothing_and_fits_on_a_small_phone(reader, host):
    one = reader(320)
    page = one.go("play/")
    wait_until_kept(page, group_files(host.site)["first"], host.address)
    before = page.locator("#card").bounding_box()
    host.publish("card.html", "</html>", "</html>\n")
    page.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update())")
    expect(page.locator(".offer")).to_be_visible()
    assert page.locator("#card").bounding_box() == before
    for button in page.locator(".offer button").all():
        box = button.bounding_box()
        assert box["height"] >= 40
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 320


def test_a_second_tab_goes_on_until_its_reader_reloads(reader, host):
    one = reader()
    page = one.go("index.html")
    wait_until_kept(page, group_files(host.site)["first"], host.address)
    other = one.context.new_page()
    other.goto(f"{host.address}/risk.html")
    host.publish("risk.html", "<h1>Risk</h1>", "<h1>Risks</h1>")
    page.reload()
    page.click(".offer button:has-text('Reload')")
    expect(other.locator(".offer")).to_be_visible()
    expect(other.locator("h1")).to_have_text("Risk")
    other.click(".offer button:has-text('Reload')")
    expect(other.locator("h1")).to_have_text("Risks")


def test_a_file_that_is_not_the_one_of_its_version_is_not_kept(reader, host):
    """A host that mixes two versions, as while one is copied over the other: the page works, nothing is kept."""
    script = next((host.site / "assets").glob("index-*.css"))
    script.write_text(script.read_text() + "/* another */")
    one = reader()
    page = one.go("play/")
    expect(page.locator("#roll")).to_be_visible()
    state = page.evaluate(
        """async () => {
          const tried = await navigator.serviceWorker.register("../service-worker.js");
          const worker = tried.installing ?? tried.waiting ?? tried.active;
          while (worker?.state === "installing") await new Promise((done) => setTimeout(done, 20));
          return worker?.state ?? "redundant";
        }"""
    )
    assert state == "redundant"
    assert page.evaluate("navigator.serviceWorker.controller") is None


def test_weight_of_a_first_visit_to_the_coach(reader, host):
    """All that the page and its worker ask for, as a host sends it packed, fonts included."""
    one = reader(390)
    page = one.go("play/")
    first = group_files(host.site)["first"]
    wait_until_kept(page, first, host.address)
    page.wait_for_load_state("networkidle")
    asked = {path.split("?")[0].removeprefix(f"/{BELOW}/") for path in host.asked}
    weights = {}
    for path in asked:
        file = host.site / path
        file = file / "index.html" if file.is_dir() else file
        weights[path] = min(len(gzip.compress(file.read_bytes())), file.stat().st_size)
    assert asked >= set(first)
    assert sum(weights.values()) < FIRST_VISIT, sorted(weights.items(), key=lambda pair: -pair[1])[:8]
    print(f"first visit to the coach: {sum(weights.values()):,} bytes in {len(weights)} files")
