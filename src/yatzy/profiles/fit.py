"""Habits fitted to decisions: the posterior over a grid, which needs no search and cannot get stuck.

    ln P(decisions | theta, gamma, depth, beta) = sum over decisions of
        beta * (Q(chosen) - best) - ln(sum over choices of exp(beta * (Q(choice) - best)))

with Q from `choices`. Before any decision all thetas, gammas and depths of the grid are equally likely, and so are
all betas in even steps of ln beta. The posterior is exact on the grid. What is told of it: the likeliest depth,
and under that depth the means and standard deviations of theta, gamma and ln beta.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import EqualByFields, FloatArray, IntArray
from yatzy.context import Context, Progress, chunks, part_of
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.game.action import Action, Score, action_ids, actions_of
from yatzy.game.json import ALWAYS, HIDDEN, INLINE, Count, Probability, cached_json_property, json_property
from yatzy.game.log import GameLog, rerolls_of
from yatzy.policy.habits import Habits, discounted
from yatzy.rules import Ruleset
from yatzy.solver.actions import action_values
from yatzy.solver.horizon import full_depth, tables_by_depth
from yatzy.solver.table import ValueTable

ALL_DICE = 0


@dataclass(frozen=True)
class Grid:
    """Habits to try; beta is in even steps of its logarithm."""

    thetas: Annotated[tuple[float, ...], ALWAYS] = (-0.06, -0.03, 0.0, 0.03, 0.06)
    gammas: Annotated[tuple[float, ...], ALWAYS] = (0.3, 0.5, 0.7, 0.85, 1.0)
    depths: Annotated[tuple[int, ...], ALWAYS] = (0, 1, 3, 14)
    betas: Annotated[tuple[float, ...], ALWAYS] = tuple(0.25 * 2 ** (step / 2) for step in range(11))

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many thetas, gammas and depths there are."""
        return len(self.thetas), len(self.gammas), len(self.depths)


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
        tables = tables_by_depth(rules, grid.depths, theta, Context(progress=report))
        for k, depth in enumerate(grid.depths):
            for j, gamma in enumerate(grid.gammas):
                yield (i, j, k), choice_values(discounted(tables[depth], gamma), asked)


def choices_of(rules: Ruleset, roll_id: int, rerolls: int) -> list[Action]:
    """The choices by number; to hold all dice is one."""
    scores, keeps = actions_of(rules)[: rules.n_categories], actions_of(rules)[rules.n_categories :]
    if rerolls == 0:
        return list(scores)
    return [keeps[keep] for keep in lattice(rules.dice, rules.faces).keeps_in_roll[roll_id] if keep >= 0]


DECISIONS_AT_ONCE = 1 << 14
NEARLY_SURE = 0.9


