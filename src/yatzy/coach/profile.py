"""A player's profile: the habits that fit the decisions of some games, and what each habit costs.

*Play by habit* is a model of a person with four numbers:

    theta    risk: positive seeks it, negative avoids it, 0 plays for the mean
    gamma    how much a point later counts beside a point now, 0..1
    depth    how many turns are foreseen after the current one (`solver.lookahead`)
    beta     how surely the better looking choice is taken, per point that it looks better

With V the value of theta and depth, the end of a turn seems worth points + gamma * V(state after). That makes Q of
every choice in the turn, and the choice is drawn by Boltzmann play at temperature 1 / beta (`policies.boltzmann`).

*The fit* is the posterior over a grid, which needs no search and cannot get stuck:

    ln P(decisions | theta, gamma, depth, beta) = sum over decisions of
        beta * (Q(chosen) - best) - ln(sum over choices of exp(beta * (Q(choice) - best)))

A priori all thetas, gammas and depths of the grid are equally likely, and so are all betas, in even steps of
ln beta. Reported are the likeliest depth and, given that depth, means and standard deviations of theta, gamma and
ln beta.

*Costs* are exact, because the chances of all choices are known: the mean score with one habit cured and the others
left as they are, less the mean as it is (`measure.exact.follow`).

    theta to 0     play for the mean        gamma to 1       count later points in full
    depth to all   see to the end           beta infinite    always take what looks best

Cures overlap: who sees further also gains more by counting what is seen, so costs do not add up.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import EqualByFields, FloatArray, IntArray
from yatzy.context import DEFAULT_CONTEXT, Context, Progress, chunks, part_of
from yatzy.errors import YatzyError
from yatzy.game.action import Action, Score, action_ids, actions_of
from yatzy.game.aim import check_theta
from yatzy.game.game import Game, GameGiven, log_of
from yatzy.game.json import ALWAYS, HIDDEN, INLINE, Count, Probability, cached_json_property, json_property
from yatzy.game.log import GameLog, read_logs
from yatzy.measure.exact import follow, turn_exits
from yatzy.policies.boltzmann import Boltzmann
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import HasTurnOutcomes, Policy
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.actions import action_values
from yatzy.solver.lookahead import check_depth, full_depth, tables_by_depth
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.svg import html_table
from yatzy.turn.lattice import lattice

# The slot of holding all dice.
ALL_DICE = 0


@dataclass(frozen=True)
class Habits:
    """How a person decides."""

    theta: float
    beta: float
    gamma: float
    depth: int

    def check(self, rules: Ruleset) -> None:
        """Refuse numbers that mean nothing in this game."""
        check_theta(self.theta)
        check_depth(rules, self.depth)
        if not (math.isfinite(self.beta) and self.beta > 0):
            raise YatzyError("beta", self.beta, "a finite number above 0, per point")
        if not 0 <= self.gamma <= 1:
            raise YatzyError("gamma", self.gamma, "0..1")

    def text(self, rules: Ruleset) -> str:
        """In one line."""
        ahead = "all" if self.depth == full_depth(rules) else self.depth
        return f"theta {self.theta:+.3f}, beta {self.beta:.2f}, gamma {self.gamma:.2f}, depth {ahead}"


def discounted(table: ValueTable, gamma: float) -> ValueTable:
    """The table as seen by somebody for whom a point later is worth gamma points now."""
    return table if gamma == 1 else ValueTable(table.rules, table.theta, gamma * np.asarray(table.stored))


@dataclass(frozen=True)
class Grid:
    """Habits to try; beta is in even steps of its logarithm."""

    thetas: Annotated[tuple[float, ...], ALWAYS] = (-0.06, -0.03, 0.0, 0.03, 0.06)
    gammas: Annotated[tuple[float, ...], ALWAYS] = (0.3, 0.5, 0.7, 0.85, 1.0)
    depths: Annotated[tuple[int, ...], ALWAYS] = (0, 1, 3, 14)
    betas: Annotated[tuple[float, ...], ALWAYS] = tuple(0.25 * 2 ** (step / 2) for step in range(11))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of thetas, gammas and depths."""
        return len(self.thetas), len(self.gammas), len(self.depths)


