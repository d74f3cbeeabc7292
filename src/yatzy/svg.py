"""Tables and histograms for notebooks, as plain HTML and SVG without style sheet or script."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from yatzy.arrays import FloatArray

WIDTH, HEIGHT, MARGIN = 520, 150, 22
BAR = "#4FB08C"
# On one line, however narrow the table.
CAPTION = "text-align:left;white-space:nowrap"
# Rarer scores are left out of a histogram.
RARE = 0.0005


class Share(float):
    """A fraction shown as a percentage."""


def html_table(headings: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A table with numeric columns right-aligned; None is an empty cell."""
    rows = [tuple(row) for row in rows]
    sides = [
        "right" if any(isinstance(row[i], int | float) for row in rows) else "left" for i in range(len(headings))
    ]
    head = "".join(map(_cell, ["th"] * len(sides), headings, sides))
    body = "".join(f"<tr>{''.join(map(_cell, ['td'] * len(sides), row, sides))}</tr>" for row in rows)
    title = f'<caption style="{CAPTION}">{escape(caption)}</caption>' if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(tag: str, content: Any, side: str) -> str:
    if isinstance(content, Share):
        text = f"{content:.1%}"
    elif isinstance(content, float):
        text = f"{content:,.3f}"
    else:
        text = "" if content is None else str(content)
    return f'<{tag} style="text-align:{side}">{escape(text)}</{tag}>'


def histogram(pmf: FloatArray, title: str = "") -> str:
    """An SVG histogram of probabilities by score, with a tick every fifty points."""
    total = float(pmf.sum())
    so_far = pmf.cumsum() / total
    first, last = int((so_far < RARE).sum()), int((so_far < 1 - RARE).sum())
    step, tallest = WIDTH / (last - first + 1), float(pmf[first : last + 1].max())
    bars = "".join(
        f'<rect x="{(score - first) * step:.2f}" y="{MARGIN + HEIGHT * (1 - pmf[score] / tallest):.2f}" '
        f'width="{max(step * 0.9, 0.4):.2f}" height="{HEIGHT * pmf[score] / tallest:.2f}"/>'
        for score in range(first, last + 1)
        if pmf[score] > 0
    )
    ticks = "".join(
        f'<text x="{(score - first + 0.5) * step:.1f}" y="{HEIGHT + MARGIN + 16}" '
        f'text-anchor="middle">{score}</text>'
        for score in range(-(-first // 50) * 50, last + 1, 50)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT + 2 * MARGIN}" '
        f'font-family="sans-serif" font-size="12"><text x="0" y="14" fill="currentColor">{escape(title)}</text>'
        f'<g fill="{BAR}">{bars}</g><g fill="#777">{ticks}</g></svg>'
    )
