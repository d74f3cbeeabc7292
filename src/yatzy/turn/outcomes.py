"""How a turn can end: an *outcome* is a category, its points and its effect on the state.

Outcomes are numbered category by category, points ascending, zero included. Scandinavian Yatzy has 121 of them.
Seen from outside, a policy's turn in a state is a probability for each outcome.

*Readings.* The reading of a roll is the outcome of scoring it in each category. A special roll (a joker in
Yahtzee) has several, and what is filled decides which one holds. The first readings are those of the rolls, with
their ids; those of special rolls follow.

*Successors.* Outcomes that set the same `bits` in a mask, a category's bit and perhaps its flag, have the same
successor.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, Numbers
from yatzy.errors import check_int
from yatzy.rules import Outcome, Ruleset
from yatzy.rules.ruleset import MAX_POINTS

NOT_ALLOWED = -1


def after(filled: Numbers, upper: Numbers, bits: Numbers, lift: Numbers, cap: int) -> Any:
    """The state (filled, upper) after an outcome, for numbers or arrays; compiled in `values`."""
    total = upper + lift
    return filled | bits, total - (total - cap) * (total > cap)


@dataclass(frozen=True)
class Outcomes:
    """All outcomes of a ruleset; arrays are indexed by outcome unless they say otherwise."""

    rules: Ruleset

    @cached_property
    def special_rolls(self) -> tuple[int, ...]:
        """Ids of the special rolls."""
        special = self.rules.special
        return tuple(map(self.rules.rolls.index, special.rolls(self.rules))) if special else ()

    @cached_property
    def _kinds(self) -> tuple[list[tuple[int, int]], IntArray]:
        """(special roll, kind) of the readings of special rolls, and (special rolls, n_sets) which one holds."""
        rules, special = self.rules, self.rules.special
        sets = np.arange(rules.n_sets)
        if special is None:
            return [], np.zeros((0, len(sets)), np.int64)
        held = np.array([special.kind(rules, rules.rolls[roll], sets) for roll in self.special_rolls])
        found = [(s, kind) for s, row in enumerate(held) for kind in np.unique(row).tolist()]
        number = {pair: i for i, pair in enumerate(found)}
        first = len(rules.rolls)
        readings = np.empty_like(held)
        for s, kind in found:
            readings[s, held[s] == kind] = first + number[s, kind]
        return found, readings

    @cached_property
    def _readings(self) -> list[list[Outcome | None]]:
        """The outcome of each category, by reading."""
        rules = self.rules
        rows: list[list[Outcome | None]] = [
            [Outcome(c, points) for c, points in enumerate(scores)] for scores in rules.scores
        ]
        for s, kind in self._kinds[0]:
            row: list[Outcome | None] = [None] * rules.n_categories
            assert rules.special is not None
            for outcome in rules.special.outcomes(rules, rules.rolls[self.special_rolls[s]], kind):
                for name, points in (("points", outcome.points), ("extra", outcome.extra)):
                    check_int(f"special.{name}", points, 0, MAX_POINTS)
                row[outcome.category] = outcome
            rows.append(row)
        return rows

    @cached_property
    def _listed(self) -> list[Outcome]:
        nothing = {Outcome(c, 0) for c in range(self.rules.n_categories)}
        found = {o for roll, row in enumerate(self._readings) for o in row if o and roll not in self.special_rolls}
        return sorted(nothing | found, key=lambda o: (o.category, o.points + o.extra, o.extra, o.flag))

    @property
    def n(self) -> int:
        return len(self._listed)

    @cached_property
    def category(self) -> IntArray:
        return np.array([o.category for o in self._listed], dtype=np.int64)

    @cached_property
    def points(self) -> IntArray:
        return np.array([o.points + o.extra for o in self._listed], dtype=np.int64)

    @cached_property
    def extra(self) -> IntArray:
        """The part of the points that is not written into the box."""
        return np.array([o.extra for o in self._listed], dtype=np.int64)

    @cached_property
    def bits(self) -> IntArray:
        """The bits that the outcome sets in the mask."""
        rules = self.rules
        return np.array([1 << o.category | o.flag * rules.flag_of(o.category) for o in self._listed], np.int64)

    @cached_property
    def lift(self) -> IntArray:
        """The points that the outcome adds to the upper total."""
        is_upper = np.array([category.upper for category in self.rules.categories])
        return np.asarray((self.points - self.extra) * is_upper[self.category])

    @cached_property
    def most_points(self) -> IntArray:
        """(n_categories,): the most points of an outcome in each category."""
        return np.maximum.reduceat(self.points, self.start[:-1])

    @cached_property
    def successors(self) -> IntArray:
        """(n_successors,): the different `bits`, in the order of the outcomes."""
        return np.array(list(dict.fromkeys(self.bits.tolist())), np.int64)

    @cached_property
    def successor(self) -> IntArray:
        """The number of the successor of each outcome."""
        number = {bits: i for i, bits in enumerate(self.successors.tolist())}
        return np.array([number[bits] for bits in self.bits.tolist()], np.int64)

    @cached_property
    def start(self) -> IntArray:
        """(n_categories + 1,): outcomes of category c are start[c] .. start[c + 1]; the first scores nothing."""
        return np.searchsorted(self.category, np.arange(self.rules.n_categories + 1))

    @cached_property
    def of_reading(self) -> IntArray:
        """(n_readings, n_categories): the outcome of scoring in a category, -1 where that is not allowed."""
        number = {outcome: i for i, outcome in enumerate(self._listed)}
        # The first reading of a special roll is never used, so its outcomes need not exist.
        rows = [[NOT_ALLOWED if o is None else number.get(o, NOT_ALLOWED) for o in row] for row in self._readings]
        return np.array(rows, dtype=np.int64)

    @property
    def readings(self) -> IntArray:
        """(special rolls, n_sets): the reading of each special roll in a mask."""
        return self._kinds[1]

    @cached_property
    def special_of_roll(self) -> IntArray:
        """(n_rolls,): the number among the special rolls, -1 for others."""
        numbers = np.full(len(self.rules.rolls), -1, np.int64)
        numbers[list(self.special_rolls)] = np.arange(len(self.special_rolls))
        return numbers

    def readings_of_rolls(self, filled: int) -> IntArray:
        """(n_rolls,): the reading of every roll in a mask."""
        readings = np.arange(len(self.rules.rolls))
        readings[list(self.special_rolls)] = self.readings[:, filled & self.rules.n_sets - 1]
        return readings

    def allowed(self, filled: int, roll_id: int) -> dict[int, int]:
        """The outcomes that a roll may be scored as, by category."""
        closed = self.rules.closed(filled)
        row = self.of_reading[self.readings_of_rolls(filled)[roll_id]].tolist()
        return {c: outcome for c, outcome in enumerate(row) if outcome >= 0 and not closed >> c & 1}

    def points_of_rolls(self, filled: IntArray) -> IntArray:
        """(n, n_rolls, n_categories): points of every roll in n masks, -1 where scoring is not allowed."""
        n_rolls = len(self.rules.rolls)
        points = np.where(self.of_reading < 0, -1, self.points[self.of_reading])
        closed = (np.asarray(self.rules.closed(filled))[:, None] >> np.arange(self.rules.n_categories) & 1) > 0
        found = np.where(closed[:, None], -1, points[:n_rolls])
        for special, roll in enumerate(self.special_rolls):
            held = points[self.readings[special, filled & self.rules.n_sets - 1]]
            found[:, roll] = np.where(closed, -1, held)
        return found

    def after(self, filled: Numbers, upper: Numbers, outcome: Numbers, saved: Numbers = 0) -> Any:
        """(filled, upper) after an outcome, with this many throws saved; numbers or arrays."""
        if self.rules.saves_throws:
            filled = filled & self.rules.n_sets - 1 | saved << self.rules.saved_shift
        return after(filled, upper, self.bits[outcome], self.lift[outcome], self.rules.bonus_threshold)

    def is_open(self, filled: Numbers) -> NDArray[np.bool_]:
        """(n_outcomes, ...): whether the category of the outcome is open."""
        return np.asarray(np.bitwise_and.outer(np.int64(1) << self.category, self.rules.closed(filled)) == 0)


def highest_score(rules: Ruleset) -> int:
    """An upper bound of final scores."""
    return int(outcomes(rules).most_points.sum()) + rules.bonus


@lru_cache(maxsize=16)
def outcomes(rules: Ruleset) -> Outcomes:
    """The outcomes of a ruleset, cached."""
    return Outcomes(rules)
