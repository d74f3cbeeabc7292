"""The terminal, drawn with Rich: dice, cards, advice and plots, and the prompts of a game, a quiz and practice.

A screen is 80 x 24 characters: the card stands on the left, and everything else uses the width that is left.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from secrets import randbits

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from yatzy.arrays import FloatArray
from yatzy.cli.console import FELT, LOSS, MUTED, counted
from yatzy.cli.why import describe_given_up, draw_parts, draw_why
from yatzy.coach.advice import Coach, GoalAdvisor
from yatzy.context import Context
from yatzy.errors import YatzyError
from yatzy.game.action import Action, Keep, Score
from yatzy.game.aim import Aim
from yatzy.game.game import Game, SavedGame, whose_turn
from yatzy.game.log import GameLog, check_action, open_boxes
from yatzy.game.situation import Situation
from yatzy.game.start import Start
from yatzy.measure.distribution import Distribution
from yatzy.measure.exact import Evaluation
from yatzy.measure.simulate import play_on
from yatzy.policies.policy import Policy
from yatzy.rules import Dice, Ruleset, State, format_category, format_dice, parse_category, parse_dice
from yatzy.rules.ruleset import normalise
from yatzy.solver.advise import CHANCE_TIE, TIE, Advice, loss_word
from yatzy.turn.outcomes import outcomes

# Without h, q and z, which are commands; no game has more boxes than there are characters here.
LETTERS = "abcdefgijklmnoprstuvwxy*"
GOLD = "#E0B75A"
PIPS = {
    1: ("     ", "  ●  ", "     "),
    2: ("●    ", "     ", "    ●"),
    3: ("●    ", "  ●  ", "    ●"),
    4: ("●   ●", "     ", "●   ●"),
    5: ("●   ●", "  ●  ", "●   ●"),
    6: ("●   ●", "●   ●", "●   ●"),
}
# With this many cards or more, dice are drawn small.
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
    """The dice side by side: with pips in five lines, or small, with numbers, in three."""
    if small:
        rows = ("".join("╭───╮" for _ in dice), "".join(f"│{die:^3}│" for die in dice))
        return Text("\n".join((*rows, "".join("╰───╯" for _ in dice))))
    faces = [PIPS.get(die, ("     ", f"{die:^5}", "     ")) for die in dice]
    lines = [" ".join("╭───────╮" for _ in faces)]
    lines += [" ".join(f"│ {face[row]} │" for face in faces) for row in range(3)]
    lines += [" ".join("╰───────╯" for _ in faces)]
    return Text("\n".join(lines))


def draw_cards(games: Sequence[Game], names: Sequence[str] = (), at: int = 0) -> Table:
    """One column for each player, with letters and possible scores for the player whose turn it is."""
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
        rows.append(("extra", MUTED, [str(game.so_far.extra) for game in games]))
    return [*rows, ("total", f"bold {GOLD}", [str(game.total) for game in games])]


def _upper_boxes(game: Game) -> list[int | None]:
    in_order = zip(game.rules.categories, game.card.values(), strict=True)
    return [points for category, points in in_order if category.upper]


def _would_score(score: Score) -> str:
    """What the dice would score; extra points that are not written into the box follow a plus."""
    points = score.points or 0
    return f"({points - score.extra} + {score.extra})" if score.extra else f"({points})"


def draw_state(rules: Ruleset, state: State, dice: Dice) -> Table:
    """A card of which only the state is known: open boxes show what they would score."""
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
    """What an action costs in points, with one decimal."""
    if loss_word(regret) == "perfect":
        return "best"
    return f"costs {regret:.1f}" if regret >= 0.05 else "as good"


def draw_advice(advice: Advice, best: int = 3, small: bool = False) -> Group:
    """The best actions in a line each (two if `small`)."""
    lines = [Text(f"{advice.lead}:", style=FELT)]
    for action in advice.actions[:best]:
        told = describe_loss(action.regret)
        if action.bonus_chance is not None and action.bonus_chance < 1:
            told += f", bonus {action.bonus_chance:.0%}"
        if small:
            lines += [Text(f"  {action.action}"), Text(f"   {action.value:.1f} {told}")]
        else:
            lines.append(Text(f"  {action.action!s:<21}{action.value:6.1f}  {told}"))
    return Group(*lines)


def draw_chances(advice: Advice, best: int = 3) -> Group:
    """The best actions for a target in a line each: the chance, and the value in points."""
    head = f"for {advice.target}, {advice.need} more to come: {advice.lead}"
    lines = [Text(head, style=FELT)]
    for action in advice.actions[:best]:
        lost = advice[0].worth - action.worth
        cost = f"costs {lost:.1%} of your chance" if lost > CHANCE_TIE else "best"
        lines.append(
            Text(f"  {action.action!s:<20}{action.worth:7.1%}  {cost} ({action.value:.1f} points to come)")
        )
    return Group(*lines)


# Each population always has the same colour, and a shape for those who cannot see it.
POPULATIONS = (
    (0, 0, "no bonus, no Yatzy", "░", "#9AA0A3"),
    (0, 1, "no bonus, Yatzy", "▒", "#E0B75A"),
    (1, 0, "bonus, no Yatzy", "█", "#4FB08C"),
    (1, 1, "bonus and Yatzy", "▓", "#B8A23A"),
)
BIN = 10
WIDTH = 60
# A bar with three numbers before it.
SHORT = 56


def histogram(found: Evaluation) -> None:
    """The score distribution in bins of ten points, divided into its four populations."""
    console = Console()
    d = found.distribution
    first = d.quantile(0.001) // BIN
    last = d.quantile(0.9995) // BIN
    bins = range(first, last + 1)
    tallest = max(float(d.pmf[b * BIN : (b + 1) * BIN].sum()) for b in bins)
    for b in bins:
        line = Text(f"{b * BIN:4d}..{b * BIN + BIN - 1:<4d}")
        drawn, so_far = 0, 0.0
        for bonus, yatzy, _, shape, colour in POPULATIONS:
            so_far += float(found.distributions[bonus][yatzy].pmf[b * BIN : (b + 1) * BIN].sum())
            length = round(so_far / tallest * WIDTH) - drawn
            line.append(shape * length, style=colour)
            drawn += length
        line.append(f" {so_far:.1%}", style="dim")
        console.print(line)
    legend = Text("          ")
    for bonus, yatzy, label, shape, colour in POPULATIONS:
        legend.append(f"{shape} {label} {found.distributions[bonus][yatzy].weight:.1%}   ", style=colour)
    console.print(legend)


def bars(d: Distribution) -> None:
    """A score distribution in bins of ten points."""
    first, last = d.quantile(0.001) // BIN, d.quantile(0.9995) // BIN
    shares = {b: float(d.pmf[b * BIN : (b + 1) * BIN].sum()) for b in range(first, last + 1)}
    tallest, console = max(shares.values()), Console()
    for b, share in shares.items():
        line = Text(f"{b * BIN:4d}..{b * BIN + BIN - 1:<4d}")
        line.append("█" * round(share / tallest * WIDTH), style="#4FB08C").append(f" {share:.1%}", style="dim")
        console.print(line)


def curves(targets: list[int], chances: dict[str, dict[int, float]]) -> None:
    """Two chances by target: a bar as long as the first, with the second marked in it."""
    console = Console(highlight=False)
    (best_name, best), (other_name, other) = chances.items()
    step = max(1, BIN * round(len(targets) / 300) or BIN)
    console.print(Text("target   mean  target", style="dim"))
    for target in [t for t in targets if t % step == 0]:
        length, mark = round(best[target] * SHORT), round(other[target] * SHORT)
        line = Text(f"{target:6d} ")
        line.append(f"{other[target]:6.1%}  {best[target]:6.1%} ", style="dim")
        line.append("█" * min(mark, length), style="#4FB08C")
        line.append("░" * max(length - mark, 0), style="#E0B75A")
        console.print(line)
    legend = Text(" " * 22)
    legend.append(f"█ {other_name}   ", style="#4FB08C").append(f"█░ {best_name}", style="#E0B75A")
    console.print(legend)


def scatter(points: list[tuple[float, float, str]], x_label: str, y_label: str) -> None:
    """Points (x, y, mark) on a grid of characters; the marks are letters or signs of one column."""
    height = 18
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    x_low, x_high, y_low, y_high = min(xs), max(xs), min(ys), max(ys)
    grid = [[" "] * WIDTH for _ in range(height)]
    for x, y, mark in points:
        column = round((x - x_low) / (x_high - x_low or 1) * (WIDTH - 1))
        row = round((y_high - y) / (y_high - y_low or 1) * (height - 1))
        grid[row][column] = mark
    console = Console(highlight=False)
    for i, row_of_marks in enumerate(grid):
        y = y_high - (y_high - y_low) * i / (height - 1)
        label = f"{y:8.1f}" if i % 4 == 0 or i == height - 1 else " " * 8
        console.print(f"{label} │{''.join(row_of_marks)}", markup=False)
    console.print(f"{' ' * 9}└{'─' * WIDTH}")
    console.print(f"{' ' * 10}{x_low:<{WIDTH // 2}.1f}{x_high:>{WIDTH // 2}.1f}")
    console.print(f"{' ' * 10}{x_label} (across), {y_label} (up)")


HINTS = ("off", "ask", "always")
HELP = """33      hold two threes and throw the other dice
-       hold nothing, throw all dice again
g       score in the box with that letter
        (or its name, or how the name begins)
