"""Build the site: chapters, concepts and results become a folder that any static server can show.

    out/index.html, <chapter>.html, concepts, claims, sources     pages
    out/card.html, chart-<lines>.html                             sheets to print
    out/data/<study>.json                                         what the figures read, and readers download
    out/data/keep-tables.json                                     the effect of every named keep on every roll
    out/data/scandinavian.json                                    the game as tables, for figures that play it
    out/data/chart-lines.json                                     a chart line by line, and its decisions
    out/play/rules/<game>.json                                    games as tables, for the engine of the coach
    out/assets/, early.js, article.css                            scripts and styles; sizes of figures and formulas
    out/play/                                                     the coach
    out/service-worker.js, app.webmanifest, icons/                what keeps the site on a reader's device

There is one page for each chapter, so that back, forward and deep links are the browser's own.
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from yatzy import __version__
from yatzy.errors import YatzyError, needs_extra
from yatzy.game.action import Keep, parse_action
from yatzy.players import rule_list_card
from yatzy.players.library import find_list
from yatzy.players.moves import GRAMMARS, keep_table, keeping_moves
from yatzy.players.rule_list_player import ListPlayer
from yatzy.rules import parse_category, ruleset
from yatzy.site import charts, numbers
from yatzy.site.markup import Figure, Formulas, Markup, slug, source_of
from yatzy.site.numbers import Results, compact, plain_claims, source_groups
from yatzy.site.offline import WORKER, remove_old_assets, write_worker
from yatzy.site.tables import write_tables
from yatzy.site.web import WEB, bundle, render_formulas
from yatzy.storage import RESULTS, write_atomically
from yatzy.turn.lattice import lattice

with needs_extra("site"):
    import jinja2

NARROW = 640
ENTRY = "article/main.ts"
# Vite's list of what it bundled, and the worker before it knows the files of the site.
NOT_PUBLISHED = ("manifest.json", WORKER)
CARD = "card-20"
CARD_TITLE = "Yatzy on one card"


@dataclass(frozen=True)
class MarkdownText:
    """A Markdown file: what its front matter says, and its template; `number` is a chapter's."""

    name: str
    number: int
    title: str
    summary: str
    template: str


@dataclass(frozen=True)
class BuiltSite:
    """What was built."""

    out: Path
    pages: list[str]
    figures: list[Figure]
    claims: int


def build_site(
    out: Path, results_folder: Path = RESULTS, web: Path = WEB, notice: Callable[[str], None] | None = None
) -> BuiltSite:
    """Build everything into `out`, replacing what is there."""
    results = Results(results_folder)
    chapters, concepts = read_texts("chapters"), read_texts("concepts")
    dist = bundle(web, notice)
    markup = Markup(
        concepts={text.name: text.title for text in concepts},
        results=results,
        formulas=Formulas(lambda formulas: render_formulas(formulas, web)),
    )
    fill = Filler(results)
    explained = {text.name: (text.title, markup.render(fill(text), f"{text.name}.md")) for text in concepts}
    bodies = {text.name: markup.render(fill(text), f"{text.name}.md") for text in chapters}
    sources = source_groups(fill.fill, markup.render)
    pages = _pages(chapters, bodies, explained, results, dist, fill, sources)
    pages, formula_style = markup.formulas.fill(pages)
    write_tables(out / "play" / "rules")
    _write(out, dist, pages, formula_style, markup.figures, results)
    # Last: it lists the files that are there now.
    write_worker(out, dist / WORKER)
    return BuiltSite(out, sorted(pages), markup.figures, len(results.claims))


def read_texts(folder: str) -> list[MarkdownText]:
    """The Markdown files of a folder of this package, chapters in order; numbers typed by hand are refused."""
    paths = [path for path in (files(__package__) / folder).iterdir() if path.name.endswith(".md")]
    texts = [read_text(path.name, path.read_text(encoding="utf-8")) for path in paths]
    return sorted(texts, key=lambda text: (text.number, text.name))


def read_text(file_name: str, content: str) -> MarkdownText:
    """One file: front matter between lines of dashes, then the template. `1-game.md` is the page game."""
    found = re.match(r"\A---\n(.*?)\n---\n(.*)\Z", content, re.DOTALL)
    fields = dict(re.findall(r"^(\w+): *(.+)$", found[1], re.MULTILINE)) if found else {}
    if not found or not {"title", "summary"} <= set(fields):
        raise YatzyError(
            f"{file_name}", why="needs front matter with title and summary between two lines of dashes"
        )
    numbers.check_numbers(file_name, content)
    number, name = re.fullmatch(r"(\d*)-?(.*)\.md", file_name).groups()  # type: ignore[union-attr]
    return MarkdownText(slug(name), int(number or 0), fields["title"], fields["summary"], found[2])


def at_theta(results: Results, theta: float) -> Any:
    """The point of the sweep with that theta."""
    points = results["sweep"].points
    found = [point for point in points if point.theta == theta]
    if not found:
        raise YatzyError("theta", theta, [str(point.theta) for point in points], "is not in the sweep")
    return found[0]


