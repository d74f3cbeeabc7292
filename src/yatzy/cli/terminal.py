"""The coach at the terminal: a game of one or several players, played by typing.

33      hold two threes and throw the other dice
-       hold nothing, throw all dice again
g       score in the box with that letter
        (or its name, or how the name begins)
Enter   throw, at the start of a turn; with real
        dice, type what they show
h       a hint and its reason
z       take a score back, or mistyped dice
q       leave; nothing is lost with --save
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from secrets import randbits

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from yatzy.cli.console import counted
from yatzy.cli.drawing import GOLD, LOSS, MANY, draw_advice, draw_cards, draw_chances, draw_dice, read_box
from yatzy.coach.advice import Coach
from yatzy.coach.by_chance import ByChance
from yatzy.errors import YatzyError
from yatzy.evaluate.play import play_on
from yatzy.game.aim import Aim
from yatzy.game.game import Game
from yatzy.game.log import GameLog
from yatzy.game.saved import SavedGame, whose_turn
from yatzy.policy.base import Policy
from yatzy.rules import Dice, Ruleset, format_dice, parse_dice

HINTS = ("off", "ask", "always")
HELP = __doc__.partition("\n\n")[2].rstrip() if __doc__ else ""


def check_hints(hints: str) -> None:
    if hints not in HINTS:
        raise YatzyError("hints", hints, HINTS, "is not known")


@dataclass(frozen=True)
class TypedDice:
    """Dice on a real table: the player types what they show. `ask` gives a typed line for a prompt."""

    rules: Ruleset
    console: Console
    ask: Callable[[str], str]

    def throw(self, turn: int, throw: int, n: int) -> Dice:
        while True:
            typed = self.ask(f"The {n} dice you threw: " if n > 1 else "The die you threw: ")
            if typed in ("q", "quit"):
                raise EOFError
            try:
                return self.parse(typed, n)
            except YatzyError as error:
                self.console.print(Text(str(error), style=LOSS))

    def parse(self, typed: str, n: int) -> Dice:
        """The dice, if they are so many."""
        dice = parse_dice(self.rules, typed, at_most=True)
        if len(dice) != n:
            raise YatzyError("dice", typed, why=f"has {len(dice)} dice; you threw {n}")
        return dice


class TerminalGame:
    """A game at the terminal; `read` gives a typed line for a prompt, and may raise EOFError.

    Players share the keyboard, one turn each. Each has dice of his own: those of the seed, by the order of the
    players.
    """

    def __init__(
        self,
        coach: Coach,
        console: Console,
        read: Callable[[str], str],
        hints: str = "ask",
        seed: int | None = None,
        entered: bool = False,
        aim: Aim | None = None,
        chances: ByChance | None = None,
        players: Sequence[str | None] = (None,),
        against: Policy | None = None,
        resumed: SavedGame | None = None,
        save: Callable[[SavedGame], object] | None = None,
    ) -> None:
        """`aim` is what is played for, with `chances` for its hints; without it, the mean.

        `against` is a policy that plays after all others. A `resumed` game goes on where it was left, with its own
        dice and its own names. `save` is called with the game after everything that is done.
        """
        check_hints(hints)
        self.aim, self.chances, self.against = aim, chances, against
        self.coach, self.console, self.read, self.hints = coach, console, read, hints
        self.rules: Ruleset = coach.rules
        if resumed is None:
            names = [*players, *([against.name] if against else [])]
            first, now = randbits(53) if seed is None else seed, datetime.now().astimezone()
            date = now.isoformat(timespec="seconds")
            logs = [
                GameLog(self.rules, (), player=name, date=date, seed=first, game=number)
                for number, name in enumerate(names)
            ]
            self.games = [Game.from_log(log) for log in logs]
        else:
            self.games = list(resumed.games)
            entered = entered or resumed.logs[0].seed is None
        # A policy has no hands: its dice are thrown for it, whatever the others throw.
        people = len(self.games) - (against is not None)
        self.typed = TypedDice(self.rules, console, self._ask) if entered else None
        for number, game in enumerate(self.games):
            self.games[number] = game.played_for(aim)
            if self.typed and number < people:
                self.games[number] = game.played_for(aim).with_dice(self.typed)
        self._save = save
        self._before: list[list[Game]] = []
        # What to show beside the card when it is drawn next, on a screen that is drawn over.
        self._told: list[RenderableType] = []

    @property
    def at(self) -> int:
        """Whose turn it is."""
        return whose_turn(self.games)

    @property
    def game(self) -> Game:
        """The game of the player whose turn it is."""
        return self.games[self.at]

    @property
    def table(self) -> SavedGame:
        """As it stands, to be saved."""
        return SavedGame(
            tuple(self.games), self.against.name if self.against else None, self.aim.target if self.aim else None
        )

    def play(self) -> tuple[GameLog, ...]:
        """Play until the cards are full or the players leave; a log for each of them."""
        try:
            while not self.game.is_finished:
                self._step()
        except (EOFError, KeyboardInterrupt):
            self.console.print("")
        if self.game.is_finished:
            self._show()
            if len(self.games) > 1:
                self.console.print(self._result())
        return self.table.logs

    def _step(self) -> None:
        """Show where the game stands, and do what is typed."""
        if self.against and self.at == len(self.games) - 1:
            self._play_policy(self.against)
            return
        whose = f"{self._name(self.at)}, turn" if len(self.games) > 1 else "Turn"
        if self.game.dice:
            table: list[RenderableType] = [draw_dice(self.game.dice, small=len(self.games) >= MANY)]
            if self.game.is_joker:
                table.append(Text("a joker", style=GOLD))
            if self.hints == "always":
                table.append(self._advice())
            self._show(*table)
            typed = self._ask(f"{counted(self.game.rerolls, 'reroll')} left. Hold, or score [?]: ")
        else:
            self._show()
            saved = self.game.state.saved(self.rules)
            throws = f" {self.game.rerolls + 1} throws, {saved} of them saved." if saved else ""
            typed = self._ask(f"{whose} {self.game.turn}.{throws} Enter throws [?]: ")
        try:
            self._do(typed)
        except YatzyError as error:
            self._tell(Text(str(error), style=LOSS))
        if self._save:
            self._save(self.table)

    def _play_policy(self, policy: Policy) -> None:
        """One turn of the policy."""
        played = play_on(self.game, policy, turns=1)
        turn = played.so_far.turns[-1]
        rolls = ", then ".join(format_dice(roll) for roll in turn.rolls)
        self._tell(Text(f"{policy.name} threw {rolls} and scored {played.points[-1]} in {turn.category}."))
        self.games[self.at] = played

    def _name(self, number: int) -> str:
        return self.games[number].so_far.player or f"Player {number + 1}"

    def _result(self) -> Text:
        """Who has won."""
        best = max(game.total for game in self.games)
        names = [self._name(i) for i, game in enumerate(self.games) if game.total == best]
        told = f"{' and '.join(names)} {'win' if len(names) > 1 else 'wins'} with {best} points."
        return Text(told, style=f"bold {GOLD}")

    def _show(self, *table: RenderableType) -> None:
        """The cards and what lies on the table: drawn over the last ones on a terminal, below them elsewhere."""
        names = [self._name(i) for i in range(len(self.games))] if len(self.games) > 1 else []
        cards = draw_cards(self.games, names, self.at)
        if not self.console.is_terminal:
            self.console.print(cards, *table)
            return
        self.console.clear()
        view = Grid.grid(padding=(0, 1))
        width = Measurement.get(self.console, self.console.options, cards).maximum
        view.add_column(width=width)
        view.add_column(width=max(self.console.width - width - 1, 1))
        view.add_row(cards, Group(*table, *self._told))
        self.console.print(view)
        self._told = []

    def _tell(self, what: RenderableType) -> None:
        """An answer: at once, or beside the card where that is drawn over."""
        if self.console.is_terminal:
            self._told.append(what)
        else:
            self.console.print(what)

    def _do(self, typed: str) -> None:
        if typed in ("?", "help"):
            self._tell(Text(HELP))
        elif typed in ("q", "quit"):
            raise EOFError
        elif typed in ("z", "undo"):
            self._undo()
        elif typed in ("h", "hint"):
            self._tell(self._advice())
        elif not self.game.dice:
            if typed and not self.typed:
                raise YatzyError(None, typed, why="is not understood; Enter throws, ? is for help")
            dice = self.typed.parse(typed, self.rules.dice) if self.typed and typed else None
            self._go_on(self.game.throw(dice))
        elif typed == "-" or (typed and set(typed) <= set("0123456789 ,")):
            held = self.game.hold("" if typed == "-" else typed)
            if all(held.holding):
                raise YatzyError("keep", why="all dice are held; score them, or let one go")
            self._go_on(held.throw())
        elif typed:
            self._go_on(self.game.score(self.rules.categories[read_box(self.rules, typed)].name))

    def _go_on(self, game: Game) -> None:
        """Go on after the player whose turn it is has done something."""
        self._before.append(list(self.games))
        self.games[self.at] = game

    def _undo(self) -> None:
        """Scores can be taken back until the next throw; throws only if the dice are real and were mistyped."""
        if self.game.dice and not self.typed:
            raise YatzyError("undo", why="the dice have fallen; a score can be taken back until the next throw")
        if not self._before:
            raise YatzyError("undo", why="this is the start, there is nothing to take back")
        self.games = self._before.pop()

    def _advice(self) -> RenderableType:
        if self.hints == "off":
            raise YatzyError("hint", why="hints are off in this game")
        if not self.game.dice:
            raise YatzyError("hint", why="throw first")
        game = self.game
        here = game.situation
        if self.aim and self.chances:
            return draw_chances(self.chances.advise(self.aim, self.coach.table, here, sum(game.points)))
        return draw_advice(self.coach.advise(here), small=len(self.games) >= MANY)

    def _ask(self, prompt: str) -> str:
        return self.read(prompt).strip().lower()
