"""Who is really better: people who play together, by what their decisions lose, and how sure that is.

    score = what perfect play makes on average + luck - lost         the luck is 0 on average

so the differences of mean scores are those of mean losses, without most of the noise. With mean m, standard
deviation s and n games of a player, the mean that more and more games would come to is taken to be

    mu = m + s / sqrt(n) * t(n - 1)                                  t: Student's, as in the interval of `level`

independently for each player. Players are ranked by m; a place is *sure* if its player is better than all behind,

    P(mu_k < min over j behind of mu_j) = integral of f_k(x) * product over j of (1 - F_j(x)) dx

which is a plain sum over the angle a with x = m + s / sqrt(n) * sqrt(n - 1) * tan(a), where the density of
t(n - 1) is cos(a)^(n - 2). *More games* are how many each would have to play, at these means and spreads, until a
place is sure by SURE; *by scores* is the number of games each that it takes if only final scores are known: the
same with their spread, which is much the same for everybody.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev, variance
from typing import Annotated

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.coach.level import half_interval, own_games, reviewed
from yatzy.coach.review import Review
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.game.game import GameGiven
from yatzy.game.json import ALWAYS, Count, Positive, json_property
from yatzy.rules import Ruleset
from yatzy.svg import html_table

# How probable a place has to be.
SURE = 0.95
# Two games say next to nothing about a spread.
FEWEST = 3
# Nobody is this even.
LEAST_SD = 0.1
# More games than this nobody plays.
MOST_GAMES = 100_000
# Beyond so many degrees of freedom, t is as good as normal; and into how many angles an integral is cut.
MOST_FREEDOM, ANGLES = 200, 1000


@dataclass(frozen=True)
class Spread:
    """What is known of a mean: from `games` games of this mean and standard deviation."""

    mean: float
    sd: float
    games: int

    @property
    def error(self) -> float:
        return self.sd / math.sqrt(self.games)

    @property
    def freedom(self) -> int:
        return min(self.games - 1, MOST_FREEDOM)


def t_below(x: FloatArray, freedom: int) -> FloatArray:
    """P(t < x) of Student's t for whole degrees of freedom: a finite sum in the angle atan(x / sqrt(freedom))."""
    angle = np.arctan(x / math.sqrt(freedom))
    cos, sin = np.cos(angle), np.sin(angle)
    term = cos.copy() if freedom % 2 else np.ones_like(x)
    total = term.copy() if freedom > 1 else np.zeros_like(x)
    for k in range(2 + freedom % 2, freedom - 1, 2):
        term *= (k - 1) / k * cos * cos
        total += term
    if freedom % 2:
        return 0.5 + (angle + sin * total) / math.pi
    return 0.5 + sin * total / 2


def chance_below(one: Spread, others: Sequence[Spread]) -> float:
    """P(mu of one < mu of every other)."""
    angle = (np.arange(ANGLES) + 0.5) / ANGLES * math.pi - math.pi / 2
    density = np.cos(angle) ** (one.freedom - 1)
    x = one.mean + one.error * math.sqrt(one.freedom) * np.tan(angle)
    below = density.copy()
    for other in others:
        below *= t_below((other.mean - x) / other.error, other.freedom)
    return float(below.sum() / density.sum())


def _first(is_enough: Callable[[int], bool], least: int) -> int | None:
    """The first number from `least` on that is enough; None if MOST_GAMES are not."""
    low, high = least - 1, max(least, 1)
    while not is_enough(high):
        low, high = high, 2 * high
        if high > MOST_GAMES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class Standing:
    """A player of a league: what each game lost, and what it scored, in the order of the games.

    `within` is half of the 95% interval of `lost`. `sure` is the probability that this player is better than
    everybody behind; `more` the games that each would have to play until it is SURE, and `by_scores` the games
    each that this takes by scores alone: None if MOST_GAMES are not enough, and all three of the last player.
    """

    player: str
    history: Annotated[tuple[float, ...], ALWAYS]
    scores: Annotated[tuple[int, ...], ALWAYS]
    sure: float | None = None
    more: Count | None = None
    by_scores: Count | None = None

    @json_property
    def games(self) -> Count:
        return len(self.history)

    @json_property
    def lost(self) -> Positive:
        """Points lost per game."""
        return fmean(self.history)

    @json_property
    def within(self) -> float | None:
        return half_interval(list(self.history))

    @property
    def spread(self) -> Spread:
        return Spread(self.lost, max(stdev(self.history), LEAST_SD), self.games)


