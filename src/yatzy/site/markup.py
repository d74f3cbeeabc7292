"""Markdown to HTML: the containers, figures, dice, concepts and formulas of the article.

    ::: math ... :::            shown from the second depth on
    ::: code ... :::            shown at the third depth
    ::: aside ... :::           a boxed remark
    ::: figure chart-<id> results="<study> ..." height="<wide> <narrow>"
    ### The finding as a title
    The caption: what to see.
    :::
    [[term]], [[term|shown]]    opens the concept's explanation in the drawer
    :dice[1 3* 3* 5 6]          dice in a sentence; a star marks a held die
    $x$, $$x$$                  formulas

Formulas are left as marks, which `Formulas.fill` replaces once all pages are known: Node is started once.

Code in the article is the code that runs: functions are quoted from their modules, never copied.
"""

import ast
import html
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from yatzy.errors import YatzyError, needs_extra
from yatzy.players.rule_list_card import draw_die
from yatzy.site.numbers import Results

with needs_extra("site"):
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from mdit_py_plugins.anchors import anchors_plugin
    from mdit_py_plugins.container import container_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin

_FIGURE = re.compile(r"^::: *figure +(chart-[a-z0-9-]+)([^\n]*)\n(.*?)^:::\s*$", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r'(\w+)="([^"]*)"')
_DICE = re.compile(r":dice\[([1-6]\*?(?: [1-6]\*?)*)\]")
_CONCEPT = re.compile(r"\[\[([^\]|\n]+)(?:\|([^\]\n]+))?\]\]")
# What a reader must never see: markup that nothing took, in text that is neither code nor a formula.
_CODE = re.compile(r"<(pre|code)\b.*?</\1>|@@formula \d+@@|<[^>]*>", re.DOTALL)
_UNPARSED = re.compile(
    r":[a-z]+\[[^\]\n]*\]?|\[\[|\]\]|^ *:::[^\n]*|\{[{%#]|[%#}]\}|\*\*|\$|^#{1,6} ", re.MULTILINE
)
_DEPTHS = {"math": "depth-math", "code": "depth-code", "aside": "remark"}


def slug(text: str) -> str:
    """A name for an address: "Bellman equation" is bellman-equation."""
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-")


@dataclass
class Formulas:
    """Formulas met so far; `render` turns them into HTML, all at once."""

    render: Callable[[list[dict[str, Any]]], list[str]]
    found: list[dict[str, Any]] = field(default_factory=list)

    def mark(self, tex: str, display: bool) -> str:
        self.found.append({"tex": tex, "display": display})
        return f"@@formula {len(self.found) - 1}@@"

    def fill(self, pages: dict[str, str]) -> tuple[dict[str, str], str]:
        """The pages with their formulas, and the style sheet that these need.

        KaTeX sets sizes in style attributes, which the pages' security policy forbids: each becomes a rule.
        """
        if not self.found:
            return pages, ""
        rendered = self.render(self.found)
        styles: dict[str, int] = {}

        def rule(found: re.Match[str]) -> str:
            return f'data-k="{styles.setdefault(html.unescape(found[1]), len(styles))}"'

        rendered = [re.sub(r'style="([^"]*)"', rule, one) for one in rendered]
        rendered = [one.replace('class="katex-display"', 'class="katex-display" tabindex="0"') for one in rendered]
        filled = {
            name: re.sub(r"@@formula (\d+)@@", lambda found: rendered[int(found[1])], page)
            for name, page in pages.items()
        }
        return filled, "".join(_important(style, number) for style, number in styles.items())


def _important(style: str, number: int) -> str:
    parts = "".join(f"{part.strip()}!important;" for part in style.split(";") if part.strip())
    return f'[data-k="{number}"]{{{parts}}}\n'


@dataclass(frozen=True)
class Figure:
    """A figure of a chapter: heights of its box in pixels, on wide and on narrow screens."""

    id: str
    chapter: str
    title: str
    results: tuple[str, ...]
    height: tuple[int, int]


