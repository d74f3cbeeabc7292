"""One situation at the terminal, and what somebody would do in it: for the profile's quiz and for practice."""

from collections.abc import Callable

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from yatzy.cli.console import counted
from yatzy.cli.drawing import FELT, LOSS, draw_dice, draw_state, read_box
from yatzy.errors import YatzyError
from yatzy.game.action import Action, Keep, Score
from yatzy.game.log import outcome_in, take_out
from yatzy.game.situation import Situation
from yatzy.rules import Ruleset, format_category, format_dice, parse_dice

HELP = """33    hold two threes and throw the others
-     hold nothing
g     score in the box with that letter (or name)
Enter skip this one
q     leave; what was answered counts"""


def read_action(rules: Ruleset, at: Situation, typed: str) -> Action:
    """What was typed, if it can be done. All dice may be held: what that means is for the one who asks."""
    if typed == "-" or set(typed) <= set("0123456789 ,"):
        keep = parse_dice(rules, "" if typed == "-" else typed, at_most=True)
        if not at.rerolls:
            raise YatzyError("rerolls", why="none are left; score the dice in an open box")
        if take_out(at.dice, keep) is None:
            raise YatzyError("keep", format_dice(keep), why=f"is not part of {format_dice(at.dice)!r}")
        return Keep(keep)
    category_id = read_box(rules, typed)
    outcome_in(rules, at.state, at.dice, category_id)
    return Score(format_category(rules, category_id))


class Asking:
    """Shows situations and reads choices; `read` gives a typed line for a prompt, and may raise EOFError."""

    def __init__(self, console: Console, read: Callable[[str], str], rules: Ruleset) -> None:
        self.console, self.read, self.rules = console, read, rules

    def ask(self, at: Situation, head: str, *told: RenderableType) -> Action | None:
        """Ask until the answer can be understood; None is skipped, EOFError that of somebody who leaves."""
        beside: list[RenderableType] = list(told)
        while True:
            self._show(at, head, beside)
            typed = self.read("What would you do [?]: ").strip().lower()
            if typed in ("q", "quit"):
                raise EOFError
            try:
                if typed not in ("?", "help"):
                    return read_action(self.rules, at, typed) if typed else None
                beside = [Text(HELP)]
            except YatzyError as error:
                beside = [Text(str(error), style=LOSS)]

    def _show(self, at: Situation, head: str, beside: list[RenderableType]) -> None:
        left = counted(at.rerolls, "reroll")
        right = Group(
            Text(head, style=FELT), draw_dice(at.dice), Text(f"{left} left" if at.rerolls else "no reroll left"),
            *beside,
        )  # fmt: skip
        view = Table.grid(padding=(0, 1))
        view.add_row(draw_state(self.rules, at.state, at.dice), right)
        if self.console.is_terminal:
            self.console.clear()
        self.console.print(view)
