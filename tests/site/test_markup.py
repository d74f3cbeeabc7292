"""Markdown of the treatise: containers, figures, concepts, dice and formulas, and what is wrong with them."""

import json

import pytest

from yatzy.errors import YatzyError
from yatzy.sealed import seal
from yatzy.site.markup import Formulas, Markup, slug
from yatzy.site.numbers import Results

PROVENANCE = {
    "version": "1.2.3", "fingerprint": "f", "rules": "r", "seed": None, "seconds": 1.0, "threads": 1,
    "date": "2026-01-02",
}  # fmt: skip


@pytest.fixture
def results(tmp_path):
    """A folder with one result."""
    content = {"study": "tiny", "provenance": PROVENANCE, "key_figures": {}, "mean": 12.25, "list": [{"a": 1}]}
    (tmp_path / "tiny.json").write_text(json.dumps(seal(content)))
    return Results(tmp_path)


@pytest.fixture
def markup(results):
    render = lambda formulas: [f'<b style="height:1em">{one["tex"]}|{one["display"]}</b>' for one in formulas]  # noqa: E731
    return Markup({"regret": "Regret"}, results, Formulas(render))


FIGURE = '::: figure chart-tiny results="tiny" height="400 500"\n### What it shows\nHow to *read* it.\n:::\n'


def test_slugs_are_addresses():
    assert slug("Bellman equation") == "bellman-equation"
    assert slug("  What cannot happen? ") == "what-cannot-happen"


def test_depths_become_sections(markup):
    html = markup.render("Story.\n\n::: math\nM\n:::\n\n::: code\nC\n:::\n", "x.md")
    assert '<section class="depth-math">\n<p>M</p>' in html
    assert '<section class="depth-code">\n<p>C</p>' in html


def test_headings_can_be_linked(markup):
    assert '<h2 id="what-cannot-happen">' in markup.render("## What cannot happen\n", "x.md")


def test_a_concept_opens_in_the_drawer(markup):
    html = markup.render("[[regret]] and [[Regret|points lost]]", "x.md")
    assert html.count('data-concept="regret"') == 2
    assert ">points lost</a>" in html


def test_an_unknown_concept_is_refused(markup):
    with pytest.raises(YatzyError, match=r"x\.md: 'karma' is not a concept; allowed is regret"):
        markup.render("[[karma]]", "x.md")


def test_dice_are_drawn_and_said(markup):
    html = markup.render("You throw :dice[1 3* 6].", "x.md")
    assert 'aria-label="dice 1, 3 held, 6"' in html
    assert html.count("<circle") == 1 + 3 + 6
    assert html.count('class="die held"') == 1


def test_a_figure_has_title_box_caption_source_and_data(markup):
    html = markup.render(FIGURE, "x.md")
    assert '<figure id="chart-tiny" class="chart" data-results="tiny">' in html
    assert "What it shows</h3>" in html
    assert "How to <em>read</em> it." in html
    assert '<a href="data/tiny.json" download>tiny</a> (version 1.2.3, 2026-01-02)' in html
    assert markup.figures[0].height == (400, 500)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FIGURE.replace("### What it shows\n", ""), "needs a line '### title'"),
        (FIGURE.replace("How to *read* it.\n", ""), "and a caption"),
        (FIGURE.replace(' height="400 500"', ""), r'allowed is results="study ..." and height'),
        (FIGURE.replace('results="tiny"', ""), r'allowed is results="study ..." and height'),
        (FIGURE + FIGURE, "appears twice"),
        (FIGURE.replace("tiny", "huge"), "'huge' is not in .*; allowed is tiny"),
    ],
)
def test_a_bad_figure_is_refused(markup, text, message):
    with pytest.raises(YatzyError, match=message):
        markup.render(text, "x.md")


def test_formulas_come_without_style_attributes(markup):
    page = markup.render("Here $a+b$.\n\n$$c$$\n", "x.md")
    pages, style = markup.formulas.fill({"x": page})
    assert "a+b|False" in pages["x"]
    assert "c|True" in pages["x"]
    assert "style=" not in pages["x"]
    assert style == '[data-k="0"]{height:1em!important;}\n'


def test_tables_come_without_style_attributes(markup):
    html = markup.render("| a |\n| ---: |\n| x |\n", "x.md")
    assert '<td class="num">' in html
    assert "style=" not in html


def test_results_name_what_is_missing(results):
    assert results.tiny.mean == 12.25
    assert results.tiny["list"][0].a == 1
    with pytest.raises(YatzyError, match="tiny: has no 'median'; allowed are study, provenance"):
        _ = results.tiny.median
    with pytest.raises(YatzyError, match=r"'other' is not in .*yatzy reproduce other makes it"):
        _ = results.other


@pytest.mark.parametrize(
    "source",
    [
        '<p class="lead">:dice[3* 3* 1]</p>',
        ":dice[3 7]",
        ":card[sixes]",
        "<div>\n[[regret]]\n</div>",
        "::: boxed\nText.\n:::",
        "A **bold word that never ends.",
        "<p>**bold** in HTML</p>",
        "<div>$x$</div>",
        "Text with {{ r.tiny.mean }} left.",
    ],
)
def test_markup_that_nothing_reads_is_refused(markup, source):
    """Dice in an HTML block stood as ":dice[3* 3* 1]" in the third chapter."""
    with pytest.raises(YatzyError, match=r"x\.md: .* is markup that nothing reads"):
        markup.render(source, "x.md")


def test_code_may_show_markup(markup):
    html = markup.render("`:dice[1 2]`\n\n```\n::: math\n[[x]] **y** $z$\n```\n", "x.md")
    assert "::: math" in html