@dataclass(frozen=True, eq=False)
class Fit(EqualByFields):
    """What decisions tell about habits: `likelihood` (thetas, gammas, depths, betas) is logarithmic.

    `n` is how many decisions there were, `guessed` the logarithm of the chance to guess all of them.
    """

    grid: Annotated[Grid, HIDDEN]
    likelihood: Annotated[FloatArray, HIDDEN]
    n: Annotated[int, HIDDEN]
    guessed: Annotated[float, HIDDEN]

    @json_property
    def decisions(self) -> Count:
        return self.n

    @cached_property
    def chances(self) -> FloatArray:
        """(thetas, gammas, depths, betas): the posterior."""
        chances = np.exp(self.likelihood - self.likelihood.max())
        return np.asarray(chances / chances.sum())

    @property
    def depth_chances(self) -> FloatArray:
        """(depths,): how likely each depth is."""
        return np.asarray(self.chances.sum(axis=(0, 1, 3)))

    @cached_property
    def _of_depth(self) -> tuple[int, FloatArray]:
        """The likeliest depth, by place, and the posterior under it (thetas, gammas, betas)."""
        depth = int(self.depth_chances.argmax())
        return depth, self.chances[:, :, depth] / self.depth_chances[depth]

    def _moments(self, values: FloatArray, axis: int) -> tuple[float, float]:
        others = tuple(i for i in range(3) if i != axis)
        weight = self._of_depth[1].sum(axis=others)
        mean = float(weight @ values)
        return mean, math.sqrt(max(float(weight @ (values - mean) ** 2), 0.0))

    @cached_json_property
    def habits(self) -> Annotated[Habits, INLINE]:
        """The estimate."""
        return Habits(
            theta=self._moments(np.array(self.grid.thetas), 0)[0],
            beta=math.exp(self._moments(np.log(self.grid.betas), 2)[0]),
            gamma=self._moments(np.array(self.grid.gammas), 1)[0],
            depth=self.grid.depths[self._of_depth[0]],
        )

    @cached_json_property
    def spread(self) -> dict[str, float]:
        """Standard deviations of theta and gamma, and the factor that beta is uncertain by."""
        return {
            "theta": self._moments(np.array(self.grid.thetas), 0)[1],
            "beta": math.exp(self._moments(np.log(self.grid.betas), 2)[1]),
            "gamma": self._moments(np.array(self.grid.gammas), 1)[1],
        }

    @cached_json_property
    def at_end(self) -> list[str]:
        """Habits of which all that is known is that they lie at an end of the grid, or beyond it."""
        ends = {"theta": (0, (0, -1)), "beta": (2, (0, -1)), "gamma": (1, (0,))}
        marginal = {
            name: self._of_depth[1].sum(axis=tuple(i for i in range(3) if i != axis))
            for name, (axis, _) in ends.items()
        }
        return [name for name, (_, places) in ends.items() if max(marginal[name][i] for i in places) > NEARLY_SURE]

    @json_property
    def depths(self) -> dict[int, Probability]:
        """The chance of each depth."""
        return dict(zip(self.grid.depths, self.depth_chances.tolist(), strict=True))

    @json_property
    def chance_of_choice(self) -> Probability:
        """The chance that the model gives to a choice that was made: the geometric mean, averaged over players."""
        top = float(self.likelihood.max())
        evidence = top + math.log(float(np.exp(self.likelihood - top).mean()))
        return math.exp(evidence / self.n)

    @json_property
    def chance_of_guess(self) -> Probability:
        """The same for somebody who chooses blindly."""
        return math.exp(self.guessed / self.n)


def fit_decisions(rules: Ruleset, decisions: Record, grid: Grid, progress: Progress | None = None) -> Fit:
    """Fit any number of decisions; each theta of the grid is solved for."""
    rules.check_plain("a profile is")
    if not len(decisions):
        raise YatzyError("decisions", why="there are none; a profile needs at least one finished turn")
    likelihood = np.zeros((*grid.shape, len(grid.betas)))
    guessed = 0.0
    for place, values in values_by_habit(rules, grid, decisions, progress):
        for part in chunks(len(decisions), DECISIONS_AT_ONCE):
            likelihood[place] += log_likelihood(values[part], decisions.chosen[part], grid.betas).sum(axis=1)
        if place == (0, 0, 0):
            guessed = -float(np.log(np.isfinite(values).sum(axis=1)).sum())
    return Fit(grid, likelihood, len(decisions), guessed)


def log_likelihood(values: FloatArray, chosen: IntArray, betas: tuple[float, ...]) -> FloatArray:
    """(betas, n): ln of the chance of each choice; `values` (n, choices), -inf where there is none."""
    behind = values - values.max(axis=1, keepdims=True)
    made = np.take_along_axis(behind, chosen[:, None], axis=1)[:, 0]
    return np.stack([beta * made - np.log(np.exp(beta * behind).sum(axis=1)) for beta in betas])


def choice_chances(values: NDArray[Any], beta: float) -> NDArray[Any]:
    """(n, choices): how likely each choice is."""
    weights = np.exp(beta * (values - values.max(axis=-1, keepdims=True)))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def draw_choices(chances: NDArray[Any], generator: np.random.Generator) -> IntArray:
    """One choice of each row, by its chances (n, choices)."""
    ends = np.cumsum(chances, axis=1, dtype=np.float64)
    places = generator.random(len(ends)) * ends[:, -1]
    return np.asarray(np.minimum((ends <= places[:, None]).sum(axis=1), ends.shape[1] - 1))
