"""A chart to play by: for the terminal, as Markdown, and as a page to print.

What to keep comes before where to score, as at the table. Every line has its picture, its exact words, what it
costs to leave it out, and a reason if it looks odd. One turn is played through, so that a reader sees how it is
done. Means and costs are passed in or come with the chart's file; the words are those of `chart`.
"""

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from yatzy.game.action import Keep
from yatzy.players.chart import (
    ALIKE,
    COMPLETE,
    FROM,
    GIVE_UP,
    IN_REACH,
    KEEP_NOTHING,
    KEEP_TITLE,
    NOTHING,
    NUMBERS,
    ORDINALS,
    RUN,
    SCORE_TITLE,
    SETTLED,
    TWO_PAIRS,
    WITH_HIGHEST,
    Chart,
    KeepLine,
    ScoreLine,
    keep_text,
    kept_text,
    score_text,
)
from yatzy.players.chart_player import ChartPlayer
from yatzy.players.conditions import box_name
from yatzy.players.rule_list_card import draw_dice, in_letters, page, picture_of_pattern, scale_html, standing
from yatzy.rules import Ruleset, format_dice
from yatzy.turn.lattice import lattice
from yatzy.turn.tables import face_of_category

if TYPE_CHECKING:
    from rich.console import RenderableType

SAME, OTHER = "a", "b"
TURN_TITLE = "One turn by this chart"
KEEP_NOTE = "The first line that your dice have decides. Throw the others again."
SCORE_NOTE = "The first line that fits decides: its box is open, and the dice bring what it asks for."
# Of many turns that could be shown, the one that these throws make.
TURN_SEED = 7


@dataclass(frozen=True)
class PrintedLine:
    """A line as it is printed; `does` is what to do, `cost` what the chart loses without it (None: not known)."""

    number: int
    dice: str
    words: str
    does: str
    cost: float | None
    why: str


def keep_rows(chart: Chart) -> list[PrintedLine]:
    costs = chart.info.get("keep_costs", [])
    return [
        PrintedLine(
            number + 1, keep_picture(chart.rules, line), keep_text(chart.rules, line),
            kept_text(chart.rules, line.pattern), costs[number] if number < len(costs) else None, why_keep(line),
        )
        for number, line in enumerate(chart.keeps[:-1])
    ]  # fmt: skip


def score_rows(chart: Chart) -> list[PrintedLine]:
    costs = chart.info.get("score_costs", [])
    return [
        PrintedLine(
            number + 1, score_picture(chart.rules, line), score_text(chart.rules, line), "",
            costs[number] if number < len(costs) else None, why_score(chart.rules, line),
        )
        for number, line in enumerate(chart.scores)
    ]  # fmt: skip


def _otherwise(chart: Chart, title: str) -> str:
    """What to do if no line fits."""
    if title == KEEP_TITLE:
        return KEEP_NOTHING
    return GIVE_UP + ", ".join(chart.rules.categories[box].name for box in chart.give_up)


def keep_picture(rules: Ruleset, line: KeepLine) -> str:
    """Dice that show a pattern: digits are faces, `a` and `b` dice alike."""
    pattern = line.pattern
    if pattern.kind in (ALIKE, WITH_HIGHEST):
        face = str(pattern.low) if pattern.low == pattern.high else SAME
        return face * pattern.n + (OTHER if pattern.kind == WITH_HIGHEST else "")
    if pattern.kind == RUN:
        return "".join(map(str, range(pattern.low, pattern.high + 1)))
    if pattern.kind == FROM:
        return "".join(map(str, range(pattern.low, rules.faces + 1)))
    if pattern.kind == COMPLETE:
        return _box_picture(rules, pattern.boxes, pattern.n)
    return SAME * 2 + OTHER * 2 if pattern.kind == TWO_PAIRS else ""


def score_picture(rules: Ruleset, line: ScoreLine) -> str:
    return _box_picture(rules, line.boxes, line.least)


