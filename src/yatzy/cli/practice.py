"""Commands for all of one's games: level, leaks, practice."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yatzy.cli.console import Home, Json, OwnRules, counted, print_json, working
from yatzy.cli.stdin import may_be_dash
from yatzy.coach.deck import (
    CARDS,
    COMES_BACK,
    DeckCard,
    anki_text,
    deck_of,
    is_well,
    join_decks,
    read_deck,
    spacing,
    write_deck,
)
from yatzy.coach.leak import Leak, Leaks, answers_of, training_deck
from yatzy.coach.leak import leaks as leaks_in_games
from yatzy.coach.level import Level, levels_of
from yatzy.coach.level import level as level_of
from yatzy.coach.review import review
from yatzy.context import Context
from yatzy.errors import YatzyError
from yatzy.game.action import Action
from yatzy.game.json import Count, Positive
from yatzy.game.log import GameLog, read_logs
from yatzy.rules import Ruleset, format_dice, ruleset
from yatzy.storage import check_outputs, write_atomically

if TYPE_CHECKING:
    from yatzy.cli.terminal import QuestionPrompt
    from yatzy.coach.advice import Coach
    from yatzy.solver.advise import Advice

# Of the choices after an answer.
SHOWN = 5


@dataclass(frozen=True)
class Practised:
    """How many cards were answered, how many of these well, and the points lost; cards mastered, and left."""

    rules: Ruleset
    answered: Count
    well: Count
    lost: Positive
    mastered: Count
    left: Count


@dataclass(frozen=True)
class CardsWritten:
    """How many cards were written for Anki, and where."""

    rules: Ruleset
    path: Path
    cards: Count


ANSWERS: dict[str, Any] = {"practice": Practised | CardsWritten, "level": Level, "leaks": Leaks}
SHOWN = 4

Logs = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="GAMES",
        callback=may_be_dash("games", ".json"),
        help="Files with your games, from yatzy play --save.",
    ),
]
OnlyPlayer = Annotated[str | None, typer.Option("--player", help="Only the games of this player.")]


def level(
    logs: Logs = None,
    player: OnlyPlayer = None,
    rules: OwnRules = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Say how well you play: points lost per game by decisions, and the level that is.

    Points lost by decisions have no luck in them. Only finished games count, and only those that people played;
    where the coach warned, what you wanted first counts. You also see what you lose per decision that is not
    obvious (the second best loses 0.01 to 2 points), which players you stand between, and an opponent of your
    strength for yatzy play --against.

    Example: yatzy level game.json table.json
    """
    if not logs:
        raise YatzyError("games", why="there are none; name files of games, from yatzy play --save")
    games = _games(logs, player, ruleset(rules) if rules else None)
    with working("reviewing", home) as context:
        found = level_of(games, context=context)
    if json:
        print_json(found)
    else:
        typer.echo(draw_level(found))


def draw_level(found: Level) -> str:
    """The level in words, and among players whose means are known."""
    within = "" if found.within is None else f" +- {found.within:.1f}"
    each = "" if found.lost_each is None else f", {found.lost_each:.2f} per decision that is not obvious"
    known = levels_of(found.rules, found.best)
    players = [*((one.mean, one.player) for one in known.references), (found.best, "perfect play")]
    rows = [*((mean, f"  {name}") for mean, name in players), (found.mean, "> you")]
    (box, most), *_ = found.boxes.items()
    mean = known.mean_of(known.limit_for(found.lost))
    about = "" if known.references else "about "
    return "\n".join(
        (
            f"{counted(found.games, 'game')} of {found.rules.name}: {found.word}",
            f"Your decisions lose {found.lost:.1f}{within} points a game{each}.",
            *(f"{mean:7.1f} {name}" for mean, name in sorted(rows, reverse=True)),
            f"Most is lost in turns that fill {box}: {most:.1f} points a game.",
            f"As strong as you: yatzy play --against {found.opponent} ({about}{mean:.1f} points on average).",
        )
    )


