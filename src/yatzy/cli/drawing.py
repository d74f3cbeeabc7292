"""What is drawn at the terminal, with Rich: dice, cards of one or several players, advice and its reason.

A screen is 80 x 24: the card stands on the left, and what goes beside it is as wide as the card leaves room for.
"""

from collections.abc import Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from yatzy.coach.reasons import reason_of
from yatzy.game.action import Score
from yatzy.game.game import Game
from yatzy.game.log import open_boxes
from yatzy.game.words import CHANCE_TIE, loss_word
from yatzy.rules import Dice, Ruleset, State, format_category, parse_category
from yatzy.rules.ruleset import normalise
from yatzy.solver.advise import Advice
from yatzy.turn.outcomes import outcomes

# Without h and q, which are commands, and z, which is undo; there are never more boxes than letters and signs.
LETTERS = "abcdefgijklmnoprstuvwxy*"
FELT, LOSS, MUTED, GOLD = "#4FB08C", "#E07A6B", "#9AA0A3", "#E0B75A"
PIPS = {
    1: ("     ", "  ●  ", "     "),
    2: ("●    ", "     ", "    ●"),
    3: ("●    ", "  ●  ", "    ●"),
    4: ("●   ●", "     ", "●   ●"),
    5: ("●   ●", "  ●  ", "●   ●"),
    6: ("●   ●", "●   ●", "●   ●"),
}
# From this many cards on, dice are drawn small.
MANY = 3
LONGEST_NAME, LONGEST_OF_MANY = 10, 5


def read_box(rules: Ruleset, typed: str) -> int:
    """The category of a letter, a name, or the beginning of just one name."""
    letters = LETTERS[: rules.n_categories]
    if typed in letters:
        return letters.index(typed)
    begun = [
        c for c in range(rules.n_categories)
        if normalise(format_category(rules, c)).startswith(normalise(typed)) and normalise(typed)
    ]  # fmt: skip
    return begun[0] if len(begun) == 1 else parse_category(rules, typed)


def draw_dice(dice: Dice, small: bool = False) -> Text:
    """The dice side by side, with pips in five lines, or small with numbers in three."""
    if small:
        rows = ("".join("╭───╮" for _ in dice), "".join(f"│{die:^3}│" for die in dice))
        return Text("\n".join((*rows, "".join("╰───╯" for _ in dice))))
    faces = [PIPS.get(die, ("     ", f"{die:^5}", "     ")) for die in dice]
    lines = [" ".join("╭───────╮" for _ in faces)]
    lines += [" ".join(f"│ {face[row]} │" for face in faces) for row in range(3)]
    lines += [" ".join("╰───────╯" for _ in faces)]
    return Text("\n".join(lines))


def draw_cards(games: Sequence[Game], names: Sequence[str] = (), at: int = 0) -> Table:
    """A column for each player; letters and possible scores are those of the player whose turn it is."""
    rules = games[at].rules
    view = Table(box=None, padding=(0, 1 if names else 2, 0, 0), pad_edge=False, show_header=bool(names))
    view.add_column("")
    view.add_column("", no_wrap=True)
    longest = LONGEST_NAME if len(games) < MANY else LONGEST_OF_MANY
    for number, name in enumerate(names or ("",)):
        style = f"bold {GOLD}" if number == at else MUTED
        shown = Text(name[:longest], style=style)
        view.add_column(shown, justify="right" if names else "left", no_wrap=True, min_width=4 if names else None)
    cards = [game.card for game in games]
    now = games[at]
    brings = {score.category: _would_score(score) for score in now.scores}
    for category_id, (box, filled) in enumerate(cards[at].items()):
        is_open = box in now.open
        letter = LETTERS[category_id] if is_open else ""
        label = Text(rules.categories[category_id].name, style=MUTED if filled is None and not is_open else "")
        cells = [_cell(card[box], "·") for card in cards]
        cells[at] = _cell(filled, brings.get(box, "·" if is_open else "-"))
        view.add_row(Text(letter, style=MUTED), label, *cells)
    for row, style, sums in _sums(rules, games, bool(names)):
        view.add_row("", Text(row, style=style), *(Text(one, style=style) for one in sums))
    return view


