"""A ruleset is data: dice, faces, rerolls, categories, the bonus, and special rolls.

A state is the set of filled categories and the upper total (capped); some games add

* *flags*, bits beside the categories: in Yahtzee, that the Yahtzee box holds points and not a zero;
* *saved* throws, kept from earlier turns.

A *mask* is one number for all of it but the upper total: a bit per category, then a bit per flag, then the saved
throws. Throughout the package, `filled` is such a mask.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple, Protocol

from yatzy.errors import YatzyError, check_int
from yatzy.rules.scoring import Score

Roll = tuple[int, ...]

# Nobody plays games beyond this, and none of them could be solved today.
RANGES = {"dice": (1, 12), "faces": (1, 20), "rerolls": (0, 9), "bonus_threshold": (0, 12_000), "bonus": (0, 1000)}
MAX_POINTS = 500
MAX_CATEGORIES = 24
MAX_KEEPS = 20_000
# Maxi Yatzy with saved throws, the largest game of the catalogue, has 1.9 billion places in its table.
MAX_PLACES = 2_000_000_000
LONGEST_NAME = 40
# Punctuation of the notation of filled boxes, states and situations.
RESERVED = ",*@|"


@dataclass(frozen=True, eq=False)
class Category:
    """One box of the scorecard. Points of an `upper` category count towards the bonus.

    `score` receives how many dice show each face, ones first, and returns the points: a whole number, 0 or more.

    >>> evens = Category("Evens", lambda counts: 2 * counts[1] + 4 * counts[3] + 6 * counts[5])
    >>> evens.score([0, 1, 0, 2, 2, 0])             # the dice 2 4 4 5 5
    10
    """

    name: str
    score: Score = field(repr=False)
    upper: bool = False
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.aliases, tuple | list):
            raise YatzyError("aliases", self.aliases, "a list of texts")
        object.__setattr__(self, "aliases", tuple(self.aliases))
        for key, name in self._names():
            _check_name(key, name)
        if not callable(self.score):
            raise YatzyError("score", self.score, "a function of how many dice show each face")
        if not isinstance(self.upper, bool):
            raise YatzyError("upper", self.upper, ("True", "False"))

    def add_names(self, used: dict[str, str]) -> None:
        """Add the name and aliases to those in use; refuse a duplicate."""
        for key, name in self._names():
            if normalise(name) in used:
                raise YatzyError(key, name, "a name of its own", f"is already used by {used[normalise(name)]!r}")
            used[normalise(name)] = self.name

    def _names(self) -> list[tuple[str, str]]:
        """The name and aliases, each with its field."""
        return [("name", self.name), *(("aliases", alias) for alias in self.aliases)]


class Outcome(NamedTuple):
    """A way to end a turn: a category, the points in it, extra points beside it, and whether its flag is set."""

    category: int
    points: int
    extra: int = 0
    flag: bool = False


class SpecialRolls(Protocol):
    """Rolls whose scoring depends on what is filled, such as Yahtzee's jokers.

    `flagged` are the categories with a flag, in the order of their bits. Implement it as a frozen dataclass: equal
    objects must be equal rules, and the `repr` is part of the fingerprint.
    """

    @property
    def flagged(self) -> tuple[int, ...]: ...

    def rolls(self, rules: "Ruleset") -> tuple[Roll, ...]:
        """The special rolls, as sorted faces."""
        ...

    def kind(self, rules: "Ruleset", roll: Roll, filled: Any) -> Any:
        """The way of scoring in a mask, or in each mask of an array, as a small number."""
        ...

    def check(self, rules: "Ruleset") -> None:
        """Refuse a ruleset that these rolls do not suit."""
        ...

    def outcomes(self, rules: "Ruleset", roll: Roll, kind: int) -> tuple[Outcome, ...]:
        """The outcomes of that way of scoring, at most one per category, filled categories included."""
        ...


@dataclass(frozen=True)
class Listed:
    """A scoring function as a table."""

    points: dict[tuple[int, ...], int]

    def __call__(self, counts: Sequence[int]) -> int:
        return self.points[tuple(counts)]


@dataclass(frozen=True, eq=False)
class Ruleset:
    """One game: `rerolls` after the first roll, one category filled per turn.

    >>> import yatzy
    >>> game = Ruleset("mine", dice=5, faces=6, rerolls=2, bonus_threshold=20, bonus=10, categories=(
    ...     Category("Sixes", lambda counts: 6 * counts[5], upper=True),
    ...     Category("All", lambda counts: sum(face * n for face, n in enumerate(counts, start=1))),
    ... ))
    >>> round(yatzy.solve(game).value(), 4)
    38.8546

    The bonus is paid once, at the end, if the upper categories sum to `bonus_threshold` or more. With
    `saves_throws`, rerolls that are not used are kept for later turns; with `forced_order`, categories are filled
    from the first to the last; `special` are rolls whose scoring depends on what is filled.
    """

    name: str
    dice: int
    faces: int
    rerolls: int
    categories: tuple[Category, ...]
    bonus_threshold: int = 0
    bonus: int = 0
    saves_throws: bool = False
    forced_order: bool = False
    special: SpecialRolls | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise YatzyError("name", self.name, "a text")
        for key, (lowest, highest) in RANGES.items():
            object.__setattr__(self, key, check_int(key, getattr(self, key), lowest, highest))
        for key in ("saves_throws", "forced_order"):
            if not isinstance(getattr(self, key), bool):
                raise YatzyError(key, getattr(self, key), ("True", "False"))
        if comb(self.dice + self.faces, self.faces) > MAX_KEEPS:
            why = f"{{given}} with {self.faces} faces are too many"
            raise YatzyError("dice", self.dice, f"at most {MAX_KEEPS:,} ways to keep dice", why)
        self._check_categories()
        self._check_special()
        self._check_size()

    def _check_categories(self) -> None:
        boxes = self.categories
        if not isinstance(boxes, tuple | list) or not all(isinstance(box, Category) for box in boxes):
            raise YatzyError("categories", boxes, "a tuple of categories")
        object.__setattr__(self, "categories", tuple(boxes))
        if not 1 <= len(boxes) <= MAX_CATEGORIES:
            raise YatzyError("categories", len(boxes), f"1..{MAX_CATEGORIES}", "boxes are not allowed")
        used: dict[str, str] = {}
        for number, category in enumerate(boxes):
            try:
                category.add_names(used)
            except YatzyError as error:
                raise error.within(f"categories[{number}]") from None
        _ = self.scores

    def _check_special(self) -> None:
        if self.special is None:
            return
        if not hasattr(self.special, "outcomes"):
            raise YatzyError("special", self.special, "special rolls, such as jokers")
        if self.forced_order:
            raise YatzyError("special", why="cannot go with a forced order, which leaves nothing to choose")
        try:
            self.special.check(self)
        except YatzyError as error:
            raise error.within("special") from None

    def _check_size(self) -> None:
        """Refuse a game whose table would be too large for any ordinary computer."""
        # On average half of the boxes are filled, and all their rerolls may have been saved.
        numbers_saved = 1 + self.rerolls * self.n_categories / 2 * self.saves_throws
        places = self.n_sets * numbers_saved * (self.bonus_threshold + 1)
        if places > MAX_PLACES:
            why = f"{{given}} boxes need a table of {places:,.0f} values"
            raise YatzyError("categories", self.n_categories, f"at most {MAX_PLACES:,}", why)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle scoring functions as tables: the functions may not be picklable."""
        counts = [tuple(roll.count(face) for face in range(1, self.faces + 1)) for roll in self.rolls]
        by_category = zip(*self.scores, strict=True)
        categories = tuple(
            Category(c.name, Listed(dict(zip(counts, points, strict=True))), c.upper, c.aliases)
            for c, points in zip(self.categories, by_category, strict=True)
        )
        return Ruleset, (
            self.name, self.dice, self.faces, self.rerolls, categories, self.bonus_threshold, self.bonus,
            self.saves_throws, self.forced_order, self.special,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ruleset) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"<Ruleset {self.name}: {self.dice} dice, {self.n_categories} boxes>"

    @property
    def n_categories(self) -> int:
        return len(self.categories)

    @cached_property
    def category_ids(self) -> dict[str, int]:
        """Categories by their normalised names and aliases."""
        return {
            normalise(name): category_id
            for category_id, category in enumerate(self.categories)
            for name in (category.name, *category.aliases)
        }

    @property
    def all_filled(self) -> int:
        """The mask of a finished game, without flags and saved throws."""
        return (1 << self.n_categories) - 1

    @property
    def flagged(self) -> tuple[int, ...]:
        """The categories that have a flag."""
        return self.special.flagged if self.special else ()

    @property
    def saved_shift(self) -> int:
        """Where the saved throws begin in a mask."""
        return self.n_categories + len(self.flagged)

    @property
    def n_sets(self) -> int:
        """Masks without saved throws."""
        return 1 << self.saved_shift

    @property
    def most_saved(self) -> int:
        """The most throws that can have been saved when the last turn begins."""
        return self.rerolls * (self.n_categories - 1) if self.saves_throws else 0

    @property
    def is_plain(self) -> bool:
        """Whether there are no special rolls, saved throws or forced order."""
        return not (self.special or self.saves_throws or self.forced_order)

    def check_plain(self, what: str) -> None:
        """Refuse a game with special rolls, saved throws or a forced order."""
        if not self.is_plain:
            why = f"{what} for games without jokers, saved throws or a forced order, not for {self.name}"
            raise YatzyError("rules", why=why)

    def flag_of(self, category_id: int) -> int:
        """The bit of a category's flag, 0 if it has none."""
        return 1 << self.n_categories + self.flagged.index(category_id) if category_id in self.flagged else 0

    def is_finished(self, filled: Any) -> Any:
        """Whether every category of a mask (or of each mask of an array) is filled."""
        return filled & self.all_filled == self.all_filled

    def closed(self, filled: Any) -> Any:
        """The categories that may not be filled in this turn, as bits, for a mask or each mask of an array."""
        boxes = filled & self.all_filled
        return self.all_filled & ~(~boxes & (boxes + 1)) if self.forced_order else boxes

    @cached_property
    def upper_ids(self) -> tuple[int, ...]:
        """Categories that count towards the bonus."""
        return tuple(i for i, category in enumerate(self.categories) if category.upper)

    @cached_property
    def rolls(self) -> tuple[Roll, ...]:
        """Every multiset of dice, as sorted faces, in lexicographic order."""
        return tuple(combinations_with_replacement(range(1, self.faces + 1), self.dice))

    @cached_property
    def scores(self) -> tuple[tuple[int, ...], ...]:
        """Points by roll and category."""
        by_roll = []
        for roll in self.rolls:
            counts = [roll.count(face) for face in range(1, self.faces + 1)]
            by_roll.append(tuple(_points(i, category.score(counts)) for i, category in enumerate(self.categories)))
        return tuple(by_roll)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that affects play: same fingerprint, same game."""
        behaviour: tuple[Any, ...] = (
            self.dice,
            self.faces,
            self.rerolls,
            self.bonus_threshold,
            self.bonus,
            tuple((c.name, c.upper) for c in self.categories),
            self.scores,
        )
        if self.saves_throws or self.forced_order or self.special:
            behaviour = (*behaviour, self.saves_throws, self.forced_order, repr(self.special))
        return hashlib.sha256(repr(behaviour).encode()).hexdigest()[:16]


def normalise(name: str) -> str:
    """A name without case, spaces and punctuation, for comparison."""
    return "".join(ch for ch in name.casefold() if ch.isalnum())


def is_text(value: Any, longest: int) -> bool:
    """Whether it is a printable string, not blank or padded, of at most this length."""
    return isinstance(value, str) and 0 < len(value) <= longest and value.isprintable() and value == value.strip()


def _check_name(key: str, name: Any) -> None:
    if not is_text(name, LONGEST_NAME):
        raise YatzyError(key, name, f"a text of 1 to {LONGEST_NAME} characters")
    if normalise(name) in ("", "none") or set(name) & set(RESERVED):
        allowed = f"a name with a letter or digit, without {' '.join(RESERVED)} and other than 'none'"
        raise YatzyError(key, name, allowed)


def _points(category_id: int, points: Any) -> int:
    """The points as an int, whatever kind of number the function returned."""
    try:
        if int(points) == points and 0 <= points <= MAX_POINTS:
            return int(points)
    except (TypeError, ValueError, OverflowError):
        pass
    raise YatzyError(f"categories[{category_id}].score", points, f"a whole number, 0..{MAX_POINTS}")