def leaks(
    logs: Logs = None,
    player: OnlyPlayer = None,
    deck: Annotated[
        Path | None, typer.Option(help="A deck of yatzy practice: its answers count as decisions.")
    ] = None,
    rules: OwnRules = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Find the habit that costs you most, if it is more than chance.

    Twelve habits are looked for: whether you make too much or too little of the bonus, of Yatzy, of straights, of
    pairs, of points now, and of crossing out. Each is compared with a player as strong as you who has no habit.
    It needs 20 finished games; yatzy practice --train then works on what was found.

    Example: yatzy leaks games.jsonl
    """
    own = ruleset(rules) if rules else None
    games = _games(logs or [], player, own)
    if not games:
        raise YatzyError("games", why="there are none; name files of games")
    cards = read_deck(deck, games[0].rules)[1] if deck else []
    with working("reading your games", home) as context:
        found = leaks_in_games(games, answers_of(cards), context=context)
    if json:
        print_json(found)
        return
    print(found.text)
    print(
        f"\n{counted(found.games, 'game')}, {found.lost:.1f} points lost in each. Lost per game, more than usual:"
    )
    for one in found.habits[:SHOWN]:
        within = "" if one.within is None else f" +- {one.within:.1f}"
        print(f"  {one.costs:+5.1f}{within}  {one.sentence}  ({one.mistakes} mistakes, usual {one.expected:.0f})")


def practice(
    logs: Logs = None,
    player: OnlyPlayer = None,
    deck: Annotated[
        Path | None,
        typer.Option(help="Keep the deck in this file, so that cards you know come back after some days."),
    ] = None,
    cards: Annotated[
        int, typer.Option(min=1, help="Maximum number of cards from the games, half of them mistakes.")
    ] = CARDS,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the order of the cards.")] = 0,
    train: Annotated[
        bool,
        typer.Option("--train", help="Cards against the habit that costs you most, instead of your mistakes."),
    ] = False,
    anki: Annotated[
        Path | None, typer.Option(help="Ask nothing; write the cards to this file for Anki to import.")
    ] = None,
    rules: OwnRules = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Practise the decisions that you got wrong in your games until you get them right.

    Half of the cards are your worst decisions and half are ones you got right, so not every card is a trap. An
    answer is good if it loses less than half a point. Every answer is explained, beside the best choices. With
    --deck, a card you answered well comes back after some days, later each time. You can leave at any time.

    With --train, the cards are situations in which the habit that yatzy leaks finds goes wrong, and as many in
    which it is right: new ones each time, drawn by how often perfect play gets there.

    Example: yatzy practice game.json --deck mine.json
    """
    check_outputs([*(logs or []), rules], deck=deck, anki=anki)
    own = ruleset(rules) if rules else None
    games = _games(logs or [], player, own)
    kept: list[DeckCard] = []
    if deck is not None and deck.exists():
        own, kept = read_deck(deck, games[0].rules if games else own)
    if train and not games:
        raise YatzyError("games", why="there are none; --train reads your habits from games")
    if not games and not kept:
        raise YatzyError("games", why="there are none; name files of games, or a deck that has cards")
    game = games[0].rules if games else own
    assert game is not None
    from rich.console import Console

    from yatzy.cli.terminal import QuestionPrompt
    from yatzy.coach.preparation import coach_at_once

    with working("getting ready", home) as context:
        coach = coach_at_once(game, context)
        habit = _habit(games, kept, context) if train else None
        if habit:
            new = training_deck(habit.habit, coach.table, cards, len(kept) + seed, [card.at for card in kept])
        else:
            new = deck_of((review(one, coach.table) for one in games), cards, seed)
        dealt = join_decks([] if habit else kept, new)
        if anki:
            write_atomically(anki, anki_text((card, _back(coach, card)) for card in dealt).encode())
    if anki:
        if json:
            print_json(CardsWritten(game, anki, len(dealt)))
        else:
            print(f"{counted(len(dealt), 'card')} for Anki in {anki}")
        return
    console = Console(stderr=json, highlight=False)
    session = _Session(coach, QuestionPrompt(console, console.input, game), dealt, deck, kept if habit else [])
    session.run()
    if json:
        print_json(session.told())
    else:
        console.print(
            f"{counted(session.answered, 'answer')}, {session.well} good; {session.lost:.1f} points lost. "
            f"{counted(len(session.cards), 'card')}: {session.mastered} mastered, {session.left} left for today."
        )
        if habit and session.tempted:
            before, now = habit.lost_each, session.lost_tempted / session.tempted
            console.print(f"Where the habit costs: {before:.2f} points a decision in your games, {now:.2f} now.")


def _habit(games: list[GameLog], kept: list[DeckCard], context: Context) -> Leak:
    """The habit that stands out in the games and in the answers of the deck."""
    found = leaks_in_games(games, answers_of(kept), context=context)
    if found.found is None:
        raise YatzyError("train", why=f"has nothing to train: {found.text}")
    return found.found


def _back(coach: "Coach", card: DeckCard) -> str:
    """The back of a card: what is best and why, and what was played."""
    from yatzy.coach.why import sentence

    advice = coach.advise(card.at, 0)
    why = sentence(card.at.rules, coach.explain(advice).reason(card.played))
    cost = "" if is_well(card.lost) else f"\n{card.played} loses {card.lost:.1f} points."
    return f"{advice.best}\n{why}{cost}"


def _games(files: list[Path], player: str | None, own: Ruleset | None) -> list[GameLog]:
    games: list[GameLog] = []
    for file in files:
        games += [log for log in read_logs(file, own) if player in (None, log.player)]
    if files and not games:
        raise YatzyError("player", player, why="played none of these games")
    if len({game.rules for game in games}) > 1:
        raise YatzyError("games", why="follow different rules; practise one game at a time")
    return games


class _Session:
    """Cards that are due, asked until all were answered well or the player leaves."""

    def __init__(
        self, coach: "Coach", asking: "QuestionPrompt", cards: list[DeckCard], path: Path | None,
        others: list[DeckCard],
    ) -> None:  # fmt: skip
        """`others` are cards of the deck that are not asked."""
        self.coach, self.asking, self.path, self.others = coach, asking, path, others
        self.cards = {card.at: card for card in cards}
        self.today = date.today()
        self.queue = [card for card in cards if card.is_due(self.today)]
        self.answered, self.well, self.lost = 0, 0, 0.0
        self.tempted, self.lost_tempted = 0, 0.0

    def run(self) -> None:
        from rich.text import Text

        told: list[Text] = []
        while self.queue:
            card = self.queue.pop(0)
            head = f"{counted(len(self.queue) + 1, 'card')} to go"
            try:
                action = self.asking.ask(card.at, head, *told)
            except (EOFError, KeyboardInterrupt):
                self.queue.insert(0, card)
                self.asking.console.print("")
                return
            if action is None:
                self.queue.append(card)
                told = []
                continue
            try:
                told = [Text(self._answer(card, action))]
            except YatzyError as error:
                self.queue.insert(0, card)
                told = [Text(str(error))]
        for line in told:
            self.asking.console.print(line)

    def _answer(self, card: DeckCard, action: Action) -> str:
        """Grade an answer; what to say about it."""
        from yatzy.coach.why import sentence

        at = card.at
        advice = self.coach.advise(at, 0)
        regret = _regret(advice, action)
        self.answered += 1
        self.well += is_well(regret)
        self.lost += regret
        if card.habit and not is_well(card.lost):
            self.tempted += 1
            self.lost_tempted += regret
        after = self.cards[at] = card.answered(regret, self.today, action)
        if not is_well(regret):
            self.queue.insert(COMES_BACK, after)
        if self.path:
            write_deck(self.coach.rules, [*self.others, *self.cards.values()], self.path)
        grade = f"That loses {regret:.1f} points: {advice.best} is best."
        if is_well(regret):
            grade = "Right." if regret < spacing()["good_below"] else f"Good: it loses {regret:.1f} points."
        why = sentence(at.rules, self.coach.explain(advice).reason(action))
        before = f" In your game you lost {card.lost:.1f} here ({card.played})."
        if card.habit:
            before = f" The habit costs {card.lost:.1f} here ({card.played})."
        if is_well(card.lost):
            before = ""
        said = f"Last card: {format_dice(at.dice)}. {grade} {why}{before}"
        marks = {} if card.habit else {card.played: "your game"}
        marks[action] = "your answer, your game" if action in marks else "your answer"
        return "\n".join([said, *draw_choices(advice, marks)])

    @property
    def mastered(self) -> int:
        return sum(card.is_mastered for card in self.cards.values())

    @property
    def left(self) -> int:
        return len(self.queue)

    def told(self) -> Practised:
        return Practised(self.coach.rules, self.answered, self.well, self.lost, self.mastered, self.left)


def draw_choices(advice: "Advice", marks: Mapping[Action, str]) -> list[str]:
    """The best choices in a line each, and those that have a mark."""
    from yatzy.cli.terminal import describe_loss

    return [
        f"  {one.action!s:<21} {describe_loss(one.regret)} {f'({mark})' if mark else ''}".rstrip()
        for place, one in enumerate(advice)
        for mark in (marks.get(one.action, ""),)
        if place < SHOWN or mark
    ]


def _regret(advice: "Advice", action: Action) -> float:
    """What an answer loses."""
    found = advice.of(action)
    if found is None:
        raise YatzyError("keep", why="all dice are held; score them, or let one go")
    return found.regret
