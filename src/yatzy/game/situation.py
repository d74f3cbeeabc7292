"""A situation as a player sees it: dice, rerolls, open boxes and what the dice would score there.

>>> from yatzy.game.situation import Situation
>>> here = Situation.parse("3 3 3 5 6 | 1 | ones,yatzy @ 3")
>>> here.dice, here.counts, here.rerolls, here.turn
((3, 3, 3, 5, 6), (0, 0, 3, 0, 1, 1), 1, 3)
>>> "threes" in here.open, "yatzy" in here.open, here.upper
(True, False, 3)
>>> here.points["threes"], max(here.points, key=here.points.get)
(9, 'chance')

Everything is derived from four queries (the closed boxes, whether one box is closed, the upper total, the mask),
which a subclass can override to record what a function looks at: see `policies.functions`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from yatzy.errors import YatzyError
from yatzy.rules import (
    Ruleset,
    State,
    filled_names,
    format_category,
    format_dice,
    format_state,
    parse_category,
    parse_dice,
    parse_rerolls,
    parse_state,
    ruleset,
)
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes


class Facts:
    """Lookup tables shared by all situations of a ruleset."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.names = tuple(format_category(rules, c) for c in range(rules.n_categories))
        self.ids = {name: c for c, name in enumerate(self.names)}
        faces = range(1, rules.faces + 1)
        self.counts = tuple(tuple(roll.count(face) for face in faces) for roll in rules.rolls)
        self.points = tuple(dict(zip(self.names, scores, strict=True)) for scores in rules.scores)
        self.special = frozenset(outcomes(rules).special_rolls)
        self._open: dict[int, tuple[str, ...]] = {}

    def open_names(self, closed: int) -> tuple[str, ...]:
        """Names of the boxes whose bit is not set."""
        found = self._open.get(closed)
        if found is None:
            names = (name for c, name in enumerate(self.names) if not closed >> c & 1)
            found = self._open[closed] = tuple(names)
        return found

    def box_id(self, name: str) -> int:
        """The id of a box by its name or, more slowly, by an alias."""
        found = self.ids.get(name)
        return parse_category(self.rules, name) if found is None else found


@lru_cache(maxsize=16)
def facts_of(rules: Ruleset) -> Facts:
    """The facts of a ruleset, cached."""
    return Facts(rules)


