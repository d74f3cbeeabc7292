"""Every figure of the treatise, as its chapters name them: inside its box on a desk and on a phone, and usable."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.conftest import check_visit
from yatzy.site import build as builder

CHAPTERS = Path(builder.__file__).parent / "chapters"
FIGURES = {
    figure: re.sub(r"^\d+-(.*)\.md$", r"\1.html", path.name)
    for path in sorted(CHAPTERS.glob("*.md"))
    for figure in re.findall(r"^::: *figure +(chart-[a-z0-9-]+)", path.read_text(), re.MULTILINE)
}
WIDTHS = (1280, 390)
# The slider of the one and the dice of the other say it all.
NOTHING_TO_POINT_AT = {"chart-topological-cascade", "chart-quiz"}
figures = pytest.mark.parametrize(("figure", "path"), FIGURES.items(), ids=FIGURES)

# How many marks lie inside the figure's box, and how many outside; a canvas counts its painted pixels.
MARKS = """(id) => {
  const stage = document.querySelector(`#${id} .stage`);
  const box = stage.getBoundingClientRect();
  const canvas = stage.querySelector("canvas");
  if (canvas) {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let painted = 0;
    for (let i = 3; i < pixels.length; i += 4) painted += pixels[i] > 0;
    return { inside: painted, outside: 0, box: [box.width, box.height] };
  }
  let inside = 0, outside = 0;
  for (const mark of stage.querySelectorAll("svg.plot .mark")) {
    const r = mark.getBoundingClientRect();
    if (r.width === 0 && r.height === 0) continue;
    const wide = r.left >= box.left - 2 && r.right <= box.right + 2;
    if (wide && r.top >= box.top - 2 && r.bottom <= box.bottom + 2) inside++; else outside++;
  }
  return { inside, outside, box: [box.width, box.height] };
}"""

# Labels that touch another label, a vertical line of the picture or the ring around what is chosen.
TOUCHING = """(id) => {
  const plot = document.querySelector(`#${id} .stage svg.plot`);
  const texts = [...plot.querySelectorAll("text")].filter((text) => text.textContent && text.checkVisibility());
  // Letters do not fill the height of a line of text.
  const boxOf = (text) => {
    const { left, right, top, bottom, height } = text.getBoundingClientRect();
    return { left, right, top: top + height / 6, bottom: bottom - height / 6 };
  };
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const others = [...plot.querySelectorAll("line, circle[fill=none]")].filter((one) => !one.closest(".axis"));
  const lines = others.map((one) => one.getBoundingClientRect()).filter((r) => r.height > 2);
  return texts.flatMap((text, i) => {
    const box = boxOf(text);
    const near = texts.slice(i + 1).filter((other) => meet(box, boxOf(other))).map((other) => other.textContent);
    return [...near, ...lines.filter((line) => meet(box, line)).map(() => "a line")]
      .map((what) => `${text.textContent} / ${what}`);
  });
}"""
# The figures that a phone draws downward where a desk draws to the right.
DOWNWARD = {"chart-widget-structure", "chart-lattice"}

# Labels that leave the figure's box, or lie on the readout below the picture.
CUT = """(id) => {
  const stage = document.querySelector(`#${id} .stage`);
  const box = stage.getBoundingClientRect();
  const plot = stage.querySelector("svg.plot"), readout = stage.querySelector(".readout:not(.above)");
  const follows = readout && plot && plot.compareDocumentPosition(readout) & Node.DOCUMENT_POSITION_FOLLOWING;
  const below = follows ? readout.getBoundingClientRect().top : box.bottom;
  return [...stage.querySelectorAll("svg.plot text")]
    .filter((text) => text.textContent)
    .map((text) => [text.textContent, text.getBoundingClientRect()])
    .filter(([, r]) => r.left < box.left - 3 || r.right > box.right + 3 || r.top < box.top - 3
      || r.bottom > below + 6)
    .map(([text]) => text);
}"""


@figures
@pytest.mark.parametrize("width", WIDTHS)
def test_draws_its_marks_inside_its_box(pages, figure, path, width):
    one = pages(path, width)
    page = one.show(figure)
    found = page.evaluate(MARKS, figure)
    assert found["inside"] >= 3
    assert found["outside"] == 0
    assert found["box"][0] > width * 0.7
    assert page.evaluate(CUT, figure) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_visit(one)


@pytest.mark.parametrize("width", [360, 390])
@pytest.mark.parametrize("figure", ["chart-score-distribution", "chart-mixture", "chart-risk-frontier"])
def test_on_a_phone_no_label_touches_another_or_a_line(pages, figure, width):
    """Bug: the line through a score ran through "95% below", dotted lines through names, a ring lay on 0.05."""
    page = pages(FIGURES[figure], width).show(figure)
    assert page.evaluate(TOUCHING, figure) == []


@pytest.mark.parametrize("figure", sorted(DOWNWARD))
def test_captions_hold_on_a_phone_too(pages, figure):
    """Bug: they spoke of columns and of steps to the right, and the phone draws downward."""
    caption = pages(FIGURES[figure], 390).show(figure).locator(f"#{figure} figcaption p").first.inner_text()
    assert not re.findall(r"\b(to the (?:left|right)|columns?|rows?)\b", caption)


@figures
def test_says_what_it_shows_and_where_it_is_from(pages, figure, path):
    page = pages(path, 1280).show(figure)
    assert page.locator(f"#{figure} .finding").inner_text().strip()
    assert len(page.locator(f"#{figure} figcaption p").first.inner_text()) > 40
    source = page.locator(f"#{figure} .source")
    assert re.search(r"version \d+\.\d+\.\d+, \d{4}-\d{2}-\d{2}", source.inner_text())
    for link in source.locator("a[download]").all():
        answer = page.request.get(f"{page.url.rsplit('/', 1)[0]}/{link.get_attribute('href')}")
        assert answer.ok
        assert answer.json()["provenance"]


@figures
@pytest.mark.parametrize("width", WIDTHS)
def test_controls_work(pages, figure, path, width):
    """Sliders move with the arrow keys and say where they are; buttons can be pressed; marks stay."""
    one = pages(path, width)
    page = one.show(figure)
    for control in page.locator(f"#{figure} .controls :is(button, input)").all():
        box = control.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 40
    for slider in page.locator(f"#{figure} input[type=range]").all():
        slider.focus()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        first = slider.get_attribute("aria-valuetext")
        page.keyboard.press("End")
        assert slider.get_attribute("aria-valuetext") != first
    for button in page.locator(f"#{figure} .controls button").all():
        if button.is_enabled():
            button.click()
    assert page.evaluate(MARKS, figure)["inside"] >= 3
    check_visit(one)


@figures
def test_pointing_at_it_answers(pages, figure, path):
    """Moving over the picture changes the readout of a figure that has one."""
    one = pages(path, 1280)
    page = one.show(figure)
    readout = page.locator(f"#{figure} .readout")
    if not readout.count() or figure in NOTHING_TO_POINT_AT:
        return
    picture = page.locator(f"#{figure} .picture")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box is not None
    said = {readout.inner_text()}
    for step in range(1, 40):
        page.mouse.move(
            box["x"] + box["width"] * step / 40, box["y"] + box["height"] * (0.2 + 0.6 * (step % 7) / 7)
        )
        said.add(readout.inner_text())
        if len(said) > 2:
            break
    assert len(said) > 1
    check_visit(one)


def test_a_tap_on_a_phone_answers_too(visit):
    page = visit(390, has_touch=True, is_mobile=True).figure("game.html", "chart-score-distribution")
    picture = page.locator("#chart-score-distribution .picture")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box is not None
    output = page.locator("#chart-score-distribution output").nth(1)
    page.touchscreen.tap(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    first = output.inner_text()
    page.touchscreen.tap(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.5)
    assert output.inner_text() != first


def test_a_dot_of_the_spray_opens_its_scorecard(visit):
    page = visit().figure("game.html", "chart-score-spray")
    canvas = page.locator("#chart-score-spray canvas")
    box = canvas.bounding_box()
    assert box is not None
    canvas.click(position={"x": box["width"] * 0.55, "y": box["height"] - 60})
    card = page.locator("#chart-score-spray .scorecard")
    assert card.is_visible()
    total = int(re.search(r": (\d+) points", card.inner_text()).group(1))
    rows = card.locator("tr:has(td) td:nth-child(2)").all_inner_texts()
    assert len(rows) == 16
    assert sum(map(int, rows)) == total
    canvas.focus()
    page.keyboard.press("ArrowRight")
    assert int(re.search(r": (\d+) points", card.inner_text()).group(1)) >= total
    page.keyboard.press("Escape")
    assert card.is_hidden()


def test_the_spray_falls_in_under_two_seconds_and_can_be_replayed(visit):
    """By the page's clock, which stands still unless the test moves it: a slow machine is as quick as any."""
    one = visit()
    one.page.clock.install()
    page = one.figure("game.html", "chart-score-spray")
    stage = page.locator("#chart-score-spray .stage")
    page.clock.pause_at(page.evaluate("Date.now()") + 60_000)
    page.click("#chart-score-spray .replay")
    page.clock.run_for(1000)
    assert stage.get_attribute("data-played") is None
    page.clock.run_for(1000)
    assert stage.get_attribute("data-played") == "true"