Enter   throw, at the start of a turn; with real
        dice, type what they show
h       a hint, and why
why     the same, box by box
z       take a score back, or mistyped dice
q       leave; nothing is lost with --save"""


def check_hints(hints: str) -> None:
    if hints not in HINTS:
        raise YatzyError("hints", hints, HINTS, "is not known")


@dataclass(frozen=True)
class TypedDice:
    """Real dice: the player types what they show. `ask` returns the line typed at a prompt."""

    rules: Ruleset
    console: Console
    ask: Callable[[str], str]
    scheme: None = None

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
        """The dice, if there are `n` of them."""
        dice = parse_dice(self.rules, typed, at_most=True)
        if len(dice) != n:
            raise YatzyError("dice", typed, why=f"has {len(dice)} dice; you threw {n}")
        return dice


class TerminalGame:
    """A game at the terminal; `read` returns the line typed at a prompt, and may raise EOFError.

    Players share the keyboard and take turns. Each has their own dice, from the seed and their place in the order.
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
        chances: GoalAdvisor | None = None,
        players: Sequence[str | None] = (None,),
        against: Policy | None = None,
        resumed: SavedGame | None = None,
        save: Callable[[SavedGame], object] | None = None,
        warn: float | None = None,
        starts: Sequence[Start | None] = (),
    ) -> None:
        """`aim` is the goal, with `chances` for its hints; the default is the mean. The coach warns of what loses
        `warn` points or more, or percent of the chance.

        `against` is a policy that plays after the players. A `resumed` game keeps its own dice and names. `save`
        is called with the game after every step. `starts` are the cards of all players, if they are not empty.
        """
        check_hints(hints)
        self.aim, self.chances, self.against = aim, chances, against
        self.coach, self.console, self.read, self.hints = coach, console, read, hints
        self.rules: Ruleset = coach.rules
        if resumed is None:
            names = [*players, *([against.name] if against else [])]
            first, now = randbits(53) if seed is None else seed, datetime.now().astimezone()
            date = now.isoformat(timespec="seconds")
            policies = [None] * len(players) + ([against.name] if against else [])
            logs = [
                GameLog(
                    self.rules, (), player=name, date=date, seed=first, game=number, policy=policy, start=start
                )
                for number, (name, policy, start) in enumerate(
                    zip(names, policies, starts or [None] * len(names), strict=True)
                )
            ]
            self.games = [Game.from_log(log) for log in logs]
        else:
            self.games = list(resumed.games)
            entered = entered or resumed.logs[0].seed is None
        # A policy cannot throw real dice: its dice are always drawn.
        people = len(self.games) - (against is not None)
        self.typed = TypedDice(self.rules, console, self._ask) if entered else None
        for number, game in enumerate(self.games):
            self.games[number] = game.with_aim(aim)
            if self.typed and number < people:
                self.games[number] = game.with_aim(aim).with_dice(self.typed)
        self._save, self.warn = save, warn
        self._before: list[list[Game]] = []
        # Shown beside the card when the screen is redrawn.
        self._told: list[RenderableType] = []

    @property
    def at(self) -> int:
        """The number of the player whose turn it is."""
        return whose_turn(self.games)

    @property
    def game(self) -> Game:
        """The game of the player whose turn it is."""
        return self.games[self.at]

    @property
    def table(self) -> SavedGame:
        """The game as it stands, to be saved."""
        return SavedGame(
            tuple(self.games), self.against.name if self.against else None, self.aim.target if self.aim else None
        )

    def play(self) -> tuple[GameLog, ...]:
        """Play until the cards are full or the players leave; returns their logs."""
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
        """Show the game, read a command and carry it out."""
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
        """The cards and the dice; a terminal is cleared first."""
        names = [self._name(i) for i in range(len(self.games))] if len(self.games) > 1 else []
        cards = draw_cards(self.games, names, self.at)
        if not self.console.is_terminal:
            self.console.print(cards, *table)
            return
        self.console.clear()
        view = Table.grid(padding=(0, 1))
        width = Measurement.get(self.console, self.console.options, cards).maximum
        view.add_column(width=width)
        view.add_column(width=max(self.console.width - width - 1, 1))
        view.add_row(cards, Group(*table, *self._told))
        self.console.print(view)
        self._told = []

    def _tell(self, what: RenderableType) -> None:
        """Show a message: beside the card on a terminal, at once elsewhere."""
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
        elif typed == "why":
            self._tell(self._advice(in_full=True))
        elif not self.game.dice:
            if typed and not self.typed:
                raise YatzyError(None, typed, why="is not understood; Enter throws, ? is for help")
            dice = self.typed.parse(typed, self.rules.dice) if self.typed and typed else None
            self._go_on(self.game.throw(dice))
        elif typed == "-" or (typed and set(typed) <= set("0123456789 ,")):
            held = self.game.hold("" if typed == "-" else typed)
            if all(held.holding):
                raise YatzyError("keep", why="all dice are held; score them, or let one go")
            keep = tuple(die for die, stays in zip(held.dice, held.holding, strict=True) if stays)
            if self._goes_on(Keep(tuple(sorted(keep)))):
                self._go_on(self.game.hold(keep).throw())
        elif typed:
            box = format_category(self.rules, read_box(self.rules, typed))
            if self._goes_on(Score(box)):
                self._go_on(self.game.score(box))

    def _goes_on(self, action: Action) -> bool:
        """Whether the player goes on with this: they are asked if it loses `warn` points."""
        if self.warn is None:
            return True
        advice, worth = self._found()
        found = advice.of(action)
        lost = 0.0 if found is None else advice[0].worth - found.worth
        percent = advice.chance is not None
        if lost * (100 if percent else 1) < self.warn - TIE:
            return True
        self.games[self.at] = self.game.warned(action)
        said = f"{lost:.1%} of your chance" if percent else f"{lost:.1f} points"
        self.console.print(
            Text(f"A warning: that loses {said}. {self._given_up(advice, action)}".strip(), style=LOSS)
        )
        prompt = "Enter takes it back, b shows what is best, g goes on: "
        while (typed := self._ask(prompt)) not in ("", "z", "g"):
            if typed in ("q", "quit"):
                raise EOFError
            if typed == "b":
                self.console.print(self._drawn(advice), self._why(advice, worth, action))
        return typed == "g"

    def _given_up(self, advice: Advice, action: Action) -> str:
        if advice.goal != "mean":
            return ""
        try:
            with Context().shown("working out why") as shown:
                return describe_given_up(self.coach.explain(advice, context=shown), action)
        except YatzyError as error:
            return str(error)

    def _go_on(self, game: Game) -> None:
        """Replace the game of the player whose turn it is."""
        self._before.append(list(self.games))
        self.games[self.at] = game

    def _undo(self) -> None:
        """Take back a score until the next throw, or mistyped real dice."""
        if self.game.dice and not self.typed:
            raise YatzyError("undo", why="the dice have fallen; a score can be taken back until the next throw")
        if not self._before:
            raise YatzyError("undo", why="this is the start; there is nothing to take back")
        self.games = self._before.pop()

    def _advice(self, in_full: bool = False) -> RenderableType:
        """A hint with its reason; in full, with the points of each box."""
        if self.hints == "off":
            raise YatzyError("hint", why="hints are off in this game")
        if not self.game.dice:
            raise YatzyError("hint", why="throw first")
        advice, worth = self._found()
        return Group(self._drawn(advice), self._why(advice, worth, in_full=in_full))

    def _found(self) -> tuple[Advice, FloatArray | None]:
        """Every action with the dice on the table, by the goal; for a chance, also what each outcome is worth."""
        game = self.game
        if self.aim and self.chances:
            asked = self.coach.table, game.situation, game.total
            worth = self.chances.worth(self.aim, asked[0], game.state, game.total)
            return self.chances.advise(self.aim, *asked), worth
        return self.coach.advise(game.situation), None

    def _why(
        self, advice: Advice, worth: FloatArray | None, action: Action | None = None, in_full: bool = False
    ) -> RenderableType:
        """Why the best action is better than this one, or than what a player asks about."""
        try:
            with Context().shown("working out why") as shown:
                found = self.coach.explain(advice, worth, shown)
        except YatzyError as error:
            return Text(str(error), style=MUTED)
        return Group(draw_why(found, action), *([draw_parts(found, action)] if in_full else []))

    def _drawn(self, advice: Advice) -> RenderableType:
        is_chance = advice.chance is not None
        return draw_chances(advice) if is_chance else draw_advice(advice, small=len(self.games) >= MANY)

    def _ask(self, prompt: str) -> str:
        return self.read(prompt).strip().lower()


