"""`yatzy.evaluate`, `yatzy.simulate` and `yatzy.compare`: what a way of playing is worth."""

import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from yatzy.api.names import Player, as_policy
from yatzy.api.progress import shown
from yatzy.errors import YatzyError
from yatzy.evaluate import distribution, exact
from yatzy.evaluate import simulate as simulating
from yatzy.evaluate.simulate import check_games
from yatzy.pictures import Share, histogram, html_table
from yatzy.policy.base import SeesPoints
from yatzy.rules import Ruleset
from yatzy.running import Progress, part_of

if TYPE_CHECKING:
    import polars

CONFIDENCE_95 = 1.959964


@dataclass(frozen=True, repr=False)
class Distribution(distribution.Distribution):
    """Probabilities by score: `mean`, `sd`, `quantile(0.9)`, `at_least(300)`, `pmf`, and a picture: `svg()`."""

    def frame(self) -> "polars.DataFrame":
        """Every score that can occur, with its probability."""
        import polars as pl

        return pl.DataFrame({"score": range(len(self.pmf)), "probability": self.pmf}).filter(
            pl.col("probability") > 0
        )

    def svg(self, title: str = "") -> str:
        """The distribution as a picture, to be written to a file or shown in a page."""
        return histogram(self.pmf, title or repr(self)[1:-1])

    def __repr__(self) -> str:
        low, high = self.quantile(0.05), self.quantile(0.95)
        return f"<Distribution: mean {self.mean:.4f}, SD {self.sd:.4f}, 90% from {low} to {high}>"

    def _repr_html_(self) -> str:
        return self.svg()


@dataclass(frozen=True, repr=False)
class Evaluation(exact.Evaluation):
    """Everything exact about a policy: `mean`, `sd`, `bonus_rate`, `distribution`, `category_means`, ..."""

    @cached_property
    def distribution(self) -> Distribution:
        return Distribution(super().distribution.pmf)

    def frame(self) -> "polars.DataFrame":
        """One row per box: mean, how often it is zero, and in which turn it is filled on average."""
        import polars as pl

        turns = self.fill_turn @ range(1, self.fill_turn.shape[1] + 1)
        return pl.DataFrame(
            {
                "category": [category.name for category in self.rules.categories],
                "mean": self.category_means,
                "zero_rate": self.category_zero_rates,
                "turn": turns,
            }
        )

    def __repr__(self) -> str:
        return f"<Evaluation of {self.policy}, {self.rules.name}: mean {self.mean:.4f}, SD {self.sd:.4f}, exact>"

    def _repr_html_(self) -> str:
        rows = [(box, mean, Share(zero), turn) for box, mean, zero, turn in self.frame().rows()]
        return self.distribution.svg(repr(self)[1:-1]) + html_table(("box", "mean", "zero", "mean turn"), rows)


@dataclass(frozen=True, repr=False)
class Games(simulating.Games):
    """Games that were played: `score`, `points`, ... one row per game; `frame()` is all of it as a table."""

    def __repr__(self) -> str:
        error = CONFIDENCE_95 * self.standard_error
        return f"<{len(self):,} games of {self.rules.name}: mean {self.mean:.3f} +- {error:.3f}, SD {self.sd:.2f}>"

    def _repr_html_(self) -> str:
        import numpy as np

        return histogram(np.bincount(self.score) / len(self), repr(self)[1:-1])


@dataclass(frozen=True)
class Compared:
    """One of several policies on the same dice: against the first, the difference with its 95% interval."""

    policy: str
    mean: float
    sd: float
    difference: float
    low: float
    high: float
    wins: float
    ties: float


class Comparison(list[Compared]):
    """Policies on the same dice, each compared with the first."""

    def __init__(self, rows: list[Compared], games: int, seed: int) -> None:
        super().__init__(rows)
        self.games, self.seed = games, seed

    def frame(self) -> "polars.DataFrame":
        """One row per policy."""
        import polars as pl

        return pl.DataFrame([vars(row) for row in self])

    def __reduce__(self) -> tuple[Any, ...]:
        return Comparison, (list(self), self.games, self.seed)

    def __repr__(self) -> str:
        told = ", ".join(f"{row.policy} {row.mean:.2f}" for row in self)
        return f"<Comparison over {self.games:,} games, seed {self.seed}: {told}>"

    def _repr_html_(self) -> str:
        headings = ("policy", "mean", "SD", "difference", "from", "to", "wins", "ties")
        first, *others = self
        rows = [
            (one.policy, one.mean, one.sd, one.difference, one.low, one.high, Share(one.wins), Share(one.ties))
            for one in others
        ]
        return html_table(headings, [(first.policy, first.mean, first.sd, *[None] * 5), *rows], repr(self)[1:-1])