def test_one_population_can_be_singled_out(visit):
    page = visit(reduced_motion="reduce").figure("game.html", "chart-score-spray")
    picture = "document.querySelector('#chart-score-spray canvas').toDataURL()"
    whole = page.evaluate(picture)
    page.locator("#chart-score-spray .choice button").nth(1).click()
    assert page.locator("#chart-score-spray .choice button").nth(1).get_attribute("aria-pressed") == "true"
    assert page.evaluate(picture) != whole


def test_reduced_motion_shows_the_end_at_once(visit):
    page = visit(reduced_motion="reduce").figure("game.html", "chart-score-spray")
    picture = "document.querySelector('#chart-score-spray canvas').toDataURL()"
    before = page.evaluate(picture)
    page.click("#chart-score-spray .replay")
    assert page.evaluate(picture) == before
    page = visit(reduced_motion="reduce").figure("solver.html", "chart-topological-cascade")
    page.get_by_role("button", name="Reset").click()
    page.locator("#chart-topological-cascade").get_by_role("button", name="Play").click()
    assert "1,430,528" in page.locator("#chart-topological-cascade .readout").inner_text()
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_the_cascade_plays_resets_and_scrubs(visit):
    page = visit().figure("solver.html", "chart-topological-cascade")
    readout = page.locator("#chart-topological-cascade .readout")
    page.get_by_role("button", name="Reset").click()
    assert "Nothing is solved yet" in readout.inner_text()
    page.locator("#chart-topological-cascade").get_by_role("button", name="Play").click()
    expect(readout).to_contain_text("248.4")
    slider = page.locator("#chart-topological-cascade input")
    slider.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert readout.inner_text().startswith("15 filled")


