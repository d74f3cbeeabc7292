"""A player's profile: the habits that fit his decisions, and what they are worth."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from yatzy.context import HERE, Context, part_of
from yatzy.errors import YatzyError
from yatzy.game.game import Game, GameGiven, log_of
from yatzy.game.json import INLINE, json_property
from yatzy.game.log import GameLog, read_logs
from yatzy.pictures import html_table
from yatzy.profiles.fit import Fit, decisions_of, fit_decisions, grid_of
from yatzy.profiles.measuring import HabitCosts, Measuring
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.horizon import full_depth

# Of a habit, less than this many standard deviations from none is nothing to speak of.
NOTABLE = 2.0


@dataclass(frozen=True, repr=False)
class Profile:
    """Habits fitted to decisions: `fit.habits`, `fit.spread`, `sentences`, and `worth` with the exact mean.

    `worth` is None if it was not asked for.
    """

    rules: Ruleset
    fit: Annotated[Fit, INLINE]
    worth: Annotated[HabitCosts | None, INLINE] = None

    @json_property
    def sentences(self) -> dict[str, str]:
        """Each habit in words."""
        habits, spread = self.fit.habits, self.fit.spread
        risk = "plays for the average"
        if abs(habits.theta) > NOTABLE * spread["theta"]:
            risk = "seeks risk" if habits.theta > 0 else "avoids risk"
        sight = {0: "sees this turn only", full_depth(self.rules): "sees to the end of the game"}
        turns = f"sees {habits.depth} turn{'' if habits.depth == 1 else 's'} ahead"
        better = 1 / (1 + math.exp(-habits.beta))
        said = {
            "theta": risk,
            "gamma": f"a point later counts as {habits.gamma:.2f} of a point now",
            "depth": sight.get(habits.depth, turns),
            "beta": f"takes the better of two choices a point apart {better:.0%} of the time",
        }
        return said | {name: f"{said[name]} (the end of the scale)" for name in self.fit.at_end}

    def __repr__(self) -> str:
        worth = f": plays at {self.worth.mean:.1f}" if self.worth else ""
        return f"<Profile of {self.fit.n:,} decisions, {self.fit.habits.told(self.rules)}{worth}>"

    def _repr_html_(self) -> str:
        rows = [(name, getattr(self.fit.habits, name), told) for name, told in self.sentences.items()]
        return html_table(("habit", "", ""), rows, repr(self)[1:-1])


def profile(
    games: GameGiven | Iterable[GameGiven],
    rules: str | Ruleset | None = None,
    costs: bool = True,
    context: Context = HERE,
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
    several = [games] if isinstance(games, Game | GameLog | str | Path | Mapping) else games
    logs: list[GameLog] = []
    for one in several:
        logs += read_logs(one, own) if isinstance(one, str | Path) else [log_of(one, own)]
    with context.shown("fitting habits") as shown:
        return _fitted(logs, costs, shown)


def _fitted(games: list[GameLog], costs: bool, context: Context) -> Profile:
    rules = {log.rules for log in games}
    if len(rules) != 1:
        names = ", ".join(sorted(one.name for one in rules)) or "none"
        raise YatzyError(
            "games", why=f"are of {len(rules)} rules ({names}); a profile is of games by the same rules"
        )
    (game,) = rules
    game.check_plain("a profile is")
    n_parts = 1 + costs
    fitted = fit_decisions(game, decisions_of(games, game), grid_of(game), part_of(context.progress, 0, n_parts))
    found = Profile(game, fitted)
    return measured(found, context.part(1, n_parts)) if costs else found


def measured(profile: Profile, context: Context = HERE) -> Profile:
    """The profile with what its habits are worth: some minutes of work for a full game."""
    worth = Measuring(profile.rules, context.threads).worth(profile.fit.habits, context.progress)
    return Profile(profile.rules, profile.fit, worth)
