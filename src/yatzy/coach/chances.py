"""The chance of a final score: playing for it, and playing for the mean."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

from yatzy.arrays import Tabular, axes_of
from yatzy.coach.advice import stored_chances
from yatzy.coach.outlook import reach_curves
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.game.aim import check_points, check_target
from yatzy.game.json import Count, Probability
from yatzy.rules import Ruleset, State, ruleset
from yatzy.solver.states import FilledGiven, as_state
from yatzy.solver.store import stored_table

# Targets are listed where they are neither certain nor hopeless.
NEARLY_NEVER = 5e-4


@dataclass(frozen=True)
class TargetChance:
    """The greatest chance of a final score, with `need` points to come, and that of perfect play for the mean."""

    target: Count
    need: Count
    chance: Probability
    chance_for_mean: Probability


@dataclass(frozen=True, repr=False)
class Chances(Sequence[TargetChance], Tabular):
    """The chances of every target that is neither certain nor hopeless."""

    rows: tuple[TargetChance, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> TargetChance: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[TargetChance, ...]: ...

    def __getitem__(self, index: int | slice) -> TargetChance | tuple[TargetChance, ...]:
        return self.rows[index]

    def columns(self) -> dict[str, Any]:
        """One row per target."""
        return {one.name: [getattr(row, one.name) for row in self] for one in fields(TargetChance)}

    def plot(self, ax: Any = None) -> Any:
        """Draw both chances by target with Matplotlib; returns the axes."""
        on, columns = axes_of(ax), self.columns()
        on.plot(columns["target"], columns["chance"], label="playing for the target")
        on.plot(columns["target"], columns["chance_for_mean"], label="playing for the mean")
        on.set(xlabel="target", ylabel="chance")
        on.legend()
        return on

    def __repr__(self) -> str:
        return f"<Chances of {len(self)} targets, {self[0].target} to {self[-1].target}>"


def chance(
    target: int,
    state: FilledGiven = 0,
    points: int = 0,
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
) -> TargetChance:
    """The best chance of a final score of at least this much, from the start or from a state with points.

    >>> import yatzy
    >>> upper, hands = "ones,twos,threes,fours,fives,sixes", "house,four of a kind,little straight,big straight"
    >>> found = yatzy.chance(130, f"{upper},{hands} @ 0", 100, rules="yacht")     # Choice and Yacht are open
    >>> round(found.chance, 4), round(found.chance_for_mean, 4)
    (0.0899, 0.063)

    Early in a game the chances of all states are computed once, in about a minute, and stored; late in a game it
    takes a second. `yatzy.chances` has those of every target.
    """
    game = ruleset(rules)
    check_target(game, target)
    best, mean = _curves(game, as_state(game, state), points, context)
    return TargetChance(target, max(target - points, 0), best[target], mean[target])


def chances(
    state: FilledGiven = 0,
    points: int = 0,
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
) -> Chances:
    """The chances of every target: see `yatzy.chance`."""
    game = ruleset(rules)
    best, mean = _curves(game, as_state(game, state), points, context)
    targets = [t for t in range(points, len(best)) if best[t] >= NEARLY_NEVER]
    return Chances(tuple(TargetChance(t, t - points, best[t], mean[t]) for t in targets))


def _curves(game: Ruleset, state: State, points: int, context: Context) -> tuple[list[float], list[float]]:
    check_points(game, state, points)
    with context.shown("solving for every target") as shown:
        of_states = stored_chances(shown).reach(game, state, shown.progress)
    with context.shown("the score of perfect play") as shown:
        table = stored_table(game, context=shown)
        return reach_curves(table, of_states, state, points, shown.progress)