def _cell(points: int | None, otherwise: str) -> Text:
    return Text(otherwise, style=MUTED) if points is None else Text(str(points), style="bold")


def _sums(rules: Ruleset, games: Sequence[Game], is_narrow: bool) -> list[tuple[str, str, list[str]]]:
    """The rows below the boxes: a label, its style, and a text for each player."""
    rows = []
    if rules.bonus:
        uppers = [sum(points or 0 for points in _upper_boxes(game)) for game in games]
        needed = "" if is_narrow else f" of {rules.bonus_threshold}"
        rows.append(("upper", MUTED, [f"{upper}{needed}" for upper in uppers]))
        if all(game.is_finished for game in games):
            rows.append(("bonus", MUTED, [str(game.so_far.bonus) for game in games]))
    if outcomes(rules).extra.any():
        rows.append(("extra", MUTED, [str(sum(game.so_far.extras)) for game in games]))
    return [*rows, ("total", f"bold {GOLD}", [str(game.total) for game in games])]


def _upper_boxes(game: Game) -> list[int | None]:
    in_order = zip(game.rules.categories, game.card.values(), strict=True)
    return [points for category, points in in_order if category.upper]


def _would_score(score: Score) -> str:
    """What the dice on the table would bring, with what is not written into the box behind a plus."""
    points = score.points or 0
    return f"({points - score.extra} + {score.extra})" if score.extra else f"({points})"


def draw_state(rules: Ruleset, state: State, dice: Dice) -> Table:
    """A card of which only the state is known: filled boxes are crossed, open ones say what they would score."""
    view = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    allowed = open_boxes(rules, state, dice)
    points = outcomes(rules).points
    for category_id, category in enumerate(rules.categories):
        if category_id in allowed:
            worth = Text(f"({points[allowed[category_id]]})", style=MUTED)
            view.add_row(Text(LETTERS[category_id], style=MUTED), category.name, worth)
        else:
            view.add_row("", Text(category.name, style=MUTED), Text("filled", style=MUTED))
    if rules.bonus:
        more = " or more" if state.upper >= rules.bonus_threshold else ""
        view.add_row("", Text("upper", style=GOLD), Text(f"{state.upper}{more} of {rules.bonus_threshold}"))
    return view


def describe_loss(regret: float) -> str:
    """What an action costs, in points with one decimal; less than half of one is not worth a thought."""
    if loss_word(regret) == "perfect":
        return "best"
    return f"costs {regret:.1f}" if regret >= 0.05 else "as good"


def draw_advice(advice: Advice, best: int = 3, small: bool = False) -> Group:
    """The best actions in a line each, in two where there is little room, and why the first is the first."""
    lines = [Text(f"{advice.lead}:", style=FELT)]
    for action in advice.actions[:best]:
        told = describe_loss(action.regret)
        if action.bonus_chance is not None and action.bonus_chance < 1:
            told += f", bonus {action.bonus_chance:.0%}"
        if small:
            lines += [Text(f"  {action.action}"), Text(f"   {action.value:.1f} {told}")]
        else:
            lines.append(Text(f"  {action.action!s:<21}{action.value:6.1f}  {told}"))
    return Group(*lines, Text(reason_of(advice), style=MUTED))


def draw_chances(advice: Advice, best: int = 3) -> Group:
    """The best actions for a target in one line each: the chance, and what they are worth in points beside it."""
    head = f"for {advice.target}, {advice.need} more to come: {advice.lead}"
    lines = [Text(head, style=FELT)]
    for action in advice.actions[:best]:
        lost = advice[0].worth - action.worth
        cost = f"costs {lost:.1%} of your chance" if lost > CHANCE_TIE else "best"
        lines.append(
            Text(f"  {action.action!s:<20}{action.worth:7.1%}  {cost} ({action.value:.1f} points to come)")
        )
    return Group(*lines)
