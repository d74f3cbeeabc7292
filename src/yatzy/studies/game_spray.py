"""Ten thousand perfect games with their scorecards, small enough for a web page.

    score = sum of points + bonus.

A column per category holds one character per game: digit k (base 36) of `points` stands for the k-th number of
`possible`, and of `turns` for the turn, from 1. In JavaScript: possible[parseInt(points[game], 36)].
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from yatzy.context import HERE, Context
from yatzy.errors import YatzyError
from yatzy.evaluate.simulate import simulate
from yatzy.policy.registry import find_policy
from yatzy.rules import Ruleset
from yatzy.turn.outcomes import outcomes

SEED = 2
GAMES = 10_000
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Column:
    """A category in all games."""

    category: str
    possible: list[int]
    points: str
    turns: str


@dataclass(frozen=True)
class GameSpray:
    """Seeded games of optimal play; `bonus` and `yatzy` are strings of 0 and 1, one for each game."""

    policy: str
    rules: str
    games: int
    seed: int
    bonus_points: int
    mean: float
    sd: float
    score: list[int]
    bonus: str
    yatzy: str
    columns: list[Column]

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            "games": self.games, "mean": self.mean, "sd": self.sd, "lowest": min(self.score),
            "highest": max(self.score),
        }  # fmt: skip


def spray_games(
    rules: str | Ruleset = "scandinavian", context: Context = HERE, games: int = GAMES, seed: int = SEED
) -> GameSpray:
    """Play the games and pack them."""
    policy = find_policy("optimal", rules, context=context.quiet())
    played = simulate(policy, games, seed, context=context)
    ends = outcomes(policy.rules)
    possible = [ends.points[a:b] for a, b in zip(ends.start[:-1], ends.start[1:], strict=True)]
    if max(policy.rules.n_categories + 1, *map(len, possible)) > len(DIGITS):
        raise YatzyError("rules", policy.rules.name, why="has too many categories or points for one digit each")
    return GameSpray(
        policy=policy.name,
        rules=policy.rules.name,
        games=games,
        seed=seed,
        bonus_points=policy.rules.bonus,
        mean=round(played.mean, 3),
        sd=round(played.sd, 3),
        score=played.score.tolist(),
        bonus=_digits(played.bonus.astype(int)),
        yatzy=_digits(played.yatzy.astype(int)),
        columns=[
            Column(
                category=category.name.lower(),
                possible=possible[c].tolist(),
                points=_digits(np.searchsorted(possible[c], played.points[:, c])),
                turns=_digits(played.turn[:, c]),
            )
            for c, category in enumerate(policy.rules.categories)
        ],
    )


def _digits(numbers: Iterable[int]) -> str:
    return "".join(DIGITS[number] for number in numbers)
