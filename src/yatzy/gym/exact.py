"""The exact return and the exact regret of an agent: nothing is sampled.

An agent is a function of observations and action masks, (n, observed) and (n, actions), that returns n actions,
always the same for the same situation. Asked about every state it can come to, it is a policy like any other, and

    exact_return(agent) = the mean score, exactly        exact_regret(agent) = value of perfect play - that mean.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.context import Context, Progress
from yatzy.errors import YatzyError
from yatzy.gym.environment import Seats, codes_of, see, tables_of
from yatzy.measure.exact import Evaluation, evaluate
from yatzy.policies.policy import Decisions, empty_decisions
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.store import table_of

Agent = Callable[[NDArray[np.float32], NDArray[np.int8]], Any]
# Situations put to an agent at once.
BATCH = 1 << 16


class AgentPolicy:
    """An agent as a policy. Scoring with rerolls left counts as holding all dice, then scoring the same box."""

    def __init__(self, agent: Agent, rules: str | Ruleset = "scandinavian", name: str | None = None) -> None:
        self.agent, self.rules = agent, ruleset(rules)
        self.codes = codes_of(self.rules)
        self.name = str(name or getattr(agent, "__name__", type(agent).__name__))

    def __repr__(self) -> str:
        return f"<policy {self.name!r} for {self.rules.name}>"

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        """The agent's actions for every roll and number of rerolls."""
        decisions = empty_decisions(self.rules, filled)
        n_rolls, n_holds = decisions.category.shape[1], self.codes.n_holds
        rolls = np.arange(n_rolls)
        for left in range(self.rules.rerolls + 1):
            actions = self._actions(filled, upper, left, n_rolls)
            scores = actions >= n_holds
            if left == 0:
                decisions.category[:] = actions - n_holds
                continue
            keep = self.codes.keep_of_code[rolls, np.where(scores, 0, actions)]
            decisions.keep[:, left - 1] = np.where(scores, rolls, keep)
            differs = scores & (actions - n_holds != decisions.category)
            if differs.any():
                raise YatzyError(
                    f"agent {self.name!r}",
                    allowed="one box (then its return can be computed)",
                    why=f"scores in another box with {left} rerolls left than with none, for the same dice",
                )
        return decisions

    def _actions(self, filled: IntArray, upper: IntArray, left: int, n_rolls: int) -> IntArray:
        """(n, n_rolls): its actions with this many rerolls left."""
        n = len(filled)
        masks_of_state, uppers = np.repeat(filled, n_rolls), np.repeat(upper, n_rolls)
        seats = Seats(
            masks_of_state.astype(np.int64), uppers.astype(np.int64), np.tile(np.arange(n_rolls), n),
            np.full(n * n_rolls, left, np.int64), np.ones(1, np.uint64),
        )  # fmt: skip
        observed = np.zeros((n * n_rolls, self.codes.n_observed), np.float32)
        masks = np.zeros((n * n_rolls, self.codes.n_actions), np.int8)
        see(0, n * n_rolls, seats, tables_of(self.rules), observed, masks)
        parts = [
            np.asarray(self.agent(observed[i : i + BATCH], masks[i : i + BATCH]), np.int64)
            for i in range(0, n * n_rolls, BATCH)
        ]
        actions = np.concatenate(parts)
        if actions.shape != (n * n_rolls,):
            raise YatzyError(
                f"agent {self.name!r}", allowed="one action for each observation", why=f"gives {actions.shape}"
            )
        wrong = np.flatnonzero((actions < 0) | (actions >= self.codes.n_actions))
        if not len(wrong):
            wrong = np.flatnonzero(masks[np.arange(len(actions)), actions] == 0)
        if len(wrong):
            raise YatzyError(
                f"agent {self.name!r}", why=f"takes action {actions[wrong[0]]}, which its action_mask forbids"
            )
        return actions.reshape(n, n_rolls)


def exact_return(
    agent: Agent, rules: str | Ruleset = "scandinavian", progress: Progress | None = None
) -> Evaluation:
    """The agent's exact strength: `.mean` is its expected return, `.distribution` that of its final score."""
    return evaluate(AgentPolicy(agent, rules), context=Context(progress=progress))


def exact_regret(agent: Agent, rules: str | Ruleset = "scandinavian", progress: Progress | None = None) -> float:
    """The points per game that the agent loses against perfect play."""
    found = exact_return(agent, rules, progress)
    return table_of(found.rules).value() - found.mean


BASELINES = (
    "random", "heuristic", "greedy", "tree-6k", "value-18", "value-350", "value-650", "value-2000", "optimal",
)  # fmt: skip


def baselines(rules: str = "scandinavian", names: tuple[str, ...] = BASELINES) -> list[tuple[str, float, float]]:
    """(player, exact return, exact regret), worst first."""
    best = table_of(ruleset(rules)).value()
    means = {name: evaluate(name, rules).mean for name in names}
    return sorted(((name, mean, best - mean) for name, mean in means.items()), key=lambda row: row[1])


def markdown(rows: list[tuple[str, float, float]]) -> str:
    """The table of docs/environment.md."""
    lines = ["| player | return | regret |", "| --- | --- | --- |"]
    lines += [f"| `{name}` | {mean:.2f} | {abs(regret):.2f} |" for name, mean, regret in rows]
    return "\n".join(lines)
