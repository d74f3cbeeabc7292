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
from dataclasses import replace
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
from yatzy.coach.game import Game, hold_faces, play_game
from yatzy.coach.saved import Table, whose_turn
from yatzy.errors import YatzyError
from yatzy.game.aim import Aim, Card
from yatzy.game.log import Dice, GameLog, take_out
from yatzy.game.throws import SeededDice
from yatzy.policy.base import Policy
from yatzy.rules import Ruleset, format_category, format_dice, parse_dice

HINTS = ("off", "ask", "always")
HELP = __doc__.partition("\n\n")[2].rstrip() if __doc__ else ""


def check_hints(hints: str) -> None:
    if hints not in HINTS:
        raise YatzyError("hints", hints, HINTS, "is not known")


class TerminalGame:
    """A table at the terminal; `read` gives a typed line for a prompt, and may raise EOFError.

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
        resumed: Table | None = None,
        save: Callable[[Table], object] | None = None,
    ) -> None:
        """`aim` is what is played for, with `chances` for its hints; without it, the mean.

        `against` is a policy that plays after all others. A `resumed` table goes on where it was left, with its
        own dice and its own names. `save` is called with the table after everything that is done.
        """
        check_hints(hints)
        self.aim, self.chances, self.against = aim, chances, against
        self.coach, self.console, self.read, self.hints = coach, console, read, hints
        self.rules: Ruleset = coach.rules
        self.names = [*players, *([against.name] if against else [])]
        self.games = [Game(self.rules, aim=aim) for _ in self.names]
        first = randbits(53) if seed is None else seed
        sources = [SeededDice(self.rules, first, number) for number in range(len(self.names))]
        if resumed is not None:
            self.names = [log.player for log in resumed.logs]
            self.games = list(resumed.games)
            sources = [
                SeededDice(self.rules, first if log.seed is None else log.seed, log.game or 0)
                for log in resumed.logs
            ]
            entered = entered or resumed.logs[0].seed is None
        # A policy has no hands: its dice are thrown for it, whatever the others throw.
        people = len(self.names) - (against is not None)
        self.sources = [None if entered and i < people else source for i, source in enumerate(sources)]
        self._dates = [log.date for log in resumed.logs] if resumed else [_now()] * len(self.names)
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
    def table(self) -> Table:
        """As it stands, to be saved."""
        columns = zip(self.games, self.sources, self.names, self._dates, strict=True)
        logs = tuple(game.log(source, name, date) for game, source, name, date in columns)
        return Table(
            logs,
            tuple(self.games),
            self.against.name if self.against else None,
            self.aim.target if self.aim else None,
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
            throws = f" {self.game.rerolls} throws, {saved} of them saved." if saved else ""
            typed = self._ask(f"{whose} {len(self.game.turns) + 1}.{throws} Enter throws [?]: ")
        try:
            self._do(typed)
        except YatzyError as error:
            self._tell(Text(str(error), style=LOSS))
        if self._save:
            self._save(self.table)

    def _play_policy(self, policy: Policy) -> None:
        """One turn of the policy: its game is played again with the same dice, one turn further."""
        source = self.sources[self.at]
        assert source is not None
        played = play_game(policy, source, len(self.game.turns) + 1)
        turn, points = played.turns[-1], played.card.points[-1]
        rolls = ", then ".join(format_dice(roll) for roll in turn.rolls)
        box = format_category(self.rules, turn.category)
        self._tell(Text(f"{policy.name} threw {rolls} and scored {points} in {box}."))
        self.games[self.at] = played

    def _name(self, number: int) -> str:
        return self.names[number] or f"Player {number + 1}"

    def _result(self) -> Text:
        """Who has won."""
        scores = [game.card.score for game in self.games]
        best = [self._name(i) for i, score in enumerate(scores) if score == max(scores)]
        told = f"{' and '.join(best)} {'win' if len(best) > 1 else 'wins'} with {max(scores)} points."
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
            if typed and self.sources[self.at] is None:
                self._go_on(self.game.throw(self._read_dice(typed, self.rules.dice)))
                return
            if typed:
                raise YatzyError(None, typed, why="is not understood; Enter throws, ? is for help")
            self._go_on(self.game.throw(self._thrown(self.rules.dice)))
        elif typed == "-" or (typed and set(typed) <= set("0123456789 ,")):
            self._throw("" if typed == "-" else typed)
        elif typed:
            self._go_on(self.game.score(read_box(self.rules, typed)))

    def _go_on(self, game: Game) -> None:
        """Go on after the player whose turn it is has done something."""
        self._before.append(list(self.games))
        self.games[self.at] = replace(game, before=None)

    def _throw(self, typed: str) -> None:
        keep = parse_dice(self.rules, typed, at_most=True)
        if take_out(self.game.dice, keep) is None:
            raise YatzyError(
                "keep", format_dice(keep), why=f"is not part of {format_dice(sorted(self.game.dice))!r}"
            )
        held = hold_faces(self.game.dice, keep)
        if all(held):
            raise YatzyError("keep", why="all dice are held; score them, or let one go")
        if not self.game.rerolls:
            raise YatzyError("rerolls", why="none are left; score the dice in an open box")
        self._go_on(self.game.throw(self._thrown(held.count(False)), held))

    def _thrown(self, n: int) -> Dice:
        """Dice from the source, or as the player reads them from the table."""
        source = self.sources[self.at]
        if source is not None:
            return source.throw(len(self.game.turns), len(self.game.rolls), n)
        while True:
            typed = self._ask(f"The {n} dice you threw: " if n > 1 else "The die you threw: ")
            if typed in ("q", "quit"):
                raise EOFError
            try:
                return self._read_dice(typed, n)
            except YatzyError as error:
                self.console.print(Text(str(error), style=LOSS))

    def _read_dice(self, typed: str, n: int) -> Dice:
        dice = parse_dice(self.rules, typed, at_most=True)
        if len(dice) != n:
            raise YatzyError("dice", typed, why=f"has {len(dice)} dice; you threw {n}")
        return dice

    def _undo(self) -> None:
        """Scores can be taken back until the next throw; throws only if the dice are real and were mistyped."""
        if self.game.dice and self.sources[self.at] is not None:
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
        if self.aim and self.chances:
            mine = Card(game.state, sum(game.card.points))
            found = self.chances.advise(self.aim, self.coach.table, game.dice, game.rerolls, mine)
            return draw_chances(found, self.aim, mine)
        return draw_advice(self.coach.advise(game.dice, game.rerolls, game.state), small=len(self.games) >= MANY)

    def _ask(self, prompt: str) -> str:
        return self.read(prompt).strip().lower()


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