def grid_of(rules: Ruleset) -> Grid:
    """The usual grid; its last depth is the full one."""
    full = full_depth(rules)
    return Grid(depths=(*(depth for depth in Grid().depths[:-1] if depth < full), full))


@dataclass(frozen=True)
class Record:
    """Decisions in n situations; `chosen` is the slot of the choice in each."""

    filled: IntArray
    upper: IntArray
    roll_ids: IntArray
    rerolls: IntArray
    chosen: IntArray

    def __len__(self) -> int:
        return len(self.filled)


def decisions_of(logs: Iterable[GameLog], rules: Ruleset) -> Record:
    """Every decision of some games."""
    ids = lattice(rules.dice, rules.faces)
    box_ids = action_ids(rules)
    rows: list[tuple[int, int, int, int, int]] = []
    for log in logs:
        for number, (turn, state) in enumerate(zip(log.turns, log.states, strict=False)):
            left = log.rerolls_at(number)
            for roll, keep in zip(turn.rolls, turn.keeps, strict=False):
                roll_id = ids.id_of(roll)
                slot = int(np.flatnonzero(ids.keeps_in_roll[roll_id] == ids.id_of(keep))[0])
                rows.append((state.filled, state.upper, roll_id, left, slot))
                left -= 1
            roll_id = ids.id_of(turn.rolls[-1])
            rows += [(state.filled, state.upper, roll_id, unused, ALL_DICE) for unused in range(left, 0, -1)]
            rows.append((state.filled, state.upper, roll_id, 0, box_ids[Score(turn.category)]))
    return Record(*np.array(rows, np.int64).reshape(-1, 5).T)


def choice_values(table: ValueTable, asked: Record) -> FloatArray:
    """(n, slots): how many points each choice seems worth; -inf where there is no such choice."""
    found = action_values(table, asked.filled, asked.upper, asked.roll_ids, asked.rerolls)
    n_slots = max(found.keep.shape[1], found.category.shape[1])
    values = np.full((len(asked), n_slots), -np.inf)
    last = asked.rerolls == 0
    values[last, : found.category.shape[1]] = np.nan_to_num(found.category[last], nan=-np.inf)
    values[~last, : found.keep.shape[1]] = np.nan_to_num(found.keep[~last], nan=-np.inf)
    if not last.all():
        # All dice held: the best value of the same dice with one reroll fewer.
        later = action_values(
            table, asked.filled[~last], asked.upper[~last], asked.roll_ids[~last], asked.rerolls[~last] - 1
        )
        values[~last, ALL_DICE] = np.nanmax(np.concatenate([later.category, later.keep], axis=1), axis=1)
    return values


def values_by_habit(
    rules: Ruleset, grid: Grid, asked: Record, progress: Progress | None = None
) -> Iterator[tuple[tuple[int, int, int], FloatArray]]:
    """The indices of (theta, gamma, depth) in the grid, and what the choices seem worth to such a player."""
    for i, theta in enumerate(grid.thetas):
        report = part_of(progress, i, len(grid.thetas))
        tables = tables_by_depth(rules, grid.depths, theta, Context(progress=report))
        for k, depth in enumerate(grid.depths):
            for j, gamma in enumerate(grid.gammas):
                yield (i, j, k), choice_values(discounted(tables[depth], gamma), asked)


def choices_of(rules: Ruleset, roll_id: int, rerolls: int) -> list[Action]:
    """The choices by slot; to hold all dice is one."""
    scores, keeps = actions_of(rules)[: rules.n_categories], actions_of(rules)[rules.n_categories :]
    if rerolls == 0:
        return list(scores)
    return [keeps[keep] for keep in lattice(rules.dice, rules.faces).keeps_in_roll[roll_id] if keep >= 0]


