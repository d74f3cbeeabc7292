"""A ruleset is data: how many dice, faces and rerolls, which categories, and the bonus."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

from yatzy.errors import YatzyError
from yatzy.rules.scoring import Score


@dataclass(frozen=True, eq=False)
class Category:
    """One box of the scorecard. Points of an `upper` category count towards the bonus."""

    name: str
    score: Score = field(repr=False)
    upper: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Listed:
    """A scoring function as a list of the points it gives."""

    points: dict[tuple[int, ...], int]

    def __call__(self, counts: Sequence[int]) -> int:
        return self.points[tuple(counts)]


@dataclass(frozen=True, eq=False)
class Ruleset:
    """One game: `rerolls` after the first roll, one category filled per turn.

    The bonus is paid once, at the end, if the upper categories sum to `bonus_threshold` or more.
    """

    name: str
    dice: int
    faces: int
    rerolls: int
    categories: tuple[Category, ...]
    bonus_threshold: int = 0
    bonus: int = 0

    def __post_init__(self) -> None:
        if min(self.dice, self.faces, len(self.categories)) < 1 or self.rerolls < 0:
            raise YatzyError(
                f"ruleset {self.name!r} needs at least one die, one face and one category and rerolls of 0 or more"
            )
        if self.bonus_threshold < 0 or self.bonus < 0:
            raise YatzyError(f"ruleset {self.name!r}: bonus and bonus_threshold must be 0 or more")
        names = [normalise(name) for c in self.categories for name in (c.name, *c.aliases)]
        if len(set(names)) < len(names):
            raise YatzyError(f"ruleset {self.name!r} uses a category name or alias twice")
        if any(points != int(points) or points < 0 for row in self.scores for points in row):
            raise YatzyError(f"ruleset {self.name!r}: points must be whole numbers, 0 or more")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the points that the scoring functions give: the functions themselves may be anything."""
        counts = [tuple(roll.count(face) for face in range(1, self.faces + 1)) for roll in self.rolls]
        by_category = zip(*self.scores, strict=True)
        categories = tuple(
            Category(c.name, Listed(dict(zip(counts, points, strict=True))), c.upper, c.aliases)
            for c, points in zip(self.categories, by_category, strict=True)
        )
        numbers = self.dice, self.faces, self.rerolls
        return Ruleset, (self.name, *numbers, categories, self.bonus_threshold, self.bonus)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ruleset) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @property
    def n_categories(self) -> int:
        return len(self.categories)

    @property
    def all_filled(self) -> int:
        """The filled mask of a finished game."""
        return (1 << self.n_categories) - 1

    @cached_property
    def upper_ids(self) -> tuple[int, ...]:
        """Categories that count towards the bonus."""
        return tuple(i for i, category in enumerate(self.categories) if category.upper)

    @cached_property
    def rolls(self) -> tuple[tuple[int, ...], ...]:
        """Every multiset of dice, as sorted faces, in lexicographic order."""
        return tuple(combinations_with_replacement(range(1, self.faces + 1), self.dice))

    @cached_property
    def scores(self) -> tuple[tuple[int, ...], ...]:
        """Points by roll and category."""
        by_roll = []
        for roll in self.rolls:
            counts = [roll.count(face) for face in range(1, self.faces + 1)]
            by_roll.append(tuple(category.score(counts) for category in self.categories))
        return tuple(by_roll)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that changes play: same fingerprint, same game."""
        behaviour = (
            self.dice,
            self.faces,
            self.rerolls,
            self.bonus_threshold,
            self.bonus,
            tuple((c.name, c.upper) for c in self.categories),
            self.scores,
        )
        return hashlib.sha256(repr(behaviour).encode()).hexdigest()[:16]


def normalise(name: str) -> str:
    """A name as it is compared: case, spaces and punctuation do not matter."""
    return "".join(ch for ch in name.casefold() if ch.isalnum())
