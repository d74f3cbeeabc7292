"""Playing for a target: how far the chance of every score can be raised, and what that costs.

    best(T) = max over plays of P(score >= T)

Three curves over all targets. `best` is solved for all of them at once, in float64 (`yatzy.solver.goals`). The
second is the exact distribution of perfect play for the mean; the third is, for each T, the best distribution of
the sweep of thetas.

*What a target costs.* Of all plays with the greatest chance, the one with the highest mean is solved with a price
on points, F = best(T) + price * (mean - T), which gives its mean for every T. For a few targets play is also
followed through the game: its SD, quantiles and bonus. That play decides by chances in float32, and takes a higher
mean where chances differ by rounding only: it costs a little less.

*What changes.* Perfect games for the mean are replayed. Wherever play for a target decides otherwise, the change
is the chance of the target that play for the mean gives away there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.game.action import Score, action_ids
from yatzy.game.json import json_property
from yatzy.game.log import GameLog
from yatzy.game.situation import Situation
from yatzy.lab.studies.results import P, kept_part, part_file
from yatzy.lab.studies.sweep import Point, sweep_default_grid
from yatzy.measure.exact import evaluate, evaluate_with_points
from yatzy.measure.simulate import play_logs
from yatzy.policies.optimal import Optimal, PlaysFor
from yatzy.rules import Ruleset, State, format_category, format_dice, ruleset
from yatzy.solver.from_here import advise_for_target
from yatzy.solver.goal import PRICE, Goal, cheapest_reach, reach
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.store import stored_goal, stored_table
from yatzy.solver.table import ValueTable
from yatzy.source_digest import source_digest
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import highest_score

SEED = 1
PROBABILITIES = (0.5, 0.25, 0.1, 0.05, 0.01)
# Targets whose play is followed through the game: some minutes each.
FOLLOWED = (200, 250, 300)
REPLAYED, CHANGE_TARGETS, MAX_CHANGES = 300, (250, 300), 10


@dataclass(frozen=True)
class ReachCurve:
    """By target, from 0 on: the chance and mean of the best play for it, and the chances of play for the mean and
    for the best theta, with this theta.
    """

    best: list[float]
    mean_of_best: list[float]
    for_mean: list[float]
    for_theta: list[float]
    theta: list[float]


@dataclass(frozen=True)
class ReachableTargets:
    """The highest targets reached with at least this probability."""

    probability: float
    best: int
    for_mean: int
    for_theta: int


@dataclass(frozen=True)
class Followed:
    """Play for one target; `cost` in points of the mean, `cut` is the share of games left out."""

    target: int
    chance: float
    mean: float
    cost: float
    sd: float
    bonus_rate: float
    quantiles: dict[str, int]
    cut: float


@dataclass(frozen=True)
class Change:
    """A situation in which play for the target differs from play for the mean; chances are of the target."""

    target: int
    game: int
    turn: int
    points: int
    open: list[str]
    upper: int
    dice: list[int]
    rerolls: int
    for_target: str
    for_mean: str
    chance: float
    chance_for_mean: float
    points_given_up: float

    @json_property
    def size(self) -> float:
        return self.chance - self.chance_for_mean

    @json_property
    def words(self) -> str:
        left = {0: "no reroll", 1: "one reroll"}.get(self.rerolls, f"{self.rerolls} rerolls")
        return (
            f"For {self.target}, with {self.points} points in the boxes, an upper total of {self.upper}, "
            f"{', '.join(self.open)} open, {format_dice(self.dice)} on the table and {left} left: "
            f"{self.for_target}, not {self.for_mean}. That is a chance of {self.chance:.1%} instead of "
            f"{self.chance_for_mean:.1%}, for {self.points_given_up:.1f} points of the mean."
        )


@dataclass(frozen=True)
class Changes:
    """The largest changes of all replayed games, the number of decisions, and of changed ones by target."""

    largest: list[Change]
    decisions: int
    changed: dict[str, int]


@dataclass(frozen=True)
class Reach:
    """The curves, the cost of targets, and changed decisions."""

    rules: str
    mean: float
    curve: ReachCurve
    within: list[ReachableTargets]
    followed: list[Followed]
    changes: list[Change]
    games_replayed: int
    decisions_replayed: int
    decisions_changed: dict[str, int]

    @json_property
    def costliest(self) -> int:
        """The target whose play has the lowest mean."""
        return int(np.argmin(self.curve.mean_of_best))

    @json_property
    def widest(self) -> int:
        """The target whose chance rises most over play for the mean."""
        return int(np.argmax(np.subtract(self.curve.best, self.curve.for_mean)))

    @property
    def key_figures(self) -> dict[str, float]:
        curve = self.curve
        return {
            **{f"target_at_{one.probability:g}": one.best for one in self.within},
            "widest_gain_at": self.widest,
            "widest_gain": curve.best[self.widest] - curve.for_mean[self.widest],
            "costliest_target": self.costliest,
            "its_cost": self.mean - curve.mean_of_best[self.costliest],
        }


def measure_reach(
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
    followed: Sequence[int] = FOLLOWED,
    change_targets: Sequence[int] = CHANGE_TARGETS,
    replayed: int = REPLAYED,
) -> Reach:
    """Solve the curves, follow play for some targets, and find the decisions that change."""
    game = ruleset(rules)
    n_parts = 5 + len(followed)
    steps = iter(context.part(i, n_parts) for i in range(n_parts))
    table = stored_table(game, context=next(steps))
    best, priced = (np.array(_start(goal, table, next(steps))) for goal in (reach(), cheapest_reach(table)))
    targets = np.arange(len(best))
    points = sweep_default_grid(game, next(steps)).points
    curve = _curve(table, best, targets + (priced - best) / PRICE, points, context.threads)
    chances = stored_goal(game, reach(), next(steps))
    at = [_follow(chances, table, target, next(steps)) for target in followed]
    found = _changes(chances, table, change_targets, replayed, context.home)
    return Reach(
        rules=game.name,
        mean=table.value(),
        curve=curve,
        within=[_within(curve, probability) for probability in PROBABILITIES],
        followed=at,
        changes=found.largest,
        games_replayed=replayed,
        decisions_replayed=found.decisions,
        decisions_changed=found.changed,
    )


def _kept(home: Path | None, name: str, table: ValueTable, kind: type[P], make: Callable[[], P]) -> P:
    """A part of this study."""
    made_from = (source_digest(__name__), table.rules.fingerprint, Optimal(table).content)
    return kept_part(part_file(home, "reach", name, *made_from), kind, make)


def _start(goal: Goal, table: ValueTable, context: Context) -> list[float]:
    """F of every target at the start of a game."""

    def solve() -> list[float]:
        solved = solve_goal(table.rules, goal, precision="float64", context=context)
        n = highest_score(table.rules) + 1
        return [float(number) for number in solved.row_values(State(), 1 - n, n)[::-1]]

    return _kept(context.home, goal.name, table, list[float], solve)


def chances_at_start(table: ValueTable, context: Context) -> FloatArray:
    """The greatest chance of every target from 0 on."""
    return np.array(_start(reach(), table, context))


def _curve(
    table: ValueTable, best: FloatArray, mean_of_best: FloatArray, points: Sequence[Point], threads: int | None
) -> ReachCurve:
    n = len(best)
    for_mean = _at_least(
        evaluate(Optimal(table), context=Context(threads=threads), check=False).distribution.pmf, n
    )
    by_theta = np.stack([_at_least(np.array(point.pmf), n) for point in points])
    chosen = by_theta.argmax(axis=0)
    return ReachCurve(
        best=best.tolist(),
        mean_of_best=mean_of_best.tolist(),
        for_mean=for_mean.tolist(),
        for_theta=by_theta.max(axis=0).tolist(),
        theta=[points[i].theta for i in chosen.tolist()],
    )


def _at_least(pmf: FloatArray, n: int) -> FloatArray:
    """P(score >= T) for T below n."""
    whole = np.zeros(n)
    whole[: len(pmf)] = pmf
    return np.minimum(np.cumsum(whole[::-1])[::-1], 1.0)


def _within(curve: ReachCurve, probability: float) -> ReachableTargets:
    best, for_mean, for_theta = (
        int(np.flatnonzero(np.array(chances) >= probability)[-1])
        for chances in (curve.best, curve.for_mean, curve.for_theta)
    )
    return ReachableTargets(probability, best, for_mean, for_theta)


def _follow(chances: GoalTable, table: ValueTable, target: int, context: Context) -> Followed:
    def follow() -> Followed:
        played = evaluate_with_points(PlaysFor(chances, table, target), context)
        scores = played.distribution
        return Followed(
            target=target,
            chance=scores.at_least(target),
            mean=scores.mean,
            cost=table.value() - scores.mean,
            sd=scores.sd,
            bonus_rate=played.bonus_rate,
            quantiles=dict(scores.quantiles),
            cut=played.cut,
        )

    return _kept(context.home, f"for-{target}", table, Followed, follow)


def _changes(
    chances: GoalTable, table: ValueTable, targets: Sequence[int], games: int, home: Path | None
) -> Changes:
    """The largest changes in perfect games for the mean, at most one per game; and how many there are."""

    def find() -> Changes:
        changed: dict[str, int] = {}
        largest: dict[int, Change] = {}
        decisions = 0
        for target in targets:
            found = list(_changes_for(chances, table, target, games))
            decisions, changed[f"{target}"] = sum(n for n, _ in found), sum(len(many) for _, many in found)
            for one in (one for _, many in found for one in many):
                if one.game not in largest or one.size > largest[one.game].size:
                    largest[one.game] = one
        first = sorted(largest.values(), key=lambda one: -one.size)[:MAX_CHANGES]
        return Changes(first, decisions, changed)

    name = f"changes-{'-'.join(map(str, targets))}-in-{games}"
    return _kept(home, name, table, Changes, find)


def _changes_for(
    chances: GoalTable, table: ValueTable, target: int, games: int
) -> Iterator[tuple[int, list[Change]]]:
    """For each perfect game for the mean: the number of its decisions, and those that a target changes."""
    rules, player = table.rules, PlaysFor(chances, table, target)
    dice = lattice(rules.dice, rules.faces)
    for log in play_logs(Optimal(table), games, SEED):
        before = np.cumsum([0, *log.points])[: len(log.turns)]
        filled, upper = np.array([(state.filled, state.upper) for state in log.states[:-1]]).T
        decided = player.decide_at(filled, upper, before)
        n, found = 0, []
        for turn, played in enumerate(log.turns):
            for throw, rolled in enumerate(played.rolls):
                rerolls, roll = rules.rerolls - throw, dice.id_of(rolled)
                if rerolls:
                    wanted = dice.keeps[int(decided.keep[turn, rerolls - 1, roll])]
                    changes = wanted != tuple(sorted(_held(played.keeps, throw, rolled)))
                else:
                    changes = int(decided.category[turn, roll]) != action_ids(rules)[Score(played.category)]
                n += 1
                if changes:
                    found.append((turn, throw))
        possible = (_change(chances, table, target, log, *at) for at in found)
        yield n, [one for one in possible if one is not None]


def _held(keeps: Sequence[Sequence[int]], throw: int, rolled: Sequence[int]) -> Sequence[int]:
    """What was held after a throw: everything, if it was scored."""
    return keeps[throw] if throw < len(keeps) else rolled


def _change(
    chances: GoalTable, table: ValueTable, target: int, log: GameLog, turn: int, throw: int
) -> Change | None:
    """The situation with both actions; None if they are as good for the target."""
    rules, state, points = table.rules, log.states[turn], sum(log.points[:turn])
    dice, rerolls = log.turns[turn].rolls[throw], rules.rerolls - throw
    advice = advise_for_target(chances, table, Situation.of(rules, dice, rerolls, state), points, target)
    best, plain = advice[0], min(advice, key=lambda action: (action.regret, -action.worth))
    if best.worth <= plain.worth:
        return None
    is_open = [format_category(rules, c) for c in range(rules.n_categories) if not state.filled >> c & 1]
    return Change(
        target=target, game=log.game or 0, turn=turn + 1, points=points, open=is_open, upper=state.upper,
        dice=sorted(dice), rerolls=rerolls, for_target=str(best.action), for_mean=str(plain.action),
        chance=best.worth, chance_for_mean=plain.worth, points_given_up=best.regret,
    )  # fmt: skip