DECISIONS_AT_ONCE = 1 << 14
NEARLY_SURE = 0.9


@dataclass(frozen=True, eq=False)
class Fit(EqualByFields):
    """Habits fitted to `n` decisions: `likelihood` (thetas, gammas, depths, betas) is logarithmic.

    `guessed` is the logarithm of the chance to guess all of them.
    """

    grid: Annotated[Grid, HIDDEN]
    likelihood: Annotated[FloatArray, HIDDEN]
    n: Annotated[int, HIDDEN]
    guessed: Annotated[float, HIDDEN]

    @json_property
    def decisions(self) -> Count:
        return self.n

    @cached_property
    def chances(self) -> FloatArray:
        """(thetas, gammas, depths, betas): the posterior."""
        chances = np.exp(self.likelihood - self.likelihood.max())
        return np.asarray(chances / chances.sum())

    @property
    def depth_chances(self) -> FloatArray:
        """(depths,): how likely each depth is."""
        return np.asarray(self.chances.sum(axis=(0, 1, 3)))

    @cached_property
    def _of_depth(self) -> tuple[int, FloatArray]:
        """The index of the likeliest depth, and the posterior given it (thetas, gammas, betas)."""
        depth = int(self.depth_chances.argmax())
        return depth, self.chances[:, :, depth] / self.depth_chances[depth]

    def _moments(self, values: FloatArray, axis: int) -> tuple[float, float]:
        others = tuple(i for i in range(3) if i != axis)
        weight = self._of_depth[1].sum(axis=others)
        mean = float(weight @ values)
        return mean, math.sqrt(max(float(weight @ (values - mean) ** 2), 0.0))

    @cached_json_property
    def habits(self) -> Annotated[Habits, INLINE]:
        return Habits(
            theta=self._moments(np.array(self.grid.thetas), 0)[0],
            beta=math.exp(self._moments(np.log(self.grid.betas), 2)[0]),
            gamma=self._moments(np.array(self.grid.gammas), 1)[0],
            depth=self.grid.depths[self._of_depth[0]],
        )

    @cached_json_property
    def spread(self) -> dict[str, float]:
        """Standard deviations of theta and gamma, and the factor by which beta is uncertain."""
        return {
            "theta": self._moments(np.array(self.grid.thetas), 0)[1],
            "beta": math.exp(self._moments(np.log(self.grid.betas), 2)[1]),
            "gamma": self._moments(np.array(self.grid.gammas), 1)[1],
        }

    @cached_json_property
    def at_end(self) -> list[str]:
        """Habits that lie at an end of the grid, or beyond it: no more is known."""
        ends = {"theta": (0, (0, -1)), "beta": (2, (0, -1)), "gamma": (1, (0,))}
        marginal = {
            name: self._of_depth[1].sum(axis=tuple(i for i in range(3) if i != axis))
            for name, (axis, _) in ends.items()
        }
        return [name for name, (_, places) in ends.items() if max(marginal[name][i] for i in places) > NEARLY_SURE]

    @json_property
    def depths(self) -> dict[int, Probability]:
        """The posterior of the depth."""
        return dict(zip(self.grid.depths, self.depth_chances.tolist(), strict=True))

    @json_property
    def chance_of_choice(self) -> Probability:
        """The chance the model gives to a choice that was made: the geometric mean, averaged over players."""
        top = float(self.likelihood.max())
        evidence = top + math.log(float(np.exp(self.likelihood - top).mean()))
        return math.exp(evidence / self.n)

    @json_property
    def chance_of_guess(self) -> Probability:
        """The same for blind choices."""
        return math.exp(self.guessed / self.n)


