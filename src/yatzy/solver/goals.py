"""Goals other than the mean, with one solver for all: a target, a utility of the final score, or an opponent.

A player with points x on the card in state s plays for E[U(final score)]. With y = x + constant,

    F(s, y)   = sum over rolls r of P(r) * best(r, rerolls)
    best(r,0) = max over outcomes o of r of F(s after o, y + points(o)),    best(r, n) as for the mean
    F(all, y) = U(y), or U(y + bonus) if the upper total has reached the threshold

which is the turn of `solve` with other rows: lanes run over y instead of the upper total, and an outcome reads the
row of its successor, shifted by its points, without any arithmetic.

*Reach*: y is minus the points still missing to a target, and U = 1 where y + bonus >= 0. Then F is the greatest
chance to reach the target, for all states and all targets at once. Rows cover only chances between 0 and 1, padded
with zeros and ones. With a price, U is increased by price * y: ties then go to the highest mean.

*Utility*: y = x, and U is any function of the final score. Rows cover all points that filled boxes can hold.

*Duel*: y = x - M, where M is the opponent's expected final score, and U = 1, 1/2 or 0 for a win, a tie or a loss.
M is a martingale, and its step depends on the opponent's card. Similar cards form a cluster
(`measure.opponent_model`), and a row has a line for each. The opponent's turn between two of mine mixes the lines,

    C(s, y, a) = sum over d and b of P(M moves by d, to cluster b | cluster a) * F(s, y - d, b),

and outcomes read C instead of F. F is stored, because a player sees the opponent's card and knows his next step
better than C does (`policies.duel.Duelist`). Rows cover the leads at which the game is open.

States in which the bonus is lost share a row, as in `states`. Solving only what can follow a late state (`start`
of `solve_goal`) is quick.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, aligned, lanes_of, read_only
from yatzy.context import DEFAULT_CONTEXT, Context, chunks, map_in_threads
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset, State, ruleset
from yatzy.solver.goal import Goal
from yatzy.solver.goal_layout import GoalLayout
from yatzy.solver.states import state_space
from yatzy.turn.tables import goal_code, special_options, work_buffer

ROWS_PER_CHUNK = 512
LINES_AT_ONCE = 1 << 14
# More than any game of the catalogue with five dice needs.
MAX_BYTES = 6_000_000_000


@dataclass(frozen=True, eq=False)
class GoalTable:
    """A solved goal: the value of every state that can follow `rows.first`, with any points so far."""

    rows: GoalLayout
    values: NDArray[Any]

    @property
    def rules(self) -> Ruleset:
        return self.rows.rules

    @property
    def goal(self) -> Goal:
        return self.rows.goal

    def value(self, state: State, y: float, cluster: int = 0) -> float:
        """F(state, y) with an opponent's card of this cluster; between two leads, interpolated."""
        below = math.floor(y)
        low, high = self.row_values(state, below, 2, cluster).tolist()
        return float(low + (y - below) * (high - low) if y > below else low)

    def row_values(self, state: State, first: int, n: int, cluster: int = 0) -> NDArray[Any]:
        """The values of a state for n numbers y from `first` on."""
        rows, row = self.rows, self._row(state)
        if row < 0:
            rows.space.check(state.filled, state.upper)
            raise YatzyError("filled", why="this table was solved from a state that does not lead there")
        place, length = first + np.arange(n) - rows.lowest[row], int(rows.length[row])
        found = self.values[rows.start[row] + cluster * rows.room[row] + np.clip(place, 0, length - 1)]
        if not self.goal.is_chance:
            return np.asarray(found)
        return np.where(place < 0, 0.0, np.where(place >= length, 1.0, found))

    def leads_to(self, state: State) -> bool:
        """Whether the state was solved."""
        return self._row(state) >= 0

    def _row(self, state: State) -> int:
        return int(self.rows.row[state.filled & self.rules.n_sets - 1, state.upper])

    def chance(self, target: int, state: State | None = None, points: int = 0) -> float:
        """The greatest chance of a final score of at least `target`; `points` are those in the boxes."""
        if not self.goal.is_reach or self.goal.price:
            raise YatzyError("goal", why=f"a chance belongs to the goal reach, not to {self.goal.name}")
        return self.value(state or State(), points - target)

    @property
    def promise(self) -> float:
        """The value of the whole game; for a duel, the chance to win according to the model."""
        opponent = self.goal.opponent
        if opponent is None:
            return self.value(State(), 0)
        first, even = opponent.round_after(0), -opponent.table.value()
        if first is None:
            return self.value(State(), even)
        _, clusters, steps = np.nonzero(first.chance)
        chance = first.chance[0, clusters, steps]
        leads = even - first.points[steps]
        return float(
            sum(
                q * self.value(State(), y, cluster)
                for q, y, cluster in zip(chance.tolist(), leads.tolist(), clusters.tolist(), strict=True)
            )
        )