@dataclass(frozen=True, repr=False)
class League:
    """Players by what they lose per game, the best first; `others` have played too few games to be placed."""

    rules: Ruleset
    players: tuple[Standing, ...]
    others: Annotated[tuple[str, ...], ALWAYS] = ()

    @json_property
    def games(self) -> Count:
        return sum(one.games for one in self.players)

    def __repr__(self) -> str:
        told = "; ".join(
            f"{one.player} {one.lost:.1f}" + ("" if one.sure is None else f" ({one.sure:.0%} sure)")
            for one in self.players
        )
        return f"<League of {self.games} games of {self.rules.name}: {told}>"

    def _repr_html_(self) -> str:
        rows = [(one.player, one.games, one.lost) for one in self.players]
        return html_table(("player", "games", "lost per game"), rows, repr(self)[1:-1])


def standings(histories: Iterable[tuple[str, Sequence[float], Sequence[int]]]) -> tuple[Standing, ...]:
    """Players, each with what games lost and scored, in their places."""
    found = sorted(
        (Standing(name, tuple(lost), tuple(scores)) for name, lost, scores in histories), key=lambda one: one.lost
    )
    freedom = sum(one.games - 1 for one in found)
    of_scores = math.sqrt(sum((one.games - 1) * variance(one.scores) for one in found) / freedom)
    placed = []
    for place, one in enumerate(found[:-1]):
        behind = [other.spread for other in found[place + 1 :]]

        def sure_after(more: int, one: Spread = one.spread, behind: Sequence[Spread] = behind) -> float:
            first, *others = (Spread(each.mean, each.sd, each.games + more) for each in (one, *behind))
            return chance_below(first, others)

        def sure_by_scores(games: int, one: Spread = one.spread, behind: Sequence[Spread] = behind) -> float:
            first, *others = (Spread(each.mean, of_scores, games) for each in (one, *behind))
            return chance_below(first, others)

        more = _first(lambda n, sure=sure_after: sure(n) >= SURE, 0)  # type: ignore[misc]
        by_scores = _first(lambda n, sure=sure_by_scores: sure(n) >= SURE, 2)  # type: ignore[misc]
        placed.append(Standing(one.player, one.history, one.scores, sure_after(0), more, by_scores))
    return (*placed, *found[-1:])


def league(
    games: Iterable[Review | GameGiven],
    rules: str | Ruleset | None = None,
    context: Context = DEFAULT_CONTEXT,
) -> League:
    """Who of the players of these games is really better, and how sure that is.

    >>> import yatzy
    >>> played = [
    ...     yatzy.play_on(yatzy.Game("yacht", seed=seed), name).log(player=name)
    ...     for name in ("heuristic", "greedy") for seed in range(3)
    ... ]
    >>> yatzy.league(played)
    <League of 6 games of yacht: greedy 14.5 (89% sure); heuristic 31.9>

    `games` are as for `level`, each with its `player`; a game that is given twice counts once.
    """
    own = own_games(games, rules, "a league is")
    logs = [one.log if isinstance(one, Review) else one for one in own]
    named = {(log.player, log.date, log.turns): one for log, one in zip(logs, own, strict=True) if log.player}
    players: dict[str, list[Review]] = {}
    with context.shown("reviewing") as shown:
        for (player, _, _), one in named.items():
            players.setdefault(player or "", []).append(reviewed(one, shown))
    enough = {name: found for name, found in players.items() if len(found) >= FEWEST}
    if not enough:
        raise YatzyError("games", why=f"have no player with a name and {FEWEST} games or more")
    histories = ((name, [r.lost for r in found], [r.score for r in found]) for name, found in enough.items())
    return League(logs[0].rules, standings(histories), tuple(sorted(players.keys() - enough.keys())))
