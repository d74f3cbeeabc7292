"""How well somebody plays: points lost per game and per decision that is not obvious, as levels.

What decisions lose has no luck in it. Over n games

    lost = mean of what a game lost,      95% interval: lost +- t(n - 1) * sd / sqrt(n)

A decision is not *obvious* if its second best action loses UNCLEAR[0] to UNCLEAR[1] points: where nobody can go
wrong, and where hardly anybody would, nothing is learnt about the player.

Levels lie between players whose exact means are known (`REFERENCES`, in Scandinavian Yatzy). In other games, and
under house rules, the same shares of the mean are lost:

    a level begins where a player loses less than    best * (best_S - mean_S(reference)) / best_S

`Opponent`s (`policies.opponents`) have exact means too, by the limit of a move; the one whose mean is nearest to
somebody's is an opponent as strong. The study `levels` computes all these means.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Literal, get_args

from yatzy.coach.review import Review, review
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.game.game import Game, GameGiven, log_of
from yatzy.game.json import ALWAYS, Count, Positive, from_json, json_property
from yatzy.game.log import GameLog, read_logs
from yatzy.policies.opponents import name_of
from yatzy.rules import Ruleset, ruleset
from yatzy.sealed import read_sealed
from yatzy.solver.store import table_of
from yatzy.storage import RESULTS
from yatzy.svg import html_table

LevelWord = Literal["beginner", "casual player", "regular", "skilled player", "expert", "master"]
WORDS: tuple[LevelWord, ...] = get_args(LevelWord)
# Each begins the next level: a bot that plays by patterns, most points now, two charts, a card.
REFERENCES = ("heuristic", "greedy", "chart-10", "chart-20", "card-20")
# By how many points the best action of a decision that is not obvious leads.
UNCLEAR = (0.01, 2.0)
# Student's t for 95%, by degrees of freedom from 1; beyond the last NORMAL_95 + T_BEYOND / freedom, to 0.001.
T_95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
NORMAL_95, T_BEYOND = 1.960, 2.37
SCALE = "scandinavian"


@dataclass(frozen=True)
class Reference:
    """A player and its exact mean."""

    player: str
    mean: float


@dataclass(frozen=True)
class GameLevels:
    """The exact means in one game: of perfect play, of `references`, and of opponents by their limit."""

    rules: str
    best: float
    references: tuple[Reference, ...]
    limits: tuple[float, ...]
    means: tuple[float, ...]

    def mean_of(self, limit: float) -> float:
        """The mean of an opponent of one of these limits."""
        return self.means[self.limits.index(limit)]

    def limit_for(self, lost: float) -> float:
        """The limit of the opponent whose mean is nearest to that of losing this much a game."""
        by_distance = {
            abs(self.best - lost - mean): limit for limit, mean in zip(self.limits, self.means, strict=True)
        }
        return by_distance[min(by_distance)]


@cache
def published_levels() -> dict[str, GameLevels]:
    """By game, what the study `levels` computed."""
    found = [from_json(GameLevels, one) for one in read_sealed(RESULTS / "levels.json")["games"]]
    return {one.rules: one for one in found}


def level_shares() -> tuple[float, ...]:
    """The share of the best mean that a player at the beginning of each level but the first loses."""
    scale = published_levels()[SCALE]
    means = {one.player: one.mean for one in scale.references}
    return tuple((scale.best - means[player]) / scale.best for player in REFERENCES)


def levels_of(rules: Ruleset, best: float) -> GameLevels:
    """Those of a game; under house rules, those of the game they change, in proportion to the best mean."""
    known = published_levels()
    if rules.name in known:
        return known[rules.name]
    like = known.get(rules.name.partition("+")[0], known[SCALE])
    by = best / like.best
    return GameLevels(rules.name, best, (), like.limits, tuple(by * mean for mean in like.means))


def level_word(lost: float, best: float) -> LevelWord:
    """The level of a player who loses this much a game, where perfect play makes `best`."""
    return WORDS[sum(lost < share * best for share in level_shares())]


def half_interval(losses: list[float]) -> float | None:
    """Half of the 95% interval of the mean; None for a single game."""
    n = len(losses)
    if n < 2:
        return None
    t = T_95[n - 2] if n - 2 < len(T_95) else NORMAL_95 + T_BEYOND / (n - 1)
    return t * stdev(losses) / math.sqrt(n)


@dataclass(frozen=True, repr=False)
class Level:
    """How well somebody plays; `history` is what each game lost, in their order.

    `within` is half of the 95% interval of `lost`, None for a single game. `unclear` counts the decisions that are
    not obvious. `boxes` are points lost per game by the box of the turn, most first.
    """

    rules: Ruleset
    best: float
    history: Annotated[tuple[float, ...], ALWAYS]
    unclear: Count
    lost_in_unclear: Positive
    boxes: Annotated[dict[str, float], ALWAYS]

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

    @json_property
    def lost_each(self) -> float | None:
        """Points lost per decision that is not obvious; None if there is none."""
        return self.lost_in_unclear / self.unclear if self.unclear else None

    @json_property
    def mean(self) -> float:
        """The average score of playing so."""
        return self.best - self.lost

    @json_property
    def word(self) -> LevelWord:
        return level_word(self.lost, self.best)

    @json_property
    def opponent(self) -> str:
        """The name of an opponent as strong: `level-3`, or `limit-3`."""
        return name_of(levels_of(self.rules, self.best).limit_for(self.lost))

    def __repr__(self) -> str:
        within = "" if self.within is None else f" +- {self.within:.1f}"
        games = f"{self.games} game{'' if self.games == 1 else 's'}"
        return f"<Level of {games} of {self.rules.name}: {self.word}, {self.lost:.1f}{within} points lost a game>"

    def _repr_html_(self) -> str:
        return html_table(("box", "lost per game"), list(self.boxes.items()), repr(self)[1:-1])


def level(
    games: "Review | GameGiven | Iterable[Review | GameGiven]",
    rules: str | Ruleset | None = None,
    context: Context = DEFAULT_CONTEXT,
) -> Level:
    """How well whoever played these games plays.

    >>> import yatzy
    >>> games = [yatzy.play_on(yatzy.Game("yacht", seed=seed), "greedy") for seed in range(3)]
    >>> yatzy.level(games)
    <Level of 3 games of yacht: regular, 14.5 +- 14.9 points lost a game>

    `games` are finished games by the same rules, each a `Review`, a `Game`, a log, a JSON object or a file (which
    may hold many). Unfinished games, those that began on a filled card, those with hints and those that a policy
    played are left out (`GameLog.start`, `hints`, `policy`). Where the coach warned, what was wanted first counts.
    """
    kept = own_games(games, rules, "a level is")
    with context.shown("reviewing") as shown:
        return _level([reviewed(one, shown) for one in kept])


def own_games(
    games: "Review | GameGiven | Iterable[Review | GameGiven]", rules: str | Ruleset | None, what: str
) -> list[Review | GameLog]:
    """The games that a person finished from an empty card, without hints and by the same rules; `what` asks."""
    own = None if rules is None else ruleset(rules)
    given = [games] if isinstance(games, Review | Game | GameLog | str | Path | Mapping) else games
    found: list[Review | GameLog] = []
    for one in given:
        if isinstance(one, Review):
            found.append(one)
        else:
            found += read_logs(one, own) if isinstance(one, str | Path) else [log_of(one, own)]
    logs = [one.log if isinstance(one, Review) else one for one in found]
    kept = [
        one
        for one, log in zip(found, logs, strict=True)
        if log.is_finished and not (log.policy or log.hints or log.start)
    ]
    names = {log.rules for log in logs}
    if len(names) > 1:
        said = ", ".join(sorted(one.name for one in names))
        raise YatzyError("games", why=f"are of {len(names)} rules ({said}); {what} of games by the same rules")
    if not kept:
        raise YatzyError("games", why="are none that a person finished without hints, and it takes at least one")
    return kept


def reviewed(one: Review | GameLog, context: Context) -> Review:
    return one if isinstance(one, Review) else review(one, table_of(one.rules, context=context), context=context)


def _level(reviews: list[Review]) -> Level:
    boxes: dict[str, float] = {}
    for found in reviews:
        for turn in found.turns:
            boxes[turn.category] = boxes.get(turn.category, 0.0) + turn.lost / len(reviews)
    unclear = [
        one.regret
        for found in reviews
        for one in found.decisions
        if one.lead is not None and UNCLEAR[0] <= one.lead <= UNCLEAR[1]
    ]
    return Level(
        rules=reviews[0].log.rules,
        best=reviews[0].start_value,
        history=tuple(found.lost for found in reviews),
        unclear=len(unclear),
        lost_in_unclear=math.fsum(unclear),
        boxes=dict(sorted(boxes.items(), key=lambda item: -item[1])),
    )
