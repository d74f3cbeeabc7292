"""Some states of a game, drawn with a seed, and what tests ask of each."""

from pathlib import Path

import numpy as np

from yatzy.arrays import IntArray
from yatzy.coach.advice import Coach
from yatzy.game.situation import Situation
from yatzy.players.columns import Columns
from yatzy.rules import Dice, Ruleset, State
from yatzy.solver.states import state_space


def some_states(rules: Ruleset, n: int, seed: int) -> tuple[IntArray, IntArray]:
    """(filled, upper) of n reachable states, none finished."""
    states = np.argwhere(state_space(rules).reachable[:-1])
    filled, upper = states[np.random.default_rng(seed).integers(len(states), size=n)].T
    return filled, upper


def states_of_all_stages(rules: Ruleset, n: int, seed: int) -> list[tuple[int, int]]:
    """States with every number of open boxes, those near the end included."""
    space, rng = state_space(rules), np.random.default_rng(seed)
    found = []
    for left in np.resize(np.arange(1, rules.n_categories + 1), n):
        masks = space.masks_of_layer(rules.n_categories - int(left))
        filled = int(rng.choice(masks[space.reachable[masks].any(axis=1)]))
        found.append((filled, int(rng.choice(np.flatnonzero(space.reachable[filled])))))
    return found


def block_of(columns: Columns, filled: IntArray, upper: IntArray, rerolls: int = 0) -> IntArray:
    """(n, n_rolls, columns): every roll in every state."""
    n, n_rolls = len(filled), len(columns.rules.rolls)
    states = np.repeat(filled, n_rolls), np.repeat(upper, n_rolls)
    return columns.rows(*states, np.tile(np.arange(n_rolls), n), rerolls).reshape(n, n_rolls, -1)


def assert_same_as_advise(coach: Coach, filled: int, upper: int, roll: Dice, rerolls: int) -> None:
    """The coach ranks and values actions as the table does, with or without details."""
    here = Situation.of(coach.rules, roll, rerolls, State(filled, upper))
    assert coach.advise(here, 0) == coach.table.advise(here)
    assert [one[:3] for one in coach.advise(here)] == [one[:3] for one in coach.table.advise(here)]


def is_running(pid: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