def opening_keep(results: Results, dice: str, rerolls: int = 2) -> float:
    """Value of holding these dice in the first turn of a game, with this many rerolls left."""
    keep = lattice(5, 6).id_of(map(int, dice.split()))
    return float(results["opening-turn"].rerolls[rerolls - 1].value_by_keep[keep])


def held(text: str) -> str:
    """The dice of an action that keeps some, each marked as held."""
    action = parse_action(ruleset(), text)
    if not isinstance(action, Keep):
        raise YatzyError("action", text, why="keeps no dice")
    return " ".join(f"{face}*" for face in action.dice)


def coin(theta: float, stake: float) -> float:
    """What a player of this theta pays to win or lose a stake on the toss of a coin."""
    return math.log(math.cosh(theta * stake)) / theta


def card_par(box: str) -> float:
    """The card's par of a box while the bonus is in reach."""
    shipped = find_list(CARD)
    if shipped.par is None:
        raise YatzyError("card", why=f"{CARD} has no par table")
    return float(shipped.par.in_reach[parse_category(shipped.rules, box)])


def card_rule(dice: str, rerolls: int) -> str:
    """The rule of the card, in words, that decides about these dice in the first turn."""
    player = ListPlayer(find_list(CARD))
    roll = lattice(player.rules.dice, player.rules.faces).id_of(map(int, dice.split()))
    return player.explain(0, 0, roll, rerolls)


def model(results: Results, name: str) -> Any:
    """The model of the compression study with that name."""
    return _one_of("model", results["compression"].models, lambda one: str(one.name), name)


def rule_list(results: Results, name: str) -> Any:
    """The rule list of the rosetta study with that name; its `strength` is what is measured."""
    return _one_of("rule list", results["rosetta"].lists, lambda one: str(one.strength.name), name)


def game(results: Results, name: str) -> Any:
    """The game of the study of all games with that name."""
    return _one_of("game", results["games"].games, lambda one: str(one.rules), name)


def claim(results: Results, study: str, what: str) -> Any:
    """What the forerunner states, beside ours."""
    return _one_of("claim", results[study].claims, lambda one: str(one.what), what)


def _one_of(kind: str, found: list[Any], name_of: Callable[[Any], str], name: str) -> Any:
    named = {name_of(one): one for one in found}
    if name not in named:
        raise YatzyError(kind, name, named, "is not known")
    return named[name]


class Filler:
    """Fills templates with numbers from results; anything undefined is an error that names its place."""

    def __init__(self, results: Results) -> None:
        self._jinja = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
        self._jinja.filters |= numbers.FILTERS
        self._jinja.globals |= {
            "r": results,
            "at_theta": lambda theta: at_theta(results, theta),
            "opening_keep": lambda dice, rerolls=2: opening_keep(results, dice, rerolls),
            "coin": coin,
            "card_par": card_par,
            "card_rule": card_rule,
            "held": held,
            "model": lambda name: model(results, name),
            "rule_list": lambda name: rule_list(results, name),
            "claim": lambda study, what: claim(results, study, what),
            "game": lambda name: game(results, name),
            "charts": lambda: charts.ladder(results),
            "chart_lines": lambda name: charts.chart_lines(results, name),
            "chart_step": lambda name, dice, rerolls: charts.chart_step(results, name, dice, rerolls),
            "charts_extend": lambda: charts.extends(results),
            "source": source_of,
            "version": __version__,
        }

    def __call__(self, text: MarkdownText) -> str:
        return self.fill(text.template, f"{text.name}.md")

    def fill(self, template: str, where: str, **values: Any) -> str:
        try:
            return self._jinja.from_string(template).render(**values)
        except jinja2.TemplateError as error:
            raise YatzyError(where, why=str(error.message)) from None
        except YatzyError as error:
            raise error.but(field=f"{where}: {error.field}") from None


