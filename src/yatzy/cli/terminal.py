"""The coach at the terminal: the table and the card drawn with Rich, and a game played by typing.

33        hold two threes and throw the other dice          -   hold nothing
g         score in the box with that letter (or its name)
h hint    z undo    ? help    q quit              Enter throws all dice at the start of a turn; with real dice,
                                                  type what they show
"""

from collections.abc import Callable
from datetime import datetime
from secrets import randbits

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from yatzy.cli.console import counted
from yatzy.coach.advice import Advice, Coach
from yatzy.coach.aims import Aim, Card
from yatzy.coach.by_chance import ByChance, ChanceAdvice
from yatzy.coach.game import Game, hold_faces
from yatzy.coach.log import Dice, GameLog, take_out
from yatzy.coach.review import Decision, Review
from yatzy.coach.throws import SeededDice
from yatzy.coach.words import CHANCE_TIE, chance_lead_word, loss_word
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, format_category, format_dice, parse_category, parse_dice
from yatzy.rules.ruleset import normalise
from yatzy.turn.outcomes import outcomes

HINTS = ("off", "ask", "always")
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
HELP = __doc__.partition("\n\n")[2].rstrip() if __doc__ else ""


def check_hints(hints: str) -> None:
    if hints not in HINTS:
        raise YatzyError(f"hints: {hints!r} is not known; allowed are {', '.join(HINTS)}")


def draw_dice(dice: Dice) -> Text:
    """Five lines, the dice side by side."""
    faces = [PIPS.get(die, ("     ", f"{die:^5}", "     ")) for die in dice]
    lines = [" ".join("╭───────╮" for _ in faces)]
    lines += [" ".join(f"│ {face[row]} │" for face in faces) for row in range(3)]
    lines += [" ".join("╰───────╯" for _ in faces)]
    return Text("\n".join(lines))


def draw_card(game: Game) -> Table:
    """What is filled, and in grey what the dice would score."""
    rules = game.rules
    view = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    in_box = [points - extra for points, extra in zip(game.card.points, game.card.extras, strict=True)]
    filled = {turn.category: points for turn, points in zip(game.turns, in_box, strict=True)}
    for category_id, category in enumerate(rules.categories):
        letter = Text(LETTERS[category_id], style=MUTED)
        if category_id in filled:
            view.add_row("", category.name, Text(str(filled[category_id]), style="bold"))
        elif not game.is_open(category_id):
            view.add_row("", Text(category.name, style=MUTED), Text("-", style=MUTED))
        else:
            view.add_row(letter, category.name, Text(_would_score(game, category_id), style=MUTED))
    upper = sum(points for c, points in filled.items() if rules.categories[c].upper)
    if rules.bonus:
        view.add_row("", Text("upper", style=MUTED), Text(f"{upper} of {rules.bonus_threshold}", style=MUTED))
    if outcomes(rules).extra.any():
        view.add_row("", Text("extra", style=MUTED), Text(str(sum(game.card.extras)), style=MUTED))
    view.add_row("", Text("total", style=GOLD), Text(str(game.card.score), style=f"bold {GOLD}"))
    return view


def _would_score(game: Game, category_id: int) -> str:
    """What the dice on the table would bring, with what is not written into the box behind a plus."""
    if not game.dice:
        return "·"
    points, extra = game.points(category_id), game.extra(category_id)
    return f"({points - extra} + {extra})" if extra else f"({points})"


def describe_loss(regret: float) -> str:
    """What an action costs, in points with one decimal."""
    if loss_word(regret) == "perfect":
        return "best"
    return f"costs {regret:.1f} points" if regret >= 0.05 else "costs next to nothing"


def draw_advice(advice: Advice, best: int = 3) -> Group:
    """The best actions in one line each."""
    lines = [Text(f"{advice.lead}:", style=FELT)]
    for action in advice.actions[:best]:
        told = f"  {action.action:<28}{action.value:8.1f}  {describe_loss(action.regret)}"
        if action.detail and action.detail.bonus_chance is not None and action.detail.bonus_chance < 1:
            told += f", bonus {action.detail.bonus_chance:.0%}"
        lines.append(Text(told))
    return Group(*lines)


