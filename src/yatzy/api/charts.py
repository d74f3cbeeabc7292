"""`yatzy.chart`: a chart to play by, shown in a notebook as it is printed."""

from dataclasses import dataclass, fields

from yatzy.pictures import html_table
from yatzy.rulelists.charts import lines
from yatzy.rulelists.charts.library import find_chart
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rulelists.charts.printing import KEEP_TITLE, SCORE_TITLE, Row, keep_rows, score_rows
from yatzy.rulelists.charts.words import chart_text
from yatzy.rules import Ruleset


@dataclass(frozen=True, repr=False)
class Chart(lines.Chart):
    """Two ranked lists, what to keep (`keeps`) and where to score (`scores`); the first line that fits decides."""

    def __repr__(self) -> str:
        mean, reads = self.info.get("mean"), self.info.get("reads")
        told = "" if mean is None else f", mean {mean:.2f}"
        read = "" if reads is None else f", {reads:.1f} read per decision"
        return f"<Chart {self.name} for {self.rules.name}: {self.n_lines} lines{told}{read}>"

    def __str__(self) -> str:
        return chart_text(self)

    def _repr_html_(self) -> str:
        parts = [] if self.oracle_keeps else [(KEEP_TITLE, keep_rows(self))]
        parts.append((SCORE_TITLE, score_rows(self)))
        captions = [repr(self)[1:-1], ""]
        return "".join(_html(*part, caption) for part, caption in zip(parts, captions, strict=False))

    @property
    def policy(self) -> ChartPlayer:
        """Somebody who plays by it."""
        return ChartPlayer(self)


def _html(title: str, rows: list[Row], caption: str) -> str:
    told = [(row.number, f"{row.words}: {row.does}" if row.does else row.words, row.cost) for row in rows]
    return html_table(("", title, "costs"), told, caption)


def chart(name: str = "chart-20", rules: str | Ruleset | None = None) -> Chart:
    """A chart by its name, or from a file: a whole strategy as two ranked lists.

    >>> import yatzy
    >>> found = yatzy.chart("chart-10")
    >>> found
    <Chart chart-10 for scandinavian: 10 lines, mean 227.82, 3.8 read per decision>
    >>> print(str(found).splitlines()[2])
    1. Yatzy, Full House, Large Straight or Small Straight: any points
    >>> yatzy.chart("chart-20", rules="yahtzee").info["mean"] > 244
    True

    `yatzy rules list` lists the names; `found.policy` plays by it, and so does its name wherever a policy is
    wanted. In a notebook it is shown with what the chart would lose without each line, in points per game.
    """
    found = find_chart(name, rules)
    return Chart(**{field.name: getattr(found, field.name) for field in fields(found)})
