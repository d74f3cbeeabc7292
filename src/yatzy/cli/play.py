"""Commands for players: play, review.

A review at the terminal: the sums, the biggest mistakes, and every decision in a line.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group
from rich.text import Text

from yatzy.cli.console import (
    FELT,
    LOSS,
    MUTED,
    PLAIN,
    Home,
    Json,
    OwnRules,
    Rules,
    Target,
    counted,
    listing,
    notice,
    print_json,
    ranged,
    solved_table,
    working,
)
from yatzy.cli.stdin import may_be_dash
from yatzy.coach.level import published_levels
from yatzy.coach.review import Decision, Judge, Review, card_policy, stored_judge
from yatzy.coach.review import review as review_game
from yatzy.context import MAX_SEED, Context
from yatzy.errors import YatzyError
from yatzy.game.action import NOTHING, Action, Keep
from yatzy.game.aim import make_aim
from yatzy.game.game import SavedGame, read_saved, write_saved
from yatzy.game.json import as_json
from yatzy.game.log import GameLog, check_player, read_logs
from yatzy.game.start import Start
from yatzy.measure.parts import BoxParts
from yatzy.policies.opponents import Opponent
from yatzy.policies.registry import find_policy
from yatzy.rules import Ruleset, format_dice, ruleset
from yatzy.sealed import seal
from yatzy.solver.goal import reach
from yatzy.solver.store import stored_goal
from yatzy.solver.table import ValueTable
from yatzy.storage import check_outputs

if TYPE_CHECKING:
    from rich.console import Console

# What a screen of 80 columns has room for.
MAX_PLAYERS = 6
# Points from which the coach may warn.
WARNINGS = (0.1, 5.0)
Number = Annotated[
    int, typer.Option("--game", min=1, help="The number of the game in a file with several, from 1.")
]


@dataclass(frozen=True)
class GamesPlayed:
    """The logs of several players, in the order of their turns."""

    games: tuple[GameLog, ...]


ANSWERS = {"play": GameLog | GamesPlayed | Review, "review": Review}


def play(
    hints: Annotated[str, typer.Option(help="When to give hints: off, ask (type h) or always.")] = "ask",
    players: Annotated[
        str | None,
        typer.Option("--players", "--player", help="Names of the players in their order, separated by commas."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="An opponent: level-1 (weakest) to level-5, optimal (perfect play), or any of yatzy evaluate."
        ),
    ] = None,
    warn: Annotated[
        float | None,
        typer.Option(
            help="Warn before an action that loses so many points or more, 0.1..5 [default: no warnings]."
        ),
    ] = None,
    dice: Annotated[bool, typer.Option("--dice", help="Throw real dice and type what they show.")] = False,
    seed: Annotated[
        int | None,
        typer.Option(callback=ranged("seed", 0, MAX_SEED), help="Random seed of the dice [default: a new one]."),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            help="Go on from a half-filled card: 'ones 3, one pair 10', and after these, if there are any, extra, "
            "saved and rerolls (left after the dice on the table). One for each player, the opponent last.",
        ),
    ] = None,
    target: Target = None,
    save: Annotated[Path | None, typer.Option(help="Save the game to this file after every throw.")] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            callback=may_be_dash("resume", ".json"),
            help="Resume the game in this file, and save it there unless --save is given.",
        ),
    ] = None,
    review: Annotated[
        Path | None,
        typer.Option(
            callback=may_be_dash("review", ".json"), help="Review the game in this file instead of playing."
        ),
    ] = None,
    rules: Rules = "scandinavian",
    home: Home = None,
    json: Json = False,
) -> None:
    """Play at the terminal, alone or with others, and see at the end what each decision cost.

    Every hint gives its reason. With --warn, the coach speaks before you lose so many points, and the review
    counts what you wanted first. With --target, hints and the review are about the chance of that score, which
    takes about a minute to compute the first time; warnings then take a percent of the chance for a point. You
    can leave at any time, even in mid-turn: --resume continues with the same dice. With --json the game is shown
    on stderr and its log is printed on stdout (with several players, an object with "games").

    Example: yatzy play --players Anna,Bo --against optimal --save table.json
    Example: yatzy play --dice --start "ones 3, one pair 10, yatzy 0, rerolls 1"
    """
    own = rules if rules.lower().endswith(".toml") else None
    if review is not None:
        _review(_one_game(review, 1, own), home, json)
        return
    resumed = None
    if resume is not None:
        for field, given in (("seed", seed), ("players", players), ("against", against), ("start", start)):
            if given is not None:
                raise YatzyError(field, why="cannot go with --resume, which continues the game as it was")
        resumed = _resumed(resume, own)
        save, against = save or resume, resumed.against
        target = resumed.target if target is None else target
    if warn is not None and not WARNINGS[0] <= warn <= WARNINGS[1]:
        raise YatzyError("warn", warn, "{:g}..{:g} points".format(*WARNINGS))
    if dice and seed is not None:
        raise YatzyError("seed", why="cannot go with --dice, where you throw")
    names = _names(players)
    check_outputs([rules, against], save=save)
    game = resumed.games[0].rules if resumed else ruleset(rules)
    starts = _starts(start, game, len(names) + (against is not None))
    aim = make_aim(game, target, 0.0)
    from rich.console import Console

    from yatzy.cli.terminal import TerminalGame, check_hints
    from yatzy.coach.preparation import coach_at_once

    check_hints(hints)
    with working("getting ready", home) as context:
        # First, because it may be a file that cannot be read; the game of the coach may have to be solved.
        opponent = find_policy(against, game, context=context) if against else None
        coach = coach_at_once(game, context)
    judge = _judge(coach.table, home)
    if aim:
        with working("solving for every target", home) as context:
            stored_goal(game, reach(), context)
    console = Console(stderr=json, highlight=False)
    if isinstance(opponent, Opponent):
        console.print(describe_opponent(opponent))
    terminal = TerminalGame(
        coach, console, console.input, hints, seed, dice, aim, judge.chances, names, opponent, resumed,
        (lambda saved: write_saved(saved, save)) if save else None, warn, starts,
    )  # fmt: skip
    terminal.play()
    _end(terminal.table, coach.table, judge, console, save, home, json)


def describe_opponent(opponent: Opponent) -> str:
    """What an opponent of a strength makes, where that was computed."""
    known = published_levels().get(opponent.rules.name)
    said = f"{opponent.name} strays from the best as people do; no move loses more than {opponent.limit:g} points."
    if known is None or opponent.limit not in known.limits:
        return said
    return f"{said} Its exact average is {known.mean_of(opponent.limit):.1f}."


def _names(players: str | None) -> list[str | None]:
    """The names of --players; one player may be nameless."""
    if players is None:
        return [None]
    names = [check_player(name.strip()) for name in players.split(",")]
    if len(names) > MAX_PLAYERS:
        raise YatzyError("players", len(names), f"1..{MAX_PLAYERS}", "are too many")
    if len(set(names)) < len(names):
        raise YatzyError("players", players, why="names somebody twice")
    return names


def _starts(given: list[str] | None, rules: Ruleset, players: int) -> list[Start]:
    """The cards of --start, which are in one round."""
    starts = [Start.parse(text, rules) for text in given or ()]
    if starts and len(starts) != players:
        raise YatzyError(
            "start", len(starts), str(players), "has to be there once for each player, opponent included"
        )
    filled = [len(start.boxes) for start in starts]
    if filled != sorted(filled, reverse=True) or (filled and filled[0] - filled[-1] > 1):
        raise YatzyError("start", why=f"has cards with {filled} boxes filled, which cannot be in one round")
    return starts


def _resumed(file: Path, rules: str | None) -> SavedGame:
    saved = read_saved(file, ruleset(rules) if rules else None)
    if saved.is_finished:
        raise YatzyError("resume", why=f"the game in {file} is finished; review it with yatzy review {file}")
    return saved


def _end(
    table: SavedGame,
    values: ValueTable,
    judge: Judge,
    console: "Console",
    save: Path | None,
    home: Home,
    json: bool,
) -> None:
    """Keep the game, and show each player what their decisions were worth."""
    if save is not None:
        write_saved(table, save)
        goes_on = "" if table.is_finished else f"; go on with yatzy play --resume {save}"
        console.print(f"game in {save}{goes_on}")
    people = table.logs[:-1] if table.against else table.logs
    for log in people:
        if len(table.logs) > 1 and log.turns:
            console.print(f"\n{log.player or 'You'}:")
        if log.turns:
            parts = BoxParts(values, Context(home))
            console.print(draw_review(review_game(log, values, card_policy(log.rules), judge, parts=parts)))
    if json:
        logs = [seal(as_json(log)) for log in table.logs]
        print_json(logs[0] if len(logs) == 1 else {"games": logs})


def review(
    file: Annotated[
        Path,
        typer.Argument(
            callback=may_be_dash("file", ".json"),
            help="A game log from yatzy play --save, yatzy simulate --logs or the web page; - for stdin.",
        ),
    ],
    game: Number = 1,
    rules: OwnRules = None,
    target: Annotated[
        int | None, typer.Option(help="Judge by the chance of this final score [default: the goal in the log].")
    ] = None,
    theta: Annotated[
        float,
        typer.Option(help="Judge by this risk parameter [default: the goal in the log].", show_default=False),
    ] = 0.0,
    home: Home = None,
    json: Json = False,
) -> None:
    """Split the score of a game into luck and skill, decision by decision.

    Start value + luck - points lost by decisions = final score, exactly. A decision made for a target or a risk
    parameter is judged by that goal.

    Example: yatzy review game.json
    """
    log = _one_game(file, game, rules)
    aim = make_aim(log.rules, target, theta)
    _review(log.with_aim(aim) if aim else log, home, json)


def _one_game(file: Path, number: int, rules: str | None) -> GameLog:
    """A game of a file; its rules are those of its log unless they are given."""
    logs = read_logs(file, ruleset(rules) if rules else None)
    if number > len(logs):
        raise YatzyError("game", number, f"1..{len(logs)}", f"is not in {file}")
    return logs[number - 1]


def _review(log: GameLog, home: Home, json: bool) -> None:
    table = solved_table(log.rules, home)
    with working("judging", home) as context:
        parts = BoxParts(table, context)
        found = review_game(log, table, card_policy(log.rules), _judge(table, home), context, parts=parts)
    if json:
        print_json(found)
    else:
        _print(found)


def _judge(table: ValueTable, home: Home) -> Judge:
    """For decisions that were made for a goal other than the mean."""
    return stored_judge(table, Context(home, notice=notice))


def _print(found: Review) -> None:
    from rich.console import Console

    Console(highlight=False).print(draw_decisions(found), draw_review(found))


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
    spared = f" {found.spared:+.1f} by warnings" if any(one.wanted for one in found.decisions) else ""
    lost = f"{-found.lost:+.1f} lost by decisions{spared}"
    sums = f"{found.start_value:.1f} expected {found.luck:+.1f} luck {lost} = {end}"
    words = ", ".join(f"{n} {word}" for word, n in found.words.items() if n)
    lines = [Text(sums, style="bold"), Text(f"decisions: {words or 'none'}")]
    for mistake in found.mistakes:
        dice = f"{format_dice(sorted(mistake.dice))} with {counted(mistake.rerolls, 'reroll')}"
        lines.append(Text(f"turn {mistake.turn}, {dice}: you {_done(mistake)}", style=LOSS))
        lines.append(Text(f"    {mistake.best} {describe_mistake(mistake)} ({mistake.word})"))
        if mistake.why:
            lines.append(Text(f"    {mistake.why}", style=MUTED))
        if mistake.card:
            agrees = (
                "the card says so too"
                if mistake.card.action == mistake.best
                else f"the card: {mistake.card.action}"
            )
            lines.append(Text(f"    {agrees}", style=MUTED))
    if found.decisions and all(decision.card is None for decision in found.decisions):
        lines.append(
            Text("the rule card covers plain scandinavian only, so it is not consulted here", style=MUTED)
        )
    if log.turns:
        perfect = _so_far(found.replay.log, found.replay.value_left)
        lines.append(Text(f"the same dice played perfectly: {perfect}", style=FELT))
    return Group(*lines)


def _so_far(log: GameLog, value_left: float) -> str:
    """What a game has, and what it can still expect."""
    return f"{log.score} points" + ("" if log.is_finished else f" and {value_left:.1f} to come")


def draw_decisions(found: Review) -> Any:
    """Every decision in one line."""
    view = listing(("turn", "dice", "luck", "played", "lost", ""), right=("turn", "luck", "lost"), **PLAIN)
    last = -1
    for decision in found.decisions:
        is_first, last = decision.turn != last, decision.turn
        better = "" if decision.word == "perfect" else f"{decision.word}; better: {decision.best}"
        view.add_row(
            str(decision.turn) if is_first else "",
            format_dice(decision.dice),
            f"{decision.luck:+.1f}",
            str(decision.played) + (f" (first: {decision.judged})" if decision.judged != decision.played else ""),
            _lost(decision) if better else "",
            Text(better, style=LOSS if decision.word in ("mistake", "blunder") else MUTED),
        )
    return view


def _lost(decision: Decision) -> str:
    judged = decision.goal
    return f"{judged.lost:.1%}" if judged and judged.aim.is_chance else f"{decision.weight:.1f}"


def _done(decision: Decision) -> str:
    """What a player did, or wanted to do until the coach warned."""
    if decision.wanted is None:
        return _past(decision.played)
    if decision.wanted == decision.played:
        return f"{_past(decision.played)} in spite of a warning"
    return f"wanted to {decision.wanted}, were warned, and {_past(decision.played)}"


def _past(action: Action) -> str:
    if isinstance(action, Keep):
        return f"kept {format_dice(action.dice) or NOTHING}"
    return f"scored {action.category}"
