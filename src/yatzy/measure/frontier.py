"""How small can a player be? Policies by their size, and those that nobody of their size or smaller beats."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

from yatzy.arrays import Tabular, axes_of
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.game.json import Count
from yatzy.measure.exact import visit
from yatzy.policies.policy import HasTurnOutcomes, ScoreAware, Validated
from yatzy.policies.registry import Player, as_policy
from yatzy.rules import Ruleset
from yatzy.svg import html_table
from yatzy.svg import scatter as drawn


@dataclass(frozen=True)
class Sized:
    """A policy, how many numbers it holds, its exact mean, and whether none of its size or smaller beats it."""

    policy: str
    parameters: Count
    mean: float
    on_frontier: bool


@dataclass(frozen=True, repr=False)
class Frontier(Sequence[Sized], Tabular):
    """Policies by size."""

    rows: tuple[Sized, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Sized: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Sized, ...]: ...

    def __getitem__(self, index: int | slice) -> Sized | tuple[Sized, ...]:
        return self.rows[index]

    def columns(self) -> dict[str, Any]:
        """One row per policy."""
        return {one.name: [getattr(row, one.name) for row in self] for one in fields(Sized)}

    def svg(self) -> str:
        """The means by size, as a picture."""
        points = [(max(one.parameters, 1), one.mean, one.policy, one.on_frontier) for one in self]
        return drawn(points, "parameters", "mean score")

    def plot(self, ax: Any = None) -> Any:
        """Draw the means by size with Matplotlib; returns the axes."""
        on = axes_of(ax)
        best = [one for one in self if one.on_frontier]
        on.plot([max(one.parameters, 1) for one in self], [one.mean for one in self], "o")
        on.step([max(one.parameters, 1) for one in best], [one.mean for one in best], where="post")
        on.set(xlabel="parameters", ylabel="mean", xscale="log")
        return on

    def __repr__(self) -> str:
        best = ", ".join(f"{one.policy} {one.mean:.2f}" for one in self if one.on_frontier)
        return f"<Frontier of {len(self)} policies: {best}>"

    def _repr_html_(self) -> str:
        rows = [(one.policy, one.parameters, one.mean, "yes" if one.on_frontier else "") for one in self]
        return self.svg() + html_table(("policy", "parameters", "mean", "on the frontier"), rows)


def pareto(
    policies: Sequence[Player], rules: str | Ruleset | None = None, context: Context = DEFAULT_CONTEXT
) -> Frontier:
    """Measure policies exactly, and find those that no other of their size or smaller beats.

    >>> import yatzy
    >>> yatzy.pareto(["heuristic", "value-18", "greedy"])
    <Frontier of 3 policies: greedy 199.16, value-18 246.71>

    Models, and policies of `yatzy.from_estimators` made of trees, say how many numbers they hold; a policy with an
    attribute `parameters` does so too. Others count as rules of thumb, without numbers.
    """
    if not policies:
        raise YatzyError("policies", why="there are none to measure")
    sized = []
    with context.shown(f"measuring {len(policies)} policies") as shown:
        for i, policy in enumerate(policies):
            player = as_policy(policy, rules, context=shown.part(i, len(policies)))
            if isinstance(player, ScoreAware):
                raise YatzyError("policies", player.name, why="sees the points on the card")
            mean = visit(player if isinstance(player, HasTurnOutcomes) else Validated(player), shown.threads).mean
            sized.append((getattr(player, "parameters", 0), mean, player.name))
            shown.step(i + 1, len(policies))
    return Frontier(tuple(_marked(sized)))


def _marked(sized: list[tuple[int, float, str]]) -> Sequence[Sized]:
    """By size, those on the frontier marked."""
    found: list[Sized] = []
    strongest = float("-inf")
    for parameters, mean, name in sorted(sized, key=lambda one: (one[0], -one[1])):
        found.append(Sized(name, parameters, mean, mean > strongest))
        strongest = max(strongest, mean)
    return found
