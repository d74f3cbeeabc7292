"""What habits are worth, exactly, and what each of them costs.

Play by habit draws its choices with known chances, so its mean score is exact: the walk of probability forward
through every state (`evaluate.exact`). A habit's cost is the mean with that habit cured and the others left as
they are, less the mean as it is:

    theta to 0     play for the mean        gamma to 1       count later points in full
    depth to all   see to the end           beta infinite take what looks best, always

Cures overlap: who sees further also gains more by counting what he sees, so that costs do not add up.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from yatzy.arrays import FloatArray, IntArray
from yatzy.context import Context, Progress, part_of
from yatzy.evaluate.exact import follow, turn_exits
from yatzy.policy.base import KnowsExits, Policy
from yatzy.policy.habits import Habits, Habitual, discounted
from yatzy.policy.optimal import Optimal
from yatzy.rules import Ruleset
from yatzy.solver.horizon import full_depth, tables_by_depth
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable

CURES = {
    "theta": "play for the average",
    "beta": "always take what looks best",
    "gamma": "count later points in full",
    "depth": "see to the end of the game",
}


@dataclass(frozen=True)
class Cost:
    """What the mean would be without one habit, and how much more that is."""

    habit: str
    cure: str
    mean: float
    gain: float


@dataclass(frozen=True)
class HabitCosts:
    """The exact mean of play by habit, what each habit costs (the dearest first), and perfect play beside it."""

    mean: float
    best: float
    costs: tuple[Cost, ...]


class Measuring:
    """Exact means of habits in one game; tables are solved when they are first needed, and kept."""

    def __init__(self, rules: Ruleset, threads: int | None = None) -> None:
        rules.check_plain("a profile is")
        self.rules, self.threads = rules, threads
        self._tables: dict[tuple[float, int], ValueTable] = {}

    def mean(self, habits: Habits, progress: Progress | None = None) -> float:
        """The exact mean score of play by these habits."""
        habits.check(self.rules)
        return self._mean(Habitual(self._believed(habits), habits.beta), progress)

    def mean_of_best(self, habits: Habits, progress: Progress | None = None) -> float:
        """The same for somebody who always takes what looks best."""
        return self._mean(Optimal(self._believed(habits)), progress)

    def worth(self, habits: Habits, progress: Progress | None = None) -> HabitCosts:
        """The mean, and with each habit cured."""
        habits.check(self.rules)
        cured = {
            "theta": replace(habits, theta=0.0),
            "gamma": replace(habits, gamma=1.0),
            "depth": replace(habits, depth=full_depth(self.rules)),
        }
        todo = {habit: other for habit, other in cured.items() if other != habits}
        n = 2 + len(todo)
        mean = self.mean(habits, part_of(progress, 0, n))
        means = {"beta": self.mean_of_best(habits, part_of(progress, 1, n))}
        for i, (habit, other) in enumerate(todo.items(), start=2):
            means[habit] = self.mean(other, part_of(progress, i, n))
        costs = [Cost(habit, CURES[habit], found, found - mean) for habit, found in means.items()]
        full = self._table(0.0, full_depth(self.rules))
        return HabitCosts(mean, full.value(), tuple(sorted(costs, key=lambda cost: -cost.gain)))

    def _believed(self, habits: Habits) -> ValueTable:
        return discounted(self._table(habits.theta, habits.depth), habits.gamma)

    def _table(self, theta: float, depth: int) -> ValueTable:
        if (theta, depth) not in self._tables:
            found = tables_by_depth(self.rules, [depth], theta, Context(threads=self.threads))
            self._tables[theta, depth] = found[depth]
        return self._tables[theta, depth]

    def _mean(self, player: Policy | KnowsExits, progress: Progress | None) -> float:
        return follow(self.rules, _reported(player, Context(threads=self.threads, progress=progress))).mean


def _reported(player: Policy | KnowsExits, context: Context) -> Callable[[IntArray, IntArray], FloatArray]:
    """How turns end, telling how many of all states have been asked about."""
    total, done = int(state_space(player.rules).reachable.sum()), 0

    def exits(filled: IntArray, upper: IntArray) -> FloatArray:
        nonlocal done
        found = turn_exits(player, filled, upper, context.threads)
        done += len(filled)
        context.step(done, total)
        return found

    return exits
