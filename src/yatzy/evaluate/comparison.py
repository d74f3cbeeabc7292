"""Several policies on the same dice: they differ far less from game to game than their means are uncertain."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from yatzy.context import HERE, Context
from yatzy.errors import YatzyError, extra
from yatzy.evaluate.simulate import CONFIDENCE_95, Games, check_games, simulate
from yatzy.pictures import Share, html_table
from yatzy.policy.registry import Player, as_policy
from yatzy.rules import Ruleset

if TYPE_CHECKING:
    import polars


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


@dataclass(frozen=True, repr=False)
class Comparison(Sequence[Compared]):
    """Policies on the same dice, each compared with the first."""

    rows: tuple[Compared, ...]
    games: int
    seed: int

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def frame(self) -> "polars.DataFrame":
        """One row per policy."""
        with extra("lab"):
            import polars as pl

        return pl.DataFrame([asdict(row) for row in self])

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


def compare(
    *policies: Player,
    games: int = 100_000,
    seed: int = 0,
    rules: str | Ruleset | None = None,
    context: Context = HERE,
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
        raise YatzyError("policies", len(policies), "two or more", "cannot be compared")
    check_games(games, seed)
    players = [as_policy(policy, rules) for policy in policies]
    for player in players:
        if player.rules != players[0].rules:
            why = f"plays {player.rules.name}, the first {players[0].rules.name}"
            raise YatzyError("policies", player.name, why=why)
    with context.shown(f"playing {games:,} games") as shown:
        played = [
            simulate(player, games, seed, context=shown.part(i, len(players))) for i, player in enumerate(players)
        ]
    rows = (compare_games(player.name, own, played[0]) for player, own in zip(players, played, strict=True))
    return Comparison(tuple(rows), games, seed)


def compare_games(policy: str, played: Games, first: Games) -> Compared:
    """The games of a policy, and how far they end above those of the first on the same dice."""
    ahead = played.score.astype(float) - first.score
    mean, spread = float(ahead.mean()), 0.0
    if len(played) > 1:
        spread = CONFIDENCE_95 * float(ahead.std(ddof=1)) / math.sqrt(len(played))
    return Compared(
        policy, played.mean, played.sd, mean, mean - spread, mean + spread,
        float((ahead > 0).mean()), float((ahead == 0).mean()),
    )  # fmt: skip
