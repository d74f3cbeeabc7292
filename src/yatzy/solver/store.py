"""Tables kept between runs: load a usable one, or else solve and store it."""

from collections.abc import Callable
from pathlib import Path

from yatzy.files import WriteError
from yatzy.game.aim import check_theta
from yatzy.home import home
from yatzy.rules import Ruleset, ruleset, stored_name
from yatzy.running import Progress, silent
from yatzy.solver.table import TableError, ValueTable


def table_path(rules: Ruleset, theta: float, precision: str, folder: str | Path | None = None) -> Path:
    """One file per ruleset, theta and precision."""
    name = f"{stored_name(rules)}-theta{theta!r}-{precision}.safetensors"
    return home(folder) / "tables" / name


def stored_table(
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
    precision: str = "float64",
    folder: str | Path | None = None,
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
    draft: bool = False,
) -> ValueTable:
    """The table from its file, or solved and stored now.

    A file that is there but cannot be used is reported through `notice` and replaced; so is one that cannot be
    written, and then the table is only returned (a large one is an error then). `draft` is for a caller who is
    waiting: see `solve`.
    """
    rules = ruleset(rules)
    theta = check_theta(theta)
    path = table_path(rules, theta, precision, folder)
    if path.exists():
        try:
            return ValueTable.load(path, rules, theta, precision)
        except TableError as error:
            if notice:
                notice(f"{error}; solving again")
    from yatzy.solver.solve import solve
    from yatzy.solver.streamed import is_large, solve_to_file

    if is_large(rules, precision):
        tell = notice or silent
        return solve_to_file(path, rules, theta, precision, progress=progress, notice=tell, again=False)
    table = solve(rules, theta, precision, progress=progress, draft=draft)
    try:
        table.save(path)
    except WriteError as error:
        if notice:
            notice(f"{error}; the table is not kept")
    return table
