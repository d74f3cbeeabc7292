"""Solved goals kept between runs: one sealed file each, checked and mapped."""

from pathlib import Path

import numpy as np

from yatzy.arrays import lanes_of
from yatzy.context import HERE, Context
from yatzy.files import WriteError
from yatzy.home import home
from yatzy.parts import digest_of
from yatzy.rules import Ruleset, State, stored_name
from yatzy.sealed import SealError, map_tensors, write_tensor_blocks
from yatzy.solver.goal_rows import Goal, GoalLayout
from yatzy.solver.goals import GoalTable, solve_goal

FORMAT = "yatzy-goal-1"
PRECISION = "float32"


def goal_path(rules: Ruleset, goal: Goal, folder: Path | None = None) -> Path:
    """One file per ruleset and goal."""
    own = "" if goal.worths is None else f"-{digest_of(goal.worths.tobytes(), length=8)}"
    kind = "utility" if goal.worths is not None else goal.name
    return home(folder) / "goals" / f"{stored_name(rules)}-{kind}{own}.safetensors"


def stored_goal(rules: Ruleset, goal: Goal, context: Context = HERE) -> GoalTable:
    """The whole goal from its file, or solved and stored now."""
    found = load_goal(rules, goal, context)
    if found is not None:
        return found
    path = goal_path(rules, goal, context.home)
    table = solve_goal(rules, goal, precision=PRECISION, context=context)
    try:
        write_tensor_blocks(path, "values", table.values.shape, PRECISION, [table.values], _metadata(rules, goal))
    except WriteError as error:
        context.notice(f"{error}; the chances are not kept")
    return table


def load_goal(rules: Ruleset, goal: Goal, context: Context = HERE) -> GoalTable | None:
    """The whole goal from its file; None if there is none that can be used."""
    path = goal_path(rules, goal, context.home)
    if not path.exists():
        return None
    rows = GoalLayout(rules, goal, State(), lanes_of(PRECISION))
    try:
        tensors, metadata = map_tensors(path)
    except SealError as error:
        context.notice(f"{error}; solving again")
        return None
    values = tensors.get("values", np.zeros(0))
    if metadata == _metadata(rules, goal) and values.shape == (rows.n_numbers,) and values.dtype == PRECISION:
        return GoalTable(rows, values)
    context.notice(f"{path}: was solved for something else; solving again")
    return None


def _metadata(rules: Ruleset, goal: Goal) -> dict[str, str]:
    wanted = [] if goal.worths is None else [goal.worths.tobytes()]
    if goal.opponent:
        wanted = [f"{one.lowest}".encode() + one.chance.tobytes() for one in goal.opponent.rounds]
    return {
        "format": FORMAT, "rules": rules.name, "fingerprint": rules.fingerprint, "goal": goal.name,
        "worths": digest_of(*wanted), "precision": PRECISION,
    }  # fmt: skip
