"""The chance of a target in one situation: every action with its chance, and with its value in points beside it.

`goals` solves what can follow; this is one turn of it in NumPy, as `advise` is one turn of the mean.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.game.aim import check_target
from yatzy.rules import Ruleset, State, parse_dice, parse_rerolls
from yatzy.running import Progress, Report, silent
from yatzy.solver.advise import action_texts, advise
from yatzy.solver.goal_rows import reach
from yatzy.solver.goal_store import stored_goal
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.table import ValueTable
from yatzy.turn.one import keep_levels, outcome_of_rolls, smaller_keeps
from yatzy.turn.outcomes import outcomes

# With no more categories open than this, a situation is solved by itself in about a second, in a page too.
SOLVED_FROM_HERE = 10


@dataclass(frozen=True)
class ChanceAction:
    """An action, the chance of the target after it, and its value and regret in points under play for the mean."""

    action: str
    chance: float
    value: float
    regret: float


def reach_table(
    rules: Ruleset,
    state: State,
    folder: str | Path | None = None,
    progress: Progress | None = None,
    notice: Report = silent,
) -> GoalTable:
    """Chances for everything that can follow a state: solved from here if little can, else the stored table."""
    n_open = (rules.all_filled & ~state.filled).bit_count()
    if n_open <= SOLVED_FROM_HERE:
        return solve_goal(rules, reach(), state, precision="float32", draft=True)
    return stored_goal(rules, reach(), folder, progress, notice)


def advise_for_target(
    chances: GoalTable,
    table: ValueTable,
    dice: str | Iterable[int],
    rerolls: int,
    state: State,
    points: int,
    target: int,
) -> list[ChanceAction]:
    """Every action with its chance of a final score of at least `target`, best first; equals by their value.

    `points` are those in the boxes; the bonus follows from the upper total.
    """
    if table.rules != chances.rules:
        raise YatzyError("table", why=f"is for {table.rules.name}, the chances for {chances.rules.name}")
    worth = outcome_values(chances, state, points - check_target(chances.rules, target))
    return rank_actions(table, worth, dice, rerolls, state)


def outcome_values(goals: GoalTable, state: State, y: int, jumps: FloatArray | None = None) -> FloatArray:
    """(n_outcomes,): F after each outcome of a turn in `state`, -inf where its category is closed.

    With `jumps`, the sum over T of jumps[T] * F at y - T instead: a mixture of targets.
    """
    ends = outcomes(goals.rules)
    worth = np.full(ends.n, -np.inf)
    for outcome in np.flatnonzero(ends.is_open(state.filled)).tolist():
        after = State(*map(int, ends.after(state.filled, state.upper, outcome)))
        then = y + int(ends.points[outcome])
        if jumps is None:
            worth[outcome] = goals.value(after, then)
        else:
            found = goals.row_values(after, then - len(jumps) + 1, len(jumps))
            worth[outcome] = found[::-1].astype(np.float64) @ jumps
    return worth


def rank_actions(
    table: ValueTable, worth: FloatArray, dice: str | Iterable[int], rerolls: int, state: State
) -> list[ChanceAction]:
    """Every action with its chance if outcomes have the chances `worth`, best first; equals by their value."""
    rolled = parse_dice(table.rules, dice)
    rerolls = parse_rerolls(table.rules, rerolls)
    told = advise(table, rolled, rerolls, state.filled, state.upper)
    chance = _chances(table.rules, worth, rolled, rerolls, state)
    actions = [ChanceAction(one.action, chance[one.action], one.value, one.regret) for one in told]
    return sorted(actions, key=lambda action: (-action.chance, -action.value))


def _chances(
    rules: Ruleset, of_outcome: FloatArray, rolled: tuple[int, ...], rerolls: int, state: State
) -> dict[str, float]:
    """The chance after every action, by its text; -inf for boxes that are not allowed."""
    dice, texts = lattice(rules.dice, rules.faces), action_texts(rules)
    # What is not allowed, -1, reads the -inf at the end.
    by_category = np.append(of_outcome, -np.inf)[outcome_of_rolls(rules, state.filled)]
    roll_id = dice.id_of(rolled)
    found = dict(zip(texts[: rules.n_categories], by_category[:, roll_id].tolist(), strict=True))
    if rerolls:
        keeps = keep_levels(dice, [by_category.max(axis=0)], rerolls)[-1]
        ids = smaller_keeps(dice)[roll_id].tolist()
        found |= {texts[rules.n_categories + k]: float(keeps[k]) for k in ids}
    return found
