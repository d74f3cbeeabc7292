"""Exact return and regret of known players, as a table to compare an agent with: `python -m yatzy.gym`."""

from yatzy.evaluate.exact import evaluate
from yatzy.rules import ruleset
from yatzy.solver.store import table_of

BASELINES = (
    "random", "heuristic", "greedy", "tree-6k", "value-18", "value-350", "value-650", "value-2000", "optimal",
)  # fmt: skip


def baselines(rules: str = "scandinavian", names: tuple[str, ...] = BASELINES) -> list[tuple[str, float, float]]:
    """(player, exact return, exact regret), worst first."""
    best = table_of(ruleset(rules)).value()
    means = {name: evaluate(name, rules).mean for name in names}
    return sorted(((name, mean, best - mean) for name, mean in means.items()), key=lambda row: row[1])


def markdown(rows: list[tuple[str, float, float]]) -> str:
    """The table as it stands in docs/environment.md."""
    lines = ["| player | return | regret |", "| --- | --- | --- |"]
    lines += [f"| `{name}` | {mean:.2f} | {abs(regret):.2f} |" for name, mean, regret in rows]
    return "\n".join(lines)
