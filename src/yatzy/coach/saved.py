"""A game that was interrupted: everybody's card, and the turn under way.

The file is one of game logs, a line for each player, so that it can be reviewed at any time. While the game is not
over there is one more line, which says what a log does not: the dice on the table, which of the players is a
policy, what is played for. Readers of logs skip it.

    {"format": "yatzy-turn", "version": 1, "against": "optimal", "target": 260, "rolls": [...], "held": [...]}
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yatzy.coach.game import Game
from yatzy.errors import YatzyError
from yatzy.files import read_outside_text
from yatzy.game.aim import make_aim
from yatzy.game.log import TURN_FORMAT, GameLog, read_logs, write_lines
from yatzy.rules import Ruleset
from yatzy.sealed import is_sealed, seal

VERSION = 1
FIELDS = {"format", "version", "against", "target", "rolls", "held", "checksum"}


@dataclass(frozen=True)
class Table:
    """Games in the order of their turns; `against` is the policy that plays the last of them, if one does."""

    logs: tuple[GameLog, ...]
    games: tuple[Game, ...]
    against: str | None = None
    target: int | None = None

    @property
    def is_finished(self) -> bool:
        return all(game.is_finished for game in self.games)


def whose_turn(games: Sequence[Game]) -> int:
    """The first of those who have played fewest turns."""
    return min(range(len(games)), key=lambda number: len(games[number].turns))


def write_table(table: Table, path: str | Path) -> Path:
    """Write everybody's log and, unless all are finished, the turn under way."""
    lines = [seal(log.to_json()) for log in table.logs]
    if not table.is_finished:
        now = table.games[whose_turn(table.games)]
        lines.append(
            seal(
                {
                    "format": TURN_FORMAT,
                    "version": VERSION,
                    "against": table.against,
                    "target": table.target,
                    "rolls": [list(roll) for roll in now.rolls],
                    "held": [list(held) for held in now.held],
                }
            )
        )
    return write_lines(lines, path)


def read_table(path: str | Path, rules: Ruleset | None = None) -> Table:
    """The table of a file; one game log alone is a table too."""
    path = Path(path)
    logs = read_logs(path, rules)
    if len({log.rules for log in logs}) > 1:
        raise YatzyError("game", path, why="holds games by different rules, which were not played at one table")
    about = _about(path)
    target = about.get("target")
    aim = make_aim(logs[0].rules, target, 0.0)
    games = [Game(log.rules, turns=log.turns, aim=aim) for log in logs]
    turns = [len(game.turns) for game in games]
    if turns != sorted(turns, reverse=True) or turns[0] - turns[-1] > 1:
        raise YatzyError("game", path, why=f"holds games with {turns} turns, which were not played at one table")
    at = whose_turn(games)
    games[at] = _go_on(games[at], about.get("rolls", []), about.get("held", []))
    return Table(tuple(logs), tuple(games), about.get("against"), target)


def _about(path: Path) -> dict[str, Any]:
    """What the last line says about the table."""
    last = read_outside_text(path, "game").rstrip().splitlines()[-1]
    try:
        about = json.loads(last)
    except ValueError:
        return {}
    if not isinstance(about, dict) or about.get("format") != TURN_FORMAT:
        return {}
    if not is_sealed(about) or set(about) != FIELDS or about["version"] != VERSION:
        why = "the last line of {given} was damaged or edited; without it the turn begins anew"
        raise YatzyError("game", path, why=why)
    return about


def _go_on(game: Game, rolls: list[list[int]], held: list[list[bool]]) -> Game:
    """The game with the throws of the turn under way."""
    if rolls:
        game = game.throw(tuple(rolls[0]))
    for roll, stays in zip(rolls[1:], held, strict=True):
        game = game.throw(
            tuple(die for die, is_held in zip(roll, stays, strict=True) if not is_held), tuple(stays)
        )
    return game
