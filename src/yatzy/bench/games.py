"""Other games and other goals beside Scandinavian Yatzy and its mean.

    ratio of a game = seconds per class of its solve / seconds per class of the first game's
    ratio of a goal = seconds of its solve / seconds of the solve for the mean, same threads

A class is what the solver values: a state, or all states in which the bonus is lost alike.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from yatzy.bench.timing import Row, best_seconds, check_repeats
from yatzy.rules import Ruleset, State, ruleset
from yatzy.running import check_threads
from yatzy.solver.goal_rows import reach, utility
from yatzy.solver.goals import solve_goal
from yatzy.solver.solve import solve
from yatzy.solver.states import state_space
from yatzy.turn.outcomes import highest_score

GAMES = ("scandinavian", "yahtzee", "yahtzee+no-joker+no-extra-bonus", "scandinavian+saved-throws", "maxi")
# The first boxes of the card are still open where a goal is solved from here on: the bonus is, too.
OPEN_BOXES = (8, 4)


@dataclass(frozen=True)
class GameTiming:
    """The best time of a game's solve."""

    rules: str
    classes: int
    seconds: float

    @property
    def seconds_per_class(self) -> float:
        return self.seconds / self.classes


@dataclass(frozen=True)
class GamesBench:
    """Games beside the first of them."""

    threads: int
    repeats: int
    timings: tuple[GameTiming, ...]

    @property
    def ratios(self) -> dict[str, float]:
        first = self.timings[0].seconds_per_class
        return {t.rules: t.seconds_per_class / first for t in self.timings}

    @property
    def rows(self) -> list[Row]:
        """The result as a table."""
        first, *others = self.timings
        found = [Row(f"solve, {first.rules}", first.seconds)]
        for t in others:
            found.append(Row(f"solve, {t.rules}", t.seconds, self.ratios[t.rules], "the time per class"))
        return found

    def to_json(self) -> dict[str, Any]:
        rows = [asdict(row) for row in self.rows]
        return {**asdict(self), "ratios": self.ratios, "rows": rows}


@dataclass(frozen=True)
class GoalsBench:
    """Goals beside the mean; `from_here` by the number of open boxes."""

    threads: int
    repeats: int
    mean_seconds: float
    goal_seconds: dict[str, float]
    from_here_seconds: dict[int, float]

    @property
    def ratios(self) -> dict[str, float]:
        return {name: seconds / self.mean_seconds for name, seconds in self.goal_seconds.items()}

    @property
    def rows(self) -> list[Row]:
        """The result as a table."""
        found = [Row("solve, the mean, float64", self.mean_seconds)]
        for name, seconds in self.goal_seconds.items():
            found.append(Row(f"solve, {name}, float32", seconds, self.ratios[name], "the time of the mean"))
        for n, seconds in self.from_here_seconds.items():
            found.append(Row(f"reach from here, {n} boxes open", seconds))
        return found

    def to_json(self) -> dict[str, Any]:
        rows = [asdict(row) for row in self.rows]
        return {**asdict(self), "ratios": self.ratios, "rows": rows}


def bench_games(
    repeats: int = 3, threads: int | None = None, games: Sequence[str | Ruleset] = GAMES
) -> GamesBench:
    """Time the solves of several games, in float64: the best of `repeats` interleaved rounds."""
    check_repeats(repeats)
    threads = check_threads(threads)
    rulesets = [ruleset(game) for game in games]
    jobs: dict[str, Callable[[], object]] = {game.name: partial(solve, game, threads=threads) for game in rulesets}
    for game in rulesets:
        # Compiles, and makes the tables that depend on the game alone.
        if state_space(game).n_classes < 10_000_000:
            jobs[game.name]()
    best = best_seconds(jobs, repeats)
    timings = (GameTiming(game.name, state_space(game).n_classes, best[game.name]) for game in rulesets)
    return GamesBench(threads, repeats, tuple(timings))


def bench_goals(repeats: int = 3, threads: int | None = None, rules: str | Ruleset = "scandinavian") -> GoalsBench:
    """Time goals beside the mean: for the whole game, and from a state with few boxes open."""
    check_repeats(repeats)
    threads = check_threads(threads)
    game = ruleset(rules)
    scores = np.arange(highest_score(game) + 1)
    open_boxes = [n for n in OPEN_BOXES if n < game.n_categories]
    here = {n: State(game.all_filled >> n << n) for n in open_boxes}
    jobs: dict[Any, Callable[[], object]] = {
        "mean": partial(solve, game, threads=threads),
        "reach": partial(solve_goal, game, reach(), threads=threads),
        "utility": partial(solve_goal, game, utility(scores), threads=threads),
        **{n: partial(solve_goal, game, reach(), here[n], threads=threads, draft=True) for n in open_boxes},
    }
    for n in ("mean", *open_boxes):
        jobs[n]()
    best = best_seconds(jobs, repeats)
    goals = {name: best[name] for name in ("reach", "utility")}
    return GoalsBench(threads, repeats, best["mean"], goals, {n: best[n] for n in open_boxes})
