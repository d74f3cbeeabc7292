"""One turn of one state, computed backward in NumPy.

The readable form of `values`, which does the same for many states at once: for theta = 0 both give the same
numbers to the last bit. One situation is too little work to wait for a compiler.
"""

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.rules import Ruleset
from yatzy.turn.lattice import Lattice, lattice
from yatzy.turn.outcomes import outcomes
from yatzy.turn.state_rows import state_rows


class Scored(NamedTuple):
    """The outcomes of scoring with some throws left.

    `utility` and `points` (n_outcomes + 1,) are their utilities, and the same in points; -inf at the end, and
    where the category may not be filled. `rows` and `uppers` are the states after the open ones; `best` (n_rolls,)
    is the utility of scoring a roll.
    """

    rows: IntArray
    uppers: IntArray
    utility: NDArray[Any]
    points: NDArray[Any]
    best: NDArray[Any]


class NumpyTurn:
    """The turn of a state with up to `rerolls` rerolls; those after it are worth `stored` (see `Continuation`).

    `outcome` (n_categories, n_rolls) is what a roll may be scored as, `open` are the possible outcomes.
    `levels[n - 1]` (n_keeps,) is the utility of every keep with n rerolls left, and of every roll with one fewer.
    `scored` has an entry for each number of throws left where they are saved, else only one. With `worth`
    (n_outcomes,) the turn is played for that, such as a chance, in place of points.
    """

    def __init__(
        self,
        rules: Ruleset,
        stored: NDArray[Any],
        theta: float,
        filled: int,
        upper: int,
        rerolls: int,
        worth: FloatArray | None = None,
    ) -> None:
        self.rules, self.stored, self.theta, self.worth = rules, stored, theta, worth
        self.filled, self.upper, self.rerolls = filled, upper, rerolls
        self.dice, self.ends = lattice(rules.dice, rules.faces), outcomes(rules)
        self.outcome = outcome_of_rolls(rules, filled)
        self.open = np.flatnonzero(self.ends.bits & rules.closed(filled) == 0)
        self.ref = self._reference() if theta else 0.0
        self.scored = [self._score(saved) for saved in range(rerolls + 1 if rules.saves_throws else 1)]

    @cached_property
    def levels(self) -> list[NDArray[Any]]:
        return keep_levels(self.dice, [one.best for one in self.scored], self.rerolls)

    @property
    def value(self) -> float:
        """The value of the state at the start of a turn, in points."""
        top = self.scored[0].best
        if self.rerolls:
            top = best_inside(self.dice, self.levels[-1])
            if self.rules.saves_throws:
                top = np.maximum(top, self.scored[-1].best)
        # A turn begins with no dice kept.
        return float(self._to_points(mean_over_dice(self.dice, top)[-1:])[0])

    def category_points(self, roll_id: int) -> list[float]:
        """The value of scoring a roll, by category, in points; -inf where that is not allowed."""
        worth: list[float] = self.scored[-1].points[self.outcome[:, roll_id]].tolist()
        return worth

    def keep_points(self, roll_id: int) -> list[float]:
        """The value of every keep of fewer than all dice of a roll, by id, in points."""
        worth: list[float] = []
        if self.rerolls:
            worth = self._to_points(self.levels[-1][smaller_keeps(self.dice)[roll_id]]).tolist()
        return worth

    def best_outcomes(self, left: int) -> IntArray:
        """(n_rolls,): the best outcome of scoring with this many throws left, ties to the lowest category."""
        category = self.scored[left].utility.take(self.outcome).argmax(axis=0)
        return np.asarray(self.outcome[category, np.arange(len(category))])

    def ranked(self, roll_id: int) -> list[tuple[int, float]]:
        """(action id, value in points) of every action, best first, ties in the order of ids."""
        worth = [(c, points) for c, points in enumerate(self.category_points(roll_id)) if points > -math.inf]
        if self.rerolls:
            n, keeps = self.rules.n_categories, smaller_keeps(self.dice)[roll_id].tolist()
            worth += [(n + keep, points) for keep, points in zip(keeps, self.keep_points(roll_id), strict=True)]
        worth.sort(key=itemgetter(1), reverse=True)
        return worth

    def exits(self, roll_id: int, actions: Sequence[int]) -> FloatArray:
        """(levels, n, n_outcomes): how the turn ends after each of n actions, by id, if the best ones follow.

        Level t stands for t throws left where they are saved; elsewhere there is one.
        """
        dice, saves = self.dice, self.rules.saves_throws
        exits = np.zeros((len(self.scored), self.ends.n, len(actions)))
        # The last row stays 0, for keeps that are not there.
        mass = np.zeros((dice.n_keeps + 1, len(actions)))
        for i, action in enumerate(actions):
            keep = action - self.rules.n_categories
            if keep >= 0:
                mass[keep, i] = 1.0
            else:
                exits[-1, self.outcome[action, roll_id], i] = 1.0
        for left in range(self.rerolls - 1, -1, -1):
            spread(dice, mass)
            rolls = mass[: dice.n_rolls].copy()
            held = np.arange(dice.n_rolls)
            if left:
                held = best_keeps(dice, self.levels[left - 1], self.scored[left].best if saves else None)
            if left == 0 or saves:
                ended = np.flatnonzero(held < dice.n_rolls)
                level = left if saves else 0
                np.add.at(exits[level], self.best_outcomes(level)[ended], rolls[ended])
                rolls[ended] = 0.0
            mass[:] = 0.0
            np.add.at(mass, held, rolls)
        return np.ascontiguousarray(exits.transpose(0, 2, 1))

    def _to_points(self, utility: NDArray[Any]) -> NDArray[Any]:
        if not self.theta:
            return utility
        return np.asarray((self.ref + np.log(np.abs(utility))) / self.theta)

    def _after(self, ends: IntArray, saved: int) -> tuple[IntArray, IntArray, NDArray[Any]]:
        """The states after outcomes, and what is stored for them."""
        later, uppers = self.ends.after(self.filled, self.upper, ends, saved)
        rows = state_rows(self.rules).row(later)
        return rows, uppers, self.stored[rows, uppers]

    def _reference(self) -> float:
        """The largest log-value after scoring nothing, with no throw saved."""
        return float(self._after(self.open[self.ends.points[self.open] == 0], 0)[2].max())

    def _score(self, saved: int) -> Scored:
        rows, uppers, stored = self._after(self.open, saved)
        gained = self.ends.points[self.open]
        utility = points = np.full(self.ends.n + 1, -np.inf, stored.dtype)
        if self.worth is not None:
            utility[self.open] = self.worth[self.open]
        elif self.theta:
            points = utility.copy()
            points[self.open] = gained + stored / self.theta
            utility[self.open] = np.sign(self.theta) * np.exp(stored - self.ref) * np.exp(self.theta * gained)
        else:
            utility[self.open] = stored + gained.astype(stored.dtype)
        # Outcome -1, not allowed, reads the -inf at the end.
        return Scored(rows, uppers, utility, points, np.maximum.reduce(utility.take(self.outcome)))


