"""Levels of play: the exact means of players that people can picture, and of opponents of every strength.

For each game: perfect play, the references that it has (`coach.level.REFERENCES`: bots in every game, charts and
cards where they are shipped), and opponents (`policies.opponents`) by the most that a move of theirs may lose. The
five levels are among them. Each mean is one exact pass; games are kept one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from yatzy.coach.level import REFERENCES, GameLevels, Reference
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.lab.studies.results import kept_part, part_file
from yatzy.measure.exact import visit
from yatzy.policies.opponents import LEVELS, Opponent
from yatzy.policies.registry import find_policy
from yatzy.rules import Ruleset, ruleset, stored_name
from yatzy.solver.store import stored_table
from yatzy.source_digest import source_digest

GAMES = ("scandinavian", "yahtzee", "kniffel", "yacht")
LIMITS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 16.0)


@dataclass(frozen=True)
class LevelsStudy:
    """The means of every game."""

    games: tuple[GameLevels, ...]

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            f"{game.rules}: {name}": game.means[game.limits.index(limit)]
            for game in self.games
            for name, limit in LEVELS.items()
            if limit in game.limits
        }


def measure_levels(
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
    games: Sequence[str | Ruleset] = GAMES,
    limits: Sequence[float] = LIMITS,
) -> LevelsStudy:
    """Every mean; `rules` come first."""
    code = source_digest(__name__)
    found = []
    names = dict.fromkeys([ruleset(rules), *map(ruleset, games)])
    for i, game in enumerate(names):
        kept = part_file(context.home, "levels", stored_name(game), code, game.fingerprint, repr(limits))

        def measure(game: Ruleset = game, i: int = i) -> GameLevels:
            return game_levels(game, limits, context.part(i, len(names)))

        found.append(kept_part(kept, GameLevels, measure))
    return LevelsStudy(tuple(found))


def game_levels(game: Ruleset, limits: Sequence[float], context: Context = DEFAULT_CONTEXT) -> GameLevels:
    """One game: its references, and its opponents by limit."""
    table = stored_table(game, context=context.quiet())
    references = []
    for name in REFERENCES:
        try:
            player = find_policy(name, game, context=context.quiet())
        except YatzyError:
            continue
        references.append(Reference(name, visit(player, context.threads).mean))
    means = []
    for i, limit in enumerate(limits):
        context.step(i, len(limits))
        means.append(visit(Opponent(table, limit), context.threads).mean)
    return GameLevels(game.name, table.value(), tuple(references), tuple(limits), tuple(means))
