"""A rule list as a card to play by: for the terminal, as Markdown, and as a page to print.

What to keep comes before where to score, as at the table; the rules keep their numbers and their exact words, so
that a sentence on the card is the sentence that was evaluated. Means are passed in, never computed here.
`card.css` is for charts too: on paper and on a phone, light and dark.
"""

import re
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from yatzy.players.conditions import Condition, box_name
from yatzy.players.moves import GIVE_UP, OPEN_STRAIGHT, give_up_order
from yatzy.players.rule_list import Rule, RuleList, rule_text
from yatzy.policies.baselines import named_straights, straights
from yatzy.rules import Ruleset
from yatzy.turn.tables import face_of_category

if TYPE_CHECKING:
    from rich.console import RenderableType

THROWS = ("first", "second", "third", "fourth", "fifth")
DIE_FACES = "⚀⚁⚂⚃⚄⚅"
# Dice that are alike, whatever they show, and a second face beside them.
ALIKE, OTHER = "a", "b"


@dataclass(frozen=True)
class CardSection:
    """One list of rules under its heading; `otherwise` is what to do when none of them fits."""

    title: str
    note: str
    rules: tuple[Rule, ...]
    otherwise: str


def sections(rules: RuleList) -> list[CardSection]:
    """The lists in the order of a turn."""
    top, found = rules.rules.rerolls, []
    note = "From the top: the first rule that fits decides. Cannot do it? Go on to the next."
    if rules.oracle_keeps:
        found.append(CardSection("What to keep", "As in optimal play.", (), ""))
    elif len(rules.keeps) == 1:
        found.append(CardSection("What to keep", note, rules.keeps[0], rules.keep_default))
    else:
        for left in range(top, 0, -1):
            title = f"What to keep after the {THROWS[top - left]} throw"
            found.append(CardSection(title, note, rules.keeps[left - 1], rules.keep_default))
    return [*found, CardSection("Where to score", note, rules.scores, rules.score_default)]


def standing(mean: float, greedy: float, optimum: float) -> str:
    """Where the list stands, in a sentence."""
    share = (mean - greedy) / (optimum - greedy)
    return (
        f"{mean:.1f} points on average, computed exactly: {share:.0%} of the way from playing every "
        f"turn for its most points ({greedy:.1f}) to perfect play ({optimum:.1f})."
    )


def size(rules: RuleList) -> str:
    """How much there is to carry."""
    text = f"{rules.n_rules} rules"
    if rules.par:
        text += f" and a table of {len(rules.par.in_reach) + len(rules.par.settled)} par numbers"
    return f"{text}; dice are kept as in optimal play" if rules.oracle_keeps else text


def notes(rules: RuleList) -> list[str]:
    """What a reader needs to know for the words on this card."""
    moves = {rule.move for rule in rules.all_rules} | {rules.score_default, rules.keep_default}
    names = [category.name for category in rules.rules.categories]
    found = [
        "A rule cannot be done if the box it names is filled, if there is no such box, or if there are no such "
        "dice to keep. Of boxes that are equal, the first on the score sheet."
    ]
    if rules.par:
        weight = rules.par.weight
        found.append(
            f"Points above par: what a box scores now, minus its par. While the bonus is in reach, points in the "
            f"upper section count {'double' if weight == 2 else f'{weight:g} times'}."
        )
    if GIVE_UP in moves:
        found.append(f"The give-up list: {', '.join(names[c] for c in give_up_order(rules.rules))}.")
    found += _notes_on_conditions(rules)
    if moves & {"keep the high pair", "keep the low pair", "keep both pairs"}:
        found.append("A pair to keep is two dice, even of three alike; both pairs are the two highest.")
    if any(move.startswith("keep the most frequent face") or "straight" in move for move in moves):
        found.append(
            "The most frequent face: if nothing else is said, the highest of equals. Of a straight, one die of "
            "each face is kept."
        )
    if OPEN_STRAIGHT in moves:
        found.append("The dice of an open straight: of two, the one you have more of, the large one of equals.")
    if rules.grammar == "masks":
        found.append("Positions are those of the dice in order, the lowest last; 1 is thrown again.")
    return found