def fit_decisions(rules: Ruleset, decisions: Record, grid: Grid, progress: Progress | None = None) -> Fit:
    """Fit any number of decisions; the game is solved for each theta of the grid."""
    rules.check_plain("a profile is")
    if not len(decisions):
        raise YatzyError("decisions", why="there are none; a profile needs at least one finished turn")
    likelihood = np.zeros((*grid.shape, len(grid.betas)))
    guessed = 0.0
    for place, values in values_by_habit(rules, grid, decisions, progress):
        for part in chunks(len(decisions), DECISIONS_AT_ONCE):
            likelihood[place] += log_likelihood(values[part], decisions.chosen[part], grid.betas).sum(axis=1)
        if place == (0, 0, 0):
            guessed = -float(np.log(np.isfinite(values).sum(axis=1)).sum())
    return Fit(grid, likelihood, len(decisions), guessed)


def log_likelihood(values: FloatArray, chosen: IntArray, betas: tuple[float, ...]) -> FloatArray:
    """(betas, n): logarithm of the chance of each choice; `values` (n, choices), -inf where there is none."""
    behind = values - values.max(axis=1, keepdims=True)
    made = np.take_along_axis(behind, chosen[:, None], axis=1)[:, 0]
    return np.stack([beta * made - np.log(np.exp(beta * behind).sum(axis=1)) for beta in betas])


def choice_chances(values: NDArray[Any], beta: float) -> NDArray[Any]:
    """(n, choices): the chance of each choice."""
    weights = np.exp(beta * (values - values.max(axis=-1, keepdims=True)))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def draw_choices(chances: NDArray[Any], generator: np.random.Generator) -> IntArray:
    """One choice per row of `chances` (n, choices)."""
    ends = np.cumsum(chances, axis=1, dtype=np.float64)
    places = generator.random(len(ends)) * ends[:, -1]
    return np.asarray(np.minimum((ends <= places[:, None]).sum(axis=1), ends.shape[1] - 1))


CURES = {
    "theta": "play for the average",
    "beta": "always take what looks best",
    "gamma": "count later points in full",
    "depth": "see to the end of the game",
}


@dataclass(frozen=True)
class Cost:
    """The mean with one habit cured, and the gain."""

    habit: str
    cure: str
    mean: float
    gain: float


@dataclass(frozen=True)
class HabitCosts:
    """The exact mean of play by habit, the value of perfect play, and the cost of each habit, highest first."""

    mean: float
    best: float
    costs: tuple[Cost, ...]


class HabitEvaluator:
    """Exact means of habits in one game; tables are solved when first needed, and cached."""

    def __init__(self, rules: Ruleset, threads: int | None = None) -> None:
        rules.check_plain("a profile is")
        self.rules, self.threads = rules, threads
        self._tables: dict[tuple[float, int], ValueTable] = {}

    def mean(self, habits: Habits, progress: Progress | None = None) -> float:
        """The exact mean score."""
        habits.check(self.rules)
        return self._mean(Boltzmann(self._believed(habits), 1 / habits.beta), progress)

    def mean_of_best(self, habits: Habits, progress: Progress | None = None) -> float:
        """The same for a player who always takes what looks best."""
        return self._mean(Optimal(self._believed(habits)), progress)

    def worth(self, habits: Habits, progress: Progress | None = None) -> HabitCosts:
        """The mean as it is, and with each habit cured."""
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

    def _mean(self, player: Policy | HasTurnOutcomes, progress: Progress | None) -> float:
        return follow(self.rules, _reported(player, Context(threads=self.threads, progress=progress))).mean


def _reported(player: Policy | HasTurnOutcomes, context: Context) -> Callable[[IntArray, IntArray], FloatArray]:
    """How turns end, with progress by the states asked about."""
    total, done = int(state_space(player.rules).reachable.sum()), 0

    def exits(filled: IntArray, upper: IntArray) -> FloatArray:
        nonlocal done
        found = turn_exits(player, filled, upper, context.threads)
        done += len(filled)
        context.step(done, total)
        return found

    return exits


# A theta less than this many standard deviations from 0 is not worth naming.
NOTABLE = 2.0


