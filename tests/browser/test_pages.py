"""The pages: depths, drawer, links, keyboard, contrast, themes and weight."""

import gzip
import json
import re
from pathlib import Path

import pytest

from browser.reading import PHONE, SCROLL, check_stillness, scroll_through, slow
from yatzy.site.build import read_texts
from yatzy.site.numbers import compact

__all__ = ["slow"]

PAGES = [
    "index.html",
    "concepts.html",
    "claims.html",
    "sources.html",
    "card.html",
    "chart-20.html",
    *(f"{text.name}.html" for text in read_texts("chapters")[1:]),
]
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
ROOT = Path(__file__).parents[2]
BUDGET = 1_500_000
every_page = pytest.mark.parametrize("path", PAGES)


EVERYTHING = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
WIDTHS = (320, 390, 768, 1920, 1280)
# What depends on the width; the rest is tested once.
OF_WIDTH = ["scrollable-region-focusable", "target-size", "region", "meta-viewport"]
OF_COLOUR = ["color-contrast", "link-in-text-block"]


def problems(page, rules, also=()):
    """What axe finds, and where; `also` are rules beside those."""
    found = page.evaluate(
        """async ([runOnly, also]) => {
          const rules = Object.fromEntries(also.map((id) => [id, { enabled: true }]));
          // What passes is not described, which takes as long as finding it.
          const { violations } = await axe.run(document, { runOnly, rules, resultTypes: ["violations"] });
          return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 120))]);
        }""",
        [rules, list(also)],
    )
    return [tuple(one) for one in found]


def check_theme(page, scheme, also=()):
    """Axe finds nothing in the light; in the dark only colours are different."""
    page.emulate_media(color_scheme=scheme)
    paper = "rgb(20, 24, 26)" if scheme == "dark" else "rgb(250, 247, 240)"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
    assert problems(page, OF_COLOUR + list(also) if scheme == "dark" else EVERYTHING, also) == []


def check_both_themes(page):
    for scheme in ("dark", "light"):
        check_theme(page, scheme)


def missed_by_tab(page):
    """Controls that the key Tab does not reach, wherever it starts."""
    count = page.evaluate(
        """() => {
          const wanted = "a[href], button, input, summary, [tabindex='0']";
          const shown = [...document.querySelectorAll(wanted)].filter((e) => e.checkVisibility() && !e.disabled);
          const once = shown.filter((e) => e.type !== "radio" || e.checked);
          once.forEach((e) => (e.dataset.wanted = "yes"));
          document.addEventListener("focusin", (event) => (event.target.dataset.reached = "yes"));
          document.activeElement.blur();
          return once.length;
        }"""
    )
    for _ in range(count + 3):
        page.keyboard.press("Tab")
    return page.evaluate(
        "[...document.querySelectorAll('[data-wanted]:not([data-reached])')].map((e) => e.outerHTML.slice(0, 90))"
    )


def weights(site, one):
    """Bytes of what a page asked for, by address, as a host would send it; the spray's data aside."""
    asked = [url.removeprefix(f"{one.address}/") for url in one.requests if url.startswith(one.address)]
    return {url: len(gzip.compress((site / url).read_bytes())) for url in asked if "game-spray" not in url}


@every_page
def test_a_page_is_still_light_and_open_to_everybody(slow, site, path):
    """Read to the end on a phone: nothing jumps though fonts and data come late, and it is under the budget.

    Then at full depth: from the smallest phone to a large desk nothing slides sideways; axe finds nothing, by all
    rules in the light on the smallest phone, by those of colours and of the width in the dark on a desk; and Tab
    reaches everything. Errors in the console fail every test.
    """
    late = slow(path, PHONE, color_scheme="light")
    page = check_stillness(late)
    sizes = weights(site, late.at_full_speed())
    assert len(sizes) > 3
    assert sum(sizes.values()) < BUDGET, sorted(sizes.items(), key=lambda pair: -pair[1])[:5]
    page.check("input[value=code]", force=True)
    scroll_through(page)
    page.evaluate(AXE.read_text())
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(SCROLL, 0)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if width == WIDTHS[0]:
            check_theme(page, "light", OF_WIDTH)
    check_theme(page, "dark", OF_WIDTH)
    assert missed_by_tab(page) == []


@pytest.mark.parametrize("width", [320, 360, 390, 1280])
def test_the_menu_of_chapters_opens_inside_the_screen(pages, width):
    """Bug: on a phone it began 200 pixels left of the screen."""
    page = pages("risk.html", width).page
    page.click(".menu summary")
    box = page.locator(".menu nav").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    page.keyboard.press("Escape")