@dataclass
class Markup:
    """Renders chapters and concepts; collects the figures and concepts that it meets."""

    concepts: dict[str, str]
    results: Results
    formulas: Formulas
    figures: list[Figure] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._md = MarkdownIt("commonmark", {"html": True, "typographer": True})
        self._md.enable(["table", "smartquotes", "replacements"])
        self._md.use(anchors_plugin, max_level=3, slug_func=slug)
        self._md.use(dollarmath_plugin, renderer=self._formula, double_inline=True)
        for name, style in _DEPTHS.items():
            self._md.use(container_plugin, name, render=_container(style))
        self._md.inline.ruler.before("link", "concept", self._concept_rule)
        self._md.inline.ruler.push("dice", self._dice_rule)

    def render(self, source: str, where: str) -> str:
        """A whole page's text; `where` names it in errors."""
        self._where = where
        blocks: list[str] = []

        def keep(found: re.Match[str]) -> str:
            blocks.append(self._figure(found, where))
            return f"\n<!--figure {len(blocks) - 1}-->\n"

        text = self._md.render(_FIGURE.sub(keep, source))
        # Tables align through style attributes, which the pages' security policy forbids.
        text = text.replace('style="text-align:right"', 'class="num"')
        # What scrolls sideways on a phone must be reachable with the keyboard.
        text = text.replace("<pre>", '<pre tabindex="0">')
        count = itertools.count(1)
        text = re.sub(
            r"<table>.*?</table>",
            lambda found: (
                f'<div class="scroll" tabindex="0" role="region" aria-label="Table {next(count)}">{found[0]}</div>'
            ),
            text,
            flags=re.DOTALL,
        )
        text = re.sub(r"<!--figure (\d+)-->", lambda found: blocks[int(found[1])], text)
        check_parsed(text, where)
        return text

    def inline(self, source: str) -> str:
        return str(self._md.renderInline(source.strip()))

    def _figure(self, found: re.Match[str], where: str) -> str:
        figure_id, options, body = found[1], dict(_OPTION.findall(found[2])), found[3].strip()
        heading, _, caption = body.partition("\n")
        if not heading.startswith("### ") or not caption.strip():
            raise YatzyError(where, why=f"{figure_id} needs a line '### title' and a caption below it")
        studies = tuple(options.get("results", "").split())
        tables = tuple(options.get("tables", "").split())
        heights = options.get("height", "").split()
        if not studies or len(heights) != 2 or not all(h.isdigit() for h in heights):
            raise YatzyError(
                where,
                found[2].strip(),
                'results="study ..." and height="wide narrow" in pixels',
                f"{{given}} is not what {figure_id} needs",
            )
        if any(figure.id == figure_id for figure in self.figures):
            raise YatzyError(where, allowed="once in the article", why=f"{figure_id} appears twice")
        title = self.inline(heading.removeprefix("### "))
        height = (int(heights[0]), int(heights[1]))
        self.figures.append(Figure(figure_id, where, title, studies, height))
        return (
            f'<figure id="{figure_id}" class="chart" data-results="{" ".join((*studies, *tables))}">'
            f'<h3 class="finding" id="{figure_id}-title">{title}</h3>'
            f'<div class="stage" role="group" aria-labelledby="{figure_id}-title"></div>'
            f"<figcaption>{self._md.render(caption.strip())}{self._source_line(studies)}</figcaption></figure>"
        )

    def _source_line(self, studies: tuple[str, ...]) -> str:
        parts = []
        for study in studies:
            made = self.results[study].provenance
            parts.append(f'<a href="data/{study}.json" download>{study}</a> (version {made.version}, {made.date})')
        return f'<p class="source">Source and data: {"; ".join(parts)}</p>'

    def _formula(self, content: str, options: dict[str, Any]) -> str:
        return self.formulas.mark(content.strip(), bool(options.get("display_mode")))

    def _concept_rule(self, state: StateInline, silent: bool) -> bool:
        found = _CONCEPT.match(state.src, state.pos)
        if not found:
            return False
        if not silent:
            name = slug(found[1])
            if name not in self.concepts:
                raise YatzyError(self._where, found[1], self.concepts, "is not a concept")
            shown = html.escape((found[2] or found[1]).strip())
            token = state.push("html_inline", "", 0)
            token.content = f'<a class="concept" href="concepts.html#{name}" data-concept="{name}">{shown}</a>'
        state.pos = found.end()
        return True

    def _dice_rule(self, state: StateInline, silent: bool) -> bool:
        found = _DICE.match(state.src, state.pos)
        if not found:
            return False
        if not silent:
            state.push("html_inline", "", 0).content = self.dice(found[1].split())
        state.pos = found.end()
        return True

    def dice(self, faces: list[str]) -> str:
        """The same drawing as web/look/dice.ts makes; a face with a star is held."""
        said = ", ".join(face.replace("*", " held") for face in faces)
        drawn = "".join(draw_die(face[0], "die held" if face.endswith("*") else "die") for face in faces)
        return f'<span class="dice" role="img" aria-label="dice {said}">{drawn}</span>'


def check_parsed(page: str, where: str) -> None:
    """Refuse a page on which a reader would see markup: dice inside an HTML block, an unknown container."""
    found = _UNPARSED.search(html.unescape(_CODE.sub("", page)))
    if found:
        raise YatzyError(
            where,
            found.group().strip(),
            "the forms of docs/treatise.md, and none of them inside HTML",
            "is markup that nothing reads",
        )


def _container(style: str) -> Callable[..., str]:
    def render(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
        return f'<section class="{style}">\n' if tokens[index].nesting == 1 else "</section>\n"

    return render


PACKAGE = Path(__file__).parents[1]


def source_of(module: str, name: str) -> str:
    """The source of a function, class or method as a fenced block: ("turn.lattice", "Lattice.added")."""
    path = PACKAGE.joinpath(*module.split(".")).with_suffix(".py")
    if not path.is_file():
        raise YatzyError("source", module, why="is no module of yatzy")
    text = path.read_text()
    node: ast.AST = ast.parse(text)
    for part in name.split("."):
        inside = (child for child in ast.iter_child_nodes(node) if getattr(child, "name", None) == part)
        found = next(inside, None)
        if found is None:
            raise YatzyError("source", why=f"{module} has no {name!r}")
        node = found
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])  # type: ignore[attr-defined]
    lines = text.splitlines()[first - 1 : node.end_lineno]  # type: ignore[attr-defined]
    indent = len(lines[0]) - len(lines[0].lstrip())
    code = "\n".join(line[indent:] for line in lines)
    return f"```python\n# yatzy/{module.replace('.', '/')}.py\n{code}\n```"
