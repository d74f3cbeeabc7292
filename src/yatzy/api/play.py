"""`yatzy.Game`, a game to play step by step, and `yatzy.review`, what its decisions were worth."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from secrets import randbits
from typing import TYPE_CHECKING, Any

import numpy as np

from yatzy.api.advice import Advice, advise
from yatzy.coach import game as table_game
from yatzy.coach import review as reviewing
from yatzy.coach.game import hold_faces
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.evaluate.simulate import check_games
from yatzy.game.log import GameLog, parse_log, read_logs, take_out, write_logs
from yatzy.game.situation import Situation
from yatzy.game.throws import SeededDice
from yatzy.pictures import html_table
from yatzy.policy.base import Checked, SeesPoints, by_level
from yatzy.policy.registry import Player, as_policy
from yatzy.rules import Ruleset, State, format_category, format_dice, parse_category, parse_dice, ruleset
from yatzy.running import Progress, shown
from yatzy.solver.states import DiceGiven
from yatzy.solver.store import table_of

if TYPE_CHECKING:
    import polars


class Game:
    """One game on one card.

    >>> import yatzy
    >>> game = yatzy.Game(seed=7)
    >>> game.throw()
    (1, 6, 6, 3, 2)
    >>> game.hold("6 6").throw("6 3 3")                     # dice as they fell on a real table
    (6, 6, 6, 3, 3)
    >>> game.score("full house"), game.total
    (24, 24)
    >>> game.undo()
    <Game scandinavian: turn 1, 0 points, dice 6 6 6 3 3, 1 reroll left>
    >>> game.situation
    Situation('3 3 6 6 6 | 1 | - @ 0')
    >>> game.play("heuristic").total, game.is_finished
    (171, True)

    `seed` makes the dice those of that game of `yatzy.simulate`; without one they are new each time. What is not
    allowed ends with a sentence (`YatzyError`) and changes nothing.
    """

    def __init__(self, rules: str | Ruleset = "scandinavian", seed: int | None = None) -> None:
        game = ruleset(rules)
        if seed is not None:
            check_games(1, seed)
        self._source = SeededDice(game, randbits(53) if seed is None else seed)
        self._game = table_game.Game(game)
        self._held: table_game.Held | None = None
        # A log names its seed only while all dice came from there.
        self._is_seeded = True

    @property
    def rules(self) -> Ruleset:
        return self._game.rules

    @property
    def dice(self) -> tuple[int, ...]:
        """What lies on the table, in its place; nothing before the first throw of a turn."""
        return self._game.dice

    @property
    def rerolls(self) -> int:
        """Rerolls left in this turn."""
        return self._game.rerolls - (not self.dice)

    @property
    def state(self) -> State:
        """Filled boxes and upper total at the start of this turn."""
        return self._game.state

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""
        return len(self._game.turns) + 1

    @property
    def is_finished(self) -> bool:
        return self._game.is_finished

    @property
    def total(self) -> int:
        """Points so far; the bonus is added when the card is full."""
        return self._game.card.score

    @property
    def card(self) -> dict[str, int | None]:
        """Points by box, None where it is open."""
        log = self._game.card
        names = [format_category(self.rules, c) for c in range(self.rules.n_categories)]
        filled = {
            turn.category: points - extra
            for turn, points, extra in zip(log.turns, log.points, log.extras, strict=True)
        }
        return {name: filled.get(c) for c, name in enumerate(names)}

    @property
    def situation(self) -> Situation:
        """The decision to make, as a policy's function sees it."""
        if not self.dice:
            raise YatzyError("situation: there is none before the dice are thrown")
        roll_id = lattice(self.rules.dice, self.rules.faces).id_of(self.dice)
        return Situation.at(self.rules, roll_id, self._game.rerolls, self.state)

    def hold(self, dice: DiceGiven) -> "Game":
        """Hold these dice in the next throw; all others are thrown."""
        keep = parse_dice(self.rules, dice, at_most=True)
        if take_out(self.dice, keep) is None:
            shown_dice = format_dice(sorted(self.dice)) or "nothing, before the first throw"
            raise YatzyError(f"hold: {format_dice(keep)!r} is not part of what lies there: {shown_dice}")
        self._held = hold_faces(self.dice, keep)
        return self

    def throw(self, dice: DiceGiven | None = None) -> tuple[int, ...]:
        """Throw all dice that are not held, and return what lies on the table then.

        `dice` are what they show, in the order of their places, if you throw real ones.
        """
        held = self._held if self._held is not None else (False,) * self.rules.dice
        n = held.count(False) if self.dice else self.rules.dice
        if dice is None:
            self._check_throw()
            thrown = self._source.throw(len(self._game.turns), len(self._game.rolls), n)
        else:
            thrown = self._as_thrown(dice)
        self._game = self._game.throw(thrown, held if self.dice else ())
        self._is_seeded &= dice is None
        self._held = None
        return self.dice

    def _as_thrown(self, dice: DiceGiven) -> tuple[int, ...]:
        """Checked faces in the order they were given."""
        given = dice if isinstance(dice, str) else tuple(dice)
        sorted_faces = parse_dice(self.rules, given, at_most=True)
        if not isinstance(given, str):
            return tuple(int(face) for face in given)
        words = re.findall(r"\d+", given)
        return tuple(map(int, words if len(words) == len(sorted_faces) else given.strip()))

    def _check_throw(self) -> None:
        if not self.is_finished and self.dice and not self._game.rerolls:
            raise YatzyError("rerolls: none are left; score the dice in an open category")

    def score(self, box: str) -> int:
        """Write the dice into a box, and return the points that this brought."""
        before = sum(self._game.card.points)
        self._game = self._game.score(parse_category(self.rules, box))
        self._held = None
        return sum(self._game.card.points) - before

    def undo(self) -> "Game":
        """Take back the last throw or score."""
        self._game = self._game.undo()
        self._held = None
        return self

    def advise(self) -> Advice:
        """Every action, best first: see `yatzy.advise`."""
        return advise(table_of(self.rules), self.situation)

    def play(self, policy: Player = "optimal") -> "Game":
        """Let a policy play on to the end."""
        player = as_policy(policy, self.rules)
        if isinstance(player, SeesPoints):
            raise YatzyError(f"policy: {player.name!r} sees the points on the card, which is not played here")
        ids, asked = lattice(self.rules.dice, self.rules.faces), Checked(player)
        while not self.is_finished:
            decisions = asked.decide(np.array([self.state.filled]), np.array([self.state.upper]))
            if not self.dice:
                self.throw()
            while self._game.rerolls:
                keep = int(decisions.keep[0, self._game.rerolls - 1, ids.id_of(self.dice)])
                if keep == ids.id_of(self.dice):
                    break
                self.hold(ids.keeps[keep]).throw()
            left = self._game.rerolls if self.rules.saves_throws else 0
            self.score(self.rules.categories[by_level(decisions.category)[0, left, ids.id_of(self.dice)]].name)
        return self

    def log(self, player: str | None = None) -> GameLog:
        """The finished turns, as `yatzy.review` and the coach read them."""
        return self._game.log(self._source if self._is_seeded else None, player)

    def save(self, path: str | Path, player: str | None = None) -> Path:
        """Write the log to a file that `yatzy review` reads."""
        return write_logs([self.log(player)], path)

    def __repr__(self) -> str:
        if self.is_finished:
            return f"<Game {self.rules.name}: finished with {self.total} points>"
        left = self._game.rerolls
        rerolls = f"{left} reroll{'' if left == 1 else 's'} left"
        now = f"dice {format_dice(self.dice)}, {rerolls}" if self.dice else "to throw"
        return f"<Game {self.rules.name}: turn {self.turn}, {self.total} points, {now}>"

    def _repr_html_(self) -> str:
        log = self._game.card
        beside = {"extra": sum(log.extras), "bonus": log.bonus}
        rows = [*self.card.items(), *((name, points) for name, points in beside.items() if points)]
        return html_table(("box", "points"), [*rows, ("total", self.total)], repr(self)[1:-1])


