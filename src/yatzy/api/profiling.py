"""`yatzy.profile`: which habits fit the games that somebody played, and what they cost."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from yatzy.api.play import Game, log_of
from yatzy.api.progress import shown
from yatzy.game.log import GameLog, read_logs
from yatzy.pictures import html_table
from yatzy.profiles import profile as profiles
from yatzy.rules import Ruleset, ruleset
from yatzy.running import Progress


@dataclass(frozen=True, repr=False)
class Profile(profiles.Profile):
    """Habits fitted to decisions: `fit.habits`, `fit.spread`, `sentences`, and `worth` with the exact mean."""

    def __repr__(self) -> str:
        worth = f": plays at {self.worth.mean:.1f}" if self.worth else ""
        return f"<Profile of {self.fit.n:,} decisions, {self.fit.habits.told(self.rules)}{worth}>"

    def _repr_html_(self) -> str:
        rows = [(name, getattr(self.fit.habits, name), told) for name, told in self.sentences.items()]
        return html_table(("habit", "", ""), rows, repr(self)[1:-1])


def profile(
    games: "Game | GameLog | str | Path | Mapping[str, Any] | Iterable[Any]",
    rules: str | Ruleset | None = None,
    costs: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Profile:
    """A model of whoever played these games: risk, noise, patience and sight, with what each of them costs.

    >>> import yatzy
    >>> games = [yatzy.Game("yacht", seed=seed).play("greedy") for seed in range(20)]
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
        found = profiles.profile_of_games(logs, costs, threads, report)
    return Profile(**{field.name: getattr(found, field.name) for field in fields(found)})
