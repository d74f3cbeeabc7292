"""`yatzy.profile`: which habits fit the games that somebody played, and what they cost."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from yatzy.api.play import log_of
from yatzy.context import Progress, shown
from yatzy.game.game import Game
from yatzy.game.log import GameLog, read_logs
from yatzy.profiles.profile import Profile, profile_of_games
from yatzy.rules import Ruleset, ruleset


def profile(
    games: Game | GameLog | str | Path | Mapping[str, Any] | Iterable[Any],
    rules: str | Ruleset | None = None,
    costs: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Profile:
    """A model of whoever played these games: risk, noise, patience and sight, with what each of them costs.

    >>> import yatzy
    >>> games = [yatzy.play_on(yatzy.Game("yacht", seed=seed), "greedy") for seed in range(20)]
    >>> found = yatzy.profile(games, costs=False)
    >>> found.fit.habits.depth, found.sentences["depth"]
    (0, 'sees this turn only')

    `games` is one game or several: `Game`, log, JSON object or file (which may hold many), all by the same rules.
    With `costs`, the exact mean of play by these habits is computed, and again with each of them cured
    (`found.worth.mean`, `found.worth.costs`): minutes for a full game. `rules` are for rules of your own.
    """
    own = None if rules is None else ruleset(rules)
    several = games if isinstance(games, Iterable) and not isinstance(games, str | Mapping) else [games]
    logs: list[GameLog] = []
    for game in several:
        logs += read_logs(game, own) if isinstance(game, str | Path) else [log_of(game, own)]
    with shown(progress, "fitting habits") as report:
        return profile_of_games(logs, costs, threads, report)
