"""Learning from self-play: after every game, what was met is moved towards what came of it.

For a card s with `gain` points scored next and the card s' after them, V(s) moves towards

    turn by turn:   gain + V(s')                 temporal differences: one turn's luck, an estimate of the rest
    from scores:    all points still to come     the game's own result, with all of its luck.

A learner by habit moves A_n(K) of every hold that it made towards the same. It tries a hold at random now and
then; one that looks ahead leaves trying to the dice.

A number that was moved k times is next moved by (k + 1)^-FADING of the way. Games are played in batches that grow
with what was played, with V as it was before the batch: everything depends on (seed, number of the game) alone.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from yatzy.arrays import Bools1, Floats1, Floats2, Floats3, Ints1, Ints2, Ints3
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.measure.simulate import Block, Throws, draws, first_roll, next_roll, throw_tables
from yatzy.players.self_play import (  # fmt: skip
    ByHabit,
    Knowledge,
    LooksAhead,
    best_box,
    habit_score,
    nothing_known,
    state_values,
    upper_sets,
)
from yatzy.policies.baselines import mix
from yatzy.rules import Ruleset
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.tables import Turn, turn_tables
from yatzy.turn.values import after

FADING = 0.7
# A batch is this part of the games played before it, within limits.
GROWTH, SMALLEST, LARGEST = 1 / 16, 64, 1 << 19
# A card begins as if it had been met this often and nothing was to be added to what its boxes say.
PRIOR = 300
# How often a learner by habit tries a hold at random.
TRIES = 0.1


@dataclass(frozen=True)
class Learner:
    """A way to learn: looking through the turn or not, and from differences or from final scores."""

    name: str
    looks_ahead: bool
    from_scores: bool

    def player(self, rules: Ruleset, known: Knowledge) -> LooksAhead | ByHabit:
        return LooksAhead(self.name, rules, known) if self.looks_ahead else ByHabit(self.name, rules, known)

    def begin(self, rules: Ruleset) -> Knowledge:
        return nothing_known(rules, habits=not self.looks_ahead)


def learn(
    learner: Learner,
    rules: Ruleset,
    known: Knowledge,
    first: int,
    last: int,
    seed: int,
    context: Context = DEFAULT_CONTEXT,
) -> None:
    """Play games `first` to `last` of a seed and change `known` by them."""
    rules.check_plain("learning by self-play is")
    play = _look_ahead if learner.looks_ahead else _play_by_habit
    with ThreadPoolExecutor(context.n_threads) as pool:
        for start, n in batches(first, last):
            play(learner, rules, known, start, n, seed, pool)
            context.step(start + n - first, last - first)


def batches(first: int, last: int) -> Iterator[tuple[int, int]]:
    """(first game, games) of every batch."""
    while first < last:
        n = min(last - first, LARGEST, max(SMALLEST, int(first * GROWTH)))
        yield first, n
        first += n


def _look_ahead(
    learner: Learner, rules: Ruleset, known: Knowledge, first: int, n: int, seed: int, pool: ThreadPoolExecutor
) -> None:
    player, block = learner.player(rules, known), Block(rules, first, n, seed)
    n_turns = rules.n_categories
    filled, upper = np.zeros((n_turns + 1, n), np.int64), np.zeros((n_turns + 1, n), np.int64)
    points = np.zeros((n_turns + 1, n), np.int64)
    for turn in range(n_turns):
        block.play_turn(player, turn, pool)
        filled[turn + 1], upper[turn + 1] = block.filled, block.upper
        points[turn + 1] = block.points.sum(axis=1)
    bonus = rules.bonus * (upper[-1] >= rules.bonus_threshold)
    learn_values(filled, upper, points, bonus, learner.from_scores, upper_sets(rules), known)


@jit
def learn_values(
    filled: Ints2,
    upper: Ints2,
    points: Ints2,
    bonus: Floats1,
    from_scores: bool,
    upper_set: Ints1,
    known: Knowledge,
) -> None:
    """From whole games, each from its last turn to its first; arrays are (turns + 1, games), points so far."""
    last = len(filled) - 1
    for game in range(filled.shape[1]):
        for turn in range(last - 1, -1, -1):
            if from_scores:
                target = points[last, game] - points[turn, game] + 1.0 * bonus[game]
            else:
                target = 1.0 * (points[turn + 1, game] - points[turn, game])
                if turn + 1 == last:
                    target += bonus[game]
                else:
                    target += value_of(filled[turn + 1, game], upper[turn + 1, game], upper_set, known)
            move_value(filled[turn, game], upper[turn, game], target, upper_set, known)


@jittable
def value_of(filled: int, upper: int, upper_set: Ints1, known: Knowledge) -> Any:
    """V of an unfinished card."""
    total = known.standing[upper_set[filled], upper] + known.card[filled, upper]
    for c in range(len(known.worth)):
        if not filled >> c & 1:
            total += known.worth[c]
    return total


@jittable
def move_value(filled: int, upper: int, target: float, upper_set: Ints1, known: Knowledge) -> None:
    """Half of the way is shared by the open boxes, half goes to the upper section; the card learns the rest."""
    at = upper_set[filled]
    usual = value_of(filled, upper, upper_set, known) - known.card[filled, upper]
    half = (target - usual) / 2
    known.card_seen[filled, upper] += 1
    step = (known.card_seen[filled, upper] + PRIOR) ** -FADING
    known.card[filled, upper] += (target - usual - known.card[filled, upper]) * step
    known.standing_seen[at, upper] += 1
    known.standing[at, upper] += half * known.standing_seen[at, upper] ** -FADING
    n_open = 0
    for c in range(len(known.worth)):
        n_open += not filled >> c & 1
    for c in range(len(known.worth)):
        if not filled >> c & 1:
            known.worth_seen[c] += 1
            known.worth[c] += half / n_open * known.worth_seen[c] ** -FADING


def _play_by_habit(
    learner: Learner, rules: Ruleset, known: Knowledge, first: int, n: int, seed: int, pool: ThreadPoolExecutor
) -> None:
    drawn = np.stack([draws(rules, seed, turn, first, n, pool) for turn in range(rules.n_categories)])
    with np.errstate(over="ignore"):  # the hash wraps around; as plain Python, NumPy would warn
        play_by_habit(
            np.uint64(seed), first, drawn, learner.from_scores, state_values(rules, known), upper_sets(rules),
            rules.bonus, turn_tables(rules), throw_tables(rules), known,
        )  # fmt: skip


@jit
def play_by_habit(
    seed: np.uint64, first: int, drawn: Ints3, from_scores: bool, values: Floats2, upper_set: Ints1, bonus: float,
    turn: Turn, throws: Throws, known: Knowledge,
) -> None:  # fmt: skip
    """Games one after the other; each teaches when it is over, from its last hold to its first."""
    n_turns, n_games, n_rerolls = drawn.shape[0], drawn.shape[1], turn.n_rerolls
    filled, upper = np.zeros(n_turns + 1, np.int64), np.zeros(n_turns + 1, np.int64)
    points = np.zeros(n_turns + 1, np.int64)
    last_roll, holds = np.zeros(n_turns, np.int64), np.zeros((n_turns, n_rerolls + 1), np.int64)
    for game in range(n_games):
        number = mix(mix(seed) + np.uint64(first + game))
        for t in range(n_turns):
            roll = first_roll(drawn[t, game, 0], throws)
            for left in range(n_rerolls, 0, -1):
                number = mix(number + np.uint64(1))
                held = choose_hold(filled[t], left - 1, roll, number, known.habit, turn)
                holds[t, left] = held
                roll = next_roll(held, drawn[t, game, n_rerolls - left + 1], throws)
            last_roll[t] = roll
            _, outcome, _ = best_box(filled[t], upper[t], roll, values, turn)
            filled[t + 1], upper[t + 1] = after(
                filled[t], upper[t], turn.bits[outcome], turn.lift[outcome], turn.cap
            )
            points[t + 1] = points[t] + turn.points[outcome]
        won = bonus if upper[n_turns] >= turn.cap else 0
        for t in range(n_turns - 1, -1, -1):
            to_come = points[n_turns] - points[t] + 1.0 * won
            learn_turn(
                filled[t], upper[t], last_roll[t], holds[t], to_come, from_scores, values, upper_set, turn, known
            )


@jittable
def choose_hold(filled: int, left: int, roll: int, number: int, habit: Floats3, turn: Turn) -> Any:
    """The hold with the best habit, or now and then any."""
    if (number >> np.uint64(40)) % np.uint64(1000) < np.uint64(1000 * TRIES):
        return turn.keeps_in_roll[roll, (number >> np.uint64(8)) % np.uint64(turn.slots[roll])]
    best, found = -np.inf, 0
    for slot in range(turn.slots[roll]):
        held = turn.keeps_in_roll[roll, slot]
        score = habit_score(filled, left, held, habit)
        if score > best:
            best, found = score, held
    return found


@jittable
def learn_turn(
    filled: int, upper: int, roll: int, holds: Bools1, to_come: float, from_scores: bool, values: Floats2,
    upper_set: Ints1, turn: Turn, known: Knowledge,
) -> None:  # fmt: skip
    """Move the holds of one turn, which ended with `roll`, and the card that it began with."""
    target = to_come if from_scores else best_box(filled, upper, roll, values, turn)[2]
    usual = value_of(filled, upper, upper_set, known)
    for left in range(1, len(holds)):
        move_habit(filled, left - 1, holds[left], target - usual, known)
    move_value(filled, upper, target, upper_set, known)


@jittable
def move_habit(filled: int, left: int, held: int, target: float, known: Knowledge) -> None:
    """Move A - V of a hold; all open boxes share."""
    n_open = 0
    for c in range(known.habit.shape[1]):
        n_open += not filled >> c & 1
    known.habit_seen[left, held] += 1
    error = target - habit_score(filled, left, held, known.habit)
    step = error / n_open * known.habit_seen[left, held] ** -FADING
    for c in range(known.habit.shape[1]):
        if not filled >> c & 1:
            known.habit[left, c, held] += step