def test_the_game_is_solved_on_the_reader_s_own_device(visit):
    page = visit().figure("solver.html", "chart-topological-cascade")
    figure = page.locator("#chart-topological-cascade")
    figure.get_by_role("button", name="Solve it on this device").click()
    readout = figure.locator(".readout")
    expect(readout).to_contain_text("Solved here, just now: 1,430,528 states in")
    assert "An empty card is worth 248.44 points. With 1 3 3 5 6, hold 3 3: 245.8 points." in readout.inner_text()
    assert re.search(r"in \d+\.\d\d seconds", readout.inner_text())
    assert figure.locator("output").inner_text() == "all 16"


def test_a_device_that_cannot_solve_says_so(visit):
    """Without WebAssembly the worker fails; the figure is as it was."""
    one = visit()
    fails = "onmessage = () => postMessage({ error: 'WebAssembly is not defined' });"
    one.page.route("**/solve-worker-*.js", lambda route: route.fulfill(body=fails, content_type="text/javascript"))
    page = one.figure("solver.html", "chart-topological-cascade")
    figure = page.locator("#chart-topological-cascade")
    figure.get_by_role("button", name="Solve it on this device").click()
    expect(figure.locator(".readout")).to_contain_text("This browser cannot solve it")
    assert figure.locator("output").inner_text() == "all 16"
    assert figure.get_by_role("button", name="Solve it on this device").is_enabled()


def test_a_duel_is_steered(visit):
    """Ahead, the threes; behind, the six. With another pair of boxes, other dice."""
    page = visit(reduced_motion="reduce").figure("win.html", "chart-duel")
    figure = page.locator("#chart-duel")
    readout, slider = figure.locator(".readout"), figure.locator("input[type=range]")
    assert "You are 4 ahead: hold 3 3, and you win 89.8%. For points you would hold 6" in readout.inner_text()
    slider.focus()
    page.keyboard.press("Home")
    assert "You are 45 behind" in readout.inner_text()
    assert "That is also the move for points" in readout.inner_text()
    figure.get_by_role("button", name="One Pair, Small Straight").click()
    slider.focus()
    for _ in range(39):
        page.keyboard.press("ArrowRight")
    assert "You are 6 behind: hold 1 3 5" in readout.inner_text()
    figure.locator(".my-dice button").first.click()
    assert "2; tap for another" in (figure.locator(".my-dice button").first.get_attribute("aria-label") or "")


def test_the_line_that_decides_is_shown(visit):
    page = visit(reduced_motion="reduce").figure("chart.html", "chart-chart-lines")
    figure = page.locator("#chart-chart-lines")
    told = page.request.get(f"{page.url.rsplit('/', 1)[0]}/data/chart-lines.json").json()
    from yatzy.turn.lattice import lattice

    number = told["line"][2][lattice(5, 6).id_of((1, 3, 3, 5, 6))]
    said = figure.locator(".readout").inner_text()
    assert said.startswith(f"1 3 3 5 6, empty card: line {number + 1} is the first that fits")
    assert told["lists"][1][number]["words"] in said
    figure.get_by_role("button", name="Where to score").click()
    assert "So fill " in figure.locator(".readout").inner_text()
    figure.locator("input").focus()
    page.keyboard.press("Home")
    assert told["lists"][0][0]["words"] in figure.locator(".readout").inner_text()


