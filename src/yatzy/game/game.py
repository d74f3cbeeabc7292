"""One player's game, step by step, and saved games. Games are immutable: every move returns a new one.

>>> game = Game("yahtzee", seed=7).throw()
>>> game.dice, game.rerolls
((1, 6, 6, 3, 2), 2)
>>> game = game.hold("6 6").throw("6 3 3")                  # dice as they fell on a real table
>>> game
<Game yahtzee: turn 1, 0 points, dice 6 6 6 3 3, 1 reroll left>
>>> game.situation
Situation('3 3 6 6 6 | 1 | - @ 0')
>>> game.scores[8], game.scores[8].points
(Score(category='full house', points=25, extra=0), 25)
>>> scored = game.score("full house")
>>> scored.points, scored.total, scored.card["full house"], scored.turn
((25,), 25, 25, 2)
>>> scored.undo() == game
True
>>> game.push("keep 6 6 6").dice[:3]
(6, 6, 6)

A saved game of several players is a file of game logs, one per line, that can be reviewed at any time. Until the
game is over, a last line, which readers of logs skip, has the dice on the table, the policy that plays last, if
any, and the target.

    {"format": "yatzy-turn", "version": 1, "against": "optimal", "target": 260, "rolls": [...], "held": [...]}
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import randbits
from typing import Any, Literal

from yatzy.context import check_seed
from yatzy.errors import YatzyError
from yatzy.game.action import Action, Keep, Score, parse_action
from yatzy.game.aim import Aim, make_aim
from yatzy.game.dice import DiceSource, SeededDice, thrown_from
from yatzy.game.json import as_json, check_json, json_property
from yatzy.game.log import (
    TURN_FORMAT,
    GameLog,
    TurnFormat,
    TurnLog,
    check_action,
    open_boxes,
    parse_log,
    read_logs,
    remove_dice,
    write_lines,
    write_logs,
)
from yatzy.game.situation import Situation
from yatzy.game.start import Start
from yatzy.rules import Dice, Ruleset, State, format_category, format_dice, parse_category, parse_dice, ruleset
from yatzy.sealed import is_sealed, seal
from yatzy.storage import read_user_text
from yatzy.svg import html_table
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes

Held = tuple[bool, ...]


@dataclass(frozen=True, init=False, repr=False)
class Game:
    """One player's game: `throw`, `hold`, `score` and `undo` return a new one.

    >>> import yatzy
    >>> game = yatzy.Game(seed=7).throw().hold("6 6").throw()
    >>> game.score("sixes")
    <Game scandinavian: turn 2, 18 points, to throw>
    >>> yatzy.play_on(game, "heuristic").total
    220

    With a `seed` the dice are those of `yatzy.simulate`; without one they are random. `dice` is another source of
    dice, `aim` the player's aim (None is the mean). Held dice keep their places. Illegal moves raise `YatzyError`.
    """

    so_far: GameLog
    source: DiceSource
    aim: Aim | None
    # The current turn: the dice after each throw, and which of them, by place, were held for the next.
    rolls: tuple[Dice, ...]
    held: tuple[Held, ...]
    # By throw, the action that the coach first warned about.
    wanted: tuple[Action | None, ...]
    # The dice to hold in the next throw, by place; empty for none.
    holding: Held
    # Whether all dice came from the seed: only then does a log name it.
    is_seeded: bool
    before: "Game | None" = field(compare=False)

    def __init__(
        self,
        rules: str | Ruleset = "scandinavian",
        seed: int | None = None,
        *,
        dice: DiceSource | None = None,
        aim: Aim | None = None,
    ) -> None:
        own = randbits(53) if seed is None else check_seed(seed)
        vars(self).update(vars(Game.from_log(GameLog(ruleset(rules), (), seed=own), dice, aim)))

    @classmethod
    def from_log(cls, log: GameLog, dice: DiceSource | None = None, aim: Aim | None = None) -> "Game":
        """The game after the turns of a log, continued with the dice of its seed."""
        game = object.__new__(cls)
        seed = randbits(53) if log.seed is None else log.seed
        return game._set(
            so_far=log, source=dice or SeededDice(log.rules, seed, log.game or 0, log.scheme), aim=aim,
            rolls=(), held=(), wanted=(), holding=(), is_seeded=log.seed is not None, before=None,
        )  # fmt: skip

    @classmethod
    def at(
        cls,
        boxes: Mapping[str, int],
        rules: str | Ruleset = "scandinavian",
        seed: int | None = None,
        *,
        extra: int = 0,
        saved: int = 0,
        rerolls: int | None = None,
        dice: DiceSource | None = None,
        aim: Aim | None = None,
    ) -> "Game":
        """A game taken over from paper: points by box, those beside the boxes, and throws saved.

        With `rerolls`, the next throw is what lies on the table, with so many rerolls left.

        >>> Game.at({"ones": 3, "chance": 22}, rerolls=1).throw("3 3 3 5 6")
        <Game scandinavian: turn 3, 25 points, dice 3 3 3 5 6, 1 reroll left>
        """
        game = ruleset(rules)
        own = randbits(53) if seed is None else check_seed(seed)
        start = Start(boxes, extra, saved, rerolls).named(game)
        return cls.from_log(GameLog(game, (), seed=own, start=start), dice, aim)

    def _set(self, **values: Any) -> "Game":
        vars(self).update(values)
        return self

    def _next(self, **changes: Any) -> "Game":
        return object.__new__(Game)._set(**vars(self) | changes)

    @property
    def rules(self) -> Ruleset:
        return self.so_far.rules

    @property
    def state(self) -> State:
        """Filled boxes and upper total at the start of this turn."""
        return self.so_far.states[-1]

    @property
    def dice(self) -> Dice:
        """The dice on the table, by place; none before the first throw of a turn."""
        return self.rolls[-1] if self.rolls else ()

    @property
    def rerolls(self) -> int:
        """Rerolls left in this turn, saved throws included."""
        return self.so_far.rerolls_at(len(self.so_far.turns)) - max(len(self.rolls) - 1, 0)

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""
        return self.so_far.n_filled + 1

    @property
    def is_finished(self) -> bool:
        return self.so_far.is_finished

    @property
    def points(self) -> tuple[int, ...]:
        """The points of each turn, extra points included."""
        return self.so_far.points

    @property
    def total(self) -> int:
        """The points so far; the bonus is added when the card is full."""
        return self.so_far.score

    @property
    def card(self) -> dict[str, int | None]:
        """Points by box, None if it is open."""
        log = self.so_far
        in_box = (points - extra for points, extra in zip(log.points, log.extras, strict=True))
        filled = dict(log.start.boxes) if log.start else {}
        filled |= zip((turn.category for turn in log.turns), in_box, strict=True)
        return {name: filled.get(name) for name in self._names}

    @property
    def _names(self) -> list[str]:
        return [format_category(self.rules, c) for c in range(self.rules.n_categories)]

    @property
    def situation(self) -> Situation:
        """The decision to make."""
        if not self.dice:
            raise YatzyError("situation", why="there is none before the dice are thrown")
        return Situation.of(self.rules, self.dice, self.rerolls, self.state)

    @property
    def open(self) -> tuple[str, ...]:
        """The boxes that may be filled: with the dice on the table, if there are any."""
        if self.dice:
            return tuple(score.category for score in self.scores)
        closed = int(self.rules.closed(self.state.filled))
        return tuple(name for c, name in enumerate(self._names) if not closed >> c & 1)

    @property
    def scores(self) -> tuple[Score, ...]:
        """The ways to score the dice on the table, with their points."""
        if not self.dice:
            return ()
        ends, boxes = outcomes(self.rules), open_boxes(self.rules, self.state, self.dice)
        return tuple(
            Score(format_category(self.rules, c), int(ends.points[end]), int(ends.extra[end]))
            for c, end in boxes.items()
        )

    @property
    def actions(self) -> tuple[Action, ...]:
        """All actions with the dice on the table: scores, and keeps while rerolls are left."""
        if not self.dice or not self.rerolls:
            return self.scores
        ids = lattice(self.rules.dice, self.rules.faces)
        roll_id = ids.id_of(self.dice)
        keeps = (int(keep_id) for keep_id in ids.keeps_in_roll[roll_id])
        return (*self.scores, *(Keep(ids.keeps[keep]) for keep in keeps if keep not in (-1, roll_id)))

    @property
    def is_joker(self) -> bool:
        """Whether the dice on the table are scored differently than on an empty card."""
        if not self.rules.special or not self.dice:
            return False
        usual = open_boxes(self.rules, State(), self.dice)
        now = open_boxes(self.rules, self.state, self.dice)
        return len(now) + self.so_far.n_filled < self.rules.n_categories or not now.items() <= usual.items()

    def hold(self, dice: str | Iterable[int]) -> "Game":
        """Hold these dice in the next throw. Holding all of them uses up a reroll."""
        keep = parse_dice(self.rules, dice, at_most=True)
        if remove_dice(self.dice, keep) is None:
            shown = format_dice(sorted(self.dice)) or "nothing, before the first throw"
            raise YatzyError("hold", format_dice(keep), why=f"is not part of what lies there: {shown}")
        left, holding = list(keep), []
        for die in self.dice:
            holding.append(die in left)
            if holding[-1]:
                left.remove(die)
        return self._next(holding=tuple(holding))

    def throw(self, dice: str | Iterable[int] | None = None) -> "Game":
        """Throw the dice that are not held; `dice` are the faces of real dice, in the order of their places."""
        if self.is_finished:
            raise YatzyError("dice", why="the game is finished, there is nothing to throw for")
        if self.dice and not self.rerolls:
            raise YatzyError("rerolls", why="none are left; score the dice in an open box")
        held = self.holding or (False,) * self.rules.dice
        if dice is None:
            fallen = thrown_from(self.source, self.so_far.n_filled, len(self.rolls), held)
        else:
            fallen = self._faces(dice, held.count(False))
        left = iter(fallen)
        roll = tuple(die if stays else next(left) for die, stays in zip(self.dice or fallen, held, strict=True))
        return self._next(
            rolls=(*self.rolls, roll), held=(*self.held, held) if self.dice else (),
            wanted=(*self.wanted, None), holding=(), is_seeded=self.is_seeded and dice is None,
            before=self._next(holding=()),
        )  # fmt: skip

    def _faces(self, dice: str | Iterable[int], n: int) -> Dice:
        """Faces in their given order."""
        given = dice if isinstance(dice, str) else tuple(dice)
        in_order = parse_dice(self.rules, given, at_most=True)
        if len(in_order) != n:
            raise YatzyError("dice", format_dice(in_order), f"exactly {n}", f"has {len(in_order)} dice")
        if isinstance(given, str):
            words = re.findall(r"\d+", given)
            given = tuple(map(int, words if len(words) == n else "".join(words)))
        return tuple(int(face) for face in given)

    def with_throws(
        self, rolls: Sequence[Dice], held: Sequence[Held], wanted: Sequence[Action | None] = ()
    ) -> "Game":
        """The game with the throws of a saved turn."""
        n, game = self.rules.dice, self
        if len(held) != max(len(rolls) - 1, 0) or any(len(one) != n for one in (*rolls, *held)):
            raise YatzyError("held", why=f"has to say of {n} dice, between two throws, whether they stay")
        for number, (roll, stays) in enumerate(zip(rolls, ((False,) * n, *held), strict=False)):
            stayed, fallen = _split(roll, stays)
            if number and stayed != _split(rolls[number - 1], stays)[0]:
                kept = format_dice(_split(rolls[number - 1], stays)[0])
                raise YatzyError(
                    f"rolls[{number}]", format_dice(roll), why=f"does not keep {kept}, which was held"
                )
            game = game._next(holding=stays if number else ()).throw(fallen)._next(is_seeded=self.is_seeded)
            if number < len(wanted) and (action := wanted[number]):
                game = game.warned(action)
        return game

    def warned(self, action: Action) -> "Game":
        """The game in which the coach warned about this action; of several in one decision the first counts."""
        check_action(self.rules, self.state, self.situation.dice, self.rerolls, action)
        *before, first = self.wanted
        return self._next(wanted=(*before, first or action))

    def score(self, box: str | Score) -> "Game":
        """Score the dice in an open box, which ends the turn."""
        if not self.rolls:
            raise YatzyError("dice", why="nothing is thrown yet; throw before you score")
        category = parse_category(self.rules, box.category if isinstance(box, Score) else box)
        throws = list(zip(self.held, self.rolls, self.rolls[1:], strict=False))
        while throws and all(throws[-1][0]) and not self.rules.saves_throws:
            throws.pop()  # passing before scoring is just scoring, unless throws are saved
        keeps = tuple(_split(roll, held)[0] for held, roll, _ in throws)
        # For replays, logs list held dice first, then the thrown ones in order; by die, each in its place.
        by_die = self.source.scheme is not None
        after = (roll if by_die else sum(_split(roll, held), ()) for held, _, roll in throws)
        rolls = (self.rolls[0], *after)
        goals = (self.aim,) * len(rolls) if self.aim else ()
        last = next((one for one in self.wanted[len(keeps) :] if one), None)
        wanted = (*self.wanted[: len(keeps)], last) if any(self.wanted) else ()
        turn = TurnLog(rolls, keeps, format_category(self.rules, category), goals, wanted)
        log = self.so_far.with_turn(turn)
        return self._next(so_far=log, rolls=(), held=(), wanted=(), holding=(), before=self._next(holding=()))

    def with_aim(self, aim: Aim | None) -> "Game":
        """The game with this aim for the coming turns."""
        return self._next(aim=aim)

    def with_dice(self, source: DiceSource) -> "Game":
        """The game continued with another source of dice."""
        same = source == self.source or not (self.so_far.turns or self.rolls)
        return self._next(source=source, is_seeded=self.is_seeded and same)

    def push(self, action: Action | str) -> "Game":
        """The game after an action; a keep also throws the other dice."""
        done = parse_action(self.rules, action) if isinstance(action, str) else action
        return self.hold(done.dice).throw() if isinstance(done, Keep) else self.score(done)

    def undo(self) -> "Game":
        """The game before the last throw or score."""
        if self.before is None:
            raise YatzyError("undo", why="this is the start; there is nothing to take back")
        return self.before

    def log(self, player: str | None = None, date: str | None = None) -> GameLog:
        """The log of the finished turns."""
        known, source = self.so_far, self.source if self.is_seeded else None
        seed = game = scheme = None
        if isinstance(source, SeededDice):
            seed, game, scheme = source.seed, source.game, source.scheme
        return known.about(
            player=player or known.player, date=date or known.date, seed=seed, game=game, scheme=scheme
        )

    def save(self, path: str | Path, player: str | None = None) -> Path:
        """Write the log to a file for `yatzy review`."""
        return write_logs([self.log(player)], path)

    def __repr__(self) -> str:
        if self.is_finished:
            return f"<Game {self.rules.name}: finished with {self.total} points>"
        rerolls = f"{self.rerolls} reroll{'' if self.rerolls == 1 else 's'} left"
        now = f"dice {format_dice(self.dice)}, {rerolls}" if self.dice else "to throw"
        return f"<Game {self.rules.name}: turn {self.turn}, {self.total} points, {now}>"

    def _repr_html_(self) -> str:
        beside = {"extra": self.so_far.extra, "bonus": self.so_far.bonus}
        rows = [*self.card.items(), *((name, points) for name, points in beside.items() if points)]
        return html_table(("box", "points"), [*rows, ("total", self.total)], repr(self)[1:-1])


def _split(roll: Dice, held: Held) -> tuple[Dice, Dice]:
    """The held dice and the others."""
    places = list(zip(roll, held, strict=True))
    return tuple(die for die, stays in places if stays), tuple(die for die, stays in places if not stays)


# A game, its log, the JSON object of a log, or the path of one.
GameGiven = Game | GameLog | str | Path | Mapping[str, Any]


def log_of(game: GameGiven, rules: Ruleset | None = None) -> GameLog:
    """The log of a game in any form; `rules` are for games that are not in the catalogue."""
    if isinstance(game, Game):
        return game.log()
    if isinstance(game, GameLog):
        return game
    if isinstance(game, Mapping):
        return parse_log(dict(game), rules)
    if isinstance(game, str | Path):
        logs = read_logs(game, rules)
        if len(logs) > 1:
            why = f"{game} holds {len(logs)} games; allowed is one (yatzy.game.log.read_logs)"
            raise YatzyError("game", why=why)
        return logs[0]
    raise YatzyError("game", game, "a Game, its log, or a file", "is not a game")


@dataclass(frozen=True)
class SavedGame:
    """Games in playing order; `against` is the policy that plays the last one, if any."""

    games: tuple[Game, ...]
    against: str | None = None
    target: int | None = None

    @property
    def logs(self) -> tuple[GameLog, ...]:
        """The log of each player."""
        return tuple(game.log() for game in self.games)

    @property
    def is_finished(self) -> bool:
        return all(game.is_finished for game in self.games)


@dataclass(frozen=True)
class CurrentTurn:
    """The last line of a saved game."""

    format: TurnFormat = field(default_factory=lambda: TURN_FORMAT, init=False)
    version: Literal[1] = field(default_factory=lambda: 1, init=False)
    against: str | None
    target: int | None
    rolls: tuple[Dice, ...]
    held: tuple[Held, ...]
    wanted: tuple[Action | None, ...] = ()

    @json_property
    def checksum(self) -> str | None:
        """Added on writing (`seal`)."""
        return None


def whose_turn(games: Sequence[Game]) -> int:
    """The number of the player whose turn it is."""
    return min(range(len(games)), key=lambda number: games[number].turn)


def write_saved(saved: SavedGame, path: str | Path) -> Path:
    """Write all logs and, if the game is not over, the current turn."""
    lines: list[GameLog | CurrentTurn] = list(saved.logs)
    if not saved.is_finished:
        now = saved.games[whose_turn(saved.games)]
        wanted = now.wanted if any(now.wanted) else ()
        lines.append(CurrentTurn(saved.against, saved.target, now.rolls, now.held, wanted))
    return write_lines((seal(as_json(line)) for line in lines), path)


def read_saved(path: str | Path, rules: Ruleset | None = None) -> SavedGame:
    """Read a saved game; a single game log counts as one."""
    path = Path(path)
    logs = read_logs(path, rules)
    if len({log.rules for log in logs}) > 1:
        raise YatzyError("game", path, why="holds games by different rules, which were not played at one table")
    turns = [log.n_filled for log in logs]
    if turns != sorted(turns, reverse=True) or turns[0] - turns[-1] > 1:
        raise YatzyError("game", path, why=f"holds games with {turns} turns, which were not played at one table")
    now = _current_turn(path, logs[0].rules)
    if now is None:
        return SavedGame(tuple(map(Game.from_log, logs)))
    aim = make_aim(logs[0].rules, now.target, 0.0)
    games = [Game.from_log(log, aim=aim) for log in logs]
    at = whose_turn(games)
    games[at] = games[at].with_throws(now.rolls, now.held, now.wanted)
    return SavedGame(tuple(games), now.against, now.target)


def _current_turn(path: Path, rules: Ruleset) -> CurrentTurn | None:
    """The last line, if it is not a log."""
    try:
        line = json.loads(read_user_text(path, "game").rstrip().splitlines()[-1])
    except (json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(line, dict) or line.get("format") != TURN_FORMAT:
        return None
    try:
        if not is_sealed(line):
            raise YatzyError("checksum", why="does not match")
        check_json(CurrentTurn, line)
    except YatzyError:
        why = "the last line of {given} was damaged or edited; without it the turn begins anew"
        raise YatzyError("game", path, why=why) from None
    rolls, held = (tuple(map(tuple, line[name])) for name in ("rolls", "held"))
    wanted = tuple(parse_action(rules, text) if text else None for text in line.get("wanted", ()))
    return CurrentTurn(line["against"], line["target"], rolls, held, wanted)
