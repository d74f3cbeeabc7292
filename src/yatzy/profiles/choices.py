"""What every choice of many decisions looks worth to many players.

A decision is a situation and the choice that was made. Choices are numbered: while rerolls are left, keeps by
their slot in `keeps_in_roll`, the first being all dice; with none left, categories. Scoring with rerolls
left counts as holding all dice in each of them: one decision for each reroll, then the category.

The players are those of a grid of habits (`policy.habits`), all thetas x gammas x depths; beta is left to the fit,
because it changes no value.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.dice import lattice
from yatzy.game.action import Action, Score, action_ids, actions_of
from yatzy.game.log import GameLog, rerolls_of
from yatzy.policy.habits import discounted
from yatzy.rules import Ruleset
from yatzy.running import Progress, part_of
from yatzy.solver.actions import action_values
from yatzy.solver.horizon import full_depth, tables_by_depth
from yatzy.solver.table import ValueTable

ALL_DICE = 0


@dataclass(frozen=True)
class Grid:
    """Habits to try; beta is in even steps of its logarithm."""

    thetas: tuple[float, ...] = (-0.06, -0.03, 0.0, 0.03, 0.06)
    gammas: tuple[float, ...] = (0.3, 0.5, 0.7, 0.85, 1.0)
    depths: tuple[int, ...] = (0, 1, 3, 14)
    betas: tuple[float, ...] = tuple(0.25 * 2 ** (step / 2) for step in range(11))

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many thetas, gammas and depths there are."""
        return len(self.thetas), len(self.gammas), len(self.depths)

    def to_json(self) -> dict[str, Any]:
        return {
            "thetas": list(self.thetas), "gammas": list(self.gammas), "depths": list(self.depths),
            "betas": list(self.betas),
        }  # fmt: skip


def grid_of(rules: Ruleset) -> Grid:
    """The usual grid; its last depth is the full one."""
    full = full_depth(rules)
    return Grid(depths=(*(depth for depth in Grid().depths[:-1] if depth < full), full))


@dataclass(frozen=True)
class Record:
    """Decisions in n situations; `chosen` is what was chosen in each."""

    filled: IntArray
    upper: IntArray
    roll_ids: IntArray
    rerolls: IntArray
    chosen: IntArray

    def __len__(self) -> int:
        return len(self.filled)


def decisions_of(logs: Iterable[GameLog], rules: Ruleset) -> Record:
    """Every decision of games, as the model sees them."""
    ids = lattice(rules.dice, rules.faces)
    box_ids = action_ids(rules)
    rows: list[tuple[int, int, int, int, int]] = []
    for log in logs:
        for turn, state in zip(log.turns, log.states, strict=False):
            left = rerolls_of(rules, state)
            for roll, keep in zip(turn.rolls, turn.keeps, strict=False):
                roll_id = ids.id_of(roll)
                slot = int(np.flatnonzero(ids.keeps_in_roll[roll_id] == ids.id_of(keep))[0])
                rows.append((state.filled, state.upper, roll_id, left, slot))
                left -= 1
            roll_id = ids.id_of(turn.rolls[-1])
            rows += [(state.filled, state.upper, roll_id, unused, ALL_DICE) for unused in range(left, 0, -1)]
            rows.append((state.filled, state.upper, roll_id, 0, box_ids[Score(turn.category)]))
    return Record(*np.array(rows, np.int64).reshape(-1, 5).T)


def choice_values(table: ValueTable, asked: Record) -> FloatArray:
    """(n, slots): what each choice looks worth, in points to come; -inf where there is no such choice."""
    found = action_values(table, asked.filled, asked.upper, asked.roll_ids, asked.rerolls)
    n_slots = max(found.keep.shape[1], found.category.shape[1])
    values = np.full((len(asked), n_slots), -np.inf)
    last = asked.rerolls == 0
    values[last, : found.category.shape[1]] = np.nan_to_num(found.category[last], nan=-np.inf)
    values[~last, : found.keep.shape[1]] = np.nan_to_num(found.keep[~last], nan=-np.inf)
    if not last.all():
        # All dice held: the best that the same dice are worth with one reroll fewer.
        later = action_values(
            table, asked.filled[~last], asked.upper[~last], asked.roll_ids[~last], asked.rerolls[~last] - 1
        )
        values[~last, ALL_DICE] = np.nanmax(np.concatenate([later.category, later.keep], axis=1), axis=1)
    return values


def values_by_habit(
    rules: Ruleset, grid: Grid, asked: Record, progress: Progress | None = None
) -> Iterator[tuple[tuple[int, int, int], FloatArray]]:
    """(theta, gamma, depth) by place in the grid, and what the choices look worth to such a player."""
    for i, theta in enumerate(grid.thetas):
        report = part_of(progress, i, len(grid.thetas))
        tables = tables_by_depth(rules, grid.depths, theta, progress=report)
        for k, depth in enumerate(grid.depths):
            for j, gamma in enumerate(grid.gammas):
                yield (i, j, k), choice_values(discounted(tables[depth], gamma), asked)


def choices_of(rules: Ruleset, roll_id: int, rerolls: int) -> list[Action]:
    """The choices by number; to hold all dice is one."""
    scores, keeps = actions_of(rules)[: rules.n_categories], actions_of(rules)[rules.n_categories :]
    if rerolls == 0:
        return list(scores)
    return [keeps[keep] for keep in lattice(rules.dice, rules.faces).keeps_in_roll[roll_id] if keep >= 0]