def test_the_depth_is_chosen_and_remembered(visit):
    page = visit().go("states.html")
    formulas, code = page.locator(".depth-math").first, page.locator(".depth-code").first
    assert formulas.is_hidden()
    page.check("input[value=math]", force=True)
    assert formulas.is_visible()
    assert code.is_hidden()
    page.check("input[value=code]", force=True)
    assert formulas.is_visible()
    assert code.is_visible()
    page.goto(page.url.replace("states", "risk"))
    assert page.locator(".depth-code").first.is_visible()
    assert page.locator("input[value=code]").is_checked()
    page.check("input[value=story]", force=True)
    page.reload()
    assert page.locator(".depth-math").first.is_hidden()


def test_what_one_reads_stays_in_place_when_the_depth_changes(visit):
    page = visit(reduced_motion="reduce").go("states.html")
    heading = page.locator("#what-no-longer-matters")
    heading.scroll_into_view_if_needed()
    before = heading.bounding_box()["y"]
    button = page.locator(".depth span", has_text="Code").bounding_box()
    page.mouse.click(button["x"] + 10, button["y"] + 10)
    assert page.locator("input[value=code]").is_checked()
    assert abs(heading.bounding_box()["y"] - before) < 3


def printed_pages(page):
    """How many sheets of paper it takes, all 3% larger: letters are not equally wide in every browser."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True, scale=1.03)))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_card_prints_on_one_light_page(visit, scheme):
    page = visit(color_scheme=scheme).go("index.html")
    page.click("text=The strategy on one card")
    page.wait_for_url("**/card.html")
    assert printed_pages(page) == 1
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".bar").is_hidden()
    assert page.locator(".card ol li").first.is_visible()


@pytest.mark.parametrize("path", ["chart-10.html", "chart-20.html", "chart-40.html", "chart-58.html"])
def test_a_chart_prints_on_one_page(visit, path):
    page = visit(color_scheme="dark").go(path)
    assert printed_pages(page) == 1
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".card .turn li").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_printing_draws_every_figure_on_light_paper(visit, scheme):
    """A chapter that was printed from its top had blank boxes where figures belong."""
    page = visit(color_scheme=scheme, reduced_motion="reduce").go("game.html")
    counted = "window.printed = document.querySelectorAll('[data-state=drawn]').length"
    page.evaluate(f"() => {{ window.print = () => {{ {counted}; }}; }}")
    count = page.locator("figure.chart").count()
    page.keyboard.press("Control+p")
    page.wait_for_function("() => window.printed !== undefined")
    assert page.evaluate("window.printed") == count > 3
    page.emulate_media(media="print", color_scheme=scheme)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(250, 247, 240)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(28, 34, 38)"
    page.set_viewport_size({"width": 700, "height": 900})
    cut = """() => [...document.querySelectorAll("svg.plot")].filter((one) =>
      one.getBoundingClientRect().right > one.closest(".stage").getBoundingClientRect().right + 2).length"""
    assert page.evaluate(cut) == 0


def test_a_figure_that_is_not_drawn_says_so_on_paper(visit):
    page = visit().go("game.html")
    page.emulate_media(media="print")
    said = "getComputedStyle(document.querySelector('#chart-bonus-covariance .stage'), '::after').content"
    assert "Print this chapter" in page.evaluate(said)


def test_the_quiz_tells_and_counts(visit):
    """Ten decisions: all perfect, then one that is not."""
    page = visit(390, has_touch=True, is_mobile=True, reduced_motion="reduce").figure("index.html", "chart-quiz")
    quiz = json.loads(compact(ROOT / "results" / "quiz.json"))
    stage = page.locator("#chart-quiz .stage")
    for question in quiz["questions"]:
        assert "The card is empty" in stage.locator(".readout").inner_text()
        best = question["choices"][0]["does"]
        if question["rerolls"]:
            left = list(best["keep"])
            for i, face in enumerate(question["faces"]):
                if face in left:
                    left.remove(face)
                    stage.locator(".my-dice button").nth(i).tap()
            stage.locator(".quiz > button").tap()
        else:
            stage.locator(".boxes button").nth(best["score"]).tap()
        assert "The best choice." in stage.locator(".readout").inner_text()
        stage.locator(".quiz > button").tap()
    assert "You lost 0.0 points in 10 decisions" in stage.locator(".readout").inner_text()
    stage.get_by_text("Once more").tap()
    stage.locator(".quiz > button").tap()
    said = stage.locator(".readout").inner_text()
    assert "throw all five again" in said
    assert "Best: hold 3 3" in said


def test_the_small_game_is_solved_by_hand(visit):
    """Crossing out Pair with the four low throws, and filling it with doubles, is perfect."""
    page = visit(reduced_motion="reduce").figure("solver.html", "chart-small-game")
    stage = page.locator("#chart-small-game .stage")
    stage.get_by_text("Do it yourself").click()
    assert "8.17" in stage.locator(".readout").inner_text()
    for a, b in ((1, 2), (1, 3), (1, 4), (2, 3), *((face, face) for face in range(1, 7))):
        stage.locator("svg.plot rect.mark").nth(6 * (a - 1) + b - 1).click()
    assert "9.49: perfect." in stage.locator(".readout").inner_text()


def test_formulas_are_set(visit):
    page = visit().go("solver.html")
    page.check("input[value=math]", force=True)
    formula = page.locator(".katex-display").first
    assert formula.is_visible()
    assert formula.bounding_box()["height"] > 25
    assert page.locator(".katex-error").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
def test_the_drawer_explains_without_leaving_the_place(visit, width):
    page = visit(width, reduced_motion="reduce").go("game.html")
    term = page.locator("a[data-concept=backward-induction]").first
    term.scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    term.click()
    drawer = page.locator("#drawer")
    assert drawer.is_visible()
    assert "Backward induction" in drawer.inner_text()
    assert page.evaluate("scrollY") == place
    assert page.url.endswith("game.html")
    page.keyboard.press("Escape")
    assert drawer.is_hidden()
    assert term.evaluate("(e) => e === document.activeElement")
    page.keyboard.press("Enter")
    assert drawer.is_visible()
    page.click("#drawer .close")
    assert drawer.is_hidden()


def test_a_term_inside_the_drawer_opens_too(visit):
    page = visit().go("risk.html")
    page.check("input[value=math]", force=True)
    page.locator("a[data-concept=credit-assignment]").first.click()
    page.goto(page.url.replace("risk", "compression"))
    page.locator("a[data-concept=regret]").first.click()
    assert "Regret" in page.locator("#drawer").inner_text()
    page.goto(page.url.replace("compression", "game"))
    page.check("input[value=math]", force=True)
    page.locator("a[data-concept=bellman-equation]").first.click()
    page.locator("#drawer a[data-concept=backward-induction]").click()
    assert page.locator("#drawer h2").inner_text() == "Backward induction"


def test_back_forward_and_chapter_links(visit):
    page = visit().go("index.html")
    page.click("text=Start reading")
    assert page.url.endswith("game.html")
    page.click("a[rel=next]")
    assert page.url.endswith("states.html")
    page.go_back()
    assert page.url.endswith("game.html")
    assert page.locator("h1").inner_text() == "Ten thousand perfect games"
    page.go_forward()
    assert page.url.endswith("states.html")
    page.focus("summary")
    page.keyboard.press("Enter")
    page.click(".menu a[href='risk.html']")
    assert page.locator("h1").inner_text() == "Risk"


def test_deep_links_lead_to_their_place(visit):
    page = visit(reduced_motion="reduce").go("states.html#what-cannot-happen")
    page.wait_for_function(
        """() => {
          const { top } = document.querySelector("#what-cannot-happen").getBoundingClientRect();
          return top >= 0 && top < 200;
        }"""
    )
    page = visit(reduced_motion="reduce").go("solver.html#chart-lattice")
    page.wait_for_selector("#chart-lattice[data-state=drawn]")
    assert -5 <= page.locator("#chart-lattice").bounding_box()["y"] < 300


def test_a_link_into_a_hidden_depth_shows_it(visit):
    page = visit(reduced_motion="reduce").go("solver.html#side-by-side")
    assert page.locator("#side-by-side").is_visible()
    assert page.locator("input[value=code]").is_checked()
    page.goto(page.url.replace("solver.html#side-by-side", "risk.html"))
    assert page.locator(".depth-code").first.is_hidden()


def test_the_theme_is_switched_and_remembered(visit):
    page = visit(color_scheme="light", reduced_motion="reduce").figure("game.html", "chart-score-spray")
    picture = "document.querySelector('#chart-score-spray canvas').toDataURL()"
    light = page.evaluate(picture)
    page.click("button.theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 26)"
    assert page.evaluate(picture) != light
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 26)"


def test_the_first_screen_says_what_this_is(visit):
    """A result, the way in, the card and the coach, without scrolling on a desk."""
    page = visit().go("index.html")
    for text in ("248.4", "Start reading", "The strategy on one card", "Play with the coach"):
        assert page.get_by_text(text).first.bounding_box()["y"] < 900


def test_figures_wait_until_they_are_near(visit):
    one = visit()
    page = one.go("risk.html")
    page.wait_for_load_state("networkidle")
    assert not any("rl-barrier" in url for url in one.requests)
    page.locator("#chart-rl-barrier-diagram").scroll_into_view_if_needed()
    page.wait_for_selector("#chart-rl-barrier-diagram[data-state=drawn]")
    assert any("rl-barrier" in url for url in one.requests)
