"""`yatzy.play_on`, a policy that plays a game on, and `yatzy.review`, what a game's decisions were worth."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from yatzy.coach import review as reviewing
from yatzy.coach.review import Review
from yatzy.context import Progress, shown
from yatzy.errors import YatzyError
from yatzy.evaluate import play
from yatzy.game.game import Game
from yatzy.game.log import GameLog, parse_log, read_logs
from yatzy.policy.registry import Player, as_policy
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.store import table_of


def play_on(game: Game, policy: Player = "optimal") -> Game:
    """The game as a policy plays it on, to the end.

    >>> import yatzy
    >>> game = yatzy.Game(seed=7).throw().score("chance")
    >>> yatzy.play_on(game, "heuristic")
    <Game scandinavian: finished with 165 points>
    """
    return play.play_on(game, as_policy(policy, game.rules))


def review(
    game: Game | GameLog | str | Path | Mapping[str, Any],
    rules: str | Ruleset | None = None,
    progress: Progress | None = None,
) -> Review:
    """What a game owes to its dice and what to its player, decision by decision.

    >>> import yatzy
    >>> found = yatzy.review(yatzy.play_on(yatzy.Game(seed=7), "heuristic"))
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
        return reviewing.review(log, table_of(log.rules), reviewing.card_policy(log.rules), progress=report)


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
            raise YatzyError(
                "game", why=f"{game} holds {len(logs)} games; allowed is one (yatzy.game.log.read_logs)"
            )
        return logs[0]
    raise YatzyError("game", game, "a Game, its log, or a file", "is not a game")