@dataclass(frozen=True, repr=False)
class Profile:
    """A player's habits: `fit.habits`, `fit.spread`, `sentences`, and `worth` if its exact means were computed."""

    rules: Ruleset
    fit: Annotated[Fit, INLINE]
    worth: Annotated[HabitCosts | None, INLINE] = None

    @json_property
    def sentences(self) -> dict[str, str]:
        """Each habit in words."""
        habits, spread = self.fit.habits, self.fit.spread
        risk = "plays for the average"
        if abs(habits.theta) > NOTABLE * spread["theta"]:
            risk = "seeks risk" if habits.theta > 0 else "avoids risk"
        sight = {0: "sees this turn only", full_depth(self.rules): "sees to the end of the game"}
        turns = f"sees {habits.depth} turn{'' if habits.depth == 1 else 's'} ahead"
        better = 1 / (1 + math.exp(-habits.beta))
        found = {
            "theta": risk,
            "gamma": f"a point later counts as {habits.gamma:.2f} of a point now",
            "depth": sight.get(habits.depth, turns),
            "beta": f"takes the better of two choices a point apart {better:.0%} of the time",
        }
        return found | {name: f"{found[name]} (the end of the scale)" for name in self.fit.at_end}

    def __repr__(self) -> str:
        worth = f": plays at {self.worth.mean:.1f}" if self.worth else ""
        return f"<Profile of {self.fit.n:,} decisions, {self.fit.habits.text(self.rules)}{worth}>"

    def _repr_html_(self) -> str:
        rows = [(name, getattr(self.fit.habits, name), text) for name, text in self.sentences.items()]
        return html_table(("habit", "", ""), rows, repr(self)[1:-1])


def profile(
    games: GameGiven | Iterable[GameGiven],
    rules: str | Ruleset | None = None,
    costs: bool = True,
    context: Context = DEFAULT_CONTEXT,
) -> Profile:
    """A model of whoever played these games: risk, noise, patience and foresight, and the cost of each.

    >>> import yatzy
    >>> games = [yatzy.play_on(yatzy.Game("yacht", seed=seed), "greedy") for seed in range(20)]
    >>> found = yatzy.profile(games, costs=False)
    >>> found.fit.habits.depth, found.sentences["depth"]
    (0, 'sees this turn only')

    `games` is one game or several, each a `Game`, a log, a JSON object or a file (which may hold many), all by the
    same rules. With `costs`, `found.worth` has the exact mean as it is and with each habit cured, which takes
    minutes for a full game. `rules` are for rules of your own.
    """
    own = None if rules is None else ruleset(rules)
    several = [games] if isinstance(games, Game | GameLog | str | Path | Mapping) else games
    logs: list[GameLog] = []
    for one in several:
        logs += read_logs(one, own) if isinstance(one, str | Path) else [log_of(one, own)]
    with context.shown("fitting habits") as shown:
        return _fitted(logs, costs, shown)


def _fitted(games: list[GameLog], costs: bool, context: Context) -> Profile:
    rules = {log.rules for log in games}
    if len(rules) != 1:
        names = ", ".join(sorted(one.name for one in rules)) or "none"
        raise YatzyError(
            "games", why=f"are of {len(rules)} rules ({names}); a profile is of games by the same rules"
        )
    (game,) = rules
    game.check_plain("a profile is")
    n_parts = 1 + costs
    fitted = fit_decisions(game, decisions_of(games, game), grid_of(game), part_of(context.progress, 0, n_parts))
    found = Profile(game, fitted)
    return measured(found, context.part(1, n_parts)) if costs else found


def measured(profile: Profile, context: Context = DEFAULT_CONTEXT) -> Profile:
    """The profile with the costs of its habits: minutes for a full game."""
    worth = HabitEvaluator(profile.rules, context.threads).worth(profile.fit.habits, context.progress)
    return Profile(profile.rules, profile.fit, worth)
