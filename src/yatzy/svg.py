"""Tables and histograms for notebooks, as plain HTML and SVG without style sheet or script."""

import math
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


def scatter(points: Sequence[tuple[float, float, str, bool]], x_label: str, y_label: str) -> str:
    """An SVG of points (x, y, name, whether it stands out), x by powers of ten."""
    xs, ys = [math.log10(x) for x, *_ in points], [y for _, y, *_ in points]
    (left, right), (low, high) = ((min(one), max(one)) for one in (xs, ys))
    width, height, edge = WIDTH, 2 * HEIGHT, 2 * MARGIN

    def place(x: float, y: float) -> tuple[float, float]:
        across, up = (x - left) / (right - left or 1), (y - low) / (high - low or 1)
        return edge + across * (width - 3 * edge), edge + (1 - up) * (height - 2 * edge)

    marks = []
    for (_, _, name, stands_out), x, y in zip(points, xs, ys, strict=True):
        across, down = place(x, y)
        marks.append(
            f'<circle cx="{across:.1f}" cy="{down:.1f}" r="4" fill="{BAR if stands_out else "#999"}">'
            f"<title>{escape(name)}: {y:.2f}</title></circle>"
            f'<text x="{across + 6:.1f}" y="{down + 4:.1f}" fill="currentColor">{escape(name)}</text>'
        )
    ticks = [
        f'<text x="{place(power, low)[0]:.1f}" y="{height - MARGIN:.1f}" text-anchor="middle">{10**power:,}</text>'
        for power in range(math.ceil(left), math.floor(right) + 1)
    ]
    ticks += [f'<text x="0" y="{place(left, y)[1] + 4:.1f}">{y:.1f}</text>' for y in (low, high)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="12"><g fill="#777">{"".join(ticks)}<text x="{width}" y="{height - 4}" text-anchor="end">'
        f'{escape(x_label)}</text><text x="0" y="14">{escape(y_label)}</text></g>{"".join(marks)}</svg>'
    )