def test_theta_changes_the_distribution(visit):
    page = visit().figure("game.html", "chart-score-distribution")
    shape = page.locator("#chart-score-distribution path.mark").first
    neutral = shape.get_attribute("d")
    page.locator("#chart-score-distribution input").first.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    assert shape.get_attribute("d") != neutral
    assert "playing for the mean, 248.4" in page.locator("#chart-score-distribution .readout").inner_text()


def test_a_turn_can_be_played_through_the_graph(visit):
    page = visit().figure("solver.html", "chart-widget-structure")
    assert page.locator("#chart-widget-structure circle.mark").count() == 1681
    throw = page.get_by_role("button", name="Throw the rest")
    throw.click()
    throw.click()
    assert throw.is_disabled()
    assert "fill " in page.locator("#chart-widget-structure .readout").inner_text()


def test_dice_in_prose_and_figures_are_one_drawing(visit):
    page = visit().figure("solver.html", "chart-widget-structure")
    strip = "(svg) => svg.outerHTML.replace(/\\s+xmlns=\"[^\"]*\"/, '').replace(' held', '')"
    drawn = page.locator("#chart-widget-structure .my-dice svg").all()
    in_figure = {
        one.evaluate("(svg) => svg.querySelectorAll('circle').length"): one.evaluate(strip) for one in drawn
    }
    page.goto(page.url.replace("solver", "index"))
    in_prose = {
        one.evaluate("(svg) => svg.querySelectorAll('circle').length"): one.evaluate(strip)
        for one in page.locator(".dice svg").all()
    }
    shared = in_figure.keys() & in_prose.keys()
    assert len(shared) >= 2
    sort = lambda text: sorted(re.findall(r'[\w-]+="[^"]*"', text))  # noqa: E731
    assert all(sort(in_figure[face]) == sort(in_prose[face]) for face in shared)


def test_the_lattice_ends_where_the_solver_does(visit):
    """After all maxima the value of a roll is what the study says its best hold is worth."""
    page = visit(reduced_motion="reduce").figure("solver.html", "chart-lattice")
    page.locator("#chart-lattice").get_by_role("button", name="Play").click()
    for die in page.locator("#chart-lattice .my-dice button").all():
        if "not held" in (die.get_attribute("aria-label") or ""):
            die.click()
    said = page.locator("#chart-lattice .readout").inner_text()
    turn = page.request.get(f"{page.url.rsplit('/', 1)[0]}/data/opening-turn.json").json()
    from yatzy.turn.lattice import lattice

    best = turn["rerolls"][0]["value_by_roll"][lattice(5, 6).id_of((1, 3, 3, 5, 6))]
    assert f"{best:.2f}" in said
    assert page.locator("#chart-lattice text", has_text="2,520").count() == 1


def test_the_last_points_can_be_looked_at_closely(visit):
    page = visit(reduced_motion="reduce").figure("compression.html", "chart-surrogate-pareto")
    marks = page.locator("#chart-surrogate-pareto path.mark")
    before = marks.count()
    page.locator("#chart-surrogate-pareto").get_by_role("button", name="The last points").click()
    assert 3 <= marks.count() < before


def test_a_rule_can_be_read_in_its_words(visit):
    page = visit(reduced_motion="reduce").figure("rosetta.html", "chart-rosetta-rules")
    study = page.request.get(f"{page.url.rsplit('/', 1)[0]}/data/rosetta.json").json()
    card = next(one for one in study["lists"] if one["strength"]["name"] == "card-20")
    page.locator("#chart-rosetta-rules input").nth(1).focus()
    for rule in card["rules"][1:4]:
        page.keyboard.press("ArrowRight")
        assert rule["text"] in page.locator("#chart-rosetta-rules .readout").inner_text()


def test_words_are_compiled_for_the_reader_s_dice(visit):
    """The first die of 1 3 3 5 6 becomes a 2, then a 3: the pair of threes is a triple in words and in bits."""
    page = visit(reduced_motion="reduce").figure("rosetta.html", "chart-filter-grammar")
    figure = page.locator("#chart-filter-grammar")
    readout = figure.locator(".readout")
    assert "of 1 3 3 5 6" in readout.inner_text()
    figure.locator("input").focus()
    page.keyboard.press("Home")
    assert "keeps 3 3, as a bitmask 11001" in readout.inner_text()
    figure.locator(".my-dice button").first.click()
    figure.locator(".my-dice button").first.click()
    assert "of 3 3 3 5 6 it keeps 3 3 3, as a bitmask 11000" in readout.inner_text()
    figure.get_by_role("button", name="bitmasks").click()
    assert (
        "reroll positions 00000”: of 3 3 3 5 6 it keeps 3 3 3 5 6. In words: keep everything."
        in readout.inner_text()
    )