@dataclass(frozen=True, repr=False)
class Review(reviewing.Review):
    """A game, decision by decision: `luck`, `lost`, `decisions`, `biggest` mistakes, and the `replay`."""

    def frame(self) -> "polars.DataFrame":
        """One row per decision."""
        import polars as pl

        keys = ("turn", "rerolls", "played", "best", "value", "regret", "luck", "word")
        rows = self.to_json()["decisions"]
        dice = [format_dice(row["dice"]) for row in rows]
        return pl.DataFrame({"dice": dice, **{key: [row[key] for row in rows] for key in keys}})

    def __repr__(self) -> str:
        return f"<Review: {self.log.score} points, {self.luck:+.1f} by luck, {-self.lost:+.1f} by decisions>"

    def _repr_html_(self) -> str:
        rows = [
            (one.turn + 1, format_dice(sorted(one.dice)), one.played, one.best, one.regret) for one in self.biggest
        ]
        return html_table(("turn", "dice", "played", "better", "lost"), rows, repr(self)[1:-1])


def review(
    game: Game | GameLog | str | Path | Mapping[str, Any],
    rules: str | Ruleset | None = None,
    progress: Progress | None = None,
) -> Review:
    """What a game owes to its dice and what to its player, decision by decision.

    >>> import yatzy
    >>> found = yatzy.review(yatzy.Game(seed=7).play("heuristic"))
    >>> found
    <Review: 220 points, +60.3 by luck, -88.7 by decisions>
    >>> round(found.start_value + found.luck - found.lost, 6) == found.log.score
    True
    >>> found.frame().columns[:4]
    ['dice', 'turn', 'rerolls', 'played']

    `game` is a `Game`, its log, the same as an object of JSON, or a file with one game. `rules` are for rules of
    your own.
    """
    log = log_of(game, None if rules is None else ruleset(rules))
    with shown(progress, "reviewing") as report:
        found = reviewing.review(log, table_of(log.rules), reviewing.card_policy(log.rules), progress=report)
    return Review(**{field.name: getattr(found, field.name) for field in fields(found)})


def log_of(game: Any, rules: Ruleset | None) -> GameLog:
    """The log of a game, in whatever form it comes."""
    if isinstance(game, Game):
        return game.log()
    if isinstance(game, GameLog):
        return game
    if isinstance(game, Mapping):
        return parse_log(dict(game), rules)
    if isinstance(game, str | Path):
        logs = read_logs(game, rules)
        if len(logs) > 1:
            raise YatzyError(f"game: {game} holds {len(logs)} games; allowed is one (yatzy.game.log.read_logs)")
        return logs[0]
    raise YatzyError(f"game: {game!r} is not a game; allowed are a Game, its log, or a file")