class Situation:
    """A decision to make. `dice` are sorted; `counts[0]` is the number of ones; `rerolls` are those left."""

    __slots__ = ("_bits", "_facts", "_filled", "_points", "_roll", "_upper", "counts", "dice", "rerolls")
    json_fields: ClassVar = {
        "dice": tuple[int, ...], "rerolls": int, "filled": list[str], "upper": int, "saved": int,
    }  # fmt: skip
    json_defaults: ClassVar = {"saved": 0}

    def __init__(self, facts: Facts, roll_id: int, rerolls: int, filled: int, upper: int, closed: int) -> None:
        """Use `parse`, `at` or `of`; `closed` are the boxes that may not be filled."""
        self._facts, self._roll, self._filled, self._upper, self._bits = facts, roll_id, filled, upper, closed
        self._points: Points | None = None
        self.dice: tuple[int, ...] = facts.rules.rolls[roll_id]
        self.counts: tuple[int, ...] = facts.counts[roll_id]
        self.rerolls = rerolls

    @classmethod
    def at(cls, rules: Ruleset, roll_id: int, rerolls: int, state: State) -> "Situation":
        """The situation of a state and a roll."""
        return cls(facts_of(rules), roll_id, rerolls, state.filled, state.upper, int(rules.closed(state.filled)))

    @classmethod
    def of(cls, rules: Ruleset, dice: Iterable[int], rerolls: int, state: State) -> "Situation":
        """The same from dice in any order."""
        return cls.at(rules, lattice(rules.dice, rules.faces).id_of(tuple(dice)), rerolls, state)

    @classmethod
    def parse(cls, text: str, rules: str | Ruleset = "scandinavian") -> "Situation":
        """Parse a text of the form dice | rerolls | filled @ upper."""
        game, parts = ruleset(rules), text.split("|")
        if len(parts) != 3:
            form = "'1 3 3 5 6 | 2 | ones @ 3' (dice | rerolls | state)"
            raise YatzyError("situation", text, why=f"is not of the form {form}")
        state = parse_state(game, parts[2])
        rerolls = parse_rerolls(game, parts[1].strip(), state.saved(game))
        return cls.of(game, parse_dice(game, parts[0]), rerolls, state)

    @property
    def roll_id(self) -> int:
        """The id of the roll."""
        return self._roll

    @property
    def rules(self) -> Ruleset:
        return self._facts.rules

    @property
    def open(self) -> "Boxes":
        """The boxes that may be filled in this turn, in the order of the card."""
        return Boxes(self)

    @property
    def points(self) -> "Points":
        """What the dice would score, by open box."""
        if self._points is None:
            self._points = Points(self)
        return self._points

    @property
    def upper(self) -> int:
        """The upper total, capped at the bonus threshold."""
        return self._upper

    @property
    def filled(self) -> list[str]:
        """The filled boxes; a star marks one whose flag is set."""
        return filled_names(self.rules, self._mask())

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""
        return (self._mask() & self.rules.all_filled).bit_count() + 1

    @property
    def saved(self) -> int:
        """Throws saved from earlier turns, in games that save them."""
        return State(self._mask()).saved(self.rules)

    @property
    def state(self) -> State:
        """The state at the start of this turn."""
        return State(self._mask(), self.upper)

    def _closed(self) -> int:
        return self._bits

    def _is_closed(self, category_id: int) -> bool:
        return bool(self._bits >> category_id & 1)

    def _mask(self) -> int:
        return self._filled

    def __str__(self) -> str:
        return f"{format_dice(self.dice)} | {self.rerolls} | {format_state(self.rules, self.state)}"

    def __repr__(self) -> str:
        return f"Situation({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Situation) and self._values == other._values

    def __hash__(self) -> int:
        return hash(self._values[1:])

    @property
    def _values(self) -> tuple[Ruleset, int, int, State]:
        return self.rules, self._roll, self.rerolls, State(self._filled, self._upper)

    def __reduce__(self) -> tuple[Any, ...]:
        return Situation.at, self._values


class Boxes(Sequence[str]):
    """The open boxes. `in` queries one of them, everything else all."""

    __slots__ = ("_of",)

    def __init__(self, of: Situation) -> None:
        self._of = of

    def _names(self) -> tuple[str, ...]:
        return self._of._facts.open_names(self._of._closed())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and not self._of._is_closed(self._of._facts.box_id(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __getitem__(self, index: Any) -> Any:
        return self._names()[index]

    def __repr__(self) -> str:
        return repr(list(self))


class Points(Mapping[str, int]):
    """Points by open box; of a joker, by the boxes that it may go into."""

    __slots__ = ("_all", "_of")

    def __init__(self, of: Situation) -> None:
        self._of = of
        # Filled in by queries about all boxes, or about a special roll, whose boxes depend on the whole mask.
        self._all: dict[str, int] | None = None

    def _everything(self) -> dict[str, int]:
        if self._all is None:
            of = self._of
            facts = of._facts
            if of._roll in facts.special:
                ends = outcomes(of.rules)
                allowed = ends.allowed(of._mask(), of._roll).items()
                self._all = {facts.names[c]: int(ends.points[end]) for c, end in allowed}
            else:
                points = facts.points[of._roll]
                self._all = {name: points[name] for name in facts.open_names(of._closed())}
        return self._all

    def get(self, name: str, default: Any = None) -> Any:
        """Points in a box, or the default if it is not open."""
        known = self._all
        if known is not None and name in known:
            return known[name]
        try:
            return self[name]
        except KeyError:
            return default

    def __getitem__(self, name: str) -> int:
        of = self._of
        category_id = of._facts.box_id(name)
        own_name = of._facts.names[category_id]
        if self._all is not None or of._roll in of._facts.special:
            return self._everything()[own_name]
        if of._is_closed(category_id):
            raise KeyError(name)
        return of._facts.points[of._roll][own_name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._everything())

    def __len__(self) -> int:
        return len(self._everything())

    def __repr__(self) -> str:
        return repr(self._everything())