def draw_chances(advice: ChanceAdvice, aim: Aim, mine: Card, best: int = 3) -> Group:
    """The best actions for a target in one line each: the chance, and what they are worth in points beside it."""
    need = max((aim.target or 0) - mine.points, 0)
    head = f"for {aim.target}, {need} more to come: {chance_lead_word(advice.lead)}"
    lines = [Text(head, style=FELT)]
    for action in advice.actions[:best]:
        lost = advice.chance - action.chance
        cost = f"costs {lost:.1%} of your chance" if lost > CHANCE_TIE else "best"
        lines.append(
            Text(f"  {action.action:<28}{action.chance:8.1%}  {cost} ({action.value:.1f} points to come)")
        )
    return Group(*lines)


def describe_mistake(decision: Decision) -> str:
    """What a decision lost, in terms of its goal, with the points beside it."""
    judged = decision.judged
    if judged is None:
        return f"was better by {decision.regret:.1f} points"
    points = f"{decision.regret:.1f} points for the mean"
    if judged.aim.theta:
        return f"was better by {judged.lost:.1f} points at risk {judged.aim.theta:g} ({points})"
    wanted = "winning" if judged.aim.target is None else str(judged.aim.target)
    return f"was better: yours cost {judged.lost:.1%} of your chance of {wanted} ({points})"


def draw_review(found: Review) -> Group:
    """The sums, the biggest mistakes, and the same dice played perfectly."""
    log = found.log
    end = _so_far(log, found.value_left)
    sums = f"{found.start_value:.1f} expected {found.luck:+.1f} luck {-found.lost:+.1f} lost by decisions = {end}"
    words = ", ".join(f"{n} {word}" for word, n in found.words.items() if n)
    lines = [Text(sums, style="bold"), Text(f"decisions: {words or 'none'}")]
    for mistake in found.biggest:
        dice = f"{format_dice(sorted(mistake.dice))} with {counted(mistake.rerolls, 'reroll')}"
        lines.append(Text(f"turn {mistake.turn + 1}, {dice}: you {_past(mistake.played)}", style=LOSS))
        lines.append(Text(f"    {mistake.best} {describe_mistake(mistake)} ({mistake.word})"))
        if mistake.card:
            agrees = (
                "the card says so too"
                if mistake.card.action == mistake.best
                else f"the card: {mistake.card.action}"
            )
            lines.append(
                Text(f"    {agrees}{f' ({mistake.card.rule})' if mistake.card.rule else ''}", style=MUTED)
            )
    if found.decisions and all(decision.card is None for decision in found.decisions):
        lines.append(Text("the card of rules is for plain scandinavian, so it is not asked here", style=MUTED))
    if log.turns:
        perfect = _so_far(found.replay, found.replay_value_left)
        lines.append(Text(f"the same dice played perfectly: {perfect}", style=FELT))
    return Group(*lines)


def _so_far(log: GameLog, value_left: float) -> str:
    """What a game has, and what it can still expect."""
    return f"{log.score} points" + ("" if log.is_finished else f" and {value_left:.1f} to come")


def draw_decisions(found: Review) -> Table:
    """Every decision in one line."""
    view = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("turn", "dice", "luck", "played", "lost", ""):
        view.add_column(heading, justify="right" if heading in ("turn", "luck", "lost") else "left")
    last = -1
    for decision in found.decisions:
        is_first, last = decision.turn != last, decision.turn
        better = "" if decision.word == "perfect" else f"{decision.word}; better: {decision.best}"
        view.add_row(
            str(decision.turn + 1) if is_first else "",
            format_dice(decision.dice),
            f"{decision.luck:+.1f}",
            decision.played,
            _lost(decision) if better else "",
            Text(better, style=LOSS if decision.word in ("mistake", "blunder") else MUTED),
        )
    return view


def _lost(decision: Decision) -> str:
    judged = decision.judged
    return f"{judged.lost:.1%}" if judged and judged.aim.is_chance else f"{decision.weight:.1f}"


def _past(action: str) -> str:
    verb, _, rest = action.partition(" ")
    return f"{'kept' if verb == 'keep' else 'scored'} {rest}"


