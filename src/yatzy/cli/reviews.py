"""A review at the terminal: the sums, the biggest mistakes, and every decision in a line."""

from rich.console import Group
from rich.table import Table
from rich.text import Text

from yatzy.cli.console import counted
from yatzy.cli.drawing import FELT, LOSS, MUTED
from yatzy.coach.review import Decision, Review
from yatzy.game.action import NOTHING, Action, Keep
from yatzy.game.log import GameLog
from yatzy.rules import format_dice


def describe_mistake(decision: Decision) -> str:
    """What a decision lost, in terms of its goal, with the points beside it."""
    judged = decision.goal
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
    for mistake in found.mistakes:
        dice = f"{format_dice(sorted(mistake.dice))} with {counted(mistake.rerolls, 'reroll')}"
        lines.append(Text(f"turn {mistake.turn}, {dice}: you {_past(mistake.played)}", style=LOSS))
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
        perfect = _so_far(found.replay.log, found.replay.value_left)
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
            str(decision.turn) if is_first else "",
            format_dice(decision.dice),
            f"{decision.luck:+.1f}",
            str(decision.played),
            _lost(decision) if better else "",
            Text(better, style=LOSS if decision.word in ("mistake", "blunder") else MUTED),
        )
    return view


def _lost(decision: Decision) -> str:
    judged = decision.goal
    return f"{judged.lost:.1%}" if judged and judged.aim.is_chance else f"{decision.weight:.1f}"


def _past(action: Action) -> str:
    if isinstance(action, Keep):
        return f"kept {format_dice(action.dice) or NOTHING}"
    return f"scored {action.category}"