def solve_goal(
    rules: str | Ruleset,
    goal: Goal,
    start: State | None = None,
    precision: str = "float32",
    context: Context = DEFAULT_CONTEXT,
    draft: bool = False,
) -> GoalTable:
    """Solve a goal for every state that can follow `start` (by default, all states) and all points so far.

    float32 is accurate to 1e-6; float64 takes twice the time and memory.
    """
    game = ruleset(rules)
    if goal.theta is not None:
        raise YatzyError("goal", why=f"{goal.name} does not look at the points so far; `solve` has a table for it")
    if game.saves_throws:
        raise YatzyError("rules", why=f"goals are for games that save no throws, not for {game.name}")
    if goal.price and (goal.table is None or goal.table.rules != game or precision != "float64"):
        raise YatzyError("goal", why=f"{goal.name} needs the values of {game.name}, and float64")
    if goal.opponent and (goal.opponent.table.rules != game or len(goal.opponent.rounds) != game.n_categories):
        raise YatzyError("goal", why=f"the opponent of this duel does not play {game.name}")
    first = start or State()
    state_space(game).check(first.filled, first.upper)
    rows = GoalLayout(game, goal, first, lanes_of(precision))
    needed = rows.n_numbers * np.dtype(precision).itemsize
    if needed > MAX_BYTES:
        raise YatzyError(
            "rules",
            allowed=f"{MAX_BYTES / 1e9:.0f} (later in the game it needs less)",
            why=f"{goal.name} in {game.name} needs {needed / 1e9:.0f} GB from here on",
        )
    values = aligned((rows.n_numbers,), precision)
    values[: int(rows.start[0]) - rows.left] = -np.inf
    _finish_games(rows, values)
    code = goal_code(game, precision, draft, goal.is_rising)
    done, total = 0, int((rows.length * rows.n_clusters).sum())
    for solved in _solve_layers(rows, values, code, precision, context.n_threads):
        done += int((rows.length * rows.n_clusters)[solved].sum())
        context.step(done, total)
    return GoalTable(rows, read_only(values))


def _finish_games(rows: GoalLayout, values: NDArray[Any]) -> None:
    """Set the rows of finished games and, for chances, the ones after every row (zeros are there already)."""
    rules, layer = rows.rules, rows.layer(rows.rules.n_categories)
    for row in range(layer.start, layer.stop):
        y = rows.lowest[row] + np.arange(rows.length[row])
        has_bonus = rows.upper_of_row[row] >= rules.bonus_threshold
        values[rows.start[row] : rows.start[row] + len(y)] = rows.goal.worth(y + has_bonus * rules.bonus)
    if rows.goal.is_chance:
        ends = rows.start + rows.length
        for cluster in range(int(rows.n_clusters.max())):
            has_line = rows.n_clusters > cluster
            for place in range(rows.right):
                values[(ends + cluster * rows.room)[has_line] + place] = 1.0
    if rows.goal.price:
        # With a certain or impossible target, play is for the mean.
        for place in range(rows.right):
            values[ends + place] += rows.goal.price * (1 + place + rows.to_come)
        for place in range(1, rows.left + 1):
            values[rows.start - place] = rows.goal.price * (rows.lowest - place + rows.to_come)


