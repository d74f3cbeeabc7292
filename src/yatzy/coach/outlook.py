"""The outlook: the exact distribution of the final score from a state on.

One forward pass as in `evaluate.exact`, but it starts in the state at hand and so comes only to masks that hold
its filled categories: with k open categories 2^k of them. Points so far shift the result and change nothing else,
since a policy looks at the state alone.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, aligned
from yatzy.coach.kernels import mark_successors, pull_rows
from yatzy.errors import YatzyError
from yatzy.evaluate.exact import LANES, MASKS_PER_CHUNK, Distribution, turn_exits
from yatzy.policy.base import Policy
from yatzy.rules import Ruleset, State, format_filled
from yatzy.running import check_threads, chunks
from yatzy.solver.states import StateSpace, state_space
from yatzy.turn.outcomes import outcomes


@dataclass(frozen=True)
class Outlook:
    """How a game can end: the distribution of the final score, and the chance of the bonus."""

    distribution: Distribution
    bonus_rate: float


def outlook(policy: Policy, state: State, points: int, threads: int | None = None) -> Outlook:
    """How the game ends from a state with `points` on the card, under a policy whose answers are legal."""
    check_points(policy.rules, state, points)
    to_come, bonus_rate = points_to_come(policy, state, threads)
    return Outlook(final_scores(policy.rules, points, to_come), bonus_rate)


def final_scores(rules: Ruleset, points: int, to_come: FloatArray) -> Distribution:
    """Points on the card plus points to come: the final score, from 0 to the most there can be."""
    pmf = np.zeros(sum(map(max, zip(*rules.scores, strict=True))) + rules.bonus + 1)
    n = min(len(to_come), len(pmf) - points)
    pmf[points : points + n] = to_come[:n]
    return Distribution(pmf)


def points_to_come(policy: Policy, state: State, threads: int | None = None) -> tuple[FloatArray, float]:
    """Probability of each number of points still to come, bonus included, and of the bonus."""
    ends = outcomes(policy.rules)
    ahead = _Ahead(state_space(policy.rules), state)
    here = _Layer(ahead, np.array([state.filled]), np.array([state.upper]), ahead.no_lines())
    here.buffer[here.start[0]] = 1.0
    line = ahead.no_lines()
    with ThreadPoolExecutor(check_threads(threads)) as pool:
        for masks in ahead.layers[1:]:
            exits = turn_exits(policy, here.filled, here.upper, threads)
            mark_successors(here.filled, here.upper, exits, ends.category, ends.lift, line)
            index, upper = np.nonzero(line[masks] == 0)
            after = _Layer(ahead, masks[index], np.ascontiguousarray(upper), line)
            _move(ahead, here, exits, masks, after, pool)
            # Two layers are needed at a time; setting all lines anew would take longer than the end of a game.
            line = here.line
            line[here.filled, here.upper] = -1
            here = after
    return _final(ahead, here)


def _move(
    ahead: "_Ahead", here: "_Layer", exits: FloatArray, masks: IntArray, after: "_Layer", pool: ThreadPoolExecutor
) -> None:
    """Move all rows to the next layer."""
    ends = outcomes(ahead.space.rules)

    def run(part: slice) -> None:
        pull_rows(
            masks[part], exits, ends.start, ends.points, ends.lift, ahead.length,
            here.line, here.start, here.buffer, after.line, after.start, after.buffer,
        )  # fmt: skip

    list(pool.map(run, chunks(len(masks), MASKS_PER_CHUNK)))


class _Ahead:
    """The masks that can still come, and how long the rows of each are.

    Rows are over `rest`: points since the start that are not in the rise of the upper total.
    """

    def __init__(self, space: StateSpace, start: State) -> None:
        rules = space.rules
        self.space, self.start = space, start
        n_filled = start.filled.bit_count()
        self.layers = [masks[masks & start.filled == start.filled] for masks in space.layers[n_filled:]]
        most = np.max(np.array(rules.scores), axis=0)
        is_upper = np.array([category.upper for category in rules.categories])
        new = (np.arange(space.n_masks) & ~start.filled)[:, None] >> np.arange(rules.n_categories) & 1
        excess = np.maximum(start.upper + new @ (most * is_upper) - rules.bonus_threshold, 0)
        rest = new @ (most * ~is_upper)
        self.length = np.concatenate([rest, rest + excess]) + 1

    def no_lines(self) -> NDArray[np.int32]:
        """(n_masks, n_uppers): no state has a line yet."""
        return np.full((self.space.n_masks, self.space.n_uppers), -1, dtype=np.int32)


class _Layer:
    """The states of one layer that can come, a row for each in one buffer: see `kernels.pull_rows`."""

    def __init__(self, ahead: _Ahead, filled: IntArray, upper: IntArray, line: NDArray[np.int32]) -> None:
        space = ahead.space
        self.filled, self.upper, self.line = filled, upper, line
        line[filled, upper] = np.arange(len(filled))
        capped = upper == space.n_uppers - 1
        # Rows are read and written in whole lanes: what is past the end is zero, but must be somewhere.
        room = -(-ahead.length[filled + capped * space.n_masks] // LANES) * LANES + LANES
        ends = np.cumsum(room)
        self.start = ends - room
        self.buffer = aligned((int(ends[-1]),), np.dtype(np.float64))


def _final(ahead: _Ahead, end: _Layer) -> tuple[FloatArray, float]:
    """Points to come and the chance of the bonus, from the rows of the finished game."""
    rules, space = ahead.space.rules, ahead.space
    longest = int(ahead.length[-1])
    pmf = np.zeros(space.n_uppers + longest + rules.bonus)
    bonus_rate = 0.0
    for upper, start in zip(end.upper.tolist(), end.start.tolist(), strict=True):
        is_capped = upper >= rules.bonus_threshold
        row = end.buffer[start : start + (longest if is_capped else int(ahead.length[rules.all_filled]))]
        first = upper - ahead.start.upper + rules.bonus * is_capped
        pmf[first : first + len(row)] += row
        bonus_rate += float(row.sum()) if is_capped and rules.bonus else 0.0
    return pmf, bonus_rate


def check_points(rules: Ruleset, state: State, points: int) -> None:
    """Refuse points that cannot stand on a card with these categories filled and this upper total."""
    state_space(rules).check(state.filled, state.upper)
    possible = possible_points(rules, state)
    if isinstance(points, bool) or not isinstance(points, int) or points not in possible:
        raise YatzyError(
            f"points: {points!r} cannot stand with filled {format_filled(rules, state.filled)!r} and upper "
            f"{state.upper}; allowed are numbers from {min(possible)} to {max(possible)}"
        )


def possible_points(rules: Ruleset, state: State) -> set[int]:
    """Every sum of points that the filled categories can hold with this upper total."""
    by_category = list(zip(*rules.scores, strict=True))
    sums = {True: {0}, False: {0}}
    for category_id, category in enumerate(rules.categories):
        if state.filled >> category_id & 1:
            points = {0, *by_category[category_id]}
            sums[category.upper] = {a + b for a in sums[category.upper] for b in points}
    uppers = {u for u in sums[True] if min(u, rules.bonus_threshold) == state.upper}
    return {a + b for a in uppers for b in sums[False]}
