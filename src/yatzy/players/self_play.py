"""What a learner knows, and two ways to play by it.

    V(filled, upper) = sum of worth[c] over open c  +  standing[filled upper boxes, upper]  +  card[filled, upper]
    A_n(K; filled, upper) = V(filled, upper) + sum of habit[n, c, K] over open c

V says what a card is worth: one number for each open box, one for each state of the upper section, one for each
card. The first are learned in a few games and say something about cards never seen; the last say what the others
miss, once a card was met often. Both players score where points + V of the card after it are most. They differ in
how they hold dice:

- *looking ahead*: works through the rest of the turn, with V at its end; the chances of dice are known.
- *by habit*: has learned what holding K is worth, with n rerolls left, and works nothing out.

Finished cards are worth the bonus or nothing, as the rules say.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from yatzy.arrays import FloatArray, Floats2, Floats3, IntArray, Ints1, Ints3
from yatzy.policies.optimal import add_best_exits, best_decisions
from yatzy.policies.policy import Decisions, by_level, empty_decisions
from yatzy.rules import Ruleset
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.tables import Turn, turn_tables
from yatzy.turn.values import after


class Knowledge(NamedTuple):
    """What is learned, and how often each number was: worth (n_categories,), standing (n_upper_sets, n_uppers),
    card (n_masks, n_uppers), habit (rerolls, n_categories, n_keeps) with one count for each (rerolls, n_keeps).
    """

    worth: FloatArray
    standing: FloatArray
    card: FloatArray
    habit: FloatArray
    worth_seen: FloatArray
    standing_seen: FloatArray
    card_seen: FloatArray
    habit_seen: FloatArray


def nothing_known(rules: Ruleset, habits: bool) -> Knowledge:
    """Zeros; without room for habits where none are learned."""
    n_keeps = turn_tables(rules).n_keeps * habits
    worth, standing = np.zeros(rules.n_categories), np.zeros((1 << _n_upper(rules), rules.bonus_threshold + 1))
    card = np.zeros((1 << rules.n_categories, rules.bonus_threshold + 1))
    habit = np.zeros((rules.rerolls, rules.n_categories, n_keeps))
    seen = (np.zeros_like(worth), np.zeros_like(standing), np.zeros_like(card), np.zeros((rules.rerolls, n_keeps)))
    return Knowledge(worth, standing, card, habit, *seen)


def _n_upper(rules: Ruleset) -> int:
    return sum(category.upper for category in rules.categories)


def upper_sets(rules: Ruleset) -> IntArray:
    """(n_masks,): the filled upper boxes of every mask, numbered without gaps."""
    masks = np.arange(1 << rules.n_categories)
    found = np.zeros_like(masks)
    for i, c in enumerate(c for c, category in enumerate(rules.categories) if category.upper):
        found |= (masks >> c & 1) << i
    return found


def state_values(rules: Ruleset, known: Knowledge) -> FloatArray:
    """(n_masks, n_uppers): V of every state."""
    masks = np.arange(1 << rules.n_categories)
    is_open = ~masks[:, None] >> np.arange(rules.n_categories) & 1
    values = (is_open @ known.worth)[:, None] + known.standing[upper_sets(rules)] + known.card
    values[-1] = rules.bonus * (np.arange(values.shape[1]) >= rules.bonus_threshold)
    return np.ascontiguousarray(values)


@dataclass(frozen=True, eq=False)
class SelfTaught:
    """A player by what was learned."""

    name: str
    rules: Ruleset
    known: Knowledge

    @cached_property
    def values(self) -> FloatArray:
        return state_values(self.rules, self.known)


class LooksAhead(SelfTaught):
    """Plays the best turn for V."""

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        return best_decisions(self.rules, self.values, 0.0, filled, upper)

    def add_exits(self, filled: IntArray, upper: IntArray, exits: FloatArray) -> None:
        """How the turns of these states end: see `HasTurnOutcomes`."""
        add_best_exits(self.rules, self.values, 0.0, filled, upper, exits)


class ByHabit(SelfTaught):
    """Holds what it has learned to hold."""

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        decisions = empty_decisions(self.rules, filled)
        decide_by_habit(
            np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64), self.values,
            self.known.habit, turn_tables(self.rules), by_level(decisions.category), decisions.keep,
        )  # fmt: skip
        return decisions


@jit
def decide_by_habit(
    filled: Ints1, upper: Ints1, values: Floats2, habit: Floats3, turn: Turn, category: Ints3, keep: Ints3
) -> None:  # fmt: skip
    """Decisions in many states; what is held depends on the filled boxes only, and neighbours often share them."""
    score = np.empty(turn.n_keeps)
    for i in range(len(filled)):
        for roll in range(category.shape[2]):
            category[i, 0, roll] = best_box(filled[i], upper[i], roll, values, turn)[0]
        if i > 0 and filled[i] == filled[i - 1]:
            keep[i] = keep[i - 1]
            continue
        for left in range(keep.shape[1]):
            for held in range(turn.n_keeps):
                score[held] = habit_score(filled[i], left, held, habit)
            for roll in range(category.shape[2]):
                best = turn.keeps_in_roll[roll, 0]
                for slot in range(1, turn.slots[roll]):
                    held = turn.keeps_in_roll[roll, slot]
                    if score[held] > score[best]:
                        best = held
                keep[i, left, roll] = best


@jittable
def habit_score(filled: int, left: int, held: int, habit: Floats3) -> Any:
    """A - V: how much better than usual holding these dice is, with left + 1 rerolls left."""
    total = 0.0
    for c in range(habit.shape[1]):
        if not filled >> c & 1:
            total += habit[left, c, held]
    return total


@jittable
def best_box(filled: int, upper: int, roll: int, values: Floats2, turn: Turn) -> Any:
    """The category with the most points + V of the card after it, its outcome, and that sum."""
    best, found, outcome_found = -np.inf, 0, 0
    for c in range(len(turn.zero)):
        if not filled >> c & 1:
            outcome = turn.outcome_of_reading[roll, c]
            mask, total = after(filled, upper, turn.bits[outcome], turn.lift[outcome], turn.cap)
            value = turn.points[outcome] + values[mask, total]
            if value > best:
                best, found, outcome_found = value, c, outcome
    return found, outcome_found, best