ASK_HELP = """33    hold two threes and throw the others
-     hold nothing
g     score in the box with that letter (or name)
Enter skip this one
q     leave; what was answered counts"""


def read_action(rules: Ruleset, at: Situation, typed: str) -> Action:
    """The action that was typed, if it is possible. Holding all dice is left to the caller."""
    if typed == "-" or set(typed) <= set("0123456789 ,"):
        keep = parse_dice(rules, "" if typed == "-" else typed, at_most=True)
        action: Action = Keep(keep)
    else:
        action = Score(format_category(rules, read_box(rules, typed)))
    if not at.rerolls or action != Keep(at.dice):
        check_action(rules, at.state, at.dice, at.rerolls, action)
    return action


class QuestionPrompt:
    """Shows situations and reads actions; `read` returns the line typed at a prompt, and may raise EOFError."""

    def __init__(self, console: Console, read: Callable[[str], str], rules: Ruleset) -> None:
        self.console, self.read, self.rules = console, read, rules

    def ask(self, at: Situation, head: str, *told: RenderableType) -> Action | None:
        """Ask until the answer is valid; None if skipped, EOFError if the user leaves."""
        beside: list[RenderableType] = list(told)
        while True:
            self._show(at, head, beside)
            typed = self.read("What would you do [?]: ").strip().lower()
            if typed in ("q", "quit"):
                raise EOFError
            try:
                if typed not in ("?", "help"):
                    return read_action(self.rules, at, typed) if typed else None
                beside = [Text(ASK_HELP)]
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