def evaluate(
    policy: Player = "optimal",
    rules: str | Ruleset | None = None,
    theta: float = 0.0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """The exact strength of a policy: nothing is sampled.

    >>> import yatzy
    >>> found = yatzy.evaluate("heuristic")
    >>> found
    <Evaluation of heuristic, scandinavian: mean 165.3170, SD 35.4789, exact>
    >>> round(found.distribution.at_least(200), 4), round(found.bonus_rate, 4)
    (0.1853, 0.0161)
    >>> found.frame().sort("mean").row(-1)[0]
    'Yatzy'

    `policy` is a name (`yatzy evaluate --help` lists them), the file of a student or a rule list, a `Policy`, or a
    function of a situation: see `yatzy.policy`. `theta` is for optimal play.
    """
    with shown(progress, "solving") as report:
        player = as_policy(policy, rules, theta, report)
    if isinstance(player, SeesPoints):
        raise YatzyError(
            f"policy: {player.name!r} sees the points on the card; use yatzy.evaluate.with_points, or simulate"
        )
    with shown(progress, f"evaluating {player.name}") as report:
        found = exact.evaluate(player, threads, report)
    return Evaluation(**{field.name: getattr(found, field.name) for field in fields(found)})


def simulate(
    policy: Player = "optimal",
    games: int = 100_000,
    seed: int = 0,
    rules: str | Ruleset | None = None,
    theta: float = 0.0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Games:
    """Play seeded games: the same seed gives the same dice to everybody, on any machine.

    >>> import yatzy
    >>> games = yatzy.simulate("heuristic", games=10_000, seed=1)
    >>> games
    <10,000 games of scandinavian: mean 165.536 +- 0.696, SD 35.52>
    >>> games.frame().shape
    (10000, 34)
    """
    check_games(games, seed)
    with shown(progress, "solving") as report:
        player = as_policy(policy, rules, theta, report)
    with shown(progress, f"playing {games:,} games") as report:
        found = simulating.simulate(player, games, seed, threads, report)
    return Games(**{field.name: getattr(found, field.name) for field in fields(found)})


def compare(
    *policies: Player,
    games: int = 100_000,
    seed: int = 0,
    rules: str | Ruleset | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Several policies on the same dice, each with its difference to the first.

    >>> import yatzy
    >>> found = yatzy.compare("greedy", "heuristic", games=10_000)
    >>> [row.policy for row in found], found[1].low < found[1].difference < found[1].high
    (['greedy', 'heuristic'], True)

    They see the same dice wherever they reach the same point, so a difference needs far fewer games than means do.
    `wins` and `ties` are the shares of games that end above and level with the first.
    """
    if len(policies) < 2:
        raise YatzyError(f"policies: {len(policies)} cannot be compared; allowed are two or more")
    check_games(games, seed)
    players = [as_policy(policy, rules) for policy in policies]
    rows: list[Compared] = []
    with shown(progress, f"playing {games:,} games") as report:
        for i, player in enumerate(players):
            played = simulating.simulate(player, games, seed, threads, part_of(report, i, len(players)))
            if not rows:
                first = played
            elif played.rules != first.rules:
                raise YatzyError(
                    f"policies: {player.name!r} plays {played.rules.name}, the first {first.rules.name}"
                )
            ahead = played.score.astype(float) - first.score
            mean, spread = float(ahead.mean()), 0.0
            if games > 1:
                spread = CONFIDENCE_95 * float(ahead.std(ddof=1)) / math.sqrt(games)
            rows.append(
                Compared(
                    player.name, played.mean, played.sd, mean, mean - spread, mean + spread,
                    float((ahead > 0).mean()), float((ahead == 0).mean()),
                )
            )  # fmt: skip
    return Comparison(rows, games, seed)