def _box_picture(rules: Ruleset, boxes: tuple[int, ...], least: int) -> str:
    face = int(face_of_category(rules)[boxes[0]])
    if least == 0 or (len(boxes) > 1 and not face):
        return ""
    if face:
        return (str(face) if len(boxes) == 1 else SAME) * least
    found = picture_of_pattern(rules, box_name(rules, boxes[0]))
    same = set(found) == {SAME}
    return (
        str(least // len(found)) * len(found)
        if same and least % len(found) == 0 and _is_face(rules, least, found)
        else found
    )


def _is_face(rules: Ruleset, least: int, found: str) -> bool:
    """Do points in this box tell the face, as 10 in One Pair tells fives?"""
    return 1 <= least // len(found) <= rules.faces and len(found) < rules.dice


def why_score(rules: Ruleset, line: ScoreLine) -> str:
    """Half a sentence for lines that look odd."""
    faces = [int(face_of_category(rules)[box]) for box in line.boxes]
    if line.least == 0:
        return "it is missed least"
    if line.when == SETTLED:
        return "the bonus no longer counts"
    if all(faces) and line.least < 3:
        return "a low box loses little" if max(faces) <= 3 else "better than spoiling a dearer box"
    if line.when == IN_REACH:
        return "for the bonus" if all(faces) else "it saves the upper boxes for the bonus"
    return ""


def why_keep(line: KeepLine) -> str:
    """Half a sentence for lines that look odd."""
    pattern = line.pattern
    if pattern.kind == ALIKE and pattern.own and pattern.n < 3:
        return "a start for the bonus" if pattern.n == 1 else "for the points, and for the bonus"
    if pattern.kind == FROM:
        return "nothing better to aim at: keep what counts most"
    if pattern.kind == WITH_HIGHEST:
        return "the other die may become the second pair"
    if pattern.kind == NOTHING:
        return "a fresh throw is better than what is left"
    return ""


@dataclass(frozen=True)
class ShownDecision:
    """One decision of the turn that is shown."""

    throw: str
    dice: str
    number: str
    words: str
    does: str


def worked_turn(chart: Chart, seed: int = TURN_SEED) -> list[ShownDecision]:
    """A first turn by this chart, with seeded dice."""
    game, dice = chart.rules, lattice(chart.rules.dice, chart.rules.faces)
    player, rng = ChartPlayer(chart), np.random.default_rng(seed)
    empty = np.zeros(1, np.int64)
    decided, lines = player.decide(empty, empty), player.lines(empty, empty)
    kept: tuple[int, ...] = ()
    found = []
    for left in range(game.rerolls, -1, -1):
        fresh = rng.integers(1, game.faces + 1, game.dice - len(kept)).tolist()
        roll = tuple(sorted((*kept, *fresh)))
        roll_id, number = dice.id_of(roll), int(lines[0, left, dice.id_of(roll)])
        throw = f"{ORDINALS[game.rerolls - left].capitalize()} throw"
        if left:
            kept = dice.keeps[int(decided.keep[0, left - 1, roll_id])]
            does = str(Keep(kept))
            words = keep_text(game, chart.keeps[number]) if number < len(chart.keeps) - 1 else "none of these"
            at = f"line {number + 1}" if number < len(chart.keeps) - 1 else "after the last line"
            found.append(ShownDecision(throw, format_dice(roll), at, words, does))
        else:
            box = int(decided.category[0, roll_id])
            points = game.scores[roll_id][box]
            does = (
                f"score {points} in {game.categories[box].name}"
                if points
                else f"cross out {game.categories[box].name}"
            )
            words = score_text(game, chart.scores[number]) if number < len(chart.scores) else "none fits"
            at = f"line {number + 1}" if number < len(chart.scores) else "after the last line"
            found.append(ShownDecision(throw, format_dice(roll), at, words, does))
    return found


def title_of(chart: Chart) -> str:
    return f"{chart.name}, for {chart.rules.name}"


def size(chart: Chart) -> str:
    """How much there is to carry, and to read."""
    reads = chart.info.get("reads")
    text = f"{chart.n_lines} lines"
    if chart.oracle_keeps:
        return f"{text}; dice are kept as in optimal play"
    return f"{text}, of which {reads:.1f} are read per decision" if reads else text


def notes(chart: Chart) -> list[str]:
    """What a reader needs to know for the words on this chart."""
    rules = chart.rules
    most = rules.dice
    found = [
        "Alike: dice of one face. Of several faces that fit a line, take the highest, and keep all its dice. "
        "Their upper box is the box of that face; the highest other die is of another face.",
        "Different dice: one of each face. Two different pairs: if you have three of one face, keep two.",
        "Where to score, dice are those of the box's face. Of several boxes in a line, take the first in its "
        "order that is open and fits.",
    ]
    if any(line.when for line in chart.scores):
        found.append(
            f"The bonus is safe with {rules.bonus_threshold} points in the upper section, lost once "
            f"{NUMBERS[most]} of every open upper face would not reach that, and in reach otherwise."
        )
    if rules.special:
        found.append(
            "Jokers bring what the rules of the game say, and go only into boxes that these allow: others are "
            "passed over, in the lines and after the last one."
        )
    if chart.info.get("score_costs"):
        found.append(
            "The number behind a line: the points per game that the chart loses without it. After the last line, "
            "every box that is looked at counts as a line read."
        )
    return found


def _cost(row: PrintedLine) -> str:
    # Adding zero turns -0.0 into 0.0.
    return "" if row.cost is None else f"{round(row.cost, 2) + 0.0:.2f}"


def _said(row: PrintedLine) -> str:
    """A line in words, as every format prints it."""
    return f"{row.words}: {row.does}" if row.does else row.words


def _parts(chart: Chart) -> list[tuple[str, str, list[PrintedLine]]]:
    parts = [(SCORE_TITLE, SCORE_NOTE, score_rows(chart))]
    return parts if chart.oracle_keeps else [(KEEP_TITLE, KEEP_NOTE, keep_rows(chart)), *parts]


def markdown(chart: Chart, mean: float, greedy: float, optimum: float) -> str:
    """The chart as Markdown."""
    lines = [f"# {title_of(chart)}", "", f"{size(chart)}. {standing(mean, greedy, optimum)}", ""]
    for title, note, rows in _parts(chart):
        lines += [f"## {title}", "", note, ""]
        for row in rows:
            extra = "; ".join(filter(None, [row.why, f"costs {_cost(row)}" if row.cost is not None else ""]))
            lines.append(f"{row.number}. {_said(row)}{f' *({extra})*' if extra else ''}")
        lines += ["", _otherwise(chart, title), ""]
    if not chart.oracle_keeps:
        lines += [f"## {TURN_TITLE}", ""]
        lines += [f"- {s.throw} {s.dice}: {s.number}, {s.words}: {s.does}." for s in worked_turn(chart)]
        lines.append("")
    lines += [f"- {note}" for note in notes(chart)]
    return "\n".join(lines) + "\n"


def terminal(chart: Chart, mean: float, greedy: float, optimum: float) -> "RenderableType":
    """The chart for Rich to print."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    found: list[RenderableType] = [
        Text(title_of(chart), "bold"),
        Text(f"{size(chart)}. {standing(mean, greedy, optimum)}"),
    ]
    for title, note, rows in _parts(chart):
        found.append(Padding(Text.assemble((title, "bold green"), f"  {note}"), (1, 0, 0, 0)))
        view = Table(box=None, show_header=False, padding=(0, 1))
        for justify, style in (("right", "dim"), ("left", ""), ("left", ""), ("right", "dim"), ("left", "dim")):
            view.add_column(justify=justify, style=style)  # type: ignore[arg-type]
        for row in rows:
            words = Text(f"{row.words}: ").append(row.does, "bold") if row.does else Text(row.words)
            view.add_row(str(row.number), in_letters(row.dice), words, _cost(row), row.why)
        found.append(view)
        found.append(Padding(Text(_otherwise(chart, title)), (0, 0, 0, 1)))
    if not chart.oracle_keeps:
        turn = [f"{s.throw} {s.dice}: {s.number}, {s.words}: {s.does}." for s in worked_turn(chart)]
        found.append(Padding(Text.assemble((TURN_TITLE, "bold green")), (1, 0, 0, 0)))
        found.append(Text("\n".join(turn)))
    found.append(Padding(Text("\n".join(notes(chart)), "dim"), (1, 0, 0, 0)))
    return Group(*found)


def html(chart: Chart, mean: float, greedy: float, optimum: float) -> str:
    """The chart as a page of its own."""
    title = f"{title_of(chart)}: {chart.n_lines} lines"
    return page(title, article(chart, mean, greedy, optimum), "card.css", "chart.css")


def article(chart: Chart, mean: float, greedy: float, optimum: float) -> str:
    """The chart as part of another page, which brings `card.css` and `chart.css` or a style of its own."""
    density = "short" if chart.n_lines <= 25 else "middle" if chart.n_lines <= 45 else "long"
    body = "".join(_section_html(chart, *part) for part in _parts(chart))
    small = "".join(f"<li>{escape(note)}</li>" for note in notes(chart))
    return (
        f'<article class="card chart {density}">\n<header><h1>{escape(title_of(chart))}</h1>'
        f"<p>{escape(size(chart))}. {escape(standing(mean, greedy, optimum))}</p>"
        f"{scale_html(mean, greedy, optimum, 'this chart')}</header>\n"
        f'<div class="columns">\n{body}{_turn_html(chart)}</div>\n<ul class="notes">{small}</ul>\n</article>'
    )


def _section_html(chart: Chart, title: str, note: str, rows: list[PrintedLine]) -> str:
    items = []
    for row in rows:
        words = f"{escape(row.words)}: <b>{escape(row.does)}</b>" if row.does else escape(row.words)
        why = f'<small class="why">{escape(row.why)}</small>' if row.why else ""
        cost = f'<small class="cost">{_cost(row)}</small>' if row.cost is not None else ""
        items.append(f'<li><span class="line">{draw_dice(row.dice)}{words}{why}</span>{cost}</li>')
    end = f'<p class="otherwise">{escape(_otherwise(chart, title))}</p>'
    head = f'<h2>{escape(title)}</h2><p class="note">{escape(note)}</p>'
    return f"<section>{head}\n<ol>\n{chr(10).join(items)}\n</ol>\n{end}</section>\n"


def _turn_html(chart: Chart) -> str:
    if chart.oracle_keeps:
        return ""
    steps = [
        f'<li><span class="line">{draw_dice(s.dice.replace(" ", ""))}{escape(s.throw)}: {escape(s.number)}, '
        f"{escape(s.words)}: "
        f"<b>{escape(s.does)}</b></span></li>"
        for s in worked_turn(chart)
    ]
    return f'<section class="turn"><h2>{TURN_TITLE}</h2>\n<ul>\n{chr(10).join(steps)}\n</ul></section>\n'