class TerminalGame:
    """One game at the terminal; `read` gives a typed line for a prompt, and may raise EOFError."""

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
        resumed: GameLog | None = None,
    ) -> None:
        """`aim` is what is played for, with `chances` for its hints; without it, the mean.

        A `resumed` game goes on after its last turn, with the dice of its own seed.
        """
        check_hints(hints)
        self.aim, self.chances = aim, chances
        self.coach, self.console, self.read, self.hints = coach, console, read, hints
        self.rules: Ruleset = coach.rules
        number = 0
        if resumed is not None and resumed.seed is not None:
            seed, number = resumed.seed, resumed.game or 0
        self.source = None if entered else SeededDice(self.rules, randbits(53) if seed is None else seed, number)
        self.game = Game(self.rules, aim=aim, turns=resumed.turns if resumed else ())
        # What to show beside the card when it is drawn next, on a screen that is drawn over.
        self._told: list[RenderableType] = []

    def play(self, player: str | None = None) -> GameLog:
        """Play until the card is full or the player leaves; the log of what was played."""
        began = datetime.now().astimezone().isoformat(timespec="seconds")
        try:
            while not self.game.is_finished:
                self._step()
        except (EOFError, KeyboardInterrupt):
            self.console.print("")
        if self.console.is_terminal and self.game.is_finished:
            self._show()
        return self.game.log(self.source, player, began)

    def _step(self) -> None:
        """Show where the game stands, and do what is typed."""
        if self.game.dice:
            table: list[RenderableType] = [draw_dice(self.game.dice)]
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
            typed = self._ask(f"Turn {len(self.game.turns) + 1}.{throws} Enter throws [?]: ")
        try:
            self._do(typed)
        except YatzyError as error:
            self._tell(Text(str(error), style=LOSS))

    def _show(self, *table: RenderableType) -> None:
        """The card and what lies on the table: drawn over the last one on a terminal, below it elsewhere."""
        if not self.console.is_terminal:
            self.console.print(draw_card(self.game), *table)
            return
        self.console.clear()
        view = Table.grid(padding=(0, 1))
        view.add_row(draw_card(self.game), Group(*table, *self._told))
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
            if typed and self.source is None:
                self.game = self.game.throw(self._read_dice(typed, self.rules.dice))
                return
            if typed:
                raise YatzyError(f"{typed!r} is not understood; Enter throws, ? is for help")
            self.game = self.game.throw(self._thrown(self.rules.dice))
        elif typed == "-" or (typed and set(typed) <= set("0123456789 ,")):
            self._throw("" if typed == "-" else typed)
        elif typed:
            self.game = self.game.score(self._category(typed))

    def _throw(self, typed: str) -> None:
        keep = parse_dice(self.rules, typed, at_most=True)
        if take_out(self.game.dice, keep) is None:
            raise YatzyError(f"keep: {format_dice(keep)!r} is not part of {format_dice(sorted(self.game.dice))!r}")
        held = hold_faces(self.game.dice, keep)
        if all(held):
            raise YatzyError("keep: all dice are held; score them, or let one go")
        if not self.game.rerolls:
            raise YatzyError("rerolls: none are left; score the dice in an open box")
        self.game = self.game.throw(self._thrown(held.count(False)), held)

    def _thrown(self, n: int) -> Dice:
        """Dice from the source, or as the player reads them from the table."""
        if self.source is not None:
            return self.source.throw(len(self.game.turns), len(self.game.rolls), n)
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
            raise YatzyError(f"dice: {typed!r} has {len(dice)} dice; you threw {n}")
        return dice

    def _category(self, typed: str) -> int:
        letters = LETTERS[: self.rules.n_categories]
        if typed in letters:
            return letters.index(typed)
        begun = [
            c for c in range(self.rules.n_categories)
            if normalise(format_category(self.rules, c)).startswith(normalise(typed)) and normalise(typed)
        ]  # fmt: skip
        return begun[0] if len(begun) == 1 else parse_category(self.rules, typed)

    def _undo(self) -> None:
        """Scores can be taken back until the next throw; throws only if the dice are real and were mistyped."""
        if self.game.dice and self.source is not None:
            raise YatzyError("undo: the dice have fallen; a score can be taken back until the next throw")
        self.game = self.game.undo()

    def _advice(self) -> RenderableType:
        if self.hints == "off":
            raise YatzyError("hint: hints are off in this game")
        if not self.game.dice:
            raise YatzyError("hint: throw first")
        game = self.game
        if self.aim and self.chances:
            mine = Card(game.state, sum(game.card.points))
            found = self.chances.advise(self.aim, self.coach.table, game.dice, game.rerolls, mine)
            return draw_chances(found, self.aim, mine)
        return draw_advice(self.coach.advise(game.dice, game.rerolls, game.state))

    def _ask(self, prompt: str) -> str:
        return self.read(prompt).strip().lower()
