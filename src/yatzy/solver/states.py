"""The state space: which (filled, upper) can occur, which of them share a value, and in what order to solve.

*Reachability.* Only the filled upper categories matter. With R(M) the set of upper totals that are possible when
exactly the upper categories M are filled (totals above the threshold T count as T),

    R({}) = {0},    R(M) = { min(T, u + p) : c in M, u in R(M - c), p a score of c }.

*Collapse.* The upper total matters only through the bonus. If even the most that the open upper categories can
still bring (`most_upper_to_come`) does not lift it to T, the bonus is lost: all totals u < T - most have the same
value and are one class, which is solved once, at its largest member `lowest_upper`, and copied to the others.

*Layers.* A turn fills exactly one category, so a state with k filled categories only needs those with k + 1.

*Saved throws.* Where throws are saved, any number from 0 to all the rerolls of the turns so far may be left.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb
from typing import Annotated, SupportsIndex, cast

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.errors import YatzyError
from yatzy.game.json import INLINE, Count
from yatzy.game.situation import Situation
from yatzy.rules import (
    Ruleset,
    State,
    filled_names,
    format_filled,
    parse_dice,
    parse_filled,
    parse_rerolls,
    parse_state,
)
from yatzy.turn.outcomes import after
from yatzy.turn.state_rows import StateRows, most_upper_to_come

# A mask, names separated by commas, a list of names, or a whole state: 'ones,pair @ 3'.
FilledGiven = SupportsIndex | str | Iterable[str] | State
DiceGiven = str | Iterable[int]
# Those of eight dice with six faces. Code for more would take hours to compile.
MAX_KEEPS_SOLVED = 3003


@dataclass(frozen=True)
class StateSpace(StateRows):
    """All states of a ruleset; arrays are indexed by set, or by the row of a mask."""

    @property
    def n_uppers(self) -> int:
        """Upper totals 0..threshold."""
        return self.rules.bonus_threshold + 1

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """(n_sets,): whether these categories and flags can be set together."""
        possible: NDArray[np.bool_] = np.ones(len(self.sets), np.bool_)
        for category_id in self.rules.flagged:
            has_flag = self.sets & self.rules.flag_of(category_id) > 0
            possible = possible & (~has_flag | (self.sets >> category_id & 1 > 0))
        if self.rules.forced_order:
            possible = possible & (self.sets & (self.sets + 1) == 0)
        return np.asarray(possible)

    @cached_property
    def upper_set(self) -> IntArray:
        """(n_sets,): the filled upper categories alone, as a mask over `rules.upper_ids`."""
        sets = np.zeros(len(self.sets), dtype=np.int64)
        for bit, category_id in enumerate(self.rules.upper_ids):
            sets |= (self.sets >> category_id & 1) << bit
        return sets

    @cached_property
    def upper_points(self) -> tuple[tuple[int, ...], ...]:
        """For each upper category, the distinct points it can score (0 included)."""
        by_category = list(zip(*self.rules.scores, strict=True))
        return tuple(tuple(sorted({0, *by_category[c]})) for c in self.rules.upper_ids)

    @cached_property
    def reachable_by_upper_set(self) -> NDArray[np.bool_]:
        """(upper sets, n_uppers): R(M) of the module docstring."""
        reached = np.zeros((1 << len(self.rules.upper_ids), self.n_uppers), dtype=np.bool_)
        reached[0, 0] = True
        for upper_set in range(1, len(reached)):
            # Any member may be the last one filled: totals do not depend on the order.
            last = upper_set.bit_length() - 1
            before = np.flatnonzero(reached[upper_set ^ 1 << last])
            for points in self.upper_points[last]:
                _, totals = after(0, before, 0, points, self.rules.bonus_threshold)
                reached[upper_set, totals] = True
        return reached

    @cached_property
    def reachable(self) -> NDArray[np.bool_]:
        """(n_masks, n_uppers): whether the state is reachable."""
        sets = self.masks & self.rules.n_sets - 1
        return np.asarray(self.reachable_by_upper_set[self.upper_set[sets]] & self.possible[sets][:, None])

    @cached_property
    def highest_upper(self) -> IntArray:
        """(n_sets,): the largest reachable upper total."""
        highest = self.n_uppers - 1 - np.argmax(self.reachable_by_upper_set[:, ::-1], axis=1)
        return np.asarray(highest[self.upper_set])

    @cached_property
    def lowest_upper(self) -> IntArray:
        """(n_sets,): the largest total for which the bonus is lost (it stands for its class), else 0."""
        lost = self.rules.bonus_threshold - most_upper_to_come(self.rules)[self.sets & self.rules.all_filled] - 1
        return np.asarray(np.clip(lost, 0, self.highest_upper))

    @cached_property
    def n_reachable(self) -> int:
        """Reachable states, finished games included."""
        n_uppers = self.reachable_by_upper_set.sum(axis=1)[self.upper_set]
        return int((n_uppers * self.n_saved)[self.possible].sum())

    @cached_property
    def n_classes(self) -> int:
        """Reachable states after the collapse."""
        uppers = np.arange(self.n_uppers)
        above = self.reachable_by_upper_set[self.upper_set] & (uppers > self.lowest_upper[:, None])
        return int(((above.sum(axis=1) + 1) * self.n_saved)[self.possible].sum())

    @cached_property
    def layers(self) -> tuple[IntArray, ...]:
        """The possible sets with 0, 1, ... filled categories."""
        sets = self.sets[self.possible]
        n_filled = self.n_filled[sets]
        order = np.argsort(n_filled, kind="stable")
        starts = np.cumsum(np.bincount(n_filled))[:-1]
        return tuple(np.split(sets[order], starts))

    def masks_of_layer(self, n_filled: int) -> IntArray:
        """Every mask of a layer."""
        return self.with_saved(self.layers[n_filled]) if self.rules.saves_throws else self.layers[n_filled]

    def check(self, filled: int, upper: int) -> None:
        """Refuse an unreachable state."""
        # The usual case, which must be fast; the rest finds the reason.
        known = (
            type(filled) is type(upper) is int and 0 <= filled < self.rules.n_sets and 0 <= upper < self.n_uppers
        )
        if known and self.possible[filled] and self.reachable_by_upper_set[self.upper_set[filled], upper]:
            return
        for name, number in (("filled", filled), ("upper", upper)):
            if not isinstance(number, SupportsIndex) or isinstance(number, bool):
                raise YatzyError(name, number, why="is not a whole number")
        of_set, saved = int(filled) % self.rules.n_sets, int(filled) >> self.rules.saved_shift
        if filled < 0 or (saved and not self.rules.saves_throws):
            raise YatzyError("filled", filled, why=f"is outside 0..{self.rules.n_sets - 1}")
        if not 0 <= upper < self.n_uppers:
            raise YatzyError("upper", upper, why=f"is outside 0..{self.n_uppers - 1}")
        shown = format_filled(self.rules, int(filled))
        if not self.possible[of_set]:
            why = "boxes are filled from top to bottom" if self.rules.forced_order else "its flag needs its box"
            raise YatzyError("filled", shown, why=f"cannot occur: {why}")
        if saved >= self.n_saved[of_set]:
            raise YatzyError(
                "saved", saved, why=f"cannot occur with filled {shown!r}; allowed: 0..{self.n_saved[of_set] - 1}"
            )
        reached = self.reachable_by_upper_set[self.upper_set[of_set]]
        if not reached[upper]:
            allowed = _ranges(np.flatnonzero(reached))
            raise YatzyError("upper", upper, why=f"cannot occur with filled {shown!r}; allowed: {allowed}")


def _ranges(numbers: IntArray) -> str:
    """[0, 2, 3, 4] as '0, 2..4'."""
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs)


@lru_cache(maxsize=8)
def state_space(rules: Ruleset) -> StateSpace:
    """The state space of a ruleset, cached."""
    return StateSpace(rules)


def check_solvable(rules: Ruleset) -> Ruleset:
    """Refuse a game with too many keeps to compile code for."""
    n_keeps = comb(rules.dice + rules.faces, rules.faces)
    if n_keeps > MAX_KEEPS_SOLVED:
        raise YatzyError(
            "dice", rules.dice, f"{MAX_KEEPS_SOLVED:,} for a game that is solved",
            f"of {rules.faces} faces can be kept in {n_keeps:,} ways",
        )  # fmt: skip
    return rules


@dataclass(frozen=True)
class NamedState:
    """A state in names instead of a mask; `saved` is for games that save throws."""

    filled: tuple[str, ...]
    upper: Count
    saved: Count | None = None


@dataclass(frozen=True)
class StateValue:
    """The value of a state: expected points to come under optimal play, bonus included."""

    rules: Ruleset
    theta: float
    state: Annotated[NamedState, INLINE]
    value: float


def named_state(rules: Ruleset, state: State) -> NamedState:
    """The state in names."""
    saved = state.saved(rules) if rules.saves_throws else None
    return NamedState(tuple(filled_names(rules, state.filled)), state.upper, saved)


def as_state(rules: Ruleset, filled: FilledGiven = 0, upper: SupportsIndex | None = None) -> State:
    """A reachable state, from a mask, text or names; the text may include the upper total."""
    if isinstance(filled, str) and "@" in filled:
        filled = parse_state(rules, filled)
    if isinstance(filled, State):
        if upper is not None and upper != filled.upper:
            raise YatzyError("upper", upper, why=f"is given twice; the state already says {filled.upper}")
        mask, total = filled.filled, filled.upper
    else:
        mask, total = parse_filled(rules, filled), cast("int", 0 if upper is None else upper)
    state_space(rules).check(mask, total)
    return State(mask, int(total))


def as_situation(
    rules: Ruleset,
    dice: DiceGiven | Situation,
    rerolls: int | None = None,
    filled: FilledGiven = 0,
    upper: int | None = None,
) -> Situation:
    """A situation in a reachable state, from one text or from its parts; by default no reroll is used yet."""
    if isinstance(dice, str) and "|" in dice:
        dice = Situation.parse(dice, rules)
    if isinstance(dice, Situation):
        if rerolls is not None or upper is not None or filled != 0:
            raise YatzyError("situation", why="says its rerolls and state itself; give it alone")
        as_state(rules, dice.state)
        return dice
    state = as_state(rules, filled, upper)
    saved = state.saved(rules)
    left = parse_rerolls(rules, rules.rerolls + saved if rerolls is None else rerolls, saved)
    return Situation.of(rules, parse_dice(rules, dice), left, state)