def _pages(
    chapters: list[MarkdownText], bodies: dict[str, str], explained: dict[str, tuple[str, str]], results: Results,
    dist: Path, fill: Filler, sources: list[dict[str, Any]],
) -> dict[str, str]:  # fmt: skip
    """Whole pages by file name. The first chapter file is the front page; the others keep their numbers."""
    folder = files(__package__) / "templates"
    frame = (folder / "page.html").read_text(encoding="utf-8")
    web = _web_files(dist)
    front, *rest = chapters
    contents = [
        {"number": text.number, "name": text.name, "title": text.title, "summary": text.summary} for text in rest
    ]

    def page(
        name: str, title: str, summary: str, body: str, position: int | None = None, sheet: bool = False
    ) -> str:
        used = sorted(set(re.findall(r'data-concept="([a-z0-9-]+)"', body)))
        # A concept's own text may name others: the drawer has to know these too.
        while more := {
            other for one in used for other in re.findall(r'data-concept="([a-z0-9-]+)"', explained[one][1])
        } - set(used):
            used = sorted({*used, *more})
        return fill.fill(
            frame, "page.html", name=name, title=title, summary=summary, body=body, contents=contents,
            position=position, sheet=sheet, web=web, concepts=[(one, *explained[one]) for one in used],
        )  # fmt: skip

    def extra(template: str, **values: Any) -> str:
        return fill.fill((folder / template).read_text(encoding="utf-8"), template, **values)

    pages = {"index.html": page("index", front.title, front.summary, bodies[front.name])}
    for position, text in enumerate(rest):
        pages[f"{text.name}.html"] = page(text.name, text.title, text.summary, bodies[text.name], position)
    pages["concepts.html"] = page(
        "concepts", "Concepts", "Every term of the article, explained.",
        extra("concepts.html", concepts=sorted((title, name, text) for name, (title, text) in explained.items())),
    )  # fmt: skip
    pages["claims.html"] = page(
        "claims", "Claims", "What the forerunner says, and what this one computes.",
        extra(
            "claims.html", claims=plain_claims(results), contents=contents,
            studies=sorted({claim["study"] for claim in results.claims}),
        ),
    )  # fmt: skip
    pages["sources.html"] = page(
        "sources", "Sources", "What this article builds on, which rules hold, and how to cite it.",
        extra("sources.html", groups=sources),
    )  # fmt: skip
    pages["card.html"] = page(
        "card", CARD_TITLE, "A strategy for Scandinavian Yatzy on one page, to print and play by.",
        extra("card.html", card=card_article(results)), sheet=True,
    )  # fmt: skip
    greedy = model(results, "greedy").mean
    for one in charts.ladder(results):
        pages[f"{one.name}.html"] = page(
            one.name, charts.title(one.n_lines), "A chart for Scandinavian Yatzy, to print and play by.",
            extra("chart-sheet.html", chart=charts.article(results, one.name, greedy)), sheet=True,
        )  # fmt: skip
    return pages


def card_article(results: Results) -> str:
    """The card, with the exact mean of the words that are on it."""
    shipped = find_list(CARD)
    measured = rule_list(results, CARD)
    if measured.text != shipped.text():
        raise YatzyError("results", why=f"the study measured a different {CARD}; run yatzy reproduce rosetta")
    return rule_list_card.article(
        replace(shipped, name=CARD_TITLE),
        measured.strength.mean,
        model(results, "greedy").mean,
        results["distribution"].mean,
    )


def _web_files(dist: Path) -> dict[str, Any]:
    """What a page has to load, from Vite's manifest."""
    manifest = _json(dist / "manifest.json")
    entry = manifest.get(ENTRY)
    if entry is None:
        raise YatzyError("web", why=f"{dist}/manifest.json has no {ENTRY}; remove {dist} and build again")
    fonts = sorted(
        f"assets/{path.name}"
        for path in (dist / "assets").glob("*-latin-wght-normal-*.woff2")
    )  # fmt: skip
    return {"script": entry["file"], "styles": entry.get("css", []), "fonts": fonts}


def _json(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text()))
    except (OSError, ValueError) as error:
        raise YatzyError("web", why=f"cannot read {path} ({error})") from None


def _write(
    out: Path, dist: Path, pages: dict[str, str], formula_style: str, figures: list[Figure], results: Results
) -> None:
    """Every file whole or not at all, what pages need before the pages; then what no page needs any more goes."""
    bundled = [file.relative_to(dist) for file in dist.rglob("*") if file.is_file()]
    wanted = [file for file in bundled if not file.name.startswith(".") and file.name not in NOT_PUBLISHED]
    for file in sorted(wanted, key=lambda file: (file.suffix == ".html", file)):
        write_atomically(out / file, (dist / file).read_bytes())
    sizes = "".join(
        f"#{figure.id} .stage{{height:{figure.height[0]}px}}\n"
        f"@media (max-width:{NARROW}px){{#{figure.id} .stage{{height:{figure.height[1]}px}}}}\n"
        for figure in figures
    )
    write_atomically(out / "article.css", (sizes + formula_style).encode())
    for name, page in pages.items():
        write_atomically(out / name, page.encode())
    for study in results.names:
        write_atomically(out / "data" / f"{study}.json", compact(results.path(study)))
    tables = {"keep-tables": keep_tables(), "chart-lines": charts.line_tables(results)}
    game = out / "play" / "rules" / "scandinavian.json"
    write_atomically(out / "data" / game.name, game.read_bytes())
    for table, content in tables.items():
        write_atomically(out / "data" / f"{table}.json", json.dumps(content, separators=(",", ":")).encode())
    remove_old_assets(out, wanted)


def keep_tables() -> dict[str, Any]:
    """Names of keeps in every grammar, and the keep id of each for every roll on an empty card (-1: none)."""
    rules = ruleset("scandinavian")
    tables = {
        grammar: {"names": keeping_moves(rules, grammar), "keeps": keep_table(rules, grammar)[-1].tolist()}
        for grammar in GRAMMARS
    }
    return {"rules": rules.name, "tables": tables}