def _notes_on_conditions(rules: RuleList) -> list[str]:
    """What the words of conditions mean where they could mean two things."""
    conditions = [condition for rule in rules.all_rules for condition in rule.conditions]
    seen = {condition.feature for condition in conditions}
    # Conditions that nothing at all meets too: "3 or lower" of something that is not there.
    or_less = {condition.feature for condition in conditions if condition.low == 0 < condition.high}
    found = []
    if any(name.startswith("points_") for name in seen):
        found.append("A filled box would score nothing.")
    if "pace" in seen:
        found.append("Three of each: three times every upper face that is filled, the way to the bonus.")
    if any(name.startswith("shape_") for name in seen):
        found.append("Your most frequent face, in a condition: of equals one whose box is open, then the highest.")
    if seen & {"open_face", "open_count"}:
        found.append(
            "Your most frequent open face: of the faces whose upper box is open, the one with most dice, the "
            "highest of equals. Dice for one or any open upper box: how many dice show that face."
        )
    if seen & {"high_pair", "low_pair"}:
        found.append("Three or more alike hold a pair. Your lower pair is there only if you have two.")
    for feature, what in (("high_pair", "highest pair"), ("low_pair", "lower pair"), ("open_face", "open face")):
        if feature in or_less:
            found.append(f"A {what} that is a number or lower: also if there is none.")
    if seen & {"small_run", "large_run"}:
        found.append("Dice of a straight, in a condition: how many of its faces you have.")
    return found


def picture(game: Ruleset, rule: Rule) -> str:
    """Dice that show what a rule is about: digits are faces, `a` and `b` dice alike; may be empty."""
    found = [_picture_of_condition(game, condition) for condition in rule.conditions]
    return next(filter(None, [*found, _picture_of_move(game, rule.move)]), "")


