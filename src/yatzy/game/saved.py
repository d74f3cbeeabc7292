"""A game that was interrupted: everybody's card, and the turn under way.

The file is one of game logs, a line for each player, so that it can be reviewed at any time. While the game is not
over there is one more line, which says what a log does not: the dice on the table, which of the players is a
policy, what is played for. Readers of logs skip it.

    {"format": "yatzy-turn", "version": 1, "against": "optimal", "target": 260, "rolls": [...], "held": [...]}
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from yatzy.errors import YatzyError
from yatzy.files import read_outside_text
from yatzy.game.aim import make_aim
from yatzy.game.game import Game, Held
from yatzy.game.json import as_json, check_json, json_property
from yatzy.game.log import TURN_FORMAT, GameLog, TurnFormat, read_logs, write_lines
from yatzy.rules import Dice, Ruleset
from yatzy.sealed import is_sealed, seal


@dataclass(frozen=True)
class SavedGame:
    """Games in the order of their turns; `against` is the policy that plays the last of them, if one does."""

    games: tuple[Game, ...]
    against: str | None = None
    target: int | None = None

    @property
    def logs(self) -> tuple[GameLog, ...]:
        """A log for each player."""
        return tuple(game.log() for game in self.games)

    @property
    def is_finished(self) -> bool:
        return all(game.is_finished for game in self.games)


@dataclass(frozen=True)
class TurnUnderWay:
    """The last line of a file."""

    format: TurnFormat = field(default_factory=lambda: TURN_FORMAT, init=False)
    version: Literal[1] = field(default_factory=lambda: 1, init=False)
    against: str | None
    target: int | None
    rolls: tuple[Dice, ...]
    held: tuple[Held, ...]

    @json_property
    def checksum(self) -> str | None:
        """Whoever writes it adds it (`seal`)."""
        return None


def whose_turn(games: Sequence[Game]) -> int:
    """The first of those who have played fewest turns."""
    return min(range(len(games)), key=lambda number: games[number].turn)


def write_saved(saved: SavedGame, path: str | Path) -> Path:
    """Write everybody's log and, unless all are finished, the turn under way."""
    lines: list[GameLog | TurnUnderWay] = list(saved.logs)
    if not saved.is_finished:
        now = saved.games[whose_turn(saved.games)]
        lines.append(TurnUnderWay(saved.against, saved.target, now.rolls, now.held))
    return write_lines((seal(as_json(line)) for line in lines), path)


def read_saved(path: str | Path, rules: Ruleset | None = None) -> SavedGame:
    """The saved game of a file; one game log alone is one too."""
    path = Path(path)
    logs = read_logs(path, rules)
    if len({log.rules for log in logs}) > 1:
        raise YatzyError("game", path, why="holds games by different rules, which were not played at one table")
    turns = [len(log.turns) for log in logs]
    if turns != sorted(turns, reverse=True) or turns[0] - turns[-1] > 1:
        raise YatzyError("game", path, why=f"holds games with {turns} turns, which were not played at one table")
    now = _turn_under_way(path)
    if now is None:
        return SavedGame(tuple(map(Game.from_log, logs)))
    aim = make_aim(logs[0].rules, now.target, 0.0)
    games = [Game.from_log(log, aim=aim) for log in logs]
    at = whose_turn(games)
    games[at] = games[at].with_throws(now.rolls, now.held)
    return SavedGame(tuple(games), now.against, now.target)


def _turn_under_way(path: Path) -> TurnUnderWay | None:
    """The last line, if it is no log."""
    try:
        told = json.loads(read_outside_text(path, "game").rstrip().splitlines()[-1])
    except (json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(told, dict) or told.get("format") != TURN_FORMAT:
        return None
    try:
        if not is_sealed(told):
            raise YatzyError("checksum", why="does not fit")
        check_json(TurnUnderWay, told)
    except YatzyError:
        why = "the last line of {given} was damaged or edited; without it the turn begins anew"
        raise YatzyError("game", path, why=why) from None
    rolls, held = (tuple(map(tuple, told[name])) for name in ("rolls", "held"))
    return TurnUnderWay(told["against"], told["target"], rolls, held)
