"""Many games at once, decision by decision, compiled: what the vector environment steps."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import Floats2, IntArray, Ints1, Ints2
from yatzy.evaluate.simulate import Throws, first_roll, next_roll, throw_tables
from yatzy.gym.codes import POINTS_SCALE, codes_of
from yatzy.rules import Ruleset
from yatzy.turn.jit import jit, jittable
from yatzy.turn.tables import Effects, effects
from yatzy.turn.values import after, closed_boxes, reading_of

NOT_ALLOWED = -1


class GameTables(NamedTuple):
    """The rules as the kernel reads them."""

    keep_of_code: IntArray
    observed_dice: NDArray[np.float32]
    throws: Throws
    does: Effects
    n_draws: int
    all_filled: int
    bonus: int
    threshold: int


class Seats(NamedTuple):
    """Games in progress, one in each seat; `random` are the states of their generators."""

    filled: IntArray
    upper: IntArray
    roll: IntArray
    rerolls: IntArray
    random: NDArray[np.uint64]


def tables_of(rules: Ruleset) -> GameTables:
    """The tables of a game."""
    codes = codes_of(rules)
    return GameTables(
        codes.keep_of_code, codes.observed_dice, throw_tables(rules), effects(rules), rules.faces**rules.dice,
        rules.all_filled, rules.bonus, rules.bonus_threshold,
    )  # fmt: skip


def new_seats(n: int, seed: int) -> Seats:
    """Empty seats, their generators seeded one by one."""
    random = np.random.SeedSequence(seed).generate_state(n, np.uint64) | np.uint64(1)
    filled, upper, roll, rerolls = np.zeros((4, n), np.int64)
    return Seats(filled, upper, roll, rerolls, random)


@jittable
def _draw(random: Ints1, seat: int, n: int) -> Any:
    """The next number below n of a seat's generator (xorshift64*), by its upper bits."""
    x = random[seat]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[seat] = x
    return np.int64(((x * np.uint64(2685821657736338717)) >> np.uint64(32)) * np.uint64(n) >> np.uint64(32))


@jittable
def begin_turn(seat: int, seats: Seats, tables: GameTables) -> None:
    """Throw all dice."""
    seats.roll[seat] = first_roll(_draw(seats.random, seat, tables.n_draws), tables.throws)
    seats.rerolls[seat] = tables.does.n_rerolls


@jit
def begin_games(first: int, last: int, seats: Seats, tables: GameTables) -> None:
    """New games in these seats."""
    for seat in range(first, last):
        seats.filled[seat] = 0
        seats.upper[seat] = 0
        begin_turn(seat, seats, tables)


@jittable
def outcome_of(seat: int, category: int, seats: Seats, does: Effects) -> Any:
    """What scoring in a category would be, -1 if that is not allowed."""
    filled = seats.filled[seat]
    if closed_boxes(filled, does.masks) >> category & 1:
        return NOT_ALLOWED
    reading = reading_of(filled, seats.roll[seat], does.special.of_roll, does.special.readings)
    return does.outcome_of_reading[reading, category]


class Steps(NamedTuple):
    """What a step brought each seat."""

    rewards: NDArray[Any]
    finished: NDArray[np.bool_]
    refused: NDArray[np.bool_]


@jit
def step_seats(first: int, last: int, actions: Ints1, seats: Seats, tables: GameTables, steps: Steps) -> None:
    """Do one action in each seat: points go to `rewards`, and `finished` says whose game is over and begins anew.

    An action that is not allowed is `refused`: it changes nothing.
    """
    n_holds = tables.keep_of_code.shape[1]
    does, throws = tables.does, tables.throws
    rewards, finished, refused = steps
    for seat in range(first, last):
        action = actions[seat]
        rewards[seat] = 0.0
        finished[seat] = False
        refused[seat] = action < 0 or action >= n_holds + does.outcome_of_reading.shape[1]
        if refused[seat]:
            continue
        if action < n_holds:
            held = tables.keep_of_code[seats.roll[seat], action]
            refused[seat] = held < 0 or seats.rerolls[seat] == 0
            if refused[seat]:
                continue
            seats.roll[seat] = next_roll(held, _draw(seats.random, seat, tables.n_draws), throws)
            seats.rerolls[seat] -= 1
            continue
        outcome = outcome_of(seat, action - n_holds, seats, does)
        refused[seat] = outcome < 0
        if refused[seat]:
            continue
        filled, upper = after(
            seats.filled[seat], seats.upper[seat], does.bits[outcome], does.lift[outcome], does.cap
        )
        rewards[seat] = does.points[outcome]
        if filled & tables.all_filled == tables.all_filled:
            if upper >= tables.threshold:
                rewards[seat] += tables.bonus
            finished[seat] = True
            filled, upper = 0, 0
        seats.filled[seat], seats.upper[seat] = filled, upper
        begin_turn(seat, seats, tables)


@jit
def see(first: int, last: int, seats: Seats, tables: GameTables, observed: Floats2, masks: Ints2) -> None:
    """Observations and action masks of the seats; see `codes`."""
    n_holds, n_boxes = tables.keep_of_code.shape[1], tables.does.outcome_of_reading.shape[1]
    faces = tables.observed_dice.shape[1]
    for seat in range(first, last):
        roll, rerolls = seats.roll[seat], seats.rerolls[seat]
        for face in range(faces):
            observed[seat, face] = tables.observed_dice[roll, face]
        observed[seat, faces] = rerolls / max(tables.does.n_rerolls, 1)
        observed[seat, faces + 1 + n_boxes] = seats.upper[seat] / max(tables.threshold, 1)
        for code in range(n_holds):
            masks[seat, code] = rerolls > 0 and tables.keep_of_code[roll, code] >= 0
        for box in range(n_boxes):
            outcome = outcome_of(seat, box, seats, tables.does)
            is_open = outcome >= 0
            observed[seat, faces + 1 + box] = 0.0 if is_open else 1.0
            points = tables.does.points[outcome] / POINTS_SCALE if is_open else 0.0
            observed[seat, faces + 2 + n_boxes + box] = points
            masks[seat, n_holds + box] = is_open