def _solve_layers(
    rows: GoalLayout, values: NDArray[Any], code: Any, precision: str, threads: int
) -> Iterator[IntArray]:
    rules = rows.rules
    options = special_options(rules)
    weights = np.ones(rows.ends.n, precision), np.zeros(rows.ends.n, precision)

    def solve_rows(numbers: IntArray) -> IntArray:
        to_row, moved, is_open = rows.moves_after(numbers)
        starts = np.where(is_open, begin[np.where(is_open, to_row - layer.stop, 0)] + moved, 0)
        for cluster in range(int(rows.n_clusters[layer.start])):
            targets = rows.start[numbers] + cluster * rows.room[numbers]
            ends = targets + rows.length[numbers]
            around = values[ends[:, None] + np.arange(rows.right)]
            code.values(
                np.where(is_open, starts + cluster * step, 0), -(-rows.length[numbers] // rows.width), after,
                weights, work_buffer(rules, precision), options[rows.set_of_row[numbers]], targets, values,
                rules.rerolls + 1,
            )  # fmt: skip
            # The last block of a line may extend past its end: restore what was there.
            values[ends[:, None] + np.arange(rows.right)] = around
        return numbers

    for n_filled in range(rules.n_categories - 1, -1, -1):
        layer = rows.layer(n_filled)
        numbers = np.arange(layer.start, layer.stop)
        if len(numbers):
            after, begin, step = _after_opponent(rows, values, n_filled + 1)
            parts = np.array_split(numbers, -(-len(numbers) // ROWS_PER_CHUNK))
            yield from map_in_threads(solve_rows, parts, threads)


def _after_opponent(rows: GoalLayout, values: NDArray[Any], n_filled: int) -> tuple[NDArray[Any], IntArray, int]:
    """C of a layer, where its rows begin, and the distance of its lines; F itself if the opponent has no turn."""
    layer = rows.layer(n_filled)
    now = rows.goal.opponent.round_after(n_filled) if rows.goal.opponent else None
    if now is None:
        return values, rows.start[layer], 0
    # All rows of a layer are of one length; F is 0 before a line and 1 after it, and is stored there.
    length, room = int(rows.length[layer.start]), int(rows.room[layer.start])
    nowhere, first = int(rows.start[0]) - rows.left, int(rows.start[layer.start]) - rows.left
    n_rows, (n_before, n_after, _) = layer.stop - layer.start, now.chance.shape
    lines = values[first : first + n_rows * n_after * room].reshape(n_rows, n_after, room)
    after = aligned((nowhere + n_rows * n_before * room,), values.dtype)
    after[:nowhere] = values[:nowhere]
    moved = after[nowhere:].reshape(n_rows, n_before, room)
    inside = slice(rows.left, rows.left + length)
    # Around a line F does not depend on the cluster.
    moved[:] = lines[:, :1]
    moved[:, :, inside] = 0
    for before, then in np.argwhere(now.chance.any(axis=2)).tolist():
        mixing = _mixing(now.points, now.chance[before, then], rows.left, length, room, values.dtype)
        for part in chunks(n_rows, LINES_AT_ONCE):
            moved[part, before, inside] += lines[part, then] @ mixing
    begin = nowhere + rows.left + np.arange(n_rows) * n_before * room
    return after, begin, room


def _mixing(points: IntArray, chance: FloatArray, left: int, length: int, room: int, dtype: Any) -> NDArray[Any]:
    """(room, length): the matrix that shifts a line by `points`, weighted by their chances."""
    found = np.zeros((room, length), dtype)
    columns = np.arange(length)
    for move, q in zip(points.tolist(), chance.tolist(), strict=True):
        if q:
            found[left + columns - move, columns] += q
    return found