def _picture_of_condition(game: Ruleset, condition: Condition) -> str:
    name, least = condition.feature, condition.low
    group, _, what = name.partition("_")
    found = ""
    if group == "count":
        found = what * least
    elif name in ("largest_count", "shape_count", "open_count") and least > 1:
        found = ALIKE * least
    elif name in ("high_pair", "low_pair") and least:
        found = str(least) * 2
    elif name in ("shape_face", "open_face") and 0 < least == condition.high:
        found = str(least)
    elif group == "has" and least:
        found = picture_of_pattern(game, what)
    elif group == "points" and least:
        face = _face_of_box(game, what)
        found = str(face) * -(-least // face) if face else picture_of_pattern(game, what)
        if set(found) == {ALIKE} and least == condition.high and 0 < least // len(found) <= game.faces:
            found = str(least // len(found)) * len(found)
    return found


def picture_of_pattern(game: Ruleset, name: str) -> str:
    """What a pattern or box looks like."""
    straight = {
        f"{size}_straight": "".join(map(str, straights(game)[category][0]))
        for size, category in named_straights(game).items()
    }
    others = {
        "pair": ALIKE * 2, "one_pair": ALIKE * 2, "two_pairs": ALIKE * 2 + OTHER * 2, "three": ALIKE * 3,
        "three_of_a_kind": ALIKE * 3, "four": ALIKE * 4, "four_of_a_kind": ALIKE * 4,
        "full_house": ALIKE * 3 + OTHER * 2, "yatzy": ALIKE * game.dice,
    }  # fmt: skip
    return (straight | others).get(name, "")


def _picture_of_move(game: Ruleset, move: str) -> str:
    """Only a face that the move names: a pattern would mislead where a box is filled with nothing."""
    for category in range(game.n_categories):
        if move == f"score {game.categories[category].name}":
            return str(_face_of_box(game, box_name(game, category)) or "")
    face = re.fullmatch(r"keep face (\d)|keep the (\d)s", move)
    return (face[1] or face[2]) if face else ""


def _face_of_box(game: Ruleset, box: str) -> int:
    """The face of an upper box, 0 for others."""
    faces = face_of_category(game)
    return next((int(face) for c, face in enumerate(faces) if face and box_name(game, c) == box), 0)


def in_letters(dice: str) -> str:
    """Dice as characters."""
    return "".join({ALIKE: "■", OTHER: "□"}.get(die) or DIE_FACES[int(die) - 1] for die in dice)


def _par_rows(rules: RuleList) -> list[tuple[str, str, str]]:
    """(box, par in reach, par once settled)."""
    if rules.par is None:
        return []
    names = [category.name for category in rules.rules.categories]
    numbers = zip(names, rules.par.in_reach, rules.par.settled, strict=True)
    return [(name, f"{reach:g}", f"{settled:g}") for name, reach, settled in numbers]


PAR_HEADINGS = ("par", "bonus in reach", "bonus safe or lost")


def markdown(rules: RuleList, mean: float, greedy: float, optimum: float) -> str:
    """The card as Markdown."""
    lines = [f"# {rules.name}", "", f"{size(rules)}. {standing(mean, greedy, optimum)}", ""]
    if rules.par:
        lines += [f"| {' | '.join(PAR_HEADINGS)} |", "| --- | ---: | ---: |"]
        lines += [f"| {' | '.join(row)} |" for row in _par_rows(rules)]
        lines.append("")
    for section in sections(rules):
        lines += [f"## {section.title}", "", section.note, ""]
        for number, rule in enumerate(section.rules, start=1):
            lines.append(f"{number}. {rule_text(rules.rules, rule)}")
        if section.otherwise:
            lines += ["", f"Otherwise, {section.otherwise}."]
        lines.append("")
    lines += [f"- {note}" for note in notes(rules)]
    return "\n".join(lines) + "\n"


def terminal(rules: RuleList, mean: float, greedy: float, optimum: float) -> "RenderableType":
    """The card for Rich to print."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    parts: list[RenderableType] = [
        Text(rules.name, "bold"),
        Text(f"{size(rules)}. {standing(mean, greedy, optimum)}"),
    ]
    if rules.par:
        par = Table(box=None)
        for heading in PAR_HEADINGS:
            par.add_column(heading, justify="left" if heading == PAR_HEADINGS[0] else "right")
        for row in _par_rows(rules):
            par.add_row(*row)
        parts.append(Padding(par, (1, 0, 0, 0)))
    for section in sections(rules):
        parts.append(Padding(Text.assemble((section.title, "bold green"), f"  {section.note}"), (1, 0, 0, 0)))
        view = Table(box=None, show_header=False, padding=(0, 1))
        view.add_column(justify="right", style="dim")
        view.add_column()
        view.add_column()
        for number, rule in enumerate(section.rules, start=1):
            text = Text(_condition_part(rules.rules, rule)).append(f"{rule.move}.", "bold")
            view.add_row(str(number), in_letters(picture(rules.rules, rule)), text)
        if section.otherwise:
            view.add_row("", "", Text("Otherwise, ").append(f"{section.otherwise}.", "bold"))
        parts.append(view)
    parts.append(Padding(Text("\n".join(notes(rules)), "dim"), (1, 0, 0, 0)))
    return Group(*parts)


def _condition_part(game: Ruleset, rule: Rule) -> str:
    """A rule's words up to its move."""
    return rule_text(game, rule).removesuffix(f"{rule.move}.")


def html(rules: RuleList, mean: float, greedy: float, optimum: float) -> str:
    """The card as a page of its own."""
    return page(f"{rules.name}: Yatzy in {size(rules)}", article(rules, mean, greedy, optimum), "card.css")


def page(title: str, body: str, *styles: str) -> str:
    """A page that prints on A4, reads on a phone and needs no other file; `styles` lie beside this module."""
    style = "".join("\n" + (files("yatzy.players") / name).read_text() for name in styles)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def article(rules: RuleList, mean: float, greedy: float, optimum: float) -> str:
    """The card as part of another page, which brings `card.css` or a style of its own."""
    density = "short" if rules.n_rules <= 25 else "middle" if rules.n_rules <= 60 else "long"
    body = [_par_html(rules), *(_section_html(rules.rules, section) for section in sections(rules))]
    small = "".join(f"<li>{escape(note)}</li>" for note in notes(rules))
    return (
        f'<article class="card {density}">\n<header><h1>{escape(rules.name)}</h1>'
        f"<p>{escape(size(rules))}. {escape(standing(mean, greedy, optimum))}</p>"
        f"{scale_html(mean, greedy, optimum)}</header>\n"
        f'<div class="columns">\n{"".join(body)}</div>\n<ul class="notes">{small}</ul>\n</article>'
    )


def _section_html(game: Ruleset, section: CardSection) -> str:
    items = []
    for rule in section.rules:
        words = f"{escape(_condition_part(game, rule))}<b>{escape(rule.move)}.</b>"
        items.append(f"<li><span>{words}</span>{draw_dice(picture(game, rule))}</li>")
    end = f'<p class="otherwise">Otherwise, <b>{escape(section.otherwise)}.</b></p>' if section.otherwise else ""
    listed = f"<ol>\n{chr(10).join(items)}\n</ol>\n" if items else ""
    head = f'<h2>{escape(section.title)}</h2><p class="note">{escape(section.note)}</p>'
    return f"<section>{head}\n{listed}{end}</section>\n"


def _par_html(rules: RuleList) -> str:
    if rules.par is None:
        return ""
    head = "".join(f"<th>{heading}</th>" for heading in PAR_HEADINGS)
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{a}</td><td>{b}</td></tr>\n" for name, a, b in _par_rows(rules)
    )
    return f'<table class="par"><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table>\n'


def scale_html(mean: float, greedy: float, optimum: float, what: str = "this card") -> str:
    """A line from play for the most points to perfect play, with the list on it."""
    share = min(max((mean - greedy) / (optimum - greedy), 0.0), 1.0)
    at = 20 + 560 * share
    # Close to an end, the list's own label moves inwards.
    anchor = "end" if share > 0.8 else "start" if share < 0.2 else "middle"
    said = escape(standing(mean, greedy, optimum))
    return (
        f'<svg class="scale" viewBox="0 0 600 60" role="img" aria-label="{said}">'
        '<line class="all" x1="20" x2="580" y1="30" y2="30"/>'
        f'<line class="reached" x1="20" x2="{at:.1f}" y1="30" y2="30"/>'
        f'<circle class="end" cx="20" cy="30" r="4"/><circle class="end" cx="580" cy="30" r="4"/>'
        f'<rect class="here" x="{at - 5:.1f}" y="25" width="10" height="10" rx="2"/>'
        f'<text x="16" y="53">most points every turn {greedy:.1f}</text>'
        f'<text x="584" y="53" text-anchor="end">perfect play {optimum:.1f}</text>'
        f'<text class="mine" x="{at:.1f}" y="17" text-anchor="{anchor}">{what} {mean:.1f}</text></svg>'
    )


# Where the pips of each face are on a die 20 units wide; the page's scripts read them too (`site.tables`).
NEAR, MIDDLE, FAR = 5.6, 10, 14.4
PIPS: dict[str, list[tuple[float, float]]] = {
    "1": [(MIDDLE, MIDDLE)],
    "2": [(NEAR, NEAR), (FAR, FAR)],
    "3": [(NEAR, NEAR), (MIDDLE, MIDDLE), (FAR, FAR)],
    "4": [(NEAR, NEAR), (FAR, NEAR), (NEAR, FAR), (FAR, FAR)],
    "5": [(NEAR, NEAR), (FAR, NEAR), (MIDDLE, MIDDLE), (NEAR, FAR), (FAR, FAR)],
    "6": [(NEAR, 5), (FAR, 5), (NEAR, MIDDLE), (FAR, MIDDLE), (NEAR, 15), (FAR, 15)],
}


def draw_die(face: str, style: str = "die") -> str:
    """One die; without pips where the face is none."""
    pips = "".join(f'<circle cx="{x:g}" cy="{y:g}" r="1.9"/>' for x, y in PIPS.get(face, ()))
    box = '<rect x="1" y="1" width="18" height="18" rx="4"/>'
    return f'<svg class="{style}" viewBox="0 0 20 20" aria-hidden="true">{box}{pips}</svg>'


def draw_dice(dice: str) -> str:
    """Dice drawn inline; they only repeat what the sentence beside them says."""
    if not dice:
        return ""
    drawn = [draw_die(die, {ALIKE: "die alike", OTHER: "die other"}.get(die, "die")) for die in dice]
    return f'<span class="dice" aria-hidden="true">{"".join(drawn)}</span>'