def outcome_of_rolls(rules: Ruleset, filled: int) -> IntArray:
    """(n_categories, n_rolls): the outcome of scoring a roll, -1 where what is filled does not allow it."""
    if rules.special is None:
        return _plain_outcomes(rules)
    ends = outcomes(rules)
    return np.ascontiguousarray(ends.of_reading[ends.readings_of_rolls(filled)].T)


@lru_cache(maxsize=16)
def _plain_outcomes(rules: Ruleset) -> IntArray:
    return np.ascontiguousarray(outcomes(rules).of_reading.T)


def keep_levels(dice: Lattice, exits: Sequence[NDArray[Any]], rerolls: int) -> list[NDArray[Any]]:
    """The utility of every keep with 1, 2, ... rerolls left.

    `exits` is that of scoring every roll; by throws left where they are saved, else one for all.
    """
    levels = []
    top = exits[0]
    for left in range(1, rerolls + 1):
        levels.append(mean_over_dice(dice, top))
        if left < rerolls:
            top = best_inside(dice, levels[-1])
            if len(exits) > 1:
                top = np.maximum(top, exits[left])
    return levels


def mean_over_dice(dice: Lattice, rolls: NDArray[Any]) -> NDArray[Any]:
    """(n_keeps,): the mean of every keep over the dice to be thrown."""
    keeps = np.empty(dice.n_keeps, rolls.dtype)
    keeps[: dice.n_rolls] = rolls
    share = rolls.dtype.type(1 / dice.faces)
    for level, added in _added(dice):
        # Faces are added one after another.
        keeps[level] = (np.add.reduce(keeps.take(added)) * share)[: level.stop - level.start]
    return keeps


def spread(dice: Lattice, mass: FloatArray) -> None:
    """Move the probability of keeps, `mass` (n_keeps + 1, n), to the rolls, in place; the last row is 0."""
    for level in reversed(dice.levels[:-1]):
        mass[level] += mass[dice.removed[level]].sum(axis=1) / dice.faces


def best_inside(dice: Lattice, keeps: NDArray[Any]) -> NDArray[Any]:
    """(n_rolls,): the value of the best keep inside each roll."""
    return np.asarray(np.maximum.reduce(keeps.take(_inside(dice))))


def best_keeps(dice: Lattice, keeps: NDArray[Any], held: NDArray[Any] | None = None) -> IntArray:
    """(n_rolls,): the best keep inside each roll, ties to the lowest id.

    `held` is the value of holding all dice, where throws are saved and that means scoring them.
    """
    by_slot = keeps.take(_inside(dice))
    if held is not None:
        by_slot[0] = held
    return np.asarray(dice.keeps_in_roll[np.arange(dice.n_rolls), by_slot.argmax(axis=0)])


@lru_cache(maxsize=8)
def _added(dice: Lattice) -> tuple[tuple[slice, IntArray], ...]:
    """Level by level, (faces, keeps): the keeps with one more die of a face.

    A single column is doubled, because NumPy would add its numbers in another order.
    """
    rows = [(level, np.ascontiguousarray(dice.added[level].T)) for level in dice.levels[1:]]
    return tuple((level, np.repeat(added, 2, axis=1) if added.shape[1] == 1 else added) for level, added in rows)


@lru_cache(maxsize=8)
def _inside(dice: Lattice) -> IntArray:
    """(slots, n_rolls): the keeps inside each roll, then -1, which reads the empty keep; that is inside all."""
    return np.ascontiguousarray(dice.keeps_in_roll.T)


@lru_cache(maxsize=8)
def smaller_keeps(dice: Lattice) -> tuple[IntArray, ...]:
    """By roll: the keeps of fewer than all dice inside it, ascending."""
    return tuple(row[row >= dice.n_rolls] for row in dice.keeps_in_roll)
